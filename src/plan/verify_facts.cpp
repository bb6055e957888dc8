#include "plan/verify_facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/parts.h"
#include "plan/clearing.h"
#include "support/text.h"
#include "tensor/slice_level.h"

namespace filigree::plan {
namespace {

using concrete::Access;
using concrete::Derivation;
using concrete::Environment;
using concrete::PieceLoop;

bool has(const std::vector<TensorVar>& all, const TensorVar& tensor) {
  return std::find(all.begin(), all.end(), tensor) != all.end();
}

class Facts {
 public:
  explicit Facts(const Plan& plan) : plan_(plan), program_(plan.program), environment_(plan.program.environment) {}

  std::optional<Mistake> run() {
    check_tensors();
    if (!found_) check_writes(program_.statement, {});
    if (!found_) check_extents();
    if (!found_) check_bounds();
    if (!found_) check_pieces();
    if (!found_) check_flat_loops();
    if (!found_) check_derivations();
    if (!found_) check_implications();
    if (!found_) check_windows();
    if (!found_) check_stored();
    if (!found_) check_tags();
    return found_;
  }

 private:
  void about(const TensorVar& tensor) { at_ = {{}, nullptr, tensor, {}}; }
  void about(const IndexVar& var) { at_ = {{}, nullptr, {}, var}; }
  template <class... Parts>
  void check(bool holds, const char* what, const Parts&... parts) {
    if (holds || found_) return;
    found_ = at_;
    found_->what = fmt::format(fmt::runtime(what), parts...);
  }

  // --- Tensors ---------------------------------------------------------------------------------------

  bool is_result(const TensorVar& tensor) const { return has(program_.results, tensor); }
  bool is_operand(const TensorVar& tensor) const { return has(program_.operands, tensor); }

  void check_tensors() {
    std::set<std::string> names;
    for (const auto* tensors : {&program_.results, &program_.operands}) {
      for (const TensorVar& tensor : *tensors) {
        about(tensor);
        check(!tensor.condition(), "'{}' is a condition, which nobody gives or makes", tensor.name());
        check(tensor.order() > 0 || !tensor.may_be_absent(),
              "'{}' is a scalar that may be absent, which only a "
              "temporary can be",
              tensor.name());
        check(names.insert(tensor.name()).second, "there are two tensors '{}' that are given or made", tensor.name());
      }
    }
    for (const TensorVar& result : program_.results) {
      about(result);
      check(!result.selection(), "'{}' is a selection, which nobody makes", result.name());
      std::vector<TensorVar> written = concrete::written(program_.statement);
      check(has(written, result), "nothing writes '{}'", result.name());
    }
    for (const auto& [tensor, filling] : plan_.fillings) {
      about(tensor);
      check(has(concrete::written(program_.statement), tensor), "nothing writes '{}'", tensor.name());
    }
    if (!program_.made) return;
    about(program_.results.front());
    check(program_.results.size() == 1, "there are several results, of which only '{}' is made so",
          program_.results.front().name());
    Format made = *program_.made;
    check(made.is_plain() ? made == program_.results.front().format()
                          : made.level_space() == program_.results.front().format(),
          "'{}' has other levels than what is made", program_.results.front().name());
  }

  /// What is written where, and whether it may be.
  void check_writes(const concrete::Stmt& stmt, std::vector<TensorVar> temporaries) {
    if (found_) return;
    match(
        stmt, [&](const concrete::Forall& n) { check_writes(n.body, temporaries); },
        [&](const concrete::Where& n) {
          std::vector<TensorVar> inside = temporaries;
          for (const TensorVar& temporary : concrete::targets(n.producer)) {
            about(temporary);
            check(!is_operand(temporary) && !has(temporaries, temporary), "'{}' is filled first, and is no temporary",
                  temporary.name());
            check(!reads(n.producer, temporary), "'{}' is read by what fills it", temporary.name());
            inside.push_back(temporary);
          }
          check_writes(n.producer, inside);
          for (const TensorVar& temporary : concrete::targets(n.producer)) {
            about(temporary);
            check(!has(concrete::written(n.consumer), temporary), "'{}' is written again where it is read",
                  temporary.name());
          }
          check_writes(n.consumer, temporaries);
        },
        [&](const concrete::Sequence& n) {
          for (const concrete::Stmt& s : n.statements) check_writes(s, temporaries);
          check_same_targets(n.statements);
        },
        [&](const concrete::Multi& n) {
          for (const concrete::Stmt& s : n.statements) check_writes(s, temporaries);
        },
        [&](const concrete::Assign& n) { check_write(n, temporaries); });
  }

