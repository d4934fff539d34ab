// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/multiply_narrow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::ValueRef;

// An operation on one number takes as long as one on so many lanes.
constexpr int64_t kLanesForOne = 4;
// Instructions are on so many lanes at least.
constexpr int64_t kLeastLanes = 4;

const ir::Call* callOf(const ValueRef& value, Function function) {
  auto* call = std::get_if<ir::Call>(&value->node);
  return call && call->function == function ? call : nullptr;
}

// What an integer may be.
struct Range {
  int64_t least, most;
  bool isIn(const Range& other) const { return other.least <= least && most <= other.most; }
};
Range rangeOf(ir::ScalarType type) {
  const ir::TypeInfo& info = ir::info(type);
  const int64_t count = int64_t{1} << info.bits;
  return info.isSigned() ? Range{-count / 2, count / 2 - 1} : Range{0, count - 1};
}
Range rangeOf(const ValueRef& value) {
  const Range all = rangeOf(value->type);
  auto* cast = std::get_if<ir::Cast>(&value->node);
  if (cast && ir::widensTo(cast->arg->type, value->type)) return rangeOf(cast->arg);
  auto* call = std::get_if<ir::Call>(&value->node);
  const bool isSum = call && call->function == Function::Add;
  if (!isSum && !(call && call->function == Function::Sub)) return all;
  const Range a = rangeOf(call->args[0]), b = rangeOf(call->args[1]);
  const Range sum =
      isSum ? Range{a.least + b.least, a.most + b.most} : Range{a.least - b.most, a.most - b.least};
  return sum.isIn(all) ? sum : all;
}

bool isWidenedUnsigned(const ValueRef& value) {
  auto* cast = std::get_if<ir::Cast>(&value->node);
  return cast && ir::widensTo(cast->arg->type, value->type) &&
         !ir::info(cast->arg->type).isSigned();
}

// Of what is the same wherever it is computed.
bool isFree(const ir::Value& node) {
  return std::holds_alternative<ir::Literal>(node.node) ||
         std::holds_alternative<ir::AttributeRef>(node.node) ||
         std::holds_alternative<ir::Call>(node.node) || std::holds_alternative<ir::Cast>(node.node);
}
bool isFree(const ValueRef& value) {
  bool all = true;
  ir::forEach(value, [&](const ir::Value& node) { all &= isFree(node); });
  return all;
}

// c = add(c, mul(narrow, wide)): of the factors one is the same along the vector.
struct Product {
  ValueRef sum, same, along;
};

