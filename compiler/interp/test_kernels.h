// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels and arrays for tests, built by hand.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/interp/contract.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/literal.h"

namespace einc::interp::test {

using affine::Expr;
using ir::Function;
using ir::IteratorKind;
using ir::Role;
using ir::ScalarType;
using ir::ValueRef;

inline Expr it(const char* name) { return Expr::iterator(name); }
inline Expr sym(const char* name) { return Expr::symbol(name); }
inline Expr num(int64_t value) { return Expr::constant(value); }

inline ValueRef operand(unsigned i, ScalarType type = ScalarType::F32) {
  return ir::makeValue(type, ir::OperandRef{i});
}
inline ValueRef call(Function function, std::vector<ValueRef> args) {
  return ir::makeCall(function, std::move(args));
}
inline ValueRef real(double value, ScalarType type = ScalarType::F32) {
  return ir::makeLiteral(type, {value, 0});
}
inline ValueRef whole(int64_t value, ScalarType type) {
  return ir::makeLiteral(type, integerNumber(type, static_cast<uint64_t>(value)));
}

inline std::vector<ir::Iterator> iterators(std::initializer_list<const char*> parallel,
                                           std::initializer_list<const char*> reduction = {}) {
  std::vector<ir::Iterator> result;
  for (const char* name : parallel) result.push_back({name, IteratorKind::Parallel});
  for (const char* name : reduction) result.push_back({name, IteratorKind::Reduction});
  return result;
}

inline ir::Operand access(unsigned tensor, std::vector<Expr> map, ValueRef pad = nullptr) {
  return {tensor, std::move(map), std::move(pad), false};
}

inline ir::Tensor tensor(const char* name, Role role, std::vector<Expr> shape,
                         ScalarType type = ScalarType::F32) {
  return {name, type, std::move(shape), role};
}

// Y(i) = payload(A(i), B(i), ...) over `inputs` vectors of `type`; operand(inputs) is the old Y(i).
inline ir::Kernel elementwise(unsigned inputs, ScalarType type, ValueRef payload) {
  ir::Kernel kernel;
  kernel.name = "elementwise";
  ir::StructuredOp op{.iterators = iterators({"i"}),
                      .inputs = {},
                      .outputs = {},
                      .results = {payload},
                      .source = {}};
  for (unsigned i = 0; i < inputs; ++i) {
    kernel.tensors.push_back(
        {std::string(1, static_cast<char>('A' + i)), type, {sym("N")}, Role::Input});
    op.inputs.push_back(access(i, {it("i")}));
  }
  kernel.tensors.push_back(tensor("Y", Role::Output, {sym("N")}, payload->type));
  op.outputs.push_back(access(inputs, {it("i")}));
  kernel.body.push_back({std::move(op)});
  return kernel;
}

// C(m, n) += A(m, k) * B(k, n), operands cast to the accumulator's type.
inline ir::Kernel matmul(ScalarType type = ScalarType::F32, ScalarType sum = ScalarType::F32) {
  ir::Kernel kernel;
  kernel.name = "matmul";
  kernel.tensors = {tensor("A", Role::Input, {sym("M"), sym("K")}, type),
                    tensor("B", Role::Input, {sym("K"), sym("N")}, type),
                    tensor("C", Role::Output, {sym("M"), sym("N")}, sum)};
  ir::StructuredOp op;
  op.iterators = iterators({"m", "n"}, {"k"});
  op.inputs = {access(0, {it("m"), it("k")}), access(1, {it("k"), it("n")})};
  op.outputs = {access(2, {it("m"), it("n")})};
  ValueRef a = ir::makeCast(sum, operand(0, type)), b = ir::makeCast(sum, operand(1, type));
  op.results = {call(Function::Add, {operand(2, sum), call(Function::Mul, {a, b})})};
  kernel.body.push_back({op});
  return kernel;
}

inline ir::Attribute attribute(const char* name, ScalarType type, std::vector<int64_t> shape) {
  ir::Attribute result;
  result.name = name;
  result.type = type;
  result.shape = std::move(shape);
  return result;
}

inline ir::Number numberOf(ScalarType type, double value) {
  if (info(type).isFloat()) return {roundTo(type, value), 0};
  return integerNumber(type, static_cast<uint64_t>(static_cast<int64_t>(value)));
}

inline double valueOf(ScalarType type, const ir::Number& number) {
  return info(type).isFloat() ? number.asFloat : static_cast<double>(signedValue(type, number));
}

inline View array(ScalarType type, std::vector<int64_t> sizes,
                  const std::vector<double>& values = {}) {
  View view = *allocate(type, std::move(sizes));
  size_t i = 0;
  forEachIndex(view.sizes, [&](auto index) {
    if (i < values.size()) view.store(index, numberOf(type, values[i++]));
  });
  return view;
}
inline View floats(std::vector<int64_t> sizes, const std::vector<double>& values = {}) {
  return array(ScalarType::F32, std::move(sizes), values);
}

inline std::vector<double> valuesOf(const View& view) {
  std::vector<double> values;
  forEachIndex(view.sizes,
               [&](auto index) { values.push_back(valueOf(view.type, view.load(index))); });
  return values;
}

}  // namespace einc::interp::test
