// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// operator new and delete for a program that builds many small trees, copies them, and ends soon.
// The C library's take two fifths of the time of `einc build`, most of it for joining freed blocks.
// These never join any: what is freed is kept, for the next of its size.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EINC_SANITIZED  // it has its own
#endif
#endif

#ifndef EINC_SANITIZED
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// What stands before memory that is given out, at its alignment.
struct alignas(std::max_align_t) Header {
  union {
    size_t units;  // 0: from the C library
    Header* next;  // while it is free
  };
};

constexpr size_t kUnit = sizeof(Header);
constexpr size_t kMostUnits = 64;  // with the header; larger blocks are few
constexpr size_t kChunk = 1 << 18;

// Blocks go to the lists of those who free them, which need not be who made them.
thread_local constinit Header* freed[kMostUnits + 1] = {};
thread_local constinit Header* rest = nullptr;  // of a chunk
thread_local constinit size_t restUnits = 0;

// Null if there is no memory.
Header* fromChunk(size_t units) {
  if (restUnits < units) {
    rest = static_cast<Header*>(std::malloc(kChunk));
    restUnits = rest ? kChunk / kUnit : 0;
    if (!rest) return nullptr;
  }
  Header* block = rest;
  rest += units;
  restUnits -= units;
  return block;
}

Header* take(size_t size) {
  const size_t units = size / kUnit + 2;  // rounded up, and the header
  if (units > kMostUnits) {
    auto* block =
        static_cast<Header*>(size > SIZE_MAX - kUnit ? nullptr : std::malloc(size + kUnit));
    if (block) block->units = 0;
    return block;
  }
  Header* block = freed[units];
  if (block)
    freed[units] = block->next;
  else
    block = fromChunk(units);
  if (block) block->units = units;
  return block;
}

}  // namespace

void* operator new(size_t size) {
  while (true) {
    if (Header* block = take(size)) return block + 1;
    std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  if (!memory) return;
  Header* block = static_cast<Header*>(memory) - 1;
  const size_t units = block->units;
  if (units == 0) return std::free(block);
  block->next = freed[units];
  freed[units] = block;
}

void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
#endif
