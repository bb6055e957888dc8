// Formats that cannot be: the message, the part of the text it points at, and the hint.
#include <gtest/gtest.h>

#include "support/text.h"
#include "tensor/format.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

/// "message | the text that is marked | hint; hint"
std::string problem(const std::string& text, int order = 2) {
  std::vector<std::string> lines = split(testing_support::error_of([&] { parse_format(text, order); }), '\n');
  if (lines.size() < 4) return lines[0];
  size_t begin = lines[3].find('^'), end = lines[3].find_last_of('^');
  std::string marked = begin < lines[2].size() ? lines[2].substr(begin, end - begin + 1) : "the end";
  std::vector<std::string> hints;
  for (size_t n = 4; n < lines.size(); n++) {
    if (lines[n].starts_with("hint: ")) hints.push_back(lines[n].substr(6));
  }
  return lines[0].substr(7) + " | " + marked + " | " + join(hints, "; ");
}

TEST(ParseFormat, ChecksBlockSizes) {
  EXPECT_EQ(problem("bcsr(0,4)"), "A block size of 0 is not possible | 0 | the smallest is 1");
  EXPECT_EQ(problem("bcsr(4,-2)"), "A block size of -2 is not possible | -2 | the smallest is 1");
  EXPECT_EQ(problem("bcsr(4,-)"), "'-' is not a block size | - | a block size is a number, such as 4");
  EXPECT_EQ(problem("bcsr"),
            "Format 'bcsr' needs a block size for each dimension, but has none, and the tensor has 2 dimensions | bcsr "
            "| write bcsr(4,4)");
  EXPECT_EQ(problem("bcsr()"), "Expected a block size or a property | ) | as in bcsr(4,4) or coo(unordered)");
  EXPECT_EQ(problem("bcsr(4)"),
            "Format 'bcsr' needs a block size for each dimension, but has 1, and the tensor has 2 dimensions | bcsr(4) "
            "| write bcsr(4,4)");
  EXPECT_EQ(problem("csb(4,4,4)"),
            "Format 'csb' needs a block size for each dimension, but has 3, and the tensor has 2 dimensions | "
            "csb(4,4,4) | write csb(4,4)");
  EXPECT_EQ(problem("bcsr(4,4"),
            "Expected ')' after the arguments of 'bcsr', found the end | the end | arguments are block sizes and "
            "properties, as in bcsr(4,4) or coo(unordered)");
  EXPECT_EQ(problem("bcsr(4.5,4)"),
            "Expected ')' after the arguments of 'bcsr', found '.' | . | arguments are block sizes and properties, as "
            "in bcsr(4,4) or coo(unordered)");
  EXPECT_EQ(problem("bcsr(4x,4)"), "'4x' is not a block size | 4x | a block size is a number, such as 4");
  EXPECT_EQ(problem("bcsr(4,5000000000)"),
            "A block size of 5000000000 is too large | 5000000000 | the largest is 1073741824");
  EXPECT_EQ(problem("bcsr(99999999999999999999,4)"),
            "A block size of 99999999999999999999 is too large | 99999999999999999999 | the largest is 1073741824");
  EXPECT_EQ(problem("csr(4,4)"),
            "Format 'csr' has no blocks | (4,4) | formats with blocks are: bcsr(4,4), mode_generic(4,4), csb(4,4)");
  EXPECT_EQ(problem("bcsr(4,4)", 0),
            "Format 'bcsr' has blocks, but the tensor is a scalar | bcsr | a scalar's format is empty, or 'scalar'");
  EXPECT_EQ(problem("(i,j) -> (i/0: dense, j: dense)"), "A block size of 0 is not possible | 0 | the smallest is 1");
  EXPECT_EQ(problem("(i,j) -> (i/-4: dense, j: dense)"), "A block size of -4 is not possible | -4 | the smallest is 1");
  EXPECT_EQ(problem("(i,j) -> (i%: dense, j: dense)"),
            "Expected a block size | : | a block size is a number, such as 4");
  EXPECT_EQ(problem("(i,j) -> (i/j: dense, j: dense)"),
            "'j' is not a block size | j | a block size is a number, such as 4");
}

