// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist_values.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
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
        takeOut(stmt, axes, /*lanes=*/false, result);
      turn(stmt, axes);
      result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

 private:
  // A loop around a region alone becomes a loop in it, where the region has vectors that do not change in the loop. These are
  // computed if there is a round, so that all that they read is there.
  void turn(ir::Stmt& stmt, const std::set<std::string>& axes) {
    auto* loop = std::get_if<ir::For>(&stmt.node);
    auto* region =
        loop && loop->body.size() == 1 ? std::get_if<ir::Vector>(&loop->body[0].node) : nullptr;
    if (!region || !axes.empty()) return;
    ir::Vector around = *region;
    ir::For inner = *loop;
    inner.body = std::move(around.body);
    ir::Stmt turned{std::move(inner)};
    std::set<std::string> inside = axes;
    addAxes(loop->body[0], inside);
    around.body.clear();
    axes_.clear();
    for (const auto* list : {&around.times, &around.axes})
      for (const ir::Axis& axis : *list) axes_.push_back(axis.name);
    takeOut(turned, inside, /*lanes=*/true, around.body);
    axes_.clear();
    if (around.body.empty()) return;
    around.body.push_back(std::move(turned));
    if (hasRounds(loop->extent)) {
      stmt.node = std::move(around);
      return;
    }
    const ir::Condition isAny{ir::Condition::Kind::Less, affine::Expr(), loop->extent};
    stmt.node = ir::If{{isAny}, only({std::move(around)}), {}};
  }
  bool mayBeEmpty(const ir::Stmt& stmt) const {
    auto* loop = std::get_if<ir::For>(&stmt.node);
    auto* tiles = std::get_if<ir::TileLoop>(&stmt.node);
    return (loop && !hasRounds(loop->extent)) || (tiles && !hasRounds(tiles->extent));
  }
  // A tile has a position.
  bool hasRounds(const affine::Expr& extent) const {
    const auto size = extent.asSymbol();
    return extent.asConstant().value_or(0) > 0 || (size && sizes_.count(*size) != 0);
  }

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
    if (auto* read = std::get_if<ir::Read>(&stmt.node)) changed.names.insert(read->name);
    if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) changed.names.insert(lead->name);
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) changed.names.insert(let->name);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) changed.names.insert(assign->name);
    if (auto* store = std::get_if<ir::Store>(&stmt.node))
      changed.tensors.insert(views_.rootOf(store->tensor));
    if (auto* table = std::get_if<ir::Offsets>(&stmt.node)) {
      changed.tensors.insert(table->table);
      if (table->quotients) changed.tensors.insert(*table->quotients);
    }
    // Their memory is another one in each round.
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) changed.tensors.insert(alloc->tensor);
    // A view of this round is another one in the next.
    if (auto* view = std::get_if<ir::View>(&stmt.node)) changed.tensors.insert(view->view);
  }

  // With `lanes` vectors, too, where the loop has a round.
  void takeOut(ir::Stmt& loop, const std::set<std::string>& axes, bool lanes, ir::Block& before) {
    Changed rounds;
    note(loop, rounds);
    bool calls = false;
    for (const ir::Block* inner : ir::blocksOf(std::as_const(loop)))
      ir::forEachStatement(*inner, [&](const ir::Stmt& stmt) {
        note(stmt, rounds);
        calls |= std::holds_alternative<ir::LibraryCall>(stmt.node) ||
                 std::holds_alternative<ir::ExternalCall>(stmt.node);
      });
    if (calls) return;  // what they change is not looked at
    Changed changed = rounds;
    changed.names.insert(axes.begin(), axes.end());
    rounds_ = lanes ? &rounds : nullptr;
    for (ir::Block* inner : ir::blocksOf(loop)) takeFrom(*inner, changed, before);
    rounds_ = nullptr;
  }

  void takeFrom(ir::Block& block, const Changed& outer, ir::Block& before) {
    for (ir::Stmt& stmt : block) {
      std::optional<Changed> inside;
      const Changed* const rounds = rounds_;
      if (std::holds_alternative<ir::Vector>(stmt.node)) {
        addAxes(stmt, inside.emplace(outer).names);
        rounds_ = nullptr;  // its lanes are not those around the loop
      }
      if (mayBeEmpty(stmt)) rounds_ = nullptr;  // then its vectors need not be there
      const Changed& changed = inside ? *inside : outer;
      for (ir::ValueRef* value :
           {valueOf<ir::Let>(stmt), valueOf<ir::Assign>(stmt), valueOf<ir::Store>(stmt)})
        if (value) *value = without(*value, changed, before);
      if (auto* let = std::get_if<ir::Let>(&stmt.node); let && assigned_.count(let->name) == 0) {
        if (let->axes.empty() && isKept(let->value, changed))
          same_[let->name] = let->value;
        else if (const ir::ValueRef whole = rounds_ ? expanded(let->value) : nullptr;
                 whole && isSmall(whole) && isKept(whole, *rounds_))
          same_[let->name] = whole;
      }
      // What stands under a condition may not be needed, or not even be written; but where tiles are
      // whole or cut off, it is needed on both ways, and that there are rounds is as good as a loop.
      if (std::holds_alternative<ir::For>(stmt.node) ||
          std::holds_alternative<ir::TileLoop>(stmt.node) ||
          std::holds_alternative<ir::Vector>(stmt.node) || isPassed(stmt))
        for (ir::Block* inner : ir::blocksOf(stmt)) takeFrom(*inner, changed, before);
      rounds_ = rounds;
    }
    std::erase_if(block, [&](const ir::Stmt& stmt) {
      auto* let = std::get_if<ir::Let>(&stmt.node);
      return let && same_.count(let->name) != 0 && !isUsed(let->name, block);
    });
  }

  // A condition that what is computed before a loop may come from under.
  bool isPassed(const ir::Stmt& stmt) const {
    auto* test = std::get_if<ir::If>(&stmt.node);
    return test &&
           std::all_of(test->conditions.begin(), test->conditions.end(), [&](const auto& c) {
             auto size = c.left.asSymbol();
             const bool isAny =
                 c.kind == ir::Condition::Kind::Less && c.left.isZero() && test->otherwise.empty();
             return isAny ||
                    (c.kind == ir::Condition::Kind::Equal && size && sizes_.count(*size) != 0);
           });
  }

  // What stands for a variable is written out wherever it is used.
  static bool isSmall(const ir::ValueRef& value) {
    size_t nodes = 0;
    ir::forEach(value, [&](const ir::Value&) { ++nodes; });
    return nodes <= 64;
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

  // With what variables of a region stand for that are the same in each round.
  ir::ValueRef expanded(const ir::ValueRef& value) const {
    return ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
      auto* variable = std::get_if<ir::Variable>(&node->node);
      auto found = variable ? same_.find(variable->name) : same_.end();
      return found == same_.end() ? nullptr : found->second;
    });
  }

  template <typename Node>
  static ir::ValueRef* valueOf(ir::Stmt& stmt) {
    auto* node = std::get_if<Node>(&stmt.node);
    return node ? &node->value : nullptr;
  }

  // The value with its largest parts that can be computed before the loop as variables.
  ir::ValueRef without(const ir::ValueRef& value, const Changed& changed, ir::Block& before) {
    const ir::ValueRef whole = same_.empty() ? value : expanded(value);
    if (takesLong(whole) && (isKept(whole, changed) || (rounds_ && isKept(whole, *rounds_))))
      return kept(whole, before);
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
      if (auto* instruct = std::get_if<ir::Instruct>(&v.node)) same &= instruct->axis.empty();
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

  // Of the region around the loop, those that it depends on, in its order.
  std::vector<std::string> axesOf(const ir::ValueRef& value) const {
    std::set<std::string> used;
    auto look = [&](const affine::Expr& index) {
      for (const std::string& name : index.iterators()) used.insert(name);
    };
    ir::forEach(value, [&](const ir::Value& node) {
      if (auto* reference = std::get_if<ir::IndexRef>(&node.node)) look(reference->index);
      if (auto* load = std::get_if<ir::Load>(&node.node))
        for (const affine::Expr& index : load->index) look(index);
    });
    std::vector<std::string> result = axes_;
    std::erase_if(result, [&](const std::string& axis) { return used.count(axis) == 0; });
    return result;
  }

  ir::ValueRef kept(const ir::ValueRef& value, ir::Block& before) {
    for (const ir::Stmt& stmt : before)
      if (auto* let = std::get_if<ir::Let>(&stmt.node); let && ours_.count(let->name) != 0)
        if (ir::equal(sources_.at(let->name), value))
          return ir::makeValue(value->type, ir::Variable{let->name});
    std::string name = builder_.name("kept");
    ours_.insert(name);
    sources_[name] = value;
    ir::ValueRef padded = ir::rewrite(value, [this](const ir::ValueRef& node) -> ir::ValueRef {
      auto* load = std::get_if<ir::Load>(&node->node);
      if (!load || load->pad) return node;
      ir::Load copy = *load;
      // What a view is of may be shorter than the spec says, where nothing is to be done.
      // (Words are elsewhere than their elements.)
      auto place = copy.unit.empty() ? views_.resolve(load->tensor, load->index) : std::nullopt;
      if (place && views_.tensor(place->tensor).type == node->type)
        std::tie(copy.tensor, copy.index) = std::pair(place->tensor, place->index);
      copy.pad = ir::makeLiteral(node->type, {});
      return ir::makeValue(node->type, std::move(copy));
    });
    std::vector<std::string> axes = axesOf(value);
    if (!axes.empty()) vectors_.insert(name);
    before.push_back({ir::Let{name, std::move(padded), std::move(axes)}});
    return ir::makeValue(value->type, ir::Variable{name});
  }

  Builder builder_;
  facts::Views views_;
  std::set<std::string> vectors_, ours_;         // variables with lanes; variables made here
  std::set<std::string> assigned_, sizes_;       // variables; of tiles
  std::map<std::string, ir::ValueRef> same_;     // variables of regions, and what they stand for
  std::map<std::string, ir::ValueRef> sources_;  // what stood in their places
  std::vector<std::string> axes_;                // of the region around the loop
  const Changed* rounds_ = nullptr;              // in a region: what a loop of it changes
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
