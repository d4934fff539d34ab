// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where an op is on its way through the steps: what is known of it there, and what names in steps stand
// for. Shared by all verbs.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/minima.h"
#include "compiler/ir/ir.h"
#include "compiler/strategy/instructions.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/plan/shared.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/plan/verbs/traits.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// An output that goes around the caches, and how its vectors begin: `unit` positions, or multiples,
// behind the first line along `iterator`; 0 are all of them. Without one nothing is known.
struct Streaming {
  size_t operand;
  std::string iterator = {};
  int64_t unit = 0;
};

// An input that lies in panels, from which tiles of a panel's width along `across` will read.
struct Packed {
  unsigned buffer;  // [panel][along][width]
  std::string across;
  std::vector<std::string> along;
  std::string as;  // how steps call these as one; empty: they stay
  int64_t width;
  size_t number;                         // packed after so many others
  affine::Expr origin = {};              // of the tile, in the buffer
  bool isLookedAt = false;               // the tile is one panel
  bool isComputed = false;               // it has what the payload computes of the operand alone
  std::vector<size_t> with = {};         // or of it and of these
  std::optional<Instructed> words = {};  // of this instruction
  std::optional<unsigned> moved =
      {};  // for each position across, what is taken from sums: [panel][width]
};

// An input of which an instruction's words are read where they are, along an iterator of which all words are
// whole. Until the other input's panels are at hand the op reads its elements.
struct InWords {
  size_t input;
  std::string along;
  Instructed by;
};

// An input whose elements along `along` are followed in memory by those of the next position along `across`, as a
// test has asked.
struct WordsInLine {
  size_t input;
  std::string across, along;
};

// What is taken from all sums at a position along `across`, as the other input is moved.
struct MovedSums {
  unsigned view;
  std::string across;
};

// What `let` gives a name.
struct Named {
  affine::Expr value;  // a symbol, or, in a loop, a number if it is known
  bool isOutside;      // memory of that size can be taken before all loops
};

// Memory for the sums of a region between tiles of its reductions.
struct KeptSums {
  // It is positions * (tiles - 1): none if there is one tile.
  struct IfSeveral {
    affine::Expr positions, memory;
  };
  std::vector<IfSeveral> ifSeveral;
  affine::Expr tiles = affine::Expr::constant(1);  // of the reductions, in all
};

// The op with several iterators as one.
struct Line {
  std::vector<std::string> group;
  ir::StructuredOp before, op;
  std::string iterator;         // the one
  std::set<size_t> contiguous;  // operands that are known to be, along it
};

// An input in the memory of a workgroup: [along][across], of which `width` are filled.
struct Panel {
  unsigned buffer;
  std::string along, across;
  int64_t width;
  unsigned part = 0;  // the op's operand, until a step takes it apart
};

// Sums of a workgroup in the registers of its invocations, until 'bind' says which one the op is on.
struct KeptInRegisters {
  unsigned sums;                      // [invocation][results]
  std::vector<BindStep::Loop> loops;  // by actual names
};

struct At : Place {
  // In one place, as so many members are much code.
  At();
  At(const At& other);
  At(At&& other) noexcept;
  At& operator=(const At& other);
  At& operator=(At&& other) noexcept;
  ~At();

