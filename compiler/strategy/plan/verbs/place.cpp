// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/place.h"

#include <algorithm>
#include <numeric>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

std::string At::actualName(const std::string& name) const {
  auto found = actual.find(name);
  return found == actual.end() ? name : found->second;
}
std::map<std::string, std::string> At::stepNames() const {
  std::map<std::string, std::string> names;
  for (const auto& [name, called] : actual)
    if (find(name)) names.emplace(called, name);
  return names;
}
const ir::Iterator* At::find(const std::string& name) const {
  const std::string called = actualName(name);
  auto found = llvm::find_if(op.iterators, [&](const ir::Iterator& i) { return i.name == called; });
  return found == op.iterators.end() ? nullptr : &*found;
}
bool At::isReduction(const std::string& name) const {
  const ir::Iterator* found = find(name);
  return found && found->kind == ir::IteratorKind::Reduction;
}

std::optional<size_t> At::inSpec(size_t input) const {
  size_t next = 0;
  for (size_t i = 0; spec && i < spec->inputs.size(); ++i)
    if (!spec->inputs[i].shapeOnly && next++ == input) return i;
  return std::nullopt;
}

std::optional<size_t> At::operand(const OperandName& name) const {
  size_t next = 0;
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (!op.operand(i).shapeOnly && next < names.size()) {
      if (names[next] == name) return i;
      ++next;
    }
  return std::nullopt;
}

At::At() = default;
At::At(const At& other) = default;
At::At(At&& other) noexcept = default;
At& At::operator=(const At& other) = default;
At& At::operator=(At&& other) noexcept = default;
At::~At() = default;

At At::around() const {
  At other;
  other.actual = actual;
  other.lets = lets;
  other.minima = minima;
  other.conditions = conditions;
  other.isInLoop = isInLoop;
  other.isOnThreads = isOnThreads;
  other.isTiled = isTiled;
  other.bound = bound;
  other.on = on;
  other.isBindable = isBindable;
  other.sharedBytes = sharedBytes;
  other.multiples = multiples;
  return other;
}

void At::enter(const SharedOps& ops) {
  op = ops.whole();
  shared = &ops;
  next = ops.first();
  isReady = true;
}

void At::forgetNeighbours(size_t input) {
  std::erase_if(contiguous, [&](const auto& fact) { return fact.first == input; });
  if (wordsInLine && wordsInLine->input == input) wordsInLine.reset();
}

void At::forgetNeighbours(const std::string& iterator) {
  std::erase_if(contiguous, [&](const auto& fact) { return fact.second == iterator; });
  if (wordsInLine && (wordsInLine->across == iterator || wordsInLine->along == iterator))
    wordsInLine.reset();
}

void At::limit(const std::string& iterator, int64_t number) {
  auto [place, isNew] = most.emplace(iterator, number);
  if (!isNew) place->second = std::min(place->second, number);
}

void At::move(const std::string& iterator, const Expr& by, const Expr& position) {
  borders.erase(iterator);
  left.erase(iterator);
  least.erase(iterator);
  for (Read& read : reads)
    read.index = read.index.substitute([&](const affine::Atom& atom) {
      const bool isIt = atom.kind == affine::Atom::Kind::Iterator && atom.name == iterator;
      return isIt ? std::optional(position) : std::nullopt;
    });
  if (!streaming || streaming->iterator != iterator) return;
  for (const affine::Term& term : by.terms())
    streaming->unit = std::gcd(streaming->unit, term.coefficient);
}

namespace {

// Whether nothing of the region is done, and the list is for ops that share loops.
bool areShared(const At& here, const Steps& steps) {
  return here.region && !here.region->isAlone() && !here.isTiled && here.onTile.empty() &&
         here.done.empty() && !steps.empty() && !fusesOnTiles(steps);
}

}  // namespace

ir::Block Work::run(At here, const Steps& steps) const {
  here.isBindable &= !here.bound;
  if (!options.target->device || !areShared(here, steps)) return run(std::move(here), steps, 0);
  const std::vector<ir::StructuredOp>& ops = here.region->given();
  return startShared(here.around(), NumberedOps::from(here.region->first(), ops),
                     usedElsewhere(builder.kernel(), ops), steps);
}

