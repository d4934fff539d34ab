// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The syntax tree of a spec: what was written, with its places, before names are resolved. Axes and
// layouts are gone after the parser's last step (layouts.h).
// Index, shape and payload expressions share one node type; what each may hold is checked later.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/source.h"

namespace einc::frontend {

struct Name {
  std::string text;
  SourceRange range;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class ExprKind : uint8_t {
  Number,   // name: its spelling
  Name,     // m, M, alpha, true
  Element,  // name[args]: an element of an attribute
  Apply,    // name<angle>(args) else pad: a tensor's element, or a function's value
  Unary,    // name: - ! ~
  Binary,   // name: + - * / % << >> < <= > >= == != & ^ | && ||
  Ternary   // args: condition, then, otherwise
};

struct Expr {
  ExprKind kind;
  Name name;
  std::vector<ExprPtr> args;
  std::optional<std::vector<Name>> angle;  // Apply: what stands in <...>
  std::optional<std::vector<Name>> axes;   // Apply: in name{n, h: oh}, the axis of each argument
  ExprPtr pad;                             // Apply: what follows `else`
  SourceRange range;                       // the whole expression
  unsigned height = 1;                     // of the tree; bounded by the parser
};

struct TypeParameter {
  Name name;
  std::optional<Name> fallback;
};

// A tensor `A: f32(M, N)`, a scalar `alpha: f32`, or a local's declaration.
struct Parameter {
  Name name;
  Name type;
  bool isScalar = false;
  std::vector<ExprPtr> shape;
  std::optional<std::vector<Name>> axes;  // in T{n: N, h: H}, the axis of each size
};

struct AttributeDecl {
  Name name;
  Name type;
  std::vector<int64_t> shape;
  bool list = false;
  bool optional = false;
  std::optional<std::vector<Name>> axes;  // in i64{h, w}: one element an axis
  std::vector<ExprPtr> defaults;          // empty: none
  SourceRange defaultRange;
};

// lhs, lhs = rhs, rhs where where and where;
struct Comprehension {
  std::vector<ExprPtr> lhs;  // Apply
  Name assign;               // "=", "+=", "max=", ...
  bool initialise = false;   // `+=!`
  std::vector<ExprPtr> rhs;
  std::vector<ExprPtr> where;  // comparisons
  SourceRange range;
};

struct Statement {
  std::optional<Parameter> local;  // local T: f32(M);
  Comprehension comprehension;     // otherwise
};

// conv_2d(I = nhwc, K = hwcf): a def made of another, with each tensor's axes in this order.
struct Layout {
  Name name;
  struct Order {
    Name tensor;
    Name axes;  // a letter an axis
  };
  std::vector<Order> orders;
};

// combiner NAME(a, b) = results neutral values;
// combiner NAME((a, ...), (b, ...)) = results neutral values;
struct Combiner {
  Name name;
  SourceRange range;
  std::vector<Name> accumulated, added;  // its parameters, as many of each as results
  std::vector<ExprPtr> results;
  std::vector<ExprPtr> neutral;  // empty: not given
  bool broken = false;           // had a syntax error
};

struct Def {
  Name name;
  SourceRange range;  // from its name to its last token
  std::optional<Name> odsName;
  std::vector<Name> interfaces;
  std::optional<Name> libraryCall;  // without a text: the mangled name; the place is the item's
  std::vector<TypeParameter> typeParameters;
  std::vector<Parameter> inputs, outputs;
  std::vector<AttributeDecl> attributes;
  std::vector<Layout> layouts;
  std::string doc;
  std::vector<Statement> statements;
  bool broken = false;   // its signature had a syntax error
  bool partial = false;  // some of its statements had
};

struct Spec {
  std::vector<Def> defs;
  std::vector<Combiner> combiners;
};

// An indented tree, one node a line: `einc emit --stage=ast`.
std::string printAst(const Def& def);
std::string printAst(const Combiner& combiner);

// The expression as it would be written in a spec.
std::string exprText(const Expr& expr);

}  // namespace einc::frontend
