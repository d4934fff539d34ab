// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/parser.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/frontend/layouts.h"
#include "compiler/frontend/lexer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace einc::frontend {
namespace {

// Binary operators by rising precedence.
const std::vector<std::vector<std::string_view>> kPrecedence = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

const std::vector<std::string> kTopWords = {"def", "combiner", "ods_def", "implements_interface",
                                            "library_call"};
const std::vector<std::string> kCombinerWords = {"max", "min", "or", "and", "xor"};

class Parser {
 public:
  Parser(const SourceFile& source, Diagnostics& errors) : errors_(errors), lexer_(source) {
    advance();
  }

  Spec parseSpec() {
    Spec spec;
    while (!atEnd() && !tooManyErrors()) parseTopLevel(spec);
    if (!header_.empty()) expected("'def' after the header");
    if (spec.defs.empty() && !errors_.hasErrors())
      errors_.error(Diag::NoDefinitions, {0, 0}, "no definitions; a spec has at least one 'def'");
    return spec;
  }

 private:
  // ---- Tokens ----

  void advance() {
    lastEnd_ = token_.range.end;
    token_ = lexer_.next(&errors_);
  }
  bool atEnd() const { return token_.kind == TokenKind::End; }
  Token tokenAfter() const {
    Lexer ahead = lexer_;
    return ahead.next(nullptr);
  }
  // At the first word of a def or combiner; `combiner(m) = ...` is a statement.
  bool atDefinition() const {
    return token_.isWord("def") ||
           (token_.isWord("combiner") && tokenAfter().kind == TokenKind::Identifier);
  }
  bool tooManyErrors() const { return errors_.errorCount() >= Diagnostics::kMaxErrors; }
  SourceRange since(uint32_t begin) const { return {begin, std::max(lastEnd_, begin)}; }

