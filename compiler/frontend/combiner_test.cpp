// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/combiner.h"

#include "compiler/frontend/test_build.h"

namespace einc::frontend {
namespace {

// A def that reduces X and Z (of type T) with what stands before `=!`, and what is said of it.
Built reduced(const std::string& combiners, const std::string& update,
              const std::string& type = "f32") {
  return build(combiners + "\ndef f(X: " + type + "(M, K), Z: " + type + "(M, K)) -> (C: " + type +
                   "(M), P: i64(M), D: " + type + "(M)) {\n" + update + "\n}",
               {{}, true});
}

// Without what is said of outputs and inputs that the update leaves alone.
std::string errorsOf(const std::string& combiners, const std::string& update,
                     const std::string& type = "f32") {
  std::string all = reduced(combiners, update, type).errors, errors;
  for (size_t at = 0; at < all.size();) {
    size_t end = all.find('\n', at);
    std::string line = all.substr(at, end - at + 1);
    if (line.find(" is never ") == std::string::npos || line.find("parameter") != std::string::npos)
      errors += line;
    at = end + 1;
  }
  return errors;
}

// The neutral element that the outputs C, or C and P, begin with: "0.0_f32", "1_i32 0_i64".
std::string neutralOf(const std::string& combiner, const std::string& type,
                      const std::string& outputs = "C(m)", const std::string& values = "X(m, k)") {
  Built built =
      build("combiner c" + combiner + ";\ndef f(X: " + type + "(M, K)) -> (C: " + type +
            "(M), P: i64(M)) { P(m) = 0; C(m) = X(m, 0); " + outputs + " c=! " + values + "; }");
  if (!built.module) return built.errors;
  std::string found;
  const ir::Block& body = built.module->kernels[0].body;
  for (size_t i = 2; i + 1 < body.size(); ++i) {
    std::string text = ir::printStatement(built.module->kernels[0], body[i]);
    size_t at = text.find("-> ") + 3;
    found += (found.empty() ? "" : " ") + text.substr(at, text.find(" }", at) - at);
  }
  return found;
}

TEST(CombinerTest, EveryFormOfUseIsTheSamePayload) {
  const std::string combiner = "combiner far(a, b) = max(abs(a), abs(b));\n";
  for (const char* form :
       {"C(m) = far<k>(X(m, k));", "C(m) = far<k>(C(m), X(m, k));", "C(m) far= X(m, k);"}) {
    Built built = build(combiner + "def f(X: f32(M, K)) -> (C: f32(M)) { " + form + " }");
    EXPECT_EQ(built.errors, "") << form;
    EXPECT_TRUE(built.ops.ends_with("(x, c) -> max(abs(c), abs(x)) }\n")) << form << built.ops;
  }
  Built swapped = build(combiner +
                        "def f(X: f32(M, K)) -> (C: f32(M)) { C(m) = far<k>(X(m, k), "
                        "C(m)); }");
  EXPECT_TRUE(swapped.ops.ends_with("-> max(abs(x), abs(c)) }\n")) << swapped.ops;
  Built plain = build(combiner + "def f(X: f32(M)) -> (C: f32(M)) { C(m) = 2 * far(X(m), 1); }");
  EXPECT_NE(plain.ops.find("mul(2.0_f32, max(abs(x), abs(1.0_f32)))"), std::string::npos);
}

TEST(CombinerTest, SeveralOutputsAreUpdatedAtOnce) {
  const std::string combiner = "combiner swap((a, b), (c, d)) = b + c, a + d neutral 0, 0;\n";
  for (const char* form : {"C(m), D(m) = swap<k>(X(m, k), 1);", "C(m), D(m) swap= X(m, k), 1;",
                           "C(m), D(m) = swap<k>(C(m), D(m), X(m, k), 1);"}) {
    Built built =
        build(combiner + "def f(X: i32(M, K)) -> (C: i32(M), D: i32(M)) { " + form + " }");
    EXPECT_TRUE(built.ops.ends_with("(x, c, d) -> add(d, x), add(c, 1_i32) }\n")) << built.ops;
  }
  Built mixed = build(combiner +
                      "def f(X: i32(M, K)) -> (A: i32(M), C: i32(M), D: i32(M)) { A(m), C(m), D(m) "
                      "= max<k>(X(m, k)), swap<k>(X(m, k), 1); }");
  EXPECT_TRUE(mixed.ops.ends_with("-> max(a, x), add(d, x), add(c, 1_i32) }\n")) << mixed.ops;
  Built plain = build(combiner +
                      "def f(X: i32(M)) -> (C: i32(M), D: i32(M)) { C(m), D(m) = swap(X(m), 2, 3, "
                      "X(m)); }");
  EXPECT_TRUE(plain.ops.ends_with("-> add(2_i32, 3_i32), add(x, x) }\n")) << plain.ops;
}

TEST(CombinerTest, AnyFunctionOfTwoArgumentsUpdates) {
  EXPECT_TRUE(reduced("", "C(m) = 0; D(m) = 0; P(m) = 0; C(m) std_addf= X(m, k) + Z(m, k);")
                  .ops.ends_with("-> add(c, add(x, z)) }\n"));
  EXPECT_EQ(errorsOf("", "C(m) add=! X(m, k);"), "");
  EXPECT_EQ(errorsOf("", "C(m) pow= X(m, k);"), "");
  EXPECT_EQ(errorsOf("", "C(m) pow=! X(m, k);"),
            "3:6 error: 'pow=!' has no neutral element to begin with\n");
  EXPECT_EQ(errorsOf("", "C(m) exp= X(m, k);"),
            "3:6 error: 'exp' combines nothing: a combiner takes two arguments\n");
  EXPECT_EQ(errorsOf("", "C(m) lt= X(m, k);"), "3:6 error: 'lt' compares; it cannot reduce\n");
  EXPECT_EQ(errorsOf("", "C(m) mux= X(m, k);"),
            "3:6 error: unknown combiner 'mux' (did you mean 'mul'?)\n");
  EXPECT_EQ(errorsOf("combiner hypo(a, b) = a;", "C(m) hypot= X(m, k);"),
            "1:18 warning: parameter 'b' is never used\n"
            "3:6 error: unknown combiner 'hypot' (did you mean 'hypo'?)\n");
}

TEST(NeutralTest, IsProvedWhereAnIdentityHolds) {
  EXPECT_EQ(neutralOf("(a, b) = a + b", "f32"), "0.0_f32");
  EXPECT_EQ(neutralOf("(a, b) = b - -a", "f32"), "0.0_f32");
  EXPECT_EQ(neutralOf("(a, b) = a * b", "bf16"), "1.0_bf16");
  EXPECT_EQ(neutralOf("(a, b) = a + b + a * b", "i32"), "0_i32");
  EXPECT_EQ(neutralOf("(a, b) = max(b, a)", "f64"), "-inf_f64");
  EXPECT_EQ(neutralOf("(a, b) = max(a, b)", "i8"), "-128_i8");
  EXPECT_EQ(neutralOf("(a, b) = max(a, b)", "u8"), "0_u8");
  EXPECT_EQ(neutralOf("(a, b) = b < a ? b : a", "u16"), "65535_u16");
  EXPECT_EQ(neutralOf("(a, b) = b <= a ? b : a", "i64"), "9223372036854775807_i64");
  EXPECT_EQ(neutralOf("(a, b) = a & b", "i16"), "-1_i16");
  EXPECT_EQ(neutralOf("(a, b) = a | b", "u32"), "0_u32");
  EXPECT_EQ(neutralOf("(a, b) = a == b", "bool"), "true");
  EXPECT_EQ(neutralOf("(a, b) = !(!a && !b)", "bool"), "false");
  EXPECT_EQ(neutralOf("(a, b) = a ^ b", "bool"), "false");
  EXPECT_EQ(neutralOf("((v, i), (w, j)) = w > v || (w == v && j < i) ? w : v, "
                      "w > v || (w == v && j < i) ? j : i",
                      "i32", "C(m), P(m)", "X(m, k), index(k)"),
            "-2147483648_i32 9223372036854775807_i64");
  EXPECT_EQ(neutralOf("((a, n), (b, m)) = a * b, n + m", "i8", "C(m), P(m)", "X(m, k), 1"),
            "1_i8 0_i64");
}

TEST(NeutralTest, IsAskedForWhereNoIdentityHolds) {
  const std::string asked =
      "error: no neutral element of 'c' on f32 is known, and none could be proved; end the "
      "combiner with: neutral VALUE;\n";
  // NaN compared with anything leaves -inf, so this one drops NaN; the next keeps it.
  EXPECT_TRUE(neutralOf("(a, b) = b > a ? b : a", "f32").ends_with(asked));
  EXPECT_EQ(neutralOf("(a, b) = b > a || b != b ? b : a", "f32"), "-inf_f32");
  // 0 * inf is NaN.
  EXPECT_TRUE(neutralOf("(a, b) = b + a * b", "f32").ends_with(asked));
  EXPECT_EQ(neutralOf("(a, b) = b + a * b", "i32"), "0_i32");
  EXPECT_TRUE(neutralOf("(a, b) = sqrt(a * a + b * b)", "f32").ends_with(asked));
  EXPECT_TRUE(neutralOf("(a, b) = a / b", "f32").ends_with(asked));
  EXPECT_NE(neutralOf("((a, n), (b, m)) = a * b - a, n + m", "f32", "C(m), P(m)", "X(m, k), 1")
                .find("'c' on (f32, i64) is known, and none could be proved; end the combiner "
                      "with: neutral VALUE, VALUE;"),
            std::string::npos);
}

TEST(NeutralTest, AGivenOneIsTried) {
  const std::string update = "C(m) c=! X(m, k);";
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + b neutral 0;", update), "");
  EXPECT_EQ(neutralOf("(a, b) = sqrt(a * a + b * b) neutral 1 - 1", "f32"), "0.0_f32");
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + b neutral 5;", update),
            "1:34 warning: combiner 'c': neutral 5 is not neutral: combine(5, 5) = 10\n");
  EXPECT_EQ(errorsOf("combiner c(a, b) = a * b neutral 0;", update + update),
            "1:34 warning: combiner 'c': neutral 0 is not neutral: combine(0, 5) = 0\n");
  EXPECT_EQ(
      errorsOf("combiner c(a, b) = max(a, b) + log1p(exp(-abs(a - b))) neutral -inf;", update),
      "1:64 warning: combiner 'c': neutral -inf is not neutral: combine(-inf, -inf) = nan\n");
  // Dropping NaN may be meant.
  EXPECT_EQ(errorsOf("combiner c(a, b) = b > a ? b : a neutral lowest;", update), "");
  EXPECT_EQ(errorsOf("combiner c((a, i), (b, j)) = a + b, i * j neutral 0, 0;",
                     "C(m), P(m) c=! X(m, k), 1;"),
            "1:51 warning: combiner 'c': neutral 0, 0 is not neutral: combine((0, 0), (5, 5)) = "
            "(5, 0)\n");
}

TEST(NeutralTest, EndsSuitEveryType) {
  EXPECT_EQ(neutralOf("(a, b) = max(a, b) neutral lowest", "bf16"), "-inf_bf16");
  EXPECT_EQ(neutralOf("(a, b) = min(a, b) neutral highest", "u8"), "255_u8");
  EXPECT_EQ(neutralOf("(a, b) = min(a, b) neutral inf", "i32"),
            "1:38 error: 'inf' is no value of i32; the ends of any type are lowest and highest\n");
  EXPECT_TRUE(build("def f(X: i8(M)) -> (C: i8(M)) { C(m) = X(m) == lowest ? highest : -X(m); }")
                  .ops.ends_with("select(eq(x, -128_i8), 127_i8, neg(x)) }\n"));
}

TEST(CombinerTest, LawsOfReductionsAreTried) {
  EXPECT_EQ(errorsOf("combiner c(a, b) = a - b;", "C(m) c= X(m, k); C(m) = c<k>(X(m, k));"),
            "1:10 warning: combiner 'c' is not commutative: combine(2, 1) = 1, combine(1, 2) = -1; "
            "a reduction combines in unspecified order\n");
  EXPECT_NE(errorsOf("combiner c(a, b) = (a + b) / 2;", "C(m) = c<k>(X(m, k));")
                .find("not associative: combine("),
            std::string::npos);
  // No reduction, no order.
  EXPECT_EQ(errorsOf("combiner c(a, b) = a - b;", "C(m) = c(X(m, 0), Z(m, 0));"), "");
  // Without a rule for ties, the first or last that comes wins.
  EXPECT_NE(errorsOf("combiner c((v, i), (w, j)) = w > v ? w : v, w > v ? j : i;",
                     "C(m), P(m) c= X(m, k), index(k);")
                .find("not commutative"),
            std::string::npos);
}

TEST(CombinerTest, DefinitionsAreChecked) {
  auto errors = [](const std::string& combiners) { return errorsOf(combiners, "C(m) = 0;"); };
  EXPECT_EQ(errors("combiner max(a, b) = a + b;"),
            "1:10 error: 'max' is a function; choose another name\n");
  EXPECT_EQ(errors("combiner inf(a, b) = a + b;"),
            "1:10 error: 'inf' is a constant; choose another name\n");
  EXPECT_EQ(errors("combiner f32(a, b) = a + b;"),
            "1:10 error: 'f32' is a type; choose another name\n");
  EXPECT_EQ(errors("combiner X(a, b) = a + b;"),
            "2:7 error: 'X' is a combiner; choose another name\n");
  EXPECT_EQ(errors("combiner f(a, b) = a + b;"), "2:5 error: def 'f' is called like a combiner\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + b;\ncombiner c(a, b) = a * b;"),
            "2:10 error: combiner 'c' is defined twice\n");
  EXPECT_EQ(errors("combiner c(a, a) = a + a;"), "1:15 error: parameter 'a' is declared twice\n");
  EXPECT_EQ(errors("combiner c(a, inf) = a;"),
            "1:15 error: 'inf' is a constant; choose another name\n");
  EXPECT_EQ(errors("combiner c(a, b) = a;"), "1:15 warning: parameter 'b' is never used\n");
  EXPECT_EQ(errors("combiner c(a, (b, d)) = a;"),
            "1:10 error: 1 accumulator, but 2 new values; both have a parameter for each result, "
            "such as ((a, c), (b, d))\n");
  EXPECT_EQ(errors("combiner c((a, i), (b, j)) = a + b;"),
            "1:10 error: 2 accumulators, but 1 result; there is one for each accumulator\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + b neutral 0, 1;"),
            "1:34 error: 1 result, but 2 neutral values\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + bb;"),
            "1:24 error: unknown name 'bb' (did you mean 'b'?)\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + b * M;"),
            "1:28 error: unknown name 'M'; a combiner sees its parameters only\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + b neutral a;"),
            "1:34 error: a neutral value is constant; 'a' is a parameter\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + b[0];"),
            "1:24 error: a combiner sees its parameters only; 'b[...]' cannot be used here\n");
  EXPECT_EQ(errors("combiner c(a, b) = a(b);"), "1:20 error: 'a' is a parameter, not a function\n");
  EXPECT_EQ(errors("combiner c(a, b) = maxx(a, b);"),
            "1:20 error: unknown function 'maxx' (did you mean 'max'?)\n");
  EXPECT_EQ(errors("combiner c(a, b) = max(a);"), "1:20 error: 'max' takes 2 arguments, found 1\n");
  EXPECT_EQ(errors("combiner c(a, b) = max(a, b) else 0;"),
            "1:35 error: only a tensor's element can have an 'else' value\n");
  EXPECT_EQ(
      errors("combiner c(a, b) = max<k>(a, b);"),
      "1:20 error: '<...>' has no place in a combiner; iterators are named where it is used\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + index(b);"),
            "1:24 error: a combiner has no iterators; give it index(...) as a value\n");
  EXPECT_EQ(errors("combiner c(a, b) = a + cast<T>(b);"),
            "1:29 error: unknown type 'T'; a combiner's parameters already have the outputs' "
            "types\n");
}

