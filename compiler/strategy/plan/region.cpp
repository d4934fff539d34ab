// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/region.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "compiler/strategy/plan/outside.h"
#include "compiler/transforms/inline.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::append;
using transforms::at;
using transforms::only;

bool isReduction(const ir::Iterator& i) { return i.kind == ir::IteratorKind::Reduction; }

}  // namespace

ir::StructuredOp renamed(ir::StructuredOp op, const std::map<std::string, std::string>& names) {
  if (names.empty()) return op;
  auto rename = [&](const affine::Expr& index) {
    return index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      auto name = names.find(atom.name);
      if (atom.kind != affine::Atom::Kind::Iterator || name == names.end()) return std::nullopt;
      return affine::Expr::iterator(name->second);
    });
  };
  for (ir::Iterator& i : op.iterators)
    if (auto name = names.find(i.name); name != names.end()) i.name = name->second;
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (affine::Expr& index : op.operand(i).map) index = rename(index);
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* position = std::get_if<ir::IndexRef>(&value->node);
      return position ? ir::makeValue(value->type, ir::IndexRef{rename(position->index)}) : nullptr;
    });
  return op;
}

void Terms::add(const transforms::Tile& tile, const affine::Expr& extent) {
  using Kind = ir::Condition::Kind;
  affine::Expr begin = at(tile.origin);
  first.push_back({Kind::Equal, begin, transforms::constant(0)});
  last.push_back({Kind::Equal, begin + transforms::size(tile.size), extent});
}

void Terms::drop() {
  first.pop_back();
  last.pop_back();
}

Region::Region(transforms::Builder& builder, std::vector<ir::StructuredOp> ops, size_t first,
               int64_t line)
    : builder_(builder), given_(std::move(ops)), ops_(given_), firstNumber_(first), line_(line) {
  contraction_ = 0;
  while (!ir::reduces(ops_[contraction_])) ++contraction_;
  const ir::Operand& results = contraction().outputs[0];
  results_ = results.tensor;
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (i == contraction_) continue;
    std::map<std::string, std::string> names;
    for (size_t o = 0; o < ops_[i].operandCount(); ++o)
      if (ops_[i].operand(o).tensor == results_)
        for (size_t d = 0; d < results.map.size(); ++d)
          names[*ops_[i].operand(o).map[d].asIterator()] = *results.map[d].asIterator();
    ops_[i] = renamed(std::move(ops_[i]), names);
  }
}

std::vector<size_t> Region::others() const {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < ops_.size(); ++i)
    if (i != contraction_) numbers.push_back(firstNumber_ + i);
  return numbers;
}

bool Region::hasOther(size_t number) const {
  const std::vector<size_t> all = others();
  return std::find(all.begin(), all.end(), number) != all.end();
}

bool Region::isWritten() const {
  return contraction_ + 1 == ops_.size() || ir::writes(ops_.back(), results_);
}

ir::Block Region::withoutTerms() const {
  ir::Block block;
  // A sum of nothing leaves its output as it is; where this is known, nothing else writes it.
  auto isEmpty = [&](const ir::Iterator& i) {
    return builder_.extent(contraction(), i.name).asConstant() == 0;
  };
  if (isAlone() && std::none_of(ops_[0].iterators.begin(), ops_[0].iterators.end(), isEmpty))
    return block;
  if (isAlone()) return only({ops_[0]});
  if (contraction_ + 1 == ops_.size()) return only({ops_[0]});
  if (ir::writes(ops_.back(), results_)) {
    for (const ir::StructuredOp& op : ops_)
      if (&op != &contraction()) block.push_back({op});
    return block;
  }
  for (size_t i = contraction_ + 1; i < ops_.size(); ++i)
    block.push_back({*transforms::inlined(builder_.kernel(), ops_[0], ops_[i])});
  return block;
}

void Region::attach(ir::StructuredOp& op, ir::Block& block) {
  if (isAlone()) return;
  first_ = op.inputs.size();
  firstOf_.clear();
  for (const ir::StructuredOp& member : ops_) {
    firstOf_.push_back(op.inputs.size());
    attachOperands(member, op, block);
  }
  count_ = op.inputs.size() - first_;
  shiftOperands(op, first_, static_cast<int64_t>(count_));
}

