// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Statements at hardware level as C.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/c/registers.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/c/vectors.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/shader.h"
#include "compiler/emit/text/test.h"
#include "compiler/facts/facts.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

// Names in NAME_run and the functions it calls that are no names of the spec.
struct RunNames {
  explicit RunNames(Names& names);  // references

  std::string workspace;         // the pointer from which buffers in the heap are cut
  std::string threads;           // how many may be used
  std::string slots, slotBytes;  // memory of the threads: a slot each, one after the other
  std::string from, to;          // tiles of a loop on threads
  std::string context, names;    // what they are computed with
};

// Where dispatches go, and what they are there.
struct DeviceNames {
  const std::vector<Shader>* shaders;  // of this kernel
  size_t first;                        // their number among the library's
  std::string run;                     // what is recorded
  std::vector<std::string> operands;   // of each tensor; empty: is no buffer of a shader
};

// `text` two blanks further to the left, by `levels` times.
std::string dedented(const std::string& text, size_t levels);

// The number of a lane, where lanes are read and written one by one.
inline constexpr const char* kLane = ".lane";

bool hasVectors(const ir::Block& block);

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

class BodyWriter {
 public:
  // `function` is what the names of outlined functions begin with.
  BodyWriter(const ir::Kernel& code, KernelScope& scope, Prelude& prelude, VectorPrelude& vectors,
             const std::string& plant, std::string function, const RunNames& run);

  // Arguments have unit stride along their last dimensions.
  void expectContiguous() { facts_.promiseContiguous(); }
  // Statements are a host's, which records dispatches: before any other function.
  void onDevice(const DeviceNames& device) { device_ = &device; }

  // The statements of NAME_run; functions that were outlined stand in outlined().
  std::string run();
  // Statements that add to the number `workspace` what allocs take, of a kernel with no others.
  std::string sizes();
  // Statements that say which of the kernel's choices (explain.cpp) are made, at the end `end` of
  // a text, and what they say at most; none if there are no choices.
  std::string sentences(const std::string& end, size_t& room);
  const std::string& outlined() const { return outlined_; }

  void operator()(const ir::StructuredOp&) {}  // none at this level, the verifier says
  void operator()(const ir::Fused&) {}
  void operator()(const ir::Alloc& alloc);
  void operator()(const ir::Bound& bound);
  void operator()(const ir::View& view);
  void operator()(const ir::Offsets& offsets);
  void operator()(const ir::Lead& lead);
  void operator()(const ir::NonTemporal& region);
  void operator()(const ir::For& loop);
  void operator()(const ir::TileLoop& loop);
  void operator()(const ir::If& test);
  void operator()(const ir::Outline& outline);
  void operator()(const ir::Vector& region);
  void operator()(const ir::Let& let);
  void operator()(const ir::Assign& assign);
  void operator()(const ir::Store& store);
  void operator()(const ir::Prefetch& prefetch);
  void operator()(const ir::Transpose& transpose);
  void operator()(const ir::AssumeNumbers& assume);
  void operator()(const ir::CheckNumbers& check);
  void operator()(const ir::LibraryCall& call);
  void operator()(const ir::ExternalCall& call);
  void operator()(const ir::Dispatch& dispatch);
  void operator()(const ir::Barrier&) {}  // in dispatches alone

 private:
  using Index = facts::Index;

  void block(const ir::Block& statements);
  // What a round of a loop begins with, if it uses memory, and what it ends with.
  struct Round {
    std::string first, last;
  };
  void forLoop(const ir::For& loop);
  bool isStrided(const ir::For& loop) const;
  // With all tiles from `first` on below `end`.
  void tileLoop(const ir::TileLoop& loop, const std::string& first, const std::string& end,
                const Round& round);
  void onThreads(const ir::TileLoop& loop);
  std::string narrowed(const ir::ValueRef& value) const;
  Test condition(const ir::Condition& condition);
  Test allOf(const std::vector<ir::Condition>& conditions);
  void underConditions(const ir::If& test);
  void otherwise(const ir::Block& statements);
  Test unit(unsigned tensor, unsigned dim);
  Test goesOn(const facts::Unit& asked) const;
  Test aligned(unsigned tensor, unsigned dim, int64_t bytes);
  void fence();

