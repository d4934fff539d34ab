// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/scope.h"
#include "llvm/ADT/StringRef.h"

namespace einc::frontend {
namespace {

using Index = affine::Expr;

class IndexBuilder {
 public:
  IndexBuilder(Scope& scope, const NameMeaning& meaning) : scope_(scope), meaning_(meaning) {}

  std::optional<Index> build(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Number:
        return integer(e);
      case ExprKind::Name:
        return meaning_(e.name);
      case ExprKind::Element: {
        auto element = attributeElement(scope_, e);
        if (!element) return std::nullopt;
        const ir::Attribute& attribute = scope_.kernel.attributes[element->attribute];
        if (!ir::info(attribute.type).isInteger())
          return error(Diag::NotAnIndex, e,
                       "an index is an integer, but '" + attribute.name + "' is " +
                           std::string(ir::info(attribute.type).name));
        return Index::symbol(attribute.symbolName(element->element));
      }
      case ExprKind::Unary: {
        if (e.name.text != "-")
          return error(Diag::NotAnIndex, e, "'" + e.name.text + "' has no place in an index");
        auto operand = build(*e.args[0]);
        return operand ? checked(e, -*operand) : std::nullopt;
      }
      case ExprKind::Binary:
        return binary(e, e.name.text);
      case ExprKind::Apply:
        if (e.args.size() == 2 && !e.angle && !e.pad &&
            (e.name.text == "floordiv" || e.name.text == "mod" || e.name.text == "ceildiv"))
          return binary(e, e.name.text);
        return error(Diag::NotAnIndex, e,
                     "an index is an affine expression of iterators, sizes and attributes; '" +
                         exprText(e).substr(0, 60) + "' is not");
      case ExprKind::Ternary:
        return error(Diag::NotAnIndex, e, "'?' has no place in an index");
    }
    return std::nullopt;
  }

 private:
  std::nullopt_t error(Diag id, const Expr& e, const std::string& message) {
    scope_.errors.error(id, e.range, message);
    return std::nullopt;
  }

  std::optional<Index> integer(const Expr& e) {
    int64_t value;
    llvm::StringRef text(e.name.text);
    bool digits = text.find_first_not_of("0123456789") == llvm::StringRef::npos;
    bool hex =
        text.starts_with("0x") && text.size() > 2 &&
        text.drop_front(2).find_first_not_of("0123456789abcdefABCDEF") == llvm::StringRef::npos;
    if (!digits && !hex)
      return error(Diag::NotAnIndex, e, "an index is an integer, not '" + e.name.text + "'");
    if (hex ? text.drop_front(2).getAsInteger(16, value) : text.getAsInteger(10, value))
      return error(Diag::IndexTooLarge, e,
                   "'" + e.name.text + "' is too large for an index (at most 2^63 - 1)");
    return Index::constant(value);
  }

  std::optional<Index> binary(const Expr& e, const std::string& op) {
    auto a = build(*e.args[0]);
    auto b = build(*e.args[1]);
    if (!a || !b) return std::nullopt;
    if (op == "+") return checked(e, *a + *b);
    if (op == "-") return checked(e, *a - *b);
    if (op == "*") return checked(e, *a * *b);
    bool division = op == "/" || op == "floordiv" || op == "ceildiv";
    if (!division && op != "%" && op != "mod")
      return error(Diag::NotAnIndex, e, "'" + op + "' has no place in an index");
    if (b->isZero()) return error(Diag::DivisionByZero, *e.args[1], "division by zero");
    if (b->hasIterators())
      return error(Diag::NotAffine, *e.args[1],
                   "an index is divided by constants, sizes and attributes only; '" + b->str() +
                       "' changes with an iterator");
    if (op == "ceildiv") return checked(e, a->ceilDiv(*b));
    return checked(e, division ? a->floorDiv(*b) : a->mod(*b));
  }

  std::optional<Index> checked(const Expr& e, const Index& result) {
    if (result.overflowed())
      return error(Diag::IndexTooLarge, e, "this index leaves the range of 64-bit integers");
    if (result.tooLarge()) return error(Diag::IndexTooLarge, e, "this index is too long");
    if (!result.isAffine())
      return error(Diag::NotAffine, e,
                   "this index is not affine: it multiplies iterators (" + result.str() + ")");
    return result;
  }

  Scope& scope_;
  const NameMeaning& meaning_;
};

}  // namespace

std::optional<Index> buildIndex(Scope& scope, const Expr& expr, const NameMeaning& meaning) {
  return IndexBuilder(scope, meaning).build(expr);
}

std::optional<Index> attributeSymbol(Scope& scope, const Name& name, bool& isAttribute) {
  auto id = scope.kernel.findAttribute(name.text);
  isAttribute = id.has_value();
  if (!id) return std::nullopt;
  const ir::Attribute& attribute = scope.kernel.attributes[*id];
  if (!attribute.shape.empty() || attribute.list) {
    scope.errors.error(Diag::AttributeIndex, name.range,
                       "'" + name.text + "' has several elements; write " + name.text + "[0], ...");
    return std::nullopt;
  }
  if (!ir::info(attribute.type).isInteger()) {
    scope.errors.error(Diag::NotAnIndex, name.range,
                       "an index is an integer, but '" + name.text + "' is " +
                           std::string(ir::info(attribute.type).name));
    return std::nullopt;
  }
  return Index::symbol(attribute.symbolName(0));
}

std::optional<ir::AttributeRef> attributeElement(Scope& scope, const Expr& element) {
  auto id = scope.kernel.findAttribute(element.name.text);
  if (!id) {
    std::vector<std::string> known;
    for (const ir::Attribute& a : scope.kernel.attributes) known.push_back(a.name);
    bool isTensor = scope.kernel.findTensor(element.name.text).has_value();
    scope.errors.error(Diag::UnknownName, element.name.range,
                       isTensor ? "'" + element.name.text + "' is a tensor; its elements are " +
                                      element.name.text + "(...)"
                                : "unknown attribute '" + element.name.text + "'" +
                                      didYouMean(element.name.text, known));
    return std::nullopt;
  }
  const ir::Attribute& attribute = scope.kernel.attributes[*id];
  std::vector<int64_t> shape = attribute.shape;
  if (attribute.list) shape = {INT32_MAX};
  if (element.args.size() != shape.size()) {
    scope.errors.error(Diag::AttributeIndex, element.range,
                       "'" + attribute.name + "' takes " + std::to_string(shape.size()) +
                           " indices, found " + std::to_string(element.args.size()));
    return std::nullopt;
  }
  int64_t flat = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    auto index = buildIndex(scope, *element.args[i], [&](const Name& name) -> std::optional<Index> {
      scope.errors.error(Diag::AttributeIndex, name.range, "an attribute is indexed by constants");
      return std::nullopt;
    });
    auto value = index ? index->asConstant() : std::nullopt;
    if (!value) return std::nullopt;
    if (*value < 0 || *value >= shape[i]) {
      scope.errors.error(Diag::AttributeIndex, element.args[i]->range,
                         "index " + std::to_string(*value) + " is outside [0, " +
                             std::to_string(shape[i] - 1) + "] of '" + attribute.name + "'");
      return std::nullopt;
    }
    flat = flat * shape[i] + *value;
  }
  return ir::AttributeRef{*id, flat};
}

}  // namespace einc::frontend
