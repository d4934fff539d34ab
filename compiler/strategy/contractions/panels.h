// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The packed macro-kernel, for any op with groups M, N and K (groups.h) and any payload, as steps.
//
//   let k_step = min(k, 512)
//   let mc = min(192, (m ceildiv 8) * 8)
//   let nc = min(2016, (n ceildiv 48) * 48)
//   tile n by nc                                 the panel of the right operand
//   tile k by k_step
//   pack B (n: 48) along k as p
//   tile m by mc                                 the block of the left operand
//   pack A (m: 8) along k as p
//   tile n by 48
//   tile m by 8
//   when contiguous(C, n) {
//     when m == 8 and n == 48 { function tile { vectorize (m: 8, n: 48) early } }
//     otherwise { function masked { vectorize (m: 8, n: 48) fit n variant } }
//   } otherwise {
//     function edge { scratch (m: 8, n: 48) { function tile { vectorize (m: 8, n: 48) early } } }
//   }
//
// The five loops of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", ACM TOMS 34(3), 2008. A group of several iterators is one dimension of a view:
// rows and columns sit at offsets looked up in tables, so that contractions of any index order and
// convolutions are packed straight from where they are. K's iterators stay apart: their tiles are
// boxes, in the order of the groups, so that terms are added in the order in which they are
// written, where the groups have that of the op.
//
// What the output starts from, and ops that read it, are done on the register tiles (region.h).
// Sums that take several tiles of K are kept in a buffer until they are finished.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/instructions.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

// Cycles an iteration (estimate.h), which a way of a product adds up as it needs them.
struct ProductCost {
  double tile;                     // on a tile of registers
  double packedLeft, packedRight;  // for the panels of an operand
  double far;                      // for a right operand that is not asked for early
};

// A contraction that a form looks at, and what it is to know besides.
struct Contraction {
  const ir::Kernel& kernel;
  const ir::StructuredOp& before;          // as the spec has it
  const ir::StructuredOp& op;              // canonical
  const std::vector<OperandName>& names;   // of its operands
  const std::vector<OperandName> written;  // what a tile of results is written to in the end
  bool isAlone;                            // no other op is done on its tiles
  const Groups& groups;
  const ContractionTiles& tiles;
  const ProductCost cost;
  const ScheduleOptions& options;
  const std::optional<Instructed> words = {};  // what adds its products, several at once
  // What other ops on its tiles read that lies along the columns, as results do.
  const std::vector<OperandName> readAlong = {};

  // How many positions iterators have together.
  affine::Expr positions(const std::vector<std::string>& iterators) const;
  // How many these are at most, where that is known.
  std::optional<int64_t> most(const std::vector<std::string>& iterators) const;
  // Memory for unfinished sums is the least of these: for all rows, or, where one tile of K is all,
  // none.
  std::vector<affine::Expr> sumsRows(const std::vector<std::string>& k,
                                     const std::vector<affine::Expr>& kSteps) const;
  // That vectors of these lie in memory as such.
  static std::vector<Test> along(const std::vector<OperandName>& operands,
                                 const std::string& columns);
  // How many terms of a sum an instruction adds to a lane.
  int64_t terms() const;
  // Such a name that no iterator and no size has.
  std::string freeName(const std::string& wanted) const;
};

// How many terms a panel has in the 4 bytes of one that is packed as it is.
int64_t packedTerms(const std::optional<Instructed>& words);

// When the input may have a copy with a border in its place (plan/padding.h); nothing: never.
std::optional<std::vector<Test>> whereBordered(const Contraction& contraction, size_t input,
                                               const std::optional<ir::Axis>& blocks = {});

// Anywhere.
Result<Form> inPanels(const Contraction& contraction);
// From a copy with a border, where words have elements of which each may be outside.
Result<Form> inBorderedPanels(const Contraction& contraction);

}  // namespace einc::strategy
