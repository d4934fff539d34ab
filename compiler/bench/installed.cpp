// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/installed.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "compiler/bench/adapters/name.h"
#include "compiler/bench/worker.h"

namespace einc::bench {

std::string fileOf(const std::string& library) {
  return library == "blis" ? "libblis.so.4" : "libopenblas.so.0";
}

Result<std::string> installed(const std::string& library) {
  auto worker = Worker::start({}, [&]() -> Result<Load> {
    ::close(STDERR_FILENO);  // what it says before that is not of this program
    void* loaded = ::dlopen(fileOf(library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded) return Reason{"none that can be loaded"};
    return Load{[] {},
                [loaded] {
                  std::array<char, 256> text{};
                  einc_bench_name(loaded, text.data(), text.size());
                  return std::string(text.data());
                }};
  });
  if (!worker) return Reason{worker.reason()};
  auto said = worker->describe();
  if (!said) return Reason{"one that ends its process: " + said.reason()};
  return *said;
}

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace einc::bench
