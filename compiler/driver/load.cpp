// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/load.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "compiler/driver/ir_text.h"
#include "compiler/frontend/einsum.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/parser.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

struct ParsedSpec {
  std::shared_ptr<SourceFile> source;
  std::unique_ptr<Diagnostics> errors;
  frontend::Spec spec;
  bool isText = false;                  // IR text, which has no spec
  std::optional<ir::Module> text = {};  // what that says
};

// By what C and NumPy call them, too.
std::string nearestType(const std::string& type, const std::vector<std::string>& types) {
  static const std::map<std::string, std::string> names = {
      {"float", "f32"},   {"float32", "f32"}, {"single", "f32"},  {"double", "f64"},
      {"float64", "f64"}, {"half", "f16"},    {"float16", "f16"}, {"bfloat16", "bf16"},
      {"int", "i32"},     {"int32", "i32"},   {"int8", "i8"},     {"uint8", "u8"},
      {"int64", "i64"},   {"long", "i64"}};
  auto found = names.find(type);
  return found == names.end() ? didYouMean(type, types)
                              : " (did you mean '" + found->second + "'?)";
}

class Loader {
 public:
  Loader(const Request& request, bool takesText) : request_(request), takesText_(takesText) {}

  // Every spec is read and parsed, so that all errors are seen.
  ExitCode parseAll() {
    if (!request_.einsum.empty()) {
      if (!request_.specs.empty())
        return static_cast<ExitCode>(
            fail(kBadCommandLine, "--einsum stands instead of a spec file"));
      if (request_.eir)
        return static_cast<ExitCode>(fail(kBadCommandLine, "--eir is about files, not --einsum"));
      return parseEinsum();
    }
    if (request_.specs.empty())
      return static_cast<ExitCode>(
          fail(kBadCommandLine, "expected a spec file ('-' is standard input) or --einsum"));
    ExitCode worst = kSuccess;
    for (const std::string& path : request_.specs)
      if (!takesText_ && isText(path))
        return static_cast<ExitCode>(
            fail(kBadCommandLine,
                 (path == "-" ? "standard input" : path) +
                     " is IR text; check, emit, build, eval, bench and explain take it"));
    for (const std::string& path : request_.specs) {
      auto text = readInput(path);
      if (!text) {
        worst = static_cast<ExitCode>(fail(kBadInput, text.reason()));
        continue;
      }
      const std::string name = path == "-" ? "<stdin>" : path;
      if ((isText(path) ? readText(name, std::move(*text)) : parseOne(name, std::move(*text))) !=
          kSuccess)
        worst = kBadInput;
    }
    return worst;
  }

  std::variant<Loaded, ExitCode> build(const LoadOptions& options) {
    if (int code = checkTypes()) return static_cast<ExitCode>(code);
    Loaded loaded;
    loaded.dims = request_.dims;
    for (const auto& [letter, size] : einsumSizes_)
      if (auto node = loaded.dims.extract(letter)) loaded.dims[size] = node.mapped();
    bool good = true;
    for (ParsedSpec& parsed : specs_) {
      auto module = parsed.isText ? askedFor(parsed.text)
                                  : frontend::buildModule(parsed.spec,
                                                          {request_.types, options.assumeTypes,
                                                           request_.defs, options.notes},
                                                          *parsed.errors);
      if (module && options.inspect && !parsed.isText)
        for (const ir::Kernel& kernel : module->kernels)
          options.inspect(kernel, loaded.dims, *parsed.errors);
      parsed.errors->dropWarnings(
          [&](SourceRange place) { return isAskedFor(parsed.spec, place); });
      parsed.errors->print(llvm::errs(), options.warningsAreErrors);
      loaded.warnings += parsed.errors->warningCount();
      if (!module) {
        good = false;
        continue;
      }
      for (ir::Kernel& kernel : module->kernels) {
        loaded.sources.emplace(kernel.name, parsed.source);
        loaded.module.kernels.push_back(std::move(kernel));
      }
    }
    if (!good) return kBadInput;
    if (ExitCode code = checkNames(); code != kSuccess) return code;
    loaded.sourceNames = joined(specs_, ", ", [](const ParsedSpec& s) {
      return llvm::sys::path::filename(s.source->name()).str();
    });
    return loaded;
  }

  std::string ast() const {
    std::string text;
    for (const ParsedSpec& parsed : specs_) {
      for (const frontend::Combiner& combiner : parsed.spec.combiners)
        text += frontend::printAst(combiner);
      for (const frontend::Def& def : parsed.spec.defs)
        if (isAskedFor(parsed.spec, def.name.range)) text += frontend::printAst(def);
    }
    return text;
  }
  void printDiagnostics() const {
    for (const ParsedSpec& parsed : specs_) parsed.errors->print(llvm::errs());
  }

  bool anyText() const {
    return llvm::any_of(specs_, [](const ParsedSpec& parsed) { return parsed.isText; });
  }

 private:
  bool isText(const std::string& path) const { return request_.eir || path.ends_with(".eir"); }

