// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/sequence.h"

#include <utility>

#include "compiler/ir/verify.h"
#include "compiler/pipeline/verify_each.h"

namespace einc::pipeline {

Sequence::Sequence(const ir::Module& module, AfterPass after, VerifyEach* each)
    : first_(module), after_(std::move(after)), each_(each), verifiesEach_(after_ || each) {}

void Sequence::run(std::string_view pass, ir::Level from, OnKernel transform) {
  begin({pass, from, std::move(transform), nullptr});
}

void Sequence::runAll(std::string_view pass, OnModule transform) {
  begin({pass, {}, nullptr, std::move(transform)});
}

void Sequence::begin(Pass pass) {
  if (failure_) return;
  run(pass);
  if (!verifiesEach_) passes_.push_back(std::move(pass));
}

void Sequence::end() {
  if (failure_ || verifiesEach_ || passes_.empty()) return;
  if (ir::verify(module()).empty()) return;
  verifiesEach_ = true;
  made_.reset();
  for (const Pass& pass : passes_)
    if (!failure_) run(pass);
}

ir::Module Sequence::take() {
  if (!made_) return first_;
  return std::move(*made_);
}

void Sequence::fail(PassFailure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void Sequence::run(const Pass& pass) {
  auto made = pass.transform ? Result<ir::Module>(onKernels(pass)) : pass.transformAll(module());
  if (!made)
    return fail({PassFailure::Kind::Refused, std::string(pass.name), made.reason(), module()});
  if (after_) after_(pass.name, *made);
  if (!verifiesEach_ || isRight(pass.name, *made)) made_ = std::move(*made);
}

// Kernels are large: the pass gets those that nobody asks for any more.
ir::Module Sequence::onKernels(const Pass& pass) {
  ir::Module result;
  if (made_ && !verifiesEach_)
    result = std::move(*made_);
  else
    result = module();
  for (ir::Kernel& kernel : result.kernels)
    if (kernel.level == pass.from) kernel = pass.transform(std::move(kernel));
  return result;
}

// Else the sequence has failed.
bool Sequence::isRight(std::string_view pass, const ir::Module& made) {
  using Kind = PassFailure::Kind;
  auto wrong = [&](Kind kind, const std::string& reason) {
    fail({kind, std::string(pass), reason, module()});
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
