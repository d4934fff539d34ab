// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/report.h"

#include <algorithm>
#include <cmath>

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

// ---- The picture ----

namespace {

// Logarithmic axes on a rectangle.
struct Frame {
  double x0, x1, y0, y1;  // of the data
  static constexpr double kLeft = 80, kTop = 50, kWidth = 560, kHeight = 360;
  double x(double value) const { return kLeft + kWidth * std::log(value / x0) / std::log(x1 / x0); }
  double y(double value) const {
    return kTop + kHeight - kHeight * std::log(value / y0) / std::log(y1 / y0);
  }
};

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result;
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>";
}

std::string segment(double xa, double ya, double xb, double yb, const char* style) {
  return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", xa, ya, xb, yb,
                style);
}

void drawAxes(TextWriter& svg, const Frame& f) {
  const char* grid = "stroke=\"#dddddd\"";
  for (double v = f.x0; v <= f.x1 * 1.001; v *= 10) {
    svg.line(segment(f.x(v), f.kTop, f.x(v), f.kTop + f.kHeight, grid));
    svg.line(label(f.x(v), f.kTop + f.kHeight + 18, "middle", format("%g", v)));
  }
  for (double v = f.y0; v <= f.y1 * 1.001; v *= 10) {
    svg.line(segment(f.kLeft, f.y(v), f.kLeft + f.kWidth, f.y(v), grid));
    svg.line(label(f.kLeft - 8, f.y(v) + 4, "end", format("%g", v)));
  }
  svg.line(label(f.kLeft + f.kWidth / 2, f.kTop + f.kHeight + 40, "middle", "operations a byte"));
  svg.line(label(f.kLeft - 8, f.kTop - 10, "end", "GFLOP/s"));
}

double decade(double value, bool up) {
  return std::pow(10, up ? std::ceil(std::log10(value)) : std::floor(std::log10(value)));
}

}  // namespace

std::string rooflineSvg(const Report& r) {
  double intensity = r.work.operations / std::max(r.work.bytes, 1.0);
  // An op without arithmetic has no place on a logarithmic axis: the left end stands for it.
  intensity = std::max(intensity, 1e-3);
  double peak = std::max(r.peak.flops / 1e9, 1e-3),
         bytes = std::max(r.peak.copies.bytes / 1e9, 1e-3);
  double lowest = peak;
  for (const Contestant& c : r.contestants)
    if (c.standing == Standing::Timed && r.work.operations > 0)
      lowest = std::min(lowest, r.work.operations / summarize(c.seconds).median / 1e9);
  Frame f{decade(std::min(intensity, peak / bytes) / 3, false),
          decade(std::max(intensity, peak / bytes) * 3, true),
          decade(std::max(lowest, 1e-6) / 2, false), decade(peak * 1.2, true)};
  TextWriter svg;
  svg.open(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 480\" "
      "font-family=\"sans-serif\" font-size=\"12\">");
  svg.line("<rect width=\"860\" height=\"480\" fill=\"white\"/>");
  svg.line(label(f.kLeft, 22, "start", r.kernel + " " + assignments(r.dims) + " on " + r.cpu));
  drawAxes(svg, f);
  // The roof: memory up to the ridge, arithmetic behind it.
  const char* roof = "stroke=\"#222222\" stroke-width=\"2\"";
  double ridge = peak / bytes, start = std::max(f.x0, f.y0 / bytes);
  svg.line(segment(f.x(start), f.y(start * bytes), f.x(ridge), f.y(peak), roof));
  svg.line(segment(f.x(ridge), f.y(peak), f.x(f.x1), f.y(peak), roof));
  svg.line(label(f.x(f.x1) - 4, f.y(peak) - 6, "end", format("%.0f GFLOP/s", peak)));
  svg.line(label(f.x(start) + 8, f.y(start * bytes), "start", format("%.1f GB/s", bytes)));
  // What is only read.
  if (double reads = r.peak.reads.bytes / 1e9; reads > 0) {
    double from = std::max(f.x0, f.y0 / reads), to = std::min(peak / reads, f.x1);
    svg.line(segment(f.x(from), f.y(from * reads), f.x(to), f.y(to * reads),
                     "stroke=\"#222222\" stroke-dasharray=\"4 4\""));
    svg.line(
        label(f.x(from) + 8, f.y(from * reads) + 14, "start", format("%.1f GB/s read", reads)));
  }
  const char* const colours[] = {"#d62728", "#1f77b4", "#17becf", "#9467bd", "#2ca02c",
                                 "#8c564b", "#e377c2", "#ff7f0e", "#7f7f7f"};
  size_t shown = 0;
  for (const Contestant& c : r.contestants) {
    if (c.standing != Standing::Timed) continue;
    double speed = std::max(r.work.operations / summarize(c.seconds).median / 1e9, f.y0);
    const char* colour = colours[shown % std::size(colours)];
    svg.line(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>", f.x(intensity),
                    f.y(speed), colour));
    double y = f.kTop + 20 + 20 * static_cast<double>(shown++);
    svg.line(format("<circle cx=\"660\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>", y - 4, colour));
    svg.line(label(672, y, "start", c.name + format("  %.1f GFLOP/s", speed)));
  }
  svg.close("</svg>");
  return svg.take();
}

}  // namespace einc::bench
