// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/one_line.h"

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
    findLine();
    if (line_.size() < 2) return Reason{"no lines follow one another"};
    const target::Target& target = *task_.options.target;
    const int64_t most =
        target.numbers.joinedVectors * target.lanes(transforms::registerBytes(op_));
    const std::optional<int64_t> known = Space(task_.kernel, op_).known(line_.back());
    if (known.value_or(0) > most) return Reason{"lines are long"};
    ir::Kernel aside = task_.kernel;  // where the line is looked at
    transforms::Builder builder(aside);
    ir::StructuredOp op = op_;
    ir::Block unread;
    collapse(builder, op, line_, unread);
    standsIn(aside, op);
    Form rest = task_.behind({aside, op, task_.names, task_.options, task_.settings, task_.memory});
    if (!rest.where.empty()) return Reason{"one line is done in some cases alone"};
    rest.steps.insert(rest.steps.begin(),
                      Step(CollapseStep{line_, line_[0]}, "short lines that follow one another"));
    if (!known)
      rest.where.push_back({Test::Kind::LessEqual, extentOf(line_.back()), constant(most)});
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

  // The iterators with which all operands that have any of them end, in the same order, the last of which is that of the
  // largest operand.
  void findLine() {
    std::vector<std::string> largest;
    for (size_t i = op_.operandCount(); i-- > 0;)
      if (const auto names = transforms::iteratorsOf(op_.operand(i)); names.size() > largest.size())
        largest = names;
    for (size_t d = largest.size(); d-- > 0;) {
      const std::string& name = largest[d];
      const size_t behind = largest.size() - d;
      const bool isAlike = allOf([&](const ir::Operand& operand) {
        const std::vector<std::string> names = transforms::iteratorsOf(operand);
        const bool ends = names.size() >= behind &&
                          std::equal(names.end() - static_cast<std::ptrdiff_t>(behind), names.end(),
                                     largest.begin() + static_cast<std::ptrdiff_t>(d));
        const bool hasNone =
            !llvm::is_contained(names, name) && !llvm::is_contained(names, largest.back());
        return ends || hasNone;
      });
      if (!isAlike || isReduction(name) != isReduction(largest.back())) return;
      if (isReduction(name) && !transforms::mayReorder(op_, task_.options.keepsOrder)) return;
      line_.insert(line_.begin(), name);
    }
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

  void addTests(std::vector<Test>& tests) const {
    const std::vector<std::string> inner(line_.begin() + 1, line_.end());
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (llvm::is_contained(transforms::iteratorsOf(op_.operand(i)), line_[0]))
        tests.push_back({Test::Kind::Contiguous, {}, {}, task_.names[i], line_[0], inner});
  }

  const Task& task_;
  const ir::StructuredOp op_;
  std::vector<std::string> line_;
};

}  // namespace

Result<Form> oneLine(const Task& task, const Form& /*whole*/) { return Joining(task).run(); }

}  // namespace einc::strategy
