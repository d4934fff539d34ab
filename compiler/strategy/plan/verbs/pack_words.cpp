// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/pack_words.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/strategy/plan/words.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;

// An instruction that adds products starts so often while another one waits for it.
constexpr int64_t kSumsAtOnce = 2;

// Memory for what is taken from sums, for each position across.
unsigned memoryForMoved(const Work& work, const Packed& packed, ir::Block& block) {
  transforms::Builder& builder = work.builder;
  const ir::Tensor panels = builder.kernel().tensors[packed.buffer];
  const ir::ScalarType type = packed.words->instruction->sum;
  const unsigned sums = builder.tensor("moved" + panels.name.substr(panels.name.find('_')), type,
                                       {panels.shape[0], panels.shape[2]}, ir::Role::Local);
  work.take(sums, block);
  return sums;
}

// What sums of panels are made of.
class PanelSums {
 public:
  PanelSums(const Work& work, const At& here, const Packed& packed, size_t input)
      : work_(work),
        builder_(work.builder),
        packed_(packed),
        input_(input),
        panels_(builder_.kernel().tensors[packed.buffer]),
        sums_(builder_.kernel().tensors[*packed.moved]),
        n_(builder_.name("n")),
        panelCount_(work.extent(here, packed.across).ceilDiv(constant(packed.width))) {
    for (const std::string& k : packed.along) {
      const Expr extent = work.extent(here, k);
      terms_ = terms_ * extent;
      rows_ = rows_ * (k == packed.along.back() ? panelExtent(extent, packed.words) : extent);
    }
  }

  // These are sums of the elements of each panel, times what the other input is moved by.
  //   for each panel { moved[n] = 0;  moved[n] += vpdpbusd(0, 0x01010101, panel[p, n]);  moved[n] = 128 * moved[n] }
  ir::Block run() {
    ir::TileLoop loop = transforms::tileLoop(builder_, "panel", panelCount_, constant(1),
                                             ir::IteratorKind::Parallel);
    sum_ = builder_.tensor(sums_.name + "_panel", sums_.type, {constant(packed_.width)},
                           ir::Role::View);
    loop.body.push_back({ir::View{sum_, *packed_.moved, {n_}, {at(loop.var), at(n_)}, nullptr}});
    loop.body.push_back({onSums(ir::makeLiteral(sums_.type, ir::Number{}))});
    const Expr lines = constant(linesAtOnce()), whole = rows_.floorDiv(lines);
    add(loop, whole, linesAtOnce(), Expr());
    if (lines != constant(1)) add(loop, rows_ - whole * lines, 1, whole * lines);
    loop.body.push_back({onSums(
        takenOf(*packed_.words, input_, ir::makeValue(sums_.type, ir::OperandRef{0}), terms_))});
    return transforms::only(
        {ir::Outline{builder_.name("sum_" + sums_.name), transforms::only({std::move(loop)})}});
  }

 private:
  // So many rows of a panel have sums of their own until the end that none waits for another one.
  int64_t linesAtOnce() const {
    const int64_t lanes =
        std::max<int64_t>(work_.options.target->vectorBytes / ir::info(sums_.type).bytes(), 1);
    const int64_t vectors = (packed_.width + lanes - 1) / lanes,
                  wanted = kSumsAtOnce * work_.options.target->fmaLatency;
    return std::max<int64_t>((wanted + vectors - 1) / vectors, 1);
  }

  // On all sums of a panel.
  ir::StructuredOp onSums(ir::ValueRef result) const {
    ir::StructuredOp op;
    op.iterators = {{n_, ir::IteratorKind::Parallel}};
    op.outputs = {{sum_, {at(n_)}, nullptr}};
    op.results = {std::move(result)};
    op.axes = {{n_, packed_.width}};
    return op;
  }

