// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A second reduction that uses the result of a first one along the same iterator: may both be done in one pass, as long
// as the first result is only known so far?
//
//   op (n: reduction) ins(%S[n]) outs(%L[]) { max(l, s) }
//   op (n: reduction) ins(%S[n], %L[]) outs(%T[]) { add(t, exp(sub(s, l))) }
//
// Where the bound L grows from l to l', each term of T changes by the factor exp(l - l'), which is the same for all n. So does
// their sum: it is multiplied by that, and terms of the next round are added with l'. That is proved from payloads:
//
//   s - l              a term of the bound, less the bound: changes by l - l' (and l - s by as much less)
//   c * d, d + x       by c times as much, and by as much
//   exp(d)             by the factor exp of that
//   x * f, select(x, f, 0)   by the factor of f, where x does not change
//
// A bound may leave terms out, select(x, s, -inf): then sums have to leave out the same ones.
//
// Or a term is a polynomial of distances x - c from a centre c that is known so far: from the mean of the same x, or from the
// largest or smallest of them. Then the sum moves by what its derivatives add up to (derivatives.h), wherever its centre was:
//
//   op (n: reduction) ins(%X[n]) outs(%S[]) { add(s, x) }
//   op ins(%S[]) outs(%C[]) { div(s, cast<f32>(index(N))) }                          the centre
//   op (n: reduction) ins(%X[n], %C[]) outs(%V[]) { add(v, square(sub(x, c))) }      -2 * (x - c), and 2
//
// Of other centres the ones on the way may be far from all x, and what is moved would be nothing but errors: each mean so far lies
// among its x, and no x is further from the largest so far than from the largest of all. With a mean, no other factor differs from
// term to term, for then the far ones might count for nothing in the end.
//
// Where all of a term is multiplied by what is computed from a sum, as of what is divided by its norm, the sum is multiplied in the
// end. (Not by what is computed from a bound: that is how overflow is avoided.)
//
// Bounds are largest or smallest values, and factors are at most 1: s - l times a number that is not negative, where l is the
// largest s. (Of an attribute the sign is not known: there a sum that is 0 stays 0.) What is beyond a bound that no term has
// moved yet, as it is still -inf, is 0. Each tensor is written before it is read, and not again (find_rounds.h sees to that).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/transforms/derivatives.h"

namespace einc::transforms {

// How a value changes where a bound moves: by the factor function(number * (before - after)).
struct Move {
  std::optional<unsigned> bound = {};  // its tensor; none: the value stays
  ir::ValueRef number = nullptr;       // null: 1
  ir::Function function = ir::Function::Exp;
  // It is right where this condition holds, as an op of that number has it; everywhere, if there is none.
  std::optional<std::pair<size_t, ir::ValueRef>> where = {};

  bool stays() const { return !bound; }
};
bool operator==(const Move& a, const Move& b);

// The largest or smallest of terms, or their sum, by the number of its op.
struct CascadeBound {
  size_t op;
  ir::Function function;
  ir::ValueRef term;
};

// A term, or a value along the iterator, that is a polynomial of a centre: of what is computed from a sum so far, a bound, or a
// value that is made of such.
struct Moments {
  unsigned source;      // the tensor of these
  ir::ValueRef centre;  // what is computed from it, which is operand 0
  // Of the op: reads the source, and in these stands for the centre. None: they are computed from a value that has it.
  std::optional<unsigned> operand = {};
  ir::ValueRef term;
  Derivatives derivatives;
  bool isSum = true;
  std::optional<CascadeBound> origin = {};  // what the centre is the mean of, or is itself
  // All of it is multiplied by the centre: the sum of the derivative is, behind all rounds.
  bool isScaled = false;
};

class Cascades {
 public:
  // What an iterator of an op is called in all of them: those that are one loop have one name.
  using NameOf = std::function<std::string(size_t op, const std::string& iterator)>;

  // How many positions several iterators of an op have; nothing if that is not known.
  using CountOf =
      std::function<std::optional<affine::Expr>(size_t op, const std::string& iterator)>;

  Cascades(const std::vector<ir::StructuredOp>& ops, NameOf nameOf, CountOf countOf)
      : ops_(ops), nameOf_(std::move(nameOf)), countOf_(std::move(countOf)) {}

