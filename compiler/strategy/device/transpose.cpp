// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/transpose.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::only;
using transforms::Tile;
using Kind = ir::Condition::Kind;

class OnTransposed {
 public:
  // `inputs` lie along `m`, the output along `n`.
  OnTransposed(transforms::Builder& builder, int64_t side, int64_t rows, std::string m,
               std::string n, std::vector<size_t> inputs)
      : builder_(builder),
        side_(side),
        rows_(rows),
        m_(std::move(m)),
        n_(std::move(n)),
        inputs_(std::move(inputs)) {}

  // All other iterators by 1, around the tiles.
  ir::Block run(const ir::StructuredOp& op) {
    for (const ir::Iterator& iterator : op.iterators) {
      if (iterator.name == m_ || iterator.name == n_) continue;
      return only(transforms::tile(builder_, op, {iterator.name, constant(1)},
                                   [&](const Tile& tile) { return run(tile.op); }));
    }
    return only(transforms::tile(builder_, op, {m_, constant(side_)}, [&](const Tile& rows) {
      return only(transforms::tile(builder_, rows.op, {n_, constant(side_)},
                                   [&](const Tile& columns) { return workgroup(columns.op); }));
    }));
  }

 private:
  ir::Block workgroup(const ir::StructuredOp& op) {
    ir::Block block, copies;
    std::vector<unsigned> tiles;
    for (size_t input : inputs_) {
      const ir::Tensor whole = builder_.kernel().tensors[op.inputs[input].tensor];
      std::string name = whole.name.substr(0, whole.name.find('_')) + "_transposed";
      tiles.push_back(builder_.tensor(name, whole.type, {constant(side_), constant(side_ + 1)},
                                      ir::Role::Local));
      block.push_back({ir::Alloc{tiles.back(), ir::Space::Workgroup}});
      append(copies, copied(op, input, tiles.back()));
    }
    append(block, std::move(copies));
    append(block, invocations(op, m_, n_, [&](const Expr& m, const Expr& n, ir::Block& inside) {
             ir::StructuredOp part = onOne(op, m, n, inside);
             for (size_t i = 0; i < inputs_.size(); ++i)
               part.inputs[inputs_[i]] = {element(tiles[i], n, m, inside), {}, nullptr};
             inside.push_back({std::move(part)});
           }));
    return block;
  }

  // To the workgroup's memory, by neighbours along m.
  ir::Block copied(const ir::StructuredOp& op, size_t input, unsigned tile) {
    return invocations(op, n_, m_, [&](const Expr& n, const Expr& m, ir::Block& inside) {
      ir::StructuredOp part = onOne(op, m, n, inside);
      ir::ScalarType type = builder_.kernel().tensors[tile].type;
      ir::StructuredOp copy;
      copy.inputs = {part.inputs[input]};
      copy.outputs = {{element(tile, n, m, inside), {}, nullptr}};
      copy.results = {ir::makeValue(type, ir::OperandRef{0})};
      inside.push_back({std::move(copy)});
    });
  }

  ir::StructuredOp onOne(const ir::StructuredOp& op, const Expr& m, const Expr& n,
                         ir::Block& block) {
    ir::StructuredOp part = transforms::onPositions(builder_, op, m_, {}, m, "_" + m_, block);
    return transforms::onPositions(builder_, part, n_, {}, n, "_" + n_, block);
  }

  // A view of one element.
  unsigned element(unsigned tile, const Expr& n, const Expr& m, ir::Block& block) {
    const ir::Tensor whole = builder_.kernel().tensors[tile];
    unsigned view = builder_.tensor(whole.name + "_at", whole.type, {}, ir::Role::View);
    block.push_back({ir::View{view, tile, {}, {n, m}, nullptr}});
    return view;
  }

