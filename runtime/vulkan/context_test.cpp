// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Devices, contexts and the file of the pipeline cache.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "runtime/vulkan/test_util.hpp"

namespace einc_vk_test {
namespace {

namespace fs = std::filesystem;

std::vector<einc_vk_device_info> devices() {
  int count = 0;
  EXPECT_STATUS(OK, einc_vk_list_devices(nullptr, 0, &count));
  std::vector<einc_vk_device_info> all(static_cast<size_t>(count));
  EXPECT_STATUS(OK, einc_vk_list_devices(all.data(), count, &count));
  EXPECT_EQ(all.size(), static_cast<size_t>(count));
  return all;
}

TEST(StatusTest, EachHasASentenceAndANumberOfItsOwn) {
  std::set<std::string> sentences;
  std::set<int> numbers;
  int rows = 0;
#define EINC_VK_STATUS(name, value, sentence) \
  ++rows;                                     \
  sentences.insert(sentence);                 \
  numbers.insert(value);                      \
  EXPECT_STREQ(einc_vk_status_string(EINC_VK_##name), sentence);
#define EINC_STATUS(name, value, sentence) \
  if ((value) != 0) EXPECT_EQ(numbers.count(value), 0U) << sentence;
#include "runtime/vulkan/status.def"
  EXPECT_EQ(static_cast<int>(sentences.size()), rows);
  EXPECT_EQ(static_cast<int>(numbers.size()), rows);
#include "runtime/status.def"
#undef EINC_STATUS
#undef EINC_VK_STATUS
  EXPECT_STREQ(einc_vk_status_string(12345), "unknown status of Einc's Vulkan runtime");
}

TEST(DevicesTest, LimitsAreAtLeastVulkans) {
  const std::vector<einc_vk_device_info> all = devices();
  ASSERT_FALSE(all.empty());
  for (const einc_vk_device_info &info : all) {
    SCOPED_TRACE(info.name);
    EXPECT_NE(std::string(info.name), "");
    EXPECT_EQ(info.api[0], 1U);
    EXPECT_GE(info.api[1], 1U);
    EXPECT_GE(info.subgroup_size, 1U);
    for (int i = 0; i < 3; ++i) EXPECT_GE(info.max_workgroup_count[i], 65535U);
    for (int i = 0; i < 3; ++i) EXPECT_GE(info.max_workgroup_size[i], 64U);
    EXPECT_GE(info.max_workgroup_invocations, 128U);
    EXPECT_GE(info.max_shared_bytes, 16384U);
    EXPECT_GE(info.max_push_bytes, 128U);
    EXPECT_GE(info.max_buffers, 4U);
    EXPECT_GE(info.max_allocations, 4096U);
    EXPECT_GE(info.max_binding_bytes, UINT64_C(1) << 27);
    EXPECT_GE(info.max_buffer_bytes, UINT64_C(1) << 27);
    EXPECT_LE(info.offset_alignment, 256U);
  }
  // A list that is too short is filled as far as it goes.
  std::vector<einc_vk_device_info> none(1);
  int count = 0;
  EXPECT_STATUS(OK, einc_vk_list_devices(none.data(), 0, &count));
  EXPECT_EQ(none[0].name[0], 0);
  EXPECT_EQ(static_cast<size_t>(count), all.size());
}

class ContextTest : public VkTest {
 protected:
  void SetUp() override {}

  std::string nameOf(const char *wanted) {
    einc_vk_options o = options();
    o.device = wanted;
    open(o);
    return context == nullptr ? "" : device().name;
  }
};

TEST_F(ContextTest, DevicesByNumberAndName) {
  const std::vector<einc_vk_device_info> all = devices();
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(nameOf(std::to_string(i).c_str()), all[i].name);
  std::string name = all[0].name;
  std::transform(name.begin(), name.end(), name.begin(), ::toupper);
  EXPECT_EQ(nameOf(name.c_str()), all[0].name);
  EXPECT_EQ(nameOf(name.substr(1, 5).c_str()), all[0].name);
  EXPECT_EQ(nameOf(""), all[0].name);

  einc_vk_options o = options();
  einc_vk_context *none = nullptr;
  for (const char *unknown : {"no such device", "4294967295", "99", "18446744073709551616"}) {
    o.device = unknown;
    EXPECT_STATUS(UNKNOWN_DEVICE, einc_vk_context_create(&o, &none));
    EXPECT_EQ(none, nullptr);
  }
  EXPECT_NE(std::string(einc_vk_last_message()).find("18446744073709551616"), std::string::npos);
}

TEST_F(ContextTest, Defaults) {
  einc_vk_context *made = nullptr;
  ASSERT_STATUS(OK, einc_vk_context_create(nullptr, &made));
  const Context plain(made);
  EXPECT_EQ(einc_vk_context_messages(made), 0U);
  EXPECT_STATUS(CACHE_NOT_WRITTEN, einc_vk_context_save_cache(made));
  einc_vk_queue_lock(made);
  einc_vk_queue_unlock(made);

  einc_vk_options o = {};
  einc_vk_handles handles = {};
  o.existing = &handles;
  EXPECT_STATUS(BAD_ARGUMENT, einc_vk_context_create(&o, &made));
}

TEST_F(ContextTest, SeveralAtATime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      einc_vk_options o = options();
      einc_vk_context *made = nullptr;
      EXPECT_STATUS(OK, einc_vk_context_create(&o, &made));
      einc_vk_context_free(made);
    });
  }
  for (std::thread &thread : threads) thread.join();
}

// --- what is not installed --------------------------------------------------------------------

// In processes of their own, since the environment is read once.
class MissingDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void listAndExit(einc_vk_status expected) {
    int count = -1;
    einc_vk_context *context = nullptr;
    einc_vk_options o = {};
    o.validation = expected == EINC_VK_NO_VALIDATION;
    const bool listed = o.validation || einc_vk_list_devices(nullptr, 0, &count) == expected;
    const bool created = einc_vk_context_create(&o, &context) == expected;
    std::exit(listed && created && count == -1 && context == nullptr ? 0 : 1);
  }
  static std::string emptyFolder() {
    const fs::path folder = fs::path(::testing::TempDir()) / "empty";
    fs::create_directories(folder);
    return folder.string();
  }
};

