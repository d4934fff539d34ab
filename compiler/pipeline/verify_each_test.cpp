// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/verify_each.h"

#include "compiler/ir/test_text.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/strategy/plan/text.h"

namespace einc::pipeline {
namespace {

constexpr const char* kMap =
    "kernel @f(%A: tensor<M x N x i32>) -> (%C: tensor<M x N x i32>) level tensors {"
    " op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> add(a, 1_i32) } }";
constexpr const char* kSteps =
    "tile m by 1\n when n <= 8 { vectorize (n: 8) } otherwise { tile n by 8 vectorize (n: 8) }";

strategy::ScheduleOptions options() {
  strategy::ScheduleOptions result{target::find("x86-64-v3")};
  SourceFile source("steps", kSteps + std::string(" }"));
  Diagnostics errors(source);
  ir::TokenStream in(source, errors);
  result.settings = {{"f", 0, strategy::kSteps, "", strategy::parseSteps(in)}};
  return result;
}

// What is found on the way to hardware, with these.
std::string failure(const strategy::ScheduleOptions& options, const AfterPass& after = nullptr) {
  VerifyEach each;
  auto made = schedule(ir::test::parsed(kMap), options, after, &each);
  if (auto* failed = std::get_if<PassFailure>(&made)) return failed->pass + ": " + failed->reason;
  EXPECT_TRUE(std::get<Scheduled>(made).errors.empty());
  auto code = finish(std::get<Scheduled>(made), ir::Level::Hardware, after, &each);
  auto* failed = std::get_if<PassFailure>(&code);
  return failed ? failed->pass + ": " + failed->reason : "";
}

TEST(VerifyEach, GoodStepsAndPassesPass) { EXPECT_EQ(failure(options()), ""); }

TEST(VerifyEach, NamesThePass) {
  auto plant = [](std::string_view pass, ir::Module& module) {
    if (pass != "vectorize") return;
    ir::Block& body = module.kernels[0].body;
    std::get<ir::TileLoop>(body[0].node).extent = affine::Expr::constant(0);
  };
  const std::string found = failure(options(), plant);
  EXPECT_EQ(found.rfind("vectorize: @f, M = 1, N = 1: %C at [0, 0]: ", 0), 0u) << found;
}

// The first step that is wrong, not those behind it.
TEST(VerifyEach, NamesTheStep) {
  strategy::ScheduleOptions planted = options();
  planted.afterStep = [](const strategy::Step& step, ir::Block& code) {
    if (strategy::print(step).rfind("when", 0) == 0)
      std::get<ir::If>(code.back().node).otherwise.clear();
  };
  const std::string found = failure(planted);
  EXPECT_EQ(found.rfind("schedule: step 'when n <= 8' of op 0: @f, M = ", 0), 0u) << found;
}

// A form that breaks a rule of the IR is no whole kernel.
TEST(VerifyEach, StepsKeepTheRules) {
  strategy::ScheduleOptions planted = options();
  planted.afterStep = [](const strategy::Step& step, ir::Block& code) {
    if (strategy::print(step) == "tile m by 1") code.clear();
  };
  EXPECT_EQ(failure(planted),
            "schedule: step 'tile m by 1' of op 0: @f, V34 output-written: output %C is never "
            "written");
}

}  // namespace
}  // namespace einc::pipeline
