#include "autoschedule/weights.h"

#include <algorithm>

#include "concrete/derivations.h"
#include "level/level_format.h"

namespace filigree::autoschedule {
namespace {

using concrete::Access;
using concrete::Assign;

// By what an assignment fills.
constexpr double in_register = 0.2;  // a number that begins anew in the loop around
constexpr double waits = 0.45;       // a number that goes on: each addition waits for the one before
constexpr double anywhere = 0.8;     // a place in an array
constexpr double appended = 1.3;     // a component of a sparse result
constexpr double copied = 0.4;       // the same, where an operand has the same components
constexpr double walked = 0.3;       // a place in an array, in a loop over all coordinates
constexpr double drained = 5.5;      // the same, out of a list that is sorted
constexpr double listed = 0.8;       // an array with a list of what was written
constexpr double listed_far = 1.4;   // the same, larger than the first cache
constexpr double counted = 1.2;      // rows that are counted first
constexpr double in_a_table = 15, looked_up = 8;
// Neighbours, several at once: each of them, and what is written without having been read.
constexpr double lane = 0.085, lane_stored = 0.2;
// The same in memory that grows: sums stay there, because nobody knows that nothing else does.
constexpr double lane_grown = 0.32;
// Lanes that are added up into one number: so much for each time, shared by the neighbours.
constexpr double lanes_into_one = 15, most_into_one = 0.35;
// A place that is far from the one before, in an array that is larger than the first cache, and than the second.
constexpr double jump = 1, far_jump = 3, first_cache = 0x1p12, second_cache = 0x1p17;  // in components
// Neighbours that come again in an array of that size, each.
constexpr double again_from_second = 0.04, again_from_third = 0.1;
constexpr double written_again = 3;  // so many times that, if they are written, too
// Of neighbours in such a place, each.
constexpr double from_next_cache = 0.2;
// Calls, alone and in lanes.
constexpr double slow_call = 4, division = 1.5, calls_in_lanes = 0.5;

const level::Format& last_level(const TensorVar& tensor) { return *tensor.format().levels().back().format; }

bool has_table(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->uses_table(); });
}

bool has_flags(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::any_of(levels.begin(), levels.end(), [](const Level& level) {
    return level.format->locate() && !level.format->uses_table() && !level::is_always_found(*level.format);
  });
}

/// The variables of levels down to the last one that has flags or is searched.
std::vector<IndexVar> asked(const Access& read) {
  std::vector<IndexVar> vars = concrete::level_vars(read);
  const std::vector<Level>& levels = read.tensor.format().levels();
  while (!vars.empty() && level::is_always_found(*levels[vars.size() - 1].format)) vars.pop_back();
  return vars;
}

/// Is there a place for each coordinate, whether or not something is stored there?
bool has_places(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::all_of(levels.begin(), levels.end(), [](const Level& level) {
    return level::is_always_found(*level.format) || (level.format->locate() && !level.format->uses_table());
  });
}

double weight_of(Operator op) {
  switch (op) {
    case Operator::Exp:
    case Operator::Log:
    case Operator::Sin:
    case Operator::Cos:
    case Operator::Tanh: return slow_call;
    case Operator::Divide:
    case Operator::FloorDivide:
    case Operator::Remainder:
    case Operator::Sqrt: return division;
    default: return is_user_function(op) ? slow_call : 0;
  }
}

/// x^2 is x*x.
bool is_small_power(const notation::Apply& apply) {
  const notation::Literal* exponent = apply.operands[1].as<notation::Literal>();
  if (!exponent) return false;
  Scalar one = Scalar::of(exponent->value.type(), 1.0), two = Scalar::of(exponent->value.type(), 2.0);
  return exponent->value == one || exponent->value == two;
}

/// What does not change in the innermost loop is computed once.
double weight_of_calls(const concrete::Expr& expr, const std::optional<IndexVar>& innermost) {
  double out = 0;
  notation::for_each(expr, [&](const concrete::Expr& one) {
    const notation::Apply* apply = one.as<notation::Apply>();
    bool changes = !innermost || contains(notation::free_vars(one), *innermost);
    if (!apply || !changes) return;
    bool is_power = apply->op == Operator::Power;
    out += is_power ? (is_small_power(*apply) ? 0 : 2 * slow_call) : weight_of(apply->op);
  });
  return out;
}

}  // namespace

bool Weights::is_temporary(const TensorVar& tensor) const {
  auto holds = [&](const std::vector<TensorVar>& all) {
    return std::find(all.begin(), all.end(), tensor) != all.end();
  };
  return !holds(program_.operands) && !holds(program_.results);
}

double Weights::extent(const IndexVar& var) const {
  auto found = extents_.find(var);
  return found == extents_.end() ? 1 : std::max(1.0, static_cast<double>(found->second));
}

