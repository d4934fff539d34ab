// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The host's side of kernels for devices, as text. (What it does: tests/device.)
#include "compiler/emit/c/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "compiler/ir/test_text.h"
#include "llvm/Support/JSON.h"

namespace einc::emit {
namespace {

using Kind = ShaderConstant::Kind;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// T = A; C = T where A's rows have no gaps, and else nothing but a loop of dispatches.
struct Sample {
  ir::Kernel contract, code;
  std::vector<Shader> shaders;
  std::vector<std::vector<uint32_t>> modules;

  explicit Sample(const std::string& name = "copy", const std::string& a = "A")
      : contract(ir::test::goodKernel(head(name, a) + "tensors { op (m: parallel) ins(%" + a +
                                      "[m]) outs(%C[m]) { (a, c) -> add(a, s) } }")),
        code(ir::test::goodKernel(
            head(name, a) + "hardware { local %T: tensor<M x f32> if unit %" + a +
            "[0] and M < 5000 { alloc %T"
            " dispatch first (64, 1, 1) { tile i : i_size = 0 .. M by 1 parallel on grid {"
            " %T[i] = %" +
            a +
            "[i] } }"
            " dispatch second (64, 1, 1) { tile i : i_size = 0 .. M by 1 parallel on grid {"
            " %C[i] = add(%T[i], s) } } } else {"
            " tile t : t_size = 0 .. M by 100 parallel { dispatch third (64, 1, 1) {"
            " tile i : i_size = 0 .. t_size by 1 parallel on grid {"
            " %C[t + i] = add(%" +
            a + "[t + i], s) } } } } }")) {
    add(name, "first", {{0, true, false}, {2, false, true}}, "M");
    add(name, "second", {{2, true, false}, {1, false, true}}, "M");
    add(name, "third", {{0, true, false}, {1, false, true}}, "t_size");
    shaders[1].features = {"int64", "storage_16"};
    shaders[2].constantsInBuffer = true;
    shaders[2].constantBytes = 16;
  }

  static std::string head(const std::string& name, const std::string& a) {
    return "kernel @" + name + "(%" + a +
           ": tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>) level ";
  }

  void add(const std::string& name, const std::string& dispatch, std::vector<ShaderBuffer> buffers,
           const std::string& extent) {
    Shader shader;
    shader.name = name + "_" + dispatch;
    shader.dispatch = dispatch;
    shader.invocations = {64, 1, 1};
    affine::Expr one = affine::Expr::constant(1);
    shader.workgroups = {affine::Expr::symbol(extent), one, one};
    shader.buffers = std::move(buffers);
    shader.constants = {{.kind = Kind::Symbol, .name = "n", .symbol = extent, .offset = 0},
                        {.kind = Kind::Attribute,
                         .name = "s",
                         .attribute = {0, 0},
                         .type = ir::ScalarType::F32,
                         .offset = 4}};
    if (isArgument(code.tensors[shader.buffers[0].tensor].role)) {
      shader.constants.push_back({.kind = Kind::Offset, .name = "o", .tensor = 0, .offset = 8});
      shader.constants.push_back({.kind = Kind::Stride, .name = "d", .tensor = 0, .offset = 12});
    }
    auto base = static_cast<unsigned>(4 * shader.constants.size());
    shader.constants.push_back({.kind = Kind::Base, .name = "base", .offset = base});
    shader.pushBytes = base + 12;
    shaders.push_back(std::move(shader));
    modules.push_back({0x07230203, 1, 2, 3, 4, 5, 6, 7, 8});
  }

