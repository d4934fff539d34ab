// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/find_tiles.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/contract.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"
#include "compiler/strategy/fusion/only_where.h"
#include "compiler/strategy/fusion/tiles_in_group.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/reuse.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::Tiles;

constexpr int64_t kMostInTile = int64_t{1} << 30;
// Windows over what windows made: with each, more is computed twice.
constexpr int kMostWindows = 2;
// What is computed twice is at most one of so many parts.
constexpr int64_t kSharedParts = 4;

class Finder {
 public:
  Finder(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options)
      : kernel_(kernel),
        ops_(ops),
        device_(options.target->device),
        contract_(ir::contractOf(kernel)) {}

  std::optional<FoundTiles> find(size_t begin, const ScheduleOptions& options,
                                 std::vector<RoundsReport>& why) const {
    for (size_t op = begin; op < ops_.size(); ++op)
      if (auto first = firstOfWindows(begin, op))
        if (auto found = around(begin, *first, op, options, why)) return found;
    return std::nullopt;
  }

  // Those ops, in tiles of the last one's iterators that have a step.
  Result<FoundTiles> of(size_t first, size_t last,
                        const std::vector<std::string>& iterators) const {
    FoundTiles found{first, {}};
    Tiles& tiles = found.tiles;
    tiles.ops = {ops_.begin() + static_cast<std::ptrdiff_t>(first),
                 ops_.begin() + static_cast<std::ptrdiff_t>(last + 1)};
    for (const std::string& name : iterators) {
      const auto extent = ir::extentOf(kernel_, ops_[last], name);
      if (!extent || !ir::isParallel(ops_[last], name))
        return Reason{"'" + name + "' is no loop over results"};
      Tiles::Loop loop{std::vector<std::string>(tiles.ops.size()), extent->extent, {}};
      loop.names.back() = name;
      tiles.loops.push_back(std::move(loop));
    }
    addKept(found);
    if (device_ != nullptr) shareMemory(tiles);
    for (const ir::StructuredOp& op : tiles.ops)
      for (const ir::Operand& output : op.outputs)
        if (isWrittenBeside(first, last, output.tensor))
          return Reason{"'" + kernel_.tensors[output.tensor].name + "' is written by others, too"};
    if (tiles.kept.empty()) return Reason{"nothing of these is for each other alone"};
    if (auto reason = mayBeOverwritten(tiles)) return *reason;
    if (auto reason = transforms::needsOf(kernel_, tiles)) return *reason;
    return found;
  }

 private:
  // The first of the ops that make what an op reads in windows; nothing where it does not, or does so much with each element
  // that it hardly matters where it comes from.
  std::optional<size_t> firstOfWindows(size_t begin, size_t op) const {
    for (const ir::Operand& input : ops_[op].inputs) {
      if (input.shapeOnly || !movesAlong(input) ||
          kernel_.tensors[input.tensor].role != ir::Role::Local)
        continue;
      // What lay-out has made, it has made for all of the op.
      if (input.tensor >= contract_->tensors.size()) continue;
      std::optional<size_t> first;
      bool isDense = hasTiles(kernel_, ops_[op]);
      for (size_t before = begin; before < op; ++before)
        if (ir::writes(ops_[before], input.tensor)) {
          isDense &= hasTiles(kernel_, ops_[before]) || !ir::reduces(ops_[before]);
          if (!first) first = before;
        }
      if (first && !isDense) return first;
    }
    return std::nullopt;
  }

