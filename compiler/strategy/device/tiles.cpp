// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/tiles.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/conversion.h"
#include "compiler/transforms/tile.h"

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
using Kind = ir::Condition::Kind;

class OnTiles {
 public:
  OnTiles(transforms::Builder& builder, Region& region, const Groups& groups,
          const DeviceTiles& tiles)
      : builder_(builder), region_(region), groups_(groups), tiles_(tiles) {}

  ir::Block run(ir::StructuredOp op) {
    ir::Block block;
    transforms::canonicalize(builder_, op, block);
    region_.attach(op, block);
    m_ = collapse(builder_, op, groups_.m, block);
    n_ = collapse(builder_, op, groups_.n, block);
    k_ = collapse(builder_, op, groups_.k, block);
    auto product = [&](const ir::StructuredOp& one) { return rows(one); };
    if (groups_.batch.empty()) {
      append(block, product(op));
      return block;
    }
    std::string batch = collapse(builder_, op, groups_.batch, block);
    append(block, only(transforms::tile(builder_, op, {batch, constant(1)},
                                        [&](const Tile& tile) { return product(tile.op); })));
    return block;
  }

 private:
  ir::Block rows(const ir::StructuredOp& op) {
    return only(transforms::tile(builder_, op, {m_, constant(tiles_.mt())}, [&](const Tile& rows) {
      return only(transforms::tile(builder_, rows.op, {n_, constant(tiles_.nt())},
                                   [&](const Tile& columns) { return workgroup(columns.op); }));
    }));
  }

  ir::Block workgroup(const ir::StructuredOp& op) {
    rowsLeft_ = builder_.extent(op, m_);
    columnsLeft_ = builder_.extent(op, n_);
    ir::Block block;
    const ir::Tensor output = builder_.kernel().tensors[op.outputs[0].tensor];
    std::string name = output.name.substr(0, output.name.find('_'));
    sums_ = builder_.tensor(
        name + "_sums", output.type,
        {constant(tiles_.rows), constant(tiles_.columns), constant(tiles_.mr), constant(tiles_.nr)},
        ir::Role::Local);
    block.push_back({ir::Alloc{sums_, ir::Space::Registers}});
    left_ = operandTile(op, groups_.left[0], tiles_.leftStride(), block);
    right_ = operandTile(op, groups_.right[0], tiles_.rightStride(), block);
    auto start = [&](const ir::StructuredOp& part, const ir::Operand& results) {
      return only({region_.start(part, results)});
    };
    append(block, onInvocations(op, start));
    append(block, only(transforms::tile(builder_, op, {k_, constant(tiles_.kt)},
                                        [&](const Tile& terms) { return sumUp(terms.op); })));
    append(block, onInvocations(op, [&](const ir::StructuredOp& part, const ir::Operand& results) {
             return finish(part, results);
           }));
    return block;
  }

  // The memory of a workgroup for the terms of an operand, converted.
  unsigned operandTile(const ir::StructuredOp& op, size_t input, int64_t stride, ir::Block& block) {
    const ir::Tensor whole = builder_.kernel().tensors[op.inputs[input].tensor];
    unsigned tile = builder_.tensor(whole.name.substr(0, whole.name.find('_')) + "_tile",
                                    castType(builder_.kernel(), op, input),
                                    {constant(tiles_.kt), constant(stride)}, ir::Role::Local);
    block.push_back({ir::Alloc{tile, ir::Space::Workgroup}});
    return tile;
  }

  using Code = std::function<ir::Block(const ir::StructuredOp&, const ir::Operand& results)>;

