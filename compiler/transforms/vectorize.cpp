// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/vectorize.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/facts/facts.h"
#include "compiler/ir/shape.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/join_sums.h"
#include "compiler/transforms/lower.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using facts::Facts;

ir::ValueRef zero(ir::ScalarType type) { return ir::makeLiteral(type, ir::Number{}); }

// One op with axes.
class OpVectorizer {
 public:
  OpVectorizer(Builder& builder, const ir::StructuredOp& op, const Facts& facts,
               const std::set<unsigned>& registers, const ShortSums& shortSums, bool keepsOrder,
               bool negatesMaxima)
      : builder_(builder),
        kernel_(builder.kernel()),
        op_(op),
        facts_(facts),
        registers_(registers),
        shortSums_(shortSums),
        keepsOrder_(keepsOrder),
        negatesMaxima_(negatesMaxima) {}

  ir::Block run() {
    ir::Vector region{op_.axes, {}};
    region.variant = op_.variant;
    for (const ir::Operand& output : op_.outputs)
      if (op_.early) region.body.push_back({soon(output)});
    for (const ir::Operand& input : op_.inputs)
      if (op_.ahead && !op_.unrolled.empty() && movesAhead(input))
        region.body.push_back({soon(input)});
    for (size_t i = 0; i < op_.outputs.size(); ++i) begin(i, region.body);
    bool varies = false;
    std::vector<ir::Condition> test = insideTest(&varies);
    ir::Block update = terms(test.empty() || varies ? Where::Unknown : Where::Outside);
    if (!test.empty())
      update = only({ir::If{std::move(test), terms(Where::Inside), std::move(update)}});
    for (ir::Stmt& stmt : loops(ir::IteratorKind::Reduction, std::move(update)))
      region.body.push_back(std::move(stmt));
    // What is there is read of all positions before any is written: where few neighbours are written with
    // masks, a CPU reads what lies beside them only when that is in the cache. (Measured on Zen 5, max of
    // 3 x 3 windows, 8 channels, us: 20 one after the other, 12 so.)
    for (size_t i = 0; i < op_.outputs.size(); ++i) combine(i, region.body);
    for (size_t i = 0; i < op_.outputs.size(); ++i) finish(i, region.body);
    ir::Block body;
    body.push_back({std::move(region)});
    return loops(ir::IteratorKind::Parallel, std::move(body));
  }

 private:
  struct Output {
    ir::ValueRef before;  // what the payload reads
    std::string variable;
    std::vector<std::string> axes;
    ir::ValueRef loaded;                   // the old value; null if it is not needed
    std::optional<ir::Function> combiner;  // the sum starts from its neutral element
    bool isNegated = false;                // it is the least of what is negated (vectorize.h)
  };

  bool isAxis(const std::string& iterator) const {
    return std::any_of(op_.axes.begin(), op_.axes.end(),
                       [&](const ir::Axis& a) { return a.name == iterator; });
  }
  int64_t sizeOf(const std::string& axis) const {
    for (const ir::Axis& a : op_.axes)
      if (a.name == axis) return a.size;
    return 1;
  }
  bool isReduction(const std::string& iterator) const {
    return std::any_of(op_.iterators.begin(), op_.iterators.end(), [&](const ir::Iterator& i) {
      return i.name == iterator && i.kind == ir::IteratorKind::Reduction;
    });
  }

  // So few terms for each element that it pays to begin with what is there (vectorize.h), known
  // beforehand, and no axis lies along them.
  bool isShortSum() const {
    affine::Expr terms = constant(1);
    for (const ir::Iterator& i : op_.iterators) {
      if (i.kind != ir::IteratorKind::Reduction) continue;
      if (isAxis(i.name)) return false;
      terms = terms * builder_.extent(op_, i.name);
    }
    bool near = std::all_of(op_.outputs.begin(), op_.outputs.end(),
                            [&](const ir::Operand& o) { return !mayLeave(o) && isNear(o); });
    return terms.asConstant().value_or(INT64_MAX) <=
           (near ? shortSums_.nearTerms : shortSums_.terms);
  }