Weight Weights::operator()(const Assign& assign, const Place& place) const {
  bool lanes = has_lanes(assign, place);
  Weight out{lanes ? in_lanes(assign, *place.innermost) : filling(assign, place)};
  for (const Access& read : notation::accesses(assign.rhs)) {
    bool is_found_before = place.innermost && !contains(read.indices, *place.innermost);
    if (has_table(read.tensor)) out.work += is_found_before ? looked_up / extent(*place.innermost) : looked_up;
    bool is_asked_before = place.innermost && has_flags(read.tensor) && !contains(asked(read), *place.innermost);
    if (is_asked_before) out.questions = 1 / extent(*place.innermost);
  }
  std::vector<Access> all = notation::accesses(assign.rhs);
  all.push_back(assign.lhs);
  for (const Access& one : all) out.work += jumps(one, place) + (lanes ? comes_again(one, place) : 0);
  if (lanes && assign.op) out.work += written_again * comes_again(assign.lhs, place);
  out.work += (lanes ? calls_in_lanes : 1) * weight_of_calls(assign.rhs, place.innermost);
  return out;
}

/// Of an array whose dimensions are in another order than the loops that go over all of their coordinates.
double Weights::jumps(const Access& access, const Place& place) const {
  if (!place.innermost || !has_places(access.tensor) || access.indices.size() < 2) return 0;
  double components = 1;
  bool is_in_order = true;
  auto last = place.around.begin();
  for (const IndexVar& var : concrete::level_vars(access)) {
    components *= extent(var);
    auto at = std::find(place.around.begin(), place.around.end(), var);
    is_in_order = is_in_order && last <= at;
    last = at;
  }
  if (is_in_order || components < first_cache) return 0;
  double one = components < second_cache ? jump : far_jump;
  const IndexVar& neighbours = concrete::level_vars(access).back();
  if (neighbours == *place.innermost) return one * std::max(from_next_cache, 1 / extent(*place.innermost));
  return contains(access.indices, *place.innermost) ? one : one / extent(*place.innermost);
}

/// Of an array that is gone through again and again, because a loop around does not have to do with it.
double Weights::comes_again(const Access& access, const Place& place) const {
  if (!has_places(access.tensor) || !contains(access.indices, *place.innermost)) return 0;
  double components = 1;
  for (auto loop = place.around.rbegin(); loop != place.around.rend(); loop++) {
    if (contains(access.indices, *loop)) components *= extent(*loop);
    else if (components > first_cache) return components < second_cache ? again_from_second : again_from_third;
  }
  return 0;
}

/// Does an operand step in the loop right around?
bool Weights::steps(const std::vector<Access>& all, const Place& place) {
  return place.innermost && std::any_of(all.begin(), all.end(), [&](const Access& read) {
           std::vector<IndexVar> vars = concrete::level_vars(read);
           auto found = std::find(vars.begin(), vars.end(), *place.innermost);
           const std::vector<Level>& levels = read.tensor.format().levels();
           return found != vars.end() &&
                  !level::is_always_found(*levels[static_cast<size_t>(found - vars.begin())].format);
         });
}

double Weights::filling(const Assign& assign, const Place& place) const {
  const TensorVar& tensor = assign.lhs.tensor;
  bool is_own = is_temporary(tensor);
  if (tensor.order() == 0) return is_own && place.loops <= 1 ? in_register : waits;
  std::vector<Access> all = notation::accesses(assign.rhs);
  if (tensor.format().stores_all()) return steps(all, place) ? anywhere : walked;
  if (has_table(tensor)) return in_a_table;
  if (program_.environment.two_passes.count(tensor)) return counted;
  if (is_own) {
    double places = 1;
    for (const IndexVar& var : assign.lhs.indices) places *= extent(var);
    return places > first_cache ? listed_far : listed;
  }
  if (last_level(tensor).locate()) return anywhere;
  bool is_drained = std::any_of(all.begin(), all.end(), [&](const Access& read) {
    const TensorVar& from = read.tensor;
    return from.order() > 0 && is_temporary(from) && !from.format().stores_all() && !has_table(from);
  });
  auto leads = [](const Access& read) { return read.tensor.may_be_absent(); };
  auto leader = std::find_if(all.begin(), all.end(), leads);
  bool is_copied = std::count_if(all.begin(), all.end(), leads) == 1 && leader->indices == assign.lhs.indices;
  return is_drained ? drained : is_copied && !assign.op ? copied : appended;
}

bool Weights::has_lanes(const Assign& assign, const Place& place) const {
  if (!place.innermost) return false;
  std::vector<Access> all = notation::accesses(assign.rhs);
  all.push_back(assign.lhs);
  return std::all_of(all.begin(), all.end(), [&](const Access& one) {
    std::vector<IndexVar> vars = concrete::level_vars(one);
    auto found = std::find(vars.begin(), vars.end(), *place.innermost);
    return !has_table(one.tensor) &&
           (found == vars.end() || (found == vars.end() - 1 && level::is_always_found(last_level(one.tensor))));
  });
}

double Weights::in_lanes(const Assign& assign, const IndexVar& innermost) const {
  bool grows = !is_temporary(assign.lhs.tensor) && !has_places(assign.lhs.tensor);
  if (contains(assign.lhs.indices, innermost)) return !assign.op ? lane_stored : grows ? lane_grown : lane;
  if (!assign.op) return anywhere;
  return std::min(most_into_one, lane + lanes_into_one / extent(innermost));
}

}  // namespace filigree::autoschedule
