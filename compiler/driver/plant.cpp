// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/plant.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "compiler/transforms/rewrite.h"

namespace einc::driver {
namespace {

using Change = std::function<void(ir::Kernel&)>;

// Statements of a kind, those inside others included.
template <typename Node>
void onEach(ir::Block& block, const std::function<void(Node&)>& change) {
  for (ir::Stmt& stmt : block) {
    if (auto* node = std::get_if<Node>(&stmt.node)) change(*node);
    for (ir::Block* inner : ir::blocksOf(stmt)) onEach<Node>(*inner, change);
  }
}

template <typename Node>
Change each(const std::function<void(Node&)>& change) {
  return [change](ir::Kernel& kernel) { onEach<Node>(kernel.body, change); };
}

// Values, wherever they stand.
Change values(const transforms::ValueRewrite& change) {
  return [change](ir::Kernel& kernel) {
    transforms::rewriteBlock(kernel.body, [](const affine::Expr& e) { return e; }, change);
  };
}

ir::ValueRef literalsGrow(const ir::ValueRef& value) {
  auto* literal = std::get_if<ir::Literal>(&value->node);
  if (!literal || value->type == ir::ScalarType::Bool) return value;
  ir::Number number = literal->number;
  if (ir::info(value->type).isFloat())
    number.asFloat += 1;
  else
    number.asBits += 1;
  return ir::makeLiteral(value->type, number);
}

// What is on the left goes to the right.
void operandsTurn(ir::StructuredOp& op) {
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [](const ir::ValueRef& value) {
      auto* call = std::get_if<ir::Call>(&value->node);
      bool ordered =
          call && (call->function == ir::Function::Sub || call->function == ir::Function::Div);
      if (!ordered) return value;
      return ir::makeValue(value->type, ir::Call{call->function, {call->args[1], call->args[0]}});
    });
}

ir::ValueRef factorsAreEqual(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != ir::Function::Fma) return value;
  return ir::makeValue(value->type,
                       ir::Call{call->function, {call->args[0], call->args[0], call->args[2]}});
}

ir::ValueRef lanesAreTaken(const ir::ValueRef& value) {
  auto* shuffle = std::get_if<ir::Shuffle>(&value->node);
  if (!shuffle || shuffle->lanes.size() < 2) return value;
  ir::Shuffle taken = *shuffle;
  taken.lanes[0] = taken.lanes[1];
  return ir::makeValue(value->type, std::move(taken));
}

// What is read from another local like the first is read from that.
void memoryIsMistaken(ir::Kernel& kernel) {
  std::vector<unsigned> locals;
  for (unsigned t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == ir::Role::Local) locals.push_back(t);
  for (size_t i = 1; i < locals.size(); ++i) {
    const ir::Tensor &first = kernel.tensors[locals[0]], &other = kernel.tensors[locals[i]];
    if (first.type != other.type || first.shape != other.shape) continue;
    transforms::rewriteOps(kernel.body, [&](ir::StructuredOp& op) {
      for (ir::Operand& input : op.inputs)
        if (input.tensor == locals[i]) input.tensor = locals[0];
    });
    return;
  }
}

// Memory in the heap ends early.
void heapIsTooSmall(ir::Kernel& kernel) {
  onEach<ir::Alloc>(kernel.body, [&](ir::Alloc& alloc) {
    std::vector<affine::Expr>& shape = kernel.tensors[alloc.tensor].shape;
    if (alloc.space != ir::Space::Heap || shape.empty()) return;
    shape[0] = shape[0] - affine::Expr::constant(1);
  });
}

// Sums begin anew with each term.
void sumsAreLost(ir::Assign& assign) {
  auto* call = std::get_if<ir::Call>(&assign.value->node);
  if (call && call->function == ir::Function::Add) assign.value = call->args[1];
}

// Of several statements of a kind in a block the last is lost.
template <typename Node>
void lastIsLost(ir::Block& block) {
  auto isOne = [](const ir::Stmt& s) { return std::holds_alternative<Node>(s.node); };
  if (std::count_if(block.begin(), block.end(), isOne) > 1)
    block.erase(std::find_if(block.rbegin(), block.rend(), isOne).base() - 1);
  for (ir::Stmt& stmt : block)
    for (ir::Block* inner : ir::blocksOf(stmt)) lastIsLost<Node>(*inner);
}

template <typename Node>
void allAreLost(ir::Block& block) {
  std::erase_if(block, [](const ir::Stmt& s) { return std::holds_alternative<Node>(s.node); });
  for (ir::Stmt& stmt : block)
    for (ir::Block* inner : ir::blocksOf(stmt)) allAreLost<Node>(*inner);
}

// Of registers that are repeated the last ones; of a square all are needed.
void oneIsLost(ir::Vector& region) {
  bool transposes = std::any_of(region.body.begin(), region.body.end(), [](const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Transpose>(stmt.node);
  });
  auto several = std::find_if(region.times.rbegin(), region.times.rend(),
                              [](const ir::Axis& axis) { return axis.size > 1; });
  if (several != region.times.rend() && !transposes) --several->size;
}

