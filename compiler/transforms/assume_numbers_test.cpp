// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/assume_numbers.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

const char* const kSignature = R"(
  kernel @f(%A: tensor<K x f32>, %B: tensor<K x 4 x f32>) -> (%C: tensor<4 x f32>, %D: tensor<4 x f32>)
      level hardware {
    vector (n: 4) {
)";

// What the statements of a vector region become.
std::string assumed(const std::string& body) {
  std::string end = " %D[n] unit n = %B[0, n] unit n } }";
  ir::Kernel kernel = assumeNumbers(ir::test::goodKernel(kSignature + body + end));
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  std::string text = ir::print(kernel);
  size_t begin = text.find("(n: 4) {\n") + 9;
  return text.substr(begin, text.find("    %D[n]") - begin);
}

// Sums are checked, two at a time; what max gave is not.
TEST(AssumeNumbers, MaxOfSums) {
  EXPECT_EQ(assumed(R"(
    let c: f32 over (n) = -inf_f32
    let d: f32 over (n) = %C[n] unit n
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      let a: f32 = %A[k]
      c = max(c, add(a, b))
      d = max(mul(a, b), d)
    }
    %C[n] unit n = add(c, d))"),
            R"(    let c: f32 over (n) = -inf_f32
    let d: f32 over (n) = %C[n] unit n
    assume_numbers {
      check_numbers (d)
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let a: f32 = %A[k]
        let term: f32 over (n) = add(a, b)
        c = max(c, term)
        let term1: f32 over (n) = mul(a, b)
        check_numbers (term, term1)
        d = max(term1, d)
      }
    } else {
      c = -inf_f32
      d = %C[n] unit n
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let a: f32 = %A[k]
        c = max(c, add(a, b))
        d = max(mul(a, b), d)
      }
    }
    %C[n] unit n = add(c, d)
)");
}

// Operands are checked once; a scalar along the axis of what it meets. Those of max inside of min
// are what is checked, not what min gives; a sum is no number for having been one.
TEST(AssumeNumbers, MinInside) {
  EXPECT_EQ(assumed(R"(
    let c: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      let a: f32 = %A[k]
      c = add(max(c, neg(b)), max(b, min(a, b)))
    }
    %C[n] unit n = c)"),
            R"(    let c: f32 over (n) = 0.0_f32
    assume_numbers {
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let a: f32 = %A[k]
        check_numbers (c, b)
        let term: f32 over (n) = a
        check_numbers (term)
        c = add(max(c, neg(b)), max(b, min(term, b)))
      }
    } else {
      c = 0.0_f32
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let a: f32 = %A[k]
        c = add(max(c, neg(b)), max(b, min(a, b)))
      }
    }
    %C[n] unit n = c
)");
}

// Not those that store, whose first values are gone, or without max and min of floats on vectors.
TEST(AssumeNumbers, Others) {
  for (const std::string body :
       {"    let c: f32 over (n) = 0.0_f32\n    for k = 0 .. K reduction {\n"
        "      c = add(c, %A[k])\n    }\n    %C[n] unit n = c\n",
        "    let c: f32 over (n) = 0.0_f32\n    c = %B[0, n] unit n\n"
        "    for k = 0 .. K reduction {\n      c = max(c, %A[k])\n    }\n    %C[n] unit n = c\n",
        "    let c: f32 over (n) = 0.0_f32\n    for k = 0 .. K reduction {\n"
        "      c = max(c, %A[k])\n      %C[n] unit n = c\n    }\n",
        // What d begins with is that of the c there was.
        "    let c: f32 over (n) = 0.0_f32\n    let d: f32 over (n) = neg(c)\n"
        "    for k = 0 .. K reduction {\n      c = max(c, %A[k])\n      d = max(d, %A[k])\n    }\n"
        "    %C[n] unit n = add(c, d)\n",
        "    let c: f32 over (n) = 0.0_f32\n    let d: f32 over (n) = neg(c)\n"
        "    c = %B[0, n] unit n\n    for k = 0 .. K reduction {\n      d = max(d, %A[k])\n    }\n"
        "    %C[n] unit n = add(c, d)\n",
        "    let c: f32 = 0.0_f32\n    for k = 0 .. K reduction {\n"
        "      c = max(c, %A[k])\n    }\n    %C[n] unit n = c\n"})
    EXPECT_EQ(assumed(body), body);
}

