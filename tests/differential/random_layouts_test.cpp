// Layouts made at random (permuted, blocked, shifted, with gaps, rising, falling, in no order, with repetitions): what
// is proven of them is right, and data that breaks a property is refused.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "layouts/points.h"
#include "notation/parse.h"
#include "polyhedral/use_layout.h"
#include "tests/differential/expected.h"
#include "tests/layouts/examples.h"

namespace filigree::differential {
namespace {

using layouts::Data;
using layouts::Formula;

enum class Order { Rising, Falling, None, Repeating };

struct Choice {
  std::int64_t major, minor;  // sizes of blocks
  bool permuted, aligned, gaps, columns_first, states_range, is_list;
  std::int64_t shift;
  Order order;
};

Choice choose(std::mt19937& random) {
  auto coin = [&] { return random() % 2 == 0; };
  Choice c{};
  c.major = 1 + static_cast<std::int64_t>(random() % 3), c.minor = 1 + static_cast<std::int64_t>(random() % 3);
  c.permuted = coin(), c.aligned = coin(), c.gaps = coin(), c.columns_first = coin(), c.states_range = coin();
  c.is_list = random() % 4 == 0;
  c.shift = static_cast<std::int64_t>(random() % 3);
  c.order = static_cast<Order>(random() % 4);
  return c;
}

/// Lines of blocks, or a list of blocks with the line of each.
std::string text_of(const Choice& c, int number) {
  std::string lines = c.columns_first ? "columns" : "rows",
              count = fmt::format("({} + {})/{}", lines, c.major - 1, c.major);
  std::string line = c.is_list ? "row(pb)" : c.permuted ? "perm(pi)" : "pi";
  std::string minor = (c.aligned ? fmt::format("{}*crd(pb)", c.minor) : "crd(pb)") + " + pc" +
                      fmt::format(" - {}", c.shift);
  std::string major = fmt::format("{}*{} + pr", c.major, line);
  std::string text = fmt::format("layout random{}(rows, columns) {{\n  arrays ", number);
  if (!c.is_list && c.permuted) text += fmt::format("perm({}), ", count);
  if (c.is_list) text += "row(blocks), ";
  else text += c.gaps ? fmt::format("first({0}), last({0}), ", count) : fmt::format("pos({} + 1), ", count);
  text += fmt::format("crd(blocks), vals(blocks, {}, {})\n", c.major, c.minor);
  std::string walk = c.is_list ? "0 <= pb < blocks"
                     : c.gaps  ? fmt::format("0 <= pi < {} and first(pi) <= pb < last(pi)", count)
                               : fmt::format("0 <= pi < {} and pos(pi) <= pb < pos(pi + 1)", count);
  text += fmt::format("  [{}pb, pr, pc] -> [i, j] : {} and 0 <= pr < {} and 0 <= pc < {} and i = {} and j = {}\n",
                      c.is_list ? "" : "pi, ", walk, c.major, c.minor, c.columns_first ? minor : major,
                      c.columns_first ? major : minor);
  text += "  value vals(pb, pr, pc)\n";
  if (!c.is_list && c.permuted)
    text += fmt::format("  where 0 <= perm(a) < {}\n  where a != a' -> perm(a) != perm(a')\n", count);
  if (c.states_range) text += "  where 0 <= crd(a)\n";
  std::string line_agrees = c.is_list ? "row(pb) = row(pb')" : "pi = pi'";
  std::int64_t step = c.aligned ? 1 : c.minor;
  if (c.is_list && c.order == Order::Rising) text += "  where pb < pb' -> row(pb) <= row(pb')\n";
  if (c.order == Order::Rising)
    text += fmt::format("  where {} and pb < pb' -> crd(pb) + {} <= crd(pb')\n", line_agrees, step);
  if (c.order == Order::Falling)
    text += fmt::format("  where {} and pb < pb' -> crd(pb') + {} <= crd(pb)\n", line_agrees, step);
  if (c.order == Order::None && step == 1)
    text += fmt::format("  where {} and pb != pb' -> crd(pb) != crd(pb')\n", line_agrees);
  return text + "}\n";
}

/// Blocks that do not overlap, unless they may.
std::vector<std::int64_t> starts(const Choice& c, std::int64_t extent, std::mt19937& random) {
  std::vector<std::int64_t> found;
  std::int64_t step = c.aligned ? 1 : c.minor, end = c.aligned ? (extent + c.shift) / c.minor + 1 : extent + c.shift;
  for (std::int64_t at = static_cast<std::int64_t>(random() % 2); at < end; at++) {
    if (random() % 3 != 0) continue;
    found.push_back(at);
    if (c.order == Order::Repeating && random() % 3 == 0) found.push_back(at);
    at += step - 1;
  }
  if (c.order == Order::Falling) std::reverse(found.begin(), found.end());
  if (c.order == Order::None || c.order == Order::Repeating) std::shuffle(found.begin(), found.end(), random);
  return found;
}

Data data_for(const Choice& c, std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  std::int64_t lines = c.columns_first ? columns : rows, across = c.columns_first ? rows : columns;
  std::int64_t count = (lines + c.major - 1) / c.major;
  std::vector<std::int64_t> perm, pos = {0}, first, last, row, crd;
  for (std::int64_t n = 0; n < count; n++) perm.push_back(n);
  std::shuffle(perm.begin(), perm.end(), random);
  std::vector<std::pair<std::int64_t, std::int64_t>> list;
  for (std::int64_t n = 0; n < count; n++) {
    if (c.gaps && !c.is_list && random() % 2 == 0) crd.push_back(0);  // a block of nobody
    first.push_back(static_cast<std::int64_t>(crd.size()));
    for (std::int64_t at : starts(c, across, random)) crd.push_back(at), row.push_back(n), list.push_back({n, at});
    last.push_back(static_cast<std::int64_t>(crd.size()));
    pos.push_back(static_cast<std::int64_t>(crd.size()));
  }
  if (c.is_list && c.order == Order::None) {
    std::shuffle(list.begin(), list.end(), random);
    for (size_t n = 0; n < list.size(); n++) row[n] = list[n].first, crd[n] = list[n].second;
  }
  std::vector<double> vals;
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(crd.size()) * c.major * c.minor; n++)
    vals.push_back(static_cast<double>(1 + random() % 9));
  Data data{{rows, columns}, {{"crd", layouts::indices(crd)}, {"vals", layouts::reals(vals)}}};
  if (c.is_list) data.arrays["row"] = layouts::indices(row);
  else if (c.gaps) data.arrays["first"] = layouts::indices(first), data.arrays["last"] = layouts::indices(last);
  else data.arrays["pos"] = layouts::indices(pos);
  if (c.permuted && !c.is_list) data.arrays["perm"] = layouts::indices(perm);
  return data;
}

/// Runs the statement with A in this layout; what is wrong, if anything.
std::optional<std::string> check(const std::string& text, const polyhedral::UsedLayout& used, const AnyTensor& a,
                                 std::mt19937& random) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> vars;
  std::map<std::string, AnyTensor> operands;
  reference::Operands boxes;
  for (const notation::TensorUse& use : parsed.tensors) {
    Format format = use.name == "A"   ? used.format
                    : use.name == "x" ? parse_format("sparse", 1)
                    : use.name == "B" ? parse_format("csr", 2)
                                      : Format::dense(use.order);
    vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
    if (!use.is_operand) continue;
    AnyTensor tensor = a;
    if (use.name != "A") {
      std::vector<std::int64_t> dimensions = a.dimensions();
      if (use.order == 1) dimensions = {dimensions[1]};
      Coordinates entries{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()), Array()};
      std::vector<double> values;
      reference::for_each_coordinate(dimensions, [&](const std::vector<std::int64_t>& at) {
        if (random() % 3 != 0) return;
        for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
        values.push_back(static_cast<double>(1 + random() % 9));
      });
      entries.values = layouts::reals(values);
      tensor = AnyTensor::pack(entries, format);
    }
    boxes.emplace(use.name, reference::box_of(tensor));
    operands.emplace(use.name, std::move(tensor));
  }
  Arguments arguments;
  for (const auto& [name, tensor] : operands) arguments.emplace_back(name, tensor);
  try {
    notation::Statement statement = notation::resolve(parsed, vars);
    reference::Box expected = reference::evaluate(statement, boxes, {});
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    return check_kernel(Kernel::compile(statement, options), arguments, {},
                        reference::stored_in(expected, statement.lhs.tensor.format()), 1e-9);
  } catch (...) {
    return describe_exception();
  }
}