  // Instructions add several terms at once, so that what is added at the end counts as much more: on a tile that compilers keep
  // in registers a sum goes on. (i8, 256 cubed, Zen 5, us: 38.5 and 36.7. Of one term at a time there is little to gain, and
  // averages of 3 x 3 from memory took 5.3 ms and 6.6.) Where outputs are asked for early they are in memory, and so may those of
  // variants be.
  bool addsSeveral() const {
    bool found = false;
    for (const ir::ValueRef& result : op_.results)
      ir::forEach(result, [&](const ir::Value& value) {
        found |= std::holds_alternative<ir::Instruct>(value.node);
      });
    return found && !op_.early && !op_.variant;
  }

  // Known to fit, with all that it is a part of, into a cache that this core has, or much of it.
  bool isNear(const ir::Operand& operand) const {
    auto place = facts_.resolve(operand.tensor, operand.map);
    if (!place) return false;
    const ir::Tensor& whole = kernel_.tensors[place->tensor];
    int64_t bytes = ir::info(whole.type).bytes();
    for (const affine::Expr& size : whole.shape) {
      int64_t count = size.asConstant().value_or(INT64_MAX);
      if (count > shortSums_.near) return false;
      bytes = std::min(bytes * count, shortSums_.near + 1);
    }
    return bytes <= shortSums_.near;
  }

  std::vector<std::string> axesOf(const ir::Operand& operand) const {
    std::vector<std::string> result, used = iteratorsOf(operand);
    for (const ir::Axis& axis : op_.axes)
      if (std::find(used.begin(), used.end(), axis.name) != used.end()) result.push_back(axis.name);
    return result;
  }

  // Whether an op's iterator runs to the end of its axis, always.
  bool isFull(const ir::Axis& axis) const {
    return facts_.valueOf(builder_.extent(op_, axis.name)) == axis.size;
  }
  bool mayLeave(const ir::Operand& operand) const {
    std::vector<std::string> used = axesOf(operand);
    return std::any_of(op_.axes.begin(), op_.axes.end(), [&](const ir::Axis& axis) {
      return std::find(used.begin(), used.end(), axis.name) != used.end() && !isFull(axis);
    });
  }

  // Whether there may be positions outside along another axis than neighbours are: with one test for reading and
  // writing each, code is shorter.
  bool leavesAcross(const ir::Operand& operand) const {
    const std::string unit = unitAxis(operand.tensor, operand.map);
    return !wholePlace(operand) && llvm::any_of(op_.axes, [&](const ir::Axis& axis) {
      return axis.name != unit && llvm::is_contained(axesOf(operand), axis.name) && !isFull(axis);
    });
  }

  // A local buffer that is large enough for whole axes, whatever the view on it says: what is
  // beyond the view was padded when it was written, or does not matter.
  std::optional<Facts::Place> wholePlace(const ir::Operand& operand) const {
    auto place = facts_.resolve(operand.tensor, operand.map);
    if (!place || kernel_.tensors[place->tensor].role != ir::Role::Local) return std::nullopt;
    // Words are elsewhere than their elements.
    if (kernel_.tensors[place->tensor].type != kernel_.tensors[operand.tensor].type)
      return std::nullopt;
    for (const ir::Axis& axis : op_.axes) {
      for (size_t d = 0; d < place->index.size(); ++d) {
        auto names = place->index[d].iterators();
        if (std::find(names.begin(), names.end(), axis.name) == names.end()) continue;
        auto extent = kernel_.tensors[place->tensor].shape[d].asConstant();
        if (place->index[d].asIterator() != axis.name || !extent || *extent < axis.size)
          return std::nullopt;
      }
    }
    return place;
  }

  // The axis along which the operand's neighbours are neighbours in memory.
  std::string unitAxis(unsigned tensor, const std::vector<affine::Expr>& index) const {
    for (unsigned d = 0; d < index.size(); ++d) {
      auto name = index[d].asIterator();
      if (name && isAxis(*name) && facts_.isUnit(tensor, d))
        return isOfWords(tensor, index, *name) ? "" : *name;
    }
    return "";
  }

  // Whether an axis of parts of bytes is that of one word, of which there are others along another axis: these are lanes then,
  // with a part of each.
  bool isOfWords(unsigned tensor, std::vector<affine::Expr> index, const std::string& part) const {
    if (sizeOf(part) != ir::partsOfWord(kernel_.tensors[tensor].type)) return false;
    for (affine::Expr& e : index) e = facts::substituted(e, part, affine::Expr());
    return llvm::any_of(op_.axes, [&](const ir::Axis& axis) {
      return axis.name != part && facts_.partOfWords(tensor, index, axis.name).has_value();
    });
  }

