// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/tiles.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/conversion.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using To = BindStep::To;

// Of rows, columns and terms: a dimension of one would be none.
constexpr int64_t kFewest = 2;
// What can be set of sums each way: beyond, they are no registers of any device.
constexpr int64_t kMostSums = 16;

Expr positionsOf(const std::vector<std::string>& group) {
  Expr all = constant(1);
  for (const std::string& name : group) all = all * extentOf(name);
  return all;
}

class OnTiles {
 public:
  OnTiles(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups,
          const DeviceTiles& tiles)
      : kernel_(kernel),
        op_(op),
        groups_(groups),
        tiles_(tiles),
        m_(groups.m[0]),
        n_(groups.n[0]),
        k_(groups.k[0]) {}

  Steps run(const std::vector<size_t>& others) const {
    Steps steps;
    for (size_t other : others)
      steps.push_back(
          Step(FuseStep{static_cast<int64_t>(other), true, {}}, "while sums are in registers"));
    for (const auto* group : {&groups_.m, &groups_.n, &groups_.k, &groups_.batch})
      if (group->size() > 1)
        steps.push_back(Step(CollapseStep{*group, group->front()},
                             "one dimension of a matrix, whatever its iterators"));
    if (!groups_.batch.empty())
      steps.push_back(
          Step(BindStep{groups_.batch[0], constant(1), To::Workgroups}, "a product for each"));
    steps.push_back(
        Step(BindStep{{{m_, constant(tiles_.mt())}, {n_, constant(tiles_.nt())}}, To::Workgroups},
             tiles_.why("rows")));
    steps.push_back(Step(
        ResultsStep{{{{m_, tiles_.mr}, tiles_.rows}, {{n_, tiles_.nr}, tiles_.columns}}, sumUp()},
        tiles_.why("mr")));
    return steps;
  }

 private:
  Steps sumUp() const {
    const std::string shared = "all invocations of the workgroup read it";
    Steps steps = {Step(TileStep{k_, constant(tiles_.kt)}, tiles_.why("kt")),
                   Step(packed(groups_.left[0], m_, tiles_.mt(), tiles_.leftStride()), shared),
                   Step(packed(groups_.right[0], n_, tiles_.nt(), tiles_.rightStride()), shared)};
    const Steps sums = {Step(BindStep{{{m_, constant(tiles_.mr), tiles_.rows},
                                       {n_, constant(tiles_.nr), tiles_.columns}},
                                      To::Invocations},
                             "a square of sums for each"),
                        Step(VectorizeStep{{{m_, tiles_.mr}, {n_, tiles_.nr}}},
                             "each element that is read is used for a row or a column of them")};
    if (isEven())
      steps.insert(steps.end(), sums.begin(), sums.end());
    else
      steps.push_back(
          Step(WhenStep{{{Test::Kind::Equal, extentOf(k_), constant(tiles_.kt)}}, sums, sums},
               "so many rounds are known, and unrolled"));
    return steps;
  }

  // All tiles of K have as many terms.
  bool isEven() const {
    Expr terms = constant(1);
    for (const std::string& name : groups_.k) {
      auto found = ir::extentOf(kernel_, op_, name);
      if (!found) return false;
      terms = terms * found->extent;
    }
    auto known = terms.asConstant();
    return known && *known % tiles_.kt == 0;
  }