  // So many steps of `lines` rows, from `first` on, are added.
  void add(ir::TileLoop& loop, const Expr& steps, int64_t lines, const Expr& first) {
    const std::string p = builder_.name("p"), line = builder_.name("line");
    const unsigned panel =
        builder_.tensor(panels_.name + "_panel", panels_.type,
                        {steps, constant(lines), constant(packed_.width)}, ir::Role::View);
    loop.body.push_back(
        {ir::View{panel,
                  packed_.buffer,
                  {p, line, n_},
                  {at(loop.var), first + at(p) * constant(lines) + at(line), at(n_)},
                  nullptr}});
    ir::StructuredOp op = onSums(ir::makeCall(
        ir::Function::Add,
        {ir::makeValue(sums_.type, ir::OperandRef{1}),
         elementsOf(*packed_.words, input_, ir::makeValue(panels_.type, ir::OperandRef{0}))}));
    op.iterators.push_back({p, ir::IteratorKind::Reduction});
    op.iterators.push_back({line, ir::IteratorKind::Reduction});
    op.inputs = {{panel, {at(p), at(line), at(n_)}, nullptr}};
    op.axes.insert(op.axes.begin(), {line, lines});
    loop.body.push_back({std::move(op)});
  }

  const Work& work_;
  transforms::Builder& builder_;
  const Packed& packed_;
  const size_t input_;
  const ir::Tensor panels_, sums_;
  const std::string n_;
  const Expr panelCount_;
  Expr rows_ = constant(1), terms_ = constant(1);
  unsigned sum_ = 0;
};

// The payload on these words.
void onWords(ir::StructuredOp& op, const Instructed& by, const ir::ValueRef& a,
             const ir::ValueRef& b) {
  const ir::ValueRef sum =
      ir::makeValue(by.instruction->sum, ir::OperandRef{static_cast<unsigned>(op.inputs.size())});
  op.results = {ir::makeCall(ir::Function::Add, {sum, productsOf(by, a, b)})};
}

}  // namespace

Result<Instructed> instructedBy(const Work& work, const At& here, const std::string& name) {
  const ir::Instruction* instruction = ir::findInstruction(name);
  if (!instruction) {
    std::vector<std::string> names;
    for (const ir::Instruction& one : ir::allInstructions()) names.emplace_back(one.name);
    return Reason{"there is no instruction '" + name + "'; there are " + joined(names)};
  }
  if (!has(*work.options.target, *instruction))
    return Reason{std::string(work.options.target->name) + " has no " + name};
  if (!isAllowed(*instruction, work.options.keepsOrder))
    return Reason{name + " does not round as the spec says"};
  auto found = instructed(work.builder.kernel(), here.op, *instruction);
  if (!found) return Reason{"the op does not add what " + name + " does"};
  return *found;
}

Result<std::optional<Instructed>> wordsAskedFor(const Work& work, const At& here,
                                                const PackStep& step) {
  const std::optional<Instructed> before = here.words ? std::optional(here.words->by)
                                           : here.packed.empty()
                                               ? std::nullopt
                                               : here.packed.begin()->second.words;
  if (step.instruction.empty()) {
    if (!before) return before;
    return Reason{"another input is read in words of " + std::string(before->instruction->name) +
                  ", and this one is not"};
  }
  if (step.along.empty() || step.as.empty() != here.words.has_value())
    return Reason{"words are of several positions: pack " + step.operand.str() + " (" +
                  step.panel.name + ": " + std::to_string(step.panel.size) + ") along k " +
                  (here.words ? "" : "as p ") + "for " + step.instruction};
  if (here.words && here.actualName(step.along.back()) != here.words->along)
    return Reason{"words of both inputs go along the same iterator, here the last one"};
  if (step.type || step.isComputed) return Reason{"words have a type already"};
  auto by = instructedBy(work, here, step.instruction);
  if (!by) return Reason{by.reason()};
  if (here.words && by->isSummed(here.words->input)) return Reason{summedText()};
  if ((before && before->instruction != by->instruction) || (!before && !here.packed.empty()))
    return Reason{"another input is not packed for " + step.instruction};
  return std::optional(*by);
}

bool areWordsInside(const Work& work, const At& here, size_t input, const std::string& along) {
  const auto number = here.inSpec(input);
  if (!number) return false;
  const ir::Operand& operand = here.spec->inputs[*number];
  if (!operand.pad || here.bordered.count(input) != 0) return true;
  const std::map<std::string, std::string> names = here.stepNames();
  const auto found = names.find(along);
  const std::string& name = found == names.end() ? along : found->second;
  const std::vector<Expr>& shape = work.builder.kernel().tensors[operand.tensor].shape;
  for (size_t d = 0; d < operand.map.size(); ++d)
    if (operand.map[d].mentions(name) &&
        (operand.map[d].asIterator() != name || work.builder.extent(*here.spec, name) != shape[d]))
      return false;
  return true;
}

