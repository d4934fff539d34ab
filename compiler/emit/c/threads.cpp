// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Loops on threads as C:
//
//   before  tile m0 : m0_size = 0 .. M by 96 parallel on threads { ... }
//   after   struct f_m0_names { const einc_memref_f32_2 *A; };
//
//           static void f_m0_tiles(const void *context, int64_t threads, char *slots,
//                                  int64_t from, int64_t to) {
//             const struct f_m0_names *const names = (const struct f_m0_names *)context;
//             const einc_memref_f32_2 *A = names->A;
//             const int64_t M = A->sizes[0];
//             const float *const A_data = A->aligned;
//             for (int64_t m0 = from * 96; m0 < einc_least(to * 96, M); m0 += 96) { ... }
//           }
//           ...
//             const struct f_m0_names m0_names = {A};
//             einc_share(f_m0_tiles, &m0_names, (M + 95) / 96, 1, threads, slots, slot_bytes);
//
// A step that is no constant may be 0 where the extent is 0; there are no tiles then.
// Heap memory that the body takes is cut from the slot of the thread. A loop inside gets the number
// of threads that are left: all, if this one was not shared out, or 1.
//
// Where the body is nothing but another such loop, which goes as far in each round, their tiles are
// numbered together, and shared out as those of the inner one are:
//
//   before  tile n0 : n0_size = 0 .. N by 1 parallel on threads {
//             tile m0 : m0_size = 0 .. M by 96 parallel on threads { ... }
//           }
//   after   f_m0_tiles as above, and
//
//           static void f_n0_tiles(...) {
//             for (int64_t n0 = from / m0_tiles; n0 < einc_least(einc_tile_count(to, m0_tiles), N); n0 += 1) {
//               const int64_t m0_from = einc_tiles_inside(from, n0, m0_tiles);
//               const int64_t m0_to = einc_tiles_inside(to, n0, m0_tiles);
//               const struct f_m0_names m0_names = {A, n0};
//               f_m0_tiles(&m0_names, threads, slots, m0_from, m0_to);
//             }
//           }
//           ...
//             const int64_t m0_tiles = (M + 95) / 96;
//             const struct f_n0_names n0_names = {A, m0_tiles};
//             einc_share(f_n0_tiles, &n0_names, einc_tiles_of(N, m0_tiles), ...);
//
// (In one function compilers would keep numbers of the outer loops in the registers that the inner one
// needs. Measured on Zen 3, A + B of 144 x 144, f32: 4.8 us, and 3.1 us in two.)
#include <algorithm>
#include <utility>

#include "compiler/emit/c/body.h"
#include "compiler/emit/text/references.h"

