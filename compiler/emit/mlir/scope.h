// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The values of an MLIR function that its ops refer to: parameters, sizes, attributes, locals. What
// has to be computed for them stands in the function's entry, where it is written when first asked
// for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/emit/mlir/block.h"
#include "compiler/emit/mlir/function.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/shape.h"

namespace einc::emit::mlir {

class FunctionScope {
 public:
  FunctionScope(const ir::Kernel& kernel, Data data);

  const ir::Kernel& kernel() const { return kernel_; }
  bool onBuffers() const { return data_ == Data::Buffers; }
  // "%A: memref<?x?xf32, strided<[?, ?], offset: ?>>", ... in the order of the C function.
  const std::vector<std::string>& parameters() const { return parameters_; }

  // The present value of a tensor, and its type. A size of 0 is not shown: Linalg looks for the
  // last index, -1, of such a dimension.
  const std::string& tensor(unsigned id);
  std::string type(unsigned id) const;
  void setTensor(unsigned id, const std::string& value) { tensors_[id] = value; }
  // The type of a part of it that begins with its first element.
  std::string partType(unsigned id, const std::vector<affine::Expr>& sizes) const;
  // Whether a local has memory.
  bool isUsed(unsigned id) const { return !tensors_[id].empty(); }

  // A scalar as it is passed, and its type then.
  const std::string& scalar(unsigned attribute) const { return attributes_[attribute]; }
  std::string scalarType(unsigned attribute) const;

  // An attribute's element, as a value of the attribute's type.
  std::string attribute(const ir::AttributeRef& reference);
  // A size or attribute in an index expression, of type index.
  std::string symbol(const std::string& name);

  // An index expression in `block`; `iterator` gives iterators their values.
  using IteratorValue = std::function<std::string(const std::string& iterator)>;
  std::string index(Block& block, const affine::Expr& expr,
                    const IteratorValue& iterator = nullptr);

  // The block before the ops, and the function's names.
  Block& entry() { return entry_; }
  ValueNames& names() { return names_; }

 private:
  void addTensor(unsigned id);
  void addAttribute(unsigned id);
  std::string byValue(const ir::Attribute& attribute, const std::string& parameter);
  std::string byAddress(const ir::Attribute& attribute, const std::string& parameter,
                        int64_t element);
  std::string size(const ir::SymbolBinding& binding);
  void makeLocal(unsigned id);
  std::string factor(Block& block, const affine::Atom& atom, const IteratorValue& iterator);

  const ir::Kernel& kernel_;
  Data data_;
  ValueNames names_;
  Block entry_;
  std::vector<std::string> parameters_;
  std::vector<std::string> tensors_;     // their values; empty: a local without memory yet
  std::vector<std::string> arguments_;   // tensors that are parameters
  std::vector<std::string> attributes_;  // parameters
  std::vector<ir::SymbolBinding> bindings_;
  std::map<std::string, std::string> symbols_;
  std::map<std::pair<unsigned, int64_t>, std::string> elements_;  // of attributes
};

}  // namespace einc::emit::mlir
