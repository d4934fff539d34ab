// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/def_tuner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "compiler/bench/choice.h"
#include "compiler/bench/contestants.h"
#include "compiler/bench/problem.h"
#include "compiler/bench/report.h"
#include "compiler/bench/worker.h"
#include "compiler/driver/bench_data.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/interruption.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/schedules.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/specialize.h"

namespace einc::driver {
namespace {

using strategy::Setting;

// A schedule has to be faster by so much, twice, to take the place of the model's.
constexpr double kFaster = 0.98;
// One that is slower by so much in all of its runs is given up: after one round, after more.
constexpr double kHopeless = 1.5, kSlower = 1.1;
// Rounds that a schedule takes, on average: most are given up.
constexpr double kUsualRounds = 2.5;
// Where a sample takes so many seconds, little disturbs it, and three rounds will do.
constexpr double kSlow = 0.2;
constexpr int kRoundsOfSlow = 3;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<ir::Number> valueOf(const ir::Attribute& attribute) {
  if (attribute.defaults || attribute.optional || attribute.list) return {};
  // A factor that no library has a short cut for.
  ir::Number one{1.5, 1};
  return std::vector<ir::Number>(static_cast<size_t>(attribute.elementCount()), one);
}

// Attributes with their defaults, scalar parameters with any value.
Result<ir::Kernel> atSizes(const ir::Kernel& kernel, const Sizes& sizes) {
  transforms::Fixed fixed{sizes, {}};
  for (const ir::Attribute& attribute : kernel.attributes)
    if (attribute.defaults)
      fixed.attributes.emplace(attribute.name, *attribute.defaults);
    else if (attribute.parameter)
      fixed.attributes.emplace(attribute.name, valueOf(attribute));
  return transforms::specialize(kernel, fixed);
}

std::string textOf(const Sizes& sizes) {
  return joined(sizes, " ",
                [](const auto& size) { return size.first + "=" + std::to_string(size.second); });
}

// What a signal that interrupts us did to others is no error.
ExitCode failed(const std::string& message) {
  return Interruption::seen() ? kSuccess : static_cast<ExitCode>(fail(kBadInput, message));
}

// Whether the second of two is.
bool isGivenUp(const std::vector<std::vector<double>>& samples) {
  auto least = [](const std::vector<double>& of) {
    return *std::min_element(of.begin(), of.end());
  };
  return least(samples[1]) > (samples[1].size() == 1 ? kHopeless : kSlower) * least(samples[0]);
}

// How much longer one way takes than another, over all sizes.
double ratio(const std::vector<std::vector<double>>& times, size_t way, size_t than) {
  double sum = 0;
  for (const std::vector<double>& at : times) sum += std::log(at[way] / at[than]);
  return std::exp(sum / static_cast<double>(times.size()));
}

unsigned jobCount() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

DefTuner::DefTuner(const ir::Kernel& kernel, pipeline::Scheduled model, const CodeOptions& wanted,
                   const TuneOptions& options, const std::vector<std::string>& libraries,
                   std::vector<Sizes> sizes)
    : kernel_(kernel),
      space_(kernel, wanted, std::move(model)),
      wanted_(wanted),
      options_(options),
      sizes_(std::move(sizes)),
      cpu_(bench::idlestCpu()) {
  for (unsigned op = 0; op < space_.ops().size(); ++op)
    for (const std::string& library : libraries)
      if (space_.isCalled(op, library)) calls_.push_back({op, library});
  if (options_.schedules)
    for (unsigned op = 0; op < space_.ops().size(); ++op)
      for (Setting& setting : space_.alternatives(op)) tried_.push_back(std::move(setting));
}

ExitCode DefTuner::prepare() {
  Progress::say(title() + ": how long it will take");
  const double start = now();
  auto library = compiled({});
  if (auto* code = std::get_if<ExitCode>(&library)) return *code;
  compiling_ = now() - start;
  for (const Sizes& sizes : sizes_) {
    const double before = now();
    auto times = measureAt({{"", {}}}, sizes, Patience::OneRound);
    if (!times) return failed(textOf(sizes) + ": " + times.reason());
    sampling_.push_back(now() - before);
    measuredTimes_.push_back(std::move(*times));
  }
  measuredWays_ = {{"generated", {}}};
  const size_t last = lastWays().size();
  Progress::plan(costOfCompiling(tried_.size() + last - 1) +
                 static_cast<double>(tried_.size()) * costOfMeasuring(2, kUsualRounds) +
                 costOfMeasuring(last, options_.rounds));
  return kSuccess;
}

OrCode<std::optional<TunedDef>> DefTuner::run() {
  compileAhead();
  if (ExitCode code = trySchedules(); code != kSuccess) return code;
  if (!Interruption::seen()) {
    auto last = measureLast();
    auto* code = std::get_if<ExitCode>(&last);
    if (!code || *code != kSuccess) return last;
  }
  if (measuredTimes_.size() < sizes_.size()) return std::optional<TunedDef>();
  TunedDef tuned = asFound(best_);
  addMeasured(tuned, measuredWays_, measuredTimes_);
  return std::optional(std::move(tuned));
}

// What will be measured, as many at a time as there are cores. What fails is compiled again where it
// is needed, which tells why.
void DefTuner::compileAhead() {
  std::vector<std::pair<std::string, NativeSources>> sources;
  std::vector<Settings> all;
  for (const Setting& setting : tried_) all.push_back({setting});
  for (const Way& way : lastWays()) all.push_back(way.settings);
  for (const Settings& settings : all) {
    if (compiled_.count(keyOf(settings)) || Interruption::seen()) continue;
    Progress::say(title() + ": generating code, " + std::to_string(sources.size() + 1) + " of " +
                  std::to_string(all.size()));
    auto one = sourcesOf(settings);
    if (auto* written = std::get_if<NativeSources>(&one))
      sources.emplace_back(keyOf(settings), std::move(*written));
  }
  std::vector<char> good(sources.size(), 0);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < sources.size() && !Interruption::seen(); i = next++) {
      Progress::say(title() + ": compiling " + std::to_string(i + 1) + " of " +
                    std::to_string(sources.size()));
      good[i] = sources[i].second.compile().empty() ? 1 : 0;
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobCount(); ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  for (size_t i = 0; i < sources.size(); ++i)
    if (good[i]) compiled_.emplace(sources[i].first, std::move(sources[i].second).compiled());
  Progress::done(costOfCompiling(sources.size()));
}

// The best schedule beside the model's and the libraries; the def's entry.
OrCode<std::optional<TunedDef>> DefTuner::measureLast() {
  Progress::say(title() + (calls_.empty() ? ": times" : ": libraries"));
  std::vector<Way> ways = lastWays();
  auto measured = measure(ways, Patience::MeasuresAll);
  if (auto* code = std::get_if<ExitCode>(&measured)) return *code;
  Times& times = std::get<Times>(measured);
  Progress::done(costOfMeasuring(ways.size(), options_.rounds));
  if (!best_.empty() && ratio(times, 1, 0) <= 1) {  // what seemed faster was luck
    best_.clear();
    ways.erase(ways.begin());
    ways[0].name = "generated";
    for (std::vector<double>& at : times) at.erase(at.begin());
  }
  std::vector<Setting> settings = best_;
  for (Setting& setting : librarySettings(ways.size() - calls_.size(), times))
    settings.push_back(std::move(setting));
  TunedDef tuned = asFound(std::move(settings));
  addMeasured(tuned, ways, times);
  return std::optional(std::move(tuned));
}

ExitCode DefTuner::trySchedules() {
  for (size_t i = 0; i < tried_.size() && !Interruption::seen(); ++i) {
    Progress::say(title() + ": schedule " + std::to_string(i + 1) + " of " +
                  std::to_string(tried_.size()));
    auto faster = isFaster(best_, with(best_, tried_[i]));
    if (auto* code = std::get_if<ExitCode>(&faster)) return *code;
    if (std::get<bool>(faster)) best_ = with(best_, tried_[i]);
    Progress::done(costOfMeasuring(2, kUsualRounds));
  }
  if (best_.empty() || Interruption::seen()) return kSuccess;
  auto faster = isFaster({}, best_);  // all together, too
  if (auto* code = std::get_if<ExitCode>(&faster)) return *code;
  if (!std::get<bool>(faster)) best_.clear();
  return kSuccess;
}

std::string DefTuner::title() const {
  return kernel_.name + " on " + std::string(wanted_.targets[0]->name);
}

// Seconds.
double DefTuner::costOfCompiling(size_t count) const {
  return static_cast<double>(count) * compiling_ / jobCount();
}

// A sample of prepare() has the start of its process and the search for a number of runs, which are
// about as long.
double DefTuner::costOfMeasuring(size_t ways, double rounds) const {
  double cost = 0;
  for (double sampling : sampling_)
    cost += static_cast<double>(ways) * (sampling + (rounds - 1) * sampling / 2);
  return cost;
}

// ---- Times ----

OrCode<bool> DefTuner::isFaster(const Settings& than, const Settings& settings) {
  if (!space_.scheduled(settings)) return false;
  std::vector<Way> ways = {{"best", than}, {"other", settings}};
  for (int again = 0; again < 2; ++again) {
    auto times = measure(ways, Patience::GivesUp);
    if (auto* code = std::get_if<ExitCode>(&times)) {
      if (*code == kSuccess) return false;  // interrupted
      return *code;
    }
    const Times& of = std::get<Times>(times);
    const bool isFaster = ratio(of, 1, 0) <= kFaster;
    if (isFaster && again == 0) continue;
    measuredWays_ = {{"generated", isFaster ? settings : than}};
    measuredTimes_.clear();
    for (const std::vector<double>& at : of) measuredTimes_.push_back({at[isFaster ? 1 : 0]});
    return isFaster;
  }
  return true;
}

OrCode<DefTuner::Times> DefTuner::measure(const std::vector<Way>& ways, Patience patience) {
  for (const Way& way : ways) {
    auto library = compiled(way.settings);
    if (auto* code = std::get_if<ExitCode>(&library)) return *code;
  }
  Times times;
  for (const Sizes& sizes : sizes_) {
    auto at = measureAt(ways, sizes, patience);
    if (!at) return failed(textOf(sizes) + ": " + at.reason());
    times.push_back(std::move(*at));
  }
  return times;
}

// What was compiled once is kept.
OrCode<const NativeLibrary*> DefTuner::compiled(const Settings& settings) {
  auto known = compiled_.find(keyOf(settings));
  if (known != compiled_.end()) return &known->second;
  if (Interruption::seen()) return kSuccess;
  auto sources = sourcesOf(settings);
  if (auto* code = std::get_if<ExitCode>(&sources)) return *code;
  auto& written = std::get<NativeSources>(sources);
  if (std::string reason = written.compile(); !reason.empty()) return failed(reason);
  auto [at, isNew] = compiled_.emplace(keyOf(settings), std::move(written).compiled());
  return &at->second;
}

OrCode<NativeSources> DefTuner::sourcesOf(const Settings& settings) {
  const pipeline::Scheduled* scheduled = space_.scheduled(settings);
  if (!scheduled) return failed("'" + kernel_.name + "' cannot have " + keyOf(settings));
  ir::Module module;
  module.kernels.push_back(kernel_);
  auto code = compileScheduled(module, {*scheduled});
  if (auto* exit = std::get_if<ExitCode>(&code)) return *exit;
  auto sources = NativeSources::write(std::get<std::vector<Compiled>>(code)[0], wanted_,
                                      options_.compiler, "");
  if (!sources) return failed(sources.reason());
  return std::move(*sources);
}

Result<std::vector<double>> DefTuner::measureAt(const std::vector<Way>& ways, const Sizes& sizes,
                                                Patience patience) {
  const Reason interrupted{"interrupted"};
  auto fixed = atSizes(kernel_, sizes);
  if (!fixed) return Reason{fixed.reason()};
  if (auto work = bench::measureWork(*fixed, false); !work) return Reason{work.reason()};
  if (auto reason = refuseMemory(*fixed, ways.size())) return *reason;
  auto arguments = makeArguments(*fixed);
  if (!arguments) return Reason{arguments.reason()};
  for (const ir::Attribute& attribute : kernel_.attributes)
    arguments->attributes.push_back(valueOf(attribute));
  std::vector<bench::Worker> workers;
  for (const Way& way : ways) {
    if (Interruption::seen()) return interrupted;
    bench::WorkerOptions options;
    options.environment = bench::onThreads(wanted_.threads);
    options.cpu = wanted_.threads == 1 ? cpu_ : -1;
    const NativeLibrary& library = compiled_.at(keyOf(way.settings));
    auto worker = bench::Worker::start(options, [&] { return runsOf(library, *arguments); });
    if (!worker) return Reason{worker.reason()};
    workers.push_back(std::move(*worker));
  }
  std::vector<std::vector<double>> samples(ways.size());
  int rounds = patience == Patience::OneRound ? 1 : options_.rounds;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < workers.size(); ++i) {
      if (Interruption::seen()) return interrupted;
      auto sample = workers[i].sample(options_.sampleSeconds);
      if (!sample) return Reason{ways[i].name + ": " + sample.reason()};
      samples[i].push_back(sample->seconds);
      if (sample->seconds > kSlow) rounds = std::min(rounds, kRoundsOfSlow);
    }
    if (patience == Patience::GivesUp && isGivenUp(samples)) break;
  }
  std::vector<double> medians;
  for (std::vector<double>& of : samples) medians.push_back(bench::summarize(of).median);
  return medians;
}

