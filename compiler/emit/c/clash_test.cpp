// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Names of C functions that two defs would have.
#include <gtest/gtest.h>

#include "compiler/emit/c/c.h"
#include "compiler/ir/test_text.h"

namespace einc::emit {
namespace {

// C = A, in an outlined function.
struct Copy {
  ir::Kernel contract, code;

  explicit Copy(const std::string& name, const std::string& outlined = "all")
      : contract(ir::test::goodKernel(head(name) + "tensors { op (m: parallel) ins(%A[m])" +
                                      " outs(%C[m]) { (a, c) -> a } }")),
        code(ir::test::goodKernel(head(name) + "hardware { outline " + outlined +
                                  " { for m = 0 .. M parallel { %C[m] = %A[m] } } }")) {}

  static std::string head(const std::string& name) {
    return "kernel @" + name + "(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level ";
  }
};

std::vector<KernelCode> codesOf(const std::vector<Copy>& copies) {
  std::vector<KernelCode> result;
  for (const Copy& copy : copies)
    result.push_back({&copy.contract, {{target::find("x86-64-v3"), &copy.code, ""}}});
  return result;
}

std::string reasonOf(const std::vector<Copy>& copies) {
  COptions options;
  options.library = "lib";
  auto c = emitC(codesOf(copies), options);
  EXPECT_TRUE(emitCFiles(codesOf(copies), options)) << "each def has a file of its own";
  return c ? "" : c.reason();
}

TEST(Clash, ADefIsNoStaticFunctionOfAnother) {
  for (const std::string name : {"f_check", "f_run", "f_all"})
    EXPECT_EQ(reasonOf({Copy("f"), Copy(name)}), "def '" + name + "' has the name of a function '" +
                                                     name +
                                                     "' in the C of another def; rename one");
  EXPECT_EQ(reasonOf({Copy("f"), Copy("f_none"), Copy("f_static")}), "");
}

TEST(Clash, TwoDefsHaveTwoStaticFunctions) {
  EXPECT_EQ(reasonOf({Copy("f", "pack_A"), Copy("f_pack", "A")}),
            "defs 'f' and 'f_pack' both have a function 'f_pack_A' in their C; rename one");
  EXPECT_EQ(reasonOf({Copy("f", "pack_A"), Copy("f_pack", "C")}), "");
}

}  // namespace
}  // namespace einc::emit
