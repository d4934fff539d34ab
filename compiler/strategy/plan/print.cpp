// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/text.h"

namespace einc::strategy {
namespace {

std::string text(const Test& test) {
  switch (test.kind) {
    case Test::Kind::Equal:
      return test.left.str() + " == " + test.right.str();
    case Test::Kind::Less:
      return test.left.str() + " < " + test.right.str();
    case Test::Kind::LessEqual:
      return test.left.str() + " <= " + test.right.str();
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

// The first line of a step, without what opens a list.
struct FirstLine {
  std::string operator()(const TileStep& step) const {
    std::string result = "tile " + step.iterator + " by " + step.by.str();
    if (step.threads)
      result += " on threads (" + std::to_string(step.threads->work) +
                (step.threads->outer ? " outer)" : ")");
    return result;
  }
  std::string operator()(const WhenStep& step) const {
    return "when " + joined(step.tests, " and ", [](const Test& test) { return text(test); });
  }
  std::string operator()(const LetStep& step) const {
    const std::string of = joined(step.of, ", ", [](const affine::Expr& e) { return e.str(); });
    return "let " + step.name + " = " + (step.of.size() == 1 ? of : "min(" + of + ")");
  }
  std::string operator()(const PartsStep& step) const {
    return "parts " + step.iterator + " by " + step.by.str() + " as " + step.name;
  }
  std::string operator()(const CutStep& step) const {
    return "cut " + step.iterator + " at " +
           (step.line ? "line of " + step.line->str() + " (" + std::to_string(step.bytes) + ")"
                      : step.at.str());
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
             return digit.iterator + " by " + digit.by.str() + " as " + digit.name;
           });
  }
  std::string operator()(const OrderStep& step) const { return "order " + joined(step.iterators); }
  std::string operator()(const NonTemporalStep& step) const {
    return "non_temporal " + step.operand.str();
  }
  std::string operator()(const PackStep& step) const {
    return "pack " + step.operand.str() + " (" + text(step.panel) + ")";
  }
  std::string operator()(const VectorizeStep& step) const {
    return "vectorize (" +
           joined(step.axes, ", ", [](const ir::Axis& axis) { return text(axis); }) + ")" +
           text(step.ahead) + (step.fit.empty() ? "" : " fit " + step.fit) +
           (step.variant ? " variant" : "");
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
    } else {
      out.line(print(step) + because);
    }
  }
}

}  // namespace einc::strategy
