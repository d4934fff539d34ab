// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/sharing.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/parts.h"
#include "compiler/support/result.h"

namespace einc::strategy {
namespace {

using transforms::constant;
using Kind = Test::Kind;

// What is known of a test without running anything.
std::optional<bool> known(const Test& test) {
  if (test.kind != Kind::Less && test.kind != Kind::LessEqual) return std::nullopt;
  auto left = test.left.asConstant(), right = test.right.asConstant();
  if (!left || !right) return std::nullopt;
  return test.kind == Kind::Less ? *left < *right : *left <= *right;
}

Steps either(std::vector<Test> tests, Steps then, Steps otherwise) {
  if (std::any_of(tests.begin(), tests.end(),
                  [](const Test& test) { return known(test) == false; }))
    return otherwise;
  std::erase_if(tests, [](const Test& test) { return known(test) == true; });
  if (tests.empty()) return then;
  return {WhenStep{std::move(tests), std::move(then), std::move(otherwise)}};
}

// The invocations of a workgroup share the work of a position, or of several.
Result<Form> rows(const SharingTask& task) {
  const target::DeviceNumbers& numbers = task.device.numbers;
  const PositionWork& work = task.work;
  Form form{"rows", rowSteps(task.at, task.rows), 0};
  form.where = {{Kind::Less, constant(numbers.fewSteps), work.length}};
  if (work.unit) form.where.push_back(*work.unit);
  if (task.device.rounds > 0)
    form.where.push_back({Kind::LessEqual, work.length,
                          constant(task.device.rounds / work.rounds * task.rows.lanes)});
  form.lines.push_back(
      "where there is more to do at each than " + std::to_string(numbers.fewSteps) + " steps" +
      (work.unit ? ", along neighbours" : "") + ": " + std::to_string(task.rows.lanes) +
      " invocations for each position, " + std::to_string(task.rows.rows) +
      " positions in a workgroup of at most " + std::to_string(task.device.invocations));
  if (!work.isReadAgain || task.rows.rows == 1 || task.rows.lanes != task.device.subgroup)
    return form;
  form.lines.push_back(
      "where there is more than " + std::to_string(numbers.farSteps) +
      ": all invocations of a workgroup for each position, so that what several ops read is near");
  form.steps = either({{Kind::Less, constant(numbers.farSteps), work.length}},
                      rowSteps(task.at, task.all), std::move(form.steps));
  return form;
}

// All invocations of a workgroup for each position, where one may not do as much.
Result<Form> groups(const SharingTask& task) {
  if (task.device.rounds == 0) return Reason{"an invocation may run any number of rounds"};
  Form form{"groups", rowSteps(task.at, task.all), 0};
  form.where = {{Kind::Less, constant(task.device.rounds / task.work.rounds), task.work.length}};
  form.lines.push_back(
      "where one would run more than the " + std::to_string(task.device.rounds) +
      " rounds of loops that it may: all invocations of a workgroup for each position");
  return form;
}

Result<Form> flat(const SharingTask& task) {
  return Form{"flat", flatSteps(task.at, task.device.numbers.mostPrivate), 0};
}

constexpr Result<Form> (*kForms[])(const SharingTask&) = {
#define EINC_DEVICE_FORM(function) function,
#include "compiler/strategy/forms.def"
};

}  // namespace

Sharing sharingSteps(const Positions& at, const target::Device& device, const PositionWork& work,
                     const DeviceRows& wanted, bool mayBeInParts) {
  auto fit = [&](const DeviceRows& rows) {
    return thatFit(rows, at.kernel, at.ops.ops, device.sharedBytes);
  };
  const DeviceRows all = fit({1, device.invocations});
  const SharingTask task{at,  device,      work, at.shared.empty() ? all : fit(wanted),
                         all, mayBeInParts};
  Sharing result;
  for (auto form = std::rbegin(kForms); form != std::rend(kForms); ++form) {
    auto found = (*form)(task);
    if (!found) continue;
    Steps steps = std::move(found->lets);
    std::move(found->steps.begin(), found->steps.end(), std::back_inserter(steps));
    result.steps = either(std::move(found->where), std::move(steps), std::move(result.steps));
    result.lines.insert(result.lines.begin(), found->lines.begin(), found->lines.end());
  }
  return result;
}

}  // namespace einc::strategy
