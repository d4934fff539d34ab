// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/device.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "compiler/emit/c/body.h"
#include "compiler/emit/c/checks.h"
#include "compiler/emit/c/kernel.h"
#include "compiler/emit/c/rounds.h"
#include "compiler/emit/c/scope.h"
#include "compiler/emit/c/types.h"
#include "compiler/emit/text/comment.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/signature.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {

// ---- The host's statements ----------------------------------------------------------------------

// A buffer that lives as long as the run.
void BodyWriter::temporary(unsigned tensor, const std::string& elements) {
  out_.line("const einc_vk_range " + scope_.data(tensor) + " = " + prelude_.need("temporary") +
            "(" + device_->run + ", " + (elements.empty() ? "1" : elements) + ", " +
            std::to_string(ir::info(kernel_.tensors[tensor].type).bytes()) + ");");
}

std::string BodyWriter::constantCall(const ShaderConstant& constant) {
  using Kind = ShaderConstant::Kind;
  std::string to = "(" + device_->run + ", " + std::to_string(constant.offset) + ", ";
  std::string operand = "&" + device_->operands[constant.tensor];
  switch (constant.kind) {
    case Kind::Base:
      return "";  // the runtime's
    case Kind::Symbol:
      return prelude_.need("push_index") + to +
             printer_.index(affine::Expr::symbol(constant.symbol)) + ");";
    case Kind::Offset:
      return prelude_.need("push_index") + to + operand.substr(1) + ".offset);";
    case Kind::Stride:
      return prelude_.need("push_stride") + to + operand + ", " +
             scope_.argumentSize(constant.tensor, constant.dim) + ", " +
             scope_.stride(constant.tensor, constant.dim) + ");";
    case Kind::Attribute:
      break;
  }
  const ir::TypeInfo& type = ir::info(constant.type);
  std::string kind = type.isFloat() ? "f" : type.isSigned() ? "i" : "u";
  return prelude_.need("push_" + kind + (type.bits == 64 ? "64" : "32")) + to +
         scope_.attributeElement(constant.attribute) + ");";
}

namespace {

// The products of sizes in an expression, those in quotients included, that the host knows: with
// 32 bits a shader computes what is not beyond them.
void addProducts(const affine::Expr& e, const std::set<std::string>& inside,
                 std::vector<affine::Expr>& to) {
  for (const affine::Term& term : e.terms()) {
    affine::Expr product = affine::Expr::constant(std::abs(std::max(term.coefficient, -INT64_MAX)));
    size_t sizes = 0;
    for (const affine::Atom& atom : term.factors) {
      if (atom.div) {
        addProducts(atom.div->dividend, inside, to);
        addProducts(atom.div->divisor, inside, to);
      } else if (atom.kind == affine::Atom::Kind::Symbol && inside.count(atom.name) == 0) {
        product = product * affine::Expr::symbol(atom.name);
        ++sizes;
      }
    }
    if (sizes > 1 && !llvm::is_contained(to, product)) to.push_back(product);
  }
}

// Up to what the shader's loops count, a round more than their extents included, as far as the host
// knows it: the rest is below that.
std::vector<affine::Expr> mostOf(const ir::Dispatch& dispatch) {
  int64_t invocations = 1;
  for (int64_t n : dispatch.invocations) invocations *= n;
  std::set<std::string> inside;
  std::vector<affine::Expr> result;
  auto add = [&](const affine::Expr& extent, const affine::Expr& step) {
    std::vector<std::string> names = extent.symbols();
    bool known = !extent.hasIterators() && llvm::none_of(names, [&](const std::string& name) {
      return inside.count(name) != 0;
    });
    affine::Expr most = extent + step * affine::Expr::constant(invocations);
    bool fits = most.asConstant().value_or(INT64_MAX) <= INT32_MAX;
    if (known && !fits && !llvm::is_contained(result, most)) result.push_back(most);
  };
  ir::forEachStatement(dispatch.body, [&](const ir::Stmt& stmt) {
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) {
      inside.insert(bound->name);
      for (const affine::Expr& e : bound->of) addProducts(e, inside, result);
    }
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) add(loop->extent, affine::Expr::constant(1));
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
      add(loop->extent, loop->step.asConstant() ? loop->step : affine::Expr());
      inside.insert(loop->var);
      inside.insert(loop->size);
    }
  });
  return result;
}

}  // namespace