void Region::attachOperands(const ir::StructuredOp& member, ir::StructuredOp& op,
                            ir::Block& block) {
  if (&member == &contraction()) return;
  for (size_t i = 0; i < member.operandCount(); ++i) {
    const ir::Operand& operand = member.operand(i);
    if (operand.tensor == results_ || operand.shapeOnly) continue;
    const std::string& name = builder_.kernel().tensors[operand.tensor].name;
    op.inputs.push_back(operand);
    builder_.viewOver(op, op.inputs.size() - 1, transforms::iteratorsOf(operand), name + "_at",
                      block);
  }
}

std::vector<OperandName> Region::attachedNames(const std::vector<OperandName>& own) const {
  std::map<std::string, unsigned> uses;
  for (const OperandName& name : own) ++uses[name.tensor];
  std::vector<OperandName> names;
  for (const ir::StructuredOp& member : ops_)
    for (size_t i = 0; &member != &contraction() && i < member.operandCount(); ++i) {
      const ir::Operand& operand = member.operand(i);
      if (operand.tensor == results_ || operand.shapeOnly) continue;
      const std::string& tensor = builder_.kernel().tensors[operand.tensor].name;
      names.push_back({tensor, uses[tensor]++});
    }
  return names;
}

void Region::keepSums(ir::StructuredOp& op, const ir::Operand& sums) const {
  shiftOperands(op, op.inputs.size(), 1);
  op.inputs.push_back(sums);
}

ir::StructuredOp Region::detached(const ir::StructuredOp& op) const {
  ir::StructuredOp result = op;
  auto all = static_cast<int64_t>(op.inputs.size());
  result.inputs.resize(first_);
  result.early = false;  // its output is a tile that is at hand
  shiftOperands(result, op.inputs.size(), static_cast<int64_t>(first_) - all);
  return result;
}

std::vector<ir::Operand> Region::written(const ir::StructuredOp& op) const {
  std::vector<ir::Operand> result;
  for (size_t i = contraction_ + 1; i < ops_.size(); ++i) {
    ir::StructuredOp reader = memberOf(i, op, op.outputs[0]);
    result.insert(result.end(), reader.outputs.begin(), reader.outputs.end());
  }
  return result.empty() ? op.outputs : result;
}

// The op on a tile: its operands are where `op` has them, and `results`.
ir::StructuredOp Region::memberOf(size_t member, const ir::StructuredOp& op,
                                  const ir::Operand& results) const {
  ir::StructuredOp result = ops_[member];
  result.iterators = op.iterators;
  std::erase_if(result.iterators, isReduction);
  result.axes = op.axes;
  std::erase_if(result.axes, [&](const ir::Axis& axis) {
    return std::none_of(result.iterators.begin(), result.iterators.end(),
                        [&](const ir::Iterator& i) { return i.name == axis.name; });
  });
  size_t next = firstOf_[member];
  for (size_t i = 0; i < result.operandCount(); ++i) {
    ir::Operand& operand = result.operand(i);
    if (operand.shapeOnly) continue;
    operand = operand.tensor == results_ ? results : op.inputs[next++];
  }
  return result;
}

ir::StructuredOp Region::copy(const ir::Operand& from, const ir::Operand& to,
                              const ir::StructuredOp& op) const {
  ir::StructuredOp result;
  for (const ir::Iterator& i : op.iterators)
    if (!isReduction(i)) result.iterators.push_back(i);
  result.inputs = {from};
  result.outputs = {to};
  result.results = {ir::makeValue(builder_.kernel().tensors[from.tensor].type, ir::OperandRef{0})};
  for (const ir::Axis& axis : op.axes)
    for (const ir::Iterator& i : result.iterators)
      if (i.name == axis.name) result.axes.push_back(axis);
  return result;
}

ir::StructuredOp Region::start(const ir::StructuredOp& op, const ir::Operand& results) const {
  return isAlone() ? copy(op.outputs[0], results, op) : memberOf(0, op, results);
}

ir::StructuredOp Region::sum(const ir::StructuredOp& op, const ir::Operand& results) const {
  ir::StructuredOp result = isAlone() ? op : detached(op);
  result.outputs[0] = results;
  return result;
}

std::vector<ir::StructuredOp> Region::readers(const ir::StructuredOp& op,
                                              const ir::Operand& results) const {
  std::vector<ir::StructuredOp> result;
  for (size_t i = contraction_ + 1; i < ops_.size(); ++i)
    result.push_back(memberOf(i, op, results));
  if (isWritten()) result.push_back(copy(results, op.outputs[0], op));
  return result;
}

