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

#include "compiler/emit/c/places.h"
#include "compiler/emit/c/registers.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/c/vectors.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/shader.h"
#include "compiler/emit/text/test.h"
#include "compiler/facts/facts.h"
#include "compiler/support/text_writer.h"
#include "compiler/target/target.h"

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

// A loop on threads, and how many tiles there are in each round of the loop around: its own, or those inside.
struct SharedLoop {
  const ir::TileLoop* loop;
  std::string tiles;
};
// A function that does tiles, and what it is to be given.
struct SharedTiles {
  std::string function, names;
};

// The statements of a kernel's loops.
class BodyWriter : public PlacePrinter {
 public:
  // `function` is what the names of outlined functions begin with.
  BodyWriter(const ir::Kernel& code, KernelScope& scope, Prelude& prelude, VectorPrelude& vectors,
             const std::string& plant, std::string function, const RunNames& run);

  // The CPU that runs them; else nothing is known of it.
  void onTarget(const target::Target& target) { target_ = &target; }
  // Statements are a host's, which records dispatches: before any other function.
  void onDevice(const DeviceNames& device) { device_ = &device; }

  // The statements of NAME_run; functions that were outlined stand in outlined().
  std::string run();
  const std::string& outlined() const { return outlined_; }

  void operator()(const ir::StructuredOp&) {}  // none at this level, the verifier says
  void operator()(const ir::Fused&) {}
  void operator()(const ir::Alloc& alloc);
  void operator()(const ir::Bound& bound);
  void operator()(const ir::Read& read);
  void operator()(const ir::View& view);
  void operator()(const ir::Offsets& offsets);
  void offsetTable(const ir::Offsets& offsets, const affine::Expr& positions);
  void quotientTable(const ir::Offsets& offsets, const affine::Expr& positions);
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
  void computeBefore(const ir::Block& otherwise);
  void operator()(const ir::LibraryCall& call);
  void operator()(const ir::ExternalCall& call);
  void operator()(const ir::Dispatch& dispatch);
  void operator()(const ir::Barrier&) {}  // in dispatches alone

 private:
  void block(const ir::Block& statements);
  void scope(const ir::Block& statements);
  void givenBack();
  void forLoop(const ir::For& loop);
  void unrolledLoop(const ir::For& loop);
  void writeLoop(const ir::For& loop);
  bool isStrided(const ir::For& loop) const;
  // With all tiles from `first` on below `end`; a round that uses memory begins with `round`.
  void tileLoop(const ir::TileLoop& loop, const std::string& first, const std::string& end,
                const std::string& round, const std::function<void()>& inside = nullptr);
  // Loops on threads (threads.cpp).
  void onThreads(const ir::TileLoop& loop);
  std::string tileCount(const ir::TileLoop& loop);
  void sharedLoops(const std::vector<SharedLoop>& loops, size_t number, const std::string& from,
                   const std::string& to);
  SharedTiles outlineTiles(const std::string& attributes, const std::string& var,
                           const std::string& body);
  SharedTiles outlineLoops(const std::vector<SharedLoop>& loops, size_t number);
  std::string narrowed(const ir::ValueRef& value) const;
  void fence();
  bool isLoaded(unsigned root) const;
  void fencedBehind(const std::function<void()>& write);

  // Calls of libraries.
  void invoke(const ir::LibraryCall& call, const std::vector<std::string>& loops,
              const std::vector<std::string>& operands, const std::string& function);

  // Devices.
  void temporary(unsigned tensor, const std::string& elements);
  std::string constantCall(const ShaderConstant& constant);

  std::string descriptorOf(unsigned tensor) const;
  std::string ownDescriptor(unsigned tensor);

  // What is computed once (once.cpp).
  template <typename Write>
  void withOnce(Write&& write);
  static std::vector<std::string> takeLines(const Once& once, const std::string& body);

