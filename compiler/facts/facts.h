// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is known of places where a statement stands: from the views, bounds, loops and conditions
// around it, which are entered one by one. Passes and printers ask here, and nowhere else.
//
//   facts.enter(view)                 %T: tensor<m_size x K> of %A[m + i, k]
//   facts.assume(unit %A along 1)
//   facts.isUnit(T, 1)                yes: it moves with dimension 1 of %A
//   facts.isBelow(m + i, M)           yes, where m is a tile of M and i below m_size
//
// Views (views.h) and positions (positions.h) are known by themselves; here is what needs both:
// neighbours in memory, steps between them, and multiples of so many elements.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/asked.h"
#include "compiler/facts/positions.h"
#include "compiler/facts/views.h"
#include "compiler/ir/ir.h"

namespace einc::facts {

// What says whether neighbours along a dimension are neighbours in memory.
struct Unit {
  enum class Kind : uint8_t {
    Always,
    Never,
    Stride,  // if the argument `tensor` has stride 1 along `dim`
    Table,   // if the `size` places in `table` from `first` on follow one another
    Seams    // if addresses of view `tensor` go on by one along `dim` at each of its seams
  };
  Kind kind;
  unsigned tensor = 0, dim = 0, table = 0;
  affine::Expr first = {}, size = {};
};

// Where an element is: as far from one of what has memory as these say together.
struct Address {
  unsigned root;
  Index index;
  struct Part {
    std::optional<unsigned> table;  // so many as there stand in it; none: so many elements
    affine::Expr at;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts = {};
};

// The word of 32 bits that begins at element `index`; and which of its elements is meant.
struct PartOfWords {
  unsigned tensor;
  Index index;
  int64_t part;
};

class Facts : public Views, public Positions {
 public:
  explicit Facts(const ir::Kernel& kernel) : Views(kernel), Positions(kernel), kernel_(&kernel) {}

  using Positions::enter;
  using Views::enter;
  // Of a statement whatever it says, for what follows it in its block and for its own blocks;
  // conditions are assumed by who goes into one of them.
  void enter(const ir::Stmt& stmt);
  void assume(const ir::Condition& condition);
  void assume(const std::vector<ir::Condition>& conditions);
  // Neighbours along the last dimensions of arguments are neighbours in memory.
  void promiseContiguous();
  // The first elements of arguments are at multiples of so many bytes.
  void promiseAligned(int64_t bytes) { aligned_ = bytes; }

  // A condition, if it is known.
  std::optional<bool> holds(const ir::Condition& condition) const;

  // Along a dimension that is one in memory an element is as far on as it is in the dimension; what is
  // looked up counts as 0 for the rest.
  Address addressOf(unsigned tensor, Index index) const;

  // What is left to ask of it, or of all of them.
  Asked ask(const ir::Condition& condition) const;
  Asked ask(const std::vector<ir::Condition>& conditions) const;

  // Neighbours along the dimension are neighbours in memory, for certain.
  bool isUnit(unsigned tensor, unsigned dim) const {
    return unit(tensor, dim).kind == Unit::Kind::Always;
  }
  Unit unit(unsigned tensor, unsigned dim) const;
  // The same of a dimension of a view that stands for several of the base.
  bool isRun(unsigned tensor, unsigned dim) const;
  // What `mapped` says, but where a dimension of the view stands for several that are even: there it goes on along the
  // innermost of them, beyond its end, as the address does. Of (i) -> %A[i floordiv N, i mod N] it is [0, i].
  Index onward(const ir::View& view, Index index) const;
  // The dimension of what has memory that alone moves with the iterator at this index, by one.
  std::optional<unsigned> dimAlong(unsigned tensor, const Index& index,
                                   const std::string& iterator) const;
  // Whether the address moves by the same distance from each position of the iterator to the next.
  bool isLinear(unsigned tensor, const Index& index, const std::string& iterator) const;
  // Parts of bytes that are as far apart along the iterator as words of 32 bits are, if all of each word is there, in whole bytes.
  std::optional<PartOfWords> partOfWords(unsigned tensor, const Index& index,
                                         const std::string& iterator) const;
  // Whether element `index` is at a multiple of so many elements: in memory that is row-major by
  // its place, in arguments by what a condition says. It is linear in `axis` by one, if that is
  // not empty.
  bool isAligned(unsigned tensor, const Index& index, int64_t elements,
                 const std::string& axis) const;

 private:
  // Element `index` of a tensor, of which `dim` alone moves with an iterator: its neighbours are neighbours in memory.
  struct Neighbours {
    unsigned tensor, dim;
    Index index;
  };
  std::optional<Neighbours> neighboursAlong(unsigned tensor, const Index& index,
                                            const std::string& iterator) const;
  int64_t elementsIn(unsigned tensor, int64_t bytes) const;
  Unit unit(unsigned tensor, unsigned dim, const affine::Expr& first,
            const affine::Expr& size) const;
  bool isJoinedOfStraight(const ir::View& view, unsigned dim) const;
  bool isStraight(unsigned tensor, unsigned dim) const;
  void assumeUnit(unsigned tensor, unsigned dim);
  void assumeEven(unsigned tensor, unsigned dim);
  Asked askUnit(const Unit& asked) const;
  Asked askEven(unsigned tensor, unsigned dim) const;
  // Of a view's that stands for several: a condition says so, or it follows from shapes.
  bool isEven(const ir::View& view, unsigned dim) const;
  Asked askApart(const std::optional<RootDim>& outer, const std::optional<RootDim>& inner,
                 const affine::Expr& count) const;
  std::optional<affine::Expr> placeInLocal(unsigned tensor, const Index& index) const;
  Asked askLength(const affine::Expr& elements, const Length& length) const;
  Asked askDistance(unsigned tensor, const Index& from, const Index& to,
                    const Length& length) const;
  Asked askAligned(const ir::Condition& condition) const;

  const ir::Kernel* kernel_;
  int64_t aligned_ = 1;                            // arguments
  std::set<std::pair<unsigned, unsigned>> units_;  // of arguments, and of views as a condition says
  // What a dimension of a view stands for in what has memory: the innermost first, and how many positions each has.
  struct Joint {
    ir::ScalarType type;  // of an element: words are several of those that have memory
    std::vector<RootDim> dims;
    std::vector<affine::Expr> sizes;
    bool operator==(const Joint&) const = default;
  };
  std::optional<Joint> jointOf(unsigned tensor, unsigned dim) const;
  std::set<std::pair<unsigned, unsigned>> runs_;   // of views that stand for several dimensions
  std::vector<Joint> alike_;                       // what these are: others may be the same
  std::set<std::pair<unsigned, unsigned>> evens_;  // of views that stand for several dimensions
  std::map<std::pair<unsigned, unsigned>, int64_t> lines_;  // what lines begin at, in elements
};

}  // namespace einc::facts
