// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/vulkan/test_util.hpp"

// Drivers leak, and are unloaded by the time LeakSanitizer looks: their frames have no module, or
// all it sees is that C++ allocated. What this folder allocates, in C and called from the tests, is
// still found.
extern "C" const char *__lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char *__lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:<unknown module>\nleak:libstdc++.so\n";
}
