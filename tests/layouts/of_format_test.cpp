// What formats state of themselves is what they store.
#include <random>

#include <gtest/gtest.h>

#include "layouts/of_format.h"
#include "layouts/points.h"

namespace filigree::layouts {
namespace {

Coordinates random_matrix(std::int64_t rows, std::int64_t columns, bool lower, bool upper, unsigned seed) {
  std::mt19937 random(seed);
  Coordinates entries{{rows, columns}, {{}, {}}, Array()};
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < columns; j++) {
      if (random() % 3 != 0 || (lower && j > i) || (upper && j < i)) continue;
      entries.coordinate[0].push_back(i), entries.coordinate[1].push_back(j);
    }
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(entries.coordinate[0].size()));
  for (std::int64_t n = 0; n < entries.values.count(); n++)
    entries.values.set(n, Scalar::of(ElementType::Float64, double(n + 1)));
  return entries;
}

using Stored = std::multimap<std::vector<std::int64_t>, double>;

TEST(LayoutOf, SaysWhatAFormatStores) {
  for (const char* name : {"dense",
                           "csr",
                           "csc",
                           "dcsr",
                           "dcsc",
                           "coo",
                           "coo(unordered)",
                           "coo_aos",
                           "bcsr(2,3)",
                           "mode_generic(2,2)",
                           "csb(4,4)",
                           "dia",
                           "(i,j) -> (j-i: hashed, i: range, j: offset)",
                           "(i,j) -> (i: dense, j-i: hashed)",
                           "ell",
                           "hash",
                           "dok",
                           "lower",
                           "upper",
                           "bitmap",
                           "ds:1,0",
                           "(i,j) -> (i: compressed(unordered), j: compressed(decreasing))",
                           "(i,j) -> (i/2: compressed, j: dense, i%2: dense)"}) {
    Format format = parse_format(name, 2);
    std::optional<Layout> layout = layout_of(format);
    ASSERT_TRUE(layout) << name;
    EXPECT_NO_THROW(check(*layout)) << name << "\n" << to_string(*layout);
    EXPECT_EQ(parse_layout(to_string(*layout)), *layout) << to_string(*layout);
    std::string text = name;
    AnyTensor tensor = AnyTensor::pack(random_matrix(7, 7, text == "lower", text == "upper", 3), format);
    Data data = data_of(tensor);
    EXPECT_EQ(find_violations(*layout, data), std::vector<std::string>()) << name << "\n" << to_string(*layout);
    Stored stored, related;
    tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
      stored.emplace(at, tensor.values().as<double>()[static_cast<size_t>(position)]);
    });
    Coordinates entries = unpack(*layout, data);
    for (std::int64_t n = 0; n < entries.count(); n++) {
      size_t e = static_cast<size_t>(n);
      related.emplace(std::vector{entries.coordinate[0][e], entries.coordinate[1][e]}, entries.values.as<double>()[e]);
    }
    EXPECT_EQ(stored, related) << name << "\n" << to_string(*layout);
  }
}

/// Broken arrays break what the format states.
TEST(LayoutOf, StatesPropertiesThatDataCanBreak) {
  AnyTensor tensor = AnyTensor::pack(random_matrix(7, 7, false, false, 3), parse_format("csr", 2));
  Data data = data_of(tensor);
  Array& crd = data.arrays.at("crd2");
  std::int64_t held = crd.index_at(0);
  crd.set_index(0, crd.index_at(1));
  std::vector<std::string> wrong = find_violations(*layout_of(tensor.format()), data);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0], "'c1 = c1' and p2 < p2' -> crd2(p2) < crd2(p2')' does not hold at c1 = 0, p2 = 0, i = 0, j = " +
                          std::to_string(crd.index_at(1)) +
                          "; c1' = 0, p2' = 1, i' = 0, j' = " + std::to_string(crd.index_at(1)));
  crd.set_index(0, held);
  EXPECT_TRUE(find_violations(*layout_of(tensor.format()), data).empty());
}

}  // namespace
}  // namespace filigree::layouts
