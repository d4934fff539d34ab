// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Loops on threads as C:
//
//   before  tile m0 : m0_size = 0 .. M by 96 parallel on threads { ... }
//   after   struct f_m0_names { const float *A_data; int64_t M; };
//
//           static void f_m0_tiles(const void *context, int64_t threads, char *slots,
//                                  int64_t from, int64_t to) {
//             const struct f_m0_names *const names = (const struct f_m0_names *)context;
//             const float *A_data = names->A_data;
//             int64_t M = names->M;
//             for (int64_t m0 = from * 96; m0 < einc_least(to * 96, M); m0 += 96) { ... }
//           }
//           ...
//             const struct f_m0_names m0_names = {A_data, M};
//             einc_share(f_m0_tiles, &m0_names, (M + 95) / 96, 1, threads, slots, slot_bytes);
//
// A step that is no constant may be 0 where the extent is 0; there are no tiles then.
// Heap memory that the body takes is cut from the slot of the thread. A loop inside gets the number
// of threads that are left: all, if this one was not shared out, or 1.
#include <utility>

#include "compiler/emit/c/body.h"
#include "compiler/emit/text/references.h"

namespace einc::emit {

void BodyWriter::onThreads(const ir::TileLoop& loop) {
  std::string before = out_.take();
  auto outer = declared_;
  std::string outerSlots = slots_;
  if (std::exchange(slots_, run_.workspace) != run_.workspace)
    declared_.emplace_back(run_.workspace, "char *");
  std::string step = wrapped(printer_.index(loop.step)),
              extent = wrapped(printer_.index(loop.extent));
  std::string last = prelude_.need("least") + "(" + run_.to + " * " + step + ", " + extent + ")";
  tileLoop(loop, run_.from + " * " + step, last,
           "char *" + run_.workspace + " = " + run_.slots + ";");
  if (!nonTemporal_.empty()) fence();
  std::string body = out_.take();
  declared_ = std::move(outer);
  slots_ = std::move(outerSlots);

  const References used = referencesIn(body);
  std::vector<std::pair<std::string, std::string>> captured =  // name and type
      scope_.parameterTypes(used);
  for (const auto& entry : declared_) {
    bool own =
        entry.first == run_.threads || entry.first == run_.slots || entry.first == run_.workspace;
    if (!own && used.count(entry.first) != 0) captured.push_back(entry);
  }

  std::string name = function_ + "_" + loop.var, type = "struct " + name + "_names";
  TextWriter text;
  text.open(type + " {");
  for (const auto& [field, of] : captured) text.line(of + field + ";");
  text.dedent().line("};").line();
  text.open("static void " + name + "_tiles(const void *" + run_.context + ", int64_t " +
            run_.threads + ", char *" + run_.slots + ", int64_t " + run_.from + ", int64_t " +
            run_.to + ") {");
  text.line("const " + type + " *const " + run_.names + " = (const " + type + " *)" + run_.context +
            ";");
  for (const auto& [field, of] : captured)
    text.line(of + field + " = " + run_.names + "->" + field + ";");
  for (const std::string& parameter : {run_.threads, run_.slots})
    if (used.count(parameter) == 0) text.line("(void)" + parameter + ";");
  text.raw(dedented(body, out_.depth() - 1));
  text.close().line();
  outlined_ += text.take();

  std::string values = joined(captured, ", ", [](const auto& entry) { return entry.first; });
  std::string object = scope_.local(loop.var + "_names");
  // A step that is the least of sizes is 0 where they are: nothing may be divided by it there.
  std::string count = loop.step.asConstant()
                          ? printer_.index(loop.extent.ceilDiv(loop.step))
                          : prelude_.need("tile_count") + "(" + printer_.index(loop.extent) + ", " +
                                printer_.index(loop.step) + ")";
  out_.raw(before);
  out_.line("const " + type + " " + object + " = {" + values + "};");
  out_.line(prelude_.need("share") + "(" + name + "_tiles, &" + object + ", " + count + ", " +
            printer_.index(loop.grain->least) + ", " + printer_.index(loop.grain->inside) + ", " +
            run_.threads + ", " + slots_ + ", " + run_.slotBytes + ");");
}

}  // namespace einc::emit
