#include "concrete/aligned_blocks.h"

#include <algorithm>

namespace filigree::concrete {
namespace {

using notation::Reduce;
using Digits = relation::Digits;
/// How each index is divided, outermost digit first.
using Division = std::map<IndexVar, std::vector<Digits>>;

/// The digits of each index of a tensor in blocks, or nothing if its levels are something else or not in order.
std::optional<Division> division(const Access& access) {
  const Format& format = access.tensor.format();
  if (format.is_plain() || format.symmetry() != Symmetry::None) return std::nullopt;
  Division out;
  for (const Level& level : format.levels()) {
    const Digits* digits = level.coordinate.as<Digits>();
    level::Properties properties = level.format->properties();
    if (!digits || !properties.unique || properties.ordered != level::Ordered::Increasing || properties.padded)
      return std::nullopt;
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
  explicit Aligner(LevelSpace& space) : space_(space) {}

  /// Are all divisions the same?
  bool collect(const std::vector<Access>& accesses) {
    for (const Access& access : accesses) {
      if (access.tensor.format().is_plain()) continue;
      std::optional<Division> own = division(access);
      if (!own || repeats_an_index(access)) return false;
      blocked_++;
      for (const auto& [var, digits] : *own) {
        if (division_.insert({var, digits}).first->second != digits) return false;
      }
    }
    return blocked_ >= 2 && std::all_of(accesses.begin(), accesses.end(), [](const Access& access) {
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
  Division division_;
  int blocked_ = 0;
};

}  // namespace

std::optional<AlignedBlocks> align_blocks(const Access& lhs, const Expr& rhs, LevelSpace& space) {
  std::vector<Access> all = notation::accesses(rhs);
  all.push_back(lhs);
  Aligner aligner(space);
  if (!aligner.collect(all)) return std::nullopt;
  return AlignedBlocks{space.view(lhs), aligner.rewritten(rhs), aligner.parts()};
}

}  // namespace filigree::concrete
