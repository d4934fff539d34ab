// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether invocations of a dispatch get in each other's way: one writes what another reads or
// writes, with no barrier between them, or in another workgroup.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "compiler/ir/ir.h"

namespace einc::interp {

class Races {
 public:
  void begin(const ir::Dispatch& dispatch) {
    shape_ = dispatch.invocations;
    elements_.clear();
    at_ = {0, 0, 0};
    isOn_ = true;
  }
  void end() { isOn_ = false; }
  bool isOn() const { return isOn_; }
  void barrier(bool buffers) {
    ++phase_;
    if (buffers) seen_ = phase_;
  }
  // The iteration of a loop begins.
  void enter(ir::On on, int64_t iteration) {
    if (!isOn_) return;
    if (ir::isOnWorkgroups(on) || on == ir::On::Grid) {
      group_ = seen_ = ++phase_;
      invocation_ = 0;
    } else if (on == ir::On::Invocations) {
      invocation_ = iteration % (shape_[0] * shape_[1] * shape_[2]);
    } else if (on != ir::On::Order) {
      at_[static_cast<size_t>(on) - static_cast<size_t>(ir::On::InvocationsX)] = iteration;
      invocation_ = at_[0] + shape_[0] * (at_[1] + shape_[1] * at_[2]);
    }
  }
  void leave(ir::On on) {
    if (on >= ir::On::InvocationsX && on <= ir::On::InvocationsZ)
      at_[static_cast<size_t>(on) - static_cast<size_t>(ir::On::InvocationsX)] = 0;
  }
  // The tensor has new memory.
  void forget(unsigned tensor, ir::Space space) {
    if (!isOn_) return;
    elements_.erase(tensor);
    if (space == ir::Space::Workgroup) shared_.insert(tensor);
  }

  // False: another invocation has written the element, or has read what this one writes.
  bool access(unsigned tensor, int64_t element, bool writes) {
    if (!isOn_) return true;
    Element& e = elements_[tensor][element];
    int64_t seen = shared_.count(tensor) != 0 ? phase_ : seen_;
    bool isRead = inTheWay(e.read, phase_) || e.inGroups || (e.bySeveral && e.read.phase == phase_);
    bool good = !inTheWay(e.written, seen) && !(writes && isRead);
    if (writes) {
      e = {{group_, phase_, invocation_}, {}};
      return good;
    }
    e.inGroups |= e.read.phase != 0 && e.read.group != group_;
    e.bySeveral = inTheWay(e.read, phase_) || (e.bySeveral && e.read.phase == phase_);
    e.read = {group_, phase_, invocation_};
    return good;
  }

 private:
  struct Who {
    int64_t group = 0, phase = 0, invocation = 0;  // phase 0: nobody
  };
  struct Element {
    Who written, read;
    // Read by others than `read`: in its phase, in another group.
    bool bySeveral = false, inGroups = false;
  };
  // Another, and not before the barrier with which `since` began.
  bool inTheWay(const Who& who, int64_t since) const {
    if (who.phase == 0) return false;
    return who.group != group_ || (who.phase >= since && who.invocation != invocation_);
  }

  std::array<int64_t, 3> shape_ = {1, 1, 1}, at_ = {0, 0, 0};
  std::map<unsigned, std::map<int64_t, Element>> elements_;
  std::set<unsigned> shared_;  // memory of workgroups
  int64_t group_ = 0, phase_ = 0, invocation_ = 0;
  int64_t seen_ = 0;  // the phase since when what is written to buffers is not seen by all
  bool isOn_ = false;
};

}  // namespace einc::interp