void BodyWriter::operator()(const ir::Dispatch& dispatch) {
  auto shader = llvm::find_if(*device_->shaders,
                              [&](const Shader& s) { return s.dispatch == dispatch.name; });
  size_t number = device_->first + static_cast<size_t>(shader - device_->shaders->begin());
  std::string run = device_->run;
  out_.line("/* " + shader->name + " */");
  out_.line(prelude_.need("dispatch") + "(" + run + ", " + std::to_string(number) + ", " +
            joined(shader->workgroups, ", ",
                   [&](const affine::Expr& count) { return printer_.index(count); }) +
            ");");
  for (const affine::Expr& most : mostOf(dispatch))
    out_.line(prelude_.need("counts") + "(" + run + ", " + printer_.index(most) + ");");
  auto rounds = roundsOf(
      kernel_, dispatch, [&](const affine::Expr& e) { return printer_.index(e); }, prelude_);
  if (rounds) out_.line(prelude_.need("rounds") + "(" + run + ", " + *rounds + ");");
  for (const ShaderBuffer& buffer : shader->buffers) {
    bool isLocal = kernel_.tensors[buffer.tensor].role == ir::Role::Local;
    out_.line(prelude_.need("bind") + "(" + run + ", " +
              (isLocal ? scope_.data(buffer.tensor) : device_->operands[buffer.tensor] + ".range") +
              ");");
  }
  for (const ShaderConstant& constant : shader->constants)
    if (std::string call = constantCall(constant); !call.empty()) out_.line(call);
  if (shader->constantsInBuffer)
    out_.line(prelude_.need("bind_constants") + "(" + run + ", " +
              std::to_string(shader->constantBytes) + ");");
}

namespace {

// ---- Functions of a kernel ----------------------------------------------------------------------

class DeviceWriter {
 public:
  DeviceWriter(const DeviceCode& kernel, const COptions& options, size_t first, Prelude& prelude)
      : kernel_(kernel),
        contract_(*kernel.contract),
        options_(options),
        first_(first),
        prelude_(prelude),
        name_(functionName(contract_.name, options.prefix)) {}

  std::string run() {
    std::string text = contract_.name;
    if (!contract_.doc.empty()) text += "\n\n" + contract_.doc;
    out_.raw("/*\n" + commentLines(text + "\n\n" + kernel_.schedule, " * ") + " */\n");
    out_.raw(checkText(contract_, options_, prelude_));
    record();
    submit();
    publicFunctions();
    return plain(out_.take());
  }

 private:
  // Arguments that are bound, or whose place in memory is pushed.
  std::set<unsigned> operands() const {
    std::set<unsigned> result;
    for (const Shader& shader : *kernel_.shaders) {
      for (const ShaderBuffer& buffer : shader.buffers) result.insert(buffer.tensor);
      for (const ShaderConstant& constant : shader.constants)
        if (constant.kind == ShaderConstant::Kind::Offset ||
            constant.kind == ShaderConstant::Kind::Stride)
          result.insert(constant.tensor);
    }
    std::erase_if(result,
                  [&](unsigned t) { return !ir::isArgument(kernel_.code->tensors[t].role); });
    return result;
  }

