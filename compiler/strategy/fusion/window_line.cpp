// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/window_line.h"

#include <algorithm>
#include <cmath>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// How many positions there are, where it is not known: a guess. Of a window, of what filters do not know, as images, of others.
constexpr double kWindow = 3, kImages = 4, kMany = 64;
// Instructions for a vector of elements, counted: what is turned is loaded, exchanged with others and stored, what is copied
// as it lies loaded and stored.
constexpr double kTurned = 8, kMoved = 2;

class Lines {
 public:
  Lines(const ir::StructuredOp& op, const ir::Operand& input, const transforms::Builder& builder,
        int lanes)
      : op_(op), input_(input), builder_(builder), lanes_(lanes) {}

  std::optional<WindowLine> best(bool mayCopy) const {
    const auto last = lastOf(op_.outputs[0]), read = lastOf(input_);
    if (!last || !read) return std::nullopt;
    std::optional<WindowLine> best;
    double least = 0;
    for (const affine::Expr& index : llvm::reverse(op_.outputs[0].map)) {
      const std::string name = *index.asIterator();
      const WindowLine line{name, !read->mentions(name)};
      const auto step = stepOf(name);
      if (!step || extentOf(name) == 1) continue;
      if (line.isCopied && (*step != 1 || !mayCopy)) continue;
      const bool isMoved = input_.pad && read->asIterator() != name;
      // What lies in steps is taken element by element.
      double each = terms() / (*step == 1 ? filled(name) : 1);
      each += readForEach() * (line.isCopied ? kTurned : isMoved ? kMoved : 0) / lanes_;
      if (!last->mentions(name)) each += kTurned / lanes_;
      if (best && each >= least) continue;
      best = line;
      least = each;
    }
    return best;
  }

 private:
  double extentOf(const std::string& iterator) const {
    if (builder_.hasExtent(op_, iterator))
      if (const auto known = builder_.extent(op_, iterator).asConstant())
        return static_cast<double>(*known);
    return !ir::isParallel(op_, iterator) ? kWindow : isImages(iterator) ? kImages : kMany;
  }

  // Whether it stands by itself in the input, and filters have another one that does, but not this one.
  bool isImages(const std::string& iterator) const {
    auto isStill = [&](const std::string& name) {
      return ir::isParallel(op_, name) &&
             llvm::is_contained(input_.map, affine::Expr::iterator(name));
    };
    bool hasFilters = false;
    for (const ir::Operand& input : op_.inputs) {
      if (input.shapeOnly || &input == &input_) continue;
      const std::vector<std::string> names = transforms::iteratorsOf(input);
      if (llvm::is_contained(names, iterator)) return false;
      hasFilters |= llvm::any_of(names, isStill);
    }
    return hasFilters && isStill(iterator);
  }

  // The last index that is more than one position.
  std::optional<affine::Expr> lastOf(const ir::Operand& operand) const {
    for (const affine::Expr& index : llvm::reverse(operand.map))
      if (llvm::any_of(index.iterators(), [&](const auto& name) { return extentOf(name) != 1; }))
        return index;
    return std::nullopt;
  }

  // How far the one index of the input that has the iterator moves with it.
  std::optional<int64_t> stepOf(const std::string& iterator) const {
    std::optional<int64_t> step;
    for (const affine::Expr& index : input_.map) {
      if (!index.mentions(iterator)) continue;
      const auto own = index.stepAlong(iterator);
      if (step || !own || !own->asConstant()) return std::nullopt;
      step = own->asConstant();
    }
    return step;
  }

  // Terms of a sum.
  double terms() const {
    double all = 1;
    for (const ir::Iterator& i : op_.iterators)
      if (i.kind == ir::IteratorKind::Reduction) all *= extentOf(i.name);
    return all;
  }

  // Lanes of a vector along the iterator that are of use.
  double filled(const std::string& iterator) const {
    const double extent = std::max(extentOf(iterator), 1.0);
    return extent / std::ceil(extent / lanes_);
  }

  // Elements of the input for each of the output.
  double readForEach() const {
    double all = 1;
    for (const affine::Expr& index : op_.outputs[0].map)
      all *= std::abs(static_cast<double>(stepOf(*index.asIterator()).value_or(1)));
    for (const affine::Expr& index : input_.map)
      if (auto name = index.asIterator(); name && !ir::isParallel(op_, *name))
        all *= extentOf(*name);
    for (const affine::Expr& index : op_.outputs[0].map)
      if (!llvm::is_contained(transforms::iteratorsOf(input_), *index.asIterator()))
        all /= std::max(extentOf(*index.asIterator()), 1.0);
    return all;
  }

  const ir::StructuredOp& op_;
  const ir::Operand& input_;
  const transforms::Builder& builder_;
  const int lanes_;
};

}  // namespace

std::optional<WindowLine> lineOfWindows(const ir::StructuredOp& op, size_t input,
                                        const transforms::Builder& builder, int lanes,
                                        bool mayCopy) {
  return Lines(op, op.inputs[input], builder, lanes).best(mayCopy);
}

}  // namespace einc::strategy
