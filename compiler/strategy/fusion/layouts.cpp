// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/layouts.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/window_line.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/inline.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using Order = std::vector<size_t>;  // which dimension is the first, the second, ...
using ir::StructuredOp;

template <typename T>
std::vector<T> ordered(const std::vector<T>& values, const Order& order) {
  std::vector<T> result;
  for (size_t d : order) result.push_back(values[d]);
  return result;
}

class Layouts {
 public:
  Layouts(const ir::Kernel& kernel, bool keepsOrder, int vectorBytes)
      : keepsOrder_(keepsOrder), vectorBytes_(vectorBytes), kernel_(kernel), builder_(kernel_) {
    ir::forEachOp(kernel.body, [&](const StructuredOp& op) { ops_.push_back(op); });
  }

  ir::Kernel run() {
    for (StructuredOp& op : ops_) consider(op);
    for (const auto& [tensor, order] : results_)
      if (!hasDiagonal(tensor)) turnResult(tensor, order);
    kernel_.body.clear();
    for (std::vector<StructuredOp>* part : {&before_, &ops_, &behind_})
      for (StructuredOp& op : *part) kernel_.body.push_back({std::move(op)});
    return std::move(kernel_);
  }

 private:
  // ---- What is turned ----

  void consider(StructuredOp& op) {
    if (!ir::reduces(op)) return considerMap(op);
    if (contractionGroups(kernel_, op)) return;
    alignInputs(op);
    const std::string along = lineOfOutputs(op);
    const auto largest = along.empty() ? std::nullopt : largestInput(op);
    if (!largest) return;
    const std::string line = lineOf(op, op.inputs[*largest]);
    if (movesWindow(op, op.inputs[*largest]))
      turnFilters(op, *largest, turnWindows(op, *largest, along));
    else if (areFew(op, line) || areFew(op, along))
      return;
    else if (line != along && !line.empty())
      turnOutputs(op, transforms::iteratorsOf(op.inputs[*largest]), {line});
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.inputs[i].pad && !lineOf(op, op.inputs[i]).empty() &&
          !isByItself(op.inputs[i], lineOf(op, op.inputs[i])))
        copyInput(op, i, inOrder(op.inputs[i].map.size()));
  }

  // What is read together in a sum lies as the largest of it does, of several one that lies as the output: unless that is the
  // same for all positions along the output, or its terms are added in order along where it lies.
  void alignInputs(StructuredOp& op) {
    const ir::Operand* largest = nullptr;
    auto lastOf = [&](const ir::Operand& operand) {
      const std::vector<std::string> all = transforms::iteratorsOf(withoutUnits(op, operand));
      return all.empty() ? std::string() : all.back();
    };
    const std::string written = lastOf(op.outputs[0]);
    auto rank = [&](const ir::Operand& input) {
      return std::pair(input.map.size(), lastOf(input) == written);
    };
    for (const ir::Operand& input : op.inputs) {
      if (input.shapeOnly || input.map.empty()) continue;
      if (!ir::isPlain(input)) return;
      if (!largest || rank(input) > rank(*largest)) largest = &input;
    }
    if (!largest) return;
    const std::vector<std::string> order = transforms::iteratorsOf(withoutUnits(op, *largest));
    const bool isSummed =
        llvm::is_contained(op.iterators, ir::Iterator{order.back(), ir::IteratorKind::Reduction});
    if ((!written.empty() && !llvm::is_contained(order, written)) || areFew(op, order.back()) ||
        (isSummed && !transforms::mayReorder(op, keepsOrder_)))
      return;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (liesAcross(op, op.inputs[i], order.back()))
        copyInput(op, i, orderOf(op.inputs[i], order));
  }

  // Whether the operand moves along the iterator, and has neighbours along another one.
  bool liesAcross(const StructuredOp& op, const ir::Operand& input,
                  const std::string& iterator) const {
    const std::vector<std::string> used = transforms::iteratorsOf(withoutUnits(op, input));
    return !input.shapeOnly && ir::isPlain(input) && llvm::is_contained(used, iterator) &&
           used.back() != iterator;
  }

  // Squares serve what is written and one kind of lines that are read; what lies along others is turned before.
  void considerMap(StructuredOp& op) {
    const std::string along = lineOfOutputs(op);
    if (along.empty() || op.outputs.size() != 1 || areFew(op, along)) return;
    turnSpread(op, along);
    const ir::Operand* kept = nullptr;  // the largest of those across
    for (const ir::Operand& input : op.inputs)
      if (liesAcross(op, input, along) && !areFew(op, lineOf(op, input)) &&
          (!kept || input.map.size() > kept->map.size()))
        kept = &input;
    if (!kept) return;
    const std::string line = lineOf(op, *kept);
    const std::vector<std::string> written = transforms::iteratorsOf(op.outputs[0]);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const std::string own = lineOf(op, op.inputs[i]);
      if (liesAcross(op, op.inputs[i], along) && own != line && !areFew(op, own))
        copyInput(op, i, orderOf(op.inputs[i], written));
    }
  }

  // What has an element for several positions along the output has fewer than that: it is turned, if its neighbours lie along
  // others.
  void turnSpread(StructuredOp& op, const std::string& along) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const ir::Operand input = withoutUnits(op, op.inputs[i]);
      if (spreads(input, along) && !input.map.back().mentions(along))
        copyInput(op, i, lastAlong(op.inputs[i], {along}));
    }
  }

  // Too few for vectors, as far as that is known.
  bool areFew(const StructuredOp& op, const std::string& iterator) const {
    constexpr int64_t kFew = 3;
    if (iterator.empty() || !builder_.hasExtent(op, iterator)) return false;
    return builder_.extent(op, iterator).asConstant().value_or(INT64_MAX) <= kFew;
  }

  // Along which vectors lie then: input and output are turned for it.
  std::string turnWindows(StructuredOp& op, size_t number, const std::string& along) {
    const ir::Tensor& read = kernel_.tensors[op.inputs[number].tensor];
    std::vector<affine::Expr> shape = read.shape, first(shape.size());
    const int lanes = vectorBytes_ / transforms::registerBytes(op);
    const auto best =
        lineOfWindows(op, number, builder_, lanes, mayCopy(op, op.inputs[number], first, shape));
    if (!best) return along;
    const std::string& last = best->iterators.back();
    if (best->isTurned) turnOutputs(op, transforms::iteratorsOf(op.outputs[0]), best->iterators);
    if (best->isCopied) copyInput(op, number, lastAlong(op.inputs[number], best->iterators));
    return last;
  }

  // Filters that move along vectors lie along them, too.
  void turnFilters(StructuredOp& op, size_t number, const std::string& along) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (i == number || !liesAcross(op, op.inputs[i], along)) continue;
      std::vector<std::string> order = transforms::iteratorsOf(op.inputs[i]);
      std::erase(order, along);
      order.push_back(along);
      copyInput(op, i, orderOf(op.inputs[i], order));
    }
  }

  // The iterator along which all that the op writes lies; empty: there is none.
  std::string lineOfOutputs(const StructuredOp& op) const {
    std::string along;
    for (const ir::Operand& output : op.outputs) {
      const auto own =
          output.map.size() < 2 ? std::nullopt : withoutUnits(op, output).map.back().asIterator();
      if (!own || !ir::isPlain(output) || (!along.empty() && *own != along)) return "";
      along = *own;
    }
    return along;
  }

  // The input that has most iterators, all of the output's among them, if there is one.
  std::optional<size_t> largestInput(const StructuredOp& op) const {
    std::optional<size_t> largest;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const size_t own = op.inputs[i].shapeOnly ? 0 : transforms::iteratorsOf(op.inputs[i]).size();
      if (own < most) continue;
      count = own == most ? count + 1 : 1;
      if (own > most) largest = i;
      most = own;
    }
    if (!largest) return std::nullopt;
    const std::string line = lineOf(op, op.inputs[*largest]);
    const std::vector<std::string> own = transforms::iteratorsOf(op.inputs[*largest]);
    const bool hasAll = llvm::all_of(op.outputs, [&](const ir::Operand& output) {
      return output.map.size() == op.outputs[0].map.size() &&
             llvm::all_of(output.map, [&](const affine::Expr& index) {
               return llvm::is_contained(own, *index.asIterator());
             });
    });
    // Others of that size lie likewise, or some are turned in any case.
    const bool areAlike = llvm::all_of(op.inputs, [&](const ir::Operand& input) {
      return input.shapeOnly || transforms::iteratorsOf(input).size() < most ||
             lineOf(op, input) == line;
    });
    return hasAll && (count == 1 || areAlike) ? largest : std::nullopt;
  }

  // The parallel iterator with which the operand moves from one element to the next; empty: there is none.
  std::string lineOf(const StructuredOp& op, const ir::Operand& operand) const {
    std::vector<std::string> parallel;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Parallel) parallel.push_back(i.name);
    return contiguousIn(withoutUnits(op, operand), parallel);
  }

  // Without the last dimensions that have one position.
  ir::Operand withoutUnits(const StructuredOp& op, ir::Operand operand) const {
    while (operand.map.size() > 1 && hasOnePosition(op, operand.map.back())) operand.map.pop_back();
    return operand;
  }
  bool hasOnePosition(const StructuredOp& op, const affine::Expr& index) const {
    return llvm::all_of(index.iterators(), [&](const std::string& name) {
      return builder_.hasExtent(op, name) && builder_.extent(op, name).asConstant() == 1;
    });
  }

  static bool isByItself(const ir::Operand& input, const std::string& iterator) {
    return llvm::is_contained(input.map, affine::Expr::iterator(iterator));
  }

  // Whether a dimension moves with a parallel iterator, and with a reduction.
  static bool movesWindow(const StructuredOp& op, const ir::Operand& input) {
    return llvm::any_of(input.map, [&](const affine::Expr& index) {
      bool parallel = false, reduction = false;
      for (const std::string& name : index.iterators())
        for (const ir::Iterator& i : op.iterators)
          if (i.name == name) (i.kind == ir::IteratorKind::Parallel ? parallel : reduction) = true;
      return parallel && reduction;
    });
  }

  // ---- Inputs ----

  // The dimensions in the order of the iterators that move along them; others before the last.
  static Order orderOf(const ir::Operand& input, const std::vector<std::string>& names) {
    Order order;
    auto add = [&](size_t d) {
      if (!llvm::is_contained(order, d)) order.push_back(d);
    };
    for (const std::string& name : names)
      for (size_t d = 0; d < input.map.size(); ++d)
        if (llvm::is_contained(input.map[d].iterators(), name)) add(d);
    const size_t last = order.back();
    order.pop_back();
    for (size_t d = 0; d < input.map.size(); ++d)
      if (d != last) add(d);
    order.push_back(last);
    return order;
  }

  // As they are, so that neighbours stay that, but those that move with these iterators last.
  static Order lastAlong(const ir::Operand& input, const std::vector<std::string>& iterators) {
    Order order = inOrder(input.map.size());
    for (const std::string& name : iterators)
      for (size_t d = 0; d < input.map.size(); ++d)
        if (input.map[d].mentions(name)) {
          std::erase(order, d);
          order.push_back(d);
        }
    return order;
  }

  static Order inOrder(size_t rank) {
    Order order(rank);
    for (size_t d = 0; d < rank; ++d) order[d] = d;
    return order;
  }

  struct Copy {
    unsigned from;
    Order order;
    std::vector<affine::Expr> first, shape;  // of what it has of the tensor
    ir::ValueRef pad;
    unsigned to;
  };
  static void readCopy(ir::Operand& input, const Copy& copy) {
    input.tensor = copy.to;
    for (size_t d = 0; d < copy.first.size(); ++d) input.map[d] = input.map[d] - copy.first[d];
    input.map = ordered(input.map, copy.order);
    input.pad = nullptr;
  }

  // The op reads a copy of it, whose dimensions are in that order, and which has what is read outside, too.
  bool copyInput(StructuredOp& op, size_t number, const Order& order) {
    ir::Operand& input = op.inputs[number];
    const unsigned source = input.tensor;
    const ir::Tensor from = kernel_.tensors[source];
    std::vector<affine::Expr> shape = from.shape, first(from.shape.size());
    if (!mayCopy(op, input, first, shape)) return false;
    const bool isPart = input.pad || shape != from.shape;  // it is not all of the tensor, or more
    for (const Copy& copy : copies_)
      if (copy.from == input.tensor && copy.order == order && copy.first == first &&
          copy.shape == shape && ir::equal(copy.pad, input.pad)) {
        readCopy(input, copy);
        return true;
      }
    const unsigned to = builder_.tensor((input.pad ? "padded_" : "turned_") + from.name, from.type,
                                        ordered(shape, order), ir::Role::Local);
    before_.push_back(copied(input.tensor, to, order, op.source));
    ir::Operand& whole = before_.back().inputs[0];
    for (size_t d = 0; d < first.size(); ++d) whole.map[d] = whole.map[d] + first[d];
    // What is beyond the last window may be beyond the tensor.
    if (isPart) whole.pad = input.pad ? input.pad : ir::makeLiteral(from.type, ir::Number{});
    copies_.push_back({source, order, first, shape, input.pad, to});
    readCopy(input, copies_.back());
    return true;
  }

  // Whether a copy of the input serves the op, and what it has of the tensor then.
  bool mayCopy(const StructuredOp& op, const ir::Operand& input, std::vector<affine::Expr>& first,
               std::vector<affine::Expr>& shape) const {
    if (kernel_.tensors[input.tensor].role != ir::Role::Input || leavesOut(op, input)) return false;
    for (size_t d = 0; d < input.map.size(); ++d)
      if ((input.pad || (!input.map[d].asIterator() && input.map[d].hasIterators())) &&
          !reach(op, input.map[d], first[d], shape[d]))
        return false;
    return true;
  }

  // Whether windows, or what they see, may be so far apart that little of it is read.
  static bool leavesOut(const StructuredOp& op, const ir::Operand& input) {
    constexpr int64_t kFar = 3;
    return llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
      return llvm::any_of(input.map, [&](const affine::Expr& index) {
        const auto step = index.stepAlong(i.name);
        return index.mentions(i.name) && !index.quotientAlong(i.name) &&
               (!step || std::abs(step->asConstant().value_or(kFar + 1)) > kFar);
      });
    });
  }

  // The first position of an index that moves forwards, and how many there are from there on: just as many if it is one
  // iterator where others have one position, else some more, so that the number is never negative.
  bool reach(const StructuredOp& op, const affine::Expr& index, affine::Expr& first,
             affine::Expr& count) const {
    const auto linear = index.asLinear();
    if (!linear) return reachOfQuotient(op, index, first, count);
    if (linear->parts.empty()) return false;
    first = index;
    count = affine::Expr();
    for (const auto& part : linear->parts) {
      const auto step = part.coefficient.asConstant();
      if (!step || *step < 1 || !builder_.hasExtent(op, part.iterator)) return false;
      first = first - part.coefficient * transforms::at(part.iterator);
      const affine::Expr extent = builder_.extent(op, part.iterator);
      const auto known = extent.asConstant();
      if (known == 0) return false;
      count = count + part.coefficient * (known ? transforms::constant(*known - 1) : extent);
    }
    // All are known: the first one counts, too.
    if (count.asConstant()) count = count + transforms::constant(1);
    return !count.overflowed();
  }

  // The same of (n + 7) floordiv 5: the first is 1, and of N positions those are (N + 2 + 4) floordiv 5.
  bool reachOfQuotient(const StructuredOp& op, const affine::Expr& index, affine::Expr& first,
                       affine::Expr& count) const {
    const std::vector<std::string> names = index.iterators();
    const auto quotient = names.size() == 1 ? index.quotientAlong(names[0]) : std::nullopt;
    if (!quotient || !builder_.hasExtent(op, names[0])) return false;
    const affine::Expr divisor = transforms::constant(quotient->divisor);
    const auto from = (quotient->dividend - transforms::at(names[0])).asConstant();
    if (!from) return false;
    const affine::Expr before = transforms::constant(*from).mod(divisor);
    first = index - quotient->dividend.floorDiv(divisor) +
            transforms::constant(*from).floorDiv(divisor);
    count = (builder_.extent(op, names[0]) + before).ceilDiv(divisor);
    return !first.hasIterators() && !count.overflowed();
  }

  // ---- Results ----

  // The dimensions of all that the op writes, in the order of these iterators, but some of them last.
  void turnOutputs(const StructuredOp& op, std::vector<std::string> names,
                   const std::vector<std::string>& last) {
    std::erase_if(names, [&](const std::string& name) { return llvm::is_contained(last, name); });
    llvm::append_range(names, last);
    for (const ir::Operand& output : op.outputs) {
      Order order;
      for (const std::string& name : names)
        for (size_t d = 0; d < output.map.size(); ++d)
          if (output.map[d].asIterator() == name) order.push_back(d);
      results_.try_emplace(output.tensor, std::move(order));
    }
  }

  // Whether an op goes through it along a diagonal: the first of its dimensions says how far.
  bool hasDiagonal(unsigned tensor) const {
    return llvm::any_of(ops_, [&](const StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i)
        for (const affine::Expr& index : op.operand(i).map)
          if (op.operand(i).tensor == tensor && index.asIterator() &&
              llvm::count(op.operand(i).map, index) > 1)
            return true;
      return false;
    });
  }

  // In all ops; an output is a local tensor meanwhile.
  void turnResult(unsigned tensor, const Order& order) {
    unsigned to = tensor;
    if (kernel_.tensors[tensor].role == ir::Role::Local) {
      kernel_.tensors[tensor].shape = ordered(kernel_.tensors[tensor].shape, order);
    } else {
      const ir::Tensor from = kernel_.tensors[tensor];
      to = builder_.tensor("turned_" + from.name, from.type, ordered(from.shape, order),
                           ir::Role::Local);
      if (isKept(tensor)) before_.push_back(copied(tensor, to, order, sourceOf(tensor)));
      behind_.push_back(inverse(copied(tensor, to, order, sourceOf(tensor))));
    }
    for (StructuredOp& op : ops_) {
      bool isWritten = false;
      for (size_t i = 0; i < op.operandCount(); ++i) {
        ir::Operand& operand = op.operand(i);
        if (operand.tensor != tensor) continue;
        operand.tensor = to;
        operand.map = ordered(operand.map, order);
        isWritten |= i >= op.inputs.size();
      }
      if (isWritten) sortIterators(op);
    }
  }

  // Whether what the output holds before is part of the results, unless the first op that uses it writes all of it.
  bool isKept(unsigned tensor) const {
    const auto first =
        llvm::find_if(ops_, [&](const StructuredOp& op) { return ir::uses(op, tensor); });
    return !transforms::isWholeMap(kernel_, *first) || first->outputs[0].tensor != tensor ||
           llvm::any_of(first->inputs, [&](const ir::Operand& i) { return i.tensor == tensor; });
  }

  // The statement that writes it first.
  SourceRange sourceOf(unsigned tensor) const {
    for (const StructuredOp& op : ops_)
      for (const ir::Operand& output : op.outputs)
        if (output.tensor == tensor) return op.source;
    return {};
  }

  // Loops go through the output as it lies.
  static void sortIterators(StructuredOp& op) {
    std::vector<ir::Iterator> sorted;
    for (const affine::Expr& index : op.outputs[0].map)
      for (const ir::Iterator& i : op.iterators)
        if (index.asIterator() == i.name && !llvm::is_contained(sorted, i)) sorted.push_back(i);
    for (const ir::Iterator& i : op.iterators)
      if (!llvm::is_contained(sorted, i)) sorted.push_back(i);
    op.iterators = std::move(sorted);
  }

  // ---- Copies ----

  // From a tensor to one whose dimensions are in another order.
  StructuredOp copied(unsigned from, unsigned to, const Order& order, const SourceRange& source) {
    StructuredOp op;
    op.source = source;
    std::vector<affine::Expr> map;
    for (size_t d = 0; d < order.size(); ++d) {
      const std::string name = builder_.name("d" + std::to_string(d));
      map.push_back(transforms::at(name));
      op.iterators.push_back({name, ir::IteratorKind::Parallel});
    }
    op.inputs = {{from, map, nullptr}};
    op.outputs = {{to, ordered(map, order), nullptr}};
    op.results = {ir::makeValue(kernel_.tensors[from].type, ir::OperandRef{0})};
    sortIterators(op);
    return op;
  }

  static StructuredOp inverse(StructuredOp op) {
    std::swap(op.inputs, op.outputs);
    sortIterators(op);
    return op;
  }

  const bool keepsOrder_;  // of sums
  const int vectorBytes_;
  ir::Kernel kernel_;
  transforms::Builder builder_;
  std::vector<StructuredOp> before_, ops_, behind_;
  std::map<unsigned, Order> results_;
  std::vector<Copy> copies_;  // of inputs
};

}  // namespace

ir::Kernel layOut(const ir::Kernel& kernel, bool keepsOrder, int vectorBytes) {
  return kernel.libraryCall ? kernel : Layouts(kernel, keepsOrder, vectorBytes).run();
}

}  // namespace einc::strategy
