// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/fusion.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"
#include "compiler/strategy/fusion/locals.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/inline.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using Ops = std::vector<ir::StructuredOp>;
using ir::StructuredOp;

// Of all targets, as none is chosen yet.

// Ops that are looked at together: each pair of them is.
constexpr size_t kMostOps = 16;

bool reads(const StructuredOp& op, unsigned tensor) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const ir::Operand& o) { return o.tensor == tensor; });
}

// Whether the op's parallel iterators, each alone, are the operand's index, and run over all of it.
bool covers(const ir::Kernel& kernel, const StructuredOp& op, const ir::Operand& operand) {
  StructuredOp writer = op;
  std::erase_if(writer.iterators,
                [](const ir::Iterator& i) { return i.kind == ir::IteratorKind::Reduction; });
  if (operand.pad || writer.iterators.size() != operand.map.size()) return false;
  const ir::Tensor& tensor = kernel.tensors[operand.tensor];
  return std::all_of(writer.iterators.begin(), writer.iterators.end(), [&](const ir::Iterator& i) {
    auto found = std::find(operand.map.begin(), operand.map.end(), affine::Expr::iterator(i.name));
    auto extent = ir::extentOf(kernel, op, i.name);
    return found != operand.map.end() && extent &&
           extent->extent == tensor.shape[static_cast<size_t>(found - operand.map.begin())];
  });
}

class Fuser {
 public:
  // Ops that stand one behind the other in the kernel.
  Fuser(const ir::Kernel& kernel, Ops ops) : kernel_(kernel), ops_(std::move(ops)) {
    ir::forEachOp(kernel.body, [&](const StructuredOp& op) { all_.push_back(op); });
  }

  ir::Block run() const {
    std::vector<size_t> ends;
    for (size_t i = 0; i < ops_.size(); i = ends.back()) ends.push_back(endOfRegion(i));
    ir::Kernel aside = kernel_;
    aside.body.clear();
    for (const StructuredOp& op : ops_) aside.body.push_back({op});
    if (ops_.size() == all_.size()) putInOutputs(aside, ends);
    ir::Block result;
    size_t i = 0;
    for (size_t end : ends) {
      ir::Block members;
      for (; i < end; ++i) members.push_back(std::move(aside.body[i]));
      if (members.size() > 1)
        result.push_back({ir::Fused{std::move(members)}});
      else
        result.push_back(std::move(members.front()));
    }
    return result;
  }

  // The first rule of those above that keeps the ops from one region.
  std::string whyApart(const Ops& ops) const {
    auto nameOf = [&](const StructuredOp& op) {
      return kernel_.tensors[op.outputs[0].tensor].name;
    };
    for (const StructuredOp& op : ops)
      if (strategy::mayHaveTiles(kernel_, op))
        return nameOf(op) +
               " is done in tiles, and only what reads a local result of it element by element is "
               "done on these";
    for (const StructuredOp& op : ops)
      if (!readsInOnePass(op)) return nameOf(op) + " reads elements again, at other positions";
    if (!keepsCached(ops)) return "they have no large tensor in common";
    if (sharedIterators(kernel_, ops).empty()) return "no loop is the same for all of them";
    if (ops.size() > kMostOps) return "there are more than " + std::to_string(kMostOps) + " steps";
    return "they have more loops in common with the others";
  }

 private:
  // Results of windows: of each op by itself, where a target has no tiles for them, they would need memory.
  void putInOutputs(ir::Kernel& kernel, const std::vector<size_t>& ends) const {
    size_t begin = 0;
    for (size_t end : ends) {
      for (size_t i = begin; i < end && end - begin > 1; ++i)
        if (!hasTiles(kernel_, ops_[i]) && movesWindows(ops_[i]))
          transforms::putInOutput(kernel, ops_[i].outputs[0].tensor);
      begin = end;
    }
  }

  bool mayShare(unsigned output, unsigned input) const {
    return facts::mayShareMemory(kernel_, output, input);
  }

  // ---- Regions ----

  // Behind the last op of the region that begins at `begin`, which may be that op alone.
  size_t endOfRegion(size_t begin) const {
    if (begin + 1 < ops_.size() && isStartOf(begin, begin + 1)) return endOfTiles(begin + 1);
    if (mayHaveTiles(begin)) return begin + 1;
    size_t most = begin;
    while (most < ops_.size() && most - begin < kMostOps && !mayHaveTiles(most) &&
           !(most + 1 < ops_.size() && isStartOf(most, most + 1)))
      ++most;
    for (size_t end = most; end > begin + 1; --end)
      if (shareLoops(begin, end)) return isApart(begin, end) ? begin + 1 : end;
    return begin + 1;
  }

  bool mayHaveTiles(size_t i) const { return strategy::mayHaveTiles(kernel_, ops_[i]); }

  // The op at `first` writes all that the contraction, or the windows, at `op` add to.
  bool isStartOf(size_t first, size_t op) const {
    return mayHaveTiles(op) && transforms::isWholeMap(kernel_, ops_[first]) &&
           !ir::usesPositions(ops_[first]) &&
           ops_[first].outputs[0].tensor == ops_[op].outputs[0].tensor &&
           !reads(ops_[first], ops_[op].outputs[0].tensor) &&
           !reads(ops_[op], ops_[op].outputs[0].tensor) &&
           covers(kernel_, ops_[op], ops_[op].outputs[0]);
  }

