// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/settings.h"

#include <algorithm>

#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"

namespace einc::strategy {

std::vector<Setting> settingsOf(const std::vector<Setting>& all, const std::string& kernel) {
  std::vector<Setting> result;
  for (const Setting& setting : all)
    if (setting.kernel == kernel) result.push_back(setting);
  return result;
}

std::map<unsigned, std::string> externalFunctions(const std::vector<Setting>& all,
                                                  const std::string& kernel) {
  std::map<unsigned, std::string> functions;
  for (const Setting& setting : all)
    if (setting.kernel == kernel && setting.name == kLibraryCall)
      functions.emplace(setting.op, setting.value);
  return functions;
}

OpSettings::OpSettings(const std::vector<Setting>& all, const std::string& kernel, unsigned op) {
  std::vector<Setting> own;
  for (const Setting& setting : all)
    if (setting.kernel == kernel && setting.op == op) own.push_back(setting);
  settings_ = std::make_shared<const std::vector<Setting>>(std::move(own));
}

const Setting* OpSettings::find(const std::string& name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  for (const Setting& setting : *settings_)
    if (setting.name == name) return &setting;
  return nullptr;
}

std::optional<int64_t> OpSettings::number(const std::string& name, int64_t low, int64_t high,
                                          int64_t unit, const std::string& why) {
  const Setting* setting = find(name);
  if (!setting) return std::nullopt;
  int64_t value = 0;
  bool isNumber = !llvm::StringRef(setting->value).getAsInteger(10, value);
  if (isNumber && value >= low && value <= high && value % unit == 0) return value;
  std::string multiple = unit > 1 ? "a multiple of " + std::to_string(unit) + " " : "";
  wrong(*setting, name + " = " + setting->value + ": expected " + multiple + "from " +
                      std::to_string(low) + " to " + std::to_string(high) +
                      (why.empty() ? "" : " (" + why + ")"));
  return std::nullopt;
}

std::optional<std::string> OpSettings::word(const std::string& name,
                                            const std::vector<std::string>& of) {
  const Setting* setting = find(name);
  if (!setting) return std::nullopt;
  if (std::find(of.begin(), of.end(), setting->value) != of.end()) return setting->value;
  wrong(*setting, name + " = " + setting->value + ": there " + (of.size() == 1 ? "is " : "are ") +
                      joined(of) + didYouMean(setting->value, of));
  return std::nullopt;
}

std::optional<std::string> OpSettings::text(const std::string& name) {
  const Setting* setting = find(name);
  return setting ? std::optional(setting->value) : std::nullopt;
}

std::optional<Steps> OpSettings::steps() {
  const bool isSet = std::any_of(settings_->begin(), settings_->end(),
                                 [](const Setting& setting) { return setting.name == kSteps; });
  return isSet ? std::optional(find(kSteps)->steps) : std::nullopt;
}

std::optional<Setting> OpSettings::region() {
  const bool isSet = std::any_of(settings_->begin(), settings_->end(),
                                 [](const Setting& setting) { return setting.name == kRegion; });
  return isSet ? std::optional(*find(kRegion)) : std::nullopt;
}

void OpSettings::refuse(const std::string& name, const std::string& message) {
  if (const Setting* setting = find(name)) wrong(*setting, message);
}

// What is asked for again, for another part of the op, is wrong once.
void OpSettings::wrong(const Setting& setting, const std::string& message) {
  bool known = std::any_of(errors_.begin(), errors_.end(), [&](const SettingError& error) {
    return error.setting.name == setting.name;
  });
  if (!known) errors_.push_back({setting, message});
}

std::vector<SettingError> OpSettings::errors() {
  for (const Setting& setting : *settings_)
    if (std::find(known_.begin(), known_.end(), setting.name) != known_.end())
      continue;
    else if (setting.name == kRegion)
      errors_.push_back(
          {setting, "op " + std::to_string(setting.op) + " is not done together with op " +
                        std::to_string(setting.last) + ": --stage=schedule shows which ops are"});
    else if (setting.name == kSteps)
      errors_.push_back(
          {setting, "the op is done together with others: its steps stand in fuse op " +
                        std::to_string(setting.op) + " by { } there"});
    else if (setting.name.starts_with("tile_"))
      errors_.push_back({setting, "calls of a library on tiles are steps: op " +
                                      std::to_string(setting.op) + " { tile " +
                                      setting.name.substr(5) + " by " + setting.value +
                                      " call cblas }"});
    else
      errors_.push_back({setting, "there is nothing called '" + setting.name + "' to set here" +
                                      didYouMean(setting.name, known_) + "; there are " +
                                      joined(known_)});
  return std::move(errors_);
}

}  // namespace einc::strategy
