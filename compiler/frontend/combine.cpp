// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The combiners of the spec where they are used: written out on given types, their neutral
// elements, and trials of what reductions rely on.
#include "compiler/frontend/neutral.h"
#include "compiler/frontend/scope.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

using ir::ScalarType;
using ir::ValueRef;

std::string typesText(const std::vector<ScalarType>& types) {
  std::string text = joined(types, ", ", [](ScalarType t) { return ir::info(t).name; });
  return types.size() == 1 ? text : "(" + text + ")";
}

// A combiner sees nothing of the def, so there need be none.
struct NoOperands {
  std::map<const Expr*, unsigned> operands;
  std::map<const Expr*, affine::Expr> indices;
  std::vector<ScalarType> types;
  PayloadContext context(Scope& scope) const { return {scope, operands, indices, types}; }
};

// The combiner on operands 0, 1, ...; its results could be built on these types before.
Combination combinationOf(Scope& scope, const Combiner& combiner,
                          const std::vector<ScalarType>& types, SourceRange usedAt) {
  NoOperands none;
  PayloadContext context = none.context(scope);
  std::vector<ValueRef> parameters;
  for (unsigned i = 0; i < 2 * types.size(); ++i)
    parameters.push_back(ir::makeValue(types[i % types.size()], ir::OperandRef{i}));
  return {types, expandCombiner(context, combiner, usedAt, parameters)};
}

// The values that the spec gives; none after an error.
std::vector<ValueRef> givenNeutral(Scope& scope, const Combiner& combiner,
                                   const std::vector<ScalarType>& types, SourceRange usedAt) {
  NoOperands none;
  PayloadContext context = none.context(scope);
  Parameters inside{{}, usedAt, typesText(types)};
  context.parameters = &inside;
  std::vector<ValueRef> values;
  for (size_t i = 0; i < types.size(); ++i) {
    ValueRef value = buildValue(context, *combiner.neutral[i], types[i]);
    if (!value) return {};
    values.push_back(foldConstants(value));
  }
  return values;
}

void warnIfNotNeutral(Scope& scope, const Combiner& combiner, const Combination& combination,
                      const std::vector<ValueRef>& values, SourceRange usedAt) {
  Numbers numbers;
  for (const ValueRef& value : values)
    if (auto number = constantValue(value)) numbers.push_back(*number);
  if (numbers.size() != values.size()) return;
  auto trial = refuteNeutral(combination, numbers);
  if (!trial) return;
  std::string text = joined(combiner.neutral, ", ", [](const ExprPtr& e) { return exprText(*e); });
  std::string message =
      "combiner '" + combiner.name.text + "': neutral " + text + " is not neutral: " + *trial;
  if (!scope.combiners.isNew(message)) return;
  scope.errors
      .warning(Diag::NeutralIsNot,
               {combiner.neutral.front()->range.begin, combiner.neutral.back()->range.end}, message)
      .note(usedAt, "used here on " + typesText(combination.types));
}

}  // namespace

std::vector<ValueRef> buildCombined(PayloadContext& context, const Combiner& combiner,
                                    const Name& name, std::vector<ValueRef> first,
                                    const std::vector<const Expr*>& args,
                                    const std::vector<ScalarType>& types) {
  Diagnostics& errors = context.scope.errors;
  size_t n = combiner.results.size();
  if (n != types.size()) {
    errors.error(Diag::OutputCount, name.range,
                 "'" + combiner.name.text + "' gives " + std::to_string(n) +
                     " values; it stands outermost on the right side, with " + std::to_string(n) +
                     " outputs on the left");
    return {};
  }
  if (first.size() + args.size() != 2 * n) {
    std::string besides = first.empty() ? "" : " besides what is accumulated";
    errors.error(Diag::ArgumentCount, name.range,
                 "'" + combiner.name.text + "' takes " + std::to_string(2 * n - first.size()) +
                     " arguments" + besides + ", found " + std::to_string(args.size()));
    return {};
  }
  std::vector<ValueRef> parameters = std::move(first);
  for (const Expr* arg : args) {
    parameters.push_back(buildValue(context, *arg, types[parameters.size() % n]));
    if (!parameters.back()) return {};
  }
  return expandCombiner(context, combiner, name.range, parameters);
}

