// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What was measured on machines, or chosen: numbers.def has each number of a target, with what it
// means and where it comes from. A target has all of them, the same as others where no row is its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace einc::target {

struct Numbers {
#define EINC_NUMBER(name, value, ...) int64_t name = value;
#include "compiler/target/numbers.def"
};

struct DeviceNumbers {
#define EINC_DEVICE_NUMBER(name, value, ...) int64_t name = value;
#include "compiler/target/numbers.def"
};

// The target whose numbers these are: most have their own.
std::string_view numbersAre(std::string_view target);
// Those of a row of target.def, and of one of device.def.
Numbers numbersOf(std::string_view target);
DeviceNumbers deviceNumbersOf(std::string_view device);

enum class Machine : uint8_t { None, Unnamed, Xeon, Zen3, Zen4, Zen5, H200 };

// A row of numbers.def.
struct NumberRow {
  std::string_view name;
  int64_t value;
  Machine machine;
  std::string_view measured;
  std::string_view unit, meaning;  // empty: as the row for all targets has them
  std::string_view target = {};    // empty: all that have no row of their own
  bool isDevice = false;
};
const std::vector<NumberRow>& numberRows();

}  // namespace einc::target
