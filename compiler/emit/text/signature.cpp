// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/signature.h"

#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

std::string cType(ir::ScalarType type) { return std::string(ir::info(type).cType); }

}  // namespace

std::string descriptorType(const ir::Tensor& tensor) {
  return "einc_memref_" + std::string(ir::info(tensor.type).name) + "_" +
         std::to_string(tensor.shape.size());
}

bool Signature::byAddress(const ir::Attribute& a) {
  return a.list || !a.shape.empty() || mayBeNull(a);
}

bool Signature::mayBeNull(const ir::Attribute& a) { return a.optional || a.defaults.has_value(); }

Signature::Signature(const ir::Kernel& kernel)
    : tensorNames_(kernel.tensors.size()),
      attributeNames_(kernel.attributes.size()),
      lengthNames_(kernel.attributes.size()) {
  // A parameter must not hide a function that the kernel's functions call, nor their status.
  for (const char* suffix : {"", "_check", "_run", "_bytes", "_record", "_submit"})
    names.make(functionName(kernel.name, "") + suffix);
  names.make("status");
  for (const ir::Kernel::Input& input : kernel.inputs)
    if (input.isTensor)
      addTensor(kernel, input.index);
    else
      addAttribute(kernel, input.index);
  for (unsigned t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == ir::Role::Output) addTensor(kernel, t);
  for (unsigned a = 0; a < kernel.attributes.size(); ++a)
    if (!kernel.attributes[a].parameter) addAttribute(kernel, a);
}

Signature::Signature(const ir::Kernel& kernel, const ir::ExternalCall& call)
    : tensorNames_(kernel.tensors.size()),
      attributeNames_(kernel.attributes.size()),
      lengthNames_(kernel.attributes.size()) {
  for (const ir::Argument& argument : call.arguments)
    if (argument.isTensor)
      addTensor(kernel, argument.index);
    else
      addAttribute(kernel, argument.index);
}

void Signature::addTensor(const ir::Kernel& kernel, unsigned id) {
  const ir::Tensor& tensor = kernel.tensors[id];
  tensorNames_[id] = names.make(tensor.name);
  const std::string constant = tensor.role == ir::Role::Input ? "const " : "",
                    type = descriptorType(tensor) + " *", &name = tensorNames_[id];
  parameters_.push_back(
      {Parameter::Kind::Tensor, id, constant + type, constant + type + name, name, type + name});
}

void Signature::addAttribute(const ir::Kernel& kernel, unsigned id) {
  const ir::Attribute& a = kernel.attributes[id];
  attributeNames_[id] = names.make(a.name);
  std::string size = a.shape.empty() ? "" : "[" + std::to_string(a.elementCount()) + "]";
  const std::string element = (byAddress(a) ? "const " : "") + cType(a.type) + " ",
                    type = element + (byAddress(a) ? "*" : ""), &name = attributeNames_[id];
  const std::string declaration = size.empty() ? type + name : element + name + size;
  parameters_.push_back({byAddress(a) ? Parameter::Kind::Address : Parameter::Kind::Value, id, type,
                         declaration, name, declaration});
  if (!a.list) return;
  lengthNames_[id] = names.make(a.name + "_length");
  const std::string length = "int64_t " + lengthNames_[id];
  parameters_.push_back(
      {Parameter::Kind::Length, id, "int64_t ", length, lengthNames_[id], length});
}

std::string Signature::declarations() const {
  return joined(parameters_, ", ", [](const Parameter& p) { return p.declaration; });
}

std::string Signature::mlirDeclarations() const {
  return joined(parameters_, ", ", [](const Parameter& p) { return p.mlir; });
}

std::string Signature::arguments() const {
  return joined(parameters_, ", ", [](const Parameter& p) { return p.name; });
}

}  // namespace einc::emit
