// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/prefixes.h"

#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/test_steps.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/target/target.h"

namespace einc::strategy {
namespace {

using test::parsed;

constexpr const char* kKernel = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>) level buffers {
      local %T: tensor<M x N x f32>
      alloc %T
      fused {
        op (m: parallel, n: parallel) ins(%A[m, n]) outs(%T[m, n]) { (a, t) -> exp(a) }
        op (m: parallel, n: parallel) ins(%T[m, n]) outs(%C[m, n]) { (t, c) -> neg(t) }
      }
    })";

// Each prefix on a line, and what its last step is.
std::string prefixes(const std::string& text) {
  std::string result;
  for (const Prefix& prefix : prefixesOf(parsed(text))) {
    TextWriter out;
    print(prefix.steps, out);
    std::string line = out.take();
    for (size_t at; (at = line.find('\n')) != std::string::npos;) line.replace(at, 1, " ");
    while (line.find("  ") != std::string::npos) line.erase(line.find("  "), 1);
    result += line + "| " + print(prefix.last) + "\n";
  }
  return result;
}

TEST(Prefixes, GrowByAStepInTheOrderOfTheText) {
  EXPECT_EQ(prefixes("tile m by 1 when n == 16 { vectorize (n: 16) } otherwise { loops }"),
            "tile m by 1 | tile m by 1\n"
            "tile m by 1 when n == 16 { } | when n == 16\n"
            "tile m by 1 when n == 16 { vectorize (n: 16) } | vectorize (n: 16)\n"
            "tile m by 1 when n == 16 { vectorize (n: 16) } otherwise { loops } | loops\n");
  EXPECT_EQ(prefixes("cut n at 8 { loops } rest { tile n by 4 }"),
            "cut n at 8 { } rest { } | cut n at 8\n"
            "cut n at 8 { loops } rest { } | loops\n"
            "cut n at 8 { loops } rest { tile n by 4 } | tile n by 4\n");
  EXPECT_EQ(prefixes("digits n by 4 as x { loops } left of n { tile m by 1 }"),
            "digits n by 4 as x { } | digits n by 4 as x\n"
            "digits n by 4 as x { loops } | loops\n"
            "digits n by 4 as x { loops } left of n { tile m by 1 } | tile m by 1\n");
  EXPECT_EQ(prefixes(""), "");
}

// All other ops are as they were, without axes.
TEST(Prefixes, AreWholeKernels) {
  const ir::Kernel kernel = ir::test::goodKernel(kKernel);
  const ScheduleOptions options{target::find("x86-64-v3")};
  for (size_t op : {0, 1})
    for (const Prefix& prefix : prefixesOf(parsed("tile m by 1 tile n by 8 vectorize (n: 8)"))) {
      auto form = withSteps(kernel, op, prefix.steps, options);
      ASSERT_TRUE(form) << print(prefix.last);
      EXPECT_EQ(form->level, ir::Level::Tiled);
      for (const ir::Violation& violation : ir::verify(*form)) ADD_FAILURE() << violation.str();
      EXPECT_EQ(ir::test::count(ir::print(*form), "vector (n: 8)"),
                print(prefix.last) == "vectorize (n: 8)" ? 1u : 0u);
    }
}

// Panels are there for the loop that follows.
TEST(Prefixes, SomeStepsAreNoneWithoutOthers) {
  const ir::Kernel kernel = ir::test::goodKernel(R"(
      kernel @f(%A: tensor<K x M x f32>) -> (%C: tensor<M x f32>) level buffers {
        op (m: parallel, k: reduction) ins(%A[k, m]) outs(%C[m]) { (a, c) -> add(c, a) }
      })");
  const ScheduleOptions options{target::find("x86-64-v3")};
  const std::string pack = "tile m by 16 tile k by 8 pack A (m: 8)";
  EXPECT_FALSE(withSteps(kernel, 0, parsed(pack), options));
  EXPECT_TRUE(withSteps(kernel, 0, parsed(pack + " tile m by 8 vectorize (m: 8)"), options));
}

}  // namespace
}  // namespace einc::strategy
