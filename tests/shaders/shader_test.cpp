// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tests/shaders/shader_run.h"

namespace einc::test {
namespace {

using interp::View;
using ir::ScalarType;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string num(int64_t n) { return std::to_string(n); }

// C = A B by 16 x 16 invocations, each of which has `rows` x 4 elements. C's rows are vectors.
std::string matmul(int64_t rows) {
  std::string text =
      R"(kernel @matmul(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) level hardware {
  dispatch tiles (16, 16, 1) {
    tile m0 : m0_size = 0 .. M by ROWS16 parallel on workgroups y {
      tile n0 : n0_size = 0 .. N by 64 parallel on workgroups x {
        alloc %sums: tensor<16 x 16 x ROWS x 4 x f32> in registers
        alloc %A_tile: tensor<16 x ROWS16 x f32> in workgroup
        alloc %B_tile: tensor<16 x 64 x f32> in workgroup
        tile ty : ty_size = 0 .. 16 by 1 parallel on invocations y {
          tile tx : tx_size = 0 .. 16 by 1 parallel on invocations x {
            vector (n: 4) {
ZERO            }
          }
        }
        tile k0 : k0_size = 0 .. K by 16 reduction {
          tile i : i_size = 0 .. ROWS256 by 1 parallel on invocations {
            %A_tile[i mod 16, i floordiv 16] = %A[m0 + i floordiv 16, k0 + i mod 16] pad 0.0_f32
          }
          tile i : i_size = 0 .. 1024 by 1 parallel on invocations {
            %B_tile[i floordiv 64, i mod 64] = %B[k0 + i floordiv 64, n0 + i mod 64] pad 0.0_f32
          }
          barrier
          tile ty : ty_size = 0 .. 16 by 1 parallel on invocations y {
            tile tx : tx_size = 0 .. 16 by 1 parallel on invocations x {
              vector (n: 4) {
LOAD                for k = 0 .. 16 reduction {
                  let b: f32 over (n) = %B_tile[k, tx * 4 + n] unit n
FMA                }
SAVE              }
            }
          }
          barrier
        }
        tile ty : ty_size = 0 .. 16 by 1 parallel on invocations y {
          tile tx : tx_size = 0 .. 16 by 1 parallel on invocations x {
            vector (n: 4) {
WRITE            }
          }
        }
      }
    }
  }
})";
  std::string zero, load, fma, save, write;
  for (int64_t i = 0; i < rows; ++i) {
    std::string r = num(i), sums = "%sums[ty, tx, " + r + ", n] unit n", c = "c_" + r;
    zero += "              " + sums + " = 0.0_f32\n";
    load += "                let " + c + ": f32 over (n) = " + sums + "\n";
    fma += "                  let a_" + r + ": f32 = %A_tile[k, ty * " + num(rows) + " + " + r +
           "]\n                  " + c + " = fma(a_" + r + ", b, " + c + ")\n";
    save += "                " + sums + " = " + c + "\n";
    write += "              %C[m0 + ty * " + num(rows) + " + " + r +
             ", n0 + tx * 4 + n] clip = " + sums + "\n";
  }
  text = replaced(text, "ROWS16", num(rows * 16));
  text = replaced(text, "ROWS256", num(rows * 256));
  text = replaced(text, "ROWS", num(rows));
  text = replaced(text, "ZERO", zero);
  text = replaced(text, "LOAD", load);
  text = replaced(text, "FMA", fma);
  text = replaced(text, "SAVE", save);
  return replaced(text, "WRITE", write);
}

TEST_F(ShaderTest, Matmul) {
  for (int64_t rows : {4, 8})
    for (auto [m, n, k] : {std::tuple(1, 1, 1), std::tuple(64, 64, 16), std::tuple(65, 63, 17),
                           std::tuple(200, 130, 33)})
      check(matmul(rows), {{numbers(ScalarType::F32, {m, k}), numbers(ScalarType::F32, {k, n}, 2),
                            numbers(ScalarType::F32, {m, n}, 3)},
                           {}});
}

// The view of so many rows and columns that begins at an element of another, with these steps.
View part(View of, int64_t offset, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  of.offset = offset;
  of.sizes = std::move(sizes);
  of.strides = std::move(strides);
  return of;
}

