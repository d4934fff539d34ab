// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/forms.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/test_text.h"
#include "compiler/strategy/estimate.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/strategy/test_forms.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

constexpr const char* kMap = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%B: tensor<M x N x f32>) level buffers {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
constexpr const char* kSum = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<M x f32>) level buffers {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%S[m]) { (a, s) -> add(s, a) }
    })";
constexpr const char* kSums = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<M x f32>, %Q: tensor<M x f32>) level buffers {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%S[m], %Q[m])
          { (a, s, q) -> add(s, a), max(q, mul(a, a)) }
    })";
constexpr const char* kProduct = R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) level buffers {
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
constexpr const char* kWindow = R"(
    kernel @f(%A: tensor<W x C x f32>, %K: tensor<3 x C x f32>) -> (%B: tensor<V x C x f32>) level buffers {
      op (w: parallel, c: parallel, k: reduction)
          ins(%A[w + k, c], %K[k, c]) outs(%B[w, c]) { (a, k, b) -> add(b, mul(a, k)) }
    })";
constexpr const char* kDivided = R"(
    kernel @f(%P: tensor<K x 16 x f32>) -> (%A: tensor<M x f32>) level buffers {
      op (m: parallel) ins(%P[m floordiv 16, m mod 16]) outs(%A[m]) { (p, a) -> exp(p) }
    })";
// Each term needs the one before it.
constexpr const char* kChain = R"(
    kernel @f(%A: tensor<M x f32>) -> (%S: tensor<f32>) level buffers {
      op (m: reduction) ins(%A[m]) outs(%S[]) { (a, s) -> sin(add(s, a)) }
    })";

using test::Asked;
using test::asked;

std::string nameOf(const char* text, const char* target) { return asked(text, target).form.name; }

TEST(Forms, TheLeastEstimateIsTaken) {
  for (const char* target : {"x86-64-v3", "x86-64-v4", "znver5", "aarch64"}) {
    EXPECT_EQ(nameOf(kMap, target), "stream") << target;
    EXPECT_EQ(nameOf(kSum, target), "stream") << target;
    EXPECT_EQ(nameOf(kProduct, target), "contraction") << target;
    EXPECT_EQ(nameOf(kDivided, target), "stream") << target;
    EXPECT_EQ(nameOf(kChain, target), "loops") << target;
  }
  for (const char* masks : {"x86-64-v3", "x86-64-v4"}) EXPECT_EQ(nameOf(kWindow, masks), "windows");
  // Along one line, too; what is not summed is no window.
  const char* line = R"(
    kernel @f(%A: tensor<C x W x f32>, %K: tensor<3 x f32>) -> (%B: tensor<C x V x f32>) level buffers {
      op (c: parallel, w: parallel, k: reduction)
          ins(%A[c, w + k], %K[k]) outs(%B[c, w]) { (a, k, b) -> add(b, mul(a, k)) }
    })";
  const char* part = R"(
    kernel @f(%A: tensor<M x W x f32>) -> (%B: tensor<M x N x f32>) level buffers {
      op (m: parallel, n: parallel) ins(%A[m, n + 2]) outs(%B[m, n]) { (a, b) -> a }
    })";
  for (const char* masks : {"x86-64-v3", "x86-64-v4"}) EXPECT_EQ(nameOf(line, masks), "windows");
  for (const char* masks : {"x86-64-v3", "x86-64-v4"}) EXPECT_EQ(nameOf(part, masks), "stream");
  for (const char* none : {"x86-64-v2", "aarch64"}) EXPECT_EQ(nameOf(kWindow, none), "stream");
}

