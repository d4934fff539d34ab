// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "llvm/TargetParser/Host.h"

#include <unistd.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "compiler/target/target.h"
#include "llvm/ADT/StringMap.h"

namespace einc::target {
namespace {

// By what this CPU can, whichever it is.
#if defined(__aarch64__)
// Linux is asked, as kernels ask it (emit/prelude/scalars.h).
const Target& levelOfHost() {
#if defined(__linux__)
  const bool hasDotProd = (::getauxval(AT_HWCAP) & 1UL << 20) != 0;
  const bool hasI8mmAndBf16 = (::getauxval(AT_HWCAP2) & 3UL << 13) == 3UL << 13;
  if (hasDotProd) return *find(hasI8mmAndBf16 ? "aarch64-bf16" : "aarch64-dotprod");
#endif
  return *find("aarch64");
}
#else
const Target& levelOfHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (!features.lookup(name)) return false;
    return true;
  };
  if (hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "fma", "bmi2"}))
    return *find(hasAll({"avx512vnni", "avx512bf16"}) ? "x86-64-v4-bf16" : "x86-64-v4");
  if (hasAll({"avx2", "fma", "bmi2", "f16c", "movbe", "lzcnt"})) return *find("x86-64-v3");
  return *find(hasAll({"sse4.2", "popcnt"}) ? "x86-64-v2" : "generic");
}
#endif

const Target& closestRow() {
  llvm::StringRef cpu = llvm::sys::getHostCPUName();
  const Target* own = find({cpu.data(), cpu.size()});
  return own ? *own : levelOfHost();
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