  void record() {
    const ir::Kernel& code = *kernel_.code;
    Signature signature(contract_);
    RunNames unused(signature.names);
    DeviceNames device{kernel_.shaders, first_, reference(signature.names.make("run")), {}};
    KernelScope scope(code, signature, prelude_);
    device.operands.resize(code.tensors.size());
    TextWriter operandLines;
    operandLines.indent();
    for (unsigned t : operands()) {
      device.operands[t] = reference(signature.names.make(code.tensors[t].name + "_on"));
      operandLines.line("const einc_operand " + device.operands[t] + " = " +
                        prelude_.need("operand") + "_of(" + device.run + ", " + scope.tensor(t) +
                        "->allocated, " + viewOf(scope, t) + ");");
    }
    VectorPrelude vectors("", {}, false, {});
    BodyWriter writer(code, scope, prelude_, vectors, options_.plant, name_, unused);
    writer.onDevice(device);
    std::string body = operandLines.take() + writer.run();
    const bool isUsed = referencesIn(body).count(device.run) != 0;
    std::string first = isUsed ? "" : "(void)" + device.run + ";";
    scope.function(out_,
                   "static void " + name_ + "_record(" + prelude_.need("run") + " *" + device.run +
                       ", " + signature.declarations() + ")",
                   first, body, "");
  }

  std::string viewOf(const KernelScope& scope, unsigned tensor) {
    const std::string name = scope.tensor(tensor);
    size_t rank = kernel_.code->tensors[tensor].shape.size();
    return "(einc_view)" + viewText(prelude_, name, rank);
  }

  // Descriptors of its own, whose data are numbers that stand for buffers.
  void submit() {
    Signature signature(contract_);
    std::string kernels = signature.names.make("kernels"), run = signature.names.make("run"),
                event = signature.names.make("event");
    out_.open("static einc_status " + name_ + "_submit(" + deviceLibraryName(options_) +
              "_kernels *" + kernels + ", " + signature.declarations() + ", einc_vk_event **" +
              event + ") {");
    std::vector<std::string> passed, nulls;
    TextWriter copies;
    copies.indent();
    for (const Parameter& p : signature.parameters()) {
      auto tensor = tensorOf(signature, p);
      passed.push_back(p.name);
      if (!tensor) continue;
      std::string copy = signature.names.make(p.name + "_copy");
      passed.back() = "&" + copy;
      nulls.push_back(p.name + " == NULL");
      const ir::Tensor& t = contract_.tensors[*tensor];
      out_.line(descriptorType(t) + " " + copy + ";");
      copies.line(copy + " = *" + p.name + ";");
      copies.line(copy + ".aligned = (" + std::string(ir::info(t.type).cType) +
                  " *)(uintptr_t)einc_vk_buffer_address((const einc_vk_buffer *)(const void *)" +
                  p.name + "->allocated);");
    }
    out_.line("einc_run " + run +
              " = {NULL, EINC_OK, NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL, 0, 0};");
    out_.line("if (" + kernels + " == NULL) return EINC_VK_BAD_ARGUMENT;");
    out_.line("if (" + joined(nulls, " || ") + ") return EINC_NULL_DESCRIPTOR;");
    out_.raw(copies.take());
    std::string arguments = joined(passed);
    out_.line(run + ".kernels = &" + kernels + "->all;");
    out_.line(run + ".status = " + name_ + "_check(" + arguments + ");");
    out_.line("if (" + run + ".status == EINC_OK) " + name_ + "_record(&" + run + ", " + arguments +
              ");");
    out_.line("return einc_submit(&" + run + ", " + event + ");").close().line();
  }

  std::optional<unsigned> tensorOf(const Signature& signature, const Parameter& parameter) const {
    for (unsigned t = 0; t < contract_.tensors.size(); ++t)
      if (ir::isArgument(contract_.tensors[t].role) && signature.tensor(t) == parameter.name)
        return t;
    return std::nullopt;
  }

