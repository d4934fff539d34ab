// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/interpreter.h"

#include <cmath>
#include <cstring>

#include "compiler/interp/machine.h"
#include "compiler/ir/instruction.h"

namespace einc::interp {
namespace {

// Scalars are plain values, tensors are views.
class Exact {
 public:
  using Scalar = ir::Number;

  Exact(const ir::Kernel& kernel, const Arguments& arguments)
      : kernel_(kernel), tensors_(arguments.tensors) {
    tensors_.resize(kernel.tensors.size());
  }

  Scalar literal(ir::ScalarType, const ir::Number& number) { return number; }
  Scalar call(ir::Function function, ir::ScalarType type, std::span<const Scalar> args) {
    return apply(function, type, args);
  }
  Scalar cast(ir::ScalarType from, ir::ScalarType to, const Scalar& value) {
    return convert(value, from, to);
  }
  Scalar word(ir::ScalarType, ir::ScalarType memory, std::span<const Scalar> elements) {
    return ir::wordOf(memory, elements);
  }
  Scalar instruct(const ir::Instruction& instruction, const std::array<Scalar, 3>& args) {
    return apply(instruction, args[0], args[1], args[2]);
  }
  bool allocate(unsigned tensor, const std::vector<int64_t>& sizes) {
    auto view = interp::allocate(kernel_.tensors[tensor].type, sizes);
    if (!view) return false;
    // Uninitialised memory reads as NaN, -1 or true, so that a use of it shows.
    std::memset(view->storage.get(), 0xFF, static_cast<size_t>(view->storageBytes));
    tensors_[tensor] = *view;
    return true;
  }
  Scalar load(unsigned tensor, std::span<const int64_t> index) {
    return tensors_[tensor].load(index);
  }
  void store(unsigned tensor, std::span<const int64_t> index, const Scalar& value) {
    tensors_[tensor].store(index, value);
  }
  // Elements from the start of the memory, for whether two are neighbours.
  int64_t position(unsigned tensor, std::span<const int64_t> index) const {
    int64_t result = tensors_[tensor].offset;
    for (size_t d = 0; d < index.size(); ++d) result += index[d] * tensors_[tensor].strides[d];
    return result;
  }
  bool isNan(const Scalar& value) const { return std::isnan(value.asFloat); }
  int64_t integer(const Scalar& value) const { return static_cast<int64_t>(value.asBits); }
  const Scalar& operand(const Scalar& value) { return value; }
  const Scalar& accumulator(const Scalar& value) { return value; }

 private:
  const ir::Kernel& kernel_;
  std::vector<View> tensors_;
};

}  // namespace

Outcome run(const ir::Kernel& kernel, const Arguments& arguments) {
  CheckedCall call;
  if (Outcome outcome = checkCall(kernel, arguments, call); !outcome.ok()) return outcome;
  Exact domain(kernel, arguments);
  return Machine<Exact>(kernel, call, domain).run();
}

}  // namespace einc::interp