  // Calls of libraries.
  affine::Expr extent(const ir::LibraryCall& call, const std::string& iterator) const;
  std::string step(const ir::Operand& operand, const std::string& iterator) const;
  std::string descriptor(const ir::LibraryCall& call, size_t operand, bool moves);
  std::string first(const ir::LibraryCall& call, size_t operand) const;
  std::string holds(const ir::LibraryCall& call, const ir::Where& where) const;
  Test isPlain(const ir::ValueRef& factor) const;
  void invoke(const ir::LibraryCall& call, const std::vector<std::string>& loops,
              const std::vector<std::string>& operands, const std::string& function);

  // Devices.
  void temporary(unsigned tensor, const std::string& elements);
  std::string constantCall(const ShaderConstant& constant);

  std::string ownDescriptor(unsigned tensor);
  std::vector<std::string> outerLoops(const ir::LibraryCall& call) const;
  std::string mergesFlag(const ir::LibraryCall& call, size_t operand, char letter);

  // Sentences in the place of code.
  struct Clause {
    Test test;
    std::string words;                   // what is asked, for people, if it says anything
    std::function<std::string()> fails;  // the statement that says why it does not hold
    bool isFlag = false;                 // the test is a variable, which is 1 unless it is cleared
  };
  Clause clause(const ir::Condition& condition);
  std::vector<Clause> clausesOf(const ir::LibraryCall& call);
  void firstThatFails(const std::vector<Clause>& clauses);
  void explain(const ir::If& test, const Test& all);
  void explain(const ir::LibraryCall& call);
  void explain(const ir::TileLoop& loop);
  void tell(const ir::Block& statements, size_t first);
  std::string say(const std::string& words);
  std::string says(const std::string& call);
  std::string sayNumber(const std::string& before, const std::string& number,
                        const std::string& after);
  affine::Expr inSymbols(const affine::Expr& e) const;
  bool isTold(const ir::Condition& condition) const;
  std::string dimensionText(unsigned tensor, unsigned dim) const;

  // What is computed once (once.cpp).
  template <typename Write>
  void withOnce(Write&& write);
  std::vector<std::string> takeLines(const std::string& body);
  void enter(const std::string& name);
  bool isSameInside(const affine::Expr& e) const;
  bool isTested(unsigned tensor, const Index& index, bool checked) const;
  std::pair<Index, Index> partsOf(const Index& index) const;
  std::string once(const std::string& text, const std::string& name,
                   const std::string& type = "int64_t ") const;
  std::string place(unsigned tensor, const Index& same, const std::string& offset) const;
  std::string quotient(const std::string& function, const affine::Expr& what,
                       const affine::Expr& by) const;

  // Places in memory.
  std::string element(unsigned tensor, const Index& index, bool checked = false) const;
  std::string address(unsigned tensor, const Index& index) const;
  // What `position` counts from, and `position`.
  struct Place {
    std::string base, position;
  };
  Place placeOf(unsigned tensor, const Index& index) const;
  std::string strided(unsigned tensor, const Index& index, std::string position) const;
  std::string stride(unsigned tensor, unsigned dim) const;
  std::vector<std::string> insideTests(unsigned tensor, const Index& index) const;
  Test inside(unsigned tensor, const Index& index) const;
  bool isAlwaysBelow(const affine::Expr& index, const affine::Expr& size) const;
  bool isNeverNegative(const affine::Expr& index) const;

  // Registers that are repeated (registers.cpp).
  void repeated(const ir::Block& statements);
  bool repeated(const Registers::Group& group, size_t axis);
  void declare(const ir::Let& let);
  std::string count(const ir::Axis& times) const;
  void writeRegion(const ir::Vector& region);

