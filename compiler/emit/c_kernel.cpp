// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c_kernel.h"

#include <algorithm>
#include <map>

#include "compiler/emit/c_body.h"
#include "compiler/emit/c_checks.h"
#include "compiler/emit/c_scope.h"
#include "compiler/emit/signature.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

// Whether code takes memory from the heap.
bool usesHeap(const ir::Block& code) {
  bool found = false;
  ir::forEachStatement(code, [&](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    found |= alloc && alloc->space == ir::Space::Heap;
  });
  return found;
}

bool anyUsesHeap(const KernelCode& kernel) {
  return std::any_of(kernel.codes.begin(), kernel.codes.end(),
                     [](const TargetCode& code) { return usesHeap(code.code->body); });
}

// Only what says how large buffers in the heap are.
ir::Block sizesOnly(const ir::Block& block) {
  ir::Block result;
  for (const ir::Stmt& stmt : block) {
    if (std::holds_alternative<ir::Bound>(stmt.node) || std::holds_alternative<ir::View>(stmt.node))
      result.push_back(stmt);
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node))
      if (alloc->space == ir::Space::Heap) result.push_back(stmt);
    if (auto* test = std::get_if<ir::If>(&stmt.node)) {
      ir::If copy{test->conditions, sizesOnly(test->then), sizesOnly(test->otherwise)};
      if (usesHeap(copy.then) || usesHeap(copy.otherwise)) result.push_back({std::move(copy)});
    }
  }
  return result;
}

class KernelWriter {
 public:
  KernelWriter(const KernelCode& kernel, const COptions& options, Prelude& prelude)
      : kernel_(kernel),
        contract_(*kernel.contract),
        options_(options),
        prelude_(prelude),
        name_(functionName(contract_.name, options.prefix)) {}

  std::string run() {
    check();
    if (kernel_.codes.size() > 1) dispatch();
    publicFunctions();
    return out_.take();
  }

  std::string loopsFor(const TargetCode& code, VectorPrelude& vectors) {
    comment(code.schedule);
    loops(code, vectors);
    return out_.take();
  }

 private:
  void comment(const std::string& schedule) {
    std::string text = contract_.name;
    if (!contract_.doc.empty()) text += "\n\n" + contract_.doc;
    out_.raw("/*\n" + commentLines(text + "\n\n" + schedule, " * ") + " */\n");
  }

  // A static function: declarations that `body` uses, then the body.
  void function(const std::string& head, KernelScope& scope, const std::string& first,
                const std::string& body, const Signature& signature, const std::string& last) {
    std::vector<std::string> layout = scope.layoutDeclarations(body);
    std::vector<std::string> sizes = scope.sizeDeclarations(body);
    std::string all = body + joined(layout, "\n") + joined(sizes, "\n");
    std::vector<std::string> attributes = scope.attributeDeclarations(all);
    all += joined(attributes, "\n") + last;
    out_.open(head + " {");
    for (const Parameter& p : signature.parameters())
      if (!usesWord(all, p.name)) out_.line("(void)" + p.name + ";");
    if (!first.empty()) out_.line(first);
    for (const auto* lines : {&attributes, &sizes, &layout})
      for (const std::string& line : *lines) out_.line(line);
    out_.raw(body);
    if (!last.empty()) out_.line(last);
    out_.close();
    out_.line();
  }

  void check() {
    Signature signature(contract_);
    KernelScope scope(contract_, signature, prelude_);
    std::string body = checkStatements(contract_, scope, signature, prelude_);
    // Sizes are read from descriptors, so the check for NULL comes before them.
    size_t firstLine = body.find('\n') + 1;
    std::string null = body.substr(0, firstLine), rest = body.substr(firstLine);
    if (options_.plant == "skip-check") rest = "";
    std::string status = usesWord(rest, "status") ? "einc_status status;" : "";
    out_.open("static einc_status " + name_ + "_check(" + signature.declarations() + ") {");
    if (!status.empty()) out_.line(status);
    out_.dedent().raw(null).indent();
    declareAndWrite(scope, signature, rest, null);
    out_.line("return EINC_OK;").close().line();
  }

