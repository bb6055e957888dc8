// Code stays short, however many operands meet and however their indices are.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using CodeSizeTest = ToolTest;

TEST_F(CodeSizeTest, IsBoundedForManyOperands) {
  const std::vector<std::vector<std::string>> commands = {
      {"r(i,j,k) = A(i,p2(j),p3(k)) + B(i,j({2,0,1}),p1(k)) + C(i,j(1,4),k) + D(i(1,4),j,k(1,4))", "-f", "A:dds", "-f",
       "B:csf", "-f", "C:csf", "-f", "D:bcsr(2,2,2)", "-f", "r:bcsr(2,2,2)"},
      {"r(i,j) = A(p1(i),j) + wrap(B(i+1,j-1)) + C(i(1,4),p2(j)) + wrap(D(i,p1(j))) + E(j(1,4),p2(i)) + F(p3(i),p2(j))",
       "-f", "A:coo(unordered,nonunique)", "-f", "B:coo", "-f", "C:csr", "-f", "D:ell", "-f", "E:dok", "-f", "F:dok",
       "-f", "r:dia"},
      {"r(i,j,k) = max(wrap(A(p1(i),j-1,k)), wrap(B(i+1,p3(j),k+1)), C(k({2,0,1}),i,p3(j)))", "-f", "A:dds", "-f",
       "B:dds", "-f", "C:bcsr(2,2,2)", "-f", "r:hash"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--print", "c"});
    Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 2000) << command[0];
    command.back() = "notation";
    command.push_back("--explain");
    EXPECT_NE(run_tool(command).out.find("would need"), std::string::npos) << command[0];
  }
}

}  // namespace
}  // namespace filigree::tool
