// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/choices.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "compiler/emit/c/places.h"
#include "compiler/emit/text/references.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {

using affine::Expr;

namespace {

bool hasCall(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    found |= std::holds_alternative<ir::LibraryCall>(stmt.node);
  });
  return found;
}

// What conditions say at most that a person reads.
constexpr size_t kLongestWords = 60;

class Explainer : public PlacePrinter {
 public:
  Explainer(const ir::Kernel& code, KernelScope& scope, Prelude& prelude, const COptions& options,
            const std::string& end)
      : PlacePrinter(code, scope, prelude, options.plant), end_(end) {
    expect(options);
  }

  ChoiceStatements run() {
    out_.indent();
    tell(kernel_.body, 0);
    std::string text = out_.take();
    return {saying_ > 0 ? text : "", room_};
  }

  template <typename Other>
  void operator()(const Other&) {}  // no others are there
  void operator()(const ir::View& view) { facts_.enter(view); }
  void operator()(const ir::Bound& bound);
  void operator()(const ir::Lead& lead);
  void operator()(const ir::If& test);
  void operator()(const ir::TileLoop& loop);
  void operator()(const ir::LibraryCall& call);
  void operator()(const ir::ExternalCall& call) {
    out_.line(say("'" + call.function + "' is called\n"));
  }

 private:
  struct Clause {
    Test test;
    std::string words;                   // what is asked, for people, if it says anything
    std::function<std::string()> fails;  // the statement that says why it does not hold
    bool isFlag = false;                 // the test is a variable, which is 1 unless it is cleared
  };
  void tell(const ir::Block& statements, size_t first);
  void choose(const ir::If& test, const Test& all);
  void then(const ir::If& test) {
    assuming(test.conditions, [&] { tell(test.then, 0); });
  }
  Clause clause(const ir::Condition& condition);
  Clause placeClause(const ir::Condition& condition, Clause clause);
  std::vector<Clause> clausesOf(const ir::LibraryCall& call);
  Clause refusal(const ir::LibraryCall& call);
  void firstThatFails(const std::vector<Clause>& clauses);
  std::string say(const std::string& words);
  std::string says(const std::string& call);
  std::string sayNumber(const std::string& before, const std::string& number,
                        const std::string& after);
  Expr inSymbols(const Expr& e) const;
  bool isTold(const ir::Condition& condition) const;
  std::string dimensionText(unsigned tensor, unsigned dim) const;
  std::string mergesFlag(const ir::LibraryCall& call, size_t operand, char letter) const;

  const std::string& end_;                             // of the text
  size_t room_ = 0;                                    // for all that they may say
  size_t saying_ = 0;                                  // statements that say something, so far
  std::set<std::string> said_;                         // on the way here
  unsigned choices_ = 0;                               // told of around here
  bool onTiles_ = false;                               // what is told is of the first tile
  std::map<std::string, std::optional<Expr>> bounds_;  // in names of the spec, if they are one
};

void Explainer::operator()(const ir::Bound& bound) {
  declareNumber(bound);
  bounds_[bound.name] = bound.of.size() == 1 ? std::optional(inSymbols(bound.of[0])) : std::nullopt;
}

void Explainer::operator()(const ir::Lead& lead) {
  declareNumber(lead);
  bounds_[lead.name] = std::nullopt;
}

void Explainer::operator()(const ir::If& test) {
  const Test all = allOf(test.conditions);
  if (all.never()) return tell(test.otherwise, 0);
  if (all.always()) return then(test);
  choose(test, all);
}

void Explainer::tell(const ir::Block& statements, size_t first) {
  PlacePrinter::tell(statements, first,
                     [&](const ir::Stmt& stmt) { std::visit(*this, stmt.node); });
}

std::string Explainer::say(const std::string& words) {
  room_ += words.size();
  return says(prelude_.need("say") + "(" + end_ + ", " + quoted(words) + ")");
}

std::string Explainer::says(const std::string& call) {
  ++saying_;
  return end_ + " = " + call + ";";
}

std::string Explainer::sayNumber(const std::string& before, const std::string& number,
                                 const std::string& after) {
  room_ += before.size() + kLongestNumber + after.size();
  return says(prelude_.need("say_number") + "(" + end_ + ", " + quoted(before) + ", " + number +
              ", " + quoted(after) + ")");
}

