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
// What differs from a function before it in names alone is that function: an operand that is packed
// in two ways of computing an op.
#include <algorithm>
#include <map>
#include <utility>

#include "compiler/emit/c/once.h"
#include "compiler/emit/text/words.h"
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

bool hasVariant(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    auto* region = std::get_if<ir::Vector>(&stmt.node);
    found |= region && region->variant;
  });
  return found;
}

// The text with numbers in the place of names: equal for what differs in names alone.
std::string withoutNames(const std::string& text, const Names& names) {
  std::map<std::string, size_t> numbers;
  std::string result;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isPart(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    const std::string word = text.substr(at, end - at);
    result += names.has(word)
                  ? "$" + std::to_string(numbers.try_emplace(word, numbers.size()).first->second)
                  : word;
    at = end;
  }
  return result;
}

}  // namespace

// What `body` uses of the names around it, the first `declared` of declared_ among them.
BodyWriter::Function BodyWriter::functionOf(const std::string& body, size_t declared) const {
  std::vector<std::string> parameters, arguments;
  auto add = [&](const std::string& name, const std::string& type) {
    if (!usesWord(body, name)) return;
    parameters.push_back(type + name);
    arguments.push_back(name);
  };
  for (const auto& [name, type] : scope_.parameterTypes(body)) add(name, type);
  for (size_t i = 0; i < declared; ++i) add(declared_[i].first, declared_[i].second);
  if (once_)
    for (const auto& [name, line] : once_->lines) add(name, "int64_t ");
  return {joined(parameters), joined(arguments)};
}

void BodyWriter::operator()(const ir::Outline& outline) {
  std::string before = out_.take();
  auto outer = declared_;
  auto once = std::exchange(once_, std::nullopt);
  auto counts = std::exchange(onceCounts_, {});
  const bool isWrittenOut = std::exchange(isWrittenOut_, isArithmetic(outline.body));
  const std::string around = std::exchange(outline_, outline.name);
  // What variants have in common is computed before one of them is chosen.
  if (hasVariant(outline.body))
    withOnce([&] { block(outline.body); });
  else
    block(outline.body);
  outline_ = around;
  const bool isSmall = std::exchange(isWrittenOut_, isWrittenOut);
  std::string body = out_.take();
  declared_ = outer;
  const Function names = functionOf(body, declared_.size());
  once_ = std::move(once);
  onceCounts_ = std::move(counts);
  const std::string head =
      "static " + (isSmall ? prelude_.need("small") : "__attribute__((noinline))") + " void ";
  out_.raw(before);
  callOne(head, function_ + "_" + outline.name, names, dedented(body, out_.depth() - 1));
}

// Calls the function, or one before it that differs in names alone.
void BodyWriter::callOne(const std::string& head, const std::string& wanted, const Function& names,
                         const std::string& body) {
  const std::string parameters = "(" + (names.parameters.empty() ? "void" : names.parameters) + ")";
  auto [found, isNew] = functions_.try_emplace(
      withoutNames(head + parameters + "\n" + body, scope_.signature().names));
  if (isNew) {
    found->second = functionNames_.make(wanted);
    TextWriter text;
    text.open(head + found->second + parameters + " {");
    text.raw(body);
    text.close();
    text.line();
    outlined_ += text.take();
  }
  out_.line(found->second + "(" + names.arguments + ");");
}

// A call of the function that variants are which differ in how often they repeat.
void BodyWriter::callVariant(const ir::Vector& region) {
  const std::string before = out_.take();
  const size_t declared = declared_.size();
  writeRegion(region);
  const std::string body = dedented(out_.take(), out_.depth() - 1);
  out_.raw(before);
  Function names = functionOf(body, declared);
  for (const ir::Axis& axis : region.times) {
    const std::string count = scope_.local("." + axis.name + "_count");
    if (!usesWord(body, count)) continue;
    names.parameters += ", int64_t " + count;
    names.arguments += ", " + std::to_string(axis.size);
  }
  vectors_.need("inline");
  callOne("EINC_INLINE void ", function_ + (outline_.empty() ? "" : "_" + outline_) + "_registers",
          names, body);
}

}  // namespace einc::emit
