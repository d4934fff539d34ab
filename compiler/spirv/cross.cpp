// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/cross.h"

#include <algorithm>
#include <set>

#include "compiler/spirv/session.h"

namespace einc::spirv {
namespace {

spvc_compiler_options optionsOf(const Session& session) {
  spvc_compiler_options options = nullptr;
  session.check(spvc_compiler_create_compiler_options(session.compiler(), &options));
  return options;
}

void set(const Session& session, spvc_compiler_options options, spvc_compiler_option option,
         unsigned value) {
  session.check(spvc_compiler_options_set_uint(options, option, value));
}

void enable(const Session& session, spvc_compiler_options options, spvc_compiler_option option) {
  session.check(spvc_compiler_options_set_bool(options, option, SPVC_TRUE));
}

// Push constants follow the buffers.
void bindForMetal(const Session& session) {
  std::set<unsigned> bindings;
  for (const auto& buffer : session.resources(SPVC_RESOURCE_TYPE_STORAGE_BUFFER)) {
    unsigned binding =
        spvc_compiler_get_decoration(session.compiler(), buffer.id, SpvDecorationBinding);
    if (!bindings.insert(binding).second)
      throw CrossError{"two buffers have binding " + std::to_string(binding) +
                       ", which are one in Metal"};
  }
  spvc_msl_resource_binding push;
  spvc_msl_resource_binding_init(&push);
  push.stage = SpvExecutionModelGLCompute;
  push.desc_set = SPVC_MSL_PUSH_CONSTANT_DESC_SET;
  push.binding = SPVC_MSL_PUSH_CONSTANT_BINDING;
  push.msl_buffer = bindings.empty() ? 0 : *bindings.rbegin() + 1;
  session.check(spvc_compiler_msl_add_resource_binding(session.compiler(), &push));
}

void bindForHlsl(const Session& session) {
  spvc_compiler compiler = session.compiler();
  spvc_hlsl_resource_binding push;
  spvc_hlsl_resource_binding_init(&push);
  push.stage = SpvExecutionModelGLCompute;
  push.desc_set = SPVC_HLSL_PUSH_CONSTANT_DESC_SET;
  push.binding = SPVC_HLSL_PUSH_CONSTANT_BINDING;
  push.cbv.register_binding = 0;
  push.cbv.register_space = 0;
  session.check(spvc_compiler_hlsl_add_resource_binding(compiler, &push));
  if (spvc_variable_id groups = spvc_compiler_hlsl_remap_num_workgroups_builtin(compiler)) {
    spvc_compiler_set_decoration(compiler, groups, SpvDecorationDescriptorSet, 0);
    spvc_compiler_set_decoration(compiler, groups, SpvDecorationBinding, 1);
  }
}

}  // namespace

Result<std::string> toMsl(const Module& module) {
  return guarded<std::string>([&] {
    Session session(module, SPVC_BACKEND_MSL);
    spvc_compiler_options options = optionsOf(session);
    set(session, options, SPVC_COMPILER_OPTION_MSL_VERSION, SPVC_MAKE_MSL_VERSION(2, 2, 0));
    enable(session, options, SPVC_COMPILER_OPTION_MSL_ENABLE_DECORATION_BINDING);
    bindForMetal(session);
    return session.compile(options);
  });
}

Result<std::string> toHlsl(const Module& module) {
  return guarded<std::string>([&] {
    Session session(module, SPVC_BACKEND_HLSL);
    spvc_compiler_options options = optionsOf(session);
    set(session, options, SPVC_COMPILER_OPTION_HLSL_SHADER_MODEL, 62);
    enable(session, options, SPVC_COMPILER_OPTION_HLSL_ENABLE_16BIT_TYPES);
    bindForHlsl(session);
    return session.compile(options);
  });
}

Result<std::string> toGlsl(const Module& module) {
  return guarded<std::string>([&] {
    Session session(module, SPVC_BACKEND_GLSL);
    spvc_compiler_options options = optionsOf(session);
    set(session, options, SPVC_COMPILER_OPTION_GLSL_VERSION, 450);
    enable(session, options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS);
    return session.compile(options);
  });
}

}  // namespace einc::spirv
