// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/decide.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/device/at_positions.h"
#include "compiler/strategy/device/complete.h"
#include "compiler/strategy/device/forms.h"
#include "compiler/strategy/device/product.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// What can be said of an op: a form, or that it is computed where it is read.
const std::string kInline = "inline";
std::vector<std::string> strategies() {
  std::vector<std::string> names = deviceFormNames();
  names.push_back(kInline);
  return names;
}

class Decider {
 public:
  Decider(transforms::Builder& builder, const Ops& ops, size_t first,
          const ScheduleOptions& options)
      : builder_(builder), ops_(ops), first_(first), options_(options) {
    for (size_t i = 0; i < ops.size(); ++i) {
      result_.reports.push_back(
          {ops[i].source, ir::printStatement(builder.kernel(), {ops[i]}), "flat", {}, {}});
      settings_.emplace_back(options.settings, builder.kernel().name,
                             static_cast<unsigned>(first + i));
    }
  }

  Decision run() {
    decide(productOf(builder_.kernel(), ops_));
    for (size_t i = 0; i < ops_.size(); ++i) {
      refuseWhatWasNotDone(i);
      llvm::append_range(result_.errors, settings_[i].errors());
    }
    return std::move(result_);
  }

 private:
  void decide(const std::optional<size_t>& product) {
    const bool share = ops_.size() == 1 || !sharedPositions(builder_.kernel(), ops_).empty();
    if ((share || product) && takesSaid(0, ops_.size())) return;
    std::vector<std::optional<std::string>> wanted;
    for (OpSettings& own : settings_) wanted.push_back(own.word("strategy", strategies()));
    for (size_t i = 0; !product && i < ops_.size(); ++i)
      if (wanted[i] == "contraction")
        settings_[i].refuse("strategy", "the op is no contraction on a device");
    if (product && wanted[*product].value_or("contraction") == "contraction")
      return onTiles(*product);
    if (share) return atPositions(0, ops_.size());
    for (size_t i = 0; i < ops_.size(); ++i)
      if (!takesSaid(i, i + 1)) atPositions(i, i + 1);
  }

  Ops part(size_t begin, size_t end) const {
    return {ops_.begin() + static_cast<ptrdiff_t>(begin),
            ops_.begin() + static_cast<ptrdiff_t>(end)};
  }

  // What the user says of an op, or of ops together, if that is not what is done anyway.
  bool takesSaid(size_t begin, size_t end) {
    std::optional<Steps> steps;
    if (end - begin == 1) {
      steps = settings_[begin].steps();
      if (!steps || steps->empty() || *steps == byModel(begin, end)) return false;
    } else {
      auto said = settings_[begin].region();
      if (!said || said->op != first_ + begin || said->last + 1 != first_ + end) return false;
      isByModel_ = said->steps == byModel(begin, end);
      if (isByModel_) return false;
      steps = std::move(said->steps);
    }
    for (size_t i = begin; i < end; ++i) {
      result_.reports[i].strategy = "steps";
      result_.reports[i].lines = {end - begin == 1 ? "as the schedule says"
                                                   : "together with others, as the schedule says"};
    }
    const Ops ops = part(begin, end);
    take(begin, end, completedOnDevice(builder_.kernel(), ops, first_ + begin, *steps, options_),
         /*isSaid=*/true);
    return true;
  }

  // What is done with an op alone, or ops together, of which the user says nothing.
  std::optional<Steps> byModel(size_t begin, size_t end) {
    ScheduleOptions options = options_;
    options.settings.clear();
    Decision model = Decider(builder_, part(begin, end), first_ + begin, options).run();
    if (model.parts.size() != 1) return std::nullopt;
    return std::move(model.parts[0].steps);
  }

  void take(size_t begin, size_t end, Steps steps, bool isSaid) {
    result_.parts.push_back({first_ + begin, end - begin, std::move(steps), isSaid});
  }

  void onTiles(size_t product) {
    auto form = bestAround({builder_, ops_, first_, device(), settings_});
    for (size_t i = 0; i < ops_.size(); ++i) {
      result_.reports[i].strategy = form->name;
      if (i == product) continue;
      result_.reports[i].lines.emplace_back(i < product
                                                ? "the sums of the contraction start from it"
                                                : "done with the sums of the contraction");
      result_.reports[i].own = result_.reports[i].lines;
    }
    result_.reports[product].settings = form->settings;
    result_.reports[product].lines = form->lines;
    result_.reports[product].own = form->own;
    take(0, ops_.size(),
         orElse(std::move(*form), smallForm(builder_, ops_, first_, options_)).steps,
         /*isSaid=*/false);
  }

