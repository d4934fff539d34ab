// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "runtime/vulkan/internal.h"

// --- checks -----------------------------------------------------------------------------------

static einc_vk_status check_interface(const einc_vk_device_info *info,
                                      const einc_vk_kernel_description *d) {
  if (d->buffer_count > info->max_buffers) {
    return einc_vk_fail(EINC_VK_TOO_MANY_BUFFERS, "%u buffers, the device binds %u",
                        (unsigned)d->buffer_count, (unsigned)info->max_buffers);
  }
  if (d->push_bytes > info->max_push_bytes) {
    return einc_vk_fail(EINC_VK_PUSH_TOO_LARGE, "push constants: %u bytes, the device takes %u",
                        (unsigned)d->push_bytes, (unsigned)info->max_push_bytes);
  }
  if (d->push_bytes % 4 != 0 || (d->constant_count > 0 && d->constants == NULL)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "push_bytes or constants");
  }
  if (d->buffer_count < 32 && d->written >> d->buffer_count != 0) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "`written` has bits past buffer_count");
  }
  if (d->splits &&
      (d->base_offset % 4 != 0 || d->push_bytes < 12 || d->base_offset > d->push_bytes - 12)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "no 12 bytes at base_offset %u",
                        (unsigned)d->base_offset);
  }
  return EINC_VK_OK;
}

static einc_vk_status check_workgroup(const einc_vk_device_info *info,
                                      const einc_vk_kernel_description *d) {
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    if (d->workgroup_size[i] == 0) {
      return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "workgroup_size[%d] is 0", i);
    }
    if (d->workgroup_size[i] > info->max_workgroup_size[i]) {
      return einc_vk_fail(EINC_VK_WORKGROUP_TOO_LARGE, "workgroup_size[%d] is %u, at most %u", i,
                          (unsigned)d->workgroup_size[i], (unsigned)info->max_workgroup_size[i]);
    }
    if (invocations <= info->max_workgroup_invocations) invocations *= d->workgroup_size[i];
  }
  if (invocations > info->max_workgroup_invocations) {
    return einc_vk_fail(EINC_VK_WORKGROUP_TOO_LARGE, "%llu invocations, at most %u",
                        (unsigned long long)invocations, (unsigned)info->max_workgroup_invocations);
  }
  if (d->shared_bytes > info->max_shared_bytes) {
    return einc_vk_fail(EINC_VK_SHARED_TOO_LARGE, "%u bytes of shared memory, at most %u",
                        (unsigned)d->shared_bytes, (unsigned)info->max_shared_bytes);
  }
  return EINC_VK_OK;
}

static einc_vk_status check(einc_vk_context *context, const einc_vk_kernel_description *d) {
  const einc_vk_device_info *info = &context->info;
  uint32_t features = d->features;
  einc_vk_status status = einc_vk_alive(context);
  if (status == EINC_VK_OK) status = check_interface(info, d);
  if (status == EINC_VK_OK) status = check_workgroup(info, d);
  if (status == EINC_VK_OK) status = einc_vk_check_spirv(d, info->api, &features);
  if (status != EINC_VK_OK) return status;
  const uint32_t missing = features & ~info->features;
  if (missing == 0) return EINC_VK_OK;
  return einc_vk_fail(EINC_VK_MISSING_FEATURE, "%s lacks features %x (bits of einc_vk_feature)",
                      info->name, (unsigned)missing);
}

// --- making -----------------------------------------------------------------------------------

static einc_vk_status make_layouts(einc_vk_kernel *kernel) {
  einc_vk_context *context = kernel->context;
  const einc_vk_functions *vk = &context->vk;
  VkDescriptorSetLayoutBinding bindings[EINC_VK_MAX_BUFFERS];
  for (uint32_t i = 0; i < kernel->buffer_count; ++i) {
    const VkDescriptorSetLayoutBinding binding = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    bindings[i] = binding;
  }
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = kernel->buffer_count,
      .pBindings = bindings};
  VkDescriptorSetLayout set_layout;
  einc_vk_status status = einc_vk_check(
      context, vk->CreateDescriptorSetLayout(context->device, &set_info, NULL, &set_layout),
      "vkCreateDescriptorSetLayout");
  if (status != EINC_VK_OK) return status;
  kernel->set_layout = set_layout;

  const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->push_bytes};
  const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .setLayoutCount = 1,
                                           .pSetLayouts = &set_layout,
                                           .pushConstantRangeCount = kernel->push_bytes > 0,
                                           .pPushConstantRanges = &push};
  VkPipelineLayout layout;
  status = einc_vk_check(context, vk->CreatePipelineLayout(context->device, &info, NULL, &layout),
                         "vkCreatePipelineLayout");
  if (status == EINC_VK_OK) kernel->layout = layout;
  return status;
}

