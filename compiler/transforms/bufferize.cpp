// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bufferize.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/contract.h"
#include "compiler/ir/uses.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

// Puts locals into the memory of outputs.
class InOutputs {
 public:
  explicit InOutputs(ir::Kernel& kernel) : kernel_(kernel), contract_(ir::contractOf(kernel)) {
    for (const ir::Stmt& stmt : kernel.body) used_.push_back(ir::tensorsIn(stmt));
  }

  void run() {
    // What ends in a local may go where that goes.
    for (auto t = static_cast<unsigned>(kernel_.tensors.size()); t-- > 0;) run(t);
  }

  void run(unsigned tensor) {
    if (kernel_.tensors[tensor].role != ir::Role::Local) return;
    if (auto last = lastUse(tensor))
      if (auto output = outputFor(tensor, *last)) put(tensor, *output, *last);
  }

 private:
  ir::StructuredOp* opAt(size_t statement) {
    return std::get_if<ir::StructuredOp>(&kernel_.body[statement].node);
  }

  // The statement that uses the local last, if all that do are single ops.
  std::optional<size_t> lastUse(unsigned local) {
    std::optional<size_t> last;
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_[i].count(local) == 0) continue;
      if (!opAt(i)) return std::nullopt;
      last = i;
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
    if (!ir::isPlain(output) || ir::readsOperand(op, op.inputs.size() + number)) return false;
    if (llvm::any_of(op.outputs, [&](const ir::Operand& o) { return o.tensor == local; }))
      return false;
    return llvm::all_of(op.inputs, [&](const ir::Operand& input) {
      return input.tensor != local || (input.map == output.map && !input.pad && !input.shapeOnly);
    });
  }

  // Nothing before uses the output, and no input may be in its place.
  bool isUntouched(unsigned output, size_t statement) const {
    for (size_t i = 0; i < statement; ++i)
      if (used_[i].count(output) != 0) return false;
    for (unsigned t = 0; t < contract_->tensors.size(); ++t)
      if (facts::mayShareMemory(*contract_, output, t)) return false;
    return true;
  }

  void put(unsigned local, size_t number, size_t last) {
    const unsigned output = opAt(last)->outputs[number].tensor;
    for (size_t i = 0; i < last; ++i) {
      if (used_[i].erase(local) == 0) continue;
      ir::StructuredOp& op = *opAt(i);
      for (size_t o = 0; o < op.operandCount(); ++o)
        if (op.operand(o).tensor == local) op.operand(o).tensor = output;
      used_[i].insert(output);
    }
    used_[last].erase(local);
    readOutput(*opAt(last), local, number);
  }

  // What was read of the local is what the output has.
  void readOutput(ir::StructuredOp& op, unsigned local, size_t number) const {
    const auto output = static_cast<unsigned>(op.inputs.size() + number);
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* operand = std::get_if<ir::OperandRef>(&value->node);
        if (!operand || op.operand(operand->operand).tensor != local) return nullptr;
        return ir::makeValue(value->type, ir::OperandRef{output});
      });
    for (size_t i = op.inputs.size(); i-- > 0;)
      if (op.inputs[i].tensor == local) dropInput(kernel_, op, i);
  }

  ir::Kernel& kernel_;
  std::shared_ptr<const ir::Kernel> contract_;
  std::vector<std::set<unsigned>> used_;  // tensors, by each statement
};

}  // namespace

void putInOutput(ir::Kernel& kernel, unsigned local) { InOutputs(kernel).run(local); }

namespace {

// Puts an alloc before the first statement that uses a local; inside a loop that threads or workgroups share, or a way of a choice, if
// none outside does.
class Allocs {
 public:
  explicit Allocs(const ir::Kernel& kernel) : kernel_(kernel), allocated_(kernel.tensors.size()) {}

  ir::Block before(ir::Block block) {
    std::map<unsigned, size_t> users;
    for (const ir::Stmt& stmt : block)
      for (unsigned local : localsIn(stmt)) ++users[local];
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      const bool mayBeInside = isOfItsOwn(stmt);
      for (unsigned local : localsIn(stmt)) {
        if (allocated_[local] || (mayBeInside && users[local] == 1 && blocksWith(stmt, local) == 1))
          continue;
        allocated_[local] = true;
        result.push_back({ir::Alloc{local, space_}});
      }
      if (mayBeInside) {
        const ir::Space around = std::exchange(space_, spaceIn(stmt));
        for (ir::Block* inner : ir::blocksOf(stmt)) *inner = before(std::move(*inner));
        space_ = around;
      }
      result.push_back(std::move(stmt));
    }
    return result;
  }

 private:
  // A loop that threads share: each has its own. Or a choice: what one way alone needs, others do without.
  static bool isOfItsOwn(const ir::Stmt& stmt) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    return loop ? loop->grain.has_value() || ir::isOnWorkgroups(loop->on)
                : std::holds_alternative<ir::If>(stmt.node);
  }
  ir::Space spaceIn(const ir::Stmt& stmt) const {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    return loop && ir::isOnWorkgroups(loop->on) ? ir::Space::Workgroup : space_;
  }
  size_t blocksWith(const ir::Stmt& stmt, unsigned local) const {
    return static_cast<size_t>(llvm::count_if(ir::blocksOf(stmt), [&](const ir::Block* block) {
      return llvm::any_of(*block, [&](const ir::Stmt& inner) {
        return llvm::is_contained(localsIn(inner), local);
      });
    }));
  }
  // In the order of their first uses.
  std::vector<unsigned> localsIn(const ir::Stmt& whole) const {
    std::vector<unsigned> locals;
    auto note = [&](unsigned tensor) {
      if (kernel_.tensors[tensor].role == ir::Role::Local && !llvm::is_contained(locals, tensor))
        locals.push_back(tensor);
    };
    auto noteAll = [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) note(view->base);
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
        for (size_t i = 0; i < op->operandCount(); ++i) note(op->operand(i).tensor);
    };
    noteAll(whole);
    for (const ir::Block* block : ir::blocksOf(whole)) ir::forEachStatement(*block, noteAll);
    return locals;
  }

  const ir::Kernel& kernel_;
  std::vector<bool> allocated_;
  ir::Space space_ = ir::Space::Heap;  // where memory is here
};

}  // namespace

ir::Kernel bufferize(const ir::Kernel& kernel) {
  ir::Kernel result = kernel;
  InOutputs(result).run();
  result.level = ir::Level::Buffers;
  result.body = Allocs(result).before(std::exchange(result.body, {}));
  return result;
}

}  // namespace einc::transforms
