// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/blocks.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/instruction.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;

constexpr int64_t kSide = 2;               // of a block
constexpr int64_t kLanes = kSide * kSide;  // of one

const ir::Instruct* blockOf(const ir::ValueRef& value) {
  auto* instruct = value ? std::get_if<ir::Instruct>(&value->node) : nullptr;
  return instruct && instruct->instruction->side == kSide ? instruct : nullptr;
}

const std::string* variableOf(const ir::ValueRef& value) {
  auto* variable = std::get_if<ir::Variable>(&value->node);
  return variable ? &variable->name : nullptr;
}

// One region, of two axes, which sums have.
class Blocks {
 public:
  Blocks(Builder& builder, BlockAxes& axes, const ir::Vector& region)
      : builder_(builder), axes_(axes), region_(region) {}

  // Whether all of it is as above: what is read and written, and one loop that adds products to one sum.
  bool isPossible() {
    if (region_.axes.size() != 2) return false;
    const ir::Axis &rows = region_.axes[0], &columns = region_.axes[1];
    if (rows.size % kSide != 0 || columns.size % kLanes != 0) return false;
    const ir::For* loop = nullptr;
    for (const ir::Stmt& stmt : region_.body) {
      auto* found = std::get_if<ir::For>(&stmt.node);
      if (found && loop) return false;
      if (found) loop = found;
      if (!found && !isOfSums(stmt)) return false;
    }
    return loop && isOfProducts(*loop);
  }

  ir::Vector inBlocks() {
    if (axes_.rows.empty()) axes_ = {builder_.name("r"), builder_.name("v"), builder_.name("w")};
    const ir::Axis &rows = region_.axes[0], &columns = region_.axes[1];
    ir::Vector result;
    result.variant = region_.variant;
    result.axes = {{columns.name, kLanes}, {axes_.words, kSide}};
    result.times = {{axes_.rows, rows.size / kSide}, {axes_.parts, columns.size / kLanes}};
    for (const std::string& name : sums_) second_[name] = builder_.name(name);
    for (const ir::Stmt& stmt : region_.body) {
      if (auto* loop = std::get_if<ir::For>(&stmt.node)) {
        append(result.body, around(*loop));
        continue;
      }
      for (int64_t row = 0; row < kSide; ++row) result.body.push_back(ofRow(stmt, row));
    }
    return result;
  }

 private:
  const std::string& rows() const { return region_.axes[0].name; }
  const std::string& columns() const { return region_.axes[1].name; }