// An expression in names of the spec.
Expr Explainer::inSymbols(const Expr& e) const {
  return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    auto found = bounds_.find(atom.name);
    return found == bounds_.end() ? std::nullopt : found->second;
  });
}

// Whether a condition says something to a person: those inside of others about names of the spec,
// the outermost ones about what is computed from these, too.
bool Explainer::isTold(const ir::Condition& c) const {
  for (const Expr* e : {&c.left, &c.right})
    for (const std::string& symbol : e->symbols())
      if (auto found = bounds_.find(symbol); found != bounds_.end())
        if (choices_ > 0 || !found->second) return false;
  return true;
}

// The dimensions of the argument, or local tensor, that move with a dimension of a view.
std::string Explainer::dimensionText(unsigned tensor, unsigned dim) const {
  std::set<unsigned> dims = {dim};
  for (const ir::View* view = facts_.viewOf(tensor); view; view = facts_.viewOf(view->base)) {
    std::set<unsigned> below;
    for (unsigned d = 0; d < view->map.size(); ++d)
      for (unsigned from : dims)
        if (view->map[d].mentions(view->dims[from])) below.insert(d);
    dims = std::move(below);
  }
  return (dims.size() == 1 ? "dimension " : "dimensions ") +
         joined(dims, " and ", [](unsigned d) { return std::to_string(d); });
}

// Of neighbours in memory, and lines of them.
Explainer::Clause Explainer::placeClause(const ir::Condition& c, Clause clause) {
  std::string name = kernel_.tensors[facts_.rootOf(c.tensor)].name;
  std::string along = " along " + dimensionText(c.tensor, c.dim);
  auto root = facts_.rootDim(c.tensor, c.dim);
  if (c.kind == ir::Condition::Kind::Aligned) {
    clause.words = "lines of " + name + along + " begin at multiples of " + c.left.str() + " bytes";
    clause.fails = [=, this] { return say("some do not\n"); };
  } else if (c.kind == ir::Condition::Kind::Even) {
    clause.words = name + " has elements equally far apart" + along;
    clause.fails = [=, this] {
      return say("elements of " + name + along + " are not equally far apart\n");
    };
  } else if (root && kernel_.tensors[root->first].role != ir::Role::Local) {
    clause.words = name + " has stride 1" + along;
    std::string stride = scope_.stride(root->first, root->second);
    clause.fails = [=, this] { return sayNumber(name + " has stride ", stride, along + "\n"); };
  } else {
    clause.words = name + " has no gaps" + along;
    clause.fails = [=, this] { return say(name + " has gaps" + along + "\n"); };
  }
  return clause;
}

// What a condition says, and the statement that says why it does not hold.
Explainer::Clause Explainer::clause(const ir::Condition& c) {
  Clause clause{condition(c), "", nullptr};
  if (clause.test.always()) return clause;
  if (c.isOfMemory()) return placeClause(c, std::move(clause));
  static const char* const signs[] = {" = ", " < ", " <= "};
  static const char* const mirrored[] = {" = ", " > ", " >= "};
  const auto kind = static_cast<int>(c.kind);
  Expr left = inSymbols(c.left), right = inSymbols(c.right);
  auto least = left.asConstant();
  const Expr& told = least ? right : left;
  clause.words =
      least ? right.str() + mirrored[kind] + left.str() : left.str() + signs[kind] + right.str();
  std::string value = printer_.index(least ? c.right : c.left);
  clause.fails = [=, this] { return sayNumber(told.str() + " is ", value, "\n"); };
  if (clause.words.size() > kLongestWords) {
    clause.words.clear();
    clause.fails = [this] { return say("sizes do not suit it\n"); };
  }
  // That there is something to do is no choice.
  bool nonempty = least && *least == (c.kind == ir::Condition::Kind::LessEqual ? 1 : 0);
  if (nonempty && c.kind != ir::Condition::Kind::Equal) clause.words.clear();
  return clause;
}

void Explainer::firstThatFails(const std::vector<Clause>& clauses) {
  for (const Clause& c : clauses) {
    std::string head = &c == &clauses.front() ? "" : "else ";
    if (&c != &clauses.back()) head += "if (!(" + c.test.text() + ")) ";
    out_.line(head + c.fails());
  }
}