  DeviceCode get() const { return {&contract, &code, "a schedule", &shaders, &modules}; }
};

COptions named(const std::string& library, const std::string& prefix = "") {
  COptions options;
  options.library = library;
  options.prefix = prefix;
  return options;
}

TEST(DeviceC, RecordsWhatTheHostsStatementsSay) {
  Sample sample;
  std::string c = *emitDeviceC({sample.get()}, named("lib"));
  EXPECT_TRUE(has(c, R"(  if (A_stride0 == 1 && M < 5000) {
    const einc_vk_range T_data = einc_temporary(run, M, 4);
    /* copy_first */
    einc_dispatch(run, 0, M, 1, 1);
    einc_counts(run, M + 64);
    einc_bind(run, A_on.range);
    einc_bind(run, T_data);
    einc_push_index(run, 0, M);
    einc_push_f32(run, 4, s);
    einc_push_index(run, 8, A_on.offset);
    einc_push_stride(run, 12, &A_on, A->sizes[0], A_stride0);
    /* copy_second */
)")) << c;
  EXPECT_TRUE(has(c, R"(    for (int64_t t = 0; t < M; t += 100) {
      const int64_t t_size = einc_least(100, M - t);
      /* copy_third */
      einc_dispatch(run, 2, t_size, 1, 1);
)")) << c;
  EXPECT_TRUE(has(c, "      einc_bind_constants(run, 16);\n")) << c;
}

TEST(DeviceC, ShadersAreWords) {
  Sample sample;
  std::string c = *emitDeviceC({sample.get()}, named("lib"));
  EXPECT_TRUE(has(c, R"(/*
 * copy_second, in workgroups of 64 x 1 x 1: dispatch 'second' of copy
 *
 * a schedule
 */
static const uint32_t einc_spirv_1[] = {
    0x07230203, 0x00000001, 0x00000002, 0x00000003, 0x00000004, 0x00000005, 0x00000006, 0x00000007,
    0x00000008,
};
)")) << c;
  EXPECT_TRUE(has(c, ".features = EINC_VK_INT64 | EINC_VK_STORAGE_16},")) << c;
  EXPECT_TRUE(has(c, ".buffer_count = 3,")) << "with that of constants";
}

TEST(DeviceC, NamesOfTheLibraryAreItsOwn) {
  EXPECT_EQ(deviceLibraryName(named("matmul")), "matmul_vulkan");
  EXPECT_EQ(deviceLibraryName(named("my-ops.v2", "p_")), "p_my_ops_v2_vulkan");
  EXPECT_EQ(deviceLibraryName(named("3d")), "lib3d_vulkan");
  // A library may have the name of a def in it; and tensors those of parameters.
  for (const char* tensor : {"kernels", "event", "run", "status", "copy_submit", "T_data"}) {
    Sample sample("copy", tensor);
    auto c = emitDeviceC({sample.get()}, named("copy"));
    ASSERT_TRUE(c) << c.reason();
    auto prototypes = devicePrototypesOf(sample.contract, named("copy"));
    for (const Prototype& prototype : prototypes) EXPECT_TRUE(has(*c, prototype.text() + ";\n"));
  }
  Sample one("f"), other("f_vulkan");
  EXPECT_TRUE(emitDeviceC({one.get(), other.get()}, named("lib")));
  Sample third("f");
  EXPECT_EQ(emitDeviceC({one.get(), third.get()}, named("lib")).reason(),
            "defs 'f' and 'f' both have the C function 'f_vulkan'; rename one");
}

TEST(DeviceHeader, DeclaresWhatTheLibraryHas) {
  Sample sample;
  std::string header = *emitDeviceHeader({sample.get()}, named("lib", "p_"));
  EXPECT_TRUE(has(header, "#ifndef EINC_LIBRARY_P_LIB_H\n"));
  EXPECT_TRUE(has(header, R"(typedef struct p_lib_vulkan_kernels p_lib_vulkan_kernels;
einc_status p_lib_vulkan_create(einc_vk_context *context, p_lib_vulkan_kernels **kernels);
void p_lib_vulkan_free(p_lib_vulkan_kernels *kernels);
)")) << header;
  EXPECT_TRUE(has(header,
                  "einc_status p_copy_vulkan(p_lib_vulkan_kernels *kernels, const "
                  "einc_memref_f32_1 *A, float s, einc_memref_f32_1 *C, einc_vk_event "
                  "**event);\n"))
      << header;
}

TEST(DeviceManifest, HasTheDispatchesInOrder) {
  Sample sample;
  auto manifest = llvm::json::parse(*emitDeviceManifest({sample.get()}, named("lib")));
  ASSERT_TRUE(static_cast<bool>(manifest));
  const auto& kernel = *manifest->getAsObject()->getArray("kernels")->front().getAsObject();
  const auto& dispatches = *kernel.getArray("dispatches");
  ASSERT_EQ(dispatches.size(), 3u);
  auto at = [&](size_t i) { return *dispatches[i].getAsObject(); };
  auto only = [](const llvm::json::Object& object, const char* key) {
    return object.getArray(key)->front().getAsString().value_or("").str();
  };
  EXPECT_EQ(at(0).getString("shader"), "copy_first");
  EXPECT_EQ(only(at(0), "where"), "if A has stride 1 along dimension 0 and M < 5000");
  EXPECT_TRUE(at(0).getArray("waits_for")->empty());
  EXPECT_EQ(only(at(1), "waits_for"), "copy_first");
  EXPECT_EQ(only(at(2), "where"), "if not (A has stride 1 along dimension 0 and M < 5000)");
  EXPECT_EQ(at(2).getArray("where")->back().getAsString(), "for t = 0, 100, ... < M");
  EXPECT_EQ(at(2).getBoolean("constants_in_buffer"), true);
  const auto& temporary = *kernel.getArray("temporaries")->front().getAsObject();
  EXPECT_EQ(temporary.getString("bytes"), "4 * (M)");
}

}  // namespace
}  // namespace einc::emit
