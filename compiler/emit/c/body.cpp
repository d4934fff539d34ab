// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/body.h"

#include <algorithm>
#include <utility>

#include "compiler/emit/c/once.h"
#include "compiler/emit/c/sizes.h"
#include "compiler/emit/c/workspace.h"
#include "compiler/emit/text/replace.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {
bool hasVectors(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(
      block, [&](const ir::Stmt& stmt) { found |= std::holds_alternative<ir::Vector>(stmt.node); });
  return found;
}

std::string dedented(const std::string& text, size_t levels) {
  std::string result;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at), blanks = 0;
    while (blanks < 2 * levels && text[at + blanks] == ' ') ++blanks;
    result += text.substr(at + blanks, end + 1 - at - blanks);
    at = end + 1;
  }
  return result;
}

RunNames::RunNames(Names& names)
    : workspace(reference(names.make("workspace"))),
      threads(reference(names.make("threads"))),
      slots(reference(names.make("slots"))),
      slotBytes(reference(names.make("slot_bytes"))),
      from(reference(names.make("from"))),
      to(reference(names.make("to"))),
      context(reference(names.make("context"))),
      names(reference(names.make("names"))) {}

BodyWriter::BodyWriter(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                       VectorPrelude& vectors, const std::string& plant, std::string function,
                       const RunNames& run)
    : PlacePrinter(code, scope, prelude, plant),
      vectors_(vectors),
      function_(std::move(function)),
      run_(run),
      slots_(run.slots),
      vectorPrinter_(vectorNames_, printer_, vectors) {
  names_.variable = [this](const std::string& name) { return variable(name); };
  // By an instruction, or by what the prelude has for vectors.
  names_.convert = [this](ir::ScalarType from, ir::ScalarType to) {
    std::string own = vectorPrinter_.converter(from, to, 1);
    const ir::TypeInfo &f = ir::info(from), &t = ir::info(to);
    if (!own.empty() || !(f.isShortFloat() || t.isShortFloat())) return own;
    const std::string chunk =
        t.isShortFloat() ? "narrow_" + std::string(t.name) : "widen_" + std::string(f.name);
    return vectors_.has(chunk) ? vectors_.need(chunk) : "";
  };
  names_.ownFunction = [this](const ir::FunctionInfo& function,
                              ir::ScalarType type) -> std::string {
    if (!vectors_.fuses()) return "";
    return vectors_.needForOne(std::string(function.name), std::string(ir::info(type).name),
                               function.arity);
  };
  names_.instruct = [this](const ir::Instruction& instruction, const auto& args) {
    return vectorPrinter_.instructOnce(instruction, args);
  };
  vectorNames_.width = [this](const std::string& axis) -> int64_t {
    auto found = widths_.find(axis);
    return found == widths_.end() ? 1 : found->second;
  };
  vectorNames_.variable = [this](const std::string& name) {
    auto found = variables_.find(name);
    return found == variables_.end() ? VectorType{ir::ScalarType::F32, 1} : found->second;
  };
  vectorNames_.name = [this](const std::string& name) { return variable(name); };
  vectorNames_.access = [this](const ir::Load& load) {
    VectorAccess from = access(load.tensor, load.index, load.pad != nullptr,
                               widths_.count(load.unit) != 0, Access::Load);
    std::erase_if(from.conditions, [&](const std::string& condition) {
      return std::find(hold_.begin(), hold_.end(), condition) != hold_.end();
    });
    return from;
  };
  vectorNames_.before = [this](const std::string& line) {
    if (buffer_)
      buffer_->push_back(line);
    else
      out_.line(line);
  };
  vectorNames_.variableName = [this] {
    if (!preferred_.empty()) return std::exchange(preferred_, "");
    return scope_.local(".lanes" + std::to_string(++gathered_));
  };
  vectorNames_.index = [this](const affine::Expr& e, const std::string& axis, int64_t lane) {
    return printer_.index(facts::substituted(e, axis, affine::Expr::constant(lane)));
  };
}

std::string BodyWriter::run() {
  out_.indent();
  declared_ = {{run_.threads, "int64_t "}, {run_.slots, "char *"}, {run_.slotBytes, "int64_t "}};
  ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
    auto* region = std::get_if<ir::Vector>(&stmt.node);
    for (const ir::Axis& axis : region && region->variant ? region->times : std::vector<ir::Axis>())
      mostTimes_[axis.name] = std::max(mostTimes_[axis.name], axis.size);
  });
  std::set<ir::ScalarType> types;
  ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node); alloc && alloc->space == ir::Space::Heap)
      types.insert(kernel_.tensors[alloc->tensor].type);
  });
  hasSeveralTypes_ = types.size() > 1;
  usesHeapAgain_ = usesHeapAgain(kernel_.body);
  block(kernel_.body);
  return out_.take();
}

