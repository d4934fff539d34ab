// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/test_steps.h"

#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/target/target.h"

namespace einc::strategy::test {

Steps parsed(const std::string& text, std::string* error) {
  SourceFile source("steps", text + "}");
  Diagnostics errors(source);
  ir::TokenStream in(source, errors);
  Steps steps = parseSteps(in);
  if (error && !errors.all().empty()) *error = errors.all()[0].message;
  if (!error) EXPECT_TRUE(errors.all().empty()) << text << "\n" << errors.all()[0].message;
  return steps;
}

std::string printed(const Steps& steps) {
  TextWriter out;
  print(steps, out);
  return out.take();
}

std::string applied(const std::string& kernelText, const std::string& steps, std::string* errors,
                    const char* target, bool keepsOrder) {
  ir::Kernel kernel = ir::test::goodKernel(kernelText);
  const ir::StructuredOp op = std::get<ir::StructuredOp>(kernel.body[0].node);
  transforms::Builder builder(kernel);
  ScheduleOptions options{target::find(target)};
  options.keepsOrder = keepsOrder;
  std::vector<StepError> wrong;
  kernel.body = apply(builder, {op, operandNames(kernel, op)}, parsed(steps), options, wrong);
  for (const StepError& error : wrong)
    if (errors) *errors += error.message + "\n";
  if (!errors) EXPECT_TRUE(wrong.empty()) << wrong[0].message;
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

std::string refused(const std::string& kernel, const std::string& steps, const char* target,
                    bool keepsOrder) {
  std::string errors;
  applied(kernel, steps, &errors, target, keepsOrder);
  EXPECT_FALSE(errors.empty()) << steps;
  return errors;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace einc::strategy::test
