// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A def as a named op of Linalg: what op definitions (TableGen, C++, YAML) have in common. An op
// has one operand for each argument of the def, in the order of the signature, with one indexing
// map: scalars are inputs with map (), inputs that are not read are there for their shape.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

struct NamedOperand {
  std::string name;
  ir::ScalarType type;
  bool isScalar;
  bool isRead;                      // by the payload; outputs always
  unsigned tensor;                  // index into Kernel::tensors, unless a scalar
  std::vector<affine::Expr> shape;  // of the tensor
  std::vector<affine::Expr> map;    // over d0, d1, ... and the kernel's symbols
};

struct NamedOp {
  const ir::Kernel& kernel;
  const ir::StructuredOp& op;
  std::string record;                  // its name in TableGen
  std::string className;               // in C++: MLIR takes what precedes the first _ for a dialect
  std::vector<NamedOperand> operands;  // inputs, then outputs
  size_t inputCount;
  // One for each output, in order. An OperandRef counts `operands`, scalars included; an IndexRef
  // is over d0, d1, ... alone.
  std::vector<ir::ValueRef> results;
};

using RecordName = std::function<std::string(const ir::Kernel&)>;
using OpText = std::function<Result<std::string>(const NamedOp&)>;

// The texts of all kernels, one after the other. Where there are defs that are no named op, or for
// which `text` has a reason, all these reasons, a line each. `record` names the kernels without
// ods_def.
Result<std::string> emitNamedOps(const ir::Module& module, const RecordName& record,
                                 const OpText& text);

// MatmulI8I32 for matmul_i8_i32, Conv2DNhwc for conv_2d_nhwc, as OpDSL does it.
std::string camelCase(const std::string& name);

// The first line of a doc string, and what stands below it; without blanks around either. Bytes
// that a code literal of TableGen cannot hold are replaced: "}]" by "} ]", a zero and what is not
// UTF-8 by U+FFFD.
struct DocText {
  std::string summary, description;
};
DocText docText(const std::string& doc);

}  // namespace einc::emit
