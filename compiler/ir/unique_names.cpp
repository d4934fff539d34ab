// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/unique_names.h"

#include "compiler/ir/literal.h"
#include "llvm/ADT/StringRef.h"

namespace einc::ir {

UniqueNames::UniqueNames(const Kernel& kernel) {
  for (std::string& symbol : kernel.sizeSymbols()) take(std::move(symbol));
  for (const Attribute& attribute : kernel.attributes) take(attribute.name);
}

std::string UniqueNames::make(const std::string& wanted) {
  std::string name = llvm::StringRef(wanted).lower(), candidate = name;
  while (isLiteralName(candidate) || !taken_.insert(candidate).second)
    candidate = name + std::to_string(++last_[name]);
  return candidate;
}

}  // namespace einc::ir
