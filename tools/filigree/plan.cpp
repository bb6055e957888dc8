#include "plan.h"

#include <algorithm>

#include "compiler/way_program.h"
#include "tensor/size.h"

namespace filigree::tool {

bool is_serial(const RunArguments& arguments) { return arguments.schedule == "serial"; }

bool has_commands(const RunArguments& arguments) {
  return arguments.schedule && !is_serial(arguments) && arguments.schedule != "auto" && arguments.schedule != "default";
}

int thread_count(const RunArguments& arguments, const Problem& problem) {
  if (is_serial(arguments)) return 1;
  return arguments.threads > 0 ? arguments.threads : problem.has_data ? core_count() : 1;
}

ProgramOptions program_options(const RunArguments& arguments, const Problem& problem) {
  ProgramOptions options;
  options.target = arguments.target;
  options.force = arguments.force;
  options.deterministic = arguments.deterministic;
  options.strict = arguments.strict;
  options.threads = thread_count(arguments, problem);
  options.outputs = problem.results;
  options.stored = problem.stored;
  options.automatic = !is_serial(arguments);
  if (arguments.schedule == "default") options.make_loops = compiler::own_loops();
  if (arguments.loops) {
    options.make_loops = [loops = *arguments.loops](const notation::Statement& statement) {
      return loops.loops_for(statement);
    };
  }
  if (has_commands(arguments)) options.schedule = schedule::parse(*arguments.schedule, "-s");
  return options;
}

void check_results_fit(const Problem& problem, const notation::ProgramSizes& sizes) {
  for (size_t n = 0; n < problem.statements.size(); n++) {
    const notation::Access& result = problem.statements[n].lhs;
    if (std::find(problem.results.begin(), problem.results.end(), result.tensor.name()) == problem.results.end())
      continue;
    std::vector<std::int64_t> dimensions;
    for (const IndexVar& var : result.indices) {
      auto extent = sizes.extents[n].find(var);
      if (extent != sizes.extents[n].end()) dimensions.push_back(extent->second);
    }
    if (dimensions.size() < result.indices.size()) continue;  // found when it runs
    check_storage_fits(dimensions, result.tensor.format(), result.tensor.type(), 0, result.tensor.name());
  }
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace filigree::tool