void BodyWriter::block(const ir::Block& statements) {
  const size_t outer = declared_.size(), rows = quotientRows_.size();
  // Views are no code.
  isAlone_ = std::count_if(statements.begin(), statements.end(), [](const ir::Stmt& stmt) {
               return !std::holds_alternative<ir::View>(stmt.node);
             }) == 1;
  if (registers_)
    repeated(statements);
  else
    tell(statements, 0, [&](const ir::Stmt& stmt) { std::visit(*this, stmt.node); });
  declared_.resize(outer);
  quotientRows_.erase(quotientRows_.begin() + static_cast<std::ptrdiff_t>(rows),
                      quotientRows_.end());
}

// What a block inside takes from the heap is free at its end.
void BodyWriter::scope(const ir::Block& statements) {
  if (device_ || !usesHeapAgain_ || !takesHeap(statements)) return block(statements);
  const std::string before = scope_.local(".before" + std::to_string(++scopes_));
  out_.line("char *const " + before + " = " + run_.workspace + ";");
  block(statements);
  givenBack();
  out_.line(run_.workspace + " = " + before + ";");
}

// Compilers may take what one type is stored as for apart from what another was loaded as.
void BodyWriter::givenBack() {
  if (hasSeveralTypes_) out_.line("__atomic_signal_fence(__ATOMIC_SEQ_CST);");
}

// Those that the text uses: some are of tests that turned out to be none.
std::vector<std::string> BodyWriter::takeLines(const Once& once, const std::string& body) {
  std::vector<std::string> lines;
  References used = referencesIn(body);
  for (auto value = once.values.rbegin(); value != once.values.rend(); ++value) {
    if (used.count(value->name) == 0) continue;
    lines.insert(lines.begin(), "const int64_t " + value->name + " = " + value->argument + ";");
    used.merge(referencesIn(value->argument));
  }
  return lines;
}

// ---- Statements ---------------------------------------------------------------------------------

void BodyWriter::operator()(const ir::Alloc& alloc) {
  const ir::Tensor& tensor = kernel_.tensors[alloc.tensor];
  std::string type(ir::info(tensor.type).cType), data = scope_.data(alloc.tensor);
  const std::string elements = elementsOf(tensor);
  if (device_) return temporary(alloc.tensor, elements);
  declared_.emplace_back(data, type + " *");
  const bool isOnStack = alloc.space == ir::Space::Stack;
  const std::string place = alloc.over ? scope_.data(*alloc.over) : run_.workspace;
  if (alloc.over) givenBack();
  out_.line(isOnStack ? type + " " + data + "[" + (elements.empty() ? "1" : elements) +
                            "] __attribute__((aligned(64)));"
                      : type + " *const " + data + " = (" + type + " *)" + place + ";");
  if (!isOnStack && !alloc.over) out_.line(run_.workspace + " += " + bytesOf(alloc) + ";");
}

void BodyWriter::operator()(const ir::Bound& bound) {
  declared_.emplace_back(declareNumber(bound), "int64_t ");
}

void BodyWriter::operator()(const ir::Read& read) {
  declared_.emplace_back(declareNumber(read), "int64_t ");
}

void BodyWriter::operator()(const ir::View& view) { facts_.enter(view); }

void BodyWriter::operator()(const ir::Lead& lead) {
  declared_.emplace_back(declareNumber(lead), "int64_t ");
}

void BodyWriter::operator()(const ir::For& loop) {
  withOnce([&] { forLoop(loop); });
}

// The outermost of several stands behind the rows that they read.
void BodyWriter::unrolledLoop(const ir::For& loop) {
  const bool isOutermost = !rows_;
  std::string before = isOutermost ? out_.take() : "";
  if (isOutermost) rows_.emplace();
  rows_->unrolled[loop.var] = *loop.extent.asConstant();
  writeLoop(loop);
  rows_->unrolled.erase(loop.var);
  if (!isOutermost) return;
  std::string body = out_.take();
  out_.raw(before);
  const Rows rows = *std::exchange(rows_, std::nullopt);
  for (const auto& [from, row] : rows.rows)
    for (const std::string& line : row.lines) out_.line(line);
  out_.raw(body);
}