// Once for each sum: where words are moved, it is done next.
static constexpr const char* kMovedText =
    "something is taken from its sums, as an input is moved: vectorize it, or loops";
static bool takesMoved(const Step& step) {
  return std::holds_alternative<VectorizeStep>(step.node) ||
         std::holds_alternative<LoopsStep>(step.node);
}

ir::Block Work::run(At here, const Steps& steps, size_t next) const {
  if (next == steps.size() || endsList(steps[next])) settle(here, /*isInside=*/false);
  if (next == steps.size() && waits(here)) return refuseEnd(here, *waits(here));
  if (next == steps.size() && !here.moved.empty()) return refuseEnd(here, kMovedText);
  const bool isLeftToModel = completion_ && options.target->device && here.region && !here.isTiled;
  if (next == steps.size() && (here.shared || here.region) && !isLeftToModel)
    return leftInRegion(*this, std::move(here), steps);
  if (next == steps.size()) return left(std::move(here), steps, /*isWhole=*/false);
  Work work = *this;
  work.steps_ = &steps;
  work.next_ = next;
  if (options.target->device && isForCpus(steps[next]))
    return work.refuse(here, "'" + std::string(verbOf(steps[next])) + "' is for CPUs, and " +
                                 std::string(options.target->name) + " is a device");
  if (!here.moved.empty() && endsList(steps[next]) && !takesMoved(steps[next]))
    return work.refuse(here, kMovedText);
  if (here.words && !keepsInputs(steps[next])) return work.refuse(here, *waits(here));
  ir::Block block;
  if (!here.isReady && needsReady(steps[next])) makeReady(here, block);
  if (auto why = notInRegion(here, steps[next])) return work.refuse(here, *why);
  transforms::append(block, std::visit([&](const auto& step) { return apply(work, here, step); },
                                       steps[next].node));
  if (options.afterStep) options.afterStep(steps[next], block);
  return block;
}

ir::Block Work::left(At here, const Steps& list, bool isWhole) const {
  if (completion_) {
    Place place = here;
    place.op = renamed(here.op, here.stepNames());
    completion_->left(place, list, isWhole);
  }
  return transforms::only({std::move(here.op)});
}

void Work::goesOn(const Steps& list, const Steps& more) const {
  if (completion_) completion_->goesOn(list, more);
}

namespace {

// What indices are divided by may be a size that is 0: then there are no elements, and no place is to be computed. (Attributes
// are looked at before the kernel runs.)
std::vector<ir::Condition> dividing(const Work& work, const At& here, const Steps& steps) {
  std::vector<ir::Condition> conditions;
  if (work.options.target->device || here.region || here.shared ||
      std::holds_alternative<LoopsStep>(steps[0].node))
    return conditions;
  const facts::Signs signs(work.builder.kernel());
  for (size_t i = 0; i < here.op.operandCount(); ++i)
    for (const Expr& index : here.op.operand(i).map)
      for (const affine::Term& term : index.terms())
        for (const affine::Atom& atom : term.factors) {
          if (!atom.div) continue;
          const Expr& by = atom.div->divisor;
          ir::Condition positive{ir::Condition::Kind::Less, Expr(), by};
          if (signs.isNonNegative(by) &&
              !here.minima.isPositive(signs, by, transforms::constant(1)) &&
              !llvm::is_contained(conditions, positive))
            conditions.push_back(std::move(positive));
        }
  return conditions;
}

}  // namespace

ir::Block Work::start(At here, const Steps& steps) const {
  if (steps.empty() && !here.isReady && !here.region)
    return left(std::move(here), steps, /*isWhole=*/true);
  if (steps.empty() || here.isReady) return run(std::move(here), steps);
  here.op = transforms::asSum(here.op);
  if (!here.region) here.op = withoutUnits(builder.kernel(), here.op, iteratorsIn(steps));
  here.isNear = arePositionsNear(builder.kernel(), here.op);
  if (!here.region && here.reads.empty() && anyLooksOutside(steps)) lookOutside(*this, here);
  std::vector<ir::Condition> divided = dividing(*this, here, steps);
  for (const ir::Condition& positive : divided) here.minima.assumePositive(positive.right);
  ir::Block block = run(std::move(here), steps);
  return divided.empty() ? block : transforms::only({ir::If{std::move(divided), block, {}}});
}

