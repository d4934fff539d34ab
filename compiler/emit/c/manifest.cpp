// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/manifest.h"

#include "compiler/emit/c/external.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/c/kernel.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/signature.h"
#include "compiler/ir/print.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::emit {
namespace {

using llvm::json::Array;
using llvm::json::Object;

std::string typeName(ir::ScalarType type) { return std::string(ir::info(type).name); }

Object tensorObject(const ir::Tensor& tensor) {
  static const char* const roles[] = {"input", "output", "local"};
  Array shape;
  for (const affine::Expr& size : tensor.shape) {
    if (auto constant = size.asConstant())
      shape.push_back(*constant);
    else
      shape.push_back(size.str());
  }
  return Object{{"name", tensor.name},
                {"type", typeName(tensor.type)},
                {"role", roles[static_cast<int>(tensor.role)]},
                {"shape", std::move(shape)}};
}

Object attributeObject(const ir::Attribute& attribute) {
  Object object{{"name", attribute.name},
                {"type", typeName(attribute.type)},
                {"parameter", attribute.parameter},
                {"optional", attribute.optional},
                {"list", attribute.list}};
  Array shape;
  for (int64_t size : attribute.shape) shape.push_back(size);
  object["shape"] = std::move(shape);
  if (attribute.defaults) {
    Array defaults;
    for (const ir::Number& number : *attribute.defaults)
      defaults.push_back(ir::print(attribute.type, number));
    object["defaults"] = std::move(defaults);
  }
  return object;
}

// What the C function takes, in its order, under the names that the def has.
Object argumentObject(const ir::Kernel& kernel, const Parameter& parameter) {
  using Kind = Parameter::Kind;
  if (parameter.kind == Kind::Tensor) {
    const ir::Tensor& tensor = kernel.tensors[parameter.index];
    Object object = tensorObject(tensor);
    object["kind"] = "tensor";
    object["rank"] = static_cast<int64_t>(tensor.shape.size());
    if (tensor.role == ir::Role::Output) {
      object["reads"] = isReadFirst(kernel, parameter.index);
      object["whole"] = isWrittenWhole(kernel, parameter.index);
    }
    return object;
  }
  const ir::Attribute& attribute = kernel.attributes[parameter.index];
  if (parameter.kind == Kind::Length)
    return Object{{"kind", "length"}, {"name", parameter.name}, {"of", attribute.name}};
  Object object{{"name", attribute.name}, {"type", typeName(attribute.type)}};
  object["kind"] = parameter.kind == Kind::Value ? "value" : "address";
  if (parameter.kind == Kind::Value) return object;
  object["optional"] = Signature::mayBeNull(attribute);
  if (!attribute.list) object["count"] = attribute.elementCount();
  return object;
}

}  // namespace

Object kernelObject(const ir::Kernel& kernel, const COptions& options,
                    const std::vector<Prototype>& prototypes) {
  Array arguments, tensors, attributes, statements, declarations;
  const Signature signature(kernel);
  for (const Parameter& parameter : signature.parameters())
    arguments.push_back(argumentObject(kernel, parameter));
  for (const Prototype& prototype : prototypes) declarations.push_back(prototype.text());
  for (const ir::Tensor& tensor : kernel.tensors) tensors.push_back(tensorObject(tensor));
  for (const ir::Attribute& attribute : kernel.attributes)
    attributes.push_back(attributeObject(attribute));
  for (const ir::Stmt& stmt : kernel.body) statements.push_back(ir::printStatement(kernel, stmt));
  return Object{{"def", kernel.name},
                {"function", functionName(kernel.name, options.prefix)},
                {"doc", llvm::json::fixUTF8(kernel.doc)},
                {"arguments", std::move(arguments)},
                {"tensors", std::move(tensors)},
                {"attributes", std::move(attributes)},
                {"prototypes", std::move(declarations)},
                {"statements", std::move(statements)}};
}

std::string manifestText(const COptions& options, Array kernels, Object more) {
  more["einc_manifest"] = 1;
  more["library"] = options.library;
  more["prefix"] = options.prefix;
  if (options.contiguous) more["strides"] = "contiguous";
  if (options.align > 1) more["align"] = options.align;
  more["kernels"] = std::move(kernels);
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0:2}", llvm::json::Value(std::move(more))) << '\n';
  return out.str();
}

Result<std::string> emitManifest(const std::vector<KernelCode>& kernels, const COptions& options) {
  Array list;
  for (const KernelCode& kernel : kernels) {
    Object object =
        kernelObject(*kernel.contract, options, prototypesOf(*kernel.contract, options));
    object["workspace"] = needsWorkspace(*kernel.contract);
    list.push_back(std::move(object));
  }
  Array externals;
  for (const ExternalFunction& function : externalFunctions(kernels)) {
    Array uses;
    for (const ExternalFunction::Use& use : function.uses)
      uses.push_back(Object{{"def", use.def}, {"statements", Array(use.ops)}});
    externals.push_back(Object{{"function", externalSymbol(function.name)},
                               {"library_call", function.name},
                               {"prototype", function.prototype},
                               {"computes", std::move(uses)}});
  }
  Object more;
  more["external"] = std::move(externals);
  return manifestText(options, std::move(list), std::move(more));
}

}  // namespace einc::emit
