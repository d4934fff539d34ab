// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/reflect.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "compiler/spirv/session.h"
#include "compiler/spirv/tools.h"
#include "compiler/support/text_writer.h"

namespace einc::spirv {
namespace {

const char* nameOf(spvc_basetype type) {
  switch (type) {
    case SPVC_BASETYPE_BOOLEAN:
      return "bool";
    case SPVC_BASETYPE_INT8:
      return "i8";
    case SPVC_BASETYPE_UINT8:
      return "u8";
    case SPVC_BASETYPE_INT16:
      return "i16";
    case SPVC_BASETYPE_UINT16:
      return "u16";
    case SPVC_BASETYPE_INT32:
      return "i32";
    case SPVC_BASETYPE_UINT32:
      return "u32";
    case SPVC_BASETYPE_INT64:
      return "i64";
    case SPVC_BASETYPE_UINT64:
      return "u64";
    case SPVC_BASETYPE_FP16:
      return "f16";
    case SPVC_BASETYPE_FP32:
      return "f32";
    case SPVC_BASETYPE_FP64:
      return "f64";
    default:
      return "";
  }
}

// Of a scalar or vector, or of the elements of an array of `dimensions` dimensions; "" otherwise.
std::string typeName(spvc_type type, unsigned dimensions = 0) {
  std::string name = nameOf(spvc_type_get_basetype(type));
  if (name.empty() || spvc_type_get_columns(type) != 1 ||
      spvc_type_get_num_array_dimensions(type) != dimensions)
    return "";
  unsigned lanes = spvc_type_get_vector_size(type);
  return lanes == 1 ? name : name + "x" + std::to_string(lanes);
}

// Scalars only; nothing if an array's length is not a number, or the sum is too large for one.
std::optional<uint64_t> bytesOf(spvc_compiler compiler, spvc_type type) {
  uint64_t bytes = 0;
  if (spvc_type_get_basetype(type) == SPVC_BASETYPE_STRUCT) {
    for (unsigned i = 0; i < spvc_type_get_num_member_types(type); ++i) {
      spvc_type_id member = spvc_type_get_member_type(type, i);
      auto size = bytesOf(compiler, spvc_compiler_get_type_handle(compiler, member));
      if (!size || __builtin_add_overflow(bytes, *size, &bytes)) return std::nullopt;
    }
  } else {
    bool isBool = spvc_type_get_basetype(type) == SPVC_BASETYPE_BOOLEAN;
    bytes = uint64_t{isBool ? 4 : spvc_type_get_bit_width(type) / 8} *
            spvc_type_get_vector_size(type) * spvc_type_get_columns(type);
  }
  for (unsigned i = 0; i < spvc_type_get_num_array_dimensions(type); ++i) {
    if (!spvc_type_array_dimension_is_literal(type, i) ||
        __builtin_mul_overflow(bytes, spvc_type_get_array_dimension(type, i), &bytes))
      return std::nullopt;
  }
  return bytes;
}

void refuseOtherResources(const Session& session) {
  for (spvc_resource_type type :
       {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, SPVC_RESOURCE_TYPE_SUBPASS_INPUT,
        SPVC_RESOURCE_TYPE_STORAGE_IMAGE, SPVC_RESOURCE_TYPE_SAMPLED_IMAGE,
        SPVC_RESOURCE_TYPE_ATOMIC_COUNTER, SPVC_RESOURCE_TYPE_SEPARATE_IMAGE,
        SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE}) {
    for (const auto& resource : session.resources(type))
      throw CrossError{std::string("'") + resource.name +
                       "' is neither a storage buffer nor push constants"};
  }
}

std::vector<StorageBuffer> buffersOf(const Session& session) {
  spvc_compiler compiler = session.compiler();
  std::vector<StorageBuffer> result;
  for (const auto& resource : session.resources(SPVC_RESOURCE_TYPE_STORAGE_BUFFER)) {
    StorageBuffer buffer;
    buffer.name = resource.name;
    buffer.set = spvc_compiler_get_decoration(compiler, resource.id, SpvDecorationDescriptorSet);
    buffer.binding = spvc_compiler_get_decoration(compiler, resource.id, SpvDecorationBinding);
    if (spvc_type_get_num_array_dimensions(
            spvc_compiler_get_type_handle(compiler, resource.type_id)) != 0)
      throw CrossError{"'" + buffer.name + "' is an array of storage buffers"};

    const SpvDecoration* decorations = nullptr;
    size_t count = 0;
    session.check(
        spvc_compiler_get_buffer_block_decorations(compiler, resource.id, &decorations, &count));
    auto has = [&](SpvDecoration decoration) {
      return std::find(decorations, decorations + count, decoration) != decorations + count;
    };
    buffer.isReadonly = has(SpvDecorationNonWritable);
    buffer.isWriteonly = has(SpvDecorationNonReadable);

    spvc_type block = spvc_compiler_get_type_handle(compiler, resource.base_type_id);
    if (spvc_type_get_num_member_types(block) == 1) {
      spvc_type_id array = spvc_type_get_member_type(block, 0);
      spvc_type type = spvc_compiler_get_type_handle(compiler, array);
      if (spvc_type_get_num_array_dimensions(type) == 1) {
        buffer.element = typeName(type, 1);
        session.check(
            spvc_compiler_type_struct_member_array_stride(compiler, block, 0, &buffer.stride));
      }
    }
    result.push_back(std::move(buffer));
  }
  std::ranges::sort(result, {}, [](const auto& b) { return std::tuple(b.set, b.binding, b.name); });
  return result;
}

void readPushConstants(const Session& session, Interface& result) {
  auto blocks = session.resources(SPVC_RESOURCE_TYPE_PUSH_CONSTANT);
  if (blocks.size() > 1) throw CrossError{"more than one block of push constants"};
  if (blocks.empty()) return;
  spvc_compiler compiler = session.compiler();
  spvc_type block = spvc_compiler_get_type_handle(compiler, blocks[0].base_type_id);
  size_t bytes = 0;
  session.check(spvc_compiler_get_declared_struct_size(compiler, block, &bytes));
  result.pushBytes = bytes;
  for (unsigned i = 0; i < spvc_type_get_num_member_types(block); ++i) {
    PushConstant member;
    member.name = spvc_compiler_get_member_name(compiler, blocks[0].base_type_id, i);
    member.type =
        typeName(spvc_compiler_get_type_handle(compiler, spvc_type_get_member_type(block, i)));
    session.check(spvc_compiler_type_struct_member_offset(compiler, block, i, &member.offset));
    session.check(spvc_compiler_get_declared_struct_member_size(compiler, block, i, &bytes));
    member.size = bytes;
    result.pushConstants.push_back(std::move(member));
  }
  std::ranges::sort(result.pushConstants, {}, &PushConstant::offset);
}

uint64_t bitsOf(spvc_constant constant, spvc_type type) {
  switch (spvc_type_get_basetype(type)) {
    case SPVC_BASETYPE_INT8:
    case SPVC_BASETYPE_INT16:
    case SPVC_BASETYPE_INT32:
      return static_cast<uint64_t>(int64_t{spvc_constant_get_scalar_i32(constant, 0, 0)});
    case SPVC_BASETYPE_INT64:
    case SPVC_BASETYPE_UINT64:
    case SPVC_BASETYPE_FP64:  // the one access to 64 bits
      return std::bit_cast<uint64_t>(spvc_constant_get_scalar_fp64(constant, 0, 0));
    default:
      return spvc_constant_get_scalar_u32(constant, 0, 0);
  }
}

std::vector<SpecConstant> specConstantsOf(const Session& session) {
  spvc_compiler compiler = session.compiler();
  const spvc_specialization_constant* list = nullptr;
  size_t count = 0;
  session.check(spvc_compiler_get_specialization_constants(compiler, &list, &count));
  std::vector<SpecConstant> result;
  for (size_t i = 0; i < count; ++i) {
    spvc_constant constant = spvc_compiler_get_constant_handle(compiler, list[i].id);
    spvc_type type = spvc_compiler_get_type_handle(compiler, spvc_constant_get_type(constant));
    result.push_back({list[i].constant_id, spvc_compiler_get_name(compiler, list[i].id),
                      typeName(type), bitsOf(constant, type)});
  }
  std::ranges::sort(result, {}, [](const auto& c) { return std::tuple(c.id, c.name); });
  return result;
}

std::array<WorkgroupDim, 3> workgroupOf(const Session& session) {
  spvc_compiler compiler = session.compiler();
  std::array<spvc_specialization_constant, 3> specs{};
  // gl_WorkGroupSize, if there is such a constant: it counts, whatever the execution mode says.
  spvc_constant_id size = spvc_compiler_get_work_group_size_specialization_constants(
      compiler, specs.data(), &specs[1], &specs[2]);
  std::array<WorkgroupDim, 3> result;
  for (unsigned i = 0; i < 3; ++i) {
    if (specs[i].id != 0) {
      spvc_constant constant = spvc_compiler_get_constant_handle(compiler, specs[i].id);
      result[i] = {spvc_constant_get_scalar_u32(constant, 0, 0), specs[i].constant_id};
    } else if (size != 0) {
      spvc_constant constant = spvc_compiler_get_constant_handle(compiler, size);
      result[i].size = spvc_constant_get_scalar_u32(constant, 0, i);
    } else {
      result[i].size = spvc_compiler_get_execution_mode_argument_by_index(
          compiler, SpvExecutionModeLocalSize, i);
    }
  }
  return result;
}

// Of variables of these types, which are pointers.
std::optional<uint64_t> bytesOf(const Session& session, const std::vector<uint32_t>& types) {
  uint64_t sum = 0;
  for (uint32_t type : types) {
    auto bytes =
        bytesOf(session.compiler(), spvc_compiler_get_type_handle(session.compiler(), type));
    if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
  }
  return sum;
}

// SPIRV-Cross does not list shared variables, nor compute lengths from specialisation constants.
std::optional<uint64_t> sharedBytesOf(const Session& session, const Module& module) {
  std::vector<uint32_t> types;
  forEachInstruction(module, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode == SpvOpVariable && operands[2] == SpvStorageClassWorkgroup)
      types.push_back(operands[0]);
  });
  if (auto bytes = bytesOf(session, types)) return bytes;
  Result<Module> fixed = specialise(module);  // keeps ids of types
  if (!fixed) return std::nullopt;
  return bytesOf(Session(*fixed, SPVC_BACKEND_NONE), types);
}

