#include "polyhedral/use_layout.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "layouts/pack.h"
#include "layouts/points.h"
#include "polyhedral/prove.h"
#include "polyhedral/solver.h"
#include "support/text.h"
#include "tensor/named_format.h"

namespace filigree::polyhedral {
namespace {

using layouts::Layout;
using layouts::LevelPlan;
using layouts::Levels;
using layouts::Usable;

/// Orders of more dimensions are too many to try.
constexpr int most_tried = 4;

/// The better, the less there is to search for and to test.
int worth(const Levels& levels) {
  int sum = 0;
  for (const LevelPlan& plan : levels.levels) {
    bool sorted = plan.properties.ordered == level::Ordered::Increasing && plan.properties.unique;
    sum += plan.is_located() ? 8 : sorted ? 7 : plan.properties.unique ? 4 : 1;
    sum -= static_cast<int>(plan.tests.size() + plan.inside.size());
    sum += plan.searchable;
  }
  return sum;
}

/// The order of dimensions in which the layout is best used; nothing if there is none, and why.
std::optional<Usable> best_order(const Layout& layout, std::string& reason) {
  if (layout.terms.size() > 1) {
    reason = "it has several relations";
    return std::nullopt;
  }
  std::vector<int> order(static_cast<size_t>(layout.order()));
  std::iota(order.begin(), order.end(), 0);
  std::optional<Usable> best;
  int best_worth = 0;
  const int good = 7 * layout.order();  // everything is looked up, or sorted
  do {
    std::string why;
    std::optional<Levels> levels = layouts::plan_levels(layout, order, prover(), why);
    if (levels && (!best || worth(*levels) > best_worth)) {
      best_worth = worth(*levels);
      best = Usable{layout, order, *levels, false};
    }
    if (reason.empty()) reason = why;
  } while (best_worth < good && layout.order() <= most_tried && std::next_permutation(order.begin(), order.end()));
  return best;
}

std::string describe(const LevelPlan& plan, const Layout& layout) {
  std::string at = layout.terms[0].logical[static_cast<size_t>(plan.dimension)];
  if (plan.is_located()) {
    std::vector<std::string> solved;
    for (const layouts::Solution& s : plan.located) solved.push_back(to_string(s.atom) + " = " + to_string(s.value));
    return fmt::format("'{}' is looked up: {}", at, join(solved, ", "));
  }
  std::vector<std::string> facts;
  if (plan.properties.ordered == level::Ordered::Increasing) facts.push_back("increase");
  if (plan.properties.ordered == level::Ordered::Decreasing) facts.push_back("decrease");
  if (plan.properties.unique) facts.push_back("occur once");
  std::string proven = facts.empty() ? "nothing is proven of its coordinates"
                                     : "proven: its coordinates " + join(facts, " and ");
  if (plan.follows) return fmt::format("'{}' follows from what is above", at);
  std::vector<std::string> walked;
  for (const layouts::Walked& w : plan.walked) walked.push_back("'" + w.variable + "'");
  return fmt::format("'{}' is walked over {}; {}", at, join(walked, " and "), proven);
}

struct Used {
  std::mutex mutex;
  std::map<std::string, UsedLayout> layouts;  // by the names of their formats
};
Used& used() {
  static Used instance;
  return instance;
}

/// Entries one after the other: what data is unpacked into.
Format entry_list(int order) { return parse_format(order == 1 ? "sparse" : "coo", order); }

UsedLayout make(const Layout& layout, const std::string& name) {
  UsedLayout out{layout, Format(), name, true, {}};
  std::string reason;
  std::optional<Usable> usable;
  if (layout.order() > 0) usable = best_order(layout, reason);
  if (usable) {
    for (const LevelPlan& plan : usable->levels.levels)
      out.remarks.push_back(fmt::format("layout '{}': {}", layout.name, describe(plan, layout)));
  } else if (std::optional<std::string> why = layouts::why_not_listed(layout); !why && layout.order() > 0) {
    usable = Usable{layout, {}, {}, true};
    usable->dimensions.resize(static_cast<size_t>(layout.order()));
    std::iota(usable->dimensions.begin(), usable->dimensions.end(), 0);
    out.remarks.push_back(
        fmt::format("layout '{}': loops go through all its points, in no order, as {}", layout.name, reason));
  }
  if (!usable) {
    out.direct = false;
    out.format = entry_list(layout.order());
    out.remarks.push_back(
        fmt::format("layout '{}': what it stores is unpacked into a list of entries, as {}", layout.name, reason));
    return out;
  }
  if (!is_built_with_solver())
    out.remarks.push_back("nothing is proven of layouts: Filigree was built without Z3 and isl");
  std::vector<Level> levels;
  std::vector<level::FormatPtr> formats = layouts::level_formats(std::make_shared<const Usable>(*usable));
  for (size_t n = 0; n < formats.size(); n++) {
    level::add(formats[n]);
    levels.push_back({usable->dimensions[n], formats[n]});
  }
  out.format = Format(std::move(levels));
  Format format = out.format;
  add_named_format({name, layout.order(), false, [format](int, const std::vector<std::int64_t>&) { return format; }});
  return out;
}

}  // namespace

UsedLayout use_layout(const Layout& layout) {
  std::lock_guard lock(used().mutex);
  std::string name = layout.name;
  std::vector<std::string> taken = format_names();
  for (const std::string& each : {layout.name, layout.name + "_layout"}) {
    auto known = used().layouts.find(each);
    if (known == used().layouts.end()) continue;
    if (known->second.layout == layout) return known->second;
    throw UserError(fmt::format("There already is another layout '{}'", layout.name))
        .hint("give one of them another name");
  }
  if (std::find(taken.begin(), taken.end(), name) != taken.end() || level::find(name + "_1")) name += "_layout";
  return used().layouts.emplace(name, make(layout, name)).first->second;
}

AnyTensor make_tensor(const UsedLayout& layout, const layouts::Data& data, const std::string& name) {
  std::vector<std::string> wrong = layouts::find_violations(layout.layout, data, 3);
  if (!wrong.empty()) {
    UserError error(fmt::format("The arrays of '{}' are not those of the layout '{}'", name, layout.layout.name));
    for (const std::string& each : wrong) std::move(error).note(each);
    throw error;
  }
  if (!layout.direct)
    return AnyTensor::pack(layouts::unpack(layout.layout, data), layout.format, Duplicates::Sum, name);
  layouts::Bound bound = layouts::bind(*layouts::usable_of(layout.format), data);
  // All that could be wrong with them was looked for above.
  return AnyTensor::from_arrays(data.dimensions, layout.format, std::move(bound.arrays), std::move(bound.values), name,
                                Validate::Never);
}

std::map<std::string, UsedLayout> used_layouts() {
  std::lock_guard lock(used().mutex);
  return used().layouts;
}

}  // namespace filigree::polyhedral
