// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The picture is read back: where its labels and dots are.
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "compiler/bench/report.h"

namespace einc::bench {
namespace {

struct Box {
  double x0, y0, x1, y1;
  std::string what;
};

bool overlap(const Box& a, const Box& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

// As wide as a sans-serif font of 12 is at most, on the average of some characters.
constexpr double kCharacter = 7, kAscent = 10, kDescent = 3;

size_t characters(const std::string& text) {
  return std::regex_replace(text, std::regex("&[a-z]+;"), "x").size();
}

std::vector<Box> found(const std::string& svg, const std::regex& pattern,
                       const std::function<Box(const std::smatch&)>& toBox) {
  std::vector<Box> boxes;
  for (std::sregex_iterator i(svg.begin(), svg.end(), pattern), end; i != end; ++i)
    boxes.push_back(toBox(*i));
  return boxes;
}

std::vector<Box> labelsIn(const std::string& svg) {
  const std::regex pattern(
      "<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" text-anchor=\"([a-z]+)\">([^<]*)</text>");
  return found(svg, pattern, [](const std::smatch& m) {
    const double x = std::stod(m[1]), y = std::stod(m[2]);
    const double width = kCharacter * static_cast<double>(characters(m[4]));
    const double x0 = m[3] == "start" ? x : m[3] == "end" ? x - width : x - width / 2;
    return Box{x0, y - kAscent, x0 + width, y + kDescent, m[4]};
  });
}

std::vector<Box> dotsIn(const std::string& svg) {
  const std::regex pattern("<circle cx=\"([-0-9.]+)\" cy=\"([-0-9.]+)\" r=\"([0-9.]+)\"");
  return found(svg, pattern, [](const std::smatch& m) {
    const double x = std::stod(m[1]), y = std::stod(m[2]), r = std::stod(m[3]);
    return Box{x - r, y - r, x + r, y + r, "a dot"};
  });
}

Report of(const std::vector<double>& seconds, const std::string& name = "library") {
  Report r;
  r.kernel = "matmul";
  r.dims = {{"K", 512}, {"M", 512}, {"N", 512}};
  r.cpu = "Some Vendor Model 1234 with a long name @ 3.0 GHz";
  r.work.operations = 2.7e8;
  r.work.bytes = 4.2e6;
  r.peak = {200e9, 64, 4, {20e9, "memcpy"}, {25e9, "vectors"}, {10e9, "memset"}};
  for (size_t i = 0; i < seconds.size(); ++i) {
    Contestant one;
    one.name = name + " " + std::to_string(i);
    one.seconds = {seconds[i]};
    r.contestants.push_back(std::move(one));
  }
  return r;
}

std::vector<Report> reports() {
  std::vector<Report> all;
  for (size_t count : {1, 6, 10, 30}) {
    all.push_back(of(std::vector<double>(count, 2e-3)));  // equal speeds
    std::vector<double> near;
    for (size_t i = 0; i < count; ++i) near.push_back(2e-3 * (1 + 0.02 * static_cast<double>(i)));
    all.push_back(of(near));
  }
  all.push_back(of({1e-3, 1e-1, 10, 100, 1e-6}));  // far apart, and one beyond the roof
  all.push_back(of({2e-3, 2e-3}, "a library whose name is so long that there is no room for it"));
  Report none = of({2e-3, 2e-3});
  none.work = {};
  all.push_back(none);
  none.peak = {};
  none.kernel = std::string(300, 'k');
  none.cpu = std::string(300, 'c');
  all.push_back(none);
  return all;
}

TEST(Roofline, LabelsHideNothing) {
  for (const Report& r : reports()) {
    const std::string svg = rooflineSvg(r);
    const std::vector<Box> labels = labelsIn(svg), dots = dotsIn(svg);
    ASSERT_GT(labels.size(), r.contestants.size()) << svg;
    ASSERT_EQ(dots.size(), 2 * r.contestants.size()) << svg;
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t j = i + 1; j < labels.size(); ++j)
        EXPECT_FALSE(overlap(labels[i], labels[j]))
            << labels[i].what << " and " << labels[j].what << "\n"
            << svg;
      for (const Box& dot : dots)
        EXPECT_FALSE(overlap(labels[i], dot)) << labels[i].what << "\n" << svg;
    }
    for (size_t i = 0; i < dots.size(); ++i)
      for (size_t j = i + 1; j < dots.size(); ++j) EXPECT_FALSE(overlap(dots[i], dots[j])) << svg;
  }
}

TEST(Roofline, AllIsInside) {
  for (const Report& r : reports()) {
    const std::string svg = rooflineSvg(r);
    std::smatch size;
    ASSERT_TRUE(std::regex_search(svg, size, std::regex("viewBox=\"0 0 ([0-9]+) ([0-9]+)\"")));
    std::vector<Box> all = labelsIn(svg);
    for (const Box& dot : dotsIn(svg)) all.push_back(dot);
    for (const Box& box : all) {
      EXPECT_GE(box.x0, 0) << box.what;
      EXPECT_GE(box.y0, 0) << box.what;
      EXPECT_LE(box.x1, std::stod(size[1])) << box.what;
      EXPECT_LE(box.y1, std::stod(size[2])) << box.what;
    }
  }
}

TEST(Roofline, SaysWhoAndWhere) {
  const std::string svg = rooflineSvg(of({2e-3, 1e-3}));
  for (const char* part : {"Roofline of matmul K=512 M=512 N=512", "One core of Some Vendor",
                           "(FLOP/B)", "speed (GFLOP/s)", "270.0 GFLOP/s", "20.0 GB/s"})
    EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
  EXPECT_LT(svg.find("library 1"), svg.find("library 0"));  // the fastest first
}

}  // namespace
}  // namespace einc::bench
