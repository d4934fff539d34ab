// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: sums_rows, n: nc)       sums between tiles of a reduction
//   keep (m: rows) of E              of what ops that share loops leave for each other, just that of a tile
//   keep (c: 16) of E on stack       the same, if it is little: compilers have it in registers
#include <map>
#include <utility>

#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

bool isEnough(const Work& work, const At& here, const std::string& name, const Expr& positions) {
  const Expr extent = work.extent(here, name);
  auto number = positions.asConstant(), known = extent.asConstant();
  auto most = here.most.find(name);
  auto room = here.rooms.find(name);
  return positions == extent || (room != here.rooms.end() && positions == room->second) ||
         (number && known && *known <= *number) ||
         (number && most != here.most.end() && most->second <= *number);
}

std::string tooLittle(const std::string& iterator) {
  return "'" + iterator + "' may have more positions than that: keep (" + iterator + ": " +
         iterator + ")";
}

namespace {

// The same for sums, which are not kept where there is one tile of the reductions: then the least of all
// positions and positions * (tiles - 1) is enough.
bool isEnoughForSums(const Work& work, const At& here, const std::string& name,
                     const Expr& positions, KeptSums& sums) {
  if (isEnough(work, here, name, positions)) return true;
  const Expr extent = work.extent(here, name);
  const std::vector<Expr>* of = here.minima.of(positions);
  if (!of || of->size() != 2) return false;
  for (const Expr& one : *of)
    if (!isEnough(work, here, name, one)) sums.ifSeveral.push_back({extent, one});
  return sums.ifSeveral.size() < 2;
}

ir::Block keepSums(const Work& work, At here, const KeepStep& step) {
  if (here.sums) return work.refuse(here, "sums are kept once");
  if (!here.terms.first.empty())
    return work.refuse(
        here, "sums are kept from one tile of a reduction to the next: 'keep' stands before");
  KeptSums sums;
  std::vector<Expr> shape, map;
  std::vector<std::string> names;
  for (const auto& [iterator, positions] : step.memory) {
    if (!here.find(iterator)) return work.refuse(here, noIterator(here, iterator));
    if (here.isReduction(iterator))
      return work.refuse(here, "'" + iterator + "' is a reduction: sums have none");
    const std::string name = here.actualName(iterator);
    if (llvm::is_contained(names, name))
      return work.refuse(here, "'" + iterator + "' stands twice");
    names.push_back(name);
    auto number = work.number(here, positions);
    if (!number) return work.refuse(here, number.reason());
    if (!isEnoughForSums(work, here, name, *number, sums))
      return work.refuse(here, tooLittle(iterator));
    shape.push_back(*number);
    map.push_back(transforms::at(name));
  }
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel && !llvm::is_contained(names, i.name))
      return work.refuse(here, "sums are there for each '" + i.name + "', too: keep (" + i.name +
                                   ": " + i.name + ")");
  const ir::Tensor results = work.builder.kernel().tensors[here.op.outputs[0].tensor];
  unsigned memory = work.builder.tensor("sums", results.type, std::move(shape), ir::Role::Local);
  const size_t outputs = here.op.outputs.size();
  // There may be more memory than positions.
  std::vector<Expr> extents;
  for (const std::string& name : names) extents.push_back(work.extent(here, name));
  unsigned used =
      work.builder.tensor("sums_here", results.type, std::move(extents), ir::Role::View);
  ir::Block views = transforms::only({ir::View{used, memory, names, map, nullptr}});
  here.region->keepSums(here.op, {used, std::move(map), nullptr});
  here.names.insert(here.names.end() - static_cast<ptrdiff_t>(outputs), OperandName{});
  here.sums = std::move(sums);
  here.contiguous.clear();
  here.wordsInLine.reset();
  here.strided.clear();
  ir::Block block;
  work.take(memory, block);
  transforms::append(block, std::move(views));
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

// Why what ops that share loops leave in a tensor does not stay among them.
std::optional<std::string> cannotStay(const Work& work, const At& here, const std::string& name,
                                      std::optional<unsigned>& tensor,
                                      std::vector<size_t>& inputs) {
  const ir::Kernel& kernel = work.builder.kernel();
  tensor = kernel.findTensor(name);
  if (!tensor || kernel.tensors[*tensor].role != ir::Role::Local)
    return "'" + name + "' is no local of the def";
  inputs = here.shared->operands(*tensor, here.next);
  if (inputs.empty() || inputs.size() != here.shared->operands(*tensor, 0).size() ||
      here.shared->isUsedElsewhere(*tensor))
    return "'" + name + "' is used by other ops than those that are to be done here";
  for (size_t input : inputs)
    if (!here.shared->isAtPosition(input))
      return "'" + name + "' is used beside the positions of the loops, too";
  return std::nullopt;
}

// Of which a tile has one position: it is no iterator any more.
bool isDone(const At& here, const Expr& index) {
  const auto name = index.asIterator();
  return name && here.shared->isShared(*name) &&
         llvm::none_of(here.op.iterators, [&](const auto& i) { return i.name == *name; });
}

// The memory that a step keeps of a tensor: along shared iterators as much as it says, else all. The shape,
// or why not.
Result<std::vector<Expr>> keptShape(const Work& work, const At& here, const KeepStep& step,
                                    const std::vector<Expr>& map, const ir::Tensor& whole) {
  std::vector<Expr> shape;
  for (size_t d = 0; d < map.size(); ++d) {
    const auto name = map[d].asIterator();
    if (isDone(here, map[d])) continue;
    shape.push_back(whole.shape[d]);
    if (!name || !here.shared->isShared(*name)) continue;
    auto found = llvm::find_if(step.memory, [&](const auto& one) { return one.iterator == *name; });
    if (found == step.memory.end())
      return Reason{"how many positions along '" + *name + "' are kept? keep (" + *name + ": " +
                    *name + ") of " + step.tensor};
    auto number = work.number(here, found->positions);
    if (!number) return Reason{number.reason()};
    if (!isEnough(work, here, *name, *number)) return Reason{tooLittle(*name)};
    shape.back() = *number;
  }
  for (const auto& one : step.memory)
    if (!here.find(one.iterator) || !llvm::is_contained(map, transforms::at(one.iterator)))
      return Reason{"'" + step.tensor + "' has no dimension along '" + one.iterator + "' here"};
  return shape;
}

// What an operand, whose indices were `map`, is of the memory.
ir::View partOf(const Work& work, const At& here, const ir::Operand& operand,
                const std::vector<Expr>& map, std::vector<Expr>& extents) {
  ir::View view;
  std::map<std::string, Expr> places;
  for (size_t d = 0; d < operand.map.size(); ++d) {
    const std::string name = *operand.map[d].asIterator();
    view.dims.push_back("d" + std::to_string(d));
    places[name] = transforms::at(view.dims.back());
    extents.push_back(here.shared->isShared(name)
                          ? work.extent(here, name)
                          : work.builder.kernel().tensors[operand.tensor].shape[d]);
  }
  for (const Expr& index : map)
    if (!isDone(here, index))
      view.map.push_back(index.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
        if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
        return places.at(atom.name);
      }));
  return view;
}