  std::string found() const {
    if (atEnd()) return "the end of the file";
    return "'" + std::string(token_.text.substr(0, 40)) + (token_.text.size() > 40 ? "..." : "") +
           "'";
  }
  // Reports at the present token; always false.
  bool expected(const std::string& what, const std::string& hint = "") {
    errors_.error(Diag::Syntax, token_.range, "expected " + what + ", found " + found() + hint);
    return false;
  }
  bool accept(std::string_view punctuation) {
    if (!token_.is(punctuation)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view punctuation, const char* where = "") {
    return accept(punctuation) || expected("'" + std::string(punctuation) + "'" + where);
  }
  bool parseName(Name& name, const char* what) {
    if (token_.kind != TokenKind::Identifier) return expected(what);
    name = {std::string(token_.text), token_.range};
    advance();
    return true;
  }

  // item {"," item} close
  template <typename Item>
  bool parseList(std::string_view close, Item item) {
    if (accept(close)) return true;
    do
      if (!item()) return false;
    while (accept(","));
    return accept(close) || expected("',' or '" + std::string(close) + "'");
  }

  // Skips to behind the next ';', or to the '}' or definition that ends the statements.
  void recoverStatement() {
    while (!atEnd() && !token_.is("}") && !atDefinition()) {
      if (accept(";")) return;
      advance();
    }
  }
  void recoverTopLevel() {
    while (!atEnd() && !std::any_of(kTopWords.begin(), kTopWords.end(),
                                    [&](const std::string& w) { return token_.isWord(w); }))
      advance();
  }

  // ---- Definitions ----

  void parseTopLevel(Spec& spec) {
    if (token_.isWord("def")) {
      Def def;
      def.odsName = std::exchange(odsName_, std::nullopt);
      def.interfaces = std::exchange(interfaces_, {});
      def.libraryCall = std::exchange(libraryCall_, std::nullopt);
      header_.clear();
      if (!parseDef(def)) recoverTopLevel();
      def.range = since(def.name.range.begin);
      if (!def.name.text.empty()) spec.defs.push_back(std::move(def));
    } else if (token_.isWord("combiner")) {
      Combiner combiner;
      combiner.broken = !parseCombiner(combiner);
      if (combiner.broken) recoverTopLevel();
      if (!combiner.name.text.empty()) spec.combiners.push_back(std::move(combiner));
    } else if (atHeader()) {
      if (!parseHeaderItem()) recoverTopLevel();
      accept(":");
    } else {
      std::string hint =
          token_.kind == TokenKind::Identifier ? didYouMean(token_.text, kTopWords) : "";
      expected("'def', 'combiner', 'ods_def', 'implements_interface' or 'library_call'", hint);
      advance();
      recoverTopLevel();
    }
  }

  bool atHeader() const {
    return token_.isWord("ods_def") || token_.isWord("implements_interface") ||
           token_.isWord("library_call");
  }

  // What stands before a def, each at most once, in any order.
  bool parseHeaderItem() {
    Name item{std::string(token_.text), token_.range};
    auto [first, isNew] = header_.try_emplace(item.text, item.range);
    if (!isNew)
      errors_.error(Diag::Redefined, item.range, "'" + item.text + "' stands twice before one def")
          .note(first->second, "the first one");
    advance();
    if (!expect("<")) return false;
    if (item.text == "implements_interface")
      return parseList(">",
                       [&] { return parseName(interfaces_.emplace_back(), "an interface name"); });
    Name name{"", item.range};
    if (item.text == "ods_def") {
      if (!parseName(name, "the op's class name") || !expect(">")) return false;
      odsName_ = std::move(name);
      return true;
    }
    if (!token_.is(">") && !parseName(name, "the name of a function, or '>'")) return false;
    if (!expect(">")) return false;
    libraryCall_ = std::move(name);
    return true;
  }

  bool parseDef(Def& def) {
    def.broken = true;
    advance();
    if (!parseName(def.name, "the def's name")) return false;
    if (accept("<") && !parseList(">", [&] { return parseTypeParameter(def); })) return false;
    if (!expect("(") || !parseList(")", [&] { return parseParameter(def.inputs.emplace_back()); }))
      return false;
    if (!expect("->") || !expect("(")) return false;
    if (!parseList(")", [&] { return parseParameter(def.outputs.emplace_back()); })) return false;
    while (token_.isWord("attr") || token_.isWord("layouts") || token_.kind == TokenKind::DocString)
      if (!parseAttributesOrDoc(def)) return false;
    if (!accept("{")) {
      std::string hint =
          token_.kind == TokenKind::Identifier ? didYouMean(token_.text, {"attr", "layouts"}) : "";
      return expected("'attr', 'layouts', a doc string or '{'", hint);
    }
    def.broken = false;
    return parseStatements(def);
  }

  bool parseCombiner(Combiner& combiner) {
    uint32_t begin = token_.range.begin;
    advance();
    if (!header_.empty()) return expected("'def' after the header");
    if (!parseName(combiner.name, "the combiner's name") || !expect("(")) return false;
    if (!parsePart(combiner.accumulated) || !expect(",", " and the parameters of the new value"))
      return false;
    if (!parsePart(combiner.added)) return false;
    if (!accept(")"))
      return expected("')'", "; a combiner takes (a, b), or ((a, c), (b, d)) for two results");
    if (!expect("=")) return false;
    do
      if (!parseInto(combiner.results)) return false;
    while (accept(","));
    if (token_.isWord("neutral")) {
      advance();
      do
        if (!parseInto(combiner.neutral)) return false;
      while (accept(","));
    }
    if (!accept(";")) return expected(combiner.neutral.empty() ? "'neutral' or ';'" : "';'");
    combiner.range = since(begin);
    return true;
  }

  // What is accumulated, or what is added: `a` or `(a, b)`.
  bool parsePart(std::vector<Name>& names) {
    auto item = [&] { return parseName(names.emplace_back(), "a combiner's parameter"); };
    if (!accept("(")) return item();
    return token_.is(")") ? item() : parseList(")", item);
  }

  bool parseStatements(Def& def) {
    size_t before = errors_.errorCount();
    while (!token_.is("}") && !atEnd() && !atDefinition() && !tooManyErrors()) {
      Statement statement;
      if (parseStatement(statement))
        def.statements.push_back(std::move(statement));
      else
        recoverStatement();
    }
    def.partial = errors_.errorCount() != before;
    // What the file lacks at its end was said already.
    return (atEnd() && def.partial) || expect("}", " to end the def");
  }

  bool parseTypeParameter(Def& def) {
    TypeParameter parameter;
    if (!parseName(parameter.name, "a type parameter")) return false;
    if (accept("=") && !parseName(parameter.fallback.emplace(), "a type")) return false;
    def.typeParameters.push_back(std::move(parameter));
    return true;
  }

  bool parseParameter(Parameter& parameter) {
    if (!parseName(parameter.name, "a parameter's name")) return false;
    if (!expect(":", " and a type") || !parseName(parameter.type, "a type")) return false;
    if (token_.is("{")) return parseAxes(parameter.axes.emplace(), parameter.shape);
    parameter.isScalar = !token_.is("(");
    if (parameter.isScalar) return true;
    advance();
    return parseExprs(")", parameter.shape);
  }

  // At '{': `{n, h: oh + kh}`.
  bool parseAxes(std::vector<Name>& axes, std::vector<ExprPtr>& values) {
    advance();
    return parseList("}", [&] {
      if (!parseName(axes.emplace_back(), "an axis")) return false;
      if (accept(":")) return parseInto(values);
      values.push_back(node(ExprKind::Name, axes.back(), axes.back().range.begin));
      return true;
    });
  }

  bool parseLayout(Def& def) {
    Layout& layout = def.layouts.emplace_back();
    auto order = [&] {
      Layout::Order& o = layout.orders.emplace_back();
      return parseName(o.tensor, "a tensor's name") && expect("=", " and its axes, such as nhwc") &&
             parseName(o.axes, "the axes in their order, such as nhwc");
    };
    return parseName(layout.name, "the name of a def") && expect("(") && parseList(")", order);
  }

  bool parseAttributesOrDoc(Def& def) {
    if (token_.kind == TokenKind::DocString) {
      def.doc = std::string(token_.text.substr(3, token_.text.size() - 6));
      advance();
      return true;
    }
    bool layouts = token_.isWord("layouts");
    advance();
    return expect("(") &&
           parseList(")", [&] { return layouts ? parseLayout(def) : parseAttribute(def); });
  }

  bool parseAttribute(Def& def) {
    AttributeDecl attribute;
    if (!parseName(attribute.name, "an attribute's name")) return false;
    attribute.optional = accept("?");
    if (!expect(":", " and a type")) return false;
    if (token_.kind == TokenKind::Number) {
      if (!parseShapedType(attribute)) return false;
    } else if (!parseName(attribute.type, "a type")) {
      return false;
    }
    if (accept("[")) {
      if (!expect("]")) return false;
      attribute.list = true;
    } else if (accept("{")) {
      auto& axes = attribute.axes.emplace();
      if (!parseList("}", [&] { return parseName(axes.emplace_back(), "an axis"); })) return false;
    }
    uint32_t begin = token_.range.begin;
    if (accept("=")) {
      if (accept("[") ? !parseExprs("]", attribute.defaults) : !parseInto(attribute.defaults))
        return false;
      attribute.defaultRange = since(begin);
    }
    def.attributes.push_back(std::move(attribute));
    return true;
  }

  // `5x6xi32`, one token.
  bool parseShapedType(AttributeDecl& attribute) {
    llvm::SmallVector<llvm::StringRef, 4> parts;
    llvm::StringRef(token_.text.data(), token_.text.size()).split(parts, 'x');
    auto bad = [&] { return expected("a type such as f32, 2xi64 or f32[]"); };
    for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
      int64_t size;
      if (part.getAsInteger(10, size) || size <= 0 || size > 4096) return bad();
      attribute.shape.push_back(size);
    }
    if (parts.size() < 2 || parts.size() > 8 || parts.back().empty()) return bad();
    attribute.type = {parts.back().str(), token_.range};
    advance();
    return true;
  }

