// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/device_report.h"

#include "compiler/bench/report.h"
#include "compiler/bench/report_parts.h"

namespace einc::bench {
namespace {

double share(double least, double seconds) { return seconds > 0 ? least / seconds : 0; }

std::string bound(const DeviceReport& r) { return isBoundByMemory(r) ? "memory" : "arithmetic"; }

std::string clock(const DeviceReport& r) {
  return r.byDevice ? "the device's timestamps" : "the host's clock, as the device has none";
}

std::string rates(const DeviceReport& r) {
  double copies = r.copies.rate(), arithmetic = r.arithmetic.best();
  return format("%.1f GB/s of copies, %.1f GFLOP/s (%s), ridge at %.3g operations a byte",
                copies / 1e9, arithmetic / 1e9, r.arithmeticType.c_str(),
                copies > 0 ? arithmetic / copies : 0);
}

}  // namespace

double Timed::rate() const {
  double median = summarize(seconds).median;
  return median > 0 ? amount / median : 0;
}

double Timed::best() const {
  double least = summarize(seconds).least;
  return least > 0 ? amount / least : 0;
}

double leastByArithmetic(const DeviceReport& report) {
  double rate = report.arithmetic.best();
  return rate > 0 ? report.work.operations / rate : 0;
}

double leastByCopies(const DeviceReport& report) {
  double rate = report.copies.rate();
  return rate > 0 ? report.work.bytes / rate : 0;
}

bool isBoundByMemory(const DeviceReport& report) {
  return leastByCopies(report) >= leastByArithmetic(report);
}

std::string tableText(const DeviceReport& r) {
  std::string text = r.kernel + " of " + r.source;
  for (const std::string& part :
       {assignments(r.dims), assignments(r.attributes), assignments(r.types)})
    text += part.empty() ? "" : ", " + part;
  text += "\ndevice: " + r.device + " (" + r.kind + ", Vulkan " + r.api + ")\n";
  text += "limits: " + joined(r.limits, ", ", [](const auto& limit) {
            return format("%s %.0f", limit.first.c_str(), limit.second);
          });
  text += format("\nwork: %.4g operations, %.4g bytes at least, %.3g operations a byte\n",
                 r.work.operations, r.work.bytes,
                 r.work.bytes > 0 ? r.work.operations / r.work.bytes : 0);
  text += "einc " + r.version + " runs: " + joined(r.dispatches, "; ") + "\n";
  text += "roofline of this run: " + rates(r) + "\n";
  text += format("%d rounds in turn, samples of %s or longer, by %s\n", r.rounds,
                 timeText(r.sampleSeconds).c_str(), clock(r).c_str());
  text += "results: " + r.comparedWith + "\n\n";

  std::vector<std::vector<std::string>> rows = {
      {"", "median", "spread", "GFLOP/s", "GB/s", "of arithmetic", "of copy", "bound by"}};
  Summary s = summarize(r.runs.seconds);
  auto row = [&](const char* name, const Timed& timed, const std::string& gflops,
                 const std::string& bytes) {
    Summary one = summarize(timed.seconds);
    return std::vector<std::string>{name, timeText(one.median),
                                    format("%.1f%%", 100 * one.spread()), gflops, bytes};
  };
  auto giga = [](double rate) { return format("%.1f", rate / 1e9); };
  rows.push_back(
      row("einc", r.runs, giga(r.work.operations / s.median), giga(r.work.bytes / s.median)));
  rows.back().insert(rows.back().end(),
                     {format("%.2f", share(leastByArithmetic(r), s.median)),
                      format("%.2f", share(leastByCopies(r), s.median)), bound(r)});
  rows.push_back(row("copy", r.copies, "", giga(r.copies.rate())));
  rows.push_back(row("arithmetic", r.arithmetic, giga(r.arithmetic.rate()), ""));
  return text + columns(rows);
}

std::string jsonText(const DeviceReport& r) {
  namespace json = llvm::json;
  Summary s = summarize(r.runs.seconds);
  json::Object einc{{"name", "einc"}, {"what", "the generated kernel"}, {"standing", "timed"}};
  einc["matches"] = r.difference.empty();
  if (!r.difference.empty()) einc["difference"] = r.difference;
  if (!r.runs.seconds.empty()) {
    addSamples(einc, r.runs.seconds, r.runs.runs);
    einc["flops"] = jsonNumber(r.work.operations / s.median);
    einc["bytes_per_second"] = jsonNumber(r.work.bytes / s.median);
    einc["of_peak"] = jsonNumber(share(leastByArithmetic(r), s.median));
    einc["of_copy"] = jsonNumber(share(leastByCopies(r), s.median));
    einc["bound_by"] = bound(r);
  }
  json::Object copies, arithmetic, limits;
  addSamples(copies, r.copies.seconds, r.copies.runs);
  addSamples(arithmetic, r.arithmetic.seconds, r.arithmetic.runs);
  for (const auto& [name, value] : r.limits) limits[name] = value;
  json::Object device{{"name", r.device},
                      {"kind", r.kind},
                      {"api", r.api},
                      {"limits", std::move(limits)},
                      {"timestamps", r.byDevice}};
  return jsonFile(
      json::Object{{"einc_bench", 1},
                   {"einc_version", r.version},
                   {"engine", "vulkan"},
                   {"kernel", r.kernel},
                   {"source", r.source},
                   {"dims", jsonMap(r.dims)},
                   {"attributes", jsonMap(r.attributes)},
                   {"types", jsonMap(r.types)},
                   {"machine", json::Object{{"device", std::move(device)}}},
                   {"dispatches", json::Array(r.dispatches)},
                   {"results", r.comparedWith},
                   {"work", jsonWork(r.work)},
                   {"peak", json::Object{{"flops", jsonNumber(r.arithmetic.best())},
                                         {"element_type", r.arithmeticType},
                                         {"copy_bytes_per_second", jsonNumber(r.copies.rate())},
                                         {"copies", std::move(copies)},
                                         {"arithmetic", std::move(arithmetic)}}},
                   {"rounds", r.rounds},
                   {"sample_seconds", jsonNumber(r.sampleSeconds)},
                   {"contestants", json::Array{std::move(einc)}}});
}

}  // namespace einc::bench
