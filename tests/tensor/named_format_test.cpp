#include "tensor/named_format.h"

#include <gtest/gtest.h>

#include "level/properties.h"
#include "tensor/sort.h"
#include "tests/tensor/entries.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using namespace testing_support;

/// Every named format for tensors of this order, as text, with several block sizes and every property that some level
/// can have.
std::vector<std::string> texts(int order, bool with_properties = true) {
  std::vector<std::string> out;
  auto add = [&](const std::string& name, const std::string& arguments) {
    out.push_back(arguments.empty() ? name : name + "(" + arguments + ")");
    if (!with_properties) return;
    Format format = parse_format(out.back(), order);
    std::vector<std::string> words = level::all_property_words();
    words.push_back("unordered,nonunique");
    for (const std::string& word : words) {
      std::string text = name + "(" + (arguments.empty() ? "" : arguments + ",") + word + ")";
      if (error_of([&] { parse_format(text, order); }) == "no error") out.push_back(text);
    }
  };
  for (const NamedFormat& named : named_formats()) {
    if (named.order && *named.order != order) continue;
    if (!named.has_blocks) {
      add(named.name, "");
      continue;
    }
    for (const char* sizes : {"1,1,1,1", "2,3,2,2", "1,4,1,3", "3,1,2,1", "16,16,16,16"})
      add(named.name, std::string(sizes).substr(0, 2 * order - 1 + (sizes[1] == '6' ? order : 0)));
  }
  return out;
}

std::vector<std::string> symmetric_texts() {
  std::vector<std::string> out = {"symmetric((i,j) -> (i: dense, j: range))",
                                  "symmetric((i,j) -> (j: dense, i: upper))"};
  for (const std::string& text : texts(2, false)) {
    if (text != "upper") out.push_back("symmetric(" + text + ")");
  }
  for (const char* text : {"symmetric", "skew", "hermitian", "skew(coo)", "hermitian(lower)"}) out.push_back(text);
  return out;
}

TEST(NamedFormats, ParseBackToTheSameFormat) {
  for (int order = 1; order <= 4; order++) {
    std::vector<std::string> all = texts(order);
    if (order == 2)
      for (const std::string& text : symmetric_texts()) all.push_back(text);
    EXPECT_GT(all.size(), 20u);
    for (const std::string& text : all) {
      Format format = parse_format(text, order);
      EXPECT_EQ(format.order(), order) << text;
      EXPECT_EQ(parse_format(to_string(format), order), format) << text << " is printed as " << to_string(format);
      EXPECT_EQ(parse_format(to_map(format), order), format) << text << " has the map " << to_map(format);
      EXPECT_EQ(to_string(parse_format(to_string(format), order)), to_string(format));
      EXPECT_FALSE(find_problem(format.levels(), usual_dimension_names(order))) << text;
    }
  }
}

