// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/words.h"

#include <utility>

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;

// What words are made of: from `first` on, `count` of them along an iterator.
class Words {
 public:
  Words(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
        const Panels& panels, const std::string& along, ir::Block& block)
      : builder_(builder),
        op_(op),
        operand_(operand),
        by_(*panels.words),
        areInside_(panels.areInside),
        along_(along),
        each_(by_.instruction->count),
        type_(builder.kernel().tensors[op.inputs[operand].tensor].type),
        block_(block) {}

  // Of all that there is of them, the integers that they are in memory beside, if these are known to be there.
  Copied whole() {
    const Expr count = extent().floorDiv(constant(each_));
    Copied copied = elements(Expr(), count, /*mayBeOutside=*/false);
    if (!areInside_) return copied;
    const unsigned bits = 8 * ir::info(type_).bytes() * static_cast<unsigned>(each_);
    const ir::ScalarType word = bits == 64   ? ir::ScalarType::I64
                                : bits == 32 ? ir::ScalarType::I32
                                             : ir::ScalarType::I16;
    copied.from.push_back(view("words", word, Expr(), count, nullptr));
    copied.ofOne =
        wordOf(by_, operand_, ir::makeValue(word, ir::OperandRef{0}), ir::inBytes(type_));
    return copied;
  }
  // Of what is left, one.
  Copied rest() {
    return elements(extent().floorDiv(constant(each_)) * constant(each_), constant(1),
                    /*mayBeOutside=*/true);
  }

 private:
  Expr extent() const { return builder_.extent(op_, along_); }

  Copied elements(const Expr& first, const Expr& count, bool mayBeOutside) {
    // Floats by their bits.
    const ir::ScalarType type = ir::info(type_).isFloat() ? ir::ScalarType::U16 : type_;
    Copied copied;
    std::vector<ir::ValueRef> values;
    for (int64_t i = 0; i < each_; ++i) {
      // Each word has one position or more.
      const bool mayBeNone = mayBeOutside && i > 0;
      ir::Operand element = view("element", type_, first + constant(i), count,
                                 mayBeNone ? ir::makeLiteral(type_, ir::Number{}) : nullptr);
      if (type != type_) element = bitsOf(element, type);
      values.push_back(ir::makeCast(ir::inBytes(type),
                                    ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(i)})));
      // Where the spec reads outside of the operand, what it says is there would be read, too.
      if (mayBeNone)
        values.back() = ifThere(i, values.back(), zeroOf(by_, operand_, ir::inBytes(type)));
      copied.from.push_back(std::move(element));
    }
    copied.element = wordOf(by_, operand_, std::move(values));
    return copied;
  }

  ir::ValueRef ifThere(int64_t i, const ir::ValueRef& value, const ir::ValueRef& otherwise) const {
    auto index = [](const Expr& e) { return ir::makeValue(ir::ScalarType::I64, ir::IndexRef{e}); };
    return ir::makeCall(
        ir::Function::Select,
        {ir::makeCall(ir::Function::Lt, {index(constant(i)), index(extent().mod(constant(each_)))}),
         value, otherwise});
  }

  // The operand at first + each * i, for all `count` of i.
  ir::Operand view(const std::string& name, ir::ScalarType type, const Expr& first,
                   const Expr& count, ir::ValueRef pad) {
    const ir::Operand& from = op_.inputs[operand_];
    const std::vector<std::string> dims = transforms::iteratorsOf(from);
    std::vector<Expr> shape, map, plain;
    for (const std::string& dim : dims) {
      shape.push_back(dim == along_ ? count : builder_.extent(op_, dim));
      plain.push_back(at(dim));
    }
    for (const Expr& e : from.map)
      map.push_back(e.asIterator() == along_ ? e * constant(each_) + first : e);
    const unsigned view = builder_.tensor(name, type, std::move(shape), ir::Role::View);
    block_.push_back({ir::View{view, from.tensor, dims, std::move(map), std::move(pad)}});
    return {view, std::move(plain), nullptr};
  }

  ir::Operand bitsOf(const ir::Operand& element, ir::ScalarType type) {
    const std::vector<std::string> dims = transforms::iteratorsOf(element);
    const unsigned view = builder_.tensor(
        "bits", type, builder_.kernel().tensors[element.tensor].shape, ir::Role::View);
    block_.push_back({ir::View{view, element.tensor, dims, element.map, nullptr}});
    return {view, element.map, nullptr};
  }

  transforms::Builder& builder_;
  const ir::StructuredOp& op_;
  size_t operand_;
  const Instructed& by_;
  bool areInside_;
  const std::string& along_;
  int64_t each_;
  ir::ScalarType type_;
  ir::Block& block_;
};

}  // namespace

Expr panelExtent(const Expr& extent, const std::optional<Instructed>& words) {
  return words ? extent.ceilDiv(constant(words->instruction->count)) : extent;
}

Copied wholeWords(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
                  const Panels& panels, const std::string& along, ir::Block& block) {
  return Words(builder, op, operand, panels, along, block).whole();
}

Copied restOfWords(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
                   const Panels& panels, const std::string& along, ir::Block& block) {
  return Words(builder, op, operand, panels, along, block).rest();
}

}  // namespace einc::strategy
