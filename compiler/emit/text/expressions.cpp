// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/expressions.h"

#include <algorithm>
#include <vector>

#include "compiler/support/text_writer.h"

namespace einc::emit {

using ir::Function;

const char* infix(Function function) {
  switch (function) {
    case Function::Add:
      return " + ";
    case Function::Sub:
      return " - ";
    case Function::Mul:
      return " * ";
    case Function::Div:
      return " / ";
    case Function::Eq:
      return " == ";
    case Function::Ne:
      return " != ";
    case Function::Lt:
      return " < ";
    case Function::Le:
      return " <= ";
    case Function::Gt:
      return " > ";
    case Function::Ge:
      return " >= ";
    case Function::And:
      return " & ";
    case Function::Or:
      return " | ";
    case Function::Xor:
      return " ^ ";
    default:
      return nullptr;
  }
}

std::string wrapped(const std::string& e) {
  int depth = 0;
  for (size_t i = 0; i < e.size(); ++i) {
    if (e[i] == '(' || e[i] == '[') ++depth;
    if (e[i] == ')' || e[i] == ']') --depth;
    if (depth == 0 && e[i] == ' ') return "(" + e + ")";
  }
  bool sign = !e.empty() && (e[0] == '-' || e[0] == '!' || e[0] == '~');
  bool cast = !e.empty() && e[0] == '(' && e.find(')') + 1 < e.size();
  return sign || cast ? "(" + e + ")" : e;
}

namespace {

// Whether -e is what one would write: ceildiv(x, y) is -floordiv(-x, y).
bool isNegated(const affine::Expr& e);

bool isNegated(const affine::Atom& atom) {
  return atom.kind == affine::Atom::Kind::FloorDiv && isNegated(atom.div->dividend);
}

bool isNegated(const affine::Expr& e) {
  return std::all_of(e.terms().begin(), e.terms().end(), [](const affine::Term& t) {
    bool negative = t.coefficient < 0;
    for (const affine::Atom& atom : t.factors) negative ^= isNegated(atom);
    return negative && t.coefficient != INT64_MIN;
  });
}

}  // namespace

std::string IndexPrinter::text(const affine::Expr& expr) const {
  std::string text;
  for (bool constant : {false, true})
    for (const affine::Term& term : expr.terms()) {
      if (term.factors.empty() != constant) continue;
      bool negative = term.coefficient < 0 && term.coefficient != INT64_MIN;
      int64_t magnitude = negative ? -term.coefficient : term.coefficient;
      std::vector<std::string> factors;
      for (const affine::Atom& atom : term.factors) {
        if (!atom.div) {
          factors.push_back(name(atom));
          continue;
        }
        const affine::Expr &what = atom.div->dividend, &by = atom.div->divisor;
        bool isFloor = atom.kind == affine::Atom::Kind::FloorDiv;
        negative ^= isNegated(atom);
        factors.push_back(isNegated(atom) ? quotient("ceildiv", -what, by)
                                          : quotient(isFloor ? "floordiv" : "floormod", what, by));
      }
      if (magnitude != 1 || factors.empty()) factors.push_back(number(magnitude));
      if (text.empty())
        text = negative ? "-" : "";
      else
        text += negative ? " - " : " + ";
      text += joined(factors, " * ");
    }
  return text.empty() ? number(0) : text;
}

}  // namespace einc::emit
