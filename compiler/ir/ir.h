// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The IR. A Kernel is a signature and a tree of statements; passes replace statements by lower
// ones. The same tree serves every level (compiler/README.md says which statement is for which):
//
//   tensors   StructuredOp on tensors; local tensors have no memory yet. Fused keeps those together
//             that are to share loops
//   buffers   the same; each local tensor has an Alloc before its first use
//   tiled     TileLoop, View, Alloc and If around StructuredOps, which compute on views
//   vector    the same, with the ops replaced by Vector regions (n-D virtual vectors) and loops
//   hardware  no StructuredOps; no value has more than one axis of lanes, and that of a width the
//             target has: what the emitters print
//
// Laws of a StructuredOp, kept by every pass:
//   1. Its operands alone give the iteration space: each iterator runs from 0 to the size of the
//      first operand dimension that it indexes alone (shape.h).
//   2. Maps are data, to be asked in both directions.
//   3. Iterator kinds are declared. Iterations that differ in a parallel iterator never write the
//      same element; those that differ only in reduction iterators do, in unspecified order,
//      each seeing the value the one before it left.
//   4. The payload is arbitrary scalar code without side effects.
//   5. It is one perfect nest. If an extent is zero, nothing is read or written.
//
// Laws of what stands below them:
//   6. A View is a name for part of a tensor: an element of it is an element of its base. Its sizes
//      are its own: a position outside them is outside, though the base may have an element there.
//   7. The body of a TileLoop computes on the tile at `var`, of `size` positions. Tiles of a
//      parallel loop may run in any order, or at once; those of a reduction loop run in order.
//   8. Axes of a Vector region are parallel: each statement of its body acts on all positions
//      before the next begins. So positions are independent, but in a Reduce, a Shuffle or a
//      Transpose. A value that does not depend on an axis is the same all along it: that is how a
//      scalar is broadcast, and how an outer product is written, a[m] * b[n].
//
// Ownership: statements own their blocks; payload values (value.h) are immutable and shared.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/library.h"
#include "compiler/ir/types.h"
#include "compiler/ir/value.h"
#include "compiler/support/source.h"

namespace einc::ir {

// ---- Statements ---------------------------------------------------------------------------------

enum class IteratorKind : uint8_t { Parallel, Reduction };

// Where the iterations of a loop run: in order, or, those of parallel loops in a Dispatch, at once.
//   Workgroups    each is a workgroup, along one dimension of their grid
//   Invocations   number i is run by invocation i of the workgroup, along one dimension of it, or,
//                 where no dimension is named, by number i mod n of all its n invocations
//   Grid          number i is run by invocation i of all workgroups
// Up to level tiled a loop may say so before it is in a Dispatch (transforms/distribute.h).
enum class On : uint8_t {
  Order,
  WorkgroupsX,
  WorkgroupsY,
  WorkgroupsZ,
  InvocationsX,
  InvocationsY,
  InvocationsZ,
  Invocations,
  Grid
};
// "workgroups x", ...; empty: in order.
std::string_view nameOf(On on);
bool isOnWorkgroups(On on);
bool isOnInvocations(On on);  // along a dimension or all of them, or on the grid

struct Iterator {
  std::string name;
  IteratorKind kind;
  bool operator==(const Iterator&) const = default;
};

struct Operand {
  unsigned tensor;                // index into Kernel::tensors
  std::vector<affine::Expr> map;  // one expression a dimension, over the op's iterators and symbols
  ValueRef pad;                   // inputs: the value read outside the tensor; null: never outside
  bool shapeOnly = false;         // inputs: gives iterators their extents, is never read
  SourceRange source = {};        // the access in the spec; not part of the text form
};

// One dimension of an n-D virtual vector.
struct Axis {
  std::string name;
  int64_t size;
  bool operator==(const Axis&) const = default;
};

// What is to be read soon: so many positions further along an iterator.
struct Ahead {
  std::string iterator;
  int64_t distance;
  bool far = false;  // into the second cache alone
  bool operator==(const Ahead&) const = default;
};

// What is read of an input is written there, too, on the way; with a map over the op's iterators.
struct Copied {
  unsigned input;
  Operand to;
};

// How the results of parts of a reduction become one, in any order: a spec's combiner on the types of
// n outputs. Over operands 0 to n - 1, what one part gave, and n to 2n - 1, what the other gave;
// without indices, attributes and elements.
struct Combiner {
  std::vector<ValueRef> results;
  std::vector<ValueRef> neutral;  // what a part begins with: literals
};

struct StructuredOp {
  std::vector<Iterator> iterators;  // in loop order: the first is outermost
  std::vector<Operand> inputs, outputs;
  std::vector<ValueRef> results;  // one for each output, of the output's element type
  SourceRange source;             // the statement in the spec; not part of the text form
  // Level tiled: the iterators that are to become axes, none of which runs further than its axis;
  // empty if the op is to become scalar loops.
  std::vector<Axis> axes = {};
  std::optional<Ahead> ahead = {};  // of the inputs that are unit along an axis
  std::optional<Ahead> own = {};    // of such outputs: what is to be written soon
  std::optional<Copied> copied = {};
  bool early = false;    // the outputs are asked for before the sum begins that is added to them
  bool variant = false;  // beside others that differ in the sizes of their axes alone
  std::vector<std::string> unrolled = {};  // reductions, where their number is known
  // What a term does to the outputs, if that is neither known by the payload's function, nor in the
  // order of the terms; null otherwise.
  std::shared_ptr<const Combiner> combiner = nullptr;

