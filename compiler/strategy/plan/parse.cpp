// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "compiler/ir/parse_value.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/text.h"

namespace einc::strategy {
namespace {

// "tile, when or loops"
std::string alternatives(std::vector<std::string> words) {
  const std::string last = words.back();
  words.pop_back();
  return joined(words) + " or " + last;
}

class Parser : public Syntax {
 public:
  explicit Parser(ir::TokenStream& in) : in_(in) {}

  Steps list() {
    Steps result;
    ir::TokenStream::Nesting nesting(in_, depth_);
    const size_t before = steps_;
    while (nesting && !in_.failed() && !in_.token().is("}")) {
      const SourceRange first = in_.token().range;
      if (++steps_ > kMostSteps)
        in_.fail(first, "more than " + std::to_string(kMostSteps) + " steps behind one another");
      std::optional<Step> step = this->step();
      if (!step) break;
      step->source = {first.begin, std::max(first.end, lastEnd_)};
      result.push_back(std::move(*step));
    }
    steps_ = before;
    return result;
  }

  // ---- The fields of a verb, in the order of the text ----

  using Syntax::option;
  using Syntax::optionBefore;
  using Syntax::steps;
  bool fills() const override { return true; }
  Syntax& word(const char* word) override {
    if (std::isalpha(static_cast<unsigned char>(*word)))
      in_.expectWord(word);
    else
      in_.expect(word);
    return *this;
  }
  Syntax& iterator(std::string& name) override {
    name = read("an iterator");
    return *this;
  }
  Syntax& name(std::string& name) override {
    name = read("a name");
    return *this;
  }
  // Whether a name is an iterator, or a size, shows where the steps are done.
  Syntax& number(affine::Expr& number) override {
    number = ir::ValueParser(in_, kernel_, scope_).index();
    return *this;
  }
  Syntax& integer(int64_t& number) override {
    lastEnd_ = in_.token().range.end;
    number = in_.integer();
    return *this;
  }
  Syntax& operand(OperandName& operand) override {
    operand.tensor = read("an operand");
    if (!in_.accept("[")) return *this;
    const SourceRange range = in_.token().range;
    int64_t use = 0;
    integer(use);
    if (use < 0 || use > 1000) in_.fail(range, "expected the number of a use, from 0 on");
    operand.use = static_cast<unsigned>(use);
    return word("]");
  }
  Syntax& type(ir::ScalarType& type) override {
    const SourceRange range = in_.token().range;
    if (auto known = ir::parseType(read("a type")))
      type = *known;
    else
      in_.fail(range, "expected a type: f32");
    return *this;
  }
  Syntax& steps(const std::string& word, Steps& list, bool isOptional) override {
    if (isOptional && !in_.acceptWord(word)) return *this;
    if (!isOptional && !word.empty()) in_.expectWord(word);
    list = inBraces();
    return *this;
  }

  bool option(const char* word, bool /*isThere*/) override {
    return in_.acceptWord(word) || in_.accept(word);
  }
  bool optionBefore(const char* word, const char* next, bool /*isThere*/) override {
    const ir::Token behind = in_.peek();
    if (!in_.token().isWord(word) || !(behind.is(next) || behind.isWord(next))) return false;
    in_.advance();
    in_.advance();
    return true;
  }
  bool alone(const char* word, bool /*isThere*/) override {
    const ir::Token behind = in_.peek();
    return (behind.is("{") || behind.isWord("and")) && in_.acceptWord(word);
  }
  unsigned comparison(unsigned /*which*/) override {
    if (in_.accept("<")) return in_.accept("=") ? 2 : 1;
    if (in_.accept("="))
      in_.expect("=");
    else
      in_.failExpected("'==', '<' or '<='");
    return 0;
  }
  Syntax& leftOf(const std::vector<std::pair<std::string, Steps*>>& lists) override {
    while (in_.acceptWord("left")) {
      in_.expectWord("of");
      const SourceRange range = in_.token().range;
      const std::string of = read("an iterator");
      auto list = std::find_if(lists.begin(), lists.end(),
                               [&](const auto& named) { return named.first == of; });
      if (list == lists.end())
        in_.fail(range, "'" + of + "' is none of those in digits");
      else
        *list->second = inBraces();
    }
    return *this;
  }

 private:
  std::optional<Step> step() {
    std::optional<Step> result;
    lastEnd_ = 0;
    Verbs::forEach([&]<typename Verb>() {
      if (result || !in_.acceptWord(Verb::kVerb)) return;
      Verb verb{};
      verb.describe(*this);
      result = Step(std::move(verb));
    });
    if (!result) in_.failExpected("a step: " + alternatives(verbs()));
    return result;
  }

  Steps inBraces() {
    in_.expect("{");
    Steps result = list();
    in_.expect("}");
    lastEnd_ = 0;  // errors show the first line
    return result;
  }

  std::string read(const char* what) {
    lastEnd_ = in_.token().range.end;
    return in_.name(what);
  }

  ir::TokenStream& in_;
  ir::Kernel kernel_;
  ir::Scope scope_ = [] {
    ir::Scope scope;
    scope.anySize = true;
    return scope;
  }();
  unsigned depth_ = 0;
  size_t steps_ = 0;  // that lead to the place where the next one stands
  uint32_t lastEnd_ = 0;
};

}  // namespace

Steps parseSteps(ir::TokenStream& in) { return Parser(in).list(); }

}  // namespace einc::strategy
