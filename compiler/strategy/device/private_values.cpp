// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/private_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

using affine::Expr;

class Finder {
 public:
  Finder(const ir::Kernel& kernel, const Ops& ops,
         const std::vector<std::vector<std::string>>& shared)
      : kernel_(kernel), ops_(ops), shared_(shared) {}

  // Nothing if the tensor has to be in memory.
  std::optional<PrivateValue> find(unsigned tensor, bool isStored, int64_t most) const {
    PrivateValue kept{tensor, {}, {}, false, isStored};
    std::vector<bool> isShared(kernel_.tensors[tensor].shape.size(), false);
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t o = 0, access = 0; o < ops_[op].operandCount(); ++o) {
        const ir::Operand& operand = ops_[op].operand(o);
        access += !operand.shapeOnly;
        if (operand.tensor != tensor || operand.shapeOnly) continue;
        if (kept.uses.empty()) {
          for (size_t d = 0; d < isShared.size(); ++d) isShared[d] = indexes(op, operand.map[d]);
          kept.readsFirst = ir::readsOperand(ops_[op], o);
        }
        auto map = rest(op, operand, isShared);
        if (!map) return std::nullopt;
        kept.uses.push_back({op, access - 1, std::move(*map)});
      }
    int64_t elements = 1;
    for (size_t d = 0; d < isShared.size(); ++d) {
      if (isShared[d]) continue;
      kept.shape.push_back(kernel_.tensors[tensor].shape[d]);
      int64_t size = kept.shape.back().asConstant().value_or(most + 1);
      elements = size > most ? most + 1 : elements * size;
      if (elements > most) return std::nullopt;
    }
    // What is stored has one element: all of it has been written, then.
    if (isStored && (!kept.shape.empty() || kept.uses.size() < 2)) return std::nullopt;
    return kept;
  }

 private:
  bool isName(size_t op, const std::string& iterator) const {
    return std::any_of(shared_.begin(), shared_.end(),
                       [&](const auto& names) { return names[op] == iterator; });
  }
  bool indexes(size_t op, const Expr& index) const {
    auto iterator = index.asIterator();
    return iterator && isName(op, *iterator);
  }
  std::optional<std::vector<Expr>> rest(size_t op, const ir::Operand& operand,
                                        const std::vector<bool>& isShared) const {
    if (operand.pad) return std::nullopt;
    std::vector<Expr> map;
    for (size_t d = 0; d < operand.map.size(); ++d) {
      if (indexes(op, operand.map[d]) != isShared[d]) return std::nullopt;
      if (isShared[d]) continue;
      for (const std::string& name : operand.map[d].iterators())
        if (isName(op, name)) return std::nullopt;
      map.push_back(operand.map[d]);
    }
    return map;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const std::vector<std::vector<std::string>>& shared_;
};

}  // namespace

ir::Operand& PrivateValue::Use::in(Ops& ops) const {
  size_t at = 0;
  for (size_t left = access;; ++at)
    if (!ops[op].operand(at).shapeOnly && left-- == 0) return ops[op].operand(at);
}

std::vector<PrivateValue> privateValues(const ir::Kernel& kernel, const Ops& ops,
                                        const std::vector<std::vector<std::string>>& shared,
                                        const std::set<unsigned>& others, int64_t most) {
  Finder finder(kernel, ops, shared);
  std::vector<PrivateValue> result;
  std::set<unsigned> seen;
  for (const ir::StructuredOp& op : ops)
    for (const ir::Operand& output : op.outputs) {
      if (!seen.insert(output.tensor).second) continue;
      bool isStored =
          others.count(output.tensor) != 0 || kernel.tensors[output.tensor].role != ir::Role::Local;
      if (auto own = finder.find(output.tensor, isStored, most)) result.push_back(std::move(*own));
    }
  return result;
}

}  // namespace einc::strategy
