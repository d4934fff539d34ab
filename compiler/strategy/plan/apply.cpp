// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/apply.h"

#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace einc::strategy {

ir::Block apply(transforms::Builder& builder, Place place, const Steps& steps,
                const ScheduleOptions& options, std::vector<StepError>& errors,
                const Complete& complete) {
  At here;
  static_cast<Place&>(here) = std::move(place);
  return Work(builder, options, errors, complete).start(std::move(here), steps);
}

ir::Block apply(transforms::Builder& builder, const ir::StructuredOp& op, const Steps& steps,
                const ScheduleOptions& options, const Complete& complete) {
  std::vector<StepError> errors;
  ir::Block block = apply(builder, Place{op, operandNames(builder.kernel(), op)}, steps, options,
                          errors, complete);
  if (errors.empty()) return block;
  TextWriter text;
  print(steps, text);
  const std::string message = "a bug in einc: " + errors[0].message + "\n" +
                              ir::printStatement(builder.kernel(), {op}) + "\n" + text.take();
  llvm::report_fatal_error(llvm::StringRef(message));
}

}  // namespace einc::strategy
