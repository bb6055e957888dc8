// Hints that spell statements: they run as they are written.
#include <cmath>
#include <sstream>

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

/// The last number of each line but comments: the values of a result.
std::vector<double> values_of(const std::string& output) {
  std::vector<double> values;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) values.push_back(std::stod(line.substr(line.rfind(' ') + 1)));
  }
  return values;
}

TEST_F(HintsTest, ComputeWhatFunctionsThatThereAreNotAreFor) {
  const std::string A = write("A.tns", "1 1 4\n1 2 1\n2 1 2\n2 2 5\n"), x = write("x.tns", "1 3\n2 1\n3 4\n4 1\n"),
                    z = write("z.tns", "1 2\n2 5\n3 1\n4 3\n");
  auto with_inputs = [&](const std::string& statements) {
    std::vector<std::string> command = {statements};
    for (const auto& [name, path] : {std::pair("A", A), {"x", x}, {"z", z}}) {
      if (statements.find(std::string(name) + "(") != std::string::npos)
        command.insert(command.end(), {"-i", std::string(name) + ":" + path});
    }
    return command;
  };
  struct Expected {
    const char* written;
    std::vector<double> values;
  };
  const double large = 1 / (1 + std::exp(-3.0)), small = 1 / (1 + std::exp(3.0));
  const std::vector<Expected> all = {
      {"y(i) = argmax(j, A(i,j))", {0, 1}},
      {"y(i) = argmin(j, 2*A(i,j) + 1)", {1, 0}},
      {"k = argmax(x(i))", {2}},
      {"s = norm(x(i))", {std::sqrt(27.0)}},
      {"s = norm(i, x(i))", {std::sqrt(27.0)}},
      {"s = norm(A(i,j))", {std::sqrt(46.0)}},
      {"P(i,j) = softmax(j, A(i,j))", {large, small, small, large}},
      {"v = var(x(i))", {1.6875}},
      {"v(j) = std(i, A(i,j))", {1, 2}},
      {"m(i) = mean(j, A(i,j))", {2.5, 3.5}},
      {"m = median(x(i))", {2}},
      {"y(i) = sort(x(i))", {1, 1, 3, 4}},
      {"s = dot(x(i), z(i))", {18}},
      {"B(i,j) = matmul(A(i,k), A(k,j))", {18, 9, 18, 27}},
      {"s = trace(A(i,j))", {9}},
      {"B(i,j) = transpose(A(i,j))", {4, 2, 1, 5}},
      {"y(i) = cumsum(x(i))", {3, 4, 8, 9}},
      {"y(i) = logsumexp(j, A(i,j))", {4 - std::log(large), 5 - std::log(large)}},
      // Hints for a part of the right side compute that part.
      {"y(i) = x(i)/norm(x(i))", {std::sqrt(27.0)}},
      {"s = median(x(i)) + 1", {2}},
  };
  for (const Expected& expected : all) {
    Outcome refused = run_tool(with_inputs(expected.written));
    EXPECT_EQ(refused.code, 1) << expected.written;
    EXPECT_NE(refused.err.find("There is no function"), std::string::npos) << refused.err;
    std::string statements = text_behind(refused.err, "hint: write ");
    if (statements.empty()) statements = text_behind(refused.err, "as in ");
    Outcome outcome = run_tool(with_inputs(statements));
    ASSERT_EQ(outcome.code, 0) << expected.written << "\n" << statements << "\n" << outcome.err;
    std::vector<double> values = values_of(outcome.out);
    ASSERT_EQ(values.size(), expected.values.size()) << expected.written << "\n" << statements << "\n" << outcome.out;
    for (size_t n = 0; n < values.size(); n++)
      EXPECT_NEAR(values[n], expected.values[n], 1e-12) << expected.written << "\n"
                                                        << statements << "\n"
                                                        << outcome.out;
  }
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
  for (const char* line : {"\n1 1 1\n", "\n2 3 1\n", "\n2 4 0\n", "\n1 38 1\n", "\n2 39 1\n"})
    EXPECT_NE(both.out.find(line), std::string::npos) << both.out;
  // Where there is room, += is enough.
  std::vector<std::string> command = {
      "H(i,j) = A(i,j); H(0,j) = b(j)", "-i", "A:ones", "-i", "b:ones", "-d", "A:2,3", "-d", "b:3"};
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
  EXPECT_EQ(run_tool({"s = trace(A)", "-i", "A:ones", "-d", "A:2,2"}).err.find("error: There is no function 'trace'"),
            0u);
}

}  // namespace
}  // namespace filigree::tool
