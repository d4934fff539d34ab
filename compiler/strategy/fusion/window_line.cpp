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
// So many times as long for short runs; and how much of a vector is filled along what is likely, not certain, to be channels.
// (Measured on Zen 5, all windows of seeds 7 and 31 in turn, against lines of one iterator: 1.33 and 1.29; without these
// 1.16 and 1.25.)
constexpr double kShort = 2, kLikely = 0.5;

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
      const bool isRead = read->mentions(name), isWritten = last->mentions(name);
      const auto step = stepOf(name);
      if (!step || extentOf(name) == 1) continue;
      for (const bool isCopied : {!isRead, true})
        for (const bool isTurned : {!isWritten, true}) {
          if (isCopied && (*step != 1 || !mayCopy)) continue;
          WindowLine line{group(name, isCopied, isTurned), isCopied, isTurned};
          const double each = costOf(line, *step, isRead, isWritten);
          if (best && each >= least) continue;
          best = std::move(line);
          least = each;
        }
    }
    return best;
  }

 private:
  // Instructions for each of the output, where vectors lie along the line, which is the last of the input, or the output, as
  // they are.
  double costOf(const WindowLine& line, int64_t step, bool isRead, bool isWritten) const {
    const std::string& name = line.iterators.back();
    const bool isByItself = isRead && lastOf(input_)->asIterator() == name;
    // Of what may be few there are short runs.
    const double turned = isFirst(name) ? kShort * kTurned : kTurned;
    const double moved = isFirst(name) ? turned : kMoved;
    // What lies in steps is taken element by element.
    double each = terms() / (step == 1 ? filled(line.iterators, isRead && isWritten) : 1);
    if (line.isCopied) each += readForEach() * (isByItself ? moved : turned) / lanes_;
    if (!line.isCopied && input_.pad && !isByItself) each += readForEach() * kMoved / lanes_;
    if (line.isTurned) each += (isWritten ? moved : turned) / lanes_;
    return each;
  }

  double extentOf(const std::string& iterator) const {
    if (builder_.hasExtent(op_, iterator))
      if (const auto known = builder_.extent(op_, iterator).asConstant())
        return static_cast<double>(*known);
    return !ir::isParallel(op_, iterator) ? kWindow : isImages(iterator) ? kImages : kMany;
  }

  // The iterator that vectors lie along, and before it those that are neighbours in the input and in the output.
  std::vector<std::string> group(const std::string& name, bool isCopied, bool isTurned) const {
    const std::vector<std::string> read = tail(input_), written = tail(op_.outputs[0]);
    std::vector<std::string> result;
    if (isCopied && isTurned && isAlike(name)) {
      for (const affine::Expr& index : op_.outputs[0].map)
        if (isAlike(*index.asIterator()) && *index.asIterator() != name)
          result.push_back(*index.asIterator());
      result.push_back(name);
    } else if (isCopied || isTurned) {
      result = isCopied ? written : read;
    } else {
      const auto differ =
          std::mismatch(read.rbegin(), read.rend(), written.rbegin(), written.rend());
      result.assign(differ.first.base(), read.end());
    }
    return result.empty() || result.back() != name ? std::vector<std::string>{name} : result;
  }

  // The last iterators of an operand, as far as they are alike.
  std::vector<std::string> tail(const ir::Operand& operand) const {
    std::vector<std::string> names;
    for (const affine::Expr& index : llvm::reverse(operand.map)) {
      const auto name = index.asIterator();
      if (!name || !isAlike(*name)) break;
      names.insert(names.begin(), *name);
    }
    return names;
  }

  // It stands by itself in the input, and in no other one.
  bool isAlike(const std::string& name) const {
    if (!ir::isParallel(op_, name)) return false;
    for (const ir::Operand& input : op_.inputs) {
      if (input.shapeOnly) continue;
      const bool isOwn = &input == &input_;
      if (llvm::is_contained(transforms::iteratorsOf(input), name) != isOwn) return false;
    }
    return llvm::is_contained(input_.map, affine::Expr::iterator(name));
  }

  // Which of those that are alike is the last one of an operand; of fewer than two whose positions are not known none.
  std::string lastAlike(const ir::Operand& operand) const {
    std::vector<std::string> names;
    for (const affine::Expr& index : operand.map)
      if (const auto own = index.asIterator();
          own && isAlike(*own) && !builder_.extent(op_, *own).asConstant())
        names.push_back(*own);
    return names.size() < 2 ? "" : names.back();
  }

  // Where it is not known which of several are images and which channels: these are seldom the first dimension.
  bool isFirst(const std::string& name) const {
    return !lastAlike(input_).empty() && isAlike(name) && input_.map[0].asIterator() == name;
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

  // Lanes of a vector along these that are of use. Of several that are alike one is images, and one channels: what is last of
  // both operands is channels, the last of those that are alike in both is likely to be, and others may be images.
  double filled(const std::vector<std::string>& names, bool isLastOfBoth) const {
    double extent = 1;
    for (const std::string& name : names) extent *= std::max(extentOf(name), 1.0);
    const std::string last = lastAlike(input_);
    const bool isUnsure = names.size() == 1 && !isLastOfBoth && !last.empty() && isAlike(names[0]);
    if (isUnsure && names[0] == last && last == lastAlike(op_.outputs[0])) return lanes_ * kLikely;
    if (isUnsure) extent = kImages;
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
