#include "schedule/nest.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "support/text.h"

namespace filigree::schedule {

using concrete::Access;
using concrete::Assign;
using concrete::Forall;
using concrete::Stmt;

Nest::Nest(const concrete::Program& program) : program_(program) {
  concrete::for_each(program.statement, [&](const Stmt& stmt) {
    if (const Forall* forall = stmt.as<Forall>()) spaces_.insert({forall->var.name(), Space{{forall->var}}});
  });
}

std::string Nest::name_of(const IndexVar& var) const {
  for (const auto& [name, space] : spaces_) {
    if (contains(space.loops, var)) return name;
  }
  return var.name();
}

std::vector<std::string> Nest::variables() const {
  std::vector<std::string> names;
  for (const auto& [name, space] : spaces_) names.push_back(name);
  return names;
}

void Nest::fail(UserError error, const Place& place, Span span, const std::vector<IndexVar>& marked) const {
  std::map<IndexVar, std::string> names;
  for (const auto& [name, space] : spaces_) {
    for (const IndexVar& var : space.loops) {
      if (name != var.name()) names.insert({var, name});
    }
  }
  std::move(error).note(concrete::describe_loops(program_.statement, marked, names));
  if (place.source) std::move(error).at(place.source, span);
  throw error;
}

void Nest::fail_unknown(const std::string& message, const Name& name, const std::vector<std::string>& known,
                        const Place& place) const {
  UserError error(message);
  if (auto guess = did_you_mean(name.text, known)) std::move(error).hint("did you mean '" + *guess + "'?");
  fail(std::move(error).hint("there are: " + join(known, ", ")), place, name.span);
}

Space Nest::space(const Name& name, const Place& place) const {
  auto found = spaces_.find(name.text);
  if (found != spaces_.end()) return found->second;
  auto retired = retired_.find(name.text);
  if (retired != retired_.end()) {
    fail(UserError(fmt::format("There is no loop over '{}' any more: it {}", name.text, retired->second))
             .hint("there are: " + join(variables(), ", ")),
         place, name.span);
  }
  for (const concrete::Derivation& derivation : program_.environment.derivations) {
    std::vector<std::string> sources;
    for (const IndexVar& source : derivation.sources()) sources.push_back("'" + source.name() + "'");
    if (derivation.var.name() != name.text || sources.empty()) continue;
    fail(UserError(fmt::format("There is no loop over '{}': for the formats of these tensors, it follows from {}",
                               name.text, join(sources, " and ")))
             .hint("there are: " + join(variables(), ", ")),
         place, name.span);
  }
  fail_unknown(fmt::format("There is no loop over '{}'", name.text), name, variables(), place);
}

IndexVar Nest::one_loop(const Name& name, const Place& place, const char* instead) const {
  Space found = space(name, place);
  if (found.loops.size() > 1) {
    std::vector<std::string> loops;
    for (const IndexVar& var : found.loops) loops.push_back("'" + var.name() + "'");
    fail(UserError(fmt::format("'{}' stands for several loops: {}", name.text, join(loops, ", "))).hint(instead), place,
         name.span, found.loops);
  }
  return found.loops.front();
}

IndexVar Nest::flatten(const Name& name, concrete::PieceLoop::Given given, std::int64_t amount, const Place& place) {
  Space found = space(name, place);
  if (found.loops.size() == 1) return found.loops.front();
  IndexVar var(name.text);
  insert({{found.loops, found.positions}, var, given, amount, place.source, place.span});
  spaces_.at(name.text) = Space{{var}};
  return var;
}

void Nest::check_free(const Name& name, const Place& place) const {
  bool taken = spaces_.count(name.text) || retired_.count(name.text);
  for (const auto& [var, extent] : program_.environment.extents) taken = taken || var.name() == name.text;
  if (taken)
    fail(UserError(fmt::format("There is a variable '{}' already", name.text))
             .hint("choose another name for the new one"),
         place, name.span);
}

IndexVar Nest::define_loop(const Name& name, const Place& place) {
  IndexVar var(name.text);
  define(name, Space{{var}}, place);
  return var;
}

void Nest::define(const Name& name, const Space& space, const Place& place) {
  check_free(name, place);
  spaces_.insert({name.text, space});
}

void Nest::retire(const Name& name, const std::string& became) {
  spaces_.erase(name.text);
  retired_.insert({name.text, became});
}

namespace {

/// The first level of the run of levels of `access` that the loops are, if they are that.
std::optional<size_t> first_level(const Access& access, const std::vector<IndexVar>& loops) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  auto found = std::search(vars.begin(), vars.end(), loops.begin(), loops.end());
  return found == vars.end() ? std::nullopt : std::optional(static_cast<size_t>(found - vars.begin()));
}

/// Do the children of a parent stand in a row, so that positions number them?
bool are_numbered(const level::Format& format) { return format.properties().branchless || format.search(); }

/// And those of different parents in the order of the parents?  Not if the level is only a view: rows of a block share
/// its columns.
bool are_numbered_throughout(const level::Format& format) { return are_numbered(format) && format.storage(); }

bool reads(const Stmt& stmt, const Access& access) {
  bool found = false;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    std::vector<Access> all = assign ? notation::accesses(assign->rhs) : std::vector<Access>{};
    found = found || std::find(all.begin(), all.end(), access) != all.end();
  });
  return found;
}

