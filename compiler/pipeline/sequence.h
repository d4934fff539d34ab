// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One pass after another on the kernels of a module. The first failure ends it: what is run after
// that does nothing.
//
// What the last one has made is verified. Where somebody looks at what passes make, each is; and where
// the last is not right, they run again, to find the one that broke it: verifying after each takes as
// long as all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::pipeline {

class VerifyEach;

struct PassFailure {
  enum class Kind {
    Refused,  // the user's: the pass does not apply to this module, or not with these options
    Broken    // Einc's: the pass made a module that breaks a rule, or computes something else
  };
  Kind kind;
  std::string pass;
  std::string reason;
  ir::Module before;      // what the pass was given
  SourceRange step = {};  // in the user's schedule: the step that went wrong
};

// Sees what a pass has made, a broken module, too. Tests of the tests change it there.
using AfterPass = std::function<void(std::string_view pass, ir::Module& module)>;

class Sequence {
 public:
  // `module` keeps the rules, and is kept by the caller. `after` may be null; with `each`, what kernels
  // with contracts compute is looked at after each pass.
  Sequence(const ir::Module& module, AfterPass after, VerifyEach* each = nullptr);

  using OnKernel = std::function<ir::Kernel(ir::Kernel)>;
  using OnModule = std::function<Result<ir::Module>(const ir::Module&)>;

  // On each kernel that is at this level, or on all of the module. A pass may run twice, the second time
  // in `end`.
  void run(std::string_view pass, ir::Level from, OnKernel transform);
  void runAll(std::string_view pass, OnModule transform);

  // After the last pass.
  void end();

  // Ends it here: a pass has found out about itself.
  void fail(PassFailure failure);

  const std::optional<PassFailure>& failure() const { return failure_; }
  // What the last pass that did not fail has made.
  const ir::Module& module() const { return made_ ? *made_ : first_; }
  // The same, once nothing is run any more.
  ir::Module take();

 private:
  struct Pass {
    std::string_view name;
    ir::Level from;      // of the kernels that it is for
    OnKernel transform;  // or on all of the module
    OnModule transformAll;
  };
  void begin(Pass pass);
  void run(const Pass& pass);
  ir::Module onKernels(const Pass& pass);
  bool isRight(std::string_view pass, const ir::Module& made);

  const ir::Module& first_;         // what the first pass was given
  std::optional<ir::Module> made_;  // by the last one
  AfterPass after_;
  VerifyEach* each_;
  bool verifiesEach_;
  std::vector<Pass> passes_;  // those that ran, unless each is verified
  std::optional<PassFailure> failure_;
};

}  // namespace einc::pipeline
