// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where elements are, and whether they are inside.
#include "compiler/emit/c/places.h"

#include <algorithm>

#include "compiler/emit/text/references.h"

namespace einc::emit {

using affine::Expr;

PlacePrinter::PlacePrinter(const ir::Kernel& kernel, KernelScope& scope, Prelude& prelude,
                           const std::string& plant)
    : kernel_(kernel),
      scope_(scope),
      prelude_(prelude),
      plant_(plant),
      printer_(names_, prelude),
      facts_(kernel) {
  names_.index = [this](const affine::Atom& atom) { return scope_.indexName(atom); };
  names_.attribute = [this](const ir::AttributeRef& r) { return scope_.attributeElement(r); };
  names_.variable = [this](const std::string& name) { return scope_.local(name); };
  names_.element = [this](unsigned t, const auto& index) {
    return isOfWords(t) ? word(t, index) : element(t, index);
  };
  names_.testedElement = [this](unsigned t, const auto& index) {
    return isOfWords(t) ? word(t, index) : element(t, index, /*checked=*/true);
  };
  names_.isLocal = [this](unsigned t) {
    return kernel_.tensors[facts_.rootOf(t)].role == ir::Role::Local;
  };
  names_.inside = [this](unsigned t, const auto& index) {
    return inside(t, index, facts::Dims::Own);
  };
  names_.quotient = [this](const std::string& function, const affine::Expr& what,
                           const affine::Expr& by) { return quotient(function, what, by); };
  questions_.index = [this](const affine::Expr& e) { return wrapped(printer_.index(e)); };
  questions_.address = [this](unsigned t, const Index& at) { return address(t, at); };
  questions_.stride = [this](unsigned t, unsigned dim) { return scope_.stride(t, dim); };
  questions_.start = [this](const facts::Start& start) { return startText(start); };
  questions_.run = [this](const facts::Run& run) { return runText(run); };
  std::map<unsigned, unsigned> first;  // of what is over another
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    if (!alloc || !alloc->over) return;
    auto before = first.find(*alloc->over);
    const unsigned root = before == first.end() ? *alloc->over : before->second;
    first[alloc->tensor] = root;
    over_[root].push_back(alloc->tensor);
  });
}

// ---- Names --------------------------------------------------------------------------------------

std::string PlacePrinter::declareNumber(const ir::Bound& bound) {
  std::string name = scope_.local(bound.name);
  std::string value = printer_.index(bound.of[0]);
  for (size_t i = 1; i < bound.of.size(); ++i)
    value = prelude_.need("least") + "(" + value + ", " + printer_.index(bound.of[i]) + ")";
  out_.line("const int64_t " + name + " = " + value + ";");
  enter(bound.name);
  facts_.enter(bound);
  return name;
}

std::string PlacePrinter::declareNumber(const ir::Read& read) {
  std::string name = scope_.local(read.name);
  out_.line("const int64_t " + name + " = " + printer_.value(ir::valueOf(kernel_, read)) + ";");
  enter(read.name);
  return name;
}

void PlacePrinter::tell(const ir::Block& statements, size_t first,
                        const std::function<void(const ir::Stmt&)>& one) {
  for (size_t i = first; i < statements.size(); ++i) {
    const ir::Stmt& stmt = statements[i];
    auto* bound = std::get_if<ir::Bound>(&stmt.node);
    auto* read = std::get_if<ir::Read>(&stmt.node);
    auto* lead = std::get_if<ir::Lead>(&stmt.node);
    if (!bound && !read && !lead) {
      one(stmt);
      continue;
    }
    const std::string before = out_.take();
    one(stmt);
    const std::string declaration = out_.take();
    tell(statements, i + 1, one);
    const std::string rest = out_.take();
    const std::string& name = bound ? bound->name : read ? read->name : lead->name;
    const bool isUsed = referencesIn(rest).count(scope_.local(name)) != 0;
    out_.raw(before + (isUsed ? declaration : "") + rest);
    return;
  }
}

std::string PlacePrinter::declareNumber(const ir::Lead& lead) {
  std::string name = scope_.local(lead.name);
  const ir::Tensor& tensor = kernel_.tensors[lead.tensor];
  Index zero(tensor.shape.size());
  // Parts of bytes are stored wherever they begin.
  out_.line("const int64_t " + name + " = " +
            (facts_.isPacked(lead.tensor)
                 ? "0"
                 : prelude_.need("lead") + "(&" + element(lead.tensor, zero) + ", " +
                       std::to_string(ir::info(tensor.type).bytes()) + ", " +
                       std::to_string(lead.bytes) + ", " + printer_.index(tensor.shape[lead.dim]) +
                       ")") +
            ";");
  enter(lead.name);
  return name;
}

std::string PlacePrinter::elementsOf(const ir::Tensor& tensor) const {
  return joined(tensor.shape, " * ",
                [&](const affine::Expr& size) { return wrapped(printer_.index(size)); });
}

