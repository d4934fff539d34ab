// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Attribute values from the command line: "2,2" for `strides: 2xi64`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::driver {

// All elements; one value stands for all of a shaped attribute.
Result<std::vector<ir::Number>> parseAttributeValue(const ir::Attribute& attribute,
                                                    const std::string& text);

// A reason with "did you mean" for the names in `given` that none of the kernels has.
std::optional<Reason> findUnknownAttribute(const std::map<std::string, std::string>& given,
                                           const ir::Module& module);

// The same for sizes.
std::optional<Reason> findUnknownDim(const std::map<std::string, int64_t>& given,
                                     const ir::Module& module);

}  // namespace einc::driver