  // With as many ops before and behind it as can be.
  std::optional<FoundTiles> around(size_t begin, size_t first, size_t op,
                                   const ScheduleOptions& options,
                                   std::vector<RoundsReport>& why) const {
    const size_t from = makersOf(begin, first, op), to = readersOf(from, op);
    std::optional<Reason> reason;
    for (size_t start = from; start <= first; ++start) {
      if (finishesProduct(start)) continue;
      for (size_t last = to; last >= op; --last) {
        auto found = plain(start, last, options);
        if (found) return std::move(*found);
        if (!reason) reason = Reason{found.reason()};
      }
    }
    if (reason) why.push_back({first, op, {}, reason->text, /*inTiles=*/true});
    return std::nullopt;
  }
  // Whether the op is done on the register tiles of a contraction, as long as both stand in the same block: all between them are.
  bool finishesProduct(size_t op) const {
    if (ir::reduces(ops_[op])) return false;
    return llvm::any_of(ops_[op].inputs, [&](const ir::Operand& input) {
      if (input.shapeOnly || movesAlong(input) || !ir::isLocalAlone(kernel_, input.tensor))
        return false;
      size_t before = op;
      while (before > 0 && ir::readsElementsOf(ops_[before], input.tensor)) --before;
      return ir::writes(ops_[before], input.tensor) && hasTiles(kernel_, ops_[before]);
    });
  }
  // What makes inputs of these may stand before them.
  size_t makersOf(size_t begin, size_t first, size_t last) const {
    while (first > begin && isMadeFor(first - 1, first, last)) --first;
    return first;
  }
  bool isMadeFor(size_t maker, size_t first, size_t last) const {
    for (size_t op = first; op <= last; ++op)
      if (llvm::any_of(ops_[maker].outputs, [&](const ir::Operand& output) {
            return ir::uses(ops_[op], output.tensor);
          }))
        return true;
    return false;
  }
  // The last op that reads what these make, or what such ops make; all between have to do with it.
  size_t readersOf(size_t first, size_t last) const {
    std::set<unsigned> made;
    for (size_t op = first; op < ops_.size(); ++op) {
      const bool isIn = op <= last || llvm::any_of(made, [&](unsigned tensor) {
                          return ir::readsElementsOf(ops_[op], tensor);
                        });
      if (isIn) last = std::max(last, op);
      for (const ir::Operand& output : ops_[op].outputs)
        if (isIn && kernel_.tensors[output.tensor].role == ir::Role::Local)
          made.insert(output.tensor);
      if (!isIn && ir::reduces(ops_[op])) break;
    }
    return last;
  }

  // Locals that these alone use.
  void addKept(FoundTiles& found) const {
    const std::vector<ir::StructuredOp>& ops = found.tiles.ops;
    for (const ir::StructuredOp& op : ops)
      for (const ir::Operand& output : op.outputs) {
        if (kernel_.tensors[output.tensor].role != ir::Role::Local) continue;
        if (!isUsedBeside(ops, output.tensor))
          found.tiles.kept.emplace(output.tensor, kernel_.tensors[output.tensor].name);
      }
  }

  // A workgroup has little: what is computed element by element takes the place of what it is computed from.
  void shareMemory(Tiles& tiles) const {
    tiles.whole = tiles.ops;
    transforms::reuse(
        kernel_, tiles.ops,
        {[&](unsigned tensor) {
           return tiles.kept.count(tensor) != 0 && transforms::isOverwritten(tiles.ops, tensor);
         },
         [](size_t) { return true; }, [&](unsigned tensor) { tiles.kept.erase(tensor); }});
  }

  bool isUsedBeside(const Ops& ops, unsigned tensor) const {
    long users = ir::viewedIn(kernel_.body).count(tensor) != 0 ? 1 : 0;
    ir::forEachOp(kernel_.body,
                  [&](const ir::StructuredOp& op) { users += ir::uses(op, tensor) ? 1 : 0; });
    return users !=
           llvm::count_if(ops, [&](const ir::StructuredOp& op) { return ir::uses(op, tensor); });
  }

  // A sum begins with what another op has written: both are done together.
  bool isWrittenBeside(size_t first, size_t last, unsigned tensor) const {
    for (size_t op = 0; op < ops_.size(); ++op)
      if ((op < first || op > last) && ir::writes(ops_[op], tensor)) return true;
    return false;
  }

  // A tile's results may be in the place of inputs that the next one reads. (Who writes them reads at the same positions.)
  std::optional<Reason> mayBeOverwritten(const Tiles& tiles) const {
    for (const ir::StructuredOp& op : tiles.ops)
      for (const ir::Operand& output : op.outputs)
        for (const ir::StructuredOp& other : tiles.ops)
          for (const ir::Operand& input : other.inputs)
            if (!input.shapeOnly && kernel_.tensors[input.tensor].role == ir::Role::Input &&
                kernel_.tensors[output.tensor].role == ir::Role::Output &&
                facts::mayShareMemory(*contract_, output.tensor, input.tensor) &&
                !ir::writes(other, output.tensor))
              return Reason{"'" + kernel_.tensors[input.tensor].name + "' may be overwritten by '" +
                            kernel_.tensors[output.tensor].name + "', and is read again"};
    return std::nullopt;
  }

  // ---- By the model ----

