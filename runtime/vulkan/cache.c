// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The pipeline cache and its file: a header of ours, then the driver's bytes. Drivers need not
// survive bytes that are not theirs, hence the checksum.
#define _POSIX_C_SOURCE 200809L  // NOLINT(bugprone-reserved-identifier)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/vulkan/internal.h"

typedef struct {
  char magic[8];
  uint64_t bytes, hash;
} file_header;

static const char kMagic[8] = {'E', 'I', 'N', 'C', 'V', 'K', '0', '1'};
static const uint64_t kMaxBytes = UINT64_C(1) << 30;

static uint64_t hash_of(const void *data, size_t bytes) {
  const unsigned char *at = (const unsigned char *)data;
  uint64_t hash = UINT64_C(14695981039346656037);  // FNV-1a
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
  return hash;
}

// The folder, and a name for each device and driver.
static char *path_of(const char *folder, const VkPhysicalDeviceProperties *properties) {
  const size_t bytes = strlen(folder) + 80;
  char *path = (char *)malloc(bytes);
  if (path == NULL) return NULL;
  int end = snprintf(path, bytes, "%s/einc-%08x-%08x-", folder, (unsigned)properties->vendorID,
                     (unsigned)properties->deviceID);
  for (size_t i = 0; i < VK_UUID_SIZE; ++i) {
    end += snprintf(path + end, bytes - (size_t)end, "%02x", properties->pipelineCacheUUID[i]);
  }
  snprintf(path + end, bytes - (size_t)end, ".vkcache");
  return path;
}

// Whether the driver's own header is of this device and driver.
static int is_of_device(const void *data, uint64_t bytes,
                        const VkPhysicalDeviceProperties *properties) {
  VkPipelineCacheHeaderVersionOne header;
  if (bytes < sizeof(header)) return 0;
  memcpy(&header, data, sizeof(header));
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.headerSize >= sizeof(header) && header.headerSize <= bytes &&
         header.vendorID == properties->vendorID && header.deviceID == properties->deviceID &&
         !memcmp(header.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE);
}

// The driver's bytes, to be freed; null unless the file is whole and fits.
static void *read_file(const char *path, const VkPhysicalDeviceProperties *properties,
                       size_t *bytes, uint64_t *hash) {
  file_header header;
  void *data = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  if (fread(&header, sizeof(header), 1, file) == 1 &&
      !memcmp(header.magic, kMagic, sizeof(kMagic)) && header.bytes <= kMaxBytes) {
    data = malloc((size_t)header.bytes + 1);
  }
  if (data != NULL) {
    *bytes = (size_t)header.bytes;
    *hash = header.hash;
    // One byte more must not be there.
    if (fread(data, 1, *bytes + 1, file) != *bytes || hash_of(data, *bytes) != header.hash ||
        !is_of_device(data, header.bytes, properties)) {
      free(data);
      data = NULL;
    }
  }
  fclose(file);
  return data;
}

einc_vk_status einc_vk_cache_open(einc_vk_context *context, const char *folder) {
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  void *data = NULL;
  context->vk.GetPhysicalDeviceProperties2(context->physical, &all);
  if (folder != NULL) {
    context->cache_path = path_of(folder, &all.properties);
    if (context->cache_path == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "cache path");
    data = read_file(context->cache_path, &all.properties, &info.initialDataSize,
                     &context->cache_hash);
    if (data == NULL) context->cache_hash = info.initialDataSize = 0;
    info.pInitialData = data;
  }
  const VkResult result =
      context->vk.CreatePipelineCache(context->device, &info, NULL, &context->cache);
  free(data);
  return einc_vk_check(context, result, "vkCreatePipelineCache");
}

// Beside the file, then in its place: readers see the old one or the new one, whole.
static int write_file(const char *path, const file_header *header, const void *data) {
  const size_t bytes = strlen(path) + 8;
  char *temporary = (char *)malloc(bytes);
  if (temporary == NULL) return 0;
  snprintf(temporary, bytes, "%s.XXXXXX", path);
  const int descriptor = mkstemp(temporary);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  int written = 0;
  if (file != NULL) {
    written = fwrite(header, sizeof(*header), 1, file) == 1 &&
              fwrite(data, 1, (size_t)header->bytes, file) == header->bytes;
    written &= fclose(file) == 0;
    written = written && rename(temporary, path) == 0;
  } else if (descriptor >= 0) {
    close(descriptor);
  }
  if (descriptor >= 0 && !written) unlink(temporary);
  free(temporary);
  return written;
}

einc_vk_status einc_vk_context_save_cache(einc_vk_context *context) {
  if (context == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_context_save_cache");
  if (context->cache_path == NULL) return einc_vk_fail(EINC_VK_CACHE_NOT_WRITTEN, "no folder");
  size_t bytes = 0;
  VkResult result = context->vk.GetPipelineCacheData(context->device, context->cache, &bytes, NULL);
  if (result != VK_SUCCESS) return einc_vk_check(context, result, "vkGetPipelineCacheData");
  void *data = malloc(bytes + 1);
  if (data == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "pipeline cache");
  // VK_INCOMPLETE, if another thread compiles: what has come is whole all the same.
  result = context->vk.GetPipelineCacheData(context->device, context->cache, &bytes, data);
  einc_vk_status status = einc_vk_check(context, result, "vkGetPipelineCacheData");
  if (status == EINC_VK_OK) {
    file_header header = {.bytes = bytes, .hash = hash_of(data, bytes)};
    memcpy(header.magic, kMagic, sizeof(kMagic));
    pthread_mutex_lock(&context->lock);
    const int is_new = context->cache_hash != header.hash;
    pthread_mutex_unlock(&context->lock);
    if (is_new && !write_file(context->cache_path, &header, data)) {
      status = einc_vk_fail(EINC_VK_CACHE_NOT_WRITTEN, "%s", context->cache_path);
    } else if (is_new) {
      pthread_mutex_lock(&context->lock);
      context->cache_hash = header.hash;
      pthread_mutex_unlock(&context->lock);
    }
  }
  free(data);
  return status;
}
