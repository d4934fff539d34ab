// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The roofline as a picture: axes and the roof on the left; on the right, a column of all names with their
// figures, the fastest first, each with a line to its dot. So no label lies on another one, or on a dot.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/bench/report.h"
#include "compiler/bench/report_parts.h"
#include "compiler/support/text_writer.h"

namespace einc::bench {
namespace {

constexpr double kWidth = 1000, kHeight = 520;
constexpr double kRow = 22;                      // of the column
constexpr double kColumn = 676, kFigures = 985;  // where names begin, and figures end
constexpr double kRadius = 5, kApart = 2 * kRadius + 2;
constexpr size_t kLongestTitle = 100, kLongestLine = 125, kLongestName = 23;

// Logarithmic axes on a rectangle.
struct Frame {
  double x0, x1, y0, y1;  // of the data
  static constexpr double kLeft = 80, kTop = 80, kWide = 520, kHigh = 360;
  double x(double value) const { return kLeft + kWide * std::log(value / x0) / std::log(x1 / x0); }
  double y(double value) const {
    return kTop + kHigh - kHigh * std::log(value / y0) / std::log(y1 / y0);
  }
};

// One that was timed, and where its dot is.
struct Shown {
  const Contestant* contestant;
  double seconds, speed;
  double x = 0, y = 0;
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

std::string shortened(const std::string& text, size_t longest) {
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>";
}

std::string segment(double xa, double ya, double xb, double yb, const std::string& style) {
  return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", xa, ya, xb, yb) + style +
         "/>";
}

std::string dot(double x, double y, const char* colour) {
  return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" fill=\"%s\"/>", x, y, kRadius, colour);
}

// Powers of 10 from one to another.
std::vector<double> decades(double first, double last) {
  const auto from = std::lround(std::log10(first)), to = std::lround(std::log10(last));
  std::vector<double> all;
  for (long power = from; power <= to; ++power)
    all.push_back(std::pow(10, static_cast<double>(power)));
  return all;
}

void drawAxes(TextWriter& svg, const Frame& f) {
  const char* grid = "stroke=\"#dddddd\"";
  for (double v : decades(f.x0, f.x1)) {
    svg.line(segment(f.x(v), f.kTop, f.x(v), f.kTop + f.kHigh, grid));
    svg.line(label(f.x(v), f.kTop + f.kHigh + 18, "middle", format("%g", v)));
  }
  for (double v : decades(f.y0, f.y1)) {
    svg.line(segment(f.kLeft, f.y(v), f.kLeft + f.kWide, f.y(v), grid));
    svg.line(label(f.kLeft - 8, f.y(v) + 4, "end", format("%g", v)));
  }
  svg.line(label(f.kLeft + f.kWide / 2, f.kTop + f.kHigh + 42, "middle",
                 "operations for each byte of memory (FLOP/B)"));
  svg.line(label(12, f.kTop - 14, "start", "speed (GFLOP/s)"));
}

double decade(double value, bool up) {
  return std::pow(10, up ? std::ceil(std::log10(value)) : std::floor(std::log10(value)));
}

std::vector<Shown> fastestFirst(const Report& r) {
  std::vector<Shown> all;
  for (const Contestant& c : r.contestants) {
    if (c.standing != Standing::Timed) continue;
    const double seconds = summarize(c.seconds).median;
    all.push_back({&c, seconds, r.work.operations / std::max(seconds, 1e-12) / 1e9});
  }
  std::sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.contestant < b.contestant;
  });
  return all;
}

// Dots of about the same speed stand beside each other: all have the same operations a byte.
void place(std::vector<Shown>& all, const Frame& f, double intensity) {
  for (size_t i = 0; i < all.size(); ++i) {
    Shown& one = all[i];
    one.y = f.y(std::clamp(one.speed, f.y0, f.y1));
    auto isTaken = [&](double x) {
      return std::any_of(
          all.begin(), all.begin() + static_cast<ptrdiff_t>(i), [&](const Shown& other) {
            return std::abs(other.x - x) < kApart && std::abs(other.y - one.y) < kApart;
          });
    };
    const double middle = f.x(intensity);
    one.x = middle;
    for (int step = 1; isTaken(one.x) && step < 200; ++step) {
      const int places = (step + 1) / 2;  // to the right and to the left, in turn
      const double aside = middle + (step % 2 ? places : -places) * kApart;
      if (aside >= f.kLeft && aside <= f.kLeft + f.kWide) one.x = aside;
    }
  }
}

