#include "tensor/sort.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "level/packing.h"
#include "tensor/pack.h"

namespace filigree {
namespace {

using Numbers = std::vector<std::int64_t>;

Array indices(const Numbers& numbers, ElementType type) { return level::IndexList::view(numbers).taken(type); }

/// What a test sorts: coordinates of each key, by how they are spread.
enum class Spread { Even, FewRows, OneHeavyRow, Equal, Sorted, ByColumns };

Numbers coordinates(Spread spread, std::int64_t count, std::int64_t extent, int key, std::mt19937_64& random) {
  Numbers out;
  for (std::int64_t n = 0; n < count; n++) {
    std::int64_t any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent));
    bool is_leading = key == 0;
    if (spread == Spread::FewRows && is_leading) any %= 3;
    if (spread == Spread::OneHeavyRow && is_leading && n % 4 != 0) any = extent / 2;
    if (spread == Spread::Equal) any = extent - 1;
    if (spread == Spread::Sorted) any = is_leading ? n * extent / count : 0;
    if (spread == Spread::ByColumns && !is_leading) any = n * extent / count;
    out.push_back(any);
  }
  return out;
}

TEST(Sort, IsStableForKeysOfAnyWidth) {
  std::mt19937_64 random(5);
  const std::vector<Numbers> shapes = {{1},
                                       {7},
                                       {200000},
                                       {1 << 30},
                                       {7, 5},
                                       {1, 1000},
                                       {3000, 3000},
                                       {200000, 200000},
                                       {1, 1, 50},
                                       {40, 50, 60},
                                       {10, 1 << 30, 1000000000},
                                       {std::int64_t{1} << 40, std::int64_t{1} << 40}};
  for (Spread spread :
       {Spread::Even, Spread::FewRows, Spread::OneHeavyRow, Spread::Equal, Spread::Sorted, Spread::ByColumns}) {
    for (const Numbers& shape : shapes) {
      for (std::int64_t count : {0, 1, 2, 40, 3000, 140000}) {
        std::vector<Numbers> given;
        std::vector<Array> arrays;
        for (size_t k = 0; k < shape.size(); k++) {
          given.push_back(coordinates(spread, count, shape[k], static_cast<int>(k), random));
          arrays.push_back(indices(given[k], index_type_for(shape[k])));
        }
        std::vector<SortKey> keys;
        std::vector<bool> decreasing;
        for (size_t k = 0; k < shape.size(); k++) {
          decreasing.push_back(random() % 4 == 0);
          keys.push_back({&arrays[k], shape[k], 0, decreasing[k]});
        }
        Numbers numbers(static_cast<size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        Array moved = indices(numbers, ElementType::Int64), bytes(ElementType::UInt8, count),
              pairs(ElementType::Complex128, count);
        for (std::int64_t n = 0; n < count; n++) {
          bytes.as<std::uint8_t>()[n] = static_cast<std::uint8_t>(n);
          pairs.as<std::complex<double>>()[n] = {static_cast<double>(n), -1};
        }
        std::vector<Array*> together = {&bytes, &moved, &pairs};
        for (Array& array : arrays) together.push_back(&array);
        auto before = [&](std::int64_t a, std::int64_t b) {
          for (size_t k = 0; k < shape.size(); k++) {
            if (given[k][a] != given[k][b])
              return decreasing[k] ? given[k][a] > given[k][b] : given[k][a] < given[k][b];
          }
          return false;
        };
        EXPECT_EQ(is_sorted(keys), std::is_sorted(numbers.begin(), numbers.end(), before));
        std::stable_sort(numbers.begin(), numbers.end(), before);
        sort_together(keys, together);
        for (std::int64_t n = 0; n < count; n++) {
          ASSERT_EQ(moved.index_at(n), numbers[n])
              << "element " << n << " of " << count << ", " << shape.size() << " keys";
          ASSERT_EQ(bytes.as<std::uint8_t>()[n], static_cast<std::uint8_t>(numbers[n]));
          ASSERT_EQ(pairs.as<std::complex<double>>()[n].real(), static_cast<double>(numbers[n]));
          for (size_t k = 0; k < shape.size(); k++) ASSERT_EQ(arrays[k].index_at(n), given[k][numbers[n]]);
        }
      }
    }
  }
}

TEST(PackList, TakesTheMemoryOfSortedEntries) {
  EntryList entries{{3, 4}, {}, Array(ElementType::Float64, 3)};
  entries.coordinate.push_back(indices({0, 0, 2}, ElementType::Int32));
  entries.coordinate.push_back(indices({1, 3, 0}, ElementType::Int32));
  const void *columns = entries.coordinate[1].data(), *values = entries.values.data();
  AnyTensor csr = pack_list(std::move(entries), parse_format("csr", 2));
  csr.validate();
  EXPECT_EQ(csr.level_arrays()[1][1].data(), columns);
  EXPECT_EQ(csr.values().data(), values);
}

TEST(PackList, LeavesTheEntriesOfOthersAlone) {
  Coordinates given{{3, 4}, {{2, 0, 0}, {0, 3, 1}}, Array(ElementType::Float64, 3)};
  for (const char* format : {"csr", "csc", "coo", "dense", "dcsr"}) {
    AnyTensor packed = AnyTensor::pack(given, parse_format(format, 2));
    packed.validate();
    EXPECT_FALSE(packed.is_borrowed()) << format;
    EXPECT_NE(packed.values().data(), given.values.data()) << format;
  }
  EXPECT_EQ(given.coordinate, (std::vector<Numbers>{{2, 0, 0}, {0, 3, 1}}));
}

}  // namespace
}  // namespace filigree
