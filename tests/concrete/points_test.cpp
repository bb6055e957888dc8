// Points of loops, and pieces of them, tried out: what formulas say is compared with going through all points.
#include "concrete/points.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "concrete/parts.h"

namespace filigree::concrete {
namespace {

using relation::Formula;

struct Known {
  std::map<IndexVar, std::int64_t> values, extents;

  std::int64_t operator()(const Formula& formula) const {
    auto find = [](const std::map<IndexVar, std::int64_t>& in) {
      return [&in](const IndexVar& var) { return in.count(var) ? std::optional(in.at(var)) : std::nullopt; };
    };
    std::optional<std::int64_t> value = evaluate(formula, {find(values), find(extents)});
    EXPECT_TRUE(value) << to_string(formula);
    return value.value_or(-1);
  }
};

using Loop = std::pair<IndexVar, std::int64_t>;  // and how many iterations it has

/// Runs `visit` wherever the loops are.
void visit_all(const std::vector<Loop>& loops, Known& known, const std::function<void()>& visit, size_t depth = 0) {
  if (depth == loops.size()) return visit();
  for (std::int64_t at = 0; at < loops[depth].second; at++) {
    known.values[loops[depth].first] = at;
    visit_all(loops, known, visit, depth + 1);
  }
  known.values.erase(loops[depth].first);
}

TEST(Points, AreNumberedInTheOrderOfLoopsAndSayWhereTheseAre) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; trial++) {
    Points points;
    Known known;
    for (unsigned n = 0; n <= random() % 3; n++) {
      points.loops.emplace_back("i" + std::to_string(n));
      known.extents[points.loops.back()] = random() % 5;
    }
    std::int64_t next = 0;
    std::vector<Loop> loops;
    for (const IndexVar& loop : points.loops) loops.push_back({loop, known.extents.at(loop)});
    visit_all(loops, known, [&] {
      EXPECT_EQ(known(number(points)), next);
      std::vector<Formula> at = coordinates_at(points, Formula::number(next));
      for (size_t n = 0; n < at.size(); n++) EXPECT_EQ(known(at[n]), known.values.at(points.loops[n]));
      next++;
    });
    EXPECT_EQ(known(count(points)), next);
  }
}

TEST(Points, WindowsOfLoopsAreThePointsOfAPiece) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 400; trial++) {
    Points points;
    Known known;
    for (unsigned n = 0; n <= random() % 3; n++) {
      points.loops.emplace_back("i" + std::to_string(n));
      known.extents[points.loops.back()] = 1 + random() % 4;
    }
    std::int64_t all = known(count(points)), begin = static_cast<std::int64_t>(random() % (all + 1)),
                 end = begin + static_cast<std::int64_t>(random() % (all - begin + 1));
    std::vector<std::int64_t> seen;
    std::function<void(size_t)> visit = [&](size_t depth) {
      if (depth == points.loops.size()) return seen.push_back(known(number(points)));
      const IndexVar& loop = points.loops[depth];
      Window window = window_of(points, depth, Formula::number(begin), Formula::number(end));
      std::int64_t last = std::min(known(window.end), known.extents.at(loop));
      for (std::int64_t at = std::max<std::int64_t>(known(window.begin), 0); at < last; at++) {
        known.values[loop] = at;
        visit(depth + 1);
      }
      known.values.erase(loop);
    };
    visit(0);
    std::vector<std::int64_t> expected;
    for (std::int64_t at = begin; at < end; at++) expected.push_back(at);
    EXPECT_EQ(seen, expected);
  }
}

/// Splits of points, of pieces and of what is inside of these; loops over the parts in any order.
class Trial {
 public:
  explicit Trial(unsigned seed) : random_(seed) {
    known_.extents[i_] = static_cast<std::int64_t>(random_() % 40);
    for (int cuts = 1 + static_cast<int>(random_() % 3); cuts > 0; cuts--) cut();
  }