// ---- What was found ----

// The best schedule, and with it each call of a library at its end.
std::vector<DefTuner::Way> DefTuner::lastWays() const {
  std::vector<Way> ways = {{"generated", best_}};
  if (!best_.empty()) ways.push_back({"by the model", {}});
  for (const Call& call : calls_)
    ways.push_back({"op " + std::to_string(call.op) + " by " + call.library,
                    with(best_, {kernel_.name, call.op, "library", call.library})});
  return ways;
}

TunedDef DefTuner::asFound(std::vector<Setting> settings) const {
  std::sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
    return std::tie(a.op, a.name) < std::tie(b.op, b.name);
  });
  TunedDef tuned;
  tuned.def = kernel_.name;
  tuned.kernel = linesOf(kernel_);
  tuned.target = std::string(wanted_.targets[0]->name);
  tuned.threads = wanted_.threads;
  tuned.settings = std::move(settings);
  return tuned;
}

void DefTuner::addMeasured(TunedDef& tuned, const std::vector<Way>& ways,
                           const Times& times) const {
  for (size_t i = 0; i < times.size(); ++i) {
    tuned.measured.push_back({sizes_[i], {}});
    for (size_t way = 0; way < ways.size(); ++way)
      tuned.measured.back().seconds.emplace_back(ways[way].name, times[i][way]);
  }
}

