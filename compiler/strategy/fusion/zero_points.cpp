// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/zero_points.h"

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/scalar.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/factors.h"
#include "compiler/strategy/fusion/locals.h"
#include "compiler/strategy/groups.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/inline.h"
#include "compiler/transforms/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::StructuredOp;
using ir::ValueRef;
using transforms::at;

// For an op that may have something to do where the other one has nothing: then nobody has asked whether an index is inside.
// (Iterators run to the ends of all dimensions: haveOneExtent.)
ir::Operand insideOrZero(const ir::Kernel& kernel, ir::Operand operand) {
  const ir::Tensor& tensor = kernel.tensors[operand.tensor];
  bool isInside = true;
  for (size_t d = 0; d < operand.map.size(); ++d) {
    const auto at = operand.map[d].asConstant(), size = tensor.shape[d].asConstant();
    isInside &= operand.map[d].asIterator() || (at && size && *at >= 0 && *at < *size);
  }
  if (!operand.pad && !isInside) operand.pad = ir::makeLiteral(tensor.type, ir::Number{});
  return operand;
}

// A value over operands of another op becomes one over this op's, which get to be so many more.
ValueRef takeOver(const ir::Kernel& kernel, StructuredOp& to, const StructuredOp& from,
                  const ValueRef& value) {
  std::map<unsigned, unsigned> numbers;
  return ir::rewrite(value, [&](const ValueRef& node) -> ValueRef {
    auto* reference = std::get_if<ir::OperandRef>(&node->node);
    if (!reference) return nullptr;
    const auto [found, isNew] =
        numbers.try_emplace(reference->operand, static_cast<unsigned>(to.inputs.size()));
    if (isNew) to.inputs.push_back(insideOrZero(kernel, from.operand(reference->operand)));
    return ir::makeValue(node->type, ir::OperandRef{found->second});
  });
}

ValueRef readBy(StructuredOp& op, const ir::Operand& operand, ScalarType type) {
  op.inputs.push_back(operand);
  return ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(op.inputs.size() - 1)});
}

class ZeroPoints {
 public:
  explicit ZeroPoints(const ir::Kernel& kernel) : kernel_(kernel), builder_(kernel_) {
    ir::forEachOp(kernel.body, [&](const StructuredOp& op) { ops_.push_back(op); });
  }

  ir::Kernel run() {
    for (const StructuredOp& op : ops_)
      if (!takeOut(op)) done_.push_back(op);
    if (!isChanged_) return std::move(kernel_);
    kernel_.body.clear();
    for (StructuredOp& op : done_) kernel_.body.push_back({std::move(op)});
    return inlineLocals(kernel_);
  }

 private:
  bool takeOut(const StructuredOp& op) {
    if (op.outputs.size() != 1 || op.combiner || !ir::reduces(op) || ir::usesPositions(op))
      return false;
    const auto product = haveOneExtent(op) ? productOf(op) : std::nullopt;
    if (!product || !writesAll(op) || reads(op, op.outputs[0].tensor)) return false;
    const Factor& a = product->factors[0];
    const Factor& b = product->factors[1];
    StructuredOp rest = op;
    rest.results = {plus(
        ir::makeValue(op.results[0]->type, ir::OperandRef{static_cast<unsigned>(op.inputs.size())}),
        {ir::makeCall(Function::Mul, {a.element, b.element})})};
    for (size_t i = rest.inputs.size(); i-- > 0;)
      if (!rest.inputs[i].shapeOnly && !ir::readsOperand(rest, i))
        transforms::dropInput(kernel_, rest, i);
    const auto groups = contractionGroups(kernel_, rest);
    if (!groups || haveSeveral(*groups)) return false;
    // a' b' + za b' + zb (a' + za): the last sum may have its zero point in it where it has as many results without.
    const bool isInA = isWithin(op, a), isInB = isWithin(op, b);
    if (a.zero.value && b.zero.value && !isInA && !isInB) return false;
    std::optional<StructuredOp> start;
    if (!done_.empty() && starts(done_.back(), op)) {
      start = std::move(done_.back());
      done_.pop_back();
    }
    std::vector<ZeroTimes> zeros;
    if (b.zero.value) zeros.push_back({b.zero, sums(op, a, a.zero.value && isInA)});
    if (a.zero.value) zeros.push_back({a.zero, sums(op, b, b.zero.value && !isInA)});
    finish(op, std::move(rest), std::move(start), zeros, product->isNegative);
    isChanged_ = true;
    return true;
  }

