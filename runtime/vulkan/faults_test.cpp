// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What cannot be done gives a status: wrong arguments, limits, and each function of Vulkan that
// fails, wherever it is called.
#include <algorithm>

#include "runtime/memref.h"
#include "runtime/vulkan/test_util.hpp"

namespace einc_vk_test {
namespace {

class FaultsTest : public VkTest {
 protected:
  einc_vk_status create(const einc_vk_kernel_description &d) {
    einc_vk_kernel *made = nullptr;
    const einc_vk_status status = einc_vk_kernel_create(context.get(), &d, &made);
    EXPECT_EQ(made != nullptr, status == EINC_VK_OK);
    einc_vk_kernel_free(made);
    return status;
  }

  einc_vk_status run(const einc_vk_dispatch &dispatch) {
    einc_vk_event *made = nullptr;
    const einc_vk_status asked = einc_vk_run_check(context.get(), &dispatch, 1);
    const einc_vk_status status = einc_vk_run(context.get(), &dispatch, 1, &made);
    EXPECT_EQ(asked, status);
    EXPECT_EQ(made != nullptr, status == EINC_VK_OK);
    einc_vk_event_free(made);
    return status;
  }
};

TEST_F(FaultsTest, Null) {
  einc_vk_kernel_description d = {};
  einc_vk_buffer *buffer = nullptr;
  einc_vk_event *event = nullptr;
  einc_vk_kernel *kernel = nullptr;
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_context_create(nullptr, nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_list_devices(nullptr, 0, nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_context_save_cache(nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_context_handles(nullptr, nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_buffer_create(nullptr, 4, &buffer));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_buffer_create(context.get(), 4, nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_buffer_import(context.get(), 0, 4, &buffer));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_buffer_write(nullptr, 0, nullptr, 0));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_kernel_create(context.get(), nullptr, &kernel));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_kernel_create(nullptr, &d, &kernel));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_run(context.get(), nullptr, 1, &event));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_run(context.get(), nullptr, 0, nullptr));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_run_check(context.get(), nullptr, 1));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_run_check(nullptr, nullptr, 0));
  EXPECT_STATUS(OK, einc_vk_run_check(context.get(), nullptr, 0));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_event_wait(nullptr, 0));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_event_times(nullptr, nullptr, nullptr));
  einc_vk_context_free(nullptr);
  einc_vk_buffer_free(nullptr);
  einc_vk_kernel_free(nullptr);
  einc_vk_event_free(nullptr);
  EXPECT_EQ(einc_vk_context_device(nullptr), nullptr);
  EXPECT_EQ(einc_vk_buffer_address(nullptr), 0U);
}

TEST_F(FaultsTest, Spirv) {
  const einc_vk_kernel_description good = reverseDescription();
  std::vector<uint32_t> words(std::begin(k_reverse), std::end(k_reverse));
  einc_vk_kernel_description d = good;
  d.spirv = words.data();
  EXPECT_STATUS(OK, create(d));

  d.spirv_bytes = 0;
  EXPECT_STATUS(BAD_SPIRV, create(d));
  d.spirv_bytes = good.spirv_bytes - 1;
  EXPECT_STATUS(BAD_SPIRV, create(d));
  d.spirv_bytes = good.spirv_bytes - 4;  // the last instruction is cut off or missing
  d.spirv = nullptr;
  EXPECT_STATUS(BAD_SPIRV, create(d));
  d = good;
  d.entry_point = "mai";
  EXPECT_STATUS(BAD_SPIRV, create(d));
  d.entry_point = "main_and_more";
  EXPECT_STATUS(BAD_SPIRV, create(d));

  // A header that is wrong, and instructions of no length or too long, wherever they stand.
  d = good;
  d.spirv = words.data();
  for (const auto &[at, value] : std::vector<std::pair<size_t, uint32_t>>{{0, 0x03022307},
                                                                          {1, 0x20000},
                                                                          {3, 0},
                                                                          {3, 0xffffffff},
                                                                          {4, 1},
                                                                          {5, 17},
                                                                          {5, 0xffff0011}}) {
    const uint32_t old = words[at];
    words[at] = value;
    EXPECT_STATUS(BAD_SPIRV, create(d)) << at;
    words[at] = old;
  }
  words[6] = 6000;  // the first instruction is a capability
  EXPECT_STATUS(MISSING_FEATURE, create(d));
}

