// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Steps as text, read and printed.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::parsed;
using test::printed;

TEST(Steps, PrintAndParseBack) {
  const std::string text = R"(tile m by 64 on threads (131072 outer)
tile n by 1024 on workgroups
order n, m
pack A (n: 48)
when contiguous(A, n) and contiguous(B[1], m) and M * 2 <= m + 1 {
  non_temporal B
  cut n at line of B (64) {
    loops
  } rest {
    cut n at (n floordiv 64) * 64 {
      spread n over 4 as n_place
      split n by 16 as n_run
      vectorize (n_place: 4, n: 16) ahead n 128
    } rest {
      accumulate (n: 64)
    }
  }
} otherwise {
  when borders(n) {
    interior n {
      when inside {
        vectorize (m: 4, n: 64) fit n variant
      }
    } border {
      loops
    }
  }
  when 0 < n and n == 3 and m < 5 {
    transpose m to n
  }
}
when aligned(A, n, 16) and n mod 4 == 0 {
  bind m by 8 to workgroups
  bind n to invocations
  lanes k, l over 32
  bind m by 4 over 16, n over 8 to invocations
}
when even(A, m * n) and even(A, n) {
  loops
}
when contiguous(A, m * n) and aligned(A, m * n, 16) and (m * n) mod 4 == 0 {
  copy A (n, m) as turned on workgroup (33) {
    loops
  }
}
results (m: 4 over 16, n: 2 over 8) {
  pack A (m: 64) to i32 on workgroup (68)
  pack B (n: 16) on workgroup
}
let width = min(n, 4096 floordiv (m + 1) + 1)
parts n by width as n_part {
  loops
} fill {
  tile n_part by 1
} combine {
  loops
} rest {
  loops
}
digits m by 16 as m_high, n by S + 1 as x {
  order n, x
} left of n {
  loops
}
let kc = min(k, 512 floordiv l)
let nc = (n ceildiv 48) * 48
collapse n, oh, ow as x
tables x
pack B (n: 48) along k, l as p to i32 in pieces of 16 on threads (131072)
pack B (n: 48) along k as p computed in pieces of 16
pack Q with s, t[1] (n: 48) along k computed
words A along k for vpdpbusd
border A (c: 4)
copy B[1] (n, k) as turned on stack {
  loops
}
convert A to i32
border A
cut m at 8 copying B (n: 48) along k, l {
  loops
} rest {
  loops
}
keep (m: m * 2, n: nc)
keep (m: rows) of E
keep (m: 8) of S in workgroup
keep () of S on stack
inline op 1
parts k, l by width as k_part of op 1 together {
  loops
} combine {
  loops
}
fuse op 0
fuse op 2 by {
  call my_f
}
when n == 1 {
  call cblas otherwise {
    alone {
      loops
    }
  }
}
function tile {
  results (m: 8, n: 4) {
    scratch (m: 8, n: 48) in pieces of 16 {
      vectorize (m: 8, n: 48) ahead k 32 far fit n early variant unrolled (k, j)
    }
  }
}
)";
  Steps steps = parsed(text);
  EXPECT_EQ(printed(steps), text);
  EXPECT_EQ(parsed(printed(steps)), steps);
  for (const std::string& verb : verbs())
    EXPECT_TRUE(anyStep(steps, [&](const Step& step) { return verbOf(step) == verb; })) << verb;
}

TEST(Steps, ReasonsAreComments) {
  Steps steps = {Step(TileStep{"m", affine::Expr::constant(8)}, "it fits"), LoopsStep{}};
  EXPECT_EQ(printed(steps), "tile m by 8  // it fits\nloops\n");
  EXPECT_EQ(parsed(printed(steps)), steps);
}

TEST(Steps, WhatIsNoStepIsRefused) {
  for (const char* text : {"tile",
                           "tile m",
                           "tile m by",
                           "when { }",
                           "when m { }",
                           "when m = 3 { }",
                           "cut m at 3 { }",
                           "split m by x as y",
                           "order",
                           "vectorize (m)",
                           "accumulate (m: 1, n: 2)",
                           "unroll m",
                           "digits m by 8 { }",
                           "digits m by 8 as x { } left { }",
                           "digits m by 8 as x { } left of n { }",
                           "tile m by 8 on threads",
                           "tile m by 8 on",
                           "when contiguous(A) { }",
                           "transpose m",
                           "when m == 3 { loops",
                           "when borders { }",
                           "interior m { }",
                           "vectorize (n: 8) fit",
                           "let k",
                           "let k = min(3",
                           "parts n by 8 { }",
                           "parts n by 8 as x { } fill { } combine { }",
                           "let x",
                           "let x = min(m",
                           "collapse m, n",
                           "tables",
                           "pack A (m: 8) along",
                           "pack A (m: 8) to f33",
                           "pack A (m: 8) in pieces",
                           "copy A (m, n)",
                           "copy A as x { }",
                           "convert A",
                           "keep m",
                           "keep (m: m) of",
                           "fuse op",
                           "fuse 2",
                           "fuse op 2 by",
                           "function { }",
                           "results { }",
                           "scratch (m: 8) { }",
                           "border",
                           "cut m at 3 copying { } rest { }",
                           "vectorize (m: 8) fit"}) {
    std::string error;
    parsed(text, &error);
    EXPECT_FALSE(error.empty()) << text;
  }
  std::string error, deep;
  for (int i = 0; i < 400; ++i) deep += "when m == 1 { ";
  parsed(deep, &error);
  EXPECT_FALSE(error.empty());
}

}  // namespace
}  // namespace einc::strategy
