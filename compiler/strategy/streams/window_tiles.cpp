// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/window_tiles.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler/strategy/form.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

using transforms::constant;

// Whole vectors of fewer and fewer lanes, down to 8 bytes: small elements have no masks but those of
// AVX-512. (Measured on Zen 3, u8, us: 24 x 24 x 48 by 3 x 3 240 to 35, 98 x 98 x 96 1070 to 590.)
Steps narrower(const WindowTiles& tiles, int64_t width,
               const std::function<Step(int64_t)>& vector) {
  Steps rest = width * tiles.target.vectorBytes > tiles.lanes * 8
                   ? narrower(tiles, width / 2, vector)
                   : Steps{vector(width)};
  return {Step(TileStep{tiles.channel, constant(width)}, "a vector"),
          Step(WhenStep{{equals(tiles.channel, width)}, {vector(width)}, std::move(rest)},
               "the last vector is not whole")};
}

}  // namespace

Steps WindowTiles::steps(std::optional<int64_t> channels,
                         const std::vector<ir::Axis>& positions) const {
  int64_t windows = 1, vectors = target.numbers.windowVectors;
  for (const ir::Axis& axis : positions) windows *= axis.size;
  if (windows <= 2) vectors *= 2;
  if (windows >= 2 * target.numbers.windowPositions) vectors /= 2;
  if (channels) vectors = std::clamp<int64_t>((*channels + lanes - 1) / lanes, 1, vectors);
  const int64_t most = vectors * lanes;
  auto axes = [&](int64_t width) {
    VectorizeStep step{positions};
    step.axes.push_back({channel, width});
    step.unrolled = unrolled;
    return step;
  };
  const std::string sums = "sums of several windows and channels in registers";
  auto wide = [&](int64_t width) { return Step(axes(width), sums); };
  auto full = [&] {
    VectorizeStep step = axes(most);
    step.ahead = ahead;
    step.early = early;
    return Step(std::move(step), sums);
  };
  const Step tile(TileStep{channel, constant(most)}, "vectors of channels");
  const std::string some = "the last vectors are not whole";
  if (channels) {
    const int64_t left = *channels % most, whole = *channels - left;
    const Steps all = {tile, full()};
    const Steps rest = {wide((left + lanes - 1) / lanes * lanes)};
    if (left == 0 || whole == 0) return left == 0 ? all : rest;
    return {Step(CutStep{channel, constant(whole), {}, 0, all, rest}, some)};
  }
  Steps otherwise;
  if (!target.hasMasks && target.vectorBytes / lanes < 4) {
    otherwise = narrower(*this, vectors == 1 ? lanes / 2 : lanes, wide);
  } else if (vectors == 1) {
    otherwise = {wide(lanes)};
  } else if (positions.empty() && !isAll) {  // few positions, not worth code for each width
    otherwise = {Step(TileStep{channel, constant(lanes)}, "one by one"), wide(lanes)};
  } else {
    VectorizeStep fit = axes(most);
    fit.fit = channel;
    fit.variant = true;
    otherwise = {Step(fit, "no more vectors than there are channels")};
  }
  return {tile, Step(WhenStep{{equals(channel, most)},
                              {full()},
                              rarely(unrolled, "channels_left", std::move(otherwise))},
                     some)};
}

Steps rarely(const std::vector<std::string>& unrolled, const std::string& name, Steps steps) {
  if (unrolled.empty()) return steps;
  return {inFunction(name, std::move(steps))};
}

}  // namespace einc::strategy