  // Null where it has none, or a view of bits or words is read, whose base has one of another type.
  ir::ValueRef padOf(const ir::Operand& operand) const {
    const ir::ValueRef pad = facts_.padOf(operand.tensor);
    return pad && pad->type == kernel_.tensors[operand.tensor].type ? pad : nullptr;
  }

  ir::ValueRef load(const ir::Operand& operand) const {
    ir::ScalarType type = kernel_.tensors[operand.tensor].type;
    if (auto place = wholePlace(operand))
      return ir::makeValue(type, ir::Load{place->tensor, place->index, nullptr,
                                          unitAxis(place->tensor, place->index)});
    // Lanes beyond the end are not used; what they read as is what the view reads as beyond its
    // own.
    ir::ValueRef pad;
    if (mayLeave(operand)) pad = padOf(operand);
    if (mayLeave(operand) && !pad) pad = zero(type);
    return ir::makeValue(
        type, ir::Load{operand.tensor, operand.map, pad, unitAxis(operand.tensor, operand.map)});
  }

  // Where the positions of an input that has a pad are, all of them.
  enum class Where : uint8_t { Unknown, Inside, Outside };

  ir::ValueRef loadFrom(Where where, const ir::Operand& operand) const {
    ir::ValueRef pad = padOf(operand);
    if (!pad || where == Where::Unknown) return load(operand);
    if (where == Where::Outside) return pad;
    std::vector<Facts::Within> within;
    auto place = facts_.resolve(operand.tensor, operand.map, &within);
    return ir::makeValue(
        kernel_.tensors[operand.tensor].type,
        ir::Load{place->tensor, place->index, nullptr, unitAxis(operand.tensor, operand.map)});
  }

  ir::Store store(const ir::Operand& operand, ir::ValueRef value) const {
    if (auto place = wholePlace(operand))
      return {place->tensor, place->index, std::move(value), unitAxis(place->tensor, place->index),
              false};
    return {operand.tensor, operand.map, std::move(value), unitAxis(operand.tensor, operand.map),
            mayLeave(operand)};
  }

  // The variable of an output, with what it starts from.
  void begin(size_t i, ir::Block& block) {
    const ir::Operand& operand = op_.outputs[i];
    ir::ScalarType type = kernel_.tensors[operand.tensor].type;
    Output output;
    output.axes = axesOf(operand);
    if (ir::readsOperand(op_, op_.inputs.size() + i)) output.loaded = load(operand);
    ir::ValueRef start = output.loaded;
    size_t parallel = output.axes.size();
    for (const ir::Axis& axis : op_.axes)
      if (isReduction(axis.name)) output.axes.push_back(axis.name);
    // What is in registers goes on there: a variable of its own would take as many again.
    unsigned root = facts_.rootOf(operand.tensor);
    bool goesOn = keepsOrder_ || registers_.count(root) != 0 || addsSeveral();
    bool asWritten = isShortSum() || (goesOn && output.axes.size() == parallel);
    if (const auto functions = combinersOf(op_); functions && ir::reduces(op_) && !asWritten)
      output.combiner = (*functions)[i];
    if (output.combiner == ir::Function::Max && negatesMaxima_ && ir::info(type).isFloat()) {
      output.combiner = ir::Function::Min;
      output.isNegated = true;
    }
    if (output.combiner) start = neutral(*output.combiner, type);
    output.variable = builder_.name(kernel_.tensors[root].name);
    output.before = ir::makeValue(type, ir::Variable{output.variable});
    if (ir::reduces(op_))
      block.push_back({ir::Let{output.variable, start, output.axes}});
    else
      output.before = output.loaded;
    outputs_.push_back(std::move(output));
  }

  // What elements of it are called in a variable: what is padded has a name of its own.
  const std::string& nameOf(unsigned tensor) const {
    return kernel_.tensors[facts_.padOf(tensor) ? tensor : facts_.rootOf(tensor)].name;
  }

  // The terms at one position of the reductions.
  ir::Block terms(Where where) {
    ir::Block block = reads(where);
    for (size_t i = 0; i < op_.outputs.size(); ++i) updateOutput(i, block);
    return block;
  }