// Where it was measured to be faster, what comes from memory is read line by line: inputs above 4 MiB.
TEST(Forms, WindowsAreForWhatIsNear) {
  const Form form = asked(kWindow, "x86-64-v3").form;
  ASSERT_EQ(form.steps.size(), 1U);
  const auto& when = std::get<WhenStep>(form.steps[0].node);
  ASSERT_EQ(when.tests.size(), 1U);
  EXPECT_EQ(when.tests[0].kind, strategy::Test::Kind::LessEqual);
  EXPECT_EQ(when.otherwise, asked(kWindow, "x86-64-v3", 1, "stream").form.steps);
  auto sized = [](int64_t positions) {
    std::string text = kWindow;
    auto replace = [&](const std::string& name, int64_t size) {
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), "<" + std::to_string(size) + " x 1024 x");
    };
    replace("<W x C x", positions + 2);
    replace("<V x C x", positions);
    replace("<3 x C x", 3);
    return text;
  };
  EXPECT_EQ(nameOf(sized(1024).c_str(), "x86-64-v3"), "windows");
  EXPECT_EQ(nameOf(sized(1025).c_str(), "x86-64-v3"), "stream");
  EXPECT_EQ(nameOf(sized(1025).c_str(), "x86-64-v4"), "windows");
}

TEST(Forms, ThereIsOneWithoutVectors) {
  for (const char* text : {kMap, kSum, kProduct, kWindow, kDivided, kChain}) {
    const Form form = asked(text, "generic").form;
    EXPECT_TRUE(form.name == "loops" || form.name == "lines") << form.name;
    EXPECT_FALSE(anyStep(form.steps, [](const Step& step) {
      return std::holds_alternative<VectorizeStep>(step.node);
    }));
  }
  EXPECT_EQ(nameOf(kChain, "generic"), "loops");
}

// Without vectors of its own a target leaves loops to a compiler that it can make vectors of: the innermost one along
// what is contiguous, with some terms of a sum; of sums of lines several beside each other.
TEST(Forms, LinesAreForCompilers) {
  auto text = [](const char* kernel, int64_t threads = 1) {
    TextWriter out;
    print(asked(kernel, "generic", threads).form.steps, out);
    return out.take();
  };
  const std::string product = text(kProduct);
  for (const char* part :
       {"when contiguous(B, n) and contiguous(C, n) and 32 <= n", "tile n by 128", "tile m by 1",
        "tile k by 4", "when k == 4", "tile k by 1", "} otherwise {"})
    EXPECT_NE(product.find(part), std::string::npos) << part << "\n" << product;
  EXPECT_LT(product.find("tile n by 128"), product.find("tile m by 1"));
  EXPECT_LT(product.find("tile m by 1"), product.find("tile k by 4"));
  EXPECT_NE(text(kSum).find("accumulate (n: 16)"), std::string::npos) << text(kSum);
  EXPECT_NE(text(kSum).find("64 <= n"), std::string::npos) << text(kSum);
  EXPECT_EQ(asked(kMap, "generic").form.steps, Steps{LoopsStep{}});  // as the spec has it
  EXPECT_NE(text(kProduct, 4).find("on threads"), std::string::npos);
  for (const char* target : {"x86-64-v2", "x86-64-v4", "aarch64"})
    EXPECT_NE(nameOf(kProduct, target), "lines");
}

// Steps for parts of it would all be gone, and nothing would write the output.
TEST(Forms, NothingIsLoops) {
  std::string none = kSum;
  for (size_t at = 0; (at = none.find("N x", at)) != std::string::npos;) none.replace(at, 1, "0");
  EXPECT_EQ(nameOf(none.c_str(), "x86-64-v4"), "loops");
}

// As fast as one sum: in registers, and not in lanes in memory, where pairs are.
TEST(Forms, SeveralSumsAreVectorsAsOneIs) {
  const Form sum = asked(kSum, "x86-64-v4").form, sums = asked(kSums, "x86-64-v4").form;
  EXPECT_EQ(sums.name, "stream");
  EXPECT_EQ(sums.lines, sum.lines);
  EXPECT_EQ(sums.steps, sum.steps);
}

