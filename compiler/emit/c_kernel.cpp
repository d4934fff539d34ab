// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c_kernel.h"

#include <algorithm>
#include <map>

#include "compiler/emit/c_checks.h"
#include "compiler/emit/c_scope.h"
#include "compiler/emit/signature.h"
#include "compiler/ir/print.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

// Statements at hardware level as C.
class BodyWriter {
 public:
  BodyWriter(const ir::Kernel& code, KernelScope& scope, Prelude& prelude, const std::string& plant)
      : kernel_(code), scope_(scope), plant_(plant), printer_(names_, prelude) {
    names_.index = [this](const affine::Atom& atom) { return scope_.indexName(atom); };
    names_.attribute = [this](const ir::AttributeRef& r) { return scope_.attributeElement(r); };
    names_.variable = [this](const std::string& name) { return scope_.local(name); };
    names_.element = [this](unsigned t, const auto& index) { return element(t, index); };
    names_.inside = [this](unsigned t, const auto& index) { return inside(t, index); };
  }

  std::string run() {
    out_.indent();
    block(kernel_.body);
    return out_.take();
  }

  void operator()(const ir::StructuredOp&) {}  // none at this level, the verifier says
  void operator()(const ir::Alloc& alloc) {
    const ir::Tensor& tensor = kernel_.tensors[alloc.tensor];
    std::string type(ir::info(tensor.type).cType);
    std::string elements = joined(tensor.shape, " * ", [&](const affine::Expr& size) {
      return wrapped(printer_.index(size));
    });
    out_.line(type + " *const " + scope_.data(alloc.tensor) + " = (" + type + " *)" + kNext + ";");
    out_.line(std::string(kNext) + " += (" + (elements.empty() ? "" : elements + " * ") +
              std::to_string(ir::info(tensor.type).bytes()) + " + 63) / 64 * 64;");
  }
  void operator()(const ir::For& loop) {
    std::string var = scope_.local(loop.var), extent = printer_.index(loop.extent);
    bool innermost = std::none_of(loop.body.begin(), loop.body.end(), [](const ir::Stmt& s) {
      return std::holds_alternative<ir::For>(s.node);
    });
    if (plant_ == "drop-last" && innermost) extent += " - 1";
    std::string less = plant_ == "off-by-one" && innermost ? " <= " : " < ";
    out_.open("for (int64_t " + var + " = 0; " + var + less + extent + "; ++" + var + ") {");
    extents_[loop.var] = loop.extent;
    block(loop.body);
    out_.close();
  }
  void operator()(const ir::Let& let) {
    bool loadsOutput = std::holds_alternative<ir::Load>(let.value->node);
    std::string value = plant_ == "no-init" && loadsOutput ? "0" : printer_.value(let.value);
    out_.line(valueType(let.value->type) + " " + scope_.local(let.name) + " = " + value + ";");
  }
  void operator()(const ir::Assign& assign) {
    out_.line(scope_.local(assign.name) + " = " + narrowed(assign.value) + ";");
  }
  void operator()(const ir::Store& store) {
    ir::ScalarType type = kernel_.tensors[store.tensor].type;
    out_.line(element(store.tensor, store.index) + " = " +
              printer_.toStorage(type, printer_.value(store.value)) + ";");
  }

  template <typename Node>
  void operator()(const Node&) {}

  static constexpr const char* kNext = "workspace";

 private:
  void block(const ir::Block& statements) {
    for (const ir::Stmt& stmt : statements) std::visit(*this, stmt.node);
  }

  // C computes narrow integers as ints; the value fits, and the cast says so.
  std::string narrowed(const ir::ValueRef& value) const {
    std::string text = printer_.value(value);
    const ir::TypeInfo& type = ir::info(value->type);
    bool narrow = type.isInteger() && type.bits < 32;
    return narrow ? "(" + std::string(type.cType) + ")" + wrapped(text) : text;
  }

