// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/printable.h"

#include "compiler/ir/test_text.h"
#include "compiler/strategy/options.h"

namespace einc::pipeline {
namespace {

constexpr const char* kOp = " op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> exp(a) } ";

// The kernel with this body, and what its calls must keep.
ir::Kernel kernel(const std::string& level, const std::string& body, const std::string& head = "") {
  return ir::test::goodKernel("kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) " + head +
                              " level " + level + " {" + body + "} contract {" + kOp + "}");
}

std::string why(const ir::Kernel& kernel, const std::string& target,
                strategy::ScheduleOptions options = {}) {
  options.target = target::find(target);
  auto reason = findUnprintable(kernel, options);
  return reason ? reason->text : "";
}

std::string region(int lanes) {
  return " vector (m: " + std::to_string(lanes) +
         ") { let a: f32 over (m) = %A[m] pad 0.0_f32 unit m  %C[m] unit m clip = a } ";
}

TEST(Printable, WhatIsDecidedByThePipelineIs) {
  EXPECT_EQ(
      why(ir::test::goodKernel(std::string("kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x "
                                           "f32>) level tensors {") +
                               kOp + "}"),
          "generic"),
      "");
  EXPECT_EQ(why(kernel("tiled", kOp), "x86-64-v4"), "");
  EXPECT_EQ(why(kernel("hardware", region(16)), "x86-64-v4"), "");
}

TEST(Printable, NothingElseSaysWhatCallsMustKeep) {
  ir::Kernel tiled = kernel("tiled", kOp);
  tiled.contract = nullptr;
  EXPECT_EQ(why(tiled, "x86-64-v4"),
            "@f is at level tiled, where nothing says what its calls must keep: '} contract { ... "
            "}' with its ops on tensors does");
}

TEST(Printable, VectorsFitRegisters) {
  EXPECT_EQ(
      why(kernel("hardware", region(16)), "x86-64-v3"),
      "@f is at level hardware, with vectors of 16 lanes (m), and x86-64-v3 has vectors of 32 "
      "bytes");
  EXPECT_EQ(why(kernel("hardware", region(8)), "x86-64-v3"), "");
  EXPECT_EQ(why(kernel("hardware", region(2)), "generic"),
            "@f is at level hardware, with vectors of 2 lanes (m), and generic has no vectors");
  // At level vector they are yet to become registers.
  EXPECT_EQ(why(kernel("vector", region(64)), "x86-64-v2"), "");
}

TEST(Printable, CodeIsForThreadsOrNot) {
  const ir::Kernel threads = kernel(
      "tiled",
      " tile m0 : m0_size = 0 .. M by 8 parallel on threads { view %A0: tensor<m0_size x f32> = "
      "(i) -> "
      "%A[m0 + i] view %C0: tensor<m0_size x f32> = (i) -> %C[m0 + i] op (m: parallel) ins(%A0[m]) "
      "outs(%C0[m]) { (a, c) -> exp(a) } } ");
  EXPECT_EQ(why(threads, "x86-64-v3"),
            "the loop 'm0' of @f is on threads: give --threads=N, more than 1");
  strategy::ScheduleOptions four{};
  four.threads = 4;
  EXPECT_EQ(why(threads, "x86-64-v3", four), "");
  EXPECT_EQ(why(threads, "vulkan"), "the loop 'm0' of @f is on threads, and vulkan has none");
}

TEST(Printable, CodeIsForADeviceOrNot) {
  const std::string dispatch =
      " dispatch copy (64, 1, 1) { for m = 0 .. M parallel on grid { %C[m] = %A[m] } } ";
  EXPECT_EQ(why(kernel("hardware", dispatch), "vulkan"), "");
  EXPECT_EQ(why(kernel("hardware", dispatch), "x86-64-v3"),
            "@f has dispatches, which run on a device, and x86-64-v3 is none: --target=vulkan");
  EXPECT_EQ(why(kernel("hardware", " for m = 0 .. M parallel { %C[m] = %A[m] } "), "vulkan"),
            "@f is at level hardware without dispatches, and on vulkan there is nothing else");
}

// At any level.
TEST(Printable, ReadsAreForCpusAndWorkgroupsForDevices) {
  const ir::Kernel read = ir::test::goodKernel(
      "kernel @f(%l: tensor<1 x i32>) -> (%C: tensor<M x f32>) level buffers { read a = %l[0] op "
      "(m: "
      "parallel) outs(%C[m]) { (c) -> 1.0_f32 } }");
  EXPECT_EQ(why(read, "x86-64-v3"), "");
  EXPECT_EQ(why(read, "vulkan"),
            "@f reads 'a', an element that says how far a loop runs, which shaders do not");
  const ir::Kernel group = ir::test::goodKernel(
      "kernel @f() -> (%C: tensor<M x f32>) level buffers { tile m0 : m0_size = 0 .. M by 8 "
      "parallel on "
      "workgroups x { view %C0: tensor<m0_size x f32> = (i) -> %C[m0 + i] op (m: parallel) "
      "outs(%C0[m]) { "
      "(c) -> 1.0_f32 } } }");
  EXPECT_EQ(why(group, "vulkan"), "");
  EXPECT_EQ(
      why(group, "x86-64-v3"),
      "the loop 'm0' of @f is on workgroups or invocations of a device, and x86-64-v3 is none: "
      "--target=vulkan");
}

TEST(Printable, PromisedStridesArePromisedToAll) {
  const ir::Kernel promised = kernel("tiled", kOp, "strides contiguous");
  EXPECT_EQ(why(promised, "x86-64-v3"),
            "@f is written for contiguous tensors: give --strides=contiguous");
  strategy::ScheduleOptions contiguous{};
  contiguous.contiguous = true;
  EXPECT_EQ(why(promised, "x86-64-v3", contiguous), "");
}

}  // namespace
}  // namespace einc::pipeline
