#include "plan/declarations.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "plan/format_text.h"
#include "plan/words.h"
#include "support/text.h"

namespace filigree::plan {

using concrete::Access;
using concrete::Derivation;

constexpr std::int64_t most_dimensions = 64;

void Declarations::read() {
  in_.expect("results");
  std::vector<std::pair<std::string, Span>> results = names(), operands;
  in_.finish_line();
  if (in_.accept("operands")) {
    operands = names();
    in_.finish_line();
  }
  if (in_.accept("mode")) {
    mode_ = static_cast<Mode>(word(mode_words));
    in_.finish_line();
  }
  if (in_.accept("threads")) {
    thread_pieces_ = in_.integer();
    in_.finish_line();
  }
  read_numbers(lookups_);
  read_numbers(memory_);
  read_numbers(cases_);
  std::string made;
  if (in_.accept("made")) {
    made = in_.rest_of_line();
    in_.finish_line();
  }
  while (in_.accept("tensor")) read_tensor();
  results_ = find(results);
  operands_ = find(operands);
  if (!made.empty()) made_ = format(made, results_.front().order());
  // How far a variable runs may depend on one that comes after it.
  size_t first = in_.line();
  while (in_.accept("index")) {
    read_index();
    in_.rest_of_line();
    in_.finish_line();
  }
  std::map<std::string, IndexVar> all = indices_;
  in_.go_to_line(first);
  while (in_.accept("index")) {
    IndexVar var = all.at(in_.name());
    while (!in_.at_end() && !in_.accept(":")) in_.skip();
    if (!in_.at_end()) environment_.extents.insert({var, read_extent()});
    in_.finish_line();
  }
  while (read_fact()) in_.finish_line();
}

template <class Numbers>
void Declarations::read_numbers(Numbers& numbers) {
  std::string kind = numbers_word<Numbers>;
  if (!in_.accept(kind)) return;
  do {
    std::string name = in_.name();
    const auto& words = number_words<Numbers>;
    auto word = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.name == name; });
    if (word == words.end()) in_.fail("There is no number '" + name + "' of " + kind);
    std::int64_t given = in_.integer();
    if (given < word->least || given > word->most)
      in_.fail_there(fmt::format("A number from {} to {} should stand there", word->least, word->most));
    numbers.*word->number = static_cast<int>(given);
  } while (in_.accept(","));
  in_.finish_line();
}

// --- Names and numbers -----------------------------------------------------------------------------

TensorVar Declarations::tensor_name() {
  std::string name = in_.name();
  auto found = tensors_.find(name);
  if (found == tensors_.end()) in_.fail_there("There is no tensor '" + name + "'");
  return found->second;
}

IndexVar Declarations::index_name() {
  std::string name = in_.name();
  auto found = indices_.find(name);
  if (found == indices_.end()) in_.fail_there("There is no index '" + name + "'");
  return found->second;
}

std::vector<std::pair<std::string, Span>> Declarations::names() {
  std::vector<std::pair<std::string, Span>> all;
  do {
    in_.at_end();
    Span rest = in_.span();
    std::string name = in_.name();
    all.push_back({name, {rest.begin, rest.begin + static_cast<int>(name.size())}});
  } while (in_.accept(","));
  return all;
}

std::vector<TensorVar> Declarations::find(const std::vector<std::pair<std::string, Span>>& names) const {
  std::vector<TensorVar> all;
  for (const auto& [name, place] : names) {
    auto found = tensors_.find(name);
    if (found == tensors_.end()) throw UserError("There is no tensor '" + name + "'").at(in_.source(), place);
    bool is_there = std::find(all.begin(), all.end(), found->second) != all.end() ||
                    std::find(results_.begin(), results_.end(), found->second) != results_.end();
    if (is_there) throw UserError("'" + name + "' is there already").at(in_.source(), place);
    all.push_back(found->second);
  }
  return all;
}