TEST(CombinerTest, CallsGoUpwardsOnly) {
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + c(a, b);", ""),
            "1:24 error: a combiner cannot use itself\n");
  EXPECT_EQ(errorsOf("combiner c(a, b) = d(a, b);\ncombiner d(a, b) = c(a, b);", ""),
            "1:20 error: a combiner uses only those above it\n");
  EXPECT_EQ(
      errorsOf("combiner p((a, i), (b, j)) = a + b, i + j;\ncombiner d(a, b) = p(a, a, b, b);", ""),
      "2:20 error: 'p' gives 2 values; inside an expression there is room for one\n");
  Built built = reduced(
      "combiner far(a, b) = max(abs(a), abs(b));\ncombiner farther(a, b) = far(a, "
      "2 * b);",
      "P(m) = 0; D(m) = Z(m, 0); C(m) = Z(m, 0); C(m) farther= X(m, k);");
  EXPECT_TRUE(built.ops.ends_with("-> max(abs(c), abs(mul(2.0_f32, x))) }\n")) << built.ops;
}

TEST(CombinerTest, UsesAreChecked) {
  const std::string pair = "combiner p((a, i), (b, j)) = a + b, i + j;";
  EXPECT_EQ(errorsOf(pair, "C(m) p= X(m, k);"),
            "3:6 error: combiner 'p' updates 2 outputs at once, found 1\n");
  EXPECT_EQ(errorsOf(pair, "C(m) = p<k>(X(m, k), 1);"),
            "3:1 error: 1 outputs on the left, 2 values on the right ('p' gives 2)\n");
  EXPECT_EQ(errorsOf(pair, "C(m), P(m) = p<k>(X(m, k));"),
            "3:14 error: 'p' takes 2 arguments besides what is accumulated, found 1\n");
  EXPECT_EQ(errorsOf(pair, "C(m), P(m) = p<k>(C(m), X(m, k), 1);"),
            "3:14 error: 'p' takes 4 arguments, found 3\n");
  EXPECT_EQ(errorsOf(pair, "C(m) = 1 + p(X(m, 0), 1, X(m, 0), 1);"),
            "3:12 error: 'p' gives 2 values; it stands outermost on the right side, with 2 outputs "
            "on the left\n");
  EXPECT_EQ(errorsOf("combiner c(a, b) = exp(a) + b;", "C(m) c= X(m, k);", "i32"),
            "1:20 error: 'exp' does not work on i32\n");
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + cast<f64>(b);", "C(m) c= X(m, k);"),
            "1:24 error: f64 does not become f32 without loss; write cast<f32>(...) if that is "
            "meant\n");
  // One error for a combiner that is broken, none for its uses.
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + q;", "C(m) c= X(m, k); C(m) = c<k>(X(m, k));"),
            "1:24 error: unknown name 'q'; a combiner sees its parameters only\n");
  EXPECT_EQ(errorsOf("combiner c(a, b) = a + ;", "C(m) c= X(m, k); C(m) = c<k>(X(m, k));"),
            "1:24 error: expected an expression, found ';'\n");
}

