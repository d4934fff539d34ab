// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/function.h"

#include "compiler/emit/mlir/linalg.h"
#include "compiler/emit/mlir/payload.h"
#include "compiler/emit/mlir/scope.h"
#include "compiler/emit/text/comment.h"
#include "compiler/ir/library_call_name.h"
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
      auto call = kernel_.libraryCall ? asCall(kernel_, *linalg) : Reason{""};
      if (kernel_.libraryCall && !call && &stmt == &kernel_.body.front())
        body_.text().line("// Without library_call: " + call.reason() + ".");
      write(stmt, *op, call ? *call : *linalg, call ? ir::libraryCallName(kernel_) : "");
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

  // An operand of linalg.generic: a tensor, or the part of it that it may see.
  struct Seen {
    std::string name, type;
  };
  using SeenList = std::vector<Seen>;

  void write(const ir::Stmt& stmt, const ir::StructuredOp& op, const LinalgOp& linalg,
             const std::string& function) {
    TextWriter& out = body_.text();
    out.raw(commentLines(ir::printStatement(kernel_, stmt), "  // "));
    SeenList inputs = seen(linalg.inputs), outputs = seen(linalg.outputs);
    std::string result = nameResults(linalg);
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
             (function.empty() ? "]" : "],"));
    if (!function.empty()) out.line("library_call = \"" + function + "\"");
    out.dedent().dedent().line("}" + listText("ins", inputs) + listText("outs", outputs) + " {");
    out.raw(Payload(scope_, op, linalg).run());
    std::string types = joined(outputs, ", ", typeOf);
    if (scope_.onBuffers())
      out.line("}");
    else
      out.line("} -> " + (outputs.size() == 1 ? types : "(" + types + ")"));
    if (!scope_.onBuffers()) putBack(linalg, outputs);
  }

  static std::string nameOf(const Seen& operand) { return operand.name; }
  static std::string typeOf(const Seen& operand) { return operand.type; }

  static std::string listText(const std::string& word, const SeenList& list) {
    if (list.empty()) return "";
    return " " + word + "(" + joined(list, ", ", nameOf) + " : " + joined(list, ", ", typeOf) + ")";
  }

  SeenList seen(const std::vector<LinalgOperand>& operands) {
    SeenList list;
    for (const LinalgOperand& operand : operands) {
      if (operand.scalar) {
        list.push_back({scope_.scalar(*operand.scalar), scope_.scalarType(*operand.scalar)});
        continue;
      }
      Seen whole{scope_.tensor(operand.tensor), scope_.type(operand.tensor)};
      list.push_back(operand.sizes.empty() ? whole : part(operand, whole));
    }
    return list;
  }

  Seen part(const LinalgOperand& operand, const Seen& whole) {
    std::string type = scope_.partType(operand.tensor, operand.sizes);
    std::string op = scope_.onBuffers() ? "memref.subview " : "tensor.extract_slice ";
    std::string name =
        body_.value(kernel_.tensors[operand.tensor].name,
                    op + whole.name + slice(operand) + " : " + whole.type + " to " + type);
    return {name, type};
  }

  // From the first element on: "[0, 0] [%M, 4] [1, 1]".
  std::string slice(const LinalgOperand& operand) {
    auto sizes = joined(operand.sizes, ", ", [&](const affine::Expr& size) {
      auto constant = size.asConstant().value_or(0);
      return constant != 0 ? std::to_string(constant) : scope_.index(scope_.entry(), size);
    });
    auto all = [&](const char* text) {
      return "[" + joined(operand.sizes, ", ", [&](const affine::Expr&) { return text; }) + "]";
    };
    return all("0") + " [" + sizes + "] " + all("1");
  }

  // "%C_1 = ", "%result:2 = "; nothing on buffers.
  std::string nameResults(const LinalgOp& linalg) {
    if (scope_.onBuffers()) return "";
    size_t count = linalg.outputs.size();
    results_ = body_.name(count == 1 ? kernel_.tensors[linalg.outputs[0].tensor].name : "result");
    return results_ + (count == 1 ? "" : ":" + std::to_string(count)) + " = ";
  }

  static std::vector<std::string> mapTexts(const ir::StructuredOp& op, const LinalgOp& linalg) {
    std::vector<std::string> texts;
    for (const auto* operands : {&linalg.inputs, &linalg.outputs})
      for (const LinalgOperand& operand : *operands) texts.push_back(mapText(op, operand.map));
    return texts;
  }

  // From here on, the outputs are what the op returned.
  void putBack(const LinalgOp& linalg, const SeenList& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const LinalgOperand& operand = linalg.outputs[i];
      std::string value = outputs.size() == 1 ? results_ : results_ + "#" + std::to_string(i);
      if (!operand.sizes.empty())
        value = body_.value(kernel_.tensors[operand.tensor].name,
                            "tensor.insert_slice " + value + " into " +
                                scope_.tensor(operand.tensor) + slice(operand) + " : " +
                                outputs[i].type + " into " + scope_.type(operand.tensor));
      scope_.setTensor(operand.tensor, value);
    }
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
