// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The names inside a shader, and the declarations outside of its main: storage buffers, push
// constants and shared memory.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/glsl/names.h"
#include "compiler/emit/glsl/values.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/shader.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

class ShaderScope {
 public:
  explicit ShaderScope(const ir::Kernel& kernel);

  // All names are references (text/references.h).

  // Loop and scalar variables, made when first asked for.
  const std::string& local(const std::string& name);
  // A name of its own; there may be references in what is wanted.
  std::string fresh(const std::string& wanted) { return reference(names_.make(plain(wanted))); }

  // The array of a tensor, and the same memory as an array of vectors.
  const std::string& data(unsigned tensor) const { return data_[tensor]; }
  std::string data(unsigned tensor, int64_t lanes);
  // Push constants.
  std::string symbol(const std::string& name);
  std::string offset(unsigned tensor);
  std::string stride(unsigned tensor, unsigned dim);
  std::string attribute(const ir::AttributeRef& reference);
  std::string base(unsigned dim) const { return base_[dim]; }

  // What main uses of these, as fields of the shader; `reads` and `writes` are of roots. The constants
  // in a buffer of their own if they do not fit.
  void describe(const References& used, const std::map<unsigned, bool>& reads,
                const std::map<unsigned, bool>& writes, Shader& shader) const;
  // The declarations. `seesBuffers`: invocations read what others have written, behind barriers.
  void declareBuffers(const References& used, bool seesBuffers, const Shader& shader,
                      GlslPrelude& prelude, TextWriter& out) const;
  void declareConstants(const Shader& shader, TextWriter& out) const;

 private:
  std::string constant(ShaderConstant constant, const std::string& wanted);

  const ir::Kernel& kernel_;
  Names names_{glslMangled};
  std::vector<std::string> data_;
  std::map<std::pair<unsigned, int64_t>, std::string> wide_;
  std::map<std::string, std::string> locals_;
  std::vector<ShaderConstant> constants_;
  std::string base_[3];
  std::string push_, block_;  // of blocks
  std::vector<std::string> bufferBlocks_;
};

// What a variable of the type is declared with: "precise " for floats (values.h).
std::string qualifier(ir::ScalarType type);

// Bytes of a value in registers and in shared memory, as SPIR-V counts them.
unsigned registerBytes(ir::ScalarType type);

}  // namespace einc::emit
