// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with an op alone, or with ops that share positions, at each of these:
//
//   inline op 1                                        what is computed where it is read: inline.h
//   when 32 < K and contiguous(A, k) { rows }          and the forms of forms.h for what is left
//   otherwise { ... }
//
// A product is done so where M and N are few, so that most of a tile would be empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/device/positions.h"
#include "compiler/strategy/device/work.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/options.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

class AtPositions {
 public:
  // Of these ops the first has the number `first`.
  AtPositions(transforms::Builder& builder, const Ops& ops, size_t first,
              const ScheduleOptions& options);

  // Of the ops, from 0 on: those that are computed where they are read.
  const std::vector<size_t>& gone() const { return gone_; }
  // Of those that are left the one whose work at a position several invocations share, if they may.
  std::optional<size_t> sharedWork() const;

  // `lanes` invocations to a position where they share its work, a power of two. The rest as for bestAt (forms.h).
  Result<Form> form(int64_t lanes, bool mayBeInParts, const std::string& wanted = "") const;
  // For people, what invocations there are.
  std::vector<std::string> invocations() const;

 private:
  const target::Device& device_;
  std::vector<size_t> gone_;
  Steps inlined_;
  Positions at_;
  std::optional<PositionWork> work_;  // if there is much
  bool mayShare_;
};

}  // namespace einc::strategy