  void declareAndWrite(KernelScope& scope, const Signature& signature, const std::string& body,
                       const std::string& before) {
    std::vector<std::string> sizes = scope.sizeDeclarations(body);
    std::vector<std::string> attributes = scope.attributeDeclarations(body + joined(sizes, "\n"));
    std::string all = before + body + joined(sizes, "\n") + joined(attributes, "\n");
    for (const Parameter& p : signature.parameters())
      if (!usesWord(all, p.name)) out_.line("(void)" + p.name + ";");
    // An attribute without a default is read once it is known to be there.
    size_t split = body.find("/* Sizes agree. */");
    for (const char* heading : {"/* Indices stay", "/* There is data"})
      if (split == std::string::npos) split = body.find(heading);
    split = split == std::string::npos ? body.size() : body.rfind('\n', split);
    out_.raw(body.substr(0, split));
    if (!sizes.empty() || !attributes.empty()) out_.line();
    for (const auto* lines : {&attributes, &sizes})
      for (const std::string& line : *lines) out_.line(line);
    out_.raw(split == body.size() ? "" : body.substr(split));
  }

  void loops(const TargetCode& target, VectorPrelude& vectors) {
    const ir::Kernel& code = *target.code;
    std::string suffix = targetSuffix(*target.target, options_);
    Signature signature(contract_);
    signature.names.make(kWorkspace);
    KernelScope scope(code, signature, prelude_);
    BodyWriter writer(code, scope, prelude_, vectors, options_.plant, name_ + suffix);
    std::string body = writer.run();
    out_.raw(writer.outlined());
    std::string parameters = signature.declarations();
    bool heap = usesHeap(code.body);
    if (heap) parameters += std::string(", char *") + kWorkspace;
    function("static void " + name_ + "_run" + suffix + "(" + parameters + ")", scope, "", body,
             signature, "");
    if (heap) bytes(code, suffix, vectors);
  }

  // How many bytes the code takes from the workspace.
  void bytes(const ir::Kernel& code, const std::string& suffix, VectorPrelude& vectors) {
    ir::Kernel sizes = code;
    sizes.body = sizesOnly(code.body);
    Signature signature(contract_);
    signature.names.make(kWorkspace);
    KernelScope scope(sizes, signature, prelude_);
    BodyWriter writer(sizes, scope, prelude_, vectors, options_.plant, name_ + suffix);
    std::string body = writer.sizes();
    function("static int64_t " + name_ + "_bytes" + suffix + "(" + signature.declarations() + ")",
             scope, std::string("int64_t ") + kWorkspace + " = 0;", body, signature,
             std::string("return ") + kWorkspace + ";");
  }

  // The choice by what the CPU can do, the best first.
  void dispatch() {
    Signature signature(contract_);
    bool heap = anyUsesHeap(kernel_);
    std::string workspace = signature.names.make(kWorkspace);
    auto choose = [&](const std::string& head, const std::string& what, const std::string& none) {
      out_.open(head + " {");
      for (size_t i = kernel_.codes.size(); i-- > 0;) {
        const TargetCode& code = kernel_.codes[i];
        std::string suffix = targetSuffix(*code.target, options_);
        bool takes = usesHeap(code.code->body), run = what == "_run";
        std::string call = name_ + what + suffix + "(" + signature.arguments() +
                           (run && takes ? ", " + workspace : "") + ")";
        if (!run && !takes) call = "0";
        std::string line = run ? call + ";" : "return " + call + ";";
        if (i > 0) {
          out_.open("if (einc_cpu() >= " + std::to_string(levelOf(*code.target)) + ") {");
          out_.line(line);
          if (run) out_.line("return;");
          out_.close();
        } else {
          out_.line(line);
        }
      }
      if (!none.empty()) out_.line(none);
      out_.close().line();
    };
    choose("static void " + name_ + "_run(" + signature.declarations() +
               (heap ? ", char *" + workspace : "") + ")",
           "_run",
           heap && !usesHeap(kernel_.codes[0].code->body) ? "(void)" + workspace + ";" : "");
    if (heap)
      choose("static int64_t " + name_ + "_bytes(" + signature.declarations() + ")", "_bytes", "");
  }

  void publicFunctions() {
    Signature signature(contract_);
    std::string declarations = signature.declarations(), arguments = signature.arguments();
    std::string status = "status";
    out_.open("einc_status " + name_ + "_supported(" + declarations + ") {");
    out_.line("return " + name_ + "_check(" + arguments + ");").close().line();
    if (anyUsesHeap(kernel_)) {
      withWorkspace(signature, status);
    } else {
      out_.open("einc_status " + name_ + "(" + declarations + ") {");
      out_.line("const einc_status " + status + " = " + name_ + "_check(" + arguments + ");");
      out_.line("if (" + status + " == EINC_OK) " + name_ + "_run(" + arguments + ");");
      out_.line("return " + status + ";").close().line();
    }
    std::string mlir = "_mlir_ciface_" + options_.prefix + contract_.name;
    out_.open("void " + mlir + "(" + signature.mlirDeclarations() + ") {");
    out_.line("(void)" + name_ + "(" + arguments + ");").close();
  }

