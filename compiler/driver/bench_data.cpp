// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/bench_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace einc::driver {

Result<interp::View> reserve(ir::ScalarType type, const std::vector<int64_t>& sizes) {
  auto count = interp::elementCount(sizes);
  int64_t bytes = 0;
  constexpr int64_t kLargePage = int64_t{1} << 21;
  if (!count || __builtin_mul_overflow(*count, int64_t{ir::info(type).bytes()}, &bytes) ||
      bytes > (int64_t{1} << 46))
    return Reason{"an array that does not fit into memory"};
  auto mapped = static_cast<size_t>((bytes / kLargePage + 2) * kLargePage);
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return Reason{"there is no memory for an array"};
  ::madvise(memory, mapped, MADV_HUGEPAGE);
  // From the beginning of a large page.
  auto address = reinterpret_cast<uintptr_t>(memory);
  uintptr_t begin = (address + kLargePage - 1) / kLargePage * kLargePage;
  interp::View view;
  view.type = type;
  view.storage = std::shared_ptr<std::byte[]>(reinterpret_cast<std::byte*>(begin),
                                              [=](std::byte*) { ::munmap(memory, mapped); });
  view.storageBytes = bytes;
  view.sizes = sizes;
  view.strides = interp::rowMajorStrides(sizes);
  return view;
}

void fillInput(const interp::View& view) {
  constexpr int64_t kBlock = 65521;  // a prime: rows of no matrix repeat
  const ir::TypeInfo& type = ir::info(view.type);
  int64_t count = view.storageBytes / type.bytes();
  uint32_t state = 12345;
  for (int64_t i = 0; i < std::min(count, kBlock); ++i) {
    state = state * 1664525u + 1013904223u;
    uint32_t drawn = state >> 16;
    ir::Number number;
    if (type.isFloat())
      number.asFloat = (static_cast<double>(drawn % 17) - 8) / 8;
    else if (type.cls == ir::TypeClass::Bool)
      number.asBits = drawn & 1;
    else if (type.isSigned())
      number.asBits = (static_cast<uint64_t>(drawn % 9) - 4) &
                      (type.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1);
    else
      number.asBits = drawn % 8;
    ir::writeElement(view.type, number, view.storage.get() + i * type.bytes());
  }
  for (int64_t done = kBlock; done < count; done += kBlock)
    std::memcpy(view.storage.get() + done * type.bytes(), view.storage.get(),
                static_cast<size_t>(std::min(kBlock, count - done) * type.bytes()));
}

std::optional<Reason> refuseMemory(const ir::Kernel& kernel, size_t contestants) {
  double needed = 0;
  for (const ir::Tensor& tensor : kernel.tensors) {
    if (!ir::isArgument(tensor.role)) continue;
    double bytes = ir::info(tensor.type).bytes();
    for (const affine::Expr& size : tensor.shape) bytes *= static_cast<double>(*size.asConstant());
    // An output of each one's own, and two that are compared; of an input, each may hold another
    // layout.
    needed += bytes * static_cast<double>(contestants + 2);
  }
  double available = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (word == "MemAvailable:" && file >> available) break;
  available *= 1024;
  if (available == 0 || needed < 0.8 * available) return std::nullopt;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  char text[160];
  std::snprintf(text, sizeof text,
                "these arrays need up to %.3g GiB for %zu contestants, and %.3g GiB are available",
                needed / kGib, contestants, available / kGib);
  return Reason{std::string(text) + "; give smaller sizes, or fewer libraries with --against"};
}

Result<interp::Arguments> makeArguments(const ir::Kernel& kernel) {
  interp::Arguments arguments;
  for (const ir::Tensor& tensor : kernel.tensors) {
    if (!ir::isArgument(tensor.role)) continue;
    std::vector<int64_t> sizes;
    for (const affine::Expr& size : tensor.shape) sizes.push_back(*size.asConstant());
    auto view = reserve(tensor.type, sizes);
    if (!view) return Reason{"'" + tensor.name + "': " + view.reason()};
    if (tensor.role == ir::Role::Input) fillInput(*view);
    arguments.tensors.push_back(std::move(*view));
  }
  return arguments;
}

Result<bench::Load> runsOf(const NativeLibrary& library, const interp::Arguments& arguments) {
  auto loaded = library.load(arguments);
  if (!loaded) return Reason{loaded.reason()};
  auto kernel = std::make_shared<NativeKernel>(std::move(*loaded));
  interp::Status status = kernel->run();
  if (status != interp::Status::EINC_OK)
    return Reason{std::string(interp::statusName(status)) + ": the kernel refused its arguments"};
  // The first run is compared.
  return bench::Load{[kernel, isFirst = true]() mutable {
                       kernel->run();
                       if (std::exchange(isFirst, false)) kernel->fetch();
                     },
                     [] { return std::string(); }};
}

int64_t longestExactSum(ir::ScalarType type) {
  // Products are multiples of 1/64, of at most 1.
  return int64_t{1} << (ir::precision(type) - 6);
}

}  // namespace einc::driver
