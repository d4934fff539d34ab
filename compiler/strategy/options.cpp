// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/options.h"

namespace einc::strategy {

// Options are copied again and again, and with them the steps of all kernels.
ScheduleOptions ofKernel(const ScheduleOptions& options, const std::string& kernel) {
  return {options.target,
          options.threads,
          options.keepsOrder,
          options.contiguous,
          settingsOf(options.settings, kernel),
          options.library,
          options.most,
          options.afterStep};
}

}  // namespace einc::strategy
