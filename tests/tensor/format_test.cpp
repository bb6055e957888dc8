#include "tensor/format.h"

#include <gtest/gtest.h>

#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using testing_support::error_of;

std::string map_of(const std::string& text, int order) { return to_map(parse_format(text, order)); }

std::string parse_error(const std::string& text, int order) {
  return error_of([&] { parse_format(text, order); });
}

TEST(ParseFormat, KnowsNames) {
  EXPECT_EQ(map_of("dense", 1), "(i) -> (i: dense)");
  EXPECT_EQ(map_of("sparse", 1), "(i) -> (i: compressed)");
  EXPECT_EQ(map_of("csr", 2), "(i,j) -> (i: dense, j: compressed)");
  EXPECT_EQ(map_of("csc", 2), "(i,j) -> (j: dense, i: compressed)");
  EXPECT_EQ(map_of("dcsr", 2), "(i,j) -> (i: compressed, j: compressed)");
  EXPECT_EQ(map_of("dcsc", 2), "(i,j) -> (j: compressed, i: compressed)");
  EXPECT_EQ(map_of("csf", 3), "(i,j,k) -> (i: compressed, j: compressed, k: compressed)");
  EXPECT_EQ(map_of("dense", 3), "(i,j,k) -> (i: dense, j: dense, k: dense)");
}

TEST(ParseFormat, IgnoresCaseAndBlanks) {
  EXPECT_EQ(parse_format("CSR", 2), parse_format("csr", 2));
  EXPECT_EQ(parse_format("  Ds : 1 , 0 ", 2), parse_format("csc", 2));
  EXPECT_EQ(parse_format("(Row,Col)->(Col:Dense,Row:COMPRESSED)", 2), parse_format("csc", 2));
}

TEST(ParseFormat, ReadsLetters) {
  EXPECT_EQ(parse_format("ds", 2), parse_format("csr", 2));
  EXPECT_EQ(parse_format("ds:1,0", 2), parse_format("csc", 2));
  EXPECT_EQ(map_of("dsd:2,0,1", 3), "(i,j,k) -> (k: dense, i: compressed, j: dense)");
}

TEST(ParseFormat, ScalarsHaveNoLevels) {
  for (const char* text : {"", "  ", "scalar", "dense", "csf", "() -> ()"})
    EXPECT_EQ(parse_format(text, 0), Format()) << text;
  EXPECT_EQ(to_string(Format()), "scalar");
}

TEST(ToString, PrintsTheShortestText) {
  EXPECT_EQ(to_string(parse_format("d", 1)), "dense");
  EXPECT_EQ(to_string(parse_format("s", 1)), "sparse");
  EXPECT_EQ(to_string(parse_format("dd", 2)), "dense");
  EXPECT_EQ(to_string(parse_format("ss", 2)), "dcsr");
  EXPECT_EQ(to_string(parse_format("ss:1,0", 2)), "dcsc");
  EXPECT_EQ(to_string(parse_format("sd", 2)), "sd");
  EXPECT_EQ(to_string(parse_format("dd:1,0", 2)), "dd:1,0");
  EXPECT_EQ(to_string(parse_format("sss", 3)), "csf");
  EXPECT_EQ(to_string(parse_format("sss:0,2,1", 3)), "sss:0,2,1");
}

/// Every combination of dense and compressed levels in every order of dimensions.
std::vector<Format> all_formats(int order) {
  std::vector<int> dimensions;
  for (int d = 0; d < order; d++) dimensions.push_back(d);
  std::vector<Format> all;
  do {
    for (int bits = 0; bits < 1 << order; bits++) {
      std::vector<Level> levels;
      for (int k = 0; k < order; k++)
        levels.push_back({dimensions[k], bits >> k & 1 ? level::compressed() : level::dense()});
      all.push_back(Format(levels));
    }
  } while (std::next_permutation(dimensions.begin(), dimensions.end()));
  return all;
}

TEST(ToString, ParsesBackToTheSameFormat) {
  for (int order = 0; order <= 4; order++) {
    for (const Format& format : all_formats(order)) {
      EXPECT_EQ(parse_format(to_string(format), order), format) << to_string(format);
      EXPECT_EQ(parse_format(to_map(format), order), format) << to_map(format);
    }
  }
  Format deep = Format::sparse(12);
  EXPECT_EQ(parse_format(to_map(deep), 12), deep);
}

/// A level format from outside of the library, stored as dense is.
class Plain : public level::Format {
 public:
  std::string name() const override { return "plain"; }
  level::Properties properties() const override { return level::dense()->properties(); }
  std::vector<level::ArrayDescription> arrays() const override { return level::dense()->arrays(); }
  const level::Storage* storage() const override { return level::dense()->storage(); }
};

TEST(ParseFormat, KnowsRegisteredLevelFormats) {
  level::add(std::make_shared<Plain>());
  Format format = parse_format("(i,j) -> (i: plain, j: compressed)", 2);
  EXPECT_EQ(to_string(format), "(i,j) -> (i: plain, j: compressed)");
  EXPECT_EQ(parse_format(to_string(format), 2), format);
}

