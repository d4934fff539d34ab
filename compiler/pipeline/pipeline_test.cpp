// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/pipeline.h"

#include "compiler/ir/test_text.h"
#include "compiler/pipeline/passes.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::pipeline {
namespace {

// A sum whose start is known, and a matrix product.
constexpr const char* kModule = R"(
  kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x f32>) level tensors {
    op (m: parallel) outs(%C[m]) { (c) -> 0.0_f32 }
    op (m: parallel, n: reduction) ins(%A[m, n]) outs(%C[m]) { (a, c) -> add(c, a) }
  }
  kernel @g(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>)
      level tensors {
    op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) {
      (a, b, c) -> add(c, mul(a, b))
    }
  })";

strategy::ScheduleOptions on(const std::string& target) { return {target::find(target)}; }

// The passes that run to the end, by name.
std::string passesOn(const strategy::ScheduleOptions& options) {
  std::string names;
  auto note = [&](std::string_view pass, ir::Module&) { names += std::string(pass) + " "; };
  auto scheduled = schedule(ir::test::parsed(kModule), options, note);
  if (!std::holds_alternative<Scheduled>(scheduled)) return names + "refused";
  auto code = finish(std::get<Scheduled>(scheduled), ir::Level::Hardware, note);
  return names + (std::holds_alternative<ir::Module>(code) ? "" : "refused");
}

TEST(Pipeline, RunsWhatTheTargetNeeds) {
  EXPECT_EQ(passesOn(on("x86-64-v4")),
            "simplify widen-sums inline zero-points lay-out in-rounds in-tiles name-sizes once "
            "fuse in-place "
            "bufferize "
            "call-external schedule "
            "trim vectorize multiply-narrow contract "
            "unroll "
            "assume-numbers reduce-together hoist-values canonicalize share-memory ");
  strategy::ScheduleOptions strict = on("x86-64-v2");
  strict.keepsOrder = true;
  strict.settings = {{"g", 0, "library", "cblas"}};
  EXPECT_EQ(passesOn(strict),
            "simplify inline zero-points lay-out in-tiles name-sizes once fuse in-place bufferize "
            "call-external "
            "map-to-library "
            "schedule "
            "trim vectorize multiply-narrow contract unroll "
            "reduce-together hoist-values canonicalize share-memory ");
  EXPECT_EQ(passesOn(on("vulkan")),
            "simplify inline in-rounds in-tiles fuse bufferize call-external schedule distribute "
            "vectorize "
            "contract "
            "unroll ");
}

// --print-ir-after= takes the names of the table.
TEST(Pipeline, AllOfItsPassesHaveANameInTheTable) {
  for (const char* target : {"x86-64-v4", "vulkan"}) {
    strategy::ScheduleOptions options = on(target);
    options.settings = {{"g", 0, "library", "cblas"}};
    auto note = [&](std::string_view pass, ir::Module&) {
      EXPECT_TRUE(llvm::any_of(allPasses(), [&](const Pass& p) { return p.name == pass; })) << pass;
    };
    auto scheduled = schedule(ir::test::parsed(kModule), options, note);
    ASSERT_TRUE(std::holds_alternative<Scheduled>(scheduled));
    finish(std::get<Scheduled>(scheduled), ir::Level::Hardware, note);
  }
}

TEST(Pipeline, AScheduleHasAllThatIsAskedOfIt) {
  strategy::ScheduleOptions options = on("x86-64-v4");
  options.settings = {{"f", 1, "mr", "7"}, {"g", 0, "kc", "-1"}, {"g", 5, "kc", "64"}};
  const int before = scheduledKernels();
  auto made = schedule(ir::test::parsed(kModule), options);
  ASSERT_TRUE(std::holds_alternative<Scheduled>(made));
  const Scheduled& scheduled = std::get<Scheduled>(made);
  EXPECT_EQ(scheduledKernels(), before + 2);
  ASSERT_EQ(scheduled.decisions.size(), 2u);
  EXPECT_EQ(scheduled.decisions[0].reports.size(), 2u);
  EXPECT_EQ(scheduled.decisions[1].reports[0].strategy, "contraction");
  EXPECT_EQ(scheduled.buffers.kernels[1].level, ir::Level::Buffers);
  EXPECT_EQ(scheduled.tiled.kernels[1].level, ir::Level::Tiled);
  std::string wrong;
  for (const strategy::SettingError& error : scheduled.errors)
    wrong += error.setting.kernel + "." + std::to_string(error.setting.op) + " ";
  EXPECT_EQ(wrong, "f.1 g.0 g.5 ");
}

