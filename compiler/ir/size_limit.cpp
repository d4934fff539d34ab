// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/size_limit.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::ir {
namespace {

// A product that stays at 2^64 once it is there.
class Product {
 public:
  void multiply(const affine::Expr& size) {
    Wide factor = size.overflowed() ? kMost : 0;
    for (const affine::Term& term : size.terms()) {
      auto coefficient = static_cast<Wide>(term.coefficient);
      factor = std::min(factor + (coefficient < 0 ? -coefficient : coefficient), kMost);
    }
    value_ = std::min(value_ * std::max<Wide>(factor, 1), kMost);  // less than 2^128
  }
  bool exceeds(int power) const { return value_ > static_cast<Wide>(1) << power; }

 private:
  using Wide = __int128;
  static constexpr Wide kMost = static_cast<Wide>(1) << 63;

  Wide value_ = 1;
};

std::string productText(const std::vector<affine::Expr>& sizes) {
  return joined(sizes, " x ", [](const affine::Expr& size) {
    return size.terms().size() > 1 ? "(" + size.str() + ")" : size.str();
  });
}

std::string limitText(const std::string& what, int power, const std::string& of) {
  return ", is too large: " + what + " has at most 2^" + std::to_string(power) + " " + of;
}

}  // namespace

bool hasNoElements(const Tensor& tensor) {
  return std::any_of(tensor.shape.begin(), tensor.shape.end(),
                     [](const affine::Expr& size) { return size.asConstant() == 0; });
}

std::optional<TooLarge> findTooLarge(const Kernel& kernel) {
  for (const Tensor& tensor : kernel.tensors) {
    Product bytes;
    bytes.multiply(affine::Expr::constant(static_cast<int64_t>(info(tensor.type).bytes())));
    for (const affine::Expr& size : tensor.shape) bytes.multiply(size);
    if (bytes.exceeds(kMostBytes))
      return TooLarge{tensor.source, "'" + tensor.name + "', " + productText(tensor.shape) +
                                         " of " + std::string(info(tensor.type).name) +
                                         limitText("a tensor", kMostBytes, "bytes")};
  }
  std::optional<TooLarge> found;
  forEachOp(kernel.body, [&](const StructuredOp& op) {
    Product iterations;
    std::vector<std::string> names;
    std::vector<affine::Expr> sizes;
    for (const Iterator& iterator : op.iterators)
      if (auto extent = extentOf(kernel, op, iterator.name)) {
        names.push_back(iterator.name);
        sizes.push_back(extent->extent);
        iterations.multiply(sizes.back());
      }
    if (!found && iterations.exceeds(kMostIterations))
      found = TooLarge{op.source, "a statement over " + joined(names) + ", " + productText(sizes) +
                                      " iterations" +
                                      limitText("a statement", kMostIterations, "iterations")};
  });
  return found;
}

}  // namespace einc::ir
