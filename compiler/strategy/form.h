// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A form is a way to do an op: a function from a task to steps, with an estimate of their time, or
// the reason why the op cannot take it. forms.def names all, and forms.h chooses among them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct Form {
  std::string name;  // "contraction"; of a form that is made around another, that one's
  Steps steps;
  double cycles;  // that an iteration of the op takes, where it may be taken (estimate.h)
  // Where that is; elsewhere the next best is. Tests may use what `lets` give a name.
  std::vector<Test> where = {};
  Steps lets = {};
  std::string why = {};       // it is only taken there
  int64_t grain = 0;          // iterations that make a thread worth its start
  bool tilesResults = false;  // a thread gets whole tiles of results, not each by itself
  std::vector<std::pair<std::string, std::string>> settings = {};  // what can be set, as it is
  std::vector<std::string> lines = {};                             // a sentence each, for people
  std::vector<std::string> own = {};  // how, shortly: not why no other form is it
};

// `then` where the tests hold, and else `otherwise`; one of both alone where it is known which.
Steps either(std::vector<Test> tests, Steps then, Steps otherwise, const std::string& why);

// The steps as a function of the kernel's own.
Step inFunction(std::string name, Steps steps);

// `form` where it may be taken, and `other` elsewhere. What is said of `other` comes first.
Form orElse(Form form, Form other);

// Ways to do the same, chained by `when`: the one with the least estimate first, each where it may be taken. Of equal
// ones the first row comes first. A way that one before it always covers is left out. One at least may be taken anywhere.
Form nested(std::vector<Form> ways);

struct Others;

// What a form is asked.
struct Task {
  const ir::Kernel& kernel;  // has the op in it
  const ir::StructuredOp& op;
  const std::vector<OperandName>& names;  // what steps call its operands
  const ScheduleOptions& options;
  OpSettings& settings;  // what the user sets for the op
  bool memory = true;    // some of the size of a tile may be taken
  // If `op` is a tile of another op, that op. Its maps say which dimension is contiguous: in a tile of one column the
  // last dimension is the rows, which are apart.
  const ir::StructuredOp* whole = nullptr;
  // The best form for a part of the op, of those that stand behind the one that asks.
  std::function<Form(const Task& part)> behind = nullptr;
  // Positions of iterators of which the op does not say how many they have.
  std::map<std::string, int64_t> known = {};
  const Others* others = nullptr;  // that are done on its tiles of results (others.h), or null
  bool isBlock = false;            // `op` is a block of `whole`, in loops that other ops share
  bool isReadAgain =
      false;  // what it reads of inputs, another op on the block has read just before
};

}  // namespace einc::strategy
