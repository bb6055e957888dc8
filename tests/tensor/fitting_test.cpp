// Entries that do not suit a format: outside of a triangle, not symmetric, too scattered.
#include <gtest/gtest.h>

#include "tensor/size.h"
#include "tensor/symmetry.h"
#include "tests/tensor/entries.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using namespace testing_support;

std::string pack_error(const std::string& format, std::vector<std::int64_t> dimensions, const EntryList& list,
                       bool force = false) {
  return error_of(
      [&] { AnyTensor::pack(make_entries(dimensions, list), parse_format(format, 2), Duplicates::Sum, "A", force); });
}

TEST(Pack, RefusesWhatATriangleHasNoRoomFor) {
  EXPECT_EQ(pack_error("lower", {3, 3}, {{{2, 0}, 1}, {{0, 2}, 1}}),
            "error: The entry of 'A' at (0, 2) cannot be stored as lower\n"
            "note: coordinates count from 0\n"
            "hint: choose a format that has room for every entry, such as csr\n");
  EXPECT_EQ(pack_error("upper", {3, 3}, {{{0, 2}, 1}, {{2, 1}, 1}}).substr(0, 60),
            "error: The entry of 'A' at (2, 1) cannot be stored as upper\n");
  EXPECT_EQ(pack_error("(i,j) -> (i: dense, j: singleton(padded))", {3, 3}, {{{1, 2}, 1}, {{1, 0}, 1}}),
            "error: The entry of 'A' at (1, 2) cannot be stored as (i,j) -> (i: dense, j: singleton(padded))\n"
            "note: coordinates count from 0\n"
            "hint: choose a format that has room for every entry, such as csr\n");
}

TEST(Converted, LeavesOutTheFillWhereThereIsNoRoom) {
  AnyTensor dense = AnyTensor::pack(make_entries({3, 3}, {{{2, 0}, 5}, {{1, 1}, 4}}), Format::dense(2));
  AnyTensor lower = dense.converted(parse_format("lower", 2));
  EXPECT_EQ(sums(lower.coordinates())[(std::vector<std::int64_t>{2, 0})], 5);
  EXPECT_NE(
      error_of([&] { dense.converted(parse_format("upper", 2), "A"); }).find("'A' at (2, 0) cannot be stored as upper"),
      std::string::npos);
}

TEST(Pack, RefusesWhatIsNotSymmetric) {
  EXPECT_EQ(pack_error("symmetric", {3, 3}, {{{2, 0}, 1}}),
            "error: 'A' is not symmetric: the entry at (2, 0) has no mirror image\n"
            "note: coordinates count from 0\n"
            "hint: store it in another format, such as csr\n");
  EXPECT_EQ(pack_error("symmetric", {3, 3}, {{{0, 2}, 1}}).substr(0, 69),
            "error: 'A' is not symmetric: the entry at (0, 2) has no mirror image\n");
  EXPECT_EQ(pack_error("symmetric", {3, 3}, {{{2, 0}, 1}, {{0, 2}, 4}}).substr(0, 75),
            "error: 'A' is not symmetric: the entry at (2, 0) is 1, its mirror image 4\nn");
  EXPECT_EQ(pack_error("skew", {3, 3}, {{{2, 0}, 1}, {{0, 2}, 1}}).substr(0, 80),
            "error: 'A' is not skew-symmetric: the entry at (2, 0) is 1, its mirror image 1\nn");
  EXPECT_EQ(pack_error("skew", {3, 3}, {{{1, 1}, 3}}).substr(0, 75),
            "error: 'A' is not skew-symmetric: the entry at (1, 1) on the diagonal is 3\n");
  EXPECT_EQ(pack_error("symmetric", {3, 4}, {}),
            "error: 'A' (3 x 4) cannot be stored as symmetric: it is not square\nhint: store all of it, as csr does\n");
}