std::string PlacePrinter::bytesOf(const ir::Alloc& first) const {
  std::vector<unsigned> tensors = {first.tensor};
  if (auto others = over_.find(first.tensor); others != over_.end())
    tensors.insert(tensors.end(), others->second.begin(), others->second.end());
  int64_t known = 0;
  std::vector<std::string> sizes;
  for (const unsigned t : tensors) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    const int64_t bytes = static_cast<int64_t>(ir::info(tensor.type).bytes());
    Expr all = Expr::constant(bytes);
    for (const Expr& size : tensor.shape) all = all * size;
    if (auto constant = all.asConstant()) {
      known = std::max(known, *constant);
      continue;
    }
    const std::string text = elementsOf(tensor) + " * " + std::to_string(bytes);
    if (std::find(sizes.begin(), sizes.end(), text) == sizes.end()) sizes.push_back(text);
  }
  if (known > 0) sizes.push_back(std::to_string(known));
  if (sizes.empty()) return "0";
  std::string most = sizes[0];
  for (size_t i = 1; i < sizes.size(); ++i)
    most = prelude_.need("greatest") + "(" + most + ", " + sizes[i] + ")";
  return "(" + most + " + 63) / 64 * 64";
}

// ---- Places -------------------------------------------------------------------------------------

std::string PlacePrinter::address(unsigned tensor, const Index& index) const {
  const facts::Address at = facts_.addressOf(tensor, index);
  std::string text = rootAddress(at.root, at.index);
  for (const facts::Address::Part& part : at.parts) {
    text = part.table ? text + " + " + entry(*part.table, part.at)
                      : wrapped(text) + " + " + wrapped(printer_.index(part.at));
  }
  return text;
}

std::string PlacePrinter::rootAddress(unsigned tensor, const Index& index) const {
  const ir::Tensor& t = kernel_.tensors[tensor];
  std::string position;
  const bool isLocal = t.role == ir::Role::Local, isCall = once_ && once_->isCall;
  if (isLocal && !isCall) {
    for (size_t d = 0; d < index.size(); ++d) {
      std::string next = wrapped(printer_.index(index[d]));
      position =
          d == 0 ? next
                 : wrapped(position) + " * " + wrapped(printer_.index(t.shape[d])) + " + " + next;
    }
    return position.empty() ? "0" : position;
  }
  if (!isLocal && plant_ != "wrong-offset") position = scope_.offset(tensor);
  auto [same, moving] = partsOf(index);
  if (isPlaceTested_) return strided(tensor, index, std::move(position));
  if (rows_ && mayBeInRow_ && once_ && base_ && !isCall)
    if (auto inRow = inRows(tensor, index, position)) return *inRow;
  if (!isCall && std::all_of(same.begin(), same.end(), [](const Expr& e) { return e.isZero(); }))
    return strided(tensor, moving, std::move(position));
  return strided(tensor, moving, place(tensor, same, position));
}

// How far neighbours along the dimension are from each other; "" for one.
std::string PlacePrinter::stride(unsigned tensor, unsigned dim) const {
  const bool isAny = once_ && once_->isForAnyStrides;
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (t.role != ir::Role::Local)
    return facts_.isUnit(tensor, dim) && !isAny ? "" : scope_.stride(tensor, dim);
  Expr product = Expr::constant(1);
  for (size_t d = dim + 1; d < t.shape.size(); ++d) product = product * t.shape[d];
  return product.asConstant() == 1 ? "" : wrapped(printer_.index(product));
}

// A tensor's element, from a position on.
std::string PlacePrinter::strided(unsigned tensor, const Index& index, std::string position) const {
  for (unsigned d = 0; d < index.size(); ++d) {
    bool swap = plant_ == "swap-strides" && kernel_.tensors[tensor].role == ir::Role::Input &&
                index.size() > 1 && d < 2;
    unsigned along = swap ? 1 - d : d;
    if (index[d].isZero()) continue;
    const std::string at = printer_.index(index[d]), by = stride(tensor, along);
    std::string next = by.empty() ? at : index[d].asConstant() == 1 ? by : wrapped(at) + " * " + by;
    position += position.empty() ? next : " + " + next;
  }
  return position.empty() ? "0" : position;
}

std::string PlacePrinter::at(unsigned tensor, const Place& place) const {
  if (!facts_.isPacked(tensor)) return place.base + "[" + place.position + "]";
  const std::string type(ir::info(kernel_.tensors[tensor].type).name);
  return prelude_.need("get_" + type) + "(" + place.base + ", " + place.position + ")";
}

bool PlacePrinter::isOfWords(unsigned tensor) const {
  return ir::info(kernel_.tensors[tensor].type).bits !=
         ir::info(kernel_.tensors[facts_.rootOf(tensor)].type).bits;
}