SharedOps Work::sharedOps(NumberedOps ops, std::set<unsigned> elsewhere, bool looksOutside,
                          ir::Block& block) const {
  const auto names = options.target->device ? sharedPositions(builder.kernel(), ops.ops)
                                            : sharedIterators(builder.kernel(), ops.ops);
  return {builder, std::move(ops), names, std::move(elsewhere), looksOutside, block};
}

ir::Block Work::startShared(At here, NumberedOps ops, std::set<unsigned> elsewhere,
                            const Steps& steps) const {
  ir::Block block;
  const SharedOps shared =
      sharedOps(std::move(ops), std::move(elsewhere), anyStep(steps, looksOutside), block);
  here.enter(shared);
  transforms::append(block, start(std::move(here), steps));
  return block;
}

void Work::makeReady(At& here, ir::Block& block) const {
  here.spec = std::make_shared<const ir::StructuredOp>(here.op);
  transforms::canonicalize(builder, here.op, block);
  if (here.region) {
    const size_t outputs = here.op.outputs.size();
    here.region->attach(here.op, block);
    const std::vector<OperandName> attached = here.region->attachedNames(here.names);
    here.names.insert(here.names.end() - static_cast<ptrdiff_t>(outputs), attached.begin(),
                      attached.end());
  }
  for (const ir::Operand& input : here.op.inputs) here.tensors.push_back(input.tensor);
  here.isReady = true;
}

ir::Block Work::rest(At here, ir::Block& memory) const {
  Work work = *this;
  work.memory_ = &memory;
  return work.rest(std::move(here));
}

void Work::take(unsigned tensor, ir::Block& block) const {
  const ir::Stmt alloc{ir::Alloc{tensor, ir::Space::Heap}};
  if (memory_)
    memory_->insert(memory_->begin(), alloc);
  else
    block.push_back(alloc);
}

ir::Block Work::refuse(const At& here, const std::string& why) const {
  errors_.push_back({(*steps_)[next_].source, why});
  return transforms::only({here.op});
}

ir::Block Work::refuseEnd(const At& here, const std::string& why) const {
  errors_.push_back({steps_ ? (*steps_)[next_].source : SourceRange(), why});
  return transforms::only({here.op});
}

namespace {

// A size of an operand, as the spec has it or as it is here: that of a tile, say.
bool isSize(const Work& work, const At& here, const std::string& name) {
  auto has = [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      for (const Expr& size : work.builder.kernel().tensors[op.operand(i).tensor].shape)
        if (llvm::is_contained(size.symbols(), name)) return true;
    return false;
  };
  return has(here.op) || (here.spec && has(*here.spec));
}

}  // namespace

namespace {

// Why the name is that of no element of an attribute.
std::optional<std::string> noAttribute(const ir::Kernel& kernel, const std::string& name) {
  const std::string own = name.substr(0, name.find('['));
  auto found = kernel.findAttribute(own);
  if (!found) return "no iterator, size or attribute '" + name + "' here";
  const ir::Attribute& attribute = kernel.attributes[*found];
  if (attribute.list) return "attribute '" + own + "' is a list, of any length";
  const auto reference = kernel.attributeOf(name);
  if (reference && reference->element < attribute.elementCount()) return std::nullopt;
  return "attribute '" + own + "' has " +
         (attribute.shape.empty() ? "one number" : std::to_string(attribute.elementCount())) +
         (attribute.shape.empty() ? ""
                                  : " numbers, " + attribute.symbolName(0) + " to " +
                                        attribute.symbolName(attribute.elementCount() - 1));
}

}  // namespace

Result<Expr> Work::number(const At& here, const Expr& e, bool isTest) const {
  const std::vector<std::string> sizes = builder.kernel().sizeSymbols();
  for (const std::string& name : e.symbols())
    if (!here.find(name) && here.lets.count(name) == 0 && !llvm::is_contained(sizes, name) &&
        !isSize(*this, here, name))
      if (auto why = noAttribute(builder.kernel(), name)) return Reason{*why};
  Expr number = e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    if (atom.kind != affine::Atom::Kind::Symbol) return std::nullopt;
    if (here.find(atom.name)) return extent(here, here.actualName(atom.name));
    auto named = here.lets.find(atom.name);
    return named == here.lets.end() ? std::nullopt : std::optional(named->second.value);
  });
  const bool isByUser =
      steps_ && (*steps_)[next_].source != SourceRange();  // forms know what they write
  if (auto why = isByUser ? cannotCompute(*this, here, e, number, isTest) : std::nullopt)
    return Reason{*why};
  return number;
}