// What asks for NaN itself is known, if what is chosen is checked.
TEST(AssumeNumbers, Questions) {
  const std::string text = assumed(R"(
    let c: f32 over (n) = -inf_f32
    let p: i32 over (n) = 0_i32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      let next: f32 over (n) = select(or(gt(b, c), and(ne(b, b), eq(c, c))), b, c)
      let q: i32 over (n) = select(or(gt(b, c), and(ne(b, b), eq(c, c))), 1_i32, p)
      c = next
      p = q
    }
    %C[n] unit n = add(c, cast<f32>(p)))");
  EXPECT_EQ(text.substr(0, text.find("else")),
            R"(    let c: f32 over (n) = -inf_f32
    let p: i32 over (n) = 0_i32
    assume_numbers {
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let next: f32 over (n) = select(gt(b, c), b, c)
        let q: i32 over (n) = select(gt(b, c), 1_i32, p)
        c = next
        p = q
        check_numbers (b)
      }
    } )");
  // What is computed with may be NaN.
  EXPECT_EQ(assumed(R"(
    let c: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      c = select(ne(c, c), b, sub(b, c))
    }
    %C[n] unit n = c)")
                .find("assume_numbers"),
            std::string::npos);
}

// What an answer leaves unread is gone.
TEST(AssumeNumbers, WhatIsNotChosen) {
  const std::string text = assumed(R"(
    let c: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      let d: f32 over (n) = %C[n] unit n
      let e: f32 over (n) = neg(d)
      c = max(c, add(b, select(eq(b, b), b, e)))
    }
    %C[n] unit n = c)");
  EXPECT_EQ(text.substr(0, text.find("else")),
            R"(    let c: f32 over (n) = 0.0_f32
    assume_numbers {
      for k = 0 .. K reduction {
        let b: f32 over (n) = %B[k, n] unit n
        let term: f32 over (n) = add(b, b)
        check_numbers (b, term)
        c = max(c, term)
      }
    } )");
  // Where NaN is left out, it may well be there.
  EXPECT_EQ(assumed(R"(
    let c: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      c = add(c, select(eq(b, b), b, 0.0_f32))
    }
    %C[n] unit n = c)")
                .find("assume_numbers"),
            std::string::npos);
}

// What is chosen is checked as it is then, or no number: of another variable that is computed with, of one that an inner loop
// changes, and of what max gives of the same for all lanes, which nothing checks.
TEST(AssumeNumbers, ChosenIsNotAlwaysANumber) {
  const std::string other = assumed(R"(
    let c: f32 over (n) = 0.0_f32
    let d: f32 over (n) = 0.0_f32
    let q: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let b: f32 over (n) = %B[k, n] unit n
      q = select(ne(c, c), 1.0_f32, max(q, b))
      c = select(lt(c, 5.0_f32), d, c)
      d = add(d, b)
    }
    %C[n] unit n = add(c, add(d, q)))");
  EXPECT_NE(other.find("check_numbers (c"), std::string::npos) << other;
  const std::string inner = assumed(R"(
    let c: f32 over (n) = 0.0_f32
    let q: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let a: f32 over (n) = 0.0_f32
      for j = 0 .. 4 reduction {
        q = max(q, a)
        a = add(a, %B[j, n] unit n)
      }
      q = select(ne(c, c), 1.0_f32, q)
      c = select(lt(c, 5.0_f32), a, c)
    }
    %C[n] unit n = add(c, q))");
  EXPECT_NE(inner.find("reduction {\n          check_numbers (q, a)"), std::string::npos) << inner;
  EXPECT_NE(inner.find("check_numbers (c"), std::string::npos) << inner;
  const std::string uniform = assumed(R"(
    let c: f32 over (n) = 0.0_f32
    let q: f32 over (n) = 0.0_f32
    for k = 0 .. K reduction {
      let a: f32 = %A[k]
      let next: f32 over (n) = max(a, 1.0_f32)
      q = select(ne(c, c), 1.0_f32, q)
      c = next
    }
    %C[n] unit n = add(c, q))");
  EXPECT_NE(uniform.find("check_numbers (next"), std::string::npos) << uniform;
}

}  // namespace
}  // namespace einc::transforms
