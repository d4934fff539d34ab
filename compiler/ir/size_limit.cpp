// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/size_limit.h"

#include <algorithm>
#include <vector>

#include "compiler/support/text_writer.h"

namespace einc::ir {
namespace {

// A product that stays at 2^63 once it is there.
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
                                         ", is too large: a tensor has at most 2^" +
                                         std::to_string(kMostBytes) + " bytes"};
  }
  return std::nullopt;
}

}  // namespace einc::ir
