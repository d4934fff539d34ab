// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/lines.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/strategy/collapse.h"
#include "compiler/strategy/contractions/direct.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class Lines {
 public:
  explicit Lines(const Contraction& what) : what_(what), numbers_(what.options.target->numbers) {}

  Result<Form> run() {
    if (what_.groups.n.size() < 2) return Reason{"columns have one iterator"};
    if (what_.groups.m.size() != 1) return Reason{"rows have several iterators"};
    chooseLine();
    auto tests = this->tests();
    if (!tests) return Reason{tests.reason()};
    Groups groups = what_.groups;
    groups.n = {line_[0]};
    for (const std::string& name : what_.groups.n)
      if (!llvm::is_contained(line_, name)) groups.batch.push_back(name);
    ir::Kernel aside = what_.kernel;  // where the line is looked at
    transforms::Builder builder(aside);
    ir::StructuredOp op = what_.op;
    ir::Block unread;
    collapse(builder, op, line_, unread);
    auto form = direct({aside, what_.before, op, what_.names, what_.written, what_.isAlone, groups,
                        what_.tiles, what_.cost, what_.options});
    if (!form) return form;
    form->name = "lines";
    if (line_.size() > 1)
      form->steps.insert(form->steps.begin(),
                         Step(CollapseStep{line_, line_[0]}, "they are one line in memory"));
    form->why = "few rows use what would be packed, and lines are long";
    form->where = std::move(*tests);
    for (std::string& line : form->lines) line = text(line);
    return form;
  }

 private:
  // The iterator of a dimension, if the index is nothing else.
  static std::string iteratorAt(const ir::Operand& operand, size_t fromEnd) {
    if (fromEnd >= operand.map.size()) return "";
    return operand.map[operand.map.size() - 1 - fromEnd].asIterator().value_or("");
  }

  // As the spec has the operands: what is a view lies apart.
  void chooseLine() {
    const ir::Operand& right = what_.before.inputs[what_.groups.right[0]];
    if (right.pad || what_.groups.right.size() != 1) return;
    for (size_t d = 0;; ++d) {
      const std::string name = iteratorAt(right, d);
      const bool isShared = llvm::all_of(what_.before.outputs, [&](const ir::Operand& output) {
        return iteratorAt(output, d) == name;
      });
      if (!isShared || !llvm::is_contained(what_.groups.n, name)) return;
      if (llvm::is_contained(line_, name)) return;
      line_.insert(line_.begin(), name);
    }
  }

  // For more, an instruction adds several products of words that are packed.
  int64_t mostRows() const {
    return what_.words ? numbers_.wordRows : numbers_.directTiles * what_.tiles.mr;
  }

  Result<std::vector<Test>> tests() const {
    if (line_.empty()) return Reason{"the right operand and the output have no line in common"};
    std::vector<Test> tests;
    auto atMost = [&](const Expr& extent, const Expr& left, const Expr& right) {
      if (!extent.asConstant()) tests.push_back({Test::Kind::LessEqual, left, right});
    };
    const std::string& row = what_.groups.m[0];
    const Expr rows = what_.positions({row}), columns = what_.positions(line_),
               mostRows = constant(this->mostRows()), fewest = constant(what_.tiles.lanes);
    if (rows.asConstant().value_or(0) > *mostRows.asConstant()) return Reason{"rows are many"};
    if (columns.asConstant().value_or(INT64_MAX) < *fewest.asConstant())
      return Reason{"lines are short"};
    Expr length = constant(1);
    for (const std::string& name : line_) length = length * extentOf(name);
    atMost(rows, extentOf(row), mostRows);
    atMost(columns, fewest, length);
    const std::vector<std::string> inner(line_.begin() + 1, line_.end());
    auto together = [&](const OperandName& operand) {
      tests.push_back({Test::Kind::Contiguous, {}, {}, operand, line_[0], inner});
    };
    together(what_.names[what_.groups.right[0]]);
    for (const OperandName& output : what_.written) together(output);
    return tests;
  }

  std::string text(const std::string& direct) const {
    std::string names;
    for (const std::string& name : line_) names += (names.empty() ? "'" : ", '") + name + "'";
    return "with up to " + std::to_string(mostRows()) + " rows, " + names +
           (line_.size() > 1 ? " are one line: " : " is a line: ") + direct;
  }

  const Contraction& what_;
  const target::Numbers& numbers_;
  std::vector<std::string> line_;  // of N, the last fastest
};

}  // namespace

Result<Form> onLines(const Contraction& contraction) { return Lines(contraction).run(); }

}  // namespace einc::strategy
