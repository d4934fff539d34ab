// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/shared_loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/grain.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::size;

using Member = std::pair<size_t, std::string>;  // an op's iterator

bool isPlain(const ir::StructuredOp& op) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (const Expr& index : op.operand(i).map)
      if (op.operand(i).pad || (!index.asIterator() && index.hasIterators())) return false;
  return true;
}

// Iterators that stand at one dimension of one tensor, or of two that may be the same memory.
class Classes {
 public:
  // `throughInputs`: iterators that stand at one dimension of what is only read are one, too.
  Classes(const ir::Kernel& kernel, const Ops& ops, bool throughInputs)
      : kernel_(kernel), ops_(ops) {
    memory_ = facts::sharedPlaces(kernel_);
    for (size_t i = 0; i < ops.size(); ++i)
      for (size_t o = 0; o < ops[i].operandCount(); ++o) {
        const ir::Operand& operand = ops[i].operand(o);
        uses_[memoryOf(operand.tensor)].push_back({i, &operand});
        if (o >= ops[i].inputs.size()) written_.insert(memoryOf(operand.tensor));
      }
    for (const auto& [tensor, uses] : uses_) {
      if (!throughInputs && written_.count(tensor) == 0) continue;
      for (const Use& use : uses)
        for (size_t d = 0; d < use.operand->map.size(); ++d) {
          auto first = uses.front().operand->map[d].asIterator();
          auto other = use.operand->map[d].asIterator();
          if (first && other) merge({uses.front().op, *first}, {use.op, *other});
        }
    }
  }

  std::vector<std::vector<std::string>> shared() {
    std::vector<std::vector<std::string>> result;
    for (const ir::Iterator& i : ops_.front().iterators) {
      std::vector<std::string> names = namesOf(rootOf({0, i.name}));
      if (!names.empty() && runAlike(names) && areApart(names)) result.push_back(std::move(names));
    }
    return result;
  }

 private:
  struct Use {
    size_t op;
    const ir::Operand* operand;
  };

  unsigned memoryOf(unsigned tensor) const { return memory_[tensor]; }

  Member rootOf(Member member) {
    auto found = parents_.find(member);
    if (found == parents_.end() || found->second == member) return member;
    return found->second = rootOf(found->second);
  }
  void merge(const Member& a, const Member& b) { parents_[rootOf(a)] = rootOf(b); }

  // One parallel iterator of each op; none, where an op has not just one.
  std::vector<std::string> namesOf(const Member& root) {
    std::vector<std::string> result;
    for (size_t op = 0; op < ops_.size(); ++op) {
      size_t before = result.size();
      for (const ir::Iterator& i : ops_[op].iterators) {
        if (rootOf({op, i.name}) != root) continue;
        if (i.kind == ir::IteratorKind::Reduction) return {};
        result.push_back(i.name);
      }
      if (result.size() != before + 1) return {};
    }
    return result;
  }

  bool runAlike(const std::vector<std::string>& names) const {
    auto first = ir::extentOf(kernel_, ops_.front(), names.front());
    for (size_t op = 0; op < ops_.size(); ++op) {
      auto extent = ir::extentOf(kernel_, ops_[op], names[op]);
      if (!extent || extent->extent != first->extent) return false;
    }
    return true;
  }

  // Each access of what is written is at the position of the iterator.
  bool areApart(const std::vector<std::string>& names) const {
    for (const auto& [tensor, uses] : uses_) {
      if (written_.count(tensor) == 0) continue;
      const std::vector<Expr>& map = uses.front().operand->map;
      size_t dim = 0;
      while (dim < map.size() && map[dim].asIterator() != names[uses.front().op]) ++dim;
      if (dim == map.size()) return false;
      for (const Use& use : uses)
        if (use.operand->map[dim].asIterator() != names[use.op]) return false;
    }
    return true;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  std::map<unsigned, std::vector<Use>> uses_;
  std::set<unsigned> written_;
  std::map<Member, Member> parents_;
  std::vector<unsigned> memory_;  // of each tensor: one of those that share it
};

using Each = std::function<ir::Block(const ir::StructuredOp&)>;
using Alone = std::function<ir::Block()>;

// The loops, from the outermost on, and what is in them.
class Blocks {
 public:
  Blocks(transforms::Builder& builder, Ops ops, const ScheduleOptions& options)
      : builder_(builder), ops_(std::move(ops)), options_(options) {}

  ir::Block run(const Each& each, const Alone& alone) {
    classes_ = sharedIterators(builder_.kernel(), ops_);
    chooseLoops();
    findCarried();
    if (options_.threads == 1) return inBlocks(each);
    ir::If test = fewAndLarge();
    for (const auto& [tensor, buffer] : carried_) test.then.push_back({ir::Alloc{tensor}});
    transforms::append(test.then, alone());
    test.otherwise = inBlocks(each);
    return transforms::only({std::move(test)});
  }

