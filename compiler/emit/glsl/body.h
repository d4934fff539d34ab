// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Statements of a dispatch as GLSL: what stands in a shader's main.
//
// Control flow around barriers is uniform: loops on invocations are closed before them, and none
// returns. A value of several lanes is a vector; where it is not next to itself in memory, or its
// place is not known to be a multiple of its size, it is read and written lane by lane.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/glsl/glsl.h"
#include "compiler/emit/glsl/scope.h"
#include "compiler/emit/glsl/values.h"
#include "compiler/emit/text/questions.h"
#include "compiler/emit/text/test.h"
#include "compiler/facts/facts.h"
#include "compiler/facts/inside.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

// Memory of the dispatch's own that is only read and written by vectors of so many lanes, and by
// scalars: it is declared as an array of such vectors. 0: not so.
using VectorArrays = std::map<unsigned, int64_t>;

class GlslBody {
 public:
  GlslBody(const ir::Kernel& kernel, const ir::Dispatch& dispatch, const facts::Facts& facts,
           ShaderScope& scope, GlslPrelude& prelude, const GlslOptions& options,
           const VectorArrays& vectorArrays);

  std::string run();
  // Declarations of shared memory, and its bytes.
  const std::vector<std::string>& shared() const { return shared_; }
  uint64_t sharedBytes() const { return sharedBytes_; }
  // Workgroups along x, y, z.
  const std::array<affine::Expr, 3>& workgroups() const { return workgroups_; }
  bool choosesSize() const { return choosesSize_; }
  // Roots in storage buffers.
  const std::map<unsigned, bool>& reads() const { return reads_; }
  const std::map<unsigned, bool>& writes() const { return writes_; }
  // Whether invocations see what others have written to buffers.
  bool seesBuffers() const { return seesBuffers_; }
  // Which arrays could be arrays of vectors, after run().
  const VectorArrays& vectorAccesses() const { return vectorAccesses_; }

  void operator()(const ir::StructuredOp&) {}  // none of these at this level, the verifier says
  void operator()(const ir::Fused&) {}
  void operator()(const ir::ExternalCall&) {}
  void operator()(const ir::Dispatch&) {}
  void operator()(const ir::LibraryCall& call) { block(ir::generated(call)); }
  void operator()(const ir::Alloc& alloc);
  void operator()(const ir::Bound& bound);
  void operator()(const ir::View& view) { facts_.enter(view); }
  void operator()(const ir::Offsets&) {}  // addresses are computed
  void operator()(const ir::Read&) {}     // in no dispatch
  void operator()(const ir::Lead& lead);
  void operator()(const ir::NonTemporal& region) { block(region.body); }
  void operator()(const ir::For& loop);
  void operator()(const ir::TileLoop& loop);
  void operator()(const ir::If& test);
  void operator()(const ir::Outline& outline) {
    inBraces([&] { block(outline.body); });
  }
  void operator()(const ir::Vector& region);
  void operator()(const ir::Let& let);
  void operator()(const ir::Assign& assign);
  void operator()(const ir::Store& store);
  void operator()(const ir::Prefetch&) {}
  void operator()(const ir::Transpose&) {}  // not for devices
  void operator()(const ir::AssumeNumbers& assume) { block(assume.otherwise); }
  void operator()(const ir::CheckNumbers&) {}
  void operator()(const ir::Barrier& barrier);

 private:
  using Index = facts::Index;

  struct Text {
    std::string text;
    GlslType type;
    bool isName = false;  // of a variable or constant: it may be asked for its components
  };

  void block(const ir::Block& statements);
  void inBraces(const std::function<void()>& body);

  // Loops.
  struct Loop {
    const std::string& var;
    const affine::Expr& extent;
    affine::Expr step;
    ir::On on;
    const ir::Block& body;
    std::string size = {};  // the name of a tile's size
  };
  void loop(const Loop& loop);
  bool isUnrolled(const Loop& loop) const;
  void inOrder(const Loop& loop);
  void onWorkgroups(const Loop& loop);
  void onGrid(const Loop& loop);
  void onDimension(const Loop& loop);
  void onAll(const Loop& loop);
  // The body; before it the size of the tile and, where `number` says it, the variable: if they are
  // used.
  void round(const Loop& loop, const std::string& number = "");
  void single(const Loop& loop, const std::string& number, std::optional<int64_t> count);
  std::string numberOf(const Loop& loop, const std::string& number) const;

