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
  EXPECT_EQ(run_tool({"y(i) += a(i); y(i) += b(i)", "-i", "y:ones", "-i", "a:ones", "-i", "b:ones", "-d", "i:1"}).err, "");
}

TEST_F(WarningsTest, TellOfOptionsWithoutEffect) {
  const std::string spmv = "y(i) = A(i,j)*x(j)";
  EXPECT_EQ(run_tool({spmv, "--print", "notation", "--main"}).err, "warning: --main has no effect: no C is shown, which --emit and --print c do\n");
  EXPECT_EQ(run_tool({spmv, "--main"}).err, "");
  EXPECT_EQ(run_tool({spmv, "--print", "c,notation", "--main"}).err, "");
  EXPECT_EQ(run_tool({spmv, "--print", "notation", "--target", "interpret"}).err, "warning: --target has no effect: nothing is run without inputs\n");
  EXPECT_EQ(run_tool({"s = a(i)", "-i", "a:ones", "-d", "i:3", "-s", "serial", "--threads", "2"}).err, "warning: --threads has no effect: -s serial runs on one\n");
  EXPECT_EQ(run_tool({"s = a(i)", "-i", "a:ones", "-d", "i:3", "-s", "serial", "--target", "interpret"}).err, "");
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
