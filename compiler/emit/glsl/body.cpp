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
  std::vector<std::string> tests;
  for (const ir::Condition& c : test.conditions) {
    Test asked = condition(c);
    if (asked.never()) return block(test.otherwise);
    if (asked.isAsked()) tests.push_back(asked.text());
  }
  auto then = [&] {
    Facts outer = facts_;
    facts_.assume(test.conditions);
    block(test.then);
    facts_ = outer;
  };
  if (tests.empty()) return then();
  out_.open("if (" + joined(tests, " && ") + ") {");
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
  std::string axis = axisIn(store.index);
  if (!axis.empty()) return writeVector(store, axis);
  std::string line = toElement(store.tensor, 1, value(store.value).text);
  line = element(store.tensor, store.index) + " = " + line + ";";
  unsigned root = facts_.rootOf(store.tensor);
  if (!spaces_.count(root)) writes_[root] = true;
  Tests tests = store.clip ? inside(store.tensor, store.index) : Tests();
  out_.line(tests.empty() ? line : "if (" + joined(tests, " && ") + ") " + line);
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

void GlslBody::inOrder(const Loop& loop) {
  std::string extent = values_.index(loop.extent), step = values_.index(loop.step);
  const bool byOne = loop.step.asConstant() == 1;
  if (options_.plant == "drop-last") extent += " - 1";
  const std::string& var = scope_.local(loop.var);
  out_.open("for (int " + var + " = 0; " + var + " < " + extent + "; " +
            (byOne ? "++" + var : var + " += " + step) + ") {");
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

Test GlslBody::condition(const ir::Condition& c) {
  static const char* const signs[] = {" == ", " < ", " <= "};
  if (c.kind == ir::Condition::Kind::Unit) return unit(c.tensor, c.dim);
  if (c.kind == ir::Condition::Kind::Aligned)
    return aligned(c.tensor, c.dim, c.left.asConstant().value_or(1));
  if (auto known = facts_.holds(c)) return Test::known(*known);
  return Test::asked(values_.index(c.left) + signs[static_cast<int>(c.kind)] +
                     values_.index(c.right));
}

// Whether neighbours along the dimension are neighbours in memory.
Test GlslBody::unit(unsigned tensor, unsigned dim) {
  const facts::Unit asked = facts_.unit(tensor, dim);
  using Kind = facts::Unit::Kind;
  if (asked.kind == Kind::Stride)
    return Test::asked(scope_.stride(asked.tensor, asked.dim) + " == 1");
  // A part of such a dimension is seldom one, and to ask takes divisions, at each part.
  if (asked.kind == Kind::Seams && asked.tensor == tensor) return goesOn(asked);
  return Test::known(asked.kind == Kind::Always);
}

// Whether it goes on by one at each seam.
Test GlslBody::goesOn(const facts::Unit& asked) {
  const ir::View& view = *facts_.viewOf(asked.tensor);
  std::vector<std::string> tests;
  for (const Expr& seam : facts::Views::seams(view)) {
    Index after(view.dims.size()), before(view.dims.size());
    after[asked.dim] = seam;
    before[asked.dim] = seam - Expr::constant(1);
    tests.push_back(address(asked.tensor, after) + " - (" + address(asked.tensor, before) +
                    ") == 1");
  }
  return Test::allOf(tests);
}

// Whether lines along the dimension begin at multiples of so many bytes.
Test GlslBody::aligned(unsigned tensor, unsigned dim, int64_t bytes) {
  const ir::Tensor& t = kernel_.tensors[tensor];
  std::string unit = std::to_string(bytes / static_cast<int64_t>(ir::info(t.type).bytes()));
  Index zero(t.shape.size());
  std::string first = address(tensor, zero);
  std::vector<std::string> tests = {wrapped(first) + " % " + unit + " == 0"};
  for (unsigned d = 0; d < t.shape.size(); ++d) {
    if (d == dim) continue;
    Index next = zero;
    next[d] = Expr::iterator(".line");
    if (!facts_.isLinear(tensor, next, ".line")) return Test::known(false);
    next[d] = Expr::constant(1);
    std::string step = facts_.viewOf(tensor) || t.role == ir::Role::Local
                           ? "(" + address(tensor, next) + " - " + wrapped(first) + ")"
                           : scope_.stride(tensor, d);
    tests.push_back(step + " % " + unit + " == 0");
  }
  return Test::allOf(tests);
}

}  // namespace einc::emit