  size_t operandCount() const { return inputs.size() + outputs.size(); }
  const Operand& operand(size_t i) const {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  }
  Operand& operand(size_t i) { return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()]; }
};

// Whether any iterator is a reduction.
bool reduces(const StructuredOp& op);
// Whether each index is an iterator, another one each, and nothing is read outside.
bool isPlain(const Operand& operand);
bool isParallel(const StructuredOp& op, const std::string& iterator);
// Whether the tensor is among its operands.
bool uses(const StructuredOp& op, unsigned tensor);
// Elements of it, as an input; as an output.
bool readsElementsOf(const StructuredOp& op, unsigned tensor);
bool writes(const StructuredOp& op, unsigned tensor);
// Whether the payload reads the operand; of an output the value before the update.
bool readsOperand(const StructuredOp& op, size_t operand);
// Whether it compares two positions: lt(index(n), index(N)). In vectors that is a mask of lanes.
bool comparesPositions(const Value& value);
// Whether the payload computes with the positions of iterators.
bool usesPositions(const StructuredOp& op);

struct Stmt;
using Block = std::vector<Stmt>;

// So many positions the iterators have together: below the bound, or not below it.
struct Where {
  std::vector<std::string> iterators;
  bool below;
  int64_t bound;
  bool operator==(const Where&) const = default;
};

// What `body` computes, by a function of a library, if `where` holds and the function takes the
// sizes and strides that there are; else `body` runs. The operands of `op` are those of the
// function's einsum, in its order, and each of its letters stands for iterators of `op`, outermost
// first, which are to be one dimension in memory. Of iterators in no letter each position is a
// call. alpha: a factor of all terms; beta: one of what was there. Both are 1 where there is no
// value, and no value depends on an iteration.
struct LibraryCall {
  std::string library;  // "cblas" or "blis"
  LibraryFunction function;
  struct Letter {
    char name;
    std::vector<std::string> iterators;
  };
  std::vector<Letter> letters;
  ValueRef alpha, beta;
  std::vector<Where> where;  // all of these, of iterators of `op`
  StructuredOp op;           // what is called for, beta left out
  Block body;
  unsigned number = 0;  // of the op among the kernel's, for people
};
// What runs if neither this call is made nor those in its place.
const Block& generated(const LibraryCall& call);
// The payload of such an op: add(c, mul(alpha, mul(a, b))), or what there is of that.
ValueRef payloadOf(LibraryFunction function, ScalarType type, const ValueRef& alpha);

// A tensor of the kernel, or an attribute.
struct Argument {
  bool isTensor;
  unsigned index;
  bool operator==(const Argument&) const = default;
};

// What `body` computes, by a function of the user's own. It gets descriptors of the tensors, and
// the attributes, in this order. The body says what it stands for: it keeps the form of level
// buffers, is run by the interpreter alone, and uses no other tensors and attributes but locals
// that it allocates.
struct ExternalCall {
  std::string function;
  std::vector<Argument> arguments;
  Block body;
};
// Those in a block, at any depth.
std::vector<const ExternalCall*> externalCalls(const Block& block);

// Ops that are to share loops, in their order: it changes no value.
struct Fused {
  Block ops;
};