std::optional<std::string> notOnStack(ir::ScalarType type, const std::vector<Expr>& shape) {
  Expr bytes = transforms::constant(ir::info(type).bytes());
  for (const Expr& size : shape) bytes = bytes * size;
  const auto known = bytes.asConstant();
  if (!known || bytes.overflowed()) return "on the stack sizes are numbers";
  if (*known < 1 || *known > kMostOnStack)
    return "of 1 to " + std::to_string(kMostOnStack) + " bytes are kept on the stack";
  return std::nullopt;
}

ir::Block keepTensor(const Work& work, At here, const KeepStep& step) {
  std::optional<unsigned> tensor;
  std::vector<size_t> inputs;
  if (auto why = cannotStay(work, here, step.tensor, tensor, inputs))
    return work.refuse(here, *why);
  const ir::Tensor all = work.builder.kernel().tensors[*tensor];
  auto shape = keptShape(work, here, step, here.shared->map(inputs[0]), all);
  if (!shape) return work.refuse(here, shape.reason());
  const bool isOnStack = step.where == KeepStep::Where::Stack;
  if (auto why = isOnStack ? notOnStack(all.type, *shape) : std::nullopt)
    return work.refuse(here, *why);
  const unsigned memory =
      work.builder.tensor(step.tensor + "_block", all.type, std::move(*shape), ir::Role::Local);
  ir::Block block;
  if (isOnStack)
    block.push_back({ir::Alloc{memory, ir::Space::Stack}});
  else
    work.take(memory, block);
  struct Part {
    ir::View view;
    std::vector<Expr> extents;
  };
  std::vector<Part> parts;
  for (size_t input : inputs) {
    ir::Operand& operand = here.op.inputs[input];
    std::vector<Expr> extents;
    ir::View view = partOf(work, here, operand, here.shared->map(input), extents);
    auto same = llvm::find_if(parts, [&](const Part& part) {
      return part.view.map == view.map && part.extents == extents;
    });
    if (same == parts.end()) {
      view.base = memory;
      view.view =
          work.builder.tensor(step.tensor + "_block_part", all.type, extents, ir::Role::View);
      block.push_back({view});
      same = parts.insert(parts.end(), {std::move(view), std::move(extents)});
    }
    operand.tensor = same->view.view;
  }
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace

ir::Block apply(const Work& work, At here, const KeepStep& step) {
  const bool isDevice = work.options.target->device != nullptr;
  if (isDevice) return keepOnDevice(work, std::move(here), step);
  if (step.where == KeepStep::Where::Workgroup)
    return work.refuse(here, std::string(work.options.target->name) +
                                 " has no workgroups: keep (...) of " + step.tensor);
  if (here.shared)
    return step.tensor.empty()
               ? work.refuse(here, "expected what is kept: a local of the def, keep (m: m) of E")
               : keepTensor(work, std::move(here), step);
  if (!step.tensor.empty()) return work.refuse(here, "a tensor is kept for ops that share loops");
  if (!here.region) return work.refuse(here, "sums are kept for ops that are done on their tiles");
  return keepSums(work, std::move(here), step);
}

}  // namespace einc::strategy
