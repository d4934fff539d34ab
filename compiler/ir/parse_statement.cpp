// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/parse_statement.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/library_rule.h"

namespace einc::ir {

void StatementParser::tensor(Role role) {
  in_.expect("%");
  declared(role);
}

void StatementParser::declared(Role role) {
  Token token = in_.token();
  Tensor tensor{in_.name("the name of a tensor"), ScalarType::F32, {}, role};
  in_.expect(":");
  in_.expectWord("tensor");
  in_.expect("<");
  while (!in_.failed() && !isElementType()) {
    tensor.shape.push_back(values_.size());
    in_.expectWord("x");
  }
  tensor.type = in_.type();
  in_.expect(">");
  if (tensor.shape.size() > kMaxRank)
    in_.fail(token.range, "a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
  if (isArgument(role) && kernel_.tensors.size() == kMaxSignature)
    in_.fail(token.range, "a kernel has at most " + std::to_string(kMaxSignature) + " arguments");
  scope_.tensors.emplace(tensor.name, static_cast<unsigned>(kernel_.tensors.size()));
  kernel_.tensors.push_back(std::move(tensor));
}

// A size may be spelled like a type, but then "x" follows.
bool StatementParser::isElementType() const {
  return in_.token().kind == TokenKind::Word && in_.peek().is(">");
}

// Statements up to and with the closing brace. What they declare is known to the end.
Block StatementParser::block(bool outermost) {
  Block statements;
  Block& target = outermost ? kernel_.body : statements;
  TokenStream::Nesting nesting(in_, blockDepth_);
  std::vector<std::string> variables, sizes;
  while (nesting && !in_.accept("}")) {
    if (outermost && in_.token().isWord("local") && !in_.peek().is("=")) {
      in_.advance();
      tensor(Role::Local);
      continue;
    }
    Stmt stmt = statement();
    if (in_.failed()) break;
    if (auto* let = std::get_if<Let>(&stmt.node)) {
      variables.push_back(let->name);
      scope_.variables[let->name].push_back(let->value->type);
    }
    if (auto* bound = std::get_if<Bound>(&stmt.node))
      if (scope_.sizes.insert(bound->name).second) sizes.push_back(bound->name);
    if (auto* read = std::get_if<Read>(&stmt.node))
      if (scope_.sizes.insert(read->name).second) sizes.push_back(read->name);
    if (auto* lead = std::get_if<Lead>(&stmt.node))
      if (scope_.sizes.insert(lead->name).second) sizes.push_back(lead->name);
    target.push_back(std::move(stmt));
  }
  for (const std::string& name : variables) scope_.variables[name].pop_back();
  for (const std::string& name : sizes) scope_.sizes.erase(name);
  return statements;
}

Stmt StatementParser::statement() {
  if (in_.token().is("%")) return {store()};
  if (in_.token().kind == TokenKind::Word && in_.peek().is("=")) return {assign()};
  if (in_.acceptWord("op")) return {op()};
  if (in_.acceptWord("fused")) return {Fused{scoped()}};
  if (in_.acceptWord("alloc")) return {alloc()};
  if (in_.acceptWord("bound")) return {bound()};
  if (in_.acceptWord("read")) return {read()};
  if (in_.acceptWord("view")) return {view()};
  if (in_.acceptWord("offsets")) return {offsets()};
  if (in_.acceptWord("lead")) return {lead()};
  if (in_.acceptWord("non_temporal")) {
    unsigned tensor = values_.tensor();
    return {NonTemporal{tensor, scoped()}};
  }
  if (in_.acceptWord("for")) return {loop()};
  if (in_.acceptWord("tile")) return {tile()};
  if (in_.acceptWord("if")) return {test()};
  if (in_.acceptWord("outline")) {
    std::string name = in_.name("a name");
    return {Outline{std::move(name), scoped()}};
  }
  if (in_.acceptWord("vector")) return {vector()};
  if (in_.acceptWord("let")) return {let()};
  if (in_.acceptWord("transpose")) {
    Transpose result{in_.name("a variable"), ""};
    in_.expectWord("along");
    result.axis = in_.name("an axis");
    return {std::move(result)};
  }
  if (in_.acceptWord("prefetch")) {
    const bool far = in_.acceptWord("far"), own = in_.acceptWord("own");
    ValueParser::Element element = values_.element();
    return {Prefetch{element.tensor, std::move(element.index), far, own}};
  }
  if (in_.acceptWord("assume_numbers")) return {assumeNumbers()};
  if (in_.acceptWord("check_numbers")) return {checkNumbers()};
  if (in_.acceptWord("library")) return {library()};
  if (in_.acceptWord("external")) return {external()};
  if (in_.acceptWord("dispatch")) return {dispatch()};
  if (in_.acceptWord("barrier")) return {Barrier{in_.acceptWord("buffers")}};
  in_.fail(in_.token().range,
           "expected a statement or '}', found " + describe(in_.token()) +
               didYouMean(in_.token().text,
                          {"op",       "fused",     "alloc",          "bound",         "read",
                           "view",     "offsets",   "lead",           "non_temporal",  "for",
                           "tile",     "if",        "outline",        "vector",        "let",
                           "prefetch", "transpose", "assume_numbers", "check_numbers", "library",
                           "external", "dispatch",  "barrier"}));
  return {Alloc{0}};
}

Store StatementParser::store() {
  ValueParser::Element to = values_.element();
  std::string unit = values_.unit();
  bool clip = in_.acceptWord("clip");
  in_.expect("=", " and the value to store");
  return {to.tensor, std::move(to.index), values_.value(), std::move(unit), clip};
}

Block StatementParser::scoped() {
  in_.expect("{");
  return block(/*outermost=*/false);
}

// "alloc %t" of a local declared before, or "alloc %t: tensor<...>".
Alloc StatementParser::alloc() {
  Alloc result{};
  in_.expect("%");
  if (in_.peek().is(":")) {
    result.tensor = static_cast<unsigned>(kernel_.tensors.size());
    declared(Role::Local);
  } else {
    result.tensor = values_.namedTensor();
  }
  if (in_.acceptWord("in")) {
    size_t space = in_.oneOf({"stack", "workgroup", "registers"});
    result.space = static_cast<Space>(space + 1);
  } else if (in_.acceptWord("over")) {
    in_.expect("%");
    result.over = values_.namedTensor();
  }
  return result;
}

Bound StatementParser::bound() {
  Bound result{in_.name("a name"), {}};
  in_.expect("=");
  in_.expectWord("min");
  in_.expect("(");
  in_.list(")", [&] { result.of.push_back(values_.index()); });
  return result;
}

Read StatementParser::read() {
  Read result{in_.name("a name"), 0, {}};
  in_.expect("=");
  ValueParser::Element element = values_.element();
  result.tensor = element.tensor;
  result.index = std::move(element.index);
  if (in_.acceptWord("plus")) result.plus = values_.index();
  return result;
}

View StatementParser::view() {
  View result{static_cast<unsigned>(kernel_.tensors.size()), 0, {}, {}, nullptr};
  tensor(Role::View);
  in_.expect("=");
  in_.expect("(");
  in_.list(")", [&] { result.dims.push_back(in_.name("a dimension")); });
  in_.expect("->");
  for (const std::string& dim : result.dims) enterIterator(dim);
  ValueParser::Element base = values_.element();
  for (const std::string& dim : result.dims) leaveIterator(dim);
  result.base = base.tensor;
  result.map = std::move(base.index);
  result.pad = values_.pad();
  return result;
}

Offsets StatementParser::offsets() {
  Offsets result{values_.tensor(), dimension(), 0};
  in_.expectWord("in");
  result.table = values_.tensor();
  if (!in_.accept(",")) return result;
  in_.expectWord("quotients");
  in_.expectWord("in");
  result.quotients = values_.tensor();
  return result;
}

unsigned StatementParser::dimension() {
  in_.expect("[");
  auto dim = static_cast<unsigned>(in_.integer());
  in_.expect("]");
  return dim;
}

Lead StatementParser::lead() {
  Lead result{in_.name("a name"), 0, 0, 0};
  in_.expect("=");
  result.tensor = values_.tensor();
  result.dim = dimension();
  in_.expectWord("to");
  result.bytes = in_.integer();
  return result;
}

void StatementParser::enterIterator(const std::string& name) { ++scope_.iterators[name]; }

void StatementParser::leaveIterator(const std::string& name) {
  if (--scope_.iterators[name] == 0) scope_.iterators.erase(name);
}

TileLoop StatementParser::tile() {
  TileLoop result;
  result.var = in_.name("a name");
  in_.expect(":");
  result.size = in_.name("the name of the tile's size");
  in_.expect("=");
  if (in_.integer() != 0) in_.fail(in_.token().range, "a loop begins at 0");
  in_.expect("..");
  result.extent = values_.index();
  in_.expectWord("by");
  result.step = values_.index();
  result.kind = iteratorKind();
  bool isOn = in_.acceptWord("on");
  if (isOn && in_.acceptWord("threads")) {
    result.grain = Grain{in_.acceptWord("from") ? values_.index() : affine::Expr::constant(1)};
    if (in_.acceptWord("inside")) result.grain->inside = values_.index();
  } else if (isOn) {
    result.on = on();
  }
  enterIterator(result.var);
  bool isNew = scope_.sizes.insert(result.size).second;
  result.body = scoped();
  if (isNew) scope_.sizes.erase(result.size);
  leaveIterator(result.var);
  return result;
}

If StatementParser::test() {
  If result;
  do result.conditions.push_back(condition());
  while (in_.acceptWord("and"));
  result.then = scoped();
  if (in_.acceptWord("else")) result.otherwise = scoped();
  return result;
}

Condition StatementParser::condition() {
  Condition result{};
  const bool unit = in_.token().isWord("unit"), even = in_.token().isWord("even"),
             aligned = in_.token().isWord("aligned");
  if ((unit || even || aligned) && in_.peek().is("%")) {
    in_.advance();
    result.kind = unit   ? Condition::Kind::Unit
                  : even ? Condition::Kind::Even
                         : Condition::Kind::Aligned;
    result.tensor = values_.tensor();
    result.dim = dimension();
    if (aligned) {
      in_.expectWord("to");
      result.left = affine::Expr::constant(in_.integer());
    }
    return result;
  }
  result.left = values_.size();
  if (in_.accept("=")) {
    in_.expect("=");
  } else {
    in_.expect("<");
    result.kind = in_.accept("=") ? Condition::Kind::LessEqual : Condition::Kind::Less;
  }
  result.right = values_.size();
  return result;
}

std::vector<Axis> StatementParser::axes() {
  std::vector<Axis> result;
  in_.expect("(");
  in_.list(")", [&] {
    Axis axis{in_.name("an axis"), 0};
    in_.expect(":");
    axis.size = in_.integer();
    result.push_back(std::move(axis));
  });
  return result;
}

Vector StatementParser::vector() {
  Vector result{axes(), {}};
  if (in_.acceptWord("times")) result.times = axes();
  result.variant = in_.acceptWord("variant");
  for (const auto* list : {&result.axes, &result.times})
    for (const Axis& axis : *list) enterIterator(axis.name);
  result.body = scoped();
  for (const auto* list : {&result.axes, &result.times})
    for (const Axis& axis : *list) leaveIterator(axis.name);
  return result;
}

AssumeNumbers StatementParser::assumeNumbers() {
  AssumeNumbers result;
  result.body = scoped();
  in_.expectWord("else");
  result.otherwise = scoped();
  return result;
}

CheckNumbers StatementParser::checkNumbers() {
  CheckNumbers result;
  in_.expect("(");
  in_.list(")", [&] { result.values.push_back(values_.value()); });
  return result;
}

LibraryCall StatementParser::library() {
  LibraryCall result;
  result.library = in_.name("the name of a library");
  Token token = in_.token();
  std::string name = in_.name("the name of a function");
  std::vector<std::string> known;
  for (const LibraryFunctionInfo& function : libraryFunctions()) {
    known.emplace_back(function.name);
    if (function.name == name) result.function = function.function;
  }
  if (!in_.failed() && std::find(known.begin(), known.end(), name) == known.end())
    in_.fail(token.range, "unknown function '" + name + "'" + didYouMean(name, known));
  in_.expect("(");
  in_.list(")", [&] {
    LibraryCall::Letter letter{in_.name("a letter").front(), {}};
    in_.expect(":");
    while (in_.token().kind == TokenKind::Word) letter.iterators.push_back(in_.name("an iterator"));
    result.letters.push_back(std::move(letter));
  });
  if (in_.acceptWord("alpha")) result.alpha = values_.value();
  if (in_.acceptWord("beta")) result.beta = values_.value();
  if (in_.acceptWord("where")) result.where = parseWhere(in_);
  if (in_.acceptWord("of")) {
    in_.expectWord("op");
    result.number = static_cast<unsigned>(in_.integer());
  }
  in_.expectWord("op");
  result.op = op();
  in_.expectWord("else");
  result.body = scoped();
  return result;
}

ExternalCall StatementParser::external() {
  ExternalCall result;
  result.function = in_.name("the name of a function");
  in_.expect("(");
  in_.list(")", [&] {
    if (in_.token().is("%")) {
      result.arguments.push_back({true, values_.tensor()});
      return;
    }
    Token token = in_.token();
    std::string name = in_.name("a tensor or an attribute");
    auto found = scope_.attributes.find(name);
    if (found == scope_.attributes.end()) {
      std::vector<std::string> known;
      for (const auto& [attribute, id] : scope_.attributes) known.push_back(attribute);
      in_.fail(token.range, "unknown attribute '" + name + "'" + didYouMean(name, known));
      return;
    }
    result.arguments.push_back({false, found->second});
  });
  result.body = scoped();
  return result;
}

Assign StatementParser::assign() {
  Assign result{in_.name("a variable"), nullptr};
  in_.expect("=");
  result.value = values_.value();
  return result;
}

Let StatementParser::let() {
  Let result{in_.name("a name"), nullptr};
  in_.expect(":", " and the variable's type");
  SourceRange place = in_.token().range;
  ScalarType type = in_.type();
  if (in_.acceptWord("over")) {
    in_.expect("(");
    in_.list(")", [&] { result.axes.push_back(in_.name("an axis")); });
  }
  in_.expect("=");
  result.value = values_.value();
  if (!in_.failed() && result.value->type != type)
    in_.fail(place, "the value's type is " + std::string(info(result.value->type).name));
  return result;
}

IteratorKind StatementParser::iteratorKind() {
  return static_cast<IteratorKind>(in_.oneOf({"parallel", "reduction"}));
}

// Behind "on".
On StatementParser::on() {
  size_t place = in_.oneOf({"workgroups", "invocations", "grid"});
  if (place == 2) return On::Grid;
  bool hasDim = in_.token().isWord("x") || in_.token().isWord("y") || in_.token().isWord("z");
  if (place == 1 && !hasDim) return On::Invocations;
  On first = place == 0 ? On::WorkgroupsX : On::InvocationsX;
  return static_cast<On>(static_cast<size_t>(first) + in_.oneOf({"x", "y", "z"}));
}

Dispatch StatementParser::dispatch() {
  Dispatch result{in_.name("a name"), {1, 1, 1}, {}};
  in_.expect("(");
  for (size_t d = 0; d < 3; ++d) {
    if (d > 0) in_.expect(",");
    result.invocations[d] = in_.integer();
  }
  in_.expect(")");
  result.body = scoped();
  return result;
}

For StatementParser::loop() {
  For result;
  result.var = in_.name("a name");
  in_.expect("=");
  if (in_.integer() != 0) in_.fail(in_.token().range, "a loop begins at 0");
  in_.expect("..");
  result.extent = values_.index();
  result.kind = iteratorKind();
  if (in_.acceptWord("on")) result.on = on();
  result.unrolled = in_.acceptWord("unrolled");
  in_.expect("{");
  ++scope_.iterators[result.var];
  result.body = block(/*outermost=*/false);
  if (--scope_.iterators[result.var] == 0) scope_.iterators.erase(result.var);
  return result;
}

StructuredOp StatementParser::op() {
  StructuredOp result;
  result.source = in_.token().range;
  in_.expect("(");
  in_.list(")", [&] {
    Token token = in_.token();
    std::string name = in_.name("an iterator");
    in_.expect(":", " and 'parallel' or 'reduction'");
    result.iterators.push_back({std::move(name), iteratorKind()});
    if (result.iterators.size() > kMaxIterators)
      in_.fail(token.range, "an op has at most " + std::to_string(kMaxIterators) + " iterators");
  });
  for (const Iterator& iterator : result.iterators) ++scope_.iterators[iterator.name];
  if (in_.acceptWord("ins")) result.inputs = operands(&result.copied);
  in_.expectWord("outs");
  result.outputs = operands(nullptr);
  in_.expect("{");
  in_.expect("(");
  arguments(result);
  in_.expect("->", " and the results");
  do result.results.push_back(values_.value());
  while (in_.accept(","));
  result.source.end = in_.token().range.end;
  in_.expect("}", " after the results");
  if (in_.token().isWord("vector") && in_.peek().is("(") && kernel_.level == Level::Tiled) {
    in_.advance();
    result.axes = axes();
  }
  if (kernel_.level == Level::Tiled) {
    if (in_.acceptWord("ahead")) {
      result.ahead = Ahead{in_.name("an iterator"), 0};
      result.ahead->distance = in_.integer();
      result.ahead->far = in_.acceptWord("far");
    }
    result.early = in_.acceptWord("early");
    result.variant = in_.acceptWord("variant");
    if (in_.acceptWord("unrolled")) {
      in_.expect("(");
      in_.list(")", [&] { result.unrolled.push_back(in_.name("a reduction")); });
    }
    if (in_.acceptWord("own")) {
      result.own = Ahead{in_.name("an iterator"), 0};
      result.own->distance = in_.integer();
    }
  }
  scope_.arguments.clear();
  if (in_.acceptWord("combine")) result.combiner = combiner(result);
  for (const Iterator& iterator : result.iterators)
    if (--scope_.iterators[iterator.name] == 0) scope_.iterators.erase(iterator.name);
  return result;
}

// Of the outputs' types, twice.
std::shared_ptr<const Combiner> StatementParser::combiner(const StructuredOp& op) {
  Combiner result;
  const SourceRange place = in_.token().range;
  unsigned count = 0;
  in_.expect("{");
  in_.expect("(");
  in_.list(")", [&] {
    Token token = in_.token();
    std::string name = in_.name("the name of a part's result");
    if (count < 2 * op.outputs.size() && !in_.failed()) {
      const Operand& output = op.outputs[count % op.outputs.size()];
      ScalarType type = kernel_.tensors[output.tensor].type;
      if (!scope_.arguments.emplace(name, makeValue(type, OperandRef{count})).second)
        in_.fail(token.range, "two are called " + describe(token));
    }
    ++count;
  });
  if (count != 2 * op.outputs.size())
    in_.fail(place, "expected " + std::to_string(2 * op.outputs.size()) +
                        " names, two for each output, found " + std::to_string(count));
  in_.expect("->", " and the results");
  do result.results.push_back(values_.value());
  while (in_.accept(","));
  in_.expect("}", " after the results");
  scope_.arguments.clear();
  in_.expectWord("neutral");
  in_.expect("(");
  in_.list(")", [&] { result.neutral.push_back(values_.value()); });
  return std::make_shared<const Combiner>(std::move(result));
}

std::vector<Operand> StatementParser::operands(std::optional<Copied>* copied) {
  std::vector<Operand> result;
  in_.expect("(");
  in_.list(")", [&] {
    ValueParser::Element element = values_.element();
    Operand operand{element.tensor, std::move(element.index), nullptr};
    operand.shapeOnly = in_.acceptWord("shape");
    operand.pad = values_.pad();
    Token token = in_.token();
    if (copied && in_.acceptWord("copied")) {
      if (*copied) in_.fail(token.range, "an op copies one input");
      in_.expectWord("to");
      ValueParser::Element to = values_.element();
      *copied =
          Copied{static_cast<unsigned>(result.size()), {to.tensor, std::move(to.index), nullptr}};
    }
    result.push_back(std::move(operand));
  });
  return result;
}

// The names of the operands, and ")".
void StatementParser::arguments(const StructuredOp& op) {
  SourceRange place = in_.token().range;
  unsigned count = 0;
  in_.list(")", [&] {
    Token token = in_.token();
    std::string name = in_.name("the name of an operand");
    if (count < op.operandCount() && !in_.failed()) {
      ScalarType type = kernel_.tensors[op.operand(count).tensor].type;
      if (!scope_.arguments.emplace(name, makeValue(type, OperandRef{count})).second)
        in_.fail(token.range, "two operands are called " + describe(token));
    }
    ++count;
  });
  if (count != op.operandCount())
    in_.fail(place, "expected " + std::to_string(op.operandCount()) +
                        " names, one for each operand, found " + std::to_string(count));
}

}  // namespace einc::ir