  void withWorkspace(Signature& signature, const std::string& status) {
    std::string declarations = signature.declarations(), arguments = signature.arguments();
    std::string workspace = signature.names.make("workspace"),
                bytes = signature.names.make("bytes");
    std::string needed = signature.names.make("needed"), memory = signature.names.make("memory");

    if (needsWorkspace(contract_))
      givenWorkspace(declarations, arguments, status, workspace, bytes);
    out_.open("einc_status " + name_ + "(" + declarations + ") {");
    out_.line("const einc_status " + status + " = " + name_ + "_check(" + arguments + ");");
    out_.line("uint64_t " + needed + ";").line("char *" + memory + ";");
    out_.line("if (" + status + " != EINC_OK) return " + status + ";");
    out_.line(needed + " = (uint64_t)" + name_ + "_bytes(" + arguments + ") + 64;");
    out_.line(memory + " = (char *)__builtin_malloc(" + needed + ");");
    out_.line("if (" + memory + " == NULL) return EINC_OUT_OF_MEMORY;");
    out_.line(name_ + "_run(" + arguments + ", " + memory + " + (64 - (uintptr_t)" + memory +
              " % 64));");
    out_.line("__builtin_free(" + memory + ");");
    out_.line("return EINC_OK;").close().line();
  }

  void givenWorkspace(const std::string& declarations, const std::string& arguments,
                      const std::string& status, const std::string& workspace,
                      const std::string& bytes) {
    out_.open("einc_status " + name_ + "_workspace(" + declarations + ", int64_t *" + bytes +
              ") {");
    out_.line("const einc_status " + status + " = " + name_ + "_check(" + arguments + ");");
    out_.line("if (" + bytes + " == NULL) return EINC_BAD_WORKSPACE;");
    out_.line("if (" + status + " == EINC_OK) *" + bytes + " = " + name_ + "_bytes(" + arguments +
              ");");
    out_.line("return " + status + ";").close().line();

    out_.open("einc_status " + name_ + "_with_workspace(" + declarations + ", void *" + workspace +
              ", int64_t " + bytes + ") {");
    out_.line("const einc_status " + status + " = " + name_ + "_check(" + arguments + ");");
    out_.line("if (" + status + " != EINC_OK) return " + status + ";");
    out_.line("if (" + bytes + " < " + name_ + "_bytes(" + arguments +
              ")) return EINC_BAD_WORKSPACE;");
    out_.line("if (" + bytes + " > 0 && (" + workspace + " == NULL || (uintptr_t)" + workspace +
              " % 64 != 0)) return EINC_BAD_WORKSPACE;");
    out_.line(name_ + "_run(" + arguments + ", (char *)" + workspace + ");");
    out_.line("return EINC_OK;").close().line();
  }

  const KernelCode& kernel_;
  const ir::Kernel& contract_;
  const COptions& options_;
  Prelude& prelude_;
  std::string name_;
  TextWriter out_;
};

}  // namespace

bool needsWorkspace(const ir::Kernel& kernel) {
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                     [](const ir::Tensor& t) { return t.role == ir::Role::Local; });
}

std::string targetSuffix(const target::Target& target, const COptions& options) {
  if (!options.severalTargets) return "";
  std::string name(target.name);
  size_t dash = name.rfind('-');
  std::string suffix = "_" + (dash == std::string::npos ? name : name.substr(dash + 1));
  return suffix;
}

int levelOf(const target::Target& target) {
  if (target.architecture != target::Architecture::X86) return 0;
  return target.vectorBytes >= 64 ? 4 : target.vectorBytes >= 32 ? 3 : 2;
}

std::string runText(const KernelCode& kernel, const TargetCode& code, const COptions& options,
                    Prelude& prelude, VectorPrelude& vectors) {
  return KernelWriter(kernel, options, prelude).loopsFor(code, vectors);
}

std::string kernelText(const KernelCode& kernel, const COptions& options, Prelude& prelude) {
  return KernelWriter(kernel, options, prelude).run();
}

}  // namespace einc::emit
