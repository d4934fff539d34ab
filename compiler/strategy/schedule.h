// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each op of a kernel, by what kind of op it is (DESIGN §4): the pass from level
// buffers to level tiled.
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/target/target.h"

namespace einc::strategy {

ir::Kernel schedule(const ir::Kernel& kernel, const target::Target& target);

}  // namespace einc::strategy
