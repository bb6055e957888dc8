#include "fuzz/random_format.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/named_format.h"

namespace filigree::fuzz {
namespace {

/// Above an empty dimension a level that must have every coordinate cannot have one.
bool only_last_is_full(const Format& format) {
  std::vector<Level> above(format.levels().begin(), format.levels().end() - 1);
  return !promises_fullness(Format(above));
}

using relation::Coordinate;
using relation::Counter;
using relation::Difference;
using relation::Digits;

bool is_valid(const std::vector<Level>& levels, int order) {
  return !find_problem(levels, usual_dimension_names(order));
}

class Generator {
 public:
  Generator(int order, std::mt19937_64& random) : order_(order), random_(random) {}

  Format plain() {
    std::vector<int> dimensions = shuffled_dimensions(60);
    std::vector<Level> levels;
    unsigned dense = pick({50u, 50u, 10u, 80u});
    for (int dimension : dimensions)
      levels.push_back({dimension, chance(dense) ? level::dense() : level::compressed()});
    return Format(levels);
  }

  Format any() {
    if (order_ == 0) return Format();
    for (int attempt = 0; attempt < 20; attempt++) {
      Format format = chance(45) ? named() : map();
      // Who promises every coordinate keeps to the tensor's own, each once and below nothing that may be empty.
      bool once = format.is_plain() &&
                  std::all_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
                    return level.format->properties().unique && level.format->properties().compact &&
                           !level.format->stands_under_rows();
                  });
      if (promises_fullness(format) && (!once || !only_last_is_full(format))) continue;
      if (format.order() == order_ && is_valid(format.levels(), order_)) return format;
    }
    return plain();
  }

 private:
  std::size_t upto(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  template <class T>
  T pick(std::initializer_list<T> options) {
    return options.begin()[upto(options.size())];
  }

  std::vector<int> shuffled_dimensions(unsigned percent) {
    std::vector<int> dimensions(static_cast<std::size_t>(order_));
    std::iota(dimensions.begin(), dimensions.end(), 0);
    if (chance(percent)) std::shuffle(dimensions.begin(), dimensions.end(), random_);
    return dimensions;
  }

  // --- By name ---------------------------------------------------------------------------------------

  Format named() {
    std::vector<NamedFormat> all = named_formats();
    std::erase_if(all, [&](const NamedFormat& named) { return named.order && *named.order != order_; });
    const NamedFormat& chosen = all[upto(all.size())];
    std::vector<std::int64_t> blocks;
    for (int d = 0; d < order_; d++) blocks.push_back(block());
    Format format = chosen.make(order_, blocks);
    if (chance(25)) {
      std::vector<std::string> words =
          pick<std::vector<std::string>>({{"unordered"}, {"nonunique"}, {"unordered", "nonunique"}, {"decreasing"}});
      if (std::optional<Format> changed = with_properties(format, words)) format = *changed;
    }
    if (order_ == 2 && chance(20))
      format = Format(format.levels(), pick({Symmetry::Symmetric, Symmetry::Skew, Symmetry::Hermitian}));
    return format;
  }

  /// Often no divisor of the extents, sometimes larger than they are.
  std::int64_t block() { return pick<std::int64_t>({2, 2, 2, 3, 3, 4, 1, 8}); }

  // --- By map ----------------------------------------------------------------------------------------

  Format map() {
    std::vector<Level> levels;
    for (const Coordinate& coordinate : coordinates()) {
      Level level{coordinate, level_format(levels, coordinate)};
      levels.push_back(level);
      // Most mistakes can be seen at once; what is missing can only be seen in the end.
      std::optional<FormatProblem> problem = find_problem(levels, usual_dimension_names(order_));
      for (int attempt = 0; problem && problem->level && attempt < 4; attempt++) {
        levels.back().format = level_format({levels.begin(), levels.end() - 1}, coordinate);
        problem = find_problem(levels, usual_dimension_names(order_));
      }
    }
    Symmetry symmetry = order_ == 2 && chance(6) ? pick({Symmetry::Symmetric, Symmetry::Skew, Symmetry::Hermitian})
                                                 : Symmetry::None;
    return Format(levels, symmetry);
  }

  /// What levels store, in their order: each dimension whole, in blocks or by its distance from another.
  std::vector<Coordinate> coordinates() {
    std::vector<Coordinate> out;
    std::vector<int> dimensions = shuffled_dimensions(40);
    int diagonal = order_ >= 2 && chance(20) ? dimensions[upto(static_cast<std::size_t>(order_))] : -1;
    unsigned blocked = pick({0u, 30u, 60u, 100u});
    std::vector<Coordinate> inner;
    for (int d : dimensions) {
      if (d == diagonal) {
        int other = dimensions[upto(static_cast<std::size_t>(order_))];
        if (other != d) out.push_back(chance(50) ? Difference{d, other} : Difference{other, d});
      } else if (!chance(blocked)) {
        out.push_back(d);
      } else if (std::int64_t small = block(), large = block(); chance(20)) {
        out.push_back(Digits{d, small * large, 0});
        inner.push_back(Digits{d, small, large});
        inner.push_back(Digits{d, 1, small});
      } else {
        out.push_back(Digits{d, small, 0});
        inner.push_back(Digits{d, 1, small});
      }
    }
    if (chance(15)) std::shuffle(inner.begin(), inner.end(), random_);
    out.insert(out.end(), inner.begin(), inner.end());
    if (chance(15)) std::shuffle(out.begin(), out.end(), random_);
    if (chance(8))
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(upto(out.size())),
                 Counter{dimensions[upto(static_cast<std::size_t>(order_))]});
    if (diagonal >= 0 && chance(50)) out.insert(out.begin() + place_of_implied(out, diagonal), diagonal);
    return out;
  }

