// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/ir.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace einc::ir {

ValueRef valueOf(const Kernel& kernel, const Read& read) {
  const ScalarType type = kernel.tensors[read.tensor].type;
  auto number = [](ScalarType of, int64_t value) {
    return makeLiteral(of, {0.0, static_cast<uint64_t>(value)});
  };
  auto most = [&](const ValueRef& value) {
    return makeCall(Function::Min, {value, number(value->type, kMostRead)});
  };
  ValueRef value = makeValue(type, Load{read.tensor, read.index, nullptr});
  if (type == ScalarType::U64) value = most(value);  // before it is an i64
  value = makeCast(ScalarType::I64, value);
  if (type == ScalarType::I64) value = most(value);
  if (!read.plus.isZero()) {
    if (type == ScalarType::I64)
      value = makeCall(Function::Max, {value, number(ScalarType::I64, -kMostRead)});
    value = makeCall(Function::Add, {value, makeValue(ScalarType::I64, IndexRef{read.plus})});
  }
  return makeCall(Function::Max, {value, number(ScalarType::I64, 0)});
}

std::optional<Words> wordsOf(const Kernel& kernel, const View& view) {
  const TypeInfo &own = info(kernel.tensors[view.view].type),
                 &base = info(kernel.tensors[view.base].type);
  if (own.bits <= base.bits) return std::nullopt;
  const unsigned count = own.bytes() / base.bytes();
  for (unsigned dim = 0; dim < view.dims.size(); ++dim)
    for (unsigned along = 0; along < view.map.size(); ++along)
      if (view.map[along].stepAlong(view.dims[dim]) == affine::Expr::constant(count))
        return Words{dim, along, count};
  return std::nullopt;
}

bool isPacked(const Tensor& tensor) {
  return isArgument(tensor.role) && info(tensor.type).isPacked();
}

int64_t Attribute::elementCount() const {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

std::string Attribute::symbolName(int64_t element) const {
  return shape.empty() && !list ? name : name + "[" + std::to_string(element) + "]";
}

Kernel withBody(const Kernel& kernel, Block body) {
  return {kernel.name,     kernel.doc,        kernel.odsName, kernel.interfaces, kernel.libraryCall,
          kernel.tensors,  kernel.attributes, kernel.inputs,  kernel.level,      kernel.contiguous,
          std::move(body), kernel.contract,   kernel.source};
}

std::optional<unsigned> Kernel::findTensor(const std::string& wanted) const {
  for (unsigned i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == wanted) return i;
  return std::nullopt;
}

std::optional<unsigned> Kernel::findAttribute(const std::string& wanted) const {
  for (unsigned i = 0; i < attributes.size(); ++i)
    if (attributes[i].name == wanted) return i;
  return std::nullopt;
}

std::optional<AttributeRef> Kernel::attributeOf(const std::string& symbol) const {
  if (attributes.empty()) return std::nullopt;
  size_t bracket = symbol.find('[');
  auto attribute = findAttribute(symbol.substr(0, bracket));
  if (!attribute) return std::nullopt;
  int64_t element = 0;
  if (bracket != std::string::npos)
    std::from_chars(symbol.data() + bracket + 1, symbol.data() + symbol.size(), element);
  if (symbol != attributes[*attribute].symbolName(element)) return std::nullopt;
  return AttributeRef{*attribute, element};
}

std::vector<std::string> Kernel::sizeSymbols() const {
  std::vector<std::string> result;
  for (const Tensor& tensor : tensors) {
    if (!isArgument(tensor.role)) continue;
    for (const affine::Expr& size : tensor.shape)
      for (const std::string& symbol : size.symbols())
        if (!attributeOf(symbol) && std::find(result.begin(), result.end(), symbol) == result.end())
          result.push_back(symbol);
  }
  return result;
}

std::string_view nameOf(On on) {
  static constexpr std::string_view names[] = {"",
                                               "workgroups x",
                                               "workgroups y",
                                               "workgroups z",
                                               "invocations x",
                                               "invocations y",
                                               "invocations z",
                                               "invocations",
                                               "grid"};
  return names[static_cast<int>(on)];
}

bool isOnWorkgroups(On on) { return on >= On::WorkgroupsX && on <= On::WorkgroupsZ; }
bool isOnInvocations(On on) { return on >= On::InvocationsX; }

Stmt::Stmt(Node node) : node(std::move(node)) {}

Stmt::Stmt(const Stmt& other) = default;
Stmt::Stmt(Stmt&& other) noexcept = default;
Stmt& Stmt::operator=(const Stmt& other) = default;
Stmt& Stmt::operator=(Stmt&& other) noexcept = default;
Stmt::~Stmt() = default;

ValueRef valueOf(const Stmt& stmt) {
  if (auto* let = std::get_if<Let>(&stmt.node)) return let->value;
  if (auto* assign = std::get_if<Assign>(&stmt.node)) return assign->value;
  if (auto* store = std::get_if<Store>(&stmt.node)) return store->value;
  return nullptr;
}

bool isWrittenAfter(const Stmt& assigned, const Stmt& stmt) {
  return std::holds_alternative<Assign>(assigned.node) && std::holds_alternative<Store>(stmt.node);
}

namespace {

template <typename Node, typename AnyStmt, typename Visit>
void visitBody(AnyStmt& stmt, Visit&& visit) {
  if (auto* node = std::get_if<Node>(&stmt.node)) visit(node->body);
}

// Of a statement that may be const; nothing is allocated.
template <typename AnyStmt, typename Visit>
void forEachBlock(AnyStmt& stmt, Visit&& visit) {
  if (auto* node = std::get_if<Fused>(&stmt.node)) visit(node->ops);
  visitBody<For>(stmt, visit);
  visitBody<TileLoop>(stmt, visit);
  if (auto* node = std::get_if<If>(&stmt.node)) {
    visit(node->then);
    visit(node->otherwise);
  }
  visitBody<NonTemporal>(stmt, visit);
  visitBody<Outline>(stmt, visit);
  visitBody<Vector>(stmt, visit);
  visitBody<AssumeNumbers>(stmt, visit);
  if (auto* node = std::get_if<AssumeNumbers>(&stmt.node)) visit(node->otherwise);
  visitBody<LibraryCall>(stmt, visit);
  visitBody<ExternalCall>(stmt, visit);
  visitBody<Dispatch>(stmt, visit);
}

}  // namespace

std::vector<Block*> blocksOf(Stmt& stmt) {
  std::vector<Block*> blocks;
  forEachBlock(stmt, [&](Block& block) { blocks.push_back(&block); });
  return blocks;
}

bool reduces(const StructuredOp& op) {
  return std::any_of(op.iterators.begin(), op.iterators.end(),
                     [](const Iterator& i) { return i.kind == IteratorKind::Reduction; });
}

bool isParallel(const StructuredOp& op, const std::string& iterator) {
  const Iterator parallel{iterator, IteratorKind::Parallel};
  return std::find(op.iterators.begin(), op.iterators.end(), parallel) != op.iterators.end();
}

bool isPlain(const Operand& operand) {
  std::set<std::string> seen;
  for (const affine::Expr& index : operand.map) {
    auto name = index.asIterator();
    if (!name || !seen.insert(*name).second) return false;
  }
  return !operand.pad;
}

bool uses(const StructuredOp& op, unsigned tensor) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (op.operand(i).tensor == tensor) return true;
  return false;
}

