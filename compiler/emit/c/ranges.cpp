// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What index and size expressions can be, as expressions in C.
#include "compiler/emit/c/checks.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

std::string rangeText(const affine::Expr& expr, KernelScope& scope, Prelude& prelude,
                      const ExtentOf& extent) {
  std::string sum;
  for (const affine::Term& term : expr.terms()) {
    std::string product;
    auto multiply = [&](const std::string& factor) {
      product = product.empty() ? factor
                                : prelude.need("range_mul") + "(" + product + ", " + factor + ")";
    };
    for (const affine::Atom& atom : term.factors) {
      if (atom.div) {
        bool floorDiv = atom.kind == affine::Atom::Kind::FloorDiv;
        multiply(prelude.need(floorDiv ? "range_floordiv" : "range_floormod") + "(" +
                 rangeText(atom.div->dividend, scope, prelude, extent) + ", " +
                 rangeText(atom.div->divisor, scope, prelude, extent) + ")");
      } else if (atom.kind == affine::Atom::Kind::Iterator) {
        multiply(prelude.need("range_to") + "(" + extent(atom.name) + ")");
      } else {
        multiply(prelude.need("range_at") + "(" + scope.indexName(atom) + ")");
      }
    }
    if (term.coefficient != 1 || term.factors.empty())
      multiply(prelude.need("range_at") + "(" +
               (term.coefficient == INT64_MIN ? "INT64_MIN" : std::to_string(term.coefficient)) +
               ")");
    sum = sum.empty() ? product : prelude.need("range_add") + "(" + sum + ", " + product + ")";
  }
  return sum.empty() ? prelude.need("range_at") + "(0)" : sum;
}

std::string workspaceRange(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude) {
  std::string bytes = prelude.need("range_at") + "(0)";
  for (const ir::Tensor& tensor : contract.tensors) {
    if (tensor.role != ir::Role::Local) continue;
    std::string sizes = joined(tensor.shape, ", ", [&](const affine::Expr& size) {
      return rangeText(size, scope, prelude, nullptr);
    });
    sizes = sizes.empty() ? "NULL" : "(const einc_range[]){" + sizes + "}";
    bytes = prelude.need("reserve") + "(" + bytes + ", " + std::to_string(tensor.shape.size()) +
            ", " + sizes + ", " + std::to_string(ir::info(tensor.type).bytes()) + ")";
  }
  return bytes;
}

}  // namespace einc::emit
