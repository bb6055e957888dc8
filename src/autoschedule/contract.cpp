#include "autoschedule/contract.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "autoschedule/group.h"
#include "notation/assignment.h"
#include "support/fresh_names.h"

namespace filigree::autoschedule {
namespace {

using Factors = std::uint32_t;  // a bit for each factor
using Indices = std::uint32_t;  // a bit for each index of the problem

// Tasks that components of temporaries take beside those of loops.
constexpr double to_store_sparse = 3, to_store_dense = 0.5, in_lanes = 0.25;
/// Temporaries with more components are not made, unless operands are of that size.
constexpr double most_components = 0x1p23;

/// A factor, or the product of some with all reduced that only they have.
struct Part {
  Indices indices = 0;
  Indices sparse = 0;  // those of them that operands with gaps have
  double density = 1;  // of what is there, among all coordinates of these
};

/// How a product is made: of these parts, each a factor or a temporary.
struct Tree {
  double tasks = std::numeric_limits<double>::infinity();
  std::vector<Factors> parts;
};

class Contractor {
 public:
  Contractor(const Problem& problem, const KnownInputs& inputs) : problem_(problem), assign_(*problem.body.assign) {
    for (const std::string& index : problem.indices) {
      auto extent = inputs.extents.find(problem.variables.at(problem.dimensions.at(index)));
      if (extent == inputs.extents.end()) return;
      extents_.push_back(static_cast<double>(extent->second));
    }
    for (const notation::Access& access : notation::accesses(problem.statement.rhs))
      operands_.emplace(access.tensor.name(), access.tensor);
    for (const Mode& mode : assign_.lhs.modes) result_ |= bit(mode.index);
    most_ = most_components;
    for (const auto& [name, stored] : inputs.stored) most_ = std::max(most_, 4 * stored);
    walks_ = inputs.walks;
    is_product_ = collect(inputs);
  }

  std::vector<Split> operator()(size_t most) {
    if (!is_product_ || factors_.size() < 2) return {};
    const Factors all = (Factors{1} << factors_.size()) - 1;
    best_.resize(all + size_t{1});
    for (Factors set = 1; set < all; set++) {
      if (is_worth_storing(set)) for_each_partition(set, [&](const Tree& tree) { keep_best(best_[set], tree); });
    }
    std::vector<Tree> roots;
    for_each_partition(all, [&](const Tree& tree) {
      bool is_whole = std::all_of(tree.parts.begin(), tree.parts.end(), [&](Factors part) { return is_raw(part); });
      if (!is_whole && std::isfinite(tree.tasks)) roots.push_back(tree);
    });
    std::stable_sort(roots.begin(), roots.end(), [](const Tree& a, const Tree& b) { return a.tasks < b.tasks; });
    std::vector<Split> out;
    for (size_t n = 0; n < std::min(most, roots.size()); n++) out.push_back(made(roots[n], all));
    return out;
  }

 private:
  Indices bit(const std::string& index) const {
    auto found = std::find(problem_.indices.begin(), problem_.indices.end(), index);
    return Indices{1} << (found - problem_.indices.begin());
  }
  double points(Indices indices) const {
    double all = 1;
    for (; indices != 0; indices &= indices - 1) all *= extents_[static_cast<size_t>(std::countr_zero(indices))];
    return all;
  }

  /// The factors of the right side; numbers stay for the last statement.
  bool collect(const KnownInputs& inputs) {
    Expr rhs = rewrites(assign_.rhs, problem_.tensors)[0];
    const Apply* chain = rhs.as<Apply>();
    if (!chain || chain->operands.size() > most_factors) return false;
    const OperatorFacts& known = facts(chain->op);
    ElementType type = type_of(rhs, problem_.tensors);
    times_ = chain->op;
    bool regroups = known.associative && known.commutative && type == problem_.statement.lhs.tensor.type() &&
                    (!assign_.op || moves_out(chain->op, 0, *assign_.op, type));
    if (!regroups) return false;
    for (const Expr& operand : chain->operands) {
      if (type_of(operand, problem_.tensors) != type) return false;
      if (operand.as<Number>()) {
        numbers_.push_back(operand.as<Number>()->value);
        continue;
      }
      const Access* access = operand.as<Access>();
      auto stored = access ? inputs.stored.find(access->tensor) : inputs.stored.end();
      if (!access || !operands_.count(access->tensor) || stored == inputs.stored.end()) return false;
      Part part;
      for (const Mode& mode : access->modes) part.indices |= bit(mode.index);
      if (problem_.tensors.at(access->tensor).sparse) {
        part.sparse = part.indices;
        part.density = std::min(1.0, stored->second / std::max(1.0, points(part.indices)));
      }
      factors_.push_back(*access);
      parts_.push_back(part);
    }
    return true;
  }

