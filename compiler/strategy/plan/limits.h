// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How much a step may ask for. These limits protect who runs the code, or compiles it, from a number
// that a schedule has wrong; what is best below them is measured (target/numbers.def).
#pragma once

#include <cstddef>
#include <cstdint>

namespace einc::strategy {

// Bytes of a copy on the stack, which a program's own threads may have little of.
constexpr int64_t kMostOnStack = 32 << 10;
// Positions of an offset table there, of 8 bytes each, and of a tile of results: several are at once.
constexpr int64_t kMostInTable = 1 << 15, kMostInScratch = 1 << 14;
// Bytes of a copy, or of panels: a product of some sizes beyond would leave 64 bits.
constexpr int64_t kMostCopied = int64_t{1} << 34;
// Vectors of a step, of which each is a line of C or more: as many as a contraction's tile may be set
// to have. Those of a result, each of which takes a step to combine.
constexpr int64_t kMostRows = 64, kMostColumnVectors = 16;
// Rounds of a sum that are code of their own, each for all of these vectors.
constexpr int64_t kMostUnrolled = 64;
constexpr int64_t kMostVectors = kMostRows * kMostColumnVectors, kMostLanes = 64;
// Positions across a panel, whose rows are written vector by vector.
constexpr int64_t kMostAcross = 1024;
// Bytes of a line that tiles may begin at: no page is longer.
constexpr int64_t kMostLine = 4096;
// Positions that memory is asked for ahead: times any element's size it stays within 64 bits.
constexpr int64_t kMostAhead = int64_t{1} << 32;

// A number that steps compute, as a power of 2: far below what 64 bits hold, so that what is computed from it still fits.
constexpr int kMostNumber = 62;
// Positions of a part: products of that with the sizes of results still fit.
constexpr int64_t kMostInPart = int64_t{1} << 48;
// Steps behind one another, each of which does what follows it.
constexpr size_t kMostSteps = 256;

}  // namespace einc::strategy