  // Tiles of the outermost iterator along which windows move, and of those outside of it.
  Result<FoundTiles> plain(size_t first, size_t last, const ScheduleOptions& options) const {
    if (windowsIn(first, last) > kMostWindows)
      return Reason{"with each window more would be computed twice"};
    if (device_ != nullptr) return inGroup(first, last);
    std::vector<std::string> iterators;
    std::vector<std::pair<std::string, Tiles>> outside;
    std::optional<Reason> reason;
    for (const ir::Iterator& iterator : ops_[last].iterators) {
      const auto extent = ir::extentOf(kernel_, ops_[last], iterator.name);
      const bool isSingle = extent && extent->extent == constant(1);
      if (iterator.kind != ir::IteratorKind::Parallel || isSingle) continue;
      auto alone = of(first, last, {iterator.name});
      if (!alone) {
        if (!reason) reason = Reason{alone.reason()};
        continue;
      }
      const bool isWindow = hasWindows(alone->tiles);
      outside.push_back({iterator.name, std::move(alone->tiles)});
      if (!isWindow) continue;
      for (const auto& [name, tiles] : outside)
        if (name == iterator.name || keepsRows(tiles, outside.back().second))
          iterators.push_back(name);
      auto found = of(first, last, iterators);
      if (found)
        if (auto why = sizeTiles(found->tiles, options)) return *why;
      return found;
    }
    return reason ? *reason : Reason{"windows do not move along a loop over the last op's results"};
  }
  // Of a workgroup: of all iterators that may have tiles.
  Result<FoundTiles> inGroup(size_t first, size_t last) const {
    std::vector<std::string> iterators;
    std::optional<FoundTiles> best;
    std::optional<Reason> reason;
    for (const ir::Iterator& iterator : ops_[last].iterators) {
      if (iterator.kind != ir::IteratorKind::Parallel) continue;
      iterators.push_back(iterator.name);
      auto found = of(first, last, iterators);
      if (found) {
        best = std::move(*found);
      } else {
        iterators.pop_back();
        if (!reason) reason = Reason{found.reason()};
      }
    }
    if (!best || !hasWindows(best->tiles))
      return reason ? *reason
                    : Reason{"windows do not move along a loop over the last op's results"};
    for (Tiles::Loop& loop : best->tiles.loops) loop.on = ir::On::WorkgroupsX;
    if (auto why = sizeInGroup(kernel_, best->tiles, *device_)) return *why;
    return std::move(*best);
  }
  int windowsIn(size_t first, size_t last) const {
    int count = 0;
    for (size_t op = first; op <= last; ++op)
      count += llvm::any_of(ops_[op].inputs, [&](const ir::Operand& input) {
        bool isMade = false;
        for (size_t before = first; before < op; ++before)
          isMade |= ir::writes(ops_[before], input.tensor);
        return isMade && movesAlong(input);
      });
    return count;
  }
  static bool hasWindows(const Tiles& tiles) {
    return llvm::any_of(tiles.needed, [&](const auto& needed) {
      for (size_t loop = 0; loop < tiles.loops.size(); ++loop)
        if (needed.second[loop].span !=
            transforms::Span{transforms::originOf(loop),
                             transforms::originOf(loop) + transforms::sizeOf(loop)})
          return true;
      return false;
    });
  }

  // Whether tiles of one loop leave contractions their rows and columns, of which another loop leaves some, too.
  bool keepsRows(const Tiles& tiles, const Tiles& windows) const {
    for (size_t op = 0; op < tiles.ops.size(); ++op) {
      if (!hasTiles(kernel_, tiles.ops[op])) continue;
      const Groups groups = *contractionGroups(kernel_, tiles.ops[op]);
      const std::string &own = tiles.loops[0].names[op], &other = windows.loops[0].names[op];
      for (const std::vector<std::string>* side : {&groups.m, &groups.n})
        if (llvm::is_contained(*side, own) && !llvm::is_contained(*side, other)) return false;
    }
    return true;
  }

