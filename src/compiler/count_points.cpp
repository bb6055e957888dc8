#include "compiler/count_points.h"

#include <algorithm>
#include <limits>

#include "concrete/derivations.h"
#include "concrete/points.h"
#include "support/check.h"

namespace filigree::compiler {
namespace {

class Counter {
 public:
  Counter(const AnyTensor& tensor, size_t first, size_t last)
      : first_(first), last_(last), stored_(tensor.stored_levels()) {
    for (const Level& level : tensor.format().levels()) formats_.push_back(level.format);
  }

  std::set<std::int64_t> run() {
    reach(0, 0);
    return std::move(counts_);
  }

 private:
  void for_each_child(size_t level, std::int64_t parent, const std::function<void(std::int64_t)>& visit) const {
    formats_[level]->storage()->for_each_child(stored_[level], parent,
                                               [&](std::int64_t, std::int64_t position) { visit(position); });
  }

  void reach(size_t level, std::int64_t parent) {
    if (level == first_) counts_.insert(below(level, parent));
    else for_each_child(level, parent, [&](std::int64_t position) { reach(level + 1, position); });
  }

  std::int64_t below(size_t level, std::int64_t parent) const {
    std::int64_t count = 0;
    for_each_child(level, parent,
                   [&](std::int64_t position) { count += level == last_ ? 1 : below(level + 1, position); });
    return count;
  }

  size_t first_, last_;
  std::vector<level::StoredLevel> stored_;
  std::vector<level::FormatPtr> formats_;
  std::set<std::int64_t> counts_;
};

}  // namespace

std::set<std::int64_t> count_points(const concrete::Points& points, const concrete::Program& program,
                                    const std::vector<const AnyTensor*>& operands,
                                    const std::map<IndexVar, std::int64_t>& extents) {
  if (!points.positions) {
    std::map<IndexVar, std::int64_t> all = concrete::all_extents(program.environment, extents);
    relation::Facts facts;
    facts.extent = [&](const IndexVar& var) { return std::optional(all.at(var)); };
    return {relation::evaluate(concrete::count(points), facts).value_or(std::numeric_limits<std::int64_t>::max())};
  }
  const TensorVar& tensor = points.positions->tensor;
  auto operand = std::find(program.operands.begin(), program.operands.end(), tensor);
  internal_check(operand != program.operands.end(), "kernel", "positions of what is no operand", tensor.name());
  std::vector<IndexVar> vars = concrete::level_vars(*points.positions);
  auto first = std::search(vars.begin(), vars.end(), points.loops.begin(), points.loops.end());
  size_t level = static_cast<size_t>(first - vars.begin());
  return Counter(*operands[static_cast<size_t>(operand - program.operands.begin())], level,
                 level + points.loops.size() - 1)
      .run();
}

}  // namespace filigree::compiler