/// The names that loops may know a tensor by: its own, and those of the copies that are made of it beforehand.
std::set<std::string> names_in_loops(const std::string& tensor, const Stmt& stmt) {
  std::set<std::string> names = {tensor};
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    const Access* copied = assign ? assign->rhs.as<Access>() : nullptr;
    if (copied && copied->tensor.name() == tensor) names.insert(assign->lhs.tensor.name());
  });
  return names;
}

}  // namespace

/// The operand of this name that the loops run through as a run of levels.
Access Nest::levels_along(const Name& tensor, const Space& space, const Place& place) const {
  std::vector<std::string> read;
  std::set<std::string> names = names_in_loops(tensor.text, program_.statement);
  std::optional<Access> found, other;
  for (const Stmt& loop : loops_over(space.loops.front(), program_.statement)) {
    concrete::for_each(loop, [&](const Stmt& stmt) {
      const Assign* assign = stmt.as<Assign>();
      if (!assign) return;
      for (const Access& access : notation::accesses(assign->rhs)) {
        if (std::find(read.begin(), read.end(), access.tensor.name()) == read.end())
          read.push_back(access.tensor.name());
        if (!names.count(access.tensor.name())) continue;
        other = access;
        if (!found && first_level(access, space.loops)) found = access;
      }
    });
  }
  if (!other) fail_unknown(fmt::format("The loops do not read a tensor '{}'", tensor.text), tensor, read, place);
  if (!found) {
    fail(UserError(fmt::format("The levels of '{}' are not what these loops run over: {} is stored as {}", tensor.text,
                               notation::to_string(*other), to_string(other->tensor.format())))
             .hint("take a tensor whose levels are these variables, in this order"),
         place, tensor.span, space.loops);
  }
  return *found;
}

Space Nest::in_positions(const Name& tensor, const Space& space, const Place& place) const {
  Access access = levels_along(tensor, space, place);
  auto first = access.tensor.format().levels().begin() + static_cast<std::ptrdiff_t>(*first_level(access, space.loops));
  bool are_same = std::all_of(first, first + static_cast<std::ptrdiff_t>(space.loops.size()),
                              [](const Level& level) { return *level.format == *level::dense(); });
  return are_same ? Space{space.loops, {}, true} : Space{space.loops, positions_of(tensor, space, place)};
}