TEST(Reordered, KeepsWhatCanBePresent) {
  EXPECT_EQ(to_string(parse_format("csr", 2).reordered({0, 1})), "csr");
  EXPECT_EQ(to_string(parse_format("csr", 2).reordered({1, 0})), "dcsc");
  EXPECT_EQ(to_string(parse_format("sd", 2).reordered({1, 0})), "csc");
  EXPECT_EQ(to_string(parse_format("sd", 2).reordered({0, 1})), "sd");
  EXPECT_EQ(to_string(parse_format("dense", 3).reordered({2, 0, 1})), "ddd:2,0,1");
  EXPECT_EQ(to_string(parse_format("dsd", 3).reordered({2, 0, 1})), "dds:2,0,1");
  EXPECT_EQ(to_string(parse_format("dsd", 3).reordered({1, 2, 0})), "sds:1,2,0");
}

TEST(LevelOf, FindsTheLevelOfADimension) {
  Format format = parse_format("dss:2,0,1", 3);
  EXPECT_EQ(format.level_of(2), 0);
  EXPECT_EQ(format.level_of(0), 1);
  EXPECT_EQ(format.level_of(1), 2);
  EXPECT_FALSE(format.is_dense());
  EXPECT_TRUE(Format::dense(3).is_dense());
}

TEST(ParseFormat, NamesAreForMatrices) {
  EXPECT_EQ(parse_error("csr", 3),
            "error: Format 'csr' is for matrices, but the tensor has 3 dimensions\n"
            "  in format, column 1:\n"
            "    csr\n"
            "    ^^^\n"
            "hint: for 3 dimensions write a name such as csf, coo or dense, or one letter per level, such as dss\n");
  EXPECT_EQ(parse_error("csc", 1),
            "error: Format 'csc' is for matrices, but the tensor has 1 dimension\n"
            "  in format, column 1:\n"
            "    csc\n"
            "    ^^^\n"
            "hint: for a vector write dense, sparse, hash or bitmap\n");
  EXPECT_EQ(parse_error("csr", 0),
            "error: Format 'csr' is for matrices, but the tensor is a scalar\n"
            "  in format, column 1:\n"
            "    csr\n"
            "    ^^^\n"
            "hint: a scalar's format is empty, or 'scalar'\n");
  EXPECT_EQ(parse_error("scalar", 1),
            "error: Format 'scalar' is for scalars, but the tensor has 1 dimension\n"
            "  in format, column 1:\n"
            "    scalar\n"
            "    ^^^^^^\n"
            "hint: for a vector write dense, sparse, hash or bitmap\n");
}

TEST(ParseFormat, UnknownNamesListWhatExists) {
  EXPECT_EQ(parse_error("bscr(4,4)", 2),
            "error: Unknown format 'bscr'\n"
            "  in format, column 1:\n"
            "    bscr(4,4)\n"
            "    ^^^^\n"
            "hint: did you mean 'bcsr'?\n"
            "hint: formats for a matrix are: dense, sparse, csr, csc, dcsr, dcsc, csf, coo, coo_aos, dia, ell, hash, "
            "dok, lower, upper, bitmap\n"
            "hint: in blocks: bcsr(4,4), mode_generic(4,4), csb(4,4)\n"
            "hint: half of a matrix: symmetric, skew, hermitian, also as in symmetric(dcsr)\n"
            "hint: or one letter per level (d is dense, s compressed), such as ds; or a map, such as (i,j) -> (i: "
            "dense, j: compressed)\n");
  EXPECT_EQ(parse_error("vector", 1),
            "error: Unknown format 'vector'\n"
            "  in format, column 1:\n"
            "    vector\n"
            "    ^^^^^^\n"
            "hint: formats for a vector are: dense, sparse, csf, coo, coo_aos, hash, dok, bitmap\n"
            "hint: in blocks: bcsr(4), mode_generic(4), csb(4)\n"
            "hint: or one letter per level (d is dense, s compressed), such as s; or a map, such as (i) -> (i: "
            "compressed)\n");
  EXPECT_EQ(parse_error("array", 0),
            "error: Unknown format 'array'\n"
            "  in format, column 1:\n"
            "    array\n"
            "    ^^^^^\n"
            "hint: a scalar's format is empty, or 'scalar'\n");
}

TEST(ParseFormat, PointsAtAnUnknownLetter) {
  EXPECT_EQ(parse_error("dxs", 3),
            "error: Unknown level letter 'x' in format 'dxs'\n"
            "  in format, column 2:\n"
            "    dxs\n"
            "     ^\n"
            "hint: letters are d for dense, s for compressed, u for compressed and not unique, q for singleton, c for "
            "singleton and not unique, "
            "h for hashed and b for bitmap\n");
}

TEST(ParseFormat, PointsAtALetterThatCannotBeThere) {
  EXPECT_EQ(
      parse_error("dq", 2),
      "error: Singleton has one child for every parent, so the level above it must repeat coordinates\n"
      "  in format, column 2:\n"
      "    dq\n"
      "     ^\n"
      "hint: make the level above nonunique, as in (i: compressed(nonunique), j: singleton), or this one padded\n");
}

