// Arrays that come from outside are refused with a message that names the array and the element; and the examples of
// the documents.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/runtime/hash.h"
#include "level/properties.h"
#include "level/registry.h"
#include "support/diagnostic.h"

namespace filigree::level {
namespace {

Array int32s(const std::vector<std::int32_t>& items) {
  Array array(ElementType::Int32, static_cast<std::int64_t>(items.size()));
  for (size_t n = 0; n < items.size(); n++) array.set_index(static_cast<std::int64_t>(n), items[n]);
  return array;
}

Array bools(const std::vector<int>& items) {
  Array array(ElementType::Bool, static_cast<std::int64_t>(items.size()));
  for (size_t n = 0; n < items.size(); n++) array.as<std::uint8_t>()[n] = static_cast<std::uint8_t>(items[n]);
  return array;
}

/// What is wrong with arrays of a level with 2 parents and coordinates from `origin` on.
std::string problem(const FormatPtr& format, const std::vector<Array>& arrays, std::int64_t extent = 3,
                    std::int64_t origin = 0) {
  try {
    format->storage()->validate({&arrays, extent, 2, origin}, "level 2 of 'B'");
  } catch (const UserError& error) {
    return error.message();
  }
  return "";
}

std::string problem(const FormatPtr& format, const std::vector<std::int32_t>& pos,
                    const std::vector<std::int32_t>& crd) {
  return problem(format, {int32s(pos), int32s(crd)});
}

std::vector<std::int64_t> numbers(const Array& array) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < array.count(); n++)
    out.push_back(array.type() == ElementType::Bool ? array.get(n).as_bool() : array.index_at(n));
  return out;
}
using Numbers = std::vector<std::int64_t>;

TEST(Compressed, StoresTheExampleOfTheDocuments) {
  Packed packed = compressed()->storage()->pack({3, 3}, {{0, 0, 2, 2}, {0, 2, 1, 2}});
  EXPECT_EQ(numbers(packed.arrays[0]), (Numbers{0, 2, 2, 4}));
  EXPECT_EQ(numbers(packed.arrays[1]), (Numbers{0, 2, 1, 2}));
}

TEST(Compressed, SaysWhatIsWrongWithItsArrays) {
  EXPECT_EQ(problem(compressed(), {0, 2, 3}, {0, 2, 1}), "");
  EXPECT_EQ(problem(compressed(), {0, 3}, {0, 1, 2}),
            "The array 'pos' of level 2 of 'B' has 2 elements, but needs 3: one more than there are positions above");
  EXPECT_EQ(problem(compressed(), {1, 2, 3}, {0, 1, 2}), "pos[0] of level 2 of 'B' is 1, not 0");
  EXPECT_EQ(problem(compressed(), {0, 2, 1}, {0, 1}),
            "pos[2] of level 2 of 'B' is 1, less than pos[1] = 2; positions must not decrease");
  EXPECT_EQ(problem(compressed(), {0, 2, 4}, {0, 1, 2}),
            "pos[2] of level 2 of 'B' is 4, but 'crd' has only 3 elements");
  EXPECT_EQ(problem(compressed(), {0, 1, 2}, {0, 3}), "crd[1] of level 2 of 'B' is 3, outside 0..2");
  EXPECT_EQ(problem(compressed(), {0, 2, 2}, {1, 1}),
            "crd[1] of level 2 of 'B' is 1 after 1; coordinates must increase within a segment");
  EXPECT_EQ(problem(compressed(), {0, 1, 1}, {0, 1}),
            "The array 'crd' of level 2 of 'B' has 2 elements, but pos ends at 1");
  EXPECT_EQ(problem(compressed(), {int32s({0, 1, 2}), int32s({-3, 2})}, 5, -2),
            "crd[0] of level 2 of 'B' is -3, outside -2..2");
}

