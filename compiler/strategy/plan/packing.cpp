// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/packing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/words.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

// The copy of one operand.
class Packer {
 public:
  // `position` is that in K, as a panel counts it.
  Packer(transforms::Builder& builder, Copied copied, const Panels& panels, Expr position,
         std::string across, const std::vector<std::string>& along, const PackedOn& on)
      : builder_(builder),
        copied_(std::move(copied)),
        panels_(panels),
        position_(std::move(position)),
        across_(std::move(across)),
        along_(along),
        width_(constant(panels.width)),
        on_(on),
        numbers_(on.target.numbers) {
    // Squares are transposed along what the operand is contiguous in, if that is of K.
    if (!panels.words) turning_ = contiguousIn(copied_.from.front(), along);
    if (turning_.empty()) turning_ = along.back();
  }

  // A few rows of all panels at a time, so that whole stretches of memory are read, or panel by
  // panel.
  ir::If run() {
    // The op that is tiled has no output yet: its panels get views of the buffer.
    ir::StructuredOp copy;
    copy.iterators.push_back({across_, ir::IteratorKind::Parallel});
    for (const std::string& k : along_) copy.iterators.push_back({k, ir::IteratorKind::Parallel});
    copy.inputs = copied_.from;
    copy.results = {copied_.element};
    auto onThreads = [&](const std::string& iterator, const Expr& step) {
      return amongThreads(builder_, on_.threads, copy, {iterator, step}, on_.work);
    };
    ir::Stmt rows = transforms::tile(
        builder_, copy, onThreads(along_.back(), constant(numbers_.packedRows)),
        [&](const Tile& some) {
          return only(
              transforms::tile(builder_, some.op, {across_, width_}, [&](const Tile& panel) {
                return twice(panel, [&](bool whole) { return byRows(panel, whole, some.origin); });
              }));
        });
    ir::Stmt columns =
        transforms::tile(builder_, copy, onThreads(across_, width_), [&](const Tile& panel) {
          return panels_.piece == 1 ? byColumns(panel) : byPositions(panel);
        });
    std::vector<ir::Condition> units = {unit(copied_.from[0], across_)};
    for (const ir::Operand& other : llvm::drop_begin(copied_.from))
      if (!panels_.words && llvm::is_contained(transforms::iteratorsOf(other), across_))
        units.push_back(unit(other, across_));
    return {std::move(units), only(std::move(rows)), only(std::move(columns))};
  }

 private:
  ir::Condition unit(const ir::Operand& operand, const std::string& iterator) const {
    return {ir::Condition::Kind::Unit, {}, {}, operand.tensor, dimOf(operand, iterator)};
  }

  // What squares are made of.
  const ir::Operand& one() const {
    return panels_.words ? copied_.from.back() : copied_.from.front();
  }

  // The op on what its payload reads.
  ir::StructuredOp ofElements(ir::StructuredOp op) const {
    if (panels_.words && copied_.ofOne) op.inputs.pop_back();
    return op;
  }
  ir::StructuredOp ofOne(ir::StructuredOp op) const {
    op.inputs = {panels_.words ? op.inputs.back() : op.inputs.front()};
    op.results = {copied_.ofOne};
    return op;
  }

  // Code for whole panels, and for the last one. With masks it is the same, but for what is in pieces (byElements).
  template <typename Versions>
  ir::Block twice(const Tile& panel, const Versions& versions) {
    if (panels_.masks) return versions(/*whole=*/false);
    ir::If test{{{ir::Condition::Kind::Equal, size(panel.size), width_}},
                versions(/*whole=*/true),
                versions(/*whole=*/false)};
    return only({std::move(test)});
  }

  // A view of `base`, a panel's rows by the iterators of K, of which the last has `rows` positions.
  ir::Operand view(const std::string& name, unsigned base, const ir::StructuredOp& op,
                   const Expr& rows, std::vector<Expr> position, ir::Block& block) {
    std::vector<std::string> dims = along_;
    dims.push_back(across_);
    std::vector<Expr> sizes, plain;
    for (const std::string& k : along_) sizes.push_back(builder_.extent(op, k));
    sizes.push_back(rows);
    for (const std::string& dim : dims) plain.push_back(at(dim));
    unsigned view = builder_.tensor(name, panels_.type, sizes, ir::Role::View);
    block.push_back(
        {ir::View{view, base, dims, position.empty() ? plain : std::move(position), nullptr}});
    return {view, std::move(plain), nullptr};
  }

