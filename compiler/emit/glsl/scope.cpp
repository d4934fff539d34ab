// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/scope.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace einc::emit {
namespace {

using ir::ScalarType;
using Kind = ShaderConstant::Kind;

// What every Vulkan device has.
constexpr unsigned kPushBytes = 128;
constexpr unsigned kBaseBytes = 12;

// The type that a push constant has for a value of this type.
ScalarType constantType(ScalarType type) {
  const ir::TypeInfo& info = ir::info(type);
  if (type == ScalarType::Bool) return ScalarType::U32;
  if (info.bits >= 32) return type;
  if (info.isFloat()) return ScalarType::F32;
  return info.isSigned() ? ScalarType::I32 : ScalarType::U32;
}

// Those of 8 bytes first, so that there are no gaps; then as people would list them.
using Place = std::tuple<bool, unsigned, unsigned, bool, unsigned>;
Place placeOf(const ShaderConstant& c) {
  bool isSmall = registerBytes(c.type) < 8;
  unsigned group = c.kind == Kind::Symbol ? 0 : c.kind == Kind::Attribute ? 1 : 2;
  return {isSmall, group, c.tensor, c.kind == Kind::Stride, c.dim};
}

}  // namespace

std::string qualifier(ScalarType type) { return ir::info(type).isFloat() ? "precise " : ""; }

unsigned registerBytes(ScalarType type) { return std::max(4u, ir::info(type).bytes()); }

ShaderScope::ShaderScope(const ir::Kernel& kernel) : kernel_(kernel) {
  for (unsigned d = 0; d < 3; ++d)
    base_[d] = reference(names_.make(std::string("base_") + static_cast<char>('x' + d)));
  push_ = names_.make("Push");
  block_ = names_.make("Constants");
  for (const ir::Tensor& tensor : kernel.tensors) {
    data_.push_back(reference(names_.make(tensor.name)));
    bufferBlocks_.push_back(names_.make(tensor.name + "_block"));
  }
  for (const std::string& size : kernel.sizeSymbols()) symbol(size);
}

const std::string& ShaderScope::local(const std::string& name) {
  auto found = locals_.find(name);
  if (found == locals_.end()) found = locals_.emplace(name, fresh(name)).first;
  return found->second;
}

std::string ShaderScope::data(unsigned tensor, int64_t lanes) {
  auto [found, isNew] = wide_.try_emplace({tensor, lanes});
  if (isNew) found->second = fresh(kernel_.tensors[tensor].name + "_x" + std::to_string(lanes));
  return found->second;
}

std::string ShaderScope::constant(ShaderConstant c, const std::string& wanted) {
  for (const ShaderConstant& known : constants_)
    if (known.kind == c.kind && known.symbol == c.symbol && known.tensor == c.tensor &&
        known.dim == c.dim && known.attribute.attribute == c.attribute.attribute &&
        known.attribute.element == c.attribute.element)
      return reference(known.name);
  c.name = names_.make(wanted);
  constants_.push_back(c);
  return reference(c.name);
}

// "strides[1]" is strides_1.
std::string ShaderScope::symbol(const std::string& name) {
  std::string wanted;
  for (char c : name)
    if (c != ']') wanted += c == '[' ? '_' : c;
  ShaderConstant c{.kind = Kind::Symbol, .name = ""};
  c.symbol = name;
  return constant(c, wanted);
}

std::string ShaderScope::offset(unsigned tensor) {
  ShaderConstant c{.kind = Kind::Offset, .name = ""};
  c.tensor = tensor;
  return constant(c, kernel_.tensors[tensor].name + "_offset");
}

std::string ShaderScope::stride(unsigned tensor, unsigned dim) {
  ShaderConstant c{.kind = Kind::Stride, .name = ""};
  c.tensor = tensor;
  c.dim = dim;
  return constant(c, kernel_.tensors[tensor].name + "_stride_" + std::to_string(dim));
}

std::string ShaderScope::attribute(const ir::AttributeRef& reference) {
  const ir::Attribute& a = kernel_.attributes[reference.attribute];
  ShaderConstant c{.kind = Kind::Attribute, .name = ""};
  c.attribute = reference;
  c.type = constantType(a.type);
  bool isScalar = a.shape.empty() && !a.list;
  std::string name =
      constant(c, isScalar ? a.name : a.name + "_" + std::to_string(reference.element));
  return a.type == ScalarType::Bool ? "(" + name + " != 0u)" : name;
}