TEST_F(ShaderTest, MatmulOfViews) {
  View a = part(numbers(ScalarType::F32, {70, 90}), 69 * 90 + 3, {65, 20}, {-90, 2});
  View b = part(numbers(ScalarType::F32, {90, 70}, 2), 5, {20, 67}, {1, 90});
  View c = part(numbers(ScalarType::F32, {67, 80}, 3), 7, {65, 67}, {1, 80});
  check(matmul(4), {{a, b, c}, {}});
  View row = part(numbers(ScalarType::F32, {67}, 2), 0, {20, 67}, {0, 1});
  check(matmul(8), {{a, row, numbers(ScalarType::F32, {65, 67}, 3)}, {}});
}

// Sums of rows: each invocation adds some of them, then half of the invocations the others' sums.
TEST_F(ShaderTest, Tree) {
  std::string text =
      R"(kernel @sums(%X: tensor<M x N x f32>) -> (%Y: tensor<M x f32>) level hardware {
  dispatch rows (64, 1, 1) {
    tile m : m_size = 0 .. M by 1 parallel on workgroups x {
      alloc %parts: tensor<64 x f32> in workgroup
      tile t : t_size = 0 .. 64 by 1 parallel on invocations x {
        let sum: f32 = 0.0_f32
        for j = 0 .. (N + 63) floordiv 64 reduction {
          sum = add(sum, %X[m, j * 64 + t] pad 0.0_f32)
        }
        %parts[t] = sum
      }
      barrier
HALVES      tile t : t_size = 0 .. 1 by 1 parallel on invocations x {
        %Y[m] = %parts[t]
      }
    }
  }
})";
  std::string halves;
  for (int64_t half = 32; half > 0; half /= 2)
    halves += "      tile t : t_size = 0 .. " + num(half) +
              " by 1 parallel on invocations x { %parts[t] = add(%parts[t], %parts[t + " +
              num(half) + "]) } barrier\n";
  for (int64_t n : {1, 63, 64, 65, 1000})
    check(replaced(text, "HALVES", halves),
          {{numbers(ScalarType::F32, {10, n}), numbers(ScalarType::F32, {10}, 2)}, {}});
}

// All of a vector's elements at once where lines are aligned, else one by one.
TEST_F(ShaderTest, Map) {
  std::string body = R"(
    tile m : m_size = 0 .. M by 1 parallel on workgroups y {
      tile n0 : n0_size = 0 .. N by 128 parallel on workgroups x {
        tile t : t_size = 0 .. 32 by 1 parallel on invocations x {
          vector (v: 4) {
            let x: T over (v) = %X[m, n0 + t * 4 + v] pad ZERO unit v
            %Y[m, n0 + t * 4 + v] unit v clip = OP(x, %Z[m, 0])
          }
        }
      }
    }
  })";
  std::string text =
      "kernel @map(%X: tensor<M x N x T>, %Z: tensor<M x Q x T>) -> (%Y: tensor<M x "
      "N x T>) level hardware {\n  if unit %X[1] and unit %Y[1] and aligned %X[1] to "
      "BYTES and aligned %Y[1] to BYTES {\n  dispatch whole (32, 1, 1) {" +
      body + "} else { if unit %X[1] and unit %Y[1] {\n  dispatch lanes (32, 1, 1) {" + body +
      "} } }";
  for (const ir::TypeInfo& type : ir::computedTypes()) {
    bool isBool = type.cls == ir::TypeClass::Bool;
    std::string name(type.name), own = replaced(text, "ZERO", isBool ? "false" : "0_" + name);
    if (type.isFloat()) own = replaced(own, "0_" + name, "0.0_" + name);
    own = replaced(own, "OP", isBool ? "xor" : "add");
    own = replaced(own, " T", " " + name);
    own = replaced(own, "BYTES", num(4 * type.bytes()));
    for (int64_t n : {1, 4, 129, 256}) {
      check(own, {{numbers(type.type, {3, n}), numbers(type.type, {3, 2}, 2),
                   numbers(type.type, {3, n}, 3)},
                  {}});
      View x = part(numbers(type.type, {3, n + 8}), 4, {3, n}, {n + 8, 1});
      View y = part(numbers(type.type, {3, n + 8}, 3), 8, {3, n}, {n + 8, 1});
      check(own, {{x, numbers(type.type, {3, 2}, 2), y}, {}});
    }
  }
}

