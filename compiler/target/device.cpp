// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/device.h"

namespace einc::target {

const std::vector<Device>& allDevices() {
  static const std::vector<Device> table = {
#define EINC_DEVICE(name, words, subgroup, invocations, shared, registers, units, rounds) \
  {name, words, subgroup, invocations, shared, registers, units, rounds, deviceNumbersOf(name)},
#include "compiler/target/device.def"
  };
  return table;
}

}  // namespace einc::target
