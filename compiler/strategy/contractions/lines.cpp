// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/lines.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/strategy/collapse.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class Lines {
 public:
  Lines(transforms::Builder& builder, const Contraction& what)
      : builder_(builder), what_(what), numbers_(what.options.target->numbers) {}

  std::optional<Directly> run() {
    if (what_.groups.n.size() < 2 || what_.groups.m.size() != 1) return std::nullopt;
    chooseLine();
    auto tests = this->tests();
    if (!tests) return std::nullopt;
    Groups groups = what_.groups;
    groups.n = {line_[0]};
    for (const std::string& name : what_.groups.n)
      if (!llvm::is_contained(line_, name)) groups.batch.push_back(name);
    ir::StructuredOp op = what_.op;
    ir::Block unread;
    collapse(builder_, op, line_, unread);
    auto direct = directly({what_.kernel, what_.before, op, what_.names, what_.written,
                            what_.isAlone, groups, what_.tiles, what_.options});
    if (!direct) return std::nullopt;
    if (line_.size() > 1)
      direct->steps.insert(direct->steps.begin(), CollapseStep{line_, line_[0]});
    direct->tests = std::move(*tests);
    direct->line = text(direct->line);
    return direct;
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

  std::optional<std::vector<Test>> tests() const {
    if (line_.empty()) return std::nullopt;
    std::vector<Test> tests;
    auto atMost = [&](const Expr& extent, const Expr& left, const Expr& right) {
      if (!extent.asConstant()) tests.push_back({Test::Kind::LessEqual, left, right});
    };
    const std::string& row = what_.groups.m[0];
    const Expr rows = what_.positions({row}), columns = what_.positions(line_),
               mostRows = constant(numbers_.directTiles * what_.tiles.mr),
               fewest = constant(what_.tiles.lanes);
    if (rows.asConstant().value_or(0) > *mostRows.asConstant()) return std::nullopt;
    if (columns.asConstant().value_or(INT64_MAX) < *fewest.asConstant()) return std::nullopt;
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
    return "with up to " + std::to_string(numbers_.directTiles * what_.tiles.mr) + " rows, " +
           names + (line_.size() > 1 ? " are one line: " : " is a line: ") + direct;
  }

  transforms::Builder& builder_;
  const Contraction& what_;
  const target::Numbers& numbers_;
  std::vector<std::string> line_;  // of N, the last fastest
};

}  // namespace

std::optional<Directly> onLines(transforms::Builder& builder, const Contraction& contraction) {
  return Lines(builder, contraction).run();
}

}  // namespace einc::strategy