  std::map<std::string, std::string> actual;  // iterators that steps name: what they are called
  std::map<std::string, int64_t> most;        // positions, by actual names, where that is known
  std::set<std::pair<size_t, std::string>> contiguous;  // operands, and along what
  std::optional<Streaming> streaming;
  std::map<size_t, Packed> packed;  // inputs
  std::optional<InWords> words;
  std::optional<WordsInLine> wordsInLine;
  std::vector<MovedSums> moved;
  std::map<std::string, int64_t> least;   // positions of this op; who changes these erases it
  std::vector<ir::Condition> conditions;  // that hold
  std::shared_ptr<const ir::StructuredOp> spec;  // as it was before it was canonical
  std::vector<unsigned> tensors;                 // of its inputs when it was
  std::map<std::string, Named> lets;
  facts::Minima minima;                       // what these are
  std::map<std::string, affine::Expr> rooms;  // positions at most, where `let` has a name for it
  std::map<std::string, std::vector<std::string>> collapsed;  // by actual names: what each was
  std::set<size_t> bordered;   // inputs that have a copy with a border
  std::set<size_t> withZeros;  // inputs that are 0 at positions that they do not have
  std::optional<Line> line;    // what a test asked of
  std::set<std::pair<size_t, std::string>> strided;  // known not to be contiguous
  Terms terms;                                       // of the tile of the reductions
  std::set<size_t> onTile,
      done;  // others of the region, by number: on the tile of results, or before
  std::optional<KeptSums> sums;
  size_t next = 0;        // of the ops that share loops
  bool isInside = false;  // what these read, from here on, is in its tensors
  bool isInLoop = false;  // that threads do not share
  bool isTiled = false;
  // What may be read outside (verbs/interior.cpp): of inputs that are there once more, as the last ones,
  // without a pad.
  struct Read : Outside {
    bool isInside = false;  // at all positions from here on
  };
  std::vector<Read> reads;
  std::vector<size_t> padded;               // among the inputs that are read
  std::map<std::string, Interior> borders;  // of iterators that are whole
  bool isForward = false;                   // no index may run backwards
  // Tiles of `by` positions, and one of so many that are left, by actual names.
  struct Left {
    int64_t by, left;
  };
  std::map<std::string, Left> left;
  std::vector<std::pair<affine::Expr, int64_t>> multiples;  // numbers, and of what they are
  // Loops around that run at once: on what, and whether nothing stands between them and here.
  std::optional<BindStep::To> bound;
  ir::On on = ir::On::Order;
  bool isBindable = true;
  std::map<size_t, Panel> panels;            // inputs
  std::optional<KeptInRegisters> registers;  // its output
  bool hasShared = false;                    // something is in the workgroup's memory
  std::shared_ptr<int64_t> sharedBytes;  // that the workgroup here has taken, in all of its steps
  bool isNear = true;  // positions in the payload, as it was before any step (streams/lanes.h)

  // The iterator that steps call so, or null.
  const ir::Iterator* find(const std::string& name) const;
  std::string actualName(const std::string& name) const;
  // The other way: what steps call iterators of the op, where that is something else.
  std::map<std::string, std::string> stepNames() const;
  // The operand that steps call so.
  std::optional<size_t> operand(const OperandName& name) const;
  bool isReduction(const std::string& name) const;
  // An input's number among those of the spec, of which some may give extents alone.
  std::optional<size_t> inSpec(size_t input) const;

  // What is known for other ops that are done here.
  At around() const;
  // These are done from here on.
  void enter(const SharedOps& ops);

  // An input lies elsewhere from here on; or what an iterator, by its actual name, stands for has changed.
  void forgetNeighbours(size_t input);
  void forgetNeighbours(const std::string& iterator);

  // Along an iterator, by its actual name, there are at most so many positions from here on.
  void limit(const std::string& iterator, int64_t most);
  // They begin at multiples of `by`, or there; each is now at `position`.
  void move(const std::string& iterator, const affine::Expr& by, const affine::Expr& position);
};

// What all steps of a run share, and the list in which one stands.
class Work {
 public:
  Work(transforms::Builder& builder, const ScheduleOptions& options, std::vector<StepError>& errors,
       Completion* completion)
      : builder(builder), options(options), errors_(errors), completion_(completion) {}

  // The same with other options, which outlive it.
  Work with(const ScheduleOptions& others) const { return {builder, others, errors_, completion_}; }
  // The op by a list of its own. On a device a list that fuses nothing on the tiles of a product is for
  // ops that share loops, of which the product is one.
  ir::Block run(At here, const Steps& steps) const;
  // The same for an op as the spec has it, unless it is ready. Iterators of one position are gone, where
  // no step names them.
  ir::Block start(At here, const Steps& steps) const;
  // Ops that share loops, where this is known; and these as one op.
  ir::Block startShared(At here, NumberedOps ops, std::set<unsigned> elsewhere,
                        const Steps& steps) const;
  SharedOps sharedOps(NumberedOps ops, std::set<unsigned> elsewhere, bool looksOutside,
                      ir::Block& block) const;
  // A list that ends before ops goes on so.
  void goesOn(const Steps& list, const Steps& more) const;
  // The op by the steps behind this one.
  ir::Block rest(At here) const { return run(std::move(here), *steps_, next_ + 1); }
  bool isLast() const { return next_ + 1 == steps_->size(); }
  // What is taken in the steps behind this one stands in `memory`.
  ir::Block rest(At here, ir::Block& memory) const;
  // Memory for the kernel, or an iteration of a loop on threads: as early as its size is known, or, if it
  // is always the same, in `block`.
  void take(unsigned tensor, ir::Block& block) const;
  // This step cannot be done: the op stays as it is.
  ir::Block refuse(const At& here, const std::string& why) const;
  // The steps behind this one would be needed.
  ir::Block refuseEnd(const At& here, const std::string& why) const;