void BodyWriter::forLoop(const ir::For& loop) {
  const bool isFirst = registers_ && !isInLoop_;
  isInLoop_ = isInLoop_ || isFirst;
  loop.unrolled ? unrolledLoop(loop) : writeLoop(loop);
  if (isFirst) isInLoop_ = false;
}

void BodyWriter::writeLoop(const ir::For& loop) {
  std::string var = scope_.local(loop.var), extent = printer_.index(loop.extent);
  bool innermost = std::none_of(loop.body.begin(), loop.body.end(), [](const ir::Stmt& s) {
    return std::holds_alternative<ir::For>(s.node);
  });
  if (plant_ == "drop-last" && innermost) extent += " - 1";
  std::string less = plant_ == "off-by-one" && innermost ? " <= " : " < ";
  // Rounds of vectors are long enough; what a sum waits for is not sooner there if rounds are longer.
  bool isLong =
      !widths_.empty() || (loop.kind == ir::IteratorKind::Parallel && hasVectors(loop.body));
  if (loop.unrolled)
    out_.line(prelude_.need("unrolled"));
  else if (isLong)
    out_.line(prelude_.need("rolled"));
  if (!isLong && innermost) {
    const bool isCopy = !outline_.empty() && isStrided(loop);
    if (isLeftOver_ || isCopy) out_.line(prelude_.need("short_loop"));
    isWrittenOut_ &= isLeftOver_ || (isCopy && target_ && target_->hasAvx512());
  }
  out_.open("for (int64_t " + var + " = 0; " + var + less + extent + "; ++" + var + ") {");
  facts_.enter(loop);
  enter(loop.var);
  size_t outer = declared_.size();
  declared_.emplace_back(var, "int64_t ");
  block(loop.body);
  declared_.resize(outer);
  out_.close();
}

// Whether a copy goes from line to line of an argument: element by element, whatever compilers do.
// (Measured on Zen 4, matmul of 100 cubed with strides of 2: for AVX-512 41 us with loops that are
// unrolled, 38 us with loops that are not, 37 us with small ones; for AVX2 53, 53 and 54 us.)
bool BodyWriter::isStrided(const ir::For& loop) const {
  bool strided = false, looksUp = false;
  auto visit = [&](unsigned tensor, const Index& index) {
    for (unsigned d = 0; d < index.size(); ++d) {
      auto names = index[d].iterators();
      if (std::find(names.begin(), names.end(), loop.var) == names.end()) continue;
      auto root = facts_.rootDim(tensor, d);
      looksUp |= !root;
      strided |= root && ir::isArgument(kernel_.tensors[root->first].role) &&
                 (!facts_.isUnit(root->first, root->second) || (once_ && once_->isForAnyStrides));
    }
  };
  ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) visit(store->tensor, store->index);
    if (const ir::ValueRef value = ir::valueOf(stmt))
      ir::forEach(value, [&](const ir::Value& node) {
        if (auto* load = std::get_if<ir::Load>(&node.node)) visit(load->tensor, load->index);
      });
  });
  return strided && !looksUp && loop.kind == ir::IteratorKind::Parallel;
}

void BodyWriter::operator()(const ir::If& test) {
  const Test all = allOf(test.conditions);
  if (all.never()) return scope(test.otherwise);
  if (all.always()) return assuming(test.conditions, [&] { scope(test.then); });
  // What is left over of vectors is short.
  auto isOfSizes = [](const ir::Condition& c) {
    using Kind = ir::Condition::Kind;
    return c.kind == Kind::Equal || c.kind == Kind::Less || c.kind == Kind::LessEqual;
  };
  const bool leaves = std::all_of(test.conditions.begin(), test.conditions.end(), isOfSizes) &&
                      hasVectors(test.then);
  branches(
      test, all, [&](const ir::Block& then) { scope(then); },
      [&](const ir::Block& otherwise) {
        const bool outer = std::exchange(isLeftOver_, isLeftOver_ || leaves);
        scope(otherwise);
        isLeftOver_ = outer;
      });
}

void BodyWriter::operator()(const ir::TileLoop& loop) {
  if (loop.grain) return onThreads(loop);
  const std::string end = printer_.index(loop.extent);
  fencedBehind([&] { tileLoop(loop, "0", end, ""); });
}

