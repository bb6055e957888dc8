#include "concrete/meeting.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

using Values = std::map<IndexVar, std::int64_t>;
constexpr std::int64_t coordinates = 4;  // of each variable that are tried
constexpr size_t most_variables = 4;

class Search {
 public:
  Search(const IndexVar& var, const Assign& assign, const Program& program)
      : var_(var), assign_(assign), environment_(program.environment) {
    for_each(program.statement, [&](const Stmt& s) {
      if (const Forall* forall = s.as<Forall>()) loops_.insert(forall->var);
    });
  }

  std::optional<std::string> operator()() {
    add_base(var_);
    for (const IndexVar& index : assign_.lhs.indices) add_base(index);
    if (!known_ || base_.size() > most_variables) return std::nullopt;
    if (std::optional<std::string> shared = shared_by_pieces()) return shared;
    std::map<std::vector<std::int64_t>, Values> first;
    std::int64_t count = 1;
    for (size_t n = 0; n < base_.size(); n++) count *= coordinates;
    for (std::int64_t number = 0; number < count; number++) {
      Values point = values_of(number);
      std::optional<std::vector<std::int64_t>> component = component_at(point);
      if (!component) continue;
      auto [known, is_new] = first.insert({*component, point});
      if (!is_new && known->second.at(var_) != point.at(var_)) return describe(known->second, point, *component);
    }
    return stored_twice();
  }

 private:
  const Derivation* derivation_of(const IndexVar& var) const {
    auto found = std::find_if(environment_.derivations.begin(), environment_.derivations.end(),
                              [&](const Derivation& derivation) { return derivation.var == var; });
    return found == environment_.derivations.end() ? nullptr : &*found;
  }

  /// The loops that the variable follows from.
  void add_base(const IndexVar& var, int depth = 0) {
    if (std::find(base_.begin(), base_.end(), var) != base_.end()) return;
    const Derivation* derivation = loops_.count(var) ? nullptr : derivation_of(var);
    if (!derivation) return base_.push_back(var);
    known_ = known_ && !derivation->as<AtPoint>() && depth < 8;
    if (!known_) return;
    for (const IndexVar& source : derivation->sources()) add_base(source, depth + 1);
  }

  /// Pieces of several loops end anywhere, and so may go on with what the one before them began.
  std::optional<std::string> shared_by_pieces() const {
    for (const PieceLoop& cut : environment_.piece_loops) {
      if (cut.var != var_) continue;
      for (const IndexVar& loop : cut.loops) {
        if (std::find(base_.begin(), base_.end(), loop) == base_.end()) continue;
        return fmt::format("a piece may end within one '{0}', and the next goes on with the same '{0}'", loop.name());
      }
    }
    return std::nullopt;
  }

  /// A loop over what is stored comes by a coordinate as often as it is there.
  std::optional<std::string> stored_twice() const {
    for (const Access& access : notation::accesses(assign_.rhs)) {
      for (const Level& level : access.tensor.format().levels()) {
        if (access.indices[static_cast<size_t>(level.dimension())] != var_ || level.format->properties().unique) continue;
        return fmt::format("'{0}' may store the same '{1}' at several positions, such as 0 and 1: both write {2} where "
                           "{1} = 0",
                           access.tensor.name(), var_.name(), notation::to_string(assign_.lhs));
      }
    }
    return std::nullopt;
  }

  /// The last variable runs fastest.
  Values values_of(std::int64_t number) const {
    Values out;
    for (size_t n = base_.size(); n-- > 0;) {
      out[base_[n]] = number % coordinates;
      number /= coordinates;
    }
    return out;
  }

  std::optional<std::int64_t> value_of(const IndexVar& var, const Values& point) const {
    if (auto known = point.find(var); known != point.end()) return known->second;
    const Derivation* derivation = derivation_of(var);
    if (!derivation) return std::nullopt;
    relation::Facts facts;
    facts.value = [&](const IndexVar& source) { return value_of(source, point); };
    return relation::evaluate(value(*derivation), facts);
  }

  std::optional<std::vector<std::int64_t>> component_at(const Values& point) const {
    std::vector<std::int64_t> out;
    for (const IndexVar& index : assign_.lhs.indices) {
      std::optional<std::int64_t> at = value_of(index, point);
      if (!at || *at < 0) return std::nullopt;
      out.push_back(*at);
    }
    return out;
  }

  std::string describe(const Values& a, const Values& b, const std::vector<std::int64_t>& component) const {
    std::vector<std::string> at, same, first, second;
    for (std::int64_t coordinate : component) at.push_back(std::to_string(coordinate));
    for (const IndexVar& var : base_) {
      if (var == var_) continue;
      if (a.at(var) == b.at(var)) same.push_back(fmt::format("{} = {}", var.name(), a.at(var)));
      else {
        first.push_back(fmt::format("{} = {}", var.name(), a.at(var)));
        second.push_back(fmt::format("{} = {}", var.name(), b.at(var)));
      }
    }
    auto with = [](const std::vector<std::string>& others) {
      return others.empty() ? "" : fmt::format(" (with {})", join(others, ", "));
    };
    std::string text = fmt::format("{0} = {1}{2} and {0} = {3}{4} both write {5}", var_.name(), a.at(var_), with(first),
                                   b.at(var_), with(second), assign_.lhs.tensor.name());
    if (!at.empty()) text += "(" + join(at, ",") + ")";
    return same.empty() ? text : text + ", where " + join(same, ", ");
  }

  const IndexVar& var_;
  const Assign& assign_;
  const Environment& environment_;
  std::set<IndexVar> loops_;
  std::vector<IndexVar> base_;
  bool known_ = true;
};

}  // namespace

std::optional<std::string> meeting(const IndexVar& var, const Assign& assign, const Program& program) {
  return Search(var, assign, program)();
}

}  // namespace filigree::concrete
