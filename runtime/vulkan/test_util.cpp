// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/vulkan/test_util.hpp"

// Drivers leak, and are unloaded by the time LeakSanitizer looks: their frames have no module. What
// this folder allocates is called from the tests themselves.
extern "C" const char *__lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char *__lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:<unknown module>\n";
}
