// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/tuning.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "compiler/ir/print.h"
#include "compiler/strategy/libraries.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

namespace json = llvm::json;

constexpr int64_t kVersion = 1, kMostOps = 9999, kDeepest = 64;

// The parser takes the stack for each level.
bool isTooDeep(std::string_view text) {
  int64_t depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size() && depth <= kDeepest; ++i) {
    if (inString && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inString = !inString;
    else if (!inString && (text[i] == '[' || text[i] == '{'))
      ++depth;
    else if (!inString && (text[i] == ']' || text[i] == '}'))
      --depth;
  }
  return depth > kDeepest;
}

class Reader {
 public:
  Reader(const SourceFile& source, Diagnostics& errors) : source_(source), errors_(errors) {}

  std::optional<Tuning> run() {
    if (isTooDeep(source_.text())) {
      fail("", "this is no tuning file: lists in lists, more than " + std::to_string(kDeepest));
      return std::nullopt;
    }
    auto parsed = json::parse(source_.text());
    if (!parsed) return malformed(llvm::toString(parsed.takeError()));
    const json::Object* all = parsed->getAsObject();
    auto version = all ? all->getInteger("einc_tuning") : std::nullopt;
    if (!version) {
      fail("einc_tuning", "this is no tuning file: expected {\"einc_tuning\": 1, ...}");
    } else if (*version != kVersion) {
      fail("einc_tuning", "this is version " + std::to_string(*version) +
                              " of tuning files; this einc reads version " +
                              std::to_string(kVersion));
    } else if (const json::Array* defs = all->getArray("defs")) {
      for (const json::Value& def : *defs) entry(def);
    } else {
      fail("defs", "expected \"defs\", a list");
    }
    if (failed_) return std::nullopt;
    tuning_.path = source_.name();
    return std::move(tuning_);
  }

 private:
  // JSON's own message has the place in it: "[3:7, byte=41]: ...".
  std::optional<Tuning> malformed(const std::string& message) {
    llvm::StringRef rest(message);
    size_t at = rest.find("byte="), text = rest.find("]: ");
    uint32_t byte = 0;
    if (at != llvm::StringRef::npos) rest.drop_front(at + 5).consumeInteger(10, byte);
    byte = std::min(byte, static_cast<uint32_t>(source_.text().size()));
    errors_.error(
        Diag::Tuning, {byte, byte},
        "no JSON: " + (text == llvm::StringRef::npos ? rest : rest.drop_front(text + 3)).str());
    return std::nullopt;
  }

  // Points to where `text` stands first.
  void fail(const std::string& text, const std::string& message) {
    size_t at = source_.text().find("\"" + text + "\"");
    if (at == std::string_view::npos) at = 0;
    auto begin = static_cast<uint32_t>(at);
    auto end = static_cast<uint32_t>(at == 0 ? 0 : at + text.size() + 2);
    if (!std::exchange(failed_, true)) errors_.error(Diag::Tuning, {begin, end}, message);
  }

  void entry(const json::Value& value) {
    const json::Object* object = value.getAsObject();
    std::string where = "defs[" + std::to_string(next_++) + "]";
    TunedDef def;
    auto name = object ? object->getString("def") : std::nullopt;
    auto target = object ? object->getString("target") : std::nullopt;
    auto threads = object ? object->getInteger("threads") : std::nullopt;
    const json::Array* kernel = object ? object->getArray("kernel") : nullptr;
    const json::Array* settings = object ? object->getArray("settings") : nullptr;
    if (!name || !target || !threads || !kernel || !settings)
      return fail("defs", where +
                              ": expected an object with \"def\" and \"target\" (names), "
                              "\"threads\" (a number), \"kernel\" and \"settings\" (lists)");
    def.def = name->str();
    def.target = target->str();
    def.threads = *threads;
    for (const json::Value& line : *kernel)
      def.kernel.push_back(line.getAsString().value_or("").str());
    for (const json::Value& one : *settings) setting(one, def, where);
    notes(*object, def);
    for (const TunedDef& other : tuning_.defs)
      if (other.def == def.def && other.target == def.target && other.threads == def.threads &&
          other.kernel == def.kernel)
        return fail(def.def, where + ": there are two entries for this '" + def.def + "'");
    tuning_.defs.push_back(std::move(def));
  }

