// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/error_bound.h"

#include <cmath>
#include <cstdio>
#include <map>

#include "compiler/interp/machine.h"
#include "compiler/interp/tracked.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/literal.h"

namespace einc::interp {
namespace {

// Covers the roundings of long double in the reference itself, 2^-11 of those of f64, and of the
// bounds' own arithmetic.
constexpr double kSlack = 1 + 0x1p-9;

// Scalars carry their errors; tensors are row-major arrays of them.
class Bounded {
 public:
  using Scalar = Tracked;

  Bounded(const ir::Kernel& kernel, const CheckedCall& call, const Arguments& arguments)
      : kernel_(kernel), call_(call), tensors_(kernel.tensors.size()) {
    for (unsigned t = 0; t < arguments.tensors.size(); ++t) {
      const View& view = arguments.tensors[t];
      forEachIndex(view.sizes, [&](std::span<const int64_t> index) {
        tensors_[t].push_back(trackedLiteral(view.type, view.load(index)));
      });
    }
  }

  Scalar literal(ir::ScalarType type, const ir::Number& number) {
    return trackedLiteral(type, number);
  }
  Scalar call(ir::Function function, ir::ScalarType, std::span<const Scalar> args) {
    return trackedCall(function, args);
  }
  Scalar cast(ir::ScalarType, ir::ScalarType to, const Scalar& value) {
    return trackedCast(to, value);
  }
  Scalar word(ir::ScalarType type, ir::ScalarType memory, std::span<const Scalar> elements) {
    std::vector<ir::Number> numbers;
    for (const Scalar& element : elements)
      numbers.push_back({static_cast<double>(element.value), element.exact.asBits});
    return trackedLiteral(type, ir::wordOf(memory, numbers));
  }
  // No spec has one: what stands in the place of a sum of floats has no bound.
  Scalar instruct(const ir::Instruction& instruction, const std::array<Scalar, 3>& args) {
    const ir::Number sum{static_cast<double>(args[0].value), args[0].exact.asBits};
    Scalar result =
        trackedLiteral(instruction.sum, apply(instruction, sum, args[1].exact, args[2].exact));
    if (ir::info(instruction.sum).isFloat()) result.error = INFINITY;
    return result;
  }
  bool allocate(unsigned tensor, const std::vector<int64_t>& sizes) {
    ir::ScalarType type = kernel_.tensors[tensor].type;
    tensors_[tensor].assign(static_cast<size_t>(elementCount(sizes).value()),
                            trackedLiteral(type, {std::nan(""), 0}));
    return true;
  }
  Scalar load(unsigned tensor, std::span<const int64_t> index) { return at(tensor, index); }
  void store(unsigned tensor, std::span<const int64_t> index, const Scalar& value) {
    at(tensor, index) = value;
  }
  // Arrays are kept row-major here, whatever their views are.
  int64_t position(unsigned tensor, std::span<const int64_t> index) const {
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d)
      position = position * call_.sizes[tensor][d] + index[d];
    return position;
  }
  bool isNan(const Scalar& value) const { return std::isnan(finished(value).value); }
  int64_t integer(const Scalar& value) const { return static_cast<int64_t>(value.exact.asBits); }
  Scalar operand(const Scalar& value) { return finished(value); }
  Scalar accumulator(Scalar value) {
    value.accumulates = true;
    return value;
  }

  const std::vector<Tracked>& tensor(unsigned t) const { return tensors_[t]; }

 private:
  Tracked& at(unsigned tensor, std::span<const int64_t> index) {
    return tensors_[tensor][static_cast<size_t>(position(tensor, index))];
  }

  const ir::Kernel& kernel_;
  const CheckedCall& call_;
  std::vector<std::vector<Tracked>> tensors_;
};

Element elementOf(const Tracked& scalar) {
  Tracked x = finished(scalar);
  Element element{x.exact, static_cast<double>(x.value), x.error * kSlack, x.typical * kSlack};
  // The reference is rounded to double here, and to no shorter type.
  if (std::isfinite(element.value)) {
    auto rounding = static_cast<double>(std::fabs(x.value - element.value));
    element.bound += rounding;
    element.typical += rounding;
  }
  return element;
}

std::string numberText(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string integerText(ir::ScalarType type, const ir::Number& number) {
  return info(type).isSigned() ? std::to_string(signedValue(type, number))
                               : std::to_string(number.asBits);
}

std::string wrongText(const ExpectedTensor& expected, const Element& element,
                      const ir::Number& actual, std::span<const int64_t> index) {
  bool isFloat = info(expected.type).isFloat();
  std::string text = "at [";
  for (size_t d = 0; d < index.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  if (!isFloat)
    return text + "]: " + integerText(expected.type, actual) + ", expected " +
           integerText(expected.type, element.exact);
  return text + "]: " + numberText(actual.asFloat) + ", expected " + numberText(element.value) +
         " +- " + numberText(element.bound);
}

// How far apart; infinite when of another kind.
double distance(ir::ScalarType type, const Element& element, const ir::Number& actual) {
  if (!info(type).isFloat()) return element.exact.asBits == actual.asBits ? 0 : INFINITY;
  double a = element.value, b = actual.asFloat;
  if (std::isfinite(a) && std::isfinite(b)) return std::fabs(a - b);
  return (std::isnan(a) && std::isnan(b)) || a == b ? 0 : INFINITY;
}

}  // namespace

ErrorBounds bound(const ir::Kernel& kernel, const Arguments& arguments) {
  ErrorBounds result;
  CheckedCall call;
  result.outcome = checkCall(kernel, arguments, call);
  if (!result.outcome.ok()) return result;
  Bounded domain(kernel, call, arguments);
  result.outcome = Machine<Bounded>(kernel, call, domain).run();
  for (unsigned t = 0; t < arguments.tensors.size(); ++t) {
    if (kernel.tensors[t].role != ir::Role::Output) continue;
    ExpectedTensor output{t, kernel.tensors[t].type, call.sizes[t], {}};
    for (const Tracked& scalar : domain.tensor(t)) output.elements.push_back(elementOf(scalar));
    result.outputs.push_back(std::move(output));
  }
  return result;
}

Comparison compare(const ExpectedTensor& expected, const View& actual) {
  Comparison result;
  std::map<std::pair<double, uint64_t>, int64_t> counts;
  size_t position = 0;
  forEachIndex(expected.sizes, [&](std::span<const int64_t> index) {
    const Element& element = expected.elements[position++];
    ir::Number number = actual.load(index);
    ++result.elements;
    double key = std::isnan(element.value) ? 0 : element.value;
    result.mostCommon = std::max(result.mostCommon, ++counts[{key, element.exact.asBits}]);
    if (std::isinf(element.bound)) {
      ++result.unbounded;
      return;
    }
    double difference = distance(expected.type, element, number);
    if (difference > 0)
      result.worst =
          std::max(result.worst, element.bound > 0 ? difference / element.bound : INFINITY);
    if (difference > element.bound) {
      if (++result.wrong == 1) result.firstWrong = wrongText(expected, element, number, index);
    } else if (difference > element.typical) {
      ++result.marginal;
    }
  });
  return result;
}

}  // namespace einc::interp
