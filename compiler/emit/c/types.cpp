// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/types.h"

#include <set>

#include "compiler/emit/text/signature.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

std::string upper(const std::string& text) { return llvm::StringRef(text).upper(); }

}  // namespace

std::string statusType(Statuses which) {
  constexpr int kFirstOfRuntime = -20;
  TextWriter out;
  out.line("#ifndef EINC_STATUS_T").line("#define EINC_STATUS_T").line("typedef int einc_status;");
  out.line("#endif").line();
  out.line("#ifndef EINC_STATUS_VALUES").line("#define EINC_STATUS_VALUES").open("enum {");
  auto row = [&](const char* name, int value, const char* sentence) {
    if (which == Statuses::All || value > kFirstOfRuntime)
      out.line("EINC_" + std::string(name) + " = " + std::to_string(value) + ", /* " + sentence +
               " */");
  };
#define EINC_STATUS(name, value, sentence) row(#name, value, sentence);
#include "runtime/status.def"
#undef EINC_STATUS
  out.line("EINC_STATUS_END = 1").close("};").line("#endif");
  return out.take();
}

std::string arenaType() {
  return R"c(#ifndef EINC_ARENA_T
#define EINC_ARENA_T
/* Gives memory to calls, and takes it back: runtime/arena.h makes one that keeps it for later calls. */
typedef struct einc_arena einc_arena;
struct einc_arena {
  void *(*take)(einc_arena *arena, int64_t bytes); /* at a multiple of 64; NULL: there is none */
  void (*give)(einc_arena *arena, void *memory);
};
#endif
)c";
}

std::string descriptorTypes(const std::vector<const ir::Kernel*>& kernels,
                            const std::vector<ir::Tensor>& others) {
  TextWriter out;
  std::set<std::string> seen;
  auto define = [&](const ir::Tensor& tensor) {
    std::string type = descriptorType(tensor);
    if (!seen.insert(type).second) return;
    std::string rank = std::to_string(tensor.shape.size());
    out.line()
        .line("#ifndef " + upper(type))
        .line("#define " + upper(type))
        .open("typedef struct {");
    out.line(std::string(ir::info(tensor.type).cElement()) + " *allocated, *aligned;")
        .line("int64_t offset;");
    if (!tensor.shape.empty()) out.line("int64_t sizes[" + rank + "], strides[" + rank + "];");
    out.close("} " + type + ";").line("#endif");
  };
  for (const ir::Kernel* kernel : kernels)
    for (const ir::Tensor& tensor : kernel->tensors)
      if (tensor.role != ir::Role::Local) define(tensor);
  for (const ir::Tensor& tensor : others) define(tensor);
  return out.take();
}

}  // namespace einc::emit