  // The op on one panel, from position `first` of the last iterator of K on; K outside, so that the
  // rows of a panel are read side by side.
  ir::StructuredOp onPanel(const Tile& panel, const Expr& first, ir::Block& block) {
    ir::StructuredOp inner = ofElements(panel.op);
    std::rotate(inner.iterators.begin(), inner.iterators.begin() + 1, inner.iterators.end());
    std::vector<Expr> position = {at(panel.origin).floorDiv(width_), position_ + first,
                                  at(across_)};
    inner.outputs = {view("panel", panels_.buffer, inner, width_, std::move(position), block)};
    return inner;
  }

  // The input as if it had as many rows as a panel, zeros at the end.
  void fillUp(ir::StructuredOp& op, ir::Block& block) {
    for (ir::Operand& input : op.inputs) {
      std::vector<std::string> order;
      std::vector<Expr> shape;
      for (const Expr& e : input.map) order.push_back(*e.asIterator());
      for (const std::string& dim : order)
        shape.push_back(dim == across_ ? width_ : builder_.extent(op, dim));
      const ir::ScalarType type = builder_.kernel().tensors[input.tensor].type;
      unsigned padded = builder_.tensor("padded", type, shape, ir::Role::View);
      block.push_back(
          {ir::View{padded, input.tensor, order, input.map, ir::makeLiteral(type, ir::Number{})}});
      input.tensor = padded;
    }
  }

  ir::Block byRows(const Tile& panel, bool whole, const std::string& origin) {
    ir::Block block;
    ir::StructuredOp inner = onPanel(panel, at(origin), block);
    if (!whole) fillUp(inner, block);
    inner.axes = {{across_, panels_.width}};
    block.push_back({std::move(inner)});
    return block;
  }

  // Squares, or element by element.
  ir::Block byColumns(const Tile& panel) {
    ir::Block block;
    ir::StructuredOp inner = onPart(panel, block);
    if (!copied_.ofOne) {
      append(block, strided(ofElements(inner)));
      return block;
    }
    ir::Block squares;
    if (copied_.finished) {
      ir::StructuredOp first = ofOne(inner);
      squares = byTransposing(first);
      append(squares, twice(panel, [&](bool whole) { return finished(panel, whole); }));
    } else {
      squares = byTransposing(inner);
    }
    block.push_back(
        {ir::If{{unit(one(), turning_)}, std::move(squares), strided(ofElements(inner))}});
    return block;
  }

  // What the panel has becomes what it is to have: in vectors, if the others are contiguous in them.
  ir::Block finished(const Tile& panel, bool whole) {
    ir::Block block;
    ir::StructuredOp op = onPanel(panel, Expr(), block);
    op.inputs.erase(op.inputs.begin());
    op.results = {copied_.finished};
    if (!whole) fillUp(op, block);
    std::vector<ir::Condition> units;
    for (const ir::Operand& input : op.inputs)
      if (llvm::is_contained(transforms::iteratorsOf(input), across_))
        units.push_back(unit(input, across_));
    ir::StructuredOp vectors = op;
    vectors.axes = {{across_, panels_.width}};
    if (units.empty())
      block.push_back({std::move(vectors)});
    else
      block.push_back({ir::If{std::move(units), only({std::move(vectors)}), strided(op)}});
    return block;
  }

  // Panels of a group of several iterators may be contiguous one by one, or in pieces.
  ir::Block byPositions(const Tile& panel) {
    auto elements = [&] {
      return twice(panel, [&](bool whole) { return byElements(panel, whole); });
    };
    if (!copied_.ofOne) return elements();
    ir::Block squares;
    ir::StructuredOp inner = onPart(panel, squares);
    append(squares, byTransposing(inner));
    return only({ir::If{{unit(one(), turning_)}, std::move(squares), elements()}});
  }

  // Element by element, K outside.
  ir::Block strided(ir::StructuredOp scalars) {
    if (scalars.iterators.front().name == across_)
      std::rotate(scalars.iterators.begin(), scalars.iterators.begin() + 1,
                  scalars.iterators.end());
    return only({ir::Outline{builder_.name("strided"), only({std::move(scalars)})}});
  }

