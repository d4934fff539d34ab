// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/status.h"

const int einc_status_count = 0
#define EINC_STATUS(name, value, sentence) +1
#include "runtime/status.def"
#undef EINC_STATUS
    ;

const char *einc_status_string(einc_status status) {
  switch (status) {
#define EINC_STATUS(name, value, sentence) \
  case value:                              \
    return sentence;
#include "runtime/status.def"
#undef EINC_STATUS
    default:
      return "unknown Einc status";
  }
}
