// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/header.h"

#include <algorithm>
#include <map>

#include "compiler/emit/c/external.h"
#include "compiler/emit/c/kernel.h"
#include "compiler/emit/c/overloads.h"
#include "compiler/emit/c/promises.h"
#include "compiler/emit/c/types.h"
#include "compiler/emit/text/comment.h"
#include "compiler/emit/text/signature.h"
#include "compiler/emit/text/stored.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/print.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

const char* const kContract =
    R"(Sizes, strides and offsets count elements. A tensor's element (i, j) is at
aligned[offset + i * strides[0] + j * strides[1]]; `allocated` is not used. Strides may be zero or
negative on inputs. An output must not overlap itself or another tensor; an input may be the very same
view as an output where each element is read last in the iteration that overwrites it.

A kernel checks its arguments before it touches data, and returns EINC_OK or the status that says
what is wrong (einc_status_string explains it), with the outputs untouched.
Kernels hold no state: they may be called from many threads at once.

NAME_supported checks the arguments and touches nothing. NAME_explain says what would run for them,
and why: the code for which CPU, whether a library is called, which form the strides and sizes lead
to, a line each; or what is wrong, as einc_status_string. It touches no data. The text is for
people, never NULL, and valid until the thread's next call of the function.

Where a def has local tensors, NAME allocates memory for them; NAME_workspace says how many bytes
they take, NAME_with_workspace takes that memory from its caller, aligned to 64 bytes, and
NAME_in_arena from an arena, which may keep it from call to call (runtime/arena.h).
_mlir_ciface_NAME is for callers compiled by MLIR; it cannot report a status.

From C++17 on, NAME and the others also take C++ arrays, vectors, spans, einc::view(pointer, sizes...),
and all that has extent(i), stride(i) and data_handle(), as std::mdspan and einc::MemRef do, in place of
descriptors; they are at the end. Another rank or another element type does not compile. With
einc::throwing as their first argument, NAME, NAME_with_workspace and NAME_in_arena throw an
einc::Error.

f16 and bf16 are passed as uint16_t, bool as uint8_t (0 is false, all else true; written as 0 or 1).

Floating point: every operation is rounded once to its type (f16 and bf16: computed in f32, then
rounded), but see the beginning of the C file for products that are added, and for sums.)";

std::string shapeText(const ir::Tensor& tensor) {
  return std::string(ir::info(tensor.type).name) + "(" +
         joined(tensor.shape, ", ", [](const affine::Expr& e) { return e.str(); }) + ")";
}

const char* const kContiguous =
    R"(Compiled for tensors whose neighbours along the last dimension are neighbours in memory
(--strides=contiguous): where that has more than one position and another stride, a kernel returns
EINC_BAD_STRIDE.)";

std::string alignedText(int64_t bytes) {
  return "Compiled for tensors whose first elements are at multiples of " + std::to_string(bytes) +
         " bytes (--align=" + std::to_string(bytes) +
         "): for\nothers a kernel returns EINC_MISALIGNED.";
}

const char* const kPointers =
    R"(Where all sizes of a def are known, NAME_pointers takes a pointer for each tensor, to its elements
row by row without gaps.)";

const char* const kStored =
    R"(i4 and u4 have two elements in a byte, the first in its lower half: element n of aligned is in byte n / 2.
f8e4m3 and f8e5m2 are passed as uint8_t.)";

const char* const kExternals =
    R"(Functions that this library calls and does not have: write them, with this header, and link them
to it. Tensors are MLIR's strided memrefs, as above; the descriptors are the function's own. Sizes
may be 0. No tensor overlaps one that is written, but for the very same view, where it may be passed
to the kernel.)";

std::string externalText(const std::vector<KernelCode>& kernels) {
  std::string text;
  for (const ExternalFunction& function : externalFunctions(kernels)) {
    if (text.empty()) text = "\n/*\n" + commentLines(kExternals, " * ") + " */\n";
    std::string comment;
    for (const ExternalFunction::Use& use : function.uses)
      comment += (comment.empty() ? "" : "\n") + use.def + ":\n" + joined(use.ops, "\n");
    text += "\n/*\n" + commentLines(comment, " * ") + " */\n" + function.prototype + ";\n";
  }
  return text;
}

}  // namespace

bool isReadFirst(const ir::Kernel& kernel, unsigned output) {
  bool written = false, reads = false;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i].tensor != output) continue;
      reads |= !written && ir::readsOperand(op, op.inputs.size() + i);
      written = true;
    }
  });
  return reads;
}

bool isWrittenWhole(const ir::Kernel& kernel, unsigned output) {
  affine::Set missing = ir::elementsOf(kernel, kernel.tensors[output]);
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (const ir::Operand& written : op.outputs)
      if (written.tensor == output) missing = missing - ir::elementsTouched(kernel, op, written);
  });
  return missing.isEmpty() == true;
}