  std::string element(unsigned tensor, const std::vector<affine::Expr>& index) const {
    const ir::Tensor& t = kernel_.tensors[tensor];
    std::string position;
    if (t.role == ir::Role::Local) {
      for (size_t d = 0; d < index.size(); ++d) {
        std::string next = wrapped(printer_.index(index[d]));
        std::string size = wrapped(printer_.index(t.shape[d]));
        position = d == 0 ? next : wrapped(position) + " * " + size + " + " + next;
      }
      return scope_.data(tensor) + "[" + (position.empty() ? "0" : position) + "]";
    }
    if (plant_ != "wrong-offset") position = scope_.offset(tensor);
    for (unsigned d = 0; d < index.size(); ++d) {
      bool swap =
          plant_ == "swap-strides" && t.role == ir::Role::Input && index.size() > 1 && d < 2;
      std::string stride = scope_.stride(tensor, swap ? 1 - d : d);
      std::string next = wrapped(printer_.index(index[d])) + " * " + stride;
      position += position.empty() ? next : " + " + next;
    }
    return scope_.data(tensor) + "[" + (position.empty() ? "0" : position) + "]";
  }

  // Dimensions whose index runs over the very size need no condition.
  std::string inside(unsigned tensor, const std::vector<affine::Expr>& index) const {
    std::vector<std::string> conditions;
    for (size_t d = 0; d < index.size(); ++d) {
      const affine::Expr& size = kernel_.tensors[tensor].shape[d];
      if (auto var = index[d].asIterator();
          var && extents_.count(*var) && extents_.at(*var) == size)
        continue;
      std::string position = wrapped(printer_.index(index[d]));
      conditions.push_back(position + " >= 0");
      conditions.push_back(position + " < " + wrapped(printer_.index(size)));
    }
    return conditions.empty()       ? "1"
           : conditions.size() == 1 ? conditions[0]
                                    : joined(conditions, " && ");
  }

  const ir::Kernel& kernel_;
  KernelScope& scope_;
  const std::string& plant_;
  ValueNames names_;
  ValuePrinter printer_;
  std::map<std::string, affine::Expr> extents_;  // of loops so far
  TextWriter out_;
};

class KernelWriter {
 public:
  KernelWriter(const KernelCode& kernel, const COptions& options, Prelude& prelude)
      : contract_(*kernel.contract),
        code_(*kernel.code),
        options_(options),
        prelude_(prelude),
        name_(functionName(contract_.name, options.prefix)) {}

  std::string run() {
    comment();
    check();
    loops();
    publicFunctions();
    return out_.take();
  }

 private:
  void comment() {
    std::string text = contract_.name;
    if (!contract_.doc.empty()) text += "\n\n" + contract_.doc;
    text += "\n";
    for (const ir::Stmt& stmt : contract_.body) text += "\n" + ir::printStatement(contract_, stmt);
    out_.raw("/*\n" + commentLines(text, " * ") + " */\n");
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

  void loops() {
    Signature signature(contract_);
    signature.names.make(BodyWriter::kNext);
    KernelScope scope(contract_, signature, prelude_);
    std::string body = BodyWriter(code_, scope, prelude_, options_.plant).run();
    std::string parameters = signature.declarations();
    if (needsWorkspace(contract_)) parameters += std::string(", char *") + BodyWriter::kNext;
    function("static void " + name_ + "_run(" + parameters + ")", scope, "", body, signature, "");
  }

  void publicFunctions() {
    Signature signature(contract_);
    std::string declarations = signature.declarations(), arguments = signature.arguments();
    std::string status = "status";
    out_.open("einc_status " + name_ + "_supported(" + declarations + ") {");
    out_.line("return " + name_ + "_check(" + arguments + ");").close().line();
    if (needsWorkspace(contract_)) {
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

    Signature inner(contract_);
    KernelScope scope(contract_, inner, prelude_);
    std::string range = "return " + workspaceRange(contract_, scope, prelude_) + ".low;";
    function("static int64_t " + name_ + "_bytes(" + inner.declarations() + ")", scope, "",
             "  " + range + "\n", inner, "");

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

  const ir::Kernel& contract_;
  const ir::Kernel& code_;
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

std::string kernelText(const KernelCode& kernel, const COptions& options, Prelude& prelude) {
  return KernelWriter(kernel, options, prelude).run();
}

}  // namespace einc::emit
