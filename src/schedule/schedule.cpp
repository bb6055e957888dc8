#include "schedule/schedule.h"

#include <algorithm>
#include <set>

#include "concrete/copies_apart.h"
#include "notation/use_names.h"
#include "schedule/commands.h"
#include "schedule/precompute.h"
#include "support/text.h"

namespace filigree::schedule {

const std::vector<CommandSyntax>& commands() {
  static const std::vector<CommandSyntax> all = {
      {{"reorder"}, {"variable", "variable", "..."}, read_reorder},
      {{"split"}, {"variable", "outer", "inner", "[up]", "size", "[tensor]"}, read_split},
      {{"divide"}, {"variable", "outer", "inner", "pieces"}, read_divide},
      {{"collapse", "fuse"}, {"outer", "inner", "variable"}, read_collapse},
      {{"pos"}, {"variable", "position", "tensor"}, read_pos},
      {{"coord"}, {"position", "variable"}, read_coord},
      {{"cut"}, {"variable", "pieces", "rows|nonzeros|merge", "[tensor]", "[number]"}, read_cut},
      {{"parallelize"},
       {"variable", "cpu|vector|gpu_block|gpu_warp|gpu_thread|serial", "none|ignore|atomics|temporary|reduction"},
       read_parallelize},
      {{"vectorize"}, {"variable"}, read_vectorize},
      {{"unroll"}, {"variable", "factor"}, read_unroll},
      {{"bound"}, {"variable", "exact|min|max|divisible", "number"}, read_bound},
      {{"protocol"}, {"tensor", "variable", "strategy"}, read_protocol},
      {{"mergeby"}, {"variable", "gallop|two_finger"}, read_merge_by},
      {{"precompute"}, {"expression", "{variables}", "{inner}", "[workspace]", "[format]", "[type]"}, read_precompute},
      {{"reformat"}, {"tensor", "format"}, read_reformat},
      {{"assemble"}, {"result", "insert|append"}, read_assemble},
  };
  return all;
}

std::string to_string(const Command& command) {
  return std::visit([](const auto& c) { return to_string(c); }, command);
}

std::string to_string(const Schedule& schedule) {
  std::vector<std::string> parts;
  for (const Command& command : schedule) parts.push_back(to_string(command));
  return join(parts, ", ");
}

namespace {

/// Is the tensor read with all of these index variables that the statement itself has?
bool is_read_with(const Name& tensor, const std::vector<Name>& variables, const notation::Statement& statement) {
  std::vector<IndexVar> own = notation::index_vars(statement);
  std::vector<notation::Access> accesses = notation::accesses(statement.rhs);
  auto has = [](const std::vector<IndexVar>& vars, const Name& name) {
    return std::any_of(vars.begin(), vars.end(), [&](const IndexVar& var) { return var.name() == name.text; });
  };
  return std::any_of(accesses.begin(), accesses.end(), [&](const notation::Access& access) {
    return access.tensor.name() == tensor.text &&
           std::all_of(variables.begin(), variables.end(),
                       [&](const Name& variable) { return !has(own, variable) || has(access.indices, variable); });
  });
}

}  // namespace

Schedule with_names(const Schedule& schedule, const notation::Statement& statement) {
  FreshNames taken;
  notation::use_names(taken, statement);
  for (const Command& command : schedule) {
    Mentioned names = std::visit([](const auto& c) { return mentioned(c); }, command);
    for (const auto* each :
         {&names.tensors, &names.variables, &names.made, &names.parts, &names.workspaces, &names.results}) {
      for (const Name& name : *each) taken.use(name.text);
    }
  }
  Schedule named = schedule;
  for (Command& command : named) {
    auto* precompute = std::get_if<Precompute>(&command);
    if (precompute && !precompute->workspace) precompute->workspace = Name(taken.make("w"), precompute->place.span);
  }
  return named;
}

std::vector<bool> about(const Schedule& schedule, const notation::Statement& statement) {
  std::set<std::string> known, workspaces;
  for (const IndexVar& var : notation::index_vars(statement)) known.insert(var.name());
  std::vector<bool> out;
  for (const Command& command : schedule) {
    Mentioned names = std::visit([](const auto& c) { return mentioned(c); }, command);
    auto reads = [&](const Name& tensor, const std::vector<Name>& variables) {
      return workspaces.count(tensor.text) || is_read_with(tensor, variables, statement);
    };
    bool fits =
        std::all_of(names.variables.begin(), names.variables.end(),
                    [&](const Name& name) { return known.count(name.text) > 0; }) &&
        std::all_of(names.results.begin(), names.results.end(),
                    [&](const Name& name) { return name.text == statement.lhs.tensor.name(); }) &&
        std::all_of(names.parts.begin(), names.parts.end(), [&](const Name& name) { return reads(name, {}); }) &&
        std::all_of(names.tensors.begin(), names.tensors.end(),
                    [&](const Name& name) { return reads(name, names.variables); });
    out.push_back(fits);
    if (!fits) continue;
    for (const Name& name : names.made) known.insert(name.text);
    for (const Name& name : names.workspaces) workspaces.insert(name.text);
  }
  return out;
}

std::vector<std::string> tensors_of(const Command& command) {
  std::vector<std::string> out;
  Mentioned names = std::visit([](const auto& c) { return mentioned(c); }, command);
  for (const auto* tensors : {&names.tensors, &names.parts}) {
    for (const Name& name : *tensors) out.push_back(name.text);
  }
  return out;
}

Steered steer(const Schedule& schedule, const notation::Statement& statement) {
  Steered steered{statement, {}};
  Schedule named = with_names(schedule, statement);
  std::vector<bool> later = over_parts(named);
  for (size_t n = 0; n < named.size(); n++) {
    if (!later[n]) std::visit([&](const auto& c) { request(c, steered); }, named[n]);
  }
  return steered;
}

concrete::Program apply_schedule(const Schedule& schedule, const concrete::Program& program) {
  Nest nest(schedule.empty() ? program : concrete::with_copies_apart(program));
  std::vector<bool> parts = over_parts(schedule);
  for (size_t n = 0; n < schedule.size(); n++) {
    if (parts[n]) precompute_parts(std::get<Precompute>(schedule[n]), nest);
    else std::visit([&](const auto& c) { apply(c, nest); }, schedule[n]);
  }
  settle_vector_loops(nest);
  check_pieces(nest);
  check_parallel_loops(nest);
  check_gpu_loops(nest);
  return nest.program();
}

}  // namespace filigree::schedule
