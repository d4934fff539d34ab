// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One pass after another on the kernels of a module, each verified. The first failure ends it: what
// is run after that does nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "compiler/pipeline/verify_each.h"
#include "compiler/support/result.h"

namespace einc::pipeline {

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
  // `module` keeps the rules. `after` may be null; with `each`, what kernels with contracts compute
  // is looked at after each pass.
  Sequence(ir::Module module, AfterPass after, VerifyEach* each = nullptr)
      : module_(std::move(module)), after_(std::move(after)), each_(each) {}

  // On each kernel that is at this level, or on all of the module.
  void run(std::string_view pass, ir::Level from,
           const std::function<ir::Kernel(const ir::Kernel&)>& transform);
  void runAll(std::string_view pass,
              const std::function<Result<ir::Module>(const ir::Module&)>& transform);

  // Ends it here: a pass has found out about itself.
  void fail(PassFailure failure);

  const std::optional<PassFailure>& failure() const { return failure_; }
  // What the last pass that did not fail has made.
  const ir::Module& module() const { return module_; }

 private:
  ir::Module module_;
  AfterPass after_;
  VerifyEach* each_;
  std::optional<PassFailure> failure_;
};

}  // namespace einc::pipeline
