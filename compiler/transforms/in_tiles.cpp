// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/in_tiles.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::StructuredOp;

constexpr size_t kMostTerms = 2;

class Maker {
 public:
  Maker(Builder& builder, const Tiles& tiles)
      : builder_(builder), tiles_(tiles), signs_(builder.kernel()) {
    keepDimensionNames(builder);
    for (const Tiles::Loop& loop : tiles.loops) open(loop);
    for (const auto& [tensor, name] : tiles.kept) keep(tensor, name);
  }

  ir::Block run() {
    ir::Block ops;
    for (size_t op = 0; op < tiles_.ops.size(); ++op) ops.push_back({here(op)});
    ir::Block body = std::move(bounds_);
    append(body, std::move(views_));
    append(body, std::move(ops));
    for (size_t loop = loops_.size(); loop-- > 0;) {
      loops_[loop].body = std::move(body);
      body = only({std::move(loops_[loop])});
    }
    std::vector<ir::Condition> conditions = tiles_.assumed;
    conditions.insert(conditions.end(), tiles_.where.begin(), tiles_.where.end());
    if (auto several = areSeveral()) conditions.push_back(*several);
    if (!conditions.empty()) {
      ir::Block whole;
      for (const StructuredOp& op : tiles_.whole.empty() ? tiles_.ops : tiles_.whole)
        whole.push_back({op});
      body = only({ir::If{std::move(conditions), std::move(body), std::move(whole)}});
    }
    append(steps_, std::move(body));
    return std::move(steps_);
  }

 private:
  // Where a span is in this tile, and how much of it there is.
  struct Place {
    Expr first, count;
  };

  ir::Kernel& kernel() { return builder_.kernel(); }

  // Where there is room for all, one tile is all that there is to be done.
  std::optional<ir::Condition> areSeveral() const {
    if (llvm::none_of(tiles_.loops, [](const Tiles::Loop& loop) { return loop.room.has_value(); }))
      return std::nullopt;
    Expr tile = constant(1), all = constant(1);
    for (size_t loop = 0; loop < loops_.size(); ++loop) {
      tile = tile * wholeSizes_[loop];
      all = all * tiles_.loops[loop].extent;
    }
    return ir::Condition{ir::Condition::Kind::Less, tile, all};
  }

  void open(const Tiles::Loop& loop) {
    const std::string& name = loop.names.back();
    Expr step = loop.tile;
    if (loop.room) {
      // Never less than one, so that it can be divided by.
      Expr each = loop.room->each;
      if (!signs_.isNonNegative(each - constant(1)))
        each = -bound("minus_" + name + "_elements", {constant(-1), -each}, steps_);
      step = bound(name + "_tile",
                   {loop.extent, loop.tile + constant(loop.room->elements).floorDiv(each)}, steps_);
    }
    ir::TileLoop made =
        tileLoop(builder_, loop.names.back() + "0", loop.extent, step, ir::IteratorKind::Parallel);
    made.grain = loop.grain;
    made.on = loop.on;
    const auto extent = loop.extent.asConstant(), known = step.asConstant();
    const bool isWhole = extent && known && *extent % *known == 0;
    // A workgroup's tile of one position has no loop over it.
    const bool isOne = ir::isOnWorkgroups(loop.on) && known == 1;
    origins_.push_back(at(made.var));
    sizes_.push_back(isWhole || isOne ? step : size(made.size));
    wholeSizes_.push_back(step);
    loops_.push_back(std::move(made));
  }
  Expr bound(const std::string& wanted, std::vector<Expr> of, ir::Block& block) {
    const std::string name = builder_.name(wanted);
    block.push_back({ir::Bound{name, std::move(of)}});
    signs_.enter(std::get<ir::Bound>(block.back().node));
    return size(name);
  }