  void publicFunctions() {
    Signature signature(contract_);
    std::string kernels = signature.names.make("kernels"), event = signature.names.make("event");
    std::vector<Prototype> prototypes = devicePrototypesOf(contract_, options_);
    std::string submitted =
        "return " + name_ + "_submit(" + kernels + ", " + signature.arguments() + ", ";
    out_.open(prototypes[0].text() + " {");
    out_.line("if (" + event + " == NULL) return EINC_VK_BAD_ARGUMENT;");
    out_.line(submitted + event + ");").close().line();
    out_.open(prototypes[1].text() + " {").line(submitted + "NULL);").close();
  }

  const DeviceCode& kernel_;
  const ir::Kernel& contract_;
  const COptions& options_;
  size_t first_;
  Prelude& prelude_;
  std::string name_;
  TextWriter out_;
};

// ---- Shaders ------------------------------------------------------------------------------------

std::string wordsText(const std::vector<uint32_t>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    char word[16];
    std::snprintf(word, sizeof word, "0x%08x", words[i]);
    text += i % 8 == 0 ? "    " : " ";
    text += word;
    text += i + 1 == words.size() || i % 8 == 7 ? ",\n" : ",";
  }
  return text;
}

std::string spirvText(const DeviceCode& kernel, size_t shader, size_t number) {
  const Shader& s = (*kernel.shaders)[shader];
  std::string size = joined(s.invocations, " x ", [](int64_t n) { return std::to_string(n); });
  if (s.choosesSize) size = "at most " + std::to_string(s.invocations[0]);
  std::string comment = s.name + ", in workgroups of " + size + ": dispatch '" + s.dispatch +
                        "' of " + kernel.contract->name + "\n\n" + kernel.schedule;
  return "\n/*\n" + commentLines(comment, " * ") + " */\nstatic const uint32_t einc_spirv_" +
         std::to_string(number) + "[] = {\n" + wordsText((*kernel.modules)[shader]) + "};\n";
}

std::string featureBits(const Shader& shader) {
  return shader.features.empty() ? "0"
                                 : joined(shader.features, " | ", [](const std::string& feature) {
                                     return "EINC_VK_" + llvm::StringRef(feature).upper();
                                   });
}

// The initialiser of an einc_shader.
std::string shaderText(const Shader& shader, size_t number) {
  std::string words = "einc_spirv_" + std::to_string(number);
  uint32_t written = 0;
  for (size_t i = 0; i < shader.buffers.size() && i < 32; ++i)
    if (shader.buffers[i].isWritten) written |= uint32_t{1} << i;
  auto base = llvm::find_if(shader.constants, [](const ShaderConstant& c) {
    return c.kind == ShaderConstant::Kind::Base;
  });
  bool splits = base != shader.constants.end();
  TextWriter out;
  out.indent().indent();
  out.open("{/* " + shader.name + " */");
  out.line("{.spirv = " + words + ",").indent();
  out.line(".spirv_bytes = sizeof " + words + ",");
  out.line(".buffer_count = " +
           std::to_string(shader.buffers.size() + (shader.constantsInBuffer ? 1 : 0)) + ",");
  out.line(".written = " + std::to_string(written) + "u,");
  out.line(".push_bytes = " + std::to_string(shader.pushBytes) + ",");
  out.line(".splits = " + std::string(splits ? "1" : "0") + ",");
  out.line(".base_offset = " + std::to_string(splits ? base->offset : 0) + ",");
  out.line(".workgroup_size = {" +
           joined(shader.invocations, ", ", [](int64_t n) { return std::to_string(n); }) + "},");
  out.line(".shared_bytes = " + std::to_string(shader.sharedBytes) + ",");
  out.line(".features = " + featureBits(shader) + "},").dedent();
  out.line(std::to_string(shader.constantBytes) + ", " + (shader.choosesSize ? "1" : "0") + "},");
  out.dedent();
  return out.take();
}

