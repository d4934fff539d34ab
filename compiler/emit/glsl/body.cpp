// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/body.h"

#include <algorithm>

#include "compiler/emit/text/expressions.h"

namespace einc::emit {

using affine::Atom;
using affine::Expr;
using facts::Facts;

namespace {

const char* letter(size_t dim) {
  static const char* const letters[] = {"x", "y", "z"};
  return letters[dim];
}

}  // namespace

GlslBody::GlslBody(const ir::Kernel& kernel, const ir::Dispatch& dispatch, const Facts& facts,
                   ShaderScope& scope, GlslPrelude& prelude, const GlslOptions& options,
                   const VectorArrays& vectorArrays)
    : kernel_(kernel),
      dispatch_(dispatch),
      facts_(facts),
      scope_(scope),
      prelude_(prelude),
      options_(options),
      vectorArrays_(vectorArrays),
      values_(names_, prelude) {
  names_.index = [this](const Atom& atom) {
    return inside_.count(atom.name) ? scope_.local(atom.name) : scope_.symbol(atom.name);
  };
  names_.isNonNegative = [this](const Expr& e) { return facts_.isNonNegative(e); };
  questions_.index = [this](const Expr& e) { return values_.index(e); };
  questions_.address = [this](unsigned t, const Index& at) { return address(t, at); };
  questions_.stride = [this](unsigned t, unsigned dim) { return scope_.stride(t, dim); };
  questions_.start = [this](const facts::Start& start) { return startText(start); };
  workgroups_.fill(Expr::constant(1));
}

std::string GlslBody::run() {
  out_.indent();
  block(dispatch_.body);
  return out_.take();
}

void GlslBody::block(const ir::Block& statements) {
  for (const ir::Stmt& stmt : statements) {
    alone_ = statements.size() == 1;
    std::visit(*this, stmt.node);
  }
}

// Braces of their own, unless those around have nothing else in them.
void GlslBody::inBraces(const std::function<void()>& body) {
  bool own = !alone_;
  if (own) out_.open("{");
  body();
  if (own) out_.close();
}

// ---- Statements ---------------------------------------------------------------------------------

void GlslBody::operator()(const ir::Alloc& alloc) {
  spaces_[alloc.tensor] = alloc.space;
  GlslType type{kernel_.tensors[alloc.tensor].type};
  prelude_.needType(type.type, /*inMemory=*/false);
  int64_t count = 1;
  const std::vector<Expr>& shape = kernel_.tensors[alloc.tensor].shape;
  for (size_t d = isOwn(alloc.tensor) ? ownDims() : 0; d < shape.size(); ++d)
    count *= facts_.valueOf(shape[d]).value_or(1);
  if (auto wide = vectorArrays_.find(alloc.tensor); wide != vectorArrays_.end() && wide->second)
    type.lanes = wide->second;
  bool isOne = alloc.space == ir::Space::Stack && count == 1 && type.lanes == 1;
  if (isOne) variablesOfOne_.insert(alloc.tensor);
  std::string line = qualifier(type.type) + registerType(type) + " " + scope_.data(alloc.tensor);
  line += isOne ? ";" : "[" + std::to_string(std::max<int64_t>(count / type.lanes, 1)) + "];";
  if (alloc.space != ir::Space::Workgroup) {
    out_.line(line);
    return;
  }
  shared_.push_back("shared " + line);
  sharedBytes_ += static_cast<uint64_t>(std::max<int64_t>(count, 1)) * registerBytes(type.type);
}

void GlslBody::operator()(const ir::Bound& bound) {
  std::string value = values_.index(bound.of[0]);
  for (size_t i = 1; i < bound.of.size(); ++i)
    value = "min(" + value + ", " + values_.index(bound.of[i]) + ")";
  facts_.enter(bound);
  inside_.insert(bound.name);
  out_.line("const int " + scope_.local(bound.name) + " = " + value + ";");
}

// No value depends on it; 0 is as good as any.
void GlslBody::operator()(const ir::Lead& lead) {
  inside_.insert(lead.name);
  out_.line("const int " + scope_.local(lead.name) + " = 0;");
}

void GlslBody::operator()(const ir::If& test) {
  const Test all = allOf(test.conditions);
  if (all.never()) return block(test.otherwise);
  auto then = [&] {
    Facts outer = facts_;
    facts_.assume(test.conditions);
    block(test.then);
    facts_ = outer;
  };
  if (all.always()) return then();
  out_.open("if (" + all.text() + ") {");
  then();
  if (!test.otherwise.empty()) {
    out_.dedent().line("} else {").indent();
    block(test.otherwise);
  }
  out_.close();
}

void GlslBody::operator()(const ir::Vector& region) {
  auto before = widths_;
  Facts outer = facts_;
  for (const ir::Axis& axis : region.axes) {
    widths_[axis.name] = axis.size;
    facts_.enter(axis);
  }
  inBraces([&] { block(region.body); });
  widths_ = before;
  facts_ = outer;
}

void GlslBody::operator()(const ir::Let& let) {
  GlslType type{let.value->type};
  if (!let.axes.empty()) type.lanes = widths_.at(let.axes.front());
  std::string initial = vector(value(let.value), type.lanes);
  const std::string& name = scope_.local(let.name);
  variables_[let.name] = type;
  out_.line(qualifier(type.type) + registerType(type) + " " + name + " = " + initial + ";");
}

void GlslBody::operator()(const ir::Assign& assign) {
  std::string changed = vector(value(assign.value), variables_.at(assign.name).lanes);
  out_.line(scope_.local(assign.name) + " = " + changed + ";");
}

void GlslBody::operator()(const ir::Store& store) {
  std::string axis = facts::axisIn(store.index, widths_);
  if (!axis.empty()) return writeVector(store, axis);
  std::string line = toElement(store.tensor, 1, value(store.value).text);
  line = element(store.tensor, store.index) + " = " + line + ";";
  unsigned root = facts_.rootOf(store.tensor);
  if (!spaces_.count(root)) writes_[root] = true;
  const Test test =
      store.clip ? inside(store.tensor, store.index, facts::Dims::Own) : Test::known(true);
  out_.line(test.always() ? line : "if (" + test.text() + ") " + line);
}

// ---- Loops --------------------------------------------------------------------------------------

void GlslBody::operator()(const ir::For& loop_) {
  Facts outer = facts_;
  facts_.enter(loop_);
  loop({loop_.var, loop_.extent, Expr::constant(1), loop_.on, loop_.body});
  facts_ = outer;
}

void GlslBody::operator()(const ir::TileLoop& loop_) {
  Facts outer = facts_;
  facts_.enter(loop_);
  loop({loop_.var, loop_.extent, loop_.step, loop_.on, loop_.body, loop_.size});
  facts_ = outer;
}

// What is written to buffers is not seen behind barrier() alone.
void GlslBody::operator()(const ir::Barrier& barrier) {
  if (options_.plant == "no-barrier") return;
  if (barrier.buffers) out_.line("groupMemoryBarrier();");
  seesBuffers_ |= barrier.buffers;
  out_.line("barrier();");
}

void GlslBody::loop(const Loop& loop) {
  if (loop.on == ir::On::Order) return inOrder(loop);
  if (ir::isOnWorkgroups(loop.on)) return onWorkgroups(loop);
  if (loop.on == ir::On::Grid) return onGrid(loop);
  if (loop.on == ir::On::Invocations) return onAll(loop);
  onDimension(loop);
}

void GlslBody::round(const Loop& loop, const std::string& number) {
  inside_.insert(loop.var);
  if (!loop.size.empty()) inside_.insert(loop.size);
  std::string before = out_.take();
  block(loop.body);
  std::string body = out_.take();
  out_.raw(before);
  const std::string &var = scope_.local(loop.var), &size = scope_.local(loop.size);
  const References used = referencesIn(body);
  bool sized = !loop.size.empty() && used.count(size) != 0;
  auto known = facts_.valueOf(Expr::symbol(loop.size));
  bool placed = used.count(var) != 0 || (sized && !known);
  if (!number.empty() && placed) out_.line("const int " + var + " = " + number + ";");
  if (sized)
    out_.line("const int " + size + " = " +
              (known ? std::to_string(*known)
                     : "min(" + values_.index(loop.step) + ", " +
                           values_.index(loop.extent - Expr::iterator(loop.var)) + ")") +
              ";");
  out_.raw(body);
}

// Few rounds, without loops in them, on a workgroup's memory: drivers seldom unroll these by themselves, and then wait for
// each load of a copy.
bool GlslBody::isUnrolled(const Loop& loop) const {
  const auto rounds = facts_.valueOf(loop.extent.ceilDiv(loop.step));
  if (!rounds || *rounds < 2 || *rounds > options_.unrolledRounds) return false;
  bool hasLoops = false, isOnWorkgroup = false;
  auto use = [&](unsigned tensor) {
    auto space = spaces_.find(facts_.rootOf(tensor));
    isOnWorkgroup |= space != spaces_.end() && space->second == ir::Space::Workgroup;
  };
  auto useAll = [&](const ir::ValueRef& value) {
    ir::forEach(value, [&](const ir::Value& v) {
      if (auto* load = std::get_if<ir::Load>(&v.node)) use(load->tensor);
    });
  };
  ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
    if (auto* each = std::get_if<ir::For>(&stmt.node)) hasLoops |= each->on == ir::On::Order;
    if (auto* tiles = std::get_if<ir::TileLoop>(&stmt.node)) hasLoops |= tiles->on == ir::On::Order;
    if (auto* view = std::get_if<ir::View>(&stmt.node)) use(view->base);
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) useAll(let->value);
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) use(store->tensor);
  });
  return isOnWorkgroup && !hasLoops;
}

