// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a user sets instead of the model: for an op of a kernel its strategy, the sizes of its
// tiles, the iterator along which vectors lie.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct Setting {
  std::string kernel;
  unsigned op;  // in the order of the kernel's ops
  std::string name, value;
  Steps steps = {};   // the value of `steps`, and of `region`
  unsigned last = 0;  // of `region`: the last op that these are for
};

// The name of an op's steps, in place of all that a strategy decides.
constexpr const char* kSteps = "steps";

// The name of the steps of several ops, of which this is the first.
constexpr const char* kRegion = "region";

// The name of the tiles of ops that are done in rounds, of which this is the first.
constexpr const char* kRounds = "rounds";

// The name of the tiles in which ops are done behind each other, of which this is the first.
constexpr const char* kTiles = "tiles";

// The name of an external function that computes the op.
constexpr const char* kLibraryCall = "library_call";
// Those of the kernel's ops.
std::map<unsigned, std::string> externalFunctions(const std::vector<Setting>& all,
                                                  const std::string& kernel);

// Those of one kernel.
std::vector<Setting> settingsOf(const std::vector<Setting>& all, const std::string& kernel);

// A setting that cannot be, and why; the model's value was taken.
struct SettingError {
  Setting setting;
  std::string message;
  SourceRange range = {};  // of a step
};

// The settings of one op, asked for by name. What is never asked for is an error.
class OpSettings {
 public:
  OpSettings(const std::vector<Setting>& all, const std::string& kernel, unsigned op);

  // From `low` to `high`, a multiple of `unit`; `why` says where these ends come from.
  std::optional<int64_t> number(const std::string& name, int64_t low, int64_t high,
                                int64_t unit = 1, const std::string& why = "");
  // One of `of`; and whatever stands there.
  std::optional<std::string> word(const std::string& name, const std::vector<std::string>& of);
  std::optional<std::string> text(const std::string& name);
  std::optional<Steps> steps();
  // Those of this op and the ones behind it.
  std::optional<Setting> region();
  // A setting that was asked for is impossible.
  void refuse(const std::string& name, const std::string& message);

  bool empty() const { return settings_->empty(); }
  // Whether one that was asked for is wrong.
  bool hasWrong() const { return !errors_.empty(); }
  // All that is wrong, once.
  std::vector<SettingError> errors();

 private:
  const Setting* find(const std::string& name);
  void wrong(const Setting& setting, const std::string& message);

  std::shared_ptr<const std::vector<Setting>> settings_;  // copies share them
  std::vector<std::string> known_;
  std::vector<SettingError> errors_;
};

}  // namespace einc::strategy