  void check_same_targets(const std::vector<concrete::Stmt>& statements) {
    check(!statements.empty(), "nothing is done in sequence");
    for (size_t n = 1; n < statements.size(); n++) {
      for (const TensorVar& tensor : concrete::targets(statements[n])) {
        about(tensor);
        check(has(concrete::targets(statements[0]), tensor),
              "statements in sequence write different tensors, '{}' "
              "one of them",
              tensor.name());
      }
    }
  }

  static bool reads(const concrete::Stmt& stmt, const TensorVar& tensor) {
    bool does = false;
    concrete::for_each(stmt, [&](const concrete::Stmt& s) {
      const concrete::Assign* assign = s.as<concrete::Assign>();
      if (!assign) return;
      for (const Access& access : notation::accesses(assign->rhs)) does = does || access.tensor == tensor;
    });
    return does;
  }

  void check_write(const concrete::Assign& assign, const std::vector<TensorVar>& temporaries) {
    const TensorVar& tensor = assign.lhs.tensor;
    about(tensor);
    check(is_result(tensor) || has(temporaries, tensor), "'{}' is written, and is neither a result nor a temporary",
          tensor.name());
    check(!tensor.condition() && !tensor.selection() && !environment_.windows.count(tensor),
          "'{}' is written, and is no tensor of its own", tensor.name());
    check(!assign.prunes || (is_result(tensor) && !assign.op), "'{}' is pruned, and is no result that is assigned",
          tensor.name());
    for (const Access& access : notation::accesses(assign.rhs))
      check(!is_result(access.tensor), "'{}' is read, and is a result", access.tensor.name());
    if (assign.copies_levels) {
      const Access* source = assign.rhs.as<Access>();
      check(!assign.op && source, "what is written to '{}' by levels is no copy", tensor.name());
    }
  }

  // --- Variables -------------------------------------------------------------------------------------

  std::set<IndexVar> used() const {
    std::set<IndexVar> all;
    concrete::for_each(program_.statement, [&](const concrete::Stmt& s) {
      if (const concrete::Forall* forall = s.as<concrete::Forall>()) all.insert(forall->var);
      const concrete::Assign* assign = s.as<concrete::Assign>();
      if (!assign) return;
      all.insert(assign->lhs.indices.begin(), assign->lhs.indices.end());
      for (const Access& access : notation::accesses(assign->rhs))
        all.insert(access.indices.begin(), access.indices.end());
    });
    for (const Derivation& derivation : environment_.derivations) all.insert(derivation.var);
    return all;
  }

  const PieceLoop* cut_of(const IndexVar& var) const {
    const std::vector<PieceLoop>& cuts = environment_.piece_loops;
    auto found = std::find_if(cuts.begin(), cuts.end(), [&](const PieceLoop& cut) { return cut.var == var; });
    return found == cuts.end() ? nullptr : &*found;
  }