  // A zero point times sums of the other factor.
  struct ZeroTimes {
    Addend zero;
    ir::Operand sums;
  };

  // What an iterator indexes alone has as many positions as it runs over: so it does in ops on some of the operands.
  bool haveOneExtent(const StructuredOp& op) const {
    for (size_t i = 0; i < op.operandCount(); ++i)
      for (size_t d = 0; d < op.operand(i).map.size(); ++d) {
        const auto name = op.operand(i).map[d].asIterator();
        if (name && (!builder_.hasExtent(op, *name) ||
                     builder_.extent(op, *name) != kernel_.tensors[op.operand(i).tensor].shape[d]))
          return false;
      }
    return true;
  }

  // The output's dimensions are the parallel iterators, each of them, in whole.
  bool writesAll(const StructuredOp& op) const {
    std::set<std::string> seen;
    const ir::Operand& output = op.outputs[0];
    for (size_t d = 0; d < output.map.size(); ++d) {
      const auto name = output.map[d].asIterator();
      if (!name || isSummed(op, *name) || !seen.insert(*name).second) return false;
      if (!builder_.hasExtent(op, *name) ||
          builder_.extent(op, *name) != kernel_.tensors[output.tensor].shape[d])
        return false;
    }
    return llvm::all_of(op.iterators, [&](const ir::Iterator& i) {
      return builder_.hasExtent(op, i.name) &&
             (i.kind == ir::IteratorKind::Reduction || seen.count(i.name) != 0);
    });
  }

  static bool reads(const StructuredOp& op, unsigned tensor) {
    return llvm::any_of(op.inputs, [&](const ir::Operand& i) { return i.tensor == tensor; });
  }

  // What the op adds to is written by this one, and nothing else.
  bool starts(const StructuredOp& start, const StructuredOp& op) const {
    return start.outputs.size() == 1 && start.outputs[0].tensor == op.outputs[0].tensor &&
           transforms::isWholeMap(kernel_, start) && !ir::usesPositions(start) &&
           !reads(start, op.outputs[0].tensor) && writesAll(start);
  }

  static std::set<std::string> iteratorsIn(const StructuredOp& op, const ValueRef& value) {
    std::set<std::string> found;
    for (unsigned i : operandsIn(value))
      for (std::string& name : transforms::iteratorsOf(op.inputs[i])) found.insert(std::move(name));
    return found;
  }

  static bool isWithin(const StructuredOp& op, const Factor& factor) {
    if (!factor.zero.value) return false;
    const std::set<std::string> own = iteratorsIn(op, factor.element);
    return llvm::all_of(iteratorsIn(op, factor.zero.value),
                        [&](const std::string& name) { return own.count(name) != 0; });
  }

  // The sums of a factor's elements, or of all that it is.
  ir::Operand sums(const StructuredOp& op, const Factor& factor, bool isAll) {
    if (isAll) return sumsOf(op, op, plus(factor.element, factor.zero));
    const ir::Operand& input = op.inputs[factor.input];
    const std::vector<std::string> inWhole = summedInWhole(op, input);
    if (inWhole.empty() ||
        (input.pad && !outside(factor, input.pad, builder_.positions(op, inWhole))))
      return sumsOf(op, op, factor.element);
    StructuredOp ofWindows = op;
    ofWindows.inputs[factor.input] = sumsInWhole(op, factor, inWhole);
    return sumsOf(op, ofWindows, ir::makeValue(op.results[0]->type, ir::OperandRef{factor.input}));
  }

