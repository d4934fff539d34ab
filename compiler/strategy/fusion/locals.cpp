// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/locals.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/groups.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/inline.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using Ops = std::vector<ir::StructuredOp>;
using ir::StructuredOp;

// Of all targets, as none is chosen yet.

// Beyond so many nodes, a payload does not grow any more: each reader would compute all of it.
constexpr size_t kLargePayload = 100;
// So few operations may be done again rather than kept.
constexpr size_t kFewOperations = 1;
// Fewer rows are read where they are, and next to products that pack nothing they are few to compute (8 of 1024 x 1024:
// 0.09 ms, and 0.14 packed).
constexpr int64_t kPackedRows = 256;
// Readers of a result: each is looked at, and changed.
constexpr size_t kMostReaders = 16;

bool reads(const StructuredOp& op, unsigned tensor) {
  return llvm::any_of(op.inputs, [&](const ir::Operand& o) { return o.tensor == tensor; });
}

struct PayloadSize {
  size_t nodes = 0, operations = 0, reads = 0;  // reads: of the operand asked for
  bool slow = false;                            // it has a function that takes many instructions
};

PayloadSize sizeOf(const StructuredOp& op, std::optional<size_t> operand = {}) {
  PayloadSize result;
  for (const ir::ValueRef& value : op.results)
    ir::forEach(value, [&](const ir::Value& node) {
      ++result.nodes;
      if (auto* call = std::get_if<ir::Call>(&node.node)) {
        ++result.operations;
        result.slow |= !ir::info(call->function).isQuick();
      }
      auto* reference = std::get_if<ir::OperandRef>(&node.node);
      if (reference && reference->operand == operand) ++result.reads;
    });
  return result;
}

// The iterators in the last index of the op's output along which there are several positions.
std::vector<std::string> innermost(const ir::Kernel& kernel, const StructuredOp& op) {
  const std::vector<affine::Expr>& map = op.outputs[0].map;
  for (size_t d = map.size(); d-- > 0;) {
    std::vector<std::string> names = map[d].iterators();
    std::erase_if(names, [&](const std::string& name) {
      const auto extent = ir::extentOf(kernel, op, name);
      return extent && extent->extent.asConstant() == 1;
    });
    if (!names.empty()) return names;
  }
  return {};
}

// What is computed for each element of the op's output. What is the same for a whole line is computed once for it, and
// does not count.
PayloadSize sizeOfElement(const ir::Kernel& kernel, const StructuredOp& op) {
  PayloadSize result;
  const std::vector<std::string> line = innermost(kernel, op);
  auto isMoved = [&](const std::vector<std::string>& names) {
    return llvm::any_of(names, [&](const auto& name) { return llvm::is_contained(line, name); });
  };
  auto variesAlongLine = [&](const ir::Call& call) {
    bool varies = line.empty();
    for (const ir::ValueRef& arg : call.args)
      ir::forEach(arg, [&](const ir::Value& node) {
        if (auto* operand = std::get_if<ir::OperandRef>(&node.node))
          varies |= isMoved(transforms::iteratorsOf(op.operand(operand->operand)));
        else if (auto* index = std::get_if<ir::IndexRef>(&node.node))
          varies |= isMoved(index->index.iterators());
      });
    return varies;
  };
  for (const ir::ValueRef& value : op.results)
    ir::forEach(value, [&](const ir::Value& node) {
      auto* call = std::get_if<ir::Call>(&node.node);
      if (!call || !variesAlongLine(*call)) return;
      ++result.operations;
      result.slow |= !ir::info(call->function).isQuick();
    });
  return result;
}

// Whether no two iterations of the op are at one element of the operand.
bool isOnceEach(const ir::Kernel& kernel, const StructuredOp& op, const ir::Operand& operand) {
  return std::all_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& i) {
    const auto extent = ir::extentOf(kernel, op, i.name);
    if (extent && extent->extent.asConstant() == 1) return true;
    return std::find(operand.map.begin(), operand.map.end(), affine::Expr::iterator(i.name)) !=
           operand.map.end();
  });
}

class Inliner {
 public:
  Inliner(const ir::Kernel& kernel, bool intoProducts)
      : kernel_(kernel), intoProducts_(intoProducts) {
    ir::forEachOp(kernel.body, [&](const StructuredOp& op) { ops_.push_back(op); });
  }