  // Functions of their own (outline.cpp).
  void callVariant(const ir::Vector& region);
  struct Function {
    std::string name;
    std::vector<Passed> parameters;
    std::vector<std::string> pieces;  // all that is written but for the parameters
  };
  std::vector<Passed> parametersOf(const References& used, size_t declared) const;
  std::vector<Passed> valuesOf(const Once& once, std::string& body) const;
  bool isForAnyStrides(const ir::Block& block) const;
  std::optional<std::vector<std::string>> argumentsOf(const Function& before,
                                                      const Function& function) const;
  void callOne(const std::string& head, const std::string& wanted,
               const std::vector<Passed>& parameters, const std::string& body);
  std::string variable(const std::string& name) const;

  // Vectors.
  std::string axisIn(const Index& index) const;
  affine::Expr furtherPart(const affine::Expr& index) const;
  // `mayBegin`: lanes before the first element may be left out, as those behind the last one may.
  struct LaneTest;
  std::vector<LaneTest> laneTests(unsigned tensor, const Index& index, const std::string& axis,
                                  bool checked) const;
  void placeLanes(unsigned tensor, const Index& index, const std::string& axis,
                  VectorAccess& result);
  void placeVector(unsigned tensor, const Index& index, const std::string& axis, bool unit,
                   bool linear, VectorAccess& result);
  VectorAccess access(unsigned tensor, const Index& index, bool checked, bool unit,
                      bool mayBegin = false);

  const ir::Kernel& kernel_;
  KernelScope& scope_;
  Prelude& prelude_;
  VectorPrelude& vectors_;
  const std::string& plant_;
  std::string function_, outlined_;
  std::string outline_;  // the name of the function around, "" in NAME_run
  std::vector<Function> functions_;
  Names functionNames_{[](std::string name) { return name; }};
  std::map<std::string, int64_t> mostTimes_;  // along axes of variants
  const RunNames& run_;
  const DeviceNames* device_ = nullptr;
  std::string slots_;  // where those of a loop on threads begin here
  bool onlySizes_ = false;
  std::string end_;             // of the text, if sentences are written
  size_t room_ = 0;             // for all that they may say
  size_t saying_ = 0;           // statements that say something, so far
  std::set<std::string> said_;  // on the way here
  unsigned choices_ = 0;        // told of around here
  bool onTiles_ = false;        // what is told is of the first tile
  std::map<std::string, std::optional<affine::Expr>>
      bounds_;  // in names of the spec, if they are one
  ValueNames names_;
  ValuePrinter printer_;
  VectorPrinter::Names vectorNames_;
  VectorPrinter vectorPrinter_;

  facts::Facts facts_;
  std::map<std::string, int64_t> checks_;  // of assumed numbers: variables with a bit for each lane
  size_t checkCount_ = 0;
  size_t gathered_ = 0;                         // vectors that were read or stored lane by lane
  std::string preferred_;                       // the name of the next of them, if it has one
  std::vector<std::string> hold_;               // conditions of the store that is written
  std::vector<std::string>* buffer_ = nullptr;  // where lines before a statement go; null: out_
  bool isLeftOver_ = false;             // statements are of tiles that are cut off, beside vectors
  mutable bool isWrittenOut_ = true;    // nothing here is faster for what C compilers do to loops
  bool isAlone_ = false;                // the next statement is all of its block
  mutable bool isPlaceTested_ = false;  // of the element that is written: see isTested
  mutable std::optional<Once> once_;
  mutable std::string* base_ = nullptr;  // what the address that is written counts from
  mutable std::map<std::string, size_t> onceCounts_;  // of names
  std::set<unsigned> nonTemporal_;                    // tensors that stores go to around the caches
  std::map<std::string, int64_t> widths_;             // of axes
  std::optional<Registers> registers_;                // of the region around, if they are repeated
  std::map<std::string, VectorType> variables_;
  std::vector<std::pair<std::string, std::string>> declared_;  // references and types, for outlines
  TextWriter out_;
};

}  // namespace einc::emit
