#include "compiler/plan_sizes.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "notation/extents.h"
#include "support/match.h"
#include "support/text.h"
#include "tensor/compose.h"
#include "tensor/size.h"

namespace filigree::compiler {
namespace {

using concrete::Access;
using concrete::Environment;

/// Of tensors that are given or made, and of windows into them.
std::vector<Access> accesses_of(const plan::Plan& plan) {
  std::vector<Access> all;
  concrete::for_each(plan.program.statement, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign) return;
    all.push_back(assign->lhs);
    for (const Access& access : notation::accesses(assign->rhs)) all.push_back(access);
  });
  for (const auto& [window, shown] : plan.program.environment.windows) all.push_back(shown);
  return all;
}

/// Sizes follow as those of a statement do, which has the tensors of the plan at the same indices.
class Sizes {
 public:
  Sizes(const plan::Plan& plan, const std::map<std::string, std::vector<std::int64_t>>& dimensions,
        const std::map<std::string, std::int64_t>& extents)
      : plan_(plan), environment_(plan.program.environment), given_(extents) {
    for (const auto* tensors : {&plan.program.results, &plan.program.operands}) {
      for (const TensorVar& tensor : *tensors) {
        TensorVar outside = outside_of(plan, tensor);
        outside_.insert({tensor, outside});
        std::vector<std::int64_t> sizes(static_cast<size_t>(outside.order()), -1);
        auto known = dimensions.find(tensor.name());
        if (known != dimensions.end()) {
          if (known->second.size() != sizes.size())
            throw UserError(fmt::format("'{}' has {}, but its plan has {}", tensor.name(),
                                        counted(static_cast<long long>(known->second.size()), "dimension"),
                                        sizes.size()));
          sizes = known->second;
        }
        dimensions_.insert({outside, sizes});
      }
    }
    for (const Access& access : accesses_of(plan)) add(access);
  }

  std::vector<notation::Statement> statements() const {
    std::vector<notation::Statement> all;
    for (const TensorVar& result : plan_.program.results) {
      auto indices = indices_.find(outside_.at(result));
      if (indices == indices_.end()) continue;
      notation::Expr right{notation::Literal{Scalar::of(ElementType::Int64, std::int64_t{0})}};
      for (const Access& access : right_)
        right = notation::Expr(notation::Apply{Operator::Add, {right, notation::Expr(access)}});
      all.push_back({{outside_.at(result), indices->second}, std::nullopt, right});
    }
    return all;
  }

  PlanSizes find() {
    for (const notation::Statement& statement : statements()) infer(statement);
    // Variables that are not in the statement, but as long as dimensions that are.
    for (const auto& [var, extent] : environment_.extents) {
      const concrete::OfDimension* of = std::get_if<concrete::OfDimension>(&extent);
      if (!of) continue;
      std::optional<std::int64_t> size = size_of(outside_.at(of->tensor), static_cast<size_t>(of->dimension));
      if (size) set(var, *size);
      if (!extents_.count(var)) throw unknown(var.name(), fmt::format("{}:100", var.name()));
    }
    std::map<IndexVar, std::int64_t> own;
    for (const auto& [var, extent] : extents_) {
      auto known = environment_.extents.find(var);
      if (known != environment_.extents.end() && !std::holds_alternative<relation::RangeFormulas>(known->second))
        own.insert({var, extent});
    }
    PlanSizes sizes;
    sizes.extents = concrete::all_extents(environment_, own);
    extents_.insert(sizes.extents.begin(), sizes.extents.end());
    for (const auto& [tensor, outside] : outside_) {
      std::vector<std::int64_t>& out = sizes.dimensions[tensor.name()];
      for (int d = 0; d < outside.order(); d++) {
        std::optional<std::int64_t> size = size_of(outside, static_cast<size_t>(d));
        if (!size)
          throw unknown(fmt::format("dimension {} of {}", d + 1, tensor.name()),
                        fmt::format("{}:10,20", tensor.name()));
        out.push_back(*size);
      }
    }
    return sizes;
  }