TEST(ParseFormat, ChecksProperties) {
  EXPECT_EQ(problem("coo(unorderd)"),
            "Unknown property 'unorderd' | unorderd | did you mean 'unordered'?; properties are: full, unordered, "
            "decreasing, nonunique, padded");
  EXPECT_EQ(problem("csr(padded)"), "No level of 'csr' can be padded | padded | leave it out");
  EXPECT_EQ(problem("csr(unordered, decreasing)"),
            "A level that is unordered is not decreasing | decreasing | leave one of them out");
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: compressed(decreasing, unordered))"),
            "A level that is decreasing is not unordered | unordered | leave one of them out");
  EXPECT_EQ(problem("dense(unordered)"), "No level of 'dense' can be unordered | unordered | leave it out");
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: compressed(padded))"),
            "A level 'compressed' cannot be padded | padded | a level 'compressed' can be: full, unordered, "
            "decreasing, nonunique");
  EXPECT_EQ(problem("(i,j) -> (i: dense(full), j: compressed)"),
            "A level 'dense' cannot be full | full | 'dense' has no properties to choose");
  EXPECT_EQ(
      problem("(i,j) -> (i: dense, j: compressed(unsorted))"),
      "Unknown property 'unsorted' | unsorted | a level 'compressed' can be: full, unordered, decreasing, nonunique");
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: compressed())"),
            "Expected a property | ) | a level 'compressed' can be: full, unordered, decreasing, nonunique");
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: compressed(full)"),
            "Expected ')' after the last level, found the end | the end | a map looks like (i,j) -> (i: dense, j: "
            "compressed)");
  EXPECT_EQ(
      problem("(i,j) -> (i: dense, j: compressed(full]"),
      "Expected ')' after the properties of 'compressed', found ']' | ] | as in compressed(nonunique, unordered)");
}

TEST(ParseFormat, ChecksThatEveryDimensionIsStoredOnce) {
  EXPECT_EQ(problem("ds:0,0"), "Dimension 0 is stored twice | 0 | each dimension occurs once in the order of levels");
  EXPECT_EQ(problem("(i,j) -> (i: dense)"), "No level stores dimension 'j' | j | each dimension needs a level");
  EXPECT_EQ(problem("(i,j) -> (#j: slots, i: dense)"),
            "No level stores dimension 'j' | j | each dimension needs a level");
  EXPECT_EQ(
      problem("(i,j) -> (i: dense, i: compressed, j: compressed)"),
      "'i' is stored by two levels | i | leave one of them out: each dimension needs one level, or one for each part");
  EXPECT_EQ(problem("(i,j) -> (#i: slots, #i: slots, i: dense, j: singleton(padded))").substr(0, 33),
            "'#i' is stored by two levels | #i");
  EXPECT_EQ(problem("(i,j) -> (j-i: compressed, i: range, j: compressed)"),
            "'j' is stored twice: it follows from the levels before it | j | leave the level out, or make it an offset "
            "level, which stores nothing");
  EXPECT_EQ(problem("(i,j) -> (i/4: dense, j: compressed)"),
            "'i' cannot be recovered from the levels: 'i/4' does not say which i it is | i/4 | store the rest of it "
            "too, in a level i%4");
  EXPECT_EQ(problem("(i,j) -> (i%4: dense, j: compressed)"),
            "'i' cannot be recovered from the levels: 'i%4' does not say which i it is | i%4 | store the rest of it "
            "too, in a level i/4");
  EXPECT_EQ(problem("(i,j) -> (i/4: dense, i%8: dense, j: compressed)"),
            "'i' cannot be recovered from the levels: 'i/4' does not say which i it is | i/4 | store the rest of it "
            "too, in a level i%4");
  EXPECT_EQ(problem("(i,j) -> (j-i: compressed)"),
            "'i' cannot be recovered from the levels: 'j-i' does not say which i it is | j-i | store j or i, too");
  EXPECT_EQ(problem("(i,j) -> (i/4: dense, i/2%2: dense, i%4: dense, j: compressed)"),
            "'i/2%2' is stored twice: it follows from the other levels | i/2%2 | leave the level out");
  EXPECT_EQ(problem("(i,j) -> (i: dense, i%1: dense, j: compressed)"),
            "'i%1' is always 0 | i%1 | leave the level out: within a block of one there is nothing to say");
}

