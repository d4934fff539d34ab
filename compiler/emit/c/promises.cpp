// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/promises.h"

#include <algorithm>
#include <vector>

#include "compiler/emit/c/scope.h"
#include "compiler/emit/text/names.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

bool isArgument(const ir::Tensor& tensor) { return tensor.role != ir::Role::Local; }

}  // namespace

std::string denseDescriptor(const ir::Tensor& tensor, const std::string& start) {
  std::string sizes, strides;
  int64_t stride = 1;
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    const int64_t size = *tensor.shape[d].asConstant();
    sizes = std::to_string(size) + (sizes.empty() ? "" : ", ") + sizes;
    strides = std::to_string(stride) + (strides.empty() ? "" : ", ") + strides;
    stride *= std::max<int64_t>(size, 1);
  }
  return "{" + start + (sizes.empty() ? "" : ", {" + sizes + "}, {" + strides + "}") + "}";
}

std::string Promises::isAligned() const {
  return functionName(kernel_.name, options_.prefix) + "_is_aligned(" + signature_.arguments() +
         ")";
}

std::string Promises::functionText(const std::string& function) const {
  const std::string all = Signature(kernel_).names.make("all");
  TextWriter out;
  out.open("static inline int " + function + "(" + signature_.declarations() + ") {");
  out.line("uintptr_t " + all + " = 0;");
  for (const Parameter& parameter : signature_.parameters()) {
    const std::string& name = parameter.name;
    if (parameter.kind != Parameter::Kind::Tensor) {
      out.line("(void)" + name + ";");
      continue;
    }
    const ir::Tensor& tensor = kernel_.tensors[parameter.index];
    const std::string offset = "(uintptr_t)" + name + "->offset";
    std::string address = "(uintptr_t)" + name + "->aligned + " + offset;
    // Elements that are two in a byte begin with a whole one.
    address = ir::info(tensor.type).isPacked() ? "(" + address + " / 2) | " + offset + " % 2"
                                               : address + " * sizeof *" + name + "->aligned";
    std::string hasElements;
    for (size_t d = 0; d < tensor.shape.size(); ++d)
      hasElements += (d ? " && " : "") + name + "->sizes[" + std::to_string(d) + "] > 0";
    out.line((hasElements.empty() ? "" : "if (" + hasElements + ") ") + all + " |= " + address +
             ";");
  }
  out.line("return " + all + " % " + std::to_string(options_.align) + " == 0;").close().line();
  return out.take();
}

std::string Promises::statements() const {
  TextWriter out;
  out.indent();
  if (options_.contiguous) {
    out.line("/* Neighbours along the last dimension are neighbours in memory. */");
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
      const size_t rank = kernel_.tensors[t].shape.size();
      if (rank == 0 || !isArgument(kernel_.tensors[t])) continue;
      const std::string name = signature_.tensor(t), last = "[" + std::to_string(rank - 1) + "]";
      // Of a dimension of one position the stride means nothing.
      out.line("if (" + name + "->sizes" + last + " > 1 && " + name + "->strides" + last +
               " != 1) return EINC_BAD_STRIDE;");
    }
  }
  if (options_.align > 1) out.line("if (!" + isAligned() + ") return EINC_MISALIGNED;");
  return out.take();
}

std::string Promises::tests(bool strides) const {
  std::string text;
  if (strides && options_.contiguous)
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (const size_t rank = kernel_.tensors[t].shape.size();
          rank > 0 && isArgument(kernel_.tensors[t]))
        text += " && " + signature_.tensor(t) + "->strides[" + std::to_string(rank - 1) + "] == 1";
  if (options_.align > 1) text += " && " + isAligned();
  return text;
}

std::optional<Prototype> Promises::pointers() const {
  if (!options_.contiguous) return std::nullopt;
  std::vector<std::string> parameters;
  for (const Parameter& parameter : signature_.parameters()) {
    if (parameter.kind != Parameter::Kind::Tensor) {
      parameters.push_back(parameter.declaration);
      continue;
    }
    const ir::Tensor& tensor = kernel_.tensors[parameter.index];
    for (const affine::Expr& size : tensor.shape)
      if (!size.asConstant()) return std::nullopt;
    parameters.push_back(std::string(tensor.role == ir::Role::Input ? "const " : "") +
                         std::string(ir::info(tensor.type).cElement()) + " *" + parameter.name);
  }
  return Prototype{"einc_status ", functionName(kernel_.name, options_.prefix) + "_pointers",
                   joined(parameters, ", ")};
}

std::string Promises::pointersText() const {
  const auto prototype = pointers();
  if (!prototype) return "";
  Signature signature(kernel_);
  TextWriter out;
  out.open(prototype->text() + " {");
  std::vector<std::string> arguments;
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.kind != Parameter::Kind::Tensor) {
      arguments.push_back(parameter.name);
      continue;
    }
    const ir::Tensor& tensor = kernel_.tensors[parameter.index];
    const std::string name = signature.names.make(parameter.name + "_dense"),
                      element(ir::info(tensor.type).cElement());
    // A descriptor's pointers are not const: who reads does not write.
    const std::string data = tensor.role == ir::Role::Input
                                 ? "(" + element + " *)(uintptr_t)" + parameter.name
                                 : parameter.name;
    out.line(descriptorType(tensor) + " " + name + " = " +
             denseDescriptor(tensor, data + ", " + data + ", 0") + ";");
    arguments.push_back("&" + name);
  }
  const std::string call = "return " + functionName(kernel_.name, options_.prefix) + "(";
  out.line(call + joined(arguments, ", ") + ");").close().line();
  return out.take();
}

}  // namespace einc::emit