  size_t endOfTiles(size_t op) const {
    const unsigned tensor = ops_[op].outputs[0].tensor;
    if (!ir::isLocalAlone(kernel_, tensor)) return op + 1;
    size_t end = op + 1;
    while (end < ops_.size() && reads(ops_[end], tensor)) ++end;
    const auto users =
        llvm::count_if(all_, [&](const StructuredOp& other) { return ir::uses(other, tensor); });
    if (users > static_cast<std::ptrdiff_t>(end - (op - 1))) return op + 1;
    for (size_t i = op + 1; i < end; ++i)
      if (!finishes(i, op, end)) return op + 1;
    return end;
  }

  // The op at `i` may run for each tile of results of the one at `op`.
  bool finishes(size_t i, size_t op, size_t end) const {
    const unsigned tensor = ops_[op].outputs[0].tensor;
    if (ir::reduces(ops_[i]) || ir::usesPositions(ops_[i]) || ir::writes(ops_[i], tensor))
      return false;
    size_t count = 0;
    for (const ir::Operand& input : ops_[i].inputs) {
      if (input.shapeOnly) return false;
      if (input.tensor == tensor && (++count > 1 || !covers(kernel_, ops_[i], input))) return false;
      if (input.tensor == tensor && movesWindows(ops_[op]) && liesOtherwise(ops_[i], input))
        return false;
    }
    if (!transforms::inlined(kernel_, ops_[op - 1], ops_[i])) return false;
    for (const ir::Operand& output : ops_[i].outputs)
      for (size_t other = op - 1; other < end; ++other) {
        if (other == i) continue;
        if (ir::uses(ops_[other], output.tensor)) return false;
        for (const ir::Operand& input : ops_[other].inputs)
          if (mayShare(output.tensor, input.tensor)) return false;
      }
    return true;
  }

  // What is written has other neighbours than the input: squares of a tile of windows would be small.
  static bool liesOtherwise(const StructuredOp& op, const ir::Operand& input) {
    return llvm::any_of(op.outputs, [&](const ir::Operand& output) {
      return !output.map.empty() && !input.map.empty() && output.map.back() != input.map.back();
    });
  }

  Ops opsOf(size_t begin, size_t end) const {
    return {ops_.begin() + static_cast<std::ptrdiff_t>(begin),
            ops_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  bool shareLoops(size_t begin, size_t end) const {
    const Ops ops = opsOf(begin, end);
    return std::all_of(ops.begin(), ops.end(), readsInOnePass) && keepsCached(ops) &&
           !sharedIterators(kernel_, ops).empty();
  }

  // Whether the first op, and perhaps some behind it, use none of the largest tensors, and the others have more iterators in
  // common without these.
  bool isApart(size_t begin, size_t end) const {
    auto rankOf = [&](const StructuredOp& op) {
      size_t rank = 0;
      for (size_t i = 0; i < op.operandCount(); ++i)
        rank = std::max(rank, kernel_.tensors[op.operand(i).tensor].shape.size());
      return rank;
    };
    size_t most = 0, first = begin;
    for (size_t i = begin; i < end; ++i) most = std::max(most, rankOf(ops_[i]));
    while (first < end && rankOf(ops_[first]) < most) ++first;
    auto shared = [&](size_t from) { return sharedIterators(kernel_, opsOf(from, end)).size(); };
    return first > begin && shareLoops(first, end) && shared(first) > shared(begin);
  }

  // A reduction that moves along what it reads, as windows do, has forms for all its positions at once. So has what reads an
  // element for several positions.
  static bool readsInOnePass(const StructuredOp& op) {
    if (!ir::reduces(op)) return !readsSeveralTimes(op);
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (op.operand(i).pad || movesAlong(op.operand(i))) return false;
    return true;
  }

  static bool readsSeveralTimes(const StructuredOp& op) {
    return llvm::any_of(op.outputs, [&](const ir::Operand& output) {
      const auto along = output.map.empty() ? std::nullopt : output.map.back().asIterator();
      return along && llvm::any_of(op.inputs, [&](const ir::Operand& input) {
               return spreads(input, *along);
             });
    });
  }

  // Whether something as large as anything that they read or write is used by several of the ops.
  bool keepsCached(const Ops& ops) const {
    std::map<unsigned, size_t> users;
    size_t rank = 0;
    for (const StructuredOp& op : ops) {
      std::set<unsigned> own;
      for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
      for (unsigned tensor : own) {
        ++users[tensor];
        rank = std::max(rank, kernel_.tensors[tensor].shape.size());
      }
    }
    return std::any_of(users.begin(), users.end(), [&](const auto& user) {
      return user.second > 1 && kernel_.tensors[user.first].shape.size() == rank;
    });
  }

  const ir::Kernel& kernel_;
  Ops ops_, all_;  // all: of the kernel
};

// The ops of a block, and of those in it.
ir::Block grouped(const ir::Kernel& kernel, const ir::Block& block) {
  ir::Block result;
  Ops ops;
  auto close = [&] {
    if (!ops.empty()) transforms::append(result, Fuser(kernel, std::exchange(ops, {})).run());
  };
  for (const ir::Stmt& stmt : block) {
    if (auto* op = std::get_if<StructuredOp>(&stmt.node)) {
      ops.push_back(*op);
      continue;
    }
    close();
    result.push_back(stmt);
    for (ir::Block* inner : ir::blocksOf(result.back())) *inner = grouped(kernel, *inner);
  }
  close();
  return result;
}

}  // namespace

ir::Kernel group(const ir::Kernel& kernel) {
  return kernel.libraryCall ? kernel : ir::withBody(kernel, grouped(kernel, kernel.body));
}

std::string whyNotTogether(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops) {
  return Fuser(kernel, ops).whyApart(ops);
}

ir::Kernel fuse(const ir::Kernel& kernel, bool intoProducts) {
  return group(inlineLocals(kernel, intoProducts));
}

}  // namespace einc::strategy
