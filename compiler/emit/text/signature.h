// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C signature of a kernel, which callers compiled by MLIR use, too.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/text/names.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// "einc_memref_f32_2"
std::string descriptorType(const ir::Tensor& tensor);

struct Parameter {
  // A tensor's descriptor; a number; the address of numbers; how many numbers a list has.
  enum class Kind { Tensor, Value, Address, Length };

  Kind kind;
  unsigned index;           // among the kernel's tensors, else among its attributes
  std::string type;         // of a variable for it: "const einc_memref_f32_2 *"
  std::string declaration;  // "const einc_memref_f32_2 *A"
  std::string name;         // "A"
  std::string mlir;         // "einc_memref_f32_2 *A": MLIR's descriptors are not const
};

// A C function that a header declares.
struct Prototype {
  std::string type, name,
      parameters;  // "einc_status ", "matmul", "const einc_memref_f32_2 *A, ..."
  std::string text() const { return type + name + "(" + parameters + ")"; }
};

// What a kernel's C functions take: inputs in the order of the def, outputs, attributes.
class Signature {
 public:
  explicit Signature(const ir::Kernel& kernel);
  // Of an external function that the kernel calls.
  Signature(const ir::Kernel& kernel, const ir::ExternalCall& call);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  // "const einc_memref_f32_2 *A, ..., int64_t s"
  std::string declarations() const;
  // The same with descriptors that are not const, as MLIR passes them.
  std::string mlirDeclarations() const;
  std::string arguments() const;  // "A, B, C, s"
  const std::string& tensor(unsigned id) const { return tensorNames_[id]; }
  const std::string& attribute(unsigned id) const { return attributeNames_[id]; }
  const std::string& length(unsigned attribute) const { return lengthNames_[attribute]; }
  // Whether the attribute is passed by address; and whether that may be NULL, as it has a default or
  // is optional.
  static bool byAddress(const ir::Attribute& attribute);
  static bool mayBeNull(const ir::Attribute& attribute);

  // The scope of the parameters, for further names.
  Names names;

 private:
  void addTensor(const ir::Kernel& kernel, unsigned id);
  void addAttribute(const ir::Kernel& kernel, unsigned id);

  std::vector<Parameter> parameters_;
  std::vector<std::string> tensorNames_, attributeNames_, lengthNames_;
};

}  // namespace einc::emit