TEST_F(FaultsTest, DescriptionsPastTheLimits) {
  einc_vk_kernel_description d = reverseDescription();
  d.push_bytes = device().max_push_bytes + 4;
  EXPECT_STATUS(PUSH_TOO_LARGE, create(d));
  EXPECT_NE(std::string(einc_vk_last_message()).find(std::to_string(d.push_bytes)),
            std::string::npos);
  d.push_bytes = 6;
  EXPECT_STATUS(BAD_ARGUMENT, create(d));

  d = reverseDescription();
  d.buffer_count = device().max_buffers + 1;
  EXPECT_STATUS(TOO_MANY_BUFFERS, create(d));
  d = reverseDescription();
  d.written = 4;
  EXPECT_STATUS(BAD_ARGUMENT, create(d));

  d = reverseDescription();
  d.workgroup_size[1] = 0;
  EXPECT_STATUS(BAD_ARGUMENT, create(d));
  d.workgroup_size[1] = device().max_workgroup_size[1] + 1;
  EXPECT_STATUS(WORKGROUP_TOO_LARGE, create(d));
  d.workgroup_size[1] = device().max_workgroup_size[1];
  d.workgroup_size[0] = device().max_workgroup_size[0];
  EXPECT_STATUS(WORKGROUP_TOO_LARGE, create(d));
  d = reverseDescription();
  d.workgroup_size[0] = 32;  // the module says 64
  EXPECT_STATUS(BAD_ARGUMENT, create(d));
  d = reverseDescription();
  d.shared_bytes = device().max_shared_bytes + 1;
  EXPECT_STATUS(SHARED_TOO_LARGE, create(d));

  d = reverseDescription();
  d.splits = 1;  // but no room
  EXPECT_STATUS(BAD_ARGUMENT, create(d));
  d = countDescription();
  d.base_offset = 12;
  EXPECT_STATUS(BAD_ARGUMENT, create(d));
  d = reverseDescription();
  d.constant_count = 1;
  EXPECT_STATUS(BAD_ARGUMENT, create(d));
}

TEST_F(FaultsTest, MissingFeatures) {
  // As on a device without f64: the module says that it needs it.
  if (device().features & EINC_VK_F64) EXPECT_STATUS(OK, create(doubleDescription()));
  context->info.features &= ~static_cast<uint32_t>(EINC_VK_F64);
  EXPECT_STATUS(MISSING_FEATURE, create(doubleDescription()));
  einc_vk_kernel_description d = reverseDescription();
  EXPECT_STATUS(OK, create(d));
  d.features = 1U << 31;
  EXPECT_STATUS(MISSING_FEATURE, create(d));
}

TEST_F(FaultsTest, Buffers) {
  einc_vk_buffer *made = nullptr;
  EXPECT_STATUS(BUFFER_TOO_LARGE,
                einc_vk_buffer_create(context.get(), device().max_buffer_bytes + 1, &made));
  EXPECT_STATUS(BUFFER_TOO_LARGE, einc_vk_buffer_create(context.get(), UINT64_MAX, &made));
  EXPECT_EQ(made, nullptr);

  const Buffer small = buffer(10);
  char bytes[16] = {};
  EXPECT_STATUS(OUT_OF_BUFFER, einc_vk_buffer_write(small.get(), 0, bytes, 11));
  EXPECT_STATUS(OUT_OF_BUFFER, einc_vk_buffer_write(small.get(), 11, bytes, 0));
  EXPECT_STATUS(OUT_OF_BUFFER, einc_vk_buffer_read(small.get(), 8, bytes, UINT64_MAX));
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_buffer_read(small.get(), 0, nullptr, 1));
  EXPECT_STATUS(OK, einc_vk_buffer_write(small.get(), 10, bytes, 0));

  context->info.max_allocations = context->allocations;
  EXPECT_STATUS(TOO_MANY_OBJECTS, einc_vk_buffer_create(context.get(), 4, &made));
}

