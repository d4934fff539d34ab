// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a BLAS that is loaded says of itself: its version, and the kernels that it runs on this CPU,
// which need not be those that would fit it. C, and C++.
#ifndef EINC_BENCH_NAME_H
#define EINC_BENCH_NAME_H

#include <dlfcn.h>
#include <stdio.h>

static inline void einc_bench_name(void *library, char *text, size_t size) {
  char *(*core)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
  char *(*config)(void) = (char *(*)(void))dlsym(library, "openblas_get_config");
  const char *(*name)(int) = (const char *(*)(int))dlsym(library, "bli_arch_string");
  int (*arch)(void) = (int (*)(void))dlsym(library, "bli_arch_query_id");
  char *(*version)(void) = (char *(*)(void))dlsym(library, "bli_info_get_version_str");
  if (core && config) {
    char number[64] = "";
    sscanf(config(), "OpenBLAS %63s", number);
    snprintf(text, size, "OpenBLAS %s, %s kernels", number, core());
  } else if (name && arch && version) {
    snprintf(text, size, "BLIS %s, %s kernels", version(), name(arch()));
  } else {
    snprintf(text, size, "a BLAS that does not name itself");
  }
}

#endif
