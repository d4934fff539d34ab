// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ir_text.h"

#include <functional>

#include "compiler/driver/schedules.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/verify.h"
#include "compiler/pipeline/printable.h"
#include "compiler/pipeline/verify_each.h"
#include "compiler/strategy/options.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// At the name of each kernel, what is wrong with it.
int refuse(const ir::Module& module, const Loaded& loaded,
           const std::function<std::optional<Reason>(const ir::Kernel&)>& why) {
  int code = kSuccess;
  for (const ir::Kernel& kernel : module.kernels) {
    auto reason = why(kernel);
    if (!reason) continue;
    Diagnostics errors(*loaded.sources.at(kernel.name));
    errors.error(Diag::IrLevel, kernel.source, reason->text);
    errors.print(llvm::errs());
    code = kBadInput;
  }
  return code;
}

}  // namespace

std::optional<ir::Module> readModule(const SourceFile& source, Diagnostics& errors) {
  auto module = ir::parse(source, errors);
  if (module)
    for (const ir::Violation& violation : ir::verify(*module))
      errors.error(Diag::IrRule, violation.where, violation.str());
  return errors.hasErrors() ? std::nullopt : std::move(module);
}

int refuseBelow(ir::Level level, const std::string& what, const ir::Module& module,
                const Loaded& loaded) {
  return refuse(module, loaded, [&](const ir::Kernel& kernel) -> std::optional<Reason> {
    if (kernel.level <= level) return std::nullopt;
    return Reason{"@" + kernel.name + " is at level " + std::string(ir::nameOf(kernel.level)) +
                  ", and " + what + " is made of kernels at level " +
                  std::string(ir::nameOf(level)) +
                  (level == ir::Level::Tensors ? "" : " or above")};
  });
}

int refuseInstructions(const ir::Module& module, const Loaded& loaded, const std::string& what) {
  return refuse(module, loaded, [&](const ir::Kernel& kernel) -> std::optional<Reason> {
    const ir::Instruction* instruction = ir::instructionIn(kernel);
    if (!instruction) return std::nullopt;
    return Reason{"@" + kernel.name + " has the instruction " + std::string(instruction->name) +
                  ", which " + what + " cannot say"};
  });
}

int refuseUnprintable(const ir::Module& module, const Loaded& loaded, const CodeOptions& wanted) {
  std::vector<strategy::ScheduleOptions> options;
  for (const target::Target* target : wanted.targets)
    options.push_back(scheduleOptions(wanted, target, {}));
  int code = refuse(module, loaded, [&](const ir::Kernel& kernel) -> std::optional<Reason> {
    for (const strategy::ScheduleOptions& on : options)
      if (auto reason = pipeline::findUnprintable(kernel, on)) return reason;
    return std::nullopt;
  });
  return code || !wanted.each ? code : refuseDifferent(loaded);
}

int refuseDifferent(const Loaded& loaded) {
  pipeline::VerifyEach each;
  return refuse(loaded.module, loaded, [&](const ir::Kernel& kernel) -> std::optional<Reason> {
    if (!kernel.contract) return std::nullopt;
    auto difference = each.findDifference(kernel);
    if (!difference) return std::nullopt;
    return Reason{"it gives something else than its contract: " + *difference};
  });
}

}  // namespace einc::driver
