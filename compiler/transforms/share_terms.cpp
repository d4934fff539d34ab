// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/share_terms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;

// Pairs of terms that are looked at for each that is shared: more is not worth the time.
constexpr size_t kMostPairs = 1 << 16;

// The variable is what the function gives of it and another value: maxima of floats, which are checked for NaN as well.
// (Measured on Zen 5, f32 windows of 3 x 3 and 3 x 3 x 3, all caches: maxima 1.1 to 1.8 times as fast, sums 0.83 to 1.17; of
// bytes 0.84 to 1.01.)
struct Step {
  Function function;
  ir::ValueRef term;
};
std::optional<Step> stepOf(const ir::Assign& assign) {
  const auto* call = std::get_if<ir::Call>(&assign.value->node);
  const bool isLimit = call && (call->function == Function::Max || call->function == Function::Min);
  if (!isLimit || !ir::info(assign.value->type).isFloat()) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const auto* variable = std::get_if<ir::Variable>(&call->args[i]->node);
    if (variable && variable->name == assign.name) return Step{call->function, call->args[1 - i]};
  }
  return std::nullopt;
}

bool isUnrolled(const ir::For& loop) {
  return loop.kind == ir::IteratorKind::Reduction && loop.unrolled && loop.extent.asConstant();
}

// A loop whose rounds are code of their own, and those in it.
class Loop {
 public:
  Loop(Builder& builder, const ir::Vector& region, const facts::Facts& facts,
       std::map<std::string, std::vector<std::string>> axes)
      : builder_(builder), region_(region), facts_(facts), axes_(std::move(axes)) {}

