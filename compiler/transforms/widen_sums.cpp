// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/widen_sums.h"

#include <map>
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

// What a sum does with its output: c + term, or c - term.
struct Sum {
  Function function;
  ValueRef term;
};

bool readsAnyOutput(const StructuredOp& op, const ValueRef& value) {
  bool found = false;
  ir::forEach(value, [&](const ir::Value& node) {
    auto* reference = std::get_if<ir::OperandRef>(&node.node);
    found |= reference && reference->operand >= op.inputs.size();
  });
  return found;
}

std::optional<Sum> sumOf(const StructuredOp& op, size_t output) {
  auto isIt = [&](const ValueRef& value) {
    auto* reference = std::get_if<ir::OperandRef>(&value->node);
    return reference && reference->operand == op.inputs.size() + output;
  };
  for (const Function function : {Function::Add, Function::Sub})
    if (auto* call = callOf(op.results[output], function))
      for (size_t i = 0; i < (function == Function::Add ? 2 : 1); ++i)
        if (isIt(call->args[i]) && !readsAnyOutput(op, call->args[1 - i]))
          return Sum{function, call->args[1 - i]};
  return std::nullopt;
}

class Widening {
 public:
  explicit Widening(const ir::Kernel& kernel) : kernel_(kernel), builder_(kernel_) {}

  ir::Kernel run() {
    for (ir::Stmt& stmt : std::exchange(kernel_.body, {}))
      if (auto* op = std::get_if<StructuredOp>(&stmt.node))
        widen(std::move(*op));
      else
        done_.push_back(std::move(stmt));
    kernel_.body = std::move(done_);
    return std::move(kernel_);
  }

 private:
  bool isKept(const StructuredOp& op, size_t output) const {
    const unsigned tensor = op.outputs[output].tensor;
    return isNarrow(op.results[output]->type) && !op.combiner && ir::reduces(op) &&
           resultsOf(op, output) && sumOf(op, output) &&
           llvm::none_of(op.inputs, [&](const ir::Operand& in) { return in.tensor == tensor; });
  }

  // The iterators whose positions are the results: all parallel ones, each of known extent; or nothing.
  std::optional<std::vector<std::string>> resultsOf(const StructuredOp& op, size_t output) const {
    std::vector<std::string> names = iteratorsOf(op.outputs[output]);
    const auto count = llvm::count_if(
        op.iterators, [](const ir::Iterator& i) { return i.kind == ir::IteratorKind::Parallel; });
    const bool areAll = llvm::all_of(names, [&](const std::string& name) {
      return ir::isParallel(op, name) && builder_.hasExtent(op, name);
    });
    if (!areAll || names.size() != static_cast<size_t>(count)) return std::nullopt;
    return names;
  }

  void widen(StructuredOp op) {
    std::vector<StructuredOp> ends;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (!isKept(op, i)) continue;
      const Sum sum = *sumOf(op, i);
      StructuredOp end = endOf(op, i);
      op.outputs[i] = end.inputs[0];
      op.results[i] =
          ir::makeCall(sum.function, {operand(op.inputs.size() + i, kWide), widened(sum.term)});
      ends.push_back(std::move(end));
    }
    done_.push_back({std::move(op)});
    for (StructuredOp& end : ends) done_.push_back({std::move(end)});
  }

  // Where the last of what is done so far uses the tensor.
  std::optional<size_t> lastUse(unsigned tensor) const {
    for (size_t i = done_.size(); i-- > 0;) {
      auto* op = std::get_if<StructuredOp>(&done_[i].node);
      if (!op || ir::uses(*op, tensor)) return i;
    }
    return std::nullopt;
  }

  // What writes such an output at the end: of a sum that was just written there, that of both.
  StructuredOp endOf(const StructuredOp& op, size_t output) {
    const unsigned narrow = op.outputs[output].tensor;
    const auto last = lastUse(narrow);
    auto* before = last ? std::get_if<StructuredOp>(&done_[*last].node) : nullptr;
    if (before && isEnd(*before, op, output)) {
      StructuredOp end = std::move(*before);
      done_.erase(done_.begin() + static_cast<std::ptrdiff_t>(*last));
      return end;
    }
    const ir::Tensor tensor = kernel_.tensors[narrow];
    std::vector<affine::Expr> shape, map;
    const std::vector<std::string> results = *resultsOf(op, output);
    for (const std::string& name : results) {
      shape.push_back(builder_.extent(op, name));
      map.push_back(at(name));
    }
    const unsigned wide = builder_.tensor(tensor.name + "_wide", kWide, shape, ir::Role::Local);
    wide_[narrow] = wide;
    StructuredOp end = onResults(op, output);
    end.inputs = {{wide, map, nullptr}};
    end.outputs = {op.outputs[output]};
    const ValueRef sum = operand(0, kWide);
    if (before && beginsSum(*before, op, output)) {
      before->outputs[0].tensor = wide;
      before->outputs[0].map = map;
      auto* number = std::get_if<ir::Literal>(&before->results[0]->node);
      before->results[0] =
          number ? ir::makeLiteral(kWide, number->number) : ir::makeCast(kWide, before->results[0]);
      end.results = {ir::makeCast(tensor.type, sum)};
      return end;
    }
    StructuredOp fill = onResults(op, output);
    fill.outputs = {{wide, map, nullptr}};
    fill.results = {neutral(Function::Add, kWide)};
    done_.push_back({std::move(fill)});
    const ValueRef there = ir::makeCast(kWide, operand(1, tensor.type));
    end.results = {ir::makeCast(tensor.type, ir::makeCall(Function::Add, {there, sum}))};
    return end;
  }

  // It writes a sum at the positions of this one.
  bool isEnd(const StructuredOp& end, const StructuredOp& op, size_t output) const {
    const ir::Operand& written = op.outputs[output];
    auto wide = wide_.find(written.tensor);
    return wide != wide_.end() && end.inputs.size() == 1 && end.inputs[0].tensor == wide->second &&
           end.outputs[0].map == written.map && haveSameExtents(end, op, written);
  }

  bool haveSameExtents(const StructuredOp& a, const StructuredOp& b,
                       const ir::Operand& written) const {
    return llvm::all_of(iteratorsOf(written), [&](const std::string& name) {
      return builder_.hasExtent(a, name) && builder_.extent(a, name) == builder_.extent(b, name);
    });
  }

  // All that the sum adds to is what the op has written, and nobody has read.
  bool beginsSum(const StructuredOp& first, const StructuredOp& op, size_t output) const {
    const ir::Operand& written = op.outputs[output];
    if (first.outputs.size() != 1 || first.combiner || ir::reduces(first) ||
        first.outputs[0].tensor != written.tensor || first.outputs[0].map != written.map ||
        readsAnyOutput(first, first.results[0]))
      return false;
    return haveSameExtents(first, op, written) &&
           llvm::none_of(first.inputs,
                         [&](const ir::Operand& in) { return in.tensor == written.tensor; });
  }

  // An op on all positions of the results.
  static StructuredOp onResults(const StructuredOp& op, size_t output) {
    StructuredOp result;
    for (const std::string& name : iteratorsOf(op.outputs[output]))
      result.iterators.push_back({name, ir::IteratorKind::Parallel});
    result.source = op.source;
    return result;
  }

  ir::Kernel kernel_;
  Builder builder_;
  ir::Block done_;
  std::map<unsigned, unsigned> wide_;  // in what sums of a tensor were kept last
};

}  // namespace

ir::Kernel widenSums(const ir::Kernel& kernel) { return Widening(kernel).run(); }

}  // namespace einc::transforms
