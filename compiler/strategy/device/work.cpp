// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/work.h"

#include <algorithm>
#include <map>
#include <set>

namespace einc::strategy {

namespace {

// Whether several ops read what one position has several of.
bool readAgain(const Ops& ops, const std::vector<std::vector<std::string>>& shared) {
  std::map<unsigned, size_t> readers;
  for (size_t i = 0; i < ops.size(); ++i) {
    auto isShared = [&](const std::string& name) {
      return std::any_of(shared.begin(), shared.end(),
                         [&](const auto& names) { return names[i] == name; });
    };
    std::set<unsigned> read;
    for (const ir::Operand& input : ops[i].inputs) {
      std::vector<std::string> names = transforms::iteratorsOf(input);
      if (!input.shapeOnly && !std::all_of(names.begin(), names.end(), isShared))
        read.insert(input.tensor);
    }
    for (unsigned tensor : read) ++readers[tensor];
  }
  return std::any_of(readers.begin(), readers.end(),
                     [](const auto& reader) { return reader.second > 1; });
}

}  // namespace

size_t parallelCount(const ir::StructuredOp& op) {
  return static_cast<size_t>(
      std::count_if(op.iterators.begin(), op.iterators.end(),
                    [](const ir::Iterator& i) { return i.kind == ir::IteratorKind::Parallel; }));
}

std::optional<PositionWork> workAtPosition(transforms::Builder& builder,
                                           const target::Device& device, const Ops& ops,
                                           const std::vector<std::vector<std::string>>& shared) {
  size_t most = 0;
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].iterators.size() > ops[most].iterators.size()) most = i;
  const ir::StructuredOp& op = ops[most];
  std::vector<std::string> own;
  for (const ir::Iterator& i : op.iterators)
    if (std::none_of(shared.begin(), shared.end(),
                     [&](const auto& names) { return names[most] == i.name; }))
      own.push_back(i.name);
  if (own.empty()) return std::nullopt;
  PositionWork work{.length = builder.positions(op, own), .unit = std::nullopt, .op = most};
  if (work.length.asConstant().value_or(INT64_MAX) <= device.numbers.fewSteps) return std::nullopt;
  // Each loop takes one more to find its end: n loops in each other, 2 n - 1 for each step.
  for (const ir::StructuredOp& each : ops) {
    auto loops = static_cast<int64_t>(each.iterators.size() - shared.size());
    work.rounds += std::max<int64_t>(2 * loops - 1, 1);
  }
  const std::vector<OperandName> called = operandNames(builder.kernel(), op);
  size_t mostIterators = 0, next = 0;
  for (const ir::Operand& input : op.inputs) {
    const size_t which = next;
    next += !input.shapeOnly;
    size_t count = transforms::iteratorsOf(input).size();
    if (input.shapeOnly || count <= mostIterators) continue;
    for (unsigned d = 0; d < input.map.size(); ++d)
      for (const std::string& name : own)
        if (input.map[d].asIterator() == name) {
          work.unit = {Test::Kind::Contiguous, {}, {}, called[which], name};
          work.isAcross = d + 1 != input.map.size();
          mostIterators = count;
        }
  }
  work.isReadAgain = readAgain(ops, shared);
  return work;
}

}  // namespace einc::strategy
