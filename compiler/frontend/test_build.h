// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A spec's text to what the tests of the front end look at.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "compiler/frontend/frontend.h"
#include "compiler/frontend/parser.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace einc::frontend {

struct Built {
  std::string errors;  // "line:column severity: message", a line each
  std::string ops;     // the first kernel's statements, a line each
  std::optional<ir::Module> module;
};

inline Built build(const std::string& text, const Options& options = {{}, true}) {
  SourceFile source("t.tc", text);
  Diagnostics diagnostics(source);
  Spec spec = parse(source, diagnostics);
  Built built;
  built.module = buildModule(spec, options, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    auto at = source.position(d.range.begin);
    built.errors += std::to_string(at.line) + ":" + std::to_string(at.column) +
                    (d.severity == Severity::Error ? " error: " : " warning: ") + d.message + "\n";
  }
  if (!built.module || built.module->kernels.empty()) return built;
  EXPECT_TRUE(ir::verify(*built.module).empty()) << text;
  const ir::Kernel& kernel = built.module->kernels.front();
  for (const ir::Stmt& stmt : kernel.body) built.ops += ir::printStatement(kernel, stmt) + "\n";
  return built;
}

}  // namespace einc::frontend
