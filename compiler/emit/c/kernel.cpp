// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/kernel.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/c/body.h"
#include "compiler/emit/c/checks.h"
#include "compiler/emit/c/cpu.h"
#include "compiler/emit/c/explain.h"
#include "compiler/emit/c/promises.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/c/sizes.h"
#include "compiler/emit/c/workspace.h"
#include "compiler/emit/text/comment.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/signature.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

bool anyUsesHeap(const KernelCode& kernel) {
  return std::any_of(kernel.codes.begin(), kernel.codes.end(),
                     [](const TargetCode& code) { return usesHeap(code.code->body); });
}

// Iterations from which on it does not matter how arguments are looked at: some nanoseconds.
constexpr int64_t kMostShort = 32768;

class KernelWriter {
 public:
  KernelWriter(const KernelCode& kernel, const COptions& options, Prelude& prelude)
      : kernel_(kernel),
        contract_(*kernel.contract),
        options_(options),
        prelude_(prelude),
        promises_(contract_, options),
        name_(functionName(contract_.name, options.prefix)),
        isShort_(findShort()) {}

  std::string run() {
    check(/*narrow=*/false);
    usual();
    if (isExternal(kernel_)) {
      VectorPrelude none("", {}, false, {});
      comment(kernel_.codes[0].schedule);
      loops(kernel_.codes[0], "", none);
    } else {
      cpu();
      if (options_.severalTargets) dispatch();
    }
    publicFunctions();
    return plain(out_.take());
  }

  std::string checked() {
    check(/*narrow=*/true);
    return plain(out_.take());
  }

  // What loops call of the functions behind them.
  std::string forward() const {
    if (!isShort_ || !anyUsesHeap(kernel_)) return "";
    return "static einc_status " + own("_checked") + "(" + Signature(contract_).declarations() +
           ");\n";
  }

  std::string loopsFor(const TargetCode& code, VectorPrelude& vectors) {
    comment(code.schedule);
    loops(code, targetSuffix(*code.target, options_), vectors);
    return plain(out_.take());
  }

 private:
  // The static function "NAME_what".
  std::string own(const std::string& what) const {
    return prelude_.define(name_ + what, contract_.name);
  }

  void comment(const std::string& schedule) {
    std::string text = contract_.name;
    if (!contract_.doc.empty()) text += "\n\n" + contract_.doc;
    text += "\n\n" + schedule;
    while (text.ends_with('\n')) text.pop_back();
    out_.raw("/*\n" + commentLines(text, " * ") + " */\n");
  }

  void check(bool narrow) {
    Signature signature(contract_);
    KernelScope scope(contract_, signature, prelude_);
    CheckStatements checks = checkStatements(contract_, scope, prelude_, narrow);
    if (options_.plant == "skip-check") checks = {checks.null, "", ""};
    if (!narrow && options_.align > 1) out_.raw(promises_.functionText(own("_is_aligned")));
    prelude_.need("cold");
    out_.open("static einc_cold einc_status " + own("_check") + "(" + signature.declarations() +
              ") {");
    if (checks.asks) out_.line("einc_status status;");
    declareAndWrite(scope, checks);
    if (options_.plant != "skip-check") out_.raw(promises_.statements());
    out_.line("return EINC_OK;").close().line();
  }

  // What the check says, where little has to be looked at.
  void usual() {
    std::string arguments = "(" + Signature(contract_).arguments() + ")", usual;
    check_ = name_ + "_check" + arguments;
    if (options_.plant == "skip-check") return;
    for (const std::string what : {"_is_dense", "_is_usual"}) {
      Signature signature(contract_);
      KernelScope scope(contract_, signature, prelude_);
      std::string body = what == "_is_dense" ? denseStatements(contract_, scope, prelude_)
                                             : usualStatements(contract_, scope, prelude_);
      if (body.empty()) continue;
      predicate(own(what), scope, signature, body);
      if (what == "_is_dense" && isShort_) continue;  // that is asked before all else
      const std::string holds =
          name_ + what + arguments + promises_.tests(/*strides=*/what == "_is_usual");
      usual = usual.empty() ? holds : "(" + usual + " || " + wrapped(holds) + ")";
    }
    if (!usual.empty()) check_ = usual + " ? EINC_OK : " + check_;
  }

