// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/canonicalize.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/facts.h"
#include "compiler/ir/size_limit.h"
#include "compiler/transforms/first_terms.h"
#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

using affine::Expr;

class Canonicalizer {
 public:
  Canonicalizer(ir::Kernel& kernel, const CanonicalizeOptions& options)
      : kernel_(kernel), options_(options) {
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) bases_[view->view] = view->base;
    });
  }

  void run() {
    const bool keepsLoops = options_.keepsLoops;
    do {
      // A constant may make others constants.
      while (find(kernel_.body)) replace();
      facts_ = known();
      choose(kernel_.body);
    } while (!keepsLoops && dissolve(kernel_.body));
    if (!keepsLoops) dropEmpty();
  }

 private:
  // Whether there are new constants. Bounds that are constants go.
  bool find(ir::Block& block) {
    size_t dropped = std::erase_if(block, [&](const ir::Stmt& stmt) {
      auto* bound = std::get_if<ir::Bound>(&stmt.node);
      std::optional<int64_t> value = bound ? least(*bound) : std::nullopt;
      if (value) known_[bound->name] = *value;
      return value.has_value();
    });
    bool found = dropped > 0;
    for (ir::Stmt& stmt : block) {
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node))
        if (auto size = facts::tileSize(*loop)) found |= known_.emplace(loop->size, *size).second;
      for (ir::Block* inner : ir::blocksOf(stmt)) found |= find(*inner);
    }
    return found;
  }

  static std::optional<int64_t> least(const ir::Bound& bound) {
    std::optional<int64_t> result;
    for (const Expr& e : bound.of) {
      auto value = e.asConstant();
      if (!value) return std::nullopt;
      result = std::min(result.value_or(*value), *value);
    }
    return result;
  }

  void replace() {
    auto constant = [&](const affine::Atom& atom) -> std::optional<Expr> {
      auto found = known_.find(atom.name);
      if (atom.kind != affine::Atom::Kind::Symbol || found == known_.end()) return std::nullopt;
      return Expr::constant(found->second);
    };
    auto index = [&](const Expr& e) { return e.substitute(constant); };
    rewriteBlock(kernel_.body, index, [](const ir::ValueRef& value) { return value; });
    for (ir::Tensor& tensor : kernel_.tensors)
      for (Expr& size : tensor.shape) size = index(size);
  }

  // What is known everywhere: what views say, and what is promised of arguments.
  facts::Facts known() {
    facts::Facts facts(kernel_);
    views_.clear();
    ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) facts.enter(views_.emplace_back(*view));
    });
    if (options_.contiguous) facts.promiseContiguous();
    return facts;
  }

  // What views of arguments say of strides, who prints code asks again: ways that no promise closes stay.
  std::optional<bool> holds(const ir::Condition& condition) const {
    const bool isOfStrides =
        condition.kind == ir::Condition::Kind::Unit || condition.kind == ir::Condition::Kind::Even;
    if (isOfStrides && !options_.contiguous && !isLocal(condition.tensor)) return std::nullopt;
    return facts_.holds(condition);
  }
  // Or a view of what is.
  bool isLocal(unsigned tensor) const {
    for (auto base = bases_.find(tensor); base != bases_.end(); base = bases_.find(tensor))
      tensor = base->second;
    return kernel_.tensors[tensor].role == ir::Role::Local;
  }

  void choose(ir::Block& block) const {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      auto* test = std::get_if<ir::If>(&stmt.node);
      ir::Block* way = test ? wayOf(*test) : nullptr;
      for (ir::Block* inner : ir::blocksOf(stmt))
        if (!way || inner == way) choose(*inner);
      if (way)
        std::move(way->begin(), way->end(), std::back_inserter(result));
      else
        result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

  // The one way that is left, if there is but one. Conditions that hold go.
  ir::Block* wayOf(ir::If& test) const {
    auto fails = [&](const ir::Condition& condition) { return holds(condition) == false; };
    if (std::any_of(test.conditions.begin(), test.conditions.end(), fails)) return &test.otherwise;
    std::erase_if(test.conditions,
                  [&](const ir::Condition& condition) { return holds(condition) == true; });
    return test.conditions.empty() ? &test.then : nullptr;
  }

  // ---- Loops of one round ----

  // Whether there were any: each is in its block what its body is, for its variable 0.
  bool dissolve(ir::Block& block) {
    bool found = false;
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      for (ir::Block* inner : ir::blocksOf(stmt)) found |= dissolve(*inner);
      std::string var;
      ir::Block* body = onlyRound(stmt, var);
      if (body) atZero(*body, var);
      if (body)
        std::move(body->begin(), body->end(), std::back_inserter(result));
      else
        result.push_back(std::move(stmt));
      found |= body != nullptr;
    }
    block = std::move(result);
    return found;
  }

  // The body of a loop of one round, and its variable.
  static ir::Block* onlyRound(ir::Stmt& stmt, std::string& var) {
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) {
      var = loop->var;
      return loop->extent.asConstant() == 1 ? &loop->body : nullptr;
    }
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    if (!loop || loop->grain) return nullptr;
    auto size = facts::tileSize(*loop);
    var = loop->var;
    return size && size == loop->extent.asConstant() ? &loop->body : nullptr;
  }

  // Of loops below the structured levels, others may have variables of the same name.
  static void atZero(ir::Block& body, const std::string& var) {
    auto zero = [&](const affine::Atom& atom) -> std::optional<Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator || atom.name != var) return std::nullopt;
      return Expr();
    };
    rewriteBlock(
        body, [&](const Expr& e) { return e.substitute(zero); },
        [](const ir::ValueRef& value) { return value; });
  }

  // ---- Loops without rounds ----

  // What statements read and write: tensors, and not views of them.
  struct Touched {
    std::set<unsigned> read, written;
    void add(const Touched& other) {
      read.insert(other.read.begin(), other.read.end());
      written.insert(other.written.begin(), other.written.end());
    }
  };

  static bool isEmpty(const ir::Stmt& stmt) {
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) return loop->extent.asConstant() == 0;
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    return loop && loop->extent.asConstant() == 0;
  }

  // The outermost loops without rounds in `block` go to `empty`; without it they are as all others.
  void collect(ir::Block& block, Touched& touched, std::vector<Touched>* empty) {
    for (ir::Stmt& stmt : block) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) add(*op, touched);
      if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) add(call->op, touched);
      if (auto* table = std::get_if<ir::Offsets>(&stmt.node)) {
        touched.written.insert(table->table);
        if (table->quotients) touched.written.insert(*table->quotients);
      }
      addElements(stmt, touched);
      const bool own = empty && isEmpty(stmt);
      Touched& to = own ? empty->emplace_back() : touched;
      for (ir::Block* inner : ir::blocksOf(stmt)) collect(*inner, to, own ? nullptr : empty);
    }
  }

  void add(const ir::StructuredOp& op, Touched& touched) const {
    for (const ir::Operand& input : op.inputs) touched.read.insert(facts_.rootOf(input.tensor));
    for (const ir::Operand& output : op.outputs)
      touched.written.insert(facts_.rootOf(output.tensor));
    if (op.copied) touched.written.insert(facts_.rootOf(op.copied->to.tensor));
  }

  // Of statements below the structured levels.
  void addElements(const ir::Stmt& stmt, Touched& touched) const {
    auto read = [&](const ir::ValueRef& value) {
      if (!value) return;
      ir::forEach(value, [&](const ir::Value& v) {
        if (auto* load = std::get_if<ir::Load>(&v.node))
          touched.read.insert(facts_.rootOf(load->tensor));
      });
    };
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) read(let->value);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) read(assign->value);
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
      touched.written.insert(facts_.rootOf(store->tensor));
      read(store->value);
    }
  }

  void dropEmpty() {
    Touched rest;
    std::vector<Touched> empty;
    collect(kernel_.body, rest, &empty);
    std::vector<bool> kept(empty.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < empty.size(); ++i) {
        if (kept[i] || !isNeeded(empty[i], rest)) continue;
        kept[i] = changed = true;
        rest.add(empty[i]);
      }
    }
    size_t next = 0;
    erase(kernel_.body, kept, next);
  }

  // An output, or what is read, would not be written any more.
  bool isNeeded(const Touched& empty, const Touched& rest) const {
    return std::any_of(empty.written.begin(), empty.written.end(), [&](unsigned tensor) {
      const ir::Tensor& t = kernel_.tensors[tensor];
      return rest.written.count(tensor) == 0 && !ir::hasNoElements(t) &&
             (t.role == ir::Role::Output || rest.read.count(tensor) != 0);
    });
  }

  // In the order of `collect`.
  static void erase(ir::Block& block, const std::vector<bool>& kept, size_t& next) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      if (isEmpty(stmt)) {
        if (!kept[next++]) continue;
      } else {
        for (ir::Block* inner : ir::blocksOf(stmt)) erase(*inner, kept, next);
      }
      result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

  ir::Kernel& kernel_;
  std::deque<ir::View> views_;          // as they were when facts were found: statements move
  std::map<unsigned, unsigned> bases_;  // of views
  const CanonicalizeOptions& options_;
  facts::Facts facts_{kernel_};
  std::map<std::string, int64_t> known_;
};

}  // namespace

ir::Kernel canonicalize(ir::Kernel kernel, const CanonicalizeOptions& options) {
  Canonicalizer(kernel, options).run();
  if (kernel.level == ir::Level::Hardware) beginWithFirstTerms(kernel.body);
  return kernel;
}

}  // namespace einc::transforms
