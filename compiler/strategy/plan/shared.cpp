// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/shared.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"
#include "compiler/strategy/shared_iterators.h"

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

// Iterators of one position are gone where ops are done.
affine::Expr withoutUnits(const ir::Kernel& kernel, const ir::StructuredOp& op,
                          const affine::Expr& index) {
  return index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
    if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
    const auto source = ir::extentOf(kernel, op, atom.name);
    if (!source || source->extent.asConstant() != 1) return std::nullopt;
    return transforms::constant(0);
  });
}

bool has(const ir::StructuredOp& op, const std::string& iterator) {
  return std::any_of(op.iterators.begin(), op.iterators.end(),
                     [&](const ir::Iterator& i) { return i.name == iterator; });
}

}  // namespace

NumberedOps NumberedOps::from(size_t first, std::vector<ir::StructuredOp> ops) {
  NumberedOps result{std::move(ops), {}, {}};
  for (size_t i = 0; i < result.ops.size(); ++i) result.numbers.push_back(first + i);
  return result;
}

std::set<unsigned> usedElsewhere(const ir::Kernel& kernel,
                                 const std::vector<ir::StructuredOp>& ops) {
  std::map<unsigned, int64_t> users;
  auto count = [&](const ir::StructuredOp& op, int64_t by) {
    std::set<unsigned> own;
    for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
    for (unsigned tensor : own) users[tensor] += by;
  };
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) { count(op, 1); });
  for (const ir::StructuredOp& op : ops) count(op, -1);
  std::set<unsigned> result = ir::viewedIn(kernel.body);
  for (const auto& [tensor, others] : users)
    if (others > 0) result.insert(tensor);
  return result;
}

bool readsResults(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops,
                  size_t which) {
  for (size_t before = 0; before < which; ++before)
    for (const ir::Operand& output : ops[before].outputs)
      for (const ir::Operand& input : ops[which].inputs)
        if (input.tensor == output.tensor ||
            facts::mayShareMemory(kernel, output.tensor, input.tensor))
          return true;
  return false;
}

SharedOps::SharedOps(transforms::Builder& builder, NumberedOps ops,
                     const std::vector<std::vector<std::string>>& shared,
                     std::set<unsigned> elsewhere, bool looksOutside, ir::Block& block)
    : given_(std::move(ops)),
      ops_(given_.ops),
      looksOutside_(looksOutside),
      outside_(ops_.size()),
      padded_(ops_.size()),
      elsewhere_(std::move(elsewhere)),
      inWhole_(ops_.size()),
      own_(ops_.size()) {
  std::set<std::string> taken;
  for (const std::vector<std::string>& names : shared) {
    names_.push_back(names[0]);
    shared_[names[0]] = names;
    taken.insert(names[0]);
    whole_.iterators.push_back({names[0], ir::IteratorKind::Parallel});
    whole_.results.push_back(
        ir::makeValue(ir::ScalarType::I64, ir::IndexRef{transforms::at(names[0])}));
    for (size_t i = 0; i < ops_.size(); ++i) inWhole_[i][names[i]] = names[0];
  }
  for (size_t i = 0; i < ops_.size(); ++i) {
    const size_t inputs = ops_[i].inputs.size();
    if (looksOutside) {
      outside_[i] = findOutside(builder.kernel(), ops_[i]);
      for (Outside& one : outside_[i])
        one.index = withoutUnits(builder.kernel(), ops_[i], one.index);
      padded_[i] = addTwins(builder.kernel(), ops_[i]);
    }
    std::vector<Operand> own;
    size_t named = 0;
    for (size_t o = 0; o < ops_[i].operandCount(); ++o) {
      const ir::Operand& operand = ops_[i].operand(o);
      const bool isTwin = o >= inputs && o < ops_[i].inputs.size();
      own.push_back({i, operand.tensor, 0, 0, named, operand.shapeOnly,
                     ir::readsOperand(ops_[i], o), operand.pad != nullptr, isTwin, operand.map});
      named += own.back().isNamed() ? 1 : 0;
    }
    operandNames_.push_back(given_.names.empty() ? operandNames(builder.kernel(), given_.ops[i])
                                                 : given_.names[i]);
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
    size_t next = 0;
    for (Operand& one : own) {
      // What gives its shape alone is gone, unless no other gives it.
      if (one.isShape && (next >= ops_[i].inputs.size() || !ops_[i].inputs[next].shapeOnly))
        continue;
      if (one.isShape) elsewhere_.insert(one.tensor);
      one.number = next++;
      ir::Operand operand = ops_[i].operand(one.number);
      one.memory = operand.tensor;
      one.map = renamed(one.map, inWhole_[i]);
      operand.map = renamed(operand.map, inWhole_[i]);
      whole_.inputs.push_back(std::move(operand));
      operands_.push_back(std::move(one));
    }
  }
}

