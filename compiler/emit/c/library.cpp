// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: calls of libraries.
#include "compiler/emit/c/body.h"

namespace einc::emit {

void BodyWriter::operator()(const ir::LibraryCall& call) {
  out_.open("{");
  const Asked asked = this->asked(call, DataOf::All);
  out_.open("if (" + asked.test + ") {");
  invoke(call, outerLoops(call), asked.operands, prelude_.need(chunkOf(call, kernel_, "")));
  out_.dedent().line("} else {").indent();
  scope(call.body);
  out_.close().close();
}

void BodyWriter::invoke(const ir::LibraryCall& call, const std::vector<std::string>& loops,
                        const std::vector<std::string>& operands, const std::string& function) {
  for (const std::string& loop : loops) {
    std::string i = scope_.local(loop), extent = printer_.index(this->extent(call, loop));
    out_.open("for (" + i + " = 0; " + i + " < " + extent + "; ++" + i + ") {");
  }
  for (size_t i = 0; i < operands.size() && !loops.empty(); ++i)
    out_.line(operands[i] + ".offset = " + first(call, i) + ";");
  ir::ScalarType type = kernel_.tensors[call.op.outputs[0].tensor].type;
  ir::ValueRef one = ir::makeLiteral(type, ir::Number{1.0, 0});
  auto factor = [&](const ir::ValueRef& value) { return printer_.value(value ? value : one); };
  const ir::LibraryFunctionInfo& info = ir::info(call.function);
  std::string arguments;
  if (info.alpha) arguments = factor(call.alpha) + ", ";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i + 1 == operands.size() && info.beta) arguments += factor(call.beta) + ", ";
    arguments += "&" + operands[i] + (i + 1 < operands.size() ? ", " : "");
  }
  out_.line(function + "(" + arguments + ");");
  for (size_t i = 0; i < loops.size(); ++i) out_.close();
}

}  // namespace einc::emit