/// Do all properties hold, of every two points and places?  The slow way.
bool holds(const layouts::Layout& layout, const Formula& written, const Data& data) {
  layouts::Evaluator evaluator(layout, data);
  layouts::Property property = layouts::resolve(layout, written);
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> instances;
  if (property.term) {
    const layouts::Term& term = layout.terms[*property.term];
    names = term.physical;
    names.insert(names.end(), term.logical.begin(), term.logical.end());
    layouts::for_each_point(evaluator, [&](const layouts::Point& point) {
      instances.push_back(point.variables);
      instances.back().insert(instances.back().end(), point.coordinates.begin(), point.coordinates.end());
    });
  } else {
    instances = {{}};
    for (const layouts::Property::Place& place : property.places) {
      names.push_back(place.name);
      std::vector<std::vector<std::int64_t>> more;
      for (const auto& values : instances) {
        for (std::int64_t p = 0; p < evaluator.extents(place.array)[place.number]; p++)
          more.push_back(values), more.back().push_back(p);
      }
      instances = std::move(more);
    }
  }
  layouts::Evaluator::Slots slots;
  for (bool primed : {false, true}) {
    for (const std::string& name : names) slots.emplace(std::pair(name, primed), slots.size());
  }
  layouts::Evaluator::Test test = evaluator.compile(property.formula, slots);
  for (const auto& a : instances) {
    for (const auto& b : instances) {
      std::vector<std::int64_t> both = a;
      both.insert(both.end(), b.begin(), b.end());
      if (!evaluator.holds(test, both)) return false;
    }
  }
  return true;
}