  // On sums, or what goes to their places, for each of them.
  bool isOfSums(const ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) {
      sums_.push_back(let->name);
      return let->axes.size() == 2 && isOfColumns(let->value);
    }
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node))
      return llvm::is_contained(sums_, assign->name) && isOfColumns(assign->value);
    if (auto* store = std::get_if<ir::Store>(&stmt.node))
      return store->unit == columns() && !store->clip && isOfColumns(store->value);
    return std::holds_alternative<ir::Prefetch>(stmt.node);
  }

  // Whether its vectors are along columns.
  bool isOfColumns(const ir::ValueRef& value) const {
    bool result = true;
    ir::forEach(value, [&](const ir::Value& node) {
      auto* load = std::get_if<ir::Load>(&node.node);
      auto* variable = std::get_if<ir::Variable>(&node.node);
      result &= !std::holds_alternative<ir::Reduce>(node.node) &&
                !std::holds_alternative<ir::Shuffle>(node.node) &&
                !std::holds_alternative<ir::Instruct>(node.node);
      if (load)
        result &= !load->pad && (load->unit == columns() ||
                                 (load->unit.empty() && !mentions(load->index, columns())));
      if (variable) result &= llvm::is_contained(sums_, variable->name);
    });
    return result;
  }
  static bool mentions(const std::vector<Expr>& index, const std::string& axis) {
    return llvm::any_of(index, [&](const Expr& e) { return e.mentions(axis); });
  }

  bool isOfProducts(const ir::For& loop) {
    if (loop.body.size() != 3) return false;
    auto* assign = std::get_if<ir::Assign>(&loop.body[2].node);
    product_ = assign ? blockOf(assign->value) : nullptr;
    if (!product_ || !llvm::is_contained(sums_, assign->name)) return false;
    const std::string* added = variableOf(product_->args[0]);
    if (!added || *added != assign->name) return false;
    sum_ = assign->name;
    for (size_t i = 0; i < 2; ++i) {
      auto* let = std::get_if<ir::Let>(&loop.body[i].node);
      if (!let || let->axes.size() != 1 || !isOfWords(*let)) return false;
      const bool isOfRows = let->axes[0] == rows();
      for (size_t side = 0; side < 2; ++side) {
        const std::string* word = variableOf(product_->args[1 + side]);
        if (word && *word == let->name) sideOf_[isOfRows ? 0 : 1] = side;
      }
    }
    return sideOf_.size() == 2 && sideOf_[0] != sideOf_[1];
  }

  // Neighbours in memory along its axis.
  static bool isOfWords(const ir::Let& let) {
    auto* load = std::get_if<ir::Load>(&let.value->node);
    return load && !load->pad && load->unit == let.axes[0];
  }

  // Each axis as it is counted in the region of blocks.
  Expr indexOf(const Expr& e, const Expr& row, const Expr& column) const {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      if (atom.name == rows()) return at(axes_.rows) * constant(kSide) + row;
      if (atom.name == columns()) return at(axes_.parts) * constant(kLanes) + column;
      return std::nullopt;
    });
  }
  std::vector<Expr> indicesOf(std::vector<Expr> index, const Expr& row, const Expr& column) const {
    for (Expr& e : index) e = indexOf(e, row, column);
    return index;
  }

  const std::string& nameOf(const std::string& sum, int64_t row) const {
    return row == 0 ? sum : second_.at(sum);
  }

  ir::ValueRef valueOf(const ir::ValueRef& value, int64_t row) const {
    return ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
      if (auto* name = variableOf(node))
        return ir::makeValue(node->type, ir::Variable{nameOf(*name, row)});
      if (auto* index = std::get_if<ir::IndexRef>(&node->node))
        return ir::makeValue(node->type,
                             ir::IndexRef{indexOf(index->index, constant(row), at(columns()))});
      auto* load = std::get_if<ir::Load>(&node->node);
      if (!load) return nullptr;
      ir::Load copy = *load;
      copy.index = indicesOf(copy.index, constant(row), at(columns()));
      return ir::makeValue(node->type, std::move(copy));
    });
  }

  std::vector<std::string> axesOfSums() const { return {axes_.rows, axes_.parts, columns()}; }

  // A statement on sums, on one of two rows.
  ir::Stmt ofRow(const ir::Stmt& stmt, int64_t row) const {
    if (auto* let = std::get_if<ir::Let>(&stmt.node))
      return {ir::Let{nameOf(let->name, row), valueOf(let->value, row), axesOfSums()}};
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node))
      return {ir::Assign{nameOf(assign->name, row), valueOf(assign->value, row)}};
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
      ir::Store copy = *store;
      copy.index = indicesOf(copy.index, constant(row), at(columns()));
      copy.value = valueOf(copy.value, row);
      return {std::move(copy)};
    }
    ir::Prefetch copy = std::get<ir::Prefetch>(stmt.node);
    copy.index = indicesOf(copy.index, constant(row), at(columns()));
    return {std::move(copy)};
  }

  // In each lane of a block (or of a row) the lane of two rows (or blocks).
  std::vector<unsigned> lanesOf(bool toBlocks, unsigned second) const {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      // Of a block: its row and column. Those of rows may be the instruction's second ones.
      unsigned i = lane / kSide, j = lane % kSide;
      if (toBlocks) {
        if (sideOf_.at(0) == 1) std::swap(i, j);
        lanes.push_back(i * kLanes + second * kSide + j);
      } else {
        unsigned row = second, column = lane % kSide;
        if (sideOf_.at(0) == 1) std::swap(row, column);
        lanes.push_back(lane / kSide * kLanes + row * kSide + column);
      }
    }
    return lanes;
  }

  ir::ValueRef shuffled(const std::string& a, const std::string& b, bool toBlocks,
                        unsigned second) const {
    const ir::ScalarType type = product_->instruction->sum;
    return ir::makeValue(type, ir::Shuffle{ir::makeValue(type, ir::Variable{a}),
                                           ir::makeValue(type, ir::Variable{b}), columns(),
                                           lanesOf(toBlocks, second)});
  }

  // The loop, between the forms of what it adds to.
  ir::Block around(const ir::For& loop) {
    const std::string names[] = {builder_.name("block"), builder_.name("block")};
    const std::string& other = second_.at(sum_);
    ir::Block block;
    for (unsigned i = 0; i < kSide; ++i)
      block.push_back(
          {ir::Let{names[i], shuffled(sum_, other, /*toBlocks=*/true, i), axesOfSums()}});
    ir::For added = loop;
    added.body = terms(loop, names);
    block.push_back({std::move(added)});
    for (unsigned i = 0; i < kSide; ++i)
      block.push_back(
          {ir::Assign{i == 0 ? sum_ : other, shuffled(names[0], names[1], /*toBlocks=*/false, i)}});
    return block;
  }

  ir::Block terms(const ir::For& loop, const std::string (&names)[2]) {
    ir::Block block;
    std::string words[2][2];  // of rows, of columns, for each block
    for (size_t i = 0; i < 2; ++i) {
      const auto& let = std::get<ir::Let>(loop.body[i].node);
      const bool isOfRows = let.axes[0] == rows();
      for (int64_t second = 0; second < (isOfRows ? 1 : kSide); ++second) {
        ir::Load load = std::get<ir::Load>(let.value->node);
        load.index =
            indicesOf(load.index, at(axes_.words), at(axes_.words) + constant(second * kSide));
        load.unit = axes_.words;
        std::string name = second == 0 ? let.name : builder_.name(let.name);
        words[isOfRows ? 0 : 1][second] = name;
        if (isOfRows) words[0][1] = name;
        block.push_back({ir::Let{std::move(name),
                                 ir::makeValue(let.value->type, std::move(load)),
                                 {isOfRows ? axes_.rows : axes_.parts, axes_.words}}});
      }
    }
    const ir::Instruction& instruction = *product_->instruction;
    for (size_t second = 0; second < 2; ++second) {
      ir::Instruct product{&instruction, {}, columns(), axes_.words};
      product.args = {ir::makeValue(instruction.sum, ir::Variable{names[second]}), nullptr,
                      nullptr};
      for (size_t of = 0; of < 2; ++of)
        product.args[1 + sideOf_.at(of)] =
            ir::makeValue(instruction.word(), ir::Variable{words[of][second]});
      block.push_back(
          {ir::Assign{names[second], ir::makeValue(instruction.sum, std::move(product))}});
    }
    return block;
  }

  Builder& builder_;
  BlockAxes& axes_;
  const ir::Vector& region_;
  std::vector<std::string> sums_;              // variables over both axes
  std::map<std::string, std::string> second_;  // those of second rows
  const ir::Instruct* product_ = nullptr;
  std::string sum_;  // what it is added to
  std::map<size_t, size_t>
      sideOf_;  // of rows' words, and of columns': the instruction's first, or second
};

}  // namespace

std::optional<ir::Vector> inBlocks(Builder& builder, const ir::Vector& region, BlockAxes& axes) {
  Blocks blocks(builder, axes, region);
  if (!blocks.isPossible()) return std::nullopt;
  return blocks.inBlocks();
}

}  // namespace einc::transforms
