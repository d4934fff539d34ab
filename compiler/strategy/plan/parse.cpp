// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compiler/ir/parse_value.h"
#include "compiler/strategy/plan/text.h"

namespace einc::strategy {
namespace {

using affine::Expr;

class StepParser {
 public:
  explicit StepParser(ir::TokenStream& in) : in_(in) {}

  Steps steps() {
    Steps result;
    ir::TokenStream::Nesting nesting(in_, depth_);
    while (nesting && !in_.failed() && !in_.token().is("}")) {
      const SourceRange first = in_.token().range;
      std::optional<Step> step = this->step();
      if (!step) break;
      step->source = {first.begin, std::max(first.end, lastEnd_)};
      result.push_back(std::move(*step));
    }
    return result;
  }

 private:
  std::optional<Step> step() {
    constexpr const char* kSteps =
        "a step: tile, when, let, parts, collapse, tables, cut, interior, split, spread, digits, "
        "order, "
        "non_temporal, pack, copy, convert, border, keep, vectorize, function, results, scratch, "
        "accumulate, "
        "transpose or loops";
    lastEnd_ = 0;
    if (in_.acceptWord("tile")) return tile();
    if (in_.acceptWord("when")) return when();
    if (in_.acceptWord("let")) return let();
    if (in_.acceptWord("parts")) return parts();
    if (in_.acceptWord("collapse")) {
      CollapseStep step{names(), ""};
      in_.expectWord("as");
      step.name = name("a name");
      return step;
    }
    if (in_.acceptWord("tables")) return TablesStep{name("an iterator")};
    if (in_.acceptWord("cut")) return cut();
    if (in_.acceptWord("interior")) {
      InteriorStep step{name("an iterator"), inBraces(), {}};
      in_.expectWord("border");
      step.border = inBraces();
      return step;
    }
    if (in_.acceptWord("split")) {
      SplitStep step{name("an iterator"), 0, ""};
      in_.expectWord("by");
      step.by = integer();
      in_.expectWord("as");
      step.name = name("a name");
      return step;
    }
    if (in_.acceptWord("spread")) {
      SpreadStep step{name("an iterator"), 0, ""};
      in_.expectWord("over");
      step.over = integer();
      in_.expectWord("as");
      step.name = name("a name");
      return step;
    }
    if (in_.acceptWord("digits")) return digits();
    if (in_.acceptWord("order")) return OrderStep{names()};
    if (in_.acceptWord("non_temporal")) return NonTemporalStep{operand()};
    if (in_.acceptWord("pack")) return pack();
    if (in_.acceptWord("copy")) {
      CopyStep step{operand(), {}, "", {}};
      in_.expect("(");
      step.dimensions = names();
      in_.expect(")");
      in_.expectWord("as");
      step.name = name("a name");
      step.isOnStack = onStack();
      step.how = inBraces();
      return step;
    }
    if (in_.acceptWord("convert")) {
      ConvertStep step{operand(), {}};
      in_.expectWord("to");
      step.type = type().value_or(ir::ScalarType::F32);
      step.isOnStack = onStack();
      return step;
    }
    if (in_.acceptWord("border")) return BorderStep{operand()};
    if (in_.acceptWord("keep")) {
      KeepStep step;
      in_.expect("(");
      in_.list(")", [&] {
        step.memory.push_back({name("an iterator"), {}});
        in_.expect(":");
        step.memory.back().positions = number();
      });
      return step;
    }
    if (in_.acceptWord("vectorize")) {
      VectorizeStep step;
      in_.expect("(");
      in_.list(")", [&] { step.axes.push_back(axis()); });
      step.ahead = ahead();
      if (in_.acceptWord("fit")) step.fit = name("an iterator");
      step.early = in_.acceptWord("early");
      step.variant = in_.acceptWord("variant");
      return step;
    }
    if (in_.acceptWord("function")) {
      FunctionStep step{name("a name"), {}};
      step.body = inBraces();
      return step;
    }
    if (in_.acceptWord("results")) {
      ResultsStep step;
      in_.expect("(");
      in_.list(")", [&] { step.axes.push_back(axis()); });
      step.body = inBraces();
      return step;
    }
    if (in_.acceptWord("scratch")) {
      ScratchStep step;
      in_.expect("(");
      step.rows = axis();
      in_.expect(",");
      step.columns = axis();
      in_.expect(")");
      step.piece = pieces();
      step.body = inBraces();
      return step;
    }
    if (in_.acceptWord("accumulate")) {
      in_.expect("(");
      ir::Axis along = axis();
      in_.expect(")");
      return LanesStep{along.name, along.size, ahead()};
    }
    if (in_.acceptWord("transpose")) {
      TransposeStep step{name("an iterator"), ""};
      in_.expectWord("to");
      step.to = name("an iterator");
      return step;
    }
    if (in_.acceptWord("loops")) return LoopsStep{};
    in_.failExpected(kSteps);
    return std::nullopt;
  }