  /// Behind everything, or somewhere below the levels it follows from.
  std::ptrdiff_t place_of_implied(const std::vector<Coordinate>& levels, int dimension) {
    std::size_t place = levels.size();
    if (chance(50)) return static_cast<std::ptrdiff_t>(place);
    auto is_implied = [&](std::size_t above) {
      std::vector<Coordinate> so_far(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(above));
      so_far.push_back(dimension);
      return relation::is_implied(so_far, order_);
    };
    while (place > 0 && is_implied(place - 1) && chance(70)) place--;
    return static_cast<std::ptrdiff_t>(place);
  }

  level::FormatPtr level_format(const std::vector<Level>& above, const Coordinate& coordinate) {
    if (coordinate.as<Counter>()) return level::slots();
    std::vector<Coordinate> so_far;
    for (const Level& level : above) so_far.push_back(level.coordinate);
    so_far.push_back(coordinate);
    if (relation::is_implied(so_far, order_)) return level::offset();
    bool repeats = !above.empty() && !above.back().format->properties().unique;
    bool counted = std::any_of(above.begin(), above.end(),
                               [](const Level& level) { return level.coordinate.as<Counter>() != nullptr; });
    if (repeats && chance(75)) return with_some(level::singleton(), {"nonunique", "unordered", "decreasing"});
    if (counted && chance(60)) return level::singleton()->with("padded");
    switch (upto(20)) {
      case 0:
      case 1: return level::hashed();
      case 2:
      case 3: return level::bitmap();
      case 4: return above.empty() ? level::dense() : level::range();
      case 5: return with_some(level::singleton()->with("padded"), {"nonunique", "unordered"});
      case 6: return pick({level::lower(), level::upper()});
      case 7:
      case 8:
      case 9:
      case 10:
      case 11:
      case 12: return level::dense();
      default: return with_some(level::compressed(), {"nonunique", "unordered", "decreasing", "full"});
    }
  }

  level::FormatPtr with_some(level::FormatPtr format, std::initializer_list<const char*> words) {
    for (const char* word : words) {
      if (!chance(std::string(word) == "full" ? 4 : std::string(word) == "nonunique" ? 25 : 12)) continue;
      if (level::FormatPtr changed = format->with(word)) format = changed;
    }
    return format;
  }

  int order_;
  std::mt19937_64& random_;
};

}  // namespace

Format random_plain_format(int order, std::mt19937_64& random) { return Generator(order, random).plain(); }
Format random_format(int order, std::mt19937_64& random) { return Generator(order, random).any(); }

bool is_dense_and_compressed(const Format& format) {
  return format.is_plain() && std::all_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
           return *level.format == *level::dense() || *level.format == *level::compressed();
         });
}

bool promises_fullness(const Format& format) {
  return std::any_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return level.format->properties().full && level.format->locate() == nullptr && !level.format->is_implied();
  });
}

}  // namespace filigree::fuzz