// Backwards, transposed, and one row for all.
TEST_F(ShaderTest, Grid) {
  std::string text =
      R"(kernel @grid(%X: tensor<M x N x f32>, s: i32) -> (%Y: tensor<M x N x f32>) level hardware {
  dispatch all (8, 4, 2) {
    tile i : i_size = 0 .. M * N by 1 parallel on grid {
      %Y[i floordiv N, i mod N] = add(%X[i floordiv N, i mod N], cast<f32>(add(index(i), cast<i64>(s))))
    }
  }
})";
  ir::Number s{0, 0xfffffffb};
  for (auto [m, n] : {std::tuple(1, 1), std::tuple(7, 37), std::tuple(64, 16)}) {
    View y = numbers(ScalarType::F32, {m, n}, 5);
    check(text, {{part(numbers(ScalarType::F32, {m, n}), m * n - 1, {m, n}, {-n, -1}), y}, {{s}}});
    check(text, {{part(numbers(ScalarType::F32, {n, m}), 0, {m, n}, {1, m}), y}, {{s}}});
    check(text, {{part(numbers(ScalarType::F32, {n}), 0, {m, n}, {0, 1}), y}, {{s}}});
  }
}

// What the host does around dispatches: memory between them, loops, bounds, views with a pad.
TEST_F(ShaderTest, Host) {
  std::string text =
      R"(kernel @host(%X: tensor<M x N x i32>) -> (%Y: tensor<M x N x i32>) level hardware {
  bound half = min(M, (N + 1) floordiv 2)
  view %P: tensor<M x (N + 2) x i32> = (r, c) -> %X[r, c - 1] pad 7_i32
  alloc %T: tensor<M x N x i32>
  tile n0 : n0_size = 0 .. N by 16 parallel {
    dispatch first (32, 1, 1) {
      tile i : i_size = 0 .. M by 1 parallel on grid {
        for n = 0 .. n0_size parallel {
          %T[i, n0 + n] = add(%P[i, n0 + n], mul(3_i32, %P[i, n0 + n + 2]))
        }
      }
    }
  }
  dispatch second (16, 2, 1) {
    tile y : y_size = 0 .. M by 2 parallel on workgroups z {
      tile x : x_size = 0 .. N by 16 parallel on workgroups x {
        alloc %shared: tensor<2 x 16 x i32> in workgroup
        tile ty : ty_size = 0 .. 2 by 1 parallel on invocations y {
          tile tx : tx_size = 0 .. 16 by 1 parallel on invocations x {
            %shared[ty, tx] = %T[y + ty, x + tx] pad 1_i32
          }
        }
        barrier
        tile ty : ty_size = 0 .. 2 by 1 parallel on invocations y {
          tile tx : tx_size = 0 .. 16 by 1 parallel on invocations x {
            alloc %own: tensor<2 x i32> in stack
            %own[0] = %shared[1 - ty, 15 - tx]
            %own[1] = cast<i32>(index(half))
            %Y[y + ty, x + tx] clip = add(%own[0], %own[1])
          }
        }
      }
    }
  }
})";
  for (auto [m, n] : {std::tuple(1, 1), std::tuple(5, 40), std::tuple(4, 32)})
    check(text, {{numbers(ScalarType::I32, {m, n}), numbers(ScalarType::I32, {m, n}, 2)}, {}});
}

// More constants than every device can be pushed.
TEST_F(ShaderTest, ConstantsInBuffer) {
  check(
      R"(kernel @six(%X: tensor<A x B x C x D x E x F x f64>, %V: tensor<A x B x C x D x E x F x f64>, s: f64, t: f64, u: bool) -> (%Y: tensor<A x B x C x D x E x F x f64>) level hardware {
  dispatch d (32, 1, 1) {
    tile i : i_size = 0 .. A * B by 1 parallel on grid {
      for c = 0 .. C parallel { for d = 0 .. D parallel { for e = 0 .. E parallel { for f = 0 .. F parallel {
        %Y[i floordiv B, i mod B, c, d, e, f] = select(u, mul(%X[i floordiv B, i mod B, c, d, e, f], s), add(%V[i floordiv B, i mod B, c, d, e, f], t))
      } } } }
    }
  }
})",
      {{numbers(ScalarType::F64, {5, 7, 2, 3, 2, 3}),
        numbers(ScalarType::F64, {5, 7, 2, 3, 2, 3}, 2),
        numbers(ScalarType::F64, {5, 7, 2, 3, 2, 3}, 3)},
       {{{1.5, 0}}, {{2.25, 0}}, {{0, 1}}}});
}

}  // namespace
}  // namespace einc::test
