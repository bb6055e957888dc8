#include "support/out_of_memory.h"

#include <fmt/format.h>

#include "support/text.h"

namespace filigree {

OutOfMemory::OutOfMemory(const std::string& message, double bytes) : UserError(message), bytes_(bytes) {
  std::move(static_cast<UserError&>(*this))
      .hint("use a sparser format, smaller dimensions or a machine with more memory");
}

UserError memory_ran_out(const std::string& activity, const std::string& amount) {
  return UserError(fmt::format("Memory ran out while {}: {}", activity, amount))
      .hint("use sparser formats, smaller dimensions or a machine with more memory");
}

UserError memory_ran_out(const std::string& activity, double about_bytes) {
  return memory_ran_out(activity, fmt::format("it takes about {}", human_bytes(about_bytes)));
}

std::string block_asked_for(double bytes) { return fmt::format("a block of {} was asked for", human_bytes(bytes)); }

}  // namespace filigree
