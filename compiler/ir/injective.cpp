// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/injective.h"

#include <set>

#include "compiler/ir/domain.h"

namespace einc::ir {
namespace {

using affine::Constraint;
using affine::Expr;

std::string other(const std::string& iterator) { return iterator + "'"; }

Expr inOther(const Expr& expr) {
  return expr.substitute([](const affine::Atom& atom) -> std::optional<Expr> {
    if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
    return Expr::iterator(other(atom.name));
  });
}

// The iterators that one dimension tells apart by itself, or together with others so told: h and b
// in O[h + b, b].
std::set<std::string> fixedByOneDimension(const Operand& operand) {
  std::set<std::string> fixed;
  for (bool progress = true; progress;) {
    size_t before = fixed.size();
    for (const Expr& index : operand.map) {
      auto linear = index.asLinear();
      if (!linear) continue;
      std::erase_if(linear->parts, [&](const auto& part) { return fixed.count(part.iterator); });
      if (linear->parts.size() != 1) continue;
      auto coefficient = linear->parts[0].coefficient.asConstant();
      if (coefficient && *coefficient != 0) fixed.insert(linear->parts[0].iterator);
    }
    progress = fixed.size() != before;
  }
  return fixed;
}

// Pairs of iterations that touch one element, of which one has the larger `iterator`.
affine::Set pairsThatMeet(const Kernel& kernel, const StructuredOp& op, unsigned operand,
                          const std::string& iterator) {
  std::vector<std::string> dims = iteratorNames(op);
  for (const std::string& name : iteratorNames(op)) dims.push_back(other(name));
  std::vector<Constraint> all;
  for (const Constraint& c : iterationConstraints(kernel, op)) {
    // An extent that is not affine only makes the set smaller than what is looked at.
    if (!affine::isPresburger(c.expr)) continue;
    all.push_back(c);
    all.push_back({inOther(c.expr), c.isEquality});
  }
  for (const Expr& index : op.operand(operand).map)
    if (affine::isPresburger(index)) all.push_back({index - inOther(index), true});
  all.push_back({Expr::iterator(other(iterator)) - Expr::iterator(iterator) - Expr::constant(1)});
  return affine::Set(dims, all);
}

}  // namespace

bool isInjective(const Kernel& kernel, const StructuredOp& op, unsigned operand) {
  // What can be seen at once is not left to the sets, whose cost grows with the iterators.
  std::set<std::string> fixed = fixedByOneDimension(op.operand(operand));
  for (const Iterator& iterator : op.iterators)
    if (iterator.kind == IteratorKind::Parallel && !fixed.count(iterator.name) &&
        pairsThatMeet(kernel, op, operand, iterator.name).isEmpty() != true)
      return false;
  return true;
}

std::string meetingIterations(const Kernel& kernel, const StructuredOp& op, unsigned operand) {
  for (const Expr& index : op.operand(operand).map)
    if (!affine::isPresburger(index)) return "";
  for (const Iterator& iterator : op.iterators) {
    if (iterator.kind != IteratorKind::Parallel) continue;
    affine::Set::Point pair = pairsThatMeet(kernel, op, operand, iterator.name).sample();
    if (pair.isEmpty()) continue;
    return (pair.parameters.empty() ? "" : affine::str(pair.parameters) + ", ") +
           affine::str(pair.dims);
  }
  return "";
}

}  // namespace einc::ir
