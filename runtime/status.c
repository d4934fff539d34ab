// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/status.h"

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
