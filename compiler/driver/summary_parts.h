// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The parts of a summary (summary.h).
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/target/target.h"

namespace einc::driver {

// "a product: rows m, columns n, terms k", "windows along 'oh', 'ow'", "the largest along 'n'", "a map".
std::string kindText(const ir::Kernel& kernel, const ir::StructuredOp& op);
// What it writes: "C(m, n)".
std::string resultText(const ir::Kernel& kernel, const ir::StructuredOp& op);
// Of a form that says nothing itself.
std::string formText(const std::string& strategy);

// Locals of which ops that share loops keep a block.
std::vector<std::string> keptIn(const strategy::Decision& decision);

// What steps pack, convert, copy, and for which instructions; "" if nothing.
std::string stepsText(const strategy::Decision& decision,
                      const std::vector<std::string>& instructions);

// How many dispatches a call is, which takes one way of several: "1 dispatch", "1 to 6 dispatches"; "" if none.
std::string dispatchesText(const ir::Block& code);

// Operations and bytes of all ops, and what limits them, with units; how to get figures, where sizes are open.
std::string workText(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops,
                     const target::Target& target);

}  // namespace einc::driver
