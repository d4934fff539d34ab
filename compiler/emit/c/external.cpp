// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/external.h"

#include <algorithm>
#include <functional>

#include "compiler/emit/text/signature.h"
#include "compiler/ir/print.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using Visit = std::function<void(const ir::Kernel&, const ir::ExternalCall&)>;

void forEachCall(const std::vector<KernelCode>& kernels, const Visit& visit) {
  for (const KernelCode& kernel : kernels)
    for (const TargetCode& code : kernel.codes)
      for (const ir::ExternalCall* call : ir::externalCalls(code.code->body))
        visit(*code.code, *call);
}

std::string typesOf(const ir::Kernel& kernel, const ir::ExternalCall& call) {
  return joined(call.arguments, ", ", [&](const ir::Argument& argument) {
    if (argument.isTensor) return descriptorType(kernel.tensors[argument.index]) + " *";
    const ir::Attribute& a = kernel.attributes[argument.index];
    std::string type(ir::info(a.type).cType);
    return type + (Signature::byAddress(a) ? " *" : "") + (a.list ? ", int64_t" : "");
  });
}

ExternalFunction functionOf(const ir::Kernel& kernel, const ir::ExternalCall& call) {
  std::string declarations = Signature(kernel, call).mlirDeclarations();
  return {call.function,
          "void " + externalSymbol(call.function) + "(" + declarations + ")",
          typesOf(kernel, call),
          {}};
}

}  // namespace

std::string externalSymbol(const std::string& name) { return "_mlir_ciface_" + name; }

std::vector<ExternalFunction> externalFunctions(const std::vector<KernelCode>& kernels) {
  std::vector<ExternalFunction> functions;
  forEachCall(kernels, [&](const ir::Kernel& kernel, const ir::ExternalCall& call) {
    auto found = std::find_if(functions.begin(), functions.end(),
                              [&](const ExternalFunction& f) { return f.name == call.function; });
    if (found == functions.end()) found = functions.insert(found, functionOf(kernel, call));
    ExternalFunction::Use use{kernel.name, {}};
    ir::forEachOp(call.body, [&](const ir::StructuredOp& op) {
      use.ops.push_back(ir::printStatement(kernel, {op}));
    });
    if (std::find(found->uses.begin(), found->uses.end(), use) == found->uses.end())
      found->uses.push_back(std::move(use));
  });
  return functions;
}

std::vector<ir::Tensor> externalTensors(const std::vector<KernelCode>& kernels) {
  std::vector<ir::Tensor> tensors;
  forEachCall(kernels, [&](const ir::Kernel& kernel, const ir::ExternalCall& call) {
    for (const ir::Argument& argument : call.arguments)
      if (argument.isTensor) tensors.push_back(kernel.tensors[argument.index]);
  });
  return tensors;
}

std::optional<Reason> findExternalClash(const std::vector<KernelCode>& kernels) {
  std::optional<Reason> clash;
  std::vector<ExternalFunction> functions = externalFunctions(kernels);
  forEachCall(kernels, [&](const ir::Kernel& kernel, const ir::ExternalCall& call) {
    for (const ExternalFunction& function : functions)
      if (function.name == call.function && function.types != typesOf(kernel, call))
        clash = Reason{"'" + function.name + "' would have two signatures, (" + function.types +
                       ") in '" + function.uses.front().def + "' and (" + typesOf(kernel, call) +
                       ") in '" + kernel.name + "'; name one of them otherwise"};
  });
  return clash;
}

}  // namespace einc::emit
