// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What there is to try for a def on one target: schedules around the model's, and functions of
// libraries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/pipeline/pipeline.h"

namespace einc::driver {

using Settings = std::vector<strategy::Setting>;

// In place of what was set there.
Settings with(Settings settings, const strategy::Setting& setting);
// The same text for the same settings.
std::string keyOf(const Settings& settings);

class TuningSpace {
 public:
  // `model` is the kernel's schedule with nothing set.
  TuningSpace(const ir::Kernel& kernel, const CodeOptions& wanted, pipeline::Scheduled model);

  const ir::Kernel& buffers() const { return model_.buffers.kernels[0]; }
  const std::vector<ir::StructuredOp>& ops() const { return ops_; }

  // The schedule with these settings, made once; null if the kernel cannot have them.
  const pipeline::Scheduled* scheduled(const Settings& settings);

  // Half and double of each number that the model has set, the other of yes and no, other iterators
  // of the op: those of them that can be.
  Settings alternatives(unsigned op);

  bool isCalled(unsigned op, const std::string& library) const;

 private:
  const ir::Kernel& kernel_;
  const CodeOptions& wanted_;
  const pipeline::Scheduled model_;
  std::vector<ir::StructuredOp> ops_;
  std::map<std::string, std::optional<pipeline::Scheduled>> scheduled_;  // by keyOf
};

}  // namespace einc::driver