namespace einc::emit {

namespace {

bool uses(const affine::Expr& e, const std::string& symbol) {
  std::vector<std::string> symbols = e.symbols();
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

// Whether tiles of the one loop, all there is in each round of the other, can be numbered with its rounds: there are as
// many in each.
bool isOneWith(const ir::TileLoop& outer, const ir::TileLoop& inner) {
  auto isFree = [&](const affine::Expr& e) {
    return !e.mentions(outer.var) && !uses(e, outer.size);
  };
  return isFree(inner.extent) && isFree(inner.step) && !inner.grain->least.mentions(outer.var) &&
         !inner.grain->inside.mentions(outer.var);
}

// The loop on threads that is all there is in each round but for views, which are no code; or null.
const ir::TileLoop* onlyLoopIn(const ir::Block& body) {
  if (body.empty()) return nullptr;
  const bool viewsBefore = std::all_of(body.begin(), body.end() - 1, [](const ir::Stmt& stmt) {
    return std::holds_alternative<ir::View>(stmt.node);
  });
  auto* loop = std::get_if<ir::TileLoop>(&body.back().node);
  return viewsBefore && loop && loop->grain ? loop : nullptr;
}

// Loops whose tiles are shared out together, from the outermost.
std::vector<const ir::TileLoop*> oneLoop(const ir::TileLoop& outermost) {
  std::vector<const ir::TileLoop*> loops = {&outermost};
  while (const ir::TileLoop* inner = onlyLoopIn(loops.back()->body)) {
    if (!std::all_of(loops.begin(), loops.end(),
                     [&](const ir::TileLoop* outer) { return isOneWith(*outer, *inner); }))
      break;
    loops.push_back(inner);
  }
  return loops;
}

}  // namespace

// A step that is the least of sizes is 0 where they are: nothing may be divided by it there.
std::string BodyWriter::tileCount(const ir::TileLoop& loop) {
  if (loop.step.asConstant()) return printer_.index(loop.extent.ceilDiv(loop.step));
  return prelude_.need("tile_count") + "(" + printer_.index(loop.extent) + ", " +
         printer_.index(loop.step) + ")";
}

// Tiles `from` to `to` of the loops from this number on.
void BodyWriter::sharedLoops(const std::vector<SharedLoop>& loops, size_t number,
                             const std::string& from, const std::string& to) {
  const ir::TileLoop& loop = *loops[number].loop;
  const std::string step = wrapped(printer_.index(loop.step)), least = prelude_.need("least"),
                    extent = wrapped(printer_.index(loop.extent));
  const bool isOne = loop.step.asConstant() == 1;
  auto times = [&](const std::string& count) { return isOne ? count : count + " * " + step; };
  auto last = [&](const std::string& count) {
    return least + "(" + times(count) + ", " + extent + ")";
  };
  if (number + 1 == loops.size())
    return tileLoop(loop, times(from), last(to),
                    "char *" + run_.workspace + " = " + run_.slots + ";");
  const SharedLoop& next = loops[number + 1];
  const std::string var = scope_.local(loop.var), part = prelude_.need("tiles_inside"),
                    round = isOne ? var : var + " / " + step,
                    first = scope_.local(next.loop->var + "_from"),
                    end = scope_.local(next.loop->var + "_to");
  tileLoop(loop, times(from + " / " + next.tiles),
           last(prelude_.need("tile_count") + "(" + to + ", " + next.tiles + ")"), "", [&] {
             for (const ir::Stmt& stmt : loop.body)
               if (auto* view = std::get_if<ir::View>(&stmt.node)) (*this)(*view);
             for (const auto& [name, tiles] : {std::pair(first, from), std::pair(end, to)})
               out_.line("const int64_t " + name + " = " + part + "(" + tiles + ", " + round +
                         ", " + next.tiles + ");");
             if (number + 2 < loops.size()) return sharedLoops(loops, number + 1, first, end);
             const SharedTiles inner = outlineLoops(loops, number + 1);
             out_.line(inner.function + "(" + inner.names + ", " + run_.threads + ", " +
                       run_.slots + ", " + first + ", " + end + ");");
           });
}

// The function whose body this is, and the object with all that it takes from around: what the kernel declares is
// declared in it, too.
SharedTiles BodyWriter::outlineTiles(const std::string& attributes, const std::string& var,
                                     const std::string& body) {
  References used = referencesIn(body);
  const std::vector<std::string> declared = scope_.declarations(used);
  std::vector<std::pair<std::string, std::string>> captured =  // name and type
      scope_.argumentTypes(used);
  for (const auto& entry : declared_) {
    bool own =
        entry.first == run_.threads || entry.first == run_.slots || entry.first == run_.workspace;
    if (!own && used.count(entry.first) != 0) captured.push_back(entry);
  }
  if (ofFunction_)
    for (const Passed& value : ofFunction_->values)
      if (used.count(value.name) != 0) captured.emplace_back(value.name, value.type);
  const std::string name = function_ + "_" + var, type = "struct " + name + "_names",
                    object = scope_.local(var + "_names");
  TextWriter text;
  text.open(type + " {");
  for (const auto& [field, of] : captured) text.line(of + field + ";");
  text.dedent().line("};").line();
  const std::string function = prelude_.define(name + "_tiles", kernel_.name);
  text.open("static " + attributes + "void " + function + "(const void *" + run_.context +
            ", int64_t " + run_.threads + ", char *" + run_.slots + ", int64_t " + run_.from +
            ", int64_t " + run_.to + ") {");
  text.line("const " + type + " *const " + run_.names + " = (const " + type + " *)" + run_.context +
            ";");
  for (const auto& [field, of] : captured)
    text.line(of + field + " = " + run_.names + "->" + field + ";");
  for (const std::string& line : declared) text.line(line);
  for (const std::string& parameter : {run_.threads, run_.slots})
    if (used.count(parameter) == 0) text.line("(void)" + parameter + ";");
  text.raw(dedented(body, out_.depth() - 1));
  text.close().line();
  outlined_ += text.take();
  std::string values = joined(captured, ", ", [](const auto& entry) { return entry.first; });
  out_.line("const " + type + " " + object + " = {" + values + "};");
  return {function, "&" + object};
}

// The same for the tiles of the loops from this number on.
SharedTiles BodyWriter::outlineLoops(const std::vector<SharedLoop>& loops, size_t number) {
  std::string before = out_.take();
  auto outer = declared_;
  std::string outerSlots = slots_;
  if (std::exchange(slots_, run_.workspace) != run_.workspace)
    declared_.emplace_back(run_.workspace, "char *");
  const Around around = std::exchange(around_, {});
  fencedBehind([&] { sharedLoops(loops, number, run_.from, run_.to); });
  around_ = around;
  if (number == 0 && !nonTemporal_.empty()) fence();
  std::string body = out_.take();
  declared_ = std::move(outer);
  slots_ = std::move(outerSlots);
  out_.raw(before);
  return outlineTiles(number == 0 ? "" : "__attribute__((noinline)) ", loops[number].loop->var,
                      body);
}

void BodyWriter::onThreads(const ir::TileLoop& loop) {
  std::vector<SharedLoop> loops;
  for (const ir::TileLoop* one : oneLoop(loop)) loops.push_back({one, ""});
  const size_t outside = declared_.size();
  std::string count = tileCount(*loops.back().loop);
  for (size_t i = loops.size(); --i > 0;) {
    loops[i].tiles = scope_.local(loops[i].loop->var + "_tiles");
    out_.line("const int64_t " + loops[i].tiles + " = " + count + ";");
    declared_.emplace_back(loops[i].tiles, "int64_t ");
    count = prelude_.need("tiles_of") + "(" + tileCount(*loops[i - 1].loop) + ", " +
            loops[i].tiles + ")";
  }
  const SharedTiles tiles = outlineLoops(loops, 0);
  declared_.resize(outside);
  const ir::Grain& grain = *loops.back().loop->grain;
  for (size_t i = 0; i + 1 < loops.size(); ++i) {  // of the first tiles, the largest
    const ir::TileLoop& around = *loops[i].loop;
    if (uses(grain.least, around.size) || uses(grain.inside, around.size))
      out_.line("const int64_t " + scope_.local(around.size) + " = " + prelude_.need("least") +
                "(" + printer_.index(around.step) + ", " + printer_.index(around.extent) + ");");
  }
  out_.line(prelude_.need("share") + "(" + tiles.function + ", " + tiles.names + ", " + count +
            ", " + printer_.index(grain.least) + ", " + printer_.index(grain.inside) + ", " +
            run_.threads + ", " + slots_ + ", " + run_.slotBytes + ");");
}

// The stores that go around the caches may be seen in another order; what comes later must not be seen before them.
void BodyWriter::operator()(const ir::NonTemporal& region) {
  const unsigned root = facts_.rootOf(region.tensor);
  const bool outermost = nonTemporal_.empty(), isNew = nonTemporal_.insert(root).second;
  scope(region.body);
  if (isNew) nonTemporal_.erase(root);
  if (!outermost) return;
  if (around_.loops == 0 || isLoaded(root)) return fence();
  if (around_.flag.empty()) around_.flag = scope_.local(".around" + std::to_string(++scopes_));
  out_.line(around_.flag + " = 1;");
}

void BodyWriter::fence() { out_.line(vectors_.need("non_temporal_end") + "();"); }

// Whether anything reads it, through views that are yet to come, too.
bool BodyWriter::isLoaded(unsigned root) const {
  bool found = false;
  const facts::Views views = facts::viewsIn(kernel_);
  ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
    if (const ir::ValueRef value = ir::valueOf(stmt))
      ir::forEach(value, [&](const ir::Value& node) {
        auto* load = std::get_if<ir::Load>(&node.node);
        found |= load && views.rootOf(load->tensor) == root;
      });
  });
  return found;
}

// A loop. Of all rounds of the outermost one a fence is behind the last: it waits for all stores. (Measured on a Xeon, softmax of
// 262144 x 64, a fence for each block of 4 rows and one for all, ms: 60 and 11.)
void BodyWriter::fencedBehind(const std::function<void()>& write) {
  std::string before = around_.loops == 0 ? out_.take() : "";
  ++around_.loops;
  write();
  if (--around_.loops > 0) return;
  const std::string body = out_.take(), flag = std::exchange(around_.flag, "");
  out_.raw(before);
  if (!flag.empty()) out_.line("int " + flag + " = 0;");
  out_.raw(body);
  if (flag.empty()) return;
  out_.line("if (" + flag + ") " + vectors_.need("non_temporal_end") + "();");
}

}  // namespace einc::emit