  // Registers that are repeated (registers.cpp).
  void repeated(const ir::Block& statements);
  bool repeated(const Registers::Group& group, const std::vector<size_t>& order, size_t done);
  void repeatedAlong(const Registers::Group& group, const std::vector<size_t>& order, size_t done);
  void loadTurned(const ir::Let& let, const ir::Load& load);
  void declare(const ir::Let& let);
  void writeRegion(const ir::Vector& region);
  void stepByStep(std::string& body);

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
  affine::Expr furtherPart(const affine::Expr& index) const;
  void placeLanes(unsigned tensor, const Index& index, const std::string& axis,
                  VectorAccess& result);
  bool placeWords(unsigned tensor, const Index& index, const std::string& axis,
                  VectorAccess& result);
  void placeVector(unsigned tensor, const Index& index, const std::string& axis, bool unit,
                   bool linear, VectorAccess& result);
  std::string wholeWhere(const affine::Expr& first, const affine::Expr& size, int64_t width) const;
  std::string laneStride(unsigned tensor, const Index& index, const std::string& axis) const;
  // Of lanes of which several are one element: the dimension of what has memory, and what is divided by how much there.
  struct Spread {
    unsigned dim;
    affine::Expr dividend;
    int64_t times;
    Index whole = {};  // of what has memory: where the first lane is, if an element begins with it
  };
  std::optional<Spread> spreadOf(unsigned tensor, const Index& index,
                                 const std::string& axis) const;
  void placeSpread(unsigned tensor, const Index& index, const std::string& axis,
                   const Spread& spread, VectorAccess& result);
  // Of what is loaded, lanes before the first element may be left out, as those behind the last one may.
  // Lines are further ones, each of which is read from its own beginning.
  enum class Access : uint8_t { Store, Load, Lines };
  VectorAccess access(unsigned tensor, const Index& index, bool checked, bool unit,
                      Access kind = Access::Store);

  VectorPrelude& vectors_;
  std::string function_, outlined_;
  std::string outline_;  // the name of the function around, "" in NAME_run
  std::vector<Function> functions_;
  Names functionNames_{[](std::string name) { return name; }};
  std::map<std::string, int64_t> mostTimes_;  // along axes of variants
  const RunNames& run_;
  const target::Target* target_ = nullptr;
  const DeviceNames* device_ = nullptr;
  std::string slots_;  // where those of a loop on threads begin here
  VectorPrinter::Names vectorNames_;
  VectorPrinter vectorPrinter_;

  std::map<std::string, int64_t> checks_;  // of assumed numbers: variables with a bit for each lane
  bool hasManyChecks_ = false;             // more than there are masks
  size_t checkCount_ = 0;                  // in what is assumed now
  size_t assumeCount_ = 0;                 // so far: several may stand in one block
  size_t gathered_ = 0;                    // vectors that were read or stored lane by lane
  std::string preferred_;                  // the name of the next of them, if it has one
  std::vector<std::string> hold_;          // conditions of the store that is written
  std::vector<std::string>* buffer_ = nullptr;  // where lines before a statement go; null: out_
  bool isLeftOver_ = false;       // statements are of tiles that are cut off, beside vectors
  bool isAlone_ = false;          // the next statement is all of its block
  bool isVariant_ = false;        // the region has others beside it, for more or fewer vectors
  bool hasSeveralTypes_ = false;  // locals in the heap have
  bool usesHeapAgain_ = false;
  size_t scopes_ = 0;               // of blocks that take memory from it
  std::set<unsigned> nonTemporal_;  // tensors that stores go to around the caches
  struct Around {
    size_t loops = 0;  // of the function that is written
    std::string flag;  // says behind them whether stores went around the caches
  } around_;
  std::map<std::string, int64_t> widths_;  // of axes
  std::map<std::string, VectorType> variables_;
  std::vector<std::pair<std::string, std::string>> declared_;  // references and types, for outlines
};

}  // namespace einc::emit
