// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir_function.h"

#include "compiler/emit/mlir_linalg.h"
#include "compiler/emit/mlir_payload.h"
#include "compiler/emit/mlir_scope.h"
#include "compiler/emit/signature.h"
#include "compiler/ir/print.h"

namespace einc::emit::mlir {
namespace {

class FunctionWriter {
 public:
  FunctionWriter(const ir::Kernel& kernel, Data data)
      : kernel_(kernel), scope_(kernel, data), body_(scope_.names(), 1, &scope_.entry()) {}

  Result<std::string> run(const std::string& name) {
    for (const ir::Stmt& stmt : kernel_.body) {
      auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
      if (!op) return Reason{"it is not structured"};
      auto linalg = toLinalg(kernel_, *op);
      if (!linalg) return Reason{linalg.reason()};
      write(stmt, *op, *linalg);
    }
    std::string results = end();
    TextWriter out;
    out.line("func.func @" + name + "(" + joined(scope_.parameters()) + ")" + results + " {");
    out.raw(scope_.entry().take()).raw(body_.take()).line("}");
    return out.take();
  }

 private:
  // Gives memory back, or returns tensors; what the function's head says behind the parameters.
  std::string end() {
    if (scope_.onBuffers()) {
      for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
        if (kernel_.tensors[t].role == ir::Role::Local && scope_.isUsed(t))
          body_.text().line("memref.dealloc " + scope_.tensor(t) + " : " + scope_.type(t));
      body_.text().line("return");
      return " attributes {llvm.emit_c_interface}";
    }
    std::vector<std::string> values, types;
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
      if (kernel_.tensors[t].role != ir::Role::Output) continue;
      values.push_back(scope_.tensor(t));
      types.push_back(scope_.type(t));
    }
    body_.text().line("return " + joined(values) + " : " + joined(types));
    return " -> " + (types.size() == 1 ? types[0] : "(" + joined(types) + ")");
  }

  void write(const ir::Stmt& stmt, const ir::StructuredOp& op, const LinalgOp& linalg) {
    std::string inputs = operands("ins", linalg.inputs), outputs = operands("outs", linalg.outputs);
    Payload payload(scope_, op, linalg);
    std::string result;
    if (!scope_.onBuffers()) {
      bool one = linalg.outputs.size() == 1;
      std::string name =
          body_.name(one ? kernel_.tensors[linalg.outputs[0].tensor].name : "result");
      result = name + (one ? "" : ":" + std::to_string(linalg.outputs.size())) + " = ";
      results_ = name;
    }
    TextWriter& out = body_.text();
    out.raw(commentLines(ir::printStatement(kernel_, stmt), "  // "));
    out.open(result + "linalg.generic {").indent();
    out.line("indexing_maps = [").indent().indent();
    std::vector<std::string> maps = mapTexts(op, linalg);
    for (size_t i = 0; i < maps.size(); ++i) out.line(maps[i] + (i + 1 < maps.size() ? "," : "],"));
    out.dedent().dedent();
    out.line("iterator_types = [" +
             joined(op.iterators, ", ",
                    [](const ir::Iterator& i) {
                      return i.kind == ir::IteratorKind::Parallel ? "\"parallel\""
                                                                  : "\"reduction\"";
                    }) +
             "]");
    out.dedent().dedent().line("}" + inputs + outputs + " {");
    out.raw(payload.run());
    out.line(scope_.onBuffers() ? "}" : "} -> " + resultTypes(linalg));
    if (!scope_.onBuffers()) rename(linalg);
  }

  std::string operands(const std::string& word, const std::vector<LinalgOperand>& operands) {
    if (operands.empty()) return "";
    auto names =
        joined(operands, ", ", [&](const LinalgOperand& o) { return scope_.tensor(o.tensor); });
    auto types =
        joined(operands, ", ", [&](const LinalgOperand& o) { return scope_.type(o.tensor); });
    return " " + word + "(" + names + " : " + types + ")";
  }

  static std::vector<std::string> mapTexts(const ir::StructuredOp& op, const LinalgOp& linalg) {
    std::vector<std::string> texts;
    for (const auto* operands : {&linalg.inputs, &linalg.outputs})
      for (const LinalgOperand& operand : *operands) texts.push_back(mapText(op, operand.map));
    return texts;
  }

  std::string resultTypes(const LinalgOp& linalg) const {
    auto types =
        joined(linalg.outputs, ", ", [&](const LinalgOperand& o) { return scope_.type(o.tensor); });
    return linalg.outputs.size() == 1 ? types : "(" + types + ")";
  }

  // From here on, the outputs are what the op returned.
  void rename(const LinalgOp& linalg) {
    for (size_t i = 0; i < linalg.outputs.size(); ++i)
      scope_.setTensor(linalg.outputs[i].tensor,
                       linalg.outputs.size() == 1 ? results_ : results_ + "#" + std::to_string(i));
  }

  const ir::Kernel& kernel_;
  FunctionScope scope_;
  Block body_;
  std::string results_;  // of the last op
};

}  // namespace

Result<std::string> functionText(const ir::Kernel& kernel, Data data, const std::string& name) {
  return FunctionWriter(kernel, data).run(name);
}

}  // namespace einc::emit::mlir
