// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a kernel's tensors are while it is walked: through views to memory, inside or outside, several of them
// as a word, and how far they are apart. Statements and values are the machine's (machine.h), which uses this, and says
// what a Domain is.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/interp/contract.h"
#include "compiler/interp/races.h"

namespace einc::interp {

template <typename Domain>
class Memory {
 public:
  using Scalar = typename Domain::Scalar;

  Memory(const ir::Kernel& kernel, CheckedCall& call, Domain& domain)
      : kernel_(kernel), call_(call), domain_(domain) {}

  // Evaluates the shape of what is declared here.
  void size(unsigned tensor) {
    call_.sizes[tensor].clear();
    for (const affine::Expr& e : kernel_.tensors[tensor].shape)
      call_.sizes[tensor].push_back(std::max<int64_t>(evaluate(e), 0));
  }

  // A local has memory from here on, which another may have had.
  void give(unsigned tensor, std::optional<unsigned> over) {
    gone_.erase(tensor);
    if (over) gone_.insert(*over);
  }

  void declare(const ir::View& view) {
    size(view.view);
    views_[view.view] = &view;
  }

  int64_t evaluate(const affine::Expr& expr) {
    auto value = call_.scope.evaluate(expr);
    if (!value) fail(Status::EINC_OVERFLOW, expr.str() + " has no value");
    return value.value_or(0);
  }

  // Where an element is: in memory, from where it is loaded and to where it is put; outside the tensor; or
  // in a view, where its base has none, and reads as `padding`.
  enum class Place { Inside, Outside, Padded };

  Place locate(unsigned tensor, const std::vector<affine::Expr>& index) {
    std::vector<int64_t> position(index.size());
    for (size_t d = 0; d < index.size(); ++d) position[d] = evaluate(index[d]);
    position_ = std::move(position);
    return locate(tensor);
  }
  bool isInside(unsigned tensor, const std::vector<affine::Expr>& index) {
    return locate(tensor, index) == Place::Inside;
  }
  const ir::Value& padding() const { return *padding_; }

  // What was located. Of a view of words it is several elements, the first in the lowest bits.
  Scalar load(unsigned tensor, const std::vector<affine::Expr>& index) {
    noteAccess(false);
    const ir::ScalarType type = typeOf(tensor), memory = typeOf(located_);
    return type == memory ? domain_.load(located_, position_) : wordOf(tensor, index, type, memory);
  }

  // The same of what reads as a padding, of which `value` is an element.
  Scalar padded(unsigned tensor, const Scalar& value) {
    const ir::ScalarType type = typeOf(tensor), own = padding_->type;
    if (type == own) return value;
    return domain_.word(type, own, std::vector<Scalar>(elementsIn(type, own), value));
  }

  void put(const Scalar& value) {
    noteAccess(true);
    domain_.store(located_, position_, value);
  }

  // `unit` must be true: the position of a lane is that of lane 0 plus its number.
  void checkUnit(const std::string& axis, unsigned tensor, const std::vector<affine::Expr>& index) {
    int64_t lane = axis.empty() ? 0 : call_.scope.find(axis).value_or(0);
    if (lane == 0) return;
    std::vector<int64_t> position = position_;
    unsigned located = located_;
    int64_t here = domain_.position(located_, position_);
    call_.scope.assign(axis, 0);
    bool inside = isInside(tensor, index);
    call_.scope.assign(axis, lane);
    const auto words = static_cast<int64_t>(elementsIn(typeOf(tensor), typeOf(located_)));
    if (inside && domain_.position(located_, position_) + lane * words != here)
      fail(Status::EINC_OUT_OF_RANGE,
           "%" + kernel_.tensors[tensor].name + " is not unit along " + axis);
    position_ = std::move(position);
    located_ = located;
  }

  // So far apart, or just as far as the first ones. Looks at every pair of neighbours, with the other dimensions at 0; a
  // long dimension is not looked at, and said to be not.
  bool isEven(unsigned tensor, unsigned dim, std::optional<int64_t> distance) {
    const std::vector<int64_t> sizes = call_.sizes[tensor];
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
    if (sizes[dim] > 4096) return false;
    std::vector<int64_t> index(sizes.size());
    std::optional<int64_t> before;
    for (; index[dim] < sizes[dim]; ++index[dim]) {
      position_ = index;
      if (locate(tensor) != Place::Inside) return false;
      int64_t now = domain_.position(located_, position_);
      if (before && !distance) distance = now - *before;
      if (before && now != *before + *distance) return false;
      before = now;
    }
    return true;
  }