  void check_extents() {
    for (const IndexVar& var : used()) {
      about(var);
      check(environment_.extents.count(var) > 0, "nothing says how far '{}' goes", var.name());
    }
    std::set<IndexVar> known;
    for (const auto& [var, extent] : environment_.extents) {
      about(var);
      check_extent(var, extent);
      if (std::holds_alternative<concrete::OfDimension>(extent)) known.insert(var);
      if (found_) return;
    }
    for (const concrete::DerivedExtent& derived : concrete::derived_extents(environment_)) {
      about(derived.var);
      for_each_extent(derived.extent, [&](const IndexVar& of) {
        check(known.count(of) > 0, "how far '{}' goes follows from how far '{}' goes, which is not known",
              derived.var.name(), of.name());
      });
      known.insert(derived.var);
    }
    for (const auto& [var, extent] : environment_.extents) {
      const relation::RangeFormulas* range = std::get_if<relation::RangeFormulas>(&extent);
      if (!range) continue;
      about(var);
      for_each_extent(range->origin, [&](const IndexVar& of) {
        check(known.count(of) > 0, "where '{}' begins follows from how far '{}' goes, which is not known", var.name(),
              of.name());
      });
    }
    for (const auto& [var, extent] : environment_.extents) {
      about(var);
      check(!std::holds_alternative<concrete::OfRoom>(extent) || known.count(var) > 0,
            "nothing tells how far '{}' goes", var.name());
    }
  }

  static void for_each_extent(const relation::Formula& formula, const std::function<void(const IndexVar&)>& visit) {
    if (formula.kind() == relation::Formula::Kind::Extent) visit(formula.var());
    for (const relation::Formula& operand : formula.operands()) for_each_extent(operand, visit);
  }

  void check_extent(const IndexVar& var, const concrete::Extent& extent) {
    match_variant(
        extent,
        [&](const concrete::OfDimension& n) {
          bool is_given = is_result(n.tensor) || is_operand(n.tensor);
          check(is_given, "'{}' goes as far as a dimension of '{}', which is neither given nor made", var.name(),
                n.tensor.name());
          check(n.dimension < order_of(n.tensor), "'{}' has {}", n.tensor.name(),
                counted(order_of(n.tensor), "dimension"));
        },
        [](const relation::RangeFormulas&) {},
        [&](const concrete::OfStorage& n) {
          bool is_there = is_result(n.tensor) || is_operand(n.tensor);
          check(is_there && n.tensor.format().levels()[static_cast<size_t>(n.level)].format->counts_entries(),
                "level {} of '{}' does not count entries", n.level + 1, n.tensor.name());
        },
        [&](const concrete::OfRoom& n) {
          for (const IndexVar& index : n.indices) {
            bool is_of = index.map() && std::any_of(index.map()->terms.begin(), index.map()->terms.end(),
                                                    [&](const IndexMap::Term& term) { return term.var == var; });
            check(is_of, "'{}' does not follow from '{}', whose room it has", index.name(), var.name());
          }
        },
        [&](const concrete::OfPieces&) {
          check(cut_of(var) || concrete::flat_loop(environment_, var), "'{}' is over pieces of nothing", var.name());
        });
  }

  int order_of(const TensorVar& tensor) const {
    auto stored = plan_.stored.find(tensor);
    return stored == plan_.stored.end() ? tensor.order() : stored->second.format.order();
  }

  void check_bounds() {
    for (const concrete::ExtentBound& bound : environment_.bounds) {
      about(bound.var);
      auto extent = environment_.extents.find(bound.var);
      check(extent != environment_.extents.end() && bound.amount >= 0 &&
                (bound.kind != concrete::ExtentBound::Kind::Divisible || bound.amount > 0),
            "'{}' cannot have such a bound", bound.var.name());
    }
  }

  // --- Pieces and points -----------------------------------------------------------------------------

  bool has_positions(const concrete::Points& points) const {
    if (!points.positions) return !points.counts_parents;
    const TensorVar& tensor = points.positions->tensor;
    std::vector<IndexVar> vars = concrete::level_vars(*points.positions);
    bool has_all = std::search(vars.begin(), vars.end(), points.loops.begin(), points.loops.end()) != vars.end();
    return has_all && !is_result(tensor) && !tensor.condition();
  }

  void check_points(const concrete::Points& points, const IndexVar& var) {
    std::set<IndexVar> different(points.loops.begin(), points.loops.end());
    check(different.size() == points.loops.size() && !different.count(var), "'{}' is for a loop twice", var.name());
    check(has_positions(points), "positions do not number the points of '{}'", var.name());
  }

