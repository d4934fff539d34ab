// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "llvm/TargetParser/Host.h"

#include <unistd.h>

#include <vector>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "compiler/target/target.h"
#include "llvm/ADT/StringMap.h"

namespace einc::target {
namespace {

// The features of which this CPU has all parts.
template <typename Part, typename Has>
Features whole(const std::vector<Part>& parts, const Has& hasPart) {
  Features found, lacking;
  for (const Part& part : parts) {
    found = found | part.feature;
    if (!hasPart(part)) lacking = lacking | part.feature;
  }
  return found.without(lacking);
}

#if defined(__aarch64__)
constexpr Architecture kArchitecture = Architecture::AArch64;
// Linux is asked, as kernels ask it (emit/prelude/scalars.h).
Features featuresOfHost() {
#if defined(__linux__)
  return Feature::Neon | whole(hwcaps(), [](const Hwcap& part) {
           return (::getauxval(part.word) & 1UL << part.bit) != 0;
         });
#else
  return Feature::Neon;
#endif
}
#else
constexpr Architecture kArchitecture = Architecture::X86;
Features featuresOfHost() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return Feature::Sse2 | whole(cpuids(), [&](const Cpuid& part) {
           return features.lookup({part.flag.data(), part.flag.size()});
         });
}
#endif

// The CPU's own, or the best that is for more than one; but none with what is hidden here.
const Target& closestRow() {
  const Features features = featuresOfHost();
  const llvm::StringRef cpu = llvm::sys::getHostCPUName();
  const Target* best = find("generic");
  for (const Target& target : all()) {
    if (target.architecture != kArchitecture || !features.hasAll(target.features)) continue;
    if (!target.isOneCpu) best = &target;
    if (target.isOneCpu && cpu == llvm::StringRef(target.name)) return target;
  }
  return *best;
}

// What the system knows of its caches; the row's figure where it knows nothing.
void probe(Cache& cache, int size, int ways) {
  if (int64_t bytes = ::sysconf(size); bytes > 0) cache.bytes = bytes;
  if (int64_t count = ::sysconf(ways); count > 0) cache.ways = static_cast<int>(count);
}

}  // namespace

const Target& host() {
  static const Target result = [] {
    Target target = closestRow();
    target.name = "native";
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    probe(target.l1, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC);
    probe(target.l2, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC);
#endif
    return target;
  }();
  return result;
}

}  // namespace einc::target
