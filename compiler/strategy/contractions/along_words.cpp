// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/along_words.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/estimate.h"
#include "compiler/strategy/streams/words_along.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class AlongWords {
 public:
  AlongWords(const Contraction& what, WordsAlong words)
      : what_(what),
        words_(std::move(words)),
        target_(*what.options.target),
        numbers_(target_.numbers),
        k_(what.groups.k[0]) {}

  Result<Form> run() {
    if (!chooseFew()) return Reason{"there are many rows, and many columns"};
    Form form{"words", {}, cycles()};
    auto tests = this->tests();
    if (!tests) return Reason{tests.reason()};
    form.where = std::move(*tests);
    form.why = "what is packed would be used a few times";
    for (const std::string& name : what_.groups.batch)
      form.steps.push_back(Step(onThreads(name, 1, /*outer=*/true), "a matrix product for each"));
    llvm::append_range(form.steps, tilesOf(many_, numbers_.lines, true, [&](int64_t many) {
                         return tilesOf(few_, numbers_.lines, false, [&](int64_t few) {
                           return tile({{few_, few}, {many_, many}});
                         });
                       }));
    form.lines = {"of few rows vectors of " + std::to_string(words_.terms()) +
                  " terms a lane lie along '" + k_ + "', where operands are contiguous along it"};
    return form;
  }

 private:
  std::optional<int64_t> known(const std::string& iterator) const {
    return what_.positions({iterator}).asConstant();
  }

  // Whether other ops read the sums.
  bool isRead() const {
    return what_.written.size() != 1 || what_.written[0] != what_.names.back();
  }
  int64_t mostFew() const { return isRead() ? numbers_.lines : numbers_.lineRows; }

  // Rows, unless columns are known to be few, and rows are not.
  bool chooseFew() {
    const std::string &m = what_.groups.m[0], &n = what_.groups.n[0];
    const int64_t rows = known(m).value_or(INT64_MAX), columns = known(n).value_or(INT64_MAX);
    const bool areRows = rows <= mostFew() || columns > mostFew();
    few_ = areRows ? m : n;
    many_ = areRows ? n : m;
    return known(few_).value_or(0) <= mostFew();
  }

  // The elements of what is many are loaded once for all that is few.
  double cycles() const {
    const double lanes = static_cast<double>(what_.tiles.lanes * words_.terms());
    const double together = static_cast<double>(numbers_.lines);
    const double few = static_cast<double>(std::min(known(few_).value_or(1), numbers_.lines));
    Cost cost;
    cost.operations = 1 / lanes;
    cost.moves = (few + together) / (few * together) / lanes;
    return cyclesOf(cost, target_);
  }

  Expr extent(const std::string& iterator) const {
    const auto count = known(iterator);
    return count ? constant(*count) : extentOf(iterator);
  }

  // Lanes of many results, of a few vectors each, take long to add up, and others that read results have few of them in a
  // vector.
  bool areTermsMany(std::vector<Test>& tests) const {
    const bool areRowsMany = known(few_).value_or(0) > numbers_.lines;
    if (!isRead() && !areRowsMany) return true;
    const Expr least = constant(numbers_.lineTerms);
    return holds({Test::Kind::LessEqual, isRead() ? extent(few_) * least : least, extent(k_)},
                 tests);
  }

  Result<std::vector<Test>> tests() const {
    std::vector<Test> tests;
    if (!holds({Test::Kind::LessEqual, extent(few_), constant(mostFew())}, tests) ||
        !areTermsMany(tests))
      return Reason{"rows are many, or terms are few"};
    // What is left of whole vectors would be done one by one.
    const Expr unit = constant(words_.terms() * what_.tiles.lanes);
    if (!target_.hasMasks && !holds({Test::Kind::Equal, extent(k_).mod(unit), constant(0)}, tests))
      return Reason{"vectors are not whole"};
    for (size_t input : {what_.groups.left[0], what_.groups.right[0]})
      tests.push_back({Test::Kind::Contiguous, {}, {}, what_.names[input], k_});
    return tests;
  }

  TileStep onThreads(const std::string& iterator, int64_t by, bool outer) const {
    TileStep step{iterator, constant(by)};
    if (what_.options.threads > 1) step.threads = Threads{numbers_.iterationsPerThread, outer};
    return step;
  }

  // Tiles of so many positions, then one by one.
  using Inside = std::function<Steps(int64_t)>;
  Steps tilesOf(const std::string& iterator, int64_t count, bool threads, const Inside& inside) {
    const auto all = known(iterator);
    if (all && *all <= count) return inside(*all);
    auto tile = [&](int64_t by) {
      return Step(threads ? onThreads(iterator, by, false) : TileStep{iterator, constant(by)},
                  "what is loaded is used for each");
    };
    auto oneByOne = then(tile(1), inside(1));
    if (all && *all % count == 0) return then(tile(count), inside(count));
    return {tile(count), Step(WhenStep{{equals(iterator, count)}, inside(count), oneByOne},
                              "a few are left at the end")};
  }

  // Results of a tile, whose sums are in registers.
  Steps tile(std::vector<ir::Axis> axes) const {
    std::erase_if(axes, [&](const ir::Axis& axis) { return axis.size == 1; });
    int64_t results = 1;
    for (const ir::Axis& axis : axes) results *= axis.size;
    const int64_t vectors =
        std::clamp<int64_t>(2 * numbers_.lines / results, 1, numbers_.streamVectors);
    Steps sums = words_.steps({known(k_), axes, vectors, what_.freeName(k_ + "_block"), {}},
                              {Step(LoopsStep{}, "nothing is left of whole vectors")});
    if (what_.isAlone) return sums;
    ResultsStep tile{{}, std::move(sums)};
    for (const ir::Axis& axis : axes) tile.sides.push_back({axis});
    return {Step(std::move(tile), "others are done with finished sums")};
  }

  const Contraction& what_;
  const WordsAlong words_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const std::string k_;
  std::string few_, many_;
};

}  // namespace

Result<Form> alongWords(const Contraction& what) {
  const Groups& groups = what.groups;
  if (!what.words) return Reason{"no instruction adds several products"};
  if (groups.m.size() != 1 || groups.n.size() != 1 || groups.k.size() != 1)
    return Reason{"rows, columns or terms have several iterators"};
  auto words = WordsAlong::of(what.kernel, what.before, what.names, what.options, groups.k[0]);
  if (!words) return Reason{words.reason()};
  return AlongWords(what, std::move(*words)).run();
}

}  // namespace einc::strategy