/// Changes one index array a little.
void change(const layouts::Layout& layout, Data& data, std::mt19937& random) {
  std::vector<std::string> arrays;
  for (const auto& [name, array] : data.arrays) {
    if (!layout.holds_values(name) && array.count() > 0) arrays.push_back(name);
  }
  Array& array = data.arrays.at(arrays[random() % arrays.size()]);
  auto place = [&] { return static_cast<std::int64_t>(random() % static_cast<unsigned>(array.count())); };
  std::int64_t a = place(), b = place(), held = array.index_at(a);
  switch (random() % 4) {
    case 0: array.set_index(a, array.index_at(b)), array.set_index(b, held); break;
    case 1: array.set_index(a, array.index_at(b)); break;
    case 2: array.set_index(a, held + 1); break;
    default: array.set_index(a, held - 1); break;
  }
}

/// Can the points be gone through without leaving an array?
bool is_within_arrays(const layouts::Layout& layout, const Data& data) {
  try {
    layouts::for_each_point(layouts::Evaluator(layout, data), [](const layouts::Point&) {});
    return true;
  } catch (const UserError&) {
    return false;
  }
}

Data copy_of(const Data& data) {
  Data out{data.dimensions, {}};
  for (const auto& [name, array] : data.arrays) out.arrays.emplace(name, array.copy());
  return out;
}

/// Data that breaks this property and no other one; nothing if none was found.
std::optional<Data> broken(const layouts::Layout& layout, size_t property, const Data& data, std::mt19937& random) {
  for (int attempt = 0; attempt < 60; attempt++) {
    Data changed = copy_of(data);
    for (int times = 1 + attempt / 20; times > 0; times--) change(layout, changed, random);
    if (!is_within_arrays(layout, changed)) continue;
    bool only = true;
    for (size_t n = 0; only && n < layout.properties.size(); n++)
      only = holds(layout, layout.properties[n], changed) == (n != property);
    if (only) return changed;
  }
  return std::nullopt;
}

