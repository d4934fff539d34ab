// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tests/device/sample.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "compiler/ir/parse.h"
#include "compiler/ir/verify.h"
#include "compiler/spirv/compile.h"

namespace einc::sample {
namespace {

using emit::Shader;
using emit::ShaderConstant;
using Kind = ShaderConstant::Kind;

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "sample: %s\n", message.c_str());
  std::exit(1);
}

ir::Kernel parsed(const std::string& text) {
  SourceFile source("sample.eir", "eir 1\n" + text);
  Diagnostics errors(source);
  auto module = ir::parse(source, errors);
  if (!module) stop(errors.all()[0].message + "\n" + text);
  for (const ir::Violation& violation : ir::verify(*module)) stop(violation.str() + "\n" + text);
  return module->kernels.at(0);
}

affine::Expr sym(const char* name) { return affine::Expr::symbol(name); }
affine::Expr num(int64_t value) { return affine::Expr::constant(value); }

ShaderConstant symbol(const char* name, unsigned offset) {
  return {.kind = Kind::Symbol, .name = name, .symbol = name, .offset = offset};
}
ShaderConstant offsetOf(unsigned tensor, unsigned offset) {
  return {.kind = Kind::Offset, .name = "offset", .tensor = tensor, .offset = offset};
}
ShaderConstant strideOf(unsigned tensor, unsigned dim, unsigned offset) {
  return {.kind = Kind::Stride, .name = "stride", .tensor = tensor, .dim = dim, .offset = offset};
}
ShaderConstant attribute(unsigned id, int64_t element, ir::ScalarType type, unsigned offset) {
  return {.kind = Kind::Attribute,
          .name = "attribute",
          .attribute = {id, element},
          .type = type,
          .offset = offset};
}

// Along x, in workgroups of 64; `body` computes with `i`, which is below the number `count`.
Shader flat(const std::string& kernel, const std::string& dispatch, const std::string& declared,
            const std::string& count, const std::string& body, const affine::Expr& extent,
            std::vector<emit::ShaderBuffer> buffers, std::vector<ShaderConstant> constants,
            unsigned base) {
  Shader shader;
  shader.name = kernel + "_" + dispatch;
  shader.dispatch = dispatch;
  shader.text =
      "#version 450\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "layout(local_size_x = 64) in;\n" +
      declared + "void main() {\n  int i = int((gl_WorkGroupID.x + base_x) * 64 + " +
      "gl_LocalInvocationID.x);\n  if (i >= " + count + ") return;\n  " + body + "\n}\n";
  shader.invocations = {64, 1, 1};
  shader.workgroups = {(extent + num(63)).floorDiv(num(64)), num(1), num(1)};
  shader.buffers = std::move(buffers);
  shader.constants = std::move(constants);
  shader.constants.push_back({.kind = Kind::Base, .name = "base", .offset = base});
  shader.pushBytes = base + 12;
  return shader;
}

std::string block(const std::string& members) {
  return "layout(push_constant) uniform P {\n" + members + "uint base_x, base_y, base_z;\n};\n";
}

std::string buffer(unsigned binding, const std::string& type, const std::string& name) {
  std::string b = std::to_string(binding);
  return "layout(std430, binding = " + b + ") buffer B" + b + " { " + type + " " + name +
         "[]; };\n";
}

driver::DeviceKernel kernel(const std::string& contract, const std::string& code,
                            std::vector<Shader> shaders) {
  driver::DeviceKernel made{parsed(contract), parsed(code), "by hand", std::move(shaders), {}};
  for (const Shader& shader : made.shaders) {
    auto words = spirv::compile(shader.text, shader.name);
    if (!words) stop(words.reason());
    made.modules.push_back(*words);
  }
  return made;
}

driver::DeviceKernel scale() {
  const std::string head =
      "kernel @scale(%A: tensor<M x N x f32>, s: f32) -> (%C: tensor<M x N x f32>) level ";
  const std::string declared = buffer(0, "float", "A") + buffer(1, "float", "C");
  Shader rows =
      flat("scale", "rows", declared + block("int M, N, A0, A1, C0, C1; float s;"), "M * N",
           "C[C0 + i / N * C1 + i % N] = s * A[A0 + i / N * A1 + i % N];", sym("M") * sym("N"),
           {{0, true, false}, {1, false, true}},
           {symbol("M", 0), symbol("N", 4), offsetOf(0, 8), strideOf(0, 0, 12), offsetOf(1, 16),
            strideOf(1, 0, 20), attribute(0, 0, ir::ScalarType::F32, 24)},
           28);
  Shader any =
      flat("scale", "any", declared + block("int M, N, A0, A1, A2, C0, C1, C2; float s;"), "M * N",
           "C[C0 + i / N * C1 + i % N * C2] = s * A[A0 + i / N * A1 + i % N * A2];",
           sym("M") * sym("N"), {{0, true, false}, {1, false, true}},
           {symbol("M", 0), symbol("N", 4), offsetOf(0, 8), strideOf(0, 0, 12), strideOf(0, 1, 16),
            offsetOf(1, 20), strideOf(1, 0, 24), strideOf(1, 1, 28),
            attribute(0, 0, ir::ScalarType::F32, 32)},
           36);
  const std::string body =
      " (64, 1, 1) { tile i : i_size = 0 .. M * N by 1 parallel on grid {"
      " %C[i floordiv N, i mod N] = mul(s, %A[i floordiv N, i mod N]) } } ";
  return kernel(head +
                    "tensors { op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n])"
                    " { (a, c) -> mul(s, a) } }",
                head + "hardware { if unit %A[1] and unit %C[1] { dispatch rows" + body +
                    "} else { dispatch any" + body + "} }",
                {rows, any});
}