TEST(Compressed, ChecksThePropertiesItIsDeclaredToHave) {
  FormatPtr decreasing = compressed()->with("decreasing"), unordered = compressed()->with("unordered"),
            nonunique = compressed()->with("nonunique");
  EXPECT_EQ(problem(decreasing, {0, 2, 2}, {2, 0}), "");
  EXPECT_EQ(problem(decreasing, {0, 2, 2}, {0, 2}),
            "crd[1] of level 2 of 'B' is 2 after 0; coordinates must decrease within a segment");
  EXPECT_EQ(problem(nonunique, {0, 2, 2}, {1, 1}), "");
  EXPECT_EQ(problem(nonunique, {0, 2, 2}, {1, 0}),
            "crd[1] of level 2 of 'B' is 0 after 1; coordinates must not decrease within a segment");
  EXPECT_EQ(problem(nonunique->with("decreasing"), {0, 2, 2}, {0, 1}),
            "crd[1] of level 2 of 'B' is 1 after 0; coordinates must not increase within a segment");
  EXPECT_EQ(problem(unordered, {0, 3, 3}, {1, 0, 2}), "");
  EXPECT_EQ(problem(unordered, {0, 3, 3}, {1, 0, 1}),
            "The coordinate 1 occurs twice in crd[0..3) of level 2 of 'B', which is declared unique");
  EXPECT_EQ(problem(unordered->with("nonunique"), {0, 3, 3}, {1, 0, 1}), "");
  EXPECT_EQ(problem(compressed()->with("full"), {0, 3, 5}, {0, 1, 2, 0, 1}),
            "Parent 1 of level 2 of 'B' has 2 of the 3 coordinates, but a full level has all of them");
}

TEST(Compressed, IsFullOfDifferentCoordinatesHoweverOftenTheyOccur) {
  FormatPtr full = compressed()->with("nonunique")->with("full");
  EXPECT_EQ(problem(full, {0, 3, 7}, {0, 1, 2, 0, 1, 1, 2}), "");
  EXPECT_EQ(problem(full, {0, 3, 6}, {0, 1, 2, 0, 1, 1}),
            "Parent 1 of level 2 of 'B' has 2 of the 3 coordinates, but a full level has all of them");
  EXPECT_EQ(problem(full->with("decreasing"), {0, 4, 7}, {2, 1, 1, 0, 2, 1, 0}), "");
  EXPECT_EQ(problem(full->with("unordered"), {0, 5, 8}, {2, 0, 2, 1, 0, 1, 0, 2}), "");
  EXPECT_EQ(problem(full->with("unordered"), {0, 5, 8}, {2, 0, 2, 0, 0, 1, 0, 2}),
            "Parent 0 of level 2 of 'B' has 2 of the 3 coordinates, but a full level has all of them");
}

TEST(Singleton, StoresTheExampleOfTheDocuments) {
  EXPECT_EQ(numbers(singleton()->storage()->pack({4, 3}, {{0, 1, 2}, {1, 0, 3}}).arrays[0]), (Numbers{1, 0, 3}));
  EXPECT_EQ(numbers(singleton()->with("padded")->storage()->pack({4, 3}, {{0, 2}, {1, 3}}).arrays[0]),
            (Numbers{1, -1, 3}));
}

TEST(Singleton, SaysWhatIsWrongWithItsArrays) {
  FormatPtr padded = singleton()->with("padded");
  EXPECT_EQ(problem(singleton(), {int32s({2, 0})}), "");
  EXPECT_EQ(problem(singleton(), {int32s({2, 0, 1})}),
            "The array 'crd' of level 2 of 'B' has 3 elements, but needs 2: one for each position above");
  EXPECT_EQ(problem(singleton(), {int32s({2, 3})}), "crd[1] of level 2 of 'B' is 3, outside 0..2");
  EXPECT_EQ(problem(singleton(), {int32s({2, -1})}), "crd[1] of level 2 of 'B' is -1, outside 0..2");
  EXPECT_EQ(problem(padded, {int32s({2, -1})}), "");
  EXPECT_EQ(problem(padded, {int32s({-2, -1})}), "crd[0] of level 2 of 'B' is -2, outside 0..2");
}

TEST(Singleton, HoldsOneChild) {
  Packed packed = singleton()->storage()->pack({4, 2}, {{0, 0, 1, 1}, {2, 2, 3, 1}});
  EXPECT_EQ(packed.positions, (Numbers{0, 0, 1, Packed::does_not_fit}));
}