void BodyWriter::tileLoop(const ir::TileLoop& loop, const std::string& first,
                          const std::string& end, const std::string& round,
                          const std::function<void()>& inside) {
  std::string var = scope_.local(loop.var), size = scope_.local(loop.size);
  std::string extent = printer_.index(loop.extent), step = printer_.index(loop.step);
  // Lines that begin anywhere: compilers would take eight at a time, and keep their addresses on
  // the stack, whose stores wait for those that go to memory. (Measured on Zen 5, 24 times 1608 x
  // 1600 transposed, f32: 37 GB/s, and 46 one at a time.)
  bool lines = std::any_of(loop.body.begin(), loop.body.end(), [](const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Lead>(stmt.node);
  });
  if (lines && !nonTemporal_.empty()) out_.line(prelude_.need("rolled"));
  out_.open("for (int64_t " + var + " = " + first + "; " + var + " < " + end + "; " + var +
            " += " + step + ") {");
  size_t outer = declared_.size();
  declared_.emplace_back(var, "int64_t ");
  declared_.emplace_back(size, "int64_t ");
  facts_.enter(loop);
  enter(loop.var);
  enter(loop.size);
  std::string before = out_.take();
  // On threads, each tile begins with the memory of its thread.
  if (inside)
    inside();
  else
    round.empty() ? scope(loop.body) : block(loop.body);
  std::string body = out_.take();
  out_.raw(before);
  if (!round.empty() && refersTo(body, run_.workspace)) out_.line(round);
  if (refersTo(body, size))
    out_.line("const int64_t " + size + " = " + prelude_.need("least") + "(" + step + ", " +
              wrapped(extent) + " - " + var + ");");
  out_.raw(body);
  declared_.resize(outer);
  out_.close();
}

void BodyWriter::operator()(const ir::Vector& region) {
  const bool isAlone = std::exchange(isAlone_, false);
  if (!isAlone) out_.open("{");
  const bool before = std::exchange(isVariant_, region.variant);
  withOnce([&] { region.variant ? callVariant(region) : writeRegion(region); });
  isVariant_ = before;
  if (!isAlone) out_.close();
}

void BodyWriter::writeRegion(const ir::Vector& region) {
  auto before = widths_;
  for (const ir::Axis& axis : region.axes) {
    widths_[axis.name] = axis.size;
    facts_.enter(axis);
  }
  if (!region.times.empty()) registers_.emplace(region, mostTimes_);
  enter(kLane);
  for (const auto* axes : {&region.axes, &region.times})
    for (const ir::Axis& axis : *axes) enter(axis.name);
  std::string around = out_.take();
  entries_.emplace();
  block(region.body);
  std::string body = out_.take();
  out_.raw(around);
  if (registers_ && registers_->hasSquares()) stepByStep(body);
  const Entries entries = *std::exchange(entries_, std::nullopt);
  for (const std::string& line : entries.lines) out_.line(line);
  out_.raw(body);
  registers_.reset();
  widths_ = before;
}

// Compilers would keep a multiple of each stride for each row of a square before the loops around it: more than there are
// registers, so that each row reads some from the stack. (Measured on Zen 4, i16 + u8 in 384 x 384 squares of 32 x 32: 12.9
// us, and 9.7 so; f32, 272 x 240 in squares of 16 x 16: 5.5 and 5.2.)
void BodyWriter::stepByStep(std::string& body) {
  auto step = [&](const std::string& number, const std::string& name) {
    if (!refersTo(body, number)) return;
    const std::string own = scope_.local(name);
    replaceAll(body, number, own);
    out_.line("int64_t " + own + " = " + number + ";");
    out_.line(prelude_.need("opaque") + "(" + own + ");");
  };
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
    for (unsigned d = 0; d < kernel_.tensors[t].shape.size(); ++d)
      step(scope_.stride(t, d), "." + kernel_.tensors[t].name + "_step" + std::to_string(d));
  for (const std::string& size : kernel_.sizeSymbols())
    step(printer_.index(affine::Expr::symbol(size)), "." + size + "_step");
}

void BodyWriter::operator()(const ir::Let& let) {
  bool loadsOutput = std::holds_alternative<ir::Load>(let.value->node);
  std::string name = variable(let.name);
  const bool isArray = registers_ && !registers_->sizes(let.name).empty();
  bool hasLanes = std::any_of(let.axes.begin(), let.axes.end(),
                              [&](const std::string& axis) { return widths_.count(axis) != 0; });
  if (!hasLanes) {
    bool reduces = false;
    ir::forEach(let.value,
                [&](const ir::Value& v) { reduces |= std::holds_alternative<ir::Reduce>(v.node); });
    std::string value = plant_ == "no-init" && loadsOutput ? "0"
                        : reduces                          ? vectorPrinter_.value(let.value).text
                                                           : printer_.value(let.value);
    out_.line((isArray ? "" : valueType(let.value->type) + " ") + name + " = " + value + ";");
    if (!isArray) declared_.emplace_back(name, valueType(let.value->type) + " ");
    return;
  }
  // What is read lane by lane is read to where it belongs.
  ir::ScalarType held = let.value->type;
  bool isPlain = held != ir::ScalarType::Bool && ir::info(held).cType == valueType(held);
  if (loadsOutput && isPlain && !isArray) preferred_ = name;
  VectorType type;
  std::string value = vectorPrinter_.vector(let.value, vectorNames_.width(let.axes.back()), &type);
  preferred_.clear();
  variables_[let.name] = type;
  if (value != name)
    out_.line((isArray ? "" : vectorPrinter_.cType(type) + " ") + name + " = " + value + ";");
}