  ir::Block byElements(const Tile& panel, bool whole) {
    ir::Block block;
    const ir::StructuredOp unpadded = onPanel(panel, Expr(), block);
    ir::StructuredOp scalars = unpadded;
    if (!whole) fillUp(scalars, block);
    ir::StructuredOp rows = scalars;
    rows.axes = {{across_, panels_.width}};
    ir::Block others = whole ? byPieces(scalars) : strided(scalars);
    // Code for all panels: those that are whole are in pieces, if these are shorter. (Of one piece it would be asked again
    // whether it is contiguous: convolutions with 16 filters at random, 0.82 to 0.93.)
    if (panels_.masks && panels_.piece < panels_.width)
      others = only({ir::If{{{ir::Condition::Kind::Equal, size(panel.size), width_}},
                            byPieces(unpadded),
                            std::move(others)}});
    ir::If test{{unit(panel.op.inputs[0], across_)}, only({std::move(rows)}), std::move(others)};
    block.push_back({std::move(test)});
    return block;
  }

  ir::Block byPieces(const ir::StructuredOp& scalars) {
    Expr length = constant(panels_.piece);
    return only(transforms::tile(builder_, scalars, {across_, length}, [&](const Tile& piece) {
      ir::StructuredOp vector = piece.op;
      vector.axes = {{across_, axisOfPiece(panels_.piece, panels_.masks)}};
      ir::If test{{unit(piece.op.inputs[0], across_),
                   {ir::Condition::Kind::Equal, size(piece.size), length}},
                  only({std::move(vector)}),
                  only({piece.op})};
      return only({std::move(test)});
    }));
  }

  // The op on what there is of a panel; before, the last panel is filled with zeros.
  ir::StructuredOp onPart(const Tile& panel, ir::Block& block) {
    ir::StructuredOp zeros = onPanel(panel, Expr(), block), inner = panel.op;
    const unsigned whole = zeros.outputs[0].tensor;
    zeros.inputs.clear();
    zeros.results = {ir::makeLiteral(panels_.type, ir::Number{})};
    zeros.axes = {{across_, panels_.width}};
    ir::If isLast{
        {{ir::Condition::Kind::Less, size(panel.size), width_}}, only({std::move(zeros)}), {}};
    block.push_back({std::move(isLast)});
    inner.outputs = {view("part", whole, inner, size(panel.size), {}, block)};
    return inner;
  }

  // In squares of registers, along what lies together; other iterators of K are loops around them. The
  // ends of rows stay scalars: with masks they would be faster (65 cubed, both transposed, 124 to 149
  // GFLOP/s), and all code a third longer.
  ir::Block byTransposing(const ir::StructuredOp& inner, size_t tiled = 0) {
    if (tiled < along_.size() && along_[tiled] == turning_) ++tiled;
    if (tiled < along_.size())
      return only(
          transforms::tile(builder_, inner, {along_[tiled], constant(1)},
                           [&](const Tile& one) { return byTransposing(one.op, tiled + 1); }));
    const int64_t width = panels_.width;
    const int64_t side = sideOf(width);
    if (side == width) return squares(inner, side, builder_.extent(inner, across_));
    return only(transforms::tile(builder_, inner, {across_, constant(side)}, [&](const Tile& rows) {
      const int64_t rest = width % side;
      ir::Block whole = squares(rows.op, side, size(rows.size));
      if (rest == 0) return whole;
      ir::Condition isRest{ir::Condition::Kind::Equal, size(rows.size), constant(rest)};
      return only({ir::If{
          {std::move(isRest)}, squares(rows.op, sideOf(rest), size(rows.size)), std::move(whole)}});
    }));
  }

  // Of squares that so many rows are made of; of six, four, and two are left.
  int64_t sideOf(int64_t rows) const {
    const int64_t most = std::min<int64_t>(numbers_.squareSide, on_.lanes), dividing = rows & -rows;
    return rows > kSmall && dividing < kSmall ? std::min(most, kSmall) : std::min(most, dividing);
  }