Span Declarations::place(const TensorVar& tensor) const {
  auto found = tensor_places_.find(tensor);
  return found == tensor_places_.end() ? Span{0, 1} : found->second;
}
Span Declarations::place(const IndexVar& var) const {
  auto found = index_places_.find(var);
  return found == index_places_.end() ? Span{0, 1} : found->second;
}

std::vector<IndexVar> Declarations::index_names() {
  std::vector<IndexVar> all = {index_name()};
  while (in_.accept(",")) all.push_back(index_name());
  return all;
}

std::vector<std::int64_t> Declarations::integers(const char* open, const char* close) {
  std::vector<std::int64_t> all;
  in_.expect(open);
  do all.push_back(in_.integer());
  while (in_.accept(","));
  in_.expect(close);
  return all;
}

template <class Words>
int Declarations::word(const Words& words) {
  for (size_t n = 0; n < words.size(); n++) {
    if (in_.accept(words[n])) return static_cast<int>(n);
  }
  in_.fail("One of these should stand here: " + join({words.begin(), words.end()}, ", "));
}

Access Declarations::access(const TensorVar& tensor) {
  Access access{tensor, {}};
  if (in_.accept("(")) {
    access.indices = index_names();
    in_.expect(")");
  }
  if (static_cast<int>(access.indices.size()) != tensor.order())
    in_.fail("'" + tensor.name() + "' has " + counted(tensor.order(), "index", "indices"));
  return access;
}

lattice::Operand Declarations::operand_level(const std::vector<lattice::Operand>& known) {
  TensorVar tensor = tensor_name();
  in_.expect(".");
  std::int64_t number = in_.integer();
  check_range(number, std::max(1, tensor.order()));
  int level = static_cast<int>(number) - 1;
  if (in_.accept("(")) {
    std::vector<IndexVar> path = index_names();
    in_.expect(")");
    return {tensor, level, path};
  }
  for (const lattice::Operand& operand : known) {
    if (operand.tensor == tensor && operand.level == level) return operand;
  }
  in_.fail("The loop has no such operand");
}

Scalar Declarations::number() {
  bool is_pair = in_.accept("complex");
  if (is_pair) in_.expect("(");
  std::string real = in_.number_text(), imaginary = "0";
  if (is_pair) {
    in_.expect(",");
    imaginary = in_.number_text();
    in_.expect(")");
  }
  if (!is_pair && (real == "true" || real == "false")) return Scalar::boolean(real == "true");
  bool is_whole = real.find_first_not_of("-0123456789") == std::string::npos;
  ElementType type = is_pair ? ElementType::Complex128 : is_whole ? ElementType::Int64 : ElementType::Float64;
  if (in_.accept(":")) {
    std::string name = in_.name();
    std::optional<ElementType> given = parse_element_type(name);
    if (!given) in_.fail_there("There is no type '" + name + "'");
    if (is_pair && !is_complex(*given)) in_.fail_there("A pair of numbers is complex");
    type = *given;
  }
  return scalar(type, real, imaginary);
}

/// Of a number as it is written.
Scalar Declarations::scalar(ElementType type, const std::string& real, const std::string& imaginary) {
  if (type == ElementType::Bool) in_.fail_there("A bool is true or false");
  char *end = nullptr, *imaginary_end = nullptr;
  double number = std::strtod(real.c_str(), &end), other = std::strtod(imaginary.c_str(), &imaginary_end);
  if (real.empty() || *end || imaginary.empty() || *imaginary_end) in_.fail_there("A number should stand here");
  if (is_complex(type)) return Scalar::of(type, std::complex<double>(number, other));
  if (is_floating(type)) return Scalar::of(type, number);
  bool is_unsigned = type == ElementType::UInt64 && real.find('-') == std::string::npos;
  std::uint64_t large = 0;
  long long value = 0;
  if (is_unsigned) {
    auto [last, error] = std::from_chars(real.data(), real.data() + real.size(), large);
    if (error == std::errc() && last == real.data() + real.size())
      return Scalar::of(type, static_cast<std::int64_t>(large));
  } else if (parse_int64(real, value)) {
    Scalar all = Scalar::of(ElementType::Int64, static_cast<std::int64_t>(value)), held = all.cast(type);
    if (held.as_int() == value) return held;
  }
  in_.fail_there("'" + real + "' is no " + to_string(type));
}

