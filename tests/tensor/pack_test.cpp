#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tensor/sort.h"
#include "tensor/any_tensor.h"
#include "tests/tensor/entries.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using testing_support::Components;
using testing_support::error_of;
using testing_support::make_entries;
using testing_support::sums;

Components components(const AnyTensor& tensor) {
  Components result;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    EXPECT_TRUE(result.emplace(at, tensor.values().as<double>()[position]).second) << "visited twice";
  });
  return result;
}

std::vector<std::int64_t> indices(const Array& array) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < array.count(); i++) all.push_back(array.index_at(i));
  return all;
}

/// Packs in every combination of level formats and dimension orders and compares with the entries.
void check_all_formats(const Coordinates& entries) {
  int order = entries.order();
  Components expected = sums(entries);
  std::vector<int> dimensions;
  for (int d = 0; d < order; d++) dimensions.push_back(d);
  do {
    for (int bits = 0; bits < 1 << order; bits++) {
      std::vector<Level> levels;
      for (int k = 0; k < order; k++)
        levels.push_back({dimensions[k], bits >> k & 1 ? level::compressed() : level::dense()});
      Format format(levels);
      SCOPED_TRACE(to_string(format));
      AnyTensor tensor = AnyTensor::pack(entries, format);
      tensor.validate();
      Components stored = components(tensor);
      ASSERT_EQ(static_cast<std::int64_t>(stored.size()), tensor.stored());
      for (const auto& [at, value] : expected) ASSERT_EQ(stored.count(at), 1u);
      for (const auto& [at, value] : stored) {
        auto found = expected.find(at);
        ASSERT_EQ(value, found == expected.end() ? 0 : found->second);
      }
      if (format == Format::sparse(order).reordered(dimensions)) {
        EXPECT_EQ(stored, expected);
      }
      Coordinates back = tensor.coordinates();
      EXPECT_EQ(back.is_dense, bits == 0);
      EXPECT_EQ(sums(back), stored);
      std::vector<int> in_order;
      for (int d = 0; d < order; d++) in_order.push_back(d);
      EXPECT_TRUE(is_sorted(back, in_order));
      AnyTensor again = AnyTensor::from_arrays(tensor.dimensions(), format, tensor.level_arrays(), tensor.values());
      EXPECT_EQ(components(again), stored);
    }
  } while (std::next_permutation(dimensions.begin(), dimensions.end()));
}

TEST(Pack, AgreesWithTheEntriesInEveryFormat) {
  std::mt19937 random(7);
  std::vector<std::vector<std::int64_t>> shapes = {{},        {5},       {1},          {0},         {3, 4},
                                                   {1, 7},    {4, 0},    {0, 4},       {1, 1},      {2, 3, 4},
                                                   {3, 0, 2}, {1, 2, 1}, {2, 3, 2, 3}, {1, 1, 4, 2}};
  for (const auto& shape : shapes) {
    bool empty = std::count(shape.begin(), shape.end(), 0) > 0;
    for (int count : {0, 1, 3, 20}) {
      if ((empty && count > 0) || (shape.empty() && count == 0)) continue;
      std::vector<std::pair<std::vector<std::int64_t>, double>> list;
      for (int n = 0; n < count; n++) {
        std::vector<std::int64_t> at;
        for (std::int64_t extent : shape) at.push_back(static_cast<std::int64_t>(random() % extent));
        list.push_back({at, static_cast<double>(random() % 9) - 4});
      }
      check_all_formats(make_entries(shape, list));
    }
  }
}

TEST(Pack, StoresCsrAsThePapersDo) {
  AnyTensor tensor = AnyTensor::pack(make_entries({4, 3}, {{{2, 2}, 4}, {{0, 1}, 2}, {{2, 0}, 3}, {{0, 0}, 1}}),
                                     parse_format("csr", 2));
  EXPECT_EQ(indices(tensor.level_arrays()[1][0]), (std::vector<std::int64_t>{0, 2, 2, 4, 4}));
  EXPECT_EQ(indices(tensor.level_arrays()[1][1]), (std::vector<std::int64_t>{0, 1, 0, 2}));
  EXPECT_EQ(tensor.values().get(3).as_double(), 4);
  EXPECT_EQ(tensor.all_arrays().size(), 3u);
}

TEST(Pack, FollowsTheDuplicatePolicy) {
  Coordinates entries = make_entries({2, 2}, {{{1, 1}, 5}, {{0, 0}, 1}, {{1, 1}, 7}});
  Format csr = parse_format("csr", 2);
  EXPECT_EQ((components(AnyTensor::pack(entries, csr, Duplicates::Sum))[{1, 1}]), 12);
  EXPECT_EQ((components(AnyTensor::pack(entries, csr, Duplicates::Last))[{1, 1}]), 7);
  EXPECT_EQ(error_of([&] { AnyTensor::pack(entries, csr, Duplicates::Error, "B"); }),
            "error: Entries 0 and 2 of 'B' have the same coordinates (1, 1)\n"
            "note: entries and coordinates count from 0\n"
            "hint: remove one of them, or let duplicates be summed\n");
}