  // `code` on the sums of each invocation; `op` with axes, and as many rows and columns as are
  // left.
  ir::Block onInvocations(const ir::StructuredOp& op, const Code& code) {
    return invocations([&](const std::string& ty, const std::string& tx, ir::Block& block) {
      Expr m = at(ty) * constant(tiles_.mr), n = at(tx) * constant(tiles_.nr);
      std::string rows = bound("rows", constant(tiles_.mr), rowsLeft_ - m, block);
      std::string columns = bound("columns", constant(tiles_.nr), columnsLeft_ - n, block);
      ir::Block inside;
      ir::StructuredOp part = transforms::onPositions(
          builder_, op, m_, {{m_, size(rows), constant(1)}}, m, "_" + ty, inside);
      part = transforms::onPositions(builder_, part, n_, {{n_, size(columns), constant(1)}}, n,
                                     "_" + tx, inside);
      part.axes = {{m_, tiles_.mr}, {n_, tiles_.nr}};
      ir::Operand results = resultsOf(ty, tx, size(rows), size(columns), inside);
      append(inside, code(part, results));
      block.push_back({ir::If{{{Kind::LessEqual, constant(1), size(rows)},
                               {Kind::LessEqual, constant(1), size(columns)}},
                              std::move(inside),
                              {}}});
    });
  }

  std::string bound(const std::string& wanted, const Expr& most, const Expr& left,
                    ir::Block& block) {
    std::string name = builder_.name(wanted);
    block.push_back({ir::Bound{name, {most, left}}});
    return name;
  }

  // Reads the sums and writes the output: whole where nothing is cut off.
  ir::Block finish(const ir::StructuredOp& part, const ir::Operand& results) {
    ir::Block block;
    for (const ir::StructuredOp& reader : region_.readers(part, results)) {
      std::vector<ir::Condition> whole;
      for (const auto& [iterator, count] : {std::pair(m_, tiles_.mr), std::pair(n_, tiles_.nr)})
        whole.push_back({Kind::Equal, builder_.extent(reader, iterator), constant(count)});
      block.push_back({ir::If{whole, only({reader}), only({reader})}});
    }
    return block;
  }

  using Place = std::function<void(const std::string& ty, const std::string& tx, ir::Block&)>;

  ir::Block invocations(const Place& place) {
    ir::TileLoop rows = transforms::tileLoop(builder_, "ty", constant(tiles_.rows), constant(1),
                                             ir::IteratorKind::Parallel);
    ir::TileLoop columns = transforms::tileLoop(builder_, "tx", constant(tiles_.columns),
                                                constant(1), ir::IteratorKind::Parallel);
    place(rows.var, columns.var, columns.body);
    rows.body = only({std::move(columns)});
    return only({std::move(rows)});
  }

  // The sums of one invocation.
  ir::Operand resultsOf(const std::string& ty, const std::string& tx, const Expr& rows,
                        const Expr& columns, ir::Block& block) {
    const ir::Tensor sums = builder_.kernel().tensors[sums_];
    unsigned view =
        builder_.tensor(sums.name + "_" + ty, sums.type, {rows, columns}, ir::Role::View);
    block.push_back({ir::View{view, sums_, {m_, n_}, {at(ty), at(tx), at(m_), at(n_)}, nullptr}});
    return {view, {at(m_), at(n_)}, nullptr};
  }

  ir::Block sumUp(const ir::StructuredOp& op) {
    ir::Block block = copied(op, groups_.left[0], m_, left_, tiles_.mt());
    append(block, copied(op, groups_.right[0], n_, right_, tiles_.nt()));
    Expr length = builder_.extent(op, k_);
    auto sum = [&](const Expr& count) {
      return invocations([&](const std::string& ty, const std::string& tx, ir::Block& inside) {
        inside.push_back({onTileParts(op, ty, tx, count, inside)});
      });
    };
    if (length.asConstant()) {
      append(block, sum(length));
      return block;
    }
    block.push_back({ir::If{
        {{Kind::Equal, length, constant(tiles_.kt)}}, sum(constant(tiles_.kt)), sum(length)}});
    return block;
  }