  Step tile() {
    TileStep step{name("an iterator"), {}};
    in_.expectWord("by");
    step.by = number();
    if (!in_.acceptWord("on")) return step;
    in_.expectWord("threads");
    in_.expect("(");
    step.threads = Threads{integer()};
    step.threads->outer = in_.acceptWord("outer");
    in_.expect(")");
    return step;
  }

  Step let() {
    LetStep step{name("a name"), {}};
    in_.expect("=");
    const bool isLeast = in_.token().isWord("min") && in_.peek().is("(");
    if (isLeast) {
      in_.advance();
      in_.expect("(");
    }
    do step.of.push_back(number());
    while (isLeast && in_.accept(","));
    if (isLeast) in_.expect(")");
    return step;
  }

  PackStep pack() {
    PackStep step{operand(), {}};
    in_.expect("(");
    step.panel = axis();
    in_.expect(")");
    if (in_.acceptWord("along")) step.along = names();
    if (in_.acceptWord("as")) step.as = name("a name");
    if (in_.acceptWord("to")) step.type = type();
    step.piece = pieces();
    if (in_.acceptWord("on")) {
      in_.expectWord("threads");
      in_.expect("(");
      step.threads = integer();
      in_.expect(")");
    }
    return step;
  }

  std::optional<ir::ScalarType> type() {
    const SourceRange range = in_.token().range;
    auto result = ir::parseType(name("a type"));
    if (!result && !in_.failed()) in_.fail(range, "expected a type: f32");
    return result;
  }

  bool onStack() {
    if (!in_.acceptWord("on")) return false;
    in_.expectWord("stack");
    return true;
  }

  int64_t pieces() {
    if (!in_.acceptWord("in")) return 1;
    in_.expectWord("pieces");
    in_.expectWord("of");
    return integer();
  }

  Step when() {
    WhenStep step;
    do step.tests.push_back(test());
    while (in_.acceptWord("and"));
    step.then = inBraces();
    if (in_.acceptWord("otherwise")) step.otherwise = inBraces();
    return step;
  }

  Step parts() {
    PartsStep step{name("an iterator"), {}, "", {}, {}, {}, {}};
    in_.expectWord("by");
    step.by = number();
    in_.expectWord("as");
    step.name = name("a name");
    step.parts = inBraces();
    in_.expectWord("fill");
    step.fill = inBraces();
    in_.expectWord("combine");
    step.combine = inBraces();
    in_.expectWord("rest");
    step.rest = inBraces();
    return step;
  }

  Step cut() {
    CutStep step{name("an iterator"), {}, {}, 0, {}, {}};
    in_.expectWord("at");
    if (in_.token().isWord("line") && in_.peek().isWord("of")) {
      in_.advance();
      in_.advance();
      step.line = operand();
      in_.expect("(");
      step.bytes = integer();
      in_.expect(")");
    } else {
      step.at = number();
    }
    if (in_.acceptWord("copying")) step.copying = pack();
    step.first = inBraces();
    in_.expectWord("rest");
    step.rest = inBraces();
    return step;
  }

