// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Functions of their own, whose parameters are the names they use. Where all that makes one fast is
// written out (registers, vectors from one place in memory, products that are added), what else C
// compilers would do only makes it longer:
//
//   static einc_small void matmul_tile(float *C_data, ...) {
//     einc_f32x16 c[8][3];
//     ...
//   }
//
// (Measured on Zen 4: the functions of a matmul 14.9 KB in place of 19.9, none of 24 sizes slower.)
//
// A tensor's place is a parameter, which points to what the function begins with, and so are strides:
// what differs in these and in names alone is one function, which works on arguments, tiles of them,
// and buffers.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "compiler/emit/c/once.h"
#include "compiler/emit/text/references.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::emit {
namespace {

bool isArithmetic(const ir::Value& value) {
  if (std::holds_alternative<ir::Reduce>(value.node)) return false;
  auto* call = std::get_if<ir::Call>(&value.node);
  return call == nullptr || call->function == ir::Function::Add ||
         call->function == ir::Function::Mul || call->function == ir::Function::Fma;
}

// Loads, sums and products: no functions with loops or choices in them.
bool isArithmetic(const ir::Block& block) {
  bool plain = true;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    if (const ir::ValueRef value = ir::valueOf(stmt))
      ir::forEach(value, [&](const ir::Value& node) { plain &= isArithmetic(node); });
  });
  return plain;
}

// No loops on tiles, views or memory of its own: what the function begins with does not move in it.
bool isOnePlace(const ir::Block& block) {
  bool plain = true;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    plain &= std::holds_alternative<ir::For>(stmt.node) ||
             std::holds_alternative<ir::If>(stmt.node) ||
             std::holds_alternative<ir::Vector>(stmt.node) ||
             std::holds_alternative<ir::Prefetch>(stmt.node) ||
             std::holds_alternative<ir::Transpose>(stmt.node) || ir::valueOf(stmt) != nullptr;
  });
  return plain;
}

// References, numbers and what stands between them: two functions may differ in the former.
std::vector<std::string> piecesOf(const std::string& text) {
  std::vector<std::string> pieces;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    size_t end = endOfReference(text, at);
    while (end == at || (end < text.size() && isPart(text[end - 1]) && isPart(text[end]))) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

bool isNumber(const std::string& piece) {
  return std::all_of(piece.begin(), piece.end(), [](char c) { return llvm::isDigit(c); });
}

}  // namespace

// What is used of the names around, the first `declared` of declared_ among them.
std::vector<Passed> BodyWriter::parametersOf(const References& used, size_t declared) const {
  std::vector<Passed> parameters;
  auto add = [&](const std::string& name, const std::string& type) {
    if (used.count(name) != 0) parameters.push_back({type, name, name});
  };
  for (const auto& [name, type] : scope_.parameterTypes(used)) add(name, type);
  for (size_t i = 0; i < declared; ++i) add(declared_[i].first, declared_[i].second);
  for (const auto* around : {&ofFunction_, &once_})
    if (*around)
      for (const Passed& value : (*around)->values) add(value.name, value.type);
  return parameters;
}

// Places in memory are the caller's to compute; what is made of others stands before the body.
std::vector<Passed> BodyWriter::valuesOf(const Once& once, std::string& body) const {
  std::vector<Passed> parameters;
  std::string lines;
  References used = referencesIn(body);
  for (auto value = once.values.rbegin(); value != once.values.rend(); ++value) {
    const std::string& text = value->argument;
    if (used.count(value->name) == 0) continue;
    References made = referencesIn(text);
    const bool isMade =
        llvm::any_of(once.values, [&](const auto& other) { return made.count(other.name) != 0; });
    used.merge(made);
    if (isMade)
      lines = std::string(size_t{2} * out_.depth(), ' ') + "const int64_t " + value->name + " = " +
              text + ";\n" + lines;
    else
      parameters.insert(parameters.begin(), *value);
  }
  body = lines + body;
  return parameters;
}

// Copies from line to line: what is known of strides makes them no faster, but another function.
bool BodyWriter::isForAnyStrides(const ir::Block& block) const {
  bool isCopy = true, any = false;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    auto* loop = std::get_if<ir::For>(&stmt.node);
    isCopy &= loop != nullptr || std::holds_alternative<ir::Store>(stmt.node);
    const bool isInnermost =
        loop && std::none_of(loop->body.begin(), loop->body.end(), [](const ir::Stmt& s) {
          return std::holds_alternative<ir::For>(s.node);
        });
    any |= isInnermost;
    isCopy &= !isInnermost || isStrided(*loop);
  });
  return isCopy && any;
}

