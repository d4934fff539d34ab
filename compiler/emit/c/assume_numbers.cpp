// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is computed first as if there were no NaN.
#include <algorithm>

#include "compiler/emit/c/body.h"

namespace einc::emit {

// Lanes that have been numbers so far are bits; several variables, so that one comparison does not
// wait for another.
void BodyWriter::operator()(const ir::AssumeNumbers& assume) {
  std::string before = out_.take();
  checks_.clear();
  checkCount_ = 0;
  ++assumeCount_;
  constexpr int kMasks = 8;  // that a CPU has
  int checks = 0;
  ir::forEachStatement(assume.body, [&](const ir::Stmt& stmt) {
    checks += std::holds_alternative<ir::CheckNumbers>(stmt.node) ? 1 : 0;
  });
  hasManyChecks_ = checks > kMasks;
  vectorPrinter_.expectNumbers(true);
  block(assume.body);
  vectorPrinter_.expectNumbers(false);
  std::string body = out_.take();
  out_.raw(before);
  std::vector<std::string> tests;
  for (const auto& [name, all] : checks_) {
    out_.line("uint16_t " + name + " = " + std::to_string(all) + ";");
    tests.push_back(name + " != " + std::to_string(all));
  }
  out_.raw(body);
  if (tests.empty()) return;
  if (hasManyChecks_) computeBefore(assume.otherwise);
  out_.open("if (" + joined(tests, " || ") + ") {");
  block(assume.otherwise);
  out_.close();
}

// What is computed again otherwise is computed where this stands: compilers would do it behind the test, where it is used, and
// keep all that it is made of until then.
void BodyWriter::computeBefore(const ir::Block& otherwise) {
  for (const ir::Stmt& stmt : otherwise) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || !ir::info(assign->value->type).isFloat()) continue;
    VectorType type;
    const auto variable = ir::makeValue(assign->value->type, ir::Variable{assign->name});
    const std::string name =
        vectorPrinter_.vector(variable, vectorPrinter_.lanesOf({variable}), &type);
    constexpr int64_t kRegister = 16;  // bytes
    if (type.lanes * static_cast<int64_t>(ir::info(type.type).bytes()) >= kRegister)
      out_.line(vectors_.need("computed") + "(" + name + ");");
  }
}

void BodyWriter::operator()(const ir::CheckNumbers& check) {
  // In turn, so that no check waits for the one before it; each takes a register.
  constexpr size_t kVariables = 4;
  for (size_t i = 0; i < check.values.size(); i += 2) {
    VectorType type;
    const ir::ValueRef &a = check.values[i],
                       &b = check.values[std::min(i + 1, check.values.size() - 1)];
    std::string first = vectorPrinter_.vector(a, vectorPrinter_.lanesOf({a, b}), &type);
    std::string second = vectorPrinter_.vector(b, type.lanes);
    std::string lanes = vectorName(type.type, type.lanes);
    std::string name =
        scope_.local("numbers_" + lanes + "_" +
                     std::to_string((assumeCount_ - 1) * kVariables + checkCount_++ % kVariables));
    checks_[name] = (int64_t{1} << type.lanes) - 1;
    out_.line(name + " = " + vectors_.need("numbers_" + lanes) + "(" + name + ", " + first + ", " +
              second + ");");
    if (hasManyChecks_) out_.line(vectors_.need("opaque_mask") + "(" + name + ");");
  }
}

}  // namespace einc::emit