std::vector<ValueRef> expandCombiner(PayloadContext& context, const Combiner& combiner,
                                     SourceRange usedAt, const std::vector<ValueRef>& parameters) {
  size_t n = combiner.results.size();
  Parameters inside;
  // What is reported of a combiner inside another one is noted at the statement that uses both.
  inside.usedAt = context.parameters ? context.parameters->usedAt : usedAt;
  std::vector<ScalarType> types;
  for (size_t i = 0; i < n; ++i) {
    inside.values[combiner.accumulated[i].text] = parameters[i];
    inside.values[combiner.added[i].text] = parameters[n + i];
    types.push_back(parameters[i]->type);
  }
  inside.types = typesText(types);
  PayloadContext body = context;
  body.parameters = &inside;
  std::vector<ValueRef> results;
  for (size_t i = 0; i < n; ++i) {
    results.push_back(buildValue(body, *combiner.results[i], types[i]));
    if (!results.back()) return {};
  }
  return results;
}

std::vector<ValueRef> neutralOf(Scope& scope, const Combiner& combiner,
                                const std::vector<ScalarType>& types, SourceRange usedAt) {
  Combination combination = combinationOf(scope, combiner, types, usedAt);
  if (combination.results.empty()) return {};
  if (!combiner.neutral.empty()) {
    std::vector<ValueRef> values = givenNeutral(scope, combiner, types, usedAt);
    if (!values.empty()) warnIfNotNeutral(scope, combiner, combination, values, usedAt);
    return values;
  }
  std::vector<ValueRef> values;
  if (auto derived = deriveNeutral(combination)) {
    for (size_t i = 0; i < types.size(); ++i)
      values.push_back(ir::makeLiteral(types[i], (*derived)[i]));
    return values;
  }
  std::string wanted = "VALUE";
  for (size_t i = 1; i < types.size(); ++i) wanted += ", VALUE";
  scope.errors
      .error(Diag::NoNeutral, usedAt,
             "no neutral element of '" + combiner.name.text + "' on " + typesText(types) +
                 " is known, and none could be proved; end the combiner with: neutral " + wanted +
                 ";")
      .note(combiner.name.range, "'" + combiner.name.text + "' is defined here");
  return {};
}

std::shared_ptr<const ir::Combiner> partsCombiner(Scope& scope, const Combiner& combiner,
                                                  const std::vector<ScalarType>& types,
                                                  SourceRange usedAt) {
  Combination combination = combinationOf(scope, combiner, types, usedAt);
  if (combination.results.empty() || !keepsLawsAtEnds(combination)) return nullptr;
  Numbers neutral;
  if (combiner.neutral.empty()) {
    neutral = deriveNeutral(combination).value_or(Numbers());
  } else {
    for (const ValueRef& value : givenNeutral(scope, combiner, types, usedAt))
      if (auto number = constantValue(value)) neutral.push_back(*number);
  }
  if (neutral.size() != types.size() || refuteNeutral(combination, neutral)) return nullptr;
  ir::Combiner result{combination.results, {}};
  for (size_t i = 0; i < types.size(); ++i)
    result.neutral.push_back(ir::makeLiteral(types[i], neutral[i]));
  return std::make_shared<const ir::Combiner>(std::move(result));
}

bool checkLaws(Scope& scope, const Combiner& combiner, const std::vector<ScalarType>& types,
               SourceRange usedAt) {
  Combination combination = combinationOf(scope, combiner, types, usedAt);
  auto trial = combination.results.empty() ? std::nullopt : refuteLaws(combination);
  if (!trial) return true;
  std::string message = "combiner '" + combiner.name.text + "' is " + *trial +
                        "; a reduction combines in unspecified order";
  if (scope.combiners.isNew(message))
    scope.errors.warning(Diag::NotACombination, combiner.name.range, message)
        .note(usedAt, "used here on " + typesText(types));
  return false;
}

}  // namespace einc::frontend