void BodyWriter::operator()(const ir::Outline& outline) {
  std::string before = out_.take();
  auto outer = declared_;
  auto once = std::exchange(once_, std::nullopt);
  auto ofFunction = std::exchange(ofFunction_, std::nullopt);
  auto counts = std::exchange(onceCounts_, {});
  if (ofFunction)
    onceCounts_["quotient"] = counts["quotient"];  // those of the function around are parameters
  const bool isWrittenOut = std::exchange(isWrittenOut_, isArithmetic(outline.body));
  const std::string around = std::exchange(outline_, outline.name);
  if (isOnePlace(outline.body)) {
    once_.emplace();
    once_->isCall = true;
    once_->isForAnyStrides = isForAnyStrides(outline.body);
  } else {
    ofFunction_.emplace();
  }
  const Around loops = std::exchange(around_, {});
  block(outline.body);
  around_ = loops;
  outline_ = around;
  const bool isSmall = std::exchange(isWrittenOut_, isWrittenOut);
  std::string body = out_.take();
  if (ofFunction_) {
    std::string lines;
    for (const std::string& line : takeLines(*ofFunction_, body))
      lines += std::string(size_t{2} * out_.depth(), ' ') + line + "\n";
    body = lines + body;
  }
  ofFunction_ = std::move(ofFunction);
  declared_ = outer;
  std::vector<Passed> values;
  if (once_) values = valuesOf(*once_, body);
  once_.reset();
  llvm::append_range(values, parametersOf(referencesIn(body), declared_.size()));
  once_ = std::move(once);
  onceCounts_ = std::move(counts);
  const std::string head =
      "static " + (isSmall ? prelude_.need("small") : "__attribute__((noinline))") + " void ";
  out_.raw(before);
  callOne(head, function_ + "_" + outline.name, values, dedented(body, out_.depth() - 1));
}

// What to call `before` with in the place of `function`, if they differ in names alone, or in
// numbers where `before` has a parameter.
std::optional<std::vector<std::string>> BodyWriter::argumentsOf(const Function& before,
                                                                const Function& function) const {
  if (before.pieces.size() != function.pieces.size()) return std::nullopt;
  auto parameter = [](const Function& of, const std::string& name) {
    return std::find_if(of.parameters.begin(), of.parameters.end(),
                        [&](const Passed& p) { return p.name == name; });
  };
  std::map<std::string, std::string> meanings, users;
  for (size_t i = 0; i < before.pieces.size(); ++i) {
    const std::string &piece = before.pieces[i], &meaning = function.pieces[i];
    if (!isReference(piece)) {
      if (piece != meaning) return std::nullopt;
      continue;
    }
    if (meanings.try_emplace(piece, meaning).first->second != meaning) return std::nullopt;
    auto own = parameter(before, piece);
    auto given = parameter(function, meaning);
    if (own == before.parameters.end()) {
      if (given != function.parameters.end() || !isReference(meaning)) return std::nullopt;
      if (users.try_emplace(meaning, piece).first->second != piece) return std::nullopt;
    } else if (given == function.parameters.end() ? !isNumber(meaning) || own->type != "int64_t "
                                                  : own->type != given->type) {
      return std::nullopt;
    }
  }
  std::vector<std::string> arguments;
  for (const Passed& own : before.parameters) {
    auto found = meanings.find(own.name);
    const std::string& meaning = found == meanings.end() ? own.name : found->second;
    auto given = parameter(function, meaning);
    if (given == function.parameters.end() && !isNumber(meaning)) return std::nullopt;
    arguments.push_back(given == function.parameters.end() ? meaning : given->argument);
  }
  return arguments;
}

// Calls the function, or one before it that does the same.
void BodyWriter::callOne(const std::string& head, const std::string& wanted,
                         const std::vector<Passed>& parameters, const std::string& body) {
  Function function{"", {}, piecesOf(head + "\n" + body)};
  for (const bool isPointer : {true, false})
    llvm::copy_if(parameters, std::back_inserter(function.parameters),
                  [&](const Passed& each) { return (each.type.back() == '*') == isPointer; });
  auto call = [&](const std::string& name, const std::vector<std::string>& arguments) {
    out_.line(name + "(" + joined(arguments) + ");");
  };
  for (const Function& before : functions_)
    if (auto arguments = argumentsOf(before, function)) return call(before.name, *arguments);
  std::vector<std::string> declared, arguments;
  for (const Passed& parameter : function.parameters) {
    declared.push_back(parameter.type + parameter.name);
    arguments.push_back(parameter.argument);
  }
  function.name = prelude_.define(functionNames_.make(wanted), kernel_.name);
  TextWriter text;
  text.open(head + function.name + "(" + (declared.empty() ? "void" : joined(declared)) + ") {");
  text.raw(body);
  text.close();
  text.line();
  outlined_ += text.take();
  call(function.name, arguments);
  functions_.push_back(std::move(function));
}

// A call of the function that variants are which differ in how often they repeat.
void BodyWriter::callVariant(const ir::Vector& region) {
  const std::string before = out_.take();
  const size_t declared = declared_.size();
  writeRegion(region);
  const std::string body = dedented(out_.take(), out_.depth() - 1);
  out_.raw(before);
  const References used = referencesIn(body);
  std::vector<Passed> parameters = parametersOf(used, declared);
  for (const ir::Axis& axis : region.times) {
    const std::string count = scope_.local("." + axis.name + "_count");
    if (used.count(count) != 0)
      parameters.push_back({"int64_t ", count, std::to_string(axis.size)});
  }
  vectors_.need("inline");
  callOne("EINC_INLINE void ", function_ + (outline_.empty() ? "" : "_" + outline_) + "_registers",
          parameters, body);
}

}  // namespace einc::emit