  /// What a set of factors is as a temporary, or as a factor if it is one that reduces nothing.
  Part part_of(Factors set) const {
    Part out;
    Indices others = result_;
    for (size_t n = 0; n < factors_.size(); n++) {
      if (!(set >> n & 1)) {
        others |= parts_[n].indices;
        continue;
      }
      out.indices |= parts_[n].indices;
      out.sparse |= parts_[n].sparse;
      out.density *= parts_[n].density;
    }
    if (!assign_.op) return out;
    Indices reduced = out.indices & ~others;
    out.indices &= ~reduced;
    if (Indices gone = out.sparse & reduced; gone != 0) {
      out.sparse &= ~reduced;
      out.density = 1 - std::exp(-out.density * points(gone));
      // All of it is there or nothing: one of the others says which.
      if (out.sparse == 0) out.sparse = out.indices & (~out.indices + 1);
    }
    return out;
  }
  /// The same with as many components as walks find, if there are any: patterns have to do with each other.
  Part part_by_walks(Factors set) const {
    Part out = part_of(set);
    if (!walks_ || out.sparse == 0 || problem_.indices.size() > most_variables) return out;
    Universe universe{problem_.indices, std::vector<int>(problem_.indices.size()), {}};
    Query reached{out.sparse, {}};
    for (size_t n = 0; n < factors_.size(); n++) {
      const std::vector<Mode>& modes = factors_[n].modes;
      if (!(set >> n & 1) || parts_[n].sparse == 0) continue;
      if (modes.size() > most_modes) return out;
      Atom atom{static_cast<std::uint8_t>(universe.tensors.size()), static_cast<std::uint8_t>(modes.size()), {}};
      for (size_t d = 0; d < modes.size(); d++)
        atom.vars[d] = static_cast<std::uint8_t>(std::countr_zero(bit(modes[d].index)));
      universe.tensors.push_back(factors_[n].tensor);
      reached.atoms.push_back(atom);
    }
    std::map<std::string, double> extents;
    for (size_t n = 0; n < extents_.size(); n++) {
      extents[problem_.indices[n]] = extents_[n];
      universe.dimensions[n] = static_cast<int>(n);
    }
    std::optional<double> found = walks_->count(reached, universe, extents);
    if (found) out.density = std::min(1.0, *found / std::max(1.0, points(out.sparse)));
    return out;
  }
  double components(const Part& part) const { return points(part.indices) * part.density; }

  /// A factor as it is: reducing it alone would be a temporary.
  bool is_raw(Factors set) const {
    return std::has_single_bit(set) &&
           part_of(set).indices == parts_[static_cast<size_t>(std::countr_zero(set))].indices;
  }
  bool is_worth_storing(Factors set) const {
    // A number is always there.
    bool is_told = part_of(set).indices != 0 || problem_.statement.lhs.tensor.format().stores_all() || !has_gaps(set);
    return !is_raw(set) && components(part_of(set)) <= most_ && is_told && !skips(set);
  }
  bool has_gaps(Factors set) const {
    for (size_t n = 0; n < factors_.size(); n++) {
      if ((set >> n & 1) && problem_.tensors.at(factors_[n].tensor).sparse) return true;
    }
    return false;
  }
  /// Would components that are not stored count in the reduction?
  bool skips(Factors set) const {
    if (!assign_.op) return false;
    Apply product{times_, {}};
    for (size_t n = 0; n < factors_.size(); n++) {
      if (set >> n & 1) product.operands.push_back(factors_[n]);
    }
    Expr part = product.operands.size() == 1 ? product.operands[0] : Expr(product);
    return skipped_terms_count(part, *assign_.op, problem_.tensors);
  }

  static void keep_best(Tree& best, const Tree& other) {
    if (other.tasks < best.tasks) best = other;
  }

  void for_each_partition(Factors set, const std::function<void(const Tree&)>& visit) const {
    std::vector<Factors> parts;
    std::function<void(Factors)> divide = [&](Factors left) {
      if (left == 0) {
        visit({tasks(set, parts), parts});
        return;
      }
      Factors first = left & (~left + 1), rest = left & ~first;
      for (Factors with = rest;; with = (with - 1) & rest) {  // subsets of the rest, from all of it to none
        Factors part = first | with;
        if (part != set || std::has_single_bit(set)) {
          bool is_made = is_raw(part) || std::isfinite(best_[part].tasks);
          if (std::has_single_bit(part) || is_made) {
            parts.push_back(part);
            divide(left & ~part);
            parts.pop_back();
          }
        }
        if (with == 0) break;
      }
    };
    divide(set);
  }