  // So many that what one op leaves for the next is in the second cache; or why there are none.
  std::optional<Reason> sizeTiles(Tiles& tiles, const ScheduleOptions& options) const {
    const target::Numbers& numbers = options.target->numbers;
    const size_t inner = tiles.loops.size() - 1;
    std::vector<Expr> one(tiles.loops.size(), constant(1)), two = one;
    two[inner] = constant(2);
    Expr row;  // elements for one more position of the innermost loop
    int64_t bytes = 1, least = 1;
    for (const auto& [tensor, name] : tiles.kept) {
      if (!staysInMemory(tiles, tensor)) continue;
      Expr elements = constant(1);
      std::vector<Expr> shape = kernel_.tensors[tensor].shape;
      const std::vector<transforms::SpanOf>& needed = tiles.needed.at(tensor);
      for (size_t loop = 0; loop <= inner; ++loop)
        shape[needed[loop].dim] =
            transforms::mostOf(needed[loop].span, two) - transforms::mostOf(needed[loop].span, one);
      least = std::max(
          least, leastFor(transforms::mostOf(needed[inner].span, one), shape[needed[inner].dim]));
      for (size_t loop = 0; loop < inner; ++loop) shape[needed[loop].dim] = constant(1);
      for (const Expr& size : shape) elements = elements * size;
      row = row + elements;
      bytes = std::max<int64_t>(bytes, ir::info(kernel_.tensors[tensor].type).bytes());
    }
    const bool multiplies =
        llvm::any_of(tiles.ops, [&](const auto& op) { return hasTiles(kernel_, op); });
    const int64_t eighths = multiplies ? numbers.productTiles : numbers.windowTiles;
    const int64_t room = options.target->l2.bytes * eighths / 8 / bytes;
    bool isAll = true;
    for (size_t loop = inner + 1; loop-- > 0;) {
      Tiles::Loop& own = tiles.loops[loop];
      setTile(own, room, row, loop == inner ? least : 1, options.threads);
      row = row * own.extent;
      isAll &= own.tile == own.extent;
    }
    if (isAll) return Reason{"all that they leave for each other stays in the second cache"};
    return shareOut(tiles, options);
  }
  // So many positions that no more than a part of what is needed for them is needed for others, too: `first` is needed for
  // one, `each` more for each.
  static int64_t leastFor(const Expr& first, const Expr& each) {
    const auto all = first.asConstant(), own = each.asConstant();
    return all && own && *own > 0 ? std::max<int64_t>(kSharedParts * ((*all - 1) / *own), 1) : 1;
  }
  static void setTile(Tiles::Loop& loop, int64_t room, const Expr& row, int64_t least,
                      int64_t threads) {
    const auto extent = loop.extent.asConstant(), each = row.asConstant();
    loop.tile = constant(least);
    if (!each) {
      loop.room = {row + constant(1), room};
      return;
    }
    if (!extent) {
      loop.tile =
          constant(std::clamp<int64_t>(room / std::max<int64_t>(*each, 1), least, kMostInTile));
      return;
    }
    int64_t count = std::clamp<int64_t>(room / std::max<int64_t>(*each, 1), least,
                                        std::max<int64_t>(*extent, least));
    if (threads > 1) count = std::clamp<int64_t>(*extent / (2 * threads), least, count);
    const int64_t tiles = std::max<int64_t>((*extent + count - 1) / count, 1);
    loop.tile = constant(std::max<int64_t>((*extent + tiles - 1) / tiles, 1));
  }

 public:
  // Tiles of sizes that a user has said.
  std::optional<Reason> done(Tiles& tiles, const ScheduleOptions& options) const {
    if (device_ == nullptr) return shareOut(tiles, options);
    for (Tiles::Loop& loop : tiles.loops) {
      loop.on = ir::On::WorkgroupsX;
      if (loop.room)
        return Reason{"a workgroup's tiles are of a known size: tile " + loop.names.back() +
                      " by 8"};
    }
    auto why = fitInGroup(kernel_, tiles, *device_);
    if (why) why->text += ": expected smaller tiles, or tiles of more loops";
    return why;
  }

  // Tiles on threads; or why they cannot be.
  std::optional<Reason> shareOut(Tiles& tiles, const ScheduleOptions& options) const {
    if (options.threads == 1) return std::nullopt;
    if (!areKnown(tiles))
      return Reason{
          "sizes are not known, and threads take memory of sizes that are known before their "
          "loops"};
    const int64_t work = options.target->numbers.elementsPerThread;
    const ir::Operand& output = tiles.ops.back().outputs[0];
    Expr inside = constant(1);
    for (size_t d = 0; d < output.map.size(); ++d)
      if (!isOfLoop(tiles, output.map[d]))
        inside = inside * kernel_.tensors[output.tensor].shape[d];
    for (size_t i = tiles.loops.size(); i-- > 0;) {
      inside = inside * tiles.loops[i].tile;
      tiles.loops[i].grain =
          i + 1 == tiles.loops.size() ? tilesFor(work, inside) : outerTilesFor(work, inside);
    }
    return std::nullopt;
  }