TEST(Pack, SumsInTheElementType) {
  for (ElementType type : all_element_types()) {
    Coordinates entries = make_entries({1}, {{{0}, 1}, {{0}, 1}});
    entries.values = entries.values.converted(type);
    AnyTensor tensor = AnyTensor::pack(entries, Format::sparse(1));
    EXPECT_EQ(tensor.type(), type);
    EXPECT_EQ(tensor.values().get(0),
              type == ElementType::Bool ? Scalar::boolean(true) : Scalar::of(type, std::int64_t{2}));
  }
}

TEST(Pack, SortsManyEntriesOfWideDimensions) {
  // Three dimensions of 40 bits do not fit in one 64-bit key; the count is worth two threads.
  std::mt19937_64 random(3);
  Coordinates entries;
  entries.dimensions = {std::int64_t{1} << 40, std::int64_t{1} << 40, std::int64_t{1} << 40};
  entries.coordinate.resize(3);
  const std::int64_t count = 300000;
  entries.values = Array(ElementType::Float64, count);
  for (std::int64_t n = 0; n < count; n++) {
    entries.coordinate[0].push_back(static_cast<std::int64_t>(random() % 3) << 38);
    entries.coordinate[1].push_back(static_cast<std::int64_t>(random() >> 24));
    entries.coordinate[2].push_back(static_cast<std::int64_t>(random() % 5));
    entries.values.as<double>()[n] = static_cast<double>(n);
  }
  for (const std::vector<int>& dimensions : std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    std::vector<std::int64_t> numbers = sorted_numbers(entries, dimensions);
    auto key = [&](std::int64_t n) {
      return std::tuple(entries.coordinate[dimensions[0]][n], entries.coordinate[dimensions[1]][n],
                        entries.coordinate[dimensions[2]][n], n);
    };
    for (size_t n = 1; n < numbers.size(); n++) ASSERT_LT(key(numbers[n - 1]), key(numbers[n]));
  }
  AnyTensor tensor = AnyTensor::pack(entries, Format::sparse(3));
  tensor.validate();
  EXPECT_EQ(tensor.level_arrays()[0][1].type(), ElementType::Int64);
  EXPECT_EQ(tensor.level_arrays()[0][0].type(), ElementType::Int32);
}

TEST(Pack, IndexWidthFollowsTheSize) {
  std::int64_t most = std::int64_t{1} << 31;
  EXPECT_EQ(AnyTensor::pack(make_entries({most}, {{{5}, 1}}), Format::sparse(1)).level_arrays()[0][1].type(),
            ElementType::Int32);
  EXPECT_EQ(AnyTensor::pack(make_entries({most + 1}, {{{5}, 1}}), Format::sparse(1)).level_arrays()[0][1].type(),
            ElementType::Int64);
}

TEST(Pack, RefusesWrongEntries) {
  Format csr = parse_format("csr", 2);
  EXPECT_EQ(
      error_of([&] { AnyTensor::pack(make_entries({2, 2}, {{{0, 0}, 1}, {{1, 2}, 1}}), csr, Duplicates::Sum, "B"); }),
      "error: Entry 1 of 'B' is at (1, 2), outside of the dimensions 2 x 2\n"
      "hint: coordinates count from 0 and are less than the dimension\n");
  EXPECT_NE(error_of([&] { AnyTensor::pack(make_entries({2, 2}, {{{-1, 0}, 1}}), csr); }).find("is at (-1, 0)"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { AnyTensor::pack(make_entries({2, -2}, {}), csr, Duplicates::Sum, "B"); }),
            "error: 'B' has a negative dimension: 2 x -2\n");
  EXPECT_EQ(error_of([&] { AnyTensor::pack(make_entries({2, 2, 2}, {}), csr, Duplicates::Sum, "B"); }),
            "error: The format (i,j) -> (i: dense, j: compressed) of 'B' has 2 dimensions, but the tensor has 3\n");
  Coordinates uneven = make_entries({2, 2}, {{{0, 0}, 1}});
  uneven.coordinate[1].push_back(0);
  EXPECT_EQ(error_of([&] { AnyTensor::pack(uneven, csr, Duplicates::Sum, "B"); }),
            "error: 'B' has 1 value, but 2 coordinates of dimension 1\n");
  uneven.coordinate.pop_back();
  EXPECT_EQ(error_of([&] { AnyTensor::pack(uneven, csr, Duplicates::Sum, "B"); }),
            "error: 'B' has 2 dimensions, but coordinates for 1\n");
  Format twice({{0, level::dense()}, {0, level::dense()}});
  EXPECT_EQ(error_of([&] { AnyTensor::pack(make_entries({2, 2}, {}), twice, Duplicates::Sum, "B"); }),
            "error: The format (i) -> (i: dense, i: dense) of 'B' has 1 dimension, but the tensor has 2\n");
  EXPECT_EQ(error_of([&] { AnyTensor::pack(make_entries({2}, {}), twice, Duplicates::Sum, "B"); }),
            "error: 'B' cannot be stored as (i) -> (i: dense, i: dense): 'i' is stored by two levels\n"
            "hint: leave one of them out: each dimension needs one level, or one for each part\n");
  Format workspace({{0, level::scattered()}});
  EXPECT_EQ(error_of([&] { AnyTensor::pack(make_entries({2}, {}), workspace, Duplicates::Sum, "w"); }),
            "error: Level format '" + level::scattered()->name() +
                "' cannot hold a level of 'w': it is for workspaces only\n");
}