  // Memory for what a tile needs.
  void keep(unsigned tensor, const std::string& name) {
    const ir::Tensor whole = kernel().tensors[tensor];
    std::vector<Expr> shape = whole.shape;
    auto most = tiles_.most.find(tensor);
    if (most != tiles_.most.end())
      llvm::transform(most->second, shape.begin(), constant);
    else
      for (const SpanOf& part : tiles_.needed.at(tensor))
        shape[part.dim] = mostOf(part.span, whole.shape[part.dim], name);
    kept_[tensor] = builder_.tensor(name, whole.type, std::move(shape), ir::Role::Local);
  }

  // Never more than there are in all, and, where there is nothing to be done, not less than none.
  Expr mostOf(const Span& span, const Expr& all, const std::string& name) {
    Expr most = transforms::mostOf(span, wholeSizes_);
    if (span.isCut) most = leastOf(most, all, name + "_most");
    return notNegative(most, "minus_" + name);
  }
  Expr leastOf(const Expr& a, const Expr& b, const std::string& name) {
    const auto one = a.asConstant(), other = b.asConstant();
    return one && other ? constant(std::min(*one, *other)) : bound(name, {a, b}, steps_);
  }
  Expr notNegative(const Expr& e, const std::string& name) {
    if (auto known = e.asConstant()) return constant(std::max<int64_t>(*known, 0));
    return signs_.isNonNegative(e) ? e : -bound(name, {constant(0), -e}, steps_);
  }

  // Of so many positions in all.
  Place placeOf(const Span& span, const Expr& all) {
    const Expr first = inTile(span.first, origins_, sizes_),
               end = inTile(span.end, origins_, sizes_);
    if (!span.isCut) return {first, counted(end - first)};
    for (const auto& [of, place] : cut_)
      if (of == std::array{first, end, all}) return place;
    // The most of two is not the least of those with other signs.
    const Expr begin = -bound("before", {constant(0), -first}, bounds_);
    const Expr last = bound("end", {all, end}, bounds_);
    const Expr missing = bound("missing", {constant(0), begin - last}, bounds_);
    const Place place{
        begin, bound("positions", {transforms::mostOf(span, wholeSizes_), -missing}, bounds_)};
    cut_.emplace_back(std::array{first, end, all}, place);
    return place;
  }

  // What is of many terms gets a name.
  Expr counted(const Expr& count) {
    if (count.terms().size() <= kMostTerms) return count;
    for (const auto& [of, symbol] : counts_)
      if (of == count) return symbol;
    counts_.emplace_back(count, signs_.isNonNegative(count)
                                    ? bound("positions", {count}, bounds_)
                                    : -bound("minus_positions", {constant(0), -count}, bounds_));
    return counts_.back().second;
  }

  // As much of a tensor as these spans have.
  unsigned partOf(unsigned tensor, const std::vector<std::optional<SpanOf>>& spans) {
    const bool isKept = kept_.count(tensor) != 0;
    ir::View view{0, isKept ? kept_.at(tensor) : tensor, {}, {}, nullptr};
    const ir::Tensor base = kernel().tensors[view.base];
    std::vector<Expr> shape = kernel().tensors[tensor].shape;  // there may be memory for more
    for (size_t d = 0; d < shape.size(); ++d) {
      view.dims.push_back("d" + std::to_string(d));
      view.map.push_back(at(view.dims.back()));
    }
    for (size_t loop = 0; loop < spans.size(); ++loop) {
      if (!spans[loop]) continue;
      const auto& [dim, span] = *spans[loop];
      const Expr all = kernel().tensors[tensor].shape[dim];
      const Place place = placeOf(span, all);
      shape[dim] = place.count;
      // Of several ops each sees what it reads itself: how far it goes is where its iterators end.
      const Expr from = isKept ? placeOf(tiles_.needed.at(tensor)[loop].span, all).first : Expr();
      view.map[dim] = view.map[dim] + place.first - from;
    }
    if (shape == base.shape && !movesIn(view)) return view.base;
    for (const auto& [known, part] : parts_)
      if (known.base == view.base && known.map == view.map && kernel().tensors[part].shape == shape)
        return part;
    const unsigned part = view.view =
        builder_.tensor(base.name + "_here", base.type, std::move(shape), ir::Role::View);
    parts_.emplace_back(view, part);
    views_.push_back({std::move(view)});
    return part;
  }

