// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels from IR text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace einc::ir::test {

// The module of "eir 1" and `text`, which must parse; rules may be broken.
inline Module parsed(const std::string& text) {
  SourceFile source("test.eir", "eir 1\n" + text);
  Diagnostics errors(source);
  auto module = parse(source, errors);
  EXPECT_TRUE(module) << text << "\n" << (errors.all().empty() ? "" : errors.all()[0].message);
  return module.value_or(Module{});
}

inline Kernel parsedKernel(const std::string& text) {
  Module module = parsed(text);
  EXPECT_EQ(module.kernels.size(), 1u);
  return module.kernels.empty() ? Kernel{} : std::move(module.kernels[0]);
}

// The same, and all rules hold.
inline Kernel goodKernel(const std::string& text) {
  Kernel kernel = parsedKernel(text);
  for (const Violation& violation : verify(kernel))
    ADD_FAILURE() << violation.str() << "\n" << text;
  return kernel;
}

// How often a text has a part.
inline size_t count(const std::string& text, const std::string& part) {
  size_t result = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
}

// The message of the one error in `text`, which is the whole of a file.
inline std::string errorIn(const std::string& text) {
  SourceFile source("test.eir", text);
  Diagnostics errors(source);
  EXPECT_FALSE(parse(source, errors)) << text;
  return errors.all().size() == 1 ? errors.all()[0].message : "not one error";
}

}  // namespace einc::ir::test