TEST_F(FaultsTest, Dispatches) {
  const Kernel reverse = kernel(reverseDescription()), count = kernel(countDescription());
  const Buffer a = upload(std::vector<uint32_t>(1000)), b = upload(std::vector<uint32_t>(1000));
  const Dispatch good(reverse, {&a, &b}, {64}, 1);

  Dispatch d(reverse, {&a}, {64}, 1);
  EXPECT_STATUS(WRONG_BUFFERS, run(d.get()));
  d = Dispatch(reverse, {&a, &b, &b}, {64}, 1);
  EXPECT_STATUS(WRONG_BUFFERS, run(d.get()));
  d = Dispatch(reverse, {&a, &b}, {}, 1);
  EXPECT_STATUS(WRONG_PUSH, run(d.get()));
  d = Dispatch(reverse, {&a, &b}, {64, 0}, 1);
  EXPECT_STATUS(WRONG_PUSH, run(d.get()));
  d = good;
  d.get();
  d.dispatch.push = nullptr;
  EXPECT_STATUS(BAD_ARGUMENT, run(d.dispatch));
  d = good;
  d.ranges[1].buffer = nullptr;
  EXPECT_STATUS(BAD_ARGUMENT, run(d.get()));
  d = good;
  d.dispatch.kernel = nullptr;
  EXPECT_STATUS(BAD_ARGUMENT, run(d.get()));

  for (const auto &[offset, bytes] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, 4001}, {256, 3800}, {4096, EINC_VK_TO_END}, {256, EINC_VK_TO_END - 1}}) {
    d = good;
    d.ranges[0].offset = offset;
    d.ranges[0].bytes = bytes;
    EXPECT_STATUS(OUT_OF_BUFFER, run(d.get())) << offset << " " << bytes;
  }
  if (device().offset_alignment > 1) {
    d = good;
    d.ranges[0].offset = 1;
    EXPECT_STATUS(MISALIGNED, run(d.get()));
  }

  // This kernel does not split.
  d = good;
  d.dispatch.workgroups[0] = UINT64_C(1) + device().max_workgroup_count[0];
  EXPECT_STATUS(TOO_MANY_WORKGROUPS, run(d.get()));
  d = Dispatch(count, {&a}, {1, 1, 0, 0, 0}, UINT64_C(1) << 32);
  EXPECT_STATUS(TOO_MANY_WORKGROUPS, run(d.get()));
  d = Dispatch(count, {&a}, {1, 1, 0, 0, 0}, UINT32_MAX, UINT32_MAX, UINT32_MAX);
  context->info.max_workgroup_count[0] = context->info.max_workgroup_count[1] = 65535;
  EXPECT_STATUS(TOO_MANY_WORKGROUPS, run(d.get()));
  d = good;
  EXPECT_STATUS(OK, run(d.get()));
}

TEST_F(FaultsTest, RangesTheDeviceCannotBind) {
  // The buffer is larger than what the device binds at once; where it is not, a lower limit is put
  // into the context. Parts of it can be used.
  const uint64_t limit = std::min<uint64_t>(device().max_binding_bytes, UINT64_C(256) << 20);
  context->info.max_binding_bytes = limit;
  const Kernel spin = kernel(spinDescription());
  const uint64_t begin = limit / 65536 * 65536;
  const Buffer large = buffer(begin + (UINT64_C(1) << 18));
  const uint32_t one = 1;
  EXPECT_STATUS(OK, einc_vk_buffer_write(large.get(), begin, &one, 4));
  Dispatch d(spin, {&large}, {0}, 1);
  EXPECT_STATUS(BINDING_TOO_LARGE, run(d.get()));
  d.ranges[0].offset = begin;
  d.push[0] = 3;
  EXPECT_STATUS(OK, run(d.get()));
  uint32_t value = 0;
  EXPECT_STATUS(OK, einc_vk_buffer_read(large.get(), begin, &value, 4));
  EXPECT_NE(value, 1U);
}

// --- layouts ----------------------------------------------------------------------------------

einc_vk_status push(const einc_layout &layout, uint64_t bound, int indexBytes, size_t capacity,
                    size_t *used) {
  char room[256];
  return einc_vk_push_layout(&layout, 4, bound, indexBytes, room, capacity, used);
}

