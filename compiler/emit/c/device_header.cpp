// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C header of a library of kernels for Vulkan devices.
#include <map>

#include "compiler/emit/c/device.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/c/types.h"
#include "compiler/emit/text/signature.h"

namespace einc::emit {
namespace {

const char* const kContract =
    R"(Kernels for a Vulkan device. LIB_vulkan_create makes them ready on the device of a context (see
runtime/vulkan/vk.h); a shader is compiled when it is first used. LIB_vulkan_free frees them, at any
time: what is running still ends, and the context may be freed before.

NAME_vulkan checks its arguments, submits its dispatches as one run and returns at once; the event,
which the caller frees, is as of einc_vk_run. A tensor is a part of a buffer: `allocated` is its
einc_vk_buffer, cast; `aligned` is not looked at; its element (i, j) is element offset + i *
strides[0] + j * strides[1] from the buffer's begin. All of them must lie in the buffer, and what the
shaders compute with, indices, sizes and strides, in 32 bits. Sizes and strides count elements.
Strides may be zero or negative on inputs. An output must not overlap itself or another tensor; an
input may be the very same view as an output where each element is read last in the iteration that
overwrites it. Nothing else of a buffer is touched.

What is wrong is the status: up to -99 einc_status_string explains it, from -100 on
einc_vk_status_string, and einc_vk_last_message may say more. Then nothing runs, and outputs are
untouched. Statuses of both kinds share one type: they have no number in common.
NAME_vulkan_supported asks whether NAME_vulkan would be taken, and runs nothing.

Kernels may be called from many threads at once. Local tensors live in buffers of the library's; it
keeps a few until it is freed, for later calls.

f16 and bf16 are passed as uint16_t, bool as uint8_t (0 is false, all else true; written as 0 or 1).)";

}  // namespace

std::vector<Prototype> devicePrototypesOf(const ir::Kernel& kernel, const COptions& options) {
  Signature signature(kernel);
  std::string name = functionName(kernel.name, options.prefix) + "_vulkan";
  std::string kernels = signature.names.make("kernels"), event = signature.names.make("event");
  std::string parameters =
      deviceLibraryName(options) + "_kernels *" + kernels + ", " + signature.declarations();
  return {{"einc_status ", name, parameters + ", einc_vk_event **" + event},
          {"einc_status ", name + "_supported", parameters}};
}

std::vector<std::string> deviceExportedNames(const std::vector<DeviceCode>& kernels,
                                             const COptions& options) {
  const std::string library = deviceLibraryName(options);
  std::vector<std::string> names = {library + "_create", library + "_free"};
  for (const DeviceCode& kernel : kernels)
    for (const Prototype& prototype : devicePrototypesOf(*kernel.contract, options))
      names.push_back(prototype.name);
  return names;
}

std::string deviceLibraryDeclarations(const COptions& options) {
  std::string library = deviceLibraryName(options), type = library + "_kernels";
  return "typedef struct " + type + " " + type + ";\neinc_status " + library +
         "_create(einc_vk_context *context, " + type + " **kernels);\nvoid " + library + "_free(" +
         type + " *kernels);\n";
}

std::optional<Reason> findDeviceNameClash(const std::vector<DeviceCode>& kernels,
                                          const COptions& options) {
  std::map<std::string, std::string> seen;
  for (const DeviceCode& kernel : kernels) {
    const std::string& def = kernel.contract->name;
    for (const Prototype& prototype : devicePrototypesOf(*kernel.contract, options)) {
      const std::string& function = prototype.name;
      auto [it, isNew] = seen.try_emplace(function, def);
      if (!isNew)
        return Reason{"defs '" + it->second + "' and '" + def + "' both have the C function '" +
                      function + "'; rename one"};
    }
  }
  return std::nullopt;
}

Result<std::string> emitDeviceHeader(const std::vector<DeviceCode>& kernels,
                                     const COptions& options) {
  if (auto reason = findDeviceNameClash(kernels, options)) return *reason;
  std::vector<const ir::Kernel*> contracts;
  for (const DeviceCode& kernel : kernels) contracts.push_back(kernel.contract);
  std::string text =
      statusType() + descriptorTypes(contracts, {}) + "\n" + deviceLibraryDeclarations(options);
  for (const DeviceCode& kernel : kernels) {
    text += "\n" + kernelComment(*kernel.contract);
    for (const Prototype& prototype : devicePrototypesOf(*kernel.contract, options))
      text += prototype.text() + ";\n";
  }
  return headerText(options, kContract, "#include <stdint.h>\n\n#include \"runtime/vulkan/vk.h\"\n",
                    text, /*overloads=*/"");
}

}  // namespace einc::emit
