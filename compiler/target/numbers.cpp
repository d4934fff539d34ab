// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/numbers.h"

namespace einc::target {

std::string_view numbersAre(std::string_view target) {
#define EINC_NUMBERS_OF(row, other) \
  if (target == (row)) return other;
#include "compiler/target/numbers.def"
  return target;
}

Numbers numbersOf(std::string_view target) {
  Numbers result;
  target = numbersAre(target);
#define EINC_NUMBER_ON(row, name, value, machine, measured) \
  if (target == (row)) result.name = value;
#include "compiler/target/numbers.def"
  return result;
}

DeviceNumbers deviceNumbersOf(std::string_view device) {
  DeviceNumbers result;
#define EINC_DEVICE_NUMBER_ON(row, name, value, machine, measured) \
  if (device == (row)) result.name = value;
#include "compiler/target/numbers.def"
  return result;
}

const std::vector<NumberRow>& numberRows() {
  static const std::vector<NumberRow> rows = {
#define EINC_NUMBER(name, value, unit, machine, meaning, measured) \
  {#name, value, Machine::machine, measured, unit, meaning},
#define EINC_NUMBER_ON(target, name, value, machine, measured) \
  {#name, value, Machine::machine, measured, "", "", target},
#define EINC_DEVICE_NUMBER(name, value, unit, machine, meaning, measured) \
  {#name, value, Machine::machine, measured, unit, meaning, "", /*isDevice=*/true},
#define EINC_DEVICE_NUMBER_ON(device, name, value, machine, measured) \
  {#name, value, Machine::machine, measured, "", "", device, /*isDevice=*/true},
#include "compiler/target/numbers.def"
  };
  return rows;
}

}  // namespace einc::target
