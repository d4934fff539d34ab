// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/within_borders.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/streams/along.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/ways.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::at;

class Within {
 public:
  explicit Within(const Task& task)
      : task_(task), op_(withoutUnits(task.kernel, task.op)), aside_(task.kernel) {}

  Result<Form> run() {
    if (auto reason = refusal()) return *reason;
    if (auto reason = findBordered()) return *reason;
    const ir::StructuredOp inside = settled();
    aside_.body.push_back({inside});
    Form form =
        task_.behind({aside_, inside, task_.names, task_.options, task_.settings, task_.memory});
    if (!form.where.empty()) return Reason{"what is inside is done in some cases alone"};
    Along along(task_.kernel, op_, task_.names, task_.options, nullptr, false);
    along.axis.set(line_);
    const Steps lines = oneVector(along);
    Steps steps = {Step(WhenStep{{{Test::Kind::Inside}}, std::move(form.steps), lines},
                        "else each vector is tested")};
    for (const std::string& name : bordered_)
      steps = {Step(InteriorStep{name, std::move(steps), lines},
                    "between its borders all is inside; else each vector is tested")};
    form.steps = whereKnown(bordered_, std::move(steps));
    return form;
  }

 private:
  std::optional<Reason> refusal() {
    if (task_.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
    if (task_.whole || task_.isBlock || task_.others) return Reason{"it is a part of another op"};
    if (ir::reduces(op_) || op_.outputs.size() != 1 || ir::usesPositions(op_))
      return Reason{"it is no map of elements alone"};
    line_ = contiguous(task_.kernel, op_.outputs[0]);
    if (line_.empty()) return Reason{"the output has no lines"};
    bool isTurned = false;
    for (const ir::Operand& input : op_.inputs) {
      const std::string own = contiguous(task_.kernel, input);
      isTurned |= input.pad && !own.empty() && own != line_ &&
                  llvm::is_contained(transforms::iteratorsOf(input), line_);
      if (input.shapeOnly || !isShifted(input)) return Reason{"an index is not one iterator"};
    }
    if (!isTurned) return Reason{"nothing outside lies along another iterator"};
    return std::nullopt;
  }

  // Each index is an iterator of its own, and where it is outside, some more.
  static bool isShifted(const ir::Operand& input) {
    std::vector<std::string> seen;
    for (const affine::Expr& index : input.map) {
      const std::vector<std::string> names = index.iterators();
      if (names.size() != 1 || llvm::is_contained(seen, names[0])) return false;
      seen.push_back(names[0]);
      if (index.stepAlong(names[0]) != transforms::constant(1)) return false;
      if (!input.pad && !index.asIterator()) return false;
    }
    return true;
  }

  std::optional<Reason> findBordered() {
    const std::vector<Outside> outside = findOutside(task_.kernel, op_);
    if (auto reason = runBackwards(outside)) return Reason{*reason};
    for (const ir::Iterator& i : op_.iterators) {
      const Borders borders(task_.kernel, op_, outside, i.name);
      if (borders.isEmpty()) continue;
      if (!borders.areNear()) return Reason{"an index may be far outside"};
      if (i.name == line_) return Reason{"some of a line is outside"};
      bordered_.push_back(i.name);
    }
    return bordered_.empty() ? std::optional(Reason{"nothing is outside"}) : std::nullopt;
  }

  // The op as it is inside: how many positions there are along bordered iterators is not known.
  ir::StructuredOp settled() {
    transforms::Builder builder(aside_);
    ir::StructuredOp op = op_;
    for (size_t i = 0; i < op.operandCount(); ++i) {
      ir::Operand& operand = op.operand(i);
      const ir::Tensor base = aside_.tensors[operand.tensor];
      std::vector<affine::Expr> shape = base.shape;
      bool isPart = false;
      for (size_t d = 0; d < operand.map.size(); ++d) {
        if (!operand.map[d].hasIterators()) continue;  // of what is written, one of several
        const std::string name = operand.map[d].iterators()[0];
        if (llvm::is_contained(bordered_, name)) {
          shape[d] = transforms::size(name + "_inside");
          isPart = true;
        } else if (operand.pad) {
          shape[d] = builder.extent(op_, name);
        }
        operand.map[d] = at(name);
      }
      if (isPart)
        operand.tensor =
            builder.tensor(base.name + "_inside", base.type, std::move(shape), base.role);
      operand.pad = nullptr;
    }
    return op;
  }

  const Task& task_;
  const ir::StructuredOp op_;
  ir::Kernel aside_;  // where the op is looked at as it is inside
  std::string line_;
  std::vector<std::string> bordered_;
};

}  // namespace

Result<Form> withinBorders(const Task& task, const Form& /*whole*/) { return Within(task).run(); }

}  // namespace einc::strategy
