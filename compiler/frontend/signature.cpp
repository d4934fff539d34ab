// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compiler/frontend/scope.h"
#include "compiler/ir/literal.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

constexpr int64_t kMaxAttributeElements = 4096;
constexpr size_t kMaxRank = 32;

void resolveTypeParameters(Scope& scope) {
  for (const TypeParameter& parameter : scope.def.typeParameters) {
    if (!scope.declare(parameter.name, "type parameter")) continue;
    auto given = scope.options.types.find(parameter.name.text);
    std::optional<ir::ScalarType> type;
    if (given != scope.options.types.end()) {
      type = ir::parseType(given->second);
    } else if (parameter.fallback) {
      type = scope.resolveType(*parameter.fallback);
      if (!type) continue;
    } else if (scope.options.assumeTypes) {
      type = ir::ScalarType::F32;
    } else {
      scope.errors.error(Diag::TypeNotGiven, parameter.name.range,
                         "type parameter '" + parameter.name.text +
                             "' has no type; give one with --type " + parameter.name.text +
                             "=f32, or a default here");
    }
    scope.types.emplace(parameter.name.text, type.value_or(ir::ScalarType::F32));
  }
}

// Names in a shape: integer attributes and scalars, otherwise size symbols. A local's sizes must be
// known already.
std::optional<affine::Expr> sizeMeaning(Scope& scope, const Name& name, bool mayDeclare) {
  bool isAttribute = false;
  if (auto symbol = attributeSymbol(scope, name, isAttribute)) return symbol;
  if (isAttribute) return std::nullopt;
  if (!mayDeclare && !scope.sizes.count(name.text)) {
    std::vector<std::string> known;
    for (const auto& [symbol, range] : scope.sizes) known.push_back(symbol);
    scope.errors.error(Diag::UnknownName, name.range,
                       "unknown size '" + name.text + "'" + didYouMean(name.text, known));
    return std::nullopt;
  }
  scope.sizes.try_emplace(name.text, name.range);
  return affine::Expr::symbol(name.text);
}

void declareTensor(Scope& scope, const Parameter& parameter, ir::Role role) {
  auto type = scope.resolveType(parameter.type);
  if (!scope.declare(parameter.name, "tensor") || !type) return;
  if (parameter.shape.size() > kMaxRank) {
    scope.errors.error(Diag::TooManyDimensions, parameter.name.range,
                       "a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
    return;
  }
  ir::Tensor tensor{parameter.name.text, *type, {}, role};
  std::vector<SourceRange> sizes;
  for (const ExprPtr& size : parameter.shape) {
    auto expr = buildIndex(scope, *size, [&](const Name& name) {
      return sizeMeaning(scope, name, role != ir::Role::Local);
    });
    if (expr && expr->asConstant().value_or(0) < 0) {
      scope.errors.error(Diag::NegativeSize, size->range,
                         "a size cannot be negative, this is " + expr->str());
    }
    tensor.shape.push_back(expr.value_or(affine::Expr()));
    sizes.push_back(size->range);
  }
  scope.addTensor(std::move(tensor), parameter.name.range, std::move(sizes));
}

// Types that only store numbers save memory: a number by itself takes none.
bool mayBeNumber(Scope& scope, ir::ScalarType type, SourceRange range) {
  if (!ir::info(type).onlyStores()) return true;
  scope.errors.error(Diag::OperandType, range,
                     std::string(ir::info(type).name) +
                         " is for elements of tensors; a scalar or an " + "attribute is of " +
                         (ir::info(type).isFloat() ? "f32" : "i8 or u8"));
  return false;
}

void declareScalar(Scope& scope, const Parameter& parameter) {
  auto type = scope.resolveType(parameter.type);
  if (!scope.declare(parameter.name, "scalar") || !type) return;
  if (!mayBeNumber(scope, *type, parameter.type.range)) return;
  ir::Attribute attribute;
  attribute.source = parameter.name.range;
  attribute.name = parameter.name.text;
  attribute.type = *type;
  attribute.parameter = true;
  scope.kernel.inputs.push_back({false, static_cast<unsigned>(scope.kernel.attributes.size())});
  scope.kernel.attributes.push_back(std::move(attribute));
}

void setDefaults(Scope& scope, const AttributeDecl& decl, ir::Attribute& attribute) {
  std::map<const Expr*, unsigned> none;
  std::map<const Expr*, affine::Expr> noIndices;
  std::vector<ir::ScalarType> noTypes;
  PayloadContext context{scope, none, noIndices, noTypes};
  std::vector<ir::Number> values;
  for (const ExprPtr& expr : decl.defaults) {
    if (!CombinerTable::checkCost(scope.combiners.costOf(*expr), expr->range, scope.errors)) return;
    ir::ValueRef value = buildValue(context, *expr, attribute.type);
    if (!value) return;
    auto* literal = std::get_if<ir::Literal>(&value->node);
    if (!literal) {
      scope.errors.error(Diag::AttributeDefault, expr->range, "a default is a number");
      return;
    }
    values.push_back(literal->number);
  }
  size_t wanted = attribute.list ? values.size() : static_cast<size_t>(attribute.elementCount());
  if (values.size() == 1) values.resize(wanted, values[0]);
  if (values.size() != wanted) {
    scope.errors.error(Diag::AttributeDefault, decl.defaultRange,
                       "expected " + std::to_string(wanted) + " values (or one for all), found " +
                           std::to_string(values.size()));
    return;
  }
  attribute.defaults = std::move(values);
}

void declareAttribute(Scope& scope, const AttributeDecl& decl) {
  auto type = scope.resolveType(decl.type);
  if (!scope.declare(decl.name, "attribute") || !type) return;
  if (!mayBeNumber(scope, *type, decl.type.range)) return;
  ir::Attribute attribute;
  attribute.source = decl.name.range;
  attribute.name = decl.name.text;
  attribute.type = *type;
  attribute.shape = decl.shape;
  attribute.list = decl.list;
  attribute.optional = decl.optional;
  int64_t count = 1;
  for (int64_t size : decl.shape) count = std::min(count * size, kMaxAttributeElements + 1);
  if (count > kMaxAttributeElements || (decl.list && !decl.shape.empty())) {
    scope.errors.error(Diag::AttributeShape, decl.type.range,
                       decl.list ? "a list attribute has no other dimensions"
                                 : "an attribute has at most " +
                                       std::to_string(kMaxAttributeElements) + " elements");
    return;
  }
  if (!decl.defaults.empty()) setDefaults(scope, decl, attribute);
  scope.kernel.attributes.push_back(std::move(attribute));
}

}  // namespace

