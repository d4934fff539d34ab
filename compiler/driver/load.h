// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// From a request to kernels: reads specs and IR text, prints their diagnostics, selects defs. IR
// text is what stands in files called NAME.eir, and in all of them with --eir.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "compiler/driver/exit.h"
#include "compiler/driver/request.h"
#include "compiler/frontend/ast.h"
#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"

namespace einc::driver {

struct Loaded {
  // The defs asked for: structured, on tensors, or, from IR text, at any level.
  ir::Module module;
  std::map<std::string, std::shared_ptr<const SourceFile>> sources;  // where each is from
  std::map<std::string, int64_t> dims;  // the request's, einsum's letters as sizes
  std::string sourceNames;              // for headers: the specs' file names, no folders
  size_t warnings = 0;                  // how many were printed
};

struct LoadOptions {
  bool assumeTypes = false;        // type parameters without a type are f32
  bool warningsAreErrors = false;  // how warnings are shown
  bool notes = false;              // what is no mistake, but may be taken for something else
  bool takesText = true;           // IR text is taken
  // Sees each kernel of a spec (and `dims`) before its spec's diagnostics are printed, and may add
  // to them.
  std::function<void(const ir::Kernel&, const std::map<std::string, int64_t>& dims, Diagnostics&)>
      inspect = nullptr;
};

// The kernels, or the exit code after the reasons were printed.
std::variant<Loaded, ExitCode> load(const Request& request, const LoadOptions& options = {});

// The syntax trees only, for --stage=ast: printed text or the exit code.
std::variant<std::string, ExitCode> loadAst(const Request& request);

}  // namespace einc::driver
