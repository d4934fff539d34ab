// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/einsum.h"

#include <algorithm>
#include <vector>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::frontend {
namespace {

// A, B, ..., without O, then AA, AB, ...
std::string tensorName(size_t i) {
  static const std::string letters = "ABCDEFGHIJKLMNPQRSTUVWXYZ";
  std::string name(1, letters[i % letters.size()]);
  return i < letters.size() ? name : tensorName(i / letters.size() - 1) + name;
}

struct Term {
  std::string letters;
  std::vector<SourceRange> places;
};

class EinsumParser {
 public:
  explicit EinsumParser(Diagnostics& errors) : errors_(errors), text_(errors.source().text()) {}

  std::optional<EinsumSpec> expand() {
    if (!parse()) return std::nullopt;
    if (!output_) implicitOutput();
    if (!checkOutput()) return std::nullopt;
    EinsumSpec spec;
    nameSizes(spec);
    spec.text = specText(spec);
    return spec;
  }

 private:
  bool error(size_t at, const std::string& message) {
    auto begin = static_cast<uint32_t>(at);
    errors_.error(Diag::Einsum, {begin, begin + 1}, message);
    return false;
  }

  bool parse() {
    if (text_.find_first_not_of(" \t") == std::string_view::npos)
      return error(0, "expected index letters, such as mk,kn->mn");
    inputs_.emplace_back();
    for (size_t i = 0; i < text_.size(); ++i) {
      char c = text_[i];
      if (c == ' ' || c == '\t') continue;
      if (llvm::isAlpha(c)) {
        Term& term = output_ ? *output_ : inputs_.back();
        term.letters += c;
        term.places.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(i + 1)});
      } else if (c == ',') {
        if (output_) return error(i, "an einsum has one output");
        inputs_.emplace_back();
      } else if (text_.substr(i, 2) == "->") {
        if (output_) return error(i, "'->' stands twice");
        output_.emplace();
        ++i;
      } else if (c == '.') {
        return error(i,
                     "'...' needs the arrays' ranks, which are not known here; name every index");
      } else if (c == '-' && i + 1 == text_.size()) {
        return error(i,
                     "'->' and the output's letters are missing; a shell reads > as a redirection, "
                     "so put quotes around the einsum: --einsum '" +
                         std::string(text_) + ">...'");
      } else {
        return error(i, "expected an index letter, ',' or '->', found '" + std::string(1, c) + "'");
      }
    }
    return checkSize();
  }

  bool checkSize() {
    constexpr size_t kMaxInputs = 100, kMaxRank = 32;
    if (inputs_.size() > kMaxInputs)
      return error(0, "an einsum has at most " + std::to_string(kMaxInputs) + " inputs");
    for (const Term& term : inputs_)
      if (term.letters.size() > kMaxRank)
        return error(term.places[0].begin,
                     "a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
    return true;
  }

  void implicitOutput() {
    std::string all, once;
    for (const Term& term : inputs_) all += term.letters;
    std::sort(all.begin(), all.end());
    for (char c : all)
      if (std::count(all.begin(), all.end(), c) == 1) once += c;
    output_ = Term{once, {}};
  }

  bool checkOutput() {
    const std::string& letters = output_->letters;
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters.find(letters[i]) != i)
        return error(output_->places[i].begin,
                     std::string("index '") + letters[i] + "' stands twice in the output");
      bool known = std::any_of(inputs_.begin(), inputs_.end(), [&](const Term& term) {
        return term.letters.find(letters[i]) != std::string::npos;
      });
      if (!known)
        return error(output_->places[i].begin,
                     std::string("index '") + letters[i] + "' of the output is in no input");
    }
    return true;
  }

  // The letter in upper case where that is free, N_m otherwise.
  void nameSizes(EinsumSpec& spec) const {
    std::string letters;
    for (const Term& term : inputs_) letters += term.letters;
    for (char c : letters) {
      std::string upper(1, llvm::toUpper(c));
      bool isTensor = upper == "O" || upper == "T";
      for (size_t i = 0; i < inputs_.size(); ++i) isTensor |= tensorName(i) == upper;
      bool taken = isTensor || letters.find(upper) != std::string::npos;
      spec.sizes.try_emplace(std::string(1, c), taken ? std::string("N_") + c : upper);
    }
  }

  static std::string list(const std::string& letters) {
    return joined(letters, ", ", [](char c) { return std::string(1, c); });
  }

  std::string specText(const EinsumSpec& spec) const {
    auto shape = [&](const std::string& letters) {
      return "T(" +
             joined(letters, ", ", [&](char c) { return spec.sizes.at(std::string(1, c)); }) + ")";
    };
    std::string parameters, product;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      std::string comma = i ? ", " : "", times = i ? " * " : "";
      parameters += comma + tensorName(i) + ": " + shape(inputs_[i].letters);
      product += times + tensorName(i) + "(" + list(inputs_[i].letters) + ")";
    }
    return "def einsum<T = f32>(" + parameters + ") -> (O: " + shape(output_->letters) +
           ") {\n  O(" + list(output_->letters) + ") += " + product + ";\n}\n";
  }

  Diagnostics& errors_;
  std::string_view text_;
  std::vector<Term> inputs_;
  std::optional<Term> output_;
};

}  // namespace

std::optional<EinsumSpec> expandEinsum(Diagnostics& errors) {
  return EinsumParser(errors).expand();
}

}  // namespace einc::frontend
