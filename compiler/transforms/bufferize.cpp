// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bufferize.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/contract.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

// Each index an iterator, another one each.
bool isPlain(const ir::Operand& operand) {
  std::set<std::string> seen;
  return llvm::all_of(operand.map, [&](const affine::Expr& index) {
    auto name = index.asIterator();
    return name && seen.insert(*name).second;
  });
}

bool uses(const ir::StructuredOp& op, unsigned tensor) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (op.operand(i).tensor == tensor) return true;
  return false;
}

// Puts locals into the memory of outputs.
class InOutputs {
 public:
  explicit InOutputs(ir::Kernel& kernel) : kernel_(kernel) {}

  void run() {
    // What ends in a local may go where that goes.
    for (auto t = static_cast<unsigned>(kernel_.tensors.size()); t-- > 0;) {
      if (kernel_.tensors[t].role != ir::Role::Local) continue;
      if (auto last = lastUse(t))
        if (auto output = outputFor(t, *last)) put(t, *output, *last);
    }
  }

 private:
  ir::StructuredOp* opAt(size_t statement) {
    return std::get_if<ir::StructuredOp>(&kernel_.body[statement].node);
  }

  // The statement that uses the local last, if all that do are single ops.
  std::optional<size_t> lastUse(unsigned local) {
    std::optional<size_t> last;
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      ir::Block one = {kernel_.body[i]};
      bool used = false;
      ir::forEachOp(one, [&](const ir::StructuredOp& op) { used |= uses(op, local); });
      if (used && !opAt(i)) return std::nullopt;
      if (used) last = i;
    }
    return last;
  }

  // The output's number in the op.
  std::optional<size_t> outputFor(unsigned local, size_t statement) {
    const ir::StructuredOp& op = *opAt(statement);
    if (ir::reduces(op)) return std::nullopt;
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (takes(op, i, local) && isUntouched(op.outputs[i].tensor, statement)) return i;
    return std::nullopt;
  }

  // Whether the op overwrites the output by what it reads of the local at the same place.
  bool takes(const ir::StructuredOp& op, size_t number, unsigned local) const {
    const ir::Operand& output = op.outputs[number];
    const ir::Tensor &own = kernel_.tensors[local], &other = kernel_.tensors[output.tensor];
    if (other.role != ir::Role::Output || other.type != own.type || other.shape != own.shape)
      return false;
    if (!isPlain(output) || ir::readsOperand(op, op.inputs.size() + number)) return false;
    if (llvm::any_of(op.outputs, [&](const ir::Operand& o) { return o.tensor == local; }))
      return false;
    return llvm::all_of(op.inputs, [&](const ir::Operand& input) {
      return input.tensor != local || (input.map == output.map && !input.pad && !input.shapeOnly);
    });
  }

  // Nothing before uses the output, and no input may be in its place.
  bool isUntouched(unsigned output, size_t statement) const {
    bool used = false;
    for (size_t i = 0; i < statement; ++i)
      ir::forEachOp({kernel_.body[i]},
                    [&](const ir::StructuredOp& op) { used |= uses(op, output); });
    if (used) return false;
    const ir::Kernel contract = *ir::contractOf(kernel_);
    for (unsigned t = 0; t < contract.tensors.size(); ++t)
      if (facts::mayShareMemory(contract, output, t)) return false;
    return true;
  }

  void put(unsigned local, size_t number, size_t last) {
    const unsigned output = opAt(last)->outputs[number].tensor;
    for (size_t i = 0; i < last; ++i)
      if (ir::StructuredOp* op = opAt(i))
        for (size_t o = 0; o < op->operandCount(); ++o)
          if (op->operand(o).tensor == local) op->operand(o).tensor = output;
    readOutput(*opAt(last), local, number);
  }

  // What was read of the local is what the output has.
  static void readOutput(ir::StructuredOp& op, unsigned local, size_t number) {
    std::vector<unsigned> places;  // of operands, once inputs are gone
    unsigned kept = 0;
    for (const ir::Operand& input : op.inputs)
      places.push_back(input.tensor == local ? UINT32_MAX : kept++);
    for (unsigned& place : places)
      if (place == UINT32_MAX) place = kept + static_cast<unsigned>(number);
    for (size_t i = 0; i < op.outputs.size(); ++i) places.push_back(kept++);
    std::erase_if(op.inputs, [&](const ir::Operand& input) { return input.tensor == local; });
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* operand = std::get_if<ir::OperandRef>(&value->node);
        if (!operand) return nullptr;
        return ir::makeValue(value->type, ir::OperandRef{places[operand->operand]});
      });
  }

  ir::Kernel& kernel_;
};

}  // namespace

ir::Kernel bufferize(const ir::Kernel& kernel) {
  ir::Kernel result = kernel;
  InOutputs(result).run();
  result.level = ir::Level::Buffers;
  ir::Block before = std::exchange(result.body, {});
  std::vector<bool> allocated(kernel.tensors.size());
  for (ir::Stmt& stmt : before) {
    ir::Block one;
    one.push_back(std::move(stmt));
    ir::forEachOp(one, [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        unsigned tensor = op.operand(i).tensor;
        if (kernel.tensors[tensor].role != ir::Role::Local || allocated[tensor]) continue;
        allocated[tensor] = true;
        result.body.push_back({ir::Alloc{tensor}});
      }
    });
    result.body.push_back(std::move(one.front()));
  }
  return result;
}

}  // namespace einc::transforms