  void check_pieces() {
    for (const PieceLoop& cut : environment_.piece_loops) {
      about(cut.var);
      auto extent = environment_.extents.find(cut.var);
      check(extent != environment_.extents.end() && std::holds_alternative<concrete::OfPieces>(extent->second),
            "'{}' is over pieces, and goes as far as something else", cut.var.name());
      check_points(cut, cut.var);
      using Given = PieceLoop::Given;
      check(cut.given == Given::Threads || cut.given == Given::Inside ? cut.amount == 0 || cut.amount == 1
                                                                      : cut.amount >= 1,
            "pieces of '{}' cannot be so many, or so large", cut.var.name());
      check((cut.given == Given::Inside) == cut.over.has_value(), "'{}' says what it is over, or does not",
            cut.var.name());
      if (cut.over) {
        bool is_same =
            std::any_of(environment_.piece_loops.begin(), environment_.piece_loops.end(), [&](const auto& other) {
              return other.var == *cut.over && !other.over && concrete::is_same_numbering(other, cut);
            });
        check(is_same, "'{}' is inside of pieces of other loops", cut.var.name());
      }
    }
  }

  void check_flat_loops() {
    for (const concrete::FlatLoop& flat : environment_.flat_loops) {
      about(flat.var);
      check_points(flat, flat.var);
      if (!used().count(flat.var)) continue;  // it has nothing but a bound
      for (const IndexVar& loop : flat.loops) {
        bool is_told =
            std::any_of(environment_.derivations.begin(), environment_.derivations.end(), [&](const auto& d) {
              const concrete::AtPoint* at = d.template as<concrete::AtPoint>();
              return d.var == loop && at && at->point == flat.var;
            });
        check(is_told, "'{}' does not tell where '{}' is", flat.var.name(), loop.name());
      }
    }
  }

  void check_derivations() {
    for (size_t n = 0; n < environment_.derivations.size(); n++) {
      const Derivation& derivation = environment_.derivations[n];
      about(derivation.var);
      if (const concrete::AtPoint* at = derivation.as<concrete::AtPoint>()) {
        const concrete::FlatLoop* flat = concrete::flat_loop(environment_, at->point);
        check(flat && contains(flat->loops, derivation.var), "'{}' is no loop that '{}' is in place of",
              derivation.var.name(), at->point.name());
      }
      check(!contains(derivation.sources(), derivation.var), "'{}' follows from itself", derivation.var.name());
      for (const IndexVar& source : derivation.sources())
        check(environment_.extents.count(source) > 0, "nothing says how far '{}' goes", source.name());
      if (const relation::Entry* entry = derivation.as<relation::Entry>())
        check(!entry->list.empty(), "'{}' is an entry of an empty list", derivation.var.name());
    }
  }

  /// What follows from what, for a reason that is known here.
  void check_implications() {
    for (const concrete::Implication& implication : environment_.implications) {
      about(implication.var);
      check(follows_from_points(implication) || follows_from_indices(implication) || is_held(implication) ||
                is_index(implication),
            "'{}' does not follow from what it is implied from", implication.var.name());
    }
  }

  bool follows_from_points(const concrete::Implication& implication) const {
    if (implication.held_by) return false;
    auto is_from = [&](const concrete::Points& points) { return points.loops == implication.sources; };
    for (const PieceLoop& cut : environment_.piece_loops) {
      if (cut.var == implication.var && is_from(cut) && concrete::divides_points(cut)) return true;
    }
    for (const concrete::FlatLoop& flat : environment_.flat_loops) {
      if (flat.var == implication.var && is_from(flat)) return true;
    }
    return false;
  }
  /// i from i+1.
  bool follows_from_indices(const concrete::Implication& implication) const {
    return !implication.held_by &&
           std::any_of(implication.sources.begin(), implication.sources.end(), [&](const IndexVar& source) {
             const IndexMap* map = source.map() ? &*source.map() : nullptr;
             return map && std::any_of(map->terms.begin(), map->terms.end(),
                                       [&](const IndexMap::Term& term) { return term.var == implication.var; });
           });
  }
  /// What a tensor holds.
  bool is_held(const concrete::Implication& implication) const {
    return implication.held_by && implication.held_by->selection();
  }
  /// at from i, where it is as large as an index of i.
  bool is_index(const concrete::Implication& implication) const {
    if (implication.held_by) return false;
    IndexVar like = concrete::same_extent(environment_, implication.var);
    const IndexMap* map = like.map() ? &*like.map() : implication.var.map() ? &*implication.var.map() : nullptr;
    return map && std::all_of(map->terms.begin(), map->terms.end(),
                              [&](const IndexMap::Term& term) { return contains(implication.sources, term.var); });
  }