Access Nest::positions_of(const Name& tensor, const Space& space, const Place& place) const {
  std::optional<Access> found = levels_along(tensor, space, place);
  size_t first = *first_level(*found, space.loops);
  for (size_t n = 0; n < space.loops.size(); n++) {
    const level::Format& level = *found->tensor.format().levels()[first + n].format;
    bool is_last = n + 1 == space.loops.size();
    bool is_numbered = n == 0 ? are_numbered(level) : are_numbered_throughout(level);
    if (is_numbered || (!is_last && level::is_always_found(level))) continue;
    std::string why = level::is_always_found(level) ? "has a place for every coordinate"
                                                    : "does not keep its nodes in a row";
    fail(UserError(fmt::format("'{}' has no positions to run over at '{}': its {} level {}", tensor.text,
                               space.loops[n].name(), level.name(), why))
             .hint("split the variable itself, or take a tensor whose level there is compressed"),
         place, tensor.span, space.loops);
  }
  return *found;
}

void Nest::check_amount(concrete::PieceLoop::Given given, std::int64_t amount, const Place& place) const {
  bool is_size = given == concrete::PieceLoop::Given::Size;
  std::int64_t most = std::int64_t{1} << (is_size ? 40 : 20);
  if (amount > most)
    fail(UserError(fmt::format("{} {} are too many", amount, is_size ? "points in a piece" : "pieces"))
             .hint(fmt::format("there can be {}", most)),
         place, place.span);
}

void Nest::check_size(const concrete::PieceLoop& cut) const {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (cut.given != concrete::PieceLoop::Given::Size) return;
  std::int64_t points = cut.amount;
  std::vector<IndexVar> loops = cut.loops;
  for (bool more = true; more;) {
    more = false;
    for (const concrete::PieceLoop& other : program_.environment.piece_loops) {
      if (loops != std::vector<IndexVar>{other.var} || other.given != concrete::PieceLoop::Given::Size) continue;
      bool is_far = __builtin_mul_overflow(points, other.amount, &points) || points > most;
      if (is_far)
        fail(UserError(fmt::format("Pieces of '{}' have more than {} points", loops.front().name(), most))
                 .hint("split by smaller numbers"),
             {cut.source, cut.span}, cut.span, {loops.front()});
      loops = other.loops;
      more = true;
      break;
    }
  }
}

/// Where coordinates may repeat, what is computed for one at once must not be in two pieces.
void Nest::check_repeated(const concrete::PieceLoop& cut) const {
  if (concrete::divides_points(cut)) return;
  const IndexVar& last = cut.loops.back();
  for (const Stmt& loop : loops_over(last, program_.statement)) {
    if (loop.as<Forall>()->as_stored) continue;
    const TensorVar& tensor = cut.positions->tensor;
    fail(UserError(fmt::format("'{}' ({}) may store a coordinate of '{}' several times, and a piece of its positions "
                               "may end between them",
                               tensor.name(), to_string(tensor.format()), last.name()))
             .hint("cut it by coordinates, or use a format that stores every coordinate once"),
         {cut.source, cut.span}, cut.span, {last});
  }
}

