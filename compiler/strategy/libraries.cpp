// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/libraries.h"

#include <algorithm>

#include "compiler/ir/domain.h"
#include "compiler/ir/print.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// What stands for all libraries where one is not named: cblas has every function.
std::string nameOf(const std::string& library) { return library == "auto" ? "cblas" : library; }

// Without vectors the generated kernel computes one element at a time, which no BLAS does.
bool expectsLibrary(const target::Target& target) { return target.vectorBytes == 0; }

bool hasSteps(const ScheduleOptions& options, const std::string& kernel, unsigned op) {
  return llvm::any_of(options.settings, [&](const Setting& setting) {
    if (setting.kernel != kernel) return false;
    return (setting.name == kSteps && setting.op == op) ||
           (setting.name == kRegion && setting.op <= op && op <= setting.last);
  });
}

bool hasIterator(const ir::StructuredOp& op, const std::string& name) {
  return std::any_of(op.iterators.begin(), op.iterators.end(),
                     [&](const ir::Iterator& i) { return i.name == name; });
}

}  // namespace

std::optional<std::vector<ir::LibraryRule>> parseRules(const std::string& text) {
  SourceFile source("library", text);
  Diagnostics errors(source);
  ir::TokenStream in(source, errors);
  std::vector<ir::LibraryRule> rules = ir::parseLibraryRules(in);
  if (in.failed() || in.token().kind != ir::TokenKind::End) return std::nullopt;
  return rules;
}

std::string defaultLibrary(const ScheduleOptions& options) {
  bool none = options.library == "auto" && !expectsLibrary(*options.target);
  return none ? "" : nameOf(options.library);
}

transforms::LibraryRules libraryRules(const ScheduleOptions& options, const std::string& kernel) {
  return [&options, kernel](unsigned op) -> std::vector<ir::LibraryRule> {
    if (hasSteps(options, kernel, op)) return {};  // which say themselves what is called
    for (const Setting& setting : options.settings)
      if (setting.kernel == kernel && setting.op == op && setting.name == "library")
        if (auto rules = parseRules(setting.value)) return *rules;
    std::string library = defaultLibrary(options);
    return library.empty() ? std::vector<ir::LibraryRule>{}
                           : std::vector{ir::LibraryRule{library, {}}};
  };
}

std::vector<ir::LibraryCall> inOrder(const ir::LibraryCall& call) {
  std::vector<ir::LibraryCall> result;
  for (auto* next = &call; next;
       next = next->body.size() == 1 ? std::get_if<ir::LibraryCall>(&next->body[0].node) : nullptr)
    result.push_back(*next);
  for (ir::LibraryCall& one : result) one.body.clear();
  return result;
}

ir::Block inTurn(std::vector<ir::LibraryCall> calls, ir::Block body) {
  for (size_t i = calls.size(); i-- > 0;) {
    calls[i].body = std::move(body);
    body = transforms::only({std::move(calls[i])});
  }
  return body;
}

std::string callText(const ir::LibraryCall& call, bool isFirst) {
  std::string text = (isFirst ? "first " : "else ") + call.library + " is asked" +
                     whereText(call.where) + ": " + std::string(ir::info(call.function).name);
  size_t inside = 0;
  for (const ir::LibraryCall::Letter& letter : call.letters) {
    text += ", " + groupText(std::string(1, letter.name), letter.iterators);
    inside += letter.iterators.size();
  }
  return text + (inside < call.op.iterators.size() ? ", in loops over what is left" : "");
}

bool mayBeCalled(const ir::Kernel& kernel, const ir::StructuredOp& op,
                 const ScheduleOptions& options) {
  return static_cast<bool>(transforms::libraryCall(kernel, op, nameOf(options.library)));
}

std::string notCalledText(const ir::Kernel& kernel, const ir::StructuredOp& op,
                          const ScheduleOptions& options) {
  auto call = transforms::libraryCall(kernel, op, nameOf(options.library));
  std::string library = options.library == "auto" ? "a library" : options.library;
  std::string text = "no call of " + library + ": ";
  if (!call) return text + call.reason();
  if (options.library == "auto" && !expectsLibrary(*options.target))
    return text + "this target has vectors, with which the generated kernel is expected to be as " +
           "fast as " + std::string(ir::info(call->function).name) + "; einc tune measures it";
  return text + "it is done together with other ops";
}

OpReport externalReport(const ir::Kernel& kernel, const ir::StructuredOp& op, unsigned number,
                        const ir::ExternalCall& call, const target::Target& target,
                        OpSettings& settings) {
  OpReport report{op.source, ir::printStatement(kernel, {op}), "external", {}, {}};
  if (settings.text("strategy").value_or("external") != "external")
    settings.refuse("strategy", "'" + call.function + "' computes the op: write 'op " +
                                    std::to_string(number) + " external'");
  auto given = settings.text(kLibraryCall);
  if (given) report.settings = {{kLibraryCall, call.function}};
  if (given && *given != call.function)
    settings.refuse(kLibraryCall, "all of the def is computed by '" + call.function + "'");
  report.lines = limitsOf(kernel, op, target);
  report.lines.insert(report.lines.begin(),
                      "computed by '" + call.function + "', a function of the user's own");
  return report;
}

std::optional<Reason> findImpossible(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const std::vector<ir::LibraryRule>& rules) {
  for (const ir::LibraryRule& rule : rules) {
    auto call = transforms::libraryCall(kernel, op, rule.library);
    if (!call) return Reason{"no call of " + rule.library + ": " + call.reason()};
    for (const ir::Where& where : rule.where)
      for (const std::string& name : where.iterators)
        if (!hasIterator(op, name)) {
          std::vector<std::string> known = ir::iteratorNames(op);
          return Reason{"the op has no iterator '" + name + "'" + didYouMean(name, known) +
                        "; it has " + joined(known)};
        }
  }
  return std::nullopt;
}

}  // namespace einc::strategy
