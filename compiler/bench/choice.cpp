// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace einc::bench {
namespace {

constexpr double kWorthIt = 0.03;  // as a logarithm of times
constexpr int kDeepest = 3;        // branches on the way to a leaf

// What a branch may look at: the product of these extents.
using Feature = std::vector<std::string>;

class Tree {
 public:
  Tree(const std::vector<std::string>& libraries, const std::vector<Measured>& points)
      : libraries_(libraries), points_(points) {
    if (points.empty()) return;
    Feature all;
    for (const auto& [name, extent] : points[0].extents) all.push_back(name);
    if (all.size() > 1) features_.push_back(all);
    for (const std::string& name : all) features_.push_back({name});
  }

  std::vector<ir::LibraryRule> run() {
    std::vector<size_t> all;
    for (size_t i = 0; i < points_.size(); ++i) all.push_back(i);
    if (!all.empty()) grow(all, {}, 0);
    return std::move(rules_);
  }

 private:
  struct Leaf {
    size_t way;   // 0: generated
    double cost;  // the sum of the logarithms of seconds
  };
  struct Branch {
    Feature feature;
    int64_t bound = 0;
    double cost = 0;
  };
  using Points = std::vector<size_t>;

  double value(size_t point, const Feature& feature) const {
    double product = 1;
    for (const std::string& name : feature)
      product *= static_cast<double>(points_[point].extents.at(name));
    return product;
  }

  Leaf leaf(const Points& points) const {
    auto cost = [&](size_t way) {
      double sum = 0;
      for (size_t p : points) sum += std::log(points_[p].seconds[way]);
      return sum;
    };
    Leaf best{0, cost(0)};
    double least = best.cost - kWorthIt * static_cast<double>(points.size());
    for (size_t way = 1; way <= libraries_.size(); ++way)
      if (double sum = cost(way); sum < least) {
        best = {way, sum};
        least = sum;
      }
    return best;
  }

  std::pair<Points, Points> split(const Points& points, const Branch& branch) const {
    std::pair<Points, Points> sides;
    for (size_t p : points)
      (value(p, branch.feature) < static_cast<double>(branch.bound) ? sides.first : sides.second)
          .push_back(p);
    return sides;
  }

  // Bounds between neighbours, nearer to neither: times change by factors.
  std::vector<int64_t> bounds(const Points& points, const Feature& feature) const {
    std::set<double> values;
    for (size_t p : points) values.insert(value(p, feature));
    std::vector<int64_t> result;
    for (auto low = values.begin(); low != values.end() && std::next(low) != values.end(); ++low)
      if (double bound = std::ceil(std::sqrt(*low * *std::next(low))); bound < 1e18)
        result.push_back(static_cast<int64_t>(bound));
    return result;
  }

  // The branch that leaves the least cost, with `deeper` more below it.
  double cost(const Points& points, int deeper) const {
    double best = leaf(points).cost;
    if (deeper > 0)
      if (auto branch = bestBranch(points, deeper)) best = std::min(best, branch->cost);
    return best;
  }

  std::optional<Branch> bestBranch(const Points& points, int deeper) const {
    std::optional<Branch> best;
    for (const Feature& feature : features_)
      for (int64_t bound : bounds(points, feature)) {
        Branch branch{feature, bound, 0};
        auto [low, high] = split(points, branch);
        if (low.empty() || high.empty()) continue;
        branch.cost = leaf(low).cost + leaf(high).cost;
        if (!best || branch.cost < best->cost - 1e-9) best = branch;
      }
    if (!best || deeper <= 1) return best;
    auto [low, high] = split(points, *best);
    best->cost = cost(low, deeper - 1) + cost(high, deeper - 1);
    return best;
  }

  void grow(const Points& points, const std::vector<ir::Where>& where, int depth) {
    Leaf whole = leaf(points);
    auto branch = depth < kDeepest ? bestBranch(points, kDeepest - depth) : std::optional<Branch>();
    bool pays = branch && branch->cost < whole.cost - kWorthIt * static_cast<double>(points.size());
    if (!pays) {
      if (whole.way > 0) rules_.push_back({libraries_[whole.way - 1], where});
      return;
    }
    auto [low, high] = split(points, *branch);
    grow(low, with(where, {branch->feature, true, branch->bound}), depth + 1);
    grow(high, with(where, {branch->feature, false, branch->bound}), depth + 1);
  }

  // A closer bound takes the place of the one before it.
  static std::vector<ir::Where> with(std::vector<ir::Where> where, const ir::Where& next) {
    std::erase_if(where, [&](const ir::Where& other) {
      return other.iterators == next.iterators && other.below == next.below;
    });
    where.push_back(next);
    return where;
  }

  const std::vector<std::string>& libraries_;
  const std::vector<Measured>& points_;
  std::vector<Feature> features_;
  std::vector<ir::LibraryRule> rules_;
};

}  // namespace

std::vector<ir::LibraryRule> chooseRules(const std::vector<std::string>& libraries,
                                         const std::vector<Measured>& points) {
  return Tree(libraries, points).run();
}

}  // namespace einc::bench