void GlslBody::inOrder(const Loop& loop) {
  std::string extent = values_.index(loop.extent), step = values_.index(loop.step);
  const bool byOne = loop.step.asConstant() == 1;
  if (options_.plant == "drop-last") extent += " - 1";
  const std::string& var = scope_.local(loop.var);
  const bool unrolls = isUnrolled(loop);
  if (unrolls) prelude_.needUnrolling();
  out_.open((unrolls ? "[[unroll]] for (int " : "for (int ") + var + " = 0; " + var + " < " +
            extent + "; " + (byOne ? "++" + var : var + " += " + step) + ") {");
  round(loop);
  out_.close();
}

// "int(number)", times the step.
std::string GlslBody::numberOf(const Loop& loop, const std::string& number) const {
  std::string text = "int(" + number + ")";
  return loop.step.asConstant() == 1 ? text : text + " * " + wrapped(values_.index(loop.step));
}

// There are as many workgroups as rounds. These loops are outermost, and have main's braces.
void GlslBody::onWorkgroups(const Loop& loop) {
  size_t dim = static_cast<size_t>(loop.on) - static_cast<size_t>(ir::On::WorkgroupsX);
  workgroups_[dim] = loop.extent.ceilDiv(loop.step);
  std::string number = numberOf(loop, std::string("gl_WorkGroupID.") + letter(dim) + " + " +
                                          scope_.base(static_cast<unsigned>(dim)));
  round(loop, number);
}

