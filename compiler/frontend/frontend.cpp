// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/frontend.h"

#include <algorithm>

#include "compiler/frontend/scope.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/size_limit.h"

namespace einc::frontend {
namespace {

// What only the whole def shows: outputs never written, sizes that nothing gives, idle tensors.
void checkWhole(Scope& scope) {
  ir::Kernel& kernel = scope.kernel;
  std::vector<std::string> idleLocals;
  for (size_t t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == ir::Role::Local && !scope.tensors[t].read)
      idleLocals.push_back(kernel.tensors[t].name);
  std::string hint = idleLocals.size() != 1
                         ? ""
                         : " ('" + idleLocals[0] + "' is written, but never read: was that meant?)";
  for (size_t t = 0; t < kernel.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel.tensors[t];
    const TensorInfo& info = scope.tensors[t];
    if (tensor.role == ir::Role::Output && !info.written)
      scope.errors.error(Diag::NeverWritten, info.declared,
                         "output '" + tensor.name + "' is never written" + hint);
    if (tensor.role == ir::Role::Input && !info.read)
      scope.errors.warning(Diag::Unused, info.declared,
                           "input '" + tensor.name + "' is never used");
    if (tensor.role == ir::Role::Local && !info.read)
      scope.errors.warning(Diag::Unused, info.declared,
                           "local '" + tensor.name + "' is never read");
  }
  for (const TypeParameter& parameter : scope.def.typeParameters)
    if (!scope.usedTypes.count(parameter.name.text))
      scope.errors.warning(Diag::Unused, parameter.name.range,
                           "type parameter '" + parameter.name.text + "' is never used");
  auto bindings = ir::bindSymbols(kernel);
  for (const std::string& symbol : kernel.sizeSymbols()) {
    bool found = std::any_of(bindings.begin(), bindings.end(),
                             [&](const ir::SymbolBinding& b) { return b.symbol == symbol; });
    if (!found)
      scope.errors.error(Diag::SizeNotGiven, scope.sizes.at(symbol),
                         "size '" + symbol + "' cannot be found from the sizes of the arguments");
  }
}

// A name that is made of the operands' types says nothing of attributes.
void setLibraryCall(Scope& scope) {
  const std::optional<Name>& name = scope.def.libraryCall;
  if (!name) return;
  scope.kernel.libraryCall = name->text;
  if (!name->text.empty() || scope.def.attributes.empty()) return;
  const Name& attribute = scope.def.attributes.front().name;
  scope.errors
      .error(Diag::LibraryCall, name->range,
             "a name that is made of the operands' types says nothing of attribute '" +
                 attribute.text + "'; give one, such as library_call<my_" + scope.def.name.text +
                 ">")
      .note(attribute.range, "the attribute");
}

void buildDef(Scope& scope) {
  const Def& def = scope.def;
  scope.kernel.name = def.name.text;
  scope.kernel.source = def.name.range;
  scope.kernel.doc = def.doc;
  if (def.odsName) scope.kernel.odsName = def.odsName->text;
  for (const Name& name : def.interfaces) scope.kernel.interfaces.push_back(name.text);
  buildSignature(scope);
  setLibraryCall(scope);
  // Statements on a broken signature would repeat its errors.
  size_t declared = scope.kernel.inputs.size() + def.outputs.size();
  auto scalars = std::count_if(def.inputs.begin(), def.inputs.end(),
                               [](const Parameter& p) { return p.isScalar; });
  bool whole =
      scope.kernel.tensors.size() + static_cast<size_t>(scalars) == declared &&
      scope.kernel.inputs.size() == def.inputs.size() &&
      scope.kernel.attributes.size() == def.attributes.size() + static_cast<size_t>(scalars);
  if (!whole) return;
  size_t before = scope.errors.errorCount();
  for (const Statement& statement : def.statements) {
    if (statement.local)
      declareLocal(scope, *statement.local);
    else
      buildComprehension(scope, statement.comprehension);
  }
  limitFills(scope);
  if (scope.errors.errorCount() == before && !def.partial) checkWhole(scope);
  for (size_t t = 0; t < scope.tensors.size(); ++t) {
    scope.kernel.tensors[t].source = scope.tensors[t].declared;
    scope.kernel.tensors[t].sizes = scope.tensors[t].sizes;
  }
  if (scope.errors.errorCount() != before) return;
  if (auto excess = ir::findTooLarge(scope.kernel))
    scope.errors.error(Diag::SizeTooLarge, excess->place, excess->reason);
}

}  // namespace

std::optional<ir::Module> buildModule(const Spec& spec, const Options& options,
                                      Diagnostics& errors) {
  ir::Module module;
  std::map<std::string, SourceRange> seen;
  std::vector<std::string> names;
  for (const Def& def : spec.defs) names.push_back(def.name.text);
  CombinerTable combiners(spec, errors);
  for (const Def& def : spec.defs) {
    auto [first, isNew] = seen.try_emplace(def.name.text, def.name.range);
    if (!isNew)
      errors.error(Diag::Redefined, def.name.range, "def '" + def.name.text + "' is defined twice")
          .note(first->second, "the first definition");
    bool wanted = options.only.empty() || std::find(options.only.begin(), options.only.end(),
                                                    def.name.text) != options.only.end();
    if (def.broken || !wanted) continue;
    Scope scope(def, options, combiners, errors);
    scope.defNames = names;
    buildDef(scope);
    module.kernels.push_back(std::move(scope.kernel));
  }
  if (errors.hasErrors()) return std::nullopt;
  return module;
}

std::vector<std::string> typeParameterNames(const Spec& spec) {
  std::vector<std::string> names;
  for (const Def& def : spec.defs)
    for (const TypeParameter& parameter : def.typeParameters)
      if (std::find(names.begin(), names.end(), parameter.name.text) == names.end())
        names.push_back(parameter.name.text);
  return names;
}

}  // namespace einc::frontend
