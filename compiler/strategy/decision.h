// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What was decided for a kernel on a target: a value. Nothing is built yet (schedule.h).
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/report.h"
#include "compiler/strategy/settings.h"

namespace einc::strategy {

// Ops that are done together, or one alone.
struct Part {
  size_t first, count;  // by their numbers in the kernel
  Steps steps;
  bool isSaid = false;  // by the user
};

// Ops that are done tile by tile, in rounds along an iterator (fusion/in_rounds.h) or behind each other (fusion/in_tiles.h).
struct RoundsReport {
  size_t first, last;  // by their numbers before
  Steps tiles;         // the last of them that of a round
  std::string
      text;  // "tile by tile of 64 'm', in rounds of 96 along 'n'; ..."; or, without tiles, why not
  bool inTiles = false;                                            // and not in rounds
  const char* word() const { return inTiles ? kTiles : kRounds; }  // as schedules call it
};

// What was decided, and for people why.
struct Decision {
  std::vector<Part> parts;  // in order: all ops but those that functions of the user's own compute
  std::vector<OpReport> reports;          // one for each op, in order
  std::vector<SettingError> errors;       // settings that cannot be
  std::vector<RoundsReport> rounds = {};  // before all of these

  // The part that begins with this op, or null.
  const Part* partAt(size_t op) const {
    for (const Part& part : parts)
      if (part.first == op) return &part;
    return nullptr;
  }
};

}  // namespace einc::strategy
