// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What an op reads outside its tensors, and between which borders of an iterator it does not.
//
//   ins(%I[ow + kw - 1] pad 0.0)     %I has IW positions, kw runs over 3: inside from low = 1 on, of
//                                    count = min(OW, IW - 1) - low
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/ir.h"

namespace einc::strategy {

// An index of an input that may be outside its tensor, where there are `size` positions.
struct Outside {
  affine::Expr index, size;
};

// Those of an op that is not canonical yet.
std::vector<Outside> findOutside(const ir::Kernel& kernel, const ir::StructuredOp& op);

// An input that may be read outside its tensor gets a twin without its pad, behind the other inputs, for where it is not.
// The padded ones, among the inputs that are read. (Where a plain index may leave its tensor, outputs are inputs, too, of which
// the shape alone is meant: a twin would say that its iterator runs no further.)
std::vector<size_t> addTwins(const ir::Kernel& kernel, ir::StructuredOp& op);
// For a payload: operands from that number on are so many further.
void shiftOperands(ir::StructuredOp& op, size_t from, int64_t by);

// Why nothing is known of what they are at the ends of iterators: all run forward, in steps of which those
// that are not known have to be positive.
std::optional<std::string> runBackwards(const std::vector<Outside>& all);
std::vector<affine::Expr> stepsOf(const std::vector<Outside>& all);

// The least and the largest value of an index for all positions of an op but `along`, of which it is the
// first; and how far the next one is. Other iterators are those of loops around the op.
struct Ends {
  affine::Expr step, first, last;
};
Ends endsOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const affine::Expr& index,
            const std::string& along = "");

// Sizes and attributes beyond it are left to the loops of the spec.
constexpr int64_t kFar = 1 << 28;

// Where nothing along an iterator is outside: `count` positions from `low` on.
struct Interior {
  affine::Expr low, count;
};

class Borders {
 public:
  Borders(const ir::Kernel& kernel, const ir::StructuredOp& op, const std::vector<Outside>& all,
          const std::string& along);

  bool isEmpty() const { return ends_.empty(); }
  // Whether sums of what it is made of stay within 64 bits where each symbol is at most kFar.
  bool areNear() const;
  std::vector<std::string> symbols() const;

  // `least` is the least of several numbers, which it may call by a name.
  using Least =
      std::function<affine::Expr(const std::string& name, const std::vector<affine::Expr>& of)>;
  Interior interior(const Least& least) const;

 private:
  affine::Expr extent_;
  std::vector<Ends> ends_;
  std::vector<affine::Expr> sizes_;
};

}  // namespace einc::strategy