void Nest::insert(concrete::PieceLoop cut) {
  check_size(cut);
  for (const IndexVar& loop : cut.loops) {
    if (!concrete::flat_loop(program_.environment, loop)) continue;
    fail(UserError(fmt::format("'{}' is one loop in place of several by now, and is not cut any more", loop.name()))
             .hint("split first, then precompute or say how loops run"),
         {cut.source, cut.span}, cut.span, {loop});
  }
  for (const concrete::Forall& loop : concrete::tagged_loops(program_.statement)) {
    bool is_cut = std::find(cut.loops.begin(), cut.loops.end(), loop.var) != cut.loops.end();
    const std::vector<concrete::PieceLoop>& known = program_.environment.piece_loops;
    bool is_for_threads = std::any_of(known.begin(), known.end(), [&](const concrete::PieceLoop& other) {
      return other.var == loop.var && other.given == concrete::PieceLoop::Given::Threads;
    });
    if (!is_cut || !is_for_threads || !loop.tag.parallel) continue;
    fail(UserError(fmt::format("'{}' has one piece for each thread by now, and is not cut any more", loop.var.name()))
             .hint("split or cut first, and then parallelize"),
         {cut.source, cut.span}, cut.span, {loop.var});
  }
  // What a loop runs over may be a part of the points of others.
  std::vector<Stmt> loops = loops_over(cut.loops.front(), program_.statement);
  std::optional<Access> numbered_by = cut.positions;  // other loops over the same variable are left as they are
  for (const concrete::PointParts& parts : concrete::all_parts(program_.environment)) {
    const concrete::PieceLoop& numbering = parts.numbering;
    auto part = std::find_if(parts.parts.begin(), parts.parts.end(),
                             [&](const concrete::PointPart& p) { return p.loops == cut.loops; });
    if (!numbering.by_number || part == parts.parts.end()) continue;
    bool is_smallest = part + 1 == parts.parts.end(), visits = part->loops == numbering.loops;
    if (visits && cut.positions != numbering.positions) continue;  // numbered in another way
    bool has_copies = std::any_of(program_.environment.piece_loops.begin(), program_.environment.piece_loops.end(),
                                  [&](const concrete::PieceLoop& other) {
                                    return other.var == numbering.var && !concrete::is_same_numbering(other, numbering);
                                  });
    if (has_copies)
      fail(UserError("A workspace is filled for the same numbers, which stand in an order of their own")
               .hint("split and reorder first, then precompute"),
           {cut.source, cut.span}, cut.span, part->loops);
    numbered_by = numbering.positions;
    cut.loops = is_smallest ? numbering.loops : std::vector<IndexVar>{part->var};
    cut.positions = is_smallest ? numbering.positions : std::nullopt;
    cut.counts_parents = is_smallest && numbering.counts_parents;
    cut.by_number = true;
    break;
  }
  check_repeated(cut);
  std::function<Stmt(const Stmt&)> change = [&](const Stmt& stmt) -> Stmt {
    bool is_meant = std::any_of(loops.begin(), loops.end(), [&](const Stmt& loop) { return loop.same_as(stmt); });
    if (is_meant && (!numbered_by || reads(stmt, *numbered_by))) return Forall{cut.var, stmt};
    return concrete::map_children(stmt, change);
  };
  program_.statement = change(program_.statement);
  concrete::Environment& environment = program_.environment;
  environment.extents.insert({cut.var, concrete::OfPieces{}});
  environment.piece_loops.push_back(cut);
  imply(cut);
}

void Nest::remove(const concrete::PieceLoop& cut) {
  std::function<Stmt(const Stmt&)> change = [&](const Stmt& stmt) -> Stmt {
    const Forall* forall = stmt.as<Forall>();
    return forall && forall->var == cut.var ? change(forall->body) : concrete::map_children(stmt, change);
  };
  program_.statement = change(program_.statement);
  concrete::Environment& environment = program_.environment;
  IndexVar var = cut.var;
  environment.extents.erase(var);
  std::erase_if(environment.implications, [&](const concrete::Implication& i) { return i.var == var; });
  std::erase_if(environment.piece_loops, [&](const concrete::PieceLoop& other) { return other.var == var; });
}

/// A point says which piece it is in.
void Nest::imply(const concrete::PieceLoop& cut) {
  if (!concrete::divides_points(cut)) return;
  program_.environment.implications.push_back({cut.var, cut.loops});
}