TEST(ParseFormat, ChecksWhatLevelsStore) {
  const std::string hint =
      "levels store a dimension (i), a block of it (i/4, i%4, i/4%4), a difference (j-i) or a count (#i)";
  EXPECT_EQ(problem("(i,j) -> (i+j: dense, j: dense)"),
            "A level cannot store an expression with '+' here | + | " + hint);
  EXPECT_EQ(problem("(i,j) -> (2*i: dense, j: dense)"),
            "A level cannot store an expression with a number here | 2 | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i*2: dense, j: dense)"),
            "A level cannot store an expression with '*' here | * | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i-2: dense, j: dense)"),
            "A level cannot store an expression with a number here | 2 | " + hint);
  EXPECT_EQ(problem("(i,j) -> (j-i/4: dense, j: dense)"),
            "A level cannot store an expression with '/' here | / | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i%4/2: dense, j: dense)"),
            "A level cannot store an expression with '/' here | / | " + hint);
  EXPECT_EQ(
      problem("(i,j) -> (j-j: dense, j: dense)"),
      "The difference of a dimension and itself is always 0 | j-j | a difference is of two dimensions, as in j-i");
  EXPECT_EQ(problem("(i,j) -> (j-: dense, j: dense)"),
            "Expected the dimension a level stores | : | a level looks like i: dense, i/4: dense or j-i: compressed");
  EXPECT_EQ(problem("(i,j) -> (#: slots, j: dense)"),
            "Expected the dimension a level stores | : | a level looks like i: dense, i/4: dense or j-i: compressed");
}

TEST(ParseFormat, ChecksThatLevelsFitTogether) {
  const std::string ell = "ELL is (i,j) -> (#i: slots, i: dense, j: singleton(padded))";
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: offset)"),
            "An offset level stores nothing, but 'j' does not follow from the levels before it | j | "
            "offset is for the last level of a map such as (i,j) -> (j-i: compressed, i: range, j: offset)");
  EXPECT_EQ(problem("(i,j) -> (i: compressed, j: singleton)"),
            "Singleton has one child for every parent, so the level above it must repeat coordinates | j | "
            "make the level above nonunique, as in (i: compressed(nonunique), j: singleton), or this one padded");
  EXPECT_EQ(problem("(i) -> (i: singleton)", 1).substr(0, 40), "Singleton has one child for every parent");
  EXPECT_EQ(problem("(i,j) -> (j: lower, i: dense)"),
            "A level 'lower' needs a dense level of rows as the only level above it | j | a packed triangle is (i,j) "
            "-> (i: dense, j: lower)");
  EXPECT_EQ(problem("(i,j) -> (i: compressed, j: upper)"),
            "A level 'upper' needs a dense level of rows as the only level above it | j | a packed triangle is (i,j) "
            "-> (i: dense, j: upper)");
  EXPECT_EQ(problem("(i,j,k) -> (i: dense, j: lower, k: dense)", 3).substr(0, 70),
            "A level 'lower' needs a dense level of rows as the only level above it");
  EXPECT_EQ(problem("(i,j) -> (#i: compressed, i: dense, j: singleton(padded))"),
            "'#i' counts entries, which a level 'compressed' cannot store | #i | " + ell);
  EXPECT_EQ(problem("(i,j) -> (i: slots, j: dense)"),
            "A level 'slots' counts entries, but 'i' is not a count | i | " + ell);
  EXPECT_EQ(problem("(i,j) -> (#i: slots, i: dense, j: dense)"),
            "'#i' counts entries, but the last level has room for what is no entry | #i | " + ell);
  EXPECT_EQ(problem("(i,j) -> (i: dense, j-i: singleton(padded))"),
            "'j-i' can be negative, but a level 'singleton(padded)' marks free places with the coordinate -1 | j-i | "
            "make it compressed");
  EXPECT_NO_THROW(parse_format("(i,j) -> (j-i: hashed, i: range, j: offset)", 2));
}

