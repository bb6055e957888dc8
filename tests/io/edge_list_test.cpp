#include <gtest/gtest.h>

#include "tests/io/text_files.h"

namespace filigree {
namespace {

using testing_support::listed;

class EdgeLists : public testing_support::FileTest {
 protected:
  std::string warning(const std::string& text, const ReadOptions& options = {}) const {
    std::vector<Warning> warnings = read_contents(make("w.el", text), options).warnings();
    return warnings.empty() ? "" : without_directory(warnings[0].message());
  }
  std::string written(const std::string& name, const AnyTensor& tensor, const WriteOptions& options = {}) const {
    write_file(path(name), tensor, options);
    return text_of(name);
  }
};

TEST_F(EdgeLists, AreSquareAndCountFromZero) {
  Coordinates entries = read("a.el", "# Nodes: 4\n% another comment\n0 1\n\n3\t2\n0 1\n");
  EXPECT_EQ(listed(entries), "(0,1)=1 (3,2)=1 (0,1)=1");
  EXPECT_EQ(entries.dimensions, (std::vector<std::int64_t>{4, 4}));
  EXPECT_TRUE(entries.dimensions_implied);
  EXPECT_EQ(listed(read("a.edges", "1 3 2.5\n2 1 -1\n", {.base = 1})), "(0,2)=2.5 (1,0)=-1");
  EXPECT_EQ(read("a.txt", "0 1\n", {.dimensions = std::vector<std::int64_t>{2, 5}}).dimensions,
            (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(read("a.el", "0 1 7\n", {.type = ElementType::Int8}).values.type(), ElementType::Int8);
  EXPECT_EQ(read("a.el", "# nothing\n").dimensions, (std::vector<std::int64_t>{0, 0}));
}

TEST_F(EdgeLists, HaveCommasAndHeadings) {
  EXPECT_EQ(listed(read("a.csv", "source,target,weight\n0,1,2.5\n1, 2 ,3\n")), "(0,1)=2.5 (1,2)=3");
  EXPECT_EQ(listed(read("a.tsv", "0\t1\n")), "(0,1)=1");
  EXPECT_EQ(listed(read("a.el", "# a,b\n0,1\n")), "(0,1)=1");
  EXPECT_EQ(error("a.csv", "0,1\n0,,1\n"),
            "error: a.csv:2: A field is empty\nhint: each line has two vertices and perhaps a weight\n");
  EXPECT_EQ(error("a.csv", "0,1,\n"),
            "error: a.csv:1: The last field is empty\nhint: each line has two vertices and perhaps a weight\n");
  EXPECT_EQ(error("a.el", "source target\n0 1\n"),
            "error: a.el:1: Expected a coordinate (a whole number from 0), found 'source'\nhint: each line has 2 "
            "coordinates\n");
}

TEST_F(EdgeLists, RefuseOtherColumns) {
  EXPECT_EQ(error("a.el", "0 1 2 3\n"),
            "error: a.el:1: Expected two vertices and perhaps a weight, found 4 numbers\nhint: take out the other "
            "columns, for example with cut -d' ' -f1-3\n");
  EXPECT_EQ(error("a.el", "0\n"),
            "error: a.el:1: Expected two vertices and perhaps a weight, found one number\nhint: a line such as '3 5' "
            "is an edge\n");
  EXPECT_EQ(error("a.el", "0 1\n0 1 2\n").substr(0, 55), "error: a.el:2: Expected 2 numbers (2 coordinates), foun");
  EXPECT_EQ(error("a.el", "1 0\n", {.base = 1}).substr(0, 74),
            "error: a.el:1: The coordinate of dimension 2 is 0, but coordinates count f");
  EXPECT_EQ(error("a.el", "0 -1\n"),
            "error: a.el:1: The coordinate -1 of dimension 2 is negative\nhint: coordinates count from 0\n");
  EXPECT_EQ(error("a.el", "0 5\n", {.dimensions = std::vector<std::int64_t>{5, 5}}).substr(0, 65),
            "error: a.el:1: The coordinate 5 of dimension 2 is outside of 0..4");
  EXPECT_EQ(error("a.el", "0 1\n", {.order = 3}),
            "error: a.el: An edge list is a matrix, but 3 dimensions are expected\n");
}

TEST_F(EdgeLists, WarnWhereNoVertexIsZero) {
  EXPECT_EQ(warning("1 2\n"), "'w.el' is read as counting from 0, but no vertex is 0");
  EXPECT_EQ(warning("1 0\n"), "");
  EXPECT_EQ(warning("1 2\n", {.base = 0}), "");
  EXPECT_EQ(warning("# filigree base=0\n1 2\n"), "");
}

TEST_F(EdgeLists, AreWrittenSoThatTheyReadBack) {
  Coordinates edges{{3, 3}, {{2, 0}, {1, 2}}, Array(ElementType::Float64, 2)};
  for (int n : {0, 1}) edges.values.set(n, Scalar::of(ElementType::Float64, 1.0));
  EXPECT_EQ(written("a.el", AnyTensor::pack(edges, parse_format("csr", 2))), "0 2\n2 1\n");
  EXPECT_EQ(written("a.csv", AnyTensor::pack(edges, parse_format("csc", 2)), {.base = 1}),
            "# filigree base=1 type=float64 dimensions=3,3\n1,3\n3,2\n");
  edges.values.set(0, Scalar::of(ElementType::Float64, 2.5));
  edges.dimensions = {4, 5};
  EXPECT_EQ(written("a.tsv", AnyTensor::pack(edges, Format::sparse(2))),
            "# filigree base=0 type=float64 dimensions=4,5\n0\t2\t1\n2\t1\t2.5\n");
  for (const char* name : {"a.el", "a.csv", "a.tsv"})
    EXPECT_EQ(listed(read_file(path(name))).substr(0, 13), "(0,2)=1 (2,1)") << name;
  EXPECT_EQ(read_file(path("a.tsv")).dimensions, (std::vector<std::int64_t>{4, 5}));
  EXPECT_THROW(write_file(path("a.tns"), AnyTensor::pack(edges, Format::sparse(2)), {.base = 0}), UserError);
}

TEST_F(EdgeLists, OtherTextsCanCountFromZero) {
  EXPECT_EQ(listed(read("a.tns", "0 2 1.5\n", {.base = 0})), "(0,2)=1.5");
  EXPECT_EQ(listed(read("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 4\n", {.base = 0})),
            "(1,2)=4");
  EXPECT_EQ(error("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n2 2 4\n", {.base = 0}).substr(0, 66),
            "error: a.mtx:3: The coordinate 2 of dimension 1 is outside of 0..1");
}

TEST_F(EdgeLists, IntegersMayHaveAPoint) {
  auto value = [&](const std::string& text, ElementType type) {
    return error("a.tns", "1 " + text + "\n", {.type = type}) == "read"
               ? to_string(read("a.tns", "1 " + text + "\n", {.type = type}).values.get(0))
               : "refused";
  };
  EXPECT_EQ(value("3.0", ElementType::Int64), "3");
  EXPECT_EQ(value("-3.", ElementType::Int8), "-3");
  EXPECT_EQ(value("3e2", ElementType::Int64), "300");
  EXPECT_EQ(value("1.25E+2", ElementType::Int16), "125");
  EXPECT_EQ(value("1200e-2", ElementType::Int64), "12");
  EXPECT_EQ(value("0.0", ElementType::Bool), "0");
  EXPECT_EQ(value("1.0", ElementType::Bool), "1");
  EXPECT_EQ(value("-0.0", ElementType::UInt8), "0");
  EXPECT_EQ(value("9007199254740993.0", ElementType::Int64), "9007199254740993");
  EXPECT_EQ(value("18446744073709551615.0", ElementType::UInt64), "18446744073709551615");
  EXPECT_EQ(value("-9223372036854775808.0", ElementType::Int64), "-9223372036854775808");
  for (const char* text :
       {"3.5", "1e-1", "1e400", "9223372036854775808.0", ".", "1.2.3", "e5", "1e", "nan", "inf", "0x10"}) {
    EXPECT_EQ(value(text, ElementType::Int64), "refused") << text;
  }
  EXPECT_EQ(value("300.0", ElementType::Int8), "refused");
  EXPECT_EQ(value("-1.0", ElementType::UInt8), "refused");
}

}  // namespace
}  // namespace filigree