  static bool movesIn(const ir::View& view) {
    for (size_t d = 0; d < view.dims.size(); ++d)
      if (view.map[d] != at(view.dims[d])) return true;
    return false;
  }

  // The iterators at their places in the tile, which are over loops; or by names.
  Expr moved(size_t op, const Expr& e) {
    return moved(op, e, [](const Expr& first) { return first; });
  }
  Expr movedBy(size_t op, const Expr& e) {
    return moved(op, e, [&](const Expr& first) { return offset(first); });
  }
  Expr moved(size_t op, const Expr& e, const std::function<Expr(const Expr&)>& place) {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      for (size_t loop = 0; loop < tiles_.loops.size(); ++loop)
        if (tiles_.loops[loop].names[op] == atom.name)
          return at(atom.name) + place(firstOf(op, loop));
      return std::nullopt;
    });
  }
  Expr offset(const Expr& e) {
    if (!e.hasIterators()) return e;
    for (const auto& [of, symbol] : offsets_)
      if (of == e) return symbol;
    offsets_.emplace_back(e, bound("offset", {e}, bounds_));
    return offsets_.back().second;
  }
  Expr firstOf(size_t op, size_t loop) {
    const unsigned output = tiles_.ops[op].outputs[0].tensor;
    const size_t dim = tiles_.needed.at(output)[loop].dim;
    return placeOf(tiles_.positions[op][loop], kernel().tensors[output].shape[dim]).first;
  }

  ir::Operand here(size_t op, const ir::Operand& operand,
                   const std::vector<std::optional<SpanOf>>& spans) {
    ir::Operand result = operand;
    result.tensor = partOf(operand.tensor, spans);
    for (size_t d = 0; d < result.map.size(); ++d) {
      Expr shift = moved(op, operand.map[d]) - operand.map[d];
      bool isPart = false;
      for (const auto& span : spans)
        if (span && span->dim == d) {
          shift = shift - placeOf(span->span, kernel().tensors[operand.tensor].shape[d]).first;
          isPart = true;
        }
      // Nothing but its own iterators stands in an op.
      result.map[d] = isPart || !shift.hasIterators() ? operand.map[d] + offset(shift)
                                                      : movedBy(op, operand.map[d]);
    }
    return result;
  }

  StructuredOp here(size_t number) {
    StructuredOp op = tiles_.ops[number];
    for (size_t i = 0; i < op.inputs.size(); ++i)
      op.inputs[i] = here(number, op.inputs[i], tiles_.read[number][i]);
    for (ir::Operand& output : op.outputs) {
      std::vector<std::optional<SpanOf>> spans;
      for (const SpanOf& part : tiles_.needed.at(output.tensor)) spans.emplace_back(part);
      output = here(number, output, spans);
    }
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* index = std::get_if<ir::IndexRef>(&value->node);
        return index ? ir::makeValue(value->type, ir::IndexRef{moved(number, index->index)})
                     : nullptr;
      });
    return op;
  }

  Builder& builder_;
  const Tiles& tiles_;
  facts::Signs signs_;
  std::vector<ir::TileLoop> loops_;
  std::vector<Expr> origins_, sizes_, wholeSizes_;  // by loops; those of whole tiles
  std::map<unsigned, unsigned> kept_;               // memory for a tile, by tensors
  std::vector<std::pair<std::array<Expr, 3>, Place>> cut_;
  std::vector<std::pair<Expr, Expr>> counts_, offsets_;  // and their names
  std::vector<std::pair<ir::View, unsigned>> parts_;
  ir::Block steps_, bounds_, views_;
};

}  // namespace

ir::Block inTiles(Builder& builder, const Tiles& tiles) { return Maker(builder, tiles).run(); }

}  // namespace einc::transforms
