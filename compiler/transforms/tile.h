// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One level of tiling, along any iterator, parallel or reduction.
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n])
//               outs(%C[m, n]) { ... }
//   after   tile k0 : k0_size = 0 .. K by 256 reduction {
//             view %A_k0: tensor<M x k0_size x f32> = (m, k) -> %A[m, k0 + k]
//             view %B_k0: tensor<k0_size x N x f32> = (k, n) -> %B[k0 + k, n]
//             op (m: parallel, n: parallel, k: reduction) ins(%A_k0[m, k], %B_k0[k, n])
//                 outs(%C[m, n]) { ... }
//           }
//
// The op inside is the same op on views, so that it may be tiled again, along this iterator, too.
// With step 1 the iterator is gone from it. Order of the iterations of a reduction: tile by tile.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/transforms/builder.h"

namespace einc::transforms {

struct Tiling {
  std::string iterator;
  affine::Expr step;
  std::optional<ir::Grain> grain = {};  // on threads
};

// What is inside the loop, from the op on its tile's views; gets the loop's variable and size.
struct Tile {
  std::string origin, size;
  ir::StructuredOp op;
};
using Inside = std::function<ir::Block(const Tile&)>;

// `op` is canonical (builder.h). Where extent and step are constants and all tiles are whole, the
// views have sizes that are constants, too.
ir::Stmt tile(Builder& builder, const ir::StructuredOp& op, const Tiling& tiling,
              const Inside& inside);

// A loop with new names and nothing in it.
ir::TileLoop tileLoop(Builder& builder, const std::string& wanted, const affine::Expr& extent,
                      const affine::Expr& step, ir::IteratorKind kind);

// What a view calls its dimensions where no iterator gives them a name: d0, d1, ... Loops opened behind that are not called so.
void keepDimensionNames(Builder& builder);

// One dimension of several that stand for an iterator: `name` is its own iterator, `step` how far
// its neighbours are apart.
struct Dimension {
  std::string name;
  affine::Expr extent, step;
};

// Has the payload compute with `position` in place of the iterator's: it is that in the whole op.
void movePositions(ir::StructuredOp& op, const std::string& iterator, const affine::Expr& position);

// The canonical op on part of the positions of `iterator`: those at `first` plus the sum of
// name * step of `dims`, which become iterators of its kind in its place; with no dims that one
// position. Operands become views, called after their bases and `suffix`, which go to `block`.
ir::StructuredOp onPositions(Builder& builder, const ir::StructuredOp& op,
                             const std::string& iterator, const std::vector<Dimension>& dims,
                             const affine::Expr& first, const std::string& suffix,
                             ir::Block& block);

// `whole` on as many of the positions of an iterator with a constant extent as make up steps, then
// `rest` on those that are left, each where there are any; both get how many positions they have.
using OnSome = std::function<ir::Block(const ir::StructuredOp&, int64_t)>;
ir::Block wholeAndRest(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                       int64_t step, const OnSome& whole, const OnSome& rest);

// `together` positions of an iterator at a time, as far apart as there are such groups, then `rest`
// on those that are left, where there are any. `groups` gets the op whose iterator `at` is over the
// groups, and `line`, which may be the name of the iterator itself, over the positions of one.
using OnGroups = std::function<ir::Block(const ir::StructuredOp&, const std::string& at)>;
ir::Block strided(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                  int64_t together, const std::string& line, const OnGroups& groups,
                  const std::function<ir::Block(const ir::StructuredOp&)>& rest);

}  // namespace einc::transforms
