// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is being done, and how long the rest will take: a line that changes on a terminal; elsewhere
// one for each piece of work.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace einc::driver {

class Progress {
 public:
  // On standard error.
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;

  // So much more work is to be done, in any unit.
  void plan(double work) { planned_ += work; }
  void begin(const std::string& what);
  void done(double work);

 private:
  void show() const;

  bool isTerminal_;
  std::chrono::steady_clock::time_point start_;
  double planned_ = 0, done_ = 0;
  std::string what_;
};

// Pieces of work that are done at the same time: "[12/227] softmax.c" on a terminal; elsewhere a
// line when ten seconds have passed since the last one.
class CountedProgress {
 public:
  CountedProgress();
  ~CountedProgress();
  CountedProgress(const CountedProgress&) = delete;

  void plan(size_t count) { count_ = count; }
  // From any thread.
  void done(const std::string& what);

 private:
  bool isTerminal_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point shown_;
  size_t count_ = 0, done_ = 0;
};

// "12 s", "3 min"
std::string durationText(double seconds);

}  // namespace einc::driver
