#include "tensor/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace filigree {
namespace {

Format in_blocks(const char* name, const std::vector<std::int64_t>& blocks) {
  return parse_format(fmt::format("{}({})", name, fmt::join(blocks, ",")), static_cast<int>(blocks.size()));
}

}  // namespace

Format formats::bcsr(std::int64_t rows, std::int64_t columns) { return in_blocks("bcsr", {rows, columns}); }
Format formats::csb(std::int64_t rows, std::int64_t columns) { return in_blocks("csb", {rows, columns}); }
Format formats::mode_generic(const std::vector<std::int64_t>& blocks) { return in_blocks("mode_generic", blocks); }

Format ChosenFormat::of_order(int order) const {
  if (!format_) return parse_format(text_, order);
  if (format_->order() == order) return *format_;
  throw UserError(
      fmt::format("The format {} is for tensors of order {}, not {}", to_string(*format_), format_->order(), order))
      .hint("give as many levels as there are dimensions, or a format for every order such as formats::coo");
}

}  // namespace filigree
