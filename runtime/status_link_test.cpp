// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A program with kernels, whose einc_status_string is there before the runtime's archives are
// looked at.
#include <gtest/gtest.h>

#include "runtime/layout.h"
#include "runtime/status.h"

extern "C" __attribute__((weak)) const char *einc_status_string(einc_status) {
  return "unknown to kernels";
}

namespace {

TEST(StatusLink, TheRuntimesSentencesWin) {
  einc_layout layout;
  const einc_status status = einc_layout_row_major(-1, nullptr, &layout);
  EXPECT_EQ(status, EINC_BAD_VIEW);
  EXPECT_STREQ(einc_status_string(status),
               "a view was asked for with a wrong rank, dimension, step or permutation");
}

}  // namespace
