// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What statements in C are made of, whoever writes them: indices, values, places in memory, conditions,
// and operands of libraries' functions. What is known of them is asked of facts.
//
// Three write statements: BodyWriter those of the loops (body.h), and, of some of the same IR, a counter
// of the memory that they take (sizes.h) and an explainer of the choices that are made (choices.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/prelude.h"
#include "compiler/emit/c/registers.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/c/values.h"
#include "compiler/emit/text/questions.h"
#include "compiler/emit/text/test.h"
#include "compiler/facts/facts.h"
#include "compiler/facts/inside.h"
#include "compiler/ir/ir.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

// A parameter of a function, and what it is called with. The name is a reference.
struct Passed {
  std::string type, name, argument;
};

// What is computed once, before the loops or the region that it is used in, or before the call of
// the function that it is a parameter of (once.cpp).
struct Once {
  std::set<std::string> inside;              // names that change there
  std::map<std::string, std::string> names;  // of what is computed, by its text
  std::vector<Passed> values;
  bool isCall = false;
  bool isForAnyStrides = false;  // what is known of strides is not used
};

// Rows of elements that unrolled loops read (rows.cpp), by what they begin with.
struct Rows {
  struct Row {
    std::string name;
    int64_t count = 0;
    std::vector<std::string> lines;  // before the loops
  };
  std::map<std::string, int64_t> unrolled;  // the loops' variables, and how many rounds each has
  std::set<std::string> inside;             // all names that change in them
  std::map<std::string, Row> rows;
};

// Entries of tables that loops inside a repeated region read (rows.cpp), by their texts.
struct Entries {
  std::map<std::string, std::string> names;
  std::vector<std::string> lines;  // at the beginning of the region
};

// A quotient, or a rest, at positions of a dimension, which stand in a row of a table (quotients.cpp).
struct QuotientRow {
  affine::Atom at;  // of what has memory, where the position is kPosition
  affine::Expr positions;
  unsigned table;
  int64_t row;
};
inline constexpr const char* kPosition = ".position";

// Positions that have one quotient, of which a loop runs over the rests.
struct RowOfRests {
  affine::Expr dividend, divisor;
  std::string quotient;  // its name
};

class PlacePrinter {
 public:
  PlacePrinter(const PlacePrinter&) = delete;
  PlacePrinter& operator=(const PlacePrinter&) = delete;

  // What the library's user promises of arguments.
  void expect(const COptions& options) {
    if (options.contiguous) facts_.promiseContiguous();
    facts_.promiseAligned(options.align);
  }

 protected:
  using Index = facts::Index;

  PlacePrinter(const ir::Kernel& kernel, KernelScope& scope, Prelude& prelude,
               const std::string& plant);
  ~PlacePrinter() = default;

  // ---- Names, which facts know from then on (places.cpp) ----
  std::string declareNumber(const ir::Bound& bound);
  std::string declareNumber(const ir::Read& read);
  std::string declareNumber(const ir::Lead& lead);
  // The statements from number `first` on, each told by `one`; a number is declared where what follows uses it.
  void tell(const ir::Block& statements, size_t first,
            const std::function<void(const ir::Stmt&)>& one);

  // ---- Places in memory (places.cpp) ----
  // The product of its sizes; "" of no dimensions.
  std::string elementsOf(const ir::Tensor& tensor) const;
  // What a piece of the heap takes, as large as the largest local that is there, so that the next is
  // at a multiple of 64 bytes, too.
  std::string bytesOf(const ir::Alloc& first) const;
  std::string element(unsigned tensor, const Index& index, bool checked = false) const;
  std::string address(unsigned tensor, const Index& index) const;
  std::string rootAddress(unsigned tensor, const Index& index) const;  // of what has memory
  // What `position` counts from, and `position`.
  struct Place {
    std::string base, position;
  };
  Place placeOf(unsigned tensor, const Index& index) const;
  Place testedPlace(unsigned tensor, const Index& index, bool checked) const;
  // What is there, and the statement that it becomes `value`.
  std::string at(unsigned tensor, const Place& place) const;
  std::string assigned(unsigned tensor, const Index& index, bool checked,
                       const std::string& value) const;
  bool isOfWords(unsigned tensor) const;  // each element is several of what has memory
  std::string word(unsigned tensor, const Index& index) const;
  std::string wordAt(unsigned tensor, const Place& place) const;
  std::string wordOfPad(ir::ScalarType type, const ir::ValueRef& pad) const;
  std::string strided(unsigned tensor, const Index& index, std::string position) const;
  std::string stride(unsigned tensor, unsigned dim) const;
  Test inside(unsigned tensor, const Index& index, facts::Dims dims) const;
  std::vector<std::string> inTurn(const facts::Comparisons& tests) const;
  std::vector<ir::Axis> repeatedAxes() const;
  // How often the region around is repeated along the axis.
  std::string count(const ir::Axis& times) const;
  bool isNeverNegative(const affine::Expr& index) const;

  // ---- Conditions (conditions.cpp) ----
  Test condition(const ir::Condition& condition) const;
  Test allOf(const std::vector<ir::Condition>& conditions) const;
  // What is written where the conditions hold, and where they do not.
  template <typename Write>
  void assuming(const std::vector<ir::Condition>& conditions, const Write& write) {
    knowing([&](facts::Facts& facts) { facts.assume(conditions); }, write);
  }
  template <typename Write>
  void assumingNot(const std::vector<ir::Condition>& conditions, const Write& write) {
    knowing([&](facts::Facts& facts) { facts.assumeNot(conditions); }, write);
  }
  template <typename Learn, typename Write>
  void knowing(const Learn& learn, const Write& write) {
    facts::Facts around = facts_;
    learn(facts_);
    write();
    facts_ = std::move(around);
  }

