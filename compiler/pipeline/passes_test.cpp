// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/passes.h"

#include "compiler/ir/contract.h"
#include "compiler/ir/test_text.h"

namespace einc::pipeline {
namespace {

constexpr const char* kModule = R"(
  kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) attr d: 2xi64 level tensors {
    op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> mul(a, cast<f32>(mul(d[0], d[1]))) }
  }
  kernel @g(%A: tensor<N x f32>) -> (%C: tensor<N x f32>) level tensors {
    op (n: parallel) ins(%A[n]) outs(%C[n]) { (a, c) -> a }
  })";

std::string pipelineError(const std::string& text) {
  SourceFile source("--passes", text);
  Diagnostics errors(source);
  EXPECT_FALSE(parsePipeline(source, errors)) << text;
  if (errors.all().size() != 1) return "not one error";
  const Diagnostic& error = errors.all()[0];
  return std::to_string(error.range.begin) + ": " + error.message;
}

std::optional<PassFailure> run(const std::string& text, ir::Module& module,
                               const AfterPass& after = nullptr) {
  SourceFile source("--passes", text);
  Diagnostics errors(source);
  auto pipeline = parsePipeline(source, errors);
  EXPECT_TRUE(pipeline) << text;
  return runPipeline(*pipeline, module, after);
}

std::string refusal(const std::string& text) {
  ir::Module module = ir::test::parsed(kModule);
  auto failure = run(text, module);
  if (!failure || failure->kind != PassFailure::Kind::Refused) return "not refused";
  return failure->pass + ": " + failure->reason;
}

TEST(Passes, RunInOrder) {
  ir::Module module = ir::test::parsed(kModule);
  std::string seen;
  auto failure = run(" specialize{ M = 8, d=2:-3 } , simplify,fuse,bufferize,lower", module,
                     [&](std::string_view pass, const ir::Module& after) {
                       seen += std::string(pass) + " ";
                       EXPECT_EQ(after.kernels.size(), 2u);
                     });
  EXPECT_FALSE(failure);
  EXPECT_EQ(seen, "specialize simplify fuse bufferize lower ");
  EXPECT_EQ(ir::print(module.kernels[0]), R"(kernel @f(%A: tensor<8 x f32>) -> (%C: tensor<8 x f32>)
    level hardware {
  for m = 0 .. 8 parallel {
    %C[m] = mul(%A[m], -6.0_f32)
  }
} contract {
  op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> mul(a, cast<f32>(mul(2_i64, -3_i64))) }
}
)");
}

TEST(Passes, PipelineErrors) {
  const std::string kPasses =
      "specialize, simplify, widen-sums, inline, zero-points, lay-out, in-rounds, in-tiles, "
      "name-sizes, once, "
      "fuse, "
      "in-place, "
      "bufferize, "
      "call-external, "
      "map-to-library, "
      "schedule, trim, distribute, "
      "vectorize, "
      "multiply-narrow, contract, "
      "unroll, assume-numbers, "
      "reduce-together, hoist-values, canonicalize, share-memory, lower";
  EXPECT_EQ(pipelineError(""), "0: expected a pass; there are " + kPasses);
  EXPECT_EQ(pipelineError("simplify,lowr"),
            "9: unknown pass 'lowr' (did you mean 'lower'?); there are " + kPasses);
  EXPECT_EQ(pipelineError("lower{m=1}"), "5: 'lower' takes no options");
  EXPECT_EQ(pipelineError("specialize{M}"), "11: expected NAME=VALUE");
  EXPECT_EQ(pipelineError("specialize{M=1,M=2}"), "15: 'M' is given twice");
  EXPECT_EQ(pipelineError("specialize{M=1"), "14: expected '}' to end the options");
  EXPECT_EQ(pipelineError("specialize{M=1}lower"), "15: expected ',' and the next pass");
  EXPECT_EQ(pipelineError("lower,"), "6: expected a pass; there are " + kPasses);
}

TEST(Passes, Refusals) {
  EXPECT_EQ(refusal("lower"), "lower: it takes kernels at level buffers, @f is at level tensors");
  EXPECT_EQ(refusal("bufferize,bufferize"),
            "bufferize: it takes kernels at level tensors, @f is at level buffers");
  EXPECT_EQ(refusal("specialize{MM=1}"),
            "specialize: no kernel has a size or attribute 'MM' (did you mean 'M'?)");
  EXPECT_EQ(refusal("specialize{M=-1}"), "specialize: M=-1: a size is an integer from 0 on");
  EXPECT_EQ(refusal("specialize{d=1:2:3}"), "specialize: d=1:2:3: expected 2 values, found 3");
  EXPECT_EQ(
      refusal("bufferize,call-external{f.0.mr=4}"),
      "call-external: no option 'f.0.mr'; there are functions for ops: f.0.library_call=my_f");
  EXPECT_EQ(refusal("specialize{d=x}"), "specialize: d=x: expected a number, found 'x'");
  EXPECT_EQ(refusal("specialize{d=99999999999999999999}"),
            "specialize: d=99999999999999999999: '99999999999999999999' does not fit i64");
}

// The pass is to blame, not the user; the report has what the pass was given.
TEST(Passes, ABrokenResultIsTheirFault) {
  Pass forgets{"forgets", "", "", std::nullopt,
               [](const ir::Module& module, const PassOptions&) -> Result<ir::Module> {
                 ir::Module result = module;
                 result.kernels[0].body.clear();
                 return result;
               }};
  ir::Module module = ir::test::parsed(kModule);
  auto failure = runPipeline({{&forgets, {}}}, module, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, PassFailure::Kind::Broken);
  EXPECT_EQ(failure->reason, "V34 output-written: output %C is never written");
  ir::Module given = ir::test::parsed(kModule);
  for (ir::Kernel& kernel : given.kernels) kernel = ir::withContract(kernel);
  EXPECT_EQ(ir::print(failure->before), ir::print(given));
}

}  // namespace
}  // namespace einc::pipeline
