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

using Numbers = std::vector<std::int64_t>;
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

/// Splits of the points of one loop or of several that are collapsed, of pieces, and of what is inside of these; loops
/// over the parts in any order.
class Trial {
 public:
  explicit Trial(unsigned seed) : random_(seed) {
    std::int64_t most = 40;
    for (unsigned n = 0; n <= random_() % 3; n++) {
      points_.loops.emplace_back("i" + std::to_string(n));
      known_.extents[points_.loops.back()] = static_cast<std::int64_t>(random_() % static_cast<unsigned>(most));
      most = 1 + most / std::max<std::int64_t>(1, known_.extents.at(points_.loops.back()));
    }
    for (int cuts = 1 + static_cast<int>(random_() % 3); cuts > 0; cuts--) cut();
    divisor_ = 1 + static_cast<std::int64_t>(random_() % 3);
    parts_ = arranged();
    for (size_t n = 0; n < parts_->parts.size(); n++) {
      if (n != parts_->visiting) order_.push_back(n);
    }
    std::shuffle(order_.begin(), order_.end(), random_);
  }

  void run() {
    Numbers seen;
    concrete::Visited visited = this->visited(all());
    std::vector<Loop> loops = this->loops();
    visit_all(loops, known_, [&] { collect(visited, seen); });
    std::sort(seen.begin(), seen.end());
    Numbers expected;
    for (std::int64_t at = 0; at < all(); at++) expected.push_back(at);
    EXPECT_EQ(seen, expected) << describe(loops);
    for (std::int64_t at : seen) EXPECT_EQ(back_and_forth(at), at) << describe(loops);
  }

  /// For each guard: is there a number of points, and one of threads, for which it leaves something out?
  std::vector<bool> guards_needed() {
    std::vector<bool> needed(visited(all()).guards.size(), false);
    for (const IndexVar& loop : points_.loops) known_.extents[loop] = 1;
    for (std::int64_t n = 0; n < 36 * 32; n++) {
      std::int64_t points = n % 32, threads = 1 + n / 32 % 6, other_threads = 1 + n / 32 / 6;
      for (const PieceLoop& cut : environment_.piece_loops) {
        if (cut.given == PieceLoop::Given::Threads) known_.extents[cut.var] = threads;
        std::swap(threads, other_threads);
      }
      known_.extents[points_.loops[0]] = points;
      concrete::Visited visited = this->visited(points);
      if (visited.guards.size() != needed.size()) continue;  // it is known to be divided evenly
      visit_all(loops(), known_, [&] {
        for (size_t g = 0; g < needed.size(); g++)
          needed[g] = needed[g] || known_(visited.guards[g].first) >= known_(visited.guards[g].second);
      });
      if (std::find(needed.begin(), needed.end(), false) == needed.end()) break;
    }
    return needed;
  }

  /// The numbers of points in the order in which loops from large parts to small ones come by them.
  Numbers in_natural_order() {
    std::sort(order_.begin(), order_.end());
    Numbers seen;
    concrete::Visited visited = this->visited(all());
    visit_all(loops(), known_, [&] { collect(visited, seen); });
    return seen;
  }
  /// Is something in one piece, which is all of it?  Guards are for none, too, where it is not known that there is any.
  bool has_one_piece() const {
    return std::any_of(environment_.piece_loops.begin(), environment_.piece_loops.end(), [](const PieceLoop& cut) {
      return cut.given == PieceLoop::Given::Count && cut.amount == 1;
    });
  }
  bool is_natural() const { return parts_->visiting + 1 == parts_->parts.size(); }
  std::string describe() { return describe(loops()); }

 private:
  std::int64_t all() const { return known_(count(points_)); }

  concrete::Visited visited(std::int64_t points) const {
    bool says_even = points % divisor_ == 0;
    return concrete::visited(environment_, *parts_, count(points_), [&](const PieceLoop& cut) {
      return says_even && cut.amount > 0 && divisor_ % cut.amount == 0;
    });
  }

  std::vector<Loop> loops() const {
    std::vector<Loop> loops;
    for (size_t n : order_)
      loops.push_back(
          {parts_->parts[n].loops.front(), known_(iterations(environment_, *parts_, n, count(points_)))});
    return loops;
  }

  std::int64_t back_and_forth(std::int64_t at) {
    std::vector<Formula> coordinates = coordinates_at(points_, Formula::number(at));
    for (size_t n = 0; n < coordinates.size(); n++) {
      known_.values[points_.loops[n]] = known_(coordinates[n]);
      EXPECT_LT(known_.values.at(points_.loops[n]), known_.extents.at(points_.loops[n]));
    }
    std::int64_t number = known_(concrete::number(points_));
    for (const IndexVar& loop : points_.loops) known_.values.erase(loop);
    return number;
  }

  void cut() {
    IndexVar pieces("p" + std::to_string(pieces_.size()));
    bool of_pieces = !pieces_.empty() && random_() % 2;
    Points points = of_pieces ? Points{{pieces_[random_() % pieces_.size()]}} : points_;
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
    if (visited.ends_with_all) last = all();
    for (const Formula& end : visited.ends) last = std::min(last, known_(end));
    ASSERT_LT(last, INT64_MAX);
    for (std::int64_t at = known_(visited.above + visited.below); at < last; at += known_(visited.stride))
      seen.push_back(at);
  }

  std::string describe(const std::vector<Loop>& loops) const {
    std::string text;
    for (const IndexVar& loop : points_.loops)
      text += loop.name() + " has " + std::to_string(known_.extents.at(loop)) + "\n";
    for (const PieceLoop& cut : environment_.piece_loops)
      text += cut.var.name() + " of " + cut.loops[0].name() + " " + std::to_string(static_cast<int>(cut.given)) + " " +
              std::to_string(cut.amount) + "\n";
    text += "visits " + parts_->parts[parts_->visiting].var.name() + "\n";
    for (const auto& [loop, count] : loops) text += "for " + loop.name() + " of " + std::to_string(count) + "\n";
    return text;
  }

  std::mt19937 random_;
  Points points_;
  Environment environment_;
  Known known_;
  std::vector<IndexVar> pieces_;
  std::int64_t divisor_ = 1;
  std::optional<PointParts> parts_;
  std::vector<size_t> order_;  // of the parts whose numbers loops run over
};

TEST(PointParts, LoopsOverThemInAnyOrderVisitEveryPointOnce) {
  for (unsigned seed = 1; seed <= 5000 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    Trial(seed).run();
  }
}

TEST(PointParts, FromLargeToSmallPointsComeInOrder) {
  int tried = 0;
  for (unsigned seed = 1; seed <= 3000 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    if (!trial.is_natural()) continue;
    Numbers seen = trial.in_natural_order();
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end())) << trial.describe();
    tried++;
  }
  EXPECT_GT(tried, 500);
}

TEST(PointParts, AGuardIsThereOnlyIfItLeavesSomethingOut) {
  int guarded = 0;
  for (unsigned seed = 1; seed <= 2000 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    if (trial.has_one_piece()) continue;
    std::string what = trial.describe();
    for (bool needed : trial.guards_needed()) {
      EXPECT_TRUE(needed) << what;
      guarded++;
    }
  }
  EXPECT_GT(guarded, 200);
}

}  // namespace
}  // namespace filigree::concrete
