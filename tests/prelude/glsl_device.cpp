// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tests/prelude/glsl_device.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "compiler/spirv/compile.h"
#include "compiler/spirv/reflect.h"
#include "compiler/spirv/tools.h"

// As in runtime/vulkan/test_util.cpp: drivers leak.
extern "C" const char* __lsan_default_suppressions();   // NOLINT
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:<unknown module>\nleak:libstdc++.so\n";
}

namespace einc::tests {
namespace {

constexpr int kWorkgroup = 64;

std::string block(size_t binding, const std::string& type, const std::string& name) {
  return "layout(set = 0, binding = " + std::to_string(binding) + ") buffer Block" +
         std::to_string(binding) + " { " + type + " " + name + "[]; };\n";
}

struct Buffer {
  einc_vk_buffer* buffer = nullptr;
  explicit Buffer(einc_vk_context* context, uint64_t bytes) {
    EXPECT_EQ(einc_vk_buffer_create(context, bytes, &buffer), EINC_VK_OK);
  }
  ~Buffer() { einc_vk_buffer_free(buffer); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

}  // namespace

void GlslDeviceTest::onMessage(void* user, const char* text) {
  auto* self = static_cast<GlslDeviceTest*>(user);
  const std::scoped_lock guard(self->lock_);
  self->messages_.emplace_back(text);
}

void GlslDeviceTest::SetUp() {
  einc_vk_options options = {};
  options.device = std::getenv("EINC_VK_TEST_DEVICE");
  options.validation = 1;
  options.on_message = onMessage;
  options.user = this;
  ASSERT_EQ(einc_vk_context_create(&options, &context_), EINC_VK_OK) << einc_vk_last_message();
}

bool GlslDeviceTest::roundsExactly() const {
  return einc_vk_context_device(context_)->kind == EINC_VK_SOFTWARE;
}

bool GlslDeviceTest::isBeyondDivision(ScalarType type, double value) const {
  return type != ScalarType::F64 && !roundsExactly() && std::fabs(value) > 0x1p126;
}

bool GlslDeviceTest::mayBeFlushed(ScalarType type, double got, double expected) const {
  return (type == ScalarType::F32 || type == ScalarType::BF16) && !roundsExactly() &&
         std::fabs(got - expected) <= 0x1p-126;
}

void GlslDeviceTest::TearDown() {
  einc_vk_context_free(context_);
  for (const std::string& text : messages_) ADD_FAILURE() << text;
}

std::vector<std::vector<Number>> GlslDeviceTest::compute(
    ScalarType type, int64_t lanes, const std::vector<std::vector<Number>>& inputs,
    const std::vector<Output>& outputs) {
  emit::GlslNames names;
  emit::GlslPrelude prelude;
  emit::GlslValues values(names, prelude);
  size_t count = inputs[0].size();
  EXPECT_EQ(count % 4, 0U);

  // All outputs of a type are in one buffer, one after the other.
  std::vector<ScalarType> types;
  std::vector<size_t> bindings, places;
  std::vector<size_t> filled(ir::allTypes().size());
  for (const Output& output : outputs) {
    size_t index = std::find(types.begin(), types.end(), output.type) - types.begin();
    if (index == types.size()) types.push_back(output.type);
    bindings.push_back(inputs.size() + index);
    places.push_back(filled[index]++);
  }
  std::string blocks, body = "void main() {\n  uint i = gl_GlobalInvocationID.x;\n";
  std::string vectors = std::to_string(count / lanes);
  body += "  if (i >= " + vectors + "u) return;\n";
  std::string element = emit::storageType({type, lanes});
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name(1, "abc"[i]);
    blocks += block(i, element, "in_" + name);
    body += "  " + emit::registerType({type, lanes}) + " " + name + " = " +
            values.fromStorage(type, lanes, "in_" + name + "[i]") + ";\n";
  }
  for (size_t i = 0; i < types.size(); ++i)
    blocks += block(inputs.size() + i, emit::storageType({types[i], lanes}),
                    "out_" + std::to_string(inputs.size() + i));
  for (size_t k = 0; k < outputs.size(); ++k)
    body += "  out_" + std::to_string(bindings[k]) + "[" + vectors + "u * " +
            std::to_string(places[k]) +
            "u + i] = " + values.toStorage(outputs[k].type, lanes, outputs[k].text(values)) + ";\n";
  std::string glsl = "#version 450\n" + prelude.extensions() +
                     "layout(local_size_x = " + std::to_string(kWorkgroup) + ") in;\n" + blocks +
                     "\n" + prelude.text() + "\n" + body + "}\n";