 private:
  void add(const Access& access) {
    auto outside = outside_.find(access.tensor);
    if (outside == outside_.end()) return;
    Access seen{outside->second, access.indices};
    if (auto stored = plan_.stored.find(access.tensor); stored != plan_.stored.end())
      seen.indices = stored->second.indices;
    if (static_cast<int>(seen.indices.size()) != outside->second.order()) return;
    for (IndexVar& index : seen.indices) {
      IndexVar like = concrete::same_extent(environment_, index);  // loops that copy have variables of their own
      if (like.map()) index = like;
    }
    indices_.insert({outside->second, seen.indices});
    bool is_result = std::find(plan_.program.results.begin(), plan_.program.results.end(), access.tensor) !=
                     plan_.program.results.end();
    if (!is_result) right_.push_back(seen);
  }

  void infer(const notation::Statement& statement) {
    std::map<IndexVar, std::int64_t> said;
    for (const IndexVar& var : notation::index_vars(statement)) {
      auto extent = given_.find(var.name());
      if (extent != given_.end() && !var.map()) said[var] = extent->second;
    }
    for (const auto& [var, extent] : notation::infer_extents(statement, dimensions_, said)) set(var, extent);
  }

  void set(const IndexVar& var, std::int64_t extent) {
    auto [known, is_new] = extents_.insert({var, extent});
    if (!is_new && known->second != extent)
      throw UserError(fmt::format("'{}' has {} coordinates in one place of the plan and {} in another", var.name(),
                                  known->second, extent));
  }

  /// A dimension that nothing tells is as large as what its index can be.
  std::optional<std::int64_t> size_of(const TensorVar& outside, size_t dimension) const {
    std::int64_t known = dimensions_.at(outside)[dimension];
    if (known >= 0) return known;
    auto indices = indices_.find(outside);
    if (indices == indices_.end()) return std::nullopt;
    auto extent = extents_.find(indices->second[dimension]);
    return extent == extents_.end() ? std::nullopt : std::optional(extent->second);
  }

  static UserError unknown(const std::string& what, const std::string& example) {
    return std::move(UserError(fmt::format("The size of '{}' is unknown: no operand tells it", what)))
        .hint("give it among the sizes of the run", fmt::format("give it, as in -d {}", example));
  }

  const plan::Plan& plan_;
  const Environment& environment_;
  std::map<std::string, std::int64_t> given_;
  std::map<TensorVar, TensorVar> outside_;
  std::map<TensorVar, std::vector<std::int64_t>> dimensions_;  // of what is outside; negative: not known
  std::map<TensorVar, std::vector<IndexVar>> indices_;         // the same
  std::vector<Access> right_;
  std::map<IndexVar, std::int64_t> extents_;
};

/// Whether a plan's numbers are true.
class Checks {
 public:
  Checks(const plan::Plan& plan, const PlanSizes& sizes)
      : plan_(plan), environment_(plan.program.environment), sizes_(sizes) {}

  void operator()() const {
    for (const auto& [var, extent] : sizes_.extents) {
      if (extent < 0) throw UserError(fmt::format("'{}' would have {} coordinates", var.name(), extent));
    }
    for (const Access& access : accesses_of(plan_)) check_access(access);
    for (const concrete::Derivation& derivation : environment_.derivations) check_derivation(derivation);
    for (const concrete::ExtentBound& bound : environment_.bounds) {
      auto extent = sizes_.extents.find(bound.var);
      if (extent != sizes_.extents.end() && !concrete::holds(bound, extent->second))
        throw UserError(
            fmt::format("The plan says that {}, but it has {}", concrete::to_string(bound), extent->second));
    }
    for (const concrete::PieceLoop& cut : environment_.piece_loops) check_points(cut);
    for (const concrete::FlatLoop& flat : environment_.flat_loops) check_points(flat);
  }

 private:
  using Range = relation::Range;

  relation::Facts facts() const {
    relation::Facts facts;
    facts.extent = [this](const IndexVar& var) -> std::optional<std::int64_t> {
      auto found = sizes_.extents.find(var);
      return found == sizes_.extents.end() ? std::nullopt : std::optional(found->second);
    };
    return facts;
  }

  std::optional<Range> range_of(const IndexVar& var) const {
    auto extent = sizes_.extents.find(var);
    std::optional<std::int64_t> origin = relation::evaluate(concrete::origin(environment_, var), facts());
    if (extent == sizes_.extents.end() || !origin) return std::nullopt;
    return Range{*origin, extent->second};
  }

