// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: conditions, and what is known where they hold.
#include <algorithm>

#include "compiler/emit/c/body.h"

namespace einc::emit {

Test BodyWriter::condition(const ir::Condition& c) {
  static const char* const signs[] = {" == ", " < ", " <= "};
  if (c.kind == ir::Condition::Kind::Unit) return unit(c.tensor, c.dim);
  if (c.kind == ir::Condition::Kind::Aligned) return aligned(c.tensor, c.dim, *c.left.asConstant());
  if (auto l = c.left.asConstant(), r = c.right.asConstant(); l && r) {
    const bool holds[] = {*l == *r, *l < *r, *l <= *r};
    return Test::known(holds[static_cast<int>(c.kind)]);
  }
  return Test::asked(wrapped(printer_.index(c.left)) + signs[static_cast<int>(c.kind)] +
                     wrapped(printer_.index(c.right)));
}

Test BodyWriter::allOf(const std::vector<ir::Condition>& conditions) {
  std::vector<Test> tests;
  for (const ir::Condition& c : conditions) tests.push_back(condition(c));
  return Test::allOf(tests);
}

// What is done where the conditions hold.
void BodyWriter::underConditions(const ir::If& test) {
  auto sizes = sizes_;
  auto units = units_;
  auto runs = runs_;
  for (const ir::Condition& c : test.conditions) {
    if (c.kind == ir::Condition::Kind::Equal && c.left.asSymbol() && c.right.asConstant())
      sizes_[*c.left.asSymbol()] = *c.right.asConstant();
    if (c.kind != ir::Condition::Kind::Unit) continue;
    assumeRun(c.tensor, c.dim);
    if (auto root = rootDim(c.tensor, c.dim)) units_.insert(*root);
  }
  block(test.then);
  sizes_ = sizes;
  units_ = units;
  runs_ = runs;
}

void BodyWriter::operator()(const ir::If& test) {
  Test all = allOf(test.conditions);
  if (all.never()) return block(test.otherwise);
  if (all.always()) return underConditions(test);
  if (!end_.empty()) return explain(test, all);
  const std::string before = out_.take();
  out_.indent();
  underConditions(test);
  const std::string then = out_.take();
  out_.dedent().raw(before);
  if (then.empty()) {
    out_.open("if (!(" + all.text() + ")) {");
    block(test.otherwise);
    out_.close();
    return;
  }
  out_.open("if (" + all.text() + ") {").raw(then);
  // What is left over of vectors is short.
  auto isOfSizes = [](const ir::Condition& c) {
    using Kind = ir::Condition::Kind;
    return c.kind == Kind::Equal || c.kind == Kind::Less || c.kind == Kind::LessEqual;
  };
  bool leaves = std::all_of(test.conditions.begin(), test.conditions.end(), isOfSizes) &&
                hasVectors(test.then);
  bool outer = std::exchange(isLeftOver_, isLeftOver_ || leaves);
  otherwise(test.otherwise);
  isLeftOver_ = outer;
  out_.close();
}

void BodyWriter::otherwise(const ir::Block& statements) {
  if (statements.empty()) return;
  auto* test = statements.size() == 1 ? std::get_if<ir::If>(&statements[0].node) : nullptr;
  Test all = test ? allOf(test->conditions) : Test::known(false);
  if (!all.isAsked()) {
    out_.dedent().line("} else {").indent();
    return block(statements);
  }
  out_.dedent().line("} else if (" + all.text() + ") {").indent();
  underConditions(*test);
  otherwise(test->otherwise);
}

// The dimension of the base that alone moves with dimension `dim` of the view, by one, and where it
// is when the view is at 0.
std::optional<std::pair<unsigned, affine::Expr>> BodyWriter::movedBy(const ir::View& view,
                                                                     unsigned dim) const {
  std::optional<std::pair<unsigned, affine::Expr>> moved;
  for (unsigned d = 0; d < view.map.size(); ++d) {
    auto names = view.map[d].iterators();
    if (std::find(names.begin(), names.end(), view.dims[dim]) == names.end()) continue;
    if (moved || view.map[d].stepAlong(view.dims[dim]) != affine::Expr::constant(1))
      return std::nullopt;
    moved.emplace(d, view.map[d].substitute([&](const affine::Atom& a) {
      bool own = std::find(view.dims.begin(), view.dims.end(), a.name) != view.dims.end();
      return own ? std::optional(affine::Expr()) : std::nullopt;
    }));
  }
  return moved;
}

// The dimension of an argument that alone moves with this one, by one.
std::optional<std::pair<unsigned, unsigned>> BodyWriter::rootDim(unsigned tensor,
                                                                 unsigned dim) const {
  while (kernel_.tensors[tensor].role == ir::Role::View) {
    const ir::View& view = *views_.at(tensor);
    auto moved = movedBy(view, dim);
    if (!moved || tables_.count({tensor, dim})) return std::nullopt;
    tensor = view.base;
    dim = moved->first;
  }
  return std::pair(tensor, dim);
}

// Whether neighbours along the dimension are neighbours in memory.
Test BodyWriter::unit(unsigned tensor, unsigned dim) {
  return unit(tensor, dim, affine::Expr(), kernel_.tensors[tensor].shape[dim]);
}

// The same of `size` positions from `first` on.
Test BodyWriter::unit(unsigned tensor, unsigned dim, const affine::Expr& first,
                      const affine::Expr& size) {
  size_t rank = kernel_.tensors[tensor].shape.size();
  if (kernel_.tensors[tensor].role == ir::Role::Local) return Test::known(dim + 1 == rank);
  if (kernel_.tensors[tensor].role != ir::Role::View) {
    if (units_.count({tensor, dim})) return Test::known(true);
    return Test::asked(scope_.stride(tensor, dim) + " == 1");
  }
  const ir::View& view = *views_.at(tensor);
  if (auto table = tables_.find({tensor, dim}); table != tables_.end()) {
    std::string positions = scope_.data(table->second);
    if (!first.isZero()) positions += " + " + wrapped(printer_.index(first));
    return Test::asked(prelude_.need("is_run") + "(" + positions + ", " + printer_.index(size) +
                       ")");
  }
  if (divides(view, dim)) return goesOn(tensor, dim);
  auto moved = movedBy(view, dim);
  if (!moved) return Test::known(false);
  return unit(view.base, moved->first, moved->second + first, size);
}

// Whether a dimension stands for several of the base: in divisions and remainders alone.
bool BodyWriter::divides(const ir::View& view, unsigned dim) {
  bool found = false;
  for (const affine::Expr& e : view.map) {
    auto names = e.iterators();
    if (std::find(names.begin(), names.end(), view.dims[dim]) == names.end()) continue;
    if (e.terms().size() != 1 || e.terms()[0].factors.size() != 1 || e.terms()[0].coefficient != 1)
      return false;
    if (!e.terms()[0].factors[0].div) return false;
    found = true;
  }
  return found;
}

// The dimension is unit: so is that of the base that moves with it.
void BodyWriter::assumeRun(unsigned tensor, unsigned dim) {
  auto found = views_.find(tensor);
  if (found == views_.end()) return;
  const ir::View& view = *found->second;
  if (divides(view, dim)) runs_.insert({tensor, dim});
  for (unsigned d = 0; d < view.map.size(); ++d)
    if (view.map[d].asIterator() == view.dims[dim]) assumeRun(view.base, d);
}

// Such a dimension is a run if it goes on by one wherever one of the base's ends: at each divisor.
Test BodyWriter::goesOn(unsigned tensor, unsigned dim) const {
  const ir::View& view = *views_.at(tensor);
  std::vector<affine::Expr> places = {affine::Expr::constant(1)};
  std::function<void(const affine::Expr&)> collect = [&](const affine::Expr& e) {
    for (const affine::Term& term : e.terms())
      for (const affine::Atom& atom : term.factors) {
        if (!atom.div) continue;
        collect(atom.div->dividend);
        if (std::find(places.begin(), places.end(), atom.div->divisor) == places.end())
          places.push_back(atom.div->divisor);
      }
  };
  for (const affine::Expr& e : view.map) collect(e);
  std::vector<std::string> tests;
  for (const affine::Expr& place : places) {
    Index after(view.dims.size()), before(view.dims.size());
    after[dim] = place;
    before[dim] = place - affine::Expr::constant(1);
    tests.push_back(wrapped(address(tensor, after)) + " - " + wrapped(address(tensor, before)) +
                    " == 1");
  }
  return Test::allOf(tests);
}

// Whether lines along the dimension begin at multiples of so many bytes: never where addresses
// are not linear in positions.
Test BodyWriter::aligned(unsigned tensor, unsigned dim, int64_t bytes) {
  const ir::Tensor& t = kernel_.tensors[tensor];
  std::string unit = std::to_string(bytes / static_cast<int64_t>(ir::info(t.type).bytes()));
  Index zero(t.shape.size());
  std::string first = wrapped(address(tensor, zero));
  std::vector<std::string> tests = {prelude_.need("lead") + "(&" + element(tensor, zero) + ", " +
                                    std::to_string(ir::info(t.type).bytes()) + ", " +
                                    std::to_string(bytes) + ", 1) == 0"};
  for (unsigned d = 0; d < t.shape.size(); ++d) {
    if (d == dim) continue;
    Index next = zero;
    next[d] = affine::Expr::iterator(".line");
    if (!isLinear(tensor, next, ".line")) return Test::known(false);
    next[d] = affine::Expr::constant(1);
    std::string step = t.role == ir::Role::View
                           ? wrapped(wrapped(address(tensor, next)) + " - " + first)
                           : scope_.stride(tensor, d);
    tests.push_back(step + " % " + unit + " == 0");
  }
  return Test::allOf(tests);
}

}  // namespace einc::emit
