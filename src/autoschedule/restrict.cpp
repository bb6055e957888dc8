#include "autoschedule/restrict.h"

#include <algorithm>

namespace filigree::autoschedule {
namespace {

bool has_idle_producer(const Stmt& stmt) {
  return match(
      stmt, [](const Forall& n) { return has_idle_producer(n.body); },
      [](const Where& n) {
        return depth(n.producer) == 0 || has_idle_producer(n.consumer) || has_idle_producer(n.producer);
      },
      [](const Assign&) { return false; });
}

}  // namespace

bool is_simple(const Stmt& stmt, const Tensors& tensors) {
  std::vector<std::string> names = workspaces(stmt);
  if (names.size() > 1 || has_idle_producer(stmt)) return false;
  bool simple = true;
  for_each_assign(stmt, [&](const Assign& assign, const auto&) {
    const std::vector<Mode>& modes = assign.lhs.modes;
    if (!names.empty() && assign.lhs.tensor == names[0]) {
      simple = simple && modes.size() <= 1;
    } else if (modes.size() > 1 && tensors.at(assign.lhs.tensor).sparse) {
      auto inserted =
          std::count_if(modes.begin(), modes.end(), [](const Mode& mode) { return mode.protocol == Protocol::Insert; });
      simple = simple && inserted <= (names.empty() ? 1 : 0);
    }
  });
  return simple;
}

bool are_simple(const Choices& choices, std::uint64_t steps, const Stmt& stmt) {
  std::vector<std::string> names = workspaces(stmt);
  bool simple = true;
  size_t next = 0;
  for_each_assign(stmt, [&](const Assign& assign, const std::vector<std::string>& loops) {
    std::vector<Access> reads = accesses(assign.rhs);
    for (const Access& access : reads) {
      const std::vector<int>& numbers = choices.by_access[next++];
      if (numbers.empty()) continue;
      bool is_workspace = std::find(names.begin(), names.end(), access.tensor) != names.end();
      auto rank = [&](size_t d) {
        return std::find(loops.begin(), loops.end(), access.modes[d].index) - loops.begin();
      };
      size_t first = 0;
      for (size_t d = 1; d < numbers.size(); d++) first = rank(d) < rank(first) ? d : first;
      for (size_t d = 0; d < numbers.size(); d++) {
        bool step = steps >> numbers[d] & 1;
        simple = simple && (is_workspace ? step == (reads.size() == 1) : step || d == first);
      }
    }
  });
  return simple;
}

}  // namespace filigree::autoschedule
