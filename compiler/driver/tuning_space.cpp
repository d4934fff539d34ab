// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/tuning_space.h"

#include <algorithm>
#include <utility>

#include "compiler/driver/schedules.h"
#include "compiler/ir/domain.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/map_to_library.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::driver {
namespace {

std::vector<std::string> others(const std::string& value,
                                const std::vector<std::string>& iterators) {
  int64_t number = 0;
  if (value == "yes" || value == "no") return {value == "yes" ? "no" : "yes"};
  std::vector<std::string> result;
  if (!llvm::StringRef(value).getAsInteger(10, number)) {
    if (number > 1) result.push_back(std::to_string(number / 2));
    if (number > 0 && number <= INT64_MAX / 2) result.push_back(std::to_string(number * 2));
  } else if (llvm::is_contained(iterators, value)) {
    for (const std::string& other : iterators)
      if (other != value) result.push_back(other);
  }
  return result;
}

}  // namespace

Settings with(Settings settings, const strategy::Setting& setting) {
  std::erase_if(settings, [&](const strategy::Setting& other) {
    return other.op == setting.op && other.name == setting.name;
  });
  settings.push_back(setting);
  return settings;
}

std::string keyOf(const Settings& settings) {
  std::vector<std::string> parts;
  for (const strategy::Setting& s : settings)
    parts.push_back(std::to_string(s.op) + "." + s.name + "=" + s.value);
  std::sort(parts.begin(), parts.end());
  return joined(parts);
}

TuningSpace::TuningSpace(const ir::Kernel& kernel, const CodeOptions& wanted,
                         pipeline::Scheduled model)
    : kernel_(kernel), wanted_(wanted), model_(std::move(model)) {
  ir::forEachOp(buffers().body, [&](const ir::StructuredOp& op) { ops_.push_back(op); });
}

const pipeline::Scheduled* TuningSpace::scheduled(const Settings& settings) {
  if (settings.empty()) return &model_;
  auto [at, isNew] = scheduled_.emplace(keyOf(settings), std::nullopt);
  if (isNew) {
    CodeOptions wanted = wanted_;
    wanted.settings = settings;
    ir::Module module;
    module.kernels.push_back(kernel_);
    auto made =
        pipeline::schedule(module, scheduleOptions(wanted, wanted.targets.front(), module.kernels));
    auto* scheduled = std::get_if<pipeline::Scheduled>(&made);
    if (scheduled && scheduled->errors.empty()) at->second = std::move(*scheduled);
  }
  return at->second ? &*at->second : nullptr;
}

Settings TuningSpace::alternatives(unsigned op) {
  Settings result;
  for (const auto& [name, value] : model_.decisions[0].reports[op].settings)
    for (const std::string& other : others(value, ir::iteratorNames(ops_[op]))) {
      strategy::Setting setting{kernel_.name, op, name, other};
      if (scheduled({setting})) result.push_back(std::move(setting));
    }
  return result;
}

bool TuningSpace::isCalled(unsigned op, const std::string& library) const {
  ir::Kernel mapped = transforms::mapToLibrary(buffers(), [&](unsigned number) {
    return number == op ? std::vector{ir::LibraryRule{library, {}}}
                        : std::vector<ir::LibraryRule>{};
  });
  bool found = false;
  ir::forEachStatement(mapped.body, [&](const ir::Stmt& stmt) {
    found |= std::holds_alternative<ir::LibraryCall>(stmt.node);
  });
  return found;
}

}  // namespace einc::driver
