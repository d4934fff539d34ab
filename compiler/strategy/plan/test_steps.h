// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For tests of steps: kernels of an op each, and what becomes of it.
#pragma once

#include <string>

#include "compiler/strategy/plan/steps.h"
#include "gtest/gtest.h"

namespace einc::strategy::test {

inline constexpr const char* kMap = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%B: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
inline constexpr const char* kSum = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<M x f32>) level tiled {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%S[m]) { (a, s) -> add(s, a) }
    })";
inline constexpr const char* kUnpack = R"(
    kernel @f(%P: tensor<K x L x 16 x S x f32>) -> (%A: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%P[m floordiv 16, n floordiv S, m mod 16, n mod S])
          outs(%A[m, n]) { (p, a) -> exp(p) }
    })";
inline constexpr const char* kProduct = R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
// A window that moves along w, and sees what is outside.
inline constexpr const char* kWindow = R"(
    kernel @f(%A: tensor<W x C x f32>, %K: tensor<3 x C x f32>) -> (%B: tensor<V x C x f32>)
        attr s: 1xi64 = [1] level tiled {
      op (w: parallel, c: parallel, k: reduction)
          ins(%A[w * s[0] + k - 1, c] pad 0.0_f32, %K[k, c]) outs(%B[w, c]) { (a, k, b) -> add(b, mul(a, k)) }
    })";
inline constexpr const char* kImage = R"(
    kernel @f(%I: tensor<H x W x C x i8>, %F: tensor<P x Q x C x N x i8>) -> (%O: tensor<Y x X x N x i32>)
        level tiled {
      op (y: parallel, x: parallel, n: parallel, p: reduction, q: reduction, c: reduction)
          ins(%I[y + p, x + q, c], %F[p, q, c, n]) outs(%O[y, x, n])
          { (i, f, o) -> add(o, mul(cast<i32>(i), cast<i32>(f))) }
    })";
// Each term needs the one before it.
inline constexpr const char* kChain = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<f32>) level tiled {
      op (m: reduction, n: reduction) ins(%A[m, n]) outs(%S[]) { (a, s) -> sin(add(s, a)) }
    })";

// The steps in "{ ... }", or the first error.
Steps parsed(const std::string& text, std::string* error = nullptr);
std::string printed(const Steps& steps);
// The kernel with its first op done so; errors, one a line, go to `errors`.
std::string applied(const std::string& kernelText, const std::string& steps,
                    std::string* errors = nullptr, const char* target = "x86-64-v4",
                    bool keepsOrder = false);
std::string refused(const std::string& kernel, const std::string& steps,
                    const char* target = "x86-64-v4", bool keepsOrder = false);
bool has(const std::string& text, const std::string& part);

}  // namespace einc::strategy::test
