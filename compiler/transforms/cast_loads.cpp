// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/cast_loads.h"

#include <map>
#include <string>

namespace einc::transforms {
namespace {

// How often a variable is used, how often it is cast to `type`, and whether it is changed.
struct Uses {
  int64_t all = 0, casts = 0;
  ir::ScalarType type = ir::ScalarType::F32;
  bool changes = false;
};

std::map<std::string, Uses> usesIn(const ir::Block& block) {
  std::map<std::string, Uses> uses;
  auto note = [&](const ir::Value& value) {
    if (auto* variable = std::get_if<ir::Variable>(&value.node)) ++uses[variable->name].all;
    auto* cast = std::get_if<ir::Cast>(&value.node);
    auto* variable = cast ? std::get_if<ir::Variable>(&cast->arg->node) : nullptr;
    if (!variable) return;
    Uses& own = uses[variable->name];
    if (own.casts == 0) own.type = value.type;
    if (own.type == value.type) ++own.casts;
  };
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    if (const ir::ValueRef value = ir::valueOf(stmt)) ir::forEach(value, note);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) uses[assign->name].changes = true;
    if (auto* turned = std::get_if<ir::Transpose>(&stmt.node)) uses[turned->name].changes = true;
  });
  return uses;
}

template <typename Visit>
void change(ir::Block& block, const Visit& visit) {
  for (ir::Stmt& stmt : block) {
    visit(stmt);
    for (ir::Block* inner : ir::blocksOf(stmt)) change(*inner, visit);
  }
}

}  // namespace

void castLoads(ir::Vector& region) {
  const std::map<std::string, Uses> uses = usesIn(region.body);
  std::map<std::string, ir::ScalarType> done;
  change(region.body, [&](ir::Stmt& stmt) {
    auto* let = std::get_if<ir::Let>(&stmt.node);
    if (!let || !ir::info(let->value->type).isPacked()) return;
    auto found = uses.find(let->name);
    const bool areCasts =
        found != uses.end() && !found->second.changes && found->second.all == found->second.casts;
    auto* load = std::get_if<ir::Load>(&let->value->node);
    // What is turned while it is loaded has its unit along another axis; parts of words have none.
    const bool isPlain =
        load && !let->axes.empty() && (load->unit.empty() || load->unit == let->axes.back());
    if (!isPlain || !areCasts) return;
    let->value = ir::makeCast(found->second.type, let->value);
    done.emplace(let->name, let->value->type);
  });
  if (done.empty()) return;
  auto named = [&](const ir::ValueRef& v) -> ir::ValueRef {
    auto* cast = std::get_if<ir::Cast>(&v->node);
    auto* variable = cast ? std::get_if<ir::Variable>(&cast->arg->node) : nullptr;
    const auto found = variable ? done.find(variable->name) : done.end();
    return found != done.end() && found->second == v->type ? ir::makeValue(v->type, *variable)
                                                           : nullptr;
  };
  change(region.body, [&](ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) let->value = ir::rewrite(let->value, named);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node))
      assign->value = ir::rewrite(assign->value, named);
    if (auto* store = std::get_if<ir::Store>(&stmt.node))
      store->value = ir::rewrite(store->value, named);
  });
}

}  // namespace einc::transforms
