// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/attributes.h"

#include <algorithm>

#include "compiler/frontend/literal.h"
#include "compiler/support/diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::driver {
namespace {

Result<ir::Number> parseElement(llvm::StringRef text, ir::ScalarType type) {
  text = text.trim();
  if (ir::info(type).cls == ir::TypeClass::Bool && (text == "true" || text == "false"))
    return ir::Number{0.0, text == "true" ? 1u : 0u};
  bool negative = text.consume_front("-");
  if (text.empty() || !(llvm::isDigit(text[0]) || text[0] == '.')) return Reason{"expected a number"};
  return frontend::parseLiteral({text.data(), text.size()}, negative, type);
}

std::optional<Reason> unknownName(const std::string& flag, const std::string& name,
                                  std::vector<std::string> known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return std::nullopt;
  return Reason{"--" + flag + " " + name + "=: no def has it" + didYouMean(name, known)};
}

}  // namespace

Result<std::vector<ir::Number>> parseAttributeValue(const ir::Attribute& attribute,
                                                    const std::string& text) {
  std::vector<ir::Number> values;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  if (!text.empty()) llvm::StringRef(text).split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto value = parseElement(part, attribute.type);
    if (!value)
      return Reason{"--attr " + attribute.name + "=" + text + ": '" + part.str() + "': " +
                    value.reason()};
    values.push_back(*value);
  }
  if (attribute.list) return values;
  auto wanted = static_cast<size_t>(attribute.elementCount());
  if (values.size() == 1) values.resize(wanted, values[0]);
  if (values.size() != wanted)
    return Reason{"--attr " + attribute.name + "= takes " + std::to_string(wanted) +
                  (wanted == 1 ? " value" : " values") + ", found " + std::to_string(parts.size())};
  return values;
}

std::optional<Reason> findUnknownAttribute(const std::map<std::string, std::string>& given,
                                           const ir::Module& module) {
  std::vector<std::string> known;
  for (const ir::Kernel& kernel : module.kernels)
    for (const ir::Attribute& attribute : kernel.attributes) known.push_back(attribute.name);
  for (const auto& [name, text] : given)
    if (auto reason = unknownName("attr", name, known)) return reason;
  return std::nullopt;
}

std::optional<Reason> findUnknownDim(const std::map<std::string, int64_t>& given,
                                     const ir::Module& module) {
  std::vector<std::string> known;
  for (const ir::Kernel& kernel : module.kernels)
    for (std::string& symbol : kernel.sizeSymbols()) known.push_back(std::move(symbol));
  for (const auto& [name, value] : given)
    if (auto reason = unknownName("dim", name, known)) return reason;
  return std::nullopt;
}

}  // namespace einc::driver