TEST(ParseFormat, ChecksRanges) {
  const std::string hint = "a packed triangle is (i,j) -> (i: dense, j: dense[0..i]), or dense[i..] for the upper one";
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: dense[0..j])"), "'j' is not what the level above stores | j | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i: dense[0..i], j: dense)"), "'i' is not what the level above stores | i | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: compressed[0..i])"), "A level 'compressed' has no range | [ | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: dense[0..i)"), "Expected ']' after a range, found ')' | ) | " + hint);
  EXPECT_EQ(problem("(i,j) -> (i: dense, j: dense[0:i])"),
            "Expected '..' between the ends of a range, found ':' | : | " + hint);
}

TEST(ParseFormat, ChecksHalves) {
  EXPECT_EQ(problem("symmetric", 1),
            "Format 'symmetric' is for matrices, but the tensor has 1 dimension | symmetric | for a vector write "
            "dense, sparse, hash or bitmap");
  EXPECT_EQ(problem("hermitian", 3).substr(0, 70),
            "Format 'hermitian' is for matrices, but the tensor has 3 dimensions | ");
  EXPECT_EQ(problem("symmetric(symmetric)"),
            "A half of a matrix cannot itself be symmetric | symmetric(symmetric) | name the format of the stored "
            "half, as in symmetric(dcsr)");
  EXPECT_EQ(problem("skew(upper)"),
            "A level 'upper' has no room for the half that is stored, on and below the diagonal | skew(upper) | the "
            "packed half of a matrix is symmetric(lower)");
  EXPECT_EQ(problem("symmetric(csr"),
            "Expected ')' after the format of the stored half, found the end | the end | as in symmetric(dcsr)");
  EXPECT_EQ(problem("symmetric()").substr(0, 30), "Expected a format, found ')' |");
  EXPECT_EQ(problem("symmetric(crs)").substr(0, 56), "Unknown format 'crs' | crs | did you mean 'csr'?; format");
}

TEST(ParseFormat, ChecksWhatFollows) {
  EXPECT_EQ(problem("csr csc"), "Unexpected 'csc' after the format 'csr' | csc | ");
  EXPECT_EQ(problem("bcsr(4,4) x"), "Unexpected 'x' after the format 'bcsr(4,4)' | x | ");
  EXPECT_EQ(problem("csr:1,0"),
            "Unexpected ':1,0' after the format 'csr' | :1,0 | the order of levels follows letters, as in ds:1,0; "
            "names such as csr have a fixed order");
  EXPECT_EQ(problem("symmetric(csr) )"), "Unexpected ')' after the format 'symmetric(csr)' | ) | ");
  EXPECT_EQ(problem("ds(4)"), "Unexpected '(4)' after the format 'ds' | (4) | ");
}

/// Whatever the text, there is a format or a UserError.
TEST(ParseFormat, SurvivesGarbage) {
  const std::vector<std::string> pieces = {"(",
                                           ")",
                                           "i",
                                           "j",
                                           "->",
                                           ":",
                                           ",",
                                           "/",
                                           "%",
                                           "-",
                                           "#",
                                           "4",
                                           "0",
                                           "dense",
                                           "compressed",
                                           "(nonunique)",
                                           "[0..i]",
                                           "symmetric",
                                           "bcsr",
                                           "csr",
                                           "ds",
                                           " ",
                                           "singleton(padded)",
                                           "offset",
                                           "99999999999999999999",
                                           "(i,j) -> (",
                                           "\xff"};
  unsigned state = 1;
  auto next = [&] { return (state = state * 1103515245 + 12345) >> 16; };
  int good = 0;
  for (int n = 0; n < 20000; n++) {
    std::string text = n % 2 ? "(i,j) -> (" : "";
    for (unsigned count = next() % 12; count > 0; count--) text += pieces[next() % pieces.size()];
    try {
      Format format = parse_format(text, 2);
      EXPECT_EQ(parse_format(to_string(format), 2), format) << text;
      good++;
    } catch (const UserError&) {}
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace filigree
