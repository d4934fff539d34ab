// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/attributes.h"

#include <algorithm>

#include "compiler/ir/literal.h"
#include "compiler/support/diagnostics.h"

namespace einc::driver {
namespace {

std::optional<Reason> unknownName(const std::string& flag, const std::string& name,
                                  std::vector<std::string> known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return std::nullopt;
  return Reason{"--" + flag + " " + name + "=: no def has it" + didYouMean(name, known)};
}

}  // namespace

Result<std::vector<ir::Number>> parseAttributeValue(const ir::Attribute& attribute,
                                                    const std::string& text) {
  auto values = ir::parseElements(attribute, text, ',');
  if (!values) return Reason{"--attr " + attribute.name + "=" + text + ": " + values.reason()};
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