void Explainer::choose(const ir::If& test, const Test& all) {
  std::vector<Clause> clauses;
  std::string words;
  std::vector<facts::Asked> asked;
  for (const ir::Condition& c : test.conditions) {
    Clause next = clause(c);
    if (next.test.always() || llvm::is_contained(asked, facts_.ask(c))) continue;
    asked.push_back(facts_.ask(c));
    if (!next.words.empty()) words += (words.empty() ? "" : ", ") + next.words;
    clauses.push_back(std::move(next));
  }
  bool told = std::all_of(test.conditions.begin(), test.conditions.end(),
                          [&](const ir::Condition& c) { return isTold(c); });
  bool tells = told && !words.empty() && said_.insert(words).second;
  auto said = said_;
  choices_ += tells;
  if (tells) out_.line(say("form where " + words + ": "));
  std::string before = out_.take();
  const size_t sayingBefore = saying_;
  out_.indent();
  if (tells) out_.line(say("yes\n"));
  then(test);
  said_ = said;
  std::string then = out_.take();
  const size_t sayingThen = saying_;
  if (tells) {
    out_.line(say("no, "));
    firstThatFails(clauses);
  }
  tell(test.otherwise, 0);
  said_ = said;
  choices_ -= tells;
  std::string otherwise = out_.take();
  out_.dedent();
  out_.raw(before);
  const bool hasThen = sayingThen > sayingBefore, hasOtherwise = saying_ > sayingThen;
  if (!hasThen && !hasOtherwise) return;
  out_.open(hasThen ? "if (" + all.text() + ") {" : "if (!(" + all.text() + ")) {");
  out_.raw(hasThen ? then : otherwise);
  if (hasThen && hasOtherwise) out_.dedent().line("} else {").indent().raw(otherwise);
  out_.close();
}

// Of tiles the first one.
void Explainer::operator()(const ir::TileLoop& loop) {
  bool before = std::exchange(onTiles_, true);
  std::string step = wrapped(printer_.index(loop.step)),
              extent = wrapped(printer_.index(loop.extent));
  out_.open("{");
  const std::string around = out_.take(), size = scope_.local(loop.size);
  facts_.enter(loop);
  bounds_[loop.size] = std::nullopt;
  tell(loop.body, 0);
  const std::string body = out_.take();
  const References used = referencesIn(body);
  out_.raw(around);
  if (used.count(scope_.local(loop.var)) != 0)
    out_.line("const int64_t " + scope_.local(loop.var) + " = 0;");
  if (used.count(size) != 0)
    out_.line("const int64_t " + size + " = " + step + " < " + extent + " ? " + step + " : " +
              extent + ";");
  out_.raw(body);
  out_.close();
  onTiles_ = before;
}

// Conditions on sizes, that dimensions are one, and factors what the library makes the same of.
std::vector<Explainer::Clause> Explainer::clausesOf(const ir::LibraryCall& call) {
  std::vector<Clause> clauses;
  auto need = [&](const Test& test, const std::string& fails, bool isFlag = false) {
    clauses.push_back({test, "", [this, fails] { return say(fails + "\n"); }, isFlag});
  };
  for (const ir::Where& where : call.where)
    need(Test::asked(holds(call, where)),
         joined(where.iterators, " * ") + " is " +
             (where.below ? std::to_string(where.bound) + " or more"
                          : "below " + std::to_string(where.bound)));
  for (size_t i = 0; i < call.op.operandCount(); ++i)
    for (char name : ir::info(call.function).operands[i])
      for (const ir::LibraryCall::Letter& letter : call.letters)
        if (letter.name == name && letter.iterators.size() > 1)
          need(Test::asked(mergesFlag(call, i, name)),
               joined(letter.iterators, " and ") + " of " +
                   kernel_.tensors[facts_.rootOf(call.op.operand(i).tensor)].name +
                   " are no one dimension",
               /*isFlag=*/true);
  for (const auto& [factor, name] :
       {std::pair(call.alpha, "alpha"), std::pair(call.beta, "beta")}) {
    const Test test = isPlain(factor);
    if (test.always()) continue;
    auto* attribute = std::get_if<ir::AttributeRef>(&factor->node);
    std::string own = attribute ? " (" + kernel_.attributes[attribute->attribute].name + ")" : "";
    need(test, name + own + " is 0 or not finite");
  }
  return clauses;
}

// Of one letter of an operand, as each is told.
std::string Explainer::mergesFlag(const ir::LibraryCall& call, size_t operand, char letter) const {
  std::string name = kernel_.tensors[call.op.operand(operand).tensor].name;
  return scope_.local("merges_" + name + "_" + std::string(1, letter) + std::to_string(operand));
}