std::string shadersText(const std::vector<DeviceCode>& kernels, size_t count) {
  std::string arrays, entries;
  size_t number = 0;
  for (const DeviceCode& kernel : kernels)
    for (size_t i = 0; i < kernel.shaders->size(); ++i, ++number) {
      arrays += spirvText(kernel, i, number);
      entries += shaderText((*kernel.shaders)[i], number);
    }
  if (entries.empty()) entries = "    {{.spirv = NULL}, 0, 0},\n";
  return arrays + "\nstatic const einc_shader einc_shaders[" + std::to_string(count) + "] = {\n" +
         entries + "};\n";
}

// The library's own type and functions.
std::string libraryText(const COptions& options, size_t count) {
  std::string library = deviceLibraryName(options), type = library + "_kernels";
  TextWriter out;
  out.line().open("struct " + type + " {").line("einc_kernels all;");
  out.line("einc_vk_kernel *made[" + std::to_string(count) + "];");
  out.line("einc_vk_buffer *spare[EINC_SPARE];").close("};").line();
  out.open("einc_status " + library + "_create(einc_vk_context *context, " + type +
           " **kernels) {");
  out.line(type + " *made;").line("einc_status status;");
  out.line("if (context == NULL || kernels == NULL) return EINC_VK_BAD_ARGUMENT;");
  out.line("made = (" + type + " *)calloc(1, sizeof *made);");
  out.line("if (made == NULL) return EINC_OUT_OF_MEMORY;");
  out.line("status = einc_vk_buffer_create(context, 0, &made->all.none);");
  out.open("if (status != EINC_OK) {").line("free(made);").line("return status;").close();
  out.line("made->all.context = context;").line("made->all.shaders = einc_shaders;");
  out.line("made->all.made = made->made;").line("made->all.spare = made->spare;");
  out.line("*kernels = made;").line("return EINC_OK;");
  out.close().line();
  out.open("void " + library + "_free(" + type + " *kernels) {").line("size_t i;");
  out.line("if (kernels == NULL) return;");
  out.line("for (i = 0; i < " + std::to_string(count) +
           "; ++i) einc_vk_kernel_free(kernels->made[i]);");
  out.line("for (i = 0; i < EINC_SPARE; ++i) einc_vk_buffer_free(kernels->spare[i]);");
  out.line("einc_vk_buffer_free(kernels->all.none);").line("free(kernels);").close().line();
  return out.take();
}

const char* const kIncludes =
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    "#include \"runtime/vulkan/vk.h\"\n\n";

}  // namespace

std::string deviceLibraryName(const COptions& options) {
  std::string name = options.prefix + options.library;
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  if (llvm::isDigit(name[0])) name.insert(0, "lib");
  return mangled(name + "_vulkan");
}

Result<std::string> emitDeviceC(const std::vector<DeviceCode>& kernels, const COptions& options) {
  if (auto reason = findDeviceNameClash(kernels, options)) return *reason;
  Prelude prelude;
  prelude.need("run");
  std::string functions, prototypes = deviceLibraryDeclarations(options);
  std::vector<const ir::Kernel*> contracts;
  size_t count = 0;
  std::string comment = options.library + ".c: generated by einc. Do not edit.\n\nKernels:";
  for (const DeviceCode& kernel : kernels) {
    comment += " " + functionName(kernel.contract->name, options.prefix);
    contracts.push_back(kernel.contract);
    functions += "\n" + DeviceWriter(kernel, options, count, prelude).run();
    for (const Prototype& prototype : devicePrototypesOf(*kernel.contract, options))
      prototypes += prototype.text() + ";\n";
    count += kernel.shaders->size();
  }
  size_t room = std::max<size_t>(count, 1);
  return "/*\n" + commentLines(comment, " * ") + " */\n" + kIncludes + statusType() +
         descriptorTypes(contracts, {}) + "\n" + prelude.text() + prototypes +
         shadersText(kernels, room) + libraryText(options, room) + functions;
}

}  // namespace einc::emit