void sumMoved(const Work& work, const At& here, size_t input, Packed& packed, ir::Block& block) {
  if (!packed.words || !packed.words->isSummed(input)) return;
  packed.moved = memoryForMoved(work, packed, block);
  transforms::append(block, PanelSums(work, here, packed, input).run());
}

void readMoved(const Work& work, At& here, const Packed& packed, ir::Block& block) {
  if (!packed.moved) return;
  const ir::Tensor sums = work.builder.kernel().tensors[*packed.moved];
  const unsigned view = work.builder.tensor(sums.name + "_panel", sums.type,
                                            {work.extent(here, packed.across)}, ir::Role::View);
  block.push_back({ir::View{view,
                            *packed.moved,
                            {packed.across},
                            {packed.origin.floorDiv(constant(packed.width)), at(packed.across)},
                            nullptr}});
  here.moved.push_back({view, packed.across});
}

void onWords(ir::StructuredOp& op, const Instructed& by) {
  auto word = [&](size_t side) {
    return ir::makeValue(by.instruction->word(),
                         ir::OperandRef{static_cast<unsigned>(by.inputs[side])});
  };
  onWords(op, by, word(0), word(1));
}

ir::Operand lineOfWords(const Work& work, const At& here, const WordsInLine& words,
                        ir::Block& block) {
  const ir::Operand& of = here.op.inputs[words.input];
  const ir::Tensor tensor = work.builder.kernel().tensors[of.tensor];
  const std::vector<std::string> names = transforms::iteratorsOf(of);
  const Expr count = work.extent(here, words.along);
  ir::View view{0, of.tensor, {}, {}, nullptr};
  std::vector<Expr> shape, map;
  for (size_t d = 0; d < names.size(); ++d) {
    view.map.push_back(names[d] == words.across  ? at(names[d]).floorDiv(count)
                       : names[d] == words.along ? at(words.across).mod(count)
                                                 : at(names[d]));
    if (names[d] == words.across || names[d] == words.along) continue;
    view.dims.push_back(names[d]);
    shape.push_back(tensor.shape[d]);
  }
  view.dims.push_back(words.across);
  shape.push_back(work.extent(here, words.across) * count);
  for (const std::string& dim : view.dims) map.push_back(at(dim));
  view.view =
      work.builder.tensor(tensor.name + "_line", tensor.type, std::move(shape), ir::Role::View);
  const unsigned line = view.view;
  block.push_back({std::move(view)});
  return {line, std::move(map), nullptr};
}

// The op reads the words of an input by a view of them, which goes to `block`.
// Along their iterator there are `terms` elements.
static void viewWords(const Work& work, At& here, const InWords& words, const Expr& terms,
                      ir::Block& block) {
  ir::Operand& operand = here.op.inputs[words.input];
  const ir::Tensor& tensor = work.builder.kernel().tensors[operand.tensor];
  const std::vector<std::string> dims = transforms::iteratorsOf(operand);
  std::vector<Expr> shape, map = operand.map, plain;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t count = words.by.instruction->count;
    shape.push_back(dims[d] != words.along     ? work.extent(here, dims[d])
                    : isMultiple(terms, count) ? partOf(terms, count)
                                               : panelExtent(terms, words.by));
    if (dims[d] == words.along) map[d] = map[d] * constant(words.by.instruction->count);
    plain.push_back(at(dims[d]));
  }
  const unsigned view = work.builder.tensor(tensor.name + "_words", words.by.instruction->word(),
                                            std::move(shape), ir::Role::View);
  block.push_back({ir::View{view, operand.tensor, dims, std::move(map), nullptr}});
  operand = {view, std::move(plain), nullptr};
  here.forgetNeighbours(words.input);
}

// The same of one whose words are neighbours along another iterator, each all there is along its own.
static void viewWordsInLine(const Work& work, At& here, const InWords& words, ir::Block& block) {
  const WordsInLine known = *std::exchange(here.wordsInLine, std::nullopt);
  ir::Operand& operand = here.op.inputs[words.input];
  const std::string name = work.builder.kernel().tensors[operand.tensor].name;
  ir::Operand line = lineOfWords(work, here, known, block);
  const std::vector<std::string> dims = transforms::iteratorsOf(line);
  std::vector<Expr> shape, map = line.map;
  for (const std::string& dim : dims) shape.push_back(work.extent(here, dim));
  map.back() = map.back() * constant(words.by.instruction->count);
  const unsigned view = work.builder.tensor(name + "_words", words.by.instruction->word(),
                                            std::move(shape), ir::Role::View);
  block.push_back({ir::View{view, line.tensor, dims, std::move(map), nullptr}});
  operand = {view, std::move(line.map), nullptr};
  here.forgetNeighbours(words.input);
  here.contiguous.emplace(words.input, known.across);
}

