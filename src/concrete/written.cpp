#include "concrete/written.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretize.h"
#include "concrete/workspace.h"
#include "concrete/written_scopes.h"
#include "support/check.h"

namespace filigree::concrete {

Written::Written(const std::string& text) {
  auto scopes = std::make_shared<WrittenScopes>();
  scopes->source = make_source("loops", text);
  WrittenText parsed = parse_syntax(scopes->source);
  scopes->root = std::move(parsed.statement);
  scopes->relations = std::move(parsed.relations);
  find_scopes(*scopes);
  name_loops(*scopes);
  meaning_ = concrete::meaning(*scopes);
  scopes_ = scopes;
}

Written::Written(const Stmt& stmt) : Written(to_string(stmt)) {
  for_each(stmt, [&](const Stmt& s) {
    const Where* where = s.as<Where>();
    if (!where) return;
    for (const TensorVar& workspace : targets(where->producer)) set_format(workspace.name(), workspace.format());
  });
}

notation::Statement Written::statement(const std::map<std::string, TensorVar>& tensors) const {
  notation::Parsed parsed = notation::parse(meaning_);
  for (const notation::TensorUse& use : parsed.tensors) {
    auto known = tensors.find(use.name);
    if (known == tensors.end()) throw UserError(fmt::format("No tensor is given for '{}'", use.name));
    if (known->second.order() != use.order)
      throw UserError(fmt::format("'{}' has {} dimensions, but the loops use {} indices", use.name,
                                  known->second.order(), use.order));
  }
  return notation::resolve(parsed, tensors);
}

std::map<std::string, int> Written::workspaces() const {
  std::map<std::string, int> out;
  for (const WrittenWorkspace& workspace : scopes_->workspaces) {
    const notation::SyntaxTree& tree = *scopes_->assigns[workspace.assigns[0]].syntax->parsed->tree;
    out.insert({workspace.name, static_cast<int>(tree.lhs.indices.size())});
  }
  return out;
}

void Written::set_format(const std::string& workspace, const Format& format) {
  internal_check(workspaces().count(workspace) > 0, "concrete", "a format for what is no workspace", workspace);
  bool fits = format.is_plain() && format.symmetry() == Symmetry::None;
  for (size_t l = 0; l < format.levels().size(); l++)
    fits = fits && format.levels()[l].coordinate.plain() == static_cast<int>(l);
  if (!fits)
    throw UserError(fmt::format("'{}' is a workspace, which cannot be stored as {}", workspace, to_string(format)))
        .hint("its levels are its dimensions, in their order, as in dense, csr or csf");
  formats_.insert_or_assign(workspace, format);
}

std::optional<Program> Written::loops_for(const notation::Statement& statement) const {
  std::map<std::string, TensorVar> tensors = {{statement.lhs.tensor.name(), statement.lhs.tensor}};
  for (const Access& access : notation::accesses(statement.rhs)) tensors.insert({access.tensor.name(), access.tensor});
  try {
    if (notation::to_string(this->statement(tensors)) != notation::to_string(statement)) return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
  concretize(statement);  // refuses what no loops can do
  return written_program(*scopes_, statement, formats_);
}

}  // namespace filigree::concrete
