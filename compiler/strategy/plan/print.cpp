// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <utility>

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

// The words of a step, and the lists behind them, each with the word before it.
class Printer : public Syntax {
 public:
  explicit Printer(const Step& step) : line(verbOf(step)) { describe(step, *this); }

  using Syntax::option;
  using Syntax::optionBefore;
  using Syntax::steps;
  Syntax& word(const char* word) override { return add(word); }
  Syntax& iterator(std::string& name) override { return add(name); }
  Syntax& name(std::string& name) override { return add(name); }
  Syntax& number(affine::Expr& number) override { return add(text(number)); }
  Syntax& integer(int64_t& number) override { return add(std::to_string(number)); }
  Syntax& operand(OperandName& operand) override { return add(operand.str()); }
  Syntax& type(ir::ScalarType& type) override { return add(std::string(ir::info(type).name)); }
  bool option(const char* word, bool isThere) override {
    if (isThere) add(word);
    return isThere;
  }
  bool optionBefore(const char* word, const char* next, bool isThere) override {
    if (!isThere) return false;
    add(word);
    if (*next == '(')
      line += next;  // min(a, b)
    else
      add(next);  // line of A
    return true;
  }
  bool alone(const char* word, bool isThere) override { return option(word, isThere); }
  unsigned comparison(unsigned which) override {
    constexpr const char* kWords[] = {"==", "<", "<="};
    add(kWords[which]);
    return which;
  }
  Syntax& steps(const std::string& word, Steps& list, bool isOptional) override {
    if (!isOptional || !list.empty()) lists.emplace_back(word, &list);
    return *this;
  }

  std::string line;
  std::vector<std::pair<std::string, const Steps*>> lists;

 private:
  Printer& add(const std::string& token) {
    const bool isTight = line.back() == '(' || token == ")" || token == "," || token == ":";
    line += (isTight ? "" : " ") + token;
    return *this;
  }
};

}  // namespace

std::string print(const Step& step) { return Printer(step).line; }

void print(const Steps& steps, TextWriter& out) {
  for (const Step& step : steps) {
    const Printer printed(step);
    const std::string because = step.because.empty() ? "" : "  // " + step.because;
    if (printed.lists.empty()) out.line(printed.line + because);
    bool isFirst = true;
    for (const auto& [word, list] : printed.lists) {
      const std::string begin = word.empty() ? "{" : word + " {";
      if (std::exchange(isFirst, false))
        out.open(printed.line + " " + begin + because);
      else
        out.dedent().open("} " + begin);
      print(*list, out);
    }
    if (!printed.lists.empty()) out.close();
  }
}

}  // namespace einc::strategy