// Y(m, n) += X(m, g, l) * (W(n, g, l) * scale(n, g)), of groups of so many.
std::string weights(const std::string& length, const std::string& type,
                    const std::string& results) {
  const std::string w = results + " x G", lw = w + " x " + length;
  return "kernel @f(%X: tensor<M x G x " + length + " x bf16>, %W: tensor<" + lw + " x " + type +
         ">, %scale: tensor<" + w + " x f32>) -> (%Y: tensor<M x " + results +
         " x f32>) level buffers {\n" +
         "op (m: parallel, n: parallel, g: reduction, l: reduction) ins(%X[m, g, l], "
         "%W[n, g, l], %scale[n, g]) outs(%Y[m, n]) { (x, w, s, y) -> add(y, "
         "mul(cast<f32>(x), mul(cast<f32>(w), s))) } }";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(Forms, IntegersOfFourBitsAreReadInWords) {
  auto steps = [](const std::string& text, const char* target) {
    TextWriter out;
    print(asked(text.c_str(), target).form.steps, out);
    return out.take();
  };
  const std::string any = steps(weights("L", "i4", "N"), "x86-64-v4");
  EXPECT_TRUE(says(any, "when 128 <= l and 16 <= n and aligned(W, l, 1) {")) << any;
  EXPECT_TRUE(says(any, "copy X (m, g, l_block, l, l_word) as words_X {")) << any;
  EXPECT_TRUE(says(any, "convert X to f32")) << any;
  EXPECT_TRUE(says(any, "vectorize (m: 2, l: 8, l_word: 16)")) << any;
  // Vectors have several short groups; not all may be in whole vectors.
  const std::string groups = steps(weights("32", "u4", "70"), "x86-64-v3");
  EXPECT_TRUE(says(groups, "contiguous(scale, g) and contiguous(W, g * l)")) << groups;
  EXPECT_TRUE(says(groups, "collapse g, l as g")) << groups;
  EXPECT_TRUE(says(groups, "cut g at (g floordiv 64) * 64 {")) << groups;
  EXPECT_TRUE(says(groups, "vectorize (g: 8, g_word: 8)")) << groups;
  for (const char* length : {"20", "31", "96"})
    EXPECT_FALSE(says(steps(weights(length, "i4", "70"), "x86-64-v4"), "l_word")) << length;
  // To turn it for few results takes longer; there are no words of whole bytes.
  EXPECT_FALSE(says(steps(weights("128", "i4", "7"), "x86-64-v4"), "l_word"));
  EXPECT_FALSE(says(steps(weights("128", "i8", "70"), "x86-64-v4"), "l_word"));
  EXPECT_FALSE(says(steps(weights("128", "i4", "70"), "aarch64"), "l_word"));
}

TEST(Forms, AUserNamesOne) {
  EXPECT_EQ(asked(kProduct, "x86-64-v4", 1, "stream").form.name, "stream");
  EXPECT_EQ(asked(kProduct, "x86-64-v4", 1, "loops").form.name, "loops");
  Asked refused = asked(kMap, "x86-64-v4", 1, "contraction");
  EXPECT_EQ(refused.form.name, "stream");  // the best of the others
  EXPECT_EQ(refused.error, "no contraction: no iterator is a reduction");
  EXPECT_EQ(asked(kChain, "x86-64-v4", 1, "stream").error.substr(0, 12), "no vectors: ");
  EXPECT_EQ(asked(kMap, "x86-64-v4", 1, "windows").error.substr(0, 12), "no windows: ");
  EXPECT_EQ(asked(kMap, "x86-64-v4", 1, "stream").error, "");
}

// Of a tile of one column, rows are the last dimension, and are apart: a few of them fill no vector. What
// gives its shape alone is gone.
TEST(Forms, FewRowsOfOneColumnAreNoVectors) {
  auto axisOf = [](const std::string& rows, bool knowsWhole) {
    std::string text = R"(
      kernel @f(%S: tensor<L x f32>, %A: tensor<L x ROWS x N x f32>, %D: tensor<L x ROWS x N x f32>,
                %T: tensor<L x ROWS x f32>, %U: tensor<L x ROWS x f32>)
          -> (%B: tensor<ROWS x L x f32>, %C: tensor<ROWS x L x f32>) level buffers {
        op (m: parallel, l: parallel, n: reduction) ins(%S[l] shape, %A[l, m, n], %D[l, m, n])
            outs(%B[m, l]) { (s, a, d, b) -> add(b, exp(mul(a, d))) }
        op (m: parallel, l: parallel) ins(%T[l, m], %U[l, m]) outs(%C[m, l])
            { (t, u, c) -> add(c, exp(mul(t, u))) }
      })";
    for (size_t at; (at = text.find("ROWS")) != std::string::npos;) text.replace(at, 4, rows);
    const ir::Kernel kernel = ir::test::goodKernel(text);
    const auto& whole = std::get<ir::StructuredOp>(kernel.body[0].node);
    const auto& tile = std::get<ir::StructuredOp>(kernel.body[1].node);  // whose operands lie so
    const ScheduleOptions options{target::find("x86-64-v4")};
    OpSettings settings({}, kernel.name, 0);
    const Form form = bestForm({kernel, tile, operandNames(kernel, whole), options, settings, true,
                                knowsWhole ? &whole : nullptr});
    return form.settings[0].second;
  };
  EXPECT_EQ(axisOf("3", /*knowsWhole=*/true), "l");
  EXPECT_EQ(axisOf("M", /*knowsWhole=*/false), "l");  // in squares
  EXPECT_EQ(axisOf("M", true), "m");
}

