// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Regions of vectors that are repeated (ir::Vector::times): loops that the C compiler unrolls.
//
//   vector (n: 16) times (m: 8, v: 3) {     einc_f32x16 c[8][3];
//     let c: f32 over (m, v, n) = -0.0      einc_unrolled for (int64_t m = 0; m < 8; ++m)
//                                             einc_unrolled for (int64_t v = 0; v < 3; ++v)
//                                               c[m][v] = einc_splat_f32x16(-0.0f);
//     for k = 0 .. K reduction {            for (int64_t k = 0; k < K; ++k) {
//       let b: f32 over (v, n) = %B[...]      einc_f32x16 b[3];
//                                             einc_unrolled for (int64_t v = 0; v < 3; ++v)
//                                               b[v] = einc_load_f32x16(&B_data[...]);
//       let a: f32 over (m) = %A[...]         einc_unrolled for (int64_t m = 0; m < 8; ++m) {
//       c = fma(a, b, c)                        float a = A_data[...];
//                                               einc_unrolled for (int64_t v = 0; v < 3; ++v)
//                                                 c[m][v] = einc_fma_f32x16(...);
//     }                                       }
//   }                                       }
//
// Statements in a row share the loops along the axes that they have in common, but a store behind an
// assignment, as other positions may be read by that; what depends on none of these comes first. A
// variable that is used nowhere else than in a loop has no index for it.
#include <algorithm>

#include "compiler/emit/c/body.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {
Registers::Registers(const ir::Vector& region, const std::map<std::string, int64_t>& most)
    : region_(region), most_(most) {
  note(region.body);
  plan(region.body);
  if (region.variant) nameAlike();
}

// Variables have numbers behind their names, which differ from variant to variant.
void Registers::nameAlike() {
  std::map<std::string, int> last;
  ir::forEachStatement(region_.body, [&](const ir::Stmt& stmt) {
    auto* let = std::get_if<ir::Let>(&stmt.node);
    if (!let) return;
    std::string name = "." + let->name.substr(0, let->name.find_last_not_of("0123456789") + 1);
    int number = last[name]++;
    names_[let->name] = number > 0 ? name + "_" + std::to_string(number) : name;
  });
}

const std::string& Registers::nameOf(const std::string& variable) const {
  auto found = names_.find(variable);
  return found == names_.end() ? variable : found->second;
}

bool Registers::isSimple(const ir::Stmt& stmt) {
  return ir::valueOf(stmt) != nullptr || std::holds_alternative<ir::Prefetch>(stmt.node) ||
         std::holds_alternative<ir::Transpose>(stmt.node);
}

void Registers::note(const ir::Block& block) {
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) axes_[let->name] = let->axes;
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) uses_[assign->name].insert(&stmt);
    if (auto* transposed = std::get_if<ir::Transpose>(&stmt.node))
      uses_[transposed->name].insert(&stmt);
    if (ir::ValueRef value = ir::valueOf(stmt))
      ir::forEach(value, [&](const ir::Value& v) {
        if (auto* variable = std::get_if<ir::Variable>(&v.node))
          uses_[variable->name].insert(&stmt);
      });
  });
}

bool Registers::has(const ir::Stmt& stmt, const std::string& axis) const {
  if (auto* let = std::get_if<ir::Let>(&stmt.node)) return llvm::is_contained(let->axes, axis);
  if (auto* assign = std::get_if<ir::Assign>(&stmt.node))
    return llvm::is_contained(axes_.at(assign->name), axis);
  // All of its registers at once.
  if (auto* transposed = std::get_if<ir::Transpose>(&stmt.node))
    return axis != transposed->axis && llvm::is_contained(axes_.at(transposed->name), axis);
  auto* store = std::get_if<ir::Store>(&stmt.node);
  auto* prefetch = std::get_if<ir::Prefetch>(&stmt.node);
  for (const affine::Expr& e : store ? store->index : prefetch->index)
    if (llvm::is_contained(e.iterators(), axis)) return true;
  return false;
}

Registers::Parts Registers::split(const Group& group, size_t axis) const {
  Parts parts;
  for (const ir::Stmt* stmt : group)
    (has(*stmt, region_.times[axis].name) ? parts.bound : parts.free).push_back(stmt);
  return parts;
}

const ir::Load* Registers::turnedBy(const ir::Stmt& stmt) const {
  auto* let = std::get_if<ir::Let>(&stmt.node);
  auto* load = let ? std::get_if<ir::Load>(&let->value->node) : nullptr;
  return load && hasAxis(load->unit) ? load : nullptr;
}

bool Registers::hasSquares() const {
  bool found = false;
  ir::forEachStatement(region_.body, [&](const ir::Stmt& stmt) {
    found |= std::holds_alternative<ir::Transpose>(stmt.node) || turnedBy(stmt);
  });
  return found;
}

