// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/first_terms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

bool reads(const ir::ValueRef& value, const std::string& name) {
  bool found = false;
  ir::forEach(value, [&](const ir::Value& node) {
    auto* variable = std::get_if<ir::Variable>(&node.node);
    found |= variable && variable->name == name;
  });
  return found;
}

bool mentions(const ir::Stmt& stmt, const std::string& name) {
  auto own = [&](const ir::Stmt& one) {
    if (auto* assign = std::get_if<ir::Assign>(&one.node); assign && assign->name == name)
      return true;
    if (auto* check = std::get_if<ir::CheckNumbers>(&one.node))
      return llvm::any_of(check->values, [&](const auto& value) { return reads(value, name); });
    if (auto* transpose = std::get_if<ir::Transpose>(&one.node)) return transpose->name == name;
    const ir::ValueRef value = ir::valueOf(one);
    return value && reads(value, name);
  };
  bool found = own(stmt);
  for (const ir::Block* inner : ir::blocksOf(stmt))
    for (const ir::Stmt& one : *inner) found = found || mentions(one, name);
  return found;
}

// What `update` adds to the variable, which is what changes nothing; or null.
ir::ValueRef firstTerm(const ir::Let& start, const ir::ValueRef& update) {
  auto* call = std::get_if<ir::Call>(&update->node);
  if (!call || call->args.size() != 2 || !ir::neutralElement(call->function, update->type))
    return nullptr;
  if (!ir::equal(start.value, neutral(call->function, update->type))) return nullptr;
  for (size_t own : {0, 1}) {
    auto* variable = std::get_if<ir::Variable>(&call->args[own]->node);
    if (variable && variable->name == start.name && !reads(call->args[1 - own], start.name))
      return call->args[1 - own];
  }
  return nullptr;
}

}  // namespace

void beginWithFirstTerms(ir::Block& block) {
  for (auto it = block.begin(); it != block.end();) {
    for (ir::Block* inner : ir::blocksOf(*it)) beginWithFirstTerms(*inner);
    auto* start = std::get_if<ir::Let>(&it->node);
    if (!start || !std::holds_alternative<ir::Literal>(start->value->node)) {
      ++it;
      continue;
    }
    const ir::Let from = *start;
    const auto use = std::find_if(it + 1, block.end(),
                                  [&](const ir::Stmt& stmt) { return mentions(stmt, from.name); });
    auto* update = use == block.end() ? nullptr : std::get_if<ir::Assign>(&use->node);
    const bool isOwn = update && update->name == from.name;
    const ir::ValueRef term = isOwn ? firstTerm(from, update->value) : nullptr;
    if (!term) {
      ++it;
      continue;
    }
    *use = {ir::Let{from.name, term, from.axes}};
    it = block.erase(it);
  }
}

}  // namespace einc::transforms
