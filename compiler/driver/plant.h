// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For tests of the tests: what a bug in a pass would make of its result. The IR keeps its rules,
// and means something else.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::driver {

// "in-simplify", ...: one for each pass of the pipeline.
std::vector<std::string> passPlants();

// Does to all kernels what the plant says, if it is for this pass.
void plantIn(const std::string& plant, std::string_view pass, ir::Module& module);

// "in-step-tile", ...: one for each verb of schedules.
std::vector<std::string> stepPlants();

// Does to the code that a step has made what the plant says, if it is for that verb.
void plantInStep(const std::string& plant, const strategy::Step& step, ir::Block& code);

}  // namespace einc::driver
