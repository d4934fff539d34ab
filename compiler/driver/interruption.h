// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace einc::driver {

// While one lives, the first signal that asks the process to end (SIGINT, SIGTERM, SIGHUP) is only
// noted, so that what is finished can be kept. Others that come with it are ignored; a later one ends
// the process as usual. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;

  // The signal, or 0.
  static int seen();
};

}  // namespace einc::driver