class Region {
 public:
  Region(Builder& builder, ir::Vector& region, const ir::Instruction* pairs)
      : builder_(builder), region_(region), pairs_(pairs) {
    ir::forEachStatement(region.body, [&](const ir::Stmt& stmt) {
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) axes_[let->name] = let->axes;
    });
  }

  void run() {
    if (region_.axes.empty() || !region_.times.empty()) return;
    takeOut(region_.body);
    if (pairs_ && region_.axes.back().size % kLeastLanes == 0) pair(region_.body);
  }

 private:
  // Of variables and what does not change alone.
  std::optional<std::set<std::string>> axesOf(const ValueRef& value) const {
    std::set<std::string> found;
    bool isKnown = true;
    ir::forEach(value, [&](const ir::Value& node) {
      auto* variable = std::get_if<ir::Variable>(&node.node);
      const auto axes = variable ? axes_.find(variable->name) : axes_.end();
      if (axes != axes_.end())
        found.insert(axes->second.begin(), axes->second.end());
      else
        isKnown &= isFree(node);
    });
    return isKnown ? std::optional(found) : std::nullopt;
  }

  std::optional<Product> productOf(const ir::Assign& assign) const {
    const ir::Call* sum =
        assign.value->type == ir::ScalarType::I32 ? callOf(assign.value, Function::Add) : nullptr;
    if (!sum) return std::nullopt;
    for (size_t i : {0, 1}) {
      auto* variable = std::get_if<ir::Variable>(&sum->args[i]->node);
      const ir::Call* product = callOf(sum->args[1 - i], Function::Mul);
      if (!variable || variable->name != assign.name || !product) continue;
      for (size_t same : {0, 1}) {
        const auto own = axesOf(product->args[same]), other = axesOf(product->args[1 - same]);
        const std::string& last = region_.axes.back().name;
        if (own && other && own->count(last) == 0 && other->count(last) != 0)
          return Product{sum->args[i], product->args[same], product->args[1 - same]};
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> axesIn(const ValueRef& value) const {
    const std::set<std::string> used = *axesOf(value);
    std::vector<std::string> own;
    for (const ir::Axis& axis : region_.axes)
      if (used.count(axis.name) != 0) own.push_back(axis.name);
    return own;
  }
  // Whether what is the same along vectors is done in less time than they are, where both take one operation.
  bool areFew(const ValueRef& same) const {
    const std::set<std::string> used = *axesOf(same);
    int64_t count = kLanesForOne;
    for (const ir::Axis& axis : region_.axes)
      if (used.count(axis.name) != 0) count *= axis.size;
    return count <= region_.axes.back().size;
  }

  static ir::Block* innermost(ir::For& loop) {
    ir::Block* body = &loop.body;
    while (body->size() == 1) {
      auto* inner = std::get_if<ir::For>(&body->front().node);
      if (!inner || inner->kind != ir::IteratorKind::Reduction) break;
      body = &inner->body;
    }
    return body;
  }

  void takeOut(ir::Block& block) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::For>(&stmt.node);
      ir::Block behind;
      if (loop && loop->kind == ir::IteratorKind::Reduction)
        takeOutOf(*innermost(*loop), result, behind);
      else
        for (ir::Block* inner : ir::blocksOf(stmt)) takeOut(*inner);
      result.push_back(std::move(stmt));
      append(result, std::move(behind));
    }
    block = std::move(result);
  }

  // Of a loop's body, all of which is a sum of products and what they read.
  void takeOutOf(ir::Block& body, ir::Block& before, ir::Block& behind) {
    auto* assign = body.empty() ? nullptr : std::get_if<ir::Assign>(&body.back().node);
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      auto* let = std::get_if<ir::Let>(&body[i].node);
      if (!let || (assign && let->name == assign->name)) return;
    }
    const auto product = assign ? productOf(*assign) : std::nullopt;
    const ir::Call* less = product ? callOf(product->along, Function::Sub) : nullptr;
    if (!less || !isFree(less->args[1]) || !areFew(product->same)) return;
    const std::vector<std::string> own = axesIn(product->same);
    const ir::ScalarType type = assign->value->type;
    const std::string name = builder_.name("sum");
    const ValueRef sum = ir::makeValue(type, ir::Variable{name}), zero = less->args[1],
                   element = less->args[0];
    axes_[name] = own;
    before.push_back({ir::Let{name, ir::makeLiteral(type, ir::Number{}), own}});
    behind.push_back(
        {ir::Assign{assign->name, ir::makeCall(Function::Sub, {product->sum, times(sum, zero)})}});
    assign->value = ir::makeCall(Function::Add, {product->sum, times(product->same, element)});
    body.push_back({ir::Assign{name, ir::makeCall(Function::Add, {sum, product->same})}});
  }
  static ValueRef times(const ValueRef& a, const ValueRef& b) {
    return ir::makeCall(Function::Mul, {a, b});
  }

  // In loops: elsewhere a sum of a few terms begins with 0, and a product alone is as short.
  void pair(ir::Block& block, bool isInLoop = false) {
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::For>(&stmt.node);
      const bool isSum = isInLoop || (loop && loop->kind == ir::IteratorKind::Reduction);
      for (ir::Block* inner : ir::blocksOf(stmt)) pair(*inner, isSum);
      auto* assign = isInLoop ? std::get_if<ir::Assign>(&stmt.node) : nullptr;
      const auto product = assign ? productOf(*assign) : std::nullopt;
      if (!product || isWidenedUnsigned(product->same) || isWidenedUnsigned(product->along))
        continue;
      const Range narrow = rangeOf(ir::ScalarType::I16);
      if (!rangeOf(product->same).isIn(narrow) || !rangeOf(product->along).isIn(narrow)) continue;
      const ir::ScalarType type = assign->value->type;
      ValueRef words[2] = {product->same, product->along};
      ValueRef& lower = words[areFew(product->same) ? 0 : 1];
      lower = ir::makeCast(type, ir::makeCast(ir::ScalarType::U16, lower));
      assign->value = ir::makeValue(type, ir::Instruct{pairs_, {product->sum, words[0], words[1]}});
    }
  }

  Builder& builder_;
  ir::Vector& region_;
  const ir::Instruction* pairs_;
  std::map<std::string, std::vector<std::string>> axes_;  // of what has a name
};

void multiplyIn(Builder& builder, ir::Block& block, const ir::Instruction* pairs) {
  for (ir::Stmt& stmt : block)
    if (auto* region = std::get_if<ir::Vector>(&stmt.node))
      Region(builder, *region, pairs).run();
    else
      for (ir::Block* inner : ir::blocksOf(stmt)) multiplyIn(builder, *inner, pairs);
}

}  // namespace

ir::Kernel multiplyNarrow(ir::Kernel kernel, const ir::Instruction* pairs) {
  Builder builder(kernel);
  multiplyIn(builder, kernel.body, pairs);
  return kernel;
}

}  // namespace einc::transforms