  // if, else if, else: `then` writes what stands in the first block, `otherwise` what stands in others.
  using WriteBlock = std::function<void(const ir::Block&)>;
  void branches(const ir::If& test, const Test& all, const WriteBlock& then,
                const WriteBlock& otherwise);

  // ---- Operands of libraries' functions (operands.cpp) ----
  // Which data descriptors say: before there is memory, or a run, sizes and strides are asked for alone.
  enum class DataOf : uint8_t { All, Arguments, None };
  // A flag that is cleared where the dimensions of a letter of an operand are no one dimension.
  using MergesFlag = std::function<std::string(size_t operand, char letter)>;
  static std::string chunkOf(const ir::LibraryCall& call, const ir::Kernel& kernel,
                             const std::string& what);
  std::string descriptor(const ir::LibraryCall& call, size_t operand, bool moves, DataOf data,
                         const MergesFlag& merges);
  std::string viewDescriptor(unsigned view) const;  // the value of one
  std::string first(const ir::LibraryCall& call, size_t operand) const;
  std::string holds(const ir::LibraryCall& call, const ir::Where& where) const;
  Test isPlain(const ir::ValueRef& factor) const;
  // The iterators of which each position is a call.
  static std::vector<std::string> outerLoops(const ir::LibraryCall& call);
  affine::Expr extent(const ir::LibraryCall& call, const std::string& iterator) const;
  // Declares the operands, and says when the library takes the call.
  struct Asked {
    std::string test;
    std::vector<std::string> operands;
  };
  Asked asked(const ir::LibraryCall& call, DataOf data);

  // ---- What is computed once (once.cpp) ----
  void enter(const std::string& name);
  bool isSameInside(const affine::Expr& e) const { return isSameIn(*once_, e); }
  bool isSameIn(const Once& once, const affine::Expr& e) const;
  bool isTested(unsigned tensor, const Index& index, bool checked) const;
  std::pair<Index, Index> partsOf(const Index& index) const;
  std::string once(const std::string& text, const std::string& name,
                   const std::string& type = "int64_t ") const {
    return onceIn(*once_, text, name, type);
  }
  std::string onceIn(Once& once, const std::string& text, const std::string& name,
                     const std::string& type) const;
  std::string place(unsigned tensor, const Index& same, const std::string& offset) const;
  std::string quotient(const std::string& function, const affine::Expr& what,
                       const affine::Expr& by) const;

  // ---- Quotients in tables (quotients.cpp) ----
  std::vector<affine::Atom> quotientsAlong(const ir::Offsets& offsets) const;
  std::optional<RowOfRests> rowsAlong(const ir::Offsets& offsets) const;
  bool isInTable(const affine::Expr& position, const affine::Expr& positions) const;
  std::string lookedUp(const std::string& function, const affine::Expr& what,
                       const affine::Expr& by) const;

  // ---- Rows in unrolled loops (rows.cpp) ----
  affine::Expr freePart(const affine::Expr& index) const;
  std::optional<int64_t> largest(const affine::Expr& free) const;
  std::optional<std::string> inRows(unsigned tensor, const Index& index,
                                    const std::string& offset) const;
  bool standsBefore(const affine::Expr& index) const;
  std::string rowsFrom(unsigned tensor, const std::string& from, std::optional<unsigned> dim,
                       int64_t count) const;
  std::string entry(unsigned table, const affine::Expr& at) const;

  const ir::Kernel& kernel_;
  KernelScope& scope_;
  Prelude& prelude_;
  const std::string& plant_;
  ValueNames names_;
  ValuePrinter printer_;
  QuestionPrinter questions_;
  facts::Facts facts_;
  std::vector<QuotientRow> quotientRows_;  // that are known here
  std::optional<RowOfRests> row_;          // whose loop is around
  std::optional<Registers> registers_;     // of the region around, if they are repeated
  mutable std::optional<Once> once_;
  mutable std::optional<Rows> rows_;        // in unrolled loops
  mutable std::optional<Entries> entries_;  // in loops inside a repeated region
  mutable std::optional<Once> ofFunction_;  // quotients that a function's loops have in common
  mutable std::map<std::string, size_t> onceCounts_;  // of names
  std::map<unsigned, std::vector<unsigned>> over_;    // of what has a piece of the heap first
  mutable std::string* base_ = nullptr;  // what the address that is written counts from
  bool isInLoop_ = false;                // of a repeated region
  mutable bool mayBeInRow_ = true;       // what may not be there is in no row
  mutable bool isPlaceTested_ = false;   // of the element that is written: see isTested
  mutable facts::Comparisons tested_;    // what is asked before what is written, and holds there
  mutable bool isWrittenOut_ = true;     // nothing is faster for what C compilers do to loops
  TextWriter out_;

 private:
  std::string startText(const facts::Start& start) const;
  std::string runText(const facts::Run& run) const;
  void otherBranches(const ir::Block& statements, const WriteBlock& write);
  std::string step(const ir::Operand& operand, const std::string& iterator) const;
  std::string strideOf(const ir::LibraryCall& call, size_t operand,
                       const std::vector<std::string>& iterators, const std::string& flag) const;
};

}  // namespace einc::emit