TEST(Pack, SumsDuplicatesBeforeItComparesHalves) {
  Coordinates entries = make_entries({2, 2}, {{{1, 0}, 1}, {{0, 1}, 3}, {{1, 0}, 2}});
  AnyTensor tensor = AnyTensor::pack(entries, parse_format("symmetric", 2));
  EXPECT_EQ(tensor.stored(), 1);
  EXPECT_EQ(sums(tensor.coordinates()), (Components{{{0, 1}, 3}, {{1, 0}, 3}}));
  EXPECT_NE(error_of([&] {
              AnyTensor::pack(entries, parse_format("symmetric", 2), Duplicates::Error, "A");
            }).find("same coordinates (1, 0)"),
            std::string::npos);
}

TEST(Pack, NegatesAndConjugatesTheOtherHalf) {
  AnyTensor skew = AnyTensor::pack(make_entries({2, 2}, {{{1, 0}, 3}, {{0, 1}, -3}}), parse_format("skew", 2));
  EXPECT_EQ(sums(skew.coordinates()), (Components{{{0, 1}, -3}, {{1, 0}, 3}}));
  Coordinates entries = make_entries({2, 2}, {{{1, 0}, 0}, {{0, 1}, 0}, {{1, 1}, 5}});
  entries.values = entries.values.converted(ElementType::Complex128);
  entries.values.as<std::complex<double>>()[0] = {1, 2};
  entries.values.as<std::complex<double>>()[1] = {1, -2};
  AnyTensor hermitian = AnyTensor::pack(entries, parse_format("hermitian", 2));
  EXPECT_EQ(hermitian.stored(), 2);
  EXPECT_EQ(hermitian.coordinates().values.get(0).as_complex(), std::complex<double>(1, -2));
  entries.values.as<std::complex<double>>()[2] = {5, 1};
  EXPECT_NE(error_of([&] {
              AnyTensor::pack(entries, parse_format("hermitian", 2));
            }).find("not hermitian: the entry at (1, 1) on the diagonal is"),
            std::string::npos);
}

EntryList scattered(std::int64_t size, int count) {
  EntryList list;
  for (std::int64_t n = 0; n < count; n++) list.push_back({{n * 7919 % size, n * 104729 % size}, 1});
  return list;
}

TEST(Pack, RefusesStorageOutOfProportionUnlessForced) {
  // About 2000 diagonals of 20000 rows.
  std::string error = pack_error("dia", {20000, 20000}, scattered(20000, 2000));
  EXPECT_NE(error.find("error: 'A' (20000 x 20000, 2000 entries) would take "), std::string::npos) << error;
  EXPECT_NE(error.find(" MiB stored as dia, "), std::string::npos) << error;
  EXPECT_NE(error.find(" times what its entries take\n"
                       "hint: its entries do not suit this format; choose another, such as csr, or insist with force, "
                       "of pack or of KernelOptions\n"),
            std::string::npos)
      << error;
  EXPECT_EQ(pack_error("dia", {20000, 20000}, scattered(20000, 2000), true), "no error");
  // A place for every diagonal and row is meant, unless there are few rows.
  const char* all_diagonals = "(i,j) -> (i-j: dense, j: dense)";
  EXPECT_EQ(pack_error(all_diagonals, {2500, 2500}, scattered(2500, 2)), "no error");
  EXPECT_NE(pack_error(all_diagonals, {2, 20000}, scattered(2, 2)).find(" times what its entries take"),
            std::string::npos);
  // One long row makes every row of ELL long.
  EntryList row;
  for (std::int64_t j = 0; j < 2000; j++) row.push_back({{3, j}, 1});
  EXPECT_NE(pack_error("ell", {20000, 20000}, row).find("stored as ell"), std::string::npos);
  EXPECT_NE(pack_error("bcsr(1000,1000)", {20000, 20000}, scattered(20000, 50)).find("stored as bcsr(1000,1000)"),
            std::string::npos);
}

TEST(Pack, AllowsWhatAFormatTakesWhateverTheEntriesAre) {
  EXPECT_EQ(pack_error("lower", {5000, 5000}, {}), "no error");
  EXPECT_EQ(pack_error("bitmap", {4000, 4000}, {{{1, 1}, 1}}), "no error");
  EXPECT_EQ(pack_error("csr", {20000000, 3}, {}), "no error") << "rows are positions, but not values";
  EXPECT_EQ(pack_error("(i,j) -> (i/4: dense, j/4: dense, i%4: dense, j%4: dense)", {4000, 4000}, {}), "no error");
  EXPECT_EQ(pack_error("lower", {3, std::int64_t{1} << 40}, {}), "no error");
}