  void predicate(const std::string& name, KernelScope& scope, const Signature& signature,
                 const std::string& body) {
    size_t firstLine = body.find('\n') + 1;
    out_.open("static inline int " + name + "(" + signature.declarations() + ") {");
    out_.dedent().raw(body.substr(0, firstLine)).indent();
    References used = referencesIn(body);
    for (const std::string& line : scope.sizeDeclarations(used)) out_.line(line);
    for (const std::string& line : scope.unusedParameters(used)) out_.line(line);
    out_.raw(body.substr(firstLine));
    out_.close().line();
  }

  // First of all whether there is anything that this CPU can run; code for this machine alone is
  // not asked.
  void cpu() {
    std::string lacks, has;
    for (const target::Target* target : leastOf(kernel_.codes)) {
      if (!asksForCpu(*target)) return;
      prelude_.need(cpuChunk(*target));
      lacks += (lacks.empty() ? "!" : " && !") + cpuHas(*target);
      has += (has.empty() ? "" : " || ") + cpuIsKnownToHave(*target);
    }
    check_ = lacks + " ? EINC_UNSUPPORTED_CPU : " + check_;
    runs_ = wrapped(has) + " && ";
  }

  void declareAndWrite(KernelScope& scope, const CheckStatements& checks) {
    References used = referencesIn(checks.null + checks.attributes + checks.others);
    std::vector<std::string> sizes = scope.sizeDeclarations(used);
    std::vector<std::string> attributes = scope.attributeDeclarations(used);
    for (const std::string& line : scope.unusedParameters(used)) out_.line(line);
    out_.raw(checks.null).raw(checks.attributes);
    for (const auto* lines : {&attributes, &sizes})
      for (const std::string& line : *lines) out_.line(line);
    out_.raw(checks.others);
  }

  void loops(const TargetCode& target, const std::string& suffix, VectorPrelude& vectors) {
    const ir::Kernel& code = *target.code;
    Signature signature(contract_);
    RunNames run(signature.names);
    KernelScope scope(code, signature, prelude_);
    BodyWriter writer(code, scope, prelude_, vectors, options_.plant, name_ + suffix, run);
    writer.onTarget(*target.target);
    writer.expect(options_);
    scope.promiseAligned(options_.align);
    std::string body = writer.run();
    ir::Block slots = sizesOnly(code.body, /*ofThreads=*/true);
    const bool threaded = referencesIn(body).count(run.threads) != 0,
               ownSlots = threaded && hasAllocs(slots);
    std::string threads = threaded ? threadNames(run, suffix, scope.arguments(), ownSlots) : "";
    out_.raw(writer.outlined());
    if (hasAllocs(slots)) bytes(code, std::move(slots), "_slot" + suffix, "");
    std::string parameters = signature.declarations();
    bool heap = usesHeap(code.body);
    if (heap) parameters += ", char *" + run.workspace;
    // What alone would use it may be in ways that facts close.
    const bool isIdle =
        heap &&
        referencesIn(threads).count(run.workspace) + referencesIn(body).count(run.workspace) == 0;
    scope.function(out_, "static void " + own("_run" + suffix) + "(" + parameters + ")",
                   isIdle ? "(void)" + run.workspace + ";" : "", threads + body, "");
    if (!heap) return dense(suffix, heap);
    ir::Block shared = sizesOnly(code.body, /*ofThreads=*/false);
    bytes(code, std::move(shared), "_bytes" + suffix,
          ownSlots ? " + " + std::to_string(options_.threads) + " * " + name_ + "_slot" + suffix +
                         "(" + scope.arguments() + ")"
                   : "");
    dense(suffix, heap);
  }

  // Short kernels, of which sizes are known and there are no threads, are compiled once more for
  // arguments without gaps: what depends on strides is decided then.
  bool findShort() const {
    int64_t all = 0;
    ir::forEachOp(contract_.body, [&](const ir::StructuredOp& op) {
      int64_t count = 1;
      for (const ir::Iterator& i : op.iterators) {
        auto source = ir::extentOf(contract_, op, i.name);
        auto extent = source ? source->extent.asConstant() : std::nullopt;
        count =
            extent && *extent <= kMostShort ? std::min(count * *extent, kMostShort) : kMostShort;
      }
      all = std::min(all + count, kMostShort);
    });
    Signature signature(contract_);
    KernelScope scope(contract_, signature, prelude_);
    return all < kMostShort && options_.threads == 1 && options_.plant.empty() && !callsOut() &&
           !denseStatements(contract_, scope, prelude_).empty();
  }

