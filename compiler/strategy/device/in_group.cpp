// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/in_group.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/print.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/group_sides.h"
#include "compiler/strategy/groups.h"
#include "compiler/transforms/combiner.h"

namespace einc::strategy {
namespace {

using transforms::constant;
using To = BindStep::To;

class InGroup {
 public:
  InGroup(transforms::Builder& builder, const ir::StructuredOp& op, const Group& group,
          const ScheduleOptions& options)
      : builder_(builder),
        op_(op),
        group_(group),
        device_(*options.target->device),
        keepsOrder_(options.keepsOrder) {
    for (const ir::Iterator& i : op.iterators)
      (i.kind == ir::IteratorKind::Parallel ? results_ : terms_).push_back(i.name);
  }

  Form best() {
    if (auto form = product()) return std::move(*form);
    if (auto form = lanes()) return std::move(*form);
    if (auto form = positions()) return std::move(*form);
    Form form{"flat", {}, 0};
    form.lines.emplace_back("the invocations of the workgroup share its positions");
    return form;
  }

 private:
  std::optional<int64_t> most(const std::string& iterator) const {
    return group_.most(builder_, op_, iterator);
  }

  int64_t sumWords() const {
    return std::max<int64_t>(
        ir::info(builder_.kernel().tensors[op_.outputs[0].tensor].type).bytes() / 4, 1);
  }

  std::optional<Form> product() const {
    if (!hasTiles(builder_.kernel(), op_)) return std::nullopt;
    const Groups groups = *contractionGroups(builder_.kernel(), op_);
    const size_t others = groups.m.size() + groups.n.size() - 2;
    if (!groups.batch.empty() || others > 1) return std::nullopt;
    // Of windows there are rows of sums, which lie along the last iterators.
    const std::string &m = groups.m.back(), &n = groups.n.back();
    const std::string other = others == 0           ? ""
                              : groups.m.size() > 1 ? groups.m.front()
                                                    : groups.n.front();
    const auto around = other.empty() ? std::optional<int64_t>(1) : most(other);
    const auto rows = most(m), columns = most(n);
    const auto sides = around && rows && columns
                           ? groupSides(device_, sumWords(), *around, *rows, *columns)
                           : std::nullopt;
    if (!sides || sides->mr * sides->nr == 1) return std::nullopt;
    std::vector<ir::Axis> axes;
    if (sides->mr > 1) axes.push_back({m, sides->mr});
    if (sides->nr > 1) axes.push_back({n, sides->nr});
    BindStep bind{{{m, constant(sides->mr), sides->rows}, {n, constant(sides->nr), sides->columns}},
                  To::Invocations};
    if (!other.empty()) bind.loops.insert(bind.loops.begin(), {other, constant(1), sides->around});
    Form form{"contraction", {}, 0};
    const Steps sums = {Step(std::move(bind), "a rectangle of sums for each"),
                        Step(VectorizeStep{std::move(axes)},
                             "each element that is read is used for a row or a column of them")};
    form.steps = either(areWhole(*sides, m, *rows, n, *columns), sums, sums,
                        "of whole tiles nothing is cut off");
    form.lines.push_back("in a workgroup: " + std::to_string(sides->mr) + " x " +
                         std::to_string(sides->nr) + " sums in the registers of each of " +
                         (other.empty() ? "" : std::to_string(sides->around) + " x ") +
                         std::to_string(sides->rows) + " x " + std::to_string(sides->columns) +
                         " invocations");
    return form;
  }