std::optional<int64_t> Work::mostAlong(const At& here, const std::string& actual) const {
  if (auto known = extent(here, actual).asConstant()) return known;
  auto most = here.most.find(actual);
  return most == here.most.end() ? std::nullopt : std::optional(most->second);
}

int64_t Work::bytesOf(const ir::Operand& operand) const {
  return ir::info(builder.kernel().tensors[operand.tensor].type).bytes();
}
ir::TileLoop invocationLoop(const Work& work, const std::string& name, int64_t count) {
  ir::TileLoop loop = transforms::tileLoop(work.builder, name, transforms::constant(count),
                                           transforms::constant(1), ir::IteratorKind::Parallel);
  loop.on = ir::On::Invocations;
  return loop;
}
ir::TileLoop invocationLoop(const Work& work, size_t side, size_t sides, int64_t count) {
  return invocationLoop(work, std::string("t") + "zyx"[3 - sides + side], count);
}

std::optional<std::string> noRow(std::optional<int64_t> row, int64_t elements) {
  constexpr int64_t kGap = 16;
  if (!row || (*row >= elements && *row <= std::max(2 * elements, elements + kGap)))
    return std::nullopt;
  return "a row has " + std::to_string(elements) +
         " elements here, and memory for twice as many, or " + std::to_string(kGap) +
         " more, at most";
}

std::optional<std::string> Work::takeShared(const At& here, int64_t bytes) const {
  const int64_t most = options.target->device->sharedBytes;
  *here.sharedBytes += bytes;
  if (*here.sharedBytes <= most) return std::nullopt;
  return "a workgroup has " + std::to_string(most) +
         " bytes of memory, and with this it would take " + std::to_string(*here.sharedBytes);
}
// As for the op before its inputs were packed or converted: that is what the sizes of its tiles are for.
int64_t Work::lanes(const At& here) const {
  const ir::StructuredOp& op = here.spec ? *here.spec : here.op;
  if (options.target->device) return target::kDeviceLanes;
  return options.target->lanes(transforms::registerBytes(op));
}
bool Work::mayReorder(const At& here) const {
  return transforms::mayReorder(here.op, options.keepsOrder);
}

std::optional<std::string> Work::isPacked(const At& here, const std::string& iterator,
                                          bool panels) const {
  if (here.op.copied) return waits(here);
  if (here.registers && llvm::any_of(here.registers->loops, [&](const BindStep::Loop& loop) {
        return loop.iterator == here.actualName(iterator);
      }))
    return waits(here);
  const std::string name = here.actualName(iterator);
  for (const auto& [input, packed] : here.packed)
    if (llvm::is_contained(packed.along, name) || (!panels && packed.across == name))
      return waits(here);
  if (here.words && here.words->along == name && !panels) return waits(here);
  for (const MovedSums& moved : here.moved)
    if (moved.across == name || here.isReduction(name)) return kMovedText;
  return std::nullopt;
}

std::optional<std::string> Work::isHeld(const At& here, const std::string& iterator) const {
  if (!here.find(iterator)) return noIterator(here, iterator);
  return isPacked(here, iterator, /*panels=*/false);
}

std::optional<std::string> Work::cannotCut(const At& here, const std::string& iterator) const {
  if (auto why = isHeld(here, iterator)) return why;
  if (here.region && here.isReduction(iterator))
    return "sums on which other ops are done are taken apart inside 'results'";
  if (!here.isReduction(iterator) || mayReorder(here)) return std::nullopt;
  auto first = llvm::find_if(here.op.iterators, [](const ir::Iterator& i) {
    return i.kind == ir::IteratorKind::Reduction;
  });
  if (first->name == here.actualName(iterator)) return std::nullopt;
  return orderText(*this, iterator);
}

