// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/short_rows.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/streams/along.h"
#include "compiler/strategy/streams/ways.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

// At once, of results: each waits for the term before.
constexpr int64_t kVectors = 2;

// So few positions of a row: what is combined otherwise than by a function has many steps at a row's end. Sums of several rows
// are added up at once (transforms/reduce_together).
int64_t mostPositions(const ir::StructuredOp& op, const target::Numbers& numbers) {
  const auto functions = transforms::combinersOf(op);
  if (!functions) return numbers.combinedRow;
  const bool hasSums = llvm::any_of(*functions, [](ir::Function function) {
    return function == ir::Function::Add || function == ir::Function::Mul;
  });
  return hasSums ? numbers.summedRow : numbers.comparedRow;
}

// The last iterator of all outputs.
std::optional<std::string> resultsOf(const ir::StructuredOp& op) {
  std::optional<std::string> last;
  for (const ir::Operand& output : op.outputs) {
    const auto own = output.map.empty() ? std::nullopt : output.map.back().asIterator();
    if (!own || (last && own != last)) return std::nullopt;
    last = own;
  }
  return last;
}

}  // namespace

Result<Form> shortRows(const Task& task, const Form& whole) {
  if (task.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
  if (task.whole || task.isBlock || task.others) return Reason{"it is a part of another op"};
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  const Space space(task.kernel, op);
  const std::vector<std::string> reductions = space.reductions();
  const auto results = resultsOf(op);
  if (whole.name != "stream" || reductions.size() != 1 || !results)
    return Reason{"it is not of rows, a result each"};
  const std::string& row = reductions[0];
  if (!llvm::is_contained(whole.settings, std::pair<std::string, std::string>("axis", row)))
    return Reason{"vectors do not lie along the rows"};
  Along along(task.kernel, op, task.names, task.options, nullptr, false);
  along.axis.set(*results);
  const int64_t most = mostPositions(op, along.numbers);
  if (space.known(row).value_or(0) > most ||
      space.known(*results).value_or(INT64_MAX) < along.lanes)
    return Reason{"rows are long, or few"};
  Form form = whole;
  form.steps = along.inParts(along.whole(),
                             [&](const Space&) { return along.tilesOf(kVectors * along.lanes); });
  form.where.clear();
  form.settings.clear();  // they are for longer rows
  if (!space.known(row))
    form.where.push_back({Test::Kind::LessEqual, extentOf(row), constant(most)});
  if (!space.known(*results))
    form.where.push_back({Test::Kind::LessEqual, constant(along.lanes), extentOf(*results)});
  form.why = "short rows: vectors of results";
  form.lines = {"where '" + row + "' has at most " + std::to_string(most) +
                " positions: vectors along '" + *results + "'"};
  return form;
}

}  // namespace einc::strategy
