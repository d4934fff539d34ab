// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Dispatches as GLSL, text to text. (tests/shaders compiles and runs such.)
#include "compiler/emit/glsl/glsl.h"

#include "compiler/ir/test_text.h"

namespace einc::emit {
namespace {

std::vector<Shader> shadersOf(const std::string& text, const GlslOptions& options = {}) {
  return emitGlsl(ir::test::goodKernel(text), "by hand\n", options);
}

// Of X, tensor<M x N x f32>, and Y, the same of an output: what stands around and in `body`.
std::string kernel(const std::string& body) {
  return "kernel @copy(%X: tensor<M x N x f32>, s: i32) -> (%Y: tensor<M x N x f32>) level "
         "hardware {\n" +
         body + "\n}";
}

Shader shaderOf(const std::string& text, const GlslOptions& options = {}) {
  auto shaders = shadersOf(text, options);
  EXPECT_EQ(shaders.size(), 1u) << text;
  return shaders.empty() ? Shader{} : shaders[0];
}

// The statements of main.
std::string mainOf(const std::string& text, const GlslOptions& options = {}) {
  std::string shader = shaderOf(text, options).text;
  size_t at = shader.find("void main() {\n");
  return shader.substr(at + 14, shader.size() - at - 16);
}

std::string onGrid(const std::string& body, const std::string& by = "1") {
  return kernel("dispatch d (64, 1, 1) { tile i : i_size = 0 .. M by " + by +
                " parallel on grid { " + body + " } }");
}

std::string inWorkgroup(const std::string& body, const std::string& invocations = "(64, 1, 1)") {
  return kernel("dispatch d " + invocations +
                " { tile m : m_size = 0 .. M by 1 parallel on workgroups x { " + body + " } }");
}

TEST(Glsl, Shader) {
  Shader shader = shaderOf(onGrid("%Y[i, 0] = %X[i, 2]"));
  EXPECT_EQ(shader.text, R"(#version 450
// copy, d
//
// by hand

layout(local_size_x = 64, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer X_block { float X[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y_block { precise float Y[]; };
layout(push_constant) uniform Push {
  int M;
  int X_offset, X_stride_0, X_stride_1;
  int Y_offset, Y_stride_0;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i < M) {
    Y[Y_offset + i * Y_stride_0] = X[X_offset + i * X_stride_0 + 2 * X_stride_1];
  }
}
)");
  EXPECT_EQ(shader.name, "copy_d");
  EXPECT_EQ(shader.dispatch, "d");
  EXPECT_TRUE(shader.choosesSize);
  EXPECT_EQ(shader.workgroups[0].str(), "M");  // invocations
  EXPECT_EQ(shader.workgroups[1].asConstant(), 1);
  EXPECT_EQ(shader.buffers.size(), 2u);
  EXPECT_EQ(shader.constants.size(), 7u);
  EXPECT_EQ(shader.constants.back().offset, 24u);
  EXPECT_EQ(shader.pushBytes, 36u);
}

TEST(Glsl, LoopsOnInvocations) {
  EXPECT_EQ(mainOf(kernel("dispatch d (8, 4, 1) { tile y : ys = 0 .. M by 4 parallel on workgroups "
                          "y { tile x : xs = 0 .. N by 16 parallel on workgroups x { tile ty : tys "
                          "= 0 .. 4 by 1 parallel on invocations y { tile tx : txs = 0 .. 13 by 2 "
                          "parallel on invocations x { %Y[y + ty, x + tx] = 1.0_f32 } } } } }")),
            R"(  const int y = int(gl_WorkGroupID.y + base_y) * 4;
  const int x = int(gl_WorkGroupID.x + base_x) * 16;
  const int ty = int(gl_LocalInvocationID.y);
  const int tx = int(gl_LocalInvocationID.x) * 2;
  if (tx < 13) {
    Y[Y_offset + (y + ty) * Y_stride_0 + (x + tx) * Y_stride_1] = 1.0;
  }
)");
  // One of them each, some of them, and in rounds.
  EXPECT_EQ(mainOf(inWorkgroup("tile a : as = 0 .. 64 by 1 parallel on invocations { %Y[m, a] = "
                               "1.0_f32 } tile b : bs = 0 .. 9 by 1 parallel on invocations { "
                               "%Y[m, b] = 2.0_f32 } tile c : cs = 0 .. N by 3 parallel on "
                               "invocations { %Y[m, c] = 3.0_f32 }")),
            R"(  const int m = int(gl_WorkGroupID.x + base_x);
  {
    const int a = int(gl_LocalInvocationIndex);
    Y[Y_offset + m * Y_stride_0 + a * Y_stride_1] = 1.0;
  }
  {
    const int b = int(gl_LocalInvocationIndex);
    if (b < 9) {
      Y[Y_offset + m * Y_stride_0 + b * Y_stride_1] = 2.0;
    }
  }
  for (int c = int(gl_LocalInvocationIndex) * 3; c < N; c += 192) {
    Y[Y_offset + m * Y_stride_0 + c * Y_stride_1] = 3.0;
  }
)");
}

TEST(Glsl, SharedMemory) {
  Shader shader = shaderOf(inWorkgroup(
      "alloc %t: tensor<4 x 16 x f16> in workgroup tile i : is = 0 .. 64 by 1 parallel on "
      "invocations { %t[i floordiv 16, i mod 16] = cast<f16>(%X[m, i]) } barrier tile k : ks = 0 "
      ".. N by 8 reduction { tile j : js = 0 .. 64 by 1 parallel on invocations { %Y[m, j] = "
      "cast<f32>(%t[j mod 4, 3]) } barrier }"));
  EXPECT_NE(shader.text.find("shared precise float t[64];\n"), std::string::npos) << shader.text;
  EXPECT_NE(shader.text.find("    t[i] = "), std::string::npos) << shader.text;
  EXPECT_NE(shader.text.find(R"(
  barrier();
  for (int k = 0; k < N; k += 8) {
    {
      const int j = int(gl_LocalInvocationIndex);
      Y[Y_offset + m * Y_stride_0 + j * Y_stride_1] = t[(j & 3) * 16 + 3];
    }
    barrier();
  }
)"),
            std::string::npos)
      << shader.text;
  EXPECT_EQ(shader.sharedBytes, 256u);
}

// Short loops on a workgroup's memory, and no others.
TEST(Glsl, Unrolling) {
  const std::string each = "tile j : js = 0 .. 64 by 1 parallel on invocations { ";
  auto unrolls = [&](const std::string& loop, const std::string& body) {
    const std::string kernel = inWorkgroup(
        "alloc %t: tensor<64 x f32> in workgroup " + each + "%t[j] = 0.0_f32 } barrier " + loop +
        " reduction { " + each + body + " } } barrier " + each + "%Y[m, j] = %t[j] }");
    const std::string text = shaderOf(kernel, {.unrolledRounds = 16}).text;
    const bool says = text.find("[[unroll]] for") != std::string::npos;
    EXPECT_EQ(says, text.find("GL_EXT_control_flow_attributes") != std::string::npos) << text;
    return says;
  };
  const std::string load = "let x: f32 = %t[k] %Y[m, j] = x", store = "%t[j] = %X[m, k]",
                    view = "view %v: tensor<64 x f32> = (a) -> %t[a] %v[j] = %X[m, k]";
  for (const std::string& body : {load, store, view}) {
    EXPECT_TRUE(unrolls("for k = 0 .. 2", body)) << body;
    EXPECT_TRUE(unrolls("for k = 0 .. 16", body)) << body;
    EXPECT_FALSE(unrolls("for k = 0 .. 1", body)) << body;
    EXPECT_FALSE(unrolls("for k = 0 .. 17", body)) << body;
    EXPECT_FALSE(unrolls("for k = 0 .. N", body)) << body;
  }
  EXPECT_TRUE(unrolls("tile k : ks = 0 .. 64 by 4", store));
  EXPECT_FALSE(unrolls("tile k : ks = 0 .. 64 by 3", store));
  EXPECT_FALSE(unrolls("for k = 0 .. 8", "%Y[m, j] = %X[m, k]"));
  EXPECT_FALSE(unrolls("for k = 0 .. 8", "for n = 0 .. N reduction { %t[j] = %X[n, k] }"));
}

// Registers have no first indices; arrays of which all vectors are whole are arrays of vectors.
TEST(Glsl, Registers) {
  EXPECT_EQ(mainOf(inWorkgroup(
                "alloc %r: tensor<64 x 2 x 4 x f32> in registers tile t : ts = 0 .. 64 by 1 "
                "parallel on invocations x { vector (v: 4) { %r[t, 1, v] unit v = 0.0_f32 "
                "%r[t, 0, 3] = 1.0_f32 for k = 0 .. 8 reduction { %Y[m, k] = %r[t, k floordiv 4, "
                "k mod 4] } } }")),
            R"(  const int m = int(gl_WorkGroupID.x + base_x);
  precise vec4 r[2];
  {
    r[1] = vec4(0.0);
    r[0].w = 1.0;
    for (int k = 0; k < 8; ++k) {
      Y[Y_offset + m * Y_stride_0 + k * Y_stride_1] = r[k >> 2][k & 3];
    }
  }
)");
  std::string main = mainOf(inWorkgroup(
      "alloc %r: tensor<64 x 8 x f32> in registers tile t : ts = 0 .. 64 by 1 parallel on "
      "invocations x { vector (v: 2) { %r[t, v + 1] unit v = 0.0_f32 } %Y[m, t] = %r[t, 1] }"));
  EXPECT_NE(main.find("  precise float r[8];\n"), std::string::npos) << main;
  EXPECT_NE(main.find("      r[1] = 0.0;\n      r[2] = 0.0;\n"), std::string::npos) << main;
}

TEST(Glsl, Vectors) {
  std::string body =
      "vector (v: 4) { let x: f32 over (v) = %X[0, i + v] unit v %Y[0, i + v] unit v = add(x, x) }";
  EXPECT_EQ(mainOf(onGrid(body, "4")),
            R"(  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x) * 4;
  if (i < M) {
    const int X_at = X_offset + i * X_stride_1;
    precise vec4 x = vec4(X[X_at], X[X_at + 1], X[X_at + 2], X[X_at + 3]);
    const int Y_at = Y_offset + i * Y_stride_1;
    precise vec4 value = x + x;
    Y[Y_at] = value.x;
    Y[Y_at + 1] = value.y;
    Y[Y_at + 2] = value.z;
    Y[Y_at + 3] = value.w;
  }
)");
  // Not neighbours in memory.
  body = "vector (v: 2) { %Y[v, i] = 1.0_f32 }";
  EXPECT_EQ(mainOf(onGrid(body)),
            R"(  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i < M) {
    const int Y_at = Y_offset + i * Y_stride_1;
    Y[Y_at] = 1.0;
    Y[Y_at + Y_stride_0] = 1.0;
  }
)");
}

// Where lines begin at multiples of 16 bytes, vectors are elements.
TEST(Glsl, WholeVectors) {
  std::string text = kernel(
      "if unit %X[1] and aligned %X[1] to 16 and unit %Y[1] and aligned %Y[1] to 16 { "
      "dispatch d (64, 1, 1) { tile i : is = 0 .. N by 4 parallel on grid { vector (v: 4) { "
      "%Y[2, i + v] unit v clip = %X[1, i + v] pad 0.0_f32 unit v } } } }");
  Shader shader = shaderOf(text);
  EXPECT_NE(shader.text.find("binding = 0, std430) readonly buffer X_block { float X[]; };\n"
                             "layout(set = 0, binding = 0, std430) readonly buffer X_x4_block { "
                             "vec4 X_x4[]; };\n"),
            std::string::npos)
      << shader.text;
  std::string main = mainOf(text);
  EXPECT_NE(
      main.find("(1 < M && i + 3 < N ? X_x4[(X_offset + X_stride_0 + i) >> 2] : (1 < M ? vec4("),
      std::string::npos)
      << main;
  EXPECT_NE(main.find(R"(    if (2 < M && i + 3 < N) {
      Y_x4[(Y_offset + 2 * Y_stride_0 + i) >> 2] = value;
    } else {
      if (2 < M) {
        Y[Y_offset + 2 * Y_stride_0 + i] = value.x;
        if (i + 1 < N) Y[Y_offset + 2 * Y_stride_0 + i + 1] = value.y;
)"),
            std::string::npos)
      << main;
  EXPECT_EQ(shaderOf(text, {.oneBlockEach = true}).text.find("_x4"), std::string::npos);
}

TEST(Glsl, PadAndClip) {
  EXPECT_EQ(mainOf(onGrid("%Y[i + 1, 0] clip = %X[i - 1, 3] pad 2.0_f32")),
            R"(  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i < M) {
    if (i + 1 < M && 0 < N) Y[Y_offset + (i + 1) * Y_stride_0] = (i - 1 >= 0 && 3 < N ? X[X_offset + (i - 1) * X_stride_0 + 3 * X_stride_1] : 2.0);
  }
)");
}

TEST(Glsl, ViewsAndBounds) {
  // Those of the host, too, whose bounds are push constants.
  Shader shader = shaderOf(
      kernel("bound b = min(M, 7) view %V: tensor<b x f32> = (d) -> %X[d + 1, b] tile o : os = 0 "
             ".. N by 8 parallel { dispatch d (64, 1, 1) { tile i : is = 0 .. b by 1 parallel on "
             "grid { bound c = min(i, o) view %W: tensor<f32> = () -> %V[i + c] %Y[i, o] = %W[] } "
             "} }"));
  EXPECT_NE(shader.text.find("    const int c = min(i, o);\n    Y[Y_offset + i * Y_stride_0 + o * "
                             "Y_stride_1] = X[X_offset + (i + c + 1) * X_stride_0 + b * "
                             "X_stride_1];\n"),
            std::string::npos)
      << shader.text;
  EXPECT_NE(shader.text.find("  int b, o;\n"), std::string::npos) << shader.text;
}

TEST(Glsl, Conditions) {
  EXPECT_EQ(mainOf(inWorkgroup("tile t : ts = 0 .. 64 by 1 parallel on invocations { if unit "
                               "%X[1] and M <= N { %Y[m, t] = %X[m, t] } else { if aligned %X[1] "
                               "to 16 { %Y[m, t] = 0.0_f32 } } }")),
            R"(  const int m = int(gl_WorkGroupID.x + base_x);
  const int t = int(gl_LocalInvocationIndex);
  if (X_stride_1 == 1 && M <= N) {
    Y[Y_offset + m * Y_stride_0 + t * Y_stride_1] = X[X_offset + m * X_stride_0 + t];
  } else {
    if (X_offset % 4 == 0 && X_stride_0 % 4 == 0) {
      Y[Y_offset + m * Y_stride_0 + t * Y_stride_1] = 0.0;
    }
  }
)");
}

TEST(Glsl, ReduceAndShuffle) {
  EXPECT_EQ(
      mainOf(onGrid("vector (v: 4) { let x: f32 over (v) = %X[i, v] let y: f32 over (v) = "
                    "shuffle v [1, 0, 7, 4] (x, add(x, x)) %Y[i, 0] = reduce add over v (y) }")),
      R"(  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i < M) {
    const int X_at = X_offset + i * X_stride_0;
    precise vec4 x = vec4(X[X_at], X[X_at + X_stride_1], X[X_at + 2 * X_stride_1], X[X_at + 3 * X_stride_1]);
    precise vec4 second = x + x;
    precise vec4 y = vec4(x.y, x.x, second.w, second.x);
    Y[Y_offset + i * Y_stride_0] = (y.x + y.z) + (y.y + y.w);
  }
)");
}

// Names that GLSL has are changed; each name is its own.
TEST(Glsl, Names) {
  Shader shader = shaderOf(
      "kernel @sample(%input: tensor<length x f32>, %vec4: tensor<length x f32>, %a__b: "
      "tensor<length x f32>) -> (%gl_y: tensor<length x f32>) level hardware { dispatch d (64, 1, "
      "1) { tile main : s = 0 .. length by 1 parallel on grid { let base_x: f32 = %a__b[main] "
      "%gl_y[main] = add(add(%input[main], %vec4[main]), base_x) } } }");
  for (const char* text : {"float input_[];", "float x_gl_y[];", "float x_vec4[", "a_u_b[",
                           "int length_", "const int main_ = ", "base_x1 = "})
    EXPECT_NE(shader.text.find(text), std::string::npos) << text << "\n" << shader.text;
}

TEST(Glsl, ConstantsInBuffer) {
  Shader shader = shaderOf(
      "kernel @six(%X: tensor<A x B x C x D x E x F x f32>, %V: tensor<A x B x C x D x E x F x "
      "f32>, u: f64, v: f64) -> (%Y: tensor<A x B x C x D x E x F x f32>) level hardware { "
      "dispatch d "
      "(64, 1, 1) { tile i : s = 0 .. A by 1 parallel on grid { for b = 0 .. B parallel { for c = "
      "0 .. C parallel { for d = 0 .. D parallel { for e = 0 .. E parallel { for f = 0 .. F "
      "parallel { %Y[i, b, c, d, e, f] = mul(add(%X[i, b, c, d, e, f], %V[i, b, c, d, e, f]), "
      "cast<f32>(add(u, v))) } } } } } } } }");
  EXPECT_TRUE(shader.constantsInBuffer);
  EXPECT_EQ(shader.constantBytes, 16 + 4 * (6 + 3 * 7u));
  EXPECT_EQ(shader.pushBytes, 12u);
  EXPECT_NE(shader.text.find("layout(set = 0, binding = 3, std430) readonly buffer Constants {\n  "
                             "double u, v;\n  int A, B, C, D, E, F;\n"),
            std::string::npos)
      << shader.text;
}

}  // namespace
}  // namespace einc::emit
