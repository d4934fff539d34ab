// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/forms.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "compiler/strategy/contractions/contraction.h"
#include "compiler/strategy/loops.h"
#include "compiler/strategy/report.h"
#include "compiler/strategy/streams/digits.h"
#include "compiler/strategy/streams/parts_for_threads.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/strategy/streams/windows.h"
#include "compiler/strategy/unit_steps.h"
#include "compiler/support/result.h"
#include "compiler/support/text_writer.h"

namespace einc::strategy {
namespace {

using Around = Result<Form> (*)(const Task& task, const Form& whole);

constexpr Around kAround[] = {
#define EINC_FORM_AROUND(function) function,
#include "compiler/strategy/forms.def"
};

struct Row {
  const char* name;
  Result<Form> (*form)(const Task& task);
  const char* without;
  bool isTold;
};

constexpr Row kRows[] = {
#define EINC_FORM(name, function, without, told) {name, function, without, told},
#include "compiler/strategy/forms.def"
};

Form bestRow(const Task& task, size_t first);

// The task with other settings.
Task with(OpSettings& settings, const Task& task) {
  return {task.kernel, task.op, task.names, task.options, settings, task.memory, task.whole};
}

// Of the rows from the `first` on. What each is estimated at goes to `estimates`.
Form bestRow(const Task& task, size_t first, std::vector<std::string>& estimates) {
  const auto wanted = task.settings.word("strategy", formNames());
  std::optional<Form> best;
  OpSettings asked = task.settings;  // by the best
  std::vector<std::string> refusals, told;
  for (const Row* row = kRows + first; row != std::end(kRows); ++row) {
    if (wanted && *wanted != row->name && (best || row + 1 != std::end(kRows))) continue;
    OpSettings own = task.settings;
    Task part = with(own, task);
    part.behind = [row](const Task& inner) {
      return bestRow(inner, static_cast<size_t>(row + 1 - kRows));
    };
    auto form = row->form(part);
    if (form) estimates.push_back(std::string(row->name) + " " + shortNumber(form->cycles));
    if (form && (!best || form->cycles < best->cycles)) {
      best = std::move(*form);
      asked = std::move(own);
      told = refusals;
    }
    if (form) continue;
    const std::string text = std::string(row->without) + ": " + form.reason();
    if (row->isTold) refusals.push_back(text);
    if (wanted == row->name) task.settings.refuse("strategy", text);
  }
  best->lines.insert(best->lines.begin(), told.begin(), told.end());
  task.settings = std::move(asked);
  return std::move(*best);
}

Form bestRow(const Task& task, size_t first) {
  std::vector<std::string> estimates;
  Form best = bestRow(task, first, estimates);
  best.lines.push_back("cycles an iteration, at best: " + joined(estimates));
  if (best.where.empty()) return best;
  const Row* row =
      std::find_if(kRows, std::end(kRows), [&](const Row& one) { return best.name == one.name; });
  OpSettings none({}, task.kernel.name, 0);  // what the user sets is for the best
  Form other = bestRow(with(none, task), static_cast<size_t>(row + 1 - kRows));
  other.lines.clear();
  other.settings.clear();
  return orElse(std::move(best), std::move(other));
}

// What the user sets holds where the form around is, or elsewhere, or in both.
Form bestAround(const Task& task, size_t next) {
  if (next == std::size(kAround)) return bestRow(task, 0);
  OpSettings around = task.settings, elsewhere = task.settings;
  Form whole = bestAround(with(elsewhere, task), next + 1);
  Task part = with(around, task);
  part.behind = [next](const Task& inner) { return bestAround(inner, next + 1); };
  auto form = kAround[next](part, whole);
  const bool isAround = form && form->cycles <= whole.cycles;
  const bool holdsAround =
      isAround && (form->where.empty() || (elsewhere.hasWrong() && !around.hasWrong()));
  task.settings = holdsAround ? around : elsewhere;
  if (!isAround) return whole;
  if (holdsAround && !form->where.empty()) {
    OpSettings none({}, task.kernel.name, 0);
    whole = bestAround(with(none, task), next + 1);
  }
  return orElse(std::move(*form), std::move(whole));
}

}  // namespace

const std::vector<std::string>& formNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Row& row : kRows) result.emplace_back(row.name);
    return result;
  }();
  return names;
}

Form bestForm(const Task& task) { return bestAround(task, 0); }

Form bestFormOfPart(const Task& task) { return bestAround(task, 1); }

}  // namespace einc::strategy
