// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/explain.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/emit/c/body.h"
#include "compiler/emit/c/workspace.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/references.h"
#include "compiler/support/text_writer.h"

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

// What chooses between ways of doing a whole op: calls of libraries, and conditions outside of
// loops, with the names that they use.
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

std::string quoted(const std::string& words) {
  std::string result = "\"";
  for (char c : words) result += c == '\n' ? "\\n" : std::string(1, c);
  return result + "\"";
}

// The longest decimal number with a sign.
constexpr size_t kLongestNumber = 20;
// What conditions say at most that a person reads.
constexpr size_t kLongestWords = 60;

}  // namespace

// ---- BodyWriter: sentences ----------------------------------------------------------------------

std::string BodyWriter::sentences(const std::string& end, size_t& room) {
  end_ = end;
  std::string text = run();
  room = room_;
  return saying_ > 0 ? text : "";
}

// The statements from number `first` on; a name is declared where what follows uses it.
void BodyWriter::tell(const ir::Block& statements, size_t first) {
  for (size_t i = first; i < statements.size(); ++i) {
    const ir::Stmt& stmt = statements[i];
    auto* bound = std::get_if<ir::Bound>(&stmt.node);
    auto* lead = std::get_if<ir::Lead>(&stmt.node);
    if (!bound && !lead) {
      std::visit(*this, stmt.node);
      continue;
    }
    const std::string before = out_.take();
    std::visit(*this, stmt.node);
    const std::string declaration = out_.take();
    tell(statements, i + 1);
    const std::string rest = out_.take();
    const bool isUsed =
        referencesIn(rest).count(scope_.local(bound ? bound->name : lead->name)) != 0;
    out_.raw(before + (isUsed ? declaration : "") + rest);
    return;
  }
}

std::string BodyWriter::say(const std::string& words) {
  room_ += words.size();
  return says(prelude_.need("say") + "(" + end_ + ", " + quoted(words) + ")");
}

std::string BodyWriter::says(const std::string& call) {
  ++saying_;
  return end_ + " = " + call + ";";
}

std::string BodyWriter::sayNumber(const std::string& before, const std::string& number,
                                  const std::string& after) {
  room_ += before.size() + kLongestNumber + after.size();
  return says(prelude_.need("say_number") + "(" + end_ + ", " + quoted(before) + ", " + number +
              ", " + quoted(after) + ")");
}

// An expression in names of the spec.
Expr BodyWriter::inSymbols(const Expr& e) const {
  return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    auto found = bounds_.find(atom.name);
    return found == bounds_.end() ? std::nullopt : found->second;
  });
}

// Whether a condition says something to a person: those inside of others about names of the spec,
// the outermost ones about what is computed from these, too.
bool BodyWriter::isTold(const ir::Condition& c) const {
  for (const Expr* e : {&c.left, &c.right})
    for (const std::string& symbol : e->symbols())
      if (auto found = bounds_.find(symbol); found != bounds_.end())
        if (choices_ > 0 || !found->second) return false;
  return true;
}

// The dimensions of the argument, or local tensor, that move with a dimension of a view.
std::string BodyWriter::dimensionText(unsigned tensor, unsigned dim) const {
  std::set<unsigned> dims = {dim};
  for (const ir::View* view = facts_.viewOf(tensor); view; view = facts_.viewOf(view->base)) {
    std::set<unsigned> below;
    for (unsigned d = 0; d < view->map.size(); ++d)
      for (unsigned from : dims)
        if (facts::mentions(view->map[d], view->dims[from])) below.insert(d);
    dims = std::move(below);
  }
  return (dims.size() == 1 ? "dimension " : "dimensions ") +
         joined(dims, " and ", [](unsigned d) { return std::to_string(d); });
}

