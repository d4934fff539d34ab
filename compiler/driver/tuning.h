// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tuning files: what `einc tune` found to be fastest, and `--tuning=FILE` reads. An entry is for
// one def as it was measured, word for word, with the sizes that were fixed, on one target.
//
//   {"einc_tuning": 1,
//    "defs": [{"def": "matmul", "kernel": ["kernel @matmul(...", ...], "target": "native",
//              "threads": 1, "machine": {"cpu": ..., "compiler": ..., "cblas": ..., "blis": ...},
//              "settings": [{"op": 0, "name": "library", "value": "cblas where m * n * k >=
//              4096"}], "measured": [{"sizes": {"K": 64, ...}, "nanoseconds": {"model": 2107,
//              ...}}]}]}
//
// `settings` are those of schedules (strategy/schedule_text.h); `machine` and `measured` say where
// they come from, and may be left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/settings.h"
#include "compiler/support/diagnostics.h"

namespace einc::driver {

struct TunedSizes {
  std::map<std::string, int64_t> sizes;
  std::vector<std::pair<std::string, double>> seconds;  // of one run, by what was run
};

struct TunedDef {
  std::string def;
  std::vector<std::string> kernel;  // the lines of IR text that it was measured as
  std::string target;
  int64_t threads = 1;
  std::map<std::string, std::string> machine;
  std::vector<strategy::Setting> settings;
  std::vector<TunedSizes> measured = {};
};

struct Tuning {
  std::string path;
  std::vector<TunedDef> defs;
};

// The lines by which a def is known: its IR text, without what is for people and for MLIR.
std::vector<std::string> linesOf(const ir::Kernel& kernel);

// The entry for a def; or null.
const TunedDef* findTuned(const Tuning& tuning, const ir::Kernel& kernel, const std::string& target,
                          int64_t threads);

// Sorted by def, target, threads and text.
std::string tuningText(const Tuning& tuning);
// Nothing after an error.
std::optional<Tuning> parseTuning(const SourceFile& source, Diagnostics& errors);

}  // namespace einc::driver