/// Can one loop take the place of the loops that it stands for?
bool Nest::can_be_one(const Space& several, const Stmt& outermost) const {
  for (const concrete::PieceLoop& cut : program_.environment.piece_loops) {
    if (contains(several.loops, cut.var)) return false;  // what is cut must know which piece it is in
    bool is_about = std::any_of(several.loops.begin(), several.loops.end(),
                                [&](const IndexVar& loop) { return contains(cut.loops, loop); });
    if (is_about &&
        (cut.loops != several.loops || cut.positions != several.positions || cut.by_number || cut.counts_parents))
      return false;
  }
  const Forall* at = outermost.as<Forall>();
  for (size_t n = 0; n < several.loops.size(); n++) {
    if (!at || at->var != several.loops[n] || !at->tag.is_plain()) return false;
    if (n + 1 < several.loops.size()) at = at->body.as<Forall>();
  }
  if (several.positions) {
    size_t last = *first_level(*several.positions, several.loops) + several.loops.size() - 1;
    // What is stored several times is visited together.
    if (!several.positions->tensor.format().levels()[last].format->properties().unique && !at->as_stored) return false;
  }
  // Operands beside it are looked up.
  bool located = true;
  concrete::for_each(at->body, [&](const Stmt& stmt) {
    const Assign* assign = stmt.as<Assign>();
    for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
      std::vector<IndexVar> vars = concrete::level_vars(access);
      for (size_t level = 0; level < vars.size(); level++) {
        bool leads = several.positions && access == *several.positions;
        located = located && (leads || !contains(several.loops, vars[level]) ||
                              level::is_always_found(*access.tensor.format().levels()[level].format));
      }
    }
  });
  return located;
}

IndexVar Nest::as_one_loop(const Name& name, const Place& place) {
  Space several = space(name, place);
  if (several.loops.size() == 1) return several.loops.front();
  std::vector<Stmt> outermost = loops_over(several.loops.front(), program_.statement);
  if (!std::all_of(outermost.begin(), outermost.end(), [&](const Stmt& loop) { return can_be_one(several, loop); }))
    return flatten(name, concrete::PieceLoop::Given::Size, 1, place);
  return number_points(name, several, place);
}

std::optional<IndexVar> Nest::as_numbered_loop(const Name& name, const Place& place) {
  Space points = space(name, place);
  if (points.loops.size() == 1 && !points.positions) return points.loops.front();
  std::vector<Stmt> outermost = loops_over(points.loops.front(), program_.statement);
  if (!std::all_of(outermost.begin(), outermost.end(), [&](const Stmt& loop) { return can_be_one(points, loop); }))
    return std::nullopt;
  return number_points(name, points, place);
}

/// One loop in place of all.
IndexVar Nest::number_points(const Name& name, const Space& several, const Place& place) {
  std::vector<Stmt> outermost = loops_over(several.loops.front(), program_.statement);
  IndexVar var(name.text);
  std::function<Stmt(const Stmt&)> change = [&](const Stmt& stmt) -> Stmt {
    bool is_meant =
        std::any_of(outermost.begin(), outermost.end(), [&](const Stmt& loop) { return loop.same_as(stmt); });
    if (!is_meant) return concrete::map_children(stmt, change);
    const Forall* at = stmt.as<Forall>();
    for (size_t n = 1; n < several.loops.size(); n++) at = at->body.as<Forall>();
    return Forall{var, at->body};
  };
  program_.statement = change(program_.statement);
  concrete::Environment& environment = program_.environment;
  environment.extents.insert({var, concrete::OfPieces{}});
  environment.flat_loops.push_back({{several.loops, several.positions}, var, place.source, place.span});
  for (const IndexVar& loop : several.loops) environment.derivations.push_back({loop, concrete::AtPoint{var}});
  environment.implications.push_back({var, several.loops});
  spaces_.insert_or_assign(name.text, Space{{var}});
  return var;
}