TEST(PushTest, Layouts) {
  einc_layout layout = {2, 2, {2, 3}, {-3, 1}};  // from -1 on
  size_t used = 3;
  EXPECT_STATUS(OUT_OF_RANGE, push(layout, 1000, 4, 256, &used));
  layout.offset = 3;
  EXPECT_STATUS(OUT_OF_RANGE, push(layout, 23, 4, 256, &used));
  EXPECT_EQ(used, 3U);
  EXPECT_STATUS(OK, push(layout, 24, 4, 24, &used));
  EXPECT_EQ(used, 24U);
  used = 3;
  EXPECT_STATUS(PUSH_TOO_LARGE, push(layout, 24, 4, 23, &used));
  EXPECT_STATUS(OK, push(layout, 24, 8, 48, &used));
  EXPECT_EQ(used, 48U);
  used = SIZE_MAX;
  EXPECT_STATUS(PUSH_TOO_LARGE, push(layout, 24, 8, SIZE_MAX, &used));
  used = 0;
  layout.sizes[0] = -1;
  EXPECT_STATUS(BAD_LAYOUT, push(layout, 24, 4, 256, &used));
  layout = {1, INT64_MAX, {2}, {INT64_MAX}};
  EXPECT_STATUS(BAD_LAYOUT, push(layout, UINT64_MAX, 4, 256, &used));
  // All of offset, sizes and strides fit, but the last element does not.
  layout = {1, 0, {3}, {INT64_C(1) << 30}};
  EXPECT_STATUS(INDEX_TOO_LARGE, push(layout, UINT64_MAX, 4, 256, &used));
  EXPECT_STATUS(OK, push(layout, UINT64_MAX, 8, 256, &used));
  // What means nothing may be anything.
  layout = {2, INT64_MAX, {0, 3}, {INT64_MAX, INT64_MIN}};
  used = 0;
  EXPECT_STATUS(OK, push(layout, 0, 4, 256, &used));
  EXPECT_STATUS(BAD_ARGUMENT, push(layout, 0, 2, 256, &used));
  int32_t room[1];
  used = 0;
  EXPECT_STATUS(BAD_LAYOUT, einc_vk_push_memref(nullptr, 1, 4, 4, 4, room, 4, &used));
}

// --- Vulkan's functions fail ------------------------------------------------------------------

std::atomic<int> countdown = -1;  // the call that fails; negative: none
std::atomic<VkResult> failure = VK_SUCCESS;

// In place of the function that M names in a context's table.
template <auto M, typename F>
struct Fake;
template <auto M, typename... A>
struct Fake<M, VkResult (*)(A...)> {
  static inline VkResult (*real)(A...) = nullptr;
  static VkResult call(A... arguments) {
    return countdown-- == 0 ? failure.load() : real(arguments...);
  }
  static void install(einc_vk_functions &vk) {
    real = vk.*M;
    vk.*M = call;
  }
  static void remove(einc_vk_functions &vk) { vk.*M = real; }
};

class VulkanFailsTest : public FaultsTest {
 protected:
  void SetUp() override {
    einc_vk_options o = options();
    o.always_stage = 1;
    open(o);
  }

  // Something of everything. The first status that is not OK.
  einc_vk_status all() {
    const einc_vk_kernel_description d = reverseDescription();
    std::vector<uint32_t> data(64, 1);
    einc_vk_buffer *a = nullptr, *b = nullptr;
    einc_vk_kernel *reverse = nullptr;
    einc_vk_event *event = nullptr;
    einc_vk_status status = einc_vk_buffer_create(context.get(), 256, &a);
    if (status == EINC_VK_OK) status = einc_vk_buffer_create(context.get(), 256, &b);
    if (status == EINC_VK_OK) status = einc_vk_buffer_write(a, 0, data.data(), 256);
    if (status == EINC_VK_OK) status = einc_vk_kernel_create(context.get(), &d, &reverse);
    if (status == EINC_VK_OK) {
      const Buffer first(a), second(b);
      const Kernel both(reverse);
      Dispatch there(both, {&first, &second}, {64}, 1), back(both, {&second, &first}, {64}, 1);
      const einc_vk_dispatch two[] = {there.get(), back.get()};
      status = einc_vk_run(context.get(), two, 2, &event);
      if (status == EINC_VK_OK) status = einc_vk_event_wait(event, EINC_VK_FOREVER);
      double begin, end;
      if (status == EINC_VK_OK && device().timestamp_ns > 0) {
        status = einc_vk_event_times(event, &begin, &end);
      }
      einc_vk_event_free(event);
      if (status == EINC_VK_OK) status = einc_vk_buffer_read(a, 0, data.data(), 256);
      if (status == EINC_VK_OK) EXPECT_EQ(data, std::vector<uint32_t>(64, 3));
      return status;
    }
    einc_vk_buffer_free(a);
    einc_vk_buffer_free(b);
    einc_vk_kernel_free(reverse);
    return status;
  }

