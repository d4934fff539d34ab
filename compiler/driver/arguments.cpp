// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/arguments.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "compiler/driver/attributes.h"
#include "compiler/interp/npy.h"
#include "compiler/interp/view_text.h"
#include "compiler/ir/shape.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/Support/FileSystem.h"

namespace einc::driver {
namespace {

using interp::View;

std::string sizesText(const std::vector<int64_t>& sizes) {
  return "(" + joined(sizes, ", ", [](int64_t s) { return std::to_string(s); }) + ")";
}

class CallBuilder {
 public:
  CallBuilder(const ir::Kernel& kernel, const EvalOptions& options)
      : kernel_(kernel), options_(options) {}

  std::variant<EvalCall, EvalError> build(const std::map<std::string, int64_t>& dims,
                                          const std::map<std::string, std::string>& attributes) {
    given_.resize(kernel_.tensors.size());
    bool good = readAttributes(attributes) && readInputs() && readOutputViews() &&
                findSizes(dims) && allocateOutputs();
    if (!good) return *error_;
    for (size_t t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role != ir::Role::Local) call_.arguments.tensors.push_back(*given_[t]);
    return std::move(call_);
  }

 private:
  bool fail(ExitCode code, std::string message) {
    error_ = {code, std::move(message)};
    return false;
  }

  bool readAttributes(const std::map<std::string, std::string>& texts) {
    for (const ir::Attribute& attribute : kernel_.attributes) {
      std::vector<ir::Number> values;
      auto text = texts.find(attribute.name);
      if (text != texts.end()) {
        auto parsed = parseAttributeValue(attribute, text->second);
        if (!parsed) return fail(kBadCommandLine, parsed.reason());
        values = *parsed;
      } else if (attribute.defaults) {
        values = *attribute.defaults;
      } else if (!attribute.list && !attribute.optional) {
        std::string what = attribute.parameter ? "scalar" : "attribute";
        return fail(kBadCommandLine, what + " '" + attribute.name + "' has no value; give --attr " +
                                         attribute.name + "=...");
      }
      call_.arguments.attributes.push_back(std::move(values));
    }
    return true;
  }

  // ---- Arrays ----

  std::optional<unsigned> findTensor(const char* flag, const std::string& name) {
    auto id = kernel_.findTensor(name);
    if (id && kernel_.tensors[*id].role != ir::Role::Local) return id;
    std::vector<std::string> known;
    for (const ir::Tensor& tensor : kernel_.tensors)
      if (tensor.role != ir::Role::Local) known.push_back(tensor.name);
    std::string hint = didYouMean(name, known);
    if (auto attribute = kernel_.findAttribute(name))
      hint = "; it is a scalar: --attr " + name + "=...";
    fail(kBadCommandLine, std::string("--") + flag + " " + name + "=: '" + kernel_.name +
                              "' has no such tensor" + hint);
    return std::nullopt;
  }

  // The array of a file, seen as the tensor's type.
  std::optional<View> readArray(const std::string& path, const ir::Tensor& tensor) {
    auto bytes = readInput(path);
    if (!bytes) return fail(kBadInput, bytes.reason()), std::nullopt;
    auto view = interp::parseNpy(*bytes);
    if (!view) return fail(kBadInput, path + ": " + view.reason()), std::nullopt;
    if (view->type == tensor.type) return *view;
    const ir::TypeInfo& type = ir::info(tensor.type);
    // What NumPy has no type for.
    const bool isOther = type.numpyKind == 'V';
    if (isOther)
      if (auto seen = interp::seenAs(*view, tensor.type)) return *seen;
    std::string wanted(type.name);
    if (isOther)
      wanted += type.isPacked() ? " (as uint8, two elements a byte)"
                                : " (as uint" + std::to_string(type.bits) + ")";
    fail(kBadInput, path + " holds " + std::string(ir::info(view->type).name) + ", but '" +
                        tensor.name + "' is " + wanted);
    return std::nullopt;
  }

  bool applyViewText(const std::string& flag, const interp::ViewText& text, View& view,
                     bool writes) {
    auto result = text.apply(view, writes ? interp::Access::Write : interp::Access::Read);
    if (!result) return fail(kBadCommandLine, flag + ": " + result.reason());
    view = *result;
    return true;
  }

