// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Every rule of verify.def, broken by name. The cases here are of structured ops, values and data
// flow; those of the levels below are in verify_tiled_test.cpp.
#include "compiler/ir/verify.h"

#include <set>

#include "compiler/ir/test_text.h"
#include "compiler/ir/verify_cases.h"

namespace einc::ir {
namespace {

using affine::Expr;

constexpr const char* kMatmul = R"(
  kernel @matmul(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, s: f32) -> (%C: tensor<M x N x f32>)
      attr d: 2xi64 level tensors {
    op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
        { (a, b, c) -> add(c, mul(a, b)) }
  })";

// A kernel that maps C[m] to `op`, at the level of structured ops.
std::string mapping(const std::string& op) {
  return "kernel @f(%A: tensor<M x f32>, %B: tensor<M x M x f32>, %I: tensor<M x i32>, s: f32) ->"
         " (%C: tensor<M x f32>, %D: tensor<M x f32>) attr d: 2xi64 attr l: i32[] level tensors {"
         " local %T: tensor<M x f32>"
         " op (m: parallel) outs(%C[m], %D[m]) { (c, d) -> s, s } " +
         op + " }";
}
std::string loops(const std::string& body) {
  return "kernel @f(%A: tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>) level hardware {"
         " local %T: tensor<M x f32> alloc %T"
         " for m = 0 .. M parallel { %C[m] = s %T[m] = s } " +
         body + " }";
}

StructuredOp& firstOp(Kernel& kernel) { return std::get<StructuredOp>(kernel.body[0].node); }

ValueRef f32(double value) { return makeLiteral(ScalarType::F32, {value, 0}); }

std::vector<Case> namesAndSignature() {
  const char* empty = " level tensors { op () outs(%C[]) { (c) -> c } }";
  auto signature = [&](const std::string& inputs, const std::string& rest) {
    return "kernel @f(" + inputs + ") -> (%C: tensor<f32>) " + rest + empty;
  };
  return {
      {Rule::Identifier, "kernel", kMatmul, [](Kernel& k) { k.name = "a b"; }},
      {Rule::Identifier, "iterator", kMatmul, [](Kernel& k) { firstOp(k).iterators[0].name = ""; }},
      {Rule::Identifier, "library call", kMatmul, [](Kernel& k) { k.libraryCall = "a b"; }},
      {Rule::Identifier, "size", signature("%A: tensor<foo[1] x f32>", "")},
      {Rule::UniqueName, "tensors", signature("%A: tensor<f32>, %A: tensor<f32>", "")},
      {Rule::UniqueName, "tensor and attribute", signature("%A: tensor<f32>, A: f32", "")},
      {Rule::UniqueName, "iterators",
       mapping("op (m: parallel, m: parallel) outs(%T[m]) { (t) -> s }")},
      {Rule::UniqueName, "iterator and size", mapping("op (M: parallel) outs(%T[M]) { (t) -> s }")},
      {Rule::UniqueName, "loops", loops("for m = 0 .. M parallel { for m = 0 .. M parallel { } }")},
      {Rule::UniqueName, "variables", loops("let t: f32 = s let t: f32 = s")},
      {Rule::UniqueName, "variable and attribute", loops("let s: f32 = s")},
      {Rule::LiteralName, "attribute", signature("inf_f32: f32", "")},
      {Rule::LiteralName, "variable", loops("let true: f32 = s")},
      {Rule::Signature, "order", kMatmul, [](Kernel& k) { k.tensors[0].role = Role::Local; }},
      {Rule::Signature, "left out", kMatmul, [](Kernel& k) { k.inputs.pop_back(); }},
      {Rule::AttributeShape, "too many", signature("", "attr a: 4097xi8")},
      {Rule::AttributeShape, "overflow", signature("", "attr a: 9223372036854775807x9xi8")},
      {Rule::AttributeShape, "list", kMatmul, [](Kernel& k) { k.attributes[1].list = true; }},
      {Rule::AttributeDefault, "count", signature("", "attr a: 2xi8 = [1]")},
      {Rule::AttributeDefault, "value", signature("", "attr a: bool = true"),
       [](Kernel& k) { k.attributes[0].defaults = {{{0, 2}}}; }},
      {Rule::TensorSize, "negative", signature("%A: tensor<(-1) x f32>", "")},
      {Rule::SymbolBound, "two unknowns", signature("%A: tensor<(M + N) x f32>", "")},
      {Rule::SymbolBound, "not linear", signature("%A: tensor<(M floordiv 2) x f32>", "")},
  };
}

// A reduction whose payload is a sum, with this behind it.
std::string combining(const std::string& combiner) {
  return "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<f32>) level tensors {"
         " op (m: reduction) ins(%A[m]) outs(%C[]) { (a, c) -> add(c, a) } combine " +
         combiner + " }";
}

std::vector<Case> contracts() {
  const std::string op = "op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> exp(a) }";
  const std::string good =
      "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level tiled { " + op +
      " } contract { " + op + " }";
  auto changed = [](void (*change)(Kernel&)) {
    return [change](Kernel& kernel) {
      Kernel contract = *kernel.contract;
      change(contract);
      kernel.contract = std::make_shared<const Kernel>(std::move(contract));
    };
  };
  return {
      {Rule::Contract, "level", good, changed([](Kernel& k) { k.level = Level::Tiled; })},
      {Rule::Contract, "of its own", good,
       changed([](Kernel& k) { k.contract = std::make_shared<const Kernel>(k); })},
      {Rule::Contract, "sizes", good,
       changed([](Kernel& k) { k.tensors[0].shape[0] = Expr::constant(4); })},
      {Rule::OutputWritten, "in the contract", good, changed([](Kernel& k) { k.body.clear(); })},
  };
}

std::vector<Case> combiners() {
  auto set = [](const std::function<void(Combiner&)>& change) {
    return [change](Kernel& k) {
      Combiner own = *firstOp(k).combiner;
      change(own);
      firstOp(k).combiner = std::make_shared<const Combiner>(own);
    };
  };
  const std::string good = combining("{ (a, b) -> add(a, b) } neutral (0.0_f32)");
  return {
      {Rule::Combiner, "results", combining("{ (a, b) -> a, b } neutral (0.0_f32)")},
      {Rule::Combiner, "neutral", combining("{ (a, b) -> add(a, b) } neutral ()")},
      {Rule::Combiner, "type", combining("{ (a, b) -> add(a, b) } neutral (0_i32)")},
      {Rule::Combiner, "no literal", combining("{ (a, b) -> a } neutral (neg(0.0_f32))")},
      {Rule::Combiner, "part", good,
       set([](Combiner& c) { c.results[0] = makeValue(ScalarType::F32, OperandRef{2}); })},
      {Rule::Combiner, "index",
       combining("{ (a, b) -> add(a, cast<f32>(index(m))) } neutral (0.0_f32)")},
      {Rule::Combiner, "nothing", good, set([](Combiner& c) { c.neutral[0] = nullptr; })},
  };
}

std::vector<Case> references() {
  return {
      {Rule::TensorId, "operand", kMatmul, [](Kernel& k) { firstOp(k).inputs[0].tensor = 9; }},
      {Rule::TensorId, "output", kMatmul, [](Kernel& k) { firstOp(k).outputs[0].tensor = 9; }},
      {Rule::TensorId, "non-temporal", kMatmul,
       [](Kernel& k) { k.body.push_back({NonTemporal{9, {}}}); }},
      {Rule::TensorId, "lead", kMatmul, [](Kernel& k) { k.body.push_back({Lead{"l", 9, 0, 4}}); }},
      {Rule::TensorId, "alloc", kMatmul, [](Kernel& k) { k.body.push_back({Alloc{9}}); }},
      {Rule::TensorId, "load", loops(""),
       [](Kernel& k) {
         k.body.push_back({Let{"t", makeValue(ScalarType::F32, Load{9, {}, nullptr})}});
       }},
      {Rule::TensorId, "store", loops(""),
       [](Kernel& k) { k.body.push_back({Store{9, {}, f32(0)}}); }},
      {Rule::AttributeId, "element",
       mapping("op (m: parallel) outs(%T[m]) { (t) -> cast<f32>(d[2]) }")},
      {Rule::AttributeId, "index",
       mapping("op (m: parallel) ins(%A[m + d[2]]) outs(%T[m]) { (a, t) -> a }")},
      {Rule::AttributeId, "id", kMatmul,
       [](Kernel& k) { firstOp(k).results[0] = makeValue(ScalarType::F32, AttributeRef{9, 0}); }},
      {Rule::OperandId, "id", kMatmul,
       [](Kernel& k) { firstOp(k).results[0] = makeValue(ScalarType::F32, OperandRef{3}); }},
      {Rule::OperandId, "shape",
       mapping("op (m: parallel) ins(%A[m] shape) outs(%T[m]) { (a, t) -> a }")},
      {Rule::Variable, "assigned", loops("t = s")},
      {Rule::Variable, "out of scope", loops(""),
       [](Kernel& k) {
         k.body.push_back({Assign{"t", makeValue(ScalarType::F32, Variable{"t"})}});
       }},
      {Rule::IndexName, "iterator", kMatmul,
       [](Kernel& k) { firstOp(k).inputs[0].map[0] = Expr::iterator("z"); }},
      {Rule::IndexName, "symbol", kMatmul,
       [](Kernel& k) { firstOp(k).inputs[0].map[0] = Expr::symbol("Z"); }},
      {Rule::IndexName, "float",
       mapping("op (m: parallel) ins(%A[m + s]) outs(%T[m]) { (a, t) -> a }")},
      {Rule::IndexName, "whole array",
       "kernel @f(%A: tensor<d x f32>) -> (%C: tensor<f32>) attr d: 2xi64"
       " level tensors { op () outs(%C[]) { (c) -> c } }"},
      {Rule::IndexAffine, "product",
       mapping("op (m: parallel) ins(%A[m * m]) outs(%T[m]) { (a, t) -> a }")},
      {Rule::IndexAffine, "in a payload",
       mapping("op (m: parallel) outs(%T[m]) { (t) -> cast<f32>(index(3 floordiv m)) }")},
      {Rule::IndexOverflow, "map", kMatmul,
       [](Kernel& k) {
         firstOp(k).inputs[0].map[0] = Expr::constant(INT64_MAX) + Expr::constant(1);
       }},
      {Rule::MapRank, "operand",
       mapping("op (m: parallel) ins(%B[m]) outs(%T[m]) { (b, t) -> b }")},
      {Rule::MapRank, "store", loops("%C[] = s")},
      {Rule::MapRank, "load", loops("let t: f32 = %A[0, 0]")},
  };
}

std::vector<Case> structuredOps() {
  return {
      {Rule::IteratorExtent, "never alone",
       mapping("op (m: parallel, k: reduction) ins(%A[m + k]) outs(%T[m]) { (a, t) -> a }")},
      {Rule::ShapeOnly, "padded",
       mapping("op (m: parallel) ins(%A[m] shape pad 0.0_f32) outs(%T[m]) { (a, t) -> s }")},
      {Rule::ShapeOnly, "output", mapping("op (m: parallel) outs(%T[m] shape) { (t) -> s }")},
      {Rule::OutputRole, "op", mapping("op (m: parallel) outs(%A[m]) { (a) -> s }")},
      {Rule::OutputRole, "store", loops("%A[0] = s")},
      {Rule::OutputReduction, "map", mapping("op (m: reduction) outs(%T[m]) { (t) -> s }")},
      {Rule::OutputParallel, "left out",
       mapping("op (m: parallel, n: parallel) ins(%B[m, n]) outs(%T[m]) { (b, t) -> b }")},
      {Rule::OutputParallel, "one of two",
       mapping("op (m: parallel) outs(%T[m], %C[0]) { (t, c) -> s, s }")},
      {Rule::OutputInjective, "sum",
       mapping("op (m: parallel, n: parallel) ins(%B[m, n]) outs(%T[m + n]) { (b, t) -> b }")},
      {Rule::OutputAlias, "twice",
       mapping("op (m: parallel) outs(%T[m], %T[m]) { (t, u) -> s, s }")},
      {Rule::OutputAlias, "input",
       mapping("op (m: parallel) ins(%C[m]) outs(%C[m]) { (i, c) -> i }")},
      {Rule::Pad, "type",
       mapping("op (m: parallel) ins(%A[m] pad 0.0_f64) outs(%T[m]) { (a, t) -> a }")},
      {Rule::Pad, "output", mapping("op (m: parallel) outs(%T[m] pad 0.0_f32) { (t) -> s }")},
      {Rule::Pad, "index",
       mapping("op (m: parallel) ins(%A[m] pad cast<f32>(index(m))) outs(%T[m])"
               " { (a, t) -> a }")},
      {Rule::Pad, "operand", kMatmul,
       [](Kernel& k) { firstOp(k).inputs[0].pad = makeValue(ScalarType::F32, OperandRef{1}); }},
      {Rule::Pad, "load", loops("let t: f32 = %A[0] pad %A[1]")},
      {Rule::Pad, "load's type", loops("let t: f32 = %A[0] pad 0.0_f64")},
      {Rule::ResultCount, "too many", mapping("op (m: parallel) outs(%T[m]) { (t) -> s, s }")},
      {Rule::ResultCount, "none", kMatmul, [](Kernel& k) { firstOp(k).outputs.clear(); }},
  };
}

std::vector<Case> values() {
  auto payload = [](const std::string& value) {
    return mapping("op (m: parallel) ins(%A[m], %I[m]) outs(%T[m]) { (a, i, t) -> " + value + " }");
  };
  auto result = [](ScalarType type, auto node) {
    return [=](Kernel& k) { firstOp(k).results[0] = makeValue(type, node); };
  };
  return {
      {Rule::ValuePresent, "result", kMatmul, [](Kernel& k) { firstOp(k).results[0] = nullptr; }},
      {Rule::ValuePresent, "argument", kMatmul,
       result(ScalarType::F32, Call{Function::Neg, {nullptr}})},
      {Rule::ValueType, "result", payload("i")},
      {Rule::ValueType, "index", kMatmul, result(ScalarType::F32, IndexRef{Expr()})},
      {Rule::ValueType, "attribute", kMatmul, result(ScalarType::F64, AttributeRef{0, 0})},
      {Rule::ValueType, "operand", kMatmul, result(ScalarType::F64, OperandRef{0})},
      {Rule::ValueType, "store", loops("%C[0] = 1_i32")},
      {Rule::ValueType, "assign", loops("let t: f32 = s t = 1_i32")},
      {Rule::ValueType, "load", loops(""),
       [](Kernel& k) {
         k.body.push_back({Let{"t", makeValue(ScalarType::F64, Load{0, {Expr()}, nullptr})}});
       }},
      {Rule::ValueType, "variable", loops("let t: f32 = s"),
       [](Kernel& k) { k.body.push_back({Let{"u", makeValue(ScalarType::F64, Variable{"t"})}}); }},
      {Rule::CallType, "arguments", payload("add(i, a)")},
      {Rule::CallType, "class", payload("cast<f32>(sqrt(i))")},
      {Rule::CallType, "bool", payload("cast<f32>(lt(true, false))")},
      {Rule::CallType, "condition", payload("select(i, a, a)")},
      {Rule::CallType, "result", kMatmul, result(ScalarType::F64, Call{Function::Neg, {f32(0)}})},
      {Rule::CallType, "count", kMatmul, result(ScalarType::F32, Call{Function::Add, {f32(0)}})},
      {Rule::LiteralRange, "bits", kMatmul, result(ScalarType::I8, Literal{{0, 256}})},
      {Rule::LiteralRange, "precision", kMatmul, result(ScalarType::F32, Literal{{0.1, 0}})},
      {Rule::LiteralRange, "both fields", kMatmul, result(ScalarType::F32, Literal{{1.0, 1}})},
  };
}

std::vector<Case> levelsAndFlow() {
  const char* useT = "op (m: parallel) outs(%T[m]) { (t) -> s }";
  auto level = [](Level level) { return [=](Kernel& k) { k.level = level; }; };
  return {
      {Rule::StatementLevel, "op", kMatmul, level(Level::Hardware)},
      {Rule::StatementLevel, "loop", loops(""), level(Level::Buffers)},
      {Rule::StatementLevel, "alloc", mapping("alloc %T")},
      {Rule::ValueLevel, "load", kMatmul,
       [](Kernel& k) {
         firstOp(k).results[0] = makeValue(ScalarType::F32, Load{0, {Expr(), Expr()}, nullptr});
       }},
      {Rule::ValueLevel, "variable", kMatmul,
       [](Kernel& k) { firstOp(k).results[0] = makeValue(ScalarType::F32, Variable{"t"}); }},
      {Rule::ValueLevel, "operand", loops(""),
       [](Kernel& k) { k.body.push_back({Let{"t", makeValue(ScalarType::F32, OperandRef{0})}}); }},
      {Rule::Alloc, "none", mapping(useT), level(Level::Buffers)},
      {Rule::Alloc, "twice", loops("alloc %T")},
      {Rule::Alloc, "output", loops("alloc %C")},
      {Rule::Alloc, "in a loop", loops("for i = 0 .. M parallel { alloc %T }")},
      {Rule::ReadBeforeWrite, "input",
       mapping("op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t }")},
      {Rule::ReadBeforeWrite, "accumulator",
       mapping("op (m: parallel) outs(%T[m]) { (t) -> neg(t) }")},
      {Rule::ReadBeforeWrite, "load",
       "kernel @f() -> (%C: tensor<M x f32>) level hardware {"
       " local %T: tensor<M x f32> alloc %T %C[0] = %T[0] }"},
      {Rule::ReadBeforeWrite, "in no tile",
       "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<f32>) level tiled {"
       " local %T: tensor<f32> alloc %T tile m0 : m0_size = 0 .. M by 8 reduction {"
       " op () ins(%T[]) outs(%C[]) { (t, c) -> add(c, t) } } }"},
      {Rule::OutputWritten, "never", "kernel @f() -> (%C: tensor<M x f32>) level tensors { }"},
  };
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (auto group : {namesAndSignature, references, structuredOps, values, levelsAndFlow,
                     tilesAndVectors, libraryCalls, externalCalls, combiners, contracts})
    for (Case& c : group()) all.push_back(std::move(c));
  return all;
}

TEST(Verify, GoodKernels) {
  test::goodKernel(kMatmul);
  test::goodKernel(mapping(""));
  test::goodKernel(mapping("op (m: parallel) ins(%C[m] shape) outs(%C[m]) { (i, c) -> neg(c) }"));
  test::goodKernel(
      loops("let t: f32 = %T[0] t = add(t, %A[0] pad s) for m = 0 .. M reduction { t = s }"));
}

// What has no elements needs nobody who writes it, and a loop without rounds no tile.
TEST(Verify, NothingAtAll) {
  test::goodKernel("kernel @f() -> (%C: tensor<M x 0 x f32>) level tensors { }");
  test::goodKernel(
      "kernel @f() -> (%C: tensor<4 x f32>) level tiled { local %T: tensor<0 x 4 x f32> alloc %T "
      "op (m: parallel, t: reduction) ins(%T[t, m]) outs(%C[m]) { (t, c) -> add(c, t) } }");
  test::goodKernel(
      "kernel @f() -> (%C: tensor<f32>) level tiled { tile m0 : m0_size = 0 .. 0 by 0 parallel { "
      "op () outs(%C[]) { (c) -> 1.0_f32 } } }");
}

TEST(Verify, BrokenKernels) {
  for (const Case& c : allCases()) {
    Kernel kernel = test::parsedKernel(c.text);
    if (c.change) {
      EXPECT_TRUE(verify(kernel).empty()) << info(c.rule).name << ", " << c.what;
      c.change(kernel);
    }
    std::string found;
    bool broken = false;
    for (const Violation& violation : verify(kernel)) {
      found += violation.str() + "\n";
      broken |= violation.rule == c.rule;
    }
    EXPECT_TRUE(broken) << info(c.rule).name << ", " << c.what << ": found\n" << found;
    EXPECT_FALSE(print(kernel).empty());
  }
}

TEST(Verify, EveryRuleIsTested) {
  std::set<Rule> tested;
  for (const Case& c : allCases()) tested.insert(c.rule);
  for (const RuleInfo& rule : allRules()) EXPECT_TRUE(tested.count(rule.rule)) << rule.name;
}

TEST(Verify, RulesAreNumberedInOrder) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < allRules().size(); ++i) {
    const RuleInfo& rule = allRules()[i];
    EXPECT_EQ(rule.number, (i < 9 ? "V0" : "V") + std::to_string(i + 1));
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
}

TEST(Verify, Message) {
  Kernel kernel = test::parsedKernel(kMatmul);
  firstOp(kernel).inputs[0].map.pop_back();
  auto found = verify(kernel);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].str(), "V16 map-rank: %A has 2 dimensions, found 1 indices");
  EXPECT_EQ(found[0].where, firstOp(kernel).source);
}

TEST(Verify, KernelsOfOneNameInAModule) {
  Module module;
  module.kernels = {test::goodKernel(kMatmul), test::goodKernel(kMatmul)};
  auto found = verify(module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].str(), "V02 unique-name: two kernels are called @matmul");
}

}  // namespace
}  // namespace einc::ir