  // Where one of the inputs may read its pad: under which conditions it does so nowhere along the
  // axes. Nothing where that is not known, or does not vary from term to term. If nothing `varies`
  // along the axes, it does so everywhere, or nowhere.
  std::vector<ir::Condition> insideTest(bool* varies) const {
    std::vector<ir::Condition> result;
    int padded = 0;
    if (!ir::reduces(op_) || op_.outputs.size() != 1) return {};
    for (const ir::Operand& operand : op_.inputs) {
      std::vector<Facts::Within> within;
      if (!facts_.padOf(operand.tensor)) continue;
      if (mayLeave(operand) || !facts_.resolve(operand.tensor, operand.map, &within)) return {};
      *varies |= ++padded > 1;
      for (const auto& [index, size] : within) {
        auto linear = index.asLinear();
        if (!linear) return {};
        affine::Expr first = index, last = index;
        for (const auto& part : linear->parts) {
          if (!isAxis(part.iterator)) continue;
          auto step = part.coefficient.asConstant();
          if (!step) return {};
          *varies = true;
          affine::Expr end = constant(*step * (sizeOf(part.iterator) - 1));
          first = first - at(part.iterator) * part.coefficient;
          last = last - at(part.iterator) * part.coefficient;
          (*step < 0 ? first : last) = (*step < 0 ? first : last) + end;
        }
        result.push_back({ir::Condition::Kind::LessEqual, affine::Expr(), first});
        result.push_back({ir::Condition::Kind::Less, last, size});
      }
    }
    return result;
  }