// One that is made around another has it where it may not be taken itself.
TEST(Forms, PartsHaveTheNextBestElsewhere) {
  const Steps alone = asked(kProduct, "x86-64-v4").form.steps;
  const Form form = asked(kProduct, "x86-64-v4", 4).form;
  ASSERT_EQ(form.steps.size(), 3U);
  for (size_t i : {0, 1}) EXPECT_TRUE(std::holds_alternative<LetStep>(form.steps[i].node));
  const auto& when = std::get<WhenStep>(form.steps[2].node);
  ASSERT_EQ(when.then.size(), 1U);
  const auto& parts = std::get<PartsStep>(when.then[0].node);
  EXPECT_EQ(parts.iterators, std::vector<std::string>{"k"});
  EXPECT_FALSE(parts.parts.empty());
  EXPECT_FALSE(when.otherwise.empty());
  EXPECT_FALSE(std::holds_alternative<PartsStep>(when.otherwise[0].node));
}

// What moves by a size, or along what is added up, or not in the last index, is as it is.
TEST(Forms, OtherStepsAreNotAskedFor) {
  for (const char* index : {"n * N + t, m", "n + t * s, m", "m, n * M + t"}) {
    std::string text = R"(
      kernel @f(%A: tensor<H x W x f32>, %K: tensor<S x f32>) -> (%B: tensor<M x N x f32>) attr s: i64 level buffers {
        op (m: parallel, n: parallel, t: reduction) ins(%A[INDEX], %K[t] shape) outs(%B[m, n])
            { (a, k, b) -> add(b, a) }
      })";
    text.replace(text.find("INDEX"), 5, index);
    for (const std::string& line : asked(text.c_str(), "x86-64-v3").form.lines)
      EXPECT_EQ(line.find("side by side"), std::string::npos) << index;
  }
}

// Columns of several iterators.
TEST(Forms, LinesWithoutManyIdleLanesAreNotPacked) {
  auto packs = [](const char* rows, const char* columns, const char* terms, const char* target) {
    std::string text = R"(
      kernel @f(%A: tensor<ROWS x TERMS x f32>, %B: tensor<H x TERMS x COLUMNS x f32>)
          -> (%C: tensor<ROWS x H x COLUMNS x f32>) level buffers {
        op (m: parallel, h: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[h, k, n]) outs(%C[m, h, n])
            { (a, b, c) -> add(c, mul(a, b)) }
      })";
    for (auto [name, by] : {std::pair("ROWS", rows), {"COLUMNS", columns}, {"TERMS", terms}})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, std::strlen(name), by);
    const Form form = asked(text.c_str(), target).form;
    EXPECT_EQ(form.name, "contraction");
    return llvm::none_of(form.lines, [](const std::string& line) {
      return line.find("operands are read where they are") != std::string::npos;
    });
  };
  for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
    EXPECT_FALSE(packs("M", "N", "K", target)) << target;  // which is asked
    EXPECT_FALSE(packs("6", "N", "K", target)) << target;
    EXPECT_FALSE(packs("600", "64", "100", target)) << target;
    EXPECT_TRUE(packs("600", "65", "100", target)) << target;
    // Rows that do not stay in the second cache.
    EXPECT_TRUE(packs("600", "64", "2000", target)) << target;
  }
  // With masks the last vector need not be full: 15 idle lanes in 80 make up for up to 85 rows, and 7 in 72 for
  // 164.
  EXPECT_FALSE(packs("164", "65", "100", "x86-64-v3"));
  EXPECT_TRUE(packs("165", "65", "100", "x86-64-v3"));
  EXPECT_FALSE(packs("85", "65", "100", "x86-64-v4"));
  EXPECT_TRUE(packs("86", "65", "100", "x86-64-v4"));
}