TEST(Pack, RefusesWhatDoesNotFitWhateverTheLevels) {
  std::int64_t huge = std::int64_t{1} << 40, most = std::int64_t{1} << 62;
  for (const char* text : {"lower", "bitmap", "bcsr(4,4)", "csb(2,2)", "ell", "dia"}) {
    EXPECT_NE(pack_error(text, {huge, huge}, {{{0, 0}, 1}}).find("'A' (1099511627776 x 1099511627776, float64, "),
              std::string::npos)
        << text;
    EXPECT_NE(pack_error(text, {huge, huge}, {{{0, 0}, 1}}, true).find("of memory, but this machine has"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(pack_error("dia", {most, most}, {}),
            "error: 'A' (4611686018427387904 x 4611686018427387904) has more diagonals than 64 bits can count\n");
  EXPECT_EQ(pack_error("csr", {INT64_MAX, 1}, {}),
            "error: 'A' has a dimension of more than 2^62: 9223372036854775807 x 1\n");
  for (const char* text : {"dense", "bitmap", "lower", "(i,j) -> (i: range, j: range)"}) {
    Format format = parse_format(text, 2);
    std::vector<std::vector<Array>> arrays;
    for (const Level& level : format.levels()) {
      arrays.emplace_back();
      for (const level::ArrayDescription& array : level.format->arrays())
        arrays.back().emplace_back(array.other_type, 0);
    }
    EXPECT_EQ(
        error_of([&] { AnyTensor::from_arrays({huge, huge}, format, arrays, Array(ElementType::Float64, 0), "A"); }),
        "error: 'A' (1099511627776 x 1099511627776) has more components than 64 bits can count\n")
        << text;
  }
}

TEST(FromArrays, ChecksMaps) {
  Format dia = parse_format("dia", 2), ell = parse_format("ell", 2);
  auto ints = [](std::vector<std::int64_t> items) {
    Array array(ElementType::Int32, static_cast<std::int64_t>(items.size()));
    for (size_t n = 0; n < items.size(); n++) array.set_index(static_cast<std::int64_t>(n), items[n]);
    return array;
  };
  Array six(ElementType::Float64, 6);
  EXPECT_EQ(error_of([&] { AnyTensor::from_arrays({3, 3}, dia, {{ints({0, 2}), ints({-1, 2})}, {}, {}}, six, "A"); }),
            "no error");
  EXPECT_EQ(error_of([&] { AnyTensor::from_arrays({3, 3}, dia, {{ints({0, 2}), ints({-3, 2})}, {}, {}}, six, "A"); }),
            "error: crd[0] of level 1 of 'A' is -3, outside -2..2\n");
  EXPECT_EQ(
      error_of([&] { AnyTensor::from_arrays({3, 3}, ell, {{ints({2})}, {}, {ints({0, 1, 2, -1, 2, -1})}}, six, "A"); }),
      "no error");
  EXPECT_EQ(
      error_of([&] { AnyTensor::from_arrays({3, 3}, ell, {{ints({2})}, {}, {ints({0, 1, 3, -1, 2, -1})}}, six, "A"); }),
      "error: crd[2] of level 3 of 'A' is 3, outside 0..2\n");
  EXPECT_EQ(error_of([&] {
              AnyTensor::from_arrays({3, 3}, ell, {{ints({2, 2})}, {}, {ints({0, 1, 2, -1, 2, -1})}}, six, "A");
            }),
            "error: The array 'n' of level 1 of 'A' has 2 elements, but needs 1: one for each tensor\n");
  EXPECT_EQ(error_of([&] {
              AnyTensor::from_arrays({3, 3}, ell, {{Array(ElementType::Float64, 1)}, {}, {ints({0})}}, six, "A");
            }),
            "error: Array 'n' of level 1 of 'A' holds float64, but must hold int32 or int64\n");
}

}  // namespace
}  // namespace filigree
