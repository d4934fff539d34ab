// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/sequence.h"

#include <utility>

#include "compiler/ir/verify.h"

namespace einc::pipeline {

void Sequence::run(std::string_view pass, ir::Level from,
                   const std::function<ir::Kernel(const ir::Kernel&)>& transform) {
  runAll(pass, [&](const ir::Module& module) -> Result<ir::Module> {
    ir::Module result;
    for (const ir::Kernel& kernel : module.kernels)
      result.kernels.push_back(kernel.level == from ? transform(kernel) : kernel);
    return result;
  });
}

void Sequence::fail(PassFailure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void Sequence::runAll(std::string_view pass,
                      const std::function<Result<ir::Module>(const ir::Module&)>& transform) {
  using Kind = PassFailure::Kind;
  if (failure_) return;
  auto end = [&](Kind kind, const std::string& reason) {
    fail({kind, std::string(pass), reason, module_});
  };
  auto result = transform(module_);
  if (!result) return end(Kind::Refused, result.reason());
  if (after_) after_(pass, *result);
  auto violations = ir::verify(*result);
  if (violations.empty()) {
    for (const ir::Kernel& kernel : result->kernels)
      if (each_ && kernel.contract)
        if (auto difference = each_->findDifference(kernel)) return end(Kind::Broken, *difference);
    module_ = std::move(*result);
    return;
  }
  // Below the limits of ir/size_limit.h, but with more tiles, copies or parts than they reckon on.
  if (violations.front().rule == ir::Rule::IndexOverflow)
    return end(Kind::Refused,
               "sizes that are known are too large: a number computed from them leaves the range "
               "of 64-bit integers");
  end(Kind::Broken, violations.front().str());
}

}  // namespace einc::pipeline