  auto compiled = spirv::compile(glsl, "test.comp");
  if (!compiled) {
    ADD_FAILURE() << compiled.reason() << "\n" << glsl;
    return {};
  }
  auto module = spirv::validated(std::move(*compiled));
  if (module) module = spirv::optimise(*module);
  if (!module) {
    ADD_FAILURE() << module.reason();
    return {};
  }
  const spirv::Words& words = *module;

  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<einc_vk_range> ranges;
  auto addBuffer = [&](uint64_t bytes) {
    buffers.push_back(std::make_unique<Buffer>(context_, bytes));
    ranges.push_back({buffers.back()->buffer, 0, EINC_VK_TO_END});
    return buffers.back()->buffer;
  };
  std::vector<std::byte> bytes;
  unsigned size = ir::info(type).bytes();
  for (const auto& input : inputs) {
    bytes.resize(count * size);
    for (size_t i = 0; i < count; ++i) ir::writeElement(type, input[i], &bytes[i * size]);
    einc_vk_buffer* buffer = addBuffer(bytes.size());
    EXPECT_EQ(einc_vk_buffer_write(buffer, 0, bytes.data(), bytes.size()), EINC_VK_OK);
  }
  uint32_t written = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    addBuffer(count * filled[i] * ir::info(types[i]).bytes());
    written |= 1U << (inputs.size() + i);
  }

  einc_vk_kernel_description description = {};
  description.spirv = words.data();
  description.spirv_bytes = words.size() * 4;
  description.buffer_count = static_cast<uint32_t>(buffers.size());
  description.written = written;
  description.workgroup_size[0] = kWorkgroup;
  description.workgroup_size[1] = description.workgroup_size[2] = 1;
  einc_vk_kernel* kernel = nullptr;
  EXPECT_EQ(einc_vk_kernel_create(context_, &description, &kernel), EINC_VK_OK)
      << einc_vk_last_message();
  einc_vk_dispatch dispatch = {};
  dispatch.kernel = kernel;
  dispatch.ranges = ranges.data();
  dispatch.range_count = static_cast<uint32_t>(ranges.size());
  dispatch.workgroups[0] = (count / lanes + kWorkgroup - 1) / kWorkgroup;
  dispatch.workgroups[1] = dispatch.workgroups[2] = 1;
  einc_vk_event* event = nullptr;
  EXPECT_EQ(einc_vk_run(context_, &dispatch, 1, &event), EINC_VK_OK) << einc_vk_last_message();
  EXPECT_EQ(einc_vk_event_wait(event, EINC_VK_FOREVER), EINC_VK_OK);
  einc_vk_event_free(event);
  einc_vk_kernel_free(kernel);

