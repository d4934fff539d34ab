// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/report.h"

#include <algorithm>

#include "compiler/bench/report_parts.h"
#include "compiler/support/text_writer.h"

namespace einc::bench {
namespace {

std::string standingText(Standing standing) {
  switch (standing) {
    case Standing::Timed:
      return "timed";
    case Standing::NotInstalled:
      return "not installed";
    case Standing::NotOffered:
      return "does not do this";
    case Standing::Failed:
      return "failed";
  }
  return "";
}

double at(const std::vector<double>& sorted, double part) {
  double place = part * static_cast<double>(sorted.size() - 1);
  auto low = static_cast<size_t>(place);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

std::string timeText(double seconds) {
  if (seconds < 1e-6) return format("%.1f ns", seconds * 1e9);
  if (seconds < 1e-3) return format("%.2f us", seconds * 1e6);
  if (seconds < 1) return format("%.2f ms", seconds * 1e3);
  return format("%.2f s", seconds);
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows)
    for (size_t c = 0; c + 1 < row.size(); ++c) {
      if (widths.size() <= c) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      std::string blanks(c + 1 < row.size() ? widths[c] - row[c].size() : 0, ' ');
      line += (c ? "  " : "") + (c == 0 ? row[c] + blanks : blanks + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

Summary summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {at(samples, 0.5), samples.front(), samples.back(), at(samples, 0.25), at(samples, 0.75)};
}

double leastByInstructions(const Report& report) {
  // Instructions a second, as measured with multiply-adds, each of `lanes` elements.
  double lanes = report.peak.vectorBytes / std::max(report.work.elementBytes, 1.0);
  double rate = report.peak.flops / 2 / (report.peak.vectorBytes / report.peak.elementBytes);
  return report.peak.flops > 0 ? report.work.instructions / lanes / rate : 0;
}

double leastByBytes(const Report& report) {
  return report.peak.copies.bytes > 0 ? report.work.bytes / report.peak.copies.bytes : 0;
}

double leastByMemory(const Report& report) {
  const Peak& peak = report.peak;
  if (peak.copies.bytes <= 0 || peak.reads.bytes <= 0 || peak.writes.bytes <= 0) return 0;
  double read = report.work.readBytes, written = report.work.bytes - read;
  return std::max({read / peak.reads.bytes, written / peak.writes.bytes, leastByBytes(report)});
}

std::optional<double> ratio(const Report& report, const Contestant& other) {
  const std::vector<double>& ours = report.contestants.front().seconds;
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(ours.size(), other.seconds.size()); ++i)
    ratios.push_back(other.seconds[i] / ours[i]);
  if (ratios.empty()) return std::nullopt;
  return summarize(ratios).median;
}

std::string tableText(const Report& r) {
  std::string text = r.kernel + " of " + r.source;
  for (const std::string& part :
       {assignments(r.dims), assignments(r.attributes), assignments(r.types)})
    text += part.empty() ? "" : ", " + part;
  text += "\nCPU: " + r.cpu + "; target: " + r.target + "\ncompiler: " + r.compiler + "\n";
  text += "to a library: " + (r.recognized.empty() ? r.whyNot : r.recognized) + "\n";
  text += format("work: %.4g operations, %.4g bytes at least, %.3g operations a byte; ",
                 r.work.operations, r.work.bytes,
                 r.work.bytes > 0 ? r.work.operations / r.work.bytes : 0);
  text += format("%.4g iterations, in all %.4g vector instructions (times lanes)\n",
                 r.work.iterations, r.work.instructions);
  text += format("peak of this run, one core: %.1f GFLOP/s (f%d, vectors of %d bytes), ",
                 r.peak.flops / 1e9, r.peak.elementBytes * 8, r.peak.vectorBytes);
  const std::pair<const char*, const Rate&> rates[] = {
      {"copies", r.peak.copies}, {", reads", r.peak.reads}, {", writes", r.peak.writes}};
  for (const auto& [name, rate] : rates)
    text += format("%s %.1f GB/s (%s)", name, rate.bytes / 1e9, rate.by.c_str());
  text += "\n";
  text += format("%d rounds in turn, samples of %s or longer, one thread\n", r.rounds,
                 timeText(r.sampleSeconds).c_str());
  if (r.cpuShare < 0.98)
    text += format("NOT ALONE: something else had up to %.0f%% of the CPU during a sample\n",
                   100 * (1 - r.cpuShare));
  text += "results: " + r.comparedWith + "\n\n";

  std::vector<std::vector<std::string>> rows = {{"", "median", "spread", "GFLOP/s", "GB/s",
                                                 "of peak", "of copy", "of memory", "einc is x",
                                                 "what"}};
  for (const Contestant& c : r.contestants) {
    if (c.standing != Standing::Timed) {
      rows.push_back({c.name, "-", "", "", "", "", "", "", "",
                      standingText(c.standing) + (c.reason.empty() ? "" : ": " + c.reason)});
      continue;
    }
    Summary s = summarize(c.seconds);
    bool first = &c == &r.contestants.front();
    std::string what = c.what;
    if (c.matches && !*c.matches) what += "; ANOTHER RESULT " + c.difference;
    auto by = first ? std::nullopt : ratio(r, c);
    rows.push_back({c.name, timeText(s.median), format("%.1f%%", 100 * s.spread()),
                    format("%.1f", r.work.operations / s.median / 1e9),
                    format("%.1f", r.work.bytes / s.median / 1e9),
                    format("%.2f", leastByInstructions(r) / s.median),
                    format("%.2f", leastByBytes(r) / s.median),
                    format("%.2f", leastByMemory(r) / s.median), by ? format("%.2f", *by) : "",
                    what});
  }
  return text + columns(rows);
}

std::string jsonText(const Report& r) {
  namespace json = llvm::json;
  auto number = jsonNumber;
  json::Array contestants;
  for (const Contestant& c : r.contestants) {
    json::Object one{{"name", c.name}, {"what", c.what}, {"standing", standingText(c.standing)}};
    if (!c.reason.empty()) one["reason"] = c.reason;
    if (c.matches) one["matches"] = *c.matches;
    if (!c.difference.empty()) one["difference"] = c.difference;
    if (!c.seconds.empty()) {
      Summary s = summarize(c.seconds);
      addSamples(one, c.seconds, c.runs);
      one["of_peak"] = number(leastByInstructions(r) / s.median);
      one["of_copy"] = number(leastByBytes(r) / s.median);
      one["of_memory"] = number(leastByMemory(r) / s.median);
      if (&c != &r.contestants.front())
        if (auto by = ratio(r, c)) one["ratio"] = number(*by);
    }
    contestants.push_back(std::move(one));
  }
  json::Object all{
      {"einc_bench", 1},
      {"kernel", r.kernel},
      {"source", r.source},
      {"dims", jsonMap(r.dims)},
      {"attributes", jsonMap(r.attributes)},
      {"types", jsonMap(r.types)},
      {"machine", json::Object{{"cpu", r.cpu}, {"compiler", r.compiler}, {"target", r.target}}},
      {"to_a_library", r.recognized.empty() ? json::Value(nullptr) : json::Value(r.recognized)},
      {"results", r.comparedWith},
      {"work", jsonWork(r.work)},
      {"peak", json::Object{{"flops", number(r.peak.flops)},
                            {"element_bytes", r.peak.elementBytes},
                            {"vector_bytes", r.peak.vectorBytes},
                            {"copy_bytes_per_second", number(r.peak.copies.bytes)},
                            {"copied_by", r.peak.copies.by},
                            {"read_bytes_per_second", number(r.peak.reads.bytes)},
                            {"read_by", r.peak.reads.by},
                            {"write_bytes_per_second", number(r.peak.writes.bytes)},
                            {"written_by", r.peak.writes.by}}},
      {"rounds", r.rounds},
      {"cpu_share", number(r.cpuShare)},
      {"sample_seconds", number(r.sampleSeconds)},
      {"contestants", std::move(contestants)}};
  if (!r.whyNot.empty()) all["why_not"] = r.whyNot;
  return jsonFile(std::move(all));
}

}  // namespace einc::bench
