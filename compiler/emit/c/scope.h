// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The names inside a kernel's C functions, and the declarations that give sizes, strides and
// attributes their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/c/values.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/signature.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

class KernelScope {
 public:
  KernelScope(const ir::Kernel& kernel, Signature& signature, Prelude& prelude);

  // Of arguments the first elements are at multiples of so many bytes.
  void promiseAligned(int64_t bytes) { align_ = bytes; }

  // References to C names (text/references.h). Of the signature's parameters:
  std::string tensor(unsigned id) const { return reference(signature_.tensor(id)); }
  std::string attribute(unsigned id) const { return reference(signature_.attribute(id)); }
  std::string length(unsigned attribute) const { return reference(signature_.length(attribute)); }
  std::string arguments() const;  // all of them
  // And of what is declared from them.
  const std::string& symbol(const std::string& size) const { return symbols_.at(size); }
  std::string attributeElement(const ir::AttributeRef& of);
  std::string data(unsigned tensor) const { return data_[tensor]; }
  std::string stride(unsigned tensor, unsigned dim) const { return strides_[tensor][dim]; }
  std::string offset(unsigned tensor) const { return offsets_[tensor]; }
  // The size of an argument's dimension: "A->sizes[0]".
  std::string argumentSize(unsigned tensor, unsigned dim) const;
  // Loop and scalar variables, made when first asked for. A name with a dot before it is the
  // emitter's own: no kernel has it.
  std::string local(const std::string& name);
  // The array of all arguments' einc_views, and the address of one.
  const std::string& views() const { return views_; }
  std::string view(unsigned tensor) const;

  // What an index expression's atom is called.
  std::string indexName(const affine::Atom& atom);

  // What an outlined function may take from around it: of what it uses all that is no local of the
  // statements, with its type.
  std::vector<std::pair<std::string, std::string>> parameterTypes(const References& used) const;

  // The same of the kernel's own parameters.
  std::vector<std::pair<std::string, std::string>> argumentTypes(const References& used) const;

  // Declarations of what is used, in order; what they use is used, too.
  std::vector<std::string> declarations(References& used);
  std::vector<std::string> sizeDeclarations(References& used);
  std::vector<std::string> attributeDeclarations(References& used);
  std::vector<std::string> layoutDeclarations(References& used) const;
  // Statements for parameters that are not used.
  std::vector<std::string> unusedParameters(const References& used) const;

  // A function with the kernel's parameters, and what `body` uses declared before it.
  void function(TextWriter& out, const std::string& head, const std::string& first,
                const std::string& body, const std::string& last);

 private:
  std::string elementValue(const ir::AttributeRef& of) const;

  const ir::Kernel& kernel_;
  Signature& signature_;
  Prelude& prelude_;
  // All of these are references.
  std::map<std::string, std::string> symbols_;
  std::map<std::string, std::string> locals_;
  std::vector<std::pair<ir::AttributeRef, std::string>> elements_;
  std::vector<std::string> data_, offsets_;
  std::string views_;
  int64_t align_ = 1;
  std::vector<std::vector<std::string>> strides_;
};

// Parts of a statement that begin in this column, as many to a line as fit.
std::string filled(const std::vector<std::string>& parts, const std::string& separator,
                   size_t column);

}  // namespace einc::emit