 private:
  bool areKnown(const Tiles& tiles) const {
    auto isKnown = [](const Expr& e) { return e.asConstant().has_value(); };
    return llvm::all_of(
               tiles.loops,
               [&](const Tiles::Loop& loop) { return isKnown(loop.extent) && !loop.room; }) &&
           llvm::all_of(tiles.kept, [&](const auto& kept) {
             return llvm::all_of(kernel_.tensors[kept.first].shape, isKnown);
           });
  }
  static bool isOfLoop(const Tiles& tiles, const Expr& index) {
    return llvm::any_of(tiles.loops,
                        [&](const Tiles::Loop& loop) { return index.mentions(loop.names.back()); });
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const target::Device* device_;                      // null: a CPU
  const std::shared_ptr<const ir::Kernel> contract_;  // what the spec says
};

// As the model's are printed: 8, or 8 + 131072 floordiv (F * OW)
bool read(const ir::Kernel& kernel, const Expr& by, Tiles::Loop& loop) {
  const std::vector<std::string> sizes = kernel.sizeSymbols();
  auto isKnown = [&](const std::string& symbol) {
    auto attribute = kernel.attributeOf(symbol);
    return attribute ? ir::info(kernel.attributes[attribute->attribute].type).isInteger()
                     : llvm::is_contained(sizes, symbol);
  };
  if (by.hasIterators() || !llvm::all_of(by.symbols(), isKnown)) return false;
  Expr least;
  loop.room.reset();
  for (const affine::Term& term : by.terms()) {
    const bool isRoom = term.coefficient == 1 && term.factors.size() == 1 &&
                        term.factors[0].kind == affine::Atom::Kind::FloorDiv;
    const auto elements = isRoom ? term.factors[0].div->dividend.asConstant() : std::nullopt;
    if (elements && *elements > 0 && !loop.room)
      loop.room = {term.factors[0].div->divisor, *elements};
    else
      least = least + Expr::term(term);
  }
  loop.tile = least;
  return least.asConstant() && *least.asConstant() >= 1 && *least.asConstant() <= kMostInTile;
}

}  // namespace

bool staysInMemory(const Tiles& tiles, unsigned tensor) {
  return llvm::any_of(tiles.ops, [&](const ir::StructuredOp& op) {
    return ir::readsElementsOf(op, tensor) &&
           (ir::reduces(op) || llvm::any_of(op.inputs, [&](const ir::Operand& input) {
              return input.tensor == tensor && movesAlong(input);
            }));
  });
}

std::optional<FoundTiles> findTiles(const ir::Kernel& kernel, const Ops& ops, size_t begin,
                                    const ScheduleOptions& options,
                                    std::vector<RoundsReport>& why) {
  return Finder(kernel, ops, options).find(begin, options, why);
}

Result<FoundTiles> tilesOf(const ir::Kernel& kernel, const Ops& ops, size_t first, size_t last,
                           const Steps& all, const ScheduleOptions& options) {
  const bool isOnDevice = options.target->device != nullptr;
  const Result<AskedTiles> asked = isOnDevice ? askedTiles(kernel, all) : AskedTiles{{}, all};
  if (!asked) return Reason{asked.reason()};
  const Steps& steps = asked->tiles;
  std::vector<std::string> iterators;
  std::vector<Tiles::Loop> loops(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    auto* tile = std::get_if<TileStep>(&steps[i].node);
    if (!tile || !read(kernel, tile->by, loops[i]))
      return Reason{"expected tiles of 1 to " + std::to_string(kMostInTile) +
                    " positions: tile y by 8"};
    iterators.push_back(tile->iterator);
  }
  const Finder finder(kernel, ops, options);
  auto found = finder.of(first, last, iterators);
  for (size_t i = 0; found && i < loops.size(); ++i) {
    found->tiles.loops[i].tile = loops[i].tile;
    found->tiles.loops[i].room = loops[i].room;
  }
  if (found)
    if (auto why = finder.done(found->tiles, options)) return *why;
  if (found) {
    found->tiles.pays = asked->where;
    llvm::append_range(found->tiles.where, asked->where);
  }
  return found;
}

}  // namespace einc::strategy