// One round at most: number `number` of `count` invocations, if it is known how many.
void GlslBody::single(const Loop& loop, const std::string& number, std::optional<int64_t> count) {
  auto rounds = facts_.valueOf(loop.extent.ceilDiv(loop.step));
  if (count && rounds == count) {
    inBraces([&] { round(loop, numberOf(loop, number)); });
    return;
  }
  inBraces([&] {
    inside_.insert(loop.var);
    const std::string& var = scope_.local(loop.var);
    out_.line("const int " + var + " = " + numberOf(loop, number) + ";");
    out_.open("if (" + var + " < " + values_.index(loop.extent) + ") {");
    round(loop);
    out_.close();
  });
}

// The builtins count along x alone, of a workgroup of whatever size.
void GlslBody::onGrid(const Loop& loop) {
  const auto& n = dispatch_.invocations;
  if (n[1] * n[2] == 1) {
    choosesSize_ = true;
    workgroups_[0] = loop.extent.ceilDiv(loop.step);
    return single(loop, "gl_GlobalInvocationID.x + " + scope_.base(0) + " * gl_WorkGroupSize.x",
                  std::nullopt);
  }
  int64_t all = n[0] * n[1] * n[2];
  workgroups_[0] = loop.extent.ceilDiv(loop.step * Expr::constant(all));
  auto rounds = facts_.valueOf(loop.extent.ceilDiv(loop.step));
  bool divides = rounds && *rounds % all == 0;
  single(loop,
         "(gl_WorkGroupID.x + " + scope_.base(0) + ") * " + std::to_string(all) +
             "u + gl_LocalInvocationIndex",
         divides ? rounds : std::nullopt);
}

void GlslBody::onDimension(const Loop& loop) {
  size_t dim = static_cast<size_t>(loop.on) - static_cast<size_t>(ir::On::InvocationsX);
  single(loop, std::string("gl_LocalInvocationID.") + letter(dim), dispatch_.invocations[dim]);
}

void GlslBody::onAll(const Loop& loop) {
  const auto& n = dispatch_.invocations;
  int64_t all = n[0] * n[1] * n[2];
  auto rounds = facts_.valueOf(loop.extent.ceilDiv(loop.step));
  if (rounds && *rounds <= all) return single(loop, "gl_LocalInvocationIndex", all);
  const std::string& var = scope_.local(loop.var);
  out_.open("for (int " + var + " = " + numberOf(loop, "gl_LocalInvocationIndex") + "; " + var +
            " < " + values_.index(loop.extent) + "; " + var +
            " += " + values_.index(loop.step * Expr::constant(all)) + ") {");
  round(loop);
  out_.close();
}

// ---- Conditions ---------------------------------------------------------------------------------

std::string GlslBody::startText(const facts::Start& start) {
  const ir::Tensor& t = kernel_.tensors[start.tensor];
  const int64_t elements = start.bytes / int64_t{ir::info(t.type).bytes()};
  return wrapped(address(start.tensor, Index(t.shape.size()))) + " % " + std::to_string(elements) +
         " == 0";
}

Test GlslBody::allOf(const std::vector<ir::Condition>& conditions) const {
  // A part of a dimension that stands for several is seldom one, and to ask takes divisions, at each
  // part.
  for (const ir::Condition& c : conditions) {
    if (c.kind == ir::Condition::Kind::Even && facts_.holds(c) != true) return Test::known(false);
    if (c.kind != ir::Condition::Kind::Unit) continue;
    const facts::Unit unit = facts_.unit(c.tensor, c.dim);
    if (unit.kind == facts::Unit::Kind::Seams && unit.tensor != c.tensor) return Test::known(false);
  }
  return questions_.test(facts_.ask(conditions));
}

}  // namespace einc::emit