  bool checkRank(const std::string& path, unsigned tensor, const View& view) {
    size_t rank = kernel_.tensors[tensor].shape.size();
    if (view.rank() == rank) return true;
    return fail(kBadInput, path + " has shape " + sizesText(view.sizes) + ", but '" +
                               kernel_.tensors[tensor].name + "' has " + std::to_string(rank) +
                               " dimensions");
  }

  bool readInputs() {
    auto assignments = parseAssignments("in", options_.inputs);
    if (!assignments) return fail(kBadCommandLine, assignments.reason());
    for (const auto& [name, value] : *assignments) {
      auto id = findTensor("in", name);
      if (!id) return false;
      auto text = interp::ViewText::parse(value);
      if (!text) return fail(kBadCommandLine, "--in " + name + "=" + value + ": " + text.reason());
      auto view = readArray(text->file(), kernel_.tensors[*id]);
      if (!view) return false;
      if (kernel_.tensors[*id].role == ir::Role::Output) wholes_[*id] = *view;
      bool output = kernel_.tensors[*id].role == ir::Role::Output;
      if (!applyViewText("--in " + name + "=" + value, *text, *view, output)) return false;
      if (!checkRank(text->file(), *id, *view)) return false;
      given_[*id] = *view;
      call_.inputPaths.push_back(text->file());
    }
    for (size_t t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Input && !given_[t])
        return fail(kBadCommandLine, "input '" + kernel_.tensors[t].name +
                                         "' has no array; give --in " + kernel_.tensors[t].name +
                                         "=FILE.npy");
    return true;
  }

  // An output may be a view of an array: one that exists already (its other elements stay), or, for
  // a transposed one, of a new array.
  bool readOutputViews() {
    auto assignments = parseAssignments("out", options_.outputs);
    if (!assignments) return fail(kBadCommandLine, assignments.reason());
    for (const auto& [name, value] : *assignments) {
      auto id = findTensor("out", name);
      if (!id) return false;
      std::string flag = "--out " + name + "=" + value;
      if (kernel_.tensors[*id].role != ir::Role::Output)
        return fail(kBadCommandLine, flag + ": '" + name + "' is an input");
      auto text = interp::ViewText::parse(value);
      if (!text) return fail(kBadCommandLine, flag + ": " + text.reason());
      for (const Destination& other : call_.destinations)
        if (other.path == text->file() && other.path != "-")
          return fail(kBadCommandLine, flag + ": another output goes to " + text->file());
      if (text->hasSuffix() && !readOutputView(flag, *id, *text)) return false;
      call_.destinations.push_back({*id, text->file(), {}});
    }
    return true;
  }

  bool readOutputView(const std::string& flag, unsigned id, const interp::ViewText& text) {
    if (given_[id])
      return fail(kBadCommandLine,
                  flag + ": the initial value comes from --in; give the view there");
    if (!llvm::sys::fs::exists(text.file())) {
      if (!flag.ends_with(text.file() + ".T"))
        return fail(kBadInput,
                    flag + ": to write into a view of it, " + text.file() + " must exist");
      transposed_.emplace(id, text);
      return true;
    }
    auto view = readArray(text.file(), kernel_.tensors[id]);
    if (!view) return false;
    wholes_[id] = *view;
    if (!applyViewText(flag, text, *view, true) || !checkRank(text.file(), id, *view)) return false;
    given_[id] = *view;
    return true;
  }

  // ---- Sizes ----

  // Sizes that the given arrays fix, then those of --dim.
  bool findSizes(const std::map<std::string, int64_t>& dims) {
    sizes_ = dims;
    ir::Kernel known = kernel_;
    for (size_t t = 0; t < known.tensors.size(); ++t)
      if (!given_[t]) known.tensors[t].role = ir::Role::Local;
    for (const ir::SymbolBinding& binding : ir::bindSymbols(known)) {
      auto offset = binding.offset.evaluate(lookup());
      int64_t size = given_[binding.tensor]->sizes[binding.dim];
      // What does not come out even is the contract's to report.
      if (!offset || (size - *offset) % binding.scale != 0) continue;
      int64_t value = (size - *offset) / binding.scale;
      auto [it, isNew] = sizes_.try_emplace(binding.symbol, value);
      if (!isNew && it->second != value)
        return fail(kBadInput, "--dim " + binding.symbol + "=" + std::to_string(it->second) +
                                   ", but the arrays say " + binding.symbol + " = " +
                                   std::to_string(value));
    }
    return true;
  }

