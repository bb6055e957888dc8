// Parts of the tool that are functions: comparing results, the first entries of a tensor, bars, what entries are like.
#include <gtest/gtest.h>

#include <limits>

#include "bars.h"
#include "describe_contents.h"
#include "first_entries.h"
#include "same_values.h"

namespace filigree::tool {
namespace {

struct Entry {
  std::vector<std::int64_t> at;
  double value;
};

Coordinates coordinates(std::vector<std::int64_t> dimensions, const std::vector<Entry>& entries,
                        ElementType type = ElementType::Float64) {
  Coordinates list;
  list.coordinate.resize(dimensions.size());
  list.dimensions = std::move(dimensions);
  list.values = Array(type, static_cast<std::int64_t>(entries.size()));
  for (size_t n = 0; n < entries.size(); n++) {
    for (size_t d = 0; d < entries[n].at.size(); d++) list.coordinate[d].push_back(entries[n].at[d]);
    list.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, entries[n].value).cast(type));
  }
  return list;
}

AnyTensor matrix(const std::string& format, const std::vector<Entry>& entries,
                 ElementType type = ElementType::Float64) {
  return AnyTensor::pack(coordinates({3, 3}, entries, type), parse_format(format, 2));
}

TEST(FindDifference, IsNothingForOtherFormatsAndOrdersOfAddition) {
  std::vector<Entry> entries = {{{0, 1}, 2}, {{2, 0}, 1e6}, {{2, 2}, -4}};
  AnyTensor expected = matrix("csr", entries);
  for (const char* format : {"csr", "csc", "dense", "coo", "hash", "bcsr(2,2)", "ell"})
    EXPECT_EQ(find_difference(expected, matrix(format, entries)), std::nullopt) << format;
  entries[1].value *= 1 + 1e-13;
  entries.push_back({{1, 1}, 1e-10});  // what cancels may leave a rest that is small beside the largest
  EXPECT_EQ(find_difference(expected, matrix("csr", entries)), std::nullopt);
  AnyTensor nan = matrix("csr", {{{0, 0}, std::nan("")}});
  EXPECT_EQ(find_difference(nan, nan), std::nullopt);
}

TEST(FindDifference, TellsTheLargestOne) {
  std::vector<Entry> entries = {{{0, 1}, 2}, {{2, 0}, 3}};
  AnyTensor expected = matrix("csr", entries);
  EXPECT_EQ(find_difference(expected, matrix("dense", {{{0, 1}, 2.5}, {{2, 0}, 3}})), "2.5 instead of 2 at 1 2");
  EXPECT_EQ(find_difference(expected, matrix("coo", {{{0, 1}, 2.5}})), "0 instead of 3 at 3 1");
  EXPECT_EQ(find_difference(matrix("coo", {{{0, 1}, 2}}), expected), "3 instead of 0 at 3 1");
  EXPECT_EQ(find_difference(matrix("csr", entries, ElementType::Int64),
                            matrix("csr", {{{0, 1}, 2}, {{2, 0}, 4}}, ElementType::Int64)),
            "4 instead of 3 at 3 1");
  EXPECT_EQ(find_difference(AnyTensor::scalar(Scalar::of(ElementType::Float64, 1.0)),
                            AnyTensor::scalar(Scalar::of(ElementType::Float64, 2.0))),
            "2 instead of 1");
  AnyTensor filled = matrix("csr", entries);
  filled.set_fill(Scalar::of(ElementType::Float64, 7.0));
  EXPECT_EQ(find_difference(expected, filled), "7 instead of 0");
}

TEST(FindDifference, TellsInfinitiesFromOtherNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  auto with = [](double value) { return matrix("csr", {{{0, 0}, value}, {{1, 1}, 2}}); };
  EXPECT_EQ(find_difference(with(inf), with(inf)), std::nullopt);
  EXPECT_EQ(find_difference(with(inf), with(5)), "5 instead of inf at 1 1");
  EXPECT_EQ(find_difference(with(5), with(inf)), "inf instead of 5 at 1 1");
  EXPECT_EQ(find_difference(with(inf), with(-inf)), "-inf instead of inf at 1 1");
  EXPECT_EQ(find_difference(with(std::nan("")), with(inf)), "inf instead of nan at 1 1");
  AnyTensor shifted = matrix("csr", {{{0, 0}, 1.5}, {{1, 1}, std::nan("")}});
  EXPECT_EQ(find_difference(with(1), shifted), "nan instead of 2 at 2 2") << "no difference is larger";
}