// Gives a local tensor its memory to the end of the block: row-major, uninitialised, aligned to 64
// bytes. In the heap, or on the stack, where sizes are constants. In a Dispatch, sizes constants,
// too: one for a workgroup, whose invocations share it, or in registers, of which each invocation
// has those elements whose first indices are its own numbers in the workgroup, slowest dimension
// (z) first, as many as the workgroup has dimensions of more than one.
//
// `over` a tensor whose alloc, in the heap, too, stands before it in the block, it takes the memory
// that this one has, and which nothing uses any more. That memory is as large as the largest of all
// that are there one after the other; their sizes are known before the first.
enum class Space : uint8_t { Heap, Stack, Workgroup, Registers };
struct Alloc {
  unsigned tensor;
  Space space = Space::Heap;
  std::optional<unsigned> over = std::nullopt;
};

// name = the least of `of`, a symbol of index expressions to the end of the block.
struct Bound {
  std::string name;
  std::vector<affine::Expr> of;
};

// name = the element at `index` of an input of integers, or of a view of one, cut to -kMostRead .. kMostRead, plus `plus`; 0 if
// that is negative. A symbol to the end of the block, but no size of memory. Not in a Dispatch.
inline constexpr int64_t kMostRead =
    int64_t{1} << 61;  // sums of a few such, and of positions, are far from the end of 64 bits
struct Read {
  std::string name;
  unsigned tensor;
  std::vector<affine::Expr> index;
  affine::Expr plus = {};
};
struct Kernel;
// The same as a value.
ValueRef valueOf(const Kernel& kernel, const Read& read);

// `view`, of role View, is part of `base` to the end of the block: its element at (d0, d1, ...) is
// that of `base` at `map`, which is over the names in `dims` and what is in scope. The view's sizes
// are its shape. A position inside the view, but outside the base, reads as `pad`, and is never
// accessed where there is none; a view with `pad` is only read.
struct View {
  unsigned view;
  unsigned base;
  std::vector<std::string> dims;
  std::vector<affine::Expr> map;
  ValueRef pad;
};

// A view whose elements are of a wider type than its base's is one of words: each is several
// neighbours in memory, the first in its lowest bits. `count` of them along dimension `along` of the
// base, which is unit, are one along `dim` of the view. One of u16 on f16 or bf16 has their bits.
// Both are only read.
struct Words {
  unsigned dim, along;
  unsigned count;
};
std::optional<Words> wordsOf(const Kernel& kernel, const View& view);

// From here to the end of the block, the places in memory that correspond to dimension `dim` of
// `view` are looked up in `table` (a local i64 tensor of one dimension, with memory for each
// position of the dimension), instead of being computed at each access. The address of an element
// must be a sum of one part for each dimension. It changes no value.
//
// With `quotients`, a local i64 tensor of rows as long as the table, quotients and rests that stand in the index there of what
// has memory are looked up, too: one in each row, as far as there are rows. It is of no other dimension.
struct Offsets {
  unsigned view;
  unsigned dim;
  unsigned table;
  std::optional<unsigned> quotients = std::nullopt;
};

// name = how many positions along dimension `dim` of `tensor`, which is unit along it, come before
// the first whose address is a multiple of `bytes`, the other dimensions at 0; at most the
// dimension's size. A symbol to the end of the block, on which no value may depend.
struct Lead {
  std::string name;
  unsigned tensor;
  unsigned dim;
  int64_t bytes;
};

// Vectors without `clip` that `body` stores to `tensor`, or to views of it, go around the caches:
// for what is larger than they are, and not read soon. Each begins at an address that is a multiple
// of its size in memory. Behind the region, they are visible to all threads. It changes no value.
struct NonTemporal {
  unsigned tensor;
  Block body;
};

// var = 0, 1, ..., extent - 1
struct For {
  std::string var;
  affine::Expr extent;
  IteratorKind kind;
  Block body;
  On on = On::Order;
  bool unrolled = false;  // each round is code of its own: a constant number of them, for compilers
};

// var = 0, step, 2 * step, ... < extent, and the symbol size = min(step, extent - var) with it.
// step > 0, unless extent is 0. With a `grain` the iterations of a parallel loop are shared out to
// threads, unless a loop around it has been: at least `least` to each, and not where that makes use
// of fewer threads than the loops inside could.
struct Grain {
  affine::Expr least, inside = {};
};
struct TileLoop {
  std::string var, size;
  affine::Expr extent, step;
  IteratorKind kind;
  std::optional<Grain> grain;
  Block body;
  On on = On::Order;
};

