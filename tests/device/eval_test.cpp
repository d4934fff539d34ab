// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `einc eval --engine=vulkan` does with a kernel, against the interpreter.
#include <gtest/gtest.h>

#include "compiler/driver/native_device.h"
#include "compiler/interp/array.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/test_text.h"
#include "tests/device/sample.h"

namespace einc::driver {
namespace {

using interp::View;
using ir::ScalarType;

const DeviceKernel& kernelOf(const std::string& name) {
  static const std::vector<DeviceKernel> kernels = sample::deviceKernels();
  for (const DeviceKernel& kernel : kernels)
    if (kernel.contract.name == name) return kernel;
  ADD_FAILURE() << name;
  return kernels.front();
}

// Small whole numbers; a view of `sizes` at `offset`, in an array of `count`.
View array(ScalarType type, int64_t count, int64_t offset, std::vector<int64_t> sizes,
           std::vector<int64_t> strides) {
  View view = *interp::allocate(type, {count});
  for (int64_t i = 0; i < count; ++i) {
    double value = static_cast<double>(i * 7 % 23);
    view.store(std::vector<int64_t>{i}, ir::info(type).isFloat()
                                            ? ir::Number{value, 0}
                                            : ir::Number{0, static_cast<uint64_t>(i * 7 % 23)});
  }
  view.offset = offset;
  view.sizes = std::move(sizes);
  view.strides = std::move(strides);
  return view;
}

View copyOf(const View& view) {
  View copy = view;
  View memory = *interp::allocate(ScalarType::U8, {view.storageBytes});
  std::copy_n(view.storage.get(), view.storageBytes, memory.storage.get());
  copy.storage = memory.storage;
  return copy;
}

bool sameBytes(const View& a, const View& b) {
  return std::equal(a.storage.get(), a.storage.get() + a.storageBytes, b.storage.get());
}

// All of the last array, which is the output, is what the interpreter leaves there.
void expectAsInterpreted(const DeviceKernel& kernel, const interp::Arguments& arguments) {
  interp::Arguments expected = arguments;
  expected.tensors.back() = copyOf(arguments.tensors.back());
  ASSERT_TRUE(interp::run(kernel.contract, expected).ok());
  EXPECT_EQ(runOnDevice(kernel, arguments, {"", true}, "", ""), kSuccess);
  EXPECT_TRUE(sameBytes(arguments.tensors.back(), expected.tensors.back()));
}

ir::Number real(double value) { return {value, 0}; }
ir::Number whole(uint64_t value) { return {0, value}; }

TEST(EvalOnDevice, StridedViews) {
  auto output = [] { return array(ScalarType::F32, 400, 30, {7, 9}, {40, 2}); };
  for (const View& a : {array(ScalarType::F32, 63, 0, {7, 9}, {9, 1}),
                        array(ScalarType::F32, 63, 62, {7, 9}, {-9, -1}),
                        array(ScalarType::F32, 63, 0, {7, 9}, {1, 7}),
                        array(ScalarType::F32, 63, 50, {7, 9}, {0, 0})})
    expectAsInterpreted(kernelOf("scale"), {{a, output()}, {{real(3)}}});
  expectAsInterpreted(kernelOf("scale"), {{array(ScalarType::F32, 0, 0, {0, 9}, {9, 1}),
                                           array(ScalarType::F32, 0, 0, {0, 9}, {9, 1})},
                                          {{real(3)}}});
}

TEST(EvalOnDevice, TemporariesAndPieces) {
  expectAsInterpreted(kernelOf("square"), {{array(ScalarType::F32, 300, 299, {300}, {-1}),
                                            array(ScalarType::F32, 900, 5, {300}, {2})},
                                           {}});
  expectAsInterpreted(kernelOf("pieces"), {{array(ScalarType::I32, 300, 0, {250}, {1}),
                                            array(ScalarType::I32, 300, 7, {250}, {1})},
                                           {}});
}

TEST(EvalOnDevice, AttributesOfAllKinds) {
  for (const char* name : {"options", "buffered"})
    expectAsInterpreted(
        kernelOf(name),
        {{array(ScalarType::F32, 20, 0, {20}, {1}), array(ScalarType::F64, 9, 0, {9}, {1})},
         {{whole(200)}, {real(0.5)}, {whole(1), whole(2)}, {real(0.25)}, {whole(1)}}});
}

std::string errorOf(const DeviceKernel& kernel, const interp::Arguments& arguments,
                    const DeviceChoice& choice, int code) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(runOnDevice(kernel, arguments, choice, "", ""), code);
  return testing::internal::GetCapturedStderr();
}

TEST(EvalOnDevice, ErrorsAreForPeople) {
  interp::Arguments arguments = {
      {array(ScalarType::F32, 8, 0, {8}, {1}), array(ScalarType::F32, 8, 0, {8}, {1})}, {}};
  const DeviceKernel& square = kernelOf("square");
  std::string error = errorOf(square, arguments, {"no such thing", false}, kBadInput);
  EXPECT_NE(error.find("einc: error: --device=no such thing: there is no such device; there are 0 "
                       "= "),
            std::string::npos)
      << error;
  arguments.tensors[0].sizes[0] = 7;
  error = errorOf(square, arguments, {"0", false}, kBadInput);
  EXPECT_EQ(error, "einc: error: EINC_SIZE_MISMATCH: the kernel refused its arguments\n");

  DeviceKernel wanting = kernelOf("options");
  wanting.shaders[0].invocations = {1 << 20, 1, 1};
  const interp::Arguments options = {
      {array(ScalarType::F32, 20, 0, {20}, {1}), array(ScalarType::F64, 9, 0, {9}, {1})},
      {{whole(200)}, {real(0.5)}, {whole(1), whole(2)}, {real(0.25)}, {whole(1)}}};
  error = errorOf(wanting, options, {"", false}, kBadInput);
  EXPECT_NE(error.find("a workgroup is larger than the device allows (workgroup_size[0]"),
            std::string::npos)
      << error;
  wanting = kernelOf("options");
  wanting.shaders[0].sharedBytes = 1 << 30;
  error = errorOf(wanting, options, {"", false}, kBadInput);
  EXPECT_NE(
      error.find("a workgroup needs more shared memory than the device has (1073741824 bytes"),
      std::string::npos)
      << error;
}

// A workgroup of more invocations than the device has, where nothing depends on how many.
TEST(EvalOnDevice, SizesOfWorkgroupsAreTheDevices) {
  const std::string head = "kernel @copy(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level ";
  ir::Kernel contract = ir::test::goodKernel(
      head + "tensors { op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a } }");
  ir::Kernel code = ir::test::goodKernel(
      head +
      "hardware { dispatch grid (64, 1, 1) { tile i : s = 0 .. M by 1 parallel on grid { "
      "%C[i] = %A[i] } } }");
  DeviceKernel kernel{contract, code, "by hand", emit::emitGlsl(code, "by hand"), {}};
  kernel.modules = std::get<std::vector<spirv::Words>>(compileShaders(kernel.shaders));
  kernel.shaders[0].invocations = {1 << 20, 1, 1};
  expectAsInterpreted(kernel, {{array(ScalarType::F32, 5000, 0, {5000}, {1}),
                                array(ScalarType::F32, 5000, 0, {5000}, {1})},
                               {}});
}

// The first dispatch is said to write nothing: no barrier stands before the second.
TEST(EvalOnDevice, AMissingBarrierIsABug) {
  DeviceKernel broken = kernelOf("square");
  broken.shaders[0].buffers[1].isWritten = false;
  std::string error = errorOf(
      broken,
      {{array(ScalarType::F32, 8, 0, {8}, {1}), array(ScalarType::F32, 8, 0, {8}, {1})}, {}},
      {"", true}, kInternalError);
  EXPECT_NE(error.find("einc: internal error: the validation layer says: "), std::string::npos);
  EXPECT_NE(error.find("SYNC-HAZARD-READ-AFTER-WRITE"), std::string::npos) << error;
}

}  // namespace
}  // namespace einc::driver
