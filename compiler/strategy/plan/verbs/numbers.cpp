// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether a number that a step says can be computed: a kernel takes any sizes whose tensors have up to 2^56 elements
// (ir/size_limit.h), and divides by no 0.
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/facts/signs.h"
#include "compiler/ir/size_limit.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Atom;
using affine::Expr;

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
    if (isTest_ ? isComparable(written) : isSmall(written, number)) return std::nullopt;
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

  bool isPositive(const Expr& divisor) const {
    return here_.minima.isPositive(signs_, divisor, transforms::constant(1));
  }

  // One that is compared may be of any sizes: where it does not fit, there is no end to what is to be done. Attributes are
  // looked at as the kernel begins.
  static bool isComparable(const Expr& written) {
    return written.asConstant() || llvm::all_of(written.terms(), [](const affine::Term& term) {
             return std::abs(static_cast<double>(term.coefficient)) <= std::ldexp(1.0, kMostNumber);
           });
  }

  // Iterators have what is left of them; sizes stand together in tensors.
  bool isSmall(const Expr& written, const Expr& number) const {
    if (written.asSymbol()) return true;  // which has a type
    return !number.overflowed() &&
           std::min(most(written), most(number)) <= std::ldexp(1.0, kMostNumber);
  }

  // Of what it may be, negative or not. Of no more digits than are needed to compare.
  double most(const Expr& number) const {
    double sum = 0;
    for (const affine::Term& term : number.terms()) sum += most(term);
    return sum;
  }

  double most(const affine::Term& term) const {
    double result = std::abs(static_cast<double>(term.coefficient));
    for (const Atom& atom : term.factors) result *= most(atom);
    return isOfSizes(term) ? std::min(result, mostElements()) : result;
  }

  // Sizes have a product: if not as elements of one tensor, as iterations, to which there would be no end else. In front stands
  // what is known of them, and what some of them were divided by.
  bool isOfSizes(const affine::Term& term) const {
    std::map<std::string, int64_t> names;
    double parts = 1;
    for (const Atom& atom : term.factors) {
      auto name = sizeIn(atom);
      if (!name || ++names[*name] > std::max<int64_t>(iteratorsOf(*name), 1)) return false;
      if (atom.div) parts *= static_cast<double>(atom.div->divisor.asConstant().value_or(1));
    }
    return std::abs(static_cast<double>(term.coefficient)) <= known() * parts;
  }

  // How many have so many positions.
  int64_t iteratorsOf(const std::string& size) const {
    return llvm::count_if(here_.op.iterators, [&](const ir::Iterator& i) {
      return llvm::is_contained(work_.extent(here_, i.name).symbols(), size);
    });
  }

  double known() const {
    auto product = [](const auto& sizes) {
      double result = 1;
      for (const Expr& size : sizes) result *= static_cast<double>(size.asConstant().value_or(1));
      return result;
    };
    std::vector<Expr> extents;
    for (const ir::Iterator& i : here_.op.iterators) extents.push_back(work_.extent(here_, i.name));
    double result = product(extents);
    for (const ir::Tensor& tensor : kernel_.tensors)
      result = std::max(result, product(tensor.shape));
    return result;
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
    const auto bits = ir::info(kernel_.attributes[attribute->attribute].type).bits;
    return std::ldexp(1.0, static_cast<int>(bits));
  }

  // What it is the least of was looked at where it stands.
  double mostOfLet(const Expr& value) const {
    const std::vector<Expr>* of = here_.minima.of(value);
    if (!of) return std::abs(static_cast<double>(value.asConstant().value_or(0)));
    auto known = here_.minima.mostOf(value);
    return known ? static_cast<double>(*known) : mostElements();
  }

  static double mostElements() { return std::ldexp(1.0, ir::kMostBytes); }

  // The name of a size, if it is one, or a part of one.
  std::optional<std::string> sizeIn(const Atom& atom) const {
    if (!atom.div && !kernel_.attributeOf(atom.name)) return atom.name;
    if (!atom.div || atom.kind != Atom::Kind::FloorDiv) return std::nullopt;
    const std::vector<affine::Term>& terms = atom.div->dividend.terms();
    const bool isOne =
        terms.size() == 1 && std::abs(terms[0].coefficient) == 1 && terms[0].factors.size() == 1;
    return isOne ? sizeIn(terms[0].factors[0]) : std::nullopt;
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
