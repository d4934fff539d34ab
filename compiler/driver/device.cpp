// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device.h"

#include "compiler/driver/compile.h"
#include "compiler/driver/device_here.h"
#include "compiler/emit/text/stored.h"

namespace einc::driver {

bool isForDevice(const CodeOptions& options) { return options.targets.front()->device != nullptr; }

Result<Targets> deviceTargets(const Request& request) {
  if (!request.targets.empty()) return Targets();
  auto here = deviceHere(request.device);
  if (!here) return Reason{here.reason()};
  return Targets{*here};
}

namespace {

// Arguments whose sizes are all known, and that no shader could go through: why not.
std::optional<Reason> refuseSizes(const ir::Kernel& kernel) {
  for (const ir::Tensor& tensor : kernel.tensors) {
    if (!ir::isArgument(tensor.role)) continue;
    double elements = 1;
    for (const affine::Expr& size : tensor.shape)
      elements *= static_cast<double>(size.asConstant().value_or(0));
    if (elements > INT32_MAX)
      return Reason{kernel.name + ": %" + tensor.name +
                    " has more than 2147483647 elements, and shaders count with 32 bits"};
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<DeviceKernel>, ExitCode> compileForDevice(const ir::Module& module,
                                                                   const CodeOptions& options,
                                                                   const Tracing& tracing,
                                                                   const std::string& plant,
                                                                   Spirv spirv) {
  if (options.targets.size() > 1)
    return static_cast<ExitCode>(
        fail(kBadCommandLine, "--target: shaders are made for one kind of device"));
  for (const ir::Kernel& kernel : module.kernels)
    if (auto reason = refuseSizes(kernel))
      return static_cast<ExitCode>(fail(kBadInput, reason->text));
  for (const ir::Kernel& kernel : module.kernels)
    if (auto reason = emit::refuseStored(kernel, "shaders have"))
      return static_cast<ExitCode>(fail(kBadInput, kernel.name + ": " + reason->text));
  auto compiled = compile(module, options, tracing);
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  std::vector<DeviceKernel> kernels;
  for (Compiled& c : std::get<std::vector<Compiled>>(compiled)) {
    DeviceKernel kernel{
        std::move(c.contract), std::move(c.codes.front()), c.schedules.front(), {}, {}};
    kernel.shaders =
        emit::emitGlsl(kernel.code, kernel.schedule,
                       {.unrolledRounds = options.targets.front()->device->numbers.unrolledRounds,
                        .plant = plant});
    auto modules = compileShaders(kernel.shaders, spirv);
    if (auto* code = std::get_if<ExitCode>(&modules)) return *code;
    kernel.modules = std::move(std::get<std::vector<spirv::Words>>(modules));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace einc::driver