static einc_vk_status make_module(einc_vk_context *context, const einc_vk_kernel_description *d,
                                  VkShaderModule *module) {
  uint32_t *words = NULL;
  size_t bytes;
  einc_vk_status status = einc_vk_keep_floats(d, context->info.features, &words, &bytes);
  if (status != EINC_VK_OK) return status;
  const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
  status =
      einc_vk_check(context, context->vk.CreateShaderModule(context->device, &info, NULL, module),
                    "vkCreateShaderModule");
  free(words);
  return status;
}

static einc_vk_status make_pipeline(einc_vk_kernel *kernel, VkShaderModule module,
                                    const einc_vk_kernel_description *d) {
  einc_vk_context *context = kernel->context;
  VkSpecializationMapEntry *entries =
      (VkSpecializationMapEntry *)calloc((size_t)d->constant_count + 1, sizeof(*entries));
  if (entries == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "constants");
  for (uint32_t i = 0; i < d->constant_count; ++i) {
    entries[i].constantID = d->constants[i].id;
    entries[i].offset =
        (uint32_t)(i * sizeof(einc_vk_constant) + offsetof(einc_vk_constant, value));
    entries[i].size = sizeof(uint32_t);
  }
  const VkSpecializationInfo constants = {
      d->constant_count, entries, d->constant_count * sizeof(einc_vk_constant), d->constants};
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = d->entry_point != NULL ? d->entry_point : "main",
                .pSpecializationInfo = d->constant_count > 0 ? &constants : NULL},
      .layout = kernel->layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const einc_vk_status status =
      einc_vk_check(context,
                    context->vk.CreateComputePipelines(context->device, context->cache, 1, &info,
                                                       NULL, &pipeline),
                    "vkCreateComputePipelines");
  if (status == EINC_VK_OK) kernel->pipeline = pipeline;
  free(entries);
  return status;
}

static void destroy(einc_vk_kernel *kernel) {
  einc_vk_context *context = kernel->context;
  const einc_vk_functions *vk = &context->vk;
  vk->DestroyPipeline(context->device, kernel->pipeline, NULL);
  vk->DestroyPipelineLayout(context->device, kernel->layout, NULL);
  vk->DestroyDescriptorSetLayout(context->device, kernel->set_layout, NULL);
  free(kernel);
  einc_vk_context_release(context);
}

einc_vk_status einc_vk_kernel_create(einc_vk_context *context,
                                     const einc_vk_kernel_description *description,
                                     einc_vk_kernel **kernel) {
  if (context == NULL || description == NULL || kernel == NULL) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_kernel_create");
  }
  einc_vk_status status = check(context, description);
  if (status != EINC_VK_OK) return status;
  einc_vk_kernel *made = (einc_vk_kernel *)calloc(1, sizeof(*made));
  if (made == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "kernel");
  made->context = context;
  made->references = 1;
  made->buffer_count = description->buffer_count;
  made->written = description->written;
  made->push_bytes = description->push_bytes;
  made->splits = description->splits;
  made->base_offset = description->base_offset;
  einc_vk_retain(context, &context->references);

  VkShaderModule module;
  status = make_layouts(made);
  if (status == EINC_VK_OK) status = make_module(context, description, &module);
  if (status == EINC_VK_OK) {
    status = make_pipeline(made, module, description);
    context->vk.DestroyShaderModule(context->device, module, NULL);
  }
  if (status != EINC_VK_OK) {
    destroy(made);
    return status;
  }
  *kernel = made;
  return EINC_VK_OK;
}

void einc_vk_kernel_release(const einc_vk_kernel *kernel) {
  einc_vk_kernel *released = (einc_vk_kernel *)kernel;
  if (einc_vk_release(released->context, &released->references)) destroy(released);
}

void einc_vk_kernel_free(einc_vk_kernel *kernel) {
  if (kernel != NULL) einc_vk_kernel_release(kernel);
}
