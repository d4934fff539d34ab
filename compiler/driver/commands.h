// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The commands of the einc tool. Each prints its own errors and returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/exit.h"
#include "compiler/driver/request.h"

namespace einc::driver {

inline constexpr const char* kVersion = "0.1";
// Of several lines: the version, the targets, the libraries that are linked, the C compiler.
std::string aboutText();

// Parses, verifies and lints: diagnostics on standard error, what is known of accesses, writes and
// sums on standard output.
int check(const Request& request, bool warningsAreErrors);
// The page of a diagnostic, or with "all" a line for each.
int explain(const std::string& name);

// What is done with each def on each target, and why, on standard output: in a few lines, or all of it.
int explainSchedule(const Request& request, bool isVerbose);

struct QueryOptions {
  std::string iterations;  // "m=0:8,k=0:K": what do they read and write?
  std::string data;        // "A[0:4, 2]": which iterations touch it?
};
// Answers on standard output, for one def.
int query(const Request& request, const QueryOptions& options);

// Which passes' results to print on standard error.
struct Tracing {
  std::vector<std::string> after;
  bool afterAll = false;
};

struct NamingOptions {
  std::string library;       // the library's name; from the first spec if empty
  std::string prefix;        // before every C name
  std::string plant;         // for tests: a miscompilation to plant (see emit/c/c.h)
  std::string exports = {};  // "cblas": kernels also under the names of its functions; or empty
};

struct EmitOptions {
  std::string stage;
  std::string output = "-";
  NamingOptions naming;
  Tracing tracing;
};
int emit(const Request& request, const EmitOptions& options);
std::vector<std::string> stageNames();

struct BuildOptions {
  std::string folder;
  NamingOptions naming;
  bool sourcesOnly = false;            // what the library is made of, no library
  bool oneFile = false;                // of the sources: NAME.c alone
  bool isShared = false;               // a shared library; else an archive
  std::vector<std::string> link = {};  // for its linker
  unsigned jobs = 0;                   // compilers at the same time; 0: as many as there are cores
  std::string compiler;                // clang if empty
  Tracing tracing;
};
int build(const Request& request, const BuildOptions& options);

struct EvalOptions {
  std::vector<std::string> inputs, outputs;  // NAME=FILE.npy[view]
  std::string engine = "reference";
  std::string compiler;
  std::string plant;
};
int eval(const Request& request, const EvalOptions& options);

struct BenchOptions {
  std::vector<std::string> against;  // libraries, "none", or empty: all
  std::string json, svg;             // where they go; empty: nowhere
  int rounds = 7;
  double sampleSeconds = 0.02;
  std::string adapters;  // a folder that keeps what is compiled for the libraries; empty: none
  std::string compiler;
  std::string plant;
  std::string engine = "native";  // or "vulkan": on a device, beside what that can do
};
// Times a def against libraries, in turn in one run; a table on standard output. Another result
// than a library's, or than the reference's, is an error.
int bench(const Request& request, const BenchOptions& options);

struct TuneOptions {
  std::vector<std::string> sizes;  // "M,N=16,64": those to measure at, of what --dim leaves open
  std::vector<std::string> libraries;  // "cblas", "blis", "none", or empty: those installed
  bool schedules = true;               // whether other schedules than the model's are tried
  std::string output = "-";
  int rounds = 5;
  double sampleSeconds = 0.01;
  std::string compiler;
};
// Measures ways to do the ops of defs on this machine; writes a tuning file, and a table for
// people.
int tune(const Request& request, const TuneOptions& options);

struct OptOptions {
  std::string file;
  std::string passes;
  std::string output = "-";
  Tracing tracing;
};
int opt(const OptOptions& options);

}  // namespace einc::driver
