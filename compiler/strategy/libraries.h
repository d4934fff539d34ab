// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which libraries are asked for an op: what is set for it, else what is asked for all ops, else
// what the model expects to be faster. (On tiles of an op, see the step `call`.)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/library_rule.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/report.h"
#include "compiler/strategy/settings.h"
#include "compiler/support/result.h"
#include "compiler/transforms/map_to_library.h"

namespace einc::strategy {

// Nothing if the text is none of library_rule.h.
std::optional<std::vector<ir::LibraryRule>> parseRules(const std::string& text);

// What is asked for all ops: `options.library`, or what "auto" stands for; empty: none.
std::string defaultLibrary(const ScheduleOptions& options);
// The settings `library` of ops; where there is none, that.
transforms::LibraryRules libraryRules(const ScheduleOptions& options, const std::string& kernel);

// A call, and those in its place where it is not made, the first one first; without their bodies.
std::vector<ir::LibraryCall> inOrder(const ir::LibraryCall& call);
// The same with this body, one in the place of the other.
ir::Block inTurn(std::vector<ir::LibraryCall> calls, ir::Block body);

// "first cblas is asked: gemm, m = {m}, n = {n}, k = {k}"
std::string callText(const ir::LibraryCall& call, bool isFirst);
// Whether a library of `options.library` has a function for the op; and why none is asked.
bool mayBeCalled(const ir::Kernel& kernel, const ir::StructuredOp& op,
                 const ScheduleOptions& options);
std::string notCalledText(const ir::Kernel& kernel, const ir::StructuredOp& op,
                          const ScheduleOptions& options);
// What is said of an op that a function of the user's own computes: there is nothing to choose.
OpReport externalReport(const ir::Kernel& kernel, const ir::StructuredOp& op, unsigned number,
                        const ir::ExternalCall& call, const target::Target& target,
                        OpSettings& settings);
// Why the op cannot have rules that are set for it.
std::optional<Reason> findImpossible(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const std::vector<ir::LibraryRule>& rules);

}  // namespace einc::strategy
