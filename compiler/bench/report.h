// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `einc bench` found, as a table for people, as JSON for machines, as a picture.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/bench/problem.h"

namespace einc::bench {

enum class Standing { Timed, NotInstalled, NotOffered, Failed };

struct Contestant {
  std::string name, what;  // what: version and kernel, as it says itself; otherwise from our table
  Standing standing = Standing::Timed;
  std::string reason;           // unless Timed
  std::vector<double> seconds;  // of one run, a sample a round
  long runs = 0;                // in a sample
  std::optional<bool> matches;  // with the first contestant's result
  std::string difference;       // where it does not
};

// Of samples: quartiles by linear interpolation.
struct Summary {
  double median = 0, least = 0, most = 0, lower = 0, upper = 0;
  double spread() const { return median > 0 ? (upper - lower) / median : 0; }
};
Summary summarize(std::vector<double> samples);

struct Peak {
  double flops = 0;         // multiply-adds in registers count two; the best round
  double bandwidth = 0;     // bytes read and written per second, of the best way to copy; median
  std::string bandwidthBy;  // that way
  int vectorBytes = 0;
  int elementBytes = 0;  // of `flops`
  double reads = 0;      // bytes that are only read per second, of the best way; median
  std::string readsBy;   // that way
};

struct Report {
  std::string kernel, source;  // the def, and where it is from
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> attributes, types;
  std::string cpu, compiler, target;
  std::string recognized;  // what a library would call it; empty: nothing
  std::string whyNot;
  std::string comparedWith;  // how results were compared
  Work work;
  Peak peak;
  int rounds = 0;
  double sampleSeconds = 0;
  double cpuShare = 1;                  // the least that anyone had in a sample that counts
  std::vector<Contestant> contestants;  // Einc's kernel first
};

// Seconds that the work takes at least: by its instructions; by its bytes at the rate of copies; by
// its bytes, those that are read at the rate of reads, and those that are written at what copies
// take for them beyond that.
double leastByInstructions(const Report& report);
double leastByBytes(const Report& report);
double leastByMemory(const Report& report);

// The median over the rounds of (other's time / first's time); above 1, the first is faster.
std::optional<double> ratio(const Report& report, const Contestant& other);

std::string tableText(const Report& report);
std::string jsonText(const Report& report);
std::string rooflineSvg(const Report& report);

}  // namespace einc::bench