  Step digits() {
    DigitsStep step;
    do {
      step.digits.push_back({name("an iterator"), {}, "", {}});
      in_.expectWord("by");
      step.digits.back().by = number();
      in_.expectWord("as");
      step.digits.back().name = name("a name");
    } while (in_.accept(","));
    step.whole = inBraces();
    while (in_.acceptWord("left")) {
      in_.expectWord("of");
      const SourceRange range = in_.token().range;
      const std::string of = name("an iterator");
      auto digit = std::find_if(step.digits.begin(), step.digits.end(),
                                [&](const DigitsStep::Digit& d) { return d.iterator == of; });
      if (digit == step.digits.end()) {
        in_.fail(range, "'" + of + "' is none of those in digits");
        break;
      }
      digit->left = inBraces();
    }
    return step;
  }

  Steps inBraces() {
    in_.expect("{");
    Steps result = steps();
    in_.expect("}");
    lastEnd_ = 0;  // errors show the first line
    return result;
  }

  Test test() {
    Test result{Test::Kind::Equal};
    const bool isCall = in_.peek().is("(");
    if (isCall && in_.acceptWord("contiguous")) {
      result.kind = Test::Kind::Contiguous;
      in_.expect("(");
      result.operand = operand();
      in_.expect(",");
      result.iterator = name("an iterator");
      in_.expect(")");
      return result;
    }
    if (isCall && in_.acceptWord("borders")) {
      result.kind = Test::Kind::Borders;
      in_.expect("(");
      result.iterator = name("an iterator");
      in_.expect(")");
      return result;
    }
    const bool isAlone = in_.peek().is("{") || in_.peek().isWord("and");
    if (isAlone && in_.acceptWord("inside")) {
      result.kind = Test::Kind::Inside;
      return result;
    }
    result.left = number();
    if (in_.accept("<"))
      result.kind = in_.accept("=") ? Test::Kind::LessEqual : Test::Kind::Less;
    else if (in_.accept("="))
      in_.expect("=");
    else
      in_.failExpected("'==', '<' or '<='");
    result.right = number();
    return result;
  }

  ir::Axis axis() {
    ir::Axis result{name("an iterator"), 0};
    in_.expect(":");
    result.size = integer();
    return result;
  }

  std::optional<ir::Ahead> ahead() {
    if (!in_.acceptWord("ahead")) return std::nullopt;
    ir::Ahead result{name("an iterator"), 0};
    result.distance = integer();
    return result;
  }

  OperandName operand() {
    OperandName result{name("an operand"), 0};
    if (!in_.accept("[")) return result;
    const SourceRange range = in_.token().range;
    int64_t use = integer();
    if (use < 0 || use > 1000) in_.fail(range, "expected the number of a use, from 0 on");
    result.use = static_cast<unsigned>(use);
    in_.expect("]");
    return result;
  }

  // Whether a name is an iterator, or a size, shows where the steps are done.
  Expr number() { return ir::ValueParser(in_, kernel_, scope_).index(); }

  std::vector<std::string> names() {
    std::vector<std::string> result;
    do result.push_back(name("an iterator"));
    while (in_.accept(","));
    return result;
  }
  std::string name(const std::string& what) {
    lastEnd_ = in_.token().range.end;
    return in_.name(what);
  }
  int64_t integer() {
    lastEnd_ = in_.token().range.end;
    return in_.integer();
  }

  ir::TokenStream& in_;
  ir::Kernel kernel_;
  ir::Scope scope_ = [] {
    ir::Scope scope;
    scope.anySize = true;
    return scope;
  }();
  unsigned depth_ = 0;
  uint32_t lastEnd_ = 0;
};

}  // namespace

Steps parseSteps(ir::TokenStream& in) { return StepParser(in).steps(); }

}  // namespace einc::strategy
