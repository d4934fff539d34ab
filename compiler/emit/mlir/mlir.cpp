// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/mlir.h"

#include <set>

#include "compiler/emit/mlir/function.h"
#include "compiler/emit/mlir/linalg.h"
#include "compiler/emit/text/comment.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/stored.h"

namespace einc::emit {
namespace {

std::string commentText(const MlirKernel& kernel) {
  std::string text = commentLines(kernel.kernel.name, "// ");
  if (!kernel.kernel.doc.empty()) text += commentLines(kernel.kernel.doc, "// ");
  for (const std::string& note : kernel.notes) text += commentLines(note, "// ");
  return text;
}

}  // namespace

std::vector<unsigned> attributesToFix(const ir::Kernel& kernel) {
  return mlir::attributesInMaps(kernel);
}

Result<std::string> emitMlir(const std::vector<MlirKernel>& kernels, const std::string& prefix) {
  std::string text, reasons;
  std::set<std::string> names;
  for (const MlirKernel& kernel : kernels) {
    std::string name = functionName(kernel.kernel.name, prefix);
    auto refuse = [&](const std::string& reason) {
      reasons += (reasons.empty() ? "'" : "\n'") + kernel.kernel.name +
                 "' cannot be expressed in MLIR: " + reason;
    };
    if (!names.insert(name).second || !names.insert(name + "_on_tensors").second) {
      refuse("there is already a function of this name");
      continue;
    }
    if (auto reason = refuseStored(kernel.kernel, "what Einc writes in MLIR has")) {
      refuse(reason->text);
      continue;
    }
    auto onBuffers = mlir::functionText(kernel.kernel, mlir::Data::Buffers, name);
    auto onTensors = mlir::functionText(kernel.kernel, mlir::Data::Tensors, name + "_on_tensors");
    if (!onBuffers || !onTensors) {
      refuse(!onBuffers ? onBuffers.reason() : onTensors.reason());
      continue;
    }
    text += (text.empty() ? "" : "\n") + commentText(kernel) + *onBuffers + "\n" + *onTensors;
  }
  if (!reasons.empty()) return Reason{reasons};
  return text;
}

}  // namespace einc::emit