bool readsElementsOf(const StructuredOp& op, unsigned tensor) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const Operand& input) {
    return input.tensor == tensor && !input.shapeOnly;
  });
}

bool writes(const StructuredOp& op, unsigned tensor) {
  return std::any_of(op.outputs.begin(), op.outputs.end(),
                     [&](const Operand& output) { return output.tensor == tensor; });
}

bool readsOperand(const StructuredOp& op, size_t operand) {
  bool found = false;
  for (const ValueRef& result : op.results)
    forEach(result, [&](const Value& value) {
      auto* reference = std::get_if<OperandRef>(&value.node);
      found |= reference && reference->operand == operand;
    });
  return found;
}

bool comparesPositions(const Value& value) {
  auto* call = std::get_if<Call>(&value.node);
  return call && call->function == Function::Lt &&
         std::all_of(call->args.begin(), call->args.end(), [](const ValueRef& arg) {
           return std::holds_alternative<IndexRef>(arg->node);
         });
}

bool usesPositions(const StructuredOp& op) {
  bool found = false;
  for (const ValueRef& result : op.results)
    forEach(result, [&](const Value& value) {
      auto* index = std::get_if<IndexRef>(&value.node);
      found |= index && index->index.hasIterators();  // not a size
    });
  return found;
}

std::vector<const Block*> blocksOf(const Stmt& stmt) {
  std::vector<const Block*> blocks;
  forEachBlock(stmt, [&](const Block& block) { blocks.push_back(&block); });
  return blocks;
}

void forEachStatement(const Block& block, const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& stmt : block) {
    visit(stmt);
    forEachBlock(stmt, [&](const Block& inner) { forEachStatement(inner, visit); });
  }
}

std::string_view nameOf(Level level) {
  static constexpr std::string_view kNames[] = {"tensors", "buffers", "tiled", "vector",
                                                "hardware"};
  return kNames[static_cast<size_t>(level)];
}

bool hasDispatch(const Block& block) {
  bool found = false;
  forEachStatement(block,
                   [&](const Stmt& stmt) { found |= std::holds_alternative<Dispatch>(stmt.node); });
  return found;
}

std::vector<const ExternalCall*> externalCalls(const Block& block) {
  std::vector<const ExternalCall*> found;
  forEachStatement(block, [&](const Stmt& stmt) {
    if (auto* call = std::get_if<ExternalCall>(&stmt.node)) found.push_back(call);
  });
  return found;
}

void forEachOp(const Block& block, const std::function<void(const StructuredOp&)>& visit) {
  forEachStatement(block, [&](const Stmt& stmt) {
    if (auto* op = std::get_if<StructuredOp>(&stmt.node)) visit(*op);
  });
}

}  // namespace einc::ir
