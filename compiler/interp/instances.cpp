// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/instances.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "compiler/interp/interpreter.h"
#include "compiler/ir/literal.h"

namespace einc::interp {
namespace {

// What an instance may cost, and all of them: each is interpreted after every step.
constexpr int64_t kMostIterations = 3000;
constexpr int64_t kMostElements = 1 << 16;
constexpr size_t kMostInstances = 24;
constexpr int kDraws = 40;  // of sizes that a contract takes, until there is one

void fill(const View& view, const std::function<uint32_t()>& draw) {
  const ir::TypeInfo& type = ir::info(view.type);
  forEachIndex(view.sizes, [&](std::span<const int64_t> index) {
    ir::Number number;
    const uint32_t next = draw();
    if (type.isFloat())
      number.asFloat = (static_cast<double>(next % 17) - 8) / 8;
    else if (type.cls == ir::TypeClass::Bool)
      number.asBits = next & 1;
    else if (type.isSigned())
      number = ir::integerNumber(view.type, static_cast<uint64_t>(next % 9) - 4);
    else
      number.asBits = next % 8;
    view.store(index, number);
  });
}

View copyOf(const View& view) {
  View copy = view;
  copy.storage = allocate(ir::ScalarType::U8, {view.storageBytes})->storage;
  std::memcpy(copy.storage.get(), view.storage.get(), static_cast<size_t>(view.storageBytes));
  return copy;
}

// Row-major, or with neighbours along the first dimension (of one: with gaps).
Result<View> allocateAs(bool isRowMajor, ir::ScalarType type, std::vector<int64_t> sizes) {
  if (isRowMajor || sizes.empty()) return allocate(type, std::move(sizes));
  if (sizes.size() == 1) {
    auto view = allocate(type, {2 * sizes[0]});
    if (!view) return view;
    view->sizes = std::move(sizes);
    view->strides = {2};
    return view;
  }
  std::reverse(sizes.begin(), sizes.end());
  auto view = allocate(type, std::move(sizes));
  if (!view) return view;
  std::reverse(view->sizes.begin(), view->sizes.end());
  std::reverse(view->strides.begin(), view->strides.end());
  return view;
}

// One for each element that is asked for.
std::vector<ir::Number> onesFor(const ir::Attribute& attribute, int64_t elements) {
  ir::Number one = ir::info(attribute.type).isFloat() ? ir::Number{1.0, 0} : ir::Number{0.0, 1};
  return std::vector<ir::Number>(static_cast<size_t>(elements), one);
}

// How many elements of a list are read.
int64_t elementsRead(const ir::Kernel& kernel, unsigned attribute) {
  int64_t count = 0;
  auto useValue = [&](const ir::ValueRef& value) {
    if (!value) return;
    ir::forEach(value, [&](const ir::Value& node) {
      auto* reference = std::get_if<ir::AttributeRef>(&node.node);
      if (reference && reference->attribute == attribute)
        count = std::max(count, reference->element + 1);
    });
  };
  auto useAll = [&](const std::vector<affine::Expr>& exprs) {
    for (const affine::Expr& expr : exprs)
      for (const std::string& symbol : expr.symbols())
        if (auto use = kernel.attributeOf(symbol); use && use->attribute == attribute)
          count = std::max(count, use->element + 1);
  };
  for (const ir::Tensor& tensor : kernel.tensors) useAll(tensor.shape);
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t o = 0; o < op.operandCount(); ++o) {
      useAll(op.operand(o).map);
      useValue(op.operand(o).pad);
    }
    for (const ir::ValueRef& value : op.results) useValue(value);
  });
  return count;
}

}  // namespace

uint32_t Instances::drawn() {
  state_ = state_ * 1664525u + 1013904223u;
  return state_ >> 16;
}

Instances::Instances(ir::Kernel kernel)
    : kernel_(std::move(kernel)), symbols_(kernel_.sizeSymbols()) {
  for (unsigned a = 0; a < kernel_.attributes.size(); ++a) {
    const ir::Attribute& attribute = kernel_.attributes[a];
    if (attribute.defaults)
      attributes_.push_back(*attribute.defaults);
    else
      attributes_.push_back(
          onesFor(attribute, attribute.list ? elementsRead(kernel_, a) : attribute.elementCount()));
  }
  for (int64_t size : {1, 3, 2, 0}) {
    Sizes sizes;
    for (const std::string& symbol : symbols_) sizes[symbol] = size;
    if (add(sizes, instances_.empty() || isDrawn()) && symbols_.empty()) return;
  }
  // Sizes that depend on each other: those that happen to fit.
  for (int draw = 0; draw < kDraws && instances_.size() < 4; ++draw) {
    Sizes sizes;
    for (const std::string& symbol : symbols_) sizes[symbol] = drawn() % 6;
    add(sizes, isDrawn());
  }
}