TEST(FirstEntries, AreThoseWithTheSmallestCoordinatesInEveryFormat) {
  std::vector<Entry> entries = {{{2, 2}, 5}, {{0, 2}, 2}, {{1, 1}, 3}, {{0, 0}, 1}, {{2, 0}, 4}};
  for (const char* format : {"csr", "csc", "dcsr", "coo", "coo_aos", "hash", "dok", "bitmap", "coo(unordered)",
                             "coo(nonunique)", "csr(unordered)", "bcsr(1,1)", "sparse"}) {
    Coordinates first = first_entries(matrix(format, entries), 3);
    EXPECT_EQ(first.coordinate, (std::vector<std::vector<std::int64_t>>{{0, 0, 1}, {0, 2, 1}})) << format;
    EXPECT_EQ(first.values.get(1).as_double(), 2) << format;
    EXPECT_EQ(first_entries(matrix(format, entries), 0).count(), 0) << format;
    EXPECT_EQ(first_entries(matrix(format, entries), 99).count(), 5) << format;
  }
  Coordinates both = first_entries(matrix("symmetric", {{{0, 0}, 1}, {{2, 0}, 4}, {{0, 2}, 4}}), 2);
  EXPECT_EQ(both.coordinate, (std::vector<std::vector<std::int64_t>>{{0, 0}, {0, 2}}));
}

TEST(Bar, IsMadeOfEighthsAndNeverEmpty) {
  EXPECT_EQ(bar(1, 4, true), "████");
  EXPECT_EQ(bar(0.5, 3, true), "█▌");
  EXPECT_EQ(bar(0, 4, true), "▏");
  EXPECT_EQ(bar(0.5, 4, false), "##");
  EXPECT_EQ(bar(0, 4, false), "#");
}

TEST(DescribeSymmetry, TellsWhatTheEntriesAreLike) {
  auto describe = [](const std::vector<Entry>& entries, ElementType type = ElementType::Float64) {
    return describe_symmetry(coordinates({3, 3}, entries, type), {});
  };
  EXPECT_EQ(describe({{{0, 0}, 1}, {{0, 1}, 2}, {{1, 0}, 2}}), "symmetry     symmetric\n");
  EXPECT_EQ(describe({{{0, 1}, 2}, {{1, 0}, 1}, {{1, 0}, 1}}), "symmetry     symmetric\n")
      << "entries at one place are summed";
  EXPECT_EQ(describe({{{0, 1}, 2}, {{1, 0}, -2}}), "symmetry     skew-symmetric\n");
  EXPECT_EQ(describe({{{0, 1}, 2}, {{1, 0}, 5}}),
            "symmetry     of the pattern only: values and their mirror images differ by up to 3\n");
  EXPECT_EQ(describe({{{0, 1}, 2}, {{1, 0}, 5}, {{2, 1}, 1}}),
            "symmetry     none: of 3 entries off the diagonal, 2 have a mirror image\n");
  EXPECT_EQ(describe({{{0, 1}, 2}}), "symmetry     none\n");
  EXPECT_EQ(describe({{{0, 1}, 200}, {{1, 0}, 200}}, ElementType::UInt8), "symmetry     symmetric\n");
  EXPECT_EQ(describe_symmetry(coordinates({3, 2}, {{{0, 1}, 2}}), {}), "") << "not square";
  EXPECT_EQ(describe_symmetry(coordinates({3, 3}, {{{0, 1}, 2}, {{1, 0}, 2}}), {"coordinate", "real", "symmetric"}),
            "symmetry     symmetric; the file holds one half\n");
}

TEST(DescribeRange, CountsWhatIsNoOrdinaryNumber) {
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(describe_range(coordinates({9}, {{{0}, 2}, {{1}, -1}, {{2}, 0}})), "range        -1 to 2; 1 zero\n");
  EXPECT_EQ(describe_range(coordinates({9}, {{{0}, 2}, {{1}, std::nan("")}, {{2}, -inf}})),
            "range        -inf to 2; 0 zeros; 1 infinite; 1 nan\n");
  EXPECT_EQ(describe_range(coordinates({9}, {{{0}, std::nan("")}})), "range        0 zeros; 1 nan\n");
  EXPECT_EQ(describe_range(coordinates({9}, {{{0}, 200}}, ElementType::UInt8)), "range        all 200; 0 zeros\n");
  EXPECT_EQ(describe_range(coordinates({9}, {})), "");
}

TEST(DescribeEmpty, CountsCoordinatesWithoutEntries) {
  EXPECT_EQ(describe_empty(coordinates({3, 2}, {{{0, 1}, 2}, {{2, 1}, 2}})),
            "empty        1 of 3 rows, 1 of 2 columns\n");
  std::int64_t huge = std::int64_t{1} << 60;
  EXPECT_EQ(describe_empty(coordinates({huge}, {{{7}, 2}, {{huge - 1}, 2}, {{7}, 1}})),
            "empty        1152921504606846974 of 1152921504606846976 coordinates\n");
  EXPECT_EQ(describe_empty(coordinates({1, 2, 2}, {{{0, 1, 1}, 2}})),
            "empty        0 of 1 in dimension 1, 1 of 2 in dimension 2, 1 of 2 in dimension 3\n");
}

}  // namespace
}  // namespace filigree::tool