  std::optional<ir::For> run(const ir::For& loop) {
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) changed_.insert(assign->name);
    });
    if (!unrolled(loop, {}) || !share()) return std::nullopt;
    ir::For result = loop;
    result.extent = constant(1);
    result.unrolled = false;
    result.body = std::move(ahead_);
    while (!sums_.empty()) {
      const size_t next = nextSum();
      const Sum sum = sums_[next];
      sums_.erase(sums_.begin() + static_cast<std::ptrdiff_t>(next));
      for (size_t term : sum.terms) {
        emit(term, result.body);
        result.body.push_back({ir::Assign{
            sum.name, ir::makeCall(sum.function, {variable(sum.type, sum.name), named(term)})}});
      }
    }
    return result;
  }

 private:
  // What is added: a value, or two terms.
  struct Term {
    ir::ValueRef value, key;  // the key says places in tensors, not in views; of two terms none
    std::vector<std::string> axes;
    size_t left = 0, right = 0;
    Function function = Function::Max;
    std::string name = {};  // once it is computed
  };
  struct Sum {
    std::string name;
    Function function;
    ir::ScalarType type;
    std::vector<size_t> terms;  // in ascending order
  };
  using Values = std::map<std::string, ir::ValueRef>;

  static ir::ValueRef variable(ir::ScalarType type, const std::string& name) {
    return ir::makeValue(type, ir::Variable{name});
  }
  ir::ValueRef named(size_t term) const {
    return variable(terms_[term].value->type, terms_[term].name);
  }

  // ---- Terms ----

  // Round by round; false if something else is done in them. `rounds`: of the loops around.
  bool unrolled(const ir::For& loop, const std::map<std::string, int64_t>& rounds) {
    for (int64_t i = 0; i < *loop.extent.asConstant(); ++i) {
      std::map<std::string, int64_t> inner = rounds;
      inner[loop.var] = i;
      Values values;
      for (const ir::Stmt& stmt : loop.body)
        if (!taken(stmt, inner, values)) return false;
    }
    return true;
  }

  bool taken(const ir::Stmt& stmt, const std::map<std::string, int64_t>& rounds, Values& values) {
    if (const auto* loop = std::get_if<ir::For>(&stmt.node))
      return isUnrolled(*loop) && values.empty() && unrolled(*loop, rounds);
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
      if (changed_.count(let->name) != 0) return false;
      values[let->name] = inRound(let->value, rounds, values);
      return true;
    }
    if (const auto* prefetch = std::get_if<ir::Prefetch>(&stmt.node)) {
      ir::Prefetch copy = *prefetch;
      for (affine::Expr& e : copy.index) e = inRound(e, rounds);
      ahead_.push_back({std::move(copy)});
      return true;
    }
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto step = assign ? stepOf(*assign) : std::nullopt;
    return step && added(*assign, *step, inRound(step->term, rounds, values));
  }

  bool added(const ir::Assign& assign, const Step& step, const ir::ValueRef& value) {
    bool isSimple = true;
    ir::forEach(value, [&](const ir::Value& v) {
      const auto* used = std::get_if<ir::Variable>(&v.node);
      isSimple &= !(used && changed_.count(used->name) != 0) &&
                  !std::holds_alternative<ir::Reduce>(v.node) &&
                  !std::holds_alternative<ir::Shuffle>(v.node);
    });
    auto sum = llvm::find_if(sums_, [&](const Sum& s) { return s.name == assign.name; });
    if (sum == sums_.end())
      sum = sums_.insert(sum, {assign.name, step.function, assign.value->type, {}});
    const size_t term = termOf(value);
    if (!isSimple || sum->function != step.function || llvm::is_contained(sum->terms, term))
      return false;
    sum->terms.push_back(term);
    return true;
  }

  size_t termOf(const ir::ValueRef& value) {
    const ir::ValueRef key = ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
      const auto* load = std::get_if<ir::Load>(&v->node);
      return load ? ir::makeValue(v->type, placeOf(*load)) : nullptr;
    });
    for (size_t i = 0; i < terms_.size(); ++i)
      if (ir::equal(terms_[i].key, key)) return i;
    terms_.push_back({value, key, axesOf(value)});
    return terms_.size() - 1;
  }

  // Two loads are of one element where these are equal: the place in what has memory, and, for those that may be outside of
  // the view, what says whether they are.
  ir::Load placeOf(const ir::Load& load) const {
    ir::Load place = load;
    const auto found = facts_.resolve(load.tensor, load.index);
    if (!found) return place;
    place.index = found->index;
    if (!load.pad) {
      place.tensor = found->tensor;
      return place;
    }
    const std::vector<affine::Expr>& shape = facts_.tensor(load.tensor).shape;
    for (size_t d = 0; d < load.index.size(); ++d) {
      const auto at = load.index[d].asConstant(), size = facts_.valueOf(shape[d]);
      const bool isInside = at && size && *at >= 0 && *at < *size;
      place.index.push_back(isInside ? affine::Expr() : load.index[d]);
    }
    return place;
  }

  static affine::Expr inRound(const affine::Expr& e, const std::map<std::string, int64_t>& rounds) {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      const auto found = rounds.find(atom.name);
      if (atom.kind != affine::Atom::Kind::Iterator || found == rounds.end()) return std::nullopt;
      return constant(found->second);
    });
  }
  static ir::ValueRef inRound(const ir::ValueRef& value,
                              const std::map<std::string, int64_t>& rounds, const Values& values) {
    return ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
      if (const auto* load = std::get_if<ir::Load>(&v->node)) {
        ir::Load copy = *load;
        for (affine::Expr& e : copy.index) e = inRound(e, rounds);
        return ir::makeValue(v->type, std::move(copy));
      }
      if (const auto* index = std::get_if<ir::IndexRef>(&v->node))
        return ir::makeValue(v->type, ir::IndexRef{inRound(index->index, rounds)});
      if (const auto* used = std::get_if<ir::Variable>(&v->node))
        if (const auto found = values.find(used->name); found != values.end()) return found->second;
      return nullptr;
    });
  }

  std::vector<std::string> axesOf(const ir::ValueRef& value) const {
    std::set<std::string> used;
    ir::forEach(value, [&](const ir::Value& v) {
      if (const auto* load = std::get_if<ir::Load>(&v.node))
        for (const affine::Expr& e : load->index)
          for (const std::string& name : e.iterators()) used.insert(name);
      if (const auto* index = std::get_if<ir::IndexRef>(&v.node))
        for (const std::string& name : index->index.iterators()) used.insert(name);
      if (const auto* other = std::get_if<ir::Variable>(&v.node))
        if (const auto found = axes_.find(other->name); found != axes_.end())
          used.insert(found->second.begin(), found->second.end());
    });
    std::vector<std::string> axes;
    for (const ir::Axis& axis : region_.axes)
      if (used.count(axis.name) != 0) axes.push_back(axis.name);
    return axes;
  }

  // ---- What sums have in common ----

  // The two that most sums have, the first of several, as one; and so on. Whether there were any.
  bool share() {
    size_t pairs = 0;
    for (Sum& sum : sums_) {
      llvm::sort(sum.terms);
      pairs += sum.terms.size() * sum.terms.size() / 2;
    }
    if (pairs > kMostPairs) return false;
    bool any = false;
    while (const auto two = mostShared()) {
      any = true;
      const auto& [function, left, right] = *two;
      Term both{ir::makeCall(function, {terms_[left].value, terms_[right].value}),
                nullptr,
                terms_[left].axes,
                left,
                right,
                function};
      terms_.push_back(std::move(both));
      for (Sum& sum : sums_) {
        if (sum.function != function || !has(sum, left) || !has(sum, right)) continue;
        std::erase_if(sum.terms, [&](size_t term) { return term == left || term == right; });
        sum.terms.push_back(terms_.size() - 1);
      }
    }
    return any;
  }
  static bool has(const Sum& sum, size_t term) {
    return std::binary_search(sum.terms.begin(), sum.terms.end(), term);
  }

  std::optional<std::tuple<Function, size_t, size_t>> mostShared() const {
    std::map<std::tuple<Function, size_t, size_t>, size_t> counts;
    for (const Sum& sum : sums_)
      for (size_t i = 0; i < sum.terms.size(); ++i)
        for (size_t j = i + 1; j < sum.terms.size(); ++j)
          if (terms_[sum.terms[i]].axes == terms_[sum.terms[j]].axes)
            ++counts[{sum.function, sum.terms[i], sum.terms[j]}];
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts.end() || most->second < 2) return std::nullopt;
    return most->first;
  }

  // ---- Statements ----

  // The sum after which fewest terms wait for others: they are in registers.
  size_t nextSum() const {
    std::set<size_t> known;
    for (size_t term = 0; term < terms_.size(); ++term)
      if (!terms_[term].name.empty()) known.insert(term);
    size_t next = 0, fewest = SIZE_MAX;
    for (size_t i = 0; i < sums_.size(); ++i) {
      std::set<size_t> computed = known, needed;
      for (size_t term : sums_[i].terms) addParts(term, computed, known);
      for (size_t j = 0; j < sums_.size(); ++j)
        for (size_t term : sums_[j].terms)
          if (j != i) addParts(term, needed, computed);
      const auto waiting = static_cast<size_t>(
          llvm::count_if(computed, [&](size_t term) { return needed.count(term) != 0; }));
      if (waiting < fewest) next = i, fewest = waiting;
    }
    return next;
  }
  // The term, and what it is made of, as far as that is not known.
  void addParts(size_t term, std::set<size_t>& to, const std::set<size_t>& known) const {
    to.insert(term);
    if (known.count(term) != 0 || terms_[term].left == terms_[term].right) return;
    addParts(terms_[term].left, to, known);
    addParts(terms_[term].right, to, known);
  }

  // What the term needs is computed where it is first used.
  void emit(size_t number, ir::Block& out) {
    if (!terms_[number].name.empty()) return;
    const bool isBoth = terms_[number].left != terms_[number].right;
    ir::ValueRef value = terms_[number].value;
    if (isBoth) {
      for (size_t part : {terms_[number].left, terms_[number].right}) emit(part, out);
      value = ir::makeCall(terms_[number].function,
                           {named(terms_[number].left), named(terms_[number].right)});
    }
    Term& term = terms_[number];
    term.name = builder_.name(isBoth ? "both" : "term");
    out.push_back({ir::Let{term.name, std::move(value), term.axes}});
  }

  Builder& builder_;
  const ir::Vector& region_;
  const facts::Facts& facts_;
  const std::map<std::string, std::vector<std::string>> axes_;  // of variables from outside
  std::set<std::string> changed_;
  std::vector<Term> terms_;
  std::vector<Sum> sums_;
  ir::Block ahead_;
};

// Each outermost loop whose rounds are code of their own.
void shareIn(Builder& builder, const ir::Vector& region, const facts::Facts& facts,
             std::map<std::string, std::vector<std::string>> axes, ir::Block& block) {
  for (ir::Stmt& stmt : block) {
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) axes[let->name] = let->axes;
    auto* loop = std::get_if<ir::For>(&stmt.node);
    if (loop && isUnrolled(*loop)) {
      if (auto shared = Loop(builder, region, facts, axes).run(*loop)) *loop = std::move(*shared);
    } else {
      for (ir::Block* inner : ir::blocksOf(stmt)) shareIn(builder, region, facts, axes, *inner);
    }
  }
}

}  // namespace

void shareTerms(Builder& builder, ir::Vector& region, const facts::Facts& facts) {
  ir::Block body = region.body;
  shareIn(builder, region, facts, {}, body);
  region.body = std::move(body);
}

}  // namespace einc::transforms
