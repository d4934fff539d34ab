// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/contestants.h"

#include <unistd.h>

#include <algorithm>

#include "compiler/bench/adapter_text.h"
#include "compiler/bench/installed.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"

namespace einc::bench {

std::vector<Library> allLibraries(const std::string& coreType) {
  auto file = [](const char* library) {
    return "-DEINC_BENCH_LIBRARY=\"" + fileOf(library) + "\"";
  };
  const std::string openblas = file("cblas"), blis = file("blis");
  return {
      {"openblas", "openblas", "OpenBLAS as installed", "blas.c", "", {openblas, "-ldl"}, {}},
      {"openblas-fit",
       "openblas",
       "OpenBLAS with OPENBLAS_CORETYPE=" + coreType,
       "blas.c",
       "",
       {openblas, "-ldl"},
       {{"OPENBLAS_CORETYPE", coreType}}},
      {"blis", "blis", "BLIS", "blas.c", "", {blis, "-ldl"}, {}},
      {"dnnl",
       "dnnl",
       "oneDNN; images as they are, windows packed beforehand",
       "dnnl.c",
       "oneapi/dnnl/dnnl.h",
       {"-DEINC_BENCH_LAYOUTS=0", "-ldnnl"},
       {}},
      {"dnnl-blocked",
       "dnnl",
       "oneDNN, all in its own layouts, getting there not counted",
       "dnnl.c",
       "oneapi/dnnl/dnnl.h",
       {"-DEINC_BENCH_LAYOUTS=1", "-ldnnl"},
       {}},
      {"dnnl-reorder",
       "dnnl",
       "oneDNN, all in its own layouts, getting there and back counted",
       "dnnl.c",
       "oneapi/dnnl/dnnl.h",
       {"-DEINC_BENCH_LAYOUTS=2", "-ldnnl"},
       {}},
      {"xsmm",
       "xsmm",
       "LIBXSMM",
       "xsmm.c",
       "libxsmm.h",
       {"-lxsmm", "-lxsmmnoblas", "-lm", "-lpthread", "-ldl", "-lrt"},
       {}},
      {"eigen", "eigen", "Eigen", "eigen.cpp", "eigen3/Eigen/Core", {"-lstdc++", "-lm"}, {}},
  };
}

Result<std::vector<Library>> chooseLibraries(const std::vector<std::string>& names,
                                             const std::string& coreType) {
  std::vector<Library> all = allLibraries(coreType);
  if (names.empty()) return all;
  if (names == std::vector<std::string>{"none"}) return std::vector<Library>{};
  std::vector<std::string> known;
  for (const Library& library : all)
    for (const std::string& name : {library.group, library.name})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Reason{"--against=" + name + ": unknown library" + didYouMean(name, known) +
                    "; there are " + joined(known) + ", and none"};
  std::erase_if(all, [&](const Library& library) {
    auto is = [&](const std::string& n) { return n == library.name || n == library.group; };
    return std::none_of(names.begin(), names.end(), is);
  });
  return all;
}

std::string coreTypeFor(int vectorBytes, bool hasFma) {
  // Names of its own: for AVX-512, for AVX2, for what every x86-64 has.
  return vectorBytes >= 64 ? "SkylakeX" : hasFma ? "Haswell" : "Nehalem";
}

std::optional<std::string> findHeader(const std::string& header) {
  for (const char* folder : {"/usr/local/include/", "/usr/include/"})
    if (std::string path = folder + header; ::access(path.c_str(), R_OK) == 0) return path;
  return std::nullopt;
}

const std::map<std::string, std::string>& adapterSources() {
  auto text = [](std::string_view t) { return std::string(t); };
  static const std::map<std::string, std::string> sources = {
      {"adapter.h", text(kAdapterHeader)}, {"blas.c", text(kBlasAdapter)},
      {"dnnl.c", text(kDnnlAdapter)},      {"eigen.cpp", text(kEigenAdapter)},
      {"move.h", text(kMoveHeader)},       {"name.h", text(kNameHeader)},
      {"peak.c", text(kPeakAdapter)},      {"xsmm.c", text(kXsmmAdapter)}};
  return sources;
}

std::map<std::string, std::string> onThreads(int64_t threads) {
  std::string count = std::to_string(threads);
  return {{"OMP_NUM_THREADS", count}, {"OPENBLAS_NUM_THREADS", count}, {"BLIS_NUM_THREADS", count}};
}

}  // namespace einc::bench