  void run() {
    Numbers seen;
    PointParts parts = arranged();
    std::vector<size_t> order;
    for (size_t n = 0; n < parts.parts.size(); n++) {
      if (n != parts.visiting) order.push_back(n);
    }
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Loop> loops;
    for (size_t n : order)
      loops.push_back({parts.parts[n].loops.front(), known_(iterations(environment_, parts, n, Formula::extent(i_)))});
    std::int64_t divisor = 1 + static_cast<std::int64_t>(random_() % 3);
    bool says_even = known_.extents.at(i_) % divisor == 0;
    auto is_even = [&](const PieceLoop& cut) { return says_even && cut.amount > 0 && divisor % cut.amount == 0; };
    concrete::Visited visited = concrete::visited(environment_, parts, Formula::extent(i_), is_even);
    guards_ = !visited.guards.empty();
    visit_all(loops, known_, [&] { collect(visited, seen); });
    std::sort(seen.begin(), seen.end());
    Numbers expected;
    for (std::int64_t at = 0; at < known_.extents.at(i_); at++) expected.push_back(at);
    EXPECT_EQ(seen, expected) << describe(parts, loops);
  }
  bool has_guards() const { return guards_; }

 private:
  using Numbers = std::vector<std::int64_t>;

  void cut() {
    IndexVar pieces("p" + std::to_string(pieces_.size()));
    bool of_pieces = !pieces_.empty() && random_() % 2;
    Points points{{of_pieces ? pieces_[random_() % pieces_.size()] : i_}};
    auto given = static_cast<PieceLoop::Given>(random_() % 3);
    std::int64_t amount = given == PieceLoop::Given::Threads ? 0 : static_cast<std::int64_t>(1 + random_() % 5);
    environment_.piece_loops.push_back(PieceLoop{points, pieces, given, amount});
    if (given == PieceLoop::Given::Threads) known_.extents[pieces] = static_cast<std::int64_t>(1 + random_() % 4);
    pieces_.push_back(pieces);
  }

  /// With a loop over one of the parts as the one that visits points.
  PointParts arranged() {
    for (PieceLoop& cut : environment_.piece_loops) cut.by_number = true;
    PointParts parts = all_parts(environment_).front();
    size_t visiting = random_() % parts.parts.size();
    if (visiting == parts.visiting) return parts;
    PieceLoop inside = parts.numbering;
    inside.var = IndexVar("inside");
    inside.given = PieceLoop::Given::Inside;
    inside.over = parts.parts[visiting].var;
    environment_.piece_loops.push_back(inside);
    return all_parts(environment_).front();
  }

  void collect(const concrete::Visited& visited, Numbers& seen) {
    for (const auto& [number, end] : visited.guards) {
      if (known_(number) >= known_(end)) return;
    }
    std::int64_t last = INT64_MAX;
    if (visited.ends_with_all) last = known_.extents.at(i_);
    for (const Formula& end : visited.ends) last = std::min(last, known_(end));
    ASSERT_LT(last, INT64_MAX);
    for (std::int64_t at = known_(visited.above + visited.below); at < last; at += known_(visited.stride))
      seen.push_back(at);
  }

  std::string describe(const PointParts& parts, const std::vector<Loop>& loops) const {
    std::string text = "i has " + std::to_string(known_.extents.at(i_)) + "\n";
    for (const PieceLoop& cut : environment_.piece_loops)
      text += cut.var.name() + " of " + cut.loops[0].name() + " " + std::to_string(static_cast<int>(cut.given)) + " " +
              std::to_string(cut.amount) + "\n";
    text += "visits " + parts.parts[parts.visiting].var.name() + "\n";
    for (const auto& [loop, count] : loops) text += "for " + loop.name() + " of " + std::to_string(count) + "\n";
    return text;
  }

  std::mt19937 random_;
  const IndexVar i_ = IndexVar("i");
  Environment environment_;
  Known known_;
  std::vector<IndexVar> pieces_;
  bool guards_ = false;
};

TEST(PointParts, LoopsOverThemInAnyOrderVisitEveryPointOnce) {
  int guarded = 0;
  for (unsigned seed = 1; seed <= 5000 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    trial.run();
    guarded += trial.has_guards();
  }
  EXPECT_GT(guarded, 500);
}

}  // namespace
}  // namespace filigree::concrete
