#include "concrete/aligned_blocks.h"

#include <algorithm>

#include "concrete/visits.h"
#include "notation/substitute.h"
#include "tensor/compose.h"

namespace filigree::concrete {
namespace {

using notation::Reduce;
using Digits = relation::Digits;
/// How each index is divided, outermost digit first.
using Division = std::map<IndexVar, std::vector<Digits>>;

/// Can loops over the format's levels, in their order, visit it?
bool has_tame_levels(const Format& format) {
  return !format.is_plain() && format.symmetry() == Symmetry::None && is_tame(format.level_space());
}

bool has_reductions(const Expr& expr) {
  bool found = false;
  notation::for_each(expr, [&](const Expr& e) { found = found || e.as<Reduce>(); });
  return found;
}

/// The digits of each index of a tensor in blocks, or nothing if its levels are something else.
std::optional<Division> division(const Access& access) {
  Division out;
  for (const Level& level : access.tensor.format().levels()) {
    const Digits* digits = level.coordinate.as<Digits>();
    if (!digits) return std::nullopt;
    Digits own = *digits;
    own.whole = 0;  // the same digits of different dimensions are the same division
    out[access.indices[digits->whole]].push_back(own);
  }
  for (auto& [var, digits] : out) {
    std::sort(digits.begin(), digits.end(), [](const Digits& a, const Digits& b) { return a.divisor > b.divisor; });
  }
  return out;
}

class Aligner {
 public:
  /// `reduces`: what is summed may be looked for in a block again and again, where its entries are in a list.
  Aligner(LevelSpace& space, bool reduces) : space_(space), reduces_(reduces) {}

  /// Are all divisions the same?
  bool collect(const std::vector<Access>& accesses) {
    for (const Access& access : accesses) {
      if (access.tensor.format().is_plain()) continue;
      const Format& format = access.tensor.format();
      if (!has_tame_levels(format) || repeats_an_index(access) || (reduces_ && repeats_coordinates(format)))
        return false;
      std::optional<Division> own = division(access);
      if (!own) return false;
      blocked_++;
      for (const auto& [var, digits] : *own) {
        if (division_.insert({var, digits}).first->second != digits) return false;
      }
    }
    return blocked_ >= 2 && others_are_dense(accesses);
  }

  static bool others_are_dense(const std::vector<Access>& accesses) {
    return std::all_of(accesses.begin(), accesses.end(), [](const Access& access) {
      return !access.tensor.format().is_plain() || access.tensor.format().is_dense();
    });
  }

  std::map<IndexVar, std::vector<IndexVar>> parts() {
    std::map<IndexVar, std::vector<IndexVar>> out;
    for (const auto& [var, digits] : division_) {
      bool whole = digits.size() == 1;  // a block of one
      for (const Digits& part : digits) out[var].push_back(whole ? var : space_.part(var, part));
    }
    return out;
  }

  Expr rewritten(const Expr& expr) {
    if (const Access* access = expr.as<Access>()) return Expr(space_.view(*access), expr.span());
    if (const Reduce* reduce = expr.as<Reduce>()) {
      std::map<IndexVar, std::vector<IndexVar>> divided = parts();
      std::vector<IndexVar> vars;
      for (const IndexVar& var : reduce->vars) {
        vars.push_back(var);  // dense operands still use it
        auto own = divided.find(var);
        if (own != divided.end()) vars.insert(vars.end(), own->second.begin(), own->second.end());
      }
      return Expr(Reduce{reduce->op, vars, rewritten(reduce->body)}, expr.span());
    }
    return notation::map_children(expr, [&](const Expr& child) { return rewritten(child); });
  }