int Declarations::read_copies() {
  constexpr std::int64_t most = 1024;
  std::int64_t copies = in_.integer();
  check_range(copies, most);
  return static_cast<int>(copies);
}

concrete::LoopTag Declarations::tag(bool& as_stored) {
  using namespace concrete;
  LoopTag tag;
  do {
    if (in_.accept("cpu")) tag.parallel = true;
    else if (in_.accept("gpu_block")) tag.gpu = GpuUnit::Block;
    else if (in_.accept("gpu_warp")) tag.gpu = GpuUnit::Warp;
    else if (in_.accept("gpu_thread")) tag.gpu = GpuUnit::Thread;
    else if (in_.accept("ignore")) tag.races = Races::Ignore;
    else if (in_.accept("atomics")) tag.races = Races::Atomics;
    else if (in_.accept("temporary")) tag.races = Races::Temporary;
    else if (in_.accept("vector")) tag.vector = true;
    else if (in_.accept("unroll")) tag.unrolled = read_copies();
    else if (in_.accept("as stored")) as_stored = true;
    else
      in_.fail(
          "How a loop runs should stand here: cpu, gpu_block, gpu_warp, gpu_thread, ignore, atomics, temporary, "
          "vector, unroll or as stored");
  } while (in_.accept(","));
  in_.expect("]");
  return tag;
}

// --- Tensors ---------------------------------------------------------------------------------------

Format Declarations::format(const std::string& text, int order) const {
  try {
    return parse_format_text(text, order);
  } catch (const UserError& error) {
    in_.fail_there("This is no format: " + error.message());
  }
}

void Declarations::read_tensor() {
  std::string key = in_.name();
  if (tensors_.count(key)) in_.fail_there("There is a tensor '" + key + "' already");
  Span place = in_.span();
  place = {place.begin - static_cast<int>(key.size()), place.begin};
  std::string shown = in_.accept("shown") ? in_.name() : key;
  in_.expect(":");
  auto declare = [&](const TensorVar& tensor) {
    tensors_.emplace(key, tensor);
    tensor_places_.emplace(tensor, place);
    in_.finish_line();
  };
  if (in_.accept("condition")) {
    relation::Condition condition;
    condition.kind = static_cast<relation::Condition::Kind>(word(condition_words));
    condition.offset = in_.integer();
    in_.expect("+");
    condition.factors = integers("[", "]");
    in_.expect("in");
    std::vector<std::int64_t> order = integers("[", "]");
    return declare(TensorVar(shown, condition, {order.begin(), order.end()}));
  }
  if (in_.accept("selection by")) {
    Selection selection;
    if (in_.peek() == '[') {
      selection.factors = integers("[", "]");
    } else {
      selection.source = tensor_name();
      in_.expect("times");
      selection.factor = in_.integer();
    }
    in_.expect("from");
    selection.offset = in_.integer();
    selection.wraps = in_.accept("wraps");
    if (selection.wraps) selection.modulus = in_.integer();
    selection.padded = in_.accept("padded");
    selection.once = in_.accept("once");
    return declare(TensorVar(shown, selection));
  }
  std::string type_name = in_.name();
  std::optional<ElementType> type = parse_element_type(type_name);
  if (!type) in_.fail_there("There is no type '" + type_name + "'");
  in_.expect(",");
  in_.expect("fill");
  Scalar fill = number().cast(*type);
  in_.expect(",");
  if (in_.accept("optional scalar")) return declare(TensorVar::optional_scalar(shown, *type, fill));
  if (in_.accept("scalar")) return declare(TensorVar(shown, *type, Format(), fill));
  in_.expect("order");
  std::int64_t given = in_.integer();
  check_range(given, most_dimensions);
  int order = static_cast<int>(given);
  in_.expect(",");
  Format levels = format(in_.rest_of_line(), order);
  if (!levels.is_plain() || levels.symmetry() != Symmetry::None)
    in_.fail_there("Loops see levels as dimensions here, so what they are made of is said by 'stored " + key +
                   "(...) as " + to_string(levels) + "'");
  declare(TensorVar(shown, *type, levels, fill));
}