  // So that all that an event consists of is made anew.
  void forgetIdleEvents() {
    while (context->idle != nullptr) {
      einc_vk_event *event = context->idle;
      context->idle = event->next;
      einc_vk_event_destroy(event);
    }
  }

  template <auto M, typename F>
  void fail(const char *name) {
    SCOPED_TRACE(name);
    using TheFake = Fake<M, F>;
    int calls = 0;
    for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY}) {
      failure = result;
      for (calls = 0;; ++calls) {
        forgetIdleEvents();
        TheFake::install(context->vk);
        countdown = calls;
        const einc_vk_status status = all();
        const bool done = countdown >= 0;
        countdown = -1;
        TheFake::remove(context->vk);
        if (done) {
          EXPECT_EQ(status, EINC_VK_OK);
          break;
        }
        // einc_vk_event_free waits too, and has other means if that fails.
        if (status != EINC_VK_OK || std::strcmp(name, "vkWaitForFences") != 0) {
          EXPECT_EQ(status, einc_vk_result(result, ""));
        }
        ASSERT_LT(calls, 100);
      }
    }
    if (device().timestamp_ns > 0) {
      EXPECT_GT(calls, 0) << "never called";
    }
    EXPECT_EQ(context->references, 1);
    EXPECT_EQ(context->allocations, 0U);
  }
};

TEST_F(VulkanFailsTest, OutOfMemory) {
#define EINC_FAIL(name) fail<&einc_vk_functions::name, PFN_vk##name>("vk" #name);
  EINC_VK_FALLIBLE_FUNCTIONS(EINC_FAIL)
#undef EINC_FAIL
  EXPECT_STATUS(OK, all());
}

TEST_F(VulkanFailsTest, DeviceLost) {
  using Submit = Fake<&einc_vk_functions::QueueSubmit, PFN_vkQueueSubmit>;
  const Buffer before = buffer(16);
  Submit::install(context->vk);
  failure = VK_ERROR_DEVICE_LOST;
  countdown = 1;
  EXPECT_STATUS(DEVICE_LOST, all());
  Submit::remove(context->vk);
  // From then on, always.
  char byte = 0;
  einc_vk_event *event = nullptr;
  EXPECT_STATUS(DEVICE_LOST, all());
  EXPECT_STATUS(DEVICE_LOST, create(reverseDescription()));
  EXPECT_STATUS(DEVICE_LOST, einc_vk_buffer_write(before.get(), 0, &byte, 1));
  EXPECT_STATUS(DEVICE_LOST, einc_vk_run(context.get(), nullptr, 0, &event));
}

TEST_F(VulkanFailsTest, DeviceLostWhileWaiting) {
  using Wait = Fake<&einc_vk_functions::WaitForFences, PFN_vkWaitForFences>;
  einc_vk_event *event = nullptr;
  ASSERT_STATUS(OK, einc_vk_run(context.get(), nullptr, 0, &event));
  Wait::install(context->vk);
  failure = VK_ERROR_DEVICE_LOST;
  countdown = 0;
  EXPECT_STATUS(DEVICE_LOST, einc_vk_event_wait(event, EINC_VK_FOREVER));
  EXPECT_STATUS(DEVICE_LOST, einc_vk_event_wait(event, 0));
  countdown = 0;
  einc_vk_event_free(event);
  countdown = -1;
  Wait::remove(context->vk);
}

}  // namespace
}  // namespace einc_vk_test
