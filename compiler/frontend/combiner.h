// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The combiners of a spec. A combiner is a template: its parameters get the types of the outputs
// it is used on, and its results are written out in the payload (payload.cpp). A reduction calls it
// in unspecified order, so it must be associative and commutative; neutral.h tries that.
//
// What does not depend on types is checked here, once: names and their number, calls (of scalar
// functions, and of combiners that stand above), casts, and how large the written-out form is.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/ast.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

// The operations of a statement, its combiners written out; more are refused. One that doubles its
// argument grows exponentially where it is nested.
constexpr size_t kMaxOperations = 4096;

// Names of constants: true false inf nan, and lowest highest, the ends of the type that is wanted.
bool isConstantName(std::string_view name);
const std::vector<std::string>& constantNames();

class CombinerTable {
 public:
  // Reports what is wrong with the spec's combiners, which it refers to.
  CombinerTable(const Spec& spec, Diagnostics& errors);

  const Combiner* find(std::string_view name) const;
  // Whether an error in it was reported; it is used nowhere then.
  bool isBroken(const Combiner& combiner) const { return !costs_.count(&combiner); }
  std::vector<std::string> names() const;

  // How large an expression is with its combiners written out.
  struct Cost {
    size_t operations = 1;     // saturated; without the parameters
    unsigned height = 1;       // of the tree
    std::vector<size_t> uses;  // in a combiner: how often each parameter occurs
    bool expands = false;      // there is a combiner in it
  };
  // With what is read outside a tensor.
  Cost costOf(const Expr& expr, const std::vector<Name>& parameters = {}) const;
  // A call: `args` may lack the accumulators, or be less than that in a wrong program.
  Cost costOf(const Combiner& combiner, std::vector<Cost> args) const;
  // Reports an expression that is too large once it is written out; without combiners, it is
  // as large as its text, and none is.
  static bool checkCost(const Cost& cost, SourceRange range, Diagnostics& errors);

  // True the first time it gets this text: a warning that holds for every use is shown once.
  bool isNew(const std::string& text) const { return shown_.insert(text).second; }

 private:
  std::map<std::string, const Combiner*, std::less<>> byName_;
  std::map<const Combiner*, Cost> costs_;
  mutable std::set<std::string> shown_;
};

// The combiner that is called by `expr`, and gives its value or values; null if none.
const Combiner* calledCombiner(const CombinerTable& table, const Expr& expr);

}  // namespace einc::frontend