  // The next op, which is done in rounds, and may reduce along them. `isBound`: others in the rounds read its result. Nothing,
  // or why it cannot be.
  std::optional<Reason> take(size_t op, bool reducesAlong, bool isBound);
  // The next op, which is done in each round, of what is known so far: its result is a centre.
  std::optional<Reason> takeCentre(size_t op);

  const std::map<unsigned, CascadeBound>& bounds() const { return bounds_; }
  // Sums that are read before they are complete.
  const std::map<unsigned, CascadeBound>& sums() const { return sums_; }
  // By the tensors that they are added up in, or that have them.
  const std::map<unsigned, Moments>& moments() const { return moments_; }
  // What is known of a tensor that changes with bounds; null: it stays.
  const Move* moveOf(unsigned tensor) const;

 private:
  struct Change : Move {
    bool isZero = false;  // whatever the factor
  };
  std::optional<Change> changeOf(size_t op, const ir::ValueRef& value) const;
  std::optional<Change> inCall(size_t op, const ir::Call& call) const;
  // By how much it changes: what is added; nothing where that is not known.
  std::optional<Move> distanceOf(size_t op, const ir::ValueRef& value) const;
  std::optional<Move> distanceInCall(size_t op, const ir::Call& call) const;
  const CascadeBound* boundAt(size_t op, const ir::ValueRef& value, unsigned& tensor) const;
  bool isSame(size_t op, const ir::ValueRef& a, size_t other, const ir::ValueRef& b) const;
  bool stays(size_t op, const ir::ValueRef& value) const;
  bool isCentre(unsigned tensor) const;
  std::optional<Reason> takeValue(size_t op, size_t output);
  std::optional<Reason> takeBound(size_t op, size_t output, ir::Function function);
  std::optional<Reason> takeTerms(size_t op, size_t output, ir::Function function);
  std::optional<Moments> momentsOf(size_t op, const ir::ValueRef& value) const;
  // Whether it is computed from what is known so far alone: of which tensor, by which operand.
  std::optional<unsigned> ofCentre(size_t op, const ir::ValueRef& value) const;
  // The sum or bound of which a centre is the mean, or which it is itself; null: it is something else.
  const CascadeBound* originOf(size_t op, const Moments& moments) const;
  const CascadeBound* meanOf(size_t op, const ir::ValueRef& value) const;
  // Whether a centre stands in distances from terms of its origin alone.
  bool isOfDistances(size_t op, const ir::ValueRef& value, const Moments& moments,
                     const CascadeBound& origin) const;
  // A tensor along the iterator, whose derivatives are numbers.
  const Moments* slopeOf(size_t op, const ir::ValueRef& operand) const;

  const std::vector<ir::StructuredOp>& ops_;
  NameOf nameOf_;
  CountOf countOf_;
  std::map<unsigned, CascadeBound> bounds_;
  std::map<unsigned, Move> moved_;
  std::map<unsigned, CascadeBound> sums_;
  std::set<unsigned> centres_, ofBounds_;   // made in each round; those that need a bound
  std::map<unsigned, CascadeBound> means_;  // the sums that some of them are means of
  std::map<unsigned, Moments> moments_;
};

// Whether it is a literal 0 of floats.
bool isZero(const ir::ValueRef& value);
// The factor of a move, of these values of the bound: 1 where they are the same, infinite ones, too.
ir::ValueRef factorOf(const Move& move, const ir::ValueRef& before, const ir::ValueRef& after);
// No attribute is in a move's number: its sign was looked at.
bool isKnown(const ir::ValueRef& number);
// A sum, as if it had been made with what the bound is after that move.
ir::ValueRef multiplied(const Move& move, const ir::ValueRef& sum, const ir::ValueRef& factor);
// What a part of all terms adds to a sum, with its own bound before, and after with that of all: where it has met no term of the
// bound that is nothing, unless none has.
ir::ValueRef ofPart(const Move& move, ir::Function bound, const ir::ValueRef& before,
                    const ir::ValueRef& after, const ir::ValueRef& sum, const ir::ValueRef& factor);

}  // namespace einc::transforms