// Code for a device, started once: a grid of workgroups of so many invocations each. Loops on
// workgroups are outermost, one for each dimension, perfectly nested but for bounds and views; in
// them stands what all invocations of a workgroup do alike (loops in order, conditions, barriers),
// and loops on invocations, each of which reads and writes. Or it is one loop on the grid. What a
// dispatch writes, later ones see. It changes no value.
struct Dispatch {
  std::string name;
  std::array<int64_t, 3> invocations;  // along x, y, z
  Block body;
};
// What the workgroup's invocations have written before it, they all see behind it: in memory of the
// workgroup, and with `buffers` in all other memory, too.
struct Barrier {
  bool buffers = false;
};

// All of the conditions hold.
struct Condition {
  enum class Kind : uint8_t {
    Equal,      // left == right
    Less,       // left < right
    LessEqual,  // left <= right
    Unit,       // neighbours along dimension `dim` of `tensor` are neighbours in memory
    Even,       // they are equally far apart; fewer than three positions may count as not
    Aligned     // lines along dimension `dim` of `tensor` begin at multiples of `left` bytes
  };
  Kind kind;
  affine::Expr left = {}, right = {};
  unsigned tensor = 0, dim = 0;
  bool operator==(const Condition&) const = default;

  // What it says is of the tensor, and where its elements are.
  bool isOfMemory() const {
    return kind == Kind::Unit || kind == Kind::Even || kind == Kind::Aligned;
  }
};
struct If {
  std::vector<Condition> conditions;
  Block then, otherwise;
};

// The statements as a function of their own, with a name that is the kernel's only once. They
// assign no variable from outside. It changes no value.
struct Outline {
  std::string name;
  Block body;
};

// An n-D virtual vector: `body` for all positions of the axes (law 8). Loops, conditions and bounds
// in it are free of axes. At hardware level `axes` are those of registers, of which a value has one
// at most; along `times` there are several of these (none above that level). A `variant` has others
// beside it that differ in the sizes of axes alone: code for one, in terms of these, serves all.
struct Vector {
  std::vector<Axis> axes;
  Block body;
  std::vector<Axis> times = {};
  bool variant = false;
};

// A variable, from here to the end of the block: one value for each position of `axes`, those of
// the region around it on which the variable depends, now or after an Assign.
struct Let {
  std::string name;
  ValueRef value;
  std::vector<std::string> axes = {};
};

struct Assign {
  std::string name;
  ValueRef value;
};

// In a Vector region, a transfer write for each position of the axes in `index`; the value has no
// other axes. `unit` as for Load. With `clip`, positions outside the tensor are left out.
struct Store {
  unsigned tensor;
  std::vector<affine::Expr> index;
  ValueRef value;
  std::string unit = {};
  bool clip = false;
};

// The element at `index`, in a Vector region for each position of the axes in it, will be read
// or written soon. It need not exist. It changes no value.
struct Prefetch {
  unsigned tensor;
  std::vector<affine::Expr> index;
  // It comes into the second cache alone: what is asked of the first one waits for none of it.
  bool far = false;
  bool own = false;  // it will be written
};

// In the variable, whose last axis are lanes, what is at position i of `axis` and j of the lanes
// and what is at j of `axis` and i of the lanes change places; there are as many of both.
struct Transpose {
  std::string name, axis;
};

// Runs `body`, and after it `otherwise`, if a CheckNumbers in `body` has met a NaN. In `body` max and min
// of floats need to be right for numbers alone, which is faster where NaN takes instructions of its
// own; `otherwise` assigns anew all variables that `body` has assigned. It changes no value.
struct AssumeNumbers {
  Block body, otherwise;
};
// At all positions of the axes that the values, which are floats, depend on.
struct CheckNumbers {
  std::vector<ValueRef> values;
};