 private:
  const target::Numbers& numbers() const { return options_.target->numbers; }

  ir::If fewAndLarge() const {
    Expr positions = constant(1);
    for (size_t at = 0; at < loops_; ++at)
      positions = positions * builder_.extent(ops_[0], classes_[at][0]);
    using Kind = ir::Condition::Kind;
    return {{{Kind::Less, positions, constant(options_.threads)},
             {Kind::Less, constant(numbers().largePosition), elementsPerPosition()}},
            {},
            {}};
  }

  ir::Block inBlocks(const Each& each) {
    ir::Block block;
    for (ir::StructuredOp& op : ops_) transforms::canonicalize(builder_, op, block);
    for (size_t at = 0; at < loops_; ++at)
      extents_.push_back(builder_.extent(ops_[0], classes_[at][0]));
    Expr perPosition = elementsPerPosition();
    std::string rows = builder_.name("rows");
    Expr fewest = constant(fewestRows());
    ir::Bound bound{
        rows,
        {extents_.back(),
         constant(numbers().blockElements).floorDiv(perPosition + constant(1)) + fewest}};
    if (options_.threads > 1)  // so that each gets some
      bound.of.push_back(extents_.back().ceilDiv(constant(options_.threads) * fewest) * fewest);
    block.push_back({std::move(bound)});
    rows_ = size(rows);
    makeBuffers();
    if (options_.threads == 1) transforms::append(block, allocs());
    transforms::append(block, loop(0, perPosition, each));
    return block;
  }

  // Where the ops have all their iterators in common, the last one is left to each of them.
  void chooseLoops() {
    bool all = std::all_of(ops_.begin(), ops_.end(), [&](const ir::StructuredOp& op) {
      return op.iterators.size() == classes_.size();
    });
    loops_ = all && classes_.size() > 1 ? classes_.size() - 1 : classes_.size();
  }

  size_t classOf(size_t op, const std::string& iterator) const {
    size_t found = 0;
    while (found < classes_.size() && classes_[found][op] != iterator) ++found;
    return found;
  }

  // Local tensors that are not used elsewhere.
  void findCarried() {
    std::map<unsigned, size_t> users;
    auto count = [&](const ir::StructuredOp& op, size_t by) {
      std::set<unsigned> own;
      for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
      for (unsigned tensor : own) users[tensor] += by;
    };
    ir::forEachOp(builder_.kernel().body, [&](const ir::StructuredOp& op) { count(op, 1); });
    for (const ir::StructuredOp& op : ops_) count(op, static_cast<size_t>(-1));
    for (const auto& [tensor, others] : users)
      if (others == 0 && builder_.kernel().tensors[tensor].role == ir::Role::Local &&
          isDistinct(tensor))
        carried_[tensor] = {};
  }
  bool isDistinct(unsigned tensor) const {
    return std::all_of(ops_.begin(), ops_.end(), [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        const ir::Operand& operand = op.operand(i);
        bool distinct = transforms::iteratorsOf(operand).size() == operand.map.size();
        if (operand.tensor == tensor && (!distinct || operand.shapeOnly)) return false;
      }
      return true;
    });
  }

