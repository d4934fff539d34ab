// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/neighbours.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/others.h"
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
    if (group_.empty()) return Reason{"no neighbours whose last has few positions"};
    if (!areOnePosition()) return Reason{"the payload computes with positions of several"};
    ir::Kernel aside = task_.kernel;  // where the line is looked at
    const ir::StructuredOp op = joinedIn(aside);
    aside.body.push_back({op});
    OpSettings settings = task_.settings;  // asked for other groups; the first counts
    Task one = {aside, op, task_.names, task_.options, task_.settings, task_.memory};
    one.others = task_.others;
    Form rest = task_.behind(one);
    if (!rest.where.empty()) return Reason{"one line is done in some cases alone"};
    Task more = {aside, op, task_.names, task_.options, settings, task_.memory};
    more.others = task_.others;
    more.behind = task_.behind;
    if (auto others = Joining(more).run()) rest = orElse(std::move(*others), std::move(rest));
    rest.steps.insert(rest.steps.begin(),
                      Step(CollapseStep{group_, group_[0]}, "neighbours in all operands, as one"));
    if (task_.others) rest.steps = inUnits(task_.op, op_, std::move(rest.steps));
    if (!knownOf(group_.back()))
      rest.where.push_back({Test::Kind::LessEqual, extentOf(group_.back()), constant(most)});
    addTests(rest.where);
    if (!rest.where.empty()) rest.settings.clear();  // those of elsewhere
    rest.why = "neighbours in all operands are one, where their last has few positions";
    return rest;
  }

 private:
  std::optional<Reason> refusal() const {
    if (task_.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
    if (task_.whole || task_.isBlock || (task_.others && !task_.others->operands.empty()))
      return Reason{"it is a part of another op"};
    if (contractionGroups(task_.kernel, op_)) return Reason{"a contraction has lines of its own"};
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      if (op_.operand(i).pad) return Reason{"some may be outside"};
      if (op_.operand(i).shapeOnly && !hasWindows()) return Reason{"an operand has a shape alone"};
    }
    return std::nullopt;
  }

  bool hasWindows() const {
    return llvm::any_of(op_.inputs, [](const ir::Operand& input) { return !ir::isPlain(input); });
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
          const std::vector<std::string> names = dimensions(op_.operand(i));
          if (names.size() != rank || names.back().empty() ||
              knownOf(names.back()).has_value() != isKnown ||
              knownOf(names.back()).value_or(0) > most)
            continue;
          group_ = {names.back()};
          for (size_t d = rank - 1; d > 0 && areNeighbours(names[d - 1], group_[0]); --d)
            group_.insert(group_.begin(), names[d - 1]);
          if (group_.size() > 1 && (!hasWindows() || isLastOfAll())) return;
        }
    group_.clear();
  }

  // The iterator of each dimension; none where there are others, too.
  static std::vector<std::string> dimensions(const ir::Operand& operand) {
    std::vector<std::string> names;
    for (const affine::Expr& index : operand.map) names.push_back(index.asIterator().value_or(""));
    return names;
  }

  // Whether the one stands before the other in all operands that have any of them.
  bool areNeighbours(const std::string& outer, const std::string& inner) const {
    if (outer.empty() || isReduction(outer) != isReduction(inner)) return false;
    if (isReduction(outer) && !transforms::mayReorder(op_, task_.options.keepsOrder)) return false;
    return allOf([&](const ir::Operand& operand) {
      const std::vector<std::string> names = dimensions(operand);
      for (const std::string& name : {outer, inner}) {
        const auto uses = llvm::count_if(
            operand.map, [&](const affine::Expr& index) { return index.mentions(name); });
        if (uses > 1 || uses != llvm::count(names, name)) return false;
      }
      const auto found = llvm::find(names, outer);
      if (found == names.end()) return !llvm::is_contained(names, inner);
      return found + 1 != names.end() && found[1] == inner;
    });
  }

  bool isLastOfAll() const {
    return allOf([&](const ir::Operand& operand) {
      const std::vector<std::string> names = dimensions(operand);
      return !llvm::is_contained(names, group_[0]) || names.back() == group_.back();
    });
  }

  template <typename Holds>
  bool allOf(const Holds& holds) const {
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (!holds(op_.operand(i))) return false;
    return true;
  }

  // The op with the group as one; what it alone writes may go around the caches.
  ir::StructuredOp joinedIn(ir::Kernel& aside) const {
    transforms::Builder builder(aside);
    ir::StructuredOp op = op_;
    for (size_t i = 0; i < op.operandCount(); ++i) {
      ir::Operand& operand = op.operand(i);
      const std::vector<std::string> names = dimensions(operand);
      const auto first = llvm::find(names, group_[0]) - names.begin();
      if (first == static_cast<ptrdiff_t>(names.size())) continue;
      const ir::Tensor base = aside.tensors[operand.tensor];
      std::vector<affine::Expr> shape = base.shape;
      for (size_t d = 1; d < group_.size(); ++d) {
        shape[first] = shape[first] * shape[first + 1];
        shape.erase(shape.begin() + first + 1);
        operand.map.erase(operand.map.begin() + first + 1);
      }
      const bool isOwn = i >= op.inputs.size() && isUsedOnce(operand.tensor);
      operand.tensor = builder.tensor(base.name + "_" + group_[0], base.type, std::move(shape),
                                      isOwn ? base.role : ir::Role::View);
    }
    for (ir::ValueRef& result : op.results) result = placed(result, group_[0]);
    std::erase_if(op.iterators, [&](const ir::Iterator& i) {
      return i.name != group_[0] && llvm::is_contained(group_, i.name);
    });
    return op;
  }

  // Whether the payload computes with no positions of these, but with where they are in the line.
  bool areOnePosition() const {
    bool areOne = true;
    for (const ir::ValueRef& result : op_.results)
      ir::forEach(placed(result, ".place"), [&](const ir::Value& value) {
        auto* index = std::get_if<ir::IndexRef>(&value.node);
        areOne &= !index || llvm::none_of(group_, [&](const std::string& name) {
          return index->index.mentions(name);
        });
      });
    return areOne;
  }
  ir::ValueRef placed(const ir::ValueRef& value, const std::string& one) const {
    return withPlaces(value, task_.kernel, op_, group_, one);
  }

  bool isUsedOnce(unsigned tensor) const {
    size_t uses = 0;
    ir::forEachOp(task_.kernel.body, [&](const ir::StructuredOp& other) {
      for (size_t o = 0; o < other.operandCount(); ++o) uses += other.operand(o).tensor == tensor;
    });
    return uses == 1;
  }

  // Where elements are neighbours otherwise, vectors lie along others than the group's.
  void addTests(std::vector<Test>& tests) const {
    const std::vector<std::string> inner(group_.begin() + 1, group_.end());
    for (size_t i = 0, named = 0; i < op_.operandCount(); ++i) {
      if (op_.operand(i).shapeOnly) continue;
      const std::vector<std::string> names = dimensions(op_.operand(i));
      const OperandName& name = task_.names[named++];
      if (!llvm::is_contained(names, group_[0])) continue;
      const bool isLast = names.back() == group_.back();
      if (!isLast) tests.push_back({Test::Kind::Contiguous, {}, {}, name, names.back()});
      const Test::Kind kind = isLast ? Test::Kind::Contiguous : Test::Kind::Even;
      tests.push_back({kind, {}, {}, name, group_[0], inner});
    }
  }

  const Task& task_;
  const ir::StructuredOp op_;
  std::vector<std::string> group_;
};

}  // namespace

Result<Form> neighbours(const Task& task, const Form& /*whole*/) { return Joining(task).run(); }

}  // namespace einc::strategy