TEST_F(MissingDeathTest, Driver) {
  EXPECT_EXIT(
      {
        setenv("VK_DRIVER_FILES", emptyFolder().c_str(), 1);
        setenv("VK_ICD_FILENAMES", emptyFolder().c_str(), 1);
        listAndExit(EINC_VK_NO_DRIVER);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(MissingDeathTest, Loader) {
  EXPECT_EXIT(
      {
        einc_vk_loader_name = "libvulkan-that-is-not-there.so";
        listAndExit(EINC_VK_NO_LOADER);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        einc_vk_loader_name = "libm.so.6";
        listAndExit(EINC_VK_NO_LOADER);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(MissingDeathTest, Validation) {
  EXPECT_EXIT(
      {
        setenv("VK_LAYER_PATH", emptyFolder().c_str(), 1);
        listAndExit(EINC_VK_NO_VALIDATION);
      },
      ::testing::ExitedWithCode(0), "");
}

// --- the cache --------------------------------------------------------------------------------

class CacheTest : public VkTest {
 protected:
  fs::path folder;

  void SetUp() override {
    folder = fs::path(::testing::TempDir()) /
             ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder);
    fs::create_directories(folder);
  }

  einc_vk_options cached(const std::string &path) {
    einc_vk_options o = options();
    o.cache_folder = path.c_str();
    return o;
  }

  // Compiles and runs something, and writes the file.
  void use() {
    const std::string path = folder.string();
    open(cached(path));
    const Kernel count = kernel(countDescription());
    const Buffer counts = upload(std::vector<uint32_t>(9));
    Dispatch all(count, {&counts}, {9, 1, 0, 0, 0}, 9);
    runAndWait({all.get()});
    EXPECT_EQ(download<uint32_t>(counts)[8], 9U);
    EXPECT_STATUS(OK, einc_vk_context_save_cache(context.get()));
  }

  std::vector<fs::path> files() {
    std::vector<fs::path> all;
    for (const auto &entry : fs::directory_iterator(folder)) all.push_back(entry.path());
    return all;
  }

  static std::string read(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }
};

TEST_F(CacheTest, WrittenAndReadAgain) {
  use();
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files()[0];
  const std::string first = read(file);
  EXPECT_GE(first.size(), 24U + 32U);  // both headers; a driver may have nothing to keep
  const uint64_t hash = context->cache_hash;
  EXPECT_NE(hash, 0U);
  const std::string path = folder.string();
  open(cached(path));
  EXPECT_EQ(context->cache_hash, hash) << "was not read";
  use();
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CacheTest, WrittenWhenTheContextIsFreed) {
  const std::string path = folder.string();
  open(cached(path));
  kernel(countDescription());
  context.reset();
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CacheTest, BrokenFilesAreIgnoredAndReplaced) {
  use();
  const fs::path file = files().at(0);
  const std::string good = read(file), path = folder.string();
  std::vector<std::string> bad = {"",
                                  "x",
                                  good.substr(0, 20),
                                  good.substr(0, good.size() - 1),
                                  good + "x",
                                  std::string(good.size(), 'x')};
  for (size_t i = 0; i < good.size(); i += 1 + good.size() / 20) {
    std::string flipped = good;
    flipped[i] ^= 0x40;
    bad.push_back(flipped);
  }
  for (const std::string &text : bad) {
    context.reset();
    write(file, text);
    open(cached(path));
    if (HasFatalFailure()) return;
    EXPECT_EQ(context->cache_hash, 0U);
    use();
    open(cached(path));
    if (HasFatalFailure()) return;
    EXPECT_NE(context->cache_hash, 0U);
    EXPECT_EQ(files().size(), 1U);
  }
}

// Whole, and with the right checksum, but written by another driver.
TEST_F(CacheTest, ForeignFilesAreIgnored) {
  use();
  const fs::path file = files().at(0);
  std::string text = read(file);
  context.reset();
  text[24 + 8] ^= 1;  // the driver's header: its vendor
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 24; i < text.size(); ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * UINT64_C(1099511628211);
  }
  std::memcpy(&text[16], &hash, sizeof(hash));
  write(file, text);
  const std::string path = folder.string();
  open(cached(path));
  EXPECT_EQ(context->cache_hash, 0U);
}

TEST_F(CacheTest, FoldersThatAreNotThere) {
  const std::string path = (folder / "not" / "there").string();
  open(cached(path));
  kernel(countDescription());
  EXPECT_STATUS(CACHE_NOT_WRITTEN, einc_vk_context_save_cache(context.get()));
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace einc_vk_test