  int64_t fewestRows() const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const std::vector<Expr>& map = ops_[op].operand(i).map;
        if (map.size() > 1 && map.back().asIterator() == classes_[loops_ - 1][op])
          return numbers().fewestNeighbours;
      }
    return 1;
  }

  // What is read and written for each position of the loops.
  Expr elementsPerPosition() const {
    Expr sum;
    std::set<unsigned> seen;
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const ir::Operand& operand = ops_[op].operand(i);
        if (!seen.insert(operand.tensor).second) continue;
        Expr elements = constant(1);
        for (const std::string& iterator : transforms::iteratorsOf(operand))
          if (classOf(op, iterator) >= loops_)
            elements = elements * builder_.extent(ops_[op], iterator);
        sum = sum + elements;
      }
    return sum;
  }

  // A buffer has the dimensions of its tensor, but for those of loops, whose last has a block.
  void makeBuffers() {
    for (auto& [tensor, buffer] : carried_) {
      const ir::Tensor whole = builder_.kernel().tensors[tensor];
      for (size_t op = 0; op < ops_.size(); ++op)
        for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
          ir::Operand& operand = ops_[op].operand(i);
          if (operand.tensor != tensor) continue;
          std::vector<Expr> map, shape;
          buffer.rows = 0;
          for (size_t d = 0; d < operand.map.size(); ++d) {
            size_t loop = classOf(op, *operand.map[d].asIterator());
            if (loop + 1 < loops_) continue;
            if (loop + 1 == loops_) buffer.rows = map.size();
            shape.push_back(loop + 1 == loops_ ? rows_ : whole.shape[d]);
            map.push_back(operand.map[d]);
          }
          if (!buffer.memory)
            buffer.memory =
                builder_.tensor(whole.name + "_block", whole.type, shape, ir::Role::Local);
          operand.tensor = *buffer.memory;
          operand.map = std::move(map);
          places_.push_back({op, i, std::exchange(operand.map, {})});
        }
    }
  }

  ir::Block allocs() const {
    ir::Block block;
    for (const auto& [tensor, buffer] : carried_)
      block.push_back({ir::Alloc{*buffer.memory, ir::Space::Heap}});
    return block;
  }

  ir::Block loop(size_t at, const Expr& perPosition, const Each& each) {
    bool last = at + 1 == loops_;
    const std::string origin = builder_.name(classes_[at][0] + "0");
    ir::TileLoop loop{origin,
                      builder_.name(origin + "_size"),
                      extents_[at],
                      last ? rows_ : constant(1),
                      ir::IteratorKind::Parallel,
                      {},
                      {}};
    if (options_.threads > 1) loop.grain = grain(at, perPosition);
    Ops outside = ops_;
    for (size_t op = 0; op < ops_.size(); ++op) {
      std::vector<transforms::Dimension> dims;
      if (last) dims.push_back({classes_[at][op], size(loop.size), constant(1)});
      ops_[op] = transforms::onPositions(builder_, ops_[op], classes_[at][op], dims,
                                         transforms::at(origin), "_" + origin, loop.body);
    }
    transforms::append(loop.body,
                       last ? inside(loop.size, each) : this->loop(at + 1, perPosition, each));
    ops_ = std::move(outside);
    return transforms::only({std::move(loop)});
  }

  ir::Grain grain(size_t at, const Expr& perPosition) const {
    if (at + 1 == loops_) return tilesFor(numbers().elementsPerThread, perPosition * rows_);
    Expr each = perPosition;
    for (size_t inner = at + 1; inner < loops_; ++inner) each = each * extents_[inner];
    return outerTilesFor(numbers().elementsPerThread, each);
  }

  ir::Block inside(const std::string& length, const Each& each) {
    ir::Block block;
    if (options_.threads > 1) block = allocs();
    std::map<unsigned, unsigned> views;
    for (const auto& [tensor, buffer] : carried_) {
      const ir::Tensor memory = builder_.kernel().tensors[*buffer.memory];
      ir::View view{0, *buffer.memory, {}, {}, nullptr};
      std::vector<Expr> shape = memory.shape;
      shape[buffer.rows] = size(length);
      for (size_t d = 0; d < shape.size(); ++d) {
        view.dims.push_back("d" + std::to_string(d));
        view.map.push_back(transforms::at(view.dims.back()));
      }
      view.view = builder_.tensor(memory.name + "_part", memory.type, shape, ir::Role::View);
      views[*buffer.memory] = view.view;
      block.push_back({std::move(view)});
    }
    for (const Place& place : places_) {
      ir::Operand& operand = ops_[place.op].operand(place.operand);
      operand.tensor = views.at(operand.tensor);
      operand.map = place.map;
    }
    for (const ir::StructuredOp& op : ops_) transforms::append(block, each(op));
    return block;
  }

  struct Buffer {
    std::optional<unsigned> memory;
    size_t rows = 0;  // the dimension that has a block
  };
  // Where a buffer is used; it has no index until its block is known.
  struct Place {
    size_t op, operand;
    std::vector<Expr> map;
  };

  transforms::Builder& builder_;
  Ops ops_;
  const ScheduleOptions& options_;
  std::vector<std::vector<std::string>> classes_;
  size_t loops_ = 0;
  std::map<unsigned, Buffer> carried_;
  std::vector<Place> places_;
  std::vector<Expr> extents_;  // of the loops
  Expr rows_;
};

}  // namespace

std::vector<std::vector<std::string>> sharedIterators(const ir::Kernel& kernel, const Ops& ops) {
  if (!std::all_of(ops.begin(), ops.end(), isPlain)) return {};
  return Classes(kernel, ops, /*throughInputs=*/true).shared();
}

std::vector<std::vector<std::string>> sharedPositions(const ir::Kernel& kernel, const Ops& ops) {
  return Classes(kernel, ops, /*throughInputs=*/false).shared();
}

ir::Block inBlocks(transforms::Builder& builder, const Ops& ops, const ScheduleOptions& options,
                   const Each& each, const Alone& alone) {
  return Blocks(builder, ops, options).run(each, alone);
}

}  // namespace einc::strategy