void Registers::forEachGroup(const ir::Block& block, const OnGroup& onGroup,
                             const OnOther& onOther) const {
  Group group;
  for (const ir::Stmt& stmt : block) {
    bool alone = std::holds_alternative<ir::Transpose>(stmt.node);
    if (!group.empty() && ir::isWrittenAfter(*group.back(), stmt))
      onGroup(std::exchange(group, {}));
    if (isSimple(stmt) && !alone) {
      group.push_back(&stmt);
      continue;
    }
    if (!group.empty()) onGroup(std::exchange(group, {}));
    if (alone)
      onGroup({&stmt});
    else
      onOther(stmt);
  }
  if (!group.empty()) onGroup(group);
}

void Registers::plan(const ir::Block& block) {
  forEachGroup(
      block, [&](const Group& group) { plan(group, 0); },
      [&](const ir::Stmt& stmt) {
        for (const ir::Block* inner : ir::blocksOf(stmt)) plan(*inner);
      });
}

void Registers::plan(const Group& group, size_t axis) {
  if (axis == region_.times.size() || group.empty()) return;
  Parts parts = split(group, axis);
  for (const ir::Stmt* stmt : parts.bound)
    if (auto* let = std::get_if<ir::Let>(&stmt->node)) {
      bool within =
          std::all_of(uses_[let->name].begin(), uses_[let->name].end(),
                      [&](const ir::Stmt* use) { return llvm::is_contained(parts.bound, use); });
      auto* turned = turnedBy(*stmt);  // all of its registers at once
      const bool isWhole = turned && turned->unit == region_.times[axis].name;
      if (!within || isWhole) indices_[let->name].push_back(axis);
    }
  plan(parts.free, axis + 1);
  plan(parts.bound, axis + 1);
}

std::string Registers::indices(const std::string& variable, const Name& name,
                               const std::string& without) const {
  auto found = indices_.find(variable);
  std::string text;
  if (found == indices_.end()) return text;
  for (size_t axis : found->second)
    if (region_.times[axis].name != without) text += "[" + name(region_.times[axis].name) + "]";
  return text;
}

std::string Registers::sizes(const std::string& variable) const {
  auto found = indices_.find(variable);
  std::string text;
  if (found == indices_.end()) return text;
  for (size_t axis : found->second) {
    text += "[" + std::to_string(mostTimes(region_.times[axis])) + "]";
  }
  return text;
}

int64_t Registers::mostTimes(const ir::Axis& times) const {
  return region_.variant ? most_.at(times.name) : times.size;
}

bool Registers::beginsAt(const std::string& variable, size_t axis) const {
  auto found = indices_.find(variable);
  return found != indices_.end() && found->second.front() == axis;
}

bool Registers::hasAxis(const std::string& name) const {
  return std::any_of(region_.times.begin(), region_.times.end(),
                     [&](const ir::Axis& axis) { return axis.name == name; });
}

// ---- BodyWriter ---------------------------------------------------------------------------------

namespace {

// The region's axes as loops around a group. Of nothing but stores, neighbours in memory come one after
// the other: vectors of a line that goes around the caches have to. (Measured on Zen 3, transposes of
// 64 MiB in squares of 8 x 8, two a line, ms: 13.5 one after the other, 9.4 line by line.)
std::vector<size_t> inOrderOfMemory(const Registers::Group& group, const ir::Vector& region) {
  auto isNeighbour = [&](const ir::Stmt* stmt, const std::string& axis) {
    auto* store = std::get_if<ir::Store>(&stmt->node);
    return store && std::any_of(store->index.begin(), store->index.end(), [&](const auto& e) {
             const auto names = e.iterators();
             return llvm::is_contained(names, axis) &&
                    llvm::is_contained(names, region.axes.back().name);
           });
  };
  auto isStore = [](const ir::Stmt* stmt) { return std::holds_alternative<ir::Store>(stmt->node); };
  const bool areStores = !region.axes.empty() && llvm::all_of(group, isStore);
  std::vector<size_t> order, neighbours;
  for (size_t axis = 0; axis < region.times.size(); ++axis) {
    const bool isLast = areStores && llvm::any_of(group, [&](const ir::Stmt* stmt) {
                          return isNeighbour(stmt, region.times[axis].name);
                        });
    (isLast ? neighbours : order).push_back(axis);
  }
  llvm::append_range(order, neighbours);
  return order;
}

}  // namespace

void BodyWriter::repeated(const ir::Block& statements) {
  registers_->forEachGroup(
      statements,
      [&](const Registers::Group& group) {
        (void)repeated(group, inOrderOfMemory(group, registers_->region()), 0);
      },
      [&](const ir::Stmt& stmt) { std::visit(*this, stmt.node); });
}