  // ---- What steps say ----

  // The number at this place, where names of iterators stand for extents; or why it cannot be computed.
  Result<affine::Expr> number(const At& here, const affine::Expr& e, bool isTest = false) const;
  affine::Expr extent(const At& here, const std::string& actual) const {
    return builder.extent(here.op, actual);
  }
  // How many there may be, where that is known.
  std::optional<int64_t> mostAlong(const At& here, const std::string& actual) const;
  int64_t bytesOf(const ir::Operand& operand) const;
  // The same for an element in the memory of a workgroup. Takes some of that, or says why there is
  // not as much.
  int64_t bytesInShared(const ir::Operand& operand) const {
    return std::max<int64_t>(bytesOf(operand), 4);
  }
  std::optional<std::string> takeShared(const At& here, int64_t bytes) const;
  int64_t lanes(const At& here) const;
  // The terms of the sum may come in another order.
  bool mayReorder(const At& here) const;
  // Why an iterator stays as it is: there is none, an input is packed along it, or results are kept along it.
  std::optional<std::string> isHeld(const At& here, const std::string& iterator) const;
  // Why one cannot be taken apart: the same, or others are done on its sums, or its terms have an order, which
  // is kept only along the outermost reduction, whose parts follow one another.
  std::optional<std::string> cannotCut(const At& here, const std::string& iterator) const;
  // The same for tiles of `by` positions, which may be panels, or follow one another otherwise.
  std::optional<std::string> cannotTile(const At& here, const std::string& iterator,
                                        const affine::Expr& by) const;
  // Why there can be no vectors.
  std::optional<std::string> noVectors(const At& here) const;
  // Why it cannot become a tile of results with these axes, on which the others of the region are done.
  std::optional<std::string> noResults(const At& here, const std::vector<ir::Axis>& axes) const;
  // Why an iterator has no such axis of a tile on the stack; `names` gets what it is called.
  std::optional<std::string> noTile(const At& here, const std::vector<ir::Axis>& axes,
                                    std::vector<std::string>& names) const;
  // Why the op cannot be done yet: an input is packed, and its panels are not looked at.
  std::optional<std::string> waits(const At& here) const;

  transforms::Builder& builder;
  const ScheduleOptions& options;

 private:
  ir::Block run(At here, const Steps& steps, size_t next) const;
  // The list ends before the op, of which nothing is done if it `isWhole`.
  ir::Block left(At here, const Steps& list, bool isWhole) const;
  void makeReady(At& here, ir::Block& block) const;
  std::optional<std::string> isPacked(const At& here, const std::string& iterator,
                                      bool panels) const;

  std::vector<StepError>& errors_;
  Completion* completion_;  // or null
  const Steps* steps_ = nullptr;
  size_t next_ = 0;
  ir::Block* memory_ = nullptr;  // where it is taken
};

// Why a step cannot stand where others of a region are not done yet.
std::optional<std::string> notInRegion(const At& here, const Step& step);
// What operands of a region's sum are called, without those of ops that are done on its tiles, and of where it is kept, which
// stand between.
std::vector<OperandName> namesOfSum(const At& here, const ir::StructuredOp& op);
// Where the steps of a region end: what is left of it is chosen, each op on what there is of it here.
ir::Block leftInRegion(const Work& work, At here, const Steps& list);

// "no iterator 'x' here; there are m, n"
std::string noIterator(const At& here, const std::string& name);
std::string noOperand(const At& here, const OperandName& name);
std::string orderText(const Work& work, const std::string& iterator);

// Why a row of so many elements in a workgroup's memory cannot take `row`.
std::optional<std::string> noRow(std::optional<int64_t> row, int64_t elements);

// The loop over the invocations of a workgroup, of which each does one round.
ir::TileLoop invocationLoop(const Work& work, const std::string& name, int64_t count);
// The same for a side of several, which is called after the dimension of the workgroup: the last one is x.
ir::TileLoop invocationLoop(const Work& work, size_t side, size_t sides, int64_t count);