  /// Of making `set` out of parts, with what the parts take.
  double tasks(Factors set, const std::vector<Factors>& parts) const {
    Part all;
    double sum = 0;
    for (Factors part : parts) {
      bool factor = is_factor(part, set);
      Part one = factor ? parts_[static_cast<size_t>(std::countr_zero(part))] : part_of(part);
      if (!factor) sum += best_[part].tasks + components(one);
      all.indices |= one.indices;
      all.sparse |= one.sparse;
      all.density *= one.density;
    }
    bool has_lanes = (all.indices & ~all.sparse) != 0;
    sum += components(all) * (has_lanes ? in_lanes : 1);
    Part made = part_of(set);
    bool is_result = set == (Factors{1} << factors_.size()) - 1;
    if (!is_result) sum += to_store_sparse * points(made.sparse) * made.density + to_store_dense * components(made);
    return sum;
  }
  /// Is a part read as the operand that it is?  One that reduces is a temporary, if that was worth it.
  bool is_factor(Factors part, Factors set) const {
    return is_raw(part) || (std::has_single_bit(part) && (part == set || !std::isfinite(best_[part].tasks)));
  }

  // --- Statements ---------------------------------------------------------------------------------

  struct Made {
    Split split;
    FreshNames names;
  };

  Split made(const Tree& root, Factors all) const {
    Made out;
    for (const auto& [name, tensor] : problem_.tensors) out.names.use(name);
    for (const std::string& index : problem_.indices) out.names.use(index);
    out.split.guess = root.tasks;
    notation::Expr rhs = product(root, all, out);
    for (const Scalar& number : numbers_)
      rhs = notation::Apply{times_, {rhs, notation::Expr(notation::Literal{number})}};
    Indices reduced = 0;
    for (Factors part : root.parts) reduced |= indices_of(part, all);
    notation::Statement last = problem_.statement;
    last.rhs = reduction(reduced & ~result_, rhs);
    out.split.statements.push_back(last);
    return out.split;
  }

  Indices indices_of(Factors part, Factors set) const {
    return is_factor(part, set) ? parts_[static_cast<size_t>(std::countr_zero(part))].indices : part_of(part).indices;
  }

  std::vector<IndexVar> variables(Indices indices) const {
    std::vector<IndexVar> out;
    for (; indices != 0; indices &= indices - 1)
      out.push_back(problem_.variables.at(problem_.indices[static_cast<size_t>(std::countr_zero(indices))]));
    return out;
  }

  notation::Expr reduction(Indices over, const notation::Expr& body) const {
    if (over == 0 || !assign_.op) return body;
    return notation::Reduce{*assign_.op, variables(over), body};
  }

  notation::Expr product(const Tree& tree, Factors set, Made& out) const {
    std::optional<notation::Expr> all;
    for (Factors part : tree.parts) {
      notation::Expr one = is_factor(part, set) ? factor(part) : temporary(part, out);
      all = all ? notation::Expr(notation::Apply{times_, {*all, one}}) : one;
    }
    return *all;
  }

  notation::Expr factor(Factors part) const {
    const Access& access = factors_[static_cast<size_t>(std::countr_zero(part))];
    std::vector<IndexVar> indices;
    for (const Mode& mode : access.modes) indices.push_back(problem_.variables.at(mode.index));
    return notation::Access{operands_.at(access.tensor), indices};
  }

  notation::Expr temporary(Factors set, Made& out) const {
    const Tree& tree = best_[set];
    notation::Expr body = product(tree, set, out);
    Indices all = 0;
    for (Factors part : tree.parts) all |= indices_of(part, set);
    Part made = part_by_walks(set);
    notation::Expr rhs = reduction(all & ~made.indices, body);
    std::vector<IndexVar> indices = variables(made.sparse), dense = variables(made.indices & ~made.sparse);
    size_t sparse_count = indices.size();
    indices.insert(indices.end(), dense.begin(), dense.end());
    std::string name = out.names.make("w");
    notation::Statement statement{
        {TensorVar(name, rhs.type(), format(made, sparse_count, indices.size())), indices}, std::nullopt, rhs};
    TensorVar tensor(name, rhs.type(), statement.lhs.tensor.format(), notation::result_fill(statement));
    statement.lhs.tensor = tensor;
    out.split.stored[name] = std::max(1.0, components(made));
    out.split.statements.push_back(statement);
    return notation::Access{tensor, indices};
  }