TEST(Hashed, SaysWhatIsWrongWithItsArrays) {
  std::int32_t at = static_cast<std::int32_t>(hash_slot(2, 2)), other = 1 - at;
  std::vector<std::int32_t> right(2, -1), wrong(2, -1);
  right[at] = 2;
  wrong[other] = 2;
  EXPECT_EQ(problem(hashed(), {0, 2, 2}, right), "");
  EXPECT_EQ(problem(hashed(), {0, 2, 2}, wrong),
            fmt::format("crd[{}] of level 2 of 'B' is 2, which a search does not find there", other));
  EXPECT_EQ(problem(hashed(), {0, 3, 3}, {-1, -1, -1}), "Parent 0 of level 2 of 'B' has 3 slots, not a power of two");
  EXPECT_EQ(problem(hashed(), {0, 1, 1}, {0}), "Parent 0 of level 2 of 'B' has no free slot");
  EXPECT_EQ(problem(hashed(), {0, 2, 2}, {-1, 3}), "crd[1] of level 2 of 'B' is 3, outside 0..2");
  EXPECT_EQ(problem(hashed(), {0, 2, 2}, {-1, -2}), "crd[1] of level 2 of 'B' is -2, outside 0..2");
  EXPECT_EQ(problem(hashed(), {0, 2}, {-1, -1}),
            "The array 'pos' of level 2 of 'B' has 2 elements, but needs 3: one more than there are positions above");
  EXPECT_EQ(problem(hashed()->with("full"), {0, 2, 2}, right),
            "Parent 0 of level 2 of 'B' has 1 of the 3 coordinates, but a full level has all of them");
}

TEST(Bitmap, SaysWhatIsWrongWithItsArrays) {
  EXPECT_EQ(numbers(bitmap()->storage()->pack({5, 1}, {{0, 0}, {1, 4}}).arrays[0]), (Numbers{0, 1, 0, 0, 1}));
  EXPECT_EQ(problem(bitmap(), {bools({0, 1, 0, 0, 1, 1})}), "");
  EXPECT_EQ(problem(bitmap(), {bools({0, 1, 0, 0, 1})}),
            "The array 'set' of level 2 of 'B' has 5 elements, but needs 6: one for each coordinate under each "
            "position above");
  EXPECT_EQ(problem(bitmap(), {bools({0, 1, 0, 0, 7, 1})}), "set[4] of level 2 of 'B' is 7, neither 0 nor 1");
}

TEST(Slots, SaysWhatIsWrongWithItsArrays) {
  EXPECT_EQ(problem(slots(), {int32s({4})}, -1), "");
  EXPECT_EQ(problem(slots(), {int32s({})}, -1),
            "The array 'n' of level 2 of 'B' has 0 elements, but needs 1: one for each tensor");
  EXPECT_EQ(problem(slots(), {int32s({-4})}, -1), "n[0] of level 2 of 'B' is -4, less than 0");
  Array huge(ElementType::Int64, 1);
  huge.set_index(0, INT64_MAX);
  EXPECT_EQ(problem(slots(), {huge}, -1), "n[0] of level 2 of 'B' is 9223372036854775807, which is too large");
}

TEST(LeastSize, OfATriangleIsItsSize) {
  EXPECT_EQ(lower()->storage()->least_size(1e12, 3, 0), 6);
  EXPECT_EQ(upper()->storage()->least_size(3, 1e12, 0), 6);
  EXPECT_EQ(lower()->storage()->least_size(3, 5, 0), 12);
}

TEST(With, GivesOnlyWhatALevelCanHave) {
  auto words = [](const FormatPtr& format) {
    std::vector<std::string> out;
    for (const std::string& word : all_property_words()) {
      if (format->with(word)) out.push_back(word);
    }
    return out;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(compressed()), (Words{"full", "unordered", "decreasing", "nonunique"}));
  EXPECT_EQ(words(singleton()), (Words{"full", "unordered", "decreasing", "nonunique", "padded"}));
  EXPECT_EQ(words(hashed()), (Words{"full", "nonunique"}));
  for (const FormatPtr& format : {dense(), range(), offset(), bitmap(), slots(), lower(), upper()})
    EXPECT_EQ(words(format), Words()) << format->name();
  EXPECT_EQ(to_string(*compressed()->with("nonunique")->with("unordered")), "compressed(unordered, nonunique)");
  EXPECT_EQ(to_string(*hashed()), "hashed");
}

}  // namespace
}  // namespace filigree::level
