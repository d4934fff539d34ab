// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device.h"

#include "compiler/driver/device_here.h"

namespace einc::driver {

bool isForDevice(const CodeOptions& options) { return options.targets.front()->device != nullptr; }

Result<Targets> deviceTargets(const Request& request) {
  if (!request.targets.empty()) return Targets();
  auto here = deviceHere(request.device);
  if (!here) return Reason{here.reason()};
  return Targets{*here};
}

std::variant<std::vector<DeviceKernel>, ExitCode> compileForDevice(const ir::Module& module,
                                                                   const CodeOptions& options,
                                                                   const Tracing& tracing,
                                                                   const std::string& plant) {
  if (options.targets.size() > 1)
    return static_cast<ExitCode>(
        fail(kBadCommandLine, "--target: shaders are made for one kind of device"));
  auto compiled = compile(module, options, tracing);
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  std::vector<DeviceKernel> kernels;
  for (Compiled& c : std::get<std::vector<Compiled>>(compiled)) {
    DeviceKernel kernel{
        std::move(c.contract), std::move(c.codes.front()), c.schedules.front(), {}, {}};
    kernel.shaders = emit::emitGlsl(kernel.code, kernel.schedule, {.plant = plant});
    auto modules = compileShaders(kernel.shaders);
    if (auto* code = std::get_if<ExitCode>(&modules)) return *code;
    kernel.modules = std::move(std::get<std::vector<spirv::Words>>(modules));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace einc::driver