void Instances::around(const std::set<int64_t>& numbers) {
  for (int64_t number : numbers) {
    if (number < 2 || symbols_.empty() || !numbers_.insert(number).second) continue;
    // Whole tiles in all directions, one position more in each, one less in one.
    Sizes all;
    for (const std::string& symbol : symbols_) all[symbol] = number;
    add(all, /*isRowMajor=*/true);
    for (const std::string& symbol : symbols_) addNear(symbol, number + 1);
    addNear(symbols_[drawn() % symbols_.size()], number - 1);
  }
}

void Instances::addNear(const std::string& symbol, int64_t size) {
  for (int draw = 0; draw < kDraws; ++draw) {
    Sizes sizes;
    for (const std::string& other : symbols_)
      sizes[other] = other == symbol ? size : 1 + drawn() % (3 + draw / 8);
    if (add(sizes, isDrawn())) return;
  }
}

bool Instances::add(const Sizes& sizes, bool isRowMajor) {
  const bool isKnown = std::any_of(instances_.begin(), instances_.end(),
                                   [&](const Instance& known) { return known.sizes == sizes; });
  if (isKnown || instances_.size() >= kMostInstances) return false;
  auto arguments = argumentsOf(sizes, isRowMajor);
  CheckedCall call;
  if (!arguments || !checkCall(kernel_, *arguments, call).ok() || !isShort(call)) return false;
  for (const View& view : arguments->tensors) fill(view, [this] { return drawn(); });
  ErrorBounds bounds = bound(kernel_, *arguments);
  if (!bounds.outcome.ok()) return false;
  instances_.push_back({sizes, isRowMajor, std::move(*arguments), std::move(bounds.outputs)});
  return true;
}

std::optional<Arguments> Instances::argumentsOf(const Sizes& sizes, bool isRowMajor) const {
  auto lookup = [&](const affine::Atom& atom) -> std::optional<int64_t> {
    if (auto size = sizes.find(atom.name); size != sizes.end()) return size->second;
    auto reference = kernel_.attributeOf(atom.name);
    if (!reference) return std::nullopt;
    const auto& values = attributes_[reference->attribute];
    const auto element = static_cast<size_t>(reference->element);
    if (element >= values.size()) return std::nullopt;
    return ir::signedValue(kernel_.attributes[reference->attribute].type, values[element]);
  };
  Arguments arguments;
  arguments.attributes = attributes_;
  for (const ir::Tensor& tensor : kernel_.tensors) {
    if (!ir::isArgument(tensor.role)) continue;
    std::vector<int64_t> shape;
    for (const affine::Expr& size : tensor.shape) {
      auto value = size.evaluate(lookup);
      if (!value || *value < 0 || *value > kMostElements) return std::nullopt;
      shape.push_back(*value);
    }
    if (elementCount(shape).value_or(kMostElements + 1) > kMostElements) return std::nullopt;
    auto view = allocateAs(isRowMajor, tensor.type, shape);
    if (!view) return std::nullopt;
    arguments.tensors.push_back(std::move(*view));
  }
  return arguments;
}

bool Instances::isShort(const CheckedCall& call) const {
  int64_t iterations = 0;
  ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
    int64_t product = 1;
    for (int64_t extent : extentsOf(kernel_, op, call.sizes))
      product = std::min(product * std::min(extent, kMostIterations + 1), kMostIterations + 1);
    iterations += product;
  });
  return iterations <= kMostIterations;
}

std::optional<std::string> Instances::findDifference(const ir::Kernel& form) const {
  for (const Instance& instance : instances_) {
    if (form.contiguous && !instance.isRowMajor) continue;  // it refuses the strides
    Arguments arguments = instance.arguments;
    for (const ExpectedTensor& output : instance.expected)
      arguments.tensors[output.tensor] = copyOf(arguments.tensors[output.tensor]);
    std::string where;
    for (const auto& [symbol, size] : instance.sizes)
      where += (where.empty() ? "" : ", ") + symbol + " = " + std::to_string(size);
    if (!where.empty()) where += ": ";
    if (Outcome outcome = run(form, arguments); !outcome.ok())
      return where + "it ends with " + std::string(statusName(outcome.status)) + ", " +
             outcome.message;
    for (const ExpectedTensor& output : instance.expected)
      if (Comparison result = compare(output, arguments.tensors[output.tensor]); !result.passes())
        return where + "%" + kernel_.tensors[output.tensor].name + " " + result.firstWrong;
  }
  return std::nullopt;
}

}  // namespace einc::interp
