// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/text.h"

namespace einc::strategy {
namespace {

// -((-m) floordiv 8) reads better as m ceildiv 8.
std::string text(const affine::Expr& number) {
  affine::Expr result;
  for (affine::Term term : number.terms()) {
    affine::Expr rounded = affine::Expr::constant(1);
    const affine::Atom* division =
        term.factors.size() == 1 && term.factors[0].div ? &term.factors[0] : nullptr;
    if (division && division->kind == affine::Atom::Kind::FloorDiv && term.coefficient < 0 &&
        division->div->dividend.terms().size() == 1 &&
        division->div->dividend.terms()[0].coefficient < 0) {
      const affine::Expr above = -division->div->dividend, below = division->div->divisor;
      auto wrapped = [](const affine::Expr& e) {
        return e.asSymbol() || e.asConstant() ? text(e) : "(" + text(e) + ")";
      };
      rounded = affine::Expr::symbol("(" + wrapped(above) + " ceildiv " + wrapped(below) + ")");
      term = {-term.coefficient, {}};
    }
    result = result + affine::Expr::term(term) * rounded;
  }
  return result.str();
}

std::string text(const Test& test) {
  switch (test.kind) {
    case Test::Kind::Equal:
      return text(test.left) + " == " + text(test.right);
    case Test::Kind::Less:
      return text(test.left) + " < " + text(test.right);
    case Test::Kind::LessEqual:
      return text(test.left) + " <= " + text(test.right);
    case Test::Kind::Contiguous:
      return "contiguous(" + test.operand.str() + ", " + test.iterator + ")";
    case Test::Kind::Borders:
      return "borders(" + test.iterator + ")";
    case Test::Kind::Inside:
      return "inside";
  }
  return "";
}

std::string text(const ir::Axis& axis) { return axis.name + ": " + std::to_string(axis.size); }

std::string text(const std::optional<ir::Ahead>& ahead) {
  return ahead ? " ahead " + ahead->iterator + " " + std::to_string(ahead->distance) : "";
}

std::string panels(const PackStep& step) {
  std::string result = step.operand.str() + " (" + text(step.panel) + ")";
  if (!step.along.empty()) result += " along " + joined(step.along);
  if (!step.as.empty()) result += " as " + step.as;
  if (step.type) result += " to " + std::string(ir::info(*step.type).name);
  if (step.piece > 1) result += " in pieces of " + std::to_string(step.piece);
  if (step.threads) result += " on threads (" + std::to_string(*step.threads) + ")";
  return result;
}

// The first line of a step, without what opens a list.
struct FirstLine {
  std::string operator()(const TileStep& step) const {
    std::string result = "tile " + step.iterator + " by " + text(step.by);
    if (step.threads)
      result += " on threads (" + std::to_string(step.threads->work) +
                (step.threads->outer ? " outer)" : ")");
    return result;
  }
  std::string operator()(const WhenStep& step) const {
    return "when " + joined(step.tests, " and ", [](const Test& test) { return text(test); });
  }
  std::string operator()(const LetStep& step) const {
    const std::string of = joined(step.of, ", ", [](const auto& number) { return text(number); });
    return "let " + step.name + " = " + (step.of.size() == 1 ? of : "min(" + of + ")");
  }
  std::string operator()(const PartsStep& step) const {
    return "parts " + step.iterator + " by " + text(step.by) + " as " + step.name;
  }
  std::string operator()(const CollapseStep& step) const {
    return "collapse " + joined(step.iterators) + " as " + step.name;
  }
  std::string operator()(const TablesStep& step) const { return "tables " + step.iterator; }
  std::string operator()(const CutStep& step) const {
    return "cut " + step.iterator + " at " +
           (step.line ? "line of " + step.line->str() + " (" + std::to_string(step.bytes) + ")"
                      : text(step.at)) +
           (step.copying ? " copying " + panels(*step.copying) : "");
  }
  std::string operator()(const InteriorStep& step) const { return "interior " + step.iterator; }
  std::string operator()(const SplitStep& step) const {
    return "split " + step.iterator + " by " + std::to_string(step.by) + " as " + step.name;
  }
  std::string operator()(const SpreadStep& step) const {
    return "spread " + step.iterator + " over " + std::to_string(step.over) + " as " + step.name;
  }
  std::string operator()(const DigitsStep& step) const {
    return "digits " + joined(step.digits, ", ", [](const DigitsStep::Digit& digit) {
             return digit.iterator + " by " + text(digit.by) + " as " + digit.name;
           });
  }
  std::string operator()(const OrderStep& step) const { return "order " + joined(step.iterators); }
  std::string operator()(const NonTemporalStep& step) const {
    return "non_temporal " + step.operand.str();
  }
  std::string operator()(const PackStep& step) const { return "pack " + panels(step); }
  std::string operator()(const CopyStep& step) const {
    return "copy " + step.operand.str() + " (" + joined(step.dimensions) + ") as " + step.name +
           (step.isOnStack ? " on stack" : "");
  }
  std::string operator()(const ConvertStep& step) const {
    return "convert " + step.operand.str() + " to " + std::string(ir::info(step.type).name) +
           (step.isOnStack ? " on stack" : "");
  }
  std::string operator()(const BorderStep& step) const { return "border " + step.operand.str(); }
  std::string operator()(const KeepStep& step) const {
    return "keep (" +
           joined(step.memory, ", ",
                  [](const KeepStep::Extent& extent) {
                    return extent.iterator + ": " + text(extent.positions);
                  }) +
           ")";
  }
  std::string operator()(const VectorizeStep& step) const {
    return "vectorize (" +
           joined(step.axes, ", ", [](const ir::Axis& axis) { return text(axis); }) + ")" +
           text(step.ahead) + (step.fit.empty() ? "" : " fit " + step.fit) +
           (step.early ? " early" : "") + (step.variant ? " variant" : "");
  }
  std::string operator()(const ResultsStep& step) const {
    return "results (" + joined(step.axes, ", ", [](const ir::Axis& axis) { return text(axis); }) +
           ")";
  }
  std::string operator()(const FunctionStep& step) const { return "function " + step.name; }
  std::string operator()(const ScratchStep& step) const {
    return "scratch (" + text(step.rows) + ", " + text(step.columns) + ")" +
           (step.piece > 1 ? " in pieces of " + std::to_string(step.piece) : "");
  }
  std::string operator()(const LanesStep& step) const {
    return "accumulate (" + step.iterator + ": " + std::to_string(step.width) + ")" +
           text(step.ahead);
  }
  std::string operator()(const TransposeStep& step) const {
    return "transpose " + step.from + " to " + step.to;
  }
  std::string operator()(const LoopsStep&) const { return "loops"; }
};

// Of a step that has one list.
const Steps* bodyOf(const Step& step) {
  if (auto* function = std::get_if<FunctionStep>(&step.node)) return &function->body;
  if (auto* copy = std::get_if<CopyStep>(&step.node)) return &copy->how;
  if (auto* results = std::get_if<ResultsStep>(&step.node)) return &results->body;
  if (auto* scratch = std::get_if<ScratchStep>(&step.node)) return &scratch->body;
  return nullptr;
}

}  // namespace

std::string print(const Step& step) { return std::visit(FirstLine(), step.node); }

void print(const Steps& steps, TextWriter& out) {
  for (const Step& step : steps) {
    const std::string because = step.because.empty() ? "" : "  // " + step.because;
    if (auto* when = std::get_if<WhenStep>(&step.node)) {
      out.open(print(step) + " {" + because);
      print(when->then, out);
      if (!when->otherwise.empty()) {
        out.dedent().open("} otherwise {");
        print(when->otherwise, out);
      }
      out.close();
    } else if (auto* cut = std::get_if<CutStep>(&step.node)) {
      out.open(print(step) + " {" + because);
      print(cut->first, out);
      out.dedent().open("} rest {");
      print(cut->rest, out);
      out.close();
    } else if (auto* parts = std::get_if<PartsStep>(&step.node)) {
      out.open(print(step) + " {" + because);
      print(parts->parts, out);
      out.dedent().open("} fill {");
      print(parts->fill, out);
      out.dedent().open("} combine {");
      print(parts->combine, out);
      out.dedent().open("} rest {");
      print(parts->rest, out);
      out.close();
    } else if (auto* interior = std::get_if<InteriorStep>(&step.node)) {
      out.open(print(step) + " {" + because);
      print(interior->inside, out);
      out.dedent().open("} border {");
      print(interior->border, out);
      out.close();
    } else if (auto* digits = std::get_if<DigitsStep>(&step.node)) {
      out.open(print(step) + " {" + because);
      print(digits->whole, out);
      for (const DigitsStep::Digit& digit : digits->digits) {
        if (digit.left.empty()) continue;
        out.dedent().open("} left of " + digit.iterator + " {");
        print(digit.left, out);
      }
      out.close();
    } else if (const Steps* body = bodyOf(step)) {
      out.open(print(step) + " {" + because);
      print(*body, out);
      out.close();
    } else {
      out.line(print(step) + because);
    }
  }
}

}  // namespace einc::strategy
