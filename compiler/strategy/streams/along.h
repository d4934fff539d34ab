// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the ways of a stream (ways.h) are made of: an op, the iterator along which its vectors lie, and steps that all of
// them need.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/streams/axis.h"

namespace einc::strategy {

Steps scalars(const std::string& why);
// The iterator has positions.
Test isAny(const std::string& iterator);
// As many positions as make up whole multiples, then the others.
Step wholeAnd(const std::string& iterator, int64_t of, Steps whole, Steps rest);

// What it refers to is to outlive it.
class Along {
 public:
  Along(const ir::Kernel& kernel, const ir::StructuredOp& op, const std::vector<OperandName>& names,
        const ScheduleOptions& options, const ir::StructuredOp* whole, bool isBlock);

  bool mayCopy = false;      // there is memory for copies of what is read
  bool isReadAgain = false;  // it is in the caches, as another op has just read it
  bool isAround = false;     // results go around the caches
  const ir::Kernel& kernel;
  const ir::StructuredOp& op;
  const ir::StructuredOp* blockOf;  // in loops that other ops share, or null
  const std::vector<OperandName>& names;
  const ScheduleOptions& options;
  const target::Target& target;
  const target::Numbers& numbers;
  const int64_t lanes;
  Axis axis;
  int64_t vectors;  // that are computed at once

  // Of its elements some are outside, at its ends alone, where no mask can say so.
  bool isBordered() const { return axis.needsInterior(); }
  bool isReduction() const { return axis.isReduction(axis.name()); }
  Space whole() const { return axis.whole(); }
  affine::Expr extent(const std::string& iterator) const;
  // Positions of so many vectors along the axis, or as many as it is known to have.
  int64_t widthOf(const Space& space, int64_t vectors) const;
  // What a new iterator is called that takes a part of this one.
  std::string named(const std::string& iterator, const std::string& suffix) const;
  // What memory that is only read is asked for early, where that is faster.
  std::optional<ir::Ahead> ahead() const;
  // The same of lines that lie along such an iterator, if there are any: where all is in the caches, of the next block's.
  std::optional<ir::Ahead> aheadOf(const std::vector<std::string>& lines) const;
  // Of an op whose block another one has read: what the next block has, a line of memory for each that is read here. Memory has
  // nothing to do else.
  std::optional<ir::Ahead> nextBlock() const;
  // Of results that go through the caches: lines that are to be written soon.
  std::optional<ir::Ahead> own() const;
  // Results in so many lanes, and what is asked for besides.
  VectorizeStep inLanes(int64_t width) const;
  // The output, if it is so large that it goes to memory around the caches, and when that is.
  std::optional<std::vector<Test>> whereLarge() const;

  TileStep onThreads(const std::string& iterator, int64_t by, bool outer = false) const;
  // Loops over all parallel iterators but some, then `inner`. They may be on threads, and so may
  // loops of `inner`, if it has `loopsOnThreads`. Where an input is read in tiles, of which some stick out, `inside` is for
  // those that do not, or `inner` is.
  using Inner = std::function<Steps(const Space&)>;
  Steps outer(Space space, const std::vector<std::string>& but, const Inner& inner,
              bool loopsOnThreads = false, const Inner& inside = {}) const;
  // All lines, part by part where threads may share them.
  Steps inParts(Space space, const Inner& inner) const;

  // If loops `around` say which tile of an input is read, and `within` which of its elements: what to know the borders of, so
  // that it can be asked once whether all of a tile is there. (Measured on Zen 3, 176 x 176 into tiles of 16 x 16: 24 us, asked
  // for each line, and 19.)
  std::vector<std::string> bordersOfTile(const std::vector<std::string>& around,
                                         const std::vector<std::string>& within) const;
  Step vector() const;
  // Lines that are shorter than several vectors, or have something in common that takes long: some of them are done together, a
  // vector or a line of memory of each. What that asks for, nothing if it is so, none if it cannot be; so many lines, which lie
  // along `beside`; and what is done with longer ones, or `rest`.
  std::string beside() const;
  bool repeats(const std::string& moving, const std::string& same) const;
  std::optional<std::vector<Test>> whereShort() const;
  Steps linesTogether(int64_t count) const;
  std::optional<Steps> longLines() const;
  // Those beside each other, long or short.
  Steps lines(const Space& space) const;
  // Whole tiles of several vectors, then what is left, a vector at a time.
  Steps tiles(const Space& space) const { return tilesOf(widthOf(space, vectors)); }
  Steps tilesOf(int64_t width) const;
  // Fewer positions than a vector has lanes. Where whole vectors are faster, little is done as soon one by one.
  Steps end(Steps vector) const;
  // `count` lines at once, and what is left, if there is any. They are as far apart as there are groups of them,
  // or, where a guard has them end differently, neighbours. `lines` gets the iterator over the groups, and that
  // of the lines of one; `name` is new.
  using OfLines = std::function<Steps(const std::string& groups, const std::string& lines)>;
  Step together(const Space& space, const std::string& iterator, int64_t count,
                const std::string& name, const OfLines& lines, Steps rest) const;
  bool endsDifferently(const std::string& iterator) const;
  // An element says where each line ends, so that neighbours may end anywhere.
  bool endsAnywhere(const std::string& iterator) const;

  // The iterators in the order of the inputs that have all, if they agree; and steps in it.
  std::vector<std::string> read() const;
  Space asRead() const;
  Steps inOrderOf(const std::vector<std::string>& order, Steps steps) const;
};

// The steps where it is known where the borders of these iterators are, else one by one.
Steps whereKnown(const std::vector<std::string>& iterators, Steps steps);
// The steps between the borders of these iterators; at them one by one.
Steps between(const std::vector<std::string>& iterators, Steps steps);
// The steps where all is inside, else one by one.
Steps whereInside(Steps steps);

}  // namespace einc::strategy
