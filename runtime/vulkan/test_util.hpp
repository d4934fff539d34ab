// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: contexts under the validation layer that must end without
// any message of it, and the kernels of testdata/.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/vulkan/internal.h"
#include "runtime/vulkan/test_kernels.h"
#include "runtime/vulkan/vk.h"

namespace einc_vk_test {

template <auto F>
struct Free {
  template <typename T>
  void operator()(T *object) const {
    F(object);
  }
};
using Context = std::unique_ptr<einc_vk_context, Free<einc_vk_context_free>>;
using Buffer = std::unique_ptr<einc_vk_buffer, Free<einc_vk_buffer_free>>;
using Kernel = std::unique_ptr<einc_vk_kernel, Free<einc_vk_kernel_free>>;
using Event = std::unique_ptr<einc_vk_event, Free<einc_vk_event_free>>;

#define EXPECT_STATUS(name, expression)                                                  \
  EXPECT_STREQ(einc_vk_status_string(EINC_VK_##name), einc_vk_status_string(expression)) \
      << einc_vk_last_message()
#define ASSERT_STATUS(name, expression)                                                  \
  ASSERT_STREQ(einc_vk_status_string(EINC_VK_##name), einc_vk_status_string(expression)) \
      << einc_vk_last_message()

// What the validation layer has said, in the order it did.
struct Messages {
  std::mutex lock;
  std::vector<std::string> texts;
  static void add(void *user, const char *text) {
    auto *self = static_cast<Messages *>(user);
    const std::scoped_lock guard(self->lock);
    self->texts.emplace_back(text);
  }
};

class VkTest : public ::testing::Test {
 protected:
  Messages messages;
  Context context;

  // The best device, or that of EINC_VK_TEST_DEVICE.
  einc_vk_options options() {
    einc_vk_options o = {};
    o.device = std::getenv("EINC_VK_TEST_DEVICE");
    o.validation = 1;
    o.on_message = Messages::add;
    o.user = &messages;
    return o;
  }

  void open(const einc_vk_options &o) {
    einc_vk_context *made = nullptr;
    ASSERT_STATUS(OK, einc_vk_context_create(&o, &made));
    context.reset(made);
  }

  void SetUp() override { open(options()); }

  // Only the end shows what was not freed.
  void TearDown() override {
    context.reset();
    for (const std::string &text : messages.texts) ADD_FAILURE() << text;
  }

  const einc_vk_device_info &device() const { return *einc_vk_context_device(context.get()); }

  Buffer buffer(uint64_t bytes) {
    einc_vk_buffer *made = nullptr;
    EXPECT_STATUS(OK, einc_vk_buffer_create(context.get(), bytes, &made));
    return Buffer(made);
  }

  template <typename T>
  Buffer upload(const std::vector<T> &data) {
    Buffer made = buffer(data.size() * sizeof(T));
    EXPECT_STATUS(OK, einc_vk_buffer_write(made.get(), 0, data.data(), data.size() * sizeof(T)));
    return made;
  }

  template <typename T>
  std::vector<T> download(const Buffer &from) {
    std::vector<T> data(einc_vk_buffer_bytes(from.get()) / sizeof(T));
    EXPECT_STATUS(OK, einc_vk_buffer_read(from.get(), 0, data.data(), data.size() * sizeof(T)));
    return data;
  }

  Kernel kernel(const einc_vk_kernel_description &description) {
    einc_vk_kernel *made = nullptr;
    EXPECT_STATUS(OK, einc_vk_kernel_create(context.get(), &description, &made));
    return Kernel(made);
  }

  void runAndWait(const std::vector<einc_vk_dispatch> &dispatches) {
    einc_vk_event *event = nullptr;
    ASSERT_STATUS(OK, einc_vk_run(context.get(), dispatches.data(), dispatches.size(), &event));
    EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
    einc_vk_event_free(event);
  }
};

template <size_t N>
einc_vk_kernel_description describe(const uint32_t (&words)[N], uint32_t buffers, uint32_t written,
                                    uint32_t pushBytes, uint32_t workgroup) {
  einc_vk_kernel_description d = {};
  d.spirv = words;
  d.spirv_bytes = sizeof(words);
  d.buffer_count = buffers;
  d.written = written;
  d.push_bytes = pushBytes;
  d.workgroup_size[0] = workgroup;
  d.workgroup_size[1] = d.workgroup_size[2] = 1;
  return d;
}

inline einc_vk_kernel_description countDescription() {
  einc_vk_kernel_description d = describe(k_count, 1, 1, 20, 1);
  d.splits = 1;
  d.base_offset = 8;
  return d;
}
inline einc_vk_kernel_description reverseDescription() { return describe(k_reverse, 2, 2, 4, 64); }
inline einc_vk_kernel_description spinDescription() { return describe(k_spin, 1, 1, 4, 1); }
inline einc_vk_kernel_description doubleDescription() { return describe(k_double, 1, 1, 0, 1); }

// A dispatch over whole buffers.
struct Dispatch {
  std::vector<einc_vk_range> ranges;
  std::vector<uint32_t> push;
  einc_vk_dispatch dispatch = {};

  Dispatch(const Kernel &kernel, const std::vector<const Buffer *> &buffers,
           std::vector<uint32_t> pushWords, uint64_t x, uint64_t y = 1, uint64_t z = 1)
      : push(std::move(pushWords)) {
    for (const Buffer *buffer : buffers) ranges.push_back({buffer->get(), 0, EINC_VK_TO_END});
    dispatch.kernel = kernel.get();
    dispatch.workgroups[0] = x;
    dispatch.workgroups[1] = y;
    dispatch.workgroups[2] = z;
  }
  // Once nothing changes any more.
  const einc_vk_dispatch &get() {
    dispatch.ranges = ranges.data();
    dispatch.range_count = static_cast<uint32_t>(ranges.size());
    dispatch.push = push.data();
    dispatch.push_bytes = static_cast<uint32_t>(push.size() * sizeof(uint32_t));
    return dispatch;
  }
};

}  // namespace einc_vk_test
