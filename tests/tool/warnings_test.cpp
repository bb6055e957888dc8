// What the tool does as it is told, and says that it was probably not meant.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using WarningsTest = ToolTest;

TEST_F(WarningsTest, TellOfLostValuesAndTheirInputs) {
  Outcome outcome = run_tool({"y(i) = a(i); y(i) = b(i)", "-i", "a:ones", "-i", "b:ones", "-d", "i:1"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "# y: 1, float64, dense, 1 stored (100%), 8 B\n1 1\n");
  EXPECT_EQ(outcome.err,
            "warning: What 'y(i)' is assigned here is lost: 'y' is assigned anew before anything reads it\n"
            "  in expression, column 1:\n"
            "    y(i) = a(i); y(i) = b(i)\n"
            "    ^^^^\n"
            "note: the next value is assigned at column 14\n"
            "hint: to add to what 'y' holds, write y(i) += b(i)\n"
            "hint: otherwise leave this statement out, or give one of the two another name\n"
            "warning: Nothing needs the input 'a': the values that it is read for are lost\n");
  EXPECT_EQ(run_tool({"y(i) = a(i); y(i) += b(i)", "-i", "a:ones", "-i", "b:ones", "-d", "i:1"}).err, "");
  EXPECT_EQ(run_tool({"y(i) += a(i); y(i) += b(i)", "-i", "y:ones", "-i", "a:ones", "-i", "b:ones", "-d", "i:1"}).err,
            "");
}

TEST_F(WarningsTest, TellOfOptionsWithoutEffect) {
  const std::string spmv = "y(i) = A(i,j)*x(j)";
  EXPECT_EQ(run_tool({spmv, "--print", "notation", "--main"}).err,
            "warning: --main has no effect: no C is shown, which --emit and --print c do\n");
  EXPECT_EQ(run_tool({spmv, "--main"}).err, "");
  EXPECT_EQ(run_tool({spmv, "--print", "c,notation", "--main"}).err, "");
  EXPECT_EQ(run_tool({spmv, "--print", "notation", "--target", "interpret"}).err,
            "warning: --target has no effect: nothing is run without inputs\n");
  EXPECT_EQ(run_tool({"s = a(i)", "-i", "a:ones", "-d", "i:3", "-s", "serial", "--threads", "2"}).err,
            "warning: --threads has no effect: -s serial runs on one\n");
  EXPECT_EQ(run_tool({"s = a(i)", "-i", "a:ones", "-d", "i:3", "-s", "serial", "--target", "interpret"}).err, "");
}

TEST_F(WarningsTest, TellOfBasesWithoutEffect) {
  std::string matrix = write("a.mtx", small_matrix), edges = write("e.el", "0 1\n1 0\n");
  auto said = [&](std::vector<std::string> command) {
    Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(said({"s = a(i)", "-i", "a:ones", "-d", "i:3", "--base", "0"}),
            "warning: --base 0 has no effect: no file is read\n");
  EXPECT_EQ(said({"s = A(i,j)", "-i", "A:" + matrix, "--base", "1"}),
            "warning: --base 1 has no effect: no edge list is read, and other files count from 1 without it, too\n");
  EXPECT_EQ(said({"s = A(i,j)", "-i", "A:" + matrix, "--base", "A:1"}),
            "warning: --base A:1 has no effect: coordinates of '" + matrix + "' count from 1 without it, too\n");
  EXPECT_EQ(said({"s = A(i,j)", "-i", "A:ones", "-d", "A:2,2", "--base", "A:0"}),
            "warning: --base A:0 has no effect: 'A' is neither read from a file nor written to one\n");
  EXPECT_EQ(
      said({"B(i,j) = A(i,j)", "-i", "A:ones", "-d", "A:2,2", "-o", "B:" + path("b.el"), "--base", "1"}),
      "warning: --base 1 has no effect: no file is read\nhint: it is about files that are read; --base B:1 is about '" +
          path("b.el") + "'\n");
  EXPECT_EQ(said({"B(i,j) = A(i,j)", "-i", "A:ones", "-d", "A:2,2", "-o", "B:" + path("b.el"), "--base", "B:1"}), "");
  EXPECT_EQ(said({"s = A(i,j)", "-i", "A:" + edges, "--base", "0"}), "");
  EXPECT_EQ(said({"info", matrix, "--base", "1"}),
            "warning: --base 1 has no effect: coordinates of '" + matrix + "' count from 1 without it, too\n");
  EXPECT_EQ(said({"convert", edges, path("b.mtx"), "--base", "0,1"}),
            "warning: --base 0,1 has no effect: coordinates of '" + path("b.mtx") + "' count from 1 without it, too\n");
  // Without a name it is about the files for which it can be said.
  EXPECT_EQ(said({"convert", edges, path("x.npy")}), "");
  EXPECT_EQ(
      said({"s = A(i,j)*B(i,j)", "-i", "A:" + write("f.el", "1 2\n2 1\n"), "-i", "B:" + path("x.npy"), "--base", "1"}),
      "");
}

TEST_F(WarningsTest, TellOfFilesThatDoNotCountFromZero) {
  std::string matrix = write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 2\n");
  Outcome shifted = run_tool({"y(i) = A(i,j)", "-i", "A:" + matrix, "--base", "0"});
  EXPECT_EQ(shifted.code, 0);
  EXPECT_EQ(shifted.err, "warning: '" + matrix +
                             "' is read as counting from 0, but no coordinate is 0\nhint: Matrix Market files count "
                             "from 1: leave out --base 0, unless this one is different\n");
  Outcome outside = run_tool({"y(i) = A(i,j)", "-i", "A:" + write("b.mtx", small_matrix), "--base", "0"});
  EXPECT_EQ(outside.code, 1);
  EXPECT_NE(
      outside.err.find(
          "hint: Matrix Market and FROSTT files count from 1: leave out --base 0, unless this one is different\n"),
      std::string::npos)
      << outside.err;
  EXPECT_EQ(run_tool({"s = A(i,j)", "-i",
                      "A:" + write("c.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n0 0 1\n2 2 2\n"),
                      "--base", "0"})
                .err,
            "");
}

TEST_F(WarningsTest, TellOfCommandsWithoutEffect) {
  std::vector<std::string> command = {"y(i) = A(i,j)*x(j)", "-f", "A:csr", "--print", "notation", "-s"};
  auto said = [&](const std::string& schedule) {
    std::vector<std::string> whole = command;
    whole.push_back(schedule);
    Outcome outcome = run_tool(whole);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(said("split(i, i0, i1, 2), reformat(A, csr)"),
            "warning: This command has no effect: the code is the same without it\n"
            "  in -s, column 22:\n"
            "    split(i, i0, i1, 2), reformat(A, csr)\n"
            "                         ^^^^^^^^^^^^^^^^\n");
  EXPECT_EQ(said("split(i, i0, i1, 2)"), "");
  EXPECT_EQ(said("reformat(A, csc)"), "");
  EXPECT_EQ(said("parallelize(i, cpu, none)"), "");
}

}  // namespace
}  // namespace filigree::tool
