// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What sizes that are numbers say of tensors and statements: that there is nothing, or too much.
//
// Schedules compute with products of sizes: elements, iterations, bytes. The limits leave room
// above them for what tiles add, so that all of it is exact in 64 bits. No memory holds more.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"

namespace einc::ir {

// As powers of two.
inline constexpr int kMostBytes = 56;       // of a tensor
inline constexpr int kMostIterations = 60;  // of an op

// A dimension has the size 0, for certain.
bool hasNoElements(const Tensor& tensor);

struct TooLarge {
  SourceRange place;   // the tensor's name, or the statement
  std::string reason;  // with the limit
};
// The first tensor, or else op, beyond its limit, even if all that is no number is 1. A dimension
// without positions counts as one that has one.
std::optional<TooLarge> findTooLarge(const Kernel& kernel);

}  // namespace einc::ir