  // Variables for the inputs, one axis after the other.
  ir::Block reads(Where where) {
    ir::Block block;
    inputs_.clear();
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      inputs_.push_back(nullptr);
      if (!ir::readsOperand(op_, i)) continue;
      std::string name = builder_.name(nameOf(op_.inputs[i].tensor));
      ir::ValueRef value = loadFrom(where, op_.inputs[i]);
      inputs_[i] = ir::makeValue(value->type, ir::Variable{name});
      readAhead(op_.inputs[i], block);
      block.push_back({ir::Let{name, value, axesOf(op_.inputs[i])}});
      if (op_.copied && op_.copied->input == i)
        block.push_back({store(op_.copied->to, inputs_[i])});
    }
    for (const ir::Operand& output : op_.outputs) ownAhead(output, block);
    return block;
  }

  // An operand's index where other axes than this one begin.
  facts::Index firstAlong(const ir::Operand& operand, const std::string& own) const {
    facts::Index index = operand.map;
    for (const ir::Axis& axis : op_.axes)
      if (axis.name != own) index = facts::substituted(index, axis.name, affine::Expr());
    return index;
  }
  // The axis along which lanes of an operand are parts of words, or "".
  std::string wordsAxis(const ir::Operand& operand) const {
    for (const ir::Axis& axis : op_.axes)
      if (facts_.partOfWords(operand.tensor, firstAlong(operand, axis.name), axis.name))
        return axis.name;
    return "";
  }

  // Of words once for all of their parts. What is multiplied with them is read again and again, and not asked for.
  void readAhead(const ir::Operand& operand, ir::Block& block) const {
    if (!op_.ahead || !op_.unrolled.empty()) return;
    const std::string words = wordsAxis(operand);
    const bool isBesideWords = words.empty() && llvm::any_of(op_.inputs, [&](const auto& input) {
                                 return !wordsAxis(input).empty();
                               });
    // What is the same for lines of a block is there already.
    const bool isAgain = op_.ahead->far && iteratorsOf(operand).size() < op_.iterators.size();
    if (isAgain || isBesideWords ||
        (words.empty() && unitAxis(operand.tensor, operand.map).empty()))
      return;
    ir::Prefetch prefetch{operand.tensor, operand.map, op_.ahead->far};
    if (!words.empty()) prefetch.index = firstAlong(operand, words);
    if (moved(prefetch, *op_.ahead)) block.push_back({std::move(prefetch)});
  }

  void ownAhead(const ir::Operand& output, ir::Block& block) const {
    if (!op_.own || unitAxis(output.tensor, output.map).empty()) return;
    ir::Prefetch prefetch{output.tensor, output.map, /*far=*/false, /*own=*/true};
    if (moved(prefetch, *op_.own)) block.push_back({std::move(prefetch)});
  }

  // So many positions further along the iterator, if it has that.
  static bool moved(ir::Prefetch& prefetch, const ir::Ahead& ahead) {
    bool moves = false;
    for (affine::Expr& index : prefetch.index)
      if (index.asIterator() == ahead.iterator) {
        index = index + constant(ahead.distance);
        moves = true;
      }
    return moves;
  }

  bool movesAhead(const ir::Operand& operand) const {
    const std::vector<std::string> names = iteratorsOf(operand);
    // What may be outside has no place.
    if (operand.pad || facts_.padOf(operand.tensor)) return false;
    return !operand.shapeOnly && llvm::is_contained(names, op_.ahead->iterator) &&
           !unitAxis(operand.tensor, operand.map).empty();
  }

  ir::Prefetch soon(const ir::Operand& operand) const {
    return {operand.tensor, fromNextTile(operand), op_.ahead && op_.ahead->far};
  }

  // Where terms are code of their own, all reads of a tile are those of the one before, but those of the last term.
  std::vector<affine::Expr> fromNextTile(const ir::Operand& operand) const {
    std::vector<affine::Expr> map = operand.map;
    if (op_.unrolled.empty() || !op_.ahead) return map;
    for (affine::Expr& index : map)
      index = index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
        if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
        const ir::Iterator reduction{atom.name, ir::IteratorKind::Reduction};
        if (!llvm::is_contained(op_.iterators, reduction))
          return atom.name == op_.ahead->iterator
                     ? std::optional(affine::Expr::iterator(atom.name) +
                                     constant(op_.ahead->distance))
                     : std::nullopt;
        const affine::Expr rounds = builder_.extent(op_, atom.name);
        const auto known = facts_.valueOf(rounds);
        return (known ? constant(*known) : rounds) - constant(1);
      });
    return map;
  }

  ir::ValueRef payload(size_t output) const {
    return ir::rewrite(op_.results[output], [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference) return nullptr;
      size_t inputs = op_.inputs.size();
      return reference->operand < inputs ? inputs_[reference->operand]
                                         : outputs_[reference->operand - inputs].before;
    });
  }

  // max(o, a) as min(o, neg(a)), where the output has that.
  static ir::ValueRef asKept(ir::ValueRef result, const Output& output) {
    if (!output.isNegated) return result;
    std::vector<ir::ValueRef> args = std::get<ir::Call>(result->node).args;
    for (ir::ValueRef& arg : args)
      if (arg != output.before) arg = ir::makeCall(ir::Function::Neg, {arg});
    return ir::makeCall(ir::Function::Min, std::move(args));
  }

  // Where the positions along a reduction may end before their axis does, the lanes behind the end
  // add the neutral element.
  ir::ValueRef whereInside(ir::ValueRef result, const Output& output) const {
    ir::ValueRef inside;
    auto position = [](affine::Expr e) {
      return ir::makeValue(ir::ScalarType::I64, ir::IndexRef{std::move(e)});
    };
    for (const ir::Axis& axis : op_.axes) {
      if (!isReduction(axis.name) || isFull(axis)) continue;
      ir::ValueRef test = ir::makeCall(
          ir::Function::Lt, {position(at(axis.name)), position(builder_.extent(op_, axis.name))});
      inside = inside ? ir::makeCall(ir::Function::And, {inside, test}) : test;
    }
    if (!inside) return result;
    ir::Call update = std::get<ir::Call>(result->node);
    for (ir::ValueRef& arg : update.args)
      if (!std::holds_alternative<ir::Variable>(arg->node) ||
          std::get<ir::Variable>(arg->node).name != output.variable)
        arg =
            ir::makeCall(ir::Function::Select, {inside, arg, neutral(*output.combiner, arg->type)});
    return ir::makeValue(result->type, std::move(update));
  }

  void updateOutput(size_t i, ir::Block& block) {
    Output& output = outputs_[i];
    if (op_.outputs.size() > 1 && !combinersOf(op_)) {
      // All results are computed from the values before the update.
      std::string next = builder_.name(output.variable + "_next");
      std::vector<std::string> axes = output.axes;
      block.push_back({ir::Let{next, payload(i), axes}});
      output.loaded = ir::makeValue(op_.results[i]->type, ir::Variable{next});
      if (i + 1 < op_.outputs.size() || !ir::reduces(op_)) return;
      for (Output& o : outputs_) block.push_back({ir::Assign{o.variable, o.loaded}});
      return;
    }
    if (ir::reduces(op_))
      block.push_back({ir::Assign{
          output.variable,
          output.combiner ? whereInside(asKept(payload(i), output), output) : payload(i)}});
    else
      output.loaded = payload(i);
  }

  // A sum that began with the neutral element, and what is there.
  void combine(size_t i, ir::Block& block) {
    Output& output = outputs_[i];
    if (!output.combiner) return;
    ir::ValueRef sum = output.before;
    for (const ir::Axis& axis : op_.axes)
      if (isReduction(axis.name))
        sum = ir::makeValue(sum->type, ir::Reduce{*output.combiner, axis.name, sum});
    ir::ValueRef whole =
        output.isNegated ? ir::makeCall(ir::Function::Max, {load(op_.outputs[i]),
                                                            ir::makeCall(ir::Function::Neg, {sum})})
                         : ir::makeCall(*output.combiner, {load(op_.outputs[i]), sum});
    if (sum == output.before && !leavesAcross(op_.outputs[i]))
      block.push_back({ir::Assign{output.variable, std::move(whole)}});
    else
      output.before = std::move(whole);
  }

  void finish(size_t i, ir::Block& block) {
    const Output& output = outputs_[i];
    block.push_back({store(op_.outputs[i], ir::reduces(op_) ? output.before : output.loaded)});
  }

  ir::Block loops(ir::IteratorKind kind, ir::Block body) const {
    for (auto it = op_.iterators.rbegin(); it != op_.iterators.rend(); ++it) {
      if (it->kind != kind || isAxis(it->name)) continue;
      ir::For loop{it->name, builder_.extent(op_, it->name), kind, std::move(body)};
      const auto rounds = facts_.valueOf(loop.extent);
      loop.unrolled = rounds && llvm::is_contained(op_.unrolled, it->name);
      if (loop.unrolled) loop.extent = constant(*rounds);
      body = {};
      body.push_back({std::move(loop)});
    }
    return body;
  }

  Builder& builder_;
  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const Facts& facts_;
  const std::set<unsigned>& registers_;
  const ShortSums& shortSums_;
  bool keepsOrder_, negatesMaxima_;
  std::vector<Output> outputs_;
  std::vector<ir::ValueRef> inputs_;
};