std::vector<std::string> capabilitiesOf(const Session& session) {
  const SpvCapability* list = nullptr;
  size_t count = 0;
  session.check(spvc_compiler_get_declared_capabilities(session.compiler(), &list, &count));
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) result.push_back(nameOfCapability(list[i]));
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

}  // namespace

Result<Interface> reflect(const Module& module) {
  return guarded<Interface>([&] {
    Session session(module, SPVC_BACKEND_NONE);
    refuseOtherResources(session);
    Interface result;
    result.buffers = buffersOf(session);
    readPushConstants(session, result);
    result.specConstants = specConstantsOf(session);
    result.workgroup = workgroupOf(session);
    result.sharedBytes = sharedBytesOf(session, module);
    result.capabilities = capabilitiesOf(session);
    return result;
  });
}

std::string str(const Interface& interface) {
  TextWriter out;
  auto number = [](auto value) { return std::to_string(value); };
  for (const StorageBuffer& b : interface.buffers)
    out.line("buffer " + number(b.set) + "." + number(b.binding) + " " + b.name +
             (b.isReadonly ? " readonly" : "") + (b.isWriteonly ? " writeonly" : "") +
             (b.element.empty() ? "" : " of " + b.element) +
             (b.stride == 0 ? "" : ", stride " + number(b.stride)));
  if (interface.pushBytes != 0)
    out.line("push constants: " + number(interface.pushBytes) + " bytes");
  for (const PushConstant& p : interface.pushConstants)
    out.line("  " + number(p.offset) + ": " + p.name + (p.type.empty() ? "" : " " + p.type) + ", " +
             number(p.size) + " bytes");
  for (const SpecConstant& c : interface.specConstants)
    out.line("constant " + number(c.id) + (c.name.empty() ? "" : " " + c.name) + " " + c.type +
             ", bits " + number(c.bits));
  out.line("workgroup " + joined(interface.workgroup, " x ", [&](const WorkgroupDim& dim) {
             return number(dim.size) +
                    (dim.specConstant ? " (constant " + number(*dim.specConstant) + ")" : "");
           }));
  out.line("shared: " + (interface.sharedBytes ? number(*interface.sharedBytes) : "unknown") +
           " bytes");
  out.line("capabilities: " + joined(interface.capabilities));
  return out.take();
}

}  // namespace einc::spirv
