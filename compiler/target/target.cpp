// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

namespace einc::target {

const std::vector<Target>& all() {
  static const std::vector<Target> table = {
#define EINC_TARGET(name, architecture, march, bytes, registers, fma, masks, numbers, latency, \
                    fmas, loads, streams, ahead, l1, w1, l2, w2, l3, w3)                       \
  {name,      Architecture::architecture,                                                      \
   march,     bytes,                                                                           \
   registers, fma,                                                                             \
   masks,     numbers,                                                                         \
   latency,   fmas,                                                                            \
   loads,     streams,                                                                         \
   ahead,     {l1, w1},                                                                        \
   {l2, w2},  {l3, w3}},
#include "compiler/target/target.def"
  };
  return table;
}

const Target* find(std::string_view name) {
  for (const Target& target : all())
    if (target.name == name) return &target;
  return name == "native" ? &host() : nullptr;
}

}  // namespace einc::target