TEST(Pipeline, EndsAtTheLevelAskedFor) {
  auto made = schedule(ir::test::parsed(kModule), on("x86-64-v4"));
  for (ir::Level until : {ir::Level::Tiled, ir::Level::Vector, ir::Level::Hardware}) {
    auto code = finish(std::get<Scheduled>(made), until);
    ASSERT_TRUE(std::holds_alternative<ir::Module>(code));
    EXPECT_EQ(std::get<ir::Module>(code).kernels[0].level, until);
  }
}

// Each kernel from the level that it has; what is at hardware is left as it is.
TEST(Pipeline, GoesOnFromTheLevelOfEachKernel) {
  const strategy::ScheduleOptions options = on("x86-64-v3");
  auto made = schedule(ir::test::parsed(kModule), options);
  auto code = finish(std::get<Scheduled>(made), ir::Level::Hardware);
  const std::vector<ir::Kernel>& finished = std::get<ir::Module>(code).kernels;
  for (ir::Level level : {ir::Level::Tiled, ir::Level::Vector, ir::Level::Hardware}) {
    auto partly = finish(std::get<Scheduled>(made), level);
    ir::Module mixed = ir::test::parsed(kModule);
    mixed.kernels[1] = std::get<ir::Module>(partly).kernels[1];
    const int before = scheduledKernels();
    auto again = schedule(mixed, options);
    EXPECT_EQ(scheduledKernels(), before + 1);
    EXPECT_TRUE(std::get<Scheduled>(again).decisions[1].reports.empty());
    auto done = finish(std::get<Scheduled>(again), ir::Level::Hardware);
    const std::vector<ir::Kernel>& kernels = std::get<ir::Module>(done).kernels;
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(ir::print(kernels[i]), ir::print(finished[i]));
  }
}

TEST(Pipeline, WhatIsTiledHasNoSettings) {
  auto made = schedule(ir::test::parsed(kModule), on("x86-64-v3"));
  strategy::ScheduleOptions options = on("x86-64-v3");
  options.settings = {{"g", 0, "kc", "64"}};
  auto again = schedule(std::get<Scheduled>(made).tiled, options);
  const std::vector<strategy::SettingError>& errors = std::get<Scheduled>(again).errors;
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].message, "'g' is at level tiled: what is done with its ops stands in it");
}

TEST(Pipeline, FunctionsOfTheUsersOwnRunOnNoDevice) {
  strategy::ScheduleOptions options = on("vulkan");
  options.settings = {{"f", 1, "library_call", "mine"}};
  auto made = schedule(ir::test::parsed(kModule), options);
  ASSERT_TRUE(std::holds_alternative<PassFailure>(made));
  const PassFailure& failure = std::get<PassFailure>(made);
  EXPECT_EQ(failure.kind, PassFailure::Kind::Refused);
  EXPECT_EQ(failure.reason,
            "def 'f' is done by mine (library_call), which runs on the CPU, and --target=vulkan is "
            "a device");
}

// Though nobody looks at what each pass makes; passes behind it get what is broken.
TEST(Sequence, NamesThePassThatBrokeARule) {
  const ir::Module module = ir::test::parsed(kModule);
  Sequence passes(module, nullptr);
  int runs = 0;
  passes.runAll("first", [&](const ir::Module& module) { return Result<ir::Module>(module); });
  passes.run("second", ir::Level::Tensors, [&](const ir::Kernel& kernel) {
    ++runs;
    ir::Kernel broken = kernel;
    if (kernel.name == "g") broken.body.clear();
    return broken;
  });
  passes.runAll("third", [&](const ir::Module& module) { return Result<ir::Module>(module); });
  EXPECT_FALSE(passes.failure());
  EXPECT_EQ(runs, 2);
  passes.end();
  ASSERT_TRUE(passes.failure());
  EXPECT_EQ(passes.failure()->pass, "second");
  EXPECT_EQ(passes.failure()->kind, PassFailure::Kind::Broken);
  EXPECT_EQ(passes.failure()->before.kernels[1].body.size(), 1u);
  EXPECT_EQ(passes.module().kernels[1].body.size(), 1u);
  EXPECT_EQ(runs, 4);
}

// What is planted after a pass goes on from there, and a broken module ends it.
TEST(Pipeline, WhatFollowsAPassMayChangeIt) {
  auto loses = [](std::string_view pass, ir::Module& module) {
    if (pass == "fuse") module.kernels[1].body.clear();
  };
  auto made = schedule(ir::test::parsed(kModule), on("x86-64-v4"), loses);
  ASSERT_TRUE(std::holds_alternative<PassFailure>(made));
  EXPECT_EQ(std::get<PassFailure>(made).kind, PassFailure::Kind::Broken);
  EXPECT_EQ(std::get<PassFailure>(made).pass, "fuse");
}

}  // namespace
}  // namespace einc::pipeline
