// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tests/shaders/shader_run.h"

#include <algorithm>
#include <cmath>

#include "compiler/driver/shaders.h"
#include "compiler/emit/glsl/glsl.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/scalar.h"
#include "compiler/ir/shape.h"

namespace einc::test {

using affine::Expr;
using ir::ScalarType;

struct ShaderTest::Run {
  const ir::Kernel& kernel;
  const interp::Arguments& arguments;
  std::vector<emit::Shader> shaders;
  std::vector<spirv::Words> modules;
  std::map<unsigned, einc_vk_test::Buffer> buffers;  // of arguments and locals
  std::map<std::string, int64_t> names;

  int64_t value(const Expr& e) const {
    auto result = e.evaluate([&](const affine::Atom& a) -> std::optional<int64_t> {
      auto found = names.find(a.name);
      return found == names.end() ? std::nullopt : std::optional(found->second);
    });
    EXPECT_TRUE(result) << e.str();
    return result.value_or(0);
  }
};

// Runs are split wherever they can be.
void ShaderTest::SetUp() {
  einc_vk_options o = options();
  o.max_workgroup_count = 3;
  open(o);
}

interp::View ShaderTest::numbers(ScalarType type, std::vector<int64_t> sizes, unsigned seed) {
  interp::View view = *interp::allocate(type, std::move(sizes));
  const ir::TypeInfo& info = ir::info(type);
  uint32_t state = seed * 2654435761u;
  interp::forEachIndex(view.sizes, [&](auto index) {
    state = state * 1664525u + 1013904223u;
    auto number = static_cast<int64_t>(state >> 29) - (info.isFloat() || info.isSigned() ? 3 : 0);
    if (info.isFloat())
      view.store(index, {static_cast<double>(number), 0});
    else if (info.cls == ir::TypeClass::Bool)
      view.store(index, {0, static_cast<uint64_t>(number & 1)});
    else
      view.store(index, ir::integerNumber(type, static_cast<uint64_t>(number)));
  });
  return view;
}

namespace {

interp::View copied(const interp::View& view) {
  interp::View result = view;
  auto bytes = static_cast<size_t>(view.storageBytes);
  result.storage = std::shared_ptr<std::byte[]>(new std::byte[std::max<size_t>(bytes, 1)]);
  std::copy_n(view.storage.get(), bytes, result.storage.get());
  return result;
}

template <typename T>
void put(std::vector<std::byte>& bytes, unsigned offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

void putNumber(std::vector<std::byte>& bytes, unsigned offset, ScalarType type,
               const ir::Number& number, ScalarType as) {
  if (as == ScalarType::F32) return put(bytes, offset, static_cast<float>(number.asFloat));
  if (as == ScalarType::F64) return put(bytes, offset, number.asFloat);
  uint64_t bits = number.asBits;
  if (ir::info(type).isSigned()) bits = static_cast<uint64_t>(ir::signedValue(type, number));
  if (ir::info(as).bits == 64) return put(bytes, offset, bits);
  put(bytes, offset, static_cast<uint32_t>(bits));
}

}  // namespace

std::vector<std::byte> ShaderTest::constants(const Run& run, const emit::Shader& shader) {
  using Kind = emit::ShaderConstant::Kind;
  std::vector<std::byte> bytes(std::max(shader.pushBytes, shader.constantBytes));
  for (const emit::ShaderConstant& c : shader.constants) {
    switch (c.kind) {
      case Kind::Symbol:
        put(bytes, c.offset, static_cast<int32_t>(run.value(Expr::symbol(c.symbol))));
        break;
      case Kind::Offset:
        put(bytes, c.offset, static_cast<int32_t>(run.arguments.tensors[c.tensor].offset));
        break;
      case Kind::Stride:
        put(bytes, c.offset, static_cast<int32_t>(run.arguments.tensors[c.tensor].strides[c.dim]));
        break;
      case Kind::Attribute:
        putNumber(bytes, c.offset, run.kernel.attributes[c.attribute.attribute].type,
                  run.arguments
                      .attributes[c.attribute.attribute][static_cast<size_t>(c.attribute.element)],
                  c.type);
        break;
      case Kind::Base:
        break;
    }
  }
  return bytes;
}

void ShaderTest::dispatch(Run& run, const ir::Dispatch& dispatch) {
  auto shader = std::find_if(run.shaders.begin(), run.shaders.end(),
                             [&](const auto& s) { return s.dispatch == dispatch.name; });
  ASSERT_NE(shader, run.shaders.end());
  const spirv::Words& words = run.modules[static_cast<size_t>(shader - run.shaders.begin())];
  einc_vk_kernel_description d = {};
  d.spirv = words.data();
  d.spirv_bytes = words.size() * 4;
  d.push_bytes = shader->pushBytes;
  d.splits = 1;
  d.base_offset = shader->constants.back().offset;
  d.shared_bytes = static_cast<uint32_t>(shader->sharedBytes);
  std::vector<einc_vk_range> ranges;
  for (const emit::ShaderBuffer& buffer : shader->buffers) {
    if (buffer.isWritten) d.written |= 1u << ranges.size();
    ranges.push_back({run.buffers.at(buffer.tensor).get(), 0, EINC_VK_TO_END});
  }
  std::vector<std::byte> values = constants(run, *shader), push(shader->pushBytes);
  einc_vk_test::Buffer own;
  if (shader->constantsInBuffer) {
    own = upload(values);
    ranges.push_back({own.get(), 0, EINC_VK_TO_END});
  } else {
    push = values;
  }
  d.buffer_count = static_cast<uint32_t>(ranges.size());
  einc_vk_dispatch started = {};
  for (size_t i = 0; i < 3; ++i) {
    d.workgroup_size[i] = static_cast<uint32_t>(shader->invocations[i]);
    started.workgroups[i] = static_cast<uint64_t>(run.value(shader->workgroups[i]));
  }
  // Of another size than the default, so that what counts is the constant.
  const einc_vk_constant size = {emit::kSizeConstant, 48};
  if (shader->choosesSize) {
    d.workgroup_size[0] = size.value;
    d.constants = &size;
    d.constant_count = 1;
    started.workgroups[0] = (started.workgroups[0] + size.value - 1) / size.value;
  }
  einc_vk_test::Kernel made = kernel(d);
  started.kernel = made.get();
  started.ranges = ranges.data();
  started.range_count = d.buffer_count;
  started.push_bytes = d.push_bytes;
  started.push = push.data();
  runAndWait({started});
}

bool ShaderTest::holds(const Run& run, const ir::Condition& c) {
  using Kind = ir::Condition::Kind;
  if (c.kind == Kind::Equal) return run.value(c.left) == run.value(c.right);
  if (c.kind == Kind::Less) return run.value(c.left) < run.value(c.right);
  if (c.kind == Kind::LessEqual) return run.value(c.left) <= run.value(c.right);
  const interp::View& view = run.arguments.tensors.at(c.tensor);
  if (c.kind == Kind::Unit) return view.strides[c.dim] == 1;
  int64_t elements = *c.left.asConstant() / ir::info(view.type).bytes();
  bool all = view.offset % elements == 0;
  for (unsigned d = 0; d < view.rank(); ++d) all &= d == c.dim || view.strides[d] % elements == 0;
  return all;
}

void ShaderTest::block(Run& run, const ir::Block& statements) {
  for (const ir::Stmt& stmt : statements) {
    if (auto* node = std::get_if<ir::Dispatch>(&stmt.node)) dispatch(run, *node);
    if (auto* node = std::get_if<ir::Alloc>(&stmt.node)) {
      uint64_t bytes = ir::info(run.kernel.tensors[node->tensor].type).bytes();
      for (const Expr& size : run.kernel.tensors[node->tensor].shape)
        bytes *= static_cast<uint64_t>(run.value(size));
      run.buffers[node->tensor] = buffer(bytes);
    }
    if (auto* node = std::get_if<ir::Bound>(&stmt.node)) {
      int64_t least = run.value(node->of[0]);
      for (const Expr& e : node->of) least = std::min(least, run.value(e));
      run.names[node->name] = least;
    }
    if (auto* node = std::get_if<ir::If>(&stmt.node)) {
      bool all = std::all_of(node->conditions.begin(), node->conditions.end(),
                             [&](const auto& c) { return holds(run, c); });
      block(run, all ? node->then : node->otherwise);
    }
    if (auto* node = std::get_if<ir::TileLoop>(&stmt.node)) {
      int64_t extent = run.value(node->extent), step = run.value(node->step);
      for (int64_t at = 0; at < extent; at += step) {
        run.names[node->var] = at;
        run.names[node->size] = std::min(step, extent - at);
        block(run, node->body);
      }
    }
  }
}

void ShaderTest::check(const std::string& text, const interp::Arguments& arguments) {
  check(ir::test::goodKernel(text), arguments);
}

void ShaderTest::check(const ir::Kernel& kernel, const interp::Arguments& arguments) {
  Run run{kernel, arguments, emit::emitGlsl(kernel, "by hand"), {}, {}, {}};
  auto modules = driver::compileShaders(run.shaders);
  ASSERT_TRUE(std::holds_alternative<std::vector<spirv::Words>>(modules)) << run.shaders[0].text;
  run.modules = std::get<std::vector<spirv::Words>>(modules);
  for (const ir::SymbolBinding& binding : ir::bindSymbols(kernel))
    run.names[binding.symbol] = arguments.tensors[binding.tensor].sizes[binding.dim];
  for (unsigned a = 0; a < kernel.attributes.size(); ++a)
    if (ir::info(kernel.attributes[a].type).isInteger())
      for (int64_t i = 0; i < kernel.attributes[a].elementCount(); ++i)
        run.names[kernel.attributes[a].symbolName(i)] = ir::signedValue(
            kernel.attributes[a].type, arguments.attributes[a][static_cast<size_t>(i)]);
  for (unsigned t = 0; t < arguments.tensors.size(); ++t) {
    const interp::View& view = arguments.tensors[t];
    std::vector<std::byte> bytes(view.storage.get(), view.storage.get() + view.storageBytes);
    run.buffers[t] = upload(bytes);
  }
  interp::Arguments expected = arguments;
  for (interp::View& view : expected.tensors) view = copied(view);
  interp::Outcome outcome = interp::run(kernel, expected);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  block(run, kernel.body);
  for (unsigned t = 0; t < arguments.tensors.size(); ++t) {
    auto found = download<std::byte>(run.buffers.at(t));
    const interp::View& wanted = expected.tensors[t];
    size_t wrong = 0;
    auto bytes = static_cast<size_t>(ir::info(wanted.type).bytes());
    for (size_t i = 0; i + bytes <= found.size(); i += bytes) {
      if (std::memcmp(&found[i], &wanted.storage[i], bytes) == 0) continue;
      double is = ir::readElement(wanted.type, &found[i]).asFloat,
             should = ir::readElement(wanted.type, &wanted.storage[i]).asFloat;
      bool isFloat = ir::info(wanted.type).isFloat();
      bool isNan = isFloat && std::isnan(is) && std::isnan(should);
      bool isNear = isFloat && std::abs(is - should) <= tolerance * std::max(1.0, std::abs(should));
      if (isNan || isNear) continue;
      if (wrong++ < 3)
        ADD_FAILURE() << "element " << i / bytes << " of " << kernel.tensors[t].name << " is " << is
                      << ", not " << should << "\n"
                      << (wrong == 1 ? run.shaders[0].text : "");
    }
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace einc::test
