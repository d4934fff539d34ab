// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/rounds_in_group.h"

#include <algorithm>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/contract.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/group_limits.h"
#include "compiler/strategy/groups.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

// Of a row, for each of which all that is not along it is done again.
constexpr int64_t kMostParts = 4;

struct Use {
  size_t op;
  const ir::Operand* operand;
};
std::optional<Use> firstUse(const Rounds& rounds, unsigned tensor) {
  for (size_t op = 0; op < rounds.ops.size(); ++op)
    for (size_t i = 0; i < rounds.ops[op].operandCount(); ++i)
      if (rounds.ops[op].operand(i).tensor == tensor) return Use{op, &rounds.ops[op].operand(i)};
  return std::nullopt;
}

// The loop whose iterator in an op is this index; null: none.
const Rounds::Loop* loopOf(const Rounds& rounds, size_t op, const affine::Expr& index) {
  const auto name = index.asIterator();
  if (!name) return nullptr;
  if (rounds.along.names[op] == *name) return &rounds.along;
  auto loop =
      llvm::find_if(rounds.outer, [&](const Rounds::Loop& one) { return one.names[op] == *name; });
  return loop == rounds.outer.end() ? nullptr : &*loop;
}

// Whether the op reads what a call may pass as a result, too.
bool readsInPlace(const ir::Kernel& contract, const ir::StructuredOp& op) {
  return llvm::any_of(op.inputs, [&](const ir::Operand& input) {
    for (unsigned t = 0; t < contract.tensors.size(); ++t)
      if (facts::mayShareMemory(contract, t, input.tensor)) return true;
    return false;
  });
}

// A loop over this dimension of what is kept. Ops without it are done in each of its tiles: where one of their results is seen,
// or another tile may overwrite what they read, there is to be one tile.
std::optional<Reason> addPart(const ir::Kernel& kernel, Rounds& rounds, const Use& use, size_t dim,
                              int64_t tile, const Along& along, std::vector<ir::Condition>& where) {
  const ir::Tensor& tensor = kernel.tensors[use.operand->tensor];
  Reason isLong("a workgroup's memory does not hold rows of " + tensor.name +
                ", of which the length is not known to be small");
  const auto name = use.operand->map[dim].asIterator();
  const auto names = name ? along(use.op, *name) : std::nullopt;
  if (!names) return isLong;
  Rounds::Loop loop{{}, tensor.shape[dim], tile};
  bool isSeen = false;
  for (size_t op = 0; op < rounds.ops.size(); ++op) {
    auto found = names->find(op);
    if (found != names->end() && !ir::isParallel(rounds.ops[op], found->second)) return isLong;
    if (found == names->end())
      isSeen |= readsInPlace(*ir::contractOf(kernel), rounds.ops[op]) ||
                llvm::any_of(rounds.ops[op].outputs, [&](const ir::Operand& output) {
                  return rounds.kept.count(output.tensor) == 0;
                });
    loop.names.push_back(found == names->end() ? "" : found->second);
  }
  const affine::Expr least = transforms::constant(1), most = transforms::constant(tile);
  if (isSeen && loop.extent.asConstant()) return isLong;
  if (isSeen) {
    where.push_back({ir::Condition::Kind::LessEqual, least, loop.extent});
    where.push_back({ir::Condition::Kind::LessEqual, loop.extent, most});
  }
  rounds.outer.push_back(std::move(loop));
  return std::nullopt;
}

// Of a tile of what is kept, where dimensions that are not known have `unknown` positions; of no tile if these are none.
std::optional<int64_t> bytesOf(const ir::Kernel& kernel, const Rounds& rounds, unsigned tensor,
                               std::optional<int64_t> unknown) {
  const ir::Tensor& whole = kernel.tensors[tensor];
  const auto use = firstUse(rounds, tensor);
  int64_t bytes = bytesInGroup(whole.type);
  for (size_t d = 0; d < whole.shape.size(); ++d) {
    const Rounds::Loop* loop = loopOf(rounds, use->op, use->operand->map[d]);
    auto size = loop ? std::optional(loop->tile) : whole.shape[d].asConstant();
    if (!size) size = unknown;
    if (!size || *size > INT32_MAX) return std::nullopt;
    if (bytes > INT32_MAX) return std::nullopt;
    bytes *= *size;
  }
  return bytes;
}