// By the name of the pass.
const std::map<std::string, Change, std::less<>>& changes() {
  static const std::map<std::string, Change, std::less<>> table = {
      {"simplify",
       [](ir::Kernel& kernel) {
         transforms::rewriteOps(kernel.body, [](ir::StructuredOp& op) {
           for (ir::ValueRef& result : op.results) result = ir::rewrite(result, literalsGrow);
         });
       }},
      {"widen-sums", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"inline", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"zero-points",
       [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"lay-out", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"in-rounds", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"in-tiles", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"name-sizes", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"once", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"fuse", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"in-place", [](ir::Kernel& kernel) { transforms::rewriteOps(kernel.body, operandsTurn); }},
      {"bufferize", memoryIsMistaken},
      {"call-external", each<ir::ExternalCall>([](ir::ExternalCall& call) {
         std::reverse(call.arguments.begin(), call.arguments.end());
       })},
      {"map-to-library", each<ir::LibraryCall>([](ir::LibraryCall& call) {
         std::reverse(call.op.inputs[0].map.begin(), call.op.inputs[0].map.end());
       })},
      {"schedule", each<ir::TileLoop>([](ir::TileLoop& loop) {
         loop.extent = loop.extent - affine::Expr::constant(1);
       })},
      {"trim", each<ir::If>([](ir::If& test) { test.then.clear(); })},
      {"distribute", [](ir::Kernel& kernel) { allAreLost<ir::Barrier>(kernel.body); }},
      {"vectorize", each<ir::Assign>(sumsAreLost)},
      {"multiply-narrow", each<ir::Assign>(sumsAreLost)},
      {"contract", values(factorsAreEqual)},
      {"unroll",
       [](ir::Kernel& kernel) {
         lastIsLost<ir::Store>(kernel.body);
         each<ir::Vector>(oneIsLost)(kernel);
       }},
      {"assume-numbers", [](ir::Kernel& kernel) { allAreLost<ir::CheckNumbers>(kernel.body); }},
      {"reduce-together", values(lanesAreTaken)},
      {"hoist-values", each<ir::Let>([](ir::Let& let) {
         bool isScalar = let.axes.empty() && std::holds_alternative<ir::Call>(let.value->node);
         if (isScalar) let.value = literalsGrow(ir::makeLiteral(let.value->type, {}));
       })},
      {"share-memory", heapIsTooSmall},
      {"canonicalize", each<ir::If>([](ir::If& test) { test.otherwise.clear(); })},
  };
  return table;
}

// ---- Steps ----

using StepChange = std::function<void(ir::Block&)>;

// Loops end one position early.
void loopsEndEarly(ir::Block& code) {
  onEach<ir::TileLoop>(
      code, [](ir::TileLoop& loop) { loop.extent = loop.extent - affine::Expr::constant(1); });
}

// The second of two ways is empty.
void waysAreLost(ir::Block& code) {
  for (ir::Stmt& stmt : code)
    if (auto* test = std::get_if<ir::If>(&stmt.node)) test->otherwise.clear();
}

// What ops give is one more.
void resultsGrow(ir::Block& code) {
  onEach<ir::StructuredOp>(code, [&](ir::StructuredOp& op) {
    ir::ValueRef& result = op.results.front();
    const bool isBool = result->type == ir::ScalarType::Bool;
    const ir::Number one =
        ir::info(result->type).isFloat() ? ir::Number{1.0, 0} : ir::Number{0.0, 1};
    result = ir::makeCall(isBool ? ir::Function::Xor : ir::Function::Add,
                          {result, ir::makeLiteral(result->type, one)});
  });
}

// By the verb; the results of others grow.
StepChange stepChange(std::string_view verb) {
  if (verb == "tile" || verb == "bind") return loopsEndEarly;
  if (verb == "when") return waysAreLost;
  if (verb == "cut") return [](ir::Block& code) { code.pop_back(); };
  return resultsGrow;
}

}  // namespace

std::vector<std::string> passPlants() {
  std::vector<std::string> names;
  for (const auto& [pass, change] : changes()) names.push_back("in-" + pass);
  return names;
}

void plantIn(const std::string& plant, std::string_view pass, ir::Module& module) {
  if (plant != "in-" + std::string(pass)) return;
  for (ir::Kernel& kernel : module.kernels) changes().at(std::string(pass))(kernel);
}

std::vector<std::string> stepPlants() {
  std::vector<std::string> names = strategy::verbs();
  for (std::string& name : names) name = "in-step-" + name;
  return names;
}

void plantInStep(const std::string& plant, const strategy::Step& step, ir::Block& code) {
  const std::string verb = strategy::verbOf(step);
  if (plant == "in-step-" + verb) stepChange(verb)(code);
}

}  // namespace einc::driver