// Asks the library itself, which says why not.
Explainer::Clause Explainer::refusal(const ir::LibraryCall& call) {
  const std::string refusal = scope_.local("refusal"), names = scope_.local("operands");
  std::vector<std::string> operands, called;
  size_t longest = 0;
  for (size_t i = 0; i < call.op.operandCount(); ++i) {
    called.push_back(quoted(kernel_.tensors[facts_.rootOf(call.op.operand(i).tensor)].name));
    longest = std::max(longest, called.back().size());
    operands.push_back(
        descriptor(call, i, /*moves=*/false, DataOf::None,
                   [&](size_t operand, char letter) { return mergesFlag(call, operand, letter); }));
  }
  out_.line("static const char *const " + names + "[] = {" + joined(called) + "};");
  out_.line("const einc_refusal " + refusal + " = " +
            prelude_.need(chunkOf(call, kernel_, "refuses_")) + "(&" + joined(operands, ", &") +
            ");");
  return {Test::asked(refusal + ".why == NULL"), "", [=, this] {
            room_ += longest + longestRefusal() + 2;
            std::string text = end_;
            for (const std::string& words :
                 {names + "[" + refusal + ".operand]", quoted(" "), refusal + ".why", quoted("\n")})
              text = prelude_.need("say") + "(" + text + ", " + words + ")";
            return says(text);
          }};
}

void Explainer::operator()(const ir::LibraryCall& call) {
  std::string function(ir::info(call.function).name),
      op = "op " + std::to_string(call.number) + (onTiles_ ? ", first tile" : "");
  out_.open("{");
  std::vector<Clause> clauses = clausesOf(call);
  for (const Clause& c : clauses)
    if (c.isFlag) out_.line("int " + c.test.text() + " = 1;");
  clauses.push_back(refusal(call));
  out_.open("if (" + joined(clauses, " && ", [](const Clause& c) { return c.test.text(); }) +
            ") {");
  std::string loops = joined(outerLoops(call), " and ");
  out_.line(say(op + ": " + call.library + " " + function + " is called" +
                (loops.empty() ? "" : ", once for each " + loops) + "\n"));
  out_.dedent().line("} else {").indent();
  bool isLast = &ir::generated(call) == &call.body;
  std::string otherwise = isLast ? "the generated kernel runs, not " : "no call of ";
  out_.line(say(op + ": " + otherwise + call.library + " " + function + ": "));
  firstThatFails(clauses);
  auto said = said_;
  tell(call.body, 0);
  said_ = said;
  out_.close().close();
}

}  // namespace

std::string quoted(const std::string& words) {
  std::string result = "\"";
  for (char c : words) result += c == '\n' ? "\\n" : std::string(1, c);
  return result + "\"";
}

ir::Block choicesOnly(const ir::Block& block) {
  ir::Block result;
  auto add = [&](const ir::Block& inside) {
    ir::Block choices = choicesOnly(inside);
    std::move(choices.begin(), choices.end(), std::back_inserter(result));
  };
  for (const ir::Stmt& stmt : block) {
    if (std::holds_alternative<ir::Bound>(stmt.node) ||
        std::holds_alternative<ir::View>(stmt.node) ||
        std::holds_alternative<ir::Lead>(stmt.node) ||
        std::holds_alternative<ir::ExternalCall>(stmt.node))
      result.push_back(stmt);
    if (auto* region = std::get_if<ir::NonTemporal>(&stmt.node)) add(region->body);
    if (auto* outline = std::get_if<ir::Outline>(&stmt.node)) add(outline->body);
    if (auto* test = std::get_if<ir::If>(&stmt.node))
      result.push_back(
          {ir::If{test->conditions, choicesOnly(test->then), choicesOnly(test->otherwise)}});
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node); loop && hasCall(loop->body)) {
      ir::TileLoop copy = *loop;
      copy.body = choicesOnly(loop->body);
      result.push_back({std::move(copy)});
    }
    if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
      ir::LibraryCall copy = *call;
      copy.body = choicesOnly(call->body);
      result.push_back({std::move(copy)});
    }
  }
  return result;
}

ChoiceStatements choiceStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                                  const COptions& options, const std::string& end) {
  return Explainer(code, scope, prelude, options, end).run();
}

}  // namespace einc::emit
