// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/roofline.h"

#include <algorithm>
#include <utility>

#include "compiler/driver/bench_data.h"
#include "compiler/driver/device.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/parser.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// A software device has the caches of a CPU, and its speed.
constexpr int64_t kCopied = int64_t{1} << 28, kCopiedBySoftware = int64_t{1} << 26;
constexpr int64_t kElements = int64_t{1} << 23, kElementsOfSoftware = int64_t{1} << 18;
// Where only whether it runs counts, this part of them.
constexpr int64_t kPart = 16;
constexpr int kHeight = 190;  // of expressions: no spec may have much higher ones

bool isSoftware(const einc_vk_device_info& device) { return device.kind == EINC_VK_SOFTWARE; }

std::variant<Measure, ExitCode> measure(const std::string& text, int64_t size) {
  SourceFile source("roofline", text);
  Diagnostics errors(source);
  frontend::Spec spec = frontend::parse(source, errors);
  auto module = frontend::buildModule(spec, {}, errors);
  errors.print(llvm::errs());
  if (!module || errors.hasErrors())
    return static_cast<ExitCode>(failInternally("the roofline's spec is wrong", text));
  auto fixed = fixValues(module->kernels.front(), {{"N", size}}, {});
  if (!fixed) return static_cast<ExitCode>(failInternally(fixed.reason(), text));
  module->kernels.front() = *fixed;
  // Maps, for which nothing of a device's description counts.
  auto kernels = compileForDevice(*module, CodeOptions{{target::find("vulkan")}}, {});
  if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
  auto arguments = makeArguments(*fixed);
  if (!arguments) return static_cast<ExitCode>(fail(kBadInput, arguments.reason()));
  return Measure{std::move(std::get<std::vector<DeviceKernel>>(kernels).front()),
                 std::move(*arguments), 0};
}

// Of a floating-point type one function is a multiply-add, of integers two.
int degree(ir::ScalarType type) { return ir::info(type).isFloat() ? kHeight : kHeight / 2; }

std::string polynomial(ir::ScalarType type, const std::string& coefficient) {
  std::string value = "A(i)";
  for (int d = 0; d < degree(type); ++d)
    value = ir::info(type).isFloat() ? "fma(" + value + ", A(i), " + coefficient + ")"
                                     : "(" + value + " * A(i) + " + coefficient + ")";
  return value;
}

}  // namespace

ir::ScalarType arithmeticType(ir::ScalarType type) {
  const ir::TypeInfo& info = ir::info(type);
  if (type == ir::ScalarType::F64) return type;
  if (info.isFloat()) return ir::ScalarType::F32;
  return info.bits == 64 ? ir::ScalarType::I64 : ir::ScalarType::I32;
}

std::variant<Measure, ExitCode> measureCopies(const einc_vk_device_info& device, bool brief) {
  auto bytes = static_cast<uint64_t>(isSoftware(device) ? kCopiedBySoftware : kCopied);
  bytes =
      std::min({bytes, device.max_binding_bytes, device.max_buffer_bytes, device.memory_bytes / 8});
  auto count = static_cast<int64_t>(bytes / 4096 * 1024) / (brief ? kPart : 1);
  auto made = measure("def copy(A: f32(N)) -> (B: f32(N)) { B(i) = A(i); }\n", count);
  if (auto* good = std::get_if<Measure>(&made)) good->amount = 8 * static_cast<double>(count);
  return made;
}

std::variant<Measure, ExitCode> measureArithmetic(const einc_vk_device_info& device,
                                                  ir::ScalarType type, bool brief) {
  int64_t count = (isSoftware(device) ? kElementsOfSoftware : kElements) / (brief ? kPart : 1);
  const std::string name(ir::info(type).name);
  const bool isFloat = ir::info(type).isFloat();
  auto made = measure("def arithmetic(A: " + name + "(N)) -> (B: " + name +
                          "(N)) { B(i) = " + polynomial(type, isFloat ? "0.5" : "3") + " + " +
                          polynomial(type, isFloat ? "0.25" : "5") + "; }\n",
                      count);
  if (auto* good = std::get_if<Measure>(&made))
    good->amount = (4.0 * degree(type) + 1) * static_cast<double>(count);
  return made;
}

}  // namespace einc::driver
