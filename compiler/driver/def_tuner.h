// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Finds what is fastest for one def on one target: schedules around the model's first, one setting
// after the other; then, with the best of them, each op that a library has a function for,
// generated and called. Whoever is compared runs in turn, at every size asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/commands.h"
#include "compiler/driver/native.h"
#include "compiler/driver/sizes.h"
#include "compiler/driver/tuning.h"
#include "compiler/driver/tuning_space.h"

namespace einc::driver {

// A value, or the exit code after a message was printed. After an interruption (interruption.h)
// that is kSuccess, without a message.
template <typename T>
using OrCode = std::variant<T, ExitCode>;

class DefTuner {
 public:
  DefTuner(const ir::Kernel& kernel, pipeline::Scheduled model, const CodeOptions& wanted,
           const TuneOptions& options, const std::vector<std::string>& libraries,
           std::vector<Sizes> sizes);

  // Compiles and runs what the model chose, and tells Progress how long all will take.
  // An exit code other than kSuccess after a message.
  ExitCode prepare();
  // After an interruption, what is known by then; nothing if that is nothing.
  OrCode<std::optional<TunedDef>> run();

  size_t scheduleCount() const { return tried_.size(); }
  size_t callCount() const { return calls_.size(); }

 private:
  struct Way {
    std::string name;
    Settings settings;
  };
  struct Call {
    unsigned op;
    std::string library;
  };
  using Times = std::vector<std::vector<double>>;  // seconds, of each size each way
  // GivesUp: where the second way is much slower than the first, as soon as that is seen.
  enum class Patience { OneRound, GivesUp, MeasuresAll };

  std::string title() const;
  double costOfCompiling(size_t count) const;
  double costOfMeasuring(size_t ways, double rounds) const;
  OrCode<bool> isFaster(const Settings& than, const Settings& settings);
  void compileAhead();
  ExitCode trySchedules();
  OrCode<std::optional<TunedDef>> measureLast();
  OrCode<Times> measure(const std::vector<Way>& ways, Patience patience);
  OrCode<const NativeLibrary*> compiled(const Settings& settings);
  OrCode<NativeSources> sourcesOf(const Settings& settings);
  Result<std::vector<double>> measureAt(const std::vector<Way>& ways, const Sizes& sizes,
                                        Patience patience);
  std::vector<Way> lastWays() const;
  void addMeasured(TunedDef& tuned, const std::vector<Way>& ways, const Times& times) const;
  std::vector<strategy::Setting> librarySettings(size_t firstCall, const Times& times) const;
  TunedDef asFound(std::vector<strategy::Setting> settings) const;
  std::map<std::string, int64_t> extentsAt(unsigned op, const Sizes& sizes) const;

  const ir::Kernel& kernel_;
  TuningSpace space_;
  const CodeOptions& wanted_;
  const TuneOptions& options_;
  const std::vector<Sizes> sizes_;
  const int cpu_;
  std::vector<Call> calls_;
  Settings tried_;
  std::map<std::string, NativeLibrary> compiled_;  // by keyOf

  double compiling_ = 0;                // seconds that the first took
  std::vector<double> sampling_;        // and a sample of it, at each size
  Settings best_;                       // so far
  std::vector<Way> measuredWays_ = {};  // the last that were compared, and their times
  Times measuredTimes_ = {};
};

}  // namespace einc::driver