  PackStep packed(size_t input, const std::string& across, int64_t width, int64_t row) const {
    size_t number = 0;
    for (size_t i = 0; i < input; ++i) number += !op_.inputs[i].shapeOnly;
    PackStep step{operandNames(kernel_, op_)[number], {across, width}};
    const ir::ScalarType type = castType(kernel_, op_, input);
    if (type != kernel_.tensors[op_.inputs[input].tensor].type) step.type = type;
    step.isOnWorkgroup = true;
    step.row = row;
    return step;
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const Groups& groups_;
  const DeviceTiles& tiles_;
  std::string m_, n_, k_;
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

std::vector<TileReason> reasonsOf(const target::Device& device, const DeviceTiles& tiles,
                                  int64_t words, int64_t bytes) {
  auto text = [](int64_t number) { return std::to_string(number); };
  std::string of = std::string(device.name) + "'s ";
  const std::string sums = "the sums of an invocation take " + text(tiles.mr * tiles.nr * words) +
                           " of " + of + text(device.registers) + " registers",
                    invocations = text(tiles.rows * tiles.columns) + " of " + of +
                                  text(device.invocations) + " invocations make tiles of " +
                                  text(tiles.mt()) + " x " + text(tiles.nt());
  return {{"mr", tiles.mr, sums},
          {"nr", tiles.nr, sums},
          {"rows", tiles.rows, invocations},
          {"columns", tiles.columns, invocations},
          {"kt", tiles.kt,
           "so many terms of both operands take " + text(bytes) + " of " + of +
               text(device.sharedBytes) + " bytes of shared memory"}};
}

}  // namespace

std::optional<int64_t> mostTermsOf(const std::vector<DeviceTiles>& tiles) {
  std::optional<int64_t> most;
  for (const DeviceTiles& one : tiles)
    if (one.mostTerms) most = std::min(*one.mostTerms, most.value_or(*one.mostTerms));
  return most;
}

namespace {

// Sums are near squares, so that each element in shared memory is used often; wider along M than along N, where
// neighbouring invocations read neighbours.
DeviceTiles largestTiles(const target::Device& device, int64_t words) {
  const target::DeviceNumbers& numbers = device.numbers;
  DeviceTiles tiles{numbers.tileSide,  numbers.tileSide, numbers.tileSums, numbers.tileSums,
                    numbers.tileTerms, numbers.tileGap,  std::nullopt,     {}};
  const int64_t registers =
      std::min(device.registers * numbers.sumsOfRegisters / 8, numbers.mostSums);
  while (2 * tiles.mr * tiles.nr * words <= registers)
    (tiles.mr <= tiles.nr ? tiles.mr : tiles.nr) *= 2;
  while (tiles.mr * tiles.nr * words > registers && tiles.nr > 1)
    (tiles.mr >= tiles.nr ? tiles.mr : tiles.nr) /= 2;
  while (2 * tiles.rows * tiles.columns <= device.invocations)
    (tiles.columns <= tiles.rows ? tiles.columns : tiles.rows) *= 2;
  return tiles;
}

// Those, with fewer sums each, and with fewer invocations, too: four times as many workgroups, or more.
std::vector<DeviceTiles> shapes(const target::Device& device, int64_t words) {
  const target::DeviceNumbers& numbers = device.numbers;
  std::vector<DeviceTiles> result = {largestTiles(device, words)};
  if (device.units < numbers.unitsToFill) return result;
  auto add = [&](const DeviceTiles& less) {
    if (4 * less.mt() * less.nt() <= result.back().mt() * result.back().nt())
      result.push_back(less);
  };
  DeviceTiles less = result.back();
  less.mr = std::min(less.mr, numbers.tileSums);
  less.nr = std::min(less.nr, numbers.tileSums);
  add(less);
  less.rows = less.columns = numbers.tileSide;
  add(less);
  return result;
}

void shrink(DeviceTiles& tiles, int64_t m, int64_t n) {
  while (tiles.mr > 1 && tiles.mt() / 2 >= m) tiles.mr /= 2;
  while (tiles.nr > 1 && tiles.nt() / 2 >= n) tiles.nr /= 2;
  while (tiles.rows > kFewest && tiles.mt() / 2 >= m) tiles.rows /= 2;
  while (tiles.columns > kFewest && tiles.nt() / 2 >= n) tiles.columns /= 2;
}

// What the user says of the tiles; whether that is anything of their sides.
bool takeSaid(DeviceTiles& tiles, const target::Device& device, OpSettings& settings) {
  const auto mr = settings.number("mr", 1, kMostSums), nr = settings.number("nr", 1, kMostSums);
  tiles.mr = mr.value_or(tiles.mr);
  tiles.nr = nr.value_or(tiles.nr);
  const std::string fitting =
      "so many fit into a workgroup of " + std::to_string(device.invocations);
  const auto rows = settings.number("rows", kFewest, device.invocations / kFewest);
  tiles.rows = rows.value_or(tiles.rows);
  const int64_t most = device.invocations / tiles.rows;
  const auto columns = settings.number("columns", kFewest, most, 1, fitting);
  tiles.columns = columns.value_or(std::min(tiles.columns, most));
  return mr || nr || rows || columns;
}

}  // namespace

std::vector<DeviceTiles> deviceTiles(const target::Device& device, int sumBytes, int elementBytes,
                                     int64_t m, int64_t n, int64_t k, OpSettings& settings) {
  const target::DeviceNumbers& numbers = device.numbers;
  const int64_t words = std::max(sumBytes / 4, 1);
  std::vector<DeviceTiles> result;
  for (DeviceTiles tiles : shapes(device, words)) {
    shrink(tiles, m, n);
    const bool isSaid = takeSaid(tiles, device, settings);
    auto bytes = [&](int64_t kt) { return kt * (tiles.mt() + tiles.nt()) * elementBytes; };
    tiles.kt = std::max(powerFor(k, numbers.tileTerms), kFewest);
    // Of the memory, but for the gaps.
    while (tiles.kt > kFewest && bytes(tiles.kt) > device.sharedBytes * numbers.tilesOfShared / 8)
      tiles.kt /= 2;
    int64_t mostTerms = std::max<int64_t>(
        device.sharedBytes / ((tiles.leftStride() + tiles.rightStride()) * elementBytes), kFewest);
    tiles.kt =
        settings.number("kt", kFewest, mostTerms, 1, "what shared memory holds of such tiles")
            .value_or(tiles.kt);
    if (device.rounds > 0) tiles.mostTerms = mostTermsOf(device, tiles);
    tiles.reasons = reasonsOf(device, tiles, words, bytes(tiles.kt));
    result.push_back(std::move(tiles));
    if (isSaid) break;
  }
  return result;
}

Form onDeviceTiles(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups,
                   const DeviceTiles& tiles, const std::vector<size_t>& others) {
  Form form{"contraction", OnTiles(kernel, op, groups, tiles).run(others), 0};
  form.settings = {{"mr", std::to_string(tiles.mr)},
                   {"nr", std::to_string(tiles.nr)},
                   {"rows", std::to_string(tiles.rows)},
                   {"columns", std::to_string(tiles.columns)},
                   {"kt", std::to_string(tiles.kt)}};
  for (const TileReason& one : tiles.reasons) form.lines.push_back(one.text());
  return form;
}

int64_t busyUnits(const target::Device& device) {
  return (device.units * device.numbers.unitsFilled + 7) / 8;
}

Test makesWorkgroups(const Groups& groups, const DeviceTiles& tiles, int64_t count) {
  return {Test::Kind::LessEqual, constant(count),
          positionsOf(groups.batch) * positionsOf(groups.m).ceilDiv(constant(tiles.mt())) *
              positionsOf(groups.n).ceilDiv(constant(tiles.nt()))};
}

std::vector<Test> holdsTiles(const Groups& groups, const std::vector<DeviceTiles>& tiles,
                             int64_t fewest) {
  using Kind = Test::Kind;
  std::vector<Test> where = {{Kind::LessEqual, constant(fewest), positionsOf(groups.m)},
                             {Kind::LessEqual, constant(fewest), positionsOf(groups.n)}};
  if (auto most = mostTermsOf(tiles))
    where.push_back({Kind::LessEqual, positionsOf(groups.k), constant(*most)});
  return where;
}

}  // namespace einc::strategy