// The roof: memory up to the ridge, arithmetic behind it; and what is only read. What they are stands in the column.
void drawRoof(TextWriter& svg, const Frame& f, double peak, double copied, double read, double y) {
  const std::string roof = "stroke=\"#222222\" stroke-width=\"2\"",
                    dashed = "stroke=\"#222222\" stroke-dasharray=\"4 4\"";
  const double ridge = peak / copied, start = std::max(f.x0, f.y0 / copied);
  svg.line(segment(f.x(start), f.y(start * copied), f.x(ridge), f.y(peak), roof));
  svg.line(segment(f.x(ridge), f.y(peak), f.x(f.x1), f.y(peak), roof));
  auto row = [&](const std::string& name, const std::string& figure, const std::string& style) {
    svg.line(segment(kColumn - 24, y - 4, kColumn - 6, y - 4, style));
    svg.line(label(kColumn, y, "start", name));
    svg.line(label(kFigures, y, "end", figure));
    y += kRow;
  };
  row("the most, computing", format("%.1f GFLOP/s", peak), roof);
  row("the most, copying", format("%.1f GB/s", copied), roof);
  if (read <= 0) return;
  const double from = std::max(f.x0, f.y0 / read), to = std::min(peak / read, f.x1);
  svg.line(segment(f.x(from), f.y(from * read), f.x(to), f.y(to * read), dashed));
  row("the most, reading", format("%.1f GB/s", read), dashed);
}

}  // namespace

std::string rooflineSvg(const Report& r) {
  // An op without arithmetic has no place on a logarithmic axis: the left end stands for it.
  const double intensity = std::max(r.work.operations / std::max(r.work.bytes, 1.0), 1e-3);
  const double peak = std::max(r.peak.flops / 1e9, 1e-3),
               copied = std::max(r.peak.copies.bytes / 1e9, 1e-3);
  std::vector<Shown> all = fastestFirst(r);
  double lowest = peak, highest = peak;
  for (const Shown& one : all)
    if (one.speed > 0) {
      lowest = std::min(lowest, one.speed);
      highest = std::max(highest, one.speed);
    }
  const Frame f{decade(std::min(intensity, peak / copied) / 3, false),
                decade(std::max(intensity, peak / copied) * 3, true),
                decade(std::max(lowest, 1e-6) / 2, false), decade(highest * 1.2, true)};
  place(all, f, intensity);
  const double roofs = f.kTop + kRow * (static_cast<double>(all.size()) + 2);
  const double height = std::max(kHeight, roofs + 3 * kRow);
  TextWriter svg;
  svg.open(
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
             "font-family=\"sans-serif\" font-size=\"12\">",
             kWidth, height));
  svg.line(format("<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>", kWidth, height));
  svg.line(label(12, 22, "start",
                 shortened("Roofline of " + r.kernel + " " + assignments(r.dims), kLongestTitle)));
  svg.line(label(12, 42, "start", shortened("One core of " + r.cpu, kLongestLine)));
  drawAxes(svg, f);
  drawRoof(svg, f, peak, copied, r.peak.reads.bytes / 1e9, roofs);
  const char* const colours[] = {"#d62728", "#1f77b4", "#17becf", "#9467bd", "#2ca02c",
                                 "#8c564b", "#e377c2", "#ff7f0e", "#7f7f7f"};
  for (size_t i = 0; i < all.size(); ++i) {
    const Shown& one = all[i];
    const char* colour = colours[i % std::size(colours)];
    const double y = f.kTop + kRow * static_cast<double>(i) + 8;
    svg.line(segment(one.x, one.y, kColumn - 12, y - 4,
                     format("stroke=\"%s\" stroke-width=\"0.7\" opacity=\"0.6\"", colour)));
    svg.line(dot(one.x, one.y, colour));
    svg.line(dot(kColumn - 12, y - 4, colour));
    svg.line(label(kColumn, y, "start", shortened(one.contestant->name, kLongestName)));
    svg.line(
        label(kFigures, y, "end",
              r.work.operations > 0 ? format("%.1f GFLOP/s", one.speed) : timeText(one.seconds)));
  }
  svg.close("</svg>");
  return svg.take();
}

}  // namespace einc::bench