  void check_access(const Access& access) const {
    auto dimensions = sizes_.dimensions.find(access.tensor.name());
    const std::vector<TensorVar>&results = plan_.program.results, &operands = plan_.program.operands;
    bool is_outside = std::find(results.begin(), results.end(), access.tensor) != results.end() ||
                      std::find(operands.begin(), operands.end(), access.tensor) != operands.end();
    if (!is_outside || dimensions == sizes_.dimensions.end()) return;
    auto stored = plan_.stored.find(access.tensor);
    const Format* format = stored == plan_.stored.end() ? nullptr : &stored->second.format;
    bool is_made = std::find(results.begin(), results.end(), access.tensor) != results.end();
    if (plan_.program.made && is_made) format = &*plan_.program.made;
    for (size_t d = 0; d < access.indices.size(); d++) {
      std::optional<Range> wanted = Range{0, 0};
      if (format && !format->is_plain()) wanted = relation::range(format->levels()[d].coordinate, dimensions->second);
      else wanted->extent = dimensions->second[d];
      std::optional<Range> own = range_of(access.indices[d]);
      if (!wanted || !own) continue;  // a counter
      if (own->origin != wanted->origin || own->extent != wanted->extent)
        throw UserError(
            fmt::format("'{}' runs from {} to before {} in the plan, but index {} of '{}' from {} to before {}",
                        access.indices[d].name(), own->origin, own->origin + own->extent, d + 1, access.tensor.name(),
                        wanted->origin, wanted->origin + wanted->extent))
            .hint("change how far it goes in the plan's text, or give tensors of other sizes");
    }
  }

  // --- Values that follow from others ----------------------------------------------------------------

  __extension__ typedef __int128 Wide;
  struct Values {
    Wide least, most;
  };

  std::optional<Values> values_of(const relation::Sum& sum) const {
    Values values{sum.offset, sum.offset};
    for (const auto& [var, factor] : sum.terms) {
      std::optional<Range> range = range_of(var);
      if (!range) return std::nullopt;
      Wide first = Wide(factor) * range->origin, last = Wide(factor) * (Wide(range->origin) + range->extent - 1);
      values.least += std::min(first, last);
      values.most += std::max(first, last);
    }
    return values;
  }

  std::optional<Values> values_of(const concrete::Derivation& derivation) const {
    return match_variant(
        derivation.from, [&](const relation::Sum& sum) { return values_of(sum); },
        [&](const relation::DigitsOf<IndexVar>& digits) -> std::optional<Values> {
          std::optional<Range> range = range_of(digits.whole);
          if (!range) return std::nullopt;
          auto floored = [&](Wide value) { return (value < 0 ? value - digits.divisor + 1 : value) / digits.divisor; };
          Values values{floored(range->origin), floored(Wide(range->origin) + range->extent - 1)};
          bool wraps = digits.modulus > 0 && (values.least < 0 || values.most >= digits.modulus);
          return wraps ? Values{0, digits.modulus - 1} : values;
        },
        [&](const relation::Entry& entry) -> std::optional<Values> {
          std::optional<Values> number = values_of(entry.number);
          if (!number) return std::nullopt;
          bool is_inside = number->least >= 0 && number->most < static_cast<Wide>(entry.list.size());
          if (!is_inside && number->least <= number->most)
            throw UserError(fmt::format("'{}' would be entry {} of a list of {}", derivation.var.name(),
                                        static_cast<std::int64_t>(number->least < 0 ? number->least : number->most),
                                        counted(static_cast<long long>(entry.list.size()), "entry", "entries")));
          auto [least, most] = std::minmax_element(entry.list.begin(), entry.list.end());
          return Values{*least, *most};
        },
        [](const concrete::AtPoint&) -> std::optional<Values> { return std::nullopt; });
  }

