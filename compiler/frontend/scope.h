// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the checks of one def share: the kernel as far as it is built, and where things stand in the
// spec. The steps, each in its own file:
//
//   signature.cpp   parameters, attributes, shapes -> tensors, attributes, size symbols
//   index.cpp       index and shape expressions -> affine expressions
//   statement.cpp   a comprehension -> StructuredOps
//   payload.cpp     scalar expressions -> typed payload values
//   fill.cpp        what `+=!` begins with
//   combine.cpp     combiners of the spec, and their neutral elements
//   order.cpp       updates against the order of iterations
//   bounds.cpp      sizes against accesses
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/combiner.h"
#include "compiler/frontend/frontend.h"

namespace einc::frontend {

struct TensorInfo {
  SourceRange declared;            // its name, where first seen
  std::vector<SourceRange> sizes;  // of each dimension's size expression
  bool read = false;
  bool written = false;
  bool unknown = false;  // a local whose sizes and type do not follow yet, or from what is wrong
};

struct Scope {
  Scope(const Def& d, const Options& o, const CombinerTable& c, Diagnostics& e)
      : def(d), options(o), combiners(c), errors(e) {}

  const Def& def;
  const Options& options;
  const CombinerTable& combiners;
  Diagnostics& errors;
  std::vector<std::string> defNames;  // of the whole spec

  ir::Kernel kernel;
  std::vector<TensorInfo> tensors;              // beside kernel.tensors
  std::map<std::string, SourceRange> names;     // tensors, scalars, attributes, type parameters
  std::map<std::string, SourceRange> sizes;     // size symbols, where first seen
  std::map<std::string, ir::ScalarType> types;  // type parameters
  std::set<std::string> usedTypes;              // those that some declaration or cast names
  // Statements of the kernel: those that set what others begin with, and these others.
  std::vector<std::pair<size_t, size_t>> fills;

  // Reports a name that is taken; true if it was free.
  bool declare(const Name& name, const char* what);
  std::optional<ir::ScalarType> resolveType(const Name& name);
  // Adds a tensor to the kernel; returns its id.
  unsigned addTensor(ir::Tensor tensor, SourceRange declared, std::vector<SourceRange> sizes);
};

// ---- signature.cpp ----
void buildSignature(Scope& scope);
// A local's declaration.
void declareLocal(Scope& scope, const Parameter& parameter);

// ---- index.cpp ----

// What a bare name in an index or shape expression means; nothing after it reported an error.
using NameMeaning = std::function<std::optional<affine::Expr>(const Name&)>;
// An affine expression, or nothing after an error.
std::optional<affine::Expr> buildIndex(Scope& scope, const Expr& expr, const NameMeaning& meaning);
// An integer attribute or scalar as a symbol, if `name` is one; reports those that are no integers.
std::optional<affine::Expr> attributeSymbol(Scope& scope, const Name& name, bool& isAttribute);
// The flat element that `name[args]` selects; nothing after an error.
std::optional<ir::AttributeRef> attributeElement(Scope& scope, const Expr& element);

// ---- statement.cpp ----
void buildComprehension(Scope& scope, const Comprehension& comprehension);

// ---- fill.cpp ----

// Gives the elements that an output of the op addresses their first value.
ir::StructuredOp fillOf(const ir::StructuredOp& op, size_t output, ir::ValueRef neutral);
// Has each fill run as far as the statement that it is for, once all sizes are known: a later
// statement may give a dimension a size of its own.
void limitFills(Scope& scope);

// ---- payload.cpp ----

// Inside a combiner: what its parameters stand for, and where and on what types it is used.
struct Parameters {
  std::map<std::string, ir::ValueRef> values;
  SourceRange usedAt;
  std::string types;
};
// The operand each tensor access stands for, and what `index(...)` computes.
struct PayloadContext {
  Scope& scope;
  const std::map<const Expr*, unsigned>& operands;
  const std::map<const Expr*, affine::Expr>& indices;
  const std::vector<ir::ScalarType>& operandTypes;
  const Parameters* parameters = nullptr;  // nothing else is visible then
};
// A typed value, or null after an error.
ir::ValueRef buildValue(PayloadContext& context, const Expr& expr, ir::ScalarType expected);
// A call by the spec's function name. `first`, unless null, is an argument that is built already
// and comes before the others: the accumulator that a reduction leaves out.
ir::ValueRef buildCall(PayloadContext& context, const Name& name, ir::ValueRef first,
                       const std::vector<const Expr*>& args, ir::ScalarType expected);
// Whether there is a function or combiner of this name; an error, if not.
bool checkCallee(const Scope& scope, const Name& name);
// The type that an expression has by itself; nothing (after an error, unless it is made of literals
// only) if it has none.
struct NaturalType {
  enum class Kind { Known, IntegerLiteral, FloatLiteral, Error } kind;
  ir::ScalarType type = ir::ScalarType::F32;
};
NaturalType naturalType(PayloadContext& context, const Expr& expr);
// cast<T>(x), and the signed and unsigned readings of x's bits: cast_signed, cast_unsigned.
bool isCastName(std::string_view name);

// ---- combine.cpp ----

// The results of a combiner; as many values as it has results, or none after an error. `first` as
// above: all accumulators, or nothing.
std::vector<ir::ValueRef> buildCombined(PayloadContext& context, const Combiner& combiner,
                                        const Name& name, std::vector<ir::ValueRef> first,
                                        const std::vector<const Expr*>& args,
                                        const std::vector<ir::ScalarType>& types);
// The same with all parameters built already.
std::vector<ir::ValueRef> expandCombiner(PayloadContext& context, const Combiner& combiner,
                                         SourceRange usedAt,
                                         const std::vector<ir::ValueRef>& parameters);
// The neutral elements: given, and tried, or derived. None after an error.
std::vector<ir::ValueRef> neutralOf(Scope& scope, const Combiner& combiner,
                                    const std::vector<ir::ScalarType>& types, SourceRange usedAt);
// The combiner on these types, if all its laws have stood the trials and it has a neutral element.
std::shared_ptr<const ir::Combiner> partsCombiner(Scope& scope, const Combiner& combiner,
                                                  const std::vector<ir::ScalarType>& types,
                                                  SourceRange usedAt);
// Warns of a combiner that is not associative or not commutative; true if none is known to be
// wrong.
bool checkLaws(Scope& scope, const Combiner& combiner, const std::vector<ir::ScalarType>& types,
               SourceRange usedAt);

// ---- order.cpp ----

// Warns of an update whose result depends on which of two iterations comes first.
void checkOrder(Scope& scope, const ir::StructuredOp& op);

// ---- bounds.cpp ----

// Checks the accesses of an op against the sizes of its tensors; may give a dimension a size symbol
// of its own. `places` holds the spec text of each operand.
void checkBounds(Scope& scope, const ir::StructuredOp& op, const std::vector<SourceRange>& places);

}  // namespace einc::frontend