  // ---- Statements ----

  bool parseStatement(Statement& statement) {
    if (token_.isWord("local")) {
      advance();
      return parseParameter(statement.local.emplace()) && expect(";");
    }
    Comprehension& c = statement.comprehension;
    uint32_t begin = token_.range.begin;
    do
      if (!parseAccess(c.lhs)) return false;
    while (accept(","));
    if (!parseAssign(c)) return false;
    do
      if (!parseInto(c.rhs)) return false;
    while (accept(","));
    if (token_.isWord("where") && !parseWhere(c.where)) return false;
    c.range = since(begin);
    return accept(";") || expected(c.where.empty() ? "';'" : "'and' or ';'");
  }

  // where n <= m and m < n + 4
  bool parseWhere(std::vector<ExprPtr>& conditions) {
    do {
      advance();
      if (!parseInto(conditions)) return false;
    } while (token_.isWord("and"));
    return true;
  }

  bool parseAccess(std::vector<ExprPtr>& into) {
    if (token_.kind != TokenKind::Identifier) return expected("an output such as C(m, n), or '}'");
    Token name = token_;
    advance();
    if (!token_.is("(") && !token_.is("{"))
      return expected("'(' after '" + std::string(name.text) +
                      "'; a statement begins with an "
                      "output and its indices");
    into.push_back(parseApply(name, std::nullopt));
    return into.back() != nullptr;
  }