// Products of words, without what an operand is moved by.
static ir::ValueRef unmoved(const Instructed& by, ir::ValueRef products,
                            const ir::ValueRef (&word)[2]) {
  for (size_t side = 0; side < 2; ++side)
    if (const size_t input = by.inputs[side]; by.isSummed(input))
      products = ir::makeCall(ir::Function::Sub,
                              {products, takenOf(by, input, elementsOf(by, input, word[side]),
                                                 constant(by.instruction->count))});
  return products;
}

// The payload on words that are read in place, of elements of such types.
static void onWordsInPlace(At& here, const Instructed& by,
                           const std::map<size_t, ir::ScalarType>& elements) {
  ir::ValueRef word[2];
  for (size_t side = 0; side < 2; ++side) {
    const size_t input = by.inputs[side];
    word[side] =
        ir::makeValue(by.instruction->word(), ir::OperandRef{static_cast<unsigned>(input)});
    if (auto element = elements.find(input); element != elements.end())
      word[side] = wordOf(by, input, word[side], element->second);
  }
  onWords(here.op, by, word[0], word[1]);
  // Both in place: nothing is summed up before.
  if (elements.size() < 2) return;
  ir::ValueRef& result = here.op.results[0];
  const auto args = std::get<ir::Call>(result->node).args;
  result = ir::makeCall(ir::Function::Add, {args[0], unmoved(by, args[1], word)});
}

// Fewer positions have the name.
static void forget(At& here, const std::string& along) {
  here.least.erase(along);
  here.left.erase(along);
  here.rooms.erase(along);
}

void readWords(const Work& work, At& here, ir::Block& block) {
  const InWords words = *std::exchange(here.words, std::nullopt);
  const ir::ScalarType element =
      work.builder.kernel().tensors[here.op.inputs[words.input].tensor].type;
  viewWords(work, here, words, work.extent(here, words.along), block);
  forget(here, words.along);
  onWordsInPlace(here, words.by, {{words.input, element}});
}

bool isLine(const At& here, size_t input, const std::string& along) {
  const auto& line = here.wordsInLine;
  if (!line || line->input != input || line->along != along) return false;
  const std::vector<std::string> there = transforms::iteratorsOf(here.op.inputs[input]);
  return llvm::is_contained(there, line->across) && llvm::is_contained(there, along);
}

std::string summedText() {
  return "the other input is moved, so that this one is summed up: pack it";
}

void readBothWords(const Work& work, At& here, const InWords& second, ir::Block& block) {
  const InWords words = *std::exchange(here.words, std::nullopt);
  std::map<size_t, ir::ScalarType> elements;
  for (const InWords* one : {&words, &second})
    elements[one->input] = work.builder.kernel().tensors[here.op.inputs[one->input].tensor].type;
  const Expr terms = work.extent(here, words.along);
  if (isLine(here, second.input, second.along))
    viewWordsInLine(work, here, second, block);
  else
    viewWords(work, here, second, terms, block);
  viewWords(work, here, words, terms, block);
  forget(here, words.along);
  onWordsInPlace(here, words.by, elements);
}

ir::Block sumOnAxes(const Work& work, const At& here, const ir::StructuredOp& op) {
  ir::Block block;
  for (const MovedSums& moved : here.moved) {
    const ir::ScalarType type = work.builder.kernel().tensors[moved.view].type;
    ir::StructuredOp take;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Parallel) take.iterators.push_back(i);
    take.inputs = {{moved.view, {at(moved.across)}, nullptr}};
    take.outputs = op.outputs;
    take.results = {ir::makeCall(ir::Function::Sub, {ir::makeValue(type, ir::OperandRef{1}),
                                                     ir::makeValue(type, ir::OperandRef{0})})};
    for (const ir::Axis& axis : op.axes)
      if (ir::isParallel(op, axis.name)) take.axes.push_back(axis);
    block.push_back({std::move(take)});
  }
  block.push_back({op});
  return block;
}

}  // namespace einc::strategy
