// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/inline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/ir/shape.h"

namespace einc::transforms {
namespace {

class Inliner {
 public:
  Inliner(const ir::Kernel& kernel, const ir::StructuredOp& producer,
          const ir::StructuredOp& consumer)
      : kernel_(kernel), producer_(producer), consumer_(consumer), result_(consumer) {}

  std::optional<ir::StructuredOp> run() {
    const unsigned tensor = producer_.outputs[0].tensor;
    for (const ir::Operand& output : consumer_.outputs)
      if (output.tensor == tensor) return std::nullopt;
    result_.inputs.clear();
    std::vector<ir::ValueRef> values;  // of the consumer's inputs
    for (const ir::Operand& input : consumer_.inputs) {
      ir::ScalarType type = kernel_.tensors[input.tensor].type;
      if (input.tensor != tensor) {
        values.push_back(ir::makeValue(type, ir::OperandRef{add(input)}));
        continue;
      }
      if (input.pad || input.shapeOnly) return std::nullopt;
      values.push_back(computed(input));
    }
    auto inputs = static_cast<unsigned>(result_.inputs.size());
    for (ir::ValueRef& result : result_.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* reference = std::get_if<ir::OperandRef>(&value->node);
        if (!reference) return nullptr;
        if (reference->operand < values.size()) return values[reference->operand];
        auto output = reference->operand - static_cast<unsigned>(values.size());
        return ir::makeValue(value->type, ir::OperandRef{inputs + output});
      });
    if (!sameExtents()) return std::nullopt;
    return std::move(result_);
  }

 private:
  // The number of an input, which is there once only.
  unsigned add(const ir::Operand& operand) {
    std::vector<ir::Operand>& inputs = result_.inputs;
    auto same = std::find_if(inputs.begin(), inputs.end(), [&](const ir::Operand& other) {
      return other.tensor == operand.tensor && other.map == operand.map && !other.pad &&
             !operand.pad && other.shapeOnly == operand.shapeOnly;
    });
    if (same == inputs.end()) same = inputs.insert(inputs.end(), operand);
    return static_cast<unsigned>(same - inputs.begin());
  }

  // The producer's payload at the element that `read` reads.
  ir::ValueRef computed(const ir::Operand& read) {
    std::map<std::string, affine::Expr> positions;
    const std::vector<affine::Expr>& written = producer_.outputs[0].map;
    for (size_t d = 0; d < written.size(); ++d) positions[*written[d].asIterator()] = read.map[d];
    auto place = [&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      return positions.at(atom.name);
    };
    std::vector<unsigned> numbers;
    for (ir::Operand input : producer_.inputs) {
      for (affine::Expr& index : input.map) index = index.substitute(place);
      numbers.push_back(input.shapeOnly ? 0 : add(input));
    }
    return ir::rewrite(producer_.results[0], [&](const ir::ValueRef& value) -> ir::ValueRef {
      if (auto* index = std::get_if<ir::IndexRef>(&value->node))
        return ir::makeValue(value->type, ir::IndexRef{index->index.substitute(place)});
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference) return nullptr;
      return ir::makeValue(value->type, ir::OperandRef{numbers[reference->operand]});
    });
  }

  bool sameExtents() const {
    return std::all_of(consumer_.iterators.begin(), consumer_.iterators.end(),
                       [&](const ir::Iterator& i) {
                         auto before = ir::extentOf(kernel_, consumer_, i.name);
                         auto after = ir::extentOf(kernel_, result_, i.name);
                         return before && after && before->extent == after->extent;
                       });
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp &producer_, &consumer_;
  ir::StructuredOp result_;
};

}  // namespace

bool isWholeMap(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  if (op.outputs.size() != 1 || ir::readsOperand(op, op.inputs.size())) return false;
  const ir::Operand& output = op.outputs[0];
  if (ir::reduces(op) || op.iterators.size() != output.map.size()) return false;
  for (const ir::Iterator& i : op.iterators) {
    auto found = std::find(output.map.begin(), output.map.end(), affine::Expr::iterator(i.name));
    if (found == output.map.end()) return false;
    auto extent = ir::extentOf(kernel, op, i.name);
    auto dim = static_cast<size_t>(found - output.map.begin());
    if (!extent || extent->extent != kernel.tensors[output.tensor].shape[dim]) return false;
  }
  return true;
}

std::optional<ir::StructuredOp> inlined(const ir::Kernel& kernel, const ir::StructuredOp& producer,
                                        const ir::StructuredOp& consumer) {
  if (!isWholeMap(kernel, producer)) return std::nullopt;
  return Inliner(kernel, producer, consumer).run();
}

}  // namespace einc::transforms
