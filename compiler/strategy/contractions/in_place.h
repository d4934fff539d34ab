// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction whose left operand is read where it is, one element at a time, and broadcast, as steps;
// only the right one is packed. A window that moves over an image is so never laid out as a matrix.
//
//   for n in blocks of nc, k in blocks of kc, m in blocks of mc:   registers over mr x nr tiles
//     packed_B = panels of nr columns;  C(m, n) += A(m, k) * packed_B(k, n)
//
// With few rows that is too much before anything is computed: the first tile of a panel packs it.
//
//   for k in blocks of kc, n by nr:
//     the first mr rows on B, which is copied to packed_B; the others on that
//
// Pays where there are too few columns for packing the left operand to be forgotten. Rows are at
// one offset each, from a table, if M has several iterators; what K has is walked by loops. Where
// the left operand is read outside its tensor, a copy with a border takes its place (padding.h).
//
// Where an instruction adds several products at once, its words on the left are read where they are, and those on the right
// are packed: words that are whole, neighbours in memory, not moved by half their range, and not summed up.
//
// Refused: M and K of one iterator each, unless rows are few or there are so few columns that they
// are one block or two (measured: 1024 x 64 x 1024 gained 1.3 times); N of several; a left operand
// that is not contiguous along K as the spec has it, since each of its elements would be on another
// cache line.
#pragma once

#include "compiler/strategy/contractions/panels.h"

namespace einc::strategy {

Result<Form> inPlace(const Contraction& contraction);

}  // namespace einc::strategy
