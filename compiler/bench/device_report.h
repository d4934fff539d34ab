// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `einc bench --engine=vulkan` found: the kernel's time on a device beside a roofline that was
// measured there in the same run (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
// visual performance model for multicore architectures", CACM 52(4), 2009).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/bench/problem.h"

namespace einc::bench {

// Samples of the kernel, or of what measures the device: a mean of one run for each round.
struct Timed {
  std::vector<double> seconds;
  long runs = 0;      // in a sample
  double amount = 0;  // bytes or operations of a run
  // An amount a second: of the median round, of the best one.
  double rate() const;
  double best() const;
};

struct DeviceReport {
  std::string version;         // einc's
  std::string kernel, source;  // the def, and where it is from
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> attributes, types;
  std::string device, kind, api;  // its name; "discrete"; "1.3"
  std::map<std::string, double> limits;
  bool byDevice = true;  // whether the device's timestamps say how long runs take
  std::string comparedWith;
  std::string difference;               // of the first run's result; empty: none
  std::vector<std::string> dispatches;  // "matmul_matmul_0: 8 x 8 x 1 workgroups", in order
  Work work;
  std::string arithmeticType;  // of the operations in `arithmetic`
  Timed runs, copies, arithmetic;
  int rounds = 0;
  double sampleSeconds = 0;
};

// The roofline: seconds that the work takes at least, by its operations at the device's rate, by
// its bytes at the rate of copies. The larger of the two bounds the kernel.
double leastByArithmetic(const DeviceReport& report);
double leastByCopies(const DeviceReport& report);
bool isBoundByMemory(const DeviceReport& report);

std::string tableText(const DeviceReport& report);
std::string jsonText(const DeviceReport& report);

}  // namespace einc::bench