  affine::Expr::Lookup lookup() const {
    return [this](const affine::Atom& atom) -> std::optional<int64_t> {
      if (auto it = sizes_.find(atom.name); it != sizes_.end()) return it->second;
      auto reference = kernel_.attributeOf(atom.name);
      if (!reference) return std::nullopt;
      const auto& values = call_.arguments.attributes[reference->attribute];
      auto element = static_cast<size_t>(reference->element);
      if (element >= values.size()) return std::nullopt;
      const ir::TypeInfo& type = ir::info(kernel_.attributes[reference->attribute].type);
      uint64_t bits = values[element].asBits;
      if (!type.isSigned()) return static_cast<int64_t>(bits);
      return static_cast<int64_t>(bits << (64 - type.bits)) >> (64 - type.bits);
    };
  }

  bool allocateOutputs() {
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
      const ir::Tensor& tensor = kernel_.tensors[t];
      if (tensor.role != ir::Role::Output) continue;
      if (!given_[t] && !allocateOutput(t)) return false;
      auto destination = std::find_if(call_.destinations.begin(), call_.destinations.end(),
                                      [&](const Destination& d) { return d.tensor == t; });
      if (destination == call_.destinations.end()) {
        call_.destinations.push_back({t, "", {}});
        destination = std::prev(call_.destinations.end());
      }
      // Printed outputs are shown as the kernel sees them.
      destination->whole = destination->path.empty() ? *given_[t] : wholes_.at(t);
    }
    return true;
  }

  bool allocateOutput(unsigned t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    std::vector<int64_t> sizes;
    for (const affine::Expr& size : tensor.shape) {
      for (const std::string& symbol : size.symbols())
        if (!kernel_.attributeOf(symbol) && !sizes_.count(symbol))
          return fail(kBadCommandLine, "size " + symbol + " of output '" + tensor.name +
                                           "' is fixed by no input; give --dim " + symbol + "=INT");
      auto value = size.evaluate(lookup());
      if (!value || *value < 0)
        return fail(kBadInput, "output '" + tensor.name + "' would have a size " + size.str() +
                                   " of " +
                                   (value ? std::to_string(*value) : "more than 2^63 - 1"));
      sizes.push_back(*value);
    }
    auto transposed = transposed_.find(t);
    if (transposed != transposed_.end()) {
      std::reverse(sizes.begin(), sizes.end());
    }
    auto view = interp::allocate(tensor.type, sizes);
    if (!view) return fail(kBadInput, "output '" + tensor.name + "': " + view.reason());
    wholes_[t] = *view;
    if (transposed != transposed_.end() && !applyViewText("--out", transposed->second, *view, true))
      return false;
    given_[t] = *view;
    return true;
  }

  const ir::Kernel& kernel_;
  const EvalOptions& options_;
  EvalCall call_;
  std::optional<EvalError> error_;
  std::vector<std::optional<View>> given_;           // beside kernel_.tensors
  std::map<unsigned, View> wholes_;                  // the arrays that outputs are views of
  std::map<unsigned, interp::ViewText> transposed_;  // outputs in new arrays, seen transposed
  std::map<std::string, int64_t> sizes_;
};

}  // namespace

std::variant<EvalCall, EvalError> prepareCall(
    const ir::Kernel& kernel, const EvalOptions& options,
    const std::map<std::string, int64_t>& dims,
    const std::map<std::string, std::string>& attributes) {
  return CallBuilder(kernel, options).build(dims, attributes);
}

std::string arrayText(const std::string& name, const View& view) {
  constexpr int64_t kShown = 64;
  std::string text =
      name + ": " + std::string(ir::info(view.type).name) + sizesText(view.sizes) + " =";
  int64_t count = 0;
  const ir::TypeInfo& type = ir::info(view.type);
  interp::forEachIndex(view.sizes, [&](std::span<const int64_t> index) {
    if (count++ >= kShown) return;
    ir::Number number = view.load(index);
    char buffer[40];
    if (type.isFloat())
      std::snprintf(buffer, sizeof buffer, " %.9g", number.asFloat);
    else if (type.isSigned())
      std::snprintf(buffer, sizeof buffer, " %lld",
                    static_cast<long long>(number.asBits << (64 - type.bits)) >> (64 - type.bits));
    else
      std::snprintf(buffer, sizeof buffer, " %llu", static_cast<unsigned long long>(number.asBits));
    text += buffer;
  });
  return text + (count > kShown ? " ... (" + std::to_string(count) + " elements)\n" : "\n");
}

}  // namespace einc::driver