TEST(NamedFormats, HaveTheirMaps) {
  auto map_of = [](const std::string& text, int order) { return to_map(parse_format(text, order)); };
  EXPECT_EQ(map_of("coo", 2), "(i,j) -> (i: compressed(nonunique), j: singleton)");
  EXPECT_EQ(map_of("coo", 3), "(i,j,k) -> (i: compressed(nonunique), j: singleton(nonunique), k: singleton)");
  EXPECT_EQ(map_of("bcsr(4,2)", 2), "(i,j) -> (i/4: dense, j/2: compressed, i%4: dense, j%2: dense)");
  EXPECT_EQ(map_of("csb(8,8)", 2), "(i,j) -> (i/8: dense, j/8: dense, i%8: compressed(nonunique), j%8: singleton)");
  EXPECT_EQ(map_of("csb(1,8)", 2), "(i,j) -> (i: dense, j/8: dense, j%8: compressed)");
  EXPECT_EQ(map_of("mode_generic(2,2)", 2),
            "(i,j) -> (i/2: compressed(nonunique), j/2: singleton, i%2: dense, j%2: dense)");
  EXPECT_EQ(map_of("dia", 2), "(i,j) -> (j-i: compressed, i: range, j: offset)");
  EXPECT_EQ(map_of("ell", 2), "(i,j) -> (#i: slots, i: dense, j: singleton(padded))");
  EXPECT_EQ(map_of("hash", 2), "(i,j) -> (i: hashed, j: hashed)");
  EXPECT_EQ(map_of("dok", 2), "(i,j) -> (i: dense, j: hashed)");
  EXPECT_EQ(map_of("lower", 2), "(i,j) -> (i: dense, j: lower)");
  EXPECT_EQ(map_of("bitmap", 3), "(i,j,k) -> (i: dense, j: dense, k: bitmap)");
  EXPECT_EQ(map_of("skew", 2), "skew (i,j) -> (i: dense, j: compressed)");
  EXPECT_EQ(map_of("(i,j) -> (i: dense, j: dense[0..i])", 2), map_of("lower", 2));
  EXPECT_EQ(map_of("(i,j) -> (i: dense, j: dense[i..])", 2), map_of("upper", 2));
  EXPECT_EQ(map_of("(i,j) -> (#i: dense, i: dense, j: singleton(padded))", 2), map_of("ell", 2));
  EXPECT_EQ(map_of("ucq", 3), "(i,j,k) -> (i: compressed(nonunique), j: singleton(nonunique), k: singleton)");
}

TEST(NamedFormats, ArePrintedByTheBestName) {
  auto printed = [](const std::string& text, int order) { return to_string(parse_format(text, order)); };
  EXPECT_EQ(printed("bcsr(1,1)", 2), "csr");
  EXPECT_EQ(printed("bcsr(1,4)", 2), "bcsr(1,4)");
  EXPECT_EQ(printed("coo", 1), "sparse");
  EXPECT_EQ(printed("dok", 1), "dense");
  EXPECT_EQ(printed("sparse", 3), "csf");
  EXPECT_EQ(printed("csr(nonunique)", 2), "csr(nonunique)");
  EXPECT_EQ(printed("coo(unordered, nonunique)", 3), "coo(unordered,nonunique)");
  EXPECT_EQ(printed("symmetric(csr)", 2), "symmetric");
  EXPECT_EQ(printed("symmetric((i,j) -> (j: dense, i: bitmap))", 2), "symmetric(db:1,0)");
  EXPECT_EQ(printed("(i,j) -> (i/16: dense, j: compressed, i/4%4: dense, i%4: dense)", 2),
            "(i,j) -> (i/16: dense, j: compressed, i/4%4: dense, i%4: dense)");
}

/// Formats that no name has.
const std::vector<std::string> maps = {
    "(i,j) -> (i/4: dense, j: compressed, i%4: dense)",
    "(i,j) -> (i/6: compressed, j: compressed, i/2%3: dense, i%2: compressed)",
    "(i,j) -> (i%2: dense, j: compressed, i/2: compressed)",
    "(i,j) -> (j-i: compressed, j: range, i: offset)",
    "(i,j) -> (i-j: compressed, i: compressed, j: offset)",
    "(i,j) -> (i: dense, j-i: compressed)",
    "(i,j) -> (i: compressed(nonunique), j-i: singleton)",
    "(i,j) -> (j-i: bitmap, i: compressed)",
    "(i,j) -> (#j: slots, j: dense, i: singleton(padded))",
    "(i,j) -> (i: dense, #i: slots, j: singleton(padded))",
    "(i,j) -> (j: dense, i: compressed(decreasing))",
    "(i,j) -> (i: compressed(unordered), j: compressed(unordered))",
    "(i,j) -> (i: hashed, j: compressed)",
    "(i,j) -> (i: bitmap, j: dense)",
    "(i,j) -> (i/2: hashed, j/2: hashed, i%2: bitmap, j%2: dense)",
    "(i,j) -> (i: range, j: range)",
};

