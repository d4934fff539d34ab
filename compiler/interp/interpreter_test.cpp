// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/interpreter.h"

#include <gtest/gtest.h>

#include <limits>

#include "compiler/interp/test_kernels.h"

namespace einc::interp {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> iota(int count, double first = 0) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

TEST(Interpreter, MatmulAccumulates) {
  View a = floats({2, 3}, iota(6)), b = floats({3, 2}, iota(6)), c = floats({2, 2}, {100, 0, 0, 0});
  ASSERT_TRUE(run(matmul(), {{a, b, c}, {}}).ok());
  EXPECT_EQ(valuesOf(c), (std::vector<double>{110, 13, 28, 40}));
}

TEST(Interpreter, StridesMayBeAnything) {
  View a = floats({2, 3}, iota(6)), b = floats({3, 2}, {1, 0, 0, 1, 0, 0}), c = floats({2, 2});
  // Reversed rows; one column repeated; a transposed output.
  a.offset = 3;
  a.strides = {-3, 1};
  b.strides = {2, 0};
  c.strides = {1, 2};
  ASSERT_TRUE(run(matmul(), {{a, b, c}, {}}).ok());
  EXPECT_EQ(valuesOf(c), (std::vector<double>{3, 3, 0, 0}));
}

TEST(Interpreter, SizesOfZeroTouchNothing) {
  View c = floats({2, 2}, iota(4));
  ASSERT_TRUE(run(matmul(), {{floats({2, 0}), floats({0, 2}), c}, {}}).ok());
  EXPECT_EQ(valuesOf(c), iota(4));
  EXPECT_TRUE(run(matmul(), {{floats({0, 3}), floats({3, 2}), floats({0, 2})}, {}}).ok());
}

TEST(Interpreter, MixedTypesGoThroughCasts) {
  View a = array(ScalarType::I8, {1, 2}, {-128, 127}),
       b = array(ScalarType::I8, {2, 1}, {-128, 127});
  View c = array(ScalarType::I32, {1, 1});
  ASSERT_TRUE(run(matmul(ScalarType::I8, ScalarType::I32), {{a, b, c}, {}}).ok());
  EXPECT_EQ(valuesOf(c)[0], 128 * 128 + 127 * 127);
}

// O(o) += I(o * s + k * d) * K(k)
ir::Kernel convolution() {
  ir::Kernel kernel;
  kernel.name = "conv";
  kernel.attributes = {attribute("s", ScalarType::I64, {}), attribute("d", ScalarType::I64, {1})};
  kernel.tensors = {tensor("I", Role::Input, {sym("W")}), tensor("K", Role::Input, {sym("KW")}),
                    tensor("O", Role::Output, {sym("OW")})};
  ir::StructuredOp op;
  op.iterators = iterators({"o"}, {"k"});
  op.inputs = {access(0, {it("o") * sym("s") + it("k") * sym("d[0]")}), access(1, {it("k")})};
  op.outputs = {access(2, {it("o")})};
  op.results = {call(Function::Add, {operand(2), call(Function::Mul, {operand(0), operand(1)})})};
  kernel.body.push_back({op});
  return kernel;
}

Outcome convolve(View image, View filter, View output, int64_t stride, int64_t dilation) {
  auto list = [](int64_t v) {
    return std::vector<ir::Number>{integerNumber(ScalarType::I64, static_cast<uint64_t>(v))};
  };
  return run(convolution(), {{image, filter, output}, {list(stride), list(dilation)}});
}

TEST(Interpreter, AttributesStandInIndices) {
  View output = floats({3});
  ASSERT_TRUE(convolve(floats({9}, iota(9)), floats({2}, {1, 10}), output, 2, 3).ok());
  EXPECT_EQ(valuesOf(output), (std::vector<double>{30, 52, 74}));
}

TEST(Contract, OutOfRangeNamesTensorDimensionAndIndex) {
  View output = floats({3}, {7, 7, 7});
  Outcome outcome = convolve(floats({7}), floats({2}), output, 2, 3);
  EXPECT_EQ(outcome.status, Status::EINC_OUT_OF_RANGE);
  EXPECT_EQ(outcome.message, "%I dimension 0 is 7, but index o * s + k * d[0] reaches 7");
  EXPECT_EQ(valuesOf(output), (std::vector<double>{7, 7, 7}));
  EXPECT_EQ(convolve(floats({8}), floats({2}), output, 2, -1).message,
            "%I dimension 0 is 8, but index o * s + k * d[0] reaches -1");
  EXPECT_EQ(convolve(floats({8}), floats({2}), output, INT64_MAX, 1).status, Status::EINC_OVERFLOW);
  // Without iterations nothing is out of range.
  EXPECT_TRUE(convolve(floats({0}), floats({0}), output, 2, 3).ok());
}

TEST(Contract, SizesMustAgree) {
  Outcome outcome = run(matmul(), {{floats({2, 3}), floats({4, 5}), floats({2, 5})}, {}});
  EXPECT_EQ(outcome.status, Status::EINC_SIZE_MISMATCH);
  EXPECT_EQ(outcome.message, "%B dimension 0 is 4, but K is 3 (%A dimension 1)");
  EXPECT_EQ(statusName(outcome.status), "EINC_SIZE_MISMATCH");
}

TEST(Contract, SymbolsAreSolvedFor) {
  ir::Kernel kernel = elementwise(1, ScalarType::F32, operand(0));
  kernel.tensors[0].shape[0] = kernel.tensors[1].shape[0] = sym("N") * num(2) + num(3);
  EXPECT_TRUE(run(kernel, {{floats({7}), floats({7})}, {}}).ok());
  EXPECT_EQ(run(kernel, {{floats({6}), floats({6})}, {}}).message,
            "%A dimension 0 is 6, but N * 2 + 3 is that for no N");
  Outcome negative = run(kernel, {{floats({1}), floats({1})}, {}});
  EXPECT_EQ(negative.status, Status::EINC_NEGATIVE_SIZE);
  EXPECT_EQ(negative.message, "%A dimension 0 is 1, so N would be -1");
  EXPECT_EQ(run(kernel, {{floats({7}), floats({9})}, {}}).message,
            "%Y dimension 0 is 9, but N * 2 + 3 is 7");
}

TEST(Contract, ArgumentsMustBeViewsThatExist) {
  ir::Kernel kernel = elementwise(1, ScalarType::F32, operand(0));
  auto statusOf = [&](View a, View y) { return run(kernel, {{a, y}, {}}).status; };
  View bad = floats({4});
  bad.sizes = {-4};
  EXPECT_EQ(statusOf(bad, floats({4})), Status::EINC_NEGATIVE_SIZE);
  bad.sizes = {INT64_MAX};
  EXPECT_EQ(statusOf(bad, floats({4})), Status::EINC_OVERFLOW);
  bad.sizes = {5};
  EXPECT_EQ(statusOf(bad, floats({5})), Status::EINC_OUT_OF_RANGE);
  EXPECT_EQ(statusOf(array(ScalarType::F64, {4}), floats({4})), Status::EINC_SIZE_MISMATCH);
  EXPECT_EQ(statusOf(floats({4, 1}), floats({4})), Status::EINC_SIZE_MISMATCH);
  EXPECT_EQ(run(kernel, {{floats({4})}, {}}).status, Status::EINC_NULL_DESCRIPTOR);
}

TEST(Contract, OutputsMayNotOverlap) {
  View c = floats({2, 2}), broad = c, a = floats({2, 2});
  broad.strides = {2, 0};
  EXPECT_EQ(run(matmul(), {{a, a, broad}, {}}).message, "elements of %C share memory");
  EXPECT_EQ(run(matmul(), {{a, c, c}, {}}).message, "output %C shares memory with input %B");
  EXPECT_EQ(run(matmul(), {{a, c, c}, {}}).status, Status::EINC_ALIASED);

  ir::Kernel kernel = elementwise(1, ScalarType::F32, call(Function::Neg, {operand(0)}));
  View x = floats({4}, iota(4)), part = x;
  EXPECT_TRUE(run(kernel, {{x, x}, {}}).ok());
  EXPECT_EQ(valuesOf(x), (std::vector<double>{-0.0, -1, -2, -3}));
  x.sizes = part.sizes = {3};
  part.offset = 1;
  EXPECT_EQ(run(kernel, {{x, part}, {}}).status, Status::EINC_ALIASED);
  x.sizes = part.sizes = {2};
  x.strides = part.strides = {2};
  EXPECT_TRUE(run(kernel, {{x, part}, {}}).ok());  // interleaved
  std::get<ir::StructuredOp>(kernel.body[0].node).inputs[0].shapeOnly = true;
  std::get<ir::StructuredOp>(kernel.body[0].node).results[0] = real(1);
  part.offset = 0;
  part.strides = {1};
  EXPECT_TRUE(run(kernel, {{x, part}, {}}).ok());
}

TEST(Contract, AttributesHaveTheirElements) {
  ir::Kernel kernel = convolution();
  View image = floats({9}), filter = floats({2}), output = floats({3});
  std::vector<ir::Number> one = {{0, 1}};
  EXPECT_EQ(run(kernel, {{image, filter, output}, {one, {}}}).message,
            "attribute d has 1 elements, but is given 0");
  kernel.attributes[1].shape.clear();
  kernel.attributes[1].list = true;
  EXPECT_TRUE(run(kernel, {{image, filter, output}, {one, {{0, 1}, {0, 5}}}}).ok());
  Outcome outcome = run(kernel, {{image, filter, output}, {one, {}}});
  EXPECT_EQ(outcome.status, Status::EINC_BAD_ATTRIBUTE);
  EXPECT_EQ(outcome.message, "attribute d has 0 elements, but d[0] is used");
  kernel.attributes[1].defaults = one;
  EXPECT_TRUE(run(kernel, {{image, filter, output}, {one, {}}}).ok());
}

TEST(Contract, DivisionByZeroIsFoundFirst) {
  ir::Kernel kernel = convolution();
  std::get<ir::StructuredOp>(kernel.body[0].node).inputs[0].map[0] = it("o").floorDiv(sym("s"));
  auto statusFor = [&](uint64_t s) {
    return run(kernel, {{floats({3}), floats({2}), floats({3})}, {{{0, s}}, {{0, 1}}}}).status;
  };
  EXPECT_EQ(statusFor(1), Status::EINC_OK);
  EXPECT_EQ(statusFor(0), Status::EINC_DIVISION_BY_ZERO);
}

TEST(Interpreter, PaddedReadsGiveTheValue) {
  // Y(i) = A(i - 1), -1 outside
  ir::Kernel kernel = elementwise(1, ScalarType::F32, operand(0));
  auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  op.inputs[0] = access(0, {it("i") - num(1)}, real(-1));
  View y = floats({4});
  ASSERT_TRUE(run(kernel, {{floats({4}, iota(4, 5)), y}, {}}).ok());
  EXPECT_EQ(valuesOf(y), (std::vector<double>{-1, 5, 6, 7}));
}

TEST(Interpreter, IndexAndParametersAreValues) {
  // Y(i) = cast<f32>(i * N + 1) * alpha
  ValueRef index = ir::makeValue(ScalarType::I64, ir::IndexRef{it("i") * sym("N") + num(1)});
  ValueRef alpha = ir::makeValue(ScalarType::F32, ir::AttributeRef{0, 0});
  ir::Kernel kernel = elementwise(
      0, ScalarType::F32, call(Function::Mul, {ir::makeCast(ScalarType::F32, index), alpha}));
  kernel.attributes = {attribute("alpha", ScalarType::F32, {})};
  View y = floats({3});
  ASSERT_TRUE(run(kernel, {{y}, {{{0.5, 0}}}}).ok());
  EXPECT_EQ(valuesOf(y), (std::vector<double>{0.5, 2, 3.5}));
}

TEST(Interpreter, LocalsAndSeveralOutputs) {
  // T(i) = A(i) + A(i);  Y(i), Z(i) = T(i) * T(i), Y(i)
  ir::Kernel kernel;
  kernel.tensors = {tensor("A", Role::Input, {sym("N")}), tensor("Y", Role::Output, {sym("N")}),
                    tensor("Z", Role::Output, {sym("N")}), tensor("T", Role::Local, {sym("N")})};
  ir::StructuredOp first, second;
  first.iterators = second.iterators = iterators({"i"});
  first.inputs = {access(0, {it("i")})};
  first.outputs = {access(3, {it("i")})};
  first.results = {call(Function::Add, {operand(0), operand(0)})};
  second.inputs = {access(3, {it("i")})};
  second.outputs = {access(1, {it("i")}), access(2, {it("i")})};
  second.results = {call(Function::Mul, {operand(0), operand(0)}), operand(1)};
  kernel.body = {{first}, {second}};
  for (auto level : {ir::Level::Tensors, ir::Level::Buffers}) {
    kernel.level = level;
    if (level == ir::Level::Buffers) kernel.body.insert(kernel.body.begin(), {ir::Alloc{3}});
    View y = floats({2}, {8, 9}), z = floats({2});
    ASSERT_TRUE(run(kernel, {{floats({2}, {1, 2}), y, z}, {}}).ok());
    EXPECT_EQ(valuesOf(y), (std::vector<double>{4, 16}));
    EXPECT_EQ(valuesOf(z), (std::vector<double>{8, 9}));  // the values before the update
  }
  kernel.tensors[3].shape[0] = sym("N") - num(3);
  Outcome outcome = run(kernel, {{floats({2}), floats({2}), floats({2})}, {}});
  EXPECT_EQ(outcome.status, Status::EINC_NEGATIVE_SIZE);
  EXPECT_EQ(outcome.message, "%T dimension 0 would be -1");
}

// for m { for n { let acc = C[m, n]; for k { acc = acc + A[m, k] * B[k, n] }; C[m, n] = acc } }
ir::Kernel loweredMatmul() {
  ir::Kernel kernel = matmul();
  kernel.level = ir::Level::Hardware;
  auto load = [](unsigned t, const char* row, const char* column) {
    return ir::makeValue(ScalarType::F32, ir::Load{t, {it(row), it(column)}, nullptr});
  };
  ValueRef acc = ir::makeValue(ScalarType::F32, ir::Variable{"acc"});
  ValueRef product = call(Function::Mul, {load(0, "m", "k"), load(1, "k", "n")});
  ir::For k{"k", sym("K"), IteratorKind::Reduction, {}};
  k.body.push_back({ir::Assign{"acc", call(Function::Add, {acc, product})}});
  ir::For n{"n", sym("N"), IteratorKind::Parallel, {}};
  n.body.push_back({ir::Let{"acc", load(2, "m", "n")}});
  n.body.push_back({k});
  n.body.push_back({ir::Store{2, {it("m"), it("n")}, acc}});
  ir::For m{"m", sym("M"), IteratorKind::Parallel, {}};
  m.body.push_back({n});
  kernel.body.clear();
  kernel.body.push_back({m});
  return kernel;
}

TEST(Interpreter, RunsTheHardwareLevel) {
  View a = floats({2, 3}, iota(6)), b = floats({3, 2}, iota(6)), c = floats({2, 2}, {100, 0, 0, 0});
  ASSERT_TRUE(run(loweredMatmul(), {{a, b, c}, {}}).ok());
  EXPECT_EQ(valuesOf(c), (std::vector<double>{110, 13, 28, 40}));
}

TEST(Interpreter, AStrayAccessIsReported) {
  ir::Kernel kernel = loweredMatmul();
  std::get<ir::For>(kernel.body[0].node).extent = sym("M") + num(1);
  Outcome outcome = run(kernel, {{floats({2, 2}), floats({2, 2}), floats({2, 2})}, {}});
  EXPECT_EQ(outcome.status, Status::EINC_OUT_OF_RANGE);
  EXPECT_EQ(outcome.message, "an access leaves %C");
}

TEST(Interpreter, MemoryIsOneLocalsAtATime) {
  ir::Kernel kernel = loweredMatmul();
  kernel.tensors.push_back(tensor("T", Role::Local, {num(1)}));
  kernel.tensors.push_back(tensor("U", Role::Local, {num(1)}));
  const ir::Stmt store{ir::Store{3, {num(0)}, real(1)}};
  kernel.body.insert(kernel.body.begin(), ir::Stmt{ir::Alloc{4, ir::Space::Heap, 3}});
  kernel.body.insert(kernel.body.begin(), store);
  kernel.body.insert(kernel.body.begin(), ir::Stmt{ir::Alloc{3}});
  const View a = floats({2, 2}), b = floats({2, 2}), c = floats({2, 2});
  EXPECT_TRUE(run(kernel, {{a, b, c}, {}}).ok());
  kernel.body.push_back(store);
  Outcome outcome = run(kernel, {{a, b, c}, {}});
  EXPECT_EQ(outcome.status, Status::EINC_OUT_OF_RANGE);
  EXPECT_EQ(outcome.message, "the memory of %T is another's");
}

TEST(Interpreter, UninitialisedLocalsShow) {
  ir::Kernel kernel = elementwise(1, ScalarType::F32, operand(0));
  kernel.tensors.push_back(tensor("T", Role::Local, {sym("N")}));
  std::get<ir::StructuredOp>(kernel.body[0].node).inputs.push_back(access(2, {it("i")}));
  std::get<ir::StructuredOp>(kernel.body[0].node).results = {operand(1)};
  View y = floats({1});
  ASSERT_TRUE(run(kernel, {{floats({1}), y}, {}}).ok());
  EXPECT_TRUE(std::isnan(valuesOf(y)[0]));
}

TEST(Interpreter, OverwritingIgnoresNaN) {
  View y = floats({2}, {kNaN, kNaN});
  ASSERT_TRUE(
      run(elementwise(1, ScalarType::F32, operand(0)), {{floats({2}, {1, kNaN}), y}, {}}).ok());
  EXPECT_EQ(valuesOf(y)[0], 1);
  EXPECT_TRUE(std::isnan(valuesOf(y)[1]));
}

}  // namespace
}  // namespace einc::interp