  // The sums of the terms in shared memory, by one invocation.
  ir::StructuredOp onTileParts(const ir::StructuredOp& op, const std::string& ty,
                               const std::string& tx, const Expr& count, ir::Block& block) {
    ir::Operand results = resultsOf(ty, tx, constant(tiles_.mr), constant(tiles_.nr), block);
    ir::StructuredOp sum = region_.sum(op, results);
    sum.iterators = {{m_, ir::IteratorKind::Parallel},
                     {n_, ir::IteratorKind::Parallel},
                     {k_, ir::IteratorKind::Reduction}};
    auto part = [&](size_t input, unsigned tile, const std::string& iterator, int64_t width,
                    const std::string& t) {
      const ir::Tensor whole = builder_.kernel().tensors[tile];
      unsigned view = builder_.tensor(whole.name + "_" + t, whole.type, {count, constant(width)},
                                      ir::Role::View);
      block.push_back({ir::View{
          view, tile, {k_, iterator}, {at(k_), at(t) * constant(width) + at(iterator)}, nullptr}});
      sum.inputs[input] = {view, {at(k_), at(iterator)}, nullptr};
      onCastType(sum, input, whole.type);
    };
    part(groups_.left[0], left_, m_, tiles_.mr, ty);
    part(groups_.right[0], right_, n_, tiles_.nr, tx);
    sum.axes = {{m_, tiles_.mr}, {n_, tiles_.nr}};
    return sum;
  }

  // An operand's terms to the workgroup's memory: along its own contiguous dimension, so that
  // invocations that are neighbours read neighbours.
  ir::Block copied(const ir::StructuredOp& op, size_t input, const std::string& iterator,
                   unsigned tile, int64_t width) {
    const ir::Operand& from = op.inputs[input];
    const ir::Tensor source = builder_.kernel().tensors[from.tensor];
    const ir::Tensor target = builder_.kernel().tensors[tile];
    ir::Block block;
    unsigned padded = builder_.tensor(source.name + "_pad", source.type,
                                      {constant(tiles_.kt), constant(width)}, ir::Role::View);
    ir::View view{padded, from.tensor, {k_, iterator}, from.map, nullptr};
    view.pad = ir::makeLiteral(source.type, ir::Number{});
    block.push_back({std::move(view)});
    auto copy = [&](bool alongTerms) {
      ir::StructuredOp result;
      result.iterators = {{k_, ir::IteratorKind::Parallel}, {iterator, ir::IteratorKind::Parallel}};
      if (alongTerms) std::swap(result.iterators[0], result.iterators[1]);
      result.inputs = {{padded, {at(k_), at(iterator)}, nullptr}};
      result.outputs = {{tile, {at(k_), at(iterator)}, nullptr}};
      result.results = {ir::makeCast(target.type, ir::makeValue(source.type, ir::OperandRef{0}))};
      return only({std::move(result)});
    };
    block.push_back(
        {ir::If{{{Kind::Unit, {}, {}, from.tensor, dimOf(from, k_)}}, copy(true), copy(false)}});
    return block;
  }

  transforms::Builder& builder_;
  Region& region_;
  const Groups& groups_;
  const DeviceTiles& tiles_;
  std::string m_, n_, k_;
  unsigned sums_ = 0, left_ = 0, right_ = 0;
  Expr rowsLeft_, columnsLeft_;  // of the tile
};

// The next power of two, at most `most`.
int64_t powerFor(int64_t extent, int64_t most) {
  int64_t result = 1;
  while (result < extent && result < most) result *= 2;
  return result;
}

// Each round over kt terms has loops in it: copies to shared memory, and the terms. Each loop takes
// one more round to find its end.
int64_t mostTermsOf(const target::Device& device, const DeviceTiles& tiles) {
  // Left for what is beside that loop: a device that runs out of rounds is lost.
  constexpr int64_t kOthers = 64;
  int64_t invocations = tiles.rows * tiles.columns, rounds = 1 + tiles.kt + 1;
  for (int64_t width : {tiles.mt(), tiles.nt()})
    rounds += (tiles.kt * width + invocations - 1) / invocations + 1;
  return std::max<int64_t>((device.rounds - kOthers) / rounds, 1) * tiles.kt;
}