  // --- Windows and storage ---------------------------------------------------------------------------

  void check_windows() {
    for (const auto& [window, shown] : environment_.windows) {
      about(window);
      check(is_operand(shown.tensor) && window.order() == shown.tensor.order() &&
                window.type() == shown.tensor.type() && window.fill() == shown.tensor.fill() && !is_operand(window) &&
                !is_result(window),
            "'{}' is a window of what is no operand like it", window.name());
      for (const IndexVar& index : shown.indices)
        check(environment_.extents.count(index) > 0, "nothing says how far '{}' goes", index.name());
      for (int l = 0; l < window.order() && !found_; l++)
        check(shows_level(window.format().levels()[static_cast<size_t>(l)],
                          shown.tensor.format().levels()[static_cast<size_t>(l)], shown),
              "level {} of '{}' is not stored as that of '{}'", l + 1, window.name(), shown.tensor.name());
    }
  }

  /// The same, or a slice of it from where the index begins.
  static bool shows_level(const Level& window, const Level& whole, const Access& shown) {
    if (window == whole) return true;
    const IndexVar& index = shown.indices[static_cast<size_t>(whole.dimension())];
    if (window.dimension() != whole.dimension() || !index.map() || !can_be_sliced(*whole.format)) return false;
    return *window.format == *sliced_level(whole.format, index.map()->offset);
  }

  void check_stored() {
    for (const auto& [tensor, stored] : plan_.stored) {
      about(tensor);
      check(is_result(tensor) || is_operand(tensor), "'{}' is neither given nor made, so it is stored nowhere",
            tensor.name());
      bool is_made = program_.made && is_result(tensor);
      Format seen = stored.format.is_plain() ? stored.format.without_symmetry() : stored.format.level_space();
      check(is_made || seen == tensor.format(), "'{}' has other levels than its format {}", tensor.name(),
            to_string(stored.format));
    }
  }

  /// Loops that are unrolled together repeat their code.
  void check_tags() {
    at_ = {};
    constexpr std::int64_t most_copies = 1024;
    using Unit = std::optional<concrete::GpuUnit>;
    std::function<void(const concrete::Stmt&, std::int64_t, Unit, bool)> visit =
        [&](const concrete::Stmt& stmt, std::int64_t copies, Unit unit, bool is_on_threads) {
          const concrete::Forall* forall = stmt.as<concrete::Forall>();
          if (forall && forall->tag.unrolled > 1) copies *= forall->tag.unrolled;
          if (forall) about(forall->var);
          if (forall && forall->tag.gpu) {
            check(!forall->tag.parallel && !is_on_threads && (!unit || *unit < *forall->tag.gpu),
                  "'{}' is for a unit of a GPU that is not inside of what is around it", forall->var.name());
            unit = *forall->tag.gpu;
          }
          is_on_threads = is_on_threads || (forall && forall->tag.parallel);
          check(copies <= most_copies, "loops that are unrolled together repeat code {} times at most", most_copies);
          if (found_) return;
          concrete::map_children(stmt, [&](const concrete::Stmt& inside) {
            visit(inside, copies, unit, is_on_threads);
            return inside;
          });
        };
    visit(program_.statement, 1, std::nullopt, false);
  }

  const Plan& plan_;
  const concrete::Program& program_;
  const Environment& environment_;
  Mistake at_;
  std::optional<Mistake> found_;
};

}  // namespace

std::optional<Mistake> find_wrong_fact(const Plan& plan) { return Facts(plan).run(); }

}  // namespace filigree::plan