// Line by line of memory, along the rows of a tile; or of that of the next rows.
ir::Block Region::asked(const ir::StructuredOp& op, const std::vector<ir::Operand>& operands,
                        bool next) const {
  const ir::StructuredOp tile = copy(op.outputs[0], op.outputs[0], op);
  if (tile.axes.size() != 2 || line_ == 0) return {};
  const ir::Axis &rows = tile.axes[0], &columns = tile.axes[1];
  ir::TileLoop loop = transforms::tileLoop(builder_, rows.name, transforms::constant(rows.size),
                                           transforms::constant(1), ir::IteratorKind::Parallel);
  std::set<std::pair<unsigned, std::string>> done;
  for (const ir::Operand& operand : operands) {
    const bool isOfElements =
        !operand.shapeOnly && !operand.pad && operand.map.size() >= 2 &&
        operand.map.back().asIterator() == columns.name &&
        llvm::any_of(operand.map, [&](const auto& index) { return index.mentions(rows.name); });
    if (!isOfElements || !done.emplace(operand.tensor, operand.map.front().str()).second) continue;
    const int64_t line = std::max<int64_t>(
        line_ / ir::info(builder_.kernel().tensors[operand.tensor].type).bytes(), 1);
    for (int64_t column = 0; column < columns.size; column += line) {
      ir::Prefetch soon{operand.tensor, {}};
      for (const affine::Expr& index : operand.map)
        soon.index.push_back(
            index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
              if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
              if (atom.name == rows.name)
                return at(loop.var) + transforms::constant(next ? rows.size : 0);
              if (atom.name == columns.name) return transforms::constant(column);
              return std::nullopt;
            }));
      loop.body.push_back({std::move(soon)});
    }
  }
  return loop.body.empty() ? ir::Block() : only({std::move(loop)});
}

ir::Block Region::tile(const ir::StructuredOp& op, const std::set<size_t>& here, const Terms& terms,
                       const Code& sum, const Code& finish) const {
  if (isAlone()) return sum(op);
  ir::Block block;
  const ir::Tensor whole = builder_.kernel().tensors[results_];
  std::vector<affine::Expr> axes, extents, map;
  std::vector<std::string> dims;
  for (const ir::Axis& axis : copy(op.outputs[0], op.outputs[0], op).axes) {
    axes.push_back(transforms::constant(axis.size));
    extents.push_back(builder_.extent(op, axis.name));
    map.push_back(at(axis.name));
    dims.push_back(axis.name);
  }
  unsigned buffer = builder_.tensor(whole.name + "_tile", whole.type, axes, ir::Role::Local);
  block.push_back({ir::Alloc{buffer, ir::Space::Stack}});
  unsigned part = builder_.tensor(whole.name + "_part", whole.type, extents, ir::Role::View);
  block.push_back({ir::View{part, buffer, dims, map, nullptr}});
  const ir::Operand results{part, map, nullptr};

  bool keeps = op.inputs.size() > first_ + count_;
  const bool isStartHere = contraction_ > 0 && here.count(firstNumber_) != 0;
  ir::Block start =
      only({isStartHere ? memberOf(0, op, results) : copy(op.outputs[0], results, op)});
  ir::Block readers;
  std::vector<ir::Operand> used;  // by readers
  bool isRead = isWritten();      // elsewhere
  for (size_t i = contraction_ + 1; i < ops_.size(); ++i)
    if (here.count(firstNumber_ + i) != 0) {
      const ir::StructuredOp reader = memberOf(i, op, results);
      for (size_t o = 0; o < reader.operandCount(); ++o)
        if (reader.operand(o).tensor != part) used.push_back(reader.operand(o));
      append(readers, finish(reader));
    } else {
      isRead = true;
    }
  if (isRead) append(readers, finish(copy(results, op.outputs[0], op)));
  ir::Block early;
  if (op.early) {
    early = asked(op, used);
    if (keeps && !early.empty()) early = only({ir::If{terms.last, std::move(early), {}}});
    if (keeps) append(early, asked(op, {op.inputs.back()}, /*next=*/true));
  }
  append(block, std::move(early));
  if (keeps) {
    start =
        only({ir::If{terms.first, std::move(start), only({copy(op.inputs.back(), results, op)})}});
    readers =
        only({ir::If{terms.last, std::move(readers), only({copy(results, op.inputs.back(), op)})}});
  }
  append(block, std::move(start));
  append(block, sum(this->sum(op, results)));
  append(block, std::move(readers));
  return block;
}

}  // namespace einc::strategy
