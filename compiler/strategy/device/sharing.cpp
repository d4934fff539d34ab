// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/sharing.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/parts.h"

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

}  // namespace

Sharing sharingSteps(const Positions& at, const target::Device& device, const PositionWork& work,
                     const DeviceRows& wanted, bool mayBeInParts) {
  const target::DeviceNumbers& numbers = device.numbers;
  auto fit = [&](const DeviceRows& rows) {
    return thatFit(rows, at.kernel, at.ops.ops, device.sharedBytes);
  };
  const DeviceRows all = fit({1, device.invocations});
  const DeviceRows rows = at.shared.empty() ? all : fit(wanted);
  Sharing result;
  result.lines.push_back(
      "where there is more to do at each than " + std::to_string(numbers.fewSteps) + " steps" +
      (work.unit ? ", along neighbours" : "") + ": " + std::to_string(rows.lanes) +
      " invocations for each position, " + std::to_string(rows.rows) +
      " positions in a workgroup of at most " + std::to_string(device.invocations));
  Steps little = flatSteps(at, numbers.mostPrivate);
  auto inParts = [&](std::optional<Parts> parts, Steps whole) {
    if (!parts) return whole;
    result.lines.push_back(parts->reason);
    return either(std::move(parts->tests), std::move(parts->steps), std::move(whole));
  };
  if (mayBeInParts) little = inParts(partsAcross(at, device, work), std::move(little));
  std::vector<Test> tests = {{Kind::Less, constant(numbers.fewSteps), work.length}};
  if (work.unit) tests.push_back(*work.unit);
  if (device.rounds > 0) {
    const int64_t most = device.rounds / work.rounds;
    tests.push_back({Kind::LessEqual, work.length, constant(most * rows.lanes)});
    result.lines.push_back(
        "where one would run more than the " + std::to_string(device.rounds) +
        " rounds of loops that it may: all invocations of a workgroup for each position");
    little =
        either({{Kind::Less, constant(most), work.length}}, rowSteps(at, all), std::move(little));
  }
  Steps much = rowSteps(at, rows);
  if (work.isReadAgain && rows.rows > 1 && rows.lanes == device.subgroup) {
    result.lines.push_back("where there is more than " + std::to_string(numbers.farSteps) +
                           ": all invocations of a workgroup for each position, so that what "
                           "several ops read is near");
    much = either({{Kind::Less, constant(numbers.farSteps), work.length}}, rowSteps(at, all),
                  std::move(much));
  }
  result.steps = either(std::move(tests), std::move(much), std::move(little));
  if (mayBeInParts) result.steps = inParts(partsOfFew(at, device, work), std::move(result.steps));
  return result;
}

}  // namespace einc::strategy