void check_packed(const std::string& text, const Coordinates& entries) {
  SCOPED_TRACE(text);
  Format format = parse_format(text, entries.order());
  AnyTensor tensor = AnyTensor::pack(entries, format);
  ASSERT_EQ(error_of([&] { tensor.validate(); }), "no error");
  Components expected = sums(entries);
  Coordinates back = tensor.coordinates();
  Components stored = sums(back);
  ASSERT_EQ(static_cast<std::int64_t>(stored.size()), back.count()) << "a component occurs twice";
  for (const auto& [at, value] : expected) ASSERT_EQ(stored.count(at), 1u);
  for (const auto& [at, value] : stored) ASSERT_EQ(value, expected.count(at) ? expected[at] : 0);
  EXPECT_TRUE(format.pads() || format.symmetry() != Symmetry::None || stored == expected);
  std::vector<int> in_order;
  for (int d = 0; d < entries.order(); d++) in_order.push_back(d);
  EXPECT_TRUE(is_sorted(back, in_order));

  std::int64_t visits = 0;
  tensor.for_each([&](const std::vector<std::int64_t>&, std::int64_t) { visits++; });
  EXPECT_EQ(tensor.statistics().stored, visits);
  EXPECT_EQ(tensor.statistics().values, tensor.stored());
  EXPECT_LE(tensor.statistics().stored, tensor.statistics().values);
  ASSERT_EQ(tensor.statistics().levels.size(), format.levels().size());
  EXPECT_EQ(tensor.statistics().levels.back().size, tensor.stored());

  AnyTensor again = AnyTensor::from_arrays(tensor.dimensions(), format, tensor.level_arrays(), tensor.values());
  EXPECT_EQ(sums(again.coordinates()), stored);
  EXPECT_EQ(sums(tensor.converted(Format::sparse(entries.order())).coordinates()), stored);
}

/// The entries that a triangle has room for.
EntryList below_diagonal(const EntryList& list, bool lower) {
  EntryList out;
  for (const auto& entry : list) {
    if (lower ? entry.first[1] <= entry.first[0] : entry.first[0] <= entry.first[1]) out.push_back(entry);
  }
  return out;
}

TEST(NamedFormats, GiveBackTheEntriesTheyPacked) {
  const std::vector<std::vector<std::int64_t>> shapes = {{7},       {1},       {0},       {5, 7},      {6, 4},
                                                         {1, 1},    {0, 3},    {3, 0},    {1, 9},      {8, 1},
                                                         {3, 4, 5}, {2, 0, 3}, {1, 1, 1}, {2, 3, 2, 5}};
  unsigned seed = 0;
  for (const std::vector<std::int64_t>& shape : shapes) {
    int order = static_cast<int>(shape.size());
    std::vector<std::string> all = texts(order);
    if (order == 2) all.insert(all.end(), maps.begin(), maps.end());
    for (int count : {0, 1, 6, 30}) {
      EntryList list = random_entries(shape, count, seed++);
      for (const std::string& text : all) {
        bool full = text.find("full") != std::string::npos;
        if (full) continue;
        EntryList fitting = text.starts_with("lower") || text.starts_with("upper")
                                ? below_diagonal(list, text.starts_with("lower"))
                                : list;
        check_packed(text, make_entries(shape, fitting));
      }
    }
  }
}

TEST(NamedFormats, HoldSymmetricMatrices) {
  for (std::int64_t size : {0, 1, 2, 5, 9}) {
    for (int count : {0, 3, 20}) {
      EntryList list;
      for (const auto& [at, value] : random_entries({size, size}, count, static_cast<unsigned>(count + size))) {
        list.push_back({at, value});
        list.push_back({{at[1], at[0]}, value});
      }
      for (const std::string& text : symmetric_texts()) {
        if (text.starts_with("skew")) continue;
        check_packed(text, make_entries({size, size}, list));
      }
    }
  }
}