// What a condition says, and the statement that says why it does not hold.
BodyWriter::Clause BodyWriter::clause(const ir::Condition& c) {
  Clause clause{condition(c), "", nullptr};
  if (clause.test.always()) return clause;
  if (c.kind == ir::Condition::Kind::Unit || c.kind == ir::Condition::Kind::Aligned) {
    std::string name = kernel_.tensors[facts_.rootOf(c.tensor)].name;
    std::string along = " along " + dimensionText(c.tensor, c.dim);
    auto root = facts_.rootDim(c.tensor, c.dim);
    if (c.kind == ir::Condition::Kind::Aligned) {
      clause.words =
          "lines of " + name + along + " begin at multiples of " + c.left.str() + " bytes";
      clause.fails = [=, this] { return say("some do not\n"); };
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

void BodyWriter::firstThatFails(const std::vector<Clause>& clauses) {
  for (const Clause& c : clauses) {
    std::string head = &c == &clauses.front() ? "" : "else ";
    if (&c != &clauses.back()) head += "if (!(" + c.test.text() + ")) ";
    out_.line(head + c.fails());
  }
}

void BodyWriter::explain(const ir::If& test, const Test& all) {
  std::vector<Clause> clauses;
  std::string words;
  std::set<std::string> tests;
  for (const ir::Condition& c : test.conditions) {
    Clause next = clause(c);
    if (next.test.always() || !tests.insert(next.test.text()).second) continue;
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
  underConditions(test);
  said_ = said;
  std::string then = out_.take();
  const size_t sayingThen = saying_;
  if (tells) {
    out_.line(say("no, "));
    firstThatFails(clauses);
  }
  block(test.otherwise);
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
void BodyWriter::explain(const ir::TileLoop& loop) {
  bool before = std::exchange(onTiles_, true);
  std::string step = wrapped(printer_.index(loop.step)),
              extent = wrapped(printer_.index(loop.extent));
  out_.open("{");
  const std::string around = out_.take(), size = scope_.local(loop.size);
  facts_.enter(loop);
  bounds_[loop.size] = std::nullopt;
  block(loop.body);
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
std::vector<BodyWriter::Clause> BodyWriter::clausesOf(const ir::LibraryCall& call) {
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

void BodyWriter::explain(const ir::LibraryCall& call) {
  std::string type(ir::info(kernel_.tensors[call.op.outputs[0].tensor].type).name);
  std::string function(ir::info(call.function).name),
      op = "op " + std::to_string(call.number) + (onTiles_ ? ", first tile" : "");
  std::string refusal = scope_.local("refusal"), names = scope_.local("operands");
  out_.open("{");
  std::vector<Clause> clauses = clausesOf(call);
  for (const Clause& c : clauses)
    if (c.isFlag) out_.line("int " + c.test.text() + " = 1;");
  std::vector<std::string> operands, called;
  size_t longest = 0;
  for (size_t i = 0; i < call.op.operandCount(); ++i) {
    called.push_back(quoted(kernel_.tensors[facts_.rootOf(call.op.operand(i).tensor)].name));
    longest = std::max(longest, called.back().size());
    operands.push_back(descriptor(call, i, /*moves=*/false));
  }
  out_.line("static const char *const " + names + "[] = {" + joined(called) + "};");
  out_.line("const einc_refusal " + refusal + " = " +
            prelude_.need(call.library + "_refuses_" + function + "_" + type) + "(&" +
            joined(operands, ", &") + ");");
  clauses.push_back(
      {Test::asked(refusal + ".why == NULL"), "", [&] {
         room_ += longest + longestRefusal() + 2;
         std::string text = end_;
         for (const std::string& words :
              {names + "[" + refusal + ".operand]", quoted(" "), refusal + ".why", quoted("\n")})
           text = prelude_.need("say") + "(" + text + ", " + words + ")";
         return says(text);
       }});
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
  block(call.body);
  said_ = said;
  out_.close().close();
}

// ---- NAME_explain -------------------------------------------------------------------------------

namespace {

class ExplainWriter {
 public:
  ExplainWriter(const KernelCode& kernel, const COptions& options, Prelude& prelude)
      : kernel_(kernel),
        options_(options),
        prelude_(prelude),
        name_(functionName(kernel.contract->name, options.prefix)),
        signature_(*kernel.contract),
        text_(signature_.names.make("text")),
        end_(signature_.names.make("end")),
        bytes_(signature_.names.make("bytes")) {}

  std::string run(const Asked& asked) {
    std::string functions = eachTarget(), arguments = signature_.arguments();
    bool heap = std::any_of(kernel_.codes.begin(), kernel_.codes.end(),
                            [](const TargetCode& code) { return usesHeap(code.code->body); });
    prelude_.need("cold");
    const std::string head =
        "einc_cold const char *" + name_ + "_explain(" + signature_.declarations() + ") {";
    const std::string status = "const einc_status status = " + asked.status + ";";
    if (!heap && asked.dense.empty() && choices_.empty() && kernel_.codes.size() == 1 &&
        !isExternal(kernel_)) {
      out_.open(head).line(status);
      out_.line("return status == EINC_OK ? " + quoted(onlyTarget()) +
                " : einc_status_string(status);");
      out_.close().line();
      return out_.take();
    }
    out_.indent();
    if (!isExternal(kernel_)) target();
    if (heap) out_.line("const int64_t " + bytes_ + " = " + name_ + "_bytes(" + arguments + ");");
    if (!asked.dense.empty())
      add(words(asked.dense + (heap ? " && " + bytes_ + " == 0" : ""),
                "no gaps in the arguments: code that knows their strides\n",
                heap ? "gaps in the arguments, or memory to allocate: code for any strides\n"
                     : "gaps in the arguments: code for any strides\n"));
    if (!choices_.empty()) set(choices_);
    if (heap) workspace();
    std::string body = out_.take();
    out_.dedent().raw(functions);
    out_.open(head);
    out_.line("static __thread char " + text_ + "[" + std::to_string(room_ + 1) + "];");
    out_.line(status);
    out_.line("char *" + end_ + " = " + text_ + ";");
    out_.line("if (status != EINC_OK) return einc_status_string(status);");
    out_.raw(body).line("return " + text_ + ";").close().line();
    return out_.take();
  }

 private:
  void set(const std::string& end) { out_.line(end_ + " = " + end + ";"); }
  void add(const std::string& words) {
    set(prelude_.need("say") + "(" + end_ + ", " + words + ")");
  }
  std::string words(const std::string& text) {
    room_ += text.size();
    return quoted(text);
  }
  std::string words(const std::string& test, const std::string& yes, const std::string& no) {
    room_ += std::max(yes.size(), no.size());
    return test + " ? " + quoted(yes) + " : " + quoted(no);
  }

  // One of the targets' values, as the CPU says.
  std::string byCpu(const std::vector<std::string>& values) const {
    std::string text;
    for (size_t i = values.size(); i-- > 1;)
      if (values[i] != values[i - 1])
        text += "einc_cpu() >= " + std::to_string(levelOf(*kernel_.codes[i].target)) + " ? " +
                values[i] + " : ";
    return text + values[0];
  }

  std::string onlyTarget() const {
    return "code for " + std::string(kernel_.codes[0].target->name) + "\n";
  }

  void target() {
    std::vector<std::string> names, quotedNames;
    for (const TargetCode& code : kernel_.codes) names.emplace_back(code.target->name);
    if (names.size() == 1) return add(words(onlyTarget()));
    for (const std::string& name : names) quotedNames.push_back(quoted(name));
    add(words("code for "));
    room_ += std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
               return a.size() < b.size();
             })->size();
    add(byCpu(quotedNames));
    add(words(", the best of " + joined(names) + " that this CPU runs\n"));
  }

  void workspace() {
    const std::string before = "workspace: ", after = " bytes\n";
    room_ += before.size() + kLongestNumber + after.size();
    out_.line("if (" + bytes_ + " > 0) " + end_ + " = " + prelude_.need("say_number") + "(" + end_ +
              ", " + quoted(before) + ", " + bytes_ + ", " + quoted(after) + ");");
  }

  // What is chosen in each target's code, as functions; one where several say the same.
  std::string eachTarget() {
    std::vector<std::string> texts, calls;
    size_t longest = 0;
    for (const TargetCode& code : kernel_.codes) texts.push_back(choices(code, longest));
    room_ += longest;
    if (longest == 0) return "";
    std::string functions;
    bool same = std::count(texts.begin(), texts.end(), texts[0]) == std::ssize(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      size_t first = std::find(texts.begin(), texts.end(), texts[i]) - texts.begin();
      std::string name =
          name_ + "_say" + (same ? "" : targetSuffix(*kernel_.codes[first].target, options_));
      if (first == i) {
        prelude_.need("cold");
        functions += "static einc_cold char *" + name + texts[i];
      }
      calls.push_back(name + "(" + signature_.arguments() + ", " + end_ + ")");
    }
    choices_ = byCpu(calls);
    return functions;
  }

  // Parameters and body of such a function.
  std::string choices(const TargetCode& target, size_t& longest) {
    ir::Kernel only = *target.code;
    only.body = choicesOnly(only.body);
    Signature signature(*kernel_.contract);
    std::string end = signature.names.make("end");
    RunNames run(signature.names);
    KernelScope scope(only, signature, prelude_);
    VectorPrelude vectors("", {});
    BodyWriter writer(only, scope, prelude_, vectors, options_.plant, name_, run);
    if (options_.contiguous) writer.expectContiguous();
    size_t room = 0;
    std::string body = writer.sentences(end, room);
    if (!body.empty()) longest = std::max(longest, room);
    TextWriter out;
    scope.function(out, "(" + signature.declarations() + ", char *" + end + ")", "", body,
                   "return " + end + ";");
    return out.take();
  }

  const KernelCode& kernel_;
  const COptions& options_;
  Prelude& prelude_;
  std::string name_;
  Signature signature_;
  std::string text_, end_, bytes_, choices_;
  size_t room_ = 0;
  TextWriter out_;
};

}  // namespace

std::string explainText(const KernelCode& kernel, const COptions& options, Prelude& prelude,
                        const Asked& asked) {
  return ExplainWriter(kernel, options, prelude).run(asked);
}

}  // namespace einc::emit
