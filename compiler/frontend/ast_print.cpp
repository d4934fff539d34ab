// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/ast.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

std::string nameOf(const Name& name) { return name.text; }

std::string exprsText(const std::vector<ExprPtr>& exprs) {
  return joined(exprs, ", ", [](const ExprPtr& e) { return exprText(*e); });
}

void printExpr(const Expr& expr, TextWriter& out) {
  static const char* const kinds[] = {"number", "name",   "element", "apply",
                                      "unary",  "binary", "ternary"};
  std::string line = std::string(kinds[static_cast<int>(expr.kind)]) + " " + expr.name.text;
  if (expr.angle) line += " <" + joined(*expr.angle, ", ", nameOf) + ">";
  out.line(line).indent();
  for (const ExprPtr& arg : expr.args) printExpr(*arg, out);
  if (expr.pad) {
    out.line("else").indent();
    printExpr(*expr.pad, out);
    out.dedent();
  }
  out.dedent();
}

std::string parameterText(const Parameter& p) {
  std::string text = p.name.text + ": " + p.type.text;
  return p.isScalar ? text : text + "(" + exprsText(p.shape) + ")";
}

std::string attributeText(const AttributeDecl& a) {
  std::string text = a.name.text + (a.optional ? "?: " : ": ");
  for (int64_t size : a.shape) text += std::to_string(size) + "x";
  text += a.type.text + (a.list ? "[]" : "");
  return a.defaults.empty() ? text : text + " = [" + exprsText(a.defaults) + "]";
}

void printStatement(const Statement& statement, TextWriter& out) {
  if (statement.local) {
    out.line("local " + parameterText(*statement.local));
    return;
  }
  const Comprehension& c = statement.comprehension;
  out.line("update " + c.assign.text + (c.initialise ? "!" : "")).indent();
  for (const ExprPtr& lhs : c.lhs) printExpr(*lhs, out);
  out.line("from").indent();
  for (const ExprPtr& rhs : c.rhs) printExpr(*rhs, out);
  out.dedent();
  if (!c.where.empty()) {
    out.line("where").indent();
    for (const ExprPtr& condition : c.where) printExpr(*condition, out);
    out.dedent();
  }
  out.dedent();
}

void printDef(const Def& def, TextWriter& out) {
  out.line("def " + def.name.text).indent();
  if (def.odsName) out.line("ods_def " + def.odsName->text);
  for (const Name& name : def.interfaces) out.line("implements_interface " + name.text);
  if (def.libraryCall)
    out.line("library_call" + (def.libraryCall->text.empty() ? "" : " " + def.libraryCall->text));
  for (const TypeParameter& t : def.typeParameters)
    out.line("type " + t.name.text + (t.fallback ? " = " + t.fallback->text : ""));
  for (const Parameter& p : def.inputs) out.line("input " + parameterText(p));
  for (const Parameter& p : def.outputs) out.line("output " + parameterText(p));
  for (const AttributeDecl& a : def.attributes) out.line("attribute " + attributeText(a));
  if (!def.doc.empty()) out.line("doc, " + std::to_string(def.doc.size()) + " bytes");
  for (const Statement& s : def.statements) printStatement(s, out);
  out.dedent();
}

void printCombiner(const Combiner& combiner, TextWriter& out) {
  out.line("combiner " + combiner.name.text).indent();
  out.line("accumulated " + joined(combiner.accumulated, ", ", nameOf));
  out.line("added " + joined(combiner.added, ", ", nameOf));
  for (const ExprPtr& result : combiner.results) printExpr(*result, out);
  if (!combiner.neutral.empty()) {
    out.line("neutral").indent();
    for (const ExprPtr& value : combiner.neutral) printExpr(*value, out);
    out.dedent();
  }
  out.dedent();
}

}  // namespace

std::string printAst(const Combiner& combiner) {
  TextWriter out;
  printCombiner(combiner, out);
  return out.take();
}

std::string printAst(const Def& def) {
  TextWriter out;
  printDef(def, out);
  return out.take();
}

std::string exprText(const Expr& expr) {
  auto nested = [](const Expr& e) {
    bool compound = e.kind == ExprKind::Binary || e.kind == ExprKind::Ternary;
    return compound ? "(" + exprText(e) + ")" : exprText(e);
  };
  switch (expr.kind) {
    case ExprKind::Number:
    case ExprKind::Name:
      return expr.name.text;
    case ExprKind::Element:
      return expr.name.text + "[" + exprsText(expr.args) + "]";
    case ExprKind::Apply: {
      std::string text = expr.name.text;
      if (expr.angle) text += "<" + joined(*expr.angle, ", ", nameOf) + ">";
      text += "(" + exprsText(expr.args) + ")";
      return expr.pad ? text + " else " + nested(*expr.pad) : text;
    }
    case ExprKind::Unary:
      return expr.name.text + nested(*expr.args[0]);
    case ExprKind::Binary:
      return nested(*expr.args[0]) + " " + expr.name.text + " " + nested(*expr.args[1]);
    case ExprKind::Ternary:
      return nested(*expr.args[0]) + " ? " + nested(*expr.args[1]) + " : " + nested(*expr.args[2]);
  }
  return "";
}

}  // namespace einc::frontend
