// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/forms.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "compiler/strategy/contractions/contraction.h"
#include "compiler/strategy/loops.h"
#include "compiler/strategy/others.h"
#include "compiler/strategy/report.h"
#include "compiler/strategy/streams/digits.h"
#include "compiler/strategy/streams/few_channels.h"
#include "compiler/strategy/streams/lines.h"
#include "compiler/strategy/streams/neighbours.h"
#include "compiler/strategy/streams/parts_for_threads.h"
#include "compiler/strategy/streams/short_rows.h"
#include "compiler/strategy/streams/short_windows.h"
#include "compiler/strategy/streams/single.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/strategy/streams/turned.h"
#include "compiler/strategy/streams/windows.h"
#include "compiler/strategy/streams/within_borders.h"
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
  bool isTold, hasTiles;
};

constexpr Row kRows[] = {
#define EINC_FORM(name, function, without, told, tiles) {name, function, without, told, tiles},
#include "compiler/strategy/forms.def"
};

using Rows = std::vector<const Row*>;

Rows allRows() {
  Rows rows;
  for (const Row& row : kRows) rows.push_back(&row);
  return rows;
}

Form bestOf(const Rows& rows, const Task& task);

// The task with other settings.
Task with(OpSettings& settings, const Task& task) {
  return {task.kernel, task.op, task.names, task.options, settings,     task.memory,
          task.whole,  nullptr, task.known, task.others,  task.isBlock, task.isReadAgain};
}

// The row with the least estimate, and its form. What each is estimated at goes to `estimates`.
std::pair<const Row*, Form> leastOf(const Rows& rows, const Task& task,
                                    std::vector<std::string>& estimates) {
  const auto wanted = task.settings.word("strategy", formNames());
  const Row* best = nullptr;
  std::optional<Form> least;
  OpSettings asked = task.settings;  // by the best
  std::vector<std::string> refusals, told;
  std::optional<std::string> refused;  // what is wanted
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    OpSettings own = task.settings;
    Task part = with(own, task);
    part.behind = [behind = Rows(row + 1, rows.end())](const Task& inner) {
      return bestOf(behind, inner);
    };
    auto form = (*row)->form(part);
    if (form && task.others && !(*row)->hasTiles) {
      form->steps = lineByLine(*task.others, task.op, task.options);
      form->where.clear();
      form->lets.clear();
    }
    if (form) estimates.push_back(std::string((*row)->name) + " " + shortNumber(form->cycles));
    const bool isBetter =
        !best || (wanted ? (*row)->name == *wanted : form->cycles < least->cycles);
    if (form && isBetter) {
      best = *row;
      least = std::move(*form);
      asked = std::move(own);
      told = refusals;
    }
    if (form) continue;
    const std::string text = std::string((*row)->without) + ": " + form.reason();
    if ((*row)->isTold) refusals.push_back(text);
    if (wanted == (*row)->name) refused = text;
  }
  if (least->own.empty()) least->own = least->lines;
  least->lines.insert(least->lines.begin(), told.begin(), told.end());
  task.settings = std::move(asked);
  if (refused) task.settings.refuse("strategy", *refused);
  return {best, std::move(*least)};
}

// Where it may not be taken, the best of those behind it is: they need less code than those before.
Form bestOf(const Rows& rows, const Task& task) {
  std::vector<std::string> estimates;
  auto [row, best] = leastOf(rows, task, estimates);
  best.lines.push_back("cycles an iteration, at best: " + joined(estimates));
  if (best.where.empty()) return std::move(best);
  const Rows others(std::find(rows.begin(), rows.end(), row) + 1, rows.end());
  OpSettings none({}, task.kernel.name, 0);  // what the user sets is for the best
  Form other = bestOf(others, with(none, task));
  other.lines.clear();
  other.settings.clear();
  return orElse(std::move(best), std::move(other));
}

// What the user sets holds where the form around is, or elsewhere, or in both.
Form bestAround(const Task& task, size_t next) {
  if (next == std::size(kAround)) return bestOf(allRows(), task);
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