// Copies and moves are compiled once, not wherever there is a block.
struct Stmt {
  using Node =
      std::variant<StructuredOp, Fused, Alloc, Bound, Read, View, Offsets, Lead, NonTemporal, For,
                   TileLoop, If, Outline, Vector, Let, Assign, Store, Prefetch, Transpose,
                   AssumeNumbers, CheckNumbers, LibraryCall, ExternalCall, Dispatch, Barrier>;
  Stmt(Node node);  // NOLINT(google-explicit-constructor): any of these is a statement
  Stmt(const Stmt& other);
  Stmt(Stmt&& other) noexcept;
  Stmt& operator=(const Stmt& other);
  Stmt& operator=(Stmt&& other) noexcept;
  ~Stmt();

  Node node;
};

// The blocks inside a statement, in order.
std::vector<Block*> blocksOf(Stmt& stmt);
std::vector<const Block*> blocksOf(const Stmt& stmt);
// What a Let, an Assign or a Store computes; null for all others.
ValueRef valueOf(const Stmt& stmt);
// A store behind an assignment: it is done when all positions have been assigned, not one by one.
bool isWrittenAfter(const Stmt& assigned, const Stmt& stmt);

// ---- Kernels ------------------------------------------------------------------------------------

// A View has its base and map from the statement of that name.
enum class Role : uint8_t { Input, Output, Local, View };
constexpr bool isArgument(Role role) { return role == Role::Input || role == Role::Output; }

struct Tensor {
  std::string name;
  ScalarType type;
  std::vector<affine::Expr> shape;  // over size symbols and integer attributes
  Role role;
  SourceRange source = {};              // the name in the spec, and each size; not part
  std::vector<SourceRange> sizes = {};  // of the text form
};

// Whether its elements are parts of bytes: those of arguments alone.
bool isPacked(const Tensor& tensor);

// A scalar or small array passed by value: an attribute, or (parameter) a scalar among the inputs.
// Integer ones are symbols of index expressions under symbolName.
struct Attribute {
  std::string name;
  ScalarType type;
  std::vector<int64_t> shape;  // empty: a scalar
  bool list = false;           // `f32[]`: one dimension whose length the caller gives
  bool optional = false;
  bool parameter = false;
  std::optional<std::vector<Number>> defaults;  // all elements
  SourceRange source = {};                      // the name in the spec; not part of the text form

  int64_t elementCount() const;                   // 1 for a scalar; not for lists
  std::string symbolName(int64_t element) const;  // "strides[1]"; "s" for a scalar
};

enum class Level : uint8_t { Tensors, Buffers, Tiled, Vector, Hardware };
std::string_view nameOf(Level level);  // "tensors"

struct Kernel {
  std::string name;
  std::string doc;                      // may hold any bytes
  std::string odsName;                  // ods_def<...>, or empty
  std::vector<std::string> interfaces;  // implements_interface<...>
  // library_call<...>: the function that computes all of the def; empty: the one that has the name
  // of the operands' types (library_call_name.h).
  std::optional<std::string> libraryCall;
  std::vector<Tensor> tensors;        // inputs and outputs in signature order, then locals
  std::vector<Attribute> attributes;  // scalar parameters and attributes
  // The inputs in the order of the signature: tensors and scalar parameters mixed.
  using Input = Argument;
  std::vector<Input> inputs;
  Level level = Level::Tensors;
  // Every tensor among the arguments has unit stride along its last dimension: paths for others are
  // gone.
  bool contiguous = false;
  Block body;
  // What a call must keep, and what is computed: the same signature with ops on tensors, as the
  // kernel was before any pass. Null where the kernel says it itself (contract.h).
  std::shared_ptr<const Kernel> contract;
  SourceRange source;  // the def's name in the spec

  std::optional<unsigned> findTensor(const std::string& name) const;
  std::optional<unsigned> findAttribute(const std::string& name) const;
  // Size symbols in order of first appearance in the signature's shapes.
  std::vector<std::string> sizeSymbols() const;
  // The attribute element an index symbol stands for, or nothing when it is a size.
  std::optional<AttributeRef> attributeOf(const std::string& symbol) const;
};

// The kernel with another body, without a copy of its own.
Kernel withBody(const Kernel& kernel, Block body);

struct Module {
  std::vector<Kernel> kernels;
};

// Whether any of it runs on a device.
bool hasDispatch(const Block& block);

// Every statement of a block, each before those inside it.
void forEachStatement(const Block& block, const std::function<void(const Stmt&)>& visit);
// Every StructuredOp of a block, in order, those inside other statements included.
void forEachOp(const Block& block, const std::function<void(const StructuredOp&)>& visit);

}  // namespace einc::ir