  bool parseAssign(Comprehension& c) {
    uint32_t begin = token_.range.begin;
    if (token_.kind == TokenKind::Identifier) {
      std::string word(token_.text);
      if (!tokenAfter().is("="))
        return expected("'=' or a combiner such as '+=' or 'max='",
                        didYouMean(word, kCombinerWords));
      advance();
      advance();
      c.assign = {word + "=", since(begin)};
    } else if (token_.is("=") || token_.is("+=") || token_.is("-=") || token_.is("*=")) {
      c.assign = {std::string(token_.text), token_.range};
      advance();
    } else {
      return expected("'=' or a combiner such as '+=' or 'max='");
    }
    // "or=!" sets the output first; "or= !a" adds what is not a.
    if (c.assign.text != "=" && token_.range.begin == c.assign.range.end)
      c.initialise = accept("!");
    return true;
  }

  // ---- Expressions ----

  bool parseInto(std::vector<ExprPtr>& into) {
    ExprPtr expr = parseExpr();
    if (!expr) return false;
    into.push_back(std::move(expr));
    return true;
  }
  bool parseExprs(std::string_view close, std::vector<ExprPtr>& into) {
    return parseList(close, [&] { return parseInto(into); });
  }

  ExprPtr node(ExprKind kind, Name name, uint32_t begin) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->name = std::move(name);
    expr->range = since(begin);
    return expr;
  }
  // Adds a child; null when the tree would grow too high.
  ExprPtr adopt(ExprPtr parent, ExprPtr child) {
    if (!parent || !child) return nullptr;
    parent->height = std::max(parent->height, child->height + 1);
    if (parent->height > kMaxHeight) return tooDeep();
    parent->args.push_back(std::move(child));
    return parent;
  }
  ExprPtr tooDeep() {
    errors_.error(Diag::NestedTooDeeply, token_.range,
                  "nested too deeply: an expression may be " + std::to_string(kMaxHeight) +
                      " operations high");
    return nullptr;
  }

  // Every way down into a subexpression passes here, so recursion is bounded.
  ExprPtr parseExpr() {
    if (depth_ >= kMaxHeight) return tooDeep();
    ++depth_;
    ExprPtr expr = parseTernary();
    --depth_;
    return expr;
  }

  ExprPtr parseTernary() {
    uint32_t begin = token_.range.begin;
    ExprPtr condition = parseBinary(0);
    if (!condition || !token_.is("?")) return condition;
    Name name{"?:", token_.range};
    advance();
    ExprPtr then = parseExpr();
    if (!then || !expect(":", " between the two values of '?'")) return nullptr;
    ExprPtr otherwise = parseExpr();
    if (!otherwise) return nullptr;
    ExprPtr expr = node(ExprKind::Ternary, name, begin);
    expr = adopt(std::move(expr), std::move(condition));
    expr = adopt(std::move(expr), std::move(then));
    return adopt(std::move(expr), std::move(otherwise));
  }

  ExprPtr parseBinary(size_t level) {
    if (level == kPrecedence.size()) return parseUnary();
    uint32_t begin = token_.range.begin;
    ExprPtr left = parseBinary(level + 1);
    while (left && std::any_of(kPrecedence[level].begin(), kPrecedence[level].end(),
                               [&](std::string_view op) { return token_.is(op); })) {
      Name op{std::string(token_.text), token_.range};
      advance();
      ExprPtr right = parseBinary(level + 1);
      if (!right) return nullptr;
      ExprPtr expr = node(ExprKind::Binary, op, begin);
      expr = adopt(std::move(expr), std::move(left));
      left = adopt(std::move(expr), std::move(right));
    }
    return left;
  }