  // What others compute depends on strides as they please.
  bool callsOut() const {
    return std::any_of(kernel_.codes.begin(), kernel_.codes.end(), [](const TargetCode& code) {
      return !ir::externalCalls(code.code->body).empty();
    });
  }

  void dense(const std::string& suffix, bool heap) {
    if (!isShort_) return;
    Signature signature(contract_);
    out_.line("/* The same for arguments without gaps, whose strides are known here. */");
    out_.open("static __attribute__((noinline, flatten)) einc_status " + own("_dense" + suffix) +
              "(" + signature.declarations() + ") {");
    std::string arguments;
    for (const Parameter& p : signature.parameters()) {
      std::string argument = p.name;
      for (unsigned t = 0; t < contract_.tensors.size(); ++t)
        if (contract_.tensors[t].role != ir::Role::Local && signature.tensor(t) == p.name) {
          argument = signature.names.make(p.name + "_dense");
          const std::string isConst = contract_.tensors[t].role == ir::Role::Input ? "const " : "";
          out_.line(isConst + descriptorType(contract_.tensors[t]) + " " + argument + " = " +
                    denseDescriptor(contract_.tensors[t], p.name + "->allocated, " + p.name +
                                                              "->aligned, " + p.name + "->offset") +
                    ";");
          argument = "&" + argument;
        }
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    if (heap)
      out_.line("if (" + name_ + "_bytes" + suffix + "(" + arguments + ") > 0) return " + name_ +
                "_checked(" + signature.arguments() + ");");
    out_.line(name_ + "_run" + suffix + "(" + arguments + (heap ? ", NULL" : "") + ");");
    out_.line("return EINC_OK;").close().line();
  }

  // Declarations for loops on threads: how many there are, and their memory, which comes first.
  std::string threadNames(const RunNames& run, const std::string& suffix,
                          const std::string& arguments, bool ownMemory) {
    TextWriter text;
    text.indent();
    text.line("const int64_t " + run.threads + " = " + prelude_.need("least") +
              "(einc_thread_count(), " + std::to_string(options_.threads) + ");");
    text.line("const int64_t " + run.slotBytes + " = " +
              (ownMemory ? name_ + "_slot" + suffix + "(" + arguments + ")" : "0") + ";");
    text.line("char *const " + run.slots + " = " + (ownMemory ? run.workspace : "NULL") + ";");
    if (ownMemory)
      text.line(run.workspace + " += " + std::to_string(options_.threads) + " * " + run.slotBytes +
                ";");
    return text.take();
  }

  // How many bytes the allocs of `sizes` take.
  void bytes(const ir::Kernel& code, ir::Block sizes, const std::string& what,
             const std::string& more) {
    std::set<std::string> used;
    ir::forEachStatement(sizes, [&](const ir::Stmt& stmt) {
      if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node))
        for (const affine::Expr& size : code.tensors[alloc->tensor].shape)
          for (std::string& symbol : size.symbols()) used.insert(std::move(symbol));
    });
    const ir::Kernel only = ir::withBody(code, withoutUnused(std::move(sizes), used));
    Signature signature(contract_);
    RunNames run(signature.names);
    KernelScope scope(only, signature, prelude_);
    const std::string body = sizeStatements(only, scope, prelude_, options_, run.workspace);
    scope.function(out_, "static int64_t " + own(what) + "(" + signature.declarations() + ")",
                   "int64_t " + run.workspace + " = 0;", body,
                   "return " + run.workspace + more + ";");
  }

  // The choice by what the CPU has, the best first.
  void dispatch() {
    Signature signature(contract_);
    bool heap = anyUsesHeap(kernel_);
    std::string workspace = RunNames(signature.names).workspace;
    auto choose = [&](const std::string& head, const std::string& what, const std::string& none) {
      out_.open(head + own(what) + "(" + signature.declarations() +
                (heap && what == "_run" ? ", char *" + workspace : "") + ") {");
      for (size_t i = kernel_.codes.size(); i-- > 0;) {
        const TargetCode& code = kernel_.codes[i];
        std::string suffix = targetSuffix(*code.target, options_);
        bool takes = usesHeap(code.code->body), run = what == "_run";
        std::string call = name_ + what + suffix + "(" + signature.arguments() +
                           (run && takes ? ", " + workspace : "") + ")";
        if (what == "_bytes" && !takes) call = "0";
        std::string line = run ? call + ";" : "return " + call + ";";
        if (i > 0) {
          out_.open("if (" + cpuHas(*code.target) + ") {");
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
    choose("static void ", "_run",
           heap && !usesHeap(kernel_.codes[0].code->body) ? "(void)" + workspace + ";" : "");
    if (heap) choose("static int64_t ", "_bytes", "");
    if (isShort_) choose("static inline einc_status ", "_dense", "");
  }

  void publicFunctions() {
    Signature signature(contract_);
    std::string declarations = signature.declarations(), arguments = signature.arguments();
    std::string status = "status";
    out_.open("einc_status " + name_ + "_supported(" + declarations + ") {");
    out_.line("return " + check_ + ";").close().line();
    out_.raw(explainText(kernel_, options_, prelude_,
                         {name_ + "_supported(" + arguments + ")",
                          isShort_ ? name_ + "_is_dense(" + arguments + ")" : ""}));
    std::string any = isShort_ ? "static __attribute__((noinline)) einc_status " + own("_checked")
                               : "einc_status " + name_;
    any += "(" + declarations + ") {";
    if (needsWorkspace(contract_)) {
      givenWorkspace(signature, status);
      inArena(status);
    }
    if (anyUsesHeap(kernel_)) {
      withWorkspace(signature, status, any);
    } else {
      out_.open(any);
      out_.line("const einc_status " + status + " = " + check_ + ";");
      out_.line("if (" + status + " == EINC_OK) " + name_ + "_run(" + arguments + ");");
      out_.line("return " + status + ";").close().line();
    }
    if (isShort_) denseFirst(declarations, arguments);
    out_.raw(promises_.pointersText());
    std::string mlir = "_mlir_ciface_" + options_.prefix + contract_.name;
    out_.open("void " + mlir + "(" + signature.mlirDeclarations() + ") {");
    out_.line("(void)" + name_ + "(" + arguments + ");").close();
  }

  // Short kernels: arguments without gaps before all else.
  void denseFirst(const std::string& declarations, const std::string& arguments) {
    out_.open("einc_status " + name_ + "(" + declarations + ") {");
    out_.line("if (" + runs_ + name_ + "_is_dense(" + arguments + ")" +
              promises_.tests(/*strides=*/false) + ") return " + name_ + "_dense(" + arguments +
              ");");
    out_.line("return " + name_ + "_checked(" + arguments + ");").close().line();
  }

  void withWorkspace(Signature& signature, const std::string& status, const std::string& any) {
    std::string arguments = signature.arguments();
    std::string needed = signature.names.make("needed"), memory = signature.names.make("memory");
    std::string none = signature.names.make("none");

    out_.open(any);
    out_.line("const einc_status " + status + " = " + check_ + ";");
    out_.line("uint64_t " + needed + ";").line("char *" + memory + ", " + none + ";");
    out_.line("if (" + status + " != EINC_OK) return " + status + ";");
    out_.line(needed + " = (uint64_t)" + name_ + "_bytes(" + arguments + ");");
    out_.open("if (" + needed + " == 0) {");
    out_.line(name_ + "_run(" + arguments + ", &" + none + ");").line("return EINC_OK;").close();
    out_.line(memory + " = " + prelude_.need("allocate") + "(" + needed + " + 64);");
    out_.line("if (" + memory + " == NULL) return EINC_OUT_OF_MEMORY;");
    out_.line(name_ + "_run(" + arguments + ", " + memory + " + (64 - (uintptr_t)" + memory +
              " % 64));");
    out_.line("__builtin_free(" + memory + ");");
    out_.line("return EINC_OK;").close().line();
  }

  // Locals may have become part of other ops; then it takes no bytes.
  void givenWorkspace(Signature& signature, const std::string& status) {
    std::string declarations = signature.declarations(), arguments = signature.arguments();
    std::string workspace = signature.names.make("workspace"),
                bytes = signature.names.make("bytes");
    bool heap = anyUsesHeap(kernel_);
    std::string needed = heap ? name_ + "_bytes(" + arguments + ")" : "0";
    out_.open("einc_status " + name_ + "_workspace(" + declarations + ", int64_t *" + bytes +
              ") {");
    out_.line("const einc_status " + status + " = " + check_ + ";");
    out_.line("if (" + bytes + " == NULL) return EINC_BAD_WORKSPACE;");
    out_.line("if (" + status + " == EINC_OK) *" + bytes + " = " + needed + ";");
    out_.line("return " + status + ";").close().line();

    out_.open("einc_status " + name_ + "_with_workspace(" + declarations + ", void *" + workspace +
              ", int64_t " + bytes + ") {");
    out_.line("const einc_status " + status + " = " + check_ + ";");
    out_.line("if (" + status + " != EINC_OK) return " + status + ";");
    out_.line("if (" + bytes + " < " + needed + ") return EINC_BAD_WORKSPACE;");
    out_.line("if (" + bytes + " > 0 && (" + workspace + " == NULL || (uintptr_t)" + workspace +
              " % 64 != 0)) return EINC_BAD_WORKSPACE;");
    out_.line(name_ + "_run(" + arguments + (heap ? ", (char *)" + workspace : "") + ");");
    out_.line("return EINC_OK;").close().line();
  }

  void inArena(const std::string& status) {
    Signature signature(contract_);
    const std::string declarations = signature.declarations(), arguments = signature.arguments(),
                      arena = signature.names.make("arena"), bytes = signature.names.make("bytes"),
                      memory = signature.names.make("memory");
    out_.open("einc_status " + name_ + "_in_arena(" + declarations + ", einc_arena *" + arena +
              ") {");
    out_.line("int64_t " + bytes + ";").line("void *" + memory + " = NULL;");
    out_.line("einc_status " + status + " = " + name_ + "_workspace(" + arguments + ", &" + bytes +
              ");");
    out_.line("if (" + status + " != EINC_OK) return " + status + ";");
    out_.line("if (" + arena + " == NULL) return EINC_BAD_WORKSPACE;");
    out_.line("if (" + bytes + " > 0) " + memory + " = " + arena + "->take(" + arena + ", " +
              bytes + ");");
    out_.line("if (" + bytes + " > 0 && " + memory + " == NULL) return EINC_OUT_OF_MEMORY;");
    out_.line(status + " = " + name_ + "_with_workspace(" + arguments + ", " + memory + ", " +
              bytes + ");");
    out_.line("if (" + memory + " != NULL) " + arena + "->give(" + arena + ", " + memory + ");");
    out_.line("return " + status + ";").close().line();
  }

  const KernelCode& kernel_;
  const ir::Kernel& contract_;
  const COptions& options_;
  Prelude& prelude_;
  Promises promises_;
  std::string name_, check_;  // of the kernel; what gives the status of a call
  std::string runs_;          // whether the CPU is known to run some of the code, and what follows
  const bool isShort_;
  TextWriter out_;
};

}  // namespace

bool isExternal(const KernelCode& kernel) { return kernel.contract->libraryCall.has_value(); }

bool needsWorkspace(const ir::Kernel& kernel) {
  return !kernel.libraryCall &&
         std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                     [](const ir::Tensor& t) { return t.role == ir::Role::Local; });
}

std::string runText(const KernelCode& kernel, const TargetCode& code, const COptions& options,
                    Prelude& prelude, VectorPrelude& vectors) {
  return KernelWriter(kernel, options, prelude).loopsFor(code, vectors);
}

std::string forwardText(const KernelCode& kernel, const COptions& options, Prelude& prelude) {
  return KernelWriter(kernel, options, prelude).forward();
}

std::string checkText(const ir::Kernel& contract, const COptions& options, Prelude& prelude) {
  const KernelCode kernel{&contract, {}};
  return KernelWriter(kernel, options, prelude).checked();
}

std::string kernelText(const KernelCode& kernel, const COptions& options, Prelude& prelude) {
  return KernelWriter(kernel, options, prelude).run();
}

}  // namespace einc::emit