// What moves a window is seldom as long as a vector, unless its extent says so.
TEST(Forms, VectorsAreNotAlongTaps) {
  auto axisWith = [](const char* taps) {
    std::string text = R"(
      kernel @f(%A: tensor<N x C x W x f32>, %K: tensor<TAPS x C x f32>) -> (%B: tensor<M x C x N x f32>) level buffers {
        op (m: parallel, c: parallel, n: parallel, t: reduction) ins(%A[n, c, m * 3 + t], %K[t, c])
            outs(%B[m, c, n]) { (a, k, b) -> add(b, mul(a, k)) }
      })";
    text.replace(text.find("TAPS"), 4, taps);
    for (const auto& [name, value] : asked(text.c_str(), "x86-64-v4").form.settings)
      if (name == "axis") return value;
    return std::string();
  };
  EXPECT_EQ(axisWith("T"), "n");
  EXPECT_EQ(axisWith("5"), "n");
  EXPECT_EQ(axisWith("64"), "t");
}

// What is read along another iterator than it is written is transposed in registers, between borders, too.
TEST(Forms, PaddedTransposesAreInSquaresBetweenBorders) {
  const char* packed = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%P: tensor<O x Q x I x J x f32>) level buffers {
      op (o: parallel, q: parallel, i: parallel, j: parallel) ins(%A[q * J + j, o * I + i] pad 0.0_f32)
          outs(%P[o, q, i, j]) { (a, p) -> a }
    })";
  for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
    const Form form = asked(packed, target).form;
    EXPECT_EQ(form.name, "stream") << target;
    const auto& when = std::get<WhenStep>(form.steps[0].node);
    ASSERT_EQ(when.then.size(), 4U)
        << target;  // loops over tiles, in the order in which they are read
    EXPECT_TRUE(std::holds_alternative<OrderStep>(when.then[0].node)) << target;
    // All of a tile is asked for once; of those at the ends, each line has its borders.
    const auto& known = std::get<WhenStep>(when.then[3].node);
    const auto& inside = std::get<WhenStep>(known.then[0].node);
    EXPECT_EQ(inside.tests[0].kind, strategy::Test::Kind::Inside) << target;
    EXPECT_TRUE(std::holds_alternative<TileStep>(inside.then[0].node)) << target;
    const auto& borders = std::get<WhenStep>(inside.otherwise[0].node);
    ASSERT_EQ(borders.tests.size(), 2U) << target;
    EXPECT_EQ(borders.tests[0].kind, strategy::Test::Kind::Borders) << target;
    EXPECT_TRUE(std::holds_alternative<InteriorStep>(borders.then[0].node)) << target;
  }
}

// Each form says how much makes a thread worth its start.
TEST(Forms, PartsAreWorthAThread) {
  for (const char* target : {"generic", "x86-64-v4"})
    for (const char* text : {kSum, kProduct, kWindow}) EXPECT_GT(asked(text, target).form.grain, 0);
}

TEST(Forms, DigitsAreMadeAroundTheNextBest) {
  const Form form = asked(kDivided, "x86-64-v4").form;
  ASSERT_EQ(form.steps.size(), 1U);
  EXPECT_FALSE(std::get<DigitsStep>(form.steps[0].node).whole.empty());
  EXPECT_EQ(form.lines[0], "'m' as digits of base 16");
}

TEST(Forms, TheEstimatesAreSaid) {
  const std::vector<std::string> lines = asked(kProduct, "x86-64-v4").form.lines;
  EXPECT_EQ(lines.back(), "cycles an iteration, at best: contraction 0.0312, stream 0.25, loops 4");
}

