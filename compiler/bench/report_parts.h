// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What reports of CPUs and of devices are made of.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "compiler/bench/problem.h"
#include "compiler/support/text_writer.h"
#include "llvm/Support/JSON.h"

namespace einc::bench {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// "M=4 N=5"
template <typename Map>
std::string assignments(const Map& map) {
  return joined(map, " ", [](const auto& entry) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(entry.second)>>)
      return entry.first + "=" + std::to_string(entry.second);
    else
      return entry.first + "=" + entry.second;
  });
}

template <typename Map>
llvm::json::Object jsonMap(const Map& map) {
  llvm::json::Object object;
  for (const auto& [name, value] : map) object[name] = value;
  return object;
}

// Null for what is not finite.
llvm::json::Value jsonNumber(double value);
llvm::json::Object jsonWork(const Work& work);
// The samples, and what sums them up.
void addSamples(llvm::json::Object& object, const std::vector<double>& seconds, long runs);
std::string jsonFile(llvm::json::Object object);

}  // namespace einc::bench
