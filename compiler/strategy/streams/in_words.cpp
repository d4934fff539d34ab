// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/in_words.h"

#include <optional>
#include <utility>
#include <vector>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/turned.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class Words {
 public:
  Words(const Along& along, Results results)
      : along_(along),
        results_(std::move(results)),
        aside_(along.kernel),
        op_(along.op),
        axis_(along.axis.name()),
        space_(along.whole()) {}

  bool mayBe() {
    if (!along_.mayCopy || transforms::registerBytes(op_) != kWordBytes ||
        along_.lanes < along_.numbers.wordLanes || results_.rows.empty() || !findInputs())
      return false;
    unit_ = parts_ * along_.lanes;
    return findTerms() && areEnough() && findCopies();
  }

  Steps steps(Steps otherwise) const {
    Steps whole = {Step(SplitStep{terms_[0], parts_, word_}, "a vector of words has all of these"),
                   Step(SplitStep{word_, along_.lanes, block_}, "a vector")};
    llvm::append_range(whole, copies_);
    llvm::append_range(whole, sums());
    Steps all = areWhole() ? std::move(whole)
                           : Steps{wholeAnd(terms_[0], unit_, std::move(whole),
                                            terms_.size() > 1 ? rest() : otherwise)};
    if (terms_.size() > 1)
      all.insert(all.begin(), Step(CollapseStep{terms_, terms_[0]}, "neighbours, as one"));
    return {Step(WhenStep{tests(), std::move(all), std::move(otherwise)},
                 "parts of bytes are read in words")};
  }

 private:
  static constexpr int kWordBytes = 4;

  struct Input {
    size_t number;
    OperandName name;
  };

  // Those that are words, and those that are turned.
  bool findInputs() {
    for (size_t i = 0, named = 0; i < op_.inputs.size(); ++i) {
      const ir::Operand& input = op_.inputs[i];
      if (input.shapeOnly || input.pad) return false;
      const OperandName& name = along_.names[named++];
      if (!llvm::is_contained(transforms::iteratorsOf(input), axis_)) continue;
      if (!areIterators(input) || contiguous(aside_, input) != axis_) return false;
      const ir::Tensor& tensor = aside_.tensors[input.tensor];
      (ir::isPacked(tensor) ? words_ : others_).push_back({i, name});
      if (ir::isPacked(tensor)) parts_ = ir::partsOfWord(tensor.type);
    }
    return !words_.empty() && !ir::usesPositions(op_);
  }

  // Each index is an iterator, or the same for all terms.
  static bool areIterators(const ir::Operand& input) {
    return llvm::all_of(input.map, [](const Expr& index) {
      return !index.hasIterators() || index.asIterator().has_value();
    });
  }

  // What the words lie along: the axis, or, if it is short, the one beside it, too.
  bool findTerms() {
    const std::optional<int64_t> known = space_.known(axis_);
    terms_ = {axis_};
    if (!known || *known % unit_ == 0) return true;
    const std::string beside = along_.axis.beside();
    const bool isOne = !beside.empty() && along_.axis.isReduction(beside) && unit_ % *known == 0 &&
                       *known % parts_ == 0 &&
                       space_.known(beside).value_or(unit_) * *known >= unit_ &&
                       findRepeated(beside);
    if (isOne) terms_ = {beside, axis_};
    return isOne || *known >= unit_;
  }

  // What is the same for several words; its elements have to be neighbours, and whole bytes.
  bool findRepeated(const std::string& beside) {
    for (size_t i = 0, named = 0; i < op_.inputs.size(); ++i) {
      const ir::Operand& input = op_.inputs[i];
      const OperandName& name = along_.names[named++];
      const std::vector<std::string> used = transforms::iteratorsOf(input);
      if (llvm::is_contained(used, axis_) || !llvm::is_contained(used, beside)) continue;
      if (contiguous(aside_, input) != beside || ir::isPacked(aside_.tensors[input.tensor]))
        return false;
      repeated_.push_back({i, name});
    }
    return true;
  }

  // All of them are in whole vectors, for certain.
  bool areWhole() const {
    int64_t all = 1;
    for (const std::string& name : terms_) {
      if (!space_.known(name)) return false;
      all = all * (*space_.known(name) % unit_) % unit_;
    }
    return all == 0;
  }

  // Results for which something is turned, once: memory of any size is taken before all loops.
  bool areEnough() const {
    const bool areInLoops = llvm::any_of(space_.parallel(), [&](const std::string& name) {
      return name != results_.rows && name != results_.shared;
    });
    return others_.empty() || (!areInLoops && space_.known(results_.rows).value_or(INT64_MAX) >=
                                                  along_.numbers.wordResults);
  }

  bool findCopies() {
    transforms::Builder builder(aside_);
    ir::Block views;
    transforms::canonicalize(builder, op_, views);
    if (terms_.size() > 1) strategy::collapse(builder, op_, terms_, views);
    const std::string& term = terms_[0];
    word_ = freeName(aside_, op_, term + "_word");
    op_ = transforms::onPositions(
        builder, op_, term,
        {{word_, builder.extent(op_, term).floorDiv(constant(parts_)), constant(parts_)},
         {term, constant(parts_), constant(1)}},
        Expr(), "_words", views);
    block_ = freeName(aside_, op_, term + "_block");
    op_ = transforms::onPositions(
        builder, op_, word_,
        {{block_, builder.extent(op_, word_).floorDiv(constant(along_.lanes)),
          constant(along_.lanes)},
         {word_, constant(along_.lanes), constant(1)}},
        Expr(), "_blocks", views);
    for (const Input& input : others_) {
      std::string name = "words_" + input.name.tensor;
      if (input.name.use > 0) name += std::to_string(input.name.use);
      auto copy = turnedTo({lanesLast(op_.inputs[input.number]), name}, input.name, input.number,
                           op_, builder, along_.options);
      if (!copy) return false;
      copies_.push_back(Step(std::move(*copy), "lanes of it are neighbours, as words are"));
      const ir::ScalarType type = castType(aside_, op_, input.number);
      if (type != aside_.tensors[op_.inputs[input.number].tensor].type)
        copies_.push_back(Step(ConvertStep{input.name, type}, "converted once"));
    }
    return true;
  }

  std::vector<std::string> lanesLast(const ir::Operand& input) const {
    std::vector<std::string> order = transforms::iteratorsOf(input);
    llvm::erase_if(order,
                   [&](const std::string& name) { return name == word_ || name == terms_[0]; });
    order.insert(order.end(), {terms_[0], word_});
    return order;
  }

  std::vector<Test> tests() const {
    const std::vector<std::string> inner(terms_.begin() + 1, terms_.end());
    std::vector<Test> all;
    if (!space_.known(axis_))
      all.push_back({Test::Kind::LessEqual, constant(unit_), extentOf(axis_)});
    if (!others_.empty() && !space_.known(results_.rows))
      all.push_back(
          {Test::Kind::LessEqual, constant(along_.numbers.wordResults), extentOf(results_.rows)});
    for (const Input& input : repeated_)
      if (!inner.empty()) all.push_back({Test::Kind::Contiguous, {}, {}, input.name, terms_[0]});
    for (const auto* inputs : {&words_, &others_})
      for (const Input& input : *inputs)
        if (!inner.empty())
          all.push_back({Test::Kind::Contiguous, {}, {}, input.name, terms_[0], inner});
    for (const Input& input : words_)
      all.push_back({Test::Kind::Aligned, constant(1), {}, input.name, terms_[0], inner});
    return all;
  }

  // A few of those that read the same words, as many as stay in registers, then one by one.
  Steps sums() const {
    const std::string& shared = results_.shared;
    const std::string converted = "what several results share is converted once";
    if (shared.empty()) return lines({});
    Steps one = then(Step(TileStep{shared, constant(1)}, "one by one"), lines({}));
    const int64_t some = along_.target.vectorRegisters / (2 * parts_);
    if (some < 2 || space_.known(shared) == 1) return one;
    return {
        wholeAnd(shared, some,
                 then(Step(TileStep{shared, constant(some)}, converted), lines({{shared, some}})),
                 std::move(one))};
  }

  Steps lines(std::vector<ir::Axis> axes) const {
    axes.push_back({terms_[0], parts_});
    axes.push_back({word_, along_.lanes});
    return {Step(along_.onThreads(results_.rows, 1), "lines of words, one by one"),
            Step(VectorizeStep{std::move(axes), ir::Ahead{block_, along_.numbers.wordsAhead}},
                 "sums of each part of a word")};
  }

  // What is left of several iterators.
  Steps rest() const {
    Steps steps;
    for (const std::string& name : {results_.shared, results_.rows})
      if (!name.empty()) steps.push_back(Step(along_.onThreads(name, 1), "few are left"));
    steps.push_back(Step(TileStep{terms_[0], constant(along_.lanes)}, "a vector"));
    steps.push_back(Step(VectorizeStep{{{terms_[0], along_.lanes}}}, "a vector"));
    return steps;
  }

  const Along& along_;
  const Results results_;
  ir::Kernel aside_;  // where what is turned is looked at
  ir::StructuredOp op_;
  const std::string axis_;
  const Space space_;
  std::vector<Input> words_, others_, repeated_;
  int64_t parts_ = 0;  // of a word
  int64_t unit_ = 0;   // terms of a vector of words
  std::vector<std::string> terms_;
  std::string word_, block_;
  Steps copies_;
};

}  // namespace

bool readsWords(const Along& along, const Results& results) {
  return Words(along, results).mayBe();
}

Steps inWords(const Along& along, const Results& results, Steps otherwise) {
  Words words(along, results);
  return words.mayBe() ? words.steps(std::move(otherwise)) : otherwise;
}

}  // namespace einc::strategy
