// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How much of a loop makes a thread worth its start. (Estimates are products of sizes: they leave
// the range of int64_t only where no call would ever end.)
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

// `work` iterations to a thread, where each tile has `each`; nothing inside is on threads.
ir::Grain tilesFor(int64_t work, const affine::Expr& each);

// The same where loops inside are on threads, if this one is not.
ir::Grain outerTilesFor(int64_t work, const affine::Expr& each);

// Tiles along an iterator that `threads`, if there are several, share: each gets `work` iterations
// of the op at least. With `outer`, loops over other parallel iterators of the op, which are
// inside, are on threads, if this one is not.
transforms::Tiling amongThreads(const transforms::Builder& builder, int64_t threads,
                                const ir::StructuredOp& op, transforms::Tiling tiling, int64_t work,
                                bool outer = false);

}  // namespace einc::strategy
