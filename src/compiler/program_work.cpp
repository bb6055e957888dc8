#include "compiler/program_work.h"

#include <algorithm>

#include "autoschedule/components.h"
#include "autoschedule/weights.h"

namespace filigree::compiler {
namespace {

/// A kernel that is called, and memory for what it makes, in nanoseconds.
constexpr double to_begin = 2'000;

}  // namespace

std::optional<double> work_of(const std::vector<notation::Statement>& statements,
                              const std::vector<std::map<IndexVar, std::int64_t>>& extents,
                              std::map<std::string, double> stored, const WayOptions& options) {
  double sum = 0;
  for (size_t n = 0; n < statements.size(); n++) {
    const notation::Statement& statement = statements[n];
    autoschedule::KnownInputs inputs{extents[n], stored};
    try {
      PipelineOptions how;
      how.parallel = options.parallel;
      how.policy = options.policy;
      concrete::Program own = plan(statement, how);
      std::optional<autoschedule::Measure> measure = autoschedule::measure(own, inputs);
      if (!measure) return std::nullopt;
      double work = measure->work;
      if (may_have_ways(statement) && work >= options.worth.least_work) {
        Ways ways = find_ways(statement, own, inputs, options);
        if (ways.takes_other) work = ways.others[0].measure.work;
      }
      double made = autoschedule::components_of(statement, inputs);
      sum += to_begin + work + autoschedule::Weights::to_clear(made);
      stored[statement.lhs.tensor.name()] = made;
    } catch (const UserError&) {  // the statement alone says what is wrong
      return std::nullopt;
    }
  }
  return sum;
}

}  // namespace filigree::compiler
