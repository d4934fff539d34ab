// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Accesses against shapes: always inside, or under which condition on the sizes.
#include "compiler/affine/interval.h"
#include "compiler/frontend/lint.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/reach.h"
#include "compiler/ir/shape.h"

namespace einc::frontend {
namespace {

using affine::Constraint;
using affine::Expr;
using affine::Set;

class BoundsLint {
 public:
  BoundsLint(Lint& lint, const ir::StructuredOp& op) : lint_(lint), kernel_(lint.kernel), op_(op) {}

  void run() {
    for (const ir::AccessCondition& c : ir::accessConditions(kernel_, op_)) access(c);
  }

 private:
  const Expr& indexOf(const ir::AccessCondition& c) const {
    return op_.operand(c.operand).map[c.dim];
  }
  unsigned tensorOf(const ir::AccessCondition& c) const { return op_.operand(c.operand).tensor; }
  const Expr& sizeOf(const ir::AccessCondition& c) const {
    return kernel_.tensors[tensorOf(c)].shape[c.dim];
  }

  void access(const ir::AccessCondition& c) {
    const Expr &index = indexOf(c), &size = sizeOf(c);
    std::string text = "index '" + index.str() + "' of " + lint_.dimension(tensorOf(c), c.dim);
    auto reach = ir::reachOf(kernel_, op_, index);
    std::string range =
        reach ? "[" + reach->low.str() + ", " + reach->high.str() + "]" : intervalOf(index).str();
    text += " runs over " + range + "; allowed: [0, " + (size - Expr::constant(1)).str() + "]";
    std::vector<std::string> reasons = origins(index);
    reasons.push_back(verdict(c, reach));
    if (inBounds(c).isEmpty() == true)
      lint_.errors.warning(Diag::OutOfBounds, op_.operand(c.operand).source,
                           text + ": " + reasons.back());
    lint_.fact(op_.operand(c.operand).source, text, std::move(reasons));
    if (index.asIterator()) differentSizes(c);
  }

  // Where the interval comes from: a line for each iterator.
  std::vector<std::string> origins(const Expr& index) const {
    std::vector<std::string> lines;
    for (const std::string& iterator : index.iterators()) {
      auto extent = ir::extentOf(kernel_, op_, iterator);
      if (!extent) continue;
      lines.push_back(iterator + " runs over [0, " + (extent->extent - Expr::constant(1)).str() +
                      "], " + lint_.dimension(op_.operand(extent->operand).tensor, extent->dim));
    }
    return lines;
  }

  // "always in bounds", or the condition.
  std::string verdict(const ir::AccessCondition& c, const std::optional<ir::Reach>& reach) const {
    Set condition = inBounds(c);
    if (condition.isKnown()) {
      if (condition.isUniverse() == true) return "always in bounds";
      if (condition.isEmpty() == true) return "never in bounds, unless a size is 0";
      return "in bounds if " + conditionText(c, reach, condition) + "; every call is checked";
    }
    if (!reach) return "not known before the call, which is checked";
    std::string conditions, assumed;
    if (ir::signOf(reach->low) != ir::Sign::Zero && ir::signOf(reach->low) != ir::Sign::Positive)
      conditions = reach->low.str() + " >= 0";
    Expr slack = sizeOf(c) - Expr::constant(1) - reach->high;
    if (ir::signOf(slack) != ir::Sign::Zero && ir::signOf(slack) != ir::Sign::Positive)
      conditions += (conditions.empty() ? "" : " and ") + sizeOf(c).str() +
                    " >= " + (reach->high + Expr::constant(1)).str();
    for (const std::string& symbol : indexOf(c).symbols())
      if (kernel_.attributeOf(symbol)) assumed += (assumed.empty() ? "" : ", ") + symbol;
    if (!assumed.empty()) assumed = " (for positive " + assumed + ")";
    if (conditions.empty()) return "always in bounds" + assumed + "; every call is checked";
    return "in bounds if " + conditions + assumed + "; every call is checked";
  }

  // The condition; where it says just that the index's largest value is inside, with that value as
  // it follows from the index: "W >= OW + KW - 1".
  std::string conditionText(const ir::AccessCondition& c, const std::optional<ir::Reach>& reach,
                            const Set& condition) const {
    if (!reach || sizeOf(c).asConstant()) return condition.str();
    Set sizes = ir::positiveSizes(kernel_);
    Set inside({}, {{sizeOf(c) - Expr::constant(1) - reach->high}});
    bool same = ((inside & sizes) - condition).isEmpty() == true &&
                ((condition & sizes) - inside).isEmpty() == true;
    if (!same) return condition.str();
    return sizeOf(c).str() + " >= " + (reach->high + Expr::constant(1)).str();
  }

  // The parameter values for which no iteration leaves the tensor, where all sizes are positive.
  Set inBounds(const ir::AccessCondition& c) const {
    const Expr &index = indexOf(c), &size = sizeOf(c);
    std::vector<Constraint> below = ir::iterationConstraints(kernel_, op_), above = below;
    below.push_back({-index - Expr::constant(1)});
    above.push_back({index - size});
    std::vector<std::string> dims = ir::iteratorNames(op_);
    return (Set(dims, below) | Set(dims, above))
        .parametersWithout()
        .given(ir::positiveSizes(kernel_));
  }

  affine::Interval intervalOf(const Expr& index) const {
    return affine::intervalOf(index, [&](const affine::Atom& atom) -> affine::Interval {
      if (atom.kind != affine::Atom::Kind::Iterator)
        return kernel_.attributeOf(atom.name) ? affine::Interval{} : affine::Interval{0, {}};
      auto extent = ir::extentOf(kernel_, op_, atom.name);
      auto size = extent ? extent->extent.asConstant() : std::nullopt;
      return {0, size ? std::optional(*size - 1) : std::nullopt};
    });
  }

  // One iterator over two dimensions that are declared differently: (K, N) read as (k, m).
  void differentSizes(const ir::AccessCondition& c) {
    std::string iterator = *indexOf(c).asIterator();
    auto extent = ir::extentOf(kernel_, op_, iterator);
    if (!extent) return;
    unsigned other = op_.operand(extent->operand).tensor;
    const ir::Tensor &first = kernel_.tensors[other], &second = kernel_.tensors[tensorOf(c)];
    auto place = [](const ir::Tensor& tensor, unsigned dim) {
      return dim < tensor.sizes.size() ? tensor.sizes[dim] : tensor.source;
    };
    lint_.errors
        .warning(Diag::DifferentSizes, op_.operand(c.operand).source,
                 "iterator '" + iterator + "' runs over " + lint_.dimension(other, extent->dim) +
                     ", " + extent->extent.str() + ", but is used for " +
                     lint_.dimension(tensorOf(c), c.dim) + ", which is " + sizeOf(c).str() +
                     "; is one of them a slip?")
        .note(place(first, extent->dim), "the size " + extent->extent.str())
        .note(place(second, c.dim), "the size " + sizeOf(c).str());
  }

  Lint& lint_;
  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
};

}  // namespace

void lintBounds(Lint& lint) {
  ir::forEachOp(lint.kernel.body, [&](const ir::StructuredOp& op) { BoundsLint(lint, op).run(); });
}

}  // namespace einc::frontend
