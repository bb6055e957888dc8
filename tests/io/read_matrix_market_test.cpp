#include <gtest/gtest.h>

#include "tests/io/text_files.h"

namespace filigree {
namespace {

using testing_support::listed;
using Dimensions = std::vector<std::int64_t>;

class ReadMatrixMarket : public testing_support::FileTest {
 protected:
  Coordinates mtx(const std::string& text, const ReadOptions& options = {}) const {
    return read("a.mtx", text, options);
  }
  /// The first line of the message, without "error: a.mtx".
  std::string complaint(const std::string& text, const ReadOptions& options = {}) const {
    std::string message = error("a.mtx", text, options);
    return message == "read" ? message : message.substr(12, message.find('\n') - 12);
  }
  static std::string banner(const std::string& rest) { return "%%MatrixMarket matrix " + rest + "\n"; }
};

TEST_F(ReadMatrixMarket, ReadsEveryField) {
  Coordinates real = mtx(banner("coordinate real general") + "2 3 2\n2 3 1.5\n1 1 -2e3\n");
  EXPECT_EQ(real.dimensions, (Dimensions{2, 3}));
  EXPECT_EQ(real.values.type(), ElementType::Float64);
  EXPECT_FALSE(real.is_dense);
  EXPECT_EQ(listed(real), "(1,2)=1.5 (0,0)=-2000");
  EXPECT_EQ(mtx(banner("coordinate double general") + "1 1 1\n1 1 2\n").values.type(), ElementType::Float64);
  Coordinates integer = mtx(banner("coordinate integer general") + "2 2 1\n1 2 -9223372036854775808\n");
  EXPECT_EQ(integer.values.type(), ElementType::Int64);
  EXPECT_EQ(listed(integer), "(0,1)=-9223372036854775808");
  Coordinates natural = mtx(banner("coordinate unsigned-integer general") + "2 2 1\n1 2 18446744073709551615\n");
  EXPECT_EQ(natural.values.type(), ElementType::UInt64);
  EXPECT_EQ(listed(natural), "(0,1)=18446744073709551615");
  Coordinates complex = mtx(banner("coordinate complex general") + "2 2 1\n1 2 3 -4.5\n");
  EXPECT_EQ(complex.values.type(), ElementType::Complex128);
  EXPECT_EQ(listed(complex), "(0,1)=3+i-4.5");
  Coordinates pattern = mtx(banner("coordinate pattern general") + "2 2 1\n1 2\n");
  EXPECT_EQ(pattern.values.type(), ElementType::Float64);
  EXPECT_EQ(listed(pattern), "(0,1)=1");
}

TEST_F(ReadMatrixMarket, ExpandsSymmetry) {
  EXPECT_EQ(listed(mtx(banner("coordinate real symmetric") + "3 3 3\n1 1 1\n3 1 2\n2 2 0\n")),
            "(0,0)=1 (2,0)=2 (1,1)=0 (0,2)=2");
  EXPECT_EQ(listed(mtx(banner("coordinate pattern symmetric") + "3 3 2\n1 1\n3 1\n")), "(0,0)=1 (2,0)=1 (0,2)=1");
  EXPECT_EQ(listed(mtx(banner("coordinate real skew-symmetric") + "3 3 2\n3 1 2\n2 2 0\n")),
            "(2,0)=2 (1,1)=0 (0,2)=-2");
  EXPECT_EQ(listed(mtx(banner("coordinate integer skew-symmetric") + "3 3 1\n3 1 2\n")), "(2,0)=2 (0,2)=-2");
  EXPECT_EQ(listed(mtx(banner("coordinate complex hermitian") + "3 3 1\n2 2 4 1\n")), "(1,1)=4+i1");
  EXPECT_EQ(listed(mtx(banner("coordinate complex hermitian") + "2 2 2\n2 1 1 2\n1 1 5 0\n")),
            "(1,0)=1+i2 (0,0)=5+i0 (0,1)=1+i-2");
  EXPECT_EQ(listed(mtx(banner("coordinate complex symmetric") + "2 2 1\n2 1 1 2\n")), "(1,0)=1+i2 (0,1)=1+i2");
}

TEST_F(ReadMatrixMarket, TakesTheUpperTriangleForTheLower) {
  EXPECT_EQ(listed(mtx(banner("coordinate real symmetric") + "3 3 2\n1 3 2\n1 2 5\n")),
            "(0,2)=2 (0,1)=5 (2,0)=2 (1,0)=5");
  EXPECT_EQ(listed(mtx(banner("coordinate real symmetric") + "3 3 2\n1 3 2\n2 1 5\n")),
            "(0,2)=2 (1,0)=5 (2,0)=2 (0,1)=5");
  EXPECT_EQ(complaint(banner("coordinate real symmetric") + "3 3 3\n1 3 2\n2 1 5\n\n3 1 2\n"),
            ":6: Both (3,1) and (1,3) are given, but a symmetric file stores one of them");
}

TEST_F(ReadMatrixMarket, KeepsDuplicates) {
  EXPECT_EQ(listed(mtx(banner("coordinate real general") + "2 2 2\n1 2 2\n1 2 5\n")), "(0,1)=2 (0,1)=5");
}

TEST_F(ReadMatrixMarket, ReadsArraysByColumns) {
  Coordinates array = mtx(banner("array real general") + "2 3\n1\n2\n3\n4\n5\n6\n");
  EXPECT_TRUE(array.is_dense);
  EXPECT_EQ(listed(array), "(0,0)=1 (0,1)=3 (0,2)=5 (1,0)=2 (1,1)=4 (1,2)=6");
  EXPECT_EQ(listed(mtx(banner("array real symmetric") + "3 3\n1\n2\n3\n4\n5\n6\n")),
            "(0,0)=1 (0,1)=2 (0,2)=3 (1,0)=2 (1,1)=4 (1,2)=5 (2,0)=3 (2,1)=5 (2,2)=6");
  EXPECT_EQ(listed(mtx(banner("array integer skew-symmetric") + "3 3\n1\n2\n3\n")),
            "(0,0)=0 (0,1)=-1 (0,2)=-2 (1,0)=1 (1,1)=0 (1,2)=-3 (2,0)=2 (2,1)=3 (2,2)=0");
  EXPECT_EQ(listed(mtx(banner("array complex hermitian") + "2 2\n1 0\n2 3\n4 0\n")),
            "(0,0)=1+i0 (0,1)=2+i-3 (1,0)=2+i3 (1,1)=4+i0");
  EXPECT_EQ(mtx(banner("array real general") + "3 0\n").dimensions, (Dimensions{3, 0}));
}

TEST_F(ReadMatrixMarket, ReadsVectorsAndTensors) {
  Coordinates vector = mtx("%%MatrixMarket vector coordinate real general\n4 2\n1 5\n4 6\n");
  EXPECT_EQ(vector.dimensions, (Dimensions{4}));
  EXPECT_EQ(listed(vector), "(0)=5 (3)=6");
  EXPECT_EQ(listed(mtx("%%MatrixMarket vector array real\n2\n1\n5\n")), "(0)=1 (1)=5");
  Coordinates tensor = read("a.ttx", "%%MatrixMarket tensor coordinate real general\n2 3 4 2\n1 2 3 4\n2 3 4 5\n");
  EXPECT_EQ(tensor.dimensions, (Dimensions{2, 3, 4}));
  EXPECT_EQ(listed(tensor), "(0,1,2)=4 (1,2,3)=5");
  Coordinates dense = read("a.ttx", "%%MatrixMarket tensor array real general\n1 2 2\n1\n2\n3\n4\n");
  EXPECT_EQ(listed(dense), "(0,0,0)=1 (0,0,1)=3 (0,1,0)=2 (0,1,1)=4");
  Coordinates scalar = read("a.ttx", "%%MatrixMarket tensor coordinate real general\n1\n7\n");
  EXPECT_EQ(listed(scalar), "()=7");
}

TEST_F(ReadMatrixMarket, ReadsAThinMatrixAsAVector) {
  EXPECT_EQ(mtx(banner("array real general") + "3 1\n1\n2\n3\n", {.order = 1}).dimensions, (Dimensions{3}));
  EXPECT_EQ(listed(mtx(banner("coordinate real general") + "1 3 1\n1 2 7\n", {.order = 1})), "(1)=7");
  EXPECT_EQ(complaint(banner("coordinate real general") + "2 3 1\n1 2 7\n", {.order = 1}),
            ": The file holds a tensor with 2 dimensions (2 x 3), but 1 dimension is expected");
  EXPECT_EQ(mtx(banner("array real general") + "0 1\n", {.order = 1}).dimensions, (Dimensions{0}));
  std::string column = banner("coordinate real general") + "3 1 1\n2 1 7\n";
  EXPECT_EQ(listed(mtx(column, {.dimensions = Dimensions{3}})), "(1)=7");
  EXPECT_EQ(listed(mtx(column, {.dimensions = Dimensions{3, 1}})), "(1,0)=7");
  EXPECT_EQ(complaint(column, {.dimensions = Dimensions{4}}),
            ": The file says that its dimensions are 3 x 1, but 4 are expected");
}

TEST_F(ReadMatrixMarket, ReadsAMarkedColumnAsAVector) {
  std::string marked = banner("coordinate real general") + "% a comment\n%filigree order=1\n3 1 1\n2 1 7\n";
  EXPECT_EQ(listed(mtx(marked)), "(1)=7");
  EXPECT_EQ(listed(mtx(marked, {.order = 1})), "(1)=7");
  EXPECT_EQ(listed(mtx(marked, {.order = 2})), "(1,0)=7");
  EXPECT_EQ(listed(mtx(marked, {.dimensions = Dimensions{3, 1}})), "(1,0)=7");
  EXPECT_EQ(complaint(banner("coordinate real general") + "%filigree order=1\n1 3 1\n1 2 7\n"),
            ":3: A comment says '%filigree order=1', but the file has more than one column");
}

TEST_F(ReadMatrixMarket, ChecksWhatIsExpected) {
  std::string text = banner("coordinate real general") + "2 3 1\n1 2 7\n";
  EXPECT_EQ(complaint(text, {.dimensions = Dimensions{2, 3}}), "read");
  EXPECT_EQ(complaint(text, {.dimensions = Dimensions{3, 3}}),
            ": The file says that its dimensions are 2 x 3, but 3 x 3 are expected");
  EXPECT_EQ(mtx(text, {.type = ElementType::Int8}).values.type(), ElementType::Int8);
  EXPECT_EQ(listed(mtx(text, {.type = ElementType::Complex64})), "(0,1)=7+i0");
  EXPECT_EQ(complaint(banner("coordinate complex general") + "1 1 0\n", {.type = ElementType::Float64}),
            ": The file holds complex values, but float64 are expected");
  EXPECT_EQ(complaint(banner("coordinate real skew-symmetric") + "1 1 0\n", {.type = ElementType::UInt8}),
            ": The file is skew-symmetric, but uint8 has no negative values");
}

TEST_F(ReadMatrixMarket, AcceptsFreeLayout) {
  std::string expected = "(0,0)=1 (1,1)=2";
  EXPECT_EQ(listed(mtx("%%MatrixMarket  MATRIX\tCoordinate Real  GENERAL  \n\n% comment\n   \n\t 2 2\t2 \n\n  1 1 "
                       "1.0\n% in between\n2\t2  2")),
            expected);
  EXPECT_EQ(listed(mtx("%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1\r\n2 2 2\r\n")), expected);
  EXPECT_EQ(listed(mtx("%%MatrixMarket matrix coordinate real general\r2 2 2\r1 1 1\r2 2 2\r")), expected);
  EXPECT_EQ(listed(mtx("%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n")), expected);
  EXPECT_EQ(listed(mtx("\xef\xbb\xbf  %%matrixmarket matrix coordinate real general\n 2 2 2\n 1 1 1\n 2 2 2")),
            expected);
}

TEST_F(ReadMatrixMarket, ReadsNumbersOfAllSpellings) {
  auto value = [&](const std::string& text) {
    return to_string(mtx(banner("coordinate real general") + "1 1 1\n1 1 " + text + "\n").values.get(0));
  };
  EXPECT_EQ(value("+1.5"), "1.5");
  EXPECT_EQ(value(".5"), "0.5");
  EXPECT_EQ(value("5."), "5");
  EXPECT_EQ(value("1.0D+3"), "1000");
  EXPECT_EQ(value("-1d-1"), "-0.1");
  EXPECT_EQ(value("1e-400"), "0");
  EXPECT_EQ(value("4.9e-324"), "5e-324");
  EXPECT_EQ(value("NaN"), "nan");
  EXPECT_EQ(value("inf"), "inf");
  EXPECT_EQ(value("+Inf"), "inf");
  EXPECT_EQ(value("-Infinity"), "-inf");
  EXPECT_EQ(value("0.1"), "0.1");
  EXPECT_EQ(value("12345678901234567890"), "1.2345678901234567e+19");
}

TEST_F(ReadMatrixMarket, RefusesWrongNumbers) {
  auto refused = [&](const std::string& field, const std::string& text) {
    std::string message = complaint(banner("coordinate " + field + " general") + "1 1 1\n1 1 " + text + "\n");
    return message.substr(0, 4) == ":3: " ? message.substr(4) : message;
  };
  EXPECT_EQ(refused("real", "1e400"), "The value '1e400' does not fit in float64");
  EXPECT_EQ(refused("real", "-1D999"), "The value '-1D999' does not fit in float64");
  EXPECT_EQ(refused("real", "0x10"), "Expected a number, found '0x10'");
  EXPECT_EQ(refused("real", "1,5"), "Expected a number, found '1,5'");
  EXPECT_EQ(refused("real", "+-1"), "Expected a number, found '+-1'");
  EXPECT_EQ(refused("real", "abc"), "Expected a number, found 'abc'");
  EXPECT_EQ(refused("real", "\x01\xff"), "Expected a number, found '\\x01?'");
  EXPECT_EQ(refused("real", "1 2"), "Expected 3 numbers (2 coordinates and a value), found 4");
  EXPECT_EQ(refused("real", ""), "Expected 3 numbers (2 coordinates and a value), found 2");
  EXPECT_EQ(refused("complex", "1"),
            "Expected 4 numbers (2 coordinates and a value's real and imaginary part), found 3");
  EXPECT_EQ(refused("complex", "1 1e999"), "The value '1e999' does not fit in complex128");
  EXPECT_EQ(refused("pattern", "1"), "Expected 2 numbers (2 coordinates), found 3");
  EXPECT_EQ(refused("integer", "9223372036854775808"), "The value '9223372036854775808' does not fit in int64");
  EXPECT_EQ(refused("integer", "1.5"), "The value '1.5' is not an integer, but the values are int64");
  EXPECT_EQ(refused("integer", "1-"), "Expected a number, found '1-'");
  EXPECT_EQ(refused("unsigned-integer", "-1"), "The value '-1' does not fit in uint64");
  EXPECT_EQ(refused("unsigned-integer", "-x"), "Expected a number, found '-x'");
  EXPECT_EQ(refused("unsigned-integer", "-0"), "read");
}

TEST_F(ReadMatrixMarket, RefusesWrongCoordinates) {
  auto refused = [&](const std::string& line) {
    return complaint(banner("coordinate real general") + "% c\n\n2 3 2\n1 1 1\n" + line + "\n");
  };
  EXPECT_EQ(refused("0 1 1"), ":6: The coordinate of dimension 1 is 0, but coordinates count from 1");
  EXPECT_EQ(refused("1 0 1"), ":6: The coordinate of dimension 2 is 0, but coordinates count from 1");
  EXPECT_EQ(refused("-1 1 1"), ":6: The coordinate -1 of dimension 1 is negative");
  EXPECT_EQ(refused("3 1 1"), ":6: The coordinate 3 of dimension 1 is outside of 1..2");
  EXPECT_EQ(refused("1 4 1"), ":6: The coordinate 4 of dimension 2 is outside of 1..3");
  EXPECT_EQ(refused("19223372036854775808 1 1"),
            ":6: The coordinate 19223372036854775808 of dimension 1 is outside of 1..2");
  EXPECT_EQ(refused("-19223372036854775808 1 1"),
            ":6: The coordinate -19223372036854775808 of dimension 1 is negative");
  EXPECT_EQ(refused("1.0 1 1"), ":6: Expected a coordinate (a whole number from 1), found '1.0'");
  EXPECT_EQ(refused("x"), ":6: Expected a coordinate (a whole number from 1), found 'x'");
  EXPECT_EQ(refused("1"), ":6: Expected 3 numbers (2 coordinates and a value), found 1");
  EXPECT_EQ(error("a.mtx", banner("coordinate real general") + "2 3 1\n0 1 1\n"),
            "error: a.mtx:3: The coordinate of dimension 1 is 0, but coordinates count from 1\n"
            "hint: if this file counts from 0, say so: the base of ReadOptions\n");
}

TEST_F(ReadMatrixMarket, RefusesWrongCounts) {
  std::string start = banner("coordinate real general");
  EXPECT_EQ(error("a.mtx", start + "2 2 3\n1 1 1\n2 2 1\n"),
            "error: a.mtx:4: Expected 3 entries, but the file ends after 2\n"
            "hint: the file may be cut short; otherwise correct the count in its header\n");
  EXPECT_EQ(error("a.mtx", start + "2 2 1\n1 1 1\n% c\n\n2 2 1\n1 2 1\n"),
            "error: a.mtx:6: Expected 1 entry, but here is one more\n"
            "note: the file has 3\n"
            "hint: correct the count in the file's header or remove what is too much\n");
  EXPECT_EQ(complaint(start + "2 2 9000000000000000000\n1 1 1\n"),
            ":3: Expected 9000000000000000000 entries, but the file ends after 1");
  EXPECT_EQ(complaint(banner("array real general") + "2 2\n1\n2\n3\n"),
            ":5: Expected 4 values, but the file ends after 3");
  EXPECT_EQ(complaint(banner("array real general") + "1 2\n1\n2\n3\n"), ":5: Expected 2 values, but here is one more");
  EXPECT_EQ(complaint(banner("array real general") + "1 2\n1 2\n3\n"), ":3: Expected 1 number (a value), found 2");
  EXPECT_NE(
      complaint(banner("array real general") + "9000000000 9000000000\n1\n").find("of memory, but this machine has"),
      std::string::npos);
}

TEST_F(ReadMatrixMarket, RefusesWrongBanners) {
  EXPECT_EQ(error("a.mtx", ""),
            "error: a.mtx: The file is empty\nhint: a Matrix Market file starts with '%%MatrixMarket matrix coordinate "
            "real general'\n");
  EXPECT_EQ(error("a.mtx", "3 3\n1\n"),
            "error: a.mtx:1: The first line is not a Matrix Market banner\n"
            "hint: start the file with a line such as '%%MatrixMarket matrix coordinate real general'\n");
  EXPECT_EQ(complaint("\n\n"), ":1: The first line is not a Matrix Market banner");
  EXPECT_EQ(complaint("%%MatrixMarket\n"),
            ":1: The Matrix Market banner ends before the object (matrix, vector or tensor)");
  EXPECT_EQ(complaint("%%MatrixMarket matrix\n"),
            ":1: The Matrix Market banner ends before the format (coordinate or array)");
  EXPECT_EQ(complaint(banner("coordinate")),
            ":1: The Matrix Market banner ends before the field (real, integer, complex or pattern)");
  EXPECT_EQ(complaint(banner("coordinate real")),
            ":1: The Matrix Market banner ends before the symmetry (general, symmetric, ...)");
  EXPECT_EQ(complaint("%%MatrixMarket graph coordinate real general\n"),
            ":1: Unknown object 'graph' in the Matrix Market banner");
  EXPECT_EQ(error("a.mtx", banner("cordinate real general")),
            "error: a.mtx:1: Unknown format 'cordinate' in the Matrix Market banner\n"
            "hint: did you mean 'coordinate'?\nhint: it can be coordinate, array\n");
  EXPECT_EQ(complaint(banner("coordinate float general")), ":1: Unknown field 'float' in the Matrix Market banner");
  EXPECT_EQ(complaint(banner("coordinate real odd")), ":1: Unknown symmetry 'odd' in the Matrix Market banner");
  EXPECT_EQ(complaint(banner("coordinate real general extra")),
            ":1: Unexpected 'extra' after the Matrix Market banner");
  EXPECT_EQ(complaint(banner("array pattern general")), ":1: A pattern cannot be an array: an array has values only");
  EXPECT_EQ(complaint(banner("coordinate real hermitian")),
            ":1: Only complex matrices are hermitian, but the field is 'real'");
  EXPECT_EQ(complaint(banner("coordinate pattern skew-symmetric")),
            ":1: A pattern has no signs, so it cannot be skew-symmetric");
  EXPECT_EQ(complaint(banner("coordinate unsigned-integer skew-symmetric")),
            ":1: Unsigned values cannot be skew-symmetric: half of them would be negative");
}

TEST_F(ReadMatrixMarket, RefusesWrongSizes) {
  std::string start = banner("coordinate real general");
  EXPECT_EQ(complaint(start + "% only comments\n"), ":2: The file ends before the line with the sizes");
  EXPECT_EQ(complaint(start + "2 2\n"), ":2: Expected 3 sizes, found 2");
  EXPECT_EQ(complaint(start + "2 2 0 0\n"), ":2: Expected 3 sizes, found 4");
  EXPECT_EQ(complaint(start + "2 x 0\n"), ":2: Expected a size, found 'x'");
  EXPECT_EQ(complaint(start + "2 2.0 0\n"), ":2: Expected a size, found '2.0'");
  EXPECT_EQ(complaint(start + "2 -2 0\n"), ":2: The size -2 is negative");
  EXPECT_EQ(complaint(start + "2 19223372036854775808 0\n"),
            ":2: The size '19223372036854775808' does not fit in 64 bits");
  EXPECT_EQ(complaint(banner("array real general") + "3 3 6\n"), ":2: Expected 2 sizes, found 3");
  EXPECT_EQ(complaint(banner("coordinate real symmetric") + "3 4 0\n"),
            ":2: A symmetric matrix must be square, but this one is 3 x 4");
  EXPECT_EQ(complaint("%%MatrixMarket vector coordinate real symmetric\n3 0\n"), ":2: Only matrices can be symmetric");
  EXPECT_EQ(mtx(start + "0 0 0").dimensions, (Dimensions{0, 0}));
}

TEST_F(ReadMatrixMarket, ChecksDiagonals) {
  EXPECT_EQ(complaint(banner("coordinate real skew-symmetric") + "3 3 2\n2 1 1\n% c\n2 2 4\n"),
            ":5: The diagonal of a skew-symmetric matrix must be 0");
}

TEST_F(ReadMatrixMarket, HonoursTypeComments) {
  auto typed = [&](const std::string& field, const std::string& type, const std::string& value) {
    return mtx(banner("coordinate " + field + " general") + "%%GraphBLAS type " + type + "\n1 1 1\n1 1 " + value + "\n")
        .values;
  };
  EXPECT_EQ(typed("integer", "uint8_t", "255").type(), ElementType::UInt8);
  EXPECT_EQ(typed("real", "bool", "1").type(), ElementType::Bool);
  EXPECT_EQ(typed("real", "float", "0.1").get(0), Scalar::of(ElementType::Float32, 0.1));
  EXPECT_EQ(typed("complex", "float complex", "0.1 2").type(), ElementType::Complex64);
  EXPECT_EQ(typed("integer", "double", "-inf").get(0).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(typed("pattern", "int32_t", "").get(0), Scalar::of(ElementType::Int32, std::int64_t{1}));
  auto refused = [&](const std::string& field, const std::string& type, const std::string& value) {
    return complaint(banner("coordinate " + field) + "%%GraphBLAS type " + type + "\n1 1 1\n1 1 " + value + "\n");
  };
  EXPECT_EQ(refused("integer general", "uint8_t", "256"), ":4: The value '256' does not fit in uint8");
  EXPECT_EQ(refused("integer general", "int16_t", "-32769"), ":4: The value '-32769' does not fit in int16");
  EXPECT_EQ(refused("integer general", "bool", "2"), ":4: The value '2' does not fit in bool");
  EXPECT_EQ(refused("real general", "gunk", "1"), ":2: Unknown type 'gunk'");
  EXPECT_EQ(refused("real general", "float complex", "1"),
            ":2: The type 'float complex' contradicts the field 'real' of the banner");
  EXPECT_EQ(refused("complex general", "double", "1 1"),
            ":2: The type 'double' contradicts the field 'complex' of the banner");
  EXPECT_EQ(refused("integer skew-symmetric", "uint8_t", "0"),
            ":2: Unsigned values cannot be skew-symmetric: half of them would be negative");
}

}  // namespace
}  // namespace filigree