  void check_derivation(const concrete::Derivation& derivation) const {
    std::optional<Values> values = values_of(derivation);
    std::optional<Range> range = range_of(derivation.var);
    for (const IndexVar& source : derivation.sources()) {
      if (auto extent = sizes_.extents.find(source); extent != sizes_.extents.end() && extent->second == 0) return;
    }
    if (!values || !range) return;
    constexpr Wide most = Wide(1) << 62;
    if (values->least < -most || values->most > most)
      throw UserError(fmt::format("'{}' would not fit in 64 bits", derivation.var.name()));
    bool is_inside = values->least >= range->origin && values->most < Wide(range->origin) + range->extent;
    bool is_padded = derivation.var.map() && derivation.var.map()->padded;  // reads look whether it is inside
    if (is_inside || derivation.guarded || is_padded || is_recovered(derivation)) return;
    throw UserError(fmt::format("'{}' would be from {} to {}, but runs from {} to before {}: {}", derivation.var.name(),
                                static_cast<std::int64_t>(values->least), static_cast<std::int64_t>(values->most),
                                range->origin, range->origin + range->extent, concrete::to_string(derivation)))
        .hint("write 'guarded' behind it: then there is nothing to do outside");
  }

  /// Do the levels of a tensor tell it, which store nothing outside?
  bool is_recovered(const concrete::Derivation& derivation) const {
    const relation::Sum* sum = derivation.as<relation::Sum>();
    if (!sum || sum->offset != 0) return false;
    for (const Access& access : accesses_of(plan_)) {
      auto stored = plan_.stored.find(access.tensor);
      if (stored == plan_.stored.end()) continue;
      const std::vector<TensorVar>& results = plan_.program.results;
      bool is_made = plan_.program.made && std::find(results.begin(), results.end(), access.tensor) != results.end();
      const Format& format = is_made ? *plan_.program.made : stored->second.format;
      if (format.is_plain()) continue;
      for (const relation::Recovered& r : relation::recover(format.coordinates(), format.order())) {
        if (r.exact && is_same(*sum, r, access, format)) return true;
      }
    }
    return false;
  }
  /// Dimensions that are recovered from others are whatever variables a level or the sum has for them.
  static bool is_same(const relation::Sum& sum, const relation::Recovered& recovered, const Access& access,
                      const Format& format) {
    using From = relation::Recovered::Term::From;
    if (sum.terms.size() != recovered.terms.size()) return false;
    for (size_t n = 0; n < sum.terms.size(); n++) {
      const relation::Recovered::Term& term = recovered.terms[n];
      if (term.factor != sum.terms[n].factor) return false;
      if (term.from == From::Level && !(access.indices[static_cast<size_t>(term.number)] == sum.terms[n].var))
        return false;
      if (term.from != From::Dimension) continue;
      for (int l = 0; l < format.level_count(); l++) {
        std::optional<int> plain = format.levels()[static_cast<size_t>(l)].coordinate.plain();
        if (plain == term.number && !(access.indices[static_cast<size_t>(l)] == sum.terms[n].var)) return false;
      }
    }
    return true;
  }

  /// So many points that numbers of them fit.
  void check_points(const concrete::Points& points) const {
    if (points.positions) return;
    Wide all = 1;
    for (const IndexVar& loop : points.loops) {
      auto extent = sizes_.extents.find(loop);
      if (extent == sizes_.extents.end()) return;
      all *= extent->second;
      if (all >= Wide(1) << 62)
        throw UserError("The loops over " + names_of(points.loops) + " have more points together than can be numbered");
    }
  }
  static std::string names_of(const std::vector<IndexVar>& loops) {
    std::vector<std::string> names;
    for (const IndexVar& loop : loops) names.push_back("'" + loop.name() + "'");
    return join(names, ", ");
  }

  const plan::Plan& plan_;
  const Environment& environment_;
  const PlanSizes& sizes_;
};

}  // namespace

TensorVar outside_of(const plan::Plan& plan, const TensorVar& tensor) {
  auto stored = plan.stored.find(tensor);
  if (stored != plan.stored.end()) return TensorVar(tensor.name(), tensor.type(), stored->second.format, tensor.fill());
  std::optional<Format> whole = decompose(tensor.format());
  return whole ? TensorVar(tensor.name(), tensor.type(), *whole, tensor.fill()) : tensor;
}

std::vector<notation::Statement> like(const plan::Plan& plan) { return Sizes(plan, {}, {}).statements(); }

PlanSizes find_sizes(const plan::Plan& plan, const std::map<std::string, std::vector<std::int64_t>>& dimensions,
                     const std::map<std::string, std::int64_t>& extents) {
  return Sizes(plan, dimensions, extents).find();
}

void check_sizes(const plan::Plan& plan, const PlanSizes& sizes) { Checks(plan, sizes)(); }

}  // namespace filigree::compiler
