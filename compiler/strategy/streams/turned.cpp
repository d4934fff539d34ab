// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/turned.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

class Turning {
 public:
  explicit Turning(const Task& task)
      : task_(task),
        aside_(task.kernel),
        op_(withoutUnits(task.kernel, transforms::asSum(task.op))),
        names_(task.names) {}

  Result<Form> run() {
    if (auto reason = refusal()) return *reason;
    for (size_t i = 0, named = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].shapeOnly) continue;
      if (isTurned(op_.inputs[i]) && !turn(i, named))
        return Reason{"it cannot be copied in vectors"};
      ++named;
    }
    if (copies_.empty()) return Reason{"no input is read again that lies along another iterator"};
    Form rest = task_.behind({aside_, op_, names_, task_.options, task_.settings, task_.memory});
    if (!rest.where.empty()) return Reason{"what is turned is done in some cases alone"};
    rest.steps.insert(rest.steps.begin(), std::make_move_iterator(copies_.begin()),
                      std::make_move_iterator(copies_.end()));
    rest.where = std::move(tests_);
    for (size_t i = 0; i < op_.outputs.size(); ++i)
      rest.where.push_back(lies(names_[names_.size() - op_.outputs.size() + i], axis_));
    rest.why = "what is read again along others is turned once";
    rest.lines.insert(rest.lines.begin(), lines_.begin(), lines_.end());
    return rest;
  }

 private:
  std::optional<Reason> refusal() {
    if (task_.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
    if (task_.whole || task_.isBlock || task_.others || !task_.memory)
      return Reason{"there is no memory for what is turned"};
    if (op_.outputs.empty() || ir::reduces(op_)) return Reason{"it is a sum"};
    for (const ir::Operand& output : op_.outputs) {
      const auto along = output.map.empty() ? std::nullopt : output.map.back().asIterator();
      if (!along || (!axis_.empty() && *along != axis_))
        return Reason{"outputs do not lie along one iterator"};
      axis_ = *along;
    }
    return std::nullopt;
  }

  // It has neighbours along another iterator, and is read again along iterators that it does not have.
  bool isTurned(const ir::Operand& input) const {
    if (!ir::isPlain(input) || input.map.empty() || input.map.back().asIterator() == axis_)
      return false;
    return llvm::is_contained(transforms::iteratorsOf(input), axis_) &&
           others(input).asConstant().value_or(INT64_MAX) >= least();
  }
  // For how many positions each of its elements is read.
  affine::Expr others(const ir::Operand& input) const {
    const std::vector<std::string> own = transforms::iteratorsOf(input);
    const Space space(aside_, op_);
    affine::Expr all = transforms::constant(1);
    for (const ir::Iterator& i : op_.iterators) {
      if (llvm::is_contained(own, i.name)) continue;
      const auto known = space.known(i.name);
      all = all * (known ? transforms::constant(*known) : extentOf(i.name));
    }
    return all;
  }
  int64_t least() const { return task_.options.target->numbers.turnedOthers; }

  static Test lies(const OperandName& name, const std::string& along) {
    return {Test::Kind::Contiguous, {}, {}, name, along};
  }

  // Its iterators in the order in which the output has them.
  std::vector<std::string> orderOf(const ir::Operand& input) const {
    const std::vector<std::string> own = transforms::iteratorsOf(input);
    std::vector<std::string> order;
    for (const affine::Expr& index : op_.outputs[0].map)
      for (const std::string& name : index.iterators())
        if (llvm::is_contained(own, name) && !llvm::is_contained(order, name))
          order.push_back(name);
    return order;
  }

  bool turn(size_t number, size_t named) {
    transforms::Builder builder(aside_);
    const ir::Operand from = op_.inputs[number];
    std::string name = "turned_" + names_[named].tensor;
    if (names_[named].use > 0) name += std::to_string(names_[named].use);
    const std::vector<std::string> order = orderOf(from);
    if (order.size() != from.map.size()) return false;
    auto copy = turnedTo({order, name}, names_[named], number, op_, builder, task_.options);
    if (!copy) return false;
    copies_.push_back(Step(std::move(*copy), "it is read again along others"));
    const affine::Expr times = others(from);
    const Test areMany{Test::Kind::LessEqual, transforms::constant(least()), times};
    if (!times.asConstant() && !llvm::is_contained(tests_, areMany)) tests_.push_back(areMany);
    tests_.push_back(lies(names_[named], *from.map.back().asIterator()));
    lines_.push_back(names_[named].str() + " is turned before: it lies along '" +
                     *from.map.back().asIterator() + "', and is read again");
    return true;
  }

  const Task& task_;
  ir::Kernel aside_;  // where what is turned is looked at
  ir::StructuredOp op_;
  const std::vector<OperandName>& names_;  // also of what is turned
  std::string axis_;                       // along which all that is written lies
  Steps copies_;
  std::vector<Test> tests_;  // where it is worth that
  std::vector<std::string> lines_;
};

}  // namespace

Result<Form> turned(const Task& task, const Form& /*whole*/) { return Turning(task).run(); }

std::optional<CopyStep> turnedTo(const TurnedMemory& memory, const OperandName& name, size_t input,
                                 ir::StructuredOp& op, transforms::Builder& builder,
                                 const ScheduleOptions& options) {
  const ir::Operand from = op.inputs[input];
  const ir::ScalarType type = builder.kernel().tensors[from.tensor].type;
  std::vector<affine::Expr> shape, map;
  ir::StructuredOp copy;
  for (const std::string& iterator : memory.dimensions) {
    shape.push_back(builder.extent(op, iterator));
    map.push_back(transforms::at(iterator));
    copy.iterators.push_back({iterator, ir::IteratorKind::Parallel});
  }
  const unsigned to = builder.tensor(memory.name, type, std::move(shape), ir::Role::Local);
  copy.inputs = {from};
  copy.outputs = {{to, map, nullptr}};
  copy.results = {ir::makeValue(type, ir::OperandRef{0})};
  OpSettings none({}, "", 0);
  const std::vector<OperandName> names = {name, {memory.name}};
  auto code = stream({builder.kernel(), copy, names, options, none});
  if (!code) return std::nullopt;
  op.inputs[input] = {to, std::move(map), nullptr};
  return CopyStep{name, memory.dimensions, memory.name, std::move(code->steps)};
}

}  // namespace einc::strategy