  /// What has gaps first: a flag for each place where most are there, else lists.
  Format format(const Part& part, size_t sparse, size_t order) const {
    constexpr double many = 0.1, few_rows = 0.25;
    std::vector<Level> levels;
    double rows = sparse > 1 ? points(part.sparse) / extents_[static_cast<size_t>(std::bit_width(part.sparse) - 1)] : 1;
    bool flags = part.density >= many,
         is_full_of_rows = sparse == 2 && points(part.sparse) * part.density > few_rows * rows;
    for (size_t d = 0; d < order; d++) {
      level::FormatPtr level = level::dense();
      if (d < sparse) {
        bool last = d + 1 == sparse;
        level = flags ? (last ? level::bitmap() : level::dense())
                      : (!last && is_full_of_rows ? level::dense() : level::compressed());
      }
      levels.push_back({static_cast<int>(d), level});
    }
    return levels.empty() ? Format() : Format(levels);
  }

  const Problem& problem_;
  const Assign& assign_;
  std::vector<double> extents_;  // by index
  std::map<std::string, TensorVar> operands_;
  Indices result_ = 0;
  double most_ = 0;
  std::shared_ptr<const Walks> walks_;
  bool is_product_ = false;
  Operator times_ = Operator::Multiply;
  std::vector<Scalar> numbers_;
  std::vector<Access> factors_;
  std::vector<Part> parts_;  // by factor
  std::vector<Tree> best_;   // by set of factors: how it is best made as a temporary
};

notation::Expr with_access(const notation::Expr& expr, const TensorVar& tensor, const std::vector<size_t>& order) {
  if (const notation::Access* access = expr.as<notation::Access>(); access && access->tensor.name() == tensor.name()) {
    notation::Access out{tensor, {}};
    for (size_t d : order) out.indices.push_back(access->indices[d]);
    return out;
  }
  return notation::map_children(expr, [&](const notation::Expr& child) { return with_access(child, tensor, order); });
}

/// The same levels with lists of rows instead of a place for each row, or the other way round, if there are rows.
std::optional<Format> with_other_rows(std::vector<Level> levels, size_t sparse) {
  if (sparse == 1 && levels.size() > 1) {  // flags, or lists
    levels[0].format = levels[0].format->locate() ? level::compressed() : level::bitmap();
    return Format(levels);
  }
  if (sparse < 2 || level::is_always_found(*levels[sparse - 1].format) || levels[sparse - 1].format->locate())
    return std::nullopt;
  levels[0].format = level::is_always_found(*levels[0].format) ? level::compressed() : level::dense();
  return Format(levels);
}

Split changed(const Split& split, size_t n, const std::vector<size_t>& order, const Format& format) {
  Split out = split;
  notation::Access& written = out.statements[n].lhs;
  TensorVar tensor(written.tensor.name(), written.tensor.type(), format, written.tensor.fill());
  for (size_t k = n + 1; k < out.statements.size(); k++)
    out.statements[k].rhs = with_access(out.statements[k].rhs, tensor, order);
  notation::Access lhs{tensor, {}};
  for (size_t d : order) lhs.indices.push_back(written.indices[d]);
  written = lhs;
  return out;
}

}  // namespace

std::vector<Split> splits(const Problem& problem, const KnownInputs& inputs, size_t most) {
  constexpr size_t most_indices = 16;
  if (!problem.body.assign || problem.indices.size() > most_indices) return {};
  return Contractor(problem, inputs)(most);
}

std::vector<Split> variants(const Split& split, size_t n, size_t most) {
  const notation::Access& written = split.statements[n].lhs;
  std::vector<size_t> order(written.indices.size());
  for (size_t d = 0; d < order.size(); d++) order[d] = d;
  const std::vector<Level>& levels = written.tensor.format().levels();
  size_t sparse = levels.size();
  while (sparse > 0 && level::is_always_found(*levels[sparse - 1].format)) sparse--;
  auto middle = order.begin() + static_cast<std::ptrdiff_t>(sparse);
  std::vector<Format> formats = {written.tensor.format()};
  if (std::optional<Format> other = with_other_rows(levels, sparse)) formats.push_back(*other);
  std::vector<Split> out;
  bool is_first = true;
  do {
    for (const Format& format : formats) {
      if (!is_first && out.size() < most) out.push_back(changed(split, n, order, format));
      is_first = false;
    }
  } while (std::next_permutation(order.begin(), middle) || std::next_permutation(middle, order.end()));
  return out;
}

}  // namespace filigree::autoschedule