  ir::Kernel run() {
    for (size_t p = ops_.size(); p-- > 0;) inlineAt(p);
    return withOps(ops_);
  }

 private:
  ir::Kernel withOps(const Ops& ops) const {
    ir::Block body;
    for (const StructuredOp& op : ops) body.push_back({op});
    return ir::withBody(kernel_, std::move(body));
  }

  void inlineAt(size_t p) {
    const StructuredOp producer = ops_[p];
    if (producer.outputs.size() != 1) return;
    const unsigned tensor = producer.outputs[0].tensor;
    if (kernel_.tensors[tensor].role != ir::Role::Local) return;
    Ops changed = ops_;
    size_t readers = 0;
    bool isPacked = false;
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (i == p || !ir::uses(ops_[i], tensor)) continue;
      if (i < p || ++readers > kMostReaders) return;
      auto result = transforms::inlined(kernel_, producer, ops_[i]);
      if (!result || !isUnchanged(producer, p, i) || sizeOf(*result).nodes > kLargePayload) return;
      isPacked = isPackedBy(producer, ops_[i], *result);
      changed[i] = std::move(*result);
    }
    if (readers == 0) return;
    if (!(isPacked && readers == 1) && !pays(producer, readers == 1)) return;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(p));
    if (mayShareLess(changed)) return;
    ops_ = std::move(changed);
  }

  // What the op at `p` reads is the same when the one at `reader` runs.
  bool isUnchanged(const StructuredOp& producer, size_t p, size_t reader) const {
    for (size_t i = p + 1; i <= reader; ++i)
      for (const ir::Operand& output : ops_[i].outputs)
        if (reads(producer, output.tensor)) return false;
    return true;
  }

  // Whether the reader is a product that packs what the producer computes of arguments: for each element once on the
  // right side. On the left it is again for each block of columns, so it had better be quick.
  bool isPackedBy(const StructuredOp& producer, const StructuredOp& reader,
                  const StructuredOp& after) const {
    const bool areArguments = llvm::all_of(producer.inputs, [&](const ir::Operand& input) {
      return ir::isArgument(kernel_.tensors[input.tensor].role);
    });
    if (!intoProducts_ || !areArguments) return false;
    const auto before = contractionGroups(kernel_, reader),
               groups = contractionGroups(kernel_, after);
    if (!before || !groups || !computesSides(after, *groups)) return false;
    const bool isLeft = computedOf(after, groups->left) && !computedOf(reader, before->left);
    if (!isLeft) return computedOf(after, groups->right) != nullptr;
    affine::Expr rows = affine::Expr::constant(1);
    for (const std::string& m : groups->m) rows = rows * ir::extentOf(kernel_, after, m)->extent;
    return rows.asConstant().value_or(0) >= kPackedRows && !sizeOf(producer).slow;
  }

  bool pays(const StructuredOp& producer, bool oneReader) const {
    const unsigned tensor = producer.outputs[0].tensor;
    if (sizeOf(producer).operations == 0) return true;
    const PayloadSize size = sizeOfElement(kernel_, producer);
    bool cheap = size.operations <= kFewOperations && !size.slow;
    return std::all_of(ops_.begin(), ops_.end(), [&](const StructuredOp& op) {
      size_t count = 0;
      bool once = true;
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i].tensor != tensor) continue;
        count += sizeOf(op, i).reads;
        once = once && isOnceEach(kernel_, op, op.inputs[i]);
      }
      return count == 0 || (once && (cheap || (oneReader && count == 1)));
    });
  }

  // Whether a call may pass fewer views as output and input at once than the kernel allows.
  bool mayShareLess(const Ops& changed) const {
    const ir::Kernel after = withOps(changed);
    for (unsigned out = 0; out < kernel_.tensors.size(); ++out)
      for (unsigned in = 0; in < kernel_.tensors.size(); ++in)
        if (facts::mayShareMemory(kernel_, out, in) && !facts::mayShareMemory(after, out, in))
          return true;
    return false;
  }

  const ir::Kernel& kernel_;
  const bool intoProducts_;
  Ops ops_;
};

}  // namespace

ir::Kernel inlineLocals(const ir::Kernel& kernel, bool intoProducts) {
  return kernel.libraryCall ? kernel : Inliner(kernel, intoProducts).run();
}

}  // namespace einc::strategy
