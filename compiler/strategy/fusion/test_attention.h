// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Attention, and what is like it, as IR text: specs that are done in rounds. ops 0 to 9.
#pragma once

#include <string>

namespace einc::strategy::test {

inline constexpr const char* kSignature =
    "kernel @f(%Q: tensor<M x D x f32>, %K: tensor<N x D x f32>, %V: tensor<N x E x f32>, c: f32) "
    "-> (";
inline constexpr const char* kScores = R"(
      op (m: parallel, n: parallel) outs(%S[m, n]) { (s) -> 0.0_f32 }
      op (m: parallel, n: parallel, d: reduction) ins(%Q[m, d], %K[n, d]) outs(%S[m, n])
          { (q, k, s) -> add(s, mul(q, k)) }
      op (m: parallel) outs(%L[m]) { (l) -> -inf_f32 }
)";
inline constexpr const char* kWeights = R"(
      op (m: parallel) outs(%T[m]) { (t) -> 0.0_f32 }
      op (m: parallel, n: reduction) ins(%X[m, n]) outs(%T[m]) { (x, t) -> add(t, x) }
      op (m: parallel, e: parallel) outs(%U[m, e]) { (u) -> 0.0_f32 }
      op (m: parallel, e: parallel, n: reduction) ins(%X[m, n], %V[n, e]) outs(%U[m, e])
          { (x, v, u) -> add(u, mul(x, v)) }
      op (m: parallel, e: parallel) ins(%T[m], %U[m, e]) outs(%O[m, e]) { (t, u, o) -> div(u, t) }
)";
inline constexpr const char* kLocals =
    " local %S: tensor<M x N x f32> local %L: tensor<M x f32> local %X: tensor<M x N x f32> "
    "local %T: tensor<M x f32> local %U: tensor<M x E x f32> ";

// Attention, where a term of the largest one, and an exponent, are these.
inline std::string attention(const std::string& term, const std::string& power) {
  return std::string(kSignature) + "%O: tensor<M x E x f32>) level tensors {" + kLocals + kScores +
         "op (m: parallel, n: reduction) ins(%S[m, n]) outs(%L[m]) { (s, l) -> max(l, " + term +
         ") } op (m: parallel, n: parallel) ins(%S[m, n], %L[m]) outs(%X[m, n]) { (s, l, x) -> " +
         power + " }" + kWeights + "}";
}

// A product, which no bound changes, and which is a result; and of the last rows, of which nothing is left, the logarithm of NaN.
// ops 0 to 8.
inline std::string productOfScores() {
  return std::string(kSignature) + "%O: tensor<M x f32>, %C: tensor<M x f32>) level tensors { " +
         "local %S: tensor<M x N x f32> local %L: tensor<M x f32> local %T: tensor<M x f32> " +
         kScores + R"(
      op (m: parallel, n: reduction) ins(%S[m, n]) outs(%L[m]) 
          { (s, l) -> max(l, select(lt(index(m), index(n)), s, -inf_f32)) }
      op (m: parallel) outs(%T[m]) { (t) -> 0.0_f32 }
      op (m: parallel, n: reduction) ins(%S[m, n], %L[m]) outs(%T[m])
          { (s, l, t) -> add(t, exp(sub(select(lt(index(m), index(n)), s, -inf_f32), l))) }
      op (m: parallel) outs(%C[m]) { (c) -> 2.0_f32 }
      op (m: parallel, n: reduction) ins(%S[m, n]) outs(%C[m]) { (s, c) -> mul(c, s) }
      op (m: parallel) ins(%T[m], %L[m]) outs(%O[m]) { (t, l, o) -> add(log(t), l) } })";
}

}  // namespace einc::strategy::test