class Vectorizer {
 public:
  Vectorizer(Builder& builder, const ShortSums& shortSums, bool keepsOrder, bool negatesMaxima)
      : builder_(builder),
        shortSums_(shortSums),
        keepsOrder_(keepsOrder),
        negatesMaxima_(negatesMaxima) {}

  ir::Block block(const ir::Block& statements, Facts facts) {
    ir::Block result;
    for (const ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        ir::Block code = op->axes.empty() ? lowerOp(builder_.kernel(), *op, builder_.names())
                                          : OpVectorizer(builder_, *op, facts, registers_,
                                                         shortSums_, keepsOrder_, negatesMaxima_)
                                                .run();
        std::move(code.begin(), code.end(), std::back_inserter(result));
        continue;
      }
      if (std::holds_alternative<ir::ExternalCall>(stmt.node)) {
        result.push_back(stmt);
        continue;
      }
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      if (alloc && alloc->space == ir::Space::Registers) registers_.insert(alloc->tensor);
      facts.enter(stmt);
      ir::Stmt copy = stmt;
      for (ir::Block* inner : ir::blocksOf(copy)) {
        Facts more = facts;
        auto* test = std::get_if<ir::If>(&copy.node);
        if (test && inner == &test->then) more.assume(test->conditions);
        *inner = block(*inner, std::move(more));
      }
      result.push_back(std::move(copy));
    }
    joinSums(result, facts);
    return result;
  }

 private:
  Builder& builder_;
  const ShortSums& shortSums_;
  bool keepsOrder_, negatesMaxima_;
  std::set<unsigned> registers_;  // memory of that space
};

}  // namespace

ir::Kernel vectorize(const ir::Kernel& kernel, const ShortSums& shortSums, bool keepsOrder,
                     bool negatesMaxima) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Vector;
  Builder builder(result);
  result.body =
      Vectorizer(builder, shortSums, keepsOrder, negatesMaxima).block(kernel.body, Facts(result));
  return result;
}

}  // namespace einc::transforms
