// Identity for named things: two variables with one display name stay two variables.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>

namespace filigree {

/// A process-wide unique number; `Tag` keeps ids of different kinds apart.
template <class Tag>
struct Id {
  std::uint64_t value = 0;
  auto operator<=>(const Id&) const = default;

  static Id fresh() {
    static std::atomic<std::uint64_t> next{1};
    return Id{next.fetch_add(1)};
  }
};

}  // namespace filigree
