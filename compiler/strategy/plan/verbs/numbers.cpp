// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether a number that a step says can be computed: a kernel takes any sizes whose tensors have up to 2^56 elements
// (ir/size_limit.h), and divides by no 0.
#include <algorithm>
#include <cmath>

#include "compiler/facts/signs.h"
#include "compiler/ir/size_limit.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Atom;
using affine::Expr;

// Far below what 64 bits hold, so that what is computed from a number still fits; and what is written out, more than any
// memory has, so that its products fit, too.
constexpr int kMostNumber = 62, kMostWritten = 48;

class Numbers {
 public:
  Numbers(const Work& work, const At& here, bool isTest)
      : work_(work),
        kernel_(work.builder.kernel()),
        here_(here),
        isTest_(isTest),
        signs_(kernel_) {}

  std::optional<std::string> cannotCompute(const Expr& written, const Expr& number) const {
    if (auto zero = mayDivideByZero(number)) return zero;
    if (auto large = isLarge(written)) return large;
    // A name has a type. Iterators have what is left of them; sizes stand together in tensors.
    const bool isName = written.asSymbol().has_value();
    const double most = std::min(this->most(written), this->most(number));
    const bool isLess = isTest_ || isName || most <= std::ldexp(1.0, kMostNumber);
    if (isLess && !number.overflowed()) return std::nullopt;
    return "'" + written.str() + "' may be above 2^62, the most that a number is to be";
  }

 private:
  std::optional<std::string> mayDivideByZero(const Expr& number) const {
    for (const affine::Term& term : number.terms())
      for (const Atom& atom : term.factors) {
        if (!atom.div) continue;
        const Expr& divisor = atom.div->divisor;
        if (!isPositive(divisor))
          return "'" + divisor.str() + "', which is divided by, may be 0 or less here";
        for (const Expr* part : {&atom.div->dividend, &divisor})
          if (auto zero = mayDivideByZero(*part)) return zero;
      }
    return std::nullopt;
  }

  // What is just compared may be anything.
  std::optional<std::string> isLarge(const Expr& written) const {
    if (isTest_ && written.asConstant()) return std::nullopt;
    for (const affine::Term& term : written.terms())
      if (std::abs(static_cast<double>(term.coefficient)) > std::ldexp(1.0, kMostWritten))
        return "a number is at most 2^" + std::to_string(kMostWritten) + " here";
    return std::nullopt;
  }

  bool isPositive(const Expr& divisor) const {
    return here_.minima.isPositive(signs_, divisor, transforms::constant(1));
  }

  // Of what it may be, negative or not. Of no more digits than are needed to compare.
  double most(const Expr& number) const {
    double sum = 0;
    for (const affine::Term& term : number.terms()) sum += most(term);
    return sum;
  }

  // Sizes of one tensor have a product.
  double most(const affine::Term& term) const {
    double result = std::abs(static_cast<double>(term.coefficient));
    for (const Atom& atom : term.factors) result *= most(atom);
    return areOfOneTensor(term) ? std::min(result, mostElements()) : result;
  }

  double most(const Atom& atom) const {
    if (!atom.div) return most(atom.name);
    const double divisor =
        std::abs(static_cast<double>(atom.div->divisor.asConstant().value_or(1)));
    if (atom.kind == Atom::Kind::Mod) return most(atom.div->divisor);
    return most(atom.div->dividend) / std::max(divisor, 1.0) + 1;
  }

  double most(const std::string& name) const {
    if (here_.find(name)) {
      auto known = work_.mostAlong(here_, here_.actualName(name));
      return known ? static_cast<double>(*known) : mostElements();
    }
    auto let = here_.lets.find(name);
    if (let != here_.lets.end()) return mostOfLet(let->second.value);
    if (auto known = here_.minima.mostOf(Expr::symbol(name))) return static_cast<double>(*known);
    auto attribute = kernel_.attributeOf(name);
    if (!attribute) return mostElements();
    return std::ldexp(1.0, ir::info(kernel_.attributes[attribute->attribute].type).bits);
  }

  // What it is the least of was looked at where it stands.
  double mostOfLet(const Expr& value) const {
    const std::vector<Expr>* of = here_.minima.of(value);
    if (!of) return std::abs(static_cast<double>(value.asConstant().value_or(0)));
    auto known = here_.minima.mostOf(value);
    return known ? static_cast<double>(*known) : mostElements();
  }

  static double mostElements() { return std::ldexp(1.0, ir::kMostBytes); }

  // A size, or a part of one.
  const Expr* sizeIn(const Atom& atom, Expr& name) const {
    if (atom.div && atom.kind == Atom::Kind::FloorDiv) {
      const std::vector<affine::Term>& terms = atom.div->dividend.terms();
      if (terms.size() != 1 || std::abs(terms[0].coefficient) != 1 || terms[0].factors.size() != 1)
        return nullptr;
      return sizeIn(terms[0].factors[0], name);
    }
    if (atom.div || kernel_.attributeOf(atom.name)) return nullptr;
    name = Expr::symbol(atom.name);
    return &name;
  }
  // Each factor is a dimension of the same tensor, or a part of one, and each another one; so is what is known of the number.
  bool areOfOneTensor(const affine::Term& term) const {
    return llvm::any_of(kernel_.tensors, [&](const ir::Tensor& tensor) {
      std::vector<Expr> left = tensor.shape;
      const bool areThere = llvm::all_of(term.factors, [&](const Atom& atom) {
        Expr name;
        if (!sizeIn(atom, name)) return false;
        auto dim = llvm::find_if(left, [&](const Expr& size) {
          return llvm::is_contained(size.symbols(), *name.asSymbol());
        });
        if (dim == left.end()) return false;
        left.erase(dim);
        return true;
      });
      double known = 1;
      for (const Expr& size : left) known *= static_cast<double>(size.asConstant().value_or(1));
      return areThere && std::abs(static_cast<double>(term.coefficient)) <= known;
    });
  }

  const Work& work_;
  const ir::Kernel& kernel_;
  const At& here_;
  const bool isTest_;
  const facts::Signs signs_;
};

}  // namespace

std::optional<std::string> cannotCompute(const Work& work, const At& here, const Expr& written,
                                         const Expr& number, bool isTest) {
  return Numbers(work, here, isTest).cannotCompute(written, number);
}

}  // namespace einc::strategy
