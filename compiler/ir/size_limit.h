// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What sizes that are numbers say of a tensor: that it has no elements, or too many.
//
// Schedules compute with the elements and bytes of tensors. The limit leaves room above it for what
// tiles add, so that all of it is exact in 64 bits. No memory holds more.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"

namespace einc::ir {

inline constexpr int kMostBytes = 56;  // of a tensor, as a power of two

// A dimension has the size 0, for certain.
bool hasNoElements(const Tensor& tensor);

struct TooLarge {
  SourceRange place;   // the tensor's name
  std::string reason;  // with the limit
};
// The first tensor beyond the limit, even if all that is no number is 1. A dimension without
// positions counts as one that has one.
std::optional<TooLarge> findTooLarge(const Kernel& kernel);

}  // namespace einc::ir