// From which sizes on each op is a library's.
std::vector<Setting> DefTuner::librarySettings(size_t firstCall, const Times& times) const {
  std::vector<Setting> settings;
  for (unsigned op = 0; op < space_.ops().size(); ++op) {
    std::vector<size_t> of = {0};  // the ways to do it
    std::vector<std::string> libraries;
    for (size_t c = 0; c < calls_.size(); ++c)
      if (calls_[c].op == op) {
        of.push_back(firstCall + c);
        libraries.push_back(calls_[c].library);
      }
    if (libraries.empty()) continue;
    std::vector<bench::Measured> points;
    for (size_t i = 0; i < times.size(); ++i) {
      points.push_back({extentsAt(op, sizes_[i]), {}});
      for (size_t way : of) points.back().seconds.push_back(times[i][way]);
    }
    settings.push_back(
        {kernel_.name, op, "library", ir::rulesText(bench::chooseRules(libraries, points))});
  }
  return settings;
}

std::map<std::string, int64_t> DefTuner::extentsAt(unsigned op, const Sizes& sizes) const {
  std::map<std::string, int64_t> result;
  auto fixed = atSizes(space_.buffers(), sizes);
  unsigned number = 0;
  ir::forEachOp(fixed->body, [&](const ir::StructuredOp& one) {
    if (number++ != op) return;
    for (const ir::Iterator& i : one.iterators)
      result[i.name] = ir::extentOf(*fixed, one, i.name)->extent.asConstant().value_or(1);
  });
  return result;
}

}  // namespace einc::driver
