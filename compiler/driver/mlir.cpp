// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/mlir.h"

#include "compiler/emit/mlir/mlir.h"
#include "compiler/ir/literal.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/specialize.h"

namespace einc::driver {
namespace {

// The kernel with constants in its maps.
Result<emit::MlirKernel> withDefaults(const ir::Kernel& kernel) {
  transforms::Fixed fixed;
  emit::MlirKernel result;
  for (unsigned id : emit::attributesToFix(kernel)) {
    const ir::Attribute& a = kernel.attributes[id];
    if (a.list)
      return Reason{"Linalg's maps hold constants only, and the list '" + a.name +
                    "' has any length; give it with --attr " + a.name + "=..."};
    // Where the spec has no default, 1: what a missing stride means.
    std::vector<ir::Number> ones(static_cast<size_t>(a.elementCount()), ir::Number{0.0, 1});
    const std::vector<ir::Number>& values = a.defaults ? *a.defaults : ones;
    fixed.attributes[a.name] = values;
    auto text =
        joined(values, ",", [&](const ir::Number& n) { return ir::literalText(a.type, n); });
    result.notes.push_back("Linalg's maps hold constants only: taken for --attr " + a.name + "=" +
                           text +
                           (a.defaults ? ", the default." : ", as the spec has no default."));
  }
  auto specialized = transforms::specialize(kernel, fixed);
  if (!specialized) return Reason{"with its attributes' defaults, " + specialized.reason()};
  result.kernel = std::move(*specialized);
  if (result.kernel.libraryCall && !result.notes.empty()) {
    result.kernel.libraryCall.reset();
    result.notes.emplace_back("Without library_call: its function takes these attributes.");
  }
  return result;
}

}  // namespace

Result<std::string> mlirText(const ir::Module& module, const std::string& prefix) {
  std::vector<emit::MlirKernel> kernels;
  std::string reasons;
  auto refuse = [&](const std::string& reason) {
    reasons += (reasons.empty() ? "" : "\n") + reason;
  };
  for (const ir::Kernel& kernel : module.kernels) {
    auto fixed = withDefaults(kernel);
    if (fixed)
      kernels.push_back(std::move(*fixed));
    else
      refuse("'" + kernel.name + "' cannot be expressed in MLIR: " + fixed.reason());
  }
  auto text = emit::emitMlir(kernels, prefix);
  if (!text) refuse(text.reason());
  if (!reasons.empty()) return Reason{reasons};
  return text;
}

}  // namespace einc::driver