driver::DeviceKernel square() {
  const std::string head = "kernel @square(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level ";
  Shader first =
      flat("square", "first",
           buffer(0, "float", "A") + buffer(1, "float", "T") + block("int M, A0, A1;"), "M",
           "T[i] = A[A0 + i * A1] + 1;", sym("M"), {{0, true, false}, {2, false, true}},
           {symbol("M", 0), offsetOf(0, 4), strideOf(0, 0, 8)}, 12);
  Shader second =
      flat("square", "second",
           buffer(0, "float", "T") + buffer(1, "float", "C") + block("int M, C0, C1;"), "M",
           "C[C0 + i * C1] = T[i] * T[i];", sym("M"), {{2, true, false}, {1, false, true}},
           {symbol("M", 0), offsetOf(1, 4), strideOf(1, 0, 8)}, 12);
  return kernel(head +
                    "tensors { local %T: tensor<M x f32>"
                    " op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> add(a, 1.0_f32) }"
                    " op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, t) } }",
                head +
                    "hardware { local %T: tensor<M x f32> alloc %T"
                    " dispatch first (64, 1, 1) { tile i : i_size = 0 .. M by 1 parallel on grid {"
                    " %T[i] = add(%A[i], 1.0_f32) } }"
                    " dispatch second (64, 1, 1) { tile i : i_size = 0 .. M by 1 parallel on grid {"
                    " %C[i] = mul(%T[i], %T[i]) } } }",
                {first, second});
}

driver::DeviceKernel pieces() {
  const std::string head = "kernel @pieces(%A: tensor<M x i32>) -> (%C: tensor<M x i32>) level ";
  Shader piece =
      flat("pieces", "piece",
           buffer(0, "int", "A") + buffer(1, "int", "C") + block("int t, t_size, A0, A1, C0, C1;"),
           "t_size", "C[C0 + (t + i) * C1] += A[A0 + (t + i) * A1];", sym("t_size"),
           {{0, true, false}, {1, true, true}},
           {symbol("t", 0), symbol("t_size", 4), offsetOf(0, 8), strideOf(0, 0, 12),
            offsetOf(1, 16), strideOf(1, 0, 20)},
           24);
  return kernel(
      head + "tensors { op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> add(c, a) } }",
      head +
          "hardware { tile t : t_size = 0 .. M by 100 parallel { dispatch piece (64, 1, 1) {"
          " tile i : i_size = 0 .. t_size by 1 parallel on grid {"
          " %C[t + i] = add(%C[t + i], %A[t + i]) } } } }",
      {piece});
}

driver::DeviceKernel options(const std::string& name, bool inBuffer) {
  const std::string head = "kernel @" + name +
                           "(%A: tensor<N x f32>, u: u8, h: f16) -> (%C: tensor<M x f64>)"
                           " attr steps: 2xi64 = [1, 2] attr d: f64 = 0.5 attr on: bool"
                           " level ";
  const std::string members = "int M, step, A0, C0, A1, C1; double d; uint u; float h; uint on; ";
  std::string constants =
      inBuffer ? "layout(std430, binding = 2) readonly buffer P2 {\n" + members + "};\n" + block("")
               : block(members);
  Shader shader =
      flat(name, "all", buffer(0, "float", "A") + buffer(1, "double", "C") + constants, "M",
           "C[C0 + i * C1] = on != 0 ? double(A[A0 + i * step * A1]) * d + "
           "double(float(u) + h) : 0.0LF;",
           sym("M"), {{0, true, false}, {1, false, true}},
           {symbol("M", 0), symbol("steps[1]", 4), offsetOf(0, 8), offsetOf(1, 12),
            strideOf(0, 0, 16), strideOf(1, 0, 20), attribute(3, 0, ir::ScalarType::F64, 24),
            attribute(0, 0, ir::ScalarType::U8, 32), attribute(1, 0, ir::ScalarType::F16, 36),
            attribute(4, 0, ir::ScalarType::Bool, 40)},
           inBuffer ? 0 : 44);
  shader.features = {"f64"};
  shader.constantsInBuffer = inBuffer;
  shader.constantBytes = inBuffer ? 44 : 0;
  const std::string value =
      "select(on, add(mul(cast<f64>(a), d), cast<f64>(add(cast<f32>(u), "
      "cast<f32>(h)))), 0.0_f64)";
  const std::string lowered =
      "select(on, add(mul(cast<f64>(%A[i * steps[1]]), d), cast<f64>(add("
      "cast<f32>(u), cast<f32>(h)))), 0.0_f64)";
  return kernel(head + "tensors { op (m: parallel) ins(%A[m * steps[1]]) outs(%C[m]) { (a, c) -> " +
                    value + " } }",
                head +
                    "hardware { dispatch all (64, 1, 1) { tile i : i_size = 0 .. M by 1 parallel"
                    " on grid { %C[i] = " +
                    lowered + " } } }",
                {shader});
}

}  // namespace

std::vector<driver::DeviceKernel> deviceKernels() {
  return {scale(), square(), pieces(), options("options", false), options("buffered", true)};
}

}  // namespace einc::sample