// Why a number as it is written, which is `number` here, cannot be computed: it may leave 64 bits, or divide by 0. One
// that is just compared may be the product of any sizes.
std::optional<std::string> cannotCompute(const Work& work, const At& here,
                                         const affine::Expr& written, const affine::Expr& number,
                                         bool isTest);

// The name stands for something in steps already.
bool isTaken(const Work& work, const At& here, const std::string& name);

// There are whole blocks of `by` of so many positions, as far as that is known.
bool isWhole(const At& here, const affine::Expr& extent, const affine::Expr& by);
// All terms are multiples; what one of so many equal parts is.
bool isMultiple(const affine::Expr& e, int64_t of);
affine::Expr partOf(const affine::Expr& e, int64_t parts);

// keep: whether there is memory for all positions of the iterator here, and what is said if not.
bool isEnough(const Work& work, const At& here, const std::string& name,
              const affine::Expr& positions);
std::string tooLittle(const std::string& iterator);
// The same step where the target is a device (verbs/keep_on_device.cpp).
ir::Block keepOnDevice(const Work& work, At here, const KeepStep& step);

// Why these iterators cannot become one.
std::optional<std::string> cannotCollapse(const Work& work, const At& here,
                                          const std::vector<std::string>& iterators);
// The op with these iterators, by their actual names, as one. Views go to `block`, unless a test asked before.
const Line& lineAlong(const Work& work, At& here, const std::vector<std::string>& group,
                      ir::Block& block);

// Why memory of a workgroup cannot be taken here.
std::optional<std::string> notInWorkgroup(const At& here);

// pack, results: the same steps where the target is a device.
ir::Block packOnWorkgroup(const Work& work, At here, const PackStep& step, size_t input);
ir::Block resultsInRegisters(const Work& work, At here, const ResultsStep& step);
// What there is of a panel, so many rows and positions; and the sums of one invocation, in a workgroup where
// these are the variables of its loops. Views go to `block`.
ir::Operand panelPart(const Work& work, const Panel& panel, const affine::Expr& rows,
                      const affine::Expr& positions, ir::Block& block);
ir::Operand sumsOf(const Work& work, unsigned sums, const std::vector<std::string>& invocation,
                   const std::vector<std::string>& names, const std::vector<affine::Expr>& extents,
                   ir::Block& block);

// vectorize, accumulate: what is asked for early; or why it cannot be.
std::optional<std::string> askAhead(At& here, const std::optional<ir::Ahead>& ahead);

// bind: blocks that invocations of a workgroup share.
ir::Block bindOver(const Work& work, At here, const BindStep& step);

// Packed inputs in the tile that begins at `origin` of `by` positions along an iterator; where that is a
// panel, `here.op` reads the panel, by a view that goes to `block`.
void lookAtPanels(const Work& work, At& here, const std::string& iterator,
                  const affine::Expr& origin, int64_t by, ir::Block& block);

// What the op, as the spec has it, may read outside its tensors. From there on one of both kinds of inputs
// is to be kept.
void lookOutside(const Work& work, At& here);
std::vector<ir::Operand> alike(const At& here, size_t operand);  // it, or both kinds of it
void settle(At& here, bool isInside);
// The same of all ops that share loops and are not done (verbs/fuse.cpp).
Result<std::vector<ir::Condition>> nothingOutsideOfShared(const Work& work, const At& here);
// What has to hold for the borders of an iterator to be known, which then are; and for nothing to be
// outside.
Result<std::vector<ir::Condition>> bordersKnown(const Work& work, const At& here,
                                                const std::string& iterator);
void findBorders(const Work& work, At& here, const std::string& iterator, ir::Block& block);
Result<std::vector<ir::Condition>> nothingOutside(const Work& work, const At& here);

// words: whether a step may stand before those that read the words.
bool keepsInputs(const Step& step);
// The same: whether tiles of so many positions have whole words.
bool areWordsWhole(const At& here, const affine::Expr& by);

// The sum on axes, with what is taken from it before.
ir::Block sumOnAxes(const Work& work, const At& here, const ir::StructuredOp& op);

// An input of the op in panels, or, with `isOne`, in one that holds all, without memory and copies; and
// the panel at `packed.origin` as an operand, a view that goes to `block`.
Result<Packed> panelsOf(const Work& work, const At& here, size_t input, const PackStep& step,
                        bool isOne = false);
ir::Operand panelView(const Work& work, const At& here, const Packed& packed, const std::string& p,
                      ir::Block& block);

}  // namespace einc::strategy
