// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/name_sizes.h"

#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/ir/uses.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;

class NamedSizes {
 public:
  explicit NamedSizes(ir::Kernel& kernel)
      : kernel_(kernel), builder_(kernel), signs_(kernel), bounds_(ir::boundsOf(kernel.body)) {}

  void run() {
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Local) nameSizesOf(t);
    for (ir::Tensor& tensor : kernel_.tensors)
      if (isOurs(tensor))
        for (Expr& size : tensor.shape)
          if (auto* known = find(size)) size = known->second;
    kernel_.body.insert(kernel_.body.begin(), std::make_move_iterator(stmts_.begin()),
                        std::make_move_iterator(stmts_.end()));
  }

 private:
  static bool isOurs(const ir::Tensor& tensor) {
    return tensor.role == ir::Role::Local || tensor.role == ir::Role::View;
  }
  const std::pair<Expr, Expr>* find(const Expr& size) const {
    auto found = llvm::find_if(named_, [&](const auto& one) { return one.first == size; });
    return found == named_.end() ? nullptr : &*found;
  }
  bool isOfContract(const Expr& size) const {
    return llvm::any_of(kernel_.tensors, [&](const ir::Tensor& tensor) {
      return !isOurs(tensor) && llvm::is_contained(tensor.shape, size);
    });
  }
  // What stands in front of the body knows none of its bounds.
  bool isKnownThere(const Expr& size) const {
    return llvm::none_of(size.symbols(),
                         [&](const std::string& symbol) { return bounds_.count(symbol) != 0; });
  }

  void nameSizesOf(unsigned t) {
    for (const Expr& size : std::vector<Expr>(kernel_.tensors[t].shape)) {
      if (size.terms().size() < 2 || signs_.isNonNegative(size) || !isKnownThere(size) ||
          isOfContract(size) || find(size))
        continue;
      const std::string name = builder_.name("minus_" + kernel_.tensors[t].name + "_size");
      stmts_.push_back({ir::Bound{name, {constant(0), -size}}});
      named_.emplace_back(size, -transforms::size(name));
    }
  }

  ir::Kernel& kernel_;
  Builder builder_;
  facts::Signs signs_;
  std::set<std::string> bounds_;
  ir::Block stmts_;
  std::vector<std::pair<Expr, Expr>> named_;  // a size, and what it is called
};

}  // namespace

ir::Kernel nameSizes(ir::Kernel kernel) {
  NamedSizes(kernel).run();
  return kernel;
}

}  // namespace einc::transforms
