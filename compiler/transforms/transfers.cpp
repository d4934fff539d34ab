// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/transfers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/ir/instruction.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {

bool Transfer::isTransposed(const std::string& axis) const {
  return unit != axis && std::any_of(index->begin(), index->end(), [&](const affine::Expr& e) {
           return llvm::is_contained(e.iterators(), axis);
         });
}

Transfers::Transfers(const ir::Vector& region) {
  auto elementsOf = [&](const std::vector<affine::Expr>& index) {
    int64_t elements = 1;
    for (const ir::Axis& axis : region.axes)
      if (llvm::any_of(index, [&](const affine::Expr& e) { return e.mentions(axis.name); }))
        elements *= axis.size;
    return elements;
  };
  auto value = [&](const ir::ValueRef& root) {
    // A word of two halves is in two registers, so that all that these are made of is in one each.
    const std::vector<ir::ValueRef> halves = ir::halvesIn(root);
    for (const ir::ValueRef& part : halves.empty() ? std::vector{root} : halves)
      bytes = std::max(bytes, registerBytes(part, &region.axes));
    ir::forEach(root, [&](const ir::Value& v) {
      if (auto* reduce = std::get_if<ir::Reduce>(&v.node)) reduced.insert(reduce->axis);
      auto* load = std::get_if<ir::Load>(&v.node);
      if (load && !load->unit.empty())
        all.push_back({load->unit, &load->index, false, elementsOf(load->index)});
    });
  };
  ir::forEachStatement(region.body, [&](const ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) value(let->value);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) value(assign->value);
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
      value(store->value);
      if (!store->unit.empty())
        all.push_back({store->unit, &store->index, true, elementsOf(store->index)});
    }
  });
}

std::string Transfers::lanesAxis() const {
  std::map<std::string, int64_t> loads, stores;
  for (const Transfer& transfer : all)
    (transfer.isStore ? stores : loads)[transfer.unit] += transfer.elements;
  const std::map<std::string, int64_t>& counts = loads.empty() ? stores : loads;
  // Of as many, what is reduced, and not where the results lie.
  auto best = std::max_element(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.second, reduced.count(a.first)) <
           std::pair(b.second, reduced.count(b.first));
  });
  std::string result = best == counts.end() ? "" : best->first;
  if (reduces()) return result;  // lanes are what is reduced
  auto transposed = [&](const std::string& axis) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Transfer& transfer) { return transfer.isTransposed(axis); });
  };
  for (const Transfer& transfer : all)
    if (transposed(transfer.unit) < transposed(result)) result = transfer.unit;
  return result;
}

}  // namespace einc::transforms