// Of all: of a bound there are what it was and its factors, too, in a round inside guards and in one that is not.
std::optional<int64_t> bytesOf(const ir::Kernel& kernel, const Rounds& rounds,
                               std::optional<int64_t> unknown) {
  int64_t bytes = 0;
  for (const auto& [tensor, name] : rounds.kept) {
    const auto own = bytesOf(kernel, rounds, tensor, unknown);
    if (!own) return std::nullopt;
    std::vector<transforms::Move> factors;
    for (const auto& [sum, move] : rounds.moved)
      if (move.bound == tensor && !llvm::is_contained(factors, move)) factors.push_back(move);
    const auto each = 1 + static_cast<int64_t>(factors.size());
    bytes += *own * (rounds.bounds.count(tensor) == 0 ? 1 : 1 + 2 * each);
  }
  return bytes;
}

// How many rounds of loops an invocation runs, about.
affine::Expr roundsOfLoops(const ir::Kernel& kernel, const Rounds& rounds,
                           const target::Device& device) {
  const bool areNone = rounds.along.names == std::vector<std::string>(rounds.ops.size());
  affine::Expr each;
  for (size_t i = 0; i < rounds.ops.size(); ++i) {
    const ir::StructuredOp& op = rounds.ops[i];
    if (rounds.when[i] != Rounds::When::In && !areNone) continue;
    affine::Expr results = transforms::constant(1), terms = results;
    for (const ir::Iterator& iterator : op.iterators) {
      const auto* loop = loopOf(rounds, i, affine::Expr::iterator(iterator.name));
      const affine::Expr count =
          loop ? transforms::constant(loop->tile) : ir::extentOf(kernel, op, iterator.name)->extent;
      affine::Expr& all = iterator.kind == ir::IteratorKind::Parallel ? results : terms;
      all = all * count;
    }
    // Each loop takes one more to find its end. Of a product an invocation has all its sums in registers.
    const affine::Expr own =
        hasTiles(kernel, op)
            ? terms
            : transforms::constant(2) *
                  (results * terms).ceilDiv(transforms::constant(device.invocations));
    each = each + own + transforms::constant(2);
  }
  if (areNone) return each;
  return rounds.along.extent.ceilDiv(transforms::constant(rounds.along.tile)) * each;
}

}  // namespace

std::optional<Reason> partRows(const ir::Kernel& kernel, Rounds& rounds, int64_t most,
                               const Along& along, std::vector<ir::Condition>& where) {
  for (const auto& [tensor, name] : rounds.kept) {
    const auto use = firstUse(rounds, tensor);
    const std::vector<affine::Expr>& shape = kernel.tensors[tensor].shape;
    bool isInParts = false;
    for (size_t d = shape.size(); d-- > 0;) {
      if (loopOf(rounds, use->op, use->operand->map[d])) continue;
      const auto known = shape[d].asConstant();
      if (known && *known <= most) continue;
      if (std::exchange(isInParts, true) || known.value_or(0) > kMostParts * most)
        return Reason{"what is not along rows of " + name +
                      " would be computed again for many parts of these"};
      if (auto why = addPart(kernel, rounds, *use, d, most, along, where)) return why;
    }
  }
  return std::nullopt;
}

bool isPartOfRows(const Rounds::Loop& loop) { return llvm::is_contained(loop.names, ""); }

void limitRows(const Rounds& rounds, std::vector<ir::Condition>& where) {
  for (const Rounds::Loop& loop : rounds.outer)
    for (ir::Condition& condition : where)
      if (isPartOfRows(loop) && condition.left == loop.extent)
        condition.right = transforms::constant(loop.tile);
}

std::optional<Reason> tooLarge(const ir::Kernel& kernel, const Rounds& rounds,
                               const target::Device& device) {
  return noRoom(device, bytesOf(kernel, rounds, std::nullopt));
}

int64_t bytesKept(const ir::Kernel& kernel, const Rounds& rounds, int64_t unknown) {
  return bytesOf(kernel, rounds, unknown).value_or(INT64_MAX);
}

std::optional<Reason> shrink(const ir::Kernel& kernel, Rounds& rounds,
                             const target::Device& device) {
  std::vector<Rounds::Loop*> loops = {&rounds.along};
  for (Rounds::Loop& loop : rounds.outer)
    if (!isPartOfRows(loop)) loops.push_back(&loop);
  for (Rounds::Loop& loop : rounds.outer)
    if (isPartOfRows(loop)) loops.push_back(&loop);  // the last, as others are computed again
  for (int64_t least : {16, 4, 1})
    for (Rounds::Loop* loop : loops)
      while (tooLarge(kernel, rounds, device) && loop->tile >= 2 * least) loop->tile /= 2;
  return tooLarge(kernel, rounds, device);
}

std::optional<Reason> limitLoops(const ir::Kernel& kernel, const Rounds& rounds,
                                 const target::Device& device, std::vector<ir::Condition>& where) {
  return limitLoops(roundsOfLoops(kernel, rounds, device), device, where);
}

}  // namespace einc::strategy