  // Of windows, the reductions that are all of a dimension at each position, as channels are: sums along these are the same
  // for all windows that have the position.
  std::vector<std::string> summedInWhole(const StructuredOp& op, const ir::Operand& input) const {
    std::vector<std::string> inWhole;
    bool isOfWindows = false;
    for (size_t d = 0; d < input.map.size(); ++d) {
      const auto name = input.map[d].asIterator();
      const auto mentions = [&](const affine::Expr& e) { return e.mentions(*name); };
      if (name && isSummed(op, *name) && llvm::count_if(input.map, mentions) == 1 &&
          builder_.extent(op, *name) == kernel_.tensors[input.tensor].shape[d])
        inWhole.push_back(*name);
      else
        isOfWindows |= llvm::any_of(input.map[d].iterators(),
                                    [&](const std::string& i) { return isSummed(op, i); });
    }
    return isOfWindows ? inWhole : std::vector<std::string>();
  }

  // Those sums at all positions, as windows read them.
  ir::Operand sumsInWhole(const StructuredOp& op, const Factor& factor,
                          const std::vector<std::string>& inWhole) {
    const ir::Operand& input = op.inputs[factor.input];
    StructuredOp plain = op;
    plain.iterators.clear();
    ir::Operand& all = plain.inputs[factor.input];
    ir::Operand result{0, {}, nullptr};
    all.pad = nullptr;
    for (size_t d = 0; d < input.map.size(); ++d) {
      const auto name = input.map[d].asIterator();
      if (name && llvm::is_contained(inWhole, *name)) {
        plain.iterators.push_back({*name, ir::IteratorKind::Reduction});
        continue;
      }
      const std::string x = builder_.name("x");
      plain.iterators.push_back({x, ir::IteratorKind::Parallel});
      all.map[d] = at(x);
      result.map.push_back(input.map[d]);
    }
    result.tensor = sumsOf(plain, plain, factor.element).tensor;
    if (input.pad) result.pad = *outside(factor, input.pad, builder_.positions(op, inWhole));
    return result;
  }

  // What sums of so many elements are where a window sees what is outside; nothing, if that is no number yet.
  static std::optional<ValueRef> outside(const Factor& factor, const ValueRef& pad,
                                         const affine::Expr& count) {
    auto simple = [](const ValueRef& value) { return transforms::simplified(value, true); };
    ValueRef value = ir::rewrite(factor.element, [&](const ValueRef& node) {
      return std::holds_alternative<ir::OperandRef>(node->node) ? pad : nullptr;
    });
    value = ir::rewrite(value, simple);
    auto* call = std::get_if<ir::Call>(&value->node);
    const bool isNone =
        call && call->function == Function::Sub && ir::equal(call->args[0], call->args[1]);
    if (isNone || isZero(value)) return ir::makeLiteral(value->type, ir::Number{});
    const auto known = count.asConstant();
    if (!known) return std::nullopt;
    const ValueRef times =
        ir::makeLiteral(value->type, ir::integerNumber(value->type, static_cast<uint64_t>(*known)));
    return ir::makeCall(Function::Mul, {times, std::move(value)});
  }

