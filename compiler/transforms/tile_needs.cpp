// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/tile_needs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/ir/shape.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::StructuredOp;

// No name of a spec has a blank.
std::string originName(size_t loop) { return "origin " + std::to_string(loop); }
std::string sizeName(size_t loop) { return "size " + std::to_string(loop); }

class Finder {
 public:
  Finder(const ir::Kernel& kernel, Tiles& tiles) : kernel_(kernel), signs_(kernel), tiles_(tiles) {}

  std::optional<Reason> run() {
    for (const StructuredOp& op : tiles_.ops)
      for (const ir::Operand& output : op.outputs) written_.insert(output.tensor);
    tiles_.positions.assign(tiles_.ops.size(), {});
    tiles_.read.assign(tiles_.ops.size(), {});
    for (size_t op = tiles_.ops.size(); op-- > 0;) {
      if (auto why = findPositions(op)) return why;
      if (auto why = findReads(op)) return why;
    }
    return checkSizes();
  }

 private:
  std::string nameOf(unsigned tensor) const { return "'" + kernel_.tensors[tensor].name + "'"; }
  bool isKept(unsigned tensor) const { return tiles_.kept.count(tensor) != 0; }
  static Span wholeTile(size_t loop) { return {originOf(loop), originOf(loop) + sizeOf(loop)}; }

  // ---- Of iterators, from results ----