TEST(ParseFormat, CountsLevels) {
  EXPECT_EQ(parse_error("dss", 2),
            "error: Format 'dss' has 3 levels, but the tensor has 2 dimensions\n"
            "  in format, column 1:\n"
            "    dss\n"
            "    ^^^\n"
            "hint: for a matrix write a name such as csr, coo or dense, or one letter per level, such as ds\n");
  EXPECT_EQ(parse_error("", 2),
            "error: The format is empty, but the tensor has 2 dimensions\n"
            "  in format, column 1:\n"
            "    \n"
            "    ^\n"
            "hint: for a matrix write a name such as csr, coo or dense, or one letter per level, such as ds\n");
  EXPECT_EQ(parse_error("(i) -> (i: dense)", 2),
            "error: The map has 1 dimension, but the tensor has 2 dimensions\n"
            "  in format, column 1:\n"
            "    (i) -> (i: dense)\n"
            "    ^^^\n"
            "hint: for a matrix write a name such as csr, coo or dense, or one letter per level, such as ds\n");
}

/// The first line of the message and the column.
std::string brief(const std::string& text, int order) {
  std::string error = parse_error(text, order);
  return error.substr(7, error.find(':', error.find(", column")) - 7);
}

TEST(ParseFormat, ChecksTheOrderOfLevels) {
  EXPECT_EQ(brief("ds:1,1", 2), "Dimension 1 is stored twice\n  in format, column 6");
  EXPECT_EQ(brief("ds:0,2", 2), "Dimension 2 does not exist\n  in format, column 6");
  EXPECT_EQ(brief("ds:1", 2),
            "The order of levels names 1 dimension, but the tensor has 2 dimensions\n  in format, column 4");
  EXPECT_EQ(brief("ds:1,0,2", 2),
            "The order of levels names more dimensions than there are, but the tensor has 2 dimensions\n  in format, "
            "column 7");
  EXPECT_EQ(brief("ds:", 2), "Expected the number of a dimension in the order of levels\n  in format, column 4");
  EXPECT_EQ(brief("ds:x,y", 2), "Expected the number of a dimension in the order of levels\n  in format, column 4");
  EXPECT_EQ(brief("csr:1,0", 2), "Unexpected ':1,0' after the format 'csr'\n  in format, column 4");
  EXPECT_EQ(brief("ds x", 2), "Unexpected 'x' after the format 'ds'\n  in format, column 4");
  EXPECT_EQ(brief("{dense}", 1), "Expected a format, found '{'\n  in format, column 1");
}

TEST(ParseFormat, ChecksMaps) {
  EXPECT_EQ(brief("(i,i) -> (i: dense, i: dense)", 2), "Two dimensions are called 'i'\n  in format, column 4");
  EXPECT_EQ(brief("(i,j) -> (i: dense, i: dense)", 2), "'i' is stored by two levels\n  in format, column 21");
  EXPECT_EQ(brief("(i,j) -> (i: dense)", 2), "No level stores dimension 'j'\n  in format, column 4");
  EXPECT_EQ(brief("(i,j) -> (i: dense, k: dense)", 2), "'k' is not a dimension of the map\n  in format, column 21");
  EXPECT_EQ(brief("(i,j) (i: dense, j: dense)", 2),
            "Expected '->' after the dimensions of a map, found '('\n  in format, column 7");
  EXPECT_EQ(brief("(i,j) -> i: dense", 2), "Expected '(' after '->', found 'i'\n  in format, column 10");
  EXPECT_EQ(brief("(i,j) -> (i/4 dense)", 2), "Expected ':' after 'i/4', found 'd'\n  in format, column 15");
  EXPECT_EQ(brief("(i,j) -> (i: dense, )", 2), "Expected the dimension a level stores\n  in format, column 21");
  EXPECT_EQ(brief("(i,j) -> (i: , j: dense)", 2), "Expected a level format\n  in format, column 14");
  EXPECT_EQ(brief("(i,j) -> (i: dense, j: dense", 2),
            "Expected ')' after the last level, found the end\n  in format, column 29");
  EXPECT_EQ(brief("(i,j -> (i: dense)", 2),
            "Expected ')' after the names of the dimensions, found '-'\n  in format, column 6");
  EXPECT_EQ(brief("(1) -> (i: dense)", 1), "Expected the name of a dimension\n  in format, column 2");
  EXPECT_EQ(brief("(i) -> (i: dense) x", 1),
            "Unexpected 'x' after the format '(i) -> (i: dense)'\n  in format, column 19");
}

TEST(ParseFormat, SuggestsLevelFormats) {
  std::string error = parse_error("(i,j) -> (i: dense, j: compresed)", 2);
  EXPECT_NE(error.find("Unknown level format 'compresed'"), std::string::npos);
  EXPECT_NE(error.find("hint: did you mean 'compressed'?\nhint: level formats are: dense, compressed"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace filigree
