// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/parse.h"

#include <cmath>
#include <limits>

#include "compiler/ir/literal.h"
#include "compiler/ir/parse_statement.h"
#include "compiler/ir/print.h"
#include "compiler/ir/token_stream.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::ir {
namespace {

// The bytes of a string token.
std::string unquoted(std::string_view token) {
  std::string bytes;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] != '\\') {
      bytes += token[i];
    } else if (token[++i] == 'n') {
      bytes += '\n';
    } else if (token[i] == 'x' && i + 3 < token.size() && llvm::isHexDigit(token[i + 1]) &&
               llvm::isHexDigit(token[i + 2])) {
      bytes += static_cast<char>(llvm::hexFromNibbles(token[i + 1], token[i + 2]));
      i += 2;
    } else {
      bytes += token[i];
    }
  }
  return bytes;
}

class KernelParser {
 public:
  explicit KernelParser(TokenStream& in) : in_(in), statements_(in, kernel_, scope_) {}

  Kernel run() {
    in_.expectWord("kernel");
    in_.expect("@", " before the kernel's name");
    kernel_.source = in_.token().range;
    kernel_.name = in_.name("a name");
    scope_.anySize = true;
    in_.expect("(");
    in_.list(")", [&] { input(); });
    in_.expect("->", " and the outputs");
    in_.expect("(");
    in_.list(")", [&] { statements_.tensor(Role::Output); });
    clauses();
    scope_.anySize = false;
    for (std::string& symbol : kernel_.sizeSymbols()) scope_.sizes.insert(std::move(symbol));
    Kernel signature = kernel_;
    Scope named = scope_;
    in_.expect("{");
    statements_.body();
    if (in_.acceptWord("contract")) contract(std::move(signature), std::move(named));
    return std::move(kernel_);
  }

 private:
  // What is computed, on the tensors of the same signature.
  void contract(Kernel signature, Scope named) {
    signature.level = Level::Tensors;
    in_.expect("{");
    StatementParser(in_, signature, named).body();
    kernel_.contract = std::make_shared<const Kernel>(std::move(signature));
  }

  // ---- The signature ----

  void input() {
    if (in_.token().is("%")) {
      kernel_.inputs.push_back({true, static_cast<unsigned>(kernel_.tensors.size())});
      statements_.tensor(Role::Input);
    } else {
      kernel_.inputs.push_back({false, static_cast<unsigned>(kernel_.attributes.size())});
      attribute(/*parameter=*/true);
    }
  }

  void attribute(bool parameter) {
    Token token = in_.token();
    Attribute attribute;
    attribute.name = in_.name("a tensor (%A: ...) or an attribute (s: ...)");
    attribute.optional = in_.accept("?");
    attribute.parameter = parameter;
    in_.expect(":");
    attributeType(attribute);
    if (in_.accept("=")) defaults(attribute);
    if (kernel_.attributes.size() == kMaxSignature)
      in_.fail(token.range,
               "a kernel has at most " + std::to_string(kMaxSignature) + " attributes");
    scope_.attributes.emplace(attribute.name, static_cast<unsigned>(kernel_.attributes.size()));
    kernel_.attributes.push_back(std::move(attribute));
  }

  // "f32", "f32[]", "2x3xi64"
  void attributeType(Attribute& attribute) {
    if (in_.token().kind == TokenKind::Number) {
      llvm::StringRef text(in_.token().text.data(), in_.token().text.size());
      while (!text.empty() && llvm::isDigit(text[0])) {
        auto [digits, rest] = text.split('x');
        int64_t size;
        if (attribute.shape.size() == kMaxRank || digits.getAsInteger(10, size)) break;
        attribute.shape.push_back(size);
        text = rest;
      }
      auto type = parseType({text.data(), text.size()});
      if (!type) return in_.failExpected("a type, such as 2xi64");
      attribute.type = *type;
      in_.advance();
      return;
    }
    attribute.type = in_.type();
    if (!in_.accept("[")) return;
    in_.expect("]");
    attribute.list = true;
  }

  void defaults(Attribute& attribute) {
    attribute.defaults.emplace();
    auto number = [&] { attribute.defaults->push_back(defaultValue(attribute.type)); };
    if (!in_.accept("[")) return number();
    in_.list("]", number);
  }

  Number defaultValue(ScalarType type) {
    bool negative = in_.accept("-");
    Token token = in_.token();
    in_.advance();
    const TypeInfo& t = info(type);
    if (t.isFloat() && (token.isWord("inf") || token.isWord("nan"))) {
      using Double = std::numeric_limits<double>;
      double magnitude = token.text == "inf" ? Double::infinity() : Double::quiet_NaN();
      return {std::copysign(magnitude, negative ? -1.0 : 1.0), 0};
    }
    if (t.cls == TypeClass::Bool && !negative && (token.isWord("true") || token.isWord("false")))
      return {0.0, token.text == "true" ? 1u : 0u};
    Result<Number> number = Reason{"expected a number, found " + describe(token)};
    if (token.kind == TokenKind::Number) number = parseLiteral(token.text, negative, type);
    if (number) return *number;
    in_.fail(token.range, number.reason());
    return {};
  }

  void clauses() {
    for (;;) {
      switch (in_.oneOf({"level", "attr", "ods", "implements", "doc", "library_call", "strides"})) {
        case 0:
          kernel_.level =
              static_cast<Level>(in_.oneOf({"tensors", "buffers", "tiled", "vector", "hardware"}));
          return;
        case 1:
          attribute(/*parameter=*/false);
          break;
        case 2:
          kernel_.odsName = string();
          break;
        case 3:
          kernel_.interfaces.push_back(string());
          break;
        case 4:
          kernel_.doc = string();
          break;
        case 5:
          kernel_.libraryCall = string();
          break;
        case 6:
          in_.expectWord("contiguous");
          kernel_.contiguous = true;
          break;
      }
    }
  }

  std::string string() {
    if (in_.token().kind != TokenKind::String) {
      in_.failExpected("a string");
      return "";
    }
    std::string bytes = unquoted(in_.token().text);
    in_.advance();
    return bytes;
  }

  TokenStream& in_;
  Kernel kernel_;
  Scope scope_;
  StatementParser statements_;
};

}  // namespace

std::optional<Module> parse(const SourceFile& source, Diagnostics& errors) {
  TokenStream in(source, errors);
  SourceRange start = in.token().range;
  if (!in.acceptWord("eir")) in.failExpected("'eir " + std::to_string(kTextVersion) + "'");
  int64_t version = in.integer();
  if (!in.failed() && version != kTextVersion)
    in.fail(start, "this is version " + std::to_string(version) +
                       " of the IR text; this einc reads " + "version " +
                       std::to_string(kTextVersion));
  Module module;
  while (!in.failed() && in.token().kind != TokenKind::End) {
    if (in.token().isWord("eir"))
      in.fail(in.token().range, "a second module: --target= of one target prints one alone");
    module.kernels.push_back(KernelParser(in).run());
  }
  return in.failed() ? std::nullopt : std::optional(std::move(module));
}

}  // namespace einc::ir