size_t SharedOps::indexOf(size_t number) const {
  return static_cast<size_t>(std::find(given_.numbers.begin(), given_.numbers.end(), number) -
                             given_.numbers.begin());
}
bool SharedOps::hasOp(size_t number) const { return indexOf(number) < ops_.size(); }
size_t SharedOps::after(size_t number) const {
  const size_t next = indexOf(number) + 1;
  return next < ops_.size() ? given_.numbers[next] : end();
}

bool SharedOps::isAtPosition(size_t input) const {
  return !hasPad(input) && standAlone(map(input), names_);
}

std::optional<std::pair<size_t, std::string>> SharedOps::along(const OperandName& operand,
                                                               const std::string& iterator) const {
  for (size_t input = 0; input < operands_.size(); ++input) {
    const Operand& one = operands_[input];
    auto name = inWhole_[one.op].find(iterator);
    if (!one.isNamed() || operandNames_[one.op][one.name] != operand ||
        name == inWhole_[one.op].end())
      continue;
    const std::vector<std::string> used = transforms::iteratorsOf(whole_.inputs[input]);
    if (std::find(used.begin(), used.end(), name->second) != used.end())
      return std::pair(input, name->second);
  }
  return std::nullopt;
}

const std::string& SharedOps::nameIn(size_t number, const std::string& iterator) const {
  return shared_.at(iterator)[indexOf(number)];
}

affine::Expr SharedOps::placeIn(size_t which, const ir::StructuredOp& here,
                                const affine::Expr& index) const {
  std::map<std::string, affine::Expr> places;
  for (size_t i = 0; i < names_.size(); ++i)
    places[shared_.at(names_[i])[which]] =
        std::get<ir::IndexRef>(here.results[i]->node)
            .index.substitute([&](const affine::Atom& atom) {
              auto own = own_[which].find(atom.name);
              const bool isIts =
                  atom.kind == affine::Atom::Kind::Iterator && own != own_[which].end();
              return isIts ? std::optional(transforms::at(own->second)) : std::nullopt;
            });
  return index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
    auto place = places.find(atom.name);
    const bool isIts = atom.kind == affine::Atom::Kind::Iterator && place != places.end();
    return isIts ? std::optional(place->second) : std::nullopt;
  });
}

std::vector<Outside> SharedOps::outside(size_t number, const ir::StructuredOp& here) const {
  std::vector<Outside> result = outside_[indexOf(number)];
  for (Outside& one : result) one.index = placeIn(indexOf(number), here, one.index);
  return result;
}

ir::StructuredOp SharedOps::member(size_t number, const ir::StructuredOp& here) const {
  const size_t which = indexOf(number);
  ir::StructuredOp result = ops_[which];
  std::erase_if(result.iterators,
                [&](const ir::Iterator& i) { return !has(here, inWhole_[which].at(i.name)); });
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].op == which) {
      ir::Operand& operand = result.operand(operands_[i].number);
      operand.tensor = here.inputs[i].tensor;
      operand.map = renamed(here.inputs[i].map, own_[which]);
    }
  // Positions in payloads are those in the whole ops.
  for (ir::ValueRef& value : result.results)
    value = ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
      auto* index = std::get_if<ir::IndexRef>(&node->node);
      if (!index) return nullptr;
      return ir::makeValue(node->type, ir::IndexRef{placeIn(which, here, index->index)});
    });
  return result;
}

std::vector<size_t> SharedOps::operands(unsigned tensor, size_t from) const {
  std::vector<size_t> result;
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].tensor == tensor && operands_[i].isNamed() &&
        given_.numbers[operands_[i].op] >= from)
      result.push_back(i);
  return result;
}

std::optional<unsigned> SharedOps::tensorOf(const std::string& name) const {
  for (const Operand& one : operands_)
    if (one.isNamed() && operandNames_[one.op][one.name].tensor == name) return one.tensor;
  return std::nullopt;
}

affine::Expr SharedOps::elements(const transforms::Builder& builder,
                                 const ir::StructuredOp& here) const {
  affine::Expr sum;
  std::set<unsigned> seen;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (!operands_[i].isNamed() || !seen.insert(operands_[i].memory).second) continue;
    affine::Expr elements = transforms::constant(1);
    for (const std::string& iterator : transforms::iteratorsOf(here.inputs[i]))
      if (!isShared(iterator)) elements = elements * builder.extent(here, iterator);
    sum = sum + elements;
  }
  return sum;
}

}  // namespace einc::strategy
