// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/trampoline.h"

#include "compiler/emit/text/signature.h"
#include "compiler/ir/scalar.h"

namespace einc::driver {

std::vector<int64_t> descriptorOf(const interp::View& view, const void* base, int64_t offset) {
  auto word = static_cast<int64_t>(reinterpret_cast<intptr_t>(base));
  std::vector<int64_t> words = {word, word, offset};
  words.insert(words.end(), view.sizes.begin(), view.sizes.end());
  words.insert(words.end(), view.strides.begin(), view.strides.end());
  return words;
}

Trampoline::Trampoline(const ir::Kernel& kernel, const interp::Arguments& arguments,
                       std::vector<std::vector<int64_t>> descriptors)
    : kernel_(kernel), arguments_(&arguments), descriptors_(std::move(descriptors)) {
  walk();
}

std::string Trampoline::passed(const ir::Kernel& kernel) {
  Trampoline trampoline(kernel);
  trampoline.walk();
  return trampoline.passed_;
}

void Trampoline::walk() {
  for (const ir::Kernel::Input& input : kernel_.inputs)
    input.isTensor ? tensor(input.index) : attribute(input.index);
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
    if (kernel_.tensors[t].role == ir::Role::Output) tensor(t);
  for (unsigned a = 0; a < kernel_.attributes.size(); ++a)
    if (!kernel_.attributes[a].parameter) attribute(a);
}

void Trampoline::pass(const std::string& text, void* address) {
  passed_ += (passed_.empty() ? "" : ", ") + text;
  addresses_.push_back(address);
}

void Trampoline::tensor(unsigned id) {
  pass(slot(), arguments_ ? descriptors_[id].data() : nullptr);
}

void Trampoline::attribute(unsigned id) {
  const ir::Attribute& a = kernel_.attributes[id];
  const std::vector<ir::Number> numbers =
      arguments_ ? arguments_->attributes[id] : std::vector<ir::Number>();
  const unsigned size = ir::info(a.type).bytes();
  values_.emplace_back(numbers.size() * size + 8);
  for (size_t i = 0; i < numbers.size(); ++i)
    ir::writeElement(a.type, numbers[i], values_.back().data() + i * size);
  std::string pointer = "const " + std::string(ir::info(a.type).cType) + " *";
  bool byAddress = emit::Signature::byAddress(a);
  bool absent = numbers.empty() && !a.list;
  pass(byAddress ? "(" + pointer + ")" + slot() : "*(" + pointer + ")" + slot(),
       absent ? nullptr : values_.back().data());
  if (!a.list) return;
  lengths_.push_back(static_cast<int64_t>(numbers.size()));
  pass("*(const int64_t *)" + slot(), &lengths_.back());
}

}  // namespace einc::driver
