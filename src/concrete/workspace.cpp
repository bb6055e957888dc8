#include "concrete/workspace.h"

#include <algorithm>
#include <set>

#include "concrete/vars.h"
#include "support/match.h"

namespace filigree::concrete {

Format workspace_format(int order) {
  return order == 1 ? Format({{0, level::scattered()}}) : Format::uniform(order, level::tabled());
}

namespace {

/// The workspace level, which need not sort what goes into a level that keeps no order.
level::FormatPtr filling(const level::FormatPtr& workspace, const Level& level) {
  return level.format->properties().ordered == level::Ordered::No ? workspace->with("unordered") : workspace;
}

}  // namespace

Format insertable_format(const std::vector<Level>& levels, bool exact) {
  std::vector<Level> out;
  for (size_t l = 0; l < levels.size(); l++) {
    bool last = l + 1 == levels.size();
    // What has arrays of its own would have to grow with the tables above it.
    bool keep = level::takes_any_order(*levels[l].format) && levels[l].format->arrays().empty() &&
                !(exact && last && levels[l].format->pads());
    level::FormatPtr table = levels.size() == 1 ? filling(level::scattered(), levels[l]) : level::tabled();
    out.push_back({static_cast<int>(l), keep ? levels[l].format : table});
  }
  return Format(out);
}

Format numbered_blocks(const std::vector<Level>& levels) {
  std::vector<Level> out;
  for (size_t l = 0; l < levels.size(); l++)
    out.push_back({static_cast<int>(l), l == 0 ? filling(level::numbered(), levels[l]) : levels[l].format});
  return Format(out);
}

Format counted_rows_format() { return Format({{0, level::dense()}, {1, level::compressed()}}); }

namespace {

/// Can entries get their slots one after the other, in a second pass over loops that counted them?  Those that share a
/// slot must be apart by what they are counted within.
bool can_be_counted(const std::vector<Level>& levels) {
  auto counter = std::find_if(levels.begin(), levels.end(),
                              [](const Level& level) { return level.coordinate.as<relation::Counter>() != nullptr; });
  if (counter == levels.end()) return false;
  int within = counter->coordinate.as<relation::Counter>()->within;
  bool single = std::none_of(counter + 1, levels.end(),
                             [](const Level& level) { return level.coordinate.as<relation::Counter>() != nullptr; });
  bool known = std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
    return level.coordinate.plain() == within && level::takes_any_order(*level.format);
  });
  return single && known && std::all_of(levels.begin(), levels.end(), [](const Level& level) {
           return level.format->insert() != nullptr;
         });
}

}  // namespace

bool can_be_assembled(const Format& format) {
  const std::vector<Level>& levels = format.levels();
  if (format.symmetry() == Symmetry::None && can_be_counted(levels)) return true;
  return format.symmetry() == Symmetry::None && std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
           bool is_last = &level == &levels.back();
           bool in_order = level.format->properties().ordered != level::Ordered::Decreasing;
           // What is arranged can be visited again once it is: not if it comes with a single child.
           bool alone = is_last ||
                        (level.format->properties().unique && !(&level + 1)->format->properties().branchless);
           bool appended = level.format->append() && (level.format->arrange() ? alone : in_order);
           // A coordinate that comes again would need another place for its single child.
           bool once = is_last || level.format->properties().unique || !(&level + 1)->format->insert();
           // Coordinates that meet in one place have the same children: those that store nothing leave them alone.
           bool meets = level.format->insert() && !level.format->insert()->tells_apart();
           bool alone_below = !meets || std::all_of(&level + 1, levels.data() + levels.size(),
                                                    [](const Level& below) { return below.format->insert(); });
           return !level.coordinate.as<relation::Counter>() && once && alone_below &&
                  (level.format->insert() || appended);
         });
}

bool has_all_modes(const Format& format) {
  return std::all_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return (level.format->append() && !level.format->arrange()) ||
           (level::takes_any_order(*level.format) && level.format->arrays().empty());
  });
}

Format assembled_instead(const Format& format) {
  std::vector<Level> levels;
  for (int dimension = 0; dimension < format.order(); dimension++) levels.push_back({dimension, level::compressed()});
  bool rows = std::any_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return level.coordinate.plain() == 0 && level.format->properties().full;
  });
  if (rows && format.order() > 1) levels[0].format = level::dense();
  return Format(std::move(levels));
}

std::vector<Access> temporaries(const Program& program) {
  std::vector<Access> out;
  auto is_known = [&](const TensorVar& tensor) {
    return std::find(program.results.begin(), program.results.end(), tensor) != program.results.end() ||
           std::any_of(out.begin(), out.end(), [&](const Access& access) { return access.tensor == tensor; });
  };
  for_each(program.statement, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (assign && !is_known(assign->lhs.tensor)) out.push_back(assign->lhs);
  });
  return out;
}

namespace {

/// Notes temporaries that are read or written at coordinates which follow from loops instead of being looped over, or
/// read in another order than their levels': an array has a place for each of them.
void note_computed_places(const Stmt& stmt, std::vector<IndexVar> bound, std::set<TensorVar>& noted) {
  auto note = [&](const Access& access, bool is_read) {
    auto last = bound.begin();
    for (const IndexVar& var : level_vars(access)) {
      auto loop = std::find(bound.begin(), bound.end(), var);
      if (loop == bound.end() || (is_read && loop < last)) noted.insert(access.tensor);
      last = loop;
    }
  };
  auto visit = [&](const Stmt& child) { note_computed_places(child, bound, noted); };
  match(
      stmt,
      [&](const Forall& n) {
        bound.push_back(n.var);
        visit(n.body);
      },
      [&](const Where& n) { visit(n.consumer), visit(n.producer); },
      [&](const Sequence& n) { std::for_each(n.statements.begin(), n.statements.end(), visit); },
      [&](const Multi& n) { std::for_each(n.statements.begin(), n.statements.end(), visit); },
      [&](const Assign& n) {
        note(n.lhs, false);
        for (const Access& access : notation::accesses(n.rhs)) note(access, true);
      });
}

}  // namespace

Program with_tables(const Program& program, Tables which) {
  std::set<TensorVar> in_computed_places;
  note_computed_places(program.statement, {}, in_computed_places);
  std::map<TensorVar, TensorVar> replacement;
  for (const Access& access : temporaries(program)) {
    const TensorVar& t = access.tensor;
    bool is_computed = t.format().stores_all() && in_computed_places.count(t) > 0;
    if (is_computed || (which == Tables::OfFull && !t.format().stores_all())) continue;
    std::vector<Level> levels = t.format().levels();
    for (Level& level : levels) {
      if (!level.format->is_implied()) level.format = level::tabled();
    }
    replacement.insert({t, TensorVar(t.name(), t.type(), Format(levels), t.fill())});
  }
  auto replaced = [&](const Access& access) {
    auto found = replacement.find(access.tensor);
    return found == replacement.end() ? access : Access{found->second, access.indices};
  };
  std::function<Expr(const Expr&)> rewrite = [&](const Expr& expr) -> Expr {
    if (const Access* access = expr.as<Access>()) return Expr(replaced(*access), expr.span());
    return notation::map_children(expr, rewrite);
  };
  Program out = program;
  for (const auto& [before, after] : replacement) out.environment.two_passes.erase(before);
  out.statement =
      map_assigns(program.statement, [&](const Assign& n) -> Stmt { return n.with(replaced(n.lhs), rewrite(n.rhs)); });
  return out;
}

}  // namespace filigree::concrete