  // Looks at the first two lines along each other dimension: addresses are linear in positions.
  bool isAligned(unsigned tensor, unsigned dim, int64_t bytes) {
    const std::vector<int64_t> sizes = call_.sizes[tensor];
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<int64_t> index(sizes.size());
      index[d] = d != dim && sizes[d] > 1;
      std::optional<int64_t> position = positionOf(tensor, std::move(index));
      if (!position || *position * elementBytes(tensor) % bytes != 0) return false;
    }
    return true;
  }

  int64_t elementBytes(unsigned tensor) const {
    return static_cast<int64_t>(ir::info(typeOf(tensor)).bytes());
  }

  // Of an element in memory; nothing if it has none there.
  std::optional<int64_t> positionOf(unsigned tensor, std::vector<int64_t> index) {
    position_ = std::move(index);
    if (!isInside(tensor) || locate(tensor) != Place::Inside) return std::nullopt;
    return domain_.position(located_, position_);
  }

  Races& races() { return races_; }

  // The first that fails is the outcome.
  void fail(Status status, std::string message) {
    if (outcome_.ok()) outcome_ = {status, std::move(message)};
  }
  void failOutside(unsigned tensor) {
    fail(Status::EINC_OUT_OF_RANGE, "an access leaves %" + kernel_.tensors[tensor].name);
  }
  const Outcome& outcome() const { return outcome_; }

 private:
  ir::ScalarType typeOf(unsigned tensor) const { return kernel_.tensors[tensor].type; }

  // In a word.
  static size_t elementsIn(ir::ScalarType word, ir::ScalarType element) {
    return ir::info(word).bytes() / ir::info(element).bytes();
  }

  Scalar wordOf(unsigned tensor, const std::vector<affine::Expr>& index, ir::ScalarType type,
                ir::ScalarType memory) {
    const size_t count = elementsIn(type, memory);
    std::vector<Scalar> parts;
    int64_t first = 0;
    for (part_ = 0; part_ < static_cast<int64_t>(count); ++part_) {
      if (!isInside(tensor, index)) continue;
      const int64_t at = domain_.position(located_, position_);
      if (part_ == 0) first = at;
      // Parts of a word are neighbours.
      if (at == first + part_) parts.push_back(domain_.load(located_, position_));
    }
    part_ = 0;
    if (parts.size() < count) {
      failOutside(tensor);
      return {};
    }
    return domain_.word(type, memory, parts);
  }

  void noteAccess(bool writes) {
    if (races_.isOn() && !races_.access(located_, domain_.position(located_, position_), writes))
      fail(Status::EINC_OUT_OF_RANGE,
           "two invocations get in each other's way in %" + kernel_.tensors[located_].name);
  }

  Place locate(unsigned tensor) {
    if (!isInside(tensor)) return Place::Outside;
    while (kernel_.tensors[tensor].role == ir::Role::View) {
      const ir::View& view = *views_.at(tensor);
      for (size_t d = 0; d < view.dims.size(); ++d) call_.scope.push(view.dims[d], position_[d]);
      position_.resize(view.map.size());
      std::vector<int64_t> inner;
      for (const affine::Expr& e : view.map) inner.push_back(evaluate(e));
      call_.scope.pop(view.dims.size());
      if (auto words = ir::wordsOf(kernel_, view)) inner[words->along] += part_;
      position_ = std::move(inner);
      tensor = view.base;
      if (isInside(tensor)) continue;
      padding_ = view.pad.get();
      if (!padding_) failOutside(tensor);
      return padding_ ? Place::Padded : Place::Outside;
    }
    located_ = tensor;
    if (!gone_.empty() && gone_.count(tensor) != 0)
      fail(Status::EINC_OUT_OF_RANGE,
           "the memory of %" + kernel_.tensors[tensor].name + " is another's");
    return Place::Inside;
  }
  bool isInside(unsigned tensor) const {
    const std::vector<int64_t>& sizes = call_.sizes[tensor];
    for (size_t d = 0; d < sizes.size(); ++d)
      if (position_[d] < 0 || position_[d] >= sizes[d]) return false;
    return true;
  }

  const ir::Kernel& kernel_;
  CheckedCall& call_;
  Domain& domain_;
  std::map<unsigned, const ir::View*> views_;
  std::set<unsigned> gone_;        // locals whose memory others have
  std::vector<int64_t> position_;  // of what was located, in tensor `located_`
  unsigned located_ = 0;
  int64_t part_ = 0;  // of a word that is read
  const ir::Value* padding_ = nullptr;
  Races races_;
  Outcome outcome_;
};

}  // namespace einc::interp