  std::vector<std::vector<Number>> results;
  for (size_t k = 0; k < outputs.size(); ++k) {
    unsigned width = ir::info(outputs[k].type).bytes();
    bytes.resize(count * width);
    EXPECT_EQ(einc_vk_buffer_read(buffers[bindings[k]]->buffer, places[k] * bytes.size(),
                                  bytes.data(), bytes.size()),
              EINC_VK_OK);
    auto& result = results.emplace_back();
    for (size_t i = 0; i < count; ++i)
      result.push_back(ir::readElement(outputs[k].type, &bytes[i * width]));
  }
  return results;
}

Number ofBits(ScalarType type, uint64_t bits) {
  return ir::readElement(type, reinterpret_cast<const std::byte*>(&bits));
}

uint64_t bitsOf(ScalarType type, const Number& number) {
  uint64_t bits = 0;
  ir::writeElement(type, number, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

namespace {

std::vector<Number> edges(ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  std::vector<Number> list;
  if (t.cls == ir::TypeClass::Bool) return {{0, 0}, {0, 1}};
  if (t.isInteger()) {
    uint64_t top = uint64_t{1} << (t.bits - 1);
    for (uint64_t bits :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{t.bits - 1},
          uint64_t{t.bits}, uint64_t{t.bits + 1}, uint64_t{31}, uint64_t{32}, uint64_t{100},
          top - 1, top, top + 1, top / 2, top + 12}) {
      list.push_back(ir::integerNumber(type, bits));
      list.push_back(ir::integerNumber(type, 0 - bits));
    }
    return list;
  }
  double most = std::ldexp(2.0 - std::ldexp(1.0, 1 - static_cast<int>(ir::precision(type))),
                           ir::maxExponent(type));
  double least = std::ldexp(1.0, 1 - ir::maxExponent(type));
  for (double value : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 100.7, 4096.0, most, HUGE_VAL, least,
                       least / 4, 1e5, 32767.5, std::ldexp(1.0, 31), std::ldexp(1.0, 63)})
    for (double sign : {1.0, -1.0}) list.push_back({ir::roundTo(type, sign * value), 0});
  list.push_back({std::nan(""), 0});
  return list;
}

}  // namespace

std::vector<Number> samples(ScalarType type, size_t randomCount) {
  std::vector<Number> list = edges(type);
  const ir::TypeInfo& t = ir::info(type);
  if (t.isInteger())
    for (unsigned shift = 0; shift < t.bits; ++shift)
      for (int64_t d = -2; d <= 2; ++d)
        for (uint64_t step : {uint64_t{0}, uint64_t{1} << shift >> 8, uint64_t{3} << shift >> 11})
          list.push_back(ir::integerNumber(type, (uint64_t{1} << shift) + step + d));
  if (t.isFloat())
    for (int e = -1074; e < 1024; ++e)
      for (double base :
           {1.0, 1.0 + 0x1p-11, 1.0 + 3 * 0x1p-11, 1.0 + 0x1p-8, 1.0 + 3 * 0x1p-8, 1.5}) {
        double value = ir::roundTo(type, std::ldexp(base, e));
        if (value == 0 || std::isinf(value)) continue;
        uint64_t bits = bitsOf(type, {value, 0});
        for (uint64_t near : {bits - 1, bits, bits + 1}) {
          list.push_back(ofBits(type, near));
          list.push_back({-list.back().asFloat, 0});
        }
      }
  std::mt19937_64 random(7);
  for (size_t i = 0; i < randomCount; ++i) {
    list.push_back(ofBits(type, random()));
    if (!t.isFloat()) continue;
    auto number = static_cast<double>(random());
    list.push_back(
        {ir::roundTo(type, std::ldexp(number, static_cast<int>(random() % 40) - 80)), 0});
    list.push_back({-list.back().asFloat, 0});
  }
  while (list.size() % 4 != 0) list.push_back(list[0]);
  return list;
}

std::vector<std::vector<Number>> pairs(ScalarType type, size_t randomCount) {
  std::vector<std::vector<Number>> lists(3);
  std::mt19937_64 random(8);
  std::vector<Number> all = edges(type);
  auto add = [&](const Number& x, const Number& y) {
    lists[0].push_back(x);
    lists[1].push_back(y);
    lists[2].push_back(all[random() % all.size()]);
  };
  for (const Number& x : all)
    for (const Number& y : all) add(x, y);
  const ir::TypeInfo& t = ir::info(type);
  for (size_t i = 0; i < randomCount; ++i) {
    Number x = ofBits(type, random()), y = ofBits(type, random());
    if (t.cls == ir::TypeClass::Bool) x = {0, x.asBits & 1}, y = {0, y.asBits & 1};
    add(x, y);
    add(x, all[random() % all.size()]);
    add(x, t.isInteger() ? ir::integerNumber(type, random() % 70) : y);
    if (t.isFloat()) {  // near each other
      auto scaled = [&] {
        return Number{
            ir::roundTo(type, std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                                         static_cast<int>(random() % 20) - 70)),
            0};
      };
      Number u = scaled(), v = scaled();
      add(u, v);
      add(u, {u.asFloat, 0});
    }
  }
  for (auto& list : lists)
    while (list.size() % 4 != 0) list.push_back(all[0]);
  return lists;
}

bool isSubnormal(ScalarType type, double value) {
  if (!ir::info(type).isFloat()) return false;
  double least = type == ScalarType::F64 ? 0x1p-1022 : 0x1p-126;
  return value != 0 && std::fabs(value) < least;
}

bool anyFlushed(ScalarType type, std::vector<Number> args,
                const std::function<bool(const std::vector<Number>&)>& accept) {
  if (accept(args)) return true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!isSubnormal(type, args[i].asFloat)) continue;
    std::vector<Number> flushed = args;
    flushed[i].asFloat = std::copysign(0.0, args[i].asFloat);
    if (anyFlushed(type, flushed, accept)) return true;
  }
  return false;
}

std::string describe(ScalarType type, const Number& number) {
  char text[64];
  if (ir::info(type).isFloat())
    std::snprintf(text, sizeof text, "%a", number.asFloat);
  else
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number.asBits));
  return text;
}

}  // namespace einc::tests
