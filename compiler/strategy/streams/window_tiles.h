// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The register tiles of windows: vectors of channels of some positions, as memory is read as it lies; then those of the
// next.
//
//   tile c by 32
//   when c == 32 { vectorize (oh: 2, ow: 4, c: 32) ahead ow 4 early unrolled (kh, kw) }
//   otherwise { function channels_left { vectorize (oh: 2, ow: 4, c: 32) fit c variant unrolled (kh, kw) } }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/target/target.h"

namespace einc::strategy {

struct WindowTiles {
  const target::Target& target;
  int64_t lanes;
  std::string channel;                       // the iterator along which vectors lie
  const std::vector<std::string>& unrolled;  // reductions
  std::optional<ir::Ahead> ahead = {};       // to the next tile, along the window
  bool early = false;                        // also of what is written
  bool isAll = false;                        // no window moves but along the channels: this is all

  // `channels`: how many there are, if known. `positions`: that are done at once.
  Steps steps(std::optional<int64_t> channels, const std::vector<ir::Axis>& positions) const;
};

// Steps for what is rare. Where each term is code of its own, compilers compute addresses of all vectors before the loop,
// also of those that are not needed: these are in a function. (Measured on Zen 3, u8, 24 x 24 x 48 by 3 x 3, us: 45 to
// 15.)
Steps rarely(const std::vector<std::string>& unrolled, const std::string& name, Steps steps);

}  // namespace einc::strategy