// ---- Declarations -------------------------------------------------------------------------------

void ShaderScope::describe(const References& used, const std::map<unsigned, bool>& reads,
                           const std::map<unsigned, bool>& writes, Shader& shader) const {
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
    if (reads.count(t) || writes.count(t))
      shader.buffers.push_back(
          {t, reads.count(t) != 0, writes.count(t) != 0, kernel_.tensors[t].type});
  std::map<std::pair<Place, size_t>, ShaderConstant> sorted;
  for (const ShaderConstant& c : constants_)
    if (used.count(reference(c.name)) != 0) sorted.emplace(std::pair(placeOf(c), sorted.size()), c);
  for (const auto& [place, c] : sorted) shader.constants.push_back(c);
  unsigned bytes = 0;
  for (ShaderConstant& c : shader.constants) {
    c.offset = bytes;
    bytes += registerBytes(c.type);
  }
  shader.constantsInBuffer = bytes + kBaseBytes > kPushBytes;
  shader.constantBytes = shader.constantsInBuffer ? bytes : 0;
  ShaderConstant base{.kind = Kind::Base, .name = "base"};
  base.type = ScalarType::U32;
  base.offset = shader.constantsInBuffer ? 0 : bytes;
  shader.constants.push_back(base);
  shader.pushBytes = base.offset + kBaseBytes;
}

void ShaderScope::declareBuffers(const References& used, bool seesBuffers, const Shader& shader,
                                 GlslPrelude& prelude, TextWriter& out) const {
  for (unsigned binding = 0; binding < shader.buffers.size(); ++binding) {
    const ShaderBuffer& buffer = shader.buffers[binding];
    const ir::Tensor& tensor = kernel_.tensors[buffer.tensor];
    prelude.needType(tensor.type, /*inMemory=*/true);
    bool coherent = buffer.isRead && buffer.isWritten && seesBuffers;
    std::string layout = "layout(set = 0, binding = " + std::to_string(binding) + ", std430) " +
                         (coherent ? "coherent " : "") + (buffer.isWritten ? "" : "readonly ") +
                         (buffer.isRead ? "" : "writeonly ") + "buffer ";
    auto declare = [&](const std::string& block, const std::string& name, int64_t lanes) {
      if (used.count(name) != 0)
        out.line(layout + block + " { " + (buffer.isWritten ? qualifier(tensor.type) : "") +
                 storageType({tensor.type, lanes}) + " " + name + "[]; };");
    };
    declare(bufferBlocks_[buffer.tensor], data_[buffer.tensor], 1);
    for (const auto& [key, name] : wide_)
      if (key.first == buffer.tensor) declare(name + "_block", name, key.second);
  }
}

// Members of one type in one line, as long as they are of one kind and tensor.
void ShaderScope::declareConstants(const Shader& shader, TextWriter& out) const {
  const std::string own = "layout(set = 0, binding = " + std::to_string(shader.buffers.size()) +
                          ", std430) readonly buffer " + block_ + " {";
  const std::string push = "layout(push_constant) uniform " + push_ + " {";
  out.open(shader.constantsInBuffer ? own : push);
  std::string line;
  for (size_t i = 0; i + 1 < shader.constants.size(); ++i) {
    const ShaderConstant& c = shader.constants[i];
    line += line.empty() ? registerType({c.type}) + " " + c.name : ", " + c.name;
    const ShaderConstant& next = shader.constants[i + 1];
    bool goesOn = next.kind != Kind::Base && next.type == c.type && next.tensor == c.tensor &&
                  (next.kind == Kind::Symbol) == (c.kind == Kind::Symbol);
    if (goesOn) continue;
    out.line(line + ";");
    line.clear();
  }
  if (shader.constantsInBuffer) {
    out.close("};");
    out.open(push);
  }
  out.line("uint " + base_[0] + ", " + base_[1] + ", " + base_[2] + ";  // the first workgroup");
  out.close("};");
}

}  // namespace einc::emit