TEST(Statistics, TellPaddingFromComponents) {
  Coordinates entries = make_entries({5, 5}, {{{0, 0}, 1}, {{4, 4}, 2}, {{4, 0}, 3}});
  auto numbers = [&](const std::string& text) {
    AnyTensor tensor = AnyTensor::pack(entries, parse_format(text, 2));
    return std::pair(tensor.statistics().stored, tensor.statistics().values);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(numbers("csr"), Pair(3, 3));
  EXPECT_EQ(numbers("bcsr(2,2)"), Pair(4 + 1 + 2, 12));  // blocks stick out at the edges
  EXPECT_EQ(numbers("dia"), Pair(5 + 1, 10));
  EXPECT_EQ(numbers("ell"), Pair(3, 10));
  EXPECT_EQ(numbers("bitmap"), Pair(3, 25));
  EXPECT_EQ(numbers("dense"), Pair(25, 25));
  EXPECT_EQ(numbers("lower"), Pair(15, 15));
  EXPECT_EQ(numbers("coo"), Pair(3, 3));
  EXPECT_EQ(numbers("dok").first, 3);
  EXPECT_EQ(numbers("hash").first, 3);
}

TEST(Statistics, CountOneChildOfWhatIsImplied) {
  AnyTensor tensor = AnyTensor::pack(make_entries({5, 5}, {{{0, 0}, 1}, {{4, 4}, 2}}), parse_format("dia", 2));
  EXPECT_EQ(tensor.statistics().levels[1].longest_fibre, 5);
  EXPECT_EQ(tensor.statistics().levels[2].longest_fibre, 1);
  EXPECT_EQ(tensor.statistics().levels[2].size, 5);
}

TEST(AddNamedFormat, MakesANameKnown) {
  add_named_format("rows", 2, "(i,j) -> (i: compressed, j: hashed)");
  EXPECT_EQ(to_map(parse_format("rows", 2)), "(i,j) -> (i: compressed, j: hashed)");
  EXPECT_EQ(to_string(parse_format("sh", 2)), "rows");
  add_named_format("rows", 2, "(i,j) -> (i: hashed, j: compressed)");
  EXPECT_EQ(to_string(parse_format("hs", 2)), "rows");
  EXPECT_EQ(to_string(parse_format("sh", 2)), "sh");
  add_named_format({"tiled", 2, true, [](int, const std::vector<std::int64_t>& b) {
                      return Format({{relation::Digits{0, b[0], 0}, level::compressed()},
                                     {relation::Digits{1, b[1], 0}, level::compressed()},
                                     {relation::Digits{0, 1, b[0]}, level::dense()},
                                     {relation::Digits{1, 1, b[1]}, level::dense()}});
                    }});
  EXPECT_EQ(to_string(parse_format("Tiled(2,5)", 2)), "tiled(2,5)");
  EXPECT_EQ(to_string(parse_format("symmetric(tiled(2,5))", 2)), "symmetric(tiled(2,5))");
}

TEST(AddNamedFormat, RefusesWhatCannotBeWritten) {
  EXPECT_EQ(error_of([] { add_named_format("my format", 2, "csr"); }),
            "error: 'my format' cannot be the name of a format\nhint: a name is a letter, then letters, digits and "
            "underscores\n");
  EXPECT_EQ(error_of([] { add_named_format("symmetric", 2, "csr"); }),
            "error: The format 'symmetric' cannot be given another meaning\nhint: choose another name\n");
  EXPECT_EQ(error_of([] { add_named_format("broken", 2, "(i,j) -> (i: dense)"); }),
            "error: No level stores dimension 'j'\n  in format 'broken', column 4:\n    (i,j) -> (i: dense)\n       "
            "^\nhint: each dimension needs a level\n");
}

}  // namespace
}  // namespace filigree
