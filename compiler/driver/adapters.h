// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Adapters to libraries: compiled when they are wanted, loaded by the process that runs them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compiler/bench/contestants.h"
#include "compiler/bench/problem.h"
#include "compiler/bench/worker.h"
#include "compiler/driver/toolchain.h"

namespace einc::driver {

class Adapters {
 public:
  // They are kept in `folder`, or, without one, as long as this lives.
  static Result<Adapters> create(const std::string& folder, const std::string& compiler,
                                 const std::string& march);
  // The file of a library's adapter, or why there is none.
  Result<std::string> compile(const bench::Library& library) const;

 private:
  Adapters(TemporaryFolder own, std::string kept, std::string compiler, std::string march)
      : own_(std::move(own)),
        kept_(std::move(kept)),
        compiler_(std::move(compiler)),
        march_(std::move(march)) {}

  TemporaryFolder own_;
  std::string kept_, compiler_, march_;
};

// Reasons of a load that are no failures.
extern const char* const kNotOffered;
extern const char* const kNotInstalled;

// What a worker does to get an adapter ready.
std::function<Result<bench::Load>()> loadAdapter(const std::string& path,
                                                 const einc_bench_problem& problem, const void* a,
                                                 const void* b, void* c);

}  // namespace einc::driver
