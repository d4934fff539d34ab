// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: 8) of S in workgroup      what ops that share positions leave for each other
//   keep () of S on stack
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using Where = KeepStep::Where;

class Kept {
 public:
  Kept(const Work& work, At here, const KeepStep& step)
      : work_(work), here_(std::move(here)), step_(step) {}

  ir::Block run() {
    if (auto why = cannotBe()) return work_.refuse(here_, *why);
    if (auto why = findShape()) return work_.refuse(here_, *why);
    if (auto why = cannotHold()) return work_.refuse(here_, *why);
    const bool isStored = this->isStored();
    const bool isWritten = llvm::any_of(uses_, [&](size_t use) { return shared().isWritten(use); });
    const ir::Operand there = here_.op.inputs[uses_[0]];
    ir::Block block, last;
    memory_ = builder().tensor(step_.tensor + (step_.where == Where::Stack ? "_private" : "_rows"),
                               builder().kernel().tensors[tensor_].type, shape_, ir::Role::Local);
    block.push_back({ir::Alloc{
        memory_, step_.where == Where::Stack ? ir::Space::Stack : ir::Space::Workgroup}});
    for (size_t use : uses_) here_.op.inputs[use] = operandAt(use, block);
    const ir::Operand kept = here_.op.inputs[uses_[0]];
    if (isStored && shared().isRead(uses_[0])) block.push_back({copied(there, kept)});
    if (isStored && isWritten) last.push_back({copied(kept, there)});
    transforms::append(block, work_.rest(std::move(here_)));
    transforms::append(block, std::move(last));
    return block;
  }

 private:
  transforms::Builder& builder() const { return work_.builder; }
  const SharedOps& shared() const { return *here_.shared; }
  bool isStored() const {
    return shared().isUsedElsewhere(tensor_) ||
           builder().kernel().tensors[tensor_].role != ir::Role::Local;
  }
  bool isSharedIndex(const Expr& index) const {
    auto iterator = index.asIterator();
    return iterator && shared().isShared(*iterator);
  }

  std::optional<std::string> cannotBe() {
    if (!here_.shared || step_.tensor.empty() || step_.where == Where::Cache)
      return "on a device a tensor is kept for ops that share positions: keep (m: m) of E in "
             "workgroup, or on stack";
    const bool isInGroup = step_.where == Where::Workgroup;
    if (isInGroup && here_.bound != BindStep::To::Workgroups)
      return "what invocations share stands in a workgroup: bind one to workgroups before";
    if (!isInGroup && here_.bound != BindStep::To::Invocations)
      return "the stack is that of an invocation: bind all to invocations before";
    auto tensor = shared().tensorOf(step_.tensor);
    if (!tensor) return "no op here has '" + step_.tensor + "'";
    tensor_ = *tensor;
    uses_ = shared().operands(tensor_, here_.next);
    if (uses_.size() != shared().operands(tensor_, shared().first()).size())
      return "an op that has '" + step_.tensor + "' is done already";
    const std::vector<Expr>& first = shared().map(uses_[0]);
    for (size_t use : uses_) {
      if (shared().hasPad(use)) return "'" + step_.tensor + "' is read outside, with else";
      const std::vector<Expr>& map = shared().map(use);
      for (size_t d = 0; d < map.size(); ++d) {
        const bool isShared = isSharedIndex(first[d]);
        if (isShared ? map[d] != first[d] : hasShared(map[d]))
          return "'" + step_.tensor + "' is used at other positions than those that the ops share";
      }
    }
    return std::nullopt;
  }
  bool hasShared(const Expr& index) const {
    return llvm::any_of(index.iterators(),
                        [&](const std::string& name) { return shared().isShared(name); });
  }

  std::optional<std::string> findShape() {
    const std::vector<Expr>& map = shared().map(uses_[0]);
    const ir::Tensor& all = builder().kernel().tensors[tensor_];
    for (size_t d = 0; d < map.size(); ++d) {
      if (!isSharedIndex(map[d])) {
        if (isStored())
          return "others use '" + step_.tensor + "', of which a position has several elements";
        shape_.push_back(all.shape[d]);
        continue;
      }
      const std::string name = *map[d].asIterator();
      if (!here_.find(name)) continue;
      auto found = llvm::find_if(
          step_.memory, [&](const auto& one) { return here_.actualName(one.iterator) == name; });
      if (found == step_.memory.end())
        return "how many positions along '" + name + "' are kept? keep (" + name + ": 8) of " +
               step_.tensor;
      auto number = work_.number(here_, found->positions);
      if (!number) return number.reason();
      if (!isEnough(work_, here_, name, *number)) return tooLittle(name);
      shape_.push_back(*number);
    }
    for (const auto& one : step_.memory)
      if (!here_.find(one.iterator) ||
          !llvm::is_contained(map, transforms::at(here_.actualName(one.iterator))))
        return "'" + step_.tensor + "' has no dimension along '" + one.iterator + "' here";
    return std::nullopt;
  }

  std::optional<std::string> cannotHold() const {
    int64_t elements = 1;
    for (const Expr& extent : shape_) {
      const int64_t known = extent.asConstant().value_or(-1);
      if (known < 0)
        return "memory of an unknown size: a number, as in keep (m: 8) of " + step_.tensor;
      if (known > kMostElements || elements * known > kMostElements)
        return "more than " + std::to_string(kMostElements) + " elements are not kept";
      elements *= known;
    }
    if (step_.where == Where::Stack) return std::nullopt;
    return work_.takeShared(here_, elements * work_.bytesInShared(here_.op.inputs[uses_[0]]));
  }

  // What an op reads or writes of the tensor, in the memory: dimensions that are done are gone.
  ir::Operand operandAt(size_t use, ir::Block& block) {
    const ir::Tensor& all = builder().kernel().tensors[tensor_];
    ir::View view{0, memory_, transforms::iteratorsOf(here_.op.inputs[use]), {}, nullptr};
    std::vector<Expr> sizes, map;
    for (const std::string& name : view.dims) {
      sizes.push_back(work_.extent(here_, name));
      map.push_back(transforms::at(name));
    }
    for (const Expr& index : shared().map(use))
      if (!isSharedIndex(index) || here_.find(*index.asIterator())) view.map.push_back(index);
    view.view = builder().tensor(all.name + "_part", all.type, std::move(sizes), ir::Role::View);
    const unsigned part = view.view;
    block.push_back({std::move(view)});
    return {part, std::move(map), nullptr};
  }

  ir::StructuredOp copied(const ir::Operand& from, const ir::Operand& to) const {
    ir::StructuredOp result;
    for (const std::string& name : transforms::iteratorsOf(to))
      result.iterators.push_back({name, ir::IteratorKind::Parallel});
    result.inputs = {from};
    result.outputs = {to};
    result.results = {
        ir::makeValue(builder().kernel().tensors[from.tensor].type, ir::OperandRef{0})};
    return result;
  }

  static constexpr int64_t kMostElements = 4096;  // of what one shader declares

  const Work& work_;
  At here_;
  const KeepStep& step_;
  unsigned tensor_ = 0, memory_ = 0;
  std::vector<size_t> uses_;  // among the inputs of the whole
  std::vector<Expr> shape_;
};

}  // namespace

ir::Block keepOnDevice(const Work& work, At here, const KeepStep& step) {
  return Kept(work, std::move(here), step).run();
}

}  // namespace einc::strategy
