// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/sequence.h"

#include <utility>

#include "compiler/ir/verify.h"

namespace einc::pipeline {

Sequence::Sequence(ir::Module module, AfterPass after, VerifyEach* each)
    : module_(std::move(module)),
      after_(std::move(after)),
      each_(each),
      verifiesEach_(after_ || each) {
  if (!verifiesEach_) first_ = module_;
}

void Sequence::run(std::string_view pass, ir::Level from, OnKernel transform) {
  runAll(pass, [from, transform = std::move(transform)](const ir::Module& module) {
    ir::Module result;
    for (const ir::Kernel& kernel : module.kernels)
      result.kernels.push_back(kernel.level == from ? transform(kernel) : kernel);
    return Result<ir::Module>(std::move(result));
  });
}

void Sequence::runAll(std::string_view name, OnModule transform) {
  if (failure_) return;
  Pass pass{name, std::move(transform)};
  run(pass);
  if (!verifiesEach_) passes_.push_back(std::move(pass));
}

void Sequence::end() {
  if (failure_ || verifiesEach_ || passes_.empty()) return;
  if (ir::verify(module_).empty()) return;
  verifiesEach_ = true;
  module_ = std::move(first_);
  for (const Pass& pass : passes_)
    if (!failure_) run(pass);
}

void Sequence::fail(PassFailure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void Sequence::run(const Pass& pass) {
  auto made = pass.transform(module_);
  if (!made)
    return fail({PassFailure::Kind::Refused, std::string(pass.name), made.reason(), module_});
  if (after_) after_(pass.name, *made);
  if (!verifiesEach_ || isRight(pass.name, *made)) module_ = std::move(*made);
}

// Else the sequence has failed.
bool Sequence::isRight(std::string_view pass, const ir::Module& made) {
  using Kind = PassFailure::Kind;
  auto wrong = [&](Kind kind, const std::string& reason) {
    fail({kind, std::string(pass), reason, module_});
    return false;
  };
  auto violations = ir::verify(made);
  if (violations.empty()) {
    for (const ir::Kernel& kernel : made.kernels)
      if (each_ && kernel.contract)
        if (auto difference = each_->findDifference(kernel))
          return wrong(Kind::Broken, *difference);
    return true;
  }
  // Below the limits of ir/size_limit.h, but with more tiles, copies or parts than they reckon on.
  if (violations.front().rule == ir::Rule::IndexOverflow)
    return wrong(Kind::Refused,
                 "sizes that are known are too large: a number computed from them leaves the range "
                 "of 64-bit integers");
  return wrong(Kind::Broken, violations.front().str());
}

}  // namespace einc::pipeline