 private:
  LevelSpace& space_;
  bool reduces_;
  Division division_;
  int blocked_ = 0;
};

/// Have all tensors whose levels are not their dimensions the same levels, over the same indices?  Then loops can run
/// over these, whatever they are: along diagonals, for example.
bool share_levels(const std::vector<Access>& accesses) {
  const Access* first = nullptr;
  size_t count = 0;
  for (const Access& access : accesses) {
    const Format& format = access.tensor.format();
    if (format.is_plain()) continue;
    if (!has_tame_levels(format) || repeats_an_index(access)) return false;
    if (!first) first = &access;
    if (access.indices != first->indices || format.coordinates() != first->tensor.format().coordinates()) return false;
    count++;
  }
  if (count < 2 || !Aligner::others_are_dense(accesses)) return false;
  const std::vector<Level>& levels = first->tensor.format().levels();
  return std::none_of(levels.begin(), levels.end(), [&](const Level& level) {
    bool counts_entries = level.coordinate.as<relation::Counter>() != nullptr;
    bool has_no_loop_above_others = level.format->is_implied() && &level != &levels.back();
    return counts_entries || has_no_loop_above_others;
  });
}

/// The loops over levels that are walked, in place of those over the indices: one index stands for all of them.  That
/// is one with a level of its own if there is any, since only such a one is left where levels take the place of
/// dimensions.
std::map<IndexVar, std::vector<IndexVar>> shared_loops(const Access& access, LevelSpace& space) {
  std::vector<IndexVar> walked = space.walk(access);
  std::map<IndexVar, std::vector<IndexVar>> out;
  const IndexVar* all = &access.indices[0];
  for (const IndexVar& index : access.indices) {
    bool has_level = contains(walked, index);
    out[index] = has_level ? std::vector{index} : std::vector<IndexVar>();
    if (has_level && !contains(walked, *all)) all = &index;
  }
  out[*all] = walked;
  return out;
}

Expr in_levels(const Expr& expr, LevelSpace& space) {
  if (const Access* access = expr.as<Access>()) return Expr(space.view(*access), expr.span());
  return notation::map_children(expr, [&](const Expr& child) { return in_levels(child, space); });
}

/// Are rows of a sparse result better counted and placed in loops over levels?  So they are where no loops over
/// dimensions can walk some operand, which would be sorted into rows first.
bool goes_to_rows(const Access& lhs, const Expr& rhs) {
  const Format& format = lhs.tensor.format();
  if (!format.is_plain() || format.is_dense() || !can_take_two_passes(format) || has_reductions(rhs)) return false;
  std::vector<Access> reads = notation::accesses(rhs);
  return notation::fill_of(rhs) && std::any_of(reads.begin(), reads.end(), [](const Access& access) {
           return !access.tensor.format().is_plain() && composable_orders(access.tensor.format()).empty();
         });
}

}  // namespace

std::optional<AlignedBlocks> align_blocks(const Access& lhs, const Expr& rhs, LevelSpace& space) {
  std::vector<Access> all = notation::accesses(rhs);
  if (!goes_to_rows(lhs, rhs)) all.push_back(lhs);
  Aligner aligner(space, has_reductions(rhs));
  if (aligner.collect(all)) return AlignedBlocks{space.view(lhs), aligner.rewritten(rhs), aligner.parts()};
  // Where dense operands alone have something, levels are no help.
  if (has_reductions(rhs) || !notation::fill_of(rhs) || !share_levels(all)) return std::nullopt;
  auto blocked = std::find_if(all.begin(), all.end(),
                              [](const Access& access) { return !access.tensor.format().is_plain(); });
  for (const Access& access : all) {
    bool inside = std::all_of(access.indices.begin(), access.indices.end(), [&](const IndexVar& var) {
      return std::find(blocked->indices.begin(), blocked->indices.end(), var) != blocked->indices.end();
    });
    if (!inside) return std::nullopt;  // loops over its other indices stand in no order with those over levels
  }
  return AlignedBlocks{space.view(lhs), in_levels(rhs, space), shared_loops(*blocked, space), false};
}

}  // namespace filigree::concrete
