// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A kernel on small arguments, and what it must give: whether another form of it gives the same.
//
// Sizes are 0 to 3, and numbers that are of interest (tiles, vectors) with their neighbours;
// attributes have their defaults, or 1. Arrays are row-major, or, as it is drawn, the other way
// round. Elements are small multiples of 1/8, or small integers. What is expected is computed once;
// integers must be equal, floats within the bounds of error_bound.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/interp/error_bound.h"
#include "compiler/ir/ir.h"

namespace einc::interp {

class Instances {
 public:
  // `kernel` is structured, on tensors.
  explicit Instances(ir::Kernel kernel);

  // More of them, with sizes around these numbers; those that were named before are left.
  void around(const std::set<int64_t>& numbers);
  // None is small enough where sizes are known, or the contract refuses all that were tried.
  bool empty() const { return instances_.empty(); }

  // The sizes at which another form gives something else, which element, and both values; nothing
  // if it gives the same.
  //   "M = 3, N = 17: %C at [2, 16]: 0, expected 1.25 +- 1e-07"
  std::optional<std::string> findDifference(const ir::Kernel& form) const;

 private:
  using Sizes = std::map<std::string, int64_t>;
  struct Instance {
    Sizes sizes;
    bool isRowMajor;
    Arguments arguments;
    std::vector<ExpectedTensor> expected;
  };

  // Whether there is one more.
  bool add(const Sizes& sizes, bool isRowMajor);
  uint32_t drawn();  // the same ones each time
  bool isDrawn() { return drawn() % 2 == 0; }
  // One with this size, and small others.
  void addNear(const std::string& symbol, int64_t size);
  std::optional<Arguments> argumentsOf(const Sizes& sizes, bool isRowMajor) const;
  bool isShort(const CheckedCall& call) const;

  ir::Kernel kernel_;
  std::vector<std::string> symbols_;
  std::vector<std::vector<ir::Number>> attributes_;
  std::set<int64_t> numbers_;
  std::vector<Instance> instances_;
  uint32_t state_ = 12345;  // of what is drawn
};

}  // namespace einc::interp
