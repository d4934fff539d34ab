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

// Bytes a second, the median of the best way, and that way's name.
struct Rate {
  double bytes = 0;
  std::string by = {};
};

struct Peak {
  double flops = 0;  // multiply-adds in registers count two; the best round
  int vectorBytes = 0;
  int elementBytes = 0;  // of `flops`
  // Of memory: bytes read plus bytes written, all of them read, all of them written.
  Rate copies, reads, writes;
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
// what memory allows: what is read at the rate of reads, what is written at that of writes, or all
// of it at that of copies, whichever takes longest.
double leastByInstructions(const Report& report);
double leastByBytes(const Report& report);
double leastByMemory(const Report& report);

// The median over the rounds of (other's time / first's time); above 1, the first is faster.
std::optional<double> ratio(const Report& report, const Contestant& other);

// "12.3 ns", "4.50 us"
std::string timeText(double seconds);
// Columns as wide as their widest cell; all but the first and the last are numbers.
std::string columns(const std::vector<std::vector<std::string>>& rows);

std::string tableText(const Report& report);
std::string jsonText(const Report& report);
std::string rooflineSvg(const Report& report);

}  // namespace einc::bench
