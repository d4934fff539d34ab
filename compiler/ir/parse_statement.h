// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The tensors and statements of IR text; parse.h has the grammar.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/parse_value.h"
#include "compiler/ir/token_stream.h"

namespace einc::ir {

// Limits that keep what is quadratic in them cheap.
constexpr size_t kMaxRank = 32, kMaxIterators = 256, kMaxSignature = 256;

class StatementParser {
 public:
  StatementParser(TokenStream& in, Kernel& kernel, Scope& scope)
      : in_(in), kernel_(kernel), scope_(scope), values_(in, kernel, scope) {}

  // "%A: tensor<M x f32>", which becomes one of the kernel's.
  void tensor(Role role);

  // The kernel's statements, up to and with the closing brace.
  void body() { block(/*outermost=*/true); }

 private:
  void declared(Role role);
  bool isElementType() const;
  Block block(bool outermost);
  Stmt statement();
  Store store();
  Block scoped();
  Alloc alloc();
  Bound bound();
  Read read();
  View view();
  Offsets offsets();
  unsigned dimension();
  Lead lead();
  void enterIterator(const std::string& name);
  void leaveIterator(const std::string& name);
  TileLoop tile();
  If test();
  Condition condition();
  std::vector<Axis> axes();
  Vector vector();
  AssumeNumbers assumeNumbers();
  CheckNumbers checkNumbers();
  LibraryCall library();
  ExternalCall external();
  Assign assign();
  Let let();
  IteratorKind iteratorKind();
  On on();
  Dispatch dispatch();
  For loop();
  StructuredOp op();
  // Only inputs may be copied.
  std::vector<Operand> operands(std::optional<Copied>* copied);
  std::shared_ptr<const Combiner> combiner(const StructuredOp& op);
  void arguments(const StructuredOp& op);

  TokenStream& in_;
  Kernel& kernel_;
  Scope& scope_;
  ValueParser values_;
  unsigned blockDepth_ = 0;
};

}  // namespace einc::ir