  // That rows and columns have as many positions as they may, where these are whole blocks. If that is asked of one alone, it has
  // less elsewhere: several blocks, so that one of them is still an axis.
  std::vector<Test> areWhole(const GroupSides& sides, const std::string& m, int64_t rows,
                             const std::string& n, int64_t columns) const {
    const int64_t mt = sides.mr * sides.rows, nt = sides.nr * sides.columns;
    auto mayBe = [&](const std::string& name, int64_t most, int64_t block) {
      return most % block == 0 && !builder_.extent(op_, name).asConstant();
    };
    const bool byRows = mayBe(m, rows, mt), byColumns = mayBe(n, columns, nt);
    std::vector<Test> tests;
    if (byRows && (byColumns || rows > sides.mr))
      tests.push_back({Test::Kind::Equal, extentOf(m), constant(rows)});
    if (byColumns && (byRows || columns > sides.nr))
      tests.push_back({Test::Kind::Equal, extentOf(n), constant(columns)});
    return tests;
  }

  std::optional<Form> lanes() const {
    if (terms_.empty() || results_.size() > 1 ||
        !transforms::mayReorder(transforms::asSum(op_), keepsOrder_))
      return std::nullopt;
    const auto rows = results_.empty() ? std::optional<int64_t>(1) : most(results_[0]);
    if (!rows || *rows < 1) return std::nullopt;
    int64_t lanes = powerUpTo(device_.invocations / *rows);
    if (const auto length = terms_.size() == 1 ? most(terms_[0]) : std::nullopt)
      lanes = std::min(lanes, powerFor(*length));
    if (lanes < 2) return std::nullopt;
    int64_t bytes = 0;
    for (const ir::Operand& output : op_.outputs)
      bytes +=
          *rows * lanes *
          std::max<int64_t>(ir::info(builder_.kernel().tensors[output.tensor].type).bytes(), 4);
    if (*group_.sharedBytes + bytes > device_.sharedBytes) return std::nullopt;
    *group_.sharedBytes += bytes;
    Form form{"rows", {}, 0};
    form.steps = {Step(LanesStep{terms_, lanes}, "invocations share the terms of a result"),
                  Step(LoopsStep{}, "what is left to each")};
    form.lines.push_back("in a workgroup: " + std::to_string(lanes) +
                         " invocations for each result");
    return form;
  }

  // The last iterators go along neighbouring invocations.
  std::optional<Form> positions() const {
    if (results_.empty() || results_.size() > 3) return std::nullopt;
    int64_t left = powerUpTo(device_.invocations);
    BindStep bind(std::vector<BindStep::Loop>(), To::Invocations);
    for (size_t i = results_.size(); i-- > 0;) {
      const auto count = most(results_[i]);
      if (!count || *count < 1) return std::nullopt;
      const int64_t over = std::min(left, powerFor(*count));
      bind.loops.insert(bind.loops.begin(), {results_[i], constant(1), over});
      left /= over;
    }
    Form form{"flat", {}, 0};
    form.steps = {Step(std::move(bind), "the invocations of the workgroup share its positions"),
                  Step(LoopsStep{}, "it does all of its position")};
    form.lines.emplace_back("the invocations of the workgroup share its positions");
    return form;
  }

  transforms::Builder& builder_;
  const ir::StructuredOp& op_;
  const Group& group_;
  const target::Device& device_;
  bool keepsOrder_;
  std::vector<std::string> results_, terms_;
};

}  // namespace

Decision decideInGroup(transforms::Builder& builder, const ir::StructuredOp& op, size_t number,
                       const Group& group, const ScheduleOptions& options) {
  Decision result;
  OpSettings settings(options.settings, builder.kernel().name, static_cast<unsigned>(number));
  OpReport report{op.source, ir::printStatement(builder.kernel(), {op}), "steps", {}, {}};
  Form form = InGroup(builder, op, group, options).best();
  settings.word("strategy", {form.name});
  auto said = settings.steps();
  const bool isSaid = said && !said->empty() && *said != form.steps;
  if (isSaid) {
    report.lines = {"as the schedule says"};
  } else {
    report.strategy = form.name;
    report.lines = form.lines;
    report.own = form.lines;
  }
  result.parts.push_back({number, 1, isSaid ? std::move(*said) : std::move(form.steps), isSaid});
  result.reports.push_back(std::move(report));
  result.errors = settings.errors();
  return result;
}

}  // namespace einc::strategy