void BodyWriter::operator()(const ir::Assign& assign) {
  VectorType type = vectorNames_.variable(assign.name);
  std::string name = variable(assign.name);
  if (type.lanes == 1)
    out_.line(name + " = " + narrowed(assign.value) + ";");
  else
    out_.line(name + " = " + vectorPrinter_.vectorOf(assign.value, type) + ";");
}

void BodyWriter::operator()(const ir::Store& store) {
  ir::ScalarType type = kernel_.tensors[store.tensor].type;
  std::string axis = facts::axisIn(store.index, widths_);
  if (axis.empty()) {
    std::string value = vectorPrinter_.value(store.value).text;
    const std::string line =
        assigned(store.tensor, store.index, store.clip, printer_.toStorage(type, value));
    Test test =
        store.clip ? inside(store.tensor, store.index, facts::Dims::Own) : Test::known(true);
    out_.line(test.always() ? line : "if (" + test.text() + ") " + line);
    return;
  }
  VectorAccess to = access(store.tensor, store.index, store.clip, !store.unit.empty());
  to.mayBeWhole = isVariant_ && std::holds_alternative<ir::Variable>(store.value->node);
  if (!to.mayBeWhole) to.whole.clear();
  // Values are only there where they are stored.
  std::vector<std::string> lines;
  buffer_ = &lines;
  hold_ = to.conditions;
  VectorPrinter::Text value;
  value.text = vectorPrinter_.vector(store.value, vectorNames_.width(axis), &value.type);
  bool nonTemporal = nonTemporal_.count(facts_.rootOf(store.tensor)) != 0;
  for (std::string& line : vectorPrinter_.store(type, to, value, nonTemporal))
    lines.push_back(std::move(line));
  hold_.clear();
  buffer_ = nullptr;
  std::string test = to.conditions.empty() ? "" : "if (" + joined(to.conditions, " && ") + ") ";
  if (lines.size() == 1 || test.empty()) {
    for (const std::string& line : lines) out_.line(test + line);
    return;
  }
  out_.open(test + "{");
  for (const std::string& line : lines) out_.line(line);
  out_.close();
}

namespace {

// Whether it would take an entry of a table behind those of the tile.
bool isAheadInTable(const facts::Address& at) {
  auto isNumber = [](const affine::Term& term) { return term.factors.empty(); };
  return llvm::any_of(at.parts, [&](const facts::Address::Part& part) {
    return part.table && llvm::any_of(part.at.terms(), isNumber);
  });
}

}  // namespace

// The first lane's line. Tables have no places for positions that do not exist.
void BodyWriter::operator()(const ir::Prefetch& prefetch) {
  std::string axis = facts::axisIn(prefetch.index, widths_);
  if (!axis.empty() && !facts_.isLinear(prefetch.tensor, prefetch.index, axis)) return;
  if (isAheadInTable(facts_.addressOf(prefetch.tensor, prefetch.index))) return;
  const ir::Tensor& root = kernel_.tensors[facts_.rootOf(prefetch.tensor)];
  const Place place =
      placeOf(prefetch.tensor, facts::substituted(prefetch.index, axis, affine::Expr()));
  out_.line(prelude_.need(prefetch.own   ? "prefetch_own"
                          : prefetch.far ? "prefetch_far"
                                         : "prefetch") +
            "(" + place.base + ", " + wrapped(place.position) +
            (facts_.isPacked(prefetch.tensor)
                 ? " / 2"
                 : " * " + std::to_string(ir::info(root.type).bytes())) +
            ");");
}

// C computes narrow integers as ints; the value fits, and the cast says so.
std::string BodyWriter::narrowed(const ir::ValueRef& value) const {
  std::string text = printer_.value(value);
  const ir::TypeInfo& type = ir::info(value->type);
  bool narrow = type.isInteger() && type.bits < 32;
  return narrow ? "(" + std::string(type.cType) + ")" + wrapped(text) : text;
}

}  // namespace einc::emit
