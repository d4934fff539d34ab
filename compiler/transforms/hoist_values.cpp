// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist_values.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/facts/views.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {
namespace {

class Hoister {
 public:
  explicit Hoister(ir::Kernel& kernel) : builder_(kernel), views_(kernel) {
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) views_.enter(*view);
      if (auto* let = std::get_if<ir::Let>(&stmt.node); let && !let->axes.empty())
        vectors_.insert(let->name);
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) assigned_.insert(assign->name);
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) sizes_.insert(loop->size);
    });
  }

  // `axes`: of the regions around the block. (Elsewhere, loops may have variables of these names.)
  void run(ir::Block& block, const std::set<std::string>& axes = {}) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      std::set<std::string> inside = axes;
      addAxes(stmt, inside);
      for (ir::Block* inner : ir::blocksOf(stmt)) run(*inner, inside);
      if (std::holds_alternative<ir::For>(stmt.node) ||
          std::holds_alternative<ir::TileLoop>(stmt.node))
        takeOut(stmt, axes, result);
      result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

 private:
  // What a loop changes: names that stand for something else in each round, and tensors.
  struct Changed {
    std::set<std::string> names;
    std::set<unsigned> tensors;
  };

  static void addAxes(const ir::Stmt& stmt, std::set<std::string>& names) {
    if (auto* region = std::get_if<ir::Vector>(&stmt.node))
      for (const auto* axes : {&region->axes, &region->times})
        for (const ir::Axis& axis : *axes) names.insert(axis.name);
  }

  void note(const ir::Stmt& stmt, Changed& changed) const {
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) changed.names.insert(loop->var);
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node))
      changed.names.insert({loop->var, loop->size});
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) changed.names.insert(bound->name);
    if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) changed.names.insert(lead->name);
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) changed.names.insert(let->name);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) changed.names.insert(assign->name);
    if (auto* store = std::get_if<ir::Store>(&stmt.node))
      changed.tensors.insert(views_.rootOf(store->tensor));
    if (auto* table = std::get_if<ir::Offsets>(&stmt.node)) changed.tensors.insert(table->table);
    // Their memory is another one in each round.
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) changed.tensors.insert(alloc->tensor);
    // A view of this round is another one in the next.
    if (auto* view = std::get_if<ir::View>(&stmt.node)) changed.tensors.insert(view->view);
  }

  void takeOut(ir::Stmt& loop, const std::set<std::string>& axes, ir::Block& before) {
    Changed changed{axes, {}};
    note(loop, changed);
    bool calls = false;
    for (const ir::Block* inner : ir::blocksOf(std::as_const(loop)))
      ir::forEachStatement(*inner, [&](const ir::Stmt& stmt) {
        note(stmt, changed);
        calls |= std::holds_alternative<ir::LibraryCall>(stmt.node) ||
                 std::holds_alternative<ir::ExternalCall>(stmt.node);
      });
    if (calls) return;  // what they change is not looked at
    for (ir::Block* inner : ir::blocksOf(loop)) takeFrom(*inner, changed, before);
  }

  void takeFrom(ir::Block& block, const Changed& outer, ir::Block& before) {
    for (ir::Stmt& stmt : block) {
      std::optional<Changed> inside;
      if (std::holds_alternative<ir::Vector>(stmt.node)) addAxes(stmt, inside.emplace(outer).names);
      const Changed& changed = inside ? *inside : outer;
      for (ir::ValueRef* value :
           {valueOf<ir::Let>(stmt), valueOf<ir::Assign>(stmt), valueOf<ir::Store>(stmt)})
        if (value) *value = without(*value, changed, before);
      if (auto* let = std::get_if<ir::Let>(&stmt.node); let && let->axes.empty() &&
                                                        assigned_.count(let->name) == 0 &&
                                                        isKept(let->value, changed))
        scalars_[let->name] = let->value;
      // What stands under a condition may not be needed, or not even be written; but where tiles are
      // whole or cut off, it is needed on both ways.
      if (std::holds_alternative<ir::For>(stmt.node) ||
          std::holds_alternative<ir::TileLoop>(stmt.node) ||
          std::holds_alternative<ir::Vector>(stmt.node) || asksForSizes(stmt))
        for (ir::Block* inner : ir::blocksOf(stmt)) takeFrom(*inner, changed, before);
    }
    std::erase_if(block, [&](const ir::Stmt& stmt) {
      auto* let = std::get_if<ir::Let>(&stmt.node);
      return let && scalars_.count(let->name) != 0 && !isUsed(let->name, block);
    });
  }

  bool asksForSizes(const ir::Stmt& stmt) const {
    auto* test = std::get_if<ir::If>(&stmt.node);
    return test &&
           std::all_of(test->conditions.begin(), test->conditions.end(), [&](const auto& c) {
             auto size = c.left.asSymbol();
             return c.kind == ir::Condition::Kind::Equal && size && sizes_.count(*size) != 0;
           });
  }

  static bool isUsed(const std::string& variable, const ir::Block& block) {
    bool used = false;
    auto look = [&](const ir::ValueRef& value) {
      ir::forEach(value, [&](const ir::Value& v) {
        auto* reference = std::get_if<ir::Variable>(&v.node);
        used |= reference && reference->name == variable;
      });
    };
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      if (const ir::ValueRef value = ir::valueOf(stmt)) look(value);
      if (auto* check = std::get_if<ir::CheckNumbers>(&stmt.node))
        for (const ir::ValueRef& value : check->values) look(value);
    });
    return used;
  }

  // With what scalars of a region stand for, which are the same in each round.
  ir::ValueRef expanded(const ir::ValueRef& value) const {
    return ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
      auto* variable = std::get_if<ir::Variable>(&node->node);
      auto scalar = variable ? scalars_.find(variable->name) : scalars_.end();
      return scalar == scalars_.end() ? nullptr : scalar->second;
    });
  }

  template <typename Node>
  static ir::ValueRef* valueOf(ir::Stmt& stmt) {
    auto* node = std::get_if<Node>(&stmt.node);
    return node ? &node->value : nullptr;
  }

  // The value with its largest parts that can be computed before the loop as variables.
  ir::ValueRef without(const ir::ValueRef& value, const Changed& changed, ir::Block& before) {
    const ir::ValueRef whole = scalars_.empty() ? value : expanded(value);
    if (takesLong(whole) && isKept(whole, changed)) return kept(whole, before);
    auto* call = std::get_if<ir::Call>(&value->node);
    if (auto* cast = std::get_if<ir::Cast>(&value->node))
      return ir::makeValue(value->type, ir::Cast{without(cast->arg, changed, before)});
    if (!call) return value;
    ir::Call result = *call;
    for (ir::ValueRef& arg : result.args) arg = without(arg, changed, before);
    return ir::makeValue(value->type, std::move(result));
  }

  bool isKept(const ir::ValueRef& value, const Changed& changed) const {
    bool same = true;
    auto index = [&](const affine::Expr& e) {
      for (const auto& names : {e.iterators(), e.symbols()})
        for (const std::string& name : names) same &= changed.names.count(name) == 0;
    };
    ir::forEach(value, [&](const ir::Value& v) {
      if (std::holds_alternative<ir::Reduce>(v.node) || std::holds_alternative<ir::Shuffle>(v.node))
        same = false;
      if (auto* reference = std::get_if<ir::IndexRef>(&v.node)) index(reference->index);
      if (auto* variable = std::get_if<ir::Variable>(&v.node))
        same &= changed.names.count(variable->name) == 0 && vectors_.count(variable->name) == 0;
      if (auto* load = std::get_if<ir::Load>(&v.node)) {
        for (const affine::Expr& e : load->index) index(e);
        same &= isUnchanged(load->tensor, changed);
      }
    });
    return same;
  }

  // Its elements, and which those are.
  bool isUnchanged(unsigned tensor, const Changed& changed) const {
    for (;;) {
      const ir::View* view = views_.viewOf(tensor);
      if (changed.tensors.count(tensor) != 0 || (view && view->pad)) return false;
      if (!view) return true;
      tensor = view->base;
    }
  }

  ir::ValueRef kept(const ir::ValueRef& value, ir::Block& before) {
    for (const ir::Stmt& stmt : before)
      if (auto* let = std::get_if<ir::Let>(&stmt.node); let && ours_.count(let->name) != 0)
        if (ir::equal(sources_.at(let->name), value))
          return ir::makeValue(value->type, ir::Variable{let->name});
    std::string name = builder_.name("kept");
    ours_.insert(name);
    sources_[name] = value;
    ir::ValueRef padded = ir::rewrite(value, [](const ir::ValueRef& node) -> ir::ValueRef {
      auto* load = std::get_if<ir::Load>(&node->node);
      if (!load || load->pad) return node;
      ir::Load copy = *load;
      copy.pad = ir::makeLiteral(node->type, {});
      return ir::makeValue(node->type, std::move(copy));
    });
    before.push_back({ir::Let{name, std::move(padded)}});
    return ir::makeValue(value->type, ir::Variable{name});
  }

  Builder builder_;
  facts::Views views_;
  std::set<std::string> vectors_, ours_;         // variables with lanes; variables made here
  std::set<std::string> assigned_, sizes_;       // variables; of tiles
  std::map<std::string, ir::ValueRef> scalars_;  // of regions, and what they stand for
  std::map<std::string, ir::ValueRef> sources_;  // what stood in their places
};

}  // namespace

bool takesLong(const ir::ValueRef& value) {
  bool found = false;
  ir::forEach(value, [&](const ir::Value& v) {
    if (auto* call = std::get_if<ir::Call>(&v.node)) found |= !ir::info(call->function).isQuick();
  });
  return found;
}

ir::Kernel hoistValues(ir::Kernel kernel) {
  Hoister(kernel).run(kernel.body);
  return kernel;
}

}  // namespace einc::transforms
