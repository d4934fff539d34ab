// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a tile of the last results of several ops needs of all that lies between: of each op some positions of one iterator,
// and of each tensor some of one dimension, as indices say. Windows need more than their own positions: where tiles follow
// each other, what two of them need is computed twice.
//
//   op (y) outs(%A[y]) { 0.0 }                                                y = 2 * t .. 2 * (t + s - 1) + KH - 1
//   op (y, c: reduction) ins(%I[y, c]) outs(%A[y]) { add(a, i) }              the same
//   op (oh) outs(%O[oh]) { -inf }                                             oh = t .. t + s - 1
//   op (oh, kh: reduction) ins(%A[2 * oh + kh]) outs(%O[oh]) { max(o, a) }    the same: the tile
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::transforms {

// Positions `first` to `end` - 1, over the origin and the size of a tile. Where some may not exist (a window reaches over an
// edge), only those that do: `isCut`.
struct Span {
  affine::Expr first, end;
  bool isCut = false;
  bool operator==(const Span&) const = default;
};
// Of one dimension.
struct SpanOf {
  size_t dim;
  Span span;
  bool operator==(const SpanOf&) const = default;
};

struct Tiles {
  struct Loop {
    std::vector<std::string> names;  // in each op, from needsOf(); before that of the last op alone
    affine::Expr extent;
    affine::Expr tile;  // how many positions
    struct Room {
      affine::Expr each;  // that a position takes of it
      int64_t elements;   // in all
    };
    std::optional<Room> room = {};  // so many more, but no more than there are
    std::optional<ir::Grain> grain = {};
    ir::On on = ir::On::Order;
  };
  std::vector<ir::StructuredOp> ops;  // in their order
  std::vector<Loop> loops;            // the first is outermost
  std::map<unsigned, std::string>
      kept;  // locals that no other op uses: what memory for a tile of one is called

  // In the memory of a workgroup, which is of known sizes: of what is kept, dimension by dimension. Where these conditions do not
  // hold, which say that it is enough, the ops are done as they were.
  std::map<unsigned, std::vector<int64_t>> most = {};
  std::vector<ir::Condition> where = {};
  std::vector<ir::Condition> pays = {};  // those of them without which tiles are right, but slower
  std::vector<ir::StructuredOp> whole = {};  // as they were; empty: the same

  // From needsOf(). Each has one for each loop.
  std::vector<std::vector<Span>> positions = {};        // of the iterators, by ops
  std::map<unsigned, std::vector<SpanOf>> needed = {};  // of what the ops write
  // Of other inputs, by ops and inputs; nothing where the iterator is in no index, or in none that tells.
  std::vector<std::vector<std::vector<std::optional<SpanOf>>>> read = {};
  std::vector<ir::Condition> assumed = {};  // all of this holds if these do
};

// What stands for the origin and the size of the tile of a loop.
affine::Expr originOf(size_t loop);
affine::Expr sizeOf(size_t loop);
// With others in their places.
affine::Expr inTile(const affine::Expr& e, const std::vector<affine::Expr>& origins,
                    const std::vector<affine::Expr>& sizes);

// Finds it; or says why there are no such tiles.
std::optional<Reason> needsOf(const ir::Kernel& kernel, Tiles& tiles);

// The most positions of a span in any tile, where tiles have so many. Of one that is cut there may not be as many.
affine::Expr mostOf(const Span& span, const std::vector<affine::Expr>& sizes);

}  // namespace einc::transforms
