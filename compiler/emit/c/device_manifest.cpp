// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The manifest of a library of kernels for Vulkan devices: of each, its dispatches in order.
#include <set>

#include "compiler/emit/c/device.h"
#include "compiler/emit/c/manifest.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using llvm::json::Array;
using llvm::json::Object;

std::string typeName(ir::ScalarType type) { return std::string(ir::info(type).name); }

std::string conditionText(const ir::Kernel& kernel, const ir::Condition& c) {
  using Kind = ir::Condition::Kind;
  const std::string& tensor = kernel.tensors.empty() ? "" : kernel.tensors[c.tensor].name;
  switch (c.kind) {
    case Kind::Equal:
      return c.left.str() + " == " + c.right.str();
    case Kind::Less:
      return c.left.str() + " < " + c.right.str();
    case Kind::LessEqual:
      return c.left.str() + " <= " + c.right.str();
    case Kind::Unit:
      return tensor + " has stride 1 along dimension " + std::to_string(c.dim);
    case Kind::Even:
      return "neighbours in " + tensor + " along dimension " + std::to_string(c.dim) +
             " are equally far apart";
    case Kind::Aligned:
      return "lines of " + tensor + " along dimension " + std::to_string(c.dim) +
             " begin at multiples of " + c.left.str() + " bytes";
  }
  return "";
}

// Walks the host's statements as they run.
class DispatchList {
 public:
  explicit DispatchList(const DeviceCode& kernel) : kernel_(kernel) { block(kernel.code->body); }

  Array dispatches, temporaries;

