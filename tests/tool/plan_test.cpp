// `filigree --plan FILE`: what --print plan shows is run, as it is or changed by hand.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using PlanTest = ToolTest;

/// The plan that --print plan shows for a matrix times a vector, without its heading.
std::string shown_plan() {
  std::string text = run_tool({"y(i) = A(i,j) * x(j)", "-f", "A:csr", "--print", "plan"}).out;
  return text.substr(text.find("results"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_F(PlanTest, RunsWhatIsShown) {
  std::vector<std::string> data = {"-i", "A:" + write("a.mtx", small_matrix), "-i", "x:ones"};
  std::vector<std::string> statement = {"y(i) = A(i,j) * x(j)", "-f", "A:csr"};
  std::vector<std::string> plan = {"--plan", write("spmv.plan", shown_plan())};
  for (std::vector<std::string>* arguments : {&statement, &plan})
    arguments->insert(arguments->end(), data.begin(), data.end());
  Outcome outcome = run_tool(plan);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, run_tool(statement).out);
}

TEST_F(PlanTest, RunsWhatWasChanged) {
  std::string plan = write("spmv.plan", replaced(shown_plan(), "A(i,j) * x(j)", "(A(i,j) * x(j)) * 10.0"));
  Outcome outcome = run_tool({"--plan", plan, "-i", "A:" + write("a.mtx", small_matrix), "-i", "x:ones"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 30\n2 30\n3 90\n"), std::string::npos) << outcome.out;
}

TEST_F(PlanTest, TellsMistakesWhereTheyAre) {
  std::string plan = write("spmv.plan", replaced(shown_plan(), "A(i,j) * x(j)", "A(i,j) * z(j)"));
  Outcome outcome = run_tool({"--plan", plan});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("There is no tensor 'z'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(plan + ", line "), std::string::npos) << outcome.err;
}

TEST_F(PlanTest, AsksForParentheses) {
  std::string plan = write("spmv.plan", replaced(shown_plan(), "A(i,j) * x(j)", "A(i,j) * x(j) * 10.0"));
  Outcome outcome = run_tool({"--plan", plan});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("put parentheses around one part"), std::string::npos) << outcome.err;
}

TEST_F(PlanTest, HasNoPlaceBesideAnExpressionOrFormats) {
  std::string plan = write("spmv.plan", shown_plan());
  EXPECT_NE(run_tool({"--plan", plan, "y(i) = x(i)"}).err.find("leave the expression out"), std::string::npos);
  Outcome outcome = run_tool({"--plan", plan, "-f", "A:csc"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("-f"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace filigree::tool
