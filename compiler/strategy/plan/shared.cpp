// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/shared.h"

#include <algorithm>
#include <set>
#include <utility>

namespace einc::strategy {
namespace {

std::vector<affine::Expr> renamed(const std::vector<affine::Expr>& map,
                                  const std::map<std::string, std::string>& names) {
  std::vector<affine::Expr> result;
  for (const affine::Expr& index : map)
    result.push_back(index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      return transforms::at(names.at(atom.name));
    }));
  return result;
}

bool has(const ir::StructuredOp& op, const std::string& iterator) {
  return std::any_of(op.iterators.begin(), op.iterators.end(),
                     [&](const ir::Iterator& i) { return i.name == iterator; });
}

}  // namespace

SharedOps::SharedOps(transforms::Builder& builder, std::vector<ir::StructuredOp> ops,
                     const std::vector<std::vector<std::string>>& shared, size_t first,
                     ir::Block& block)
    : ops_(std::move(ops)), first_(first), inWhole_(ops_.size()), own_(ops_.size()) {
  findElsewhere(builder.kernel());
  std::set<std::string> taken;
  for (const std::vector<std::string>& names : shared) {
    names_.push_back(names[0]);
    shared_[names[0]] = names;
    taken.insert(names[0]);
    whole_.iterators.push_back({names[0], ir::IteratorKind::Parallel});
    for (size_t i = 0; i < ops_.size(); ++i) inWhole_[i][names[i]] = names[0];
  }
  for (size_t i = 0; i < ops_.size(); ++i) {
    std::vector<Operand> own;
    for (size_t o = 0; o < ops_[i].operandCount(); ++o) {
      const ir::Operand& operand = ops_[i].operand(o);
      const bool isDistinct = transforms::iteratorsOf(operand).size() == operand.map.size();
      if (operand.shapeOnly)
        elsewhere_.insert(operand.tensor);
      else
        own.push_back({i, operand.tensor, 0, own.size(), isDistinct});
    }
    operandNames_.push_back(operandNames(builder.kernel(), ops_[i]));
    transforms::canonicalize(builder, ops_[i], block);
    for (const ir::Iterator& iterator : ops_[i].iterators) {
      if (inWhole_[i].count(iterator.name) == 0) {
        std::string name = iterator.name + "_op" + std::to_string(i);
        while (!taken.insert(name).second) name += "_";
        inWhole_[i][iterator.name] = name;
        whole_.iterators.push_back({name, ir::IteratorKind::Parallel});
      }
      own_[i][inWhole_[i][iterator.name]] = iterator.name;
    }
    for (size_t o = 0; o < ops_[i].operandCount(); ++o) {
      ir::Operand operand = ops_[i].operand(o);
      operand.map = renamed(operand.map, inWhole_[i]);
      whole_.inputs.push_back(std::move(operand));
      operands_.push_back(own[o]);
      operands_.back().memory = ops_[i].operand(o).tensor;
    }
  }
}

void SharedOps::findElsewhere(const ir::Kernel& kernel) {
  std::map<unsigned, int64_t> users;
  auto count = [&](const ir::StructuredOp& op, int64_t by) {
    std::set<unsigned> own;
    for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
    for (unsigned tensor : own) users[tensor] += by;
  };
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) { count(op, 1); });
  for (const ir::StructuredOp& op : ops_) count(op, -1);
  for (const auto& [tensor, others] : users)
    if (others > 0) elsewhere_.insert(tensor);
}

const std::string& SharedOps::nameIn(size_t number, const std::string& iterator) const {
  return shared_.at(iterator)[number - first_];
}

ir::StructuredOp SharedOps::member(size_t number, const ir::StructuredOp& here) const {
  const size_t which = number - first_;
  ir::StructuredOp result = ops_[which];
  std::erase_if(result.iterators,
                [&](const ir::Iterator& i) { return !has(here, inWhole_[which].at(i.name)); });
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].op == which) {
      ir::Operand& operand = result.operand(operands_[i].number);
      operand.tensor = here.inputs[i].tensor;
      operand.map = renamed(here.inputs[i].map, own_[which]);
    }
  return result;
}

std::vector<size_t> SharedOps::operands(unsigned tensor, size_t from) const {
  std::vector<size_t> result;
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].tensor == tensor && first_ + operands_[i].op >= from) result.push_back(i);
  return result;
}

affine::Expr SharedOps::elements(const transforms::Builder& builder,
                                 const ir::StructuredOp& here) const {
  affine::Expr sum;
  std::set<unsigned> seen;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (!seen.insert(operands_[i].memory).second) continue;
    affine::Expr elements = transforms::constant(1);
    for (const std::string& iterator : transforms::iteratorsOf(here.inputs[i]))
      if (!isShared(iterator)) elements = elements * builder.extent(here, iterator);
    sum = sum + elements;
  }
  return sum;
}

}  // namespace einc::strategy
