// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/overloads.h"

#include "compiler/emit/c/header.h"
#include "compiler/emit/c/kernel.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/prelude/texts.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/signature.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using ir::ScalarType;

// ", einc::call_1::f16", for elements that C has as integers.
std::string kindOf(ScalarType type) {
  const std::string space = ", einc::call_1::";
  if (type == ScalarType::F16) return space + "f16";
  if (type == ScalarType::BF16) return space + "bf16";
  if (type == ScalarType::Bool) return space + "boolean";
  return ir::info(type).isPacked() ? space + "halves" : "";
}

// What a function takes beside the def's arguments.
struct More {
  std::string parameters, arguments;  // ", int64_t *bytes", ", bytes"
};

class OverloadWriter {
 public:
  OverloadWriter(const ir::Kernel& kernel, const COptions& options)
      : kernel_(kernel), signature_(kernel), name_(functionName(kernel.name, options.prefix)) {
    for (const Parameter& parameter : signature_.parameters()) add(parameter);
  }

  std::string run() {
    const bool hasWorkspace = needsWorkspace(kernel_);
    const std::string workspace = signature_.names.make("workspace"),
                      bytes = signature_.names.make("bytes");
    const More memory{", void *" + workspace + ", int64_t " + bytes,
                      ", " + workspace + ", " + bytes},
        asked{", int64_t *" + bytes, ", " + bytes};
    const std::string arena = signature_.names.make("arena");
    const More given{", einc_arena *" + arena, ", " + arena};
    requirement();
    returning("einc_status", "", {});
    returning("einc_status", "_supported", {});
    returning("const char *", "_explain", {});
    if (hasWorkspace) {
      returning("einc_status", "_workspace", asked);
      returning("einc_status", "_with_workspace", memory);
      returning("einc_status", "_in_arena", given);
    }
    out_.line("#if defined(__cpp_exceptions)");
    throwing("", {});
    if (hasWorkspace) {
      throwing("_with_workspace", memory);
      throwing("_in_arena", given);
    }
    out_.line("#endif");
    return out_.take();
  }

 private:
  void add(const Parameter& parameter) {
    using Kind = Parameter::Kind;
    if (parameter.kind == Kind::Tensor) return addTensor(parameter);
    if (parameter.kind == Kind::Length) return;  // the list knows
    const ir::Attribute& a = kernel_.attributes[parameter.index];
    const std::string cType(ir::info(a.type).cType), kind = kindOf(a.type);
    const bool isOptional = Signature::mayBeNull(a);
    std::string type, argument = parameter.name + ".get()";
    if (a.list) {
      type = "einc::call_1::List<" + cType + kind + ">";
      argument = parameter.name + ".data(), " + parameter.name + ".size()";
    } else if (parameter.kind == Kind::Address) {
      type = "einc::call_1::Numbers<" + cType + ", " + std::to_string(a.elementCount()) + ", " +
             (isOptional ? "true" : "false") + kind + ">";
    } else if (a.type == ScalarType::Bool || kind.empty()) {
      type = a.type == ScalarType::Bool ? "bool" : cType;
      argument = parameter.name;
    } else {
      type = "einc::call_1::Numbers<" + cType + ", 1, false" + kind + ">";
      argument = "*" + argument;
    }
    // From the last one that has to be given on, none has.
    if (!isOptional) defaultsFrom_ = parameters_.size() + 1;
    parameters_.push_back(type + " " + parameter.name);
    arguments_.push_back(argument);
  }

  void addTensor(const Parameter& parameter) {
    const ir::Tensor& tensor = kernel_.tensors[parameter.index];
    const bool isWritten = tensor.role == ir::Role::Output;
    const std::string type = signature_.names.make(parameter.name + "_type"),
                      descriptor = descriptorType(tensor);
    types_.push_back(type);
    tests_.push_back((isWritten ? "writes<" : "reads<") + type + ", " + descriptor +
                     kindOf(tensor.type) + ">");
    defaultsFrom_ = parameters_.size() + 1;
    parameters_.push_back(type + " &&" + parameter.name);
    arguments_.push_back(std::string("einc::call_1::") + (isWritten ? "out<" : "in<") + descriptor +
                         ">(" + parameter.name + ")");
  }

  std::vector<std::string> classes() const {
    std::vector<std::string> result;
    for (const std::string& type : types_) result.push_back("class " + type);
    return result;
  }

  // What the tensors have to be.
  void requirement() {
    if (types_.empty()) return;
    out_.line("namespace einc::call_1 {");
    out_.line("template <" + filled(classes(), ",", 10) + ">");
    const std::string start = "using takes_" + name_ + " = std::enable_if_t<";
    out_.line(start + filled(tests_, " &&", start.size()) + ">;");
    out_.line("} /* namespace einc::call_1 */");
  }

  void head(const std::string& result, const std::string& function, const std::string& first,
            const More& more) {
    std::vector<std::string> parameters;
    if (!first.empty()) parameters.push_back(first);
    for (size_t i = 0; i < parameters_.size(); ++i)
      parameters.push_back(parameters_[i] +
                           (more.parameters.empty() && i >= defaultsFrom_ ? " = {}" : ""));
    if (!types_.empty()) {
      out_.line("template <" + filled(classes(), ",", 10) + ",");
      out_.line("          class = einc::call_1::takes_" + name_ + "<" + joined(types_) + ">>");
    }
    const std::string start = result + (result.ends_with('*') ? "" : " ") + function + "(";
    out_.open(start + filled(parameters, ",", plainSize(start)) + more.parameters + ") {");
  }

  std::string call(const std::string& suffix, size_t column, const More& more) const {
    const std::string start = "::" + name_ + suffix + "(";
    return start + filled(arguments_, ",", column + plainSize(start)) + more.arguments + ")";
  }

  void returning(const std::string& result, const std::string& suffix, const More& more) {
    head((result == "einc_status" ? "[[nodiscard]] inline " : "inline ") + result, name_ + suffix,
         "", more);
    out_.line("return " + call(suffix, 9, more) + ";");
    out_.close();
  }

  void throwing(const std::string& suffix, const More& more) {
    head("inline void", name_ + suffix, "einc::Throwing", more);
    out_.line("einc::call_1::throw_unless_ok(");
    out_.line("    " + call(suffix, 6, more) + ",");
    out_.line("    \"" + name_ + suffix + "\");");
    out_.close();
  }

  const ir::Kernel& kernel_;
  Signature signature_;
  std::string name_;
  std::vector<std::string> types_, tests_, parameters_, arguments_;
  size_t defaultsFrom_ = 0;  // parameters from here on may be left out
  TextWriter out_;
};

}  // namespace

std::string overloadsText(const std::vector<KernelCode>& kernels, const COptions& options) {
  std::string text =
      "\n#if defined(__cplusplus) && __cplusplus >= 201703L\n\n" + std::string(kCallPrelude);
  for (const KernelCode& kernel : kernels)
    text += "\n" + OverloadWriter(*kernel.contract, options).run();
  return text + "\n#endif\n";
}

}  // namespace einc::emit
