#include "autoschedule/components.h"

#include <algorithm>

#include "autoschedule/choose.h"
#include "notation/substitute.h"

namespace filigree::autoschedule {
namespace {

/// Operands that have to be there together; and the same for several such products, any of which will do.
using Together = std::vector<notation::Access>;
using Any = std::vector<Together>;

/// More are cut off: the sum is an estimate anyway.
constexpr size_t most_products = 16;

Any with_each(const Any& a, const Any& b) {
  Any out;
  for (const Together& one : a) {
    for (const Together& other : b) {
      Together both = one;
      both.insert(both.end(), other.begin(), other.end());
      if (out.size() < most_products) out.push_back(std::move(both));
    }
  }
  return out;
}

/// Is nothing left where all of an operand is absent?
bool annihilates(const notation::Apply& apply, const notation::Expr& operand) {
  std::vector<notation::Access> own = notation::accesses(operand);
  bool has_gaps = std::any_of(own.begin(), own.end(), [](const auto& access) { return access.tensor.may_be_absent(); });
  if (!has_gaps) return false;
  notation::Expr left = notation::substitute_fill(notation::Expr(apply), [&](const notation::Access& access) {
    return access.tensor.may_be_absent() && std::find(own.begin(), own.end(), access) != own.end();
  });
  return notation::accesses(left).empty();
}

/// When something is there.
Any presence(const notation::Expr& expr) {
  return match(
      expr, [](const notation::Literal&) { return Any{{}}; },
      [](const notation::Access& n) { return n.tensor.may_be_absent() ? Any{{n}} : Any{{}}; },
      [](const notation::Coordinate&) { return Any{{}}; },
      [](const notation::Apply& n) {
        Any all = {{}}, any;
        bool has_all = false;
        for (const notation::Expr& operand : n.operands) {
          Any own = presence(operand);
          if (annihilates(n, operand)) all = with_each(all, own), has_all = true;
          else if (!notation::accesses(operand).empty()) any.insert(any.end(), own.begin(), own.end());
        }
        if (has_all || any.empty()) return all;
        any.resize(std::min(any.size(), most_products));
        return any;
      },
      [](const notation::Reduce& n) { return presence(n.body); });
}

class Counter {
 public:
  Counter(const notation::Statement& statement, const KnownInputs& inputs) : statement_(statement), inputs_(inputs) {
    sizes_.stored = inputs.stored;
    sizes_.walks = inputs.walks;
    for (const IndexVar& var : statement.lhs.indices) number(var);
    head_ = (std::uint32_t{1} << universe_.indices.size()) - 1;
    for (const IndexVar& var : notation::index_vars(statement)) number(var);
    for (const notation::Access& access : notation::accesses(statement.rhs)) note(access);
  }

  double operator()() {
    double all = 1, sum = 0;
    for (const IndexVar& var : statement_.lhs.indices) all *= extent(var);
    if (statement_.lhs.tensor.format().stores_all() || !is_told_) return all;
    for (const Together& product : presence(statement_.rhs)) {
      Query query{head_, {}};
      for (const notation::Access& access : product) query.atoms.push_back(atom(access));
      sum += estimate(query, universe_, sizes_);
    }
    return std::min(all, sum);
  }

 private:
  double extent(const IndexVar& var) const {
    auto found = inputs_.extents.find(var);
    return found == inputs_.extents.end() ? 1 : static_cast<double>(found->second);
  }

  void number(const IndexVar& var) {
    if (var.map() || numbers_.size() >= most_variables) {
      is_told_ = is_told_ && !var.map() && numbers_.count(var) > 0;
      return;
    }
    if (!numbers_.emplace(var, static_cast<std::uint8_t>(numbers_.size())).second) return;
    universe_.indices.push_back(std::to_string(numbers_.size()));
    universe_.dimensions.push_back(static_cast<int>(universe_.dimensions.size()));
    sizes_.extents[universe_.indices.back()] = extent(var);
  }

  void note(const notation::Access& access) {
    if (!access.tensor.may_be_absent()) return;
    bool fits = access.indices.size() <= most_modes && inputs_.stored.count(access.tensor.name()) > 0 &&
                std::all_of(access.indices.begin(), access.indices.end(),
                            [&](const IndexVar& var) { return numbers_.count(var) > 0; });
    is_told_ = is_told_ && fits && universe_.tensors.size() < 32;
    bool is_known = std::find(universe_.tensors.begin(), universe_.tensors.end(), access.tensor.name()) !=
                    universe_.tensors.end();
    if (!is_told_ || is_known) return;
    universe_.tensors.push_back(access.tensor.name());
    universe_.sunk.push_back({0, {atom(access)}});
  }

  Atom atom(const notation::Access& access) const {
    Atom out;
    const std::vector<std::string>& tensors = universe_.tensors;
    out.tensor = static_cast<std::uint8_t>(std::find(tensors.begin(), tensors.end(), access.tensor.name()) -
                                           tensors.begin());
    out.order = static_cast<std::uint8_t>(access.indices.size());
    for (size_t d = 0; d < access.indices.size(); d++) out.vars[d] = numbers_.at(access.indices[d]);
    return out;
  }

  const notation::Statement& statement_;
  const KnownInputs& inputs_;
  Universe universe_;
  InputSizes sizes_;
  std::map<IndexVar, std::uint8_t> numbers_;
  std::uint32_t head_ = 0;
  bool is_told_ = true;
};

}  // namespace

double components_of(const notation::Statement& statement, const KnownInputs& inputs) {
  return std::max(1.0, Counter(statement, inputs)());
}

}  // namespace filigree::autoschedule
