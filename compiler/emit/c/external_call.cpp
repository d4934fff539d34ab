// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: calls of the user's own functions.
#include "compiler/emit/c/body.h"
#include "compiler/emit/c/external.h"

namespace einc::emit {

// The value of a descriptor of all that there is of a tensor.
std::string BodyWriter::descriptorOf(unsigned tensor) const {
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (ir::isArgument(t.role)) return "*" + scope_.tensor(tensor);
  if (t.role == ir::Role::View) return viewDescriptor(tensor);
  std::string data = scope_.data(tensor), sizes, strides;
  affine::Expr stride = affine::Expr::constant(1);
  for (size_t d = t.shape.size(); d-- > 0; stride = stride * t.shape[d]) {
    std::string more = sizes.empty() ? "" : ", ";
    sizes = printer_.index(t.shape[d]) + more + sizes;
    strides = printer_.index(stride) + more + strides;
  }
  return "{" + data + ", " + data + ", 0" +
         (sizes.empty() ? "" : ", {" + sizes + "}, {" + strides + "}") + "}";
}

// One of the function's own, which it may change.
std::string BodyWriter::ownDescriptor(unsigned tensor) {
  const ir::Tensor& t = kernel_.tensors[tensor];
  std::string name = scope_.local(t.name + "_own");
  out_.line(descriptorType(t) + " " + name + " = " + descriptorOf(tensor) + ";");
  return name;
}

void BodyWriter::operator()(const ir::ExternalCall& call) {
  out_.open("{");
  std::vector<std::string> arguments;
  for (const ir::Argument& argument : call.arguments) {
    if (argument.isTensor) {
      arguments.push_back("&" + ownDescriptor(argument.index));
      continue;
    }
    arguments.push_back(scope_.attribute(argument.index));
    if (kernel_.attributes[argument.index].list) arguments.push_back(scope_.length(argument.index));
  }
  out_.line(externalSymbol(call.function) + "(" + joined(arguments) + ");");
  out_.close();
}

}  // namespace einc::emit
