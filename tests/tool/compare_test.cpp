// `filigree compare`: what it times and prints.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using CompareTest = ToolTest;

TEST_F(CompareTest, TimesEveryCombination) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"compare", "y(i) = A(i,j) * x(j)", "-i", "A:" + matrix, "-i", "x:ones", "-f", "A:csr",
                              "-f", "A:coo", "-s", "serial", "-s", "auto", "--time", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find("A    schedule "), 0u) << outcome.out;
  for (const char* row : {"\ncsr  serial ", "\ncsr  auto ", "\ncoo  serial ", "\ncoo  auto "})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row << " in\n" << outcome.out;
  EXPECT_NE(outcome.out.find("\n# 3 rounds on "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("; all results are the same\n"), std::string::npos) << outcome.out;
}

TEST_F(CompareTest, TensorsMayHaveNamesLikeFunctions) {
  Outcome inputs = run_tool({"compare", "y(i) = cost(p(i))", "-i", "cost:ones", "-i", "p:ones", "-d", "cost:3", "-d",
                             "p:2", "-s", "serial", "-s", "auto", "--time", "2"});
  EXPECT_EQ(inputs.code, 0) << inputs.err;
  EXPECT_EQ(inputs.err, "");
  EXPECT_NE(inputs.out.find("\nserial "), std::string::npos) << inputs.out;
  // A format that is an alternative says so as well.
  Outcome formats = run_tool({"compare", "cost(i) = x(i); y(i) = cost(p(i)); z(i) = mean(p(i)) + y(i)",
                              "-i",      "x:ones",
                              "-i",      "p:ones",
                              "-d",      "x:3",
                              "-d",      "p:2",
                              "-i",      "mean:ones",
                              "-d",      "mean:3",
                              "-f",      "mean:dense",
                              "-f",      "mean:sparse",
                              "--time",  "2"});
  EXPECT_EQ(formats.code, 0) << formats.err;
  EXPECT_NE(formats.out.find("\nsparse "), std::string::npos) << formats.out;
}

TEST_F(CompareTest, ListsTheFastestFirstWithBars) {
  std::vector<std::string> arguments = {"compare", "y(i) = A(i,j) * x(j)",
                                        "-i",      "A:random(0.001,1)",
                                        "-i",      "x:ones",
                                        "-d",      "A:1500,1500",
                                        "-f",      "A:dense",
                                        "-f",      "A:csr",
                                        "--time",  "5"};
  Outcome ascii = run_tool(arguments, {.environment = {"LC_ALL=C", "FILIGREE_CACHE_SIZE=0"}});
  EXPECT_EQ(ascii.code, 0) << ascii.err;
  EXPECT_LT(ascii.out.find("\ncsr "), ascii.out.find("\ndense ")) << ascii.out;
  EXPECT_NE(ascii.out.find("########################\n"), std::string::npos) << ascii.out;
  Outcome blocks = run_tool(arguments, {.environment = {"LC_ALL=C.UTF-8", "FILIGREE_CACHE_SIZE=0"}});
  EXPECT_NE(blocks.out.find("████████████████████████\n"), std::string::npos) << blocks.out;
}

TEST_F(CompareTest, ListsWhatIsRefusedWithTheReason) {
  Outcome outcome = run_tool({"compare", "s = A(i,j)", "-i", "A:random(0.000005,1)", "-d", "A:20000,20000", "-f",
                              "A:dia", "-f", "A:csr", "--time", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("dia  refused: 'A' (20000 x 20000"), std::string::npos) << outcome.out;
}

TEST_F(CompareTest, AFormatOrScheduleThatCannotBeReadIsAMistake) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome format = run_tool({"compare", "s = A(i,j)", "-i", "A:" + matrix, "-f", "A:csr", "-f", "A:csrr"});
  EXPECT_EQ(format.code, 1);
  EXPECT_EQ(format.out, "");
  EXPECT_EQ(format.err.find(
                "error: Unknown format 'csrr'\n  in -f A, column 1:\n    csrr\n    ^^^^\nhint: did you mean 'csr'?\n"),
            0u)
      << format.err;
  Outcome schedule =
      run_tool({"compare", "s = A(i,j)", "-i", "A:" + matrix, "-s", "serial", "-s", "paralelize(i, cpu)"});
  EXPECT_EQ(schedule.code, 1);
  EXPECT_EQ(schedule.out, "");
  EXPECT_NE(schedule.err.find("hint: did you mean parallelize("), std::string::npos) << schedule.err;
}

TEST_F(CompareTest, TimesWhatIsGivenTwiceOnce) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"compare", "s = A(i,j)", "-i", "A:" + matrix, "-f", "A:csr", "-f", "A:coo", "-f", "A:csr",
                              "-f", "A:ds", "-s", "serial", "-s", "serial", "--time", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "warning: -f A:csr is given twice, and timed once\n"
            "warning: -f A:ds means the same as -f A:csr, and is not timed\n"
            "warning: -s 'serial' is given twice, and timed once\n");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4)
      << outcome.out;  // the head, two rows, the foot
}

TEST_F(CompareTest, FailsWhereEverythingFails) {
  Outcome outcome = run_tool({"compare", "y(i) = A(i,j", "-f", "A:csr", "-f", "A:coo"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err.find("error: "), 0u);
  EXPECT_NE(outcome.err.find("^"), std::string::npos) << outcome.err;
  Outcome missing = run_tool({"compare", "y(i) = A(i,j)*x(j)", "-f", "A:csr", "-f", "A:coo"});
  EXPECT_EQ(
      missing.err,
      "error: No inputs are given for 'A', 'x'\nhint: give files, values or numbers, as in -i A:FILE.tns -i x:ones\n");
  Outcome single = run_tool({"compare", "s = A(i,j)", "-f", "A:csr", "-i", "A:ones", "-d", "A:2,2"});
  EXPECT_EQ(single.code, 2);
  EXPECT_EQ(single.err,
            "error: There is nothing to compare\nhint: give several formats of a tensor, as in -f A:csr -f A:coo, or "
            "several schedules, as in -s serial -s auto\n");
}

TEST_F(CompareTest, ResultsOfSeveralFormatsAreCompared) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"compare", "C(i,j) = A(i,k) * A(k,j)",
                              "-i",      "A:" + matrix,
                              "-f",      "A:csr",
                              "-f",      "A:dcsr",
                              "-f",      "C:csr",
                              "-f",      "C:dense",
                              "-f",      "C:coo",
                              "-f",      "C:hash",
                              "-f",      "C:bcsr(2,2)",
                              "--time",  "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_NE(outcome.out.find("; all results are the same\n"), std::string::npos) << outcome.out;
}

TEST_F(CompareTest, WritesJson) {
  Outcome outcome = run_tool({"compare", "s = A(i,j)", "-i", "A:random(0.000005,1)", "-d", "A:20000,20000", "-f",
                              "A:csr", "-f", "A:dia", "--time", "2", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("{\n  \"expression\": \"s = A(i,j)\",\n  \"rounds\": 2,\n"), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("{\"choices\": {\"A\": \"csr\"}, \"median_ms\": "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("{\"choices\": {\"A\": \"dia\"}, \"refused\": \"'A' (20000 x 20000"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace filigree::tool