  // Of so many rows if there are as many, else element by element.
  ir::Block squares(const ir::StructuredOp& rows, int64_t side, const Expr& count) {
    Expr step = constant(side);
    return only(transforms::tile(builder_, rows, {turning_, step}, [&](const Tile& columns) {
      ir::StructuredOp square = ofOne(columns.op);
      square.axes = {{across_, side}, {turning_, side}};
      square.ahead = ir::Ahead{turning_, numbers_.squaresAhead * side};
      ir::If test{{}, only({std::move(square)}), strided(ofElements(columns.op))};
      for (const Expr& extent : {count, size(columns.size)})
        test.conditions.push_back({ir::Condition::Kind::Equal, extent, step});
      return only({std::move(test)});
    }));
  }

  static constexpr int64_t kSmall = 4;  // rows of the smallest squares that are much faster

  transforms::Builder& builder_;
  Copied copied_;
  const Panels& panels_;
  Expr position_;
  std::string across_, turning_;
  const std::vector<std::string>& along_;
  Expr width_;
  const PackedOn& on_;
  const target::Numbers& numbers_;
};

}  // namespace

int64_t axisOfPiece(int64_t piece, bool masks) {
  int64_t axis = 1;
  while (axis < piece) axis *= 2;
  return masks ? axis : piece;
}

namespace {

// The operand itself, or a value of several.
Copied itself(const ir::Kernel& kernel, const ir::StructuredOp& op,
              const std::vector<size_t>& inputs, const Panels& panels) {
  std::vector<ir::Operand> from;
  for (size_t input : inputs) from.push_back(op.inputs[input]);
  const ir::ScalarType type = kernel.tensors[from[0].tensor].type;
  const ir::ValueRef value =
      panels.value ? panels.value
                   : ir::makeCast(panels.type, ir::makeValue(type, ir::OperandRef{0}));
  if (from.size() == 1) return {std::move(from), value, value};
  // Squares of the first, in the type of the panel; then the value of that and of the others.
  if (castType(kernel, op, inputs[0]) != panels.type) return {std::move(from), value};
  const auto others = static_cast<unsigned>(from.size() - 1);
  const ir::ValueRef first = ir::makeCast(panels.type, ir::makeValue(type, ir::OperandRef{0}));
  const ir::ValueRef finished = ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
    if (auto* reference = std::get_if<ir::OperandRef>(&node->node))
      return reference->operand == 0
                 ? ir::makeValue(panels.type, ir::OperandRef{others})
                 : ir::makeValue(node->type, ir::OperandRef{reference->operand - 1});
    auto* cast = std::get_if<ir::Cast>(&node->node);
    if (!cast || cast->arg->type != node->type) return nullptr;
    return std::holds_alternative<ir::OperandRef>(cast->arg->node) ? cast->arg : nullptr;
  });
  return {std::move(from), value, first, finished};
}

}  // namespace

ir::Block pack(transforms::Builder& builder, const ir::StructuredOp& op,
               const std::vector<size_t>& inputs, const Panels& panels, const std::string& across,
               const std::vector<std::string>& along, const PackedOn& on) {
  const size_t operand = inputs[0];
  const ir::Operand& from = op.inputs[operand];
  const std::string name = builder.kernel().tensors[from.tensor].name;
  // The positions of K as one: ((k1 * size2) + k2) * size3 + k3.
  Expr outer;
  for (const std::string& k : along) {
    const Expr extent = builder.extent(op, k);
    outer = outer * (k == along.back() ? panelExtent(extent, panels.words) : extent);
    if (k != along.back()) outer = outer + at(k);
  }
  const Expr position = outer + at(along.back());
  ir::Block block;
  auto copy = [&](Copied copied, const Expr& at) {
    return Packer(builder, std::move(copied), panels, at, across, along, on).run();
  };
  if (!panels.words) {
    block.push_back({copy(itself(builder.kernel(), op, inputs, panels), position)});
  } else {
    Copied whole = wholeWords(builder, op, operand, panels, along.back(), block);
    block.push_back({copy(std::move(whole), position)});
    const int64_t count = panels.words->instruction->count;
    const Expr extent = builder.extent(op, along.back());
    ir::Block last;
    Copied rest = restOfWords(builder, op, operand, panels, along.back(), last);
    last.push_back({copy(std::move(rest), position + extent.floorDiv(constant(count)))});
    block.push_back({ir::If{{{ir::Condition::Kind::Less, constant(0), extent.mod(constant(count))}},
                            std::move(last),
                            {}}});
  }
  return only(
      {ir::Outline{builder.name("pack_" + name.substr(0, name.find('_'))), std::move(block)}});
}

}  // namespace einc::strategy