std::string kernelComment(const ir::Kernel& kernel) {
  Signature signature(kernel);
  std::string text = kernel.doc.empty() ? "" : kernel.doc + "\n\n";
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel.tensors[t];
    if (tensor.role == ir::Role::Local) continue;
    text += signature.tensor(t) + ": " + shapeText(tensor);
    if (tensor.role == ir::Role::Output)
      text += isReadFirst(kernel, t) ? ", read and written" : ", written";
    text += "\n";
  }
  for (unsigned a = 0; a < kernel.attributes.size(); ++a) {
    const ir::Attribute& attribute = kernel.attributes[a];
    text += signature.attribute(a) + ": " + std::string(ir::info(attribute.type).name);
    if (attribute.list) text += ", " + signature.length(a) + " of them";
    if (attribute.defaults)
      text += ", NULL for " + joined(*attribute.defaults, ", ", [&](const ir::Number& n) {
                return ir::print(attribute.type, n);
              });
    else if (attribute.optional)
      text += ", may be NULL";
    text += "\n";
  }
  for (const ir::Stmt& stmt : kernel.body) text += "\n" + ir::printStatement(kernel, stmt);
  return "/*\n" + commentLines(text, " * ") + " */\n";
}

std::vector<Prototype> prototypesOf(const ir::Kernel& kernel, const COptions& options) {
  Signature signature(kernel);
  const std::string name = functionName(kernel.name, options.prefix), status = "einc_status ",
                    declarations = signature.declarations();
  std::vector<Prototype> result = {{status, name, declarations},
                                   {status, name + "_supported", declarations},
                                   {"const char *", name + "_explain", declarations}};
  if (needsWorkspace(kernel)) {
    std::string workspace = signature.names.make("workspace"),
                bytes = signature.names.make("bytes");
    result.push_back({status, name + "_workspace", declarations + ", int64_t *" + bytes});
    result.push_back({status, name + "_with_workspace",
                      declarations + ", void *" + workspace + ", int64_t " + bytes});
    result.push_back({status, name + "_in_arena",
                      declarations + ", einc_arena *" + signature.names.make("arena")});
  }
  if (auto pointers = Promises(kernel, options).pointers()) result.push_back(*pointers);
  result.push_back(
      {"void ", "_mlir_ciface_" + options.prefix + kernel.name, signature.mlirDeclarations()});
  return result;
}

std::vector<std::string> exportedNames(const std::vector<KernelCode>& kernels,
                                       const COptions& options) {
  std::vector<std::string> names = {"einc_status_string"};
  for (const KernelCode& kernel : kernels)
    for (const Prototype& prototype : prototypesOf(*kernel.contract, options))
      names.push_back(prototype.name);
  return names;
}

std::optional<Reason> findNameClash(const std::vector<KernelCode>& kernels,
                                    const COptions& options) {
  std::map<std::string, std::string> seen;
  for (const KernelCode& kernel : kernels) {
    const std::string& def = kernel.contract->name;
    for (const Prototype& prototype : prototypesOf(*kernel.contract, options)) {
      const std::string& function = prototype.name;
      auto [it, isNew] = seen.try_emplace(function, def);
      if (!isNew)
        return Reason{"defs '" + it->second + "' and '" + def + "' both have the C function '" +
                      function + "'; rename one"};
    }
  }
  for (const ExternalFunction& external : externalFunctions(kernels)) {
    auto own = seen.find(externalSymbol(external.name));
    if (own != seen.end())
      return Reason{"'" + external.name + "', which is to compute '" + external.uses.front().def +
                    "', is the C function of def '" + own->second +
                    "'; name it otherwise, or give a --prefix"};
  }
  return findExternalClash(kernels);
}

std::string headerText(const COptions& options, const std::string& about,
                       const std::string& includes, const std::string& declarations,
                       const std::string& overloads) {
  std::string guard =
      "EINC_LIBRARY_" + llvm::StringRef(options.prefix + options.library).upper() + "_H";
  std::replace_if(guard.begin(), guard.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return "/*\n" +
         commentLines(options.library + ".h: generated by einc. Do not edit.\n\n" + about, " * ") +
         " */\n#ifndef " + guard + "\n#define " + guard + "\n\n" + includes +
         "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + declarations +
         "\n#ifdef __cplusplus\n}\n#endif\n" + overloads + "\n#endif\n";
}

Result<std::string> emitHeader(const std::vector<KernelCode>& kernels, const COptions& options) {
  if (auto reason = findNameClash(kernels, options)) return *reason;
  std::vector<const ir::Kernel*> contracts;
  for (const KernelCode& kernel : kernels) contracts.push_back(kernel.contract);
  const bool hasLocals =
      std::any_of(contracts.begin(), contracts.end(),
                  [](const ir::Kernel* kernel) { return needsWorkspace(*kernel); });
  std::string text = statusType() + descriptorTypes(contracts, externalTensors(kernels)) +
                     (hasLocals ? "\n" + arenaType() : "") +
                     "\n/* A sentence for a status; never NULL. */\n"
                     "const char *einc_status_string(einc_status status);\n";
  for (const KernelCode& kernel : kernels) {
    text += "\n" + kernelComment(*kernel.contract);
    for (const Prototype& prototype : prototypesOf(*kernel.contract, options))
      text += prototype.text() + ";\n";
  }
  std::string more = options.contiguous ? std::string("\n\n") + kContiguous : "";
  if (std::any_of(contracts.begin(), contracts.end(),
                  [&](const ir::Kernel* kernel) { return Promises(*kernel, options).pointers(); }))
    more += std::string("\n\n") + kPointers;
  if (options.align > 1) more += "\n\n" + alignedText(options.align);
  const bool stores = std::any_of(contracts.begin(), contracts.end(), [](const ir::Kernel* kernel) {
    return storedTensor(*kernel) != nullptr;
  });
  if (stores) more += std::string("\n\n") + kStored;
  return headerText(options, kContract + more, "#include <stdint.h>\n",
                    text + externalText(kernels), overloadsText(kernels, options));
}

}  // namespace einc::emit