std::vector<std::string> reasonsOf(const target::Device& device, const DeviceTiles& tiles,
                                   int64_t words, int64_t bytes) {
  auto text = [](int64_t number) { return std::to_string(number); };
  std::string of = std::string(device.name) + "'s ";
  return {"mr = " + text(tiles.mr) + ", nr = " + text(tiles.nr) +
              ": the sums of an invocation take " + text(tiles.mr * tiles.nr * words) + " of " +
              of + text(device.registers) + " registers",
          "rows = " + text(tiles.rows) + ", columns = " + text(tiles.columns) + ": " +
              text(tiles.rows * tiles.columns) + " of " + of + text(device.invocations) +
              " invocations make tiles of " + text(tiles.mt()) + " x " + text(tiles.nt()),
          "kt = " + text(tiles.kt) + ": so many terms of both operands take " + text(bytes) +
              " of " + of + text(device.sharedBytes) + " bytes of shared memory"};
}

}  // namespace

// Of rows, columns and terms: a dimension of one would be none.
constexpr int64_t kFewest = 2;
// What can be set of sums each way: beyond, they are no registers of any device.
constexpr int64_t kMostSums = 16;

DeviceTiles deviceTiles(const target::Device& device, int sumBytes, int elementBytes, int64_t m,
                        int64_t n, int64_t k, OpSettings& settings) {
  const target::DeviceNumbers& numbers = device.numbers;
  DeviceTiles tiles{numbers.tileSide,
                    numbers.tileSide,
                    numbers.tileSums,
                    numbers.tileSums,
                    numbers.tileTerms,
                    std::nullopt,
                    {}};
  int64_t words = std::max(sumBytes / 4, 1);
  // Sums take half of the registers, in squares, so that each element in shared memory is used
  // as often as may be.
  while (2 * tiles.mr * tiles.nr * words <= device.registers / 2)
    (tiles.nr <= tiles.mr ? tiles.nr : tiles.mr) *= 2;
  while (tiles.mr * tiles.nr * words > device.registers / 2 && tiles.nr > 1)
    (tiles.mr >= tiles.nr ? tiles.mr : tiles.nr) /= 2;
  while (2 * tiles.rows * tiles.columns <= device.invocations)
    (tiles.nt() <= tiles.mt() ? tiles.columns : tiles.rows) *= 2;
  // No more than there is.
  while (tiles.mr > 1 && tiles.mt() / 2 >= m) tiles.mr /= 2;
  while (tiles.nr > 1 && tiles.nt() / 2 >= n) tiles.nr /= 2;
  while (tiles.rows > kFewest && tiles.mt() / 2 >= m) tiles.rows /= 2;
  while (tiles.columns > kFewest && tiles.nt() / 2 >= n) tiles.columns /= 2;
  tiles.mr = settings.number("mr", 1, kMostSums).value_or(tiles.mr);
  tiles.nr = settings.number("nr", 1, kMostSums).value_or(tiles.nr);
  const std::string fitting =
      "so many fit into a workgroup of " + std::to_string(device.invocations);
  tiles.rows = settings.number("rows", kFewest, device.invocations / kFewest).value_or(tiles.rows);
  tiles.columns = settings.number("columns", kFewest, device.invocations / tiles.rows, 1, fitting)
                      .value_or(std::min(tiles.columns, device.invocations / tiles.rows));
  auto bytes = [&](int64_t kt) { return kt * (tiles.mt() + tiles.nt()) * elementBytes; };
  tiles.kt = std::max(powerFor(k, numbers.tileTerms), kFewest);
  // Half of the memory, but for the gaps: then two workgroups may be at work on one unit.
  while (tiles.kt > kFewest && bytes(tiles.kt) > device.sharedBytes / 2) tiles.kt /= 2;
  int64_t mostTerms = std::max<int64_t>(
      device.sharedBytes / ((tiles.leftStride() + tiles.rightStride()) * elementBytes), kFewest);
  tiles.kt = settings.number("kt", kFewest, mostTerms, 1, "what shared memory holds of such tiles")
                 .value_or(tiles.kt);
  if (device.rounds > 0) tiles.mostTerms = mostTermsOf(device, tiles);
  tiles.reasons = reasonsOf(device, tiles, words, bytes(tiles.kt));
  return tiles;
}

ir::Block onDeviceTiles(transforms::Builder& builder, const ir::StructuredOp& op, Region& region,
                        const Groups& groups, const DeviceTiles& tiles) {
  return OnTiles(builder, region, groups, tiles).run(op);
}

}  // namespace einc::strategy
