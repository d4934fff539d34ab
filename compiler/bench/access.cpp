// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/access.h"

#include "compiler/ir/shape.h"

namespace einc::bench {
namespace {

std::vector<int64_t> strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> result(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) result[d - 1] = result[d] * sizes[d];
  return result;
}

}  // namespace

Result<std::vector<int64_t>> sizesOf(const ir::Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (const affine::Expr& size : tensor.shape) {
    auto value = size.asConstant();
    if (!value) {
      std::string names;
      for (const std::string& symbol : size.symbols())
        names += (names.empty() ? "" : " and ") + symbol;
      return Reason{"size " + size.str() + " of '" + tensor.name +
                    "' is not fixed: a benchmark is of given sizes; give --dim for " + names};
    }
    sizes.push_back(*value);
  }
  return sizes;
}

std::map<std::string, int64_t> extents(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::map<std::string, int64_t> result;
  for (const ir::Iterator& iterator : op.iterators) {
    auto source = ir::extentOf(kernel, op, iterator.name);
    auto value = source ? source->extent.asConstant() : std::nullopt;
    result[iterator.name] = value.value_or(0);
  }
  return result;
}

Result<Access> accessOf(const ir::Kernel& kernel, const ir::Operand& operand) {
  Access access;
  access.tensor = operand.tensor;
  access.sizes = *sizesOf(kernel.tensors[operand.tensor]);
  access.strides = strides(access.sizes);
  access.padded = operand.pad != nullptr;
  if (operand.pad)
    if (auto* literal = std::get_if<ir::Literal>(&operand.pad->node))
      access.zeroPadded = literal->number.asFloat == 0 && literal->number.asBits == 0;
  for (const affine::Expr& expr : operand.map) {
    auto linear = expr.asLinear();
    Index index;
    auto constant = linear ? linear->rest.asConstant() : std::nullopt;
    if (!constant) return Reason{std::string(kNoLibrary) + "an index that is not linear"};
    index.constant = *constant;
    for (const auto& part : linear->parts) {
      auto coefficient = part.coefficient.asConstant();
      if (!coefficient) return Reason{std::string(kNoLibrary) + "a factor that is not known"};
      index.parts.emplace_back(part.iterator, *coefficient);
    }
    access.dims.push_back(std::move(index));
  }
  return access;
}

}  // namespace einc::bench
