#include "unknown_sizes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

/// Is the extent of the variable found when the statement runs: as that of coordinates that are selected, or of a
/// tensor that is made with such a size?
bool is_found_later(const notation::Statement& statement, const IndexVar& var,
                    const std::set<std::string>& sized_later) {
  bool selected = false;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (!contains(free_of(access.indices), var)) continue;
    bool tells = sized_later.count(access.tensor.name()) || (access.tensor.selection() && access.indices.back() == var);
    if (!tells && !access.tensor.selection()) return false;
    selected = selected || tells;
  }
  return selected;
}

/// What -d has to say: the extent of an index variable, or the dimensions of a tensor.
struct Unknown {
  std::string text;    // "'i'", "dimension 1 of 'x'"
  std::string name;    // of the variable; empty for a dimension
  std::string option;  // "-d i:100"
};

/// A variable that is not in the text stands for a coordinate that another tensor holds: its extent is a dimension.
Unknown describe_unknown(const notation::Statement& statement, const IndexVar& var) {
  if (var.is_named()) return {fmt::format("'{}'", var.name()), var.name(), fmt::format("-d {}:100", var.name())};
  std::vector<notation::Access> all = notation::accesses(statement.rhs);
  all.push_back(statement.lhs);
  for (const notation::Access& access : all) {
    auto index = std::find_if(access.indices.begin(), access.indices.end(),
                              [&](const IndexVar& index) { return contains(free_of({index}), var); });
    if (access.tensor.selection() || index == access.indices.end()) continue;
    std::string sizes = join(std::vector<std::string>(access.indices.size(), "100"), ",");
    return {fmt::format("dimension {} of '{}'", index - access.indices.begin() + 1, access.tensor.name()), "",
            fmt::format("-d {}:{}", access.tensor.name(), sizes)};
  }
  throw InternalError("tool", "an index variable that nothing uses", var.name());
}

/// Index variables whose extents nothing tells, each once.
std::vector<Unknown> unknown_extents(const Problem& problem, const notation::ProgramSizes& sizes) {
  std::vector<Unknown> unknown;
  std::set<std::string> sized_later;
  for (size_t n = 0; n < problem.statements.size(); n++) {
    for (const IndexVar& var : notation::index_vars(problem.statements[n])) {
      if (sizes.extents[n].contains(var)) continue;
      if (is_found_later(problem.statements[n], var, sized_later)) {
        if (contains(free_of(problem.statements[n].lhs.indices), var))
          sized_later.insert(problem.statements[n].lhs.tensor.name());
        continue;
      }
      Unknown found = describe_unknown(problem.statements[n], var);
      if (std::none_of(unknown.begin(), unknown.end(), [&](const Unknown& other) { return other.text == found.text; }))
        unknown.push_back(found);
    }
  }
  return unknown;
}

std::vector<std::string> known_extents(const Problem& problem, const notation::ProgramSizes& sizes) {
  std::vector<std::string> known;
  for (size_t n = 0; n < problem.statements.size(); n++) {
    for (const IndexVar& var : notation::index_vars(problem.statements[n])) {
      if (sizes.extents[n].contains(var) && var.is_named()) known.push_back(var.name());
    }
  }
  return known;
}

}  // namespace

std::optional<UserError> unknown_sizes(const Problem& problem, const notation::ProgramSizes& sizes) {
  std::vector<Unknown> unknown = unknown_extents(problem, sizes);
  std::vector<std::string> texts, options;
  for (const Unknown& one : unknown) {
    texts.push_back(one.text);
    if (std::find(options.begin(), options.end(), one.option) == options.end()) options.push_back(one.option);
  }
  if (unknown.empty()) return std::nullopt;
  UserError error(fmt::format("The {} of {} {} unknown: no input tells", unknown.size() == 1 ? "size" : "sizes",
                              join(texts, ", "), unknown.size() == 1 ? "is" : "are"));
  if (auto guess = unknown.size() == 1 ? did_you_mean(unknown[0].name, known_extents(problem, sizes)) : std::nullopt)
    std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
  return std::move(error).hint(
      fmt::format("give {}, as in {}", unknown.size() == 1 ? "it" : "them", join(options, " ")));
}

}  // namespace filigree::tool
