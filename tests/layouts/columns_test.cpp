// Expressions at many points at once are what they are at each of them, and few pairs tell what all pairs do.
#include <random>

#include <gtest/gtest.h>

#include "layouts/columns.h"
#include "layouts/pack.h"
#include "layouts/points.h"
#include "tests/layouts/examples.h"

namespace filigree::layouts {
namespace {

Coordinates random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Coordinates entries{{rows, columns}, {{}, {}}, Array()};
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < columns; j++) {
      if (random() % 3 != 0) continue;
      entries.coordinate[0].push_back(i), entries.coordinate[1].push_back(j);
      values.push_back(static_cast<double>(values.size() + 1));
    }
  }
  entries.values = reals(values);
  return entries;
}

TEST(ValuesAt, AreThoseOfEachPoint) {
  Layout layout = parse_layout(
      "layout l(n) {\n  arrays a(m), vals(m)\n  [p] -> [i] : 0 <= p < m and i = a(p)\n  value vals(p)\n"
      "  where 7*a(x)/4 - 3*(a(x)%5) + a(x)*a(x)%16 <= n + a(x)/(x + 1)\n}\n");
  Data data{{1000}, {{"a", indices({3, 900, 14, 0, 77})}, {"vals", reals({1, 2, 3, 4, 5})}}};
  Evaluator evaluator(layout, data);
  Evaluator::Slots slots = {{{"x", false}, 0}};
  const Formula& property = layout.properties[0];
  Evaluator::Code code = evaluator.compile(property.sides[0], slots);
  Evaluator::Test test = evaluator.compile(property, slots);
  Columns columns(1);
  for (size_t n = 0; n < 2000; n++) columns[0].push_back(static_cast<std::int64_t>(n % 5));
  Column values = values_at(evaluator, code, columns, columns[0].size());
  std::vector<char> holds = holds_at(evaluator, test, columns, columns[0].size());
  for (size_t n = 0; n < columns[0].size(); n++) {
    EXPECT_EQ(values[n], evaluator.value(code, {columns[0][n]}));
    EXPECT_EQ(holds[n] != 0, evaluator.holds(test, {columns[0][n]}));
  }
}

TEST(ValuesAt, RefuseThePlaceThatIsOutside) {
  Layout layout = example("sparse_vector");
  Data data{{9}, {{"idx", indices({3, 5, 8})}, {"vals", reals({1, 2, 3})}}};
  Evaluator evaluator(layout, data);
  Expr read = Expr::read("idx", {Expr::name("x")});
  Evaluator::Code code = evaluator.compile(read, {{{"x", false}, 0}});
  Columns columns = {{0, 2, 3}};
  EXPECT_THROW(values_at(evaluator, code, columns, 3), UserError);
  EXPECT_EQ(elements_or_none(evaluator, code, columns, 3), (Column{0, 2, -1}));
}

/// The property at every pair of points, or of places.
bool holds_everywhere(const Layout& layout, const Evaluator& evaluator, const Formula& written) {
  Property property = resolve(layout, written);
  std::vector<std::vector<std::int64_t>> instances;
  std::vector<std::string> names;
  if (property.term) {
    const Term& term = layout.terms[*property.term];
    names = term.physical;
    names.insert(names.end(), term.logical.begin(), term.logical.end());
    for_each_point(evaluator, [&](const Point& point) {
      if (point.term != *property.term) return;
      instances.push_back(point.variables);
      instances.back().insert(instances.back().end(), point.coordinates.begin(), point.coordinates.end());
    });
  } else {
    instances = {{}};
    for (const Property::Place& place : property.places) {
      names.push_back(place.name);
      std::vector<std::vector<std::int64_t>> more;
      for (const auto& instance : instances) {
        for (std::int64_t p = 0; p < evaluator.extents(place.array)[place.number]; p++)
          more.push_back(instance), more.back().push_back(p);
      }
      instances = more;
    }
  }
  Evaluator::Slots slots;
  for (bool second : {false, true}) {
    for (const std::string& name : names) slots.emplace(std::pair(name, second), slots.size());
  }
  Evaluator::Test test = evaluator.compile(property.formula, slots);
  for (const auto& a : instances) {
    for (const auto& b : instances) {
      Evaluator::Values both = a;
      both.insert(both.end(), b.begin(), b.end());
      if (!evaluator.holds(test, both)) return false;
    }
  }
  return true;
}

TEST(FindViolations, FindsWhatComparingAllPairsFinds) {
  std::mt19937 random(7);
  int broken = 0, compared = 0;
  for (const char* name : {"csr", "dcsr", "coo_sorted", "coo_unsorted", "bcsr8u", "jds", "permuted_rows",
                           "sell_c_sigma", "sliced_ell", "two_four", "morton"}) {
    Layout layout = example(name);
    // Falling orders, and premises of other forms.
    if (std::string(name) == "csr") {
      Layout falls = parse_layout(
          "layout csr(rows, columns) {\n arrays pos(rows + 1), crd(entries), vals(entries)\n"
          " [pi, pj] -> [i, j] : 0 <= pi < rows and pos(pi) <= pj < pos(pi + 1) and i = pi and j = crd(pj)\n"
          " value vals(pj)\n where pi = pi' and a < a' -> crd(a') <= crd(a)\n where pi' = pi and a != a' -> crd(a') != "
          "crd(a)\n where a <= a' and crd(a) != 3 -> crd(a) < crd(a') + 4\n}\n");
      layout.properties.insert(layout.properties.end(), falls.properties.begin(), falls.properties.end());
    }
    for (unsigned seed = 0; seed < 12; seed++) {
      Coordinates entries = random_matrix(8, 7, seed);
      Data data{entries.dimensions, {}};
      if (std::string(name) == "jds") add_jagged(rows_of(entries), data);
      else if (std::string(name) == "permuted_rows") add_permuted(rows_of(entries), data);
      else if (std::string(name) == "sliced_ell") add_slices(rows_of(entries), {0, 1, 2, 3, 4, 5, 6, 7}, data);
      else if (why_not_packed(layout)) continue;
      else data.arrays = pack_arrays(layout, entries.dimensions, entries.coordinate).arrays;
      if (seed % 4 != 0) {  // something changes
        std::vector<std::string> index;
        for (const auto& [array, values] : data.arrays)
          if (!layout.holds_values(array) && values.count() > 0) index.push_back(array);
        if (index.empty()) continue;
        Array& changed = data.arrays.at(index[random() % index.size()]);
        auto any = [&] { return static_cast<std::int64_t>(random() % static_cast<unsigned>(changed.count())); };
        std::int64_t place = any();
        changed.set_index(place, changed.index_at(any()));
      }
      std::optional<bool> expected;
      for (const Formula& property : layout.properties) {
        Layout one = layout;
        one.properties = {property};
        try {
          Evaluator evaluator(one, data);
          expected = holds_everywhere(one, evaluator, property);
        } catch (const UserError&) {
          expected = false;  // a place outside of an array
        }
        compared++;
        broken += !*expected;
        EXPECT_EQ(find_violations(one, data).empty(), *expected) << name << ", " << to_string(property) << ", " << seed;
      }
    }
  }
  EXPECT_GT(broken, 20);
  EXPECT_GT(compared - broken, 100);
}

}  // namespace
}  // namespace filigree::layouts
