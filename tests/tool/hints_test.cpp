// Hints that spell statements: they run as they are written.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using HintsTest = ToolTest;

/// What stands behind `before` in a line of the message.
std::string text_behind(const std::string& message, const std::string& before) {
  size_t begin = message.find(before);
  if (begin == std::string::npos) return "";
  begin += before.size();
  return message.substr(begin, message.find('\n', begin) - begin);
}

std::vector<std::string> with_inputs(const std::string& statements) {
  std::vector<std::string> command = {statements};
  for (const char* option : {"A:random(0.5,1)", "x:random(1,2)", "z:random(1,3)"}) {
    if (statements.find(std::string(1, option[0]) + "(") != std::string::npos) command.insert(command.end(), {"-i", option});
  }
  for (const char* size : {"A:4,4", "x:4", "z:4"}) {
    if (statements.find(std::string(1, size[0]) + "(") != std::string::npos) command.insert(command.end(), {"-d", size});
  }
  return command;
}

TEST_F(HintsTest, SpellFunctionsThatThereAreNot) {
  for (const char* written : {"y(i) = argmax(j, A(i,j))", "y(i) = argmin(j, 2*A(i,j) + 1)", "k = argmax(x(i))", "s = norm(x(i))", "s = norm(i, x(i))", "s = norm(A(i,j))", "P(i,j) = softmax(j, A(i,j))",
                              "v = var(x(i))", "v(j) = std(i, A(i,j))", "m(i) = mean(j, A(i,j))", "m = median(x(i))", "y(i) = sort(x(i))", "s = dot(x(i), z(i))", "B(i,j) = matmul(A(i,k), A(k,j))",
                              "s = trace(A(i,j))", "B(i,j) = transpose(A(i,j))", "y(i) = cumsum(x(i))", "y(i) = logsumexp(j, A(i,j))", "y(i) = x(i)/norm(x(i))", "s = median(x(i)) + 1"}) {
    Outcome refused = run_tool(with_inputs(written));
    EXPECT_EQ(refused.code, 1) << written;
    EXPECT_NE(refused.err.find("There is no function"), std::string::npos) << refused.err;
    std::string statements = text_behind(refused.err, "hint: write ");
    if (statements.empty()) statements = text_behind(refused.err, "as in ");
    Outcome outcome = run_tool(with_inputs(statements));
    EXPECT_EQ(outcome.code, 0) << written << "\n" << statements << "\n" << outcome.err;
  }
}

TEST_F(HintsTest, ComputeWhatTheFunctionIsFor) {
  std::string path = write("x.tns", "1 3\n2 1\n3 4\n4 1\n");
  auto result_of = [&](const std::string& written) {
    std::string statements = text_behind(run_tool({written, "-i", "x:" + path}).err, "hint: write ");
    if (statements.empty()) statements = text_behind(run_tool({written, "-i", "x:" + path}).err, "as in ");
    return run_tool({statements, "-i", "x:" + path}).out;
  };
  EXPECT_EQ(result_of("m = median(x(i))"), "2\n");
  EXPECT_EQ(result_of("k = argmax(x(i))"), "2\n");
  EXPECT_EQ(result_of("s = dot(x(i), x(i))"), "27\n");
  EXPECT_NE(result_of("y(i) = sort(x(i))").find("1 1\n2 1\n3 3\n4 4\n"), std::string::npos);
  EXPECT_NE(result_of("y(i) = cumsum(x(i))").find("1 3\n2 4\n3 8\n4 9\n"), std::string::npos);
}

TEST_F(HintsTest, KeepBothValues) {
  std::string written = "H(i,j) = A(i,j); H(i,j+37) = B(i,j)";
  std::vector<std::string> inputs = {"-i", "A:ones", "-i", "B:ones", "-d", "A:2,3", "-d", "B:2,2"};
  auto run_with = [&](const std::string& statements, std::vector<std::string> more) {
    more.insert(more.begin(), statements);
    more.insert(more.end(), inputs.begin(), inputs.end());
    return run_tool(more);
  };
  std::string hint = text_behind(run_with(written, {}).err, "hint: to keep both, write ");
  size_t sizes = hint.find(", with -d ");
  ASSERT_NE(sizes, std::string::npos) << hint;
  EXPECT_EQ(hint.substr(sizes), ", with -d H:2,39");
  Outcome both = run_with(hint.substr(0, sizes), {"-d", hint.substr(sizes + 10)});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.err, "");
  EXPECT_NE(both.out.find("# H: 2 x 39, float64, "), std::string::npos) << both.out;
  for (const char* line : {"\n1 1 1\n", "\n2 3 1\n", "\n2 4 0\n", "\n1 38 1\n", "\n2 39 1\n"}) EXPECT_NE(both.out.find(line), std::string::npos) << both.out;
  // Where there is room, += is enough.
  std::vector<std::string> command = {"H(i,j) = A(i,j); H(0,j) = b(j)", "-i", "A:ones", "-i", "b:ones", "-d", "A:2,3", "-d", "b:3"};
  hint = text_behind(run_tool(command).err, "hint: to add to what 'H' holds, write ");
  EXPECT_EQ(hint, "H(0,j) += b(j)");
  command[0] = "H(i,j) = A(i,j); " + hint;
  Outcome added = run_tool(command);
  EXPECT_EQ(added.code, 0) << added.err;
  EXPECT_NE(added.out.find("1 1 2\n"), std::string::npos) << added.out;
}

TEST_F(HintsTest, DeclareTensorsThatAreLikeFunctions) {
  Outcome refused = run_tool({"y(i) = cost(p(i))", "--print", "notation"});
  EXPECT_NE(refused.err.find("There is no function 'cost'"), std::string::npos);
  EXPECT_NE(refused.err.find("If 'cost' is a tensor, declare it, as in -f cost:dense"), std::string::npos);
  EXPECT_EQ(run_tool({"y(i) = cost(p(i))", "-f", "cost:dense", "--print", "notation"}).code, 0);
  EXPECT_EQ(run_tool({"y(i) = mean(p(i)) - mean(i)", "--print", "notation"}).code, 0);
  EXPECT_EQ(run_tool({"log2(i) = x(i); y(i) = log2(p(i))", "--print", "notation"}).code, 0);
  EXPECT_EQ(run_tool({"y(i) = var(p(i))", "-i", "var:ones", "-i", "p:ones", "-d", "var:3", "-d", "p:2"}).code, 0);
  EXPECT_EQ(run_tool({"s = trace(A)", "-i", "A:ones", "-d", "A:2,2"}).err.find("error: There is no function 'trace'"), 0u);
}

}  // namespace
}  // namespace filigree::tool
