// Part of Einc. SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_NUMERIC_CLANG_REQUEST_H
#define TESTS_NUMERIC_CLANG_REQUEST_H

#include <stdint.h>

// What a client sends, with its three standard files. Behind it stand strings, each ended by a
// zero: the folder that it works in, the arguments (the first is the program's name), the environment.
struct Request {
  uint32_t bytes;  // of all strings
  uint32_t arguments;
  uint32_t variables;
};

// In the environment: where the server listens, in the abstract namespace.
#define EINC_CLANG_SERVER "EINC_CLANG_SERVER"

#endif