// --- Variables -------------------------------------------------------------------------------------

relation::Sum Declarations::sum() {
  relation::Sum sum{{}, in_.integer()};
  while (in_.accept("+")) {
    std::int64_t factor = in_.integer();
    in_.expect("*");
    sum.terms.push_back({index_name(), factor});
  }
  return sum;
}

IndexVar Declarations::read_index() {
  std::string key = in_.name();
  if (indices_.count(key)) in_.fail_there("There is an index '" + key + "' already");
  Span place = in_.span();
  place = {place.begin - static_cast<int>(key.size()), place.begin};
  std::string shown = in_.accept("shown") ? in_.name() : key;
  std::optional<IndexMap> map;
  if (in_.accept("=")) {
    relation::Sum from = sum();
    map = IndexMap{from.terms, from.offset};
    if (in_.accept("among")) map->list = integers("{", "}");
    if (in_.accept("of")) map->extent = in_.integer();
    map->padded = in_.accept("padded");
  }
  IndexVar var = map ? IndexVar(shown, *map) : IndexVar(shown);
  indices_.emplace(key, var);
  index_places_.emplace(var, place);
  return var;
}

void Declarations::check_range(std::int64_t number, std::int64_t most) const {
  if (number < 1 || number > most) in_.fail_there("A number from 1 to " + std::to_string(most) + " should stand there");
}

concrete::Extent Declarations::read_extent() {
  using namespace concrete;
  if (in_.accept("dimension")) {
    std::int64_t dimension = in_.integer();
    in_.expect("of");
    TensorVar tensor = tensor_name();
    check_range(dimension, tensor.order());
    return OfDimension{tensor, static_cast<int>(dimension) - 1};
  }
  if (in_.accept("pieces")) return OfPieces{};
  if (in_.accept("room of")) return OfRoom{index_names()};
  if (in_.accept("storage of")) {
    TensorVar tensor = tensor_name();
    in_.expect(".");
    std::int64_t level = in_.integer();
    check_range(level, tensor.order());
    in_.expect("within");
    return OfStorage{tensor, static_cast<int>(level) - 1, index_name()};
  }
  relation::RangeFormulas range = relation::from_zero(formula());
  if (in_.accept("from")) range.origin = formula();
  return range;
}

std::int64_t Declarations::at_least(std::int64_t least) {
  std::int64_t number = in_.integer();
  if (number < least) in_.fail_there("A number from " + std::to_string(least) + " on should stand there");
  return number;
}

Derivation Declarations::derivation() {
  IndexVar var = index_name();
  in_.expect("=");
  auto from = [&]() -> Derivation::From {
    if (in_.accept("at point")) return concrete::AtPoint{index_name()};
    if (in_.accept("digits of")) {
      relation::DigitsOf<IndexVar> digits{index_name()};
      in_.expect("by");
      digits.divisor = at_least(1);
      in_.expect("mod");
      digits.modulus = at_least(0);
      return digits;
    }
    relation::Sum number = sum();
    if (in_.accept("among")) return relation::Entry{number, integers("{", "}")};
    return number;
  };
  Derivation derivation{var, from()};
  derivation.guarded = in_.accept("guarded");
  return derivation;
}

concrete::Implication Declarations::implication() {
  concrete::Implication implication{index_name(), {}};
  in_.expect("from");
  if (!in_.accept("nothing")) implication.sources = index_names();
  if (in_.accept("held by")) implication.held_by = tensor_name();
  return implication;
}

