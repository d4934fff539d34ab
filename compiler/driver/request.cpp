// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/request.h"

#include <algorithm>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"

namespace einc::driver {

std::string sourceOf(const Request& request) {
  return request.einsum.empty() ? joined(request.specs) : "--einsum " + request.einsum;
}

Result<Assignments> parseAssignments(const std::string& flag,
                                     const std::vector<std::string>& texts) {
  Assignments result;
  for (const std::string& text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Reason{"--" + flag + " takes NAME=VALUE, not '" + text + "'"};
    std::string name = text.substr(0, equals);
    if (std::any_of(result.begin(), result.end(), [&](const auto& a) { return a.first == name; }))
      return Reason{"--" + flag + " gives '" + name + "' twice"};
    result.emplace_back(name, text.substr(equals + 1));
  }
  return result;
}

Result<std::map<std::string, int64_t>> parseDims(const std::vector<std::string>& texts) {
  auto assignments = parseAssignments("dim", texts);
  if (!assignments) return Reason{assignments.reason()};
  std::map<std::string, int64_t> result;
  for (const auto& [name, text] : *assignments) {
    int64_t value;
    if (llvm::StringRef(text).getAsInteger(10, value) || value < 0)
      return Reason{"--dim " + name + "= takes a size from 0 to 2^63 - 1, not '" + text + "'"};
    result.emplace(name, value);
  }
  return result;
}

}  // namespace einc::driver