void Nest::copy_points(const std::map<IndexVar, IndexVar>& copies) {
  concrete::Environment& environment = program_.environment;
  bool changed = false;
  auto copy = [&](IndexVar& var) {
    auto found = copies.find(var);
    if (found == copies.end()) return;
    var = found->second;
    changed = true;
  };
  auto copy_access = [&](std::optional<Access>& access) {
    if (!access) return;
    for (IndexVar& var : access->indices) copy(var);
  };
  for (const auto& [var, other] : copies) environment.extents.insert({other, environment.extents.at(var)});
  for (size_t n = 0, count = environment.piece_loops.size(); n < count; n++) {
    concrete::PieceLoop cut = environment.piece_loops[n];
    changed = false;
    for (IndexVar& var : cut.loops) copy(var);
    if (!changed) continue;
    copy_access(cut.positions);
    environment.piece_loops.push_back(cut);
  }
  for (size_t n = 0, count = environment.flat_loops.size(); n < count; n++) {
    concrete::FlatLoop flat = environment.flat_loops[n];
    changed = false;
    copy(flat.var);
    if (!changed) continue;
    for (IndexVar& var : flat.loops) copy(var);
    copy_access(flat.positions);
    environment.flat_loops.push_back(flat);
  }
  for (size_t n = 0, count = environment.derivations.size(); n < count; n++) {
    const concrete::AtPoint* at = environment.derivations[n].as<concrete::AtPoint>();
    if (!at) continue;
    IndexVar var = environment.derivations[n].var, point = at->point;
    changed = false;
    copy(var);
    copy(point);
    if (changed) environment.derivations.push_back({var, concrete::AtPoint{point}});
  }
  for (size_t n = 0, count = environment.implications.size(); n < count; n++) {
    concrete::Implication implication = environment.implications[n];
    changed = false;
    copy(implication.var);
    for (IndexVar& source : implication.sources) copy(source);
    if (changed) environment.implications.push_back(implication);
  }
}

concrete::LoopTag Nest::tag(const IndexVar& var) const {
  for (const Forall& loop : concrete::tagged_loops(program_.statement)) {
    if (loop.var == var) return loop.tag;
  }
  return {};
}

void Nest::set_tag(const IndexVar& var, const concrete::LoopTag& tag) {
  program_.statement = concrete::with_tags(program_.statement, var, [&](const concrete::LoopTag&) { return tag; });
}

std::optional<IndexVar> loop_inside(const IndexVar& outer, const Stmt& stmt) {
  std::optional<IndexVar> inside;
  std::vector<Stmt> loops = loops_over(outer, stmt);
  for (const Stmt& loop : loops) {
    const Forall* below = loop.as<Forall>()->body.as<Forall>();
    if (!below || (inside && !(below->var == *inside))) return std::nullopt;
    inside = below->var;
  }
  return inside && loops_over(*inside, stmt).size() == loops.size() ? inside : std::nullopt;
}

namespace {

void collect_loops(const IndexVar& var, const Stmt& stmt, bool for_result, std::vector<Stmt>& out) {
  match(
      stmt,
      [&](const Forall& n) {
        if (n.var == var) out.push_back(stmt);
        collect_loops(var, n.body, for_result, out);
      },
      [&](const concrete::Where& n) {
        if (!for_result) collect_loops(var, n.producer, for_result, out);
        collect_loops(var, n.consumer, for_result, out);
      },
      [&](const concrete::Sequence& n) {
        for (const Stmt& s : n.statements) collect_loops(var, s, for_result, out);
      },
      [&](const concrete::Multi& n) {
        for (const Stmt& s : n.statements) collect_loops(var, s, for_result, out);
      },
      [](const Assign&) {});
}

}  // namespace

std::vector<Stmt> loops_over(const IndexVar& var, const Stmt& stmt) {
  std::vector<Stmt> out;
  collect_loops(var, stmt, true, out);
  if (out.empty()) collect_loops(var, stmt, false, out);
  return out;
}

bool counts_absent_points(const Assign& assign) {
  return assign.op && assign.lhs.tensor.order() > 0 &&
         identity(*assign.op, assign.lhs.tensor.type()) != assign.lhs.tensor.fill();
}

}  // namespace filigree::schedule