/// Behind the name of the tensor.
Filling Declarations::read_filling() {
  if (in_.accept("by inserting")) {
    Inserted inserted;
    if (in_.accept(", cleared in")) inserted.cleared_in = index_name();
    return inserted;
  }
  if (in_.accept("by appending in pieces of")) return AppendedInPieces{index_name()};
  if (in_.accept("by appending")) return Appended{};
  if (in_.accept("index first through")) return IndexFirst{tensor_name()};
  if (in_.accept("in slots within")) return Slotted{index_name()};
  if (in_.accept("as")) {
    Access operand = access(tensor_name());
    in_.expect("to level");
    std::int64_t levels = in_.integer();
    check_range(levels, operand.tensor.order());
    bool on_threads = in_.accept("on threads");
    return PatternOf{operand, static_cast<int>(levels), on_threads, in_.accept(", nodes noted")};
  }
  if (!in_.accept("by placing"))
    in_.fail(
        "How it is filled should stand here: by inserting, by appending, by placing, index first through, in slots "
        "within or as");
  Placed placed;
  placed.sorts = in_.accept(", sorts");
  placed.merges = in_.accept(", merges");
  if (in_.accept(", counted through")) placed.counted_through = operand_level();
  if (in_.accept(", in order of")) placed.in_order_of = operand_level();
  return placed;
}

/// A(i,j) as bcsr(4,4)
void Declarations::read_stored() {
  TensorVar tensor = tensor_name();
  Stored stored;
  if (in_.accept("(")) {
    stored.indices = index_names();
    in_.expect(")");
  }
  auto order = static_cast<std::int64_t>(stored.indices.size());
  if (in_.accept("of order")) check_range(order = in_.integer(), most_dimensions);
  if (order == 0) in_.fail("The indices of its dimensions should stand here, or how many dimensions there are");
  in_.expect("as");
  stored.format = format(in_.rest_of_line(), static_cast<int>(order));
  if (!stored_.insert({tensor, stored}).second) in_.fail("How '" + tensor.name() + "' is stored is said already");
}

/// What is known about variables and tensors beside what they are.
bool Declarations::read_fact() {
  using namespace concrete;
  if (in_.accept("derived")) {
    environment_.derivations.push_back(derivation());
  } else if (in_.accept("implied")) {
    environment_.implications.push_back(implication());
  } else if (in_.accept("cut")) {
    IndexVar var = index_name();
    in_.expect("of");
    std::vector<IndexVar> loops = index_names();
    in_.expect(":");
    auto given = static_cast<PieceLoop::Given>(word(cut_words));
    std::int64_t amount = in_.integer();
    PieceLoop cut{{loops}, var, given, amount};
    if (in_.accept("positions of")) cut.positions = access(tensor_name());
    cut.counts_parents = in_.accept("with parents");
    if (in_.accept("over")) cut.over = index_name();
    cut.by_number = in_.accept("by number");
    environment_.piece_loops.push_back(cut);
  } else if (in_.accept("flat")) {
    IndexVar var = index_name();
    FlatLoop flat{{}, var};
    in_.expect("of");
    flat.loops = index_names();
    if (in_.accept("positions of")) flat.positions = access(tensor_name());
    environment_.flat_loops.push_back(flat);
  } else if (in_.accept("bound")) {
    IndexVar var = index_name();
    auto kind = static_cast<ExtentBound::Kind>(word(bound_words));
    environment_.bounds.push_back({var, kind, in_.integer()});
  } else if (in_.accept("filled")) {
    TensorVar tensor = tensor_name();
    if (!fillings_.emplace(tensor, read_filling()).second)
      in_.fail("How '" + tensor.name() + "' is filled is said already");
  } else if (in_.accept("stored")) {
    read_stored();
  } else if (in_.accept("window")) {
    TensorVar window = tensor_name();
    in_.expect("of");
    environment_.windows.insert({window, access(tensor_name())});
  } else {
    return false;
  }
  return true;
}

}  // namespace filigree::plan