bool Scope::declare(const Name& name, const char* what) {
  if (ir::isLiteralName(name.text)) {
    errors.error(Diag::NameTaken, name.range,
                 "'" + name.text + "' is a constant; choose another name");
    return false;
  }
  if (const Combiner* combiner = combiners.find(name.text)) {
    errors
        .error(Diag::NameTaken, name.range,
               "'" + name.text + "' is a combiner; choose another name")
        .note(combiner->name.range, "defined here");
    return false;
  }
  auto [place, isNew] = names.try_emplace(name.text, name.range);
  if (isNew) return true;
  errors
      .error(Diag::Redefined, name.range,
             std::string(what) + " '" + name.text + "' is declared twice")
      .note(place->second, "the first declaration");
  return false;
}

std::optional<ir::ScalarType> Scope::resolveType(const Name& name) {
  if (auto type = ir::parseType(name.text)) return type;
  if (auto it = types.find(name.text); it != types.end()) {
    usedTypes.insert(name.text);
    return it->second;
  }
  std::vector<std::string> known;
  for (const ir::TypeInfo& t : ir::allTypes()) known.emplace_back(t.name);
  for (const auto& [parameter, type] : types) known.push_back(parameter);
  errors.error(Diag::UnknownType, name.range,
               "unknown type '" + name.text + "'" + didYouMean(name.text, known) + "; types are " +
                   joined(known));
  return std::nullopt;
}

unsigned Scope::addTensor(ir::Tensor tensor, SourceRange declared,
                          std::vector<SourceRange> ranges) {
  kernel.tensors.push_back(std::move(tensor));
  tensors.push_back({declared, std::move(ranges)});
  return static_cast<unsigned>(kernel.tensors.size() - 1);
}

void buildSignature(Scope& scope) {
  const Def& def = scope.def;
  resolveTypeParameters(scope);
  // Attributes and scalars first: shapes may use them.
  for (const AttributeDecl& attribute : def.attributes) declareAttribute(scope, attribute);
  std::vector<ir::Attribute> attributes = std::exchange(scope.kernel.attributes, {});
  for (const Parameter& input : def.inputs)
    if (input.isScalar) declareScalar(scope, input);
  auto& all = scope.kernel.attributes;
  all.insert(all.end(), attributes.begin(), attributes.end());

  std::vector<ir::Kernel::Input> scalars = std::exchange(scope.kernel.inputs, {});
  size_t nextScalar = 0;
  for (const Parameter& input : def.inputs) {
    if (input.isScalar) {
      if (nextScalar < scalars.size()) scope.kernel.inputs.push_back(scalars[nextScalar++]);
      continue;
    }
    size_t before = scope.kernel.tensors.size();
    declareTensor(scope, input, ir::Role::Input);
    if (scope.kernel.tensors.size() != before)
      scope.kernel.inputs.push_back({true, static_cast<unsigned>(before)});
  }
  for (const Parameter& output : def.outputs) {
    if (output.isScalar)
      scope.errors.error(Diag::MissingShape, output.name.range,
                         "output '" + output.name.text + "' needs a shape; a single element is " +
                             output.type.text + "()");
    else
      declareTensor(scope, output, ir::Role::Output);
  }
  if (def.outputs.empty())
    scope.errors.error(Diag::NoOutput, def.name.range, "'" + def.name.text + "' has no output");
}

void declareLocal(Scope& scope, const Parameter& parameter) {
  if (parameter.isScalar)
    scope.errors.error(Diag::MissingShape, parameter.name.range,
                       "a local needs a shape, such as " + parameter.name.text + ": " +
                           parameter.type.text + "(M)");
  else
    declareTensor(scope, parameter, ir::Role::Local);
}

}  // namespace einc::frontend
