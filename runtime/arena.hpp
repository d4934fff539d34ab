// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// einc::Arena: memory that calls of kernels take and give back, kept between them (arena.h).
//
//   auto arena = einc::Arena::create(256 << 20);
//   if (!arena) return arena.status();
//   einc_status status = attention_in_arena(q, k, v, out, arena->get());
//
// Destroying it frees what it keeps; no call may use it any more.
#ifndef EINC_RUNTIME_ARENA_HPP_
#define EINC_RUNTIME_ARENA_HPP_

#include <cstdint>
#include <memory>

#include "runtime/arena.h"
#include "runtime/result.hpp"

namespace einc {

class Arena {
 public:
  static Result<Arena> create(std::int64_t bound) {
    einc_arena *arena = nullptr;
    const einc_status status = einc_arena_create(bound, &arena);
    if (status != EINC_OK) return status;
    return Arena(arena);
  }

  einc_arena *get() const { return arena_.get(); }
  void trim() { einc_arena_trim(arena_.get()); }

 private:
  struct Destroy {
    void operator()(einc_arena *arena) const { einc_arena_destroy(arena); }
  };

  explicit Arena(einc_arena *arena) : arena_(arena) {}

  std::unique_ptr<einc_arena, Destroy> arena_;
};

}  // namespace einc

#endif