TEST(CombinerTest, WritingOutIsBounded) {
  // Each doubles its argument.
  std::string doubling = "combiner c0(a, b) = a * a + b;\n", calls = "combiner d0(a, b) = a;\n";
  for (int i = 1; i < 40; ++i) {
    std::string n = std::to_string(i), before = std::to_string(i - 1);
    doubling += "combiner c" + n + "(a, b) = c" + before + "(c" + before + "(a, b), b);\n";
    calls += "combiner d" + n + "(a, b) = d" + before + "(d" + before + "(a, b), d" + before +
             "(b, a));\n";
  }
  EXPECT_NE(reduced(doubling, "C(m) = c39<k>(X(m, k));").errors.find("error: too large: with all "),
            std::string::npos);
  EXPECT_NE(reduced(calls, "C(m) = d39<k>(X(m, k));").errors.find("error: too large: with all "),
            std::string::npos);
  std::string nested = "X(m, k)";
  for (int i = 0; i < 60; ++i) nested = "sq(" + nested + ", 1)";
  EXPECT_NE(
      errorsOf("combiner sq(a, b) = a * a + b;", "C(m) = sq<k>(" + nested + ");")
          .find("3:1 error: too large: with all combiners written out, this is more than 4096 "
                "operations\n"),
      std::string::npos);
  std::string constant = "1";
  for (int i = 0; i < 60; ++i) constant = "sq(" + constant + ", 1)";
  for (const std::string& text :
       {"def f(X: f32(M)) -> (C: f32(M)) { C(m) = X(m - 1) else (" + constant + "); }",
        "def f(X: f32(M)) -> (C: f32(M)) attr(w: f32 = " + constant + ") { C(m) = w * X(m); }",
        "combiner c(a, b) = a + b neutral " + constant +
            ";\ndef f(X: f32(M, K)) -> (C: f32(M)) { C(m) c=! X(m, k); }"})
    EXPECT_NE(build("combiner sq(a, b) = a * a + b;\n" + text).errors.find("error: too large: "),
              std::string::npos)
        << text;
  std::string deep = "combiner c0(a, b) = a + b;\n";
  for (int i = 1; i < 300; ++i)
    deep += "combiner c" + std::to_string(i) + "(a, b) = c" + std::to_string(i - 1) + "(a, b);\n";
  EXPECT_NE(reduced(deep, "C(m) = c299<k>(X(m, k));").errors.find("error: nested too deeply: with"),
            std::string::npos);
  // A proof that would be long is given up.
  std::string selects = "combiner s0(a, b) = a + b;\n";
  for (int i = 1; i < 8; ++i) {
    std::string n = std::to_string(i), before = "s" + std::to_string(i - 1) + "(a, b)";
    selects += "combiner s" + n + "(a, b) = b > " + n + " || b < a - " + n + " ? " + before +
               " : " + before + " * 2 / 2;\n";
  }
  EXPECT_NE(
      reduced(selects, "C(m) s7=! X(m, k);").errors.find("is known, and none could be proved"),
      std::string::npos);
}

TEST(CombinerTest, EveryPrefixIsAnErrorAndNoCrash) {
  const std::string text =
      "combiner c((a, i), (b, j)) = a > b ? a : b, cast<i64>(i) + j neutral lowest, -1;\n"
      "def f(X: f32(M, K)) -> (C: f32(M), P: i64(M)) { C(m), P(m) c=! X(m, k), index(k); }";
  EXPECT_TRUE(build(text).module);
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(build(text.substr(0, length)).errors, "") << text.substr(0, length);
}

}  // namespace
}  // namespace einc::frontend
