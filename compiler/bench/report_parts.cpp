// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/report_parts.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "compiler/bench/report.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::bench {

namespace json = llvm::json;

std::string format(const char* pattern, ...) {
  char buffer[512];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, args);
  va_end(args);
  return buffer;
}

json::Value jsonNumber(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

json::Object jsonWork(const Work& work) {
  return json::Object{
      {"iterations", jsonNumber(work.iterations)},     {"operations", jsonNumber(work.operations)},
      {"instructions", jsonNumber(work.instructions)}, {"bytes", jsonNumber(work.bytes)},
      {"read_bytes", jsonNumber(work.readBytes)},      {"sum_length", work.sumLength}};
}

void addSamples(json::Object& object, const std::vector<double>& seconds, long runs) {
  Summary s = summarize(seconds);
  object["median_seconds"] = jsonNumber(s.median);
  object["least_seconds"] = jsonNumber(s.least);
  object["most_seconds"] = jsonNumber(s.most);
  object["spread"] = jsonNumber(s.spread());
  object["runs_in_a_sample"] = runs;
  object["samples"] = json::Array(seconds);
}

std::string jsonFile(json::Object object) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0:2}", json::Value(std::move(object))) << '\n';
  return text;
}

}  // namespace einc::bench