  ExprPtr parseUnary() {
    if (!token_.is("-") && !token_.is("!") && !token_.is("~")) return parsePrimary();
    if (depth_ >= kMaxHeight) return tooDeep();
    ++depth_;
    uint32_t begin = token_.range.begin;
    Name op{std::string(token_.text), token_.range};
    advance();
    ExprPtr operand = parseUnary();
    --depth_;
    if (!operand) return nullptr;
    return adopt(node(ExprKind::Unary, op, begin), std::move(operand));
  }

  ExprPtr parsePrimary() {
    Token first = token_;
    if (accept("(")) {
      ExprPtr inner = parseExpr();
      return inner && expect(")") ? std::move(inner) : nullptr;
    }
    if (first.kind == TokenKind::Number) {
      advance();
      return node(ExprKind::Number, {std::string(first.text), first.range}, first.range.begin);
    }
    if (first.kind != TokenKind::Identifier) {
      expected("an expression");
      return nullptr;
    }
    advance();
    Name name{std::string(first.text), first.range};
    if (token_.is("<") && angleFollows()) {
      std::vector<Name> angle;
      advance();
      if (!parseList(">", [&] { return parseName(angle.emplace_back(), "an iterator or a type"); }))
        return nullptr;
      return parseApply(first, std::move(angle));
    }
    if (token_.is("(") || token_.is("{")) return parseApply(first, std::nullopt);
    if (!accept("[")) return node(ExprKind::Name, name, first.range.begin);
    std::vector<ExprPtr> indices;
    if (!parseExprs("]", indices)) return nullptr;
    ExprPtr element = node(ExprKind::Element, name, first.range.begin);
    for (ExprPtr& index : indices) element = adopt(std::move(element), std::move(index));
    return element;
  }

  // Whether `<` begins `<a, b>(` rather than a comparison.
  bool angleFollows() const {
    Lexer ahead = lexer_;
    Token token = ahead.next(nullptr);
    while (token.kind == TokenKind::Identifier) {
      token = ahead.next(nullptr);
      if (!token.is(",")) break;
      token = ahead.next(nullptr);
    }
    return token.is(">") && ahead.next(nullptr).is("(");
  }

  // At '(' or '{'.
  ExprPtr parseApply(const Token& first, std::optional<std::vector<Name>> angle) {
    std::vector<ExprPtr> args;
    std::optional<std::vector<Name>> axes;
    if (token_.is("{")) {
      if (!parseAxes(axes.emplace(), args)) return nullptr;
    } else {
      advance();
      if (!parseExprs(")", args)) return nullptr;
    }
    ExprPtr expr = node(ExprKind::Apply, {std::string(first.text), first.range}, first.range.begin);
    expr->angle = std::move(angle);
    expr->axes = std::move(axes);
    for (ExprPtr& arg : args)
      if (expr) expr = adopt(std::move(expr), std::move(arg));
    if (!expr || !token_.isWord("else")) return expr;
    advance();
    if (depth_ >= kMaxHeight) return tooDeep();
    ++depth_;
    expr->pad = parseUnary();
    --depth_;
    if (!expr->pad) return nullptr;
    expr->height = std::max(expr->height, expr->pad->height + 1);
    expr->range = since(first.range.begin);
    return expr->height > kMaxHeight ? tooDeep() : std::move(expr);
  }

  Diagnostics& errors_;
  Lexer lexer_;
  Token token_;
  uint32_t lastEnd_ = 0;
  unsigned depth_ = 0;
  std::optional<Name> odsName_;
  std::vector<Name> interfaces_;
  std::optional<Name> libraryCall_;
  std::map<std::string, SourceRange> header_;  // what stands before the next def, and where
};

}  // namespace

Spec parse(const SourceFile& source, Diagnostics& errors) {
  if (!checkEncoding(errors)) return {};
  return expandLayouts(Parser(source, errors).parseSpec(), errors);
}

}  // namespace einc::frontend
