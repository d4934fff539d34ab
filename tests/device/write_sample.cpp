// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Writes the library of the sample kernels: write_sample FOLDER.
#include <cstdio>
#include <string>

#include "compiler/driver/device_library.h"
#include "compiler/support/files.h"
#include "tests/device/sample.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto texts = einc::driver::deviceTexts(einc::sample::deviceKernels(), "hand", {});
  std::string stem = std::string(argv[1]) + "/hand";
  std::string reason = texts ? einc::writeOutputs({{stem + ".c", texts->code.front().text},
                                                   {stem + ".h", texts->header},
                                                   {stem + ".json", texts->manifest}})
                             : texts.reason();
  if (reason.empty()) return 0;
  std::fprintf(stderr, "%s\n", reason.c_str());
  return 1;
}
