// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is to be done with an op, as a value: a list of steps. Each changes the op, or wraps what the
// steps behind it make of it; the last says what code it becomes. A strategy decides and gives steps,
// `apply` (apply.h) does them and knows nothing of why; a user may write them (text.h).
//
//   tile m by 64                      loops over blocks of m; behind it `m` is a position in one
//   when contiguous(A, n) {           alternatives, by what holds when the kernel runs
//     cut n at n floordiv 64 * 64 {   the positions before a place, then those from it on
//       split n by 64 as n_block      n becomes n_block and n
//       vectorize (n: 64)             vectors of that many positions: the op is done
//     } rest {
//       vectorize (n: 64)
//     }
//   } otherwise {
//     loops                           scalar code: the op is done
//   }
//
// An iterator's name in a number is how many positions it has at that place; other names are sizes
// and attributes of the kernel. Steps that end before the op is done leave the rest to the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace einc::strategy {

struct Step;
using Steps = std::vector<Step>;

// An operand, by the tensor that it is in the spec; of several by the number among them.
struct OperandName {
  std::string tensor;
  unsigned use = 0;
  bool operator==(const OperandName&) const = default;
  std::string str() const;  // "A", "A[1]"
};

// What may hold when the kernel runs.
struct Test {
  enum class Kind : uint8_t {
    Equal,       // left == right
    Less,        // left < right
    LessEqual,   // left <= right
    Contiguous,  // neighbours along `iterator` are neighbours in the memory of `operand`
    Borders,  // what is read outside a tensor along `iterator` is so at its ends, which are known
    Inside    // nothing is read outside a tensor
  };
  Kind kind;
  affine::Expr left = {}, right = {};
  OperandName operand = {};
  std::string iterator = {};
  bool operator==(const Test&) const = default;
};

// A loop that threads share, so that each gets `work` iterations of the op at least. With `outer`,
// loops over other parallel iterators of the op are shared where this one is not.
struct Threads {
  int64_t work;
  bool outer = false;
  bool operator==(const Threads&) const = default;
};

// Loops over blocks of `by` positions. With 1 the iterator is gone from the op.
struct TileStep {
  std::string iterator;
  affine::Expr by;
  std::optional<Threads> threads = {};
  bool operator==(const TileStep&) const = default;
};

// The first of two ways whose tests hold. If the second is empty, there is nothing to do where the
// tests ask just for positions (0 < n), and else the model chooses.
struct WhenStep {
  std::vector<Test> tests;
  Steps then;
  Steps otherwise;
  bool operator==(const WhenStep&) const;
};

// NAME = the least of several numbers, for the steps behind it.
struct LetStep {
  std::string name;
  std::vector<affine::Expr> of;
  bool operator==(const LetStep&) const = default;
};

// A reduction in parts of `by` positions, `name` of them, that do not wait for each other: memory for their
// results is filled with what a sum starts from, each part is done, they are combined, and the positions
// behind the last whole part are added.
struct PartsStep {
  std::string iterator;
  affine::Expr by;
  std::string name;
  Steps parts, fill, combine, rest;
  bool operator==(const PartsStep&) const;
};

// Parallel iterators as one, of which the last runs fastest.
struct CollapseStep {
  std::vector<std::string> iterators;
  std::string name;  // the one
  bool operator==(const CollapseStep&) const = default;
};

// Where positions along a collapsed iterator lie in memory is looked up, not computed.
struct TablesStep {
  std::string iterator;
  bool operator==(const TablesStep&) const = default;
};

// What the op reads of an input here is copied to panels of so many positions along an iterator, each
// behind the other, in which the tiles that follow read on and on.
struct PackStep {
  OperandName operand;
  ir::Axis panel;
  std::vector<std::string> along = {};      // from row to row of a panel; empty: the other iterator
  std::string as = {};                      // all of these as one, in all inputs
  std::optional<ir::ScalarType> type = {};  // to which the payload casts it
  int64_t piece = 1;                        // of a panel, which may be contiguous without all of it
  std::optional<int64_t> threads = {};      // elements that make a thread worth its start
  bool operator==(const PackStep&) const = default;
};

// The positions before `at`, which is at most the extent, then those from there on. With `line`, `at`
// is where the first cache line of that operand begins along the iterator, or its first vector of
// `bytes`. With `copying` the first ones copy what they read of an input to a panel, on the way, which
// the others read.
struct CutStep {
  std::string iterator;
  affine::Expr at = {};
  std::optional<OperandName> line = {};
  int64_t bytes = 0;
  Steps first, rest;
  std::optional<PackStep> copying = {};
  bool operator==(const CutStep&) const;
};

// The positions between the borders of an iterator, at which nothing along it is read outside a tensor;
// those before and behind them are the border.
struct InteriorStep {
  std::string iterator;
  Steps inside, border;
  bool operator==(const InteriorStep&) const;
};

// iterator = name * by + iterator. The extent is a multiple of `by`.
struct SplitStep {
  std::string iterator;
  int64_t by;
  std::string name;
  bool operator==(const SplitStep&) const = default;
};

// iterator = name * (extent / over) + iterator: `over` places, as far apart as can be. The extent is
// a multiple of `over`.
struct SpreadStep {
  std::string iterator;
  int64_t over;
  std::string name;
  bool operator==(const SpreadStep&) const = default;
};

// Each iterator = name * by + iterator: its digits, in all positions but what is `left` behind whole
// multiples. Where operands divide it by `by`, nothing is divided then.
struct DigitsStep {
  struct Digit {
    std::string iterator;
    affine::Expr by;
    std::string name;
    Steps left;  // with the digits of those before
    bool operator==(const Digit&) const;
  };
  std::vector<Digit> digits;
  Steps whole;
  bool operator==(const DigitsStep&) const;
};

