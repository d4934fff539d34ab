// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/widen_sums.h"

#include <optional>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::StructuredOp;
using ir::ValueRef;

constexpr ScalarType kWide = ScalarType::F32;

bool isNarrow(ScalarType type) { return type == ScalarType::F16 || type == ScalarType::BF16; }

const ir::Call* callOf(const ValueRef& value, Function function) {
  auto* call = std::get_if<ir::Call>(&value->node);
  return call && call->function == function ? call : nullptr;
}

ValueRef operand(size_t number, ScalarType type) {
  return ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(number)});
}

// A term, as it is added.
ValueRef widened(const ValueRef& term) {
  auto factor = [](const ValueRef& value) { return ir::makeCast(kWide, value); };
  if (auto* product = callOf(term, Function::Mul))
    return ir::makeCall(Function::Mul, {factor(product->args[0]), factor(product->args[1])});
  if (auto* square = callOf(term, Function::Square))
    return ir::makeCall(Function::Square, {factor(square->args[0])});
  return factor(term);
}

class Widening {
 public:
  explicit Widening(const ir::Kernel& kernel) : kernel_(kernel), builder_(kernel_) {}

  ir::Kernel run() {
    for (ir::Stmt& stmt : std::exchange(kernel_.body, {})) {
      auto* op = std::get_if<StructuredOp>(&stmt.node);
      const ValueRef term = op ? termOf(*op) : nullptr;
      if (term)
        widen(std::move(*op), term);
      else
        done_.push_back(std::move(stmt));
    }
    kernel_.body = std::move(done_);
    return std::move(kernel_);
  }

 private:
  // What such a sum adds to its output; null: it is none.
  ValueRef termOf(const StructuredOp& op) const {
    if (op.outputs.size() != 1 || op.combiner || !ir::reduces(op) || !isNarrow(op.results[0]->type))
      return nullptr;
    const auto* sum = callOf(op.results[0], Function::Add);
    const bool isOwn = llvm::any_of(
        op.inputs, [&](const ir::Operand& input) { return input.tensor == op.outputs[0].tensor; });
    if (!sum || isOwn || !isWhole(op)) return nullptr;
    for (size_t i = 0; i < 2; ++i)
      if (isOutput(op, sum->args[i]) && !mentionsOutput(op, sum->args[1 - i]))
        return sum->args[1 - i];
    return nullptr;
  }

  static bool isOutput(const StructuredOp& op, const ValueRef& value) {
    auto* reference = std::get_if<ir::OperandRef>(&value->node);
    return reference && reference->operand == op.inputs.size();
  }
  static bool mentionsOutput(const StructuredOp& op, const ValueRef& value) {
    bool found = false;
    ir::forEach(value, [&](const ir::Value& node) {
      auto* reference = std::get_if<ir::OperandRef>(&node.node);
      found |= reference && reference->operand == op.inputs.size();
    });
    return found;
  }

  // Each element of the output is that of one position of the parallel iterators.
  bool isWhole(const StructuredOp& op) const {
    const ir::Operand& output = op.outputs[0];
    const std::vector<affine::Expr>& shape = kernel_.tensors[output.tensor].shape;
    if (!ir::isPlain(output)) return false;
    for (size_t d = 0; d < shape.size(); ++d) {
      const std::string name = *output.map[d].asIterator();
      if (!ir::isParallel(op, name) || !builder_.hasExtent(op, name) ||
          builder_.extent(op, name) != shape[d])
        return false;
    }
    return true;
  }

  // Where the last of what is done so far uses the tensor.
  std::optional<size_t> lastUse(unsigned tensor) const {
    for (size_t i = done_.size(); i-- > 0;) {
      auto* op = std::get_if<StructuredOp>(&done_[i].node);
      if (!op || ir::uses(*op, tensor)) return i;
    }
    return std::nullopt;
  }

  void widen(StructuredOp op, const ValueRef& term) {
    const unsigned narrow = op.outputs[0].tensor;
    const auto last = lastUse(narrow);
    auto* before = last ? std::get_if<StructuredOp>(&done_[*last].node) : nullptr;
    StructuredOp end;
    unsigned wide = 0;
    if (before && last == lastEnd_ && before->outputs[0].tensor == narrow) {
      // Another sum has just been written there: both are one.
      end = std::move(*before);
      wide = end.inputs[0].tensor;
      done_.erase(done_.begin() + static_cast<std::ptrdiff_t>(*last));
    } else {
      wide = begin(op, before);
      end = endOf(op, wide, isFill_);
    }
    op.outputs[0].tensor = wide;
    op.results[0] = ir::makeCall(Function::Add, {operand(op.inputs.size(), kWide), widened(term)});
    done_.push_back({std::move(op)});
    lastEnd_ = done_.size();
    done_.push_back({std::move(end)});
  }

  // What the sum is kept in begins with a number that is there, or with nothing.
  unsigned begin(const StructuredOp& op, StructuredOp* before) {
    const ir::Tensor narrow = kernel_.tensors[op.outputs[0].tensor];
    const unsigned wide =
        builder_.tensor(narrow.name + "_wide", kWide, narrow.shape, ir::Role::Local);
    isFill_ = before && before->outputs.size() == 1 &&
              before->outputs[0].tensor == op.outputs[0].tensor &&
              std::holds_alternative<ir::Literal>(before->results[0]->node) && isWhole(*before);
    if (isFill_) {
      before->outputs[0].tensor = wide;
      before->results[0] =
          ir::makeLiteral(kWide, std::get<ir::Literal>(before->results[0]->node).number);
      return wide;
    }
    StructuredOp fill = onResults(op);
    fill.outputs = {{wide, op.outputs[0].map, nullptr}};
    fill.results = {neutral(Function::Add, kWide)};
    done_.push_back({std::move(fill)});
    return wide;
  }

  // An op on all positions of the results.
  static StructuredOp onResults(const StructuredOp& op) {
    StructuredOp result;
    for (const affine::Expr& index : op.outputs[0].map)
      result.iterators.push_back({*index.asIterator(), ir::IteratorKind::Parallel});
    result.source = op.source;
    return result;
  }

  StructuredOp endOf(const StructuredOp& op, unsigned wide, bool isAll) const {
    const ScalarType type = op.results[0]->type;
    StructuredOp end = onResults(op);
    end.inputs = {{wide, op.outputs[0].map, nullptr}};
    end.outputs = {op.outputs[0]};
    const ValueRef sum = operand(0, kWide), there = ir::makeCast(kWide, operand(1, type));
    end.results = {ir::makeCast(type, isAll ? sum : ir::makeCall(Function::Add, {there, sum}))};
    return end;
  }

  ir::Kernel kernel_;
  Builder builder_;
  ir::Block done_;
  std::optional<size_t> lastEnd_;  // where the last sum is written
  bool isFill_ = false;            // the op before the sum wrote a number
};

}  // namespace

ir::Kernel widenSums(const ir::Kernel& kernel) { return Widening(kernel).run(); }

}  // namespace einc::transforms