// Several elements of memory, as one.
std::string PlacePrinter::word(unsigned tensor, const Index& index) const {
  const ir::TypeInfo& type = ir::info(kernel_.tensors[tensor].type);
  mayBeInRow_ = false;
  const Place place = placeOf(tensor, index);
  mayBeInRow_ = true;
  std::string value = wordAt(tensor, place);
  const ir::ValueRef pad = facts_.padOf(tensor);
  if (!pad) return value;
  const Test test = inside(tensor, index, facts::Dims::Padded);
  if (test.always()) return value;
  return "(" + test.text() + " ? " + value + " : " + wordOfPad(type.type, pad) + ")";
}

std::string PlacePrinter::wordAt(unsigned tensor, const Place& place) const {
  const std::string type(ir::info(kernel_.tensors[tensor].type).name);
  if (!facts_.isPacked(tensor))
    return prelude_.need("word_" + type) + "(&" + place.base + "[" + place.position + "])";
  const std::string packed(ir::info(kernel_.tensors[facts_.rootOf(tensor)].type).name);
  return prelude_.need("word_of_" + packed + "_" + type) + "(" + place.base + ", " +
         place.position + ")";
}

// All elements of a word are the same.
std::string PlacePrinter::wordOfPad(ir::ScalarType type, const ir::ValueRef& pad) const {
  const unsigned bits = 8 * ir::info(pad->type).bytes(), all = ir::info(type).bits;
  uint64_t ones = 0;  // 0x01010101
  for (unsigned at = 0; at < all; at += bits) ones |= uint64_t{1} << at;
  return "(" + std::string(ir::info(type).cType) + ")((uint" + std::to_string(bits) + "_t)" +
         wrapped(printer_.toStorage(pad)) + " * UINT64_C(" + std::to_string(ones) + "))";
}

PlacePrinter::Place PlacePrinter::placeOf(unsigned tensor, const Index& index) const {
  Place place{scope_.data(facts_.rootOf(tensor)), ""};
  // Where parts of bytes are is counted from the beginning.
  if (!facts_.isPacked(tensor)) base_ = &place.base;
  place.position = address(tensor, index);
  base_ = nullptr;
  return place;
}

// Of what is only there where a condition holds.
PlacePrinter::Place PlacePrinter::testedPlace(unsigned tensor, const Index& index,
                                              bool checked) const {
  isPlaceTested_ = isTested(tensor, index, checked);
  mayBeInRow_ = !checked && !facts_.padOf(tensor);
  const Place place = placeOf(tensor, index);
  isPlaceTested_ = false;
  mayBeInRow_ = true;
  return place;
}

std::string PlacePrinter::assigned(unsigned tensor, const Index& index, bool checked,
                                   const std::string& value) const {
  const Place place = testedPlace(tensor, index, checked);
  if (!facts_.isPacked(tensor)) return at(tensor, place) + " = " + value + ";";
  const std::string type(ir::info(kernel_.tensors[tensor].type).name);
  return prelude_.need("put_" + type) + "(" + place.base + ", " + place.position + ", " + value +
         ");";
}

std::string PlacePrinter::element(unsigned tensor, const Index& index, bool checked) const {
  const ir::ValueRef pad = facts_.padOf(tensor);
  std::string lvalue = at(tensor, testedPlace(tensor, index, checked));
  // A view with a pad has no element where its base has none.
  if (!pad) return lvalue;
  const Test test = inside(tensor, index, facts::Dims::Padded);
  if (test.always()) return lvalue;
  return "(" + test.text() + " ? " + lvalue + " : " + printer_.toStorage(pad) + ")";
}

// ---- Inside -------------------------------------------------------------------------------------

// At each position of registers that are repeated.
std::vector<ir::Axis> PlacePrinter::repeatedAxes() const {
  return registers_ ? registers_->region().times : std::vector<ir::Axis>();
}

std::string PlacePrinter::count(const ir::Axis& times) const {
  return registers_->region().variant ? scope_.local("." + times.name + "_count")
                                      : std::to_string(times.size);
}

bool PlacePrinter::isNeverNegative(const Expr& index) const {
  return facts::everywhere(index, repeatedAxes(),
                           [&](const Expr& e) { return facts_.isNonNegative(e); });
}

Test PlacePrinter::inside(unsigned tensor, const Index& index, facts::Dims dims) const {
  return Test::allOf(inTurn(facts::insideTests(facts_, tensor, index, dims, repeatedAxes())));
}

// Each is asked where those before it hold.
std::vector<std::string> PlacePrinter::inTurn(const facts::Comparisons& tests) const {
  std::vector<std::string> texts;
  const size_t before = tested_.size();
  for (const facts::Comparison& test : tests) {
    texts.push_back(questions_.text(test));
    tested_.push_back(test);
  }
  tested_.resize(before);
  return texts;
}

}  // namespace einc::emit