TEST(Pack, RefusesWhatDoesNotFitInMemory) {
  std::int64_t million = 1000000;
  auto with_machine = [](std::string text) { return text.substr(0, text.find(", but this machine")); };
  EXPECT_EQ(with_machine(error_of([&] { AnyTensor(ElementType::Float64, {million, million}, Format::dense(2), "A"); })),
            "error: 'A' (1000000 x 1000000, float64, dense) needs 7.3 TiB of memory");
  EXPECT_EQ(with_machine(error_of(
                [&] { AnyTensor(ElementType::Float32, {million * million, 2}, parse_format("csr", 2), "A"); })),
            "error: 'A' (1000000000000 x 2, float32, csr) needs 3.6 TiB of memory");
  std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_NE(error_of([&] { AnyTensor(ElementType::Float64, {huge, huge, 0}, Format::dense(3), "A"); }), "no error");
  EXPECT_EQ(error_of([&] { AnyTensor(ElementType::Float64, {huge, huge}, Format::sparse(2), "A"); }), "no error");
  EXPECT_EQ(
      with_machine(error_of([&] { checked_dense_bytes({huge, huge, huge}, ElementType::Int8, "A"); }).substr(0, 20)),
      "error: 'A' (46116860");
  EXPECT_EQ(checked_dense_bytes({huge, huge, 0}, ElementType::Int8, "A"), 0);
  EXPECT_EQ(checked_dense_bytes({3, 4}, ElementType::Float64, "A"), 96);
}

TEST(Tensor, StartsEmpty) {
  AnyTensor tensor(ElementType::Int32, {2, 3}, parse_format("sd", 2));
  EXPECT_EQ(tensor.stored(), 0);
  AnyTensor dense(ElementType::Int32, {2, 3}, Format::dense(2));
  EXPECT_EQ(dense.stored(), 6);
  EXPECT_EQ(dense.values().get(5), Scalar(ElementType::Int32));
  EXPECT_EQ(AnyTensor().stored(), 1);
  EXPECT_EQ(AnyTensor().order(), 0);
  AnyTensor two = AnyTensor::scalar(Scalar::of(ElementType::Complex64, std::complex<double>(1, 2)));
  EXPECT_EQ(two.type(), ElementType::Complex64);
  EXPECT_EQ(two.values().get(0).as_complex(), std::complex<double>(1, 2));
  EXPECT_EQ(two.coordinates().count(), 1);
}

TEST(Statistics, CountsFibres) {
  AnyTensor tensor =
      AnyTensor::pack(make_entries({4, 3}, {{{0, 0}, 1}, {{0, 2}, 1}, {{2, 1}, 1}}), parse_format("csr", 2));
  const Statistics& statistics = tensor.statistics();
  EXPECT_EQ(statistics.stored, 3);
  ASSERT_EQ(statistics.levels.size(), 2u);
  EXPECT_EQ(statistics.levels[0].size, 4);
  EXPECT_EQ(statistics.levels[0].longest_fibre, 4);
  EXPECT_EQ(statistics.levels[1].size, 3);
  EXPECT_EQ(statistics.levels[1].fibres, 4);
  EXPECT_EQ(statistics.levels[1].longest_fibre, 2);
  EXPECT_DOUBLE_EQ(statistics.levels[1].average_fibre, 0.75);
  EXPECT_EQ(statistics.levels[1].bytes, 5 * 4 + 3 * 4);
  EXPECT_EQ(statistics.bytes, 5 * 4 + 3 * 4 + 3 * 8);
  EXPECT_EQ(&tensor.statistics(), &statistics);
}

TEST(Cast, SumsBeforeItConverts) {
  Coordinates twice{{4}, {{1, 1}}, Array(ElementType::Float64, 2)};
  for (int n = 0; n < 2; n++) twice.values.set(n, Scalar::of(ElementType::Float64, 0.6));
  Format repeats = parse_format("(i) -> (i: compressed(nonunique))", 1);
  AnyTensor tensor = AnyTensor::pack(twice, repeats, Duplicates::Sum);
  ASSERT_EQ(tensor.stored(), 2);
  Coordinates cast = tensor.cast(ElementType::Int32).coordinates();
  ASSERT_EQ(cast.count(), 1);
  EXPECT_EQ(cast.values.get(0), Scalar::of(ElementType::Int32, std::int64_t{1}));
}

}  // namespace
}  // namespace filigree