  static ParsedSpec fileOf(std::string name, std::string text) {
    ParsedSpec parsed;
    parsed.source = std::make_shared<SourceFile>(std::move(name), std::move(text));
    parsed.errors = std::make_unique<Diagnostics>(*parsed.source);
    return parsed;
  }

  ExitCode parseOne(std::string name, std::string text) {
    ParsedSpec parsed = fileOf(std::move(name), std::move(text));
    parsed.spec = frontend::parse(*parsed.source, *parsed.errors);
    bool good = !parsed.errors->hasErrors();
    specs_.push_back(std::move(parsed));
    return good ? kSuccess : kBadInput;
  }

  ExitCode readText(std::string name, std::string text) {
    ParsedSpec parsed = fileOf(std::move(name), std::move(text));
    parsed.isText = true;
    parsed.text = readModule(*parsed.source, *parsed.errors);
    bool good = parsed.text.has_value();
    specs_.push_back(std::move(parsed));
    return good ? kSuccess : kBadInput;
  }

  // The kernels that --def names, or all.
  std::optional<ir::Module> askedFor(const std::optional<ir::Module>& module) const {
    if (!module || request_.defs.empty()) return module;
    ir::Module result;
    for (const ir::Kernel& kernel : module->kernels)
      if (llvm::is_contained(request_.defs, kernel.name)) result.kernels.push_back(kernel);
    return result;
  }

  ExitCode parseEinsum() {
    SourceFile source("--einsum", request_.einsum);
    Diagnostics errors(source);
    auto spec = frontend::expandEinsum(errors);
    errors.print(llvm::errs());
    if (!spec) return kBadInput;
    einsumSizes_ = spec->sizes;
    return parseOne("--einsum " + request_.einsum, spec->text);
  }

  int checkTypes() const {
    std::vector<std::string> known;
    for (const ParsedSpec& parsed : specs_)
      for (std::string& name : frontend::typeParameterNames(parsed.spec))
        known.push_back(std::move(name));
    for (const auto& [name, type] : request_.types) {
      if (!ir::parseType(type)) {
        std::vector<std::string> types;
        for (const ir::TypeInfo& t : ir::allTypes()) types.emplace_back(t.name);
        return fail(kBadCommandLine, "--type " + name + "=: unknown type '" + type + "'" +
                                         nearestType(type, types) + "; types are " + joined(types));
      }
      if (std::find(known.begin(), known.end(), name) == known.end())
        return fail(kBadCommandLine, "--type " + name + "=: no def has this type parameter" +
                                         didYouMean(name, known));
    }
    return kSuccess;
  }

  // Whether the place lies in no def but those that --def names, or --def is not given.
  bool isAskedFor(const frontend::Spec& spec, SourceRange place) const {
    if (request_.defs.empty()) return true;
    return std::none_of(spec.defs.begin(), spec.defs.end(), [&](const frontend::Def& def) {
      bool named = std::find(request_.defs.begin(), request_.defs.end(), def.name.text) !=
                   request_.defs.end();
      return !named && def.range.begin <= place.begin && place.begin < def.range.end;
    });
  }

  // Refuses two defs of one name, and a --def that names none.
  ExitCode checkNames() const {
    std::vector<std::string> names;
    for (const ParsedSpec& parsed : specs_) {
      for (const frontend::Def& def : parsed.spec.defs) names.push_back(def.name.text);
      if (parsed.text)
        for (const ir::Kernel& kernel : parsed.text->kernels) names.push_back(kernel.name);
    }
    std::set<std::string> seen;
    for (const std::string& name : names)
      if (!seen.insert(name).second)
        return static_cast<ExitCode>(
            fail(kBadInput, "def '" + name + "' stands in two of the spec files"));
    for (const std::string& wanted : request_.defs)
      if (!seen.count(wanted))
        return static_cast<ExitCode>(fail(kBadCommandLine, "no def is called '" + wanted + "'" +
                                                               didYouMean(wanted, names) +
                                                               "; there are " + joined(names)));
    return kSuccess;
  }

  const Request& request_;
  bool takesText_;
  std::vector<ParsedSpec> specs_;
  std::map<std::string, std::string> einsumSizes_;
};

}  // namespace

std::variant<Loaded, ExitCode> load(const Request& request, const LoadOptions& options) {
  Loader loader(request, options.takesText);
  ExitCode parsed = loader.parseAll();
  if (parsed == kBadCommandLine) return parsed;
  // With syntax errors the other defs are still checked, so that one run shows everything.
  auto result = loader.build(options);
  if (std::holds_alternative<Loaded>(result) && parsed != kSuccess) return parsed;
  return result;
}

std::variant<std::string, ExitCode> loadAst(const Request& request) {
  Loader loader(request, /*takesText=*/true);
  ExitCode code = loader.parseAll();
  loader.printDiagnostics();
  if (code != kSuccess) return code;
  if (loader.anyText())
    return static_cast<ExitCode>(
        fail(kBadInput, "--stage=ast is of specs: IR text has no syntax tree"));
  return loader.ast();
}

}  // namespace einc::driver
