#include "concrete/visits.h"

#include <algorithm>

#include "concrete/level_space.h"

namespace filigree::concrete {
namespace {

/// Does `holds` hold for all operand levels that the loop may step through?
bool all_levels_at(const Forall& forall, bool (*holds)(const level::Properties&)) {
  bool all = true;
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign) return;
    for (const Access& access : notation::accesses(assign->rhs)) {
      for (const Level& level : access.tensor.format().levels()) {
        all = all && (access.indices[level.dimension()] != forall.var || holds(level.format->properties()));
      }
    }
  });
  return all;
}

struct Writing {
  const Assign* assign = nullptr;
  std::vector<IndexVar> loops;
  bool loops_once = true;
  int count = 0;
};

void inspect(const Stmt& stmt, Writing here, Writing& found) {
  match(
      stmt,
      [&](const Forall& n) {
        here.loops.push_back(n.var);
        here.loops_once = here.loops_once && visits_once(n);
        inspect(n.body, here, found);
      },
      [&](const Where& n) { inspect(n.consumer, here, found); },
      [&](const Sequence& n) { for (const Stmt& s : n.statements) inspect(s, here, found); },
      [&](const Multi& n) { for (const Stmt& s : n.statements) inspect(s, here, found); },
      [&](const Assign& n) {
        found.assign = &n;
        found.loops = here.loops;
        found.loops_once = here.loops_once;
        found.count++;
      });
}

/// Do the loops visit the one operand as it is stored, and nothing else?
bool walks(const Writing& writing) {
  const Access* source = writing.assign->rhs.as<Access>();
  if (!source) return false;
  std::vector<IndexVar> vars;
  for (const Level& level : source->tensor.format().levels()) {
    if (!level.format->is_implied()) vars.push_back(source->indices[level.dimension()]);
  }
  return vars == writing.loops;
}

}  // namespace

bool visits_once(const Forall& forall) {
  return all_levels_at(forall, [](const level::Properties& level) { return level.unique; });
}

bool visits_in_order(const Forall& forall) {
  return all_levels_at(forall, [](const level::Properties& level) { return level.unique && level.ordered == level::Ordered::Increasing; });
}

bool writes_once(const Stmt& producer) {
  Writing found;
  inspect(producer, {}, found);
  if (found.count != 1) return false;
  if (walks(found)) return !has_duplicates(found.assign->rhs.as<Access>()->tensor.format());
  bool only_own = std::all_of(found.loops.begin(), found.loops.end(), [&](const IndexVar& v) { return contains(found.assign->lhs.indices, v); });
  return only_own && found.loops.size() == found.assign->lhs.indices.size() && found.loops_once;
}

}  // namespace filigree::concrete
