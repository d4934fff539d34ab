// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/parse_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/instruction.h"
#include "compiler/ir/literal.h"

namespace einc::ir {
namespace {

template <typename Map>
void appendNames(std::vector<std::string>& names, const Map& map) {
  for (const auto& [name, meaning] : map) names.push_back(name);
}

}  // namespace

void ValueParser::failUnknown(const std::string& what, const Token& name,
                              std::vector<std::string> known) {
  std::sort(known.begin(), known.end());  // of two that are equally near, always the same
  in_.fail(name.range, "unknown " + what + " " + describe(name) + didYouMean(name.text, known));
}

// ---- Index expressions --------------------------------------------------------------------------

affine::Expr ValueParser::index() {
  TokenStream::Nesting nesting(in_, indexDepth_);
  if (!nesting) return {};
  bool negative = in_.accept("-");
  affine::Expr result = term(negative);
  while (in_.token().is("+") || in_.token().is("-")) {
    negative = in_.token().is("-");
    in_.advance();
    result = checked(result + term(negative));
  }
  return result;
}

affine::Expr ValueParser::term(bool negative) {
  affine::Expr result = factor(negative);
  while (!in_.failed()) {
    bool multiply = in_.token().is("*"), divide = in_.token().isWord("floordiv");
    bool above = in_.token().isWord("ceildiv");
    if (!multiply && !divide && !above && !in_.token().isWord("mod")) break;
    in_.advance();
    bool positive = false;
    affine::Expr right = factor(multiply ? negative : positive);
    // A product of sums is multiplied out: refused before it is made, if it would be too large.
    if (multiply && result.terms().size() * right.terms().size() > affine::kMaxTerms)
      in_.fail(in_.token().range, "this index is too long");
    else
      result = checked(multiply ? result * right
                       : divide ? result.floorDiv(right)
                       : above  ? result.ceilDiv(right)
                                : result.mod(right));
  }
  return negative ? -result : result;
}

// Uses up the sign for the one integer that is only negative: -2^63.
affine::Expr ValueParser::factor(bool& negative) {
  if (in_.accept("(")) {
    affine::Expr result = index();
    in_.expect(")");
    return result;
  }
  if (in_.token().kind == TokenKind::Word) return symbol();
  if (negative && in_.token().text == "9223372036854775808") {
    in_.advance();
    negative = false;
    return affine::Expr::constant(std::numeric_limits<int64_t>::min());
  }
  if (in_.token().kind == TokenKind::Number) return affine::Expr::constant(in_.integer());
  in_.failExpected("an index expression");
  return {};
}

affine::Expr ValueParser::checked(affine::Expr expr) {
  if (expr.overflowed())
    in_.fail(in_.token().range, "this index leaves the range of 64-bit integers");
  else if (expr.tooLarge())
    in_.fail(in_.token().range, "this index is too long");
  return in_.failed() ? affine::Expr() : expr;
}

affine::Expr ValueParser::symbol() {
  Token token = in_.token();
  std::string name = in_.name("a name");
  if (in_.accept("[")) {
    name += "[" + std::to_string(in_.integer()) + "]";
    in_.expect("]");
  } else if (scope_.iterators.count(name)) {
    return affine::Expr::iterator(name);
  }
  if (scope_.anySize || scope_.sizes.count(name) || kernel_.attributeOf(name))
    return affine::Expr::symbol(name);
  std::vector<std::string> known(scope_.sizes.begin(), scope_.sizes.end());
  appendNames(known, scope_.iterators);
  appendNames(known, scope_.attributes);
  failUnknown("name", token, std::move(known));
  return {};
}

affine::Expr ValueParser::size() {
  bool negative = false;
  return factor(negative);
}

// ---- Tensor elements ----------------------------------------------------------------------------

unsigned ValueParser::tensor() {
  in_.expect("%");
  return namedTensor();
}

unsigned ValueParser::namedTensor() {
  Token token = in_.token();
  auto id = scope_.tensors.find(in_.name("the name of a tensor"));
  if (id != scope_.tensors.end()) return id->second;
  std::vector<std::string> known;
  appendNames(known, scope_.tensors);
  failUnknown("tensor", token, std::move(known));
  return 0;
}

ValueParser::Element ValueParser::element() {
  Element result{tensor(), {}};
  in_.expect("[");
  in_.list("]", [&] { result.index.push_back(index()); });
  return result;
}

ValueRef ValueParser::pad() {
  // A variable may be called pad.
  if (!in_.token().isWord("pad") || in_.peek().is("=")) return nullptr;
  in_.advance();
  return value();
}

std::string ValueParser::unit() {
  if (!in_.token().isWord("unit") || in_.peek().kind != TokenKind::Word) return "";
  in_.advance();
  return in_.name("an axis");
}

// ---- Payload values -----------------------------------------------------------------------------

ValueRef ValueParser::value() {
  TokenStream::Nesting nesting(in_, valueDepth_);
  if (!nesting) return nullptr;
  if (in_.accept("-")) return literal(/*negative=*/true);
  if (in_.token().kind == TokenKind::Number) return literal(/*negative=*/false);
  if (in_.token().kind == TokenKind::Word) return word();
  if (!in_.token().is("%")) {
    in_.failExpected("a value");
    return nullptr;
  }
  Element from = element();
  ValueRef outside = pad();
  std::string axis = unit();
  if (in_.failed()) return nullptr;
  return makeValue(kernel_.tensors[from.tensor].type, Load{from.tensor, from.index, outside, axis});
}

ValueRef ValueParser::literal(bool negative) {
  if (in_.token().kind == TokenKind::Word) return specialLiteral(negative);
  if (in_.token().kind != TokenKind::Number) {
    in_.failExpected("a number");
    return nullptr;
  }
  Token token = in_.token();
  size_t split = token.text.rfind('_');
  auto type =
      split == std::string_view::npos ? std::nullopt : parseType(token.text.substr(split + 1));
  if (!type) {
    in_.fail(token.range, describe(token) + " needs its type, as in 1_i32 and 0.5_f32");
    return nullptr;
  }
  auto number = parseLiteral(token.text.substr(0, split), negative, *type);
  if (!number) {
    in_.fail(token.range, number.reason());
    return nullptr;
  }
  in_.advance();
  return makeLiteral(*type, *number);
}

// true, false, inf_f32, nan_f32
ValueRef ValueParser::specialLiteral(bool negative) {
  std::string_view text = in_.token().text;
  bool isBool = text == "true" || text == "false";
  if (!isLiteralName(text) || (isBool && negative)) {
    in_.failExpected("a number");
    return nullptr;
  }
  in_.advance();
  if (isBool) return makeLiteral(ScalarType::Bool, {0.0, text == "true" ? 1u : 0u});
  using Double = std::numeric_limits<double>;
  double magnitude = text[0] == 'i' ? Double::infinity() : Double::quiet_NaN();
  return makeLiteral(*parseType(text.substr(4)),
                     {std::copysign(magnitude, negative ? -1.0 : 1.0), 0});
}

ValueRef ValueParser::word() {
  Token next = in_.peek();
  if (in_.token().isWord("cast") && next.is("<")) return cast();
  if (in_.token().isWord("reduce") && next.kind == TokenKind::Word) return reduce();
  if (in_.token().isWord("shuffle") && next.kind == TokenKind::Word) return shuffle();
  if (next.is("[") && scope_.attributes.count(std::string(in_.token().text)) == 0)
    if (const Instruction* instruction = findInstruction(in_.token().text))
      return block(*instruction);
  return next.is("(") ? call() : named();
}

ValueRef ValueParser::named() {
  Token token = in_.token();
  if (isLiteralName(token.text)) return specialLiteral(/*negative=*/false);
  std::string name = in_.name("a name");
  if (auto it = scope_.arguments.find(name); it != scope_.arguments.end()) return it->second;
  if (auto it = scope_.variables.find(name); it != scope_.variables.end() && !it->second.empty())
    return makeValue(it->second.back(), Variable{name});
  if (auto it = scope_.attributes.find(name); it != scope_.attributes.end())
    return attribute(it->second);
  std::vector<std::string> known;
  appendNames(known, scope_.arguments);
  appendNames(known, scope_.attributes);
  for (const auto& [variable, types] : scope_.variables)
    if (!types.empty()) known.push_back(variable);
  failUnknown("name", token, std::move(known));
  return nullptr;
}

ValueRef ValueParser::attribute(unsigned id) {
  const Attribute& attribute = kernel_.attributes[id];
  int64_t element = 0;
  if (!attribute.shape.empty() || attribute.list) {
    in_.expect("[", ", as '" + attribute.name + "' has several elements");
    element = in_.integer();
    in_.expect("]");
  }
  return makeValue(attribute.type, AttributeRef{id, element});
}

ValueRef ValueParser::call() {
  Token token = in_.token();
  in_.advance();
  in_.advance();
  if (token.text == "index") {
    affine::Expr expr = index();
    in_.expect(")");
    return makeValue(ScalarType::I64, IndexRef{std::move(expr)});
  }
  auto function = parseFunction(token.text);
  if (!function)
    if (const Instruction* instruction = findInstruction(token.text))
      return instruct({instruction, {}});
  if (!function) {
    std::vector<std::string> known = {"index", "cast"};
    for (const FunctionInfo& f : allFunctions()) known.emplace_back(f.name);
    failUnknown("function", token, std::move(known));
    return nullptr;
  }
  std::vector<ValueRef> args;
  in_.list(")", [&] { args.push_back(value()); });
  unsigned wanted = info(*function).arity;
  if (args.size() != wanted)
    in_.fail(token.range, describe(token) + " takes " + std::to_string(wanted) +
                              (wanted == 1 ? " argument" : " arguments") + ", found " +
                              std::to_string(args.size()));
  return in_.failed() ? nullptr : makeCall(*function, std::move(args));
}

// "smmla[n, h](c, a, b)"
ValueRef ValueParser::block(const Instruction& instruction) {
  Instruct result{&instruction, {}};
  in_.advance();
  in_.advance();
  result.axis = in_.name("an axis");
  in_.expect(",");
  result.words = in_.name("an axis");
  in_.expect("]");
  in_.expect("(");
  return instruct(std::move(result));
}

ValueRef ValueParser::instruct(Instruct result) {
  const Instruction& instruction = *result.instruction;
  const Token token = in_.token();
  in_.list(")", [&] { result.args.push_back(value()); });
  if (!in_.failed() && result.args.size() != 3)
    in_.fail(token.range, "'" + std::string(instruction.name) + "' takes 3 arguments, found " +
                              std::to_string(result.args.size()));
  return in_.failed() ? nullptr : makeValue(instruction.sum, std::move(result));
}

// "reduce add over n (x)"
ValueRef ValueParser::reduce() {
  in_.advance();
  Token token = in_.token();
  auto function = parseFunction(in_.name("a function"));
  if (!function) in_.fail(token.range, "unknown function " + describe(token));
  in_.expectWord("over");
  std::string axis = in_.name("an axis");
  in_.expect("(");
  ValueRef arg = value();
  in_.expect(")");
  if (in_.failed()) return nullptr;
  ScalarType type = arg->type;
  return makeValue(type, Reduce{*function, std::move(axis), std::move(arg)});
}

// "shuffle n [0, 4, 1, 5] (a, b)"
ValueRef ValueParser::shuffle() {
  in_.advance();
  Shuffle result{nullptr, nullptr, in_.name("an axis"), {}};
  in_.expect("[");
  in_.list("]", [&] {
    Token token = in_.token();
    int64_t lane = in_.integer();
    if (lane < 0 || lane > UINT32_MAX) in_.fail(token.range, "there is no such lane");
    result.lanes.push_back(static_cast<unsigned>(lane));
  });
  in_.expect("(");
  result.a = value();
  in_.expect(",");
  result.b = value();
  in_.expect(")");
  if (in_.failed()) return nullptr;
  ScalarType type = result.a->type;
  return makeValue(type, std::move(result));
}

ValueRef ValueParser::cast() {
  in_.advance();
  in_.expect("<");
  ScalarType type = in_.type();
  in_.expect(">");
  in_.expect("(");
  ValueRef arg = value();
  in_.expect(")");
  return in_.failed() ? nullptr : makeValue(type, Cast{std::move(arg)});
}

}  // namespace einc::ir
