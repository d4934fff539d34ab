// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/export.h"

#include <map>

#include "compiler/emit/c/header.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/signature.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

std::string exportText(const ir::Kernel& contract, const ir::LibraryCall& call,
                       const std::string& prefix, Prelude& prelude) {
  const ir::LibraryFunctionInfo& function = ir::info(call.function);
  const ir::ScalarType type = contract.tensors[call.op.outputs[0].tensor].type;
  std::string typeName(ir::info(type).name), cType(ir::info(type).cType);
  std::string name = std::string(function.name) + "_" + typeName;
  prelude.need("cblas_export_" + name);
  std::vector<std::string> parameters;
  std::map<unsigned, std::string> tensors, attributes;
  auto factor = [&](const ir::ValueRef& value, const std::string& as) {
    auto* reference = value ? std::get_if<ir::AttributeRef>(&value->node) : nullptr;
    if (!reference) return;
    attributes[reference->attribute] = as;
    parameters.push_back(cType + " " + as);
  };
  factor(call.alpha, "alpha");
  for (size_t i = 0; i < call.op.operandCount(); ++i) {
    unsigned tensor = call.op.operand(i).tensor;
    bool isResult = i == call.op.inputs.size();
    if (isResult) factor(call.beta, "beta");
    tensors[tensor] = isResult ? "result" : std::string(1, static_cast<char>('a' + i));
    parameters.push_back((isResult ? "" : "const ") + descriptorType(contract.tensors[tensor]) +
                         " *" + tensors[tensor]);
  }
  std::vector<std::string> arguments;
  for (const ir::Kernel::Input& input : contract.inputs)
    arguments.push_back(input.isTensor ? tensors.at(input.index) : attributes.at(input.index));
  arguments.emplace_back("result");
  TextWriter out;
  out.open("static einc_status einc_exported_" + name + "(" + joined(parameters, ", ") + ") {");
  out.line("return " + functionName(contract.name, prefix) + "(" + joined(arguments, ", ") + ");");
  out.close();
  return out.take();
}

}  // namespace einc::emit
