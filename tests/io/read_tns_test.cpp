#include <gtest/gtest.h>

#include <zlib.h>

#include "tests/io/text_files.h"

namespace filigree {
namespace {

using testing_support::listed;
using Dimensions = std::vector<std::int64_t>;

class ReadTns : public testing_support::FileTest {
 protected:
  Coordinates tns(const std::string& text, const ReadOptions& options = {}) const {
    return read("a.tns", text, options);
  }
  std::string complaint(const std::string& text, const ReadOptions& options = {}) const {
    std::string message = error("a.tns", text, options);
    return message == "read" ? message : message.substr(12, message.find('\n') - 12);
  }
  std::string make_gzip(const std::string& name, const std::string& text) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path(name);
  }
};

TEST_F(ReadTns, TakesTheOrderFromTheFirstLine) {
  Coordinates tensor = tns("# comment\n\n1 3 2 1.5\n  2 1 4\t-2 \r\n# more\n1 1 1 7");
  EXPECT_EQ(tensor.dimensions, (Dimensions{2, 3, 4}));
  EXPECT_EQ(listed(tensor), "(0,2,1)=1.5 (1,0,3)=-2 (0,0,0)=7");
  EXPECT_EQ(tensor.values.type(), ElementType::Float64);
  EXPECT_EQ(tns("598 1\n").dimensions, (Dimensions{598}));
  EXPECT_EQ(listed(tns("5\n")), "()=5");
  EXPECT_EQ(listed(tns("2 1\n4 4\n")), "(1)=1 (3)=4");
}

TEST_F(ReadTns, UsesWhatIsKnown) {
  EXPECT_EQ(tns("1 1 5\n", {.dimensions = Dimensions{3, 4}}).dimensions, (Dimensions{3, 4}));
  EXPECT_EQ(listed(tns("1 2 5 6\n", {.type = ElementType::Complex128})), "(0,1)=5+i6");
  EXPECT_EQ(tns("1 2 5\n", {.type = ElementType::Int16}).values.type(), ElementType::Int16);
  EXPECT_EQ(tns("", {.dimensions = Dimensions{3, 4}}).dimensions, (Dimensions{3, 4}));
  EXPECT_EQ(tns("# nothing\n", {.order = 2}).dimensions, (Dimensions{0, 0}));
  EXPECT_EQ(complaint("1 5 1\n", {.dimensions = Dimensions{3, 4}}),
            ":1: The coordinate 5 of dimension 2 is outside of 1..4");
  EXPECT_EQ(complaint("1 5 1\n", {.order = 3}), ":1: Expected 4 numbers (3 coordinates and a value), found 3");
  EXPECT_EQ(complaint("1 5 1\n", {.order = 3, .dimensions = Dimensions{3, 4}}),
            ": The dimensions are 3 x 4, but 3 dimensions are expected");
  EXPECT_EQ(complaint("5\n", {.type = ElementType::Complex128}),
            ":1: Expected a value's real and imaginary part, found one number");
}

TEST_F(ReadTns, SaysWhetherDimensionsAreImplied) {
  EXPECT_TRUE(tns("1 1 5\n3 4 6\n").dimensions_implied);
  EXPECT_TRUE(tns("", {.order = 2}).dimensions_implied);
  EXPECT_FALSE(tns("3 4 6\n", {.dimensions = Dimensions{3, 4}}).dimensions_implied);
  EXPECT_FALSE(tns("# filigree type=int64 dimensions=3,4\n3 4 6\n").dimensions_implied);
  EXPECT_FALSE(tns("# filigree dimensions=3,4 type=int64\n3 4 6\n").dimensions_implied);
  EXPECT_FALSE(tns("# filigree dimensions=3,4\n3 4 6\n").dimensions_implied);
  EXPECT_TRUE(tns("# filigree wrote this\n3 4 6\n").dimensions_implied);
  EXPECT_FALSE(tns("2 1\n3 4\n3 4 6\n").dimensions_implied);
  EXPECT_FALSE(read("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 1\n3 4 6\n").dimensions_implied);
}

TEST_F(ReadTns, ReadsExtendedHeaders) {
  Coordinates extended = tns("# extended FROSTT\n2 2\n4 5\n1 1 7\n4 3 8\n");
  EXPECT_EQ(extended.dimensions, (Dimensions{4, 5}));
  EXPECT_EQ(listed(extended), "(0,0)=7 (3,2)=8");
  EXPECT_EQ(tns("1 1\n9\n3 7\n").dimensions, (Dimensions{9}));
  EXPECT_EQ(tns("3 0\n4 5 6\n").dimensions, (Dimensions{4, 5, 6}));
  EXPECT_EQ(tns("2 0\n4 5\n", {.order = 2}).dimensions, (Dimensions{4, 5}));
  EXPECT_EQ(tns("3\n4 4 3\n1 2 3 4\n").dimensions, (Dimensions{4, 4, 3}));
  EXPECT_EQ(complaint("2 3\n4 5\n1 1 7\n4 3 8\n"), ":4: Expected 3 entries, but the file ends after 2");
  EXPECT_EQ(complaint("2 1\n4 4\n5 1 1.0\n"), ":3: The coordinate 5 of dimension 1 is outside of 1..4");
  EXPECT_EQ(complaint("2 1\n4 4\n1 1 1.0\n", {.dimensions = Dimensions{4, 5}}),
            ":2: The dimensions are 4 x 4, but 4 x 5 are expected");
}

TEST_F(ReadTns, RefusesWrongLines) {
  EXPECT_EQ(error("a.tns", ""),
            "error: a.tns: The file has no entries, so its number of dimensions is unknown\nhint: state the tensor's "
            "dimensions where it is read\n");
  EXPECT_EQ(complaint("# c\n1 0 2\n"), ":2: The coordinate of dimension 2 is 0, but coordinates count from 1");
  EXPECT_EQ(complaint("1 1 2\n1 -3 2\n"), ":2: The coordinate -3 of dimension 2 is negative");
  EXPECT_EQ(complaint("1 1 2\n1 1\n"), ":2: Expected 3 numbers (2 coordinates and a value), found 2");
  EXPECT_EQ(complaint("1 1 2\n1 1 1 1\n"), ":2: Expected 3 numbers (2 coordinates and a value), found 4");
  EXPECT_EQ(complaint("1 1 2\n1 1 2 # why\n"), ":2: Expected 3 numbers (2 coordinates and a value), found 5");
  EXPECT_EQ(complaint("1 1 x\n"), ":1: Expected a number, found 'x'");
  EXPECT_EQ(complaint("hello\n"), ":1: Expected a number, found 'hello'");
  EXPECT_EQ(complaint("hello world\n"), ":1: Expected a coordinate (a whole number from 1), found 'hello'");
  EXPECT_EQ(complaint("1\n2\n3\n"), ":2: Expected 1 value, but here is one more");
  EXPECT_EQ(complaint("9999999999999999999 1\n"),
            ":1: The coordinate 9999999999999999999 of dimension 1 is too large for this program");
  EXPECT_EQ(complaint("1 1 2\n1 1 1e999\n"), ":2: The value '1e999' does not fit in float64");
  EXPECT_EQ(complaint("sptensor\n3\n4 5 6\n"), ":1: This is a Tensor Toolbox file: it starts with 'sptensor'");
  EXPECT_EQ(complaint("# filigree type=odd dimensions=2\n"), ":1: Unknown type 'odd'");
  EXPECT_EQ(complaint("# filigree typ=int8\n"), ":1: Unknown property 'typ'");
  EXPECT_EQ(complaint("# filigree type=int8 dimensions=2,x\n"), ":1: Expected a dimension, found 'x'");
  EXPECT_EQ(complaint("# filigree type=int8 dimensions=2,2\n1 3 1\n"),
            ":2: The coordinate 3 of dimension 2 is outside of 1..2");
}

TEST_F(ReadTns, FindsTheFirstWrongLineOfAManyThreadedRead) {
  std::string text;
  long line = 0, first_wrong = 0;
  for (int n = 0; n < 400000; n++) {
    bool wrong = n == 250000 || n == 399000;
    text += "# comment\n1 " + std::to_string(n + 1) + (wrong ? " x\n" : " 1.5\n");
    line += 2;
    if (wrong && first_wrong == 0) first_wrong = line;
  }
  for (int threads : {1, 2, 3, 8}) {
    EXPECT_EQ(complaint(text, {.threads = threads}),
              ":" + std::to_string(first_wrong) + ": Expected a number, found 'x'");
  }
}

TEST_F(ReadTns, ReadsTheSameWithAnyNumberOfThreads) {
  std::string text;
  for (int n = 0; n < 300000; n++)
    text += std::to_string(n % 997 + 1) + " " + std::to_string(n + 1) + " " + std::to_string(n * 0.25) + "\n";
  make("a.tns", text);
  Coordinates one = read_file(path("a.tns"), {.threads = 1});
  for (int threads : {2, 3, 7}) {
    Coordinates many = read_file(path("a.tns"), {.threads = threads});
    EXPECT_EQ(many.dimensions, one.dimensions);
    EXPECT_EQ(many.coordinate, one.coordinate);
    EXPECT_TRUE(
        std::equal(many.values.as<double>().begin(), many.values.as<double>().end(), one.values.as<double>().begin()));
  }
}

TEST_F(ReadTns, UnpacksGzip) {
  make_gzip("a.tns.gz", "1 2 3\n");
  EXPECT_EQ(listed(read_file(path("a.tns.gz"))), "(0,1)=3");
  make_gzip("b.tns.gz", "2 2 4\n");
  std::string joined = text_of("a.tns.gz") + text_of("b.tns.gz");
  EXPECT_EQ(listed(read("c.tns.gz", joined)), "(0,1)=3 (1,1)=4");
  EXPECT_EQ(listed(read("d.tns", joined)), "(0,1)=3 (1,1)=4");
}

TEST_F(ReadTns, RefusesDamagedGzip) {
  std::string text;
  for (int n = 0; n < 10000; n++) text += std::to_string(n + 1) + " " + std::to_string(n * n) + "\n";
  make_gzip("a.tns.gz", text);
  std::string packed = text_of("a.tns.gz");
  std::string cut = error("b.tns.gz", packed.substr(0, packed.size() / 2));
  EXPECT_EQ(cut.substr(0, 52), "error: b.tns.gz: The gzip stream is cut short after ");
  std::string late = error("b.tns.gz", packed.substr(0, packed.size() - 4));
  EXPECT_EQ(late.substr(0, 52), "error: b.tns.gz: The gzip stream is cut short after ");
  std::string damaged = packed;
  for (size_t at = 1000; at < 1100; at++) damaged[at] = static_cast<char>(~damaged[at]);
  EXPECT_EQ(error("b.tns.gz", damaged).substr(0, 50), "error: b.tns.gz: The gzip stream is damaged after ");
  EXPECT_EQ(error("b.tns.gz", packed + "garbage").substr(0, 50), "error: b.tns.gz: The gzip stream is damaged after ");
  EXPECT_EQ(error("b.tns.gz", "1 2 3\n"),
            "error: b.tns.gz: The file is not gzipped, though its name ends in .gz\nhint: rename it without .gz\n");
}

TEST_F(ReadTns, RefusesWhatIsNoTextFile) {
  EXPECT_EQ(error_of_path("missing.tns"),
            "error: Cannot read 'missing.tns': no such file or directory\nhint: check the name; paths are relative to "
            "the current directory\n");
  std::filesystem::create_directory(directory() / "directory.tns");
  EXPECT_EQ(error_of_path("directory.tns"),
            "error: Cannot read 'directory.tns': is a directory\nhint: check that it is a file you may read\n");
  EXPECT_EQ(error("a.tns", std::string("1 2\0 3\n", 7)),
            "error: a.tns: The file is not text: it contains zero bytes\nhint: convert it to one of the text formats "
            "in UTF-8 or ASCII\n");
  EXPECT_EQ(error("a.mat", "1 2 3\n"),
            "error: The extension '.mat' of 'a.mat' is not that of a known file format\n"
            "hint: known extensions are .mtx, .ttx, .tns, .el, .edges, .txt, .csv, .tsv, each also with .gz, and .npy, "
            ".npz\n");
  EXPECT_EQ(error("matrix", "1 2 3\n"),
            "error: The file name 'matrix' has no extension that tells its format\n"
            "hint: known extensions are .mtx, .ttx, .tns, .el, .edges, .txt, .csv, .tsv, each also with .gz, and .npy, "
            ".npz\n");
}

}  // namespace
}  // namespace filigree