std::optional<std::string> Work::cannotTile(const At& here, const std::string& iterator,
                                            const Expr& by) const {
  if (!here.find(iterator)) return noIterator(here, iterator);
  if (auto why = isPacked(here, iterator, /*panels=*/true)) return why;
  if (here.words && here.words->along == here.actualName(iterator) && !areWordsWhole(here, by))
    return "all words are whole: tile " + iterator + " by multiples of " +
           std::to_string(here.words->by.instruction->count);
  if (!here.isReduction(iterator) || mayReorder(here)) return std::nullopt;
  const Expr extent = this->extent(here, here.actualName(iterator));
  for (const ir::Iterator& outer : here.op.iterators) {
    if (outer.name == here.actualName(iterator)) break;
    if (outer.kind != ir::IteratorKind::Reduction) continue;
    auto most = here.most.find(outer.name);
    auto room = here.rooms.find(outer.name);
    const bool isOne = most != here.most.end() && most->second <= 1;
    const bool isKnown = room != here.rooms.end();
    if (!isOne && !here.minima.isAllOrOuterOne(
                      isKnown ? room->second : this->extent(here, outer.name), by, extent))
      return orderText(*this, iterator);
  }
  return std::nullopt;
}

std::optional<std::string> Work::noVectors(const At& here) const {
  if (options.target->vectorBytes == 0 && !options.target->device)
    return std::string(options.target->name) + " has no vectors";
  if (!here.isNear && !options.target->device)
    return "positions may be so far apart that 64 bits cannot say those of a vector";
  return std::nullopt;
}

std::optional<std::string> Work::waits(const At& here) const {
  if (here.registers)
    return "results are in the registers of invocations: " +
           print(BindStep(here.registers->loops, BindStep::To::Invocations)) + " before";
  if (here.op.copied) return "what copies an input on the way is one tile: vectorize it";
  for (const auto& [input, packed] : here.packed)
    if (!packed.isLookedAt)
      return "an input is packed in panels of " + std::to_string(packed.width) + ": tile " +
             packed.across + " by " + std::to_string(packed.width) + " before";
  if (here.words)
    return "words are read where the other input is packed: pack it for " +
           std::string(here.words->by.instruction->name) + " before";
  if (here.packed.empty()) return std::nullopt;
  return "of what is packed as '" + here.packed.begin()->second.as + "' all inputs that have " +
         joined(here.packed.begin()->second.along) + " are packed alike: pack the others before";
}

std::string noIterator(const At& here, const std::string& name) {
  std::vector<std::string> known;
  for (const ir::Iterator& i : here.op.iterators) known.push_back(i.name);
  for (const auto& [named, actual] : here.actual)
    std::replace(known.begin(), known.end(), actual, named);
  return "no iterator '" + name + "' here" +
         (known.empty() ? ": all are done" : "; there are " + joined(known));
}

std::string noOperand(const At& here, const OperandName& name) {
  return "the op has no operand " + name.str() + "; there are " +
         joined(here.names, ", ", [](const OperandName& n) { return n.str(); });
}

std::string orderText(const Work& work, const std::string& iterator) {
  return work.options.keepsOrder
             ? "the order of the sum along '" + iterator + "' is kept (--fp=strict)"
             : "terms along '" + iterator + "' may not come in another order";
}

bool isTaken(const Work& work, const At& here, const std::string& name) {
  return here.actual.count(name) != 0 || here.find(name) || here.lets.count(name) != 0 ||
         llvm::is_contained(work.builder.kernel().sizeSymbols(), name);
}

bool isWhole(const At& here, const Expr& extent, const Expr& by) {
  const int64_t each = by.asConstant().value_or(0);
  if (each < 1) return false;
  if (auto known = extent.asConstant()) return *known % each == 0;
  if (isMultiple(extent, each)) return true;
  return llvm::any_of(here.multiples, [&](const auto& known) {
    return known.first == extent && known.second % each == 0;
  });
}

bool isMultiple(const Expr& e, int64_t of) {
  return llvm::all_of(e.terms(), [&](const affine::Term& t) { return t.coefficient % of == 0; });
}

Expr partOf(const Expr& e, int64_t parts) {
  Expr result;
  for (affine::Term term : e.terms()) {
    term.coefficient /= parts;
    result = result + Expr::term(term);
  }
  return result;
}

}  // namespace einc::strategy
