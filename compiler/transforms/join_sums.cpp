// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/join_sums.h"

#include <functional>
#include <utility>

#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

// The node, or the variable `to` in the place of `from`.
ir::ValueRef renamedNode(const ir::ValueRef& node, const std::string& from, const std::string& to) {
  auto* variable = std::get_if<ir::Variable>(&node->node);
  bool isIt = variable && variable->name == from;
  return isIt ? ir::makeValue(node->type, ir::Variable{to}) : node;
}

ir::ValueRef renamed(const ir::ValueRef& value, const std::string& from, const std::string& to) {
  return ir::rewrite(value, [&](const ir::ValueRef& node) { return renamedNode(node, from, to); });
}

void rename(ir::Block& block, const std::string& from, const std::string& to) {
  rewriteBlock(
      block, [](const affine::Expr& e) { return e; },
      [&](const ir::ValueRef& node) { return renamedNode(node, from, to); });
  std::function<void(ir::Block&)> whereAssigned = [&](ir::Block& statements) {
    for (ir::Stmt& stmt : statements) {
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign && assign->name == from) assign->name = to;
      for (ir::Block* inner : ir::blocksOf(stmt)) whereAssigned(*inner);
    }
  };
  whereAssigned(block);
}

// A region that begins with the variable of a sum, and ends with the store of what came out.
struct Sum {
  const ir::Let* start = nullptr;
  const ir::Store* end = nullptr;
};

Sum sumOf(const ir::Stmt& stmt) {
  auto* region = std::get_if<ir::Vector>(&stmt.node);
  if (!region || region->body.size() < 3) return {};
  auto* start = std::get_if<ir::Let>(&region->body.front().node);
  auto* end = std::get_if<ir::Store>(&region->body.back().node);
  if (!start || !end || !std::holds_alternative<ir::Literal>(start->value->node)) return {};
  return {start, end};
}

// Whether the terms read what only the first sum's store would have written.
bool readsBetween(const ir::Stmt& second, unsigned stored, const facts::Facts& facts) {
  bool reads = false;
  ir::Block terms = std::get<ir::Vector>(second.node).body;
  terms.pop_back();
  ir::forEachStatement(terms, [&](const ir::Stmt& stmt) {
    if (const ir::ValueRef value = ir::valueOf(stmt))
      ir::forEach(value, [&](const ir::Value& v) {
        auto* load = std::get_if<ir::Load>(&v.node);
        reads |= load && facts.rootOf(load->tensor) == facts.rootOf(stored);
      });
  });
  return reads;
}

bool areOne(const ir::Stmt& first, const ir::Stmt& second, const facts::Facts& facts) {
  const Sum a = sumOf(first), b = sumOf(second);
  return a.start && b.start &&
         std::get<ir::Vector>(first.node).axes == std::get<ir::Vector>(second.node).axes &&
         a.start->axes == b.start->axes && ir::equal(a.start->value, b.start->value) &&
         a.end->tensor == b.end->tensor && a.end->index == b.end->index &&
         a.end->clip == b.end->clip &&
         ir::equal(renamed(a.end->value, a.start->name, b.start->name), b.end->value) &&
         !readsBetween(second, a.end->tensor, facts);
}

// Appends the second region, without its variable, to the first one, without its store.
void append(ir::Vector& first, ir::Vector second) {
  const std::string sum = std::get<ir::Let>(first.body.front().node).name;
  const std::string other = std::get<ir::Let>(second.body.front().node).name;
  first.body.pop_back();
  second.body.erase(second.body.begin());
  rename(second.body, other, sum);
  for (ir::Stmt& stmt : second.body) first.body.push_back(std::move(stmt));
}

}  // namespace

void joinSums(ir::Block& block, const facts::Facts& facts) {
  ir::Block result;
  size_t views = 0;  // at the end of `result`, behind a region
  for (ir::Stmt& stmt : block) {
    bool isView = std::holds_alternative<ir::View>(stmt.node);
    bool follows =
        !isView && result.size() > views && areOne(result[result.size() - views - 1], stmt, facts);
    if (follows) {
      ir::Stmt region = std::move(result[result.size() - views - 1]);
      append(std::get<ir::Vector>(region.node), std::get<ir::Vector>(std::move(stmt.node)));
      result.erase(result.end() - static_cast<std::ptrdiff_t>(views) - 1);
      stmt = std::move(region);
    }
    views = isView ? views + 1 : 0;
    result.push_back(std::move(stmt));
  }
  block = std::move(result);
}

}  // namespace einc::transforms
