#include "compiler/workspace_tables.h"

#include <algorithm>
#include <limits>

#include "concrete/relations.h"
#include "concrete/workspace.h"

namespace filigree::compiler {
namespace {

/// A temporary with more slots than this is kept in tables unless the operands are of that size themselves.
constexpr std::int64_t most_workspace_slots = std::int64_t{1} << 22;
/// And so is one with more slots than this, and than so many for each component that is visited: each run clears an array.
constexpr std::int64_t cheap_workspace_slots = std::int64_t{1} << 13, slots_per_visit = 64;

}  // namespace

bool needs_tables(const concrete::Program& program, const std::map<IndexVar, std::int64_t>& known, std::int64_t largest, const std::function<double()>& visits) {
  std::int64_t stored = std::max(most_workspace_slots, 4 * largest);
  stored = std::min<std::int64_t>(stored, std::numeric_limits<std::int32_t>::max());  // what a list of coordinates can hold
  std::map<IndexVar, std::int64_t> extents = concrete::all_extents(program.environment, known);
  for (const concrete::Access& access : concrete::temporaries(program)) {
    double slots = 1;
    for (const Level& level : access.tensor.format().levels()) {
      if (level.format->uses_table()) break;
      bool has_all = level.format->insert() && !level.format->is_implied();
      if (has_all) slots *= static_cast<double>(extents.at(access.indices[level.dimension()]));
    }
    if (slots > static_cast<double>(stored)) return true;
    bool is_cheap = slots <= static_cast<double>(cheap_workspace_slots) || slots <= static_cast<double>(slots_per_visit) * visits();
    if (!is_cheap) return true;
  }
  return false;
}

}  // namespace filigree::compiler