  void atPositions(size_t begin, size_t end) {
    const AtPositions at(builder_, part(begin, end), first_ + begin, options_);
    std::vector<OpReport*> left;
    for (size_t i = begin; i < end; ++i) left.push_back(&result_.reports[i]);
    for (auto gone = at.gone().rbegin(); gone != at.gone().rend(); ++gone) {
      OpReport& report = result_.reports[begin + *gone];
      report.strategy = kInline;
      report.lines.emplace_back("computed where it is read");
      std::erase(left, &report);
    }
    auto say = [&](const std::vector<std::string>& lines) {
      for (OpReport* report : left)
        report->lines.insert(report->lines.end(), lines.begin(), lines.end());
    };
    for (OpReport* report : left)
      if (left.size() > 1) report->together = "position by position";
    say(at.invocations());
    const auto shared = at.sharedWork();
    const size_t sharing = shared ? left[*shared] - result_.reports.data() : begin;
    const int64_t lanes = shared ? lanesOf(settings_[sharing]) : device().subgroup;
    Form done = named(at, begin, end, lanes);
    for (OpReport* report : left) report->strategy = done.name;
    if (shared) note(done, lanes, sharing);
    say(done.lines);
    for (OpReport* report : left) report->own = done.own;
    take(begin, end, std::move(done.steps), /*isSaid=*/false);
  }

  // The best form of ops that are done together, or that which one of them is to have.
  Form named(const AtPositions& at, size_t begin, size_t end, int64_t lanes) {
    std::optional<size_t> who;
    std::string wanted;
    for (size_t i = begin; i < end; ++i) {
      auto word = settings_[i].word("strategy", strategies());
      if (!word || word == kInline || settings_[i].hasWrong()) continue;
      if (who && word != wanted)
        settings_[i].refuse("strategy", "it is done together with op " +
                                            std::to_string(first_ + *who) + ", as '" + wanted +
                                            "'");
      if (!who) std::tie(who, wanted) = std::pair(i, *word);
    }
    auto form = at.form(lanes, /*mayBeInParts=*/true, wanted);
    if (form) return std::move(*form);
    settings_[*who].refuse("strategy", wanted + ": " + form.reason());
    return std::move(*at.form(lanes, /*mayBeInParts=*/true));
  }

  // What was set for the op whose work at a position invocations share, where they do.
  void note(const Form& form, int64_t lanes, size_t op) {
    OpReport& report = result_.reports[op];
    if (form.settings.empty()) {
      settings_[op].refuse("lanes", "'" + form.name + "' shares no positions among invocations");
      return;
    }
    llvm::append_range(report.settings, form.settings);
    report.lines.push_back("lanes = " + std::to_string(lanes) +
                           (lanes == device().subgroup ? ": a subgroup" : ""));
  }

  // A subgroup for each position, whose invocations read neighbours in one step.
  int64_t lanesOf(OpSettings& settings) {
    const int64_t lanes =
        settings.number("lanes", 1, device().invocations).value_or(device().subgroup);
    if ((lanes & (lanes - 1)) == 0) return lanes;
    settings.refuse("lanes", "lanes = " + std::to_string(lanes) +
                                 ": expected a power of two, as sums are added up in a tree");
    return device().subgroup;
  }

  void refuseWhatWasNotDone(size_t i) {
    OpSettings& settings = settings_[i];
    const std::string& strategy = result_.reports[i].strategy;
    const auto word = settings.word("strategy", strategies());
    if (word && word != strategy && !settings.hasWrong())
      settings.refuse("strategy", word == kInline
                                      ? "the op cannot be computed where its results are read"
                                      : "it is done as '" + strategy + "', with other ops");
    if (settings.region() && strategy != "steps" && !isByModel_)
      settings.refuse(kRegion, "these ops are not done together: they do not share all positions");
  }

  const target::Device& device() const { return *options_.target->device; }

  transforms::Builder& builder_;
  const Ops& ops_;
  size_t first_;
  const ScheduleOptions& options_;
  Decision result_;
  std::vector<OpSettings> settings_;
  bool isByModel_ = false;  // what the user says of ops together
};

}  // namespace

Decision decideRegion(transforms::Builder& builder, const Ops& ops, size_t first,
                      const ScheduleOptions& options) {
  return Decider(builder, ops, first, options).run();
}

Form smallForm(transforms::Builder& builder, const Ops& ops, size_t first,
               const ScheduleOptions& options) {
  return *AtPositions(builder, ops, first, options)
              .form(options.target->device->subgroup, /*mayBeInParts=*/false);
}

}  // namespace einc::strategy