TEST(RandomLayouts, GiveTheOraclesResultsAndRefuseBrokenData) {
  const int count = std::getenv("FILIGREE_ALL") ? 200 : 25;
  int refused = 0, direct = 0, broken = 0;
  for (int number = 0; number < count; number++) {
    std::mt19937 random(static_cast<unsigned>(number) * 7919 + 1);
    Choice choice = choose(random);
    std::string text = text_of(choice, number);
    polyhedral::UsedLayout used = polyhedral::use_layout(layouts::parse_layout(text));
    direct += used.direct;
    for (std::int64_t rows : {7, 1}) {
      Data data = data_for(choice, rows, 8, random);
      AnyTensor a = polyhedral::make_tensor(used, data, "A");
      for (const char* statement : {"y(i) = A(i,j)*x(j)", "C(i,j) = A(i,j)*B(i,j)", "C(i,j) = A(i,j) + B(i,j)"}) {
        std::optional<std::string> wrong = check(statement, used, a, random);
        EXPECT_FALSE(wrong) << statement << " with\n" << text << *wrong;
      }
      // The order of two blocks of one line is changed: then a property is broken, or none is about it.
      if (choice.order != Order::Rising || choice.is_list) continue;
      Array& crd = data.arrays.at("crd");
      const Array& ends = data.arrays.at(choice.gaps ? "last" : "pos");
      std::int64_t first = choice.gaps ? data.arrays.at("first").index_at(0) : 0,
                   end = ends.index_at(choice.gaps ? 0 : 1);
      if (end - first < 2) continue;
      std::int64_t held = crd.index_at(first);
      crd.set_index(first, crd.index_at(first + 1)), crd.set_index(first + 1, held);
      broken++;
      std::optional<AnyTensor> changed;
      try {
        changed = polyhedral::make_tensor(used, data, "A");
      } catch (const UserError&) {
        refused++;
      }
      // Of what is outside of the tensor, nothing is said.
      std::optional<std::string> wrong = changed ? check("C(i,j) = A(i,j)*B(i,j)", used, *changed, random)
                                                 : std::nullopt;
      EXPECT_FALSE(wrong) << "changed, with\n" << text << *wrong;
    }
  }
  EXPECT_GT(refused, broken / 2);
  fmt::print("{} layouts, {} used directly; {} of {} changed arrays refused\n", count, direct, refused, broken);
}

/// Data that breaks a property is refused.  Without the property it is not; then nothing may rely on it.
TEST(RandomLayouts, RelyOnNothingThatIsNotStated) {
  const int count = std::getenv("FILIGREE_ALL") ? 200 : 15;
  int mutations = 0;
  for (int number = 0; mutations < count && number < 20 * count; number++) {
    std::mt19937 random(static_cast<unsigned>(number) * 104729 + 5);
    Choice choice = choose(random);
    layouts::Layout layout = layouts::parse_layout(text_of(choice, 1000000 + number));
    if (layout.properties.empty()) continue;
    Data data = data_for(choice, 7, 8, random);
    size_t property = random() % layout.properties.size();
    std::optional<Data> changed = broken(layout, property, data, random);
    if (!changed) continue;
    mutations++;
    EXPECT_FALSE(layouts::find_violations(layout, *changed).empty()) << to_string(layout);
    layouts::Layout less = layout;
    less.properties.erase(less.properties.begin() + static_cast<std::ptrdiff_t>(property));
    ASSERT_TRUE(layouts::find_violations(less, *changed).empty()) << to_string(less);
    polyhedral::UsedLayout used = polyhedral::use_layout(less);
    AnyTensor a = polyhedral::make_tensor(used, *changed, "A");
    for (const char* statement : {"y(i) = A(i,j)*x(j)", "C(i,j) = A(i,j)*B(i,j)", "C(i,j) = A(i,j) + B(i,j)"}) {
      std::optional<std::string> wrong = check(statement, used, a, random);
      EXPECT_FALSE(wrong) << statement << " without '" << to_string(layout.properties[property]) << "' in\n"
                          << to_string(layout) << *wrong;
    }
  }
  EXPECT_EQ(mutations, count);
}

}  // namespace
}  // namespace filigree::differential
