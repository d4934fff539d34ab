// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/bench_compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/driver/bench_data.h"
#include "compiler/ir/scalar.h"

namespace einc::driver {
namespace {

constexpr double kInterpreted = 3e5;  // iterations that the interpreter is asked for

double unitOf(ir::ScalarType type) {
  return std::ldexp(1.0, 1 - static_cast<int>(ir::precision(type)));
}

}  // namespace

void resetOutputs(const ir::Kernel& kernel, const interp::Arguments& arguments,
                  const std::optional<bench::Comparison>& comparison) {
  bool lowest =
      comparison && comparison->problem.kind == EINC_BENCH_POOL && comparison->problem.largest;
  for (size_t t = 0; t < arguments.tensors.size(); ++t) {
    const interp::View& view = arguments.tensors[t];
    if (kernel.tensors[t].role != ir::Role::Output) continue;
    std::memset(view.storage.get(), 0, static_cast<size_t>(view.storageBytes));
    ir::Number start{-1e30, 0};
    for (int64_t i = 0; lowest && i < view.storageBytes; i += ir::info(view.type).bytes())
      ir::writeElement(view.type, start, view.storage.get() + i);
  }
}

bool isInterpreted(const bench::Work& work) { return work.iterations <= kInterpreted; }

double allowedDifference(const bench::Comparison& comparison, const bench::Work& work,
                         ir::ScalarType type) {
  if (!ir::info(type).isFloat()) return 0;
  auto length = static_cast<double>(work.sumLength);
  bool scaled = comparison.problem.kind == EINC_BENCH_POOL && !comparison.problem.largest;
  if (scaled) return 4 * unitOf(type) * length;
  return work.sumLength <= longestExactSum(type) ? 0 : unitOf(type) * length * length;
}

double allowedRounding(const bench::Work& work, const interp::View& result) {
  if (!ir::info(result.type).isFloat()) return 0;
  double largest = 0;
  int64_t step = ir::info(result.type).bytes();
  for (int64_t at = 0; at < result.storageBytes; at += step) {
    double size = std::abs(ir::readElement(result.type, result.storage.get() + at).asFloat);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  // Each term of a sum is rounded once; what stands around sums, a few dozen times at most.
  constexpr double kAround = 64;
  return unitOf(result.type) * (2 * static_cast<double>(work.sumLength) + kAround) * largest;
}

std::string firstDifference(const std::byte* ours, const std::byte* other, const interp::View& view,
                            double allowed) {
  const ir::TypeInfo& type = ir::info(view.type);
  int64_t step = type.bytes();
  if (std::memcmp(ours, other, static_cast<size_t>(view.storageBytes)) == 0) return "";
  for (int64_t at = 0; at < view.storageBytes; at += step) {
    if (std::memcmp(ours + at, other + at, static_cast<size_t>(step)) == 0) continue;
    ir::Number a = ir::readElement(view.type, ours + at),
               b = ir::readElement(view.type, other + at);
    bool close =
        type.isFloat() && (std::abs(a.asFloat - b.asFloat) <= allowed || a.asFloat == b.asFloat ||
                           (std::isnan(a.asFloat) && std::isnan(b.asFloat)));
    if (close) continue;
    auto text = [&](const ir::Number& number) {
      return type.isFloat() ? std::to_string(number.asFloat) : std::to_string(number.asBits);
    };
    return "at element " + std::to_string(at / step) + ": " + text(b) + ", the kernel has " +
           text(a);
  }
  return "";
}

}  // namespace einc::driver