 private:
  void block(const ir::Block& statements) {
    size_t outer = around_.size();
    for (const ir::Stmt& stmt : statements) {
      if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) {
        temporary(alloc->tensor);
      } else if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) {
        around_.push_back(bound->name + " = least of " +
                          joined(bound->of, ", ", [](const affine::Expr& e) { return e.str(); }));
      } else if (auto* test = std::get_if<ir::If>(&stmt.node)) {
        choice(*test);
      } else if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
        around_.push_back("for " + loop->var + " = 0, " + loop->step.str() + ", ... < " +
                          loop->extent.str());
        block(loop->body);
        around_.pop_back();
      } else if (auto* called = std::get_if<ir::Dispatch>(&stmt.node)) {
        for (size_t i = 0; i < kernel_.shaders->size(); ++i)
          if ((*kernel_.shaders)[i].dispatch == called->name) dispatch(i);
      } else {
        for (const ir::Block* inner : ir::blocksOf(stmt)) block(*inner);
      }
    }
    around_.resize(outer);
  }

  void choice(const ir::If& test) {
    std::string all = joined(test.conditions, " and ", [&](const ir::Condition& c) {
      return conditionText(*kernel_.code, c);
    });
    around_.push_back("if " + all);
    block(test.then);
    around_.back() = "if not (" + all + ")";
    block(test.otherwise);
    around_.pop_back();
  }

  void temporary(unsigned tensor) {
    const ir::Tensor& t = kernel_.code->tensors[tensor];
    std::string bytes = std::to_string(ir::info(t.type).bytes());
    for (const affine::Expr& size : t.shape) bytes += " * (" + size.str() + ")";
    temporaries.push_back(Object{{"name", t.name}, {"bytes", bytes}, {"where", Array(around_)}});
  }

  void dispatch(size_t number) {
    const Shader& shader = (*kernel_.shaders)[number];
    Array workgroups;
    for (const affine::Expr& count : shader.workgroups) workgroups.push_back(count.str());
    if (shader.choosesSize)
      workgroups[0] = "(" + shader.workgroups[0].str() + ") ceildiv workgroup_size[0]";
    dispatches.push_back(
        Object{{"shader", shader.name},
               {"where", Array(around_)},
               {"workgroup_size", Array(shader.invocations)},
               {"workgroup_size_is", sizeText(shader)},
               {"workgroups", std::move(workgroups)},
               {"buffers", buffers(shader)},
               {"constants", constants(shader)},
               {"constants_in_buffer", shader.constantsInBuffer},
               {"push_bytes", shader.pushBytes},
               {"shared_bytes", static_cast<int64_t>(shader.sharedBytes)},
               {"features", Array(shader.features)},
               {"spirv_bytes", static_cast<int64_t>((*kernel_.modules)[number].size() * 4)},
               {"waits_for", waitsFor(shader)}});
    before_.push_back(&shader);
  }

  static std::string sizeText(const Shader& shader) {
    if (!shader.choosesSize) return "fixed";
    return "along x specialisation constant " + std::to_string(kSizeConstant) +
           ", which the library sets: this number, or the device's limit where that is less, in "
           "whole subgroups";
  }

  Array buffers(const Shader& shader) const {
    Array list;
    for (size_t i = 0; i < shader.buffers.size(); ++i) {
      const ShaderBuffer& buffer = shader.buffers[i];
      list.push_back(Object{{"binding", static_cast<int64_t>(i)},
                            {"tensor", kernel_.code->tensors[buffer.tensor].name},
                            {"read", buffer.isRead},
                            {"written", buffer.isWritten}});
    }
    return list;
  }

  Array constants(const Shader& shader) const {
    Array list;
    for (const ShaderConstant& constant : shader.constants)
      list.push_back(Object{{"offset", constant.offset},
                            {"name", constant.name},
                            {"is", meaning(constant)},
                            {"type", blockType(constant)}});
    return list;
  }

  std::string meaning(const ShaderConstant& constant) const {
    const ir::Kernel& code = *kernel_.code;
    using Kind = ShaderConstant::Kind;
    switch (constant.kind) {
      case Kind::Symbol:
        return constant.symbol;
      case Kind::Offset:
        return "element 0 of " + code.tensors[constant.tensor].name;
      case Kind::Stride:
        return "stride of " + code.tensors[constant.tensor].name + " along dimension " +
               std::to_string(constant.dim);
      case Kind::Attribute:
        return code.attributes[constant.attribute.attribute].symbolName(constant.attribute.element);
      case Kind::Base:
        return "the first workgroup, along x, y and z";
    }
    return "";
  }

  static std::string blockType(const ShaderConstant& constant) {
    if (constant.kind == ShaderConstant::Kind::Base) return "u32[3]";
    if (constant.kind != ShaderConstant::Kind::Attribute) return "i32";
    const ir::TypeInfo& type = ir::info(constant.type);
    if (type.bits == 64) return typeName(constant.type);
    return type.isFloat() ? "f32" : type.isSigned() ? "i32" : "u32";
  }

  // Dispatches between which and this one a barrier stands: if any of them runs.
  Array waitsFor(const Shader& shader) const {
    Array list;
    std::set<std::string> seen;
    for (const Shader* earlier : before_)
      for (const ShaderBuffer& a : earlier->buffers)
        for (const ShaderBuffer& b : shader.buffers)
          if (a.tensor == b.tensor && (a.isWritten || b.isWritten) &&
              seen.insert(earlier->name).second)
            list.push_back(earlier->name);
    return list;
  }

  const DeviceCode& kernel_;
  std::vector<std::string> around_;
  std::vector<const Shader*> before_;
};

}  // namespace

Result<std::string> emitDeviceManifest(const std::vector<DeviceCode>& kernels,
                                       const COptions& options) {
  Array list;
  for (const DeviceCode& kernel : kernels) {
    Object object =
        kernelObject(*kernel.contract, options, devicePrototypesOf(*kernel.contract, options));
    DispatchList walked(kernel);
    object["dispatches"] = std::move(walked.dispatches);
    object["temporaries"] = std::move(walked.temporaries);
    list.push_back(std::move(object));
  }
  Object more{{"device", "vulkan"}, {"prototypes", deviceLibraryDeclarations(options)}};
  return manifestText(options, std::move(list), std::move(more));
}

}  // namespace einc::emit
