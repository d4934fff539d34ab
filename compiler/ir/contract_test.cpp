// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/contract.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

std::string head(const std::string& level) {
  return "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level " + level;
}
constexpr const char* kOps =
    " op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }"
    " op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> neg(t) }";
constexpr const char* kLocal = " local %T: tensor<M x f32>";

std::string contractText(const Kernel& kernel) {
  auto contract = contractOf(kernel);
  if (!contract) return "none";
  EXPECT_TRUE(verify(*contract).empty());
  return print(*contract);
}

TEST(Contract, IsWhatTheOpsSayDownToBuffers) {
  const Kernel tensors = test::goodKernel(head("tensors {") + kLocal + kOps + " }");
  EXPECT_EQ(contractText(tensors), print(tensors));
  EXPECT_EQ(contractText(test::goodKernel(head("tensors {") + kLocal + " fused {" + kOps + " } }")),
            print(tensors));
  EXPECT_EQ(contractText(
                test::goodKernel(head("buffers {") + kLocal + " alloc %T fused {" + kOps + " } }")),
            print(tensors));
  EXPECT_EQ(contractText(test::goodKernel(head("buffers {") + " external mine (%A, %C) {" +
                                          " alloc %T: tensor<M x f32>" + kOps + " } }")),
            print(tensors));
}

TEST(Contract, BelowThatAKernelHasItsOwnOrNone) {
  const std::string copy = " op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> exp(a) }";
  EXPECT_EQ(contractText(test::goodKernel(head("tiled {") + copy + " }")), "none");
  const Kernel kernel =
      test::goodKernel(head("tiled {") + copy + " } contract {" + kLocal + kOps + " }");
  EXPECT_EQ(contractOf(kernel), kernel.contract);
  EXPECT_EQ(kernel.contract->tensors.size(), 3u);
  EXPECT_EQ(withContract(kernel).contract, kernel.contract);
}

// The parts of a kernel that no body has.
TEST(Contract, IsReadBackAsItIsPrinted) {
  const std::string text =
      "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>)\n"
      "    strides contiguous\n"
      "    level tiled {\n"
      "  op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> exp(a) }\n"
      "} contract {\n"
      "  local %T: tensor<M x f32>\n"
      "  op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }\n"
      "  op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t }\n"
      "}\n";
  const Kernel kernel = test::goodKernel(text);
  EXPECT_TRUE(kernel.contiguous);
  EXPECT_EQ(print(kernel), text);
}

// It may have locals of the kernel's names, and knows none of the kernel's.
TEST(Contract, HasNamesOfItsOwn) {
  EXPECT_EQ(test::errorIn("eir 1\n" + head("hardware {") +
                          " alloc %T: tensor<M x f32> for m = 0 .. M parallel { %C[m] = %A[m] } } "
                          "contract {" +
                          kOps + " }"),
            "unknown tensor 'T'");
}

}  // namespace
}  // namespace einc::ir
