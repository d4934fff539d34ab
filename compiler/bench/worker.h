// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contestant in a process of its own, which runs when it is told to and otherwise sleeps: so that
// rounds can go in turn through contestants that could not live in one process (one library with
// two environments). Inputs are those of the parent; each process has its own output.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compiler/support/result.h"

namespace einc::bench {

struct Load {
  std::function<void()> run;
  std::function<std::string()> describe;
};

struct WorkerOptions {
  std::map<std::string, std::string> environment;
  int cpu = -1;  // the one to stay on
  // In the worker, before its first run: gives the output its initial value.
  std::function<void()> reset;
  const void* output = nullptr;  // copied to where the parent sees it after the first run
  size_t outputBytes = 0;
};

struct Sample {
  double seconds = 0;  // of one run
  long runs = 0;
  double share = 1;  // of the CPU, that this worker had meanwhile
};

// The CPU among those that we may use that has the least else to do; -1 if that is unknown.
int idlestCpu();

class Worker {
 public:
  // `load` runs in the worker, and gives a reason if there is nothing to run.
  static Result<Worker> start(const WorkerOptions& options,
                              const std::function<Result<Load>()>& load);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;
  ~Worker();

  // One run from the initial value; seconds, or a reason if the worker has ended.
  Result<double> runOnce();
  // The output of runOnce, until it is released.
  const std::byte* output() const { return static_cast<const std::byte*>(shared_); }
  void releaseOutput();
  Result<std::string> describe();
  // Runs for `seconds` or longer, after warming up, and gives the mean of one run. Where something
  // else had the CPU meanwhile, again, a few times.
  Result<Sample> sample(double seconds);

 private:
  Worker() = default;
  struct Reply;
  Result<Reply> ask(char command, double value);

  int pid_ = -1, to_ = -1, from_ = -1;
  void* shared_ = nullptr;
  size_t sharedBytes_ = 0;
};

}  // namespace einc::bench
