// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/names_along.h"

#include <set>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

bool isWritten(const Ops& ops, unsigned tensor, size_t from) {
  for (size_t op = from; op < ops.size(); ++op)
    for (const ir::Operand& output : ops[op].outputs)
      if (output.tensor == tensor) return true;
  return false;
}

// To all uses of a tensor with that dimension.
bool spread(const Ops& ops, size_t from, unsigned tensor, size_t dim, Names& names,
            std::vector<size_t>& open) {
  for (size_t op = from; op < ops.size(); ++op)
    for (size_t i = 0; i < ops[op].operandCount(); ++i) {
      const ir::Operand& operand = ops[op].operand(i);
      if (operand.tensor != tensor) continue;
      const auto name = operand.map[dim].asIterator();
      if (!name) return false;
      auto [known, isNew] = names.emplace(op, *name);
      if (known->second != *name) return false;
      if (isNew) open.push_back(op);
    }
  return true;
}

std::optional<Names> spread(const Ops& ops, size_t from, Names names) {
  std::vector<size_t> open;
  for (const auto& [op, name] : names) open.push_back(op);
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    for (size_t i = 0; i < ops[at].operandCount(); ++i) {
      const ir::Operand& operand = ops[at].operand(i);
      for (size_t d = 0; d < operand.map.size(); ++d) {
        if (!operand.map[d].mentions(names.at(at))) continue;
        if (operand.map[d].asIterator() != names.at(at) || operand.pad) return std::nullopt;
        if (isWritten(ops, operand.tensor, from) &&
            !spread(ops, from, operand.tensor, d, names, open))
          return std::nullopt;
      }
    }
  }
  return names;
}

bool readsOneOf(const ir::StructuredOp& op, const std::set<unsigned>& tensors) {
  return llvm::any_of(op.inputs,
                      [&](const ir::Operand& input) { return tensors.count(input.tensor) != 0; });
}

// The iterator that stands in another op where this one does, in a tensor that both read.
std::optional<std::string> sameRows(const ir::StructuredOp& op, const std::string& name,
                                    const ir::StructuredOp& other) {
  for (const ir::Operand& a : op.inputs)
    for (const ir::Operand& b : other.inputs)
      for (size_t d = 0; d < a.map.size() && a.tensor == b.tensor; ++d)
        if (auto same = b.map[d].asIterator(); same && a.map[d].asIterator() == name) return same;
  return std::nullopt;
}

// What an op has found, and later ones compute from that.
std::set<unsigned> foundBy(const Ops& ops, size_t op) {
  std::set<unsigned> found;
  for (size_t other = op; other < ops.size(); ++other)
    if (other == op || readsOneOf(ops[other], found))
      for (const ir::Operand& output : ops[other].outputs) found.insert(output.tensor);
  return found;
}

// Later ops that reduce along the same dimension of an input, and need what the op has found, or what another of these needs
// besides.
Names readersAgain(const Ops& ops, size_t op, const std::string& iterator) {
  const std::set<unsigned> found = foundBy(ops, op);
  Names same{{op, iterator}}, readers;
  for (size_t other = op + 1; other < ops.size(); ++other)
    for (const auto& [known, name] : Names(same))
      if (const auto own = sameRows(ops[known], name, ops[other]);
          own && !ir::isParallel(ops[other], *own))
        same.emplace(other, *own);
  // The last ones first: what they need besides stands before them.
  for (auto [other, name] : llvm::reverse(same)) {
    const std::set<unsigned> own = foundBy(ops, other);
    const bool isNeeded = llvm::any_of(
        readers, [&](const auto& reader) { return readsOneOf(ops[reader.first], own); });
    if (other != op && (readsOneOf(ops[other], found) || isNeeded)) readers.emplace(other, name);
  }
  return readers;
}

}  // namespace

std::optional<Names> namesAlong(const Ops& ops, size_t from, size_t op,
                                const std::string& iterator) {
  return spread(ops, from, {{op, iterator}});
}

Names withReaders(const Ops& ops, size_t from, size_t op, const Names& names) {
  Names all = readersAgain(ops, op, names.at(op));
  all.insert(names.begin(), names.end());
  auto spreadAll = spread(ops, from, std::move(all));
  return spreadAll ? *spreadAll : names;
}

bool isUsedAlong(const Ops& ops, size_t op, const Names& names) {
  const std::set<unsigned> found = foundBy(ops, op);
  return llvm::any_of(names, [&](const auto& other) {
    return other.first > op && readsOneOf(ops[other.first], found);
  });
}

}  // namespace einc::strategy
