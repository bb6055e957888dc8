// Arrays by name as data of a layout, and layouts put together in C++.
#include <gtest/gtest.h>

#include "layouts/build.h"
#include "layouts/given.h"
#include "layouts/points.h"
#include "tests/layouts/examples.h"

namespace filigree::layouts {
namespace {

std::map<std::string, ShapedArray> arrays_of_blocks() {
  std::vector<double> values(2 * 8 * 8, 1);
  std::map<std::string, ShapedArray> arrays;
  arrays["pos"] = {{2}, indices({0, 2})};
  arrays["start"] = {{2}, indices({0, 9}).converted(ElementType::Int16)};
  arrays["vals"] = {{2, 8, 8}, reals(values)};
  return arrays;
}

std::string message_of(const std::string& layout, std::map<std::string, ShapedArray> arrays,
                       const std::optional<std::vector<std::int64_t>>& dimensions) {
  try {
    given_data(example(layout), std::move(arrays), dimensions, "A");
  } catch (const UserError& error) {
    return error.message();
  }
  return "";
}

TEST(GivenData, TakesNarrowIntegersAndShapes) {
  Data data = given_data(example("bcsr8u"), arrays_of_blocks(), std::vector<std::int64_t>{8, 20}, "A");
  EXPECT_EQ(data.arrays.at("start").type(), ElementType::Int64);
  EXPECT_TRUE(find_violations(example("bcsr8u"), data).empty());
  EXPECT_EQ(unpack(example("bcsr8u"), data).count(), 128);
}

TEST(GivenData, SaysWhatDoesNotFit) {
  EXPECT_EQ(message_of("bcsr8u", arrays_of_blocks(), std::nullopt),
            "The arrays of 'A' do not tell how large its dimension 'rows' is");
  std::map<std::string, ShapedArray> arrays = arrays_of_blocks();
  arrays["vals"].shape = {8, 2, 8};
  EXPECT_EQ(message_of("bcsr8u", arrays, std::vector<std::int64_t>{8, 20}),
            "The array 'vals' of the layout 'bcsr8u' is 8 x 2 x 8, but must be 2 x 8 x 8");
  arrays.erase("vals");
  EXPECT_EQ(message_of("bcsr8u", arrays, std::vector<std::int64_t>{8, 20}),
            "The array 'vals' of the layout 'bcsr8u' is missing");
}

TEST(GivenData, LearnsDimensionsFromArrays) {
  std::map<std::string, ShapedArray> arrays;
  arrays["ecol"] = {{3, 1}, indices({0, 2, -1})};
  arrays["evals"] = {{3, 1}, reals({1, 2, 0})};
  arrays["row"] = {{1}, indices({2})};
  arrays["col"] = {{1}, indices({1})};
  arrays["vals"] = {{1}, reals({4})};
  EXPECT_EQ(message_of("hyb", arrays, std::nullopt),
            "The arrays of 'A' do not tell how large its dimension 'columns' is");
  Layout square = parse_layout(
      "layout square(n, n) { arrays start(n + 1), crd(entries), vals(entries) [r, p] -> [i, j] : 0 <= r < n and "
      "start(r) <= p < start(r + 1) and i = r and j = crd(p) value vals(p) }");
  std::map<std::string, ShapedArray> compressed;
  compressed["start"] = {{4}, indices({0, 1, 1, 2})};
  compressed["crd"] = {{2}, indices({2, 0})};
  compressed["vals"] = {{2}, reals({5, 6})};
  EXPECT_EQ(given_data(square, compressed, std::nullopt, "A").dimensions, (std::vector<std::int64_t>{3, 3}));
}

TEST(Build, MakesTheLayoutThatTheTextDescribes) {
  using build::ArrayName, build::Description, build::implies, build::Value;
  Value rows("rows"), columns("columns"), entries("entries");
  Value pi("pi"), pj("pj"), i("i"), j("j"), a("a");
  ArrayName pos("pos", {rows + 1}), crd("crd", {entries}), vals("vals", {entries});
  Description description("csr", {rows, columns});
  description.arrays({pos, crd, vals})
      .relation({pi, pj}, {i, j}, 0 <= pi && pi < rows && pos(pi) <= pj && pj < pos(pi + 1) && i == pi && j == crd(pj),
                vals(pj))
      .where(implies(a <= a.other(), pos(a) <= pos(a.other())))
      .where(0 <= crd(a) && crd(a) < columns)
      .where(implies(pi == pi.other() && a < a.other(), crd(a) < crd(a.other())));
  EXPECT_EQ(description.layout(), example("csr"));
}

TEST(Build, RefusesWhatIsNoLayout) {
  using build::ArrayName, build::Description, build::Value;
  Value n("n"), p("p"), i("i");
  ArrayName vals("vals", {n});
  EXPECT_THROW(ArrayName("two words", {n}), UserError);
  EXPECT_THROW(Description("v", {n + 1}), UserError);
  EXPECT_THROW(Description("v", {n}).relation({p}, {i}, 0 <= p && p < n && i == p, p), UserError);
  EXPECT_THROW(Description("v", {n}).arrays({vals}).relation({p}, {i}, 0 <= p && p < n && i == p / 0, vals(p)).layout(),
               UserError);
  EXPECT_THROW(Description("v", {n}).arrays({vals}).relation({p}, {i}, 0 <= p && i == p, vals(p)).layout(), UserError);
}

}  // namespace
}  // namespace filigree::layouts
