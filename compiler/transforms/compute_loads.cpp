// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/compute_loads.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace einc::transforms {
namespace {

// A part of a byte that was cast, in a variable of vectors.
const ir::Let* partIn(const ir::Stmt& stmt) {
  auto* let = std::get_if<ir::Let>(&stmt.node);
  auto* cast = let ? std::get_if<ir::Cast>(&let->value->node) : nullptr;
  return cast && !let->axes.empty() && ir::info(cast->arg->type).isPacked() ? let : nullptr;
}

bool isVariable(const ir::ValueRef& value, const std::string& name) {
  auto* variable = std::get_if<ir::Variable>(&value->node);
  return variable && variable->name == name;
}

// The statements of a list behind one of them, as far as nothing else than values stands there.
class Behind {
 public:
  Behind(ir::Block& list, size_t at, const std::set<std::string>& scalars)
      : list_(list), at_(at), scalars_(scalars), name_(std::get<ir::Let>(list[at].node).name) {}

  // Computes a little more where it is loaded; whether there was anything.
  bool grow() {
    const std::optional<ir::ValueRef> call = onlyCall();
    if (!call) return false;
    ir::Let let = std::get<ir::Let>(list_[at_].node);
    const ir::ValueRef before = let.value;
    let.value = ir::rewrite(*call, [&](const ir::ValueRef& value) {
      return isVariable(value, name_) ? before : nullptr;
    });
    const ir::ValueRef variable = ir::makeValue((*call)->type, ir::Variable{name_});
    size_t first = list_.size();
    for (size_t i = list_.size(); i-- > at_ + 1;)
      if (replace(list_[i], *call, variable)) first = i;
    std::rotate(list_.begin() + static_cast<ptrdiff_t>(at_),
                list_.begin() + static_cast<ptrdiff_t>(at_ + 1),
                list_.begin() + static_cast<ptrdiff_t>(first));
    at_ = first - 1;
    list_[at_] = {std::move(let)};
    return true;
  }

 private:
  // Of what is a number for all lanes.
  bool isScalar(const ir::ValueRef& value) const {
    if (std::holds_alternative<ir::Literal>(value->node) ||
        std::holds_alternative<ir::AttributeRef>(value->node))
      return true;
    auto* variable = std::get_if<ir::Variable>(&value->node);
    return variable && scalars_.count(variable->name) != 0;
  }

  // The call that is all that is done with the variable.
  std::optional<ir::ValueRef> onlyCall() const {
    std::optional<ir::ValueRef> only;
    int64_t uses = 0, calls = 0;
    for (size_t i = at_ + 1; i < list_.size(); ++i) {
      if (!std::holds_alternative<ir::Let>(list_[i].node) &&
          !std::holds_alternative<ir::Assign>(list_[i].node))
        return std::nullopt;
      ir::forEach(ir::valueOf(list_[i]), [&](const ir::Value& value) {
        if (auto* variable = std::get_if<ir::Variable>(&value.node))
          uses += variable->name == name_ ? 1 : 0;
        auto* call = std::get_if<ir::Call>(&value.node);
        if (!call) return;
        const auto own = std::count_if(call->args.begin(), call->args.end(),
                                       [&](const auto& arg) { return isVariable(arg, name_); });
        const bool isOne = own == 1 && std::all_of(call->args.begin(), call->args.end(),
                                                   [&](const ir::ValueRef& arg) {
                                                     return isScalar(arg) || isVariable(arg, name_);
                                                   });
        if (!isOne) return;
        const ir::ValueRef whole = ir::makeValue(value.type, *call);
        if (!only) only = whole;
        if (ir::equal(*only, whole)) ++calls;
      });
    }
    return calls > 0 && calls == uses ? only : std::nullopt;
  }

  static bool replace(ir::Stmt& stmt, const ir::ValueRef& call, const ir::ValueRef& by) {
    bool isThere = false;
    auto changed = [&](const ir::ValueRef& value) -> ir::ValueRef {
      if (!ir::equal(value, call)) return nullptr;
      isThere = true;
      return by;
    };
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) let->value = ir::rewrite(let->value, changed);
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node))
      assign->value = ir::rewrite(assign->value, changed);
    return isThere;
  }

  ir::Block& list_;
  size_t at_;
  const std::set<std::string>& scalars_;
  const std::string name_;
};

void computeIn(ir::Block& list, const std::set<std::string>& scalars,
               const std::set<std::string>& changed) {
  for (ir::Stmt& stmt : list)
    for (ir::Block* inner : ir::blocksOf(stmt)) computeIn(*inner, scalars, changed);
  std::vector<std::string> parts;
  for (const ir::Stmt& stmt : list)
    if (const ir::Let* let = partIn(stmt); let && changed.count(let->name) == 0)
      parts.push_back(let->name);
  for (const std::string& name : parts) {
    const auto place = std::find_if(list.begin(), list.end(), [&](const ir::Stmt& stmt) {
      const auto* let = std::get_if<ir::Let>(&stmt.node);
      return let && let->name == name;
    });
    Behind behind(list, static_cast<size_t>(place - list.begin()), scalars);
    while (behind.grow()) {
    }
  }
}

}  // namespace

void computeLoads(ir::Vector& region) {
  // Names that stand for one value wherever they are, for all lanes or not.
  std::set<std::string> scalars, vectors, changed;
  ir::forEachStatement(region.body, [&](const ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) {
      auto& names = let->axes.empty() ? scalars : vectors;
      if (!names.insert(let->name).second) changed.insert(let->name);
    }
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) changed.insert(assign->name);
  });
  std::erase_if(scalars, [&](const std::string& name) {
    return vectors.count(name) != 0 || changed.count(name) != 0;
  });
  computeIn(region.body, scalars, changed);
}

}  // namespace einc::transforms
