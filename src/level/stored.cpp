#include "level/stored.h"

#include <algorithm>

#include <fmt/format.h>

#include "level/check_in_parallel.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::level {

ElementType coordinate_type(std::int64_t origin, std::int64_t extent) {
  return index_type_for(std::max(-origin, origin + extent - 1));
}

std::int64_t check_positions(const Array& pos, std::int64_t parent_count, std::int64_t crd_count,
                             const std::string& where, int per) {
  std::string each = per == 1 ? "" : fmt::format(", {} for every position", per);
  if (pos.count() != parent_count + 1) {
    throw UserError(fmt::format("The array 'pos' of {} has {}, but needs {}: one more than there are positions above",
                                where, counted(pos.count(), "element"), parent_count + 1));
  }
  if (pos.index_at(0) != 0) throw UserError(fmt::format("pos[0] of {} is {}, not 0", where, pos.index_at(0)));
  bool is_right = positions_are_right(pos, parent_count, crd_count / per);
  for (std::int64_t p = 0; p < parent_count && !is_right; p++) {  // what is wrong
    std::int64_t begin = pos.index_at(p), end = pos.index_at(p + 1);
    if (end < begin) {
      throw UserError(fmt::format("pos[{}] of {} is {}, less than pos[{}] = {}; positions must not decrease", p + 1,
                                  where, end, p, begin));
    }
    if (end > crd_count / per) {
      throw UserError(fmt::format("pos[{}] of {} is {}, but 'crd' has only {}{}", p + 1, where, end,
                                  counted(crd_count, "element"), each));
    }
  }
  std::int64_t size = pos.index_at(parent_count);
  if (crd_count != size * per) {
    throw UserError(fmt::format("The array 'crd' of {} has {}{}, but pos ends at {}", where,
                                counted(crd_count, "element"), each, size));
  }
  return size;
}

void check_coordinate(std::int64_t coordinate, const StoredLevel& level, const char* array, std::int64_t q,
                      const std::string& where) {
  if (coordinate >= level.origin && coordinate < level.origin + level.extent) return;
  throw UserError(fmt::format("{}[{}] of {} is {}, outside {}..{}", array, q, where, coordinate, level.origin,
                              level.origin + level.extent - 1));
}

void check_order(std::int64_t before, std::int64_t coordinate, const Properties& properties, std::int64_t q,
                 const std::string& where) {
  if (properties.ordered == Ordered::No) return;
  bool increasing = properties.ordered == Ordered::Increasing;
  bool follows = increasing ? before < coordinate : before > coordinate;
  if (follows || (!properties.unique && before == coordinate)) return;
  throw UserError(fmt::format("crd[{}] of {} is {} after {}; coordinates must {}{} within a segment", q, where,
                              coordinate, before, properties.unique ? "" : "not ",
                              increasing == properties.unique ? "increase" : "decrease"));
}

void check_unique(const Array& crd, std::int64_t begin, std::int64_t end, const std::string& where) {
  std::vector<std::int64_t> sorted;
  for (std::int64_t q = begin; q < end; q++) sorted.push_back(crd.index_at(q));
  std::sort(sorted.begin(), sorted.end());
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  throw UserError(fmt::format("The coordinate {} occurs twice in crd[{}..{}) of {}, which is declared unique", *twice,
                              begin, end, where));
}

void check_full(std::int64_t distinct, const StoredLevel& level, std::int64_t parent, const std::string& where) {
  if (distinct == level.extent) return;
  throw UserError(fmt::format("Parent {} of {} has {} of the {} coordinates, but a full level has all of them", parent,
                              where, distinct, level.extent))
      .hint("leave 'full' out of the format");
}

std::int64_t count_distinct(const Array& crd, std::int64_t begin, std::int64_t end, const Properties& properties) {
  if (properties.unique) return end - begin;
  std::vector<std::int64_t> coordinates;
  for (std::int64_t q = begin; q < end; q++) coordinates.push_back(crd.index_at(q));
  if (properties.ordered == Ordered::No) std::sort(coordinates.begin(), coordinates.end());
  return std::unique(coordinates.begin(), coordinates.end()) - coordinates.begin();
}

void check_count(const Array& array, const char* name, std::int64_t needed, const char* per, const std::string& where) {
  if (array.count() == needed) return;
  throw UserError(fmt::format("The array '{}' of {} has {}, but needs {}: one for each {}", name, where,
                              counted(array.count(), "element"), needed, per));
}

}  // namespace filigree::level
