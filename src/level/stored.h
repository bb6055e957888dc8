// Checks that storage of several level formats shares.  All throw UserError that names the array and the element.
#pragma once

#include <string>

#include "level/level_format.h"

namespace filigree::level {

/// The narrowest type for coordinates from `origin` on.
ElementType coordinate_type(std::int64_t origin, std::int64_t extent);

/// `pos` has one element more than there are parents, starts at 0, does not decrease and ends where `crd` does, which
/// has `per` elements for every position.  Returns the number of positions.
std::int64_t check_positions(const Array& pos, std::int64_t parent_count, std::int64_t crd_count,
                             const std::string& where, int per = 1);
/// The coordinate at `array[q]` is one the level can have.
void check_coordinate(std::int64_t coordinate, const StoredLevel& level, const char* array, std::int64_t q,
                      const std::string& where);
/// crd[q-1] and crd[q], of one parent, follow each other as the properties say.
void check_order(std::int64_t before, std::int64_t coordinate, const Properties& properties, std::int64_t q,
                 const std::string& where);
/// No coordinate occurs twice among crd[begin..end), which are in no order.
void check_unique(const Array& crd, std::int64_t begin, std::int64_t end, const std::string& where);
/// A full level has each of its coordinates among the children of `parent`, of which `distinct` are different.
void check_full(std::int64_t distinct, const StoredLevel& level, std::int64_t parent, const std::string& where);
/// How many coordinates are different among crd[begin..end), whose neighbours follow each other as the properties say.
std::int64_t count_distinct(const Array& crd, std::int64_t begin, std::int64_t end, const Properties& properties);
/// The array has `needed` elements, one for each `per`.
void check_count(const Array& array, const char* name, std::int64_t needed, const char* per, const std::string& where);

}  // namespace filigree::level