  std::optional<Reason> findPositions(size_t number) {
    const StructuredOp& op = tiles_.ops[number];
    if (number + 1 == tiles_.ops.size())
      if (auto why = begin(op)) return why;
    for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
      std::string& name = tiles_.loops[loop].names[number];
      std::optional<Span> positions;
      for (const ir::Operand& output : op.outputs) {
        auto needed = tiles_.needed.find(output.tensor);
        if (needed == tiles_.needed.end())
          return Reason{"no tile of " + nameOf(output.tensor) + " is needed"};
        const SpanOf& part = needed->second[loop];
        const auto own = output.map[part.dim].asIterator();
        if (!own || !ir::isParallel(op, *own) || mentions(output, *own) != 1)
          return Reason{nameOf(output.tensor) + " is not written position by position"};
        if (positions && (name != *own || *positions != part.span))
          return Reason{"results of one op are needed at different positions"};
        name = *own;
        positions = part.span;
        const auto extent = ir::extentOf(kernel_, op, name);
        if (!extent || extent->extent != kernel_.tensors[output.tensor].shape[part.dim])
          return Reason{nameOf(output.tensor) + " may have more positions than are written"};
        // Others see all of it: tiles have to make all of it.
        if (!isKept(output.tensor) && extent->extent != tiles_.loops[loop].extent)
          return Reason{nameOf(output.tensor) + " is used elsewhere, too"};
      }
      if (!isAlone(loop, number)) return Reason{"an iterator is that of several tiles"};
      tiles_.positions[number].push_back(*positions);
    }
    return std::nullopt;
  }
  // The last op's results are the tile.
  std::optional<Reason> begin(const StructuredOp& op) {
    for (const ir::Operand& output : op.outputs) {
      if (isKept(output.tensor)) return Reason{"nothing reads " + nameOf(output.tensor)};
      std::vector<SpanOf>& needed = tiles_.needed[output.tensor];
      for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
        auto dim = llvm::find(output.map, at(tiles_.loops[loop].names.back()));
        if (dim == output.map.end()) return Reason{"results do not move along the tiles"};
        needed.push_back({static_cast<size_t>(dim - output.map.begin()), wholeTile(loop)});
      }
    }
    return std::nullopt;
  }
  bool isAlone(size_t loop, size_t number) const {
    for (size_t other = 0; other < loop; ++other)
      if (tiles_.loops[other].names[number] == tiles_.loops[loop].names[number]) return false;
    return true;
  }
  static long mentions(const ir::Operand& operand, const std::string& name) {
    return llvm::count_if(operand.map, [&](const Expr& index) { return index.mentions(name); });
  }

  // ---- Of tensors, from what reads them ----

  std::optional<Reason> findReads(size_t number) {
    const StructuredOp& op = tiles_.ops[number];
    for (const ir::Operand& input : op.inputs) {
      const bool isOwn = written_.count(input.tensor) != 0;
      if (isOwn && isWrittenFrom(number, input.tensor))
        return Reason{nameOf(input.tensor) + " is read before it is complete"};
      std::vector<std::optional<SpanOf>> read;
      for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
        read.push_back(readOf(number, input, loop));
        if (isOwn && !read.back())
          return Reason{"a tile of " + nameOf(input.tensor) + " is not enough"};
      }
      if (isOwn)
        if (auto why = need(input.tensor, read)) return why;
      tiles_.read[number].push_back(std::move(read));
    }
    return std::nullopt;
  }
  bool isWrittenFrom(size_t number, unsigned tensor) const {
    for (size_t op = number; op < tiles_.ops.size(); ++op)
      if (ir::writes(tiles_.ops[op], tensor)) return true;
    return false;
  }

  // What of an operand the op reads in its tile.
  std::optional<SpanOf> readOf(size_t number, const ir::Operand& operand, size_t loop) {
    const std::string& name = tiles_.loops[loop].names[number];
    if (mentions(operand, name) != 1) return std::nullopt;
    const auto dim =
        llvm::find_if(operand.map, [&](const Expr& index) { return index.mentions(name); });
    const auto linear = dim->asLinear();
    if (!linear) return std::nullopt;
    const Span& own = tiles_.positions[number][loop];
    std::vector<ir::Condition> assumed;
    Expr first = linear->rest, last = linear->rest;
    int windows = 0;  // a window of nothing needs one position less than one of one; not of two
    for (const Expr::Linear::Part& part : linear->parts) {
      for (size_t other = 0; other < tiles_.loops.size(); ++other)
        if (other != loop && tiles_.loops[other].names[number] == part.iterator)
          return std::nullopt;
      Expr low, high = own.end - constant(1);
      if (part.iterator == name) {
        low = own.first;
      } else {
        const auto extent = ir::extentOf(kernel_, tiles_.ops[number], part.iterator);
        if (!extent) return std::nullopt;
        high = extent->extent - constant(1);
        if (part.coefficient != constant(1) || ++windows > 1)
          atLeast(constant(1), extent->extent, assumed);
      }
      if (signs_.of(part.coefficient) == facts::Sign::NotPositive) {
        if (part.iterator == name) return std::nullopt;
        std::swap(low, high);
      } else {
        atLeast(constant(0), part.coefficient, assumed);
      }
      first = first + part.coefficient * low;
      last = last + part.coefficient * high;
    }
    addAssumed(std::move(assumed));
    const Span span{first, last + constant(1)};
    const size_t at = static_cast<size_t>(dim - operand.map.begin());
    const bool mayLeave = operand.pad && !isInside(span, kernel_.tensors[operand.tensor].shape[at]);
    return SpanOf{at, {span.first, span.end, own.isCut || mayLeave}};
  }
  // Of all tiles.
  bool isInside(const Span& span, const Expr& all) const {
    const auto [first, end] = ofAllTiles(span);
    return signs_.isNonNegative(first) && signs_.isNonNegative(all - end);
  }
  // Where the first tile begins, and the last one ends.
  std::pair<Expr, Expr> ofAllTiles(const Span& span) const {
    std::vector<Expr> origins(tiles_.loops.size()), sizes;
    for (const Tiles::Loop& one : tiles_.loops) sizes.push_back(one.extent);
    return {inTile(span.first, origins, sizes), inTile(span.end, origins, sizes)};
  }
  void atLeast(const Expr& least, const Expr& e, std::vector<ir::Condition>& assumed) const {
    if (!signs_.isNonNegative(e - least))
      assumed.push_back({ir::Condition::Kind::LessEqual, least, e});
  }

  // One more op reads the tensor.
  std::optional<Reason> need(unsigned tensor, const std::vector<std::optional<SpanOf>>& read) {
    auto [known, isNew] = tiles_.needed.try_emplace(tensor);
    for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
      const SpanOf& part = *read[loop];
      if (!isKept(tensor) && part.span != wholeTile(loop))
        return Reason{nameOf(tensor) + " is used elsewhere, too"};
      const auto [begin, last] = ofAllTiles(part.span);
      if (signs_.isNonNegative(begin - kernel_.tensors[tensor].shape[part.dim]) ||
          signs_.isNonNegative(-last))
        return Reason{"nothing of " + nameOf(tensor) + " is read"};
      if (isNew) {
        known->second.push_back(part);
        continue;
      }
      SpanOf& all = known->second[loop];
      if (all.dim != part.dim) return Reason{nameOf(tensor) + " is read along several dimensions"};
      const auto first = leastOf(all.span.first, part.span.first);
      const auto end = leastOf(-all.span.end, -part.span.end);
      if (!first || !end) return Reason{nameOf(tensor) + " is read in different ways"};
      all.span = {*first, -*end, all.span.isCut || part.span.isCut};
    }
    return std::nullopt;
  }
  std::optional<Expr> leastOf(const Expr& a, const Expr& b) const {
    if (signs_.isNonNegative(b - a)) return a;
    if (signs_.isNonNegative(a - b)) return b;
    return std::nullopt;
  }

  // All tiles need as much, and no more than there is: an op that has nothing to do may be written for any indices.
  std::optional<Reason> checkSizes() {
    for (const auto& [tensor, parts] : tiles_.needed)
      for (size_t loop = 0; loop < parts.size(); ++loop) {
        const auto& [dim, span] = parts[loop];
        if ((span.end - span.first).hasIterators())
          return Reason{"tiles need more and more of " + nameOf(tensor)};
        if (span.isCut) continue;
        const auto [first, end] = ofAllTiles(span);
        assume(constant(0), first);
        assume(end, kernel_.tensors[tensor].shape[dim]);
      }
    return std::nullopt;
  }
  void assume(const Expr& least, const Expr& e) {
    std::vector<ir::Condition> conditions;
    atLeast(least, e, conditions);
    addAssumed(std::move(conditions));
  }
  void addAssumed(std::vector<ir::Condition> conditions) {
    for (ir::Condition& condition : conditions)
      if (!llvm::is_contained(tiles_.assumed, condition))
        tiles_.assumed.push_back(std::move(condition));
  }

  const ir::Kernel& kernel_;
  const facts::Signs signs_;
  Tiles& tiles_;
  std::set<unsigned> written_;
};

}  // namespace

Expr originOf(size_t loop) { return at(originName(loop)); }
Expr sizeOf(size_t loop) { return size(sizeName(loop)); }

Expr inTile(const Expr& e, const std::vector<Expr>& origins, const std::vector<Expr>& sizes) {
  return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    for (size_t loop = 0; loop < sizes.size(); ++loop) {
      if (loop < origins.size() && atom.name == originName(loop)) return origins[loop];
      if (atom.name == sizeName(loop)) return sizes[loop];
    }
    return std::nullopt;
  });
}

std::optional<Reason> needsOf(const ir::Kernel& kernel, Tiles& tiles) {
  return Finder(kernel, tiles).run();
}

Expr mostOf(const Span& span, const std::vector<Expr>& sizes) {
  return inTile(span.end - span.first, {}, sizes);
}

}  // namespace einc::transforms
