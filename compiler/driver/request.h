// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What every command that takes specs shares: which specs, which defs, and what is fixed about
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/support/result.h"

namespace einc::driver {

struct Request {
  std::vector<std::string> specs;  // files, "-" for standard input
  bool eir = false;                // they are IR text, whatever they are called
  std::string einsum;              // instead of specs
  std::vector<std::string> defs;   // empty: all
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> attributes;  // name -> "2,2"
  std::map<std::string, std::string> types;
  std::vector<std::string> targets;  // as --target gives them; empty: the command's default
  int64_t threads = 1;               // at most
  std::string fp;                    // "strict", or empty
  std::string strides;               // "contiguous", or empty
  int64_t align = 1;                 // bytes
  std::string schedule;              // a file, or empty
  std::string lib;                   // "none", "cblas", "blis", "auto", or empty
  std::string tuning;                // a file, or empty
  std::string device;                // a number or a part of a name; empty: the best
  bool verifyEach = false;           // after each pass and step, interpret small instances
  std::string plant;                 // for tests of the tests: a miscompilation; empty: none
};

// Where the defs are from: "a.tc, b.tc", "--einsum mk,kn->mn".
std::string sourceOf(const Request& request);

using Assignments = std::vector<std::pair<std::string, std::string>>;

// "NAME=VALUE" each; a name may stand once. The reason names `flag`.
Result<Assignments> parseAssignments(const std::string& flag,
                                     const std::vector<std::string>& texts);

// The same with integers from 0 on.
Result<std::map<std::string, int64_t>> parseDims(const std::vector<std::string>& texts);

}  // namespace einc::driver
