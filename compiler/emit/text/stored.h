// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Types that only store numbers (i4, u4, f8), where what is emitted has none of them.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

// A tensor of such a type, or null.
const ir::Tensor* storedTensor(const ir::Kernel& kernel);

// Why a kernel with such a tensor is refused: "tensor 'W' is of i4, and shaders have no elements of it".
std::optional<Reason> refuseStored(const ir::Kernel& kernel, const std::string& what);

}  // namespace einc::emit
