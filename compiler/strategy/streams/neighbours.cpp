// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/neighbours.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

class Joining {
 public:
  explicit Joining(const Task& task)
      : task_(task), op_(withoutUnits(task.kernel, transforms::asSum(task.op))) {}

  Result<Form> run() {
    if (auto reason = refusal()) return *reason;
    const target::Target& target = *task_.options.target;
    const int64_t most =
        target.numbers.joinedVectors * target.lanes(transforms::registerBytes(op_));
    findGroup(most);
    if (group_.empty()) return Reason{"no short lines follow one another"};
    ir::Kernel aside = task_.kernel;  // where the line is looked at
    transforms::Builder builder(aside);
    ir::StructuredOp op = op_;
    ir::Block unread;
    collapse(builder, op, group_, unread);
    standsIn(aside, op);
    OpSettings settings = task_.settings;
    const Task one = {aside,    op,           task_.names, task_.options,
                      settings, task_.memory, nullptr,     task_.behind};
    Form rest = task_.behind({aside, op, task_.names, task_.options, task_.settings, task_.memory});
    if (!rest.where.empty()) return Reason{"one line is done in some cases alone"};
    if (auto others = Joining(one).run()) rest = orElse(std::move(*others), std::move(rest));
    rest.steps.insert(rest.steps.begin(),
                      Step(CollapseStep{group_, group_[0]}, "short lines that follow one another"));
    if (!knownOf(group_.back()))
      rest.where.push_back({Test::Kind::LessEqual, extentOf(group_.back()), constant(most)});
    addTests(rest.where);
    rest.why = "short lines follow one another";
    return rest;
  }

 private:
  std::optional<Reason> refusal() const {
    if (task_.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
    if (task_.whole || task_.isBlock || task_.others) return Reason{"it is a part of another op"};
    if (ir::usesPositions(op_)) return Reason{"the payload computes with positions"};
    if (contractionGroups(task_.kernel, op_)) return Reason{"a contraction has lines of its own"};
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (op_.operand(i).shapeOnly || !ir::isPlain(op_.operand(i)))
        return Reason{"an index is not one iterator"};
    return std::nullopt;
  }

  bool isReduction(const std::string& name) const { return !ir::isParallel(op_, name); }
  std::optional<int64_t> knownOf(const std::string& name) const {
    return Space(task_.kernel, op_).known(name);
  }

  // The first that ends some operand, and whose last iterator has as few positions, where that is known, or else may have:
  // in larger operands first.
  void findGroup(int64_t most) {
    for (const bool isKnown : {true, false})
      for (size_t rank = op_.iterators.size(); rank > 1; --rank)
        for (size_t i = op_.operandCount(); i-- > 0;) {
          const std::vector<std::string> names = transforms::iteratorsOf(op_.operand(i));
          if (names.size() != rank || knownOf(names.back()).has_value() != isKnown ||
              knownOf(names.back()).value_or(0) > most)
            continue;
          group_ = {names.back()};
          for (size_t d = rank - 1; d-- > 0 && areNeighbours(names[d], group_[0]);)
            group_.insert(group_.begin(), names[d]);
          if (group_.size() > 1) return;
        }
    group_.clear();
  }

  // Whether the one stands before the other in all operands that have any of them.
  bool areNeighbours(const std::string& outer, const std::string& inner) const {
    if (isReduction(outer) != isReduction(inner)) return false;
    if (isReduction(outer) && !transforms::mayReorder(op_, task_.options.keepsOrder)) return false;
    return allOf([&](const ir::Operand& operand) {
      const std::vector<std::string> names = transforms::iteratorsOf(operand);
      const auto found = llvm::find(names, outer);
      if (found == names.end()) return !llvm::is_contained(names, inner);
      return found + 1 != names.end() && found[1] == inner;
    });
  }

  template <typename Holds>
  bool allOf(const Holds& holds) const {
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (!holds(op_.operand(i))) return false;
    return true;
  }

  // The op is that of the kernel which is looked at: what it alone writes may go around the caches.
  void standsIn(ir::Kernel& aside, const ir::StructuredOp& op) const {
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      size_t uses = 0;
      ir::forEachOp(task_.kernel.body, [&](const ir::StructuredOp& other) {
        for (size_t o = 0; o < other.operandCount(); ++o)
          uses += other.operand(o).tensor == op_.outputs[i].tensor;
      });
      if (uses == 1)
        aside.tensors[op.outputs[i].tensor].role = aside.tensors[op_.outputs[i].tensor].role;
    }
    aside.body.push_back({op});
  }

  // Where elements are neighbours otherwise, vectors lie along others than the group's.
  void addTests(std::vector<Test>& tests) const {
    const std::vector<std::string> inner(group_.begin() + 1, group_.end());
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      const std::vector<std::string> names = transforms::iteratorsOf(op_.operand(i));
      if (!llvm::is_contained(names, group_[0])) continue;
      const bool isLast = names.back() == group_.back();
      if (!isLast) tests.push_back({Test::Kind::Contiguous, {}, {}, task_.names[i], names.back()});
      const Test::Kind kind = isLast ? Test::Kind::Contiguous : Test::Kind::Even;
      tests.push_back({kind, {}, {}, task_.names[i], group_[0], inner});
    }
  }

  const Task& task_;
  const ir::StructuredOp op_;
  std::vector<std::string> group_;
};

}  // namespace

Result<Form> neighbours(const Task& task, const Form& /*whole*/) { return Joining(task).run(); }

}  // namespace einc::strategy
