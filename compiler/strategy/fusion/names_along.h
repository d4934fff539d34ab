// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An iterator of several ops that stands at one dimension of what they leave for each other, or read again: rounds
// (find_rounds.h) may go along it.
//
//   op 0 (m, n, d: reduction) ins(%Q[m, d], %K[n, d]) outs(%S[m, n])      n of op 0 is n of op 1, as %S has it
//   op 1 (m, n: reduction) ins(%S[m, n]) outs(%L[m])
//   op 2 (m) ins(%L[m]) outs(%A[m])
//   op 3 (i, j: reduction) ins(%S[i, j], %A[i]) outs(%T[i])               and j of op 3, which needs what op 1 has found
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

// What it is called, by the numbers of ops.
using Names = std::map<size_t, std::string>;

// Of ops from a number on: where an op's iterator stands in others; nothing where one of them uses it in another way.
std::optional<Names> namesAlong(const Ops& ops, size_t from, size_t op,
                                const std::string& iterator);

// With what reduces the same rows of an input again, as it needs what the op has found in them.
Names withReaders(const Ops& ops, size_t from, size_t op, const Names& names);

// Whether what an op has found is needed along the same iterator by another.
bool isUsedAlong(const Ops& ops, size_t op, const Names& names);

}  // namespace einc::strategy
