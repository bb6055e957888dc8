#include "front/borrow.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::front {

std::int64_t count_to_borrow(const std::vector<std::int64_t>& dimensions, const Format& format) {
  check_shape(dimensions, format, "tensor");
  std::int64_t count = 1;
  bool fits = true;
  for (std::int64_t extent : dimensions) fits = fits && !__builtin_mul_overflow(count, extent, &count);
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) return 0;
  if (!fits || static_cast<double>(count) > most_positions / 16) {
    throw UserError(
        fmt::format("No memory has as many components as a dense tensor of {}", describe_dimensions(dimensions)));
  }
  return count;
}

void check_element_type(ElementType is, ElementType wanted) {
  if (is == wanted) return;
  throw UserError(fmt::format("The elements of the tensor are {}, not {}", to_string(is), to_string(wanted)))
      .hint(fmt::format("convert them with cast<{}>(), or make a Tensor<{}> of it", cpp_name(wanted), cpp_name(is)));
}

void check_room(const std::string& label, const std::vector<std::int64_t>& dimensions, const void* memory,
                std::size_t size) {
  bool fits = true;
  std::int64_t count = 1;
  for (std::int64_t extent : dimensions) fits = fits && !__builtin_mul_overflow(count, extent, &count);
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) fits = true, count = 0;
  if (!fits || static_cast<std::size_t>(count) != size) {
    std::string has = fits ? std::to_string(count) : "more than 64 bits can count";
    std::string shape = dimensions.size() > 1 ? fmt::format(" ({})", describe_dimensions(dimensions)) : "";
    throw UserError(fmt::format("There is memory for {}, but {} has {}{}",
                                counted(static_cast<long long>(size), "component"), label, has, shape))
        .hint("every component needs a place, whether it is stored or not");
  }
  if (!memory && size > 0)
    throw UserError("The memory for the components is a null pointer").hint("pass the address of the first element");
}

}  // namespace filigree::front