  // The sums of a value over the operands of `reader`, for each position of the iterators of `op` that are in it.
  ir::Operand sumsOf(const StructuredOp& op, const StructuredOp& reader, const ValueRef& of) {
    const ScalarType type = of->type;
    const std::set<std::string> used = iteratorsIn(reader, of);
    StructuredOp zero;
    zero.source = op.source;
    ir::Operand to{0, {}, nullptr};
    std::vector<affine::Expr> shape;
    for (const ir::Iterator& i : op.iterators) {
      if (used.count(i.name) == 0 || i.kind != ir::IteratorKind::Parallel) continue;
      zero.iterators.push_back(i);
      to.map.push_back(at(i.name));
      shape.push_back(builder_.extent(op, i.name));
    }
    to.tensor = builder_.tensor("sums", type, std::move(shape), ir::Role::Local);
    zero.outputs = {to};
    zero.results = {ir::makeLiteral(type, ir::Number{})};
    StructuredOp add = zero;
    llvm::copy_if(op.iterators, std::back_inserter(add.iterators), [&](const ir::Iterator& i) {
      return used.count(i.name) != 0 && i.kind == ir::IteratorKind::Reduction;
    });
    const ValueRef value = takeOver(kernel_, add, reader, of);
    for (const ir::Iterator& i : add.iterators)
      if (!builder_.hasExtent(add, i.name)) add.inputs.push_back(extentOnly(op, i.name));
    add.results = {plus(
        ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(add.inputs.size())}), {value})};
    done_.push_back(std::move(zero));
    done_.push_back(std::move(add));
    return to;
  }

  // An operand that says how many positions an iterator has, and nothing else.
  ir::Operand extentOnly(const StructuredOp& op, const std::string& iterator) const {
    const auto source = ir::extentOf(kernel_, op, iterator);
    ir::Operand result = op.operand(source->operand);
    for (size_t d = 0; d < result.map.size(); ++d)
      if (d != source->dim) result.map[d] = affine::Expr();
    result.pad = nullptr;
    result.shapeOnly = true;
    return result;
  }

  // Zero points become part of the start; or else, and where products are subtracted, of what is then added to the output.
  void finish(const StructuredOp& op, StructuredOp rest, std::optional<StructuredOp> start,
              const std::vector<ZeroTimes>& zeros, bool isNegative) {
    const ScalarType type = op.results[0]->type;
    const bool isOnOutput = start && !isNegative;
    StructuredOp first;
    if (isOnOutput) {
      first = renamed(std::move(*start), op);
    } else {
      first.source = op.source;
      for (const affine::Expr& e : op.outputs[0].map)
        first.iterators.push_back({*e.asIterator(), ir::IteratorKind::Parallel});
      first.outputs = {op.outputs[0]};
      first.outputs[0].tensor = builder_.tensor(
          "products", type, kernel_.tensors[op.outputs[0].tensor].shape, ir::Role::Local);
      rest.outputs = first.outputs;
    }
    std::vector<Addend> terms;
    if (isOnOutput && !isZero(first.results[0])) terms.push_back({first.results[0]});
    for (const ZeroTimes& one : zeros) {
      const ValueRef zero = takeOver(kernel_, first, op, one.zero.value);
      terms.push_back({ir::makeCall(Function::Mul, {zero, readBy(first, one.sums, type)}),
                       one.zero.isNegative});
    }
    const Addend sum = sumOf(terms);
    first.results = {!sum.value       ? ir::makeLiteral(type, ir::Number{})
                     : sum.isNegative ? ir::makeCall(Function::Neg, {sum.value})
                                      : sum.value};
    const ir::Operand products = rest.outputs[0];
    done_.push_back(std::move(first));
    done_.push_back(std::move(rest));
    if (isOnOutput) return;
    StructuredOp last;
    last.source = op.source;
    last.outputs = {op.outputs[0]};
    for (const affine::Expr& e : op.outputs[0].map)
      last.iterators.push_back({*e.asIterator(), ir::IteratorKind::Parallel});
    ValueRef before;
    if (start) {
      const StructuredOp own = renamed(std::move(*start), op);
      last.inputs = own.inputs;
      before = own.results[0];
    }
    const ValueRef read = readBy(last, products, type);
    if (!before)
      before = ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(last.inputs.size())});
    last.results = {plus(before, {read, isNegative})};
    done_.push_back(std::move(last));
  }

  static bool isZero(const ValueRef& value) {
    auto* literal = std::get_if<ir::Literal>(&value->node);
    return literal && literal->number.asBits == 0;
  }

  // A start with the iterators of the op.
  static StructuredOp renamed(StructuredOp start, const StructuredOp& op) {
    std::map<std::string, std::string> names;
    for (size_t d = 0; d < op.outputs[0].map.size(); ++d)
      names[*start.outputs[0].map[d].asIterator()] = *op.outputs[0].map[d].asIterator();
    for (ir::Iterator& i : start.iterators) i.name = names.at(i.name);
    for (size_t i = 0; i < start.operandCount(); ++i)
      for (affine::Expr& index : start.operand(i).map)
        index = index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
          if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
          return at(names.at(atom.name));
        });
    return start;
  }

  ir::Kernel kernel_;
  transforms::Builder builder_;
  std::vector<StructuredOp> ops_, done_;
  bool isChanged_ = false;
};

}  // namespace

ir::Kernel takeOutZeroPoints(const ir::Kernel& kernel) {
  return kernel.libraryCall ? kernel : ZeroPoints(kernel).run();
}

}  // namespace einc::strategy
