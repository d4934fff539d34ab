// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which elements are written: of an output all of them, of a local those that are read, before
// that.
#include <map>

#include "compiler/frontend/lint.h"
#include "compiler/ir/domain.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

using affine::Set;

bool readsItself(const ir::StructuredOp& op, size_t output) {
  return ir::readsOperand(op, op.inputs.size() + output);
}

class WritesLint {
 public:
  explicit WritesLint(Lint& lint) : lint_(lint), kernel_(lint.kernel) {}

  void run() {
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
      for (const ir::Operand& input : op.inputs)
        if (!input.shapeOnly) readLocal(op, input);
      for (size_t i = 0; i < op.outputs.size(); ++i) write(op, i);
    });
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Output) output(t);
  }

 private:
  void write(const ir::StructuredOp& op, size_t i) {
    const ir::Operand& operand = op.outputs[i];
    Set elements = ir::elementsTouched(kernel_, op, operand);
    if (readsItself(op, i)) {
      if (kernel_.tensors[operand.tensor].role == ir::Role::Local) readLocal(op, operand);
      updated_[operand.tensor] |= !isWritten(operand.tensor, elements);
    }
    auto [it, isNew] = written_.try_emplace(operand.tensor, elements);
    if (!isNew) it->second = it->second | elements;
  }

  // Whether earlier statements wrote all of the elements.
  bool isWritten(unsigned tensor, const Set& elements) const {
    auto written = written_.find(tensor);
    return written != written_.end() && (elements - written->second).isEmpty() == true;
  }

  void readLocal(const ir::StructuredOp& op, const ir::Operand& operand) {
    const ir::Tensor& tensor = kernel_.tensors[operand.tensor];
    auto written = written_.find(operand.tensor);
    if (tensor.role != ir::Role::Local || written == written_.end()) return;
    Set elements = ir::elementsTouched(kernel_, op, operand);
    Set missing = (elements & ir::elementsOf(kernel_, tensor)) - written->second;
    if (missing.isEmpty() != false) return;
    lint_.errors.warning(Diag::UnwrittenRead, operand.source,
                         "local '" + tensor.name + "' is read where nothing was written before" +
                             example(tensor, missing));
  }

  // ", such as C[0, 1] where M = 1"
  static std::string example(const ir::Tensor& tensor, const Set& elements) {
    Set::Point point = elements.sample();
    if (point.isEmpty()) return "";
    std::string index =
        joined(point.dims, ", ", [](const auto& d) { return std::to_string(d.second); });
    std::string text = ", such as " + tensor.name + "[" + index + "]";
    return point.parameters.empty() ? text : text + " where " + affine::str(point.parameters);
  }

  void output(unsigned t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    auto written = written_.find(t);
    if (written == written_.end()) return;
    Set missing = ir::elementsOf(kernel_, tensor) - written->second;
    if (updated_[t] && missing.isEmpty() == true)
      return lint_.fact(tensor.source, "every element of '" + tensor.name +
                                           "' is updated, each by one parallel iteration");
    if (missing.isEmpty() == true)
      return lint_.fact(tensor.source, "every element of '" + tensor.name +
                                           "' is written, each by one parallel iteration");
    if (!missing.isKnown())
      return lint_.fact(tensor.source,
                        "which elements of '" + tensor.name + "' are written is not known");
    Set whole = missing.parametersWithout().given(ir::positiveSizes(kernel_));
    std::string unless = whole.isEmpty() == true ? "" : ", unless " + whole.str();
    lint_.errors.warning(Diag::NotWhollyWritten, tensor.source,
                         "not every element of '" + tensor.name + "' is written" +
                             example(tensor, missing) + unless);
  }

  Lint& lint_;
  const ir::Kernel& kernel_;
  std::map<unsigned, Set> written_;
  std::map<unsigned, bool> updated_;  // those of which old values count
};

}  // namespace

void lintWrites(Lint& lint) { WritesLint(lint).run(); }

}  // namespace einc::frontend
