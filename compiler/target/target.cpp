// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

namespace einc::target {
namespace {

Target targetOf(const Device& device, const Target& generic) {
  Target target = generic;
  target.name = device.name;
  target.architecture = Architecture::Device;
  target.hasFma = true;
  target.device = &device;
  return target;
}

std::optional<Target>& nativeDevice() {
  static std::optional<Target> target;
  return target;
}

}  // namespace

const std::vector<Target>& all() {
  static const std::vector<Target> table = [] {
    using enum Feature;
    std::vector<Target> rows = {
#define EINC_ROW(name, architecture, isCpu, march, features, bytes, registers, fma, masks, ends, \
                 limits, latency, fmas, loads, l1, w1, l2, w2, l3, w3)                           \
  {name,      Architecture::architecture,                                                        \
   isCpu,     march,                                                                             \
   features,  bytes,                                                                             \
   registers, fma,                                                                               \
   masks,     ends,                                                                              \
   limits,    latency,                                                                           \
   fmas,      loads,                                                                             \
   {l1, w1},  {l2, w2},                                                                          \
   {l3, w3},  numbersOf(name)},
#define EINC_TARGET(name, architecture, ...) EINC_ROW(name, architecture, false, __VA_ARGS__)
#define EINC_CPU(name, architecture, ...) EINC_ROW(name, architecture, true, __VA_ARGS__)
#include "compiler/target/target.def"
    };
    for (const Device& device : allDevices()) rows.push_back(targetOf(device, rows.front()));
    return rows;
  }();
  return table;
}

const Target& setNativeDevice(const Device& device) {
  nativeDevice() = targetOf(device, all().front());
  return *nativeDevice();
}

const Target* find(std::string_view name) {
  for (const Target& target : all())
    if (target.name == name) return &target;
  if (name == kNativeDevice && nativeDevice()) return &*nativeDevice();
  return name == "native" ? &host() : nullptr;
}

}  // namespace einc::target
