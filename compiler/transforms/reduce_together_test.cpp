// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/reduce_together.h"

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

using Lanes = std::vector<std::string>;

// Which additions a value is made of, lane by lane.
Lanes lanesOf(const ir::ValueRef& value, const std::map<std::string, Lanes>& variables) {
  if (auto* variable = std::get_if<ir::Variable>(&value->node)) return variables.at(variable->name);
  if (auto* shuffle = std::get_if<ir::Shuffle>(&value->node)) {
    Lanes from = lanesOf(shuffle->a, variables), result;
    for (const std::string& lane : lanesOf(shuffle->b, variables)) from.push_back(lane);
    for (unsigned lane : shuffle->lanes) result.push_back(from.at(lane));
    return result;
  }
  const auto& sum = std::get<ir::Call>(value->node);
  Lanes a = lanesOf(sum.args[0], variables), b = lanesOf(sum.args[1], variables);
  for (size_t i = 0; i < a.size(); ++i) a[i] = "(" + a[i] + " " + b[i] + ")";
  return a;
}

Lanes named(const std::string& name, int64_t count) {
  Lanes result;
  for (int64_t i = 0; i < count; ++i) result.push_back(name + "." + std::to_string(i));
  return result;
}

// As generated code adds up the lanes of one vector.
std::string halves(Lanes lanes) {
  for (size_t n = lanes.size() / 2; n > 0; n /= 2) {
    for (size_t i = 0; i < n; ++i) lanes[i] = "(" + lanes[i] + " " + lanes[i + n] + ")";
    lanes.resize(n);
  }
  return lanes[0];
}

// A region that adds up `count` vectors of so many lanes, after the pass.
ir::Kernel reduced(const std::string& type, int64_t lanes, int count) {
  std::string width = std::to_string(lanes), size = std::to_string(count), text;
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "let s" + n + ": " + type + " over (k) = %A[" + n + ", k] unit k\n";
  }
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "%C[" + n + "] = add(%C[" + n + "], reduce add over k (s" + n + "))\n";
  }
  ir::Kernel kernel = reduceTogether(
      ir::test::goodKernel("kernel @f(%A: tensor<" + size + " x " + width + " x " + type +
                           ">) -> (%C: tensor<" + size + " x " + type +
                           ">) level hardware { vector (k: " + width + ") {\n" + text + "} }"),
      /*fewest=*/4);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return kernel;
}

// Of `count` results those that were done together, each checked.
int together(const std::string& type, int64_t lanes, int count) {
  ir::Kernel kernel = reduced(type, lanes, count);
  std::map<std::string, Lanes> variables;
  std::map<unsigned, Lanes> buffers;
  int found = 0, next = 0;
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) {
      bool loads = std::holds_alternative<ir::Load>(let->value->node);
      variables[let->name] = loads ? named(let->name, lanes) : lanesOf(let->value, variables);
    }
    auto* store = std::get_if<ir::Store>(&stmt.node);
    if (!store) return;
    if (!store->unit.empty()) {
      buffers[store->tensor] = lanesOf(store->value, variables);
      return;
    }
    std::string wanted = halves(named("s" + std::to_string(next++), lanes));
    auto* result = std::get_if<ir::Load>(&std::get<ir::Call>(store->value->node).args[1]->node);
    if (!result) return;
    ++found;
    auto place = static_cast<size_t>(*result->index[0].asConstant());
    EXPECT_EQ(buffers.at(result->tensor).at(place), wanted) << type << " x " << lanes;
  });
  EXPECT_EQ(next, count);
  return found;
}

// Powers of two of them, up to one for each lane; three are left as they are.
TEST(ReduceTogether, TheSameAdditions) {
  EXPECT_EQ(together("f32", 4, 4), 4);
  EXPECT_EQ(together("f32", 4, 11), 8);
  EXPECT_EQ(together("f32", 8, 8), 8);
  EXPECT_EQ(together("f32", 8, 7), 4);
  EXPECT_EQ(together("f32", 16, 3), 0);
  EXPECT_EQ(together("f32", 16, 4), 4);
  EXPECT_EQ(together("f32", 16, 24), 24);
  EXPECT_EQ(together("f32", 16, 15), 12);
  EXPECT_EQ(together("f64", 2, 8), 0);
  EXPECT_EQ(together("f64", 4, 6), 4);
  EXPECT_EQ(together("f64", 8, 8), 8);
  EXPECT_EQ(together("i64", 8, 4), 4);
  EXPECT_EQ(together("f16", 16, 8), 0);  // computed as f32
}

}  // namespace
}  // namespace einc::transforms
