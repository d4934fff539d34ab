// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device_library.h"

#include <regex>
#include <set>

#include "runtime/vulkan/sources.h"

namespace einc::driver {
namespace {

// The functions that the runtime's public headers declare.
std::vector<std::string> runtimeNames() {
  std::set<std::string> names;
  for (const RuntimeFile& file : runtimeFiles()) {
    if (!file.isPublic || !file.path.ends_with(".h")) continue;
    const std::string text(file.text);
    // At the start of a line, as a type does; not in a comment, which starts with " *".
    static const std::regex declaration("(?:^|\n)[a-z][\\w ]*[ *](einc_\\w+)\\(");
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it)
      names.insert((*it)[1]);
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<emit::DeviceCode> deviceCodes(const std::vector<DeviceKernel>& kernels) {
  std::vector<emit::DeviceCode> codes;
  for (const DeviceKernel& kernel : kernels)
    codes.push_back(
        {&kernel.contract, &kernel.code, kernel.schedule, &kernel.shaders, &kernel.modules});
  return codes;
}

Result<LibraryTexts> deviceTexts(const std::vector<DeviceKernel>& kernels,
                                 const std::string& library, const NamingOptions& naming) {
  std::vector<emit::DeviceCode> codes = deviceCodes(kernels);
  emit::COptions options;
  options.library = library;
  options.prefix = naming.prefix;
  options.plant = naming.plant;
  auto code = emit::emitDeviceC(codes, options);
  if (!code) return Reason{code.reason()};
  auto header = emit::emitDeviceHeader(codes, options);
  if (!header) return Reason{header.reason()};
  auto manifest = emit::emitDeviceManifest(codes, options);
  if (!manifest) return Reason{manifest.reason()};
  std::vector<std::string> exported = emit::deviceExportedNames(codes, options);
  for (std::string& name : runtimeNames()) exported.push_back(std::move(name));
  return LibraryTexts{{{library + ".c", *code}}, *header, *manifest, exported};
}

const std::vector<RuntimeFile>& runtimeFiles() {
  static const std::vector<RuntimeFile> files = {
      {"runtime/checked.h", runtime::kCheckedHeader, false},
      {"runtime/layout.c", runtime::kLayout, false},
      {"runtime/layout.h", runtime::kLayoutHeader, true},
      {"runtime/layout_overlap.c", runtime::kLayoutOverlap, false},
      {"runtime/memref.c", runtime::kMemref, false},
      {"runtime/memref.h", runtime::kMemrefHeader, true},
      {"runtime/status.c", runtime::kStatus, false},
      {"runtime/status.def", runtime::kStatusTable, true},
      {"runtime/status.h", runtime::kStatusHeader, true},
      {"runtime/vulkan/buffer.c", runtime::kVulkanBuffer, false},
      {"runtime/vulkan/cache.c", runtime::kVulkanCache, false},
      {"runtime/vulkan/context.c", runtime::kVulkanContext, false},
      {"runtime/vulkan/device.c", runtime::kVulkanDevice, false},
      {"runtime/vulkan/event.c", runtime::kVulkanEvent, false},
      {"runtime/vulkan/float.c", runtime::kVulkanFloat, false},
      {"runtime/vulkan/internal.h", runtime::kVulkanInternalHeader, false},
      {"runtime/vulkan/kernel.c", runtime::kVulkanKernel, false},
      {"runtime/vulkan/loader.c", runtime::kVulkanLoader, false},
      {"runtime/vulkan/push.c", runtime::kVulkanPush, false},
      {"runtime/vulkan/run.c", runtime::kVulkanRun, false},
      {"runtime/vulkan/spirv.c", runtime::kVulkanSpirv, false},
      {"runtime/vulkan/status.c", runtime::kVulkanStatus, false},
      {"runtime/vulkan/status.def", runtime::kVulkanStatusTable, true},
      {"runtime/vulkan/vk.h", runtime::kVulkanHeader, true},
  };
  return files;
}

}  // namespace einc::driver