  void setting(const json::Value& value, TunedDef& def, const std::string& where) {
    const json::Object* object = value.getAsObject();
    auto op = object ? object->getInteger("op") : std::nullopt;
    auto name = object ? object->getString("name") : std::nullopt;
    auto text = object ? object->getString("value") : std::nullopt;
    if (!op || *op < 0 || *op > kMostOps || !name || !text)
      return fail("settings", where +
                                  ".settings: expected objects with \"op\" (its number), "
                                  "\"name\" and \"value\" (texts)");
    if (*name == "library" && !strategy::parseRules(text->str()))
      return fail(text->str(),
                  "expected when which library is asked, as in \"cblas where "
                  "m * n >= 4096 else blis\", or \"none\"");
    // Settings are part of a pass's options.
    if (text->find_first_of(",{}") != llvm::StringRef::npos ||
        name->find_first_of("=,{}. ") != llvm::StringRef::npos)
      return fail(text->str(), "no setting has such a name or value");
    for (const strategy::Setting& other : def.settings)
      if (other.op == *op && other.name == *name)
        return fail(name->str(), where + ".settings: '" + name->str() + "' of op " +
                                     std::to_string(*op) + " is set twice");
    def.settings.push_back({def.def, static_cast<unsigned>(*op), name->str(), text->str()});
  }

  // What was measured, for those who read the file.
  static void notes(const json::Object& object, TunedDef& def) {
    if (const json::Object* machine = object.getObject("machine"))
      for (const auto& [key, value] : *machine)
        def.machine[key.str()] = value.getAsString().value_or("").str();
    const json::Array* measured = object.getArray("measured");
    for (size_t i = 0; measured && i < measured->size(); ++i) {
      const json::Object* one = (*measured)[i].getAsObject();
      const json::Object* sizes = one ? one->getObject("sizes") : nullptr;
      const json::Object* times = one ? one->getObject("nanoseconds") : nullptr;
      if (!sizes || !times) continue;
      TunedSizes result;
      for (const auto& [key, value] : *sizes)
        result.sizes[key.str()] = value.getAsInteger().value_or(0);
      for (const auto& [key, value] : *times)
        result.seconds.emplace_back(key.str(), value.getAsNumber().value_or(0) * 1e-9);
      def.measured.push_back(std::move(result));
    }
  }

  const SourceFile& source_;
  Diagnostics& errors_;
  Tuning tuning_;
  size_t next_ = 0;
  bool failed_ = false;
};

json::Object objectOf(const TunedDef& def) {
  json::Array kernel(def.kernel), settings, measured;
  for (const strategy::Setting& setting : def.settings)
    settings.push_back(
        json::Object{{"op", setting.op}, {"name", setting.name}, {"value", setting.value}});
  for (const TunedSizes& one : def.measured) {
    json::Object sizes, times;
    for (const auto& [name, size] : one.sizes) sizes[name] = size;
    for (const auto& [name, seconds] : one.seconds)
      times[name] = static_cast<int64_t>(std::llround(std::max(seconds * 1e9, 1.0)));
    measured.push_back(
        json::Object{{"sizes", std::move(sizes)}, {"nanoseconds", std::move(times)}});
  }
  json::Object machine;
  for (const auto& [name, text] : def.machine) machine[name] = json::fixUTF8(text);
  return json::Object{{"def", def.def},
                      {"kernel", std::move(kernel)},
                      {"target", def.target},
                      {"threads", def.threads},
                      {"machine", std::move(machine)},
                      {"settings", std::move(settings)},
                      {"measured", std::move(measured)}};
}

}  // namespace

std::vector<std::string> linesOf(const ir::Kernel& kernel) {
  ir::Kernel plain = kernel;
  plain.doc.clear();
  plain.odsName.clear();
  plain.interfaces.clear();
  std::string text = ir::print(plain);
  std::vector<std::string> lines;
  for (llvm::StringRef rest(text); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    lines.push_back(line.str());
    rest = after;
  }
  return lines;
}

const TunedDef* findTuned(const Tuning& tuning, const ir::Kernel& kernel, const std::string& target,
                          int64_t threads) {
  std::vector<std::string> lines = linesOf(kernel);
  for (const TunedDef& def : tuning.defs)
    if (def.def == kernel.name && def.target == target && def.threads == threads &&
        def.kernel == lines)
      return &def;
  return nullptr;
}

std::string tuningText(const Tuning& tuning) {
  std::vector<TunedDef> defs = tuning.defs;
  std::sort(defs.begin(), defs.end(), [](const TunedDef& a, const TunedDef& b) {
    return std::tie(a.def, a.target, a.threads, a.kernel) <
           std::tie(b.def, b.target, b.threads, b.kernel);
  });
  json::Array list;
  for (const TunedDef& def : defs) list.push_back(objectOf(def));
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0:2}", json::Value(json::Object{{"einc_tuning", kVersion},
                                                         {"defs", std::move(list)}}))
      << '\n';
  return out.str();
}

std::optional<Tuning> parseTuning(const SourceFile& source, Diagnostics& errors) {
  return Reader(source, errors).run();
}

}  // namespace einc::driver