  // Conditions.
  Test allOf(const std::vector<ir::Condition>& conditions) const;
  std::string startText(const facts::Start& start);

  // Values.
  Text value(const ir::ValueRef& v);
  Text load(ir::ScalarType type, const ir::Load& load);
  Text call(ir::ScalarType type, const ir::Call& call);
  Text position(const affine::Expr& e);
  Text reduce(const ir::Value& v, const ir::Reduce& reduce);
  Text shuffle(const ir::Value& v, const ir::Shuffle& shuffle);
  // All lanes of it.
  std::string vector(const Text& text, int64_t lanes) const;
  // A name for it: its own, or a new variable's.
  std::string named(const Text& text, const std::string& wanted);
  static std::string lane(const Text& text, int64_t i);

  // Places in memory.
  using Tests = std::vector<std::string>;
  struct Places {
    std::string whole;               // all lanes as one element of an array of vectors; or empty
    std::vector<std::string> lanes;  // the elements
    // Conditions under which there is an element: all lanes have theirs; or, if lanes differ, any
    // has (in part), and each then.
    Tests all, common;
    std::vector<Tests> each;
  };
  // An invocation has its own elements of it, without so many first dimensions.
  bool isOwn(unsigned root) const;
  size_t ownDims() const;
  affine::Expr flat(unsigned root, const Index& index) const;
  std::string address(unsigned tensor, const Index& index);
  std::string rootAddress(unsigned tensor, const Index& index);  // of what has memory
  std::string element(unsigned tensor, const Index& index);
  std::string fromElement(unsigned tensor, int64_t lanes, const std::string& element) const;
  std::string toElement(unsigned tensor, int64_t lanes, const std::string& value) const;
  std::string read(unsigned tensor, const Index& index, const ir::ValueRef& pad);
  std::string component(unsigned root, const affine::Expr& place, int64_t lanes);
  struct Distance {
    std::optional<int64_t> known;
    std::string text;
  };
  std::optional<Distance> strideAlong(unsigned tensor, const Index& index, const std::string& axis);
  Places placesOf(unsigned tensor, const Index& index, const std::string& axis, bool unit);
  std::string whole(unsigned tensor, const Index& index, const std::string& axis, bool unit);
  Text readVector(ir::ScalarType type, const ir::Load& load, const std::string& axis);
  void writeVector(const ir::Store& store, const std::string& axis);

  void testLanes(unsigned tensor, const Index& index, const std::string& axis, facts::Dims dims,
                 Places& places) const;
  Test inside(unsigned tensor, const Index& index, facts::Dims dims) const;

  const ir::Kernel& kernel_;
  const ir::Dispatch& dispatch_;
  facts::Facts facts_;
  ShaderScope& scope_;
  GlslPrelude& prelude_;
  const GlslOptions& options_;
  const VectorArrays& vectorArrays_;
  std::set<unsigned> variablesOfOne_;  // memory of one element
  GlslNames names_;
  GlslValues values_;
  QuestionPrinter questions_;

  std::set<std::string> inside_;           // names of index expressions that the shader computes
  std::map<std::string, int64_t> widths_;  // of axes
  std::map<std::string, GlslType> variables_;
  std::map<unsigned, ir::Space> spaces_;
  std::array<affine::Expr, 3> workgroups_;
  bool choosesSize_ = false, seesBuffers_ = false;
  std::vector<std::string> shared_;
  uint64_t sharedBytes_ = 0;
  std::map<unsigned, bool> reads_, writes_;
  VectorArrays vectorAccesses_;
  bool alone_ = false;  // the statement is all that stands in its braces
  TextWriter out_;
};

}  // namespace einc::emit
