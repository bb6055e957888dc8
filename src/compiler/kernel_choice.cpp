// Which member of the family a call gets: what sizes and patterns of the operands decide before anything runs.
#include "compiler/kernel_family.h"
#include "concrete/parts.h"
#include "concrete/derivations.h"

namespace filigree {

using level::ArrayDescription;

concrete::Tables Kernel::Family::tables_for(const Call& call) const {
  double largest = 0;
  for (const AnyTensor* operand : call.operands) largest = std::max(largest, static_cast<double>(operand->stored()));
  const concrete::Environment& environment = program.environment;
  std::map<IndexVar, std::int64_t> extents = concrete::all_extents(environment, call.extents);
  std::vector<IndexVar> pieces;
  for (const concrete::PieceLoop& cut : environment.piece_loops) pieces.push_back(cut.var);
  // What an operand's arrays say, the number of slots in each row, is about that of its entries in each.
  auto extent_of = [&](const IndexVar& var) {
    if (auto known = extents.find(var); known != extents.end()) return static_cast<double>(known->second);
    auto said = environment.extents.find(var);
    const auto* storage = said == environment.extents.end() ? nullptr : std::get_if<concrete::OfStorage>(&said->second);
    auto within = storage ? extents.find(storage->within) : extents.end();
    return within == extents.end() ? largest : largest / std::max(1.0, static_cast<double>(within->second));
  };
  // Of loops that are cut around it, a workspace holds a piece.
  auto slots_over = [&](const IndexVar& var) {
    double all = 1;
    const concrete::FlatLoop* flat = concrete::flat_loop(environment, var);
    if (flat && flat->positions) {
      all = std::max(all, largest);
    } else {
      for (const IndexVar& loop : flat ? flat->loops : std::vector<IndexVar>{var}) all *= extent_of(loop);
    }
    std::optional<std::int64_t> most = concrete::most_points(environment, pieces, var);
    return most ? std::min(all, static_cast<double>(*most)) : all;
  };
  // Has it components into which nothing is reduced, because what is reduced has none?
  auto misses_all = [&](const concrete::Access& temporary) {
    bool is_empty = false, lacks = false;
    for (const auto& [var, extent] : extents) (contains(temporary.indices, var) ? is_empty : lacks) |= extent == 0;
    return lacks && !is_empty;
  };
  concrete::Tables fitting = concrete::Tables::None;
  for (const concrete::Access& access : concrete::temporaries(program)) {
    if (access.tensor.format().stores_all() && misses_all(access)) fitting = concrete::Tables::OfFull;
    double slots = 1;
    for (const Level& level : access.tensor.format().levels()) {
      if (level.format->uses_table()) break;
      bool has_all = level.format->insert() && !level.format->is_implied();
      if (has_all) slots *= slots_over(access.indices[level.dimension()]);
    }
    constexpr double most = std::numeric_limits<std::int32_t>::max();  // that a list of coordinates can hold
    if (slots > most || options.policy->keeps_in_table({slots, largest, [&] { return visits(call); }}))
      return concrete::Tables::All;
  }
  return fitting == concrete::Tables::None || can_plan(fitting) ? fitting : concrete::Tables::None;
}

bool Kernel::Family::can_plan(concrete::Tables tables) const {
  try {
    compiler::PipelineOptions how = plan_options(tables);
    how.observer = nullptr;
    compiler::plan(written, how);
    return true;
  } catch (const UserError&) {  // strategies that the schedule asks for are possible beside arrays only
    return false;
  }
}

ElementType Kernel::Family::positions_type(const Call& call) const {
  constexpr std::int64_t both_halves = 2;
  bool copies = statement.rhs.as<notation::Access>() && call.operands.size() == 1;
  return copies ? index_type_for(both_halves * call.operands[0]->stored()) : ElementType::Int64;
}

double Kernel::Family::visits(const Call& call) const {
  std::map<std::string, std::int64_t> stored;
  for (size_t n = 0; n < call.operands.size(); n++) stored[operand_names[n]] = call.operands[n]->stored();
  return expected_visits(stored, call.extents);
}

bool Kernel::Family::is_worth_threads(const Call& call) const {
  return options.thread_count() > 1 && visits(call) >= static_cast<double>(options.worth_threads);
}

const AnyTensor* Kernel::Family::operand_of(const TensorVar& operand, const Call& call) const {
  const std::vector<TensorVar>& declared = declared_operands();
  auto found = std::find_if(declared.begin(), declared.end(),
                            [&](const TensorVar& tensor) { return tensor.name() == operand.name(); });
  return found == declared.end() ? nullptr : call.operands[static_cast<size_t>(found - declared.begin())];
}

compiler::Circumstances::Sharing Kernel::Family::sharing(const Call& call) const {
  using Sharing = compiler::Circumstances::Sharing;
  if (!is_worth_threads(call)) return Sharing::None;
  std::optional<TensorVar> with_rows = compiler::operand_with_rows(program);
  const AnyTensor* found = with_rows ? operand_of(*with_rows, call) : nullptr;
  if (!found) return Sharing::Rows;
  const AnyTensor& tensor = *found;
  double longest = static_cast<double>(tensor.statistics().levels[1].longest_fibre);
  bool by_entries =
      options.policy->shares_entries({options.thread_count(), longest, static_cast<double>(tensor.stored())});
  return by_entries ? Sharing::Entries : Sharing::Rows;
}

namespace {

/// Where fibres of the last level begin and end, if an array says so.
const Array* leaf_segments(const AnyTensor& tensor) {
  std::vector<ArrayDescription> descriptions = tensor.format().levels().back().format->arrays();
  auto segments = std::find_if(descriptions.begin(), descriptions.end(), [](const ArrayDescription& array) {
    return array.holds == ArrayDescription::Holds::Positions &&
           array.indexed_by == ArrayDescription::IndexedBy::Parent && array.extra == 1;
  });
  return segments == descriptions.end()
             ? nullptr
             : &tensor.level_arrays().back()[static_cast<size_t>(segments - descriptions.begin())];
}

/// Have fibres that follow each other the same length, most of the time?  Looks at a few of them.
bool has_regular_leaf_fibres(const AnyTensor& tensor) {
  constexpr std::int64_t looked_at = 16;
  const Array* ends = leaf_segments(tensor);
  if (!ends) return false;
  std::int64_t pairs = ends->count() - 2, looks = std::min(pairs, looked_at), alike = 0;
  for (std::int64_t n = 0; n < looks; n++) {
    std::int64_t at = pairs / looks * n;
    alike += ends->index_at(at + 1) - ends->index_at(at) == ends->index_at(at + 2) - ends->index_at(at + 1);
  }
  return looks > 0 && 4 * alike >= 3 * looks;
}

/// Are at least half of the entries in long fibres?  However many short ones there are beside these, that is where the
/// time goes.  Looks at a few entries.  Measured with the networks of friends, mails and votes that tests have: those
/// of which a third is in such fibres lose a fifth by lanes, those with a half gain a little, with two thirds a half.
bool has_most_in_long_leaf_fibres(const AnyTensor& tensor) {
  constexpr std::int64_t looked_at = 32, long_fibre = 48;
  const Array* ends = leaf_segments(tensor);
  std::int64_t fibres = ends ? ends->count() - 1 : 0, entries = fibres > 0 ? ends->index_at(fibres) : 0;
  if (entries < looked_at) return false;
  std::int64_t in_long = 0;
  for (std::int64_t n = 0; n < looked_at; n++) {
    std::int64_t entry = entries / looked_at * n, first = 0, end = fibres;  // it is in one of these
    while (end - first > 1) {
      std::int64_t middle = first + (end - first) / 2;
      (ends->index_at(middle) <= entry ? first : end) = middle;
    }
    in_long += ends->index_at(first + 1) - ends->index_at(first) >= long_fibre;
  }
  return 2 * in_long >= looked_at;
}

/// The list of coordinates of the first level of `searched`, in which those of the fibres of `leading` are looked for.
policy::SearchFacts search_facts(const AnyTensor& searched, const AnyTensor& leading, size_t level) {
  auto size_of = [](const AnyTensor& tensor, const level::StoredLevel& stored, size_t at) {
    return tensor.format().levels()[at].format->storage()->size(stored);
  };
  level::StoredLevel fibres = leading.stored_levels()[level];
  return {size_of(searched, searched.stored_levels()[0], 0), size_of(leading, fibres, level), fibres.parent_count};
}

}  // namespace

std::optional<compiler::Circumstances> Kernel::Family::circumstances(const Call& call) const {
  if (!options.automatic || !options.schedule.empty()) return std::nullopt;
  compiler::Circumstances out{sharing(call)};
  for (const IndexVar& var : compiler::dense_inner_loops(program.statement)) {
    auto extent = call.extents.find(var);
    std::int64_t size = extent == call.extents.end() ? 0 : extent->second;
    bool in_registers = compiler::tile_of(size) && compiler::reduction_around(program.statement, var) &&
                        options.policy->is_worth_tiles(size, visits(call) * static_cast<double>(size));
    if (in_registers || options.policy->is_worth_constant(size)) out.constants[var.name()] = size;
  }
  for (const IndexVar& var : compiler::dense_reductions(program.statement)) {
    auto extent = call.extents.find(var);
    if (!options.strict && extent != call.extents.end() && options.policy->is_worth_lanes(extent->second))
      out.in_lanes.insert(var.name());
  }
  for (const compiler::ReducedFibres& fibres : compiler::sparse_reductions(program.statement)) {
    const AnyTensor* operand = operand_of(fibres.operand, call);
    auto are_lanes_used = [&] { return has_regular_leaf_fibres(*operand) || has_most_in_long_leaf_fibres(*operand); };
    bool in_lanes = !options.strict && operand &&
                    options.policy->are_fibres_worth_lanes(operand->average_leaf_fibre(), are_lanes_used);
    if (in_lanes) out.in_lanes.insert(fibres.var.name());
  }
  for (const compiler::MetFibres& met : compiler::met_fibres(program.statement)) {
    const AnyTensor *one = operand_of(met.one, call), *other = operand_of(met.other, call);
    bool is_short = one && other &&
                    options.policy->meets_one_by_one({one->average_leaf_fibre(), other->average_leaf_fibre(),
                                                      static_cast<double>(one->stored() + other->stored())});
    if (is_short) out.one_by_one.insert(met.var.name());
  }
  for (const compiler::RepeatedSearch& search : compiler::repeated_searches(program.statement)) {
    const AnyTensor *searched = operand_of(search.searched, call), *leading = operand_of(search.leading, call);
    if (searched && leading &&
        options.policy->searches_in_table(search_facts(*searched, *leading, static_cast<size_t>(search.level))))
      out.hashed.insert(search.var.name());
  }
  bool is_plain = out.sharing == compiler::Circumstances::Sharing::None && out.constants.empty() &&
                  out.in_lanes.empty() && out.one_by_one.empty() && out.hashed.empty();
  return is_plain ? std::nullopt : std::optional(out);
}

void Kernel::Family::narrow_shared_positions(lowering::ArrayTypes& types, const Call& call) const {
  auto shared = program.environment.shared_patterns.find(result());
  if (shared == program.environment.shared_patterns.end()) return;
  auto operand = std::find(program.operands.begin(), program.operands.end(), shared->second.operand.tensor);
  internal_check(operand != program.operands.end(), "compiler", "a pattern shared with what is no operand",
                 result().name());
  lowering::ArrayTypes source =
      compiler::array_types(*call.operands[static_cast<size_t>(operand - program.operands.begin())]);
  size_t number = 0;
  for (int l = 0; l < shared->second.levels; l++) {
    for (const ArrayDescription& array : result().format().levels()[static_cast<size_t>(l)].format->arrays()) {
      if (array.holds == ArrayDescription::Holds::Positions) types[number] = source[number];
      number++;
    }
  }
}

Kernel::Family::MemberKey Kernel::Family::key(lowering::Mode mode, const Call& call) const {
  lowering::ArrayTypes result_types =
      call.given ? compiler::array_types(*call.given)
                 : compiler::result_array_types(made_format(), call.result_dimensions, positions_type(call));
  if (!call.given) narrow_shared_positions(result_types, call);
  MemberKey key{mode, tables_for(call), is_worth_threads(call), circumstances(call), {result_types}};
  for (const AnyTensor* operand : call.operands) key.types.push_back(compiler::array_types(*operand));
  return key;
}
}  // namespace filigree
