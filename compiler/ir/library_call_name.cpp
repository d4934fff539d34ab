// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/library_call_name.h"

namespace einc::ir {
namespace {

std::string scalarText(ScalarType type) {
  const TypeInfo& t = info(type);
  if (t.isFloat()) return std::string(t.name);
  return t.cls == TypeClass::Bool ? "i1" : "i" + std::to_string(t.bits);
}

std::string viewText(const Tensor& tensor) {
  std::string text = "view";
  for (const affine::Expr& size : tensor.shape) {
    auto constant = size.asConstant();
    text += (constant ? std::to_string(*constant) : "s") + "x";
  }
  return text + scalarText(tensor.type);
}

}  // namespace

std::string libraryCallName(const Kernel& kernel) {
  if (!kernel.libraryCall->empty()) return *kernel.libraryCall;
  std::string name = "linalg_" + kernel.name;
  for (const Kernel::Input& input : kernel.inputs)
    name += "_" + (input.isTensor ? viewText(kernel.tensors[input.index])
                                  : scalarText(kernel.attributes[input.index].type));
  for (const Tensor& tensor : kernel.tensors)
    if (tensor.role == Role::Output) name += "_" + viewText(tensor);
  return name;
}

}  // namespace einc::ir
