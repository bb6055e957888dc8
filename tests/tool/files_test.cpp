// Standard streams, edge lists and what their coordinates count from, binary files.
#include "run_tool.h"

namespace filigree::tool {
namespace {

class Files : public ToolTest {
 protected:
  Outcome piped(const std::string& input, const std::vector<std::string>& arguments) const {
    RunOptions options;
    options.input_path = write("stdin", input);
    return run_tool(arguments, options);
  }
};

TEST_F(Files, StandardStreams) {
  Outcome both = piped("1 1 2\n2 3 4\n", {"B(i,j) = 2*A(i,j)", "-i", "A:-", "-o", "B:-", "--explain", "--time", "1"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.out, "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 4\n2 3 8\n");
  EXPECT_NE(both.err.find("tensors\n"), std::string::npos) << "explanations make way";
  EXPECT_EQ(piped(both.out, {"y(i) = A(i,j)", "-i", "A:-", "-o", "y:-"}).out, "1 4\n2 8\n");
  EXPECT_EQ(piped(both.out, {"y(i) = A(i,j)", "-i", "A:-.mtx", "-o", "y:-.mtx"}).out,
            "%%MatrixMarket matrix coordinate real general\n%filigree order=1\n2 1 2\n1 1 4\n2 1 8\n");
  EXPECT_EQ(piped(both.out, {"convert", "-", "-.csv"}).out,
            "# filigree base=0 type=float64 dimensions=2,3\n0,0,4\n1,2,8\n");
  EXPECT_EQ(piped(piped(both.out, {"convert", "-", "-.npz"}).out, {"convert", "-", "-"}).out, both.out);
  EXPECT_EQ(piped(piped(both.out, {"convert", "-", "-.mtx.gz"}).out, {"convert", "-", "-"}).out, both.out);
  EXPECT_EQ(piped(both.out, {"info", "-"}).out.substr(0, 73),
            "file         -\nfield        real, coordinate, general\ndimensions   2 x 3\n");
  EXPECT_EQ(piped("2.5\n", {"y(i) = c", "-i", "c:-", "-d", "i:2", "-o", "y:-"}).out, "1 2.5\n2 2.5\n");
}

TEST_F(Files, StreamsThatCannotBe) {
  Outcome twice = piped("1 1 2\n", {"y(i) = A(i,j)*x(j)", "-i", "A:-", "-i", "x:-.tns"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.err, "error: 'A' and 'x' are both read from standard input\nhint: use a file for one of them\n");
  EXPECT_EQ(piped("1 2 3\n1 x 3\n", {"info", "-"}).err.substr(0, 40), "error: standard input:2: Expected a coor");
  EXPECT_EQ(piped("1 2 3\n", {"convert", "-.tns.gz", "-"}).err,
            "error: standard input: This is not gzipped\nhint: leave out .gz\n");
  RunOptions gone;
  gone.input_path = write("stdin", "1 2 3\n");
  gone.reader_is_gone = true;
  EXPECT_EQ(run_tool({"convert", "-", "-"}, gone).code, 141) << "as other commands do";
}

TEST_F(Files, AStreamOfEdgesNeedsAnExtension) {
  const std::string hint = "hint: if it is an edge list, write -.el instead of -, or -.csv if it has commas\n";
  for (const char* text : {"0 1\n1 2\n", "# edges\n0 1 2.5\n", "1,2\n"}) {
    Outcome outcome = run_tool({"s = A(i,j)", "-i", "A:-"}, {.input_path = write("edges", text)});
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_NE(outcome.err.find(hint), std::string::npos) << outcome.err;
  }
  Outcome other = run_tool({"s = A(i,j)", "-i", "A:-"}, {.input_path = write("words", "one two three four five\n")});
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.err.find(hint), std::string::npos) << other.err;
  EXPECT_EQ(run_tool({"s = A(i,j)", "-i", "A:-.el"}, {.input_path = write("edges", "0 1\n1 2\n")}).out, "2\n");
}

TEST_F(Files, ResultsBesideAListThatCountsFromZeroSayThatTheyDoNot) {
  std::string edges = write("a.el", "0 1\n2 1\n");
  EXPECT_EQ(run_tool({"d(i) = A(i,j)", "-i", "A:" + edges, "-f", "d:dense"}).out,
            "# d: 3, float64, dense, 3 stored (100%), 24 B; coordinates count from 1, not from 0 as in the edge "
            "list\n1 1\n2 0\n3 1\n");
  EXPECT_EQ(run_tool({"d(i) = A(i,j)", "-i", "A:" + write("b.el", "1 2\n"), "--base", "1", "-f", "d:dense"}).out,
            "# d: 2, float64, dense, 2 stored (100%), 16 B\n1 1\n2 0\n");
}

TEST_F(Files, InfoOfAStreamTellsItsBanner) {
  Outcome outcome =
      run_tool({"info", "-"},
               {.input_path = write("a", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 1\n2 1 3\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("field        integer, coordinate, symmetric\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("; the file holds one half\n"), std::string::npos) << outcome.out;
}

TEST_F(Files, BasesOfCoordinates) {
  std::string graph = write("graph.el", "1 2\n2 3\n"), zero = write("zero.tns", "0 1 5\n");
  Outcome warned = run_tool({"convert", graph, "-.tns"});
  EXPECT_EQ(warned.out, "# filigree type=float64 dimensions=4,4\n2 3 1\n3 4 1\n");
  EXPECT_EQ(warned.err,
            "warning: '" + graph +
                "' is read as counting from 0, but no vertex is 0\nhint: if it counts from 1, say so with --base 1\n");
  Outcome from_one = run_tool({"convert", graph, "-.el", "--base", "1,1"});
  EXPECT_EQ(from_one.out, "# filigree base=1 type=float64 dimensions=3,3\n1 2\n2 3\n");
  EXPECT_EQ(from_one.err, "");
  EXPECT_EQ(run_tool({"convert", graph, "-.el", "--base", "1"}).out, "0 1\n1 2\n");
  EXPECT_EQ(run_tool({"convert", zero, "-"}).err,
            "error: " + zero +
                ":1: The coordinate of dimension 1 is 0, but coordinates count from 1\nhint: if this file counts from "
                "0, say so with --base 0\n");
  EXPECT_EQ(run_tool({"B(i,j) = A(i,j)", "-i", "A:" + zero, "--base", "A:0", "-o", "B:-.tns"}).out, "1 2 5\n");
  EXPECT_EQ(run_tool({"B(i,j) = A(i,j)", "-i", "A:" + zero, "--base", "0", "-o", "B:-.el", "-f", "B:csr"}).out,
            "# filigree base=0 type=float64 dimensions=1,2\n0 1 5\n");
  EXPECT_EQ(run_tool({"info", zero, "--base", "2"}).err,
            "error: --base needs 0 or 1, found '2'\nhint: for example --base 0 or --base A:0\n");
  EXPECT_EQ(run_tool({"convert", zero, path("b.mtx"), "--base", "0,0"}).err,
            "error: Cannot write '" + path("b.mtx") +
                "' with coordinates from 0: readers of such files expect them to count from 1\nhint: write an edge "
                "list, such as .el, or a .npz file\n");
  EXPECT_EQ(run_tool({"B(i,j) = A(i,j)", "-i", "A:" + zero, "--base", "C:0"}).err.substr(0, 55),
            "error: --base C:0 names no tensor of the expression\nhin");
}

TEST_F(Files, BinaryFiles) {
  write("a.tns", "1 1 2\n2 3 4\n");
  EXPECT_EQ(run_tool({"convert", path("a.tns"), path("a.npz"), "-f", "csc"}).code, 0);
  Outcome explained = run_tool({"y(i) = A(i,j)*x(j)", "-i", "A:" + path("a.npz"), "-i", "x:ones", "--explain"});
  EXPECT_NE(explained.out.find("csc     by default: that of the file"), std::string::npos) << explained.out;
  EXPECT_EQ(run_tool({"y(i) = A(i,j)*x(j)", "-i", "A:" + path("a.npz"), "-f", "A:csr", "-i", "x:ones", "-o",
                      "y:" + path("y.npy")})
                .code,
            0);
  EXPECT_EQ(run_tool({"convert", path("y.npy"), "-"}).out, "1 2\n2 4\n");
  Outcome info = run_tool({"info", path("a.npz"), "-f", "csr"});
  EXPECT_NE(info.out.find("entries      2\n"), std::string::npos) << info.out;
  EXPECT_EQ(run_tool({"B(i,j) = A(i,j)", "-i", "A:" + path("a.npz"), "-f", "A:symmetric", "-o", "B:-"}).code, 1);
}

TEST_F(Files, IntegersMayHaveAPoint) {
  std::string file = write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3.0\n2 2 3e2\n");
  EXPECT_EQ(run_tool({"B(i,j) = n*A(i,j)", "-i", "A:" + file, "-i", "n:2.0", "-t", "n:int64", "-o", "B:-.tns"}).out,
            "# filigree type=int64 dimensions=2,2\n1 1 6\n2 2 600\n");
  EXPECT_EQ(run_tool({"s = n", "-i", "n:2.5", "-t", "n:int64"}).code, 1);
}

TEST_F(Files, SymmetricResultsAreWrittenAsHalves) {
  std::string matrix = write("a.tns", "1 1 2\n1 2 4\n2 1 4\n");
  EXPECT_EQ(
      run_tool({"B(i,j) = A(i,j)", "-i", "A:" + matrix, "-f", "A:symmetric", "-f", "B:symmetric", "-o", "B:-"}).out,
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 4\n");
}

TEST_F(Files, EmptyStandardInputIsATensorOnlyWithDimensions) {
  RunOptions empty;
  empty.input_path = write("stdin", "");
  Outcome refused = run_tool({"y(i) = x(i)", "-i", "x:-"}, empty);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("Standard input is empty"), std::string::npos) << refused.err;
  EXPECT_EQ(run_tool({"y(i) = x(i)", "-i", "x:-", "-d", "x:3"}, empty).code, 0);
}

}  // namespace
}  // namespace filigree::tool
