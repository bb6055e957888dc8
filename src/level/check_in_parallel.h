// Whether all elements of large arrays are as they should be, found out on several threads.  What is wrong is then
// looked for on one, in order.
#pragma once

#include <cstdint>
#include <functional>

#include "level/level_format.h"

namespace filigree::level {

/// While it lives, what this thread checks is checked on so many threads; on all cores where there is none.
class CheckingThreads {
 public:
  explicit CheckingThreads(int threads);
  ~CheckingThreads();
  CheckingThreads(const CheckingThreads&) = delete;
  CheckingThreads& operator=(const CheckingThreads&) = delete;

 private:
  int before_;
};

/// Is `holds(begin, end)` true for pieces that together are 0 .. count?
bool holds_for_all(std::int64_t count, const std::function<bool(std::int64_t begin, std::int64_t end)>& holds);

/// Do positions not decrease, and end at `most` at the latest?  Requires: `pos` has at least one element.
bool positions_are_right(const Array& pos, std::int64_t parent_count, std::int64_t most);

/// Are the coordinates in every segment of `crd` inside of the level, and do they follow each other as the properties
/// say?  False also where more than neighbours have to be compared.  Requires: positions_are_right.
bool coordinates_are_right(const Array& pos, const Array& crd, const StoredLevel& level, const Properties& properties);

/// Are these coordinates inside of the level, or `also`?
bool coordinates_are_inside(const Array& crd, const StoredLevel& level, std::optional<std::int64_t> also);

}  // namespace filigree::level