// Ways to do the same: the least estimate first, of equal ones the first; none that is hidden by one before it.
TEST(Forms, WaysAreNestedByEstimatesAndGuards) {
  auto test = [](const char* size) {
    return strategy::Test{strategy::Test::Kind::Less, affine::Expr::constant(1),
                          affine::Expr::symbol(size)};
  };
  auto way = [](const char* name, double cycles, std::vector<strategy::Test> where) {
    return Form{name, {FunctionStep{name, {LoopsStep{}}}}, cycles, std::move(where)};
  };
  auto named = [](const Steps& steps) { return std::get<FunctionStep>(steps[0].node).name; };
  const Form form = nested({way("last", 2, {}), way("a", 1, {test("M")}), way("b", 1, {test("N")}),
                            way("hidden", 1, {test("N"), test("K")}), way("best", 0.5, {test("K")}),
                            way("never", 3, {test("L")})});
  EXPECT_EQ(form.cycles, 0.5);
  EXPECT_TRUE(form.where.empty());
  const Steps* rest = &form.steps;
  for (const char* name : {"best", "a", "b"}) {
    const auto& when = std::get<WhenStep>((*rest)[0].node);
    EXPECT_EQ(named(when.then), name);
    rest = &when.otherwise;
  }
  EXPECT_EQ(named(*rest), "last");
  // What is known is not asked.
  const strategy::Test always{strategy::Test::Kind::Less, affine::Expr::constant(1),
                              affine::Expr::constant(2)},
      never{strategy::Test::Kind::Less, affine::Expr::constant(2), affine::Expr::constant(2)};
  EXPECT_EQ(named(nested({way("a", 1, {always}), way("b", 2, {})}).steps), "a");
  EXPECT_EQ(named(nested({way("a", 1, {never}), way("b", 2, {})}).steps), "b");
}

// What is packed on the way is read once, which counts where a right operand is far away.
TEST(Forms, AFarOperandIsPackedOnTheWay) {
  auto firstOf = [](const char* terms) {
    std::string text = R"(
      kernel @f(%A: tensor<8 x TERMS x f32>, %B: tensor<TERMS x 1024 x f32>) -> (%C: tensor<8 x 1024 x f32>) level buffers {
        op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
            { (a, b, c) -> add(c, mul(a, b)) }
      })";
    for (size_t at; (at = text.find("TERMS")) != std::string::npos;) text.replace(at, 5, terms);
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    for (const std::string& line : form.lines) {
      if (line.find("on the way") != std::string::npos) return "in place";
      if (line.find("operands are read where they are") != std::string::npos) return "direct";
    }
    return "packed";
  };
  EXPECT_STREQ(firstOf("128"), "direct");
  EXPECT_STREQ(firstOf("1024"), "in place");
}

// Where nothing avoids waiting for it, that says nothing of other forms, which wait as well: what is converted is packed.
TEST(Forms, AFarOperandMakesNoOtherFormBetter) {
  for (const char* target : {"x86-64-v3", "x86-64-v4", "znver5"})
    EXPECT_EQ(nameOf(R"(
      kernel @f(%A: tensor<1200 x 1168 x i8>, %B: tensor<1168 x 1168 x i8>) -> (%C: tensor<1200 x 1168 x i32>)
          level buffers {
        op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
            { (a, b, c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) }
      })",
                     target),
              "contraction")
        << target;
}

// The slowest of what happens at once: two operations, moves, bytes and waiting.
TEST(Estimate, TheSlowestCounts) {
  const target::Target& target = *target::find("x86-64-v4");
  EXPECT_EQ(cyclesOf({.operations = 6}, target), 3);
  EXPECT_EQ(cyclesOf({.operations = 6, .moves = 8}, target), 4);
  EXPECT_EQ(cyclesOf({.operations = 6, .moves = 8, .bytes = 80}, target), 5);
  EXPECT_EQ(cyclesOf({.operations = 6, .moves = 8, .bytes = 80, .latency = 7}, target), 7);
}

TEST(Estimate, AProductThatIsAddedIsOneInstruction) {
  const ir::Kernel kernel = ir::test::goodKernel(kProduct);
  const auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  EXPECT_EQ(operationsOf(op, *target::find("x86-64-v4")), 1);
  EXPECT_EQ(operationsOf(op, *target::find("x86-64-v2")), 2);
}

}  // namespace
}  // namespace einc::strategy