// The order of the op's loops, all of them.
struct OrderStep {
  std::vector<std::string> iterators;
  bool operator==(const OrderStep&) const = default;
};

// What is stored to the operand goes around the caches.
struct NonTemporalStep {
  OperandName operand;
  bool operator==(const NonTemporalStep&) const = default;
};

// What the op reads of an input here is copied, by steps of its own, to memory in which these iterators are
// the dimensions, outermost first. The name is that of the memory.
struct CopyStep {
  OperandName operand;
  std::vector<std::string> dimensions;
  std::string name;
  Steps how;
  bool isOnStack = false;
  bool operator==(const CopyStep&) const;
};

// An input that is read outside its tensor is copied, with a border around it.
struct BorderStep {
  OperandName operand;
  bool operator==(const BorderStep&) const = default;
};

// What the op reads of an input here is cast once, as the payload does wherever it reads it.
struct ConvertStep {
  OperandName operand;
  ir::ScalarType type;
  bool isOnStack = false;
  bool operator==(const ConvertStep&) const = default;
};

// Sums that a tile of a reduction leaves unfinished are kept in memory of so many positions along each
// iterator, all that it has. For ops that are done on the tiles of another.
struct KeepStep {
  struct Extent {
    std::string iterator;
    affine::Expr positions;
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> memory;
  bool operator==(const KeepStep&) const = default;
};

// ---- What ends a list ----

// Virtual vectors along these iterators, none of which has more positions than its axis. Along a
// reduction each lane has a partial result.
struct VectorizeStep {
  std::vector<ir::Axis> axes;
  std::optional<ir::Ahead> ahead = {};  // of inputs: what is asked for early
  std::string fit = {};  // only as many vectors along this axis as there are positions for
  bool early = false;    // outputs are asked for before the sum that is added to them
  bool variant = false;  // beside others that differ in the sizes of their axes alone
  bool operator==(const VectorizeStep&) const = default;
};

// The steps in a function of the code.
struct FunctionStep {
  std::string name;
  Steps body;
  bool operator==(const FunctionStep&) const;
};

// The steps give a tile of results, which is at hand for the ops that are done on it.
struct ResultsStep {
  std::vector<ir::Axis> axes;
  Steps body;
  bool operator==(const ResultsStep&) const;
};

// The steps on a tile of memory that is whole and contiguous, from which what there is of it goes to
// the outputs: as rows, transposed, or in pieces, as it suits how these lie.
struct ScratchStep {
  ir::Axis rows, columns;
  int64_t piece = 1;  // of a row, which may be contiguous without all of it
  Steps body;
  bool operator==(const ScratchStep&) const;
};

// Along a reduction by a combiner that is no function: a result in memory for each of `width` lanes,
// combined at the end.
struct LanesStep {
  std::string iterator;
  int64_t width;
  std::optional<ir::Ahead> ahead = {};
  bool operator==(const LanesStep&) const = default;
};

// Along which an input is contiguous, and along which the output is: squares are read along the one and
// written along the other, around the caches, where lines of the output may begin anywhere
// (streams/transpose.h).
struct TransposeStep {
  std::string from, to;
  bool operator==(const TransposeStep&) const = default;
};

// Scalar loops.
struct LoopsStep {
  bool operator==(const LoopsStep&) const = default;
};

struct Step {
  using Node =
      std::variant<TileStep, WhenStep, LetStep, PartsStep, CollapseStep, TablesStep, CutStep,
                   InteriorStep, SplitStep, SpreadStep, DigitsStep, OrderStep, NonTemporalStep,
                   PackStep, CopyStep, ConvertStep, BorderStep, KeepStep, VectorizeStep,
                   FunctionStep, ResultsStep, ScratchStep, LanesStep, TransposeStep, LoopsStep>;
  template <typename Any>
    requires(!std::is_same_v<std::remove_cvref_t<Any>, Step>)
  // NOLINTNEXTLINE(google-explicit-constructor): any of these is a step
  Step(Any step, std::string why = "") : node(std::move(step)), because(std::move(why)) {}

  Node node;
  std::string because;      // why, for people
  SourceRange source = {};  // where the user wrote it

  // Reasons and places do not count.
  bool operator==(const Step& other) const { return node == other.node; }
};

// `first`, then `rest`.
Steps then(Step first, Steps rest);

// The lists that stand in a step, in the order of the text.
std::vector<Steps*> listsIn(Step& step);
std::vector<const Steps*> listsIn(const Step& step);

// Whether any step is so, those in lists of steps included.
bool anyStep(const Steps& steps, const std::function<bool(const Step&)>& is);

// The names that steps have for iterators of the op.
std::set<std::string> iteratorsIn(const Steps& steps);

// How many positions an iterator has where the number stands.
affine::Expr extentOf(const std::string& iterator);

// `wanted`, or such a name that no iterator of the op and no size has.
std::string freeName(const ir::Kernel& kernel, const ir::StructuredOp& op, std::string wanted);

// What operands are called where a reduction is done in parts, for each of its lists. The memory in which
// parts leave their results is called after the outputs: "C_parts".
struct PartsNames {
  std::vector<OperandName> fill, parts, combine, rest;
};
PartsNames partsNames(const std::vector<OperandName>& names, size_t outputs);

// The names of an op's operands, inputs first: those of its tensors.
std::vector<OperandName> operandNames(const ir::Kernel& kernel, const ir::StructuredOp& op);

}  // namespace einc::strategy
