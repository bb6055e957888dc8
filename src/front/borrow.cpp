#include "front/borrow.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/diagnostic.h"
#include "tensor/size.h"

namespace filigree::front {

std::int64_t count_to_borrow(const void* values, const std::vector<std::int64_t>& dimensions, const Format& format) {
  check_shape(dimensions, format, "tensor");
  std::int64_t count = 1;
  bool fits = true;
  for (std::int64_t extent : dimensions) fits = fits && !__builtin_mul_overflow(count, extent, &count);
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) return 0;
  if (!fits || static_cast<double>(count) > most_positions / 16) {
    throw UserError(fmt::format("No memory has as many components as a dense tensor of {}", describe_dimensions(dimensions)));
  }
  check_borrowed(values, count);
  return count;
}

void check_borrowed(const void* values, std::int64_t count, const std::vector<std::vector<Array>>& levels) {
  bool is_there = values || count == 0;
  for (const std::vector<Array>& level : levels) {
    for (const Array& array : level) is_there = is_there && (array.data() || array.count() == 0);
  }
  if (!is_there) throw UserError("The memory to borrow is a null pointer").hint("pass the address of the first element, or make a tensor with memory of its own");
}

}  // namespace filigree::front
