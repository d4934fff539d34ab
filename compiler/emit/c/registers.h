// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which registers of a repeated region (ir::Vector::times) are elements of arrays in C, and in
// which loops its statements stand. See registers.cpp for an example.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::emit {

class Registers {
 public:
  using Group = std::vector<const ir::Stmt*>;  // in a row, without blocks of their own
  struct Parts {
    Group free, bound;
  };
  using Name = std::function<std::string(const std::string&)>;
  using OnGroup = std::function<void(const Group&)>;
  using OnOther = std::function<void(const ir::Stmt&)>;

  // Keeps a reference. `most`: of axes, the largest sizes among a variant and those beside it.
  Registers(const ir::Vector& region, const std::map<std::string, int64_t>& most);

  const ir::Vector& region() const { return region_; }
  bool hasAxis(const std::string& name) const;

  // The statements of a block: those that share loops, and all others.
  void forEachGroup(const ir::Block& block, const OnGroup& onGroup, const OnOther& onOther) const;
  // What the statement loads, if lines are turned while they are loaded: the load's unit is no axis of lanes.
  const ir::Load* turnedBy(const ir::Stmt& stmt) const;
  // Whether any are, or registers are transposed.
  bool hasSquares() const;
  // Those that do not depend on axis number `axis`, and those that do.
  Parts split(const Group& group, size_t axis) const;

  // "[m][v]" and "[8][3]"; nothing for what is no array.
  std::string indices(const std::string& variable, const Name& name,
                      const std::string& without = "") const;
  std::string sizes(const std::string& variable) const;
  // The largest size of an axis, among a variant and those beside it.
  int64_t mostTimes(const ir::Axis& times) const;
  // What a variant's variable is called, as in those beside it; others keep their names.
  const std::string& nameOf(const std::string& variable) const;
  // Whether axis number `axis` is the first of an array's.
  bool beginsAt(const std::string& variable, size_t axis) const;

 private:
  static bool isSimple(const ir::Stmt& stmt);
  void note(const ir::Block& block);
  bool has(const ir::Stmt& stmt, const std::string& axis) const;
  void plan(const ir::Block& block);
  void plan(const Group& group, size_t axis);

  void nameAlike();

  const ir::Vector& region_;
  const std::map<std::string, int64_t>& most_;
  std::map<std::string, std::string> names_;              // of a variant's variables
  std::map<std::string, std::vector<std::string>> axes_;  // of variables
  std::map<std::string, std::set<const ir::Stmt*>> uses_;
  std::map<std::string, std::vector<size_t>> indices_;  // numbers of axes
};

}  // namespace einc::emit