// Whether it is one statement of C.
bool BodyWriter::repeated(const Registers::Group& group, const std::vector<size_t>& order,
                          size_t done) {
  const std::vector<ir::Axis>& times = registers_->region().times;
  if (done == times.size()) {
    std::string before = out_.take();
    for (const ir::Stmt* stmt : group) std::visit(*this, stmt->node);
    std::string written = out_.take();
    out_.raw(before + written);
    auto* let = std::get_if<ir::Let>(&group.front()->node);
    bool declares = let && registers_->sizes(let->name).empty();
    return std::count(written.begin(), written.end(), '\n') == 1 && !declares;
  }
  const size_t axis = order[done];
  Registers::Parts parts = registers_->split(group, axis);
  bool isOne = !parts.free.empty() && repeated(parts.free, order, done + 1);
  if (parts.bound.empty()) return isOne;
  isOne = parts.free.empty();
  for (const ir::Stmt* stmt : parts.bound)
    if (auto* let = std::get_if<ir::Let>(&stmt->node))
      if (registers_->beginsAt(let->name, axis)) {
        declare(*let);
        isOne = false;
      }
  auto turned = [&](const ir::Stmt* stmt) -> const ir::Load* {
    auto* load = registers_->turnedBy(*stmt);
    return load && load->unit == times[axis].name && !facts_.padOf(load->tensor) &&
                   times[axis].size ==
                       ir::turnedTogether(std::get<ir::Let>(stmt->node).value->type) &&
                   facts_.isLinear(load->tensor, load->index, facts::axisIn(load->index, widths_))
               ? load
               : nullptr;
  };
  Registers::Group rest;  // all of it behind: nothing that is turned is written here
  for (const ir::Stmt* stmt : parts.bound)
    if (auto* load = turned(stmt))
      loadTurned(std::get<ir::Let>(stmt->node), *load);
    else
      rest.push_back(stmt);
  if (!rest.empty()) repeatedAlong(rest, order, done);
  return isOne && rest.size() == parts.bound.size();
}

// A loop along an axis.
void BodyWriter::repeatedAlong(const Registers::Group& group, const std::vector<size_t>& order,
                               size_t done) {
  const ir::Axis& axis = registers_->region().times[order[done]];
  const std::string var = scope_.local(axis.name), size = count(axis);
  const std::string head = prelude_.need("unrolled") + " for (int64_t " + var + " = 0; " + var +
                           " < " + size + "; ++" + var + ")";
  const std::string before = out_.take();
  out_.indent();
  const bool isShort = repeated(group, order, done + 1);
  out_.dedent();
  const std::string body = out_.take();
  out_.raw(before);
  out_.line(isShort ? head : head + " {");
  out_.raw(body);
  if (!isShort) out_.line("}");
}

// An array of registers. (No truth values: their types follow from what they are computed of.)
void BodyWriter::declare(const ir::Let& let) {
  std::string type = valueType(let.value->type);
  if (!let.axes.empty() && widths_.count(let.axes.back()))
    type = vectorPrinter_.cType(
        {registerType(let.value->type), widths_.at(let.axes.back()), /*mask=*/false});
  out_.line(type + " " + scope_.local(registers_->nameOf(let.name)) + registers_->sizes(let.name) +
            ";");
}

// Registers along the axis are the last dimension of their array.
void BodyWriter::operator()(const ir::Transpose& transpose) {
  auto name = [&](const std::string& axis) { return scope_.local(axis); };
  prelude_.need("unrolled");
  out_.line(vectorPrinter_.transposer(variables_.at(transpose.name)) + "(" +
            scope_.local(registers_->nameOf(transpose.name)) +
            registers_->indices(transpose.name, name, transpose.axis) + ");");
}

// The axis along which the load is has as many positions as the function turns.
void BodyWriter::loadTurned(const ir::Let& let, const ir::Load& load) {
  const ir::ScalarType type = let.value->type;
  const int64_t lanes = widths_.at(let.axes.back());
  const std::string columns =
      scope_.local(registers_->nameOf(let.name)) +
      registers_->indices(
          let.name, [&](const std::string& axis) { return scope_.local(axis); }, load.unit);
  Index index;
  for (const affine::Expr& e : load.index)
    index.push_back(facts::substituted(e, load.unit, affine::Expr()));
  const VectorAccess from =
      access(load.tensor, index, /*checked=*/false, /*unit=*/false, Access::Lines);
  prelude_.need("unrolled");
  variables_[let.name] = {registerType(type), lanes};
  out_.line(vectorPrinter_.turner(type, lanes, kernel_.tensors[facts_.rootOf(load.tensor)].type,
                                  from.packed) +
            "(" + columns + ", " + (from.packed.empty() ? "&" : "") + from.first + ", " +
            from.stride + ");");
}

std::string BodyWriter::variable(const std::string& name) const {
  if (!registers_) return scope_.local(name);
  return scope_.local(registers_->nameOf(name)) +
         registers_->indices(name, [&](const std::string& axis) { return scope_.local(axis); });
}

}  // namespace einc::emit