  // All positions of the tile that there are: `fast` by neighbours, `slow` in rounds.
  using Code = std::function<void(const Expr& slow, const Expr& fast, ir::Block&)>;
  ir::Block invocations(const ir::StructuredOp& op, const std::string& slow,
                        const std::string& fast, const Code& code) {
    auto loop = [&](const std::string& name, int64_t extent) {
      return transforms::tileLoop(builder_, name, constant(extent), constant(1),
                                  ir::IteratorKind::Parallel);
    };
    ir::TileLoop rows = loop("ty", rows_), columns = loop("tx", side_);
    ir::TileLoop rounds = loop("turn", side_ / rows_);
    Expr y = at(rounds.var) * constant(rows_) + at(rows.var), x = at(columns.var);
    ir::Block inside;
    code(y, x, inside);
    rounds.body =
        only({ir::If{{{Kind::Less, y, builder_.extent(op, slow)}}, std::move(inside), {}}});
    columns.body =
        only({ir::If{{{Kind::Less, x, builder_.extent(op, fast)}}, only({std::move(rounds)}), {}}});
    rows.body = only({std::move(columns)});
    return only({std::move(rows)});
  }

  transforms::Builder& builder_;
  int64_t side_;  // of a tile
  int64_t rows_;  // of invocations
  std::string m_, n_;
  std::vector<size_t> inputs_;
};

// The iterator along which an operand lies where it lies row by row; empty if there is none.
std::string alongOf(const ir::Operand& operand) {
  if (operand.map.empty() || operand.shapeOnly) return "";
  std::string last = operand.map.back().asIterator().value_or("");
  auto uses = std::count_if(operand.map.begin(), operand.map.end(), [&](const Expr& index) {
    std::vector<std::string> names = index.iterators();
    return std::find(names.begin(), names.end(), last) != names.end();
  });
  return uses == 1 ? last : "";
}

}  // namespace

std::optional<TransposedAlong> transposedAlong(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               const target::Device& device) {
  const int64_t side = device.numbers.transposeSide;
  if (op.outputs.size() != 1 || ir::reduces(op)) return std::nullopt;
  const std::string n = alongOf(op.outputs[0]);
  if (n.empty() || transforms::iteratorsOf(op.outputs[0]).size() != op.iterators.size())
    return std::nullopt;
  std::string m;
  std::vector<size_t> inputs;
  int64_t bytes = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    std::vector<std::string> read = transforms::iteratorsOf(op.inputs[i]);
    std::string along = alongOf(op.inputs[i]);
    if (along.empty() || along == n || (!m.empty() && along != m)) continue;
    if (std::find(read.begin(), read.end(), n) == read.end()) continue;
    const ir::Tensor& tensor = kernel.tensors[op.inputs[i].tensor];
    bytes += side * (side + 1) * std::max<int64_t>(ir::info(tensor.type).bytes(), 4);
    if (bytes > device.sharedBytes) break;  // as many as fit
    m = along;
    inputs.push_back(i);
  }
  if (inputs.empty() || device.invocations < side) return std::nullopt;
  return TransposedAlong{std::move(m), n, std::move(inputs)};
}

Transposed transposed(transforms::Builder& builder, ir::StructuredOp op,
                      const TransposedAlong& along, const target::Device& device) {
  const auto& [m, n, inputs] = along;
  const int64_t side = device.numbers.transposeSide;
  const std::string text = std::to_string(side);
  Transposed result;
  transforms::canonicalize(builder, op, result.names);
  auto isUnit = [&](const ir::Operand& operand, const std::string& iterator) {
    result.conditions.push_back(
        {Kind::Unit, {}, {}, operand.tensor, transforms::dimOf(operand, iterator)});
  };
  for (size_t input : inputs) isUnit(op.inputs[input], m);
  isUnit(op.outputs[0], n);
  for (const std::string& iterator : {m, n})
    result.conditions.push_back({Kind::LessEqual, constant(side), builder.extent(op, iterator)});
  result.reason = "where what is read lies along '" + m + "' and the result along '" + n +
                  "', of at least " + text + " positions each: tiles of " + text + " x " + text +
                  ", transposed in shared memory";
  int64_t rows = 1;  // of invocations
  while (rows < side && 2 * rows * side <= device.invocations) rows *= 2;
  result.block = OnTransposed(builder, side, rows, m, n, inputs).run(op);
  return result;
}

}  // namespace einc::strategy
