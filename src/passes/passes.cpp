#include "passes/passes.h"

#include "passes/clear_less.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fetch_ahead.h"
#include "passes/open_once.h"
#include "passes/settle_bounds.h"
#include "passes/several_sums.h"
#include "passes/simplify.h"
#include "passes/strips.h"
#include "passes/whole_blocks.h"

namespace filigree::passes {

using ir::FunctionDef;

namespace {

/// One that has no options.
template <FunctionDef (*pass)(const FunctionDef&)>
FunctionDef plain(const FunctionDef& function, const Options&) {
  return pass(function);
}

FunctionDef launches(const FunctionDef& f, const Options& options) { return offload(f, options.asked); }
FunctionDef in_strips(const FunctionDef& f, const Options& options) { return strips(f, options.policy.strips); }
FunctionDef ahead(const FunctionDef& f, const Options& options) { return fetch_ahead(f, options.policy.fetched_ahead); }
FunctionDef by_blocks(const FunctionDef& f, const Options& options) { return whole_blocks(f, options.policy.blocks); }
FunctionDef by_sums(const FunctionDef& f, const Options& options) {
  return several_sums(f, options.policy.sums_at_once);
}

}  // namespace

const std::vector<Stage>& stages() {
  static const std::vector<Stage> all = {
      {"offload", {launches}, is_for_units},
      {"simplify", {plain<simplify>}},
      {"ir",
       {plain<settle_bounds>, plain<eliminate_dead_code>, plain<open_once>, plain<clear_less>, in_strips, ahead,
        by_blocks, by_sums}},
  };
  return all;
}

FunctionDef Stage::run(FunctionDef function, const Options& options) const {
  for (Pass* pass : passes) function = pass(function, options);
  return function;
}

}  // namespace filigree::passes
