// What is chosen for inputs, and `filigree tune`.
#include <filesystem>

#include "run_tool.h"

namespace filigree::tool {
namespace {

using WaysTest = ToolTest;

std::vector<std::string> product(std::vector<std::string> more) {
  std::vector<std::string> words = {"y(i) = B(i,j)*C(j,k)*d(k)",
                                    "-f",
                                    "B:csr",
                                    "-f",
                                    "C:csr",
                                    "-d",
                                    "i:300",
                                    "-d",
                                    "j:300",
                                    "-d",
                                    "k:300",
                                    "-i",
                                    "B:random(0.1,1)",
                                    "-i",
                                    "C:random(0.1,2)",
                                    "-i",
                                    "d:ones"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(WaysTest, AreShownAsTheyRun) {
  Outcome chosen = run_tool(product({"--print", "concrete", "--explain"})),
          own = run_tool(product({"--print", "concrete", "--explain", "-s", "default"}));
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_TRUE(has(chosen.out, "+= C(j,k)*d(k)")) << chosen.out;
  EXPECT_TRUE(has(chosen.out, "  a schedule, which is taken: about ")) << chosen.out;
  EXPECT_TRUE(has(chosen.out, "{[i,j,k] | B(i,j) and C(j,k)}")) << chosen.out;
  EXPECT_TRUE(has(chosen.out, "times less work\n")) << chosen.out;
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_FALSE(has(own.out, "w(j)")) << own.out;
}

TEST_F(WaysTest, AreTextThatCanBeEdited) {
  Outcome chosen = run_tool(product({"--explain", "--show", "0"})),
          json = run_tool(product({"--print", "frontier", "--show", "0"})),
          edited = run_tool(product({"-s", "precompute(C(j,k)*d(k), j, j, w)", "--show", "0"}));
  for (const char* part : {"-s 'precompute(C(j,k)*d(k), j, j, w)'",
                           "'w(j) = sum(k, C(j,k)*d(k)); y(i) = sum(j, B(i,j)*w(j))' -f 'w:bitmap'"}) {
    EXPECT_TRUE(has(chosen.out, part)) << chosen.out;
    EXPECT_TRUE(has(json.out, part)) << json.out;
  }
  EXPECT_TRUE(has(json.out, "\"cost\": [\"{[j]} + {[j,k] | C(j,k)}\", \"{[i]} + {[i,j] | B(i,j)}\"]")) << json.out;
  EXPECT_TRUE(has(json.out, "\"taken\": true}")) << json.out;
  EXPECT_TRUE(has(json.out, "\"why\": \"a schedule is ")) << json.out;
  EXPECT_EQ(edited.code, 0) << edited.err;
}

TEST_F(WaysTest, AreKeptOnDisk) {
  std::string folder = path("choices");
  auto count_texts = [&] {
    size_t texts = 0;
    if (!std::filesystem::exists(folder)) return texts;
    for (const auto& file : std::filesystem::directory_iterator(folder)) texts += file.path().extension() == ".txt";
    return texts;
  };
  Outcome without = run_tool(product({"--show", "0"}),
                             {.environment = {"FILIGREE_CACHE=" + folder, "FILIGREE_CHOICES=0"}});
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_EQ(count_texts(), 0u);
  for (int run = 0; run < 2; run++) {
    Outcome outcome = run_tool(product({"--show", "0"}), {.environment = {"FILIGREE_CACHE=" + folder}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(count_texts(), 1u);
  }
  // What is no way of the statement is not taken.
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".txt") std::filesystem::resize_file(file.path(), 3);
  }
  Outcome damaged = run_tool(product({"--show", "0"}), {.environment = {"FILIGREE_CACHE=" + folder}});
  EXPECT_EQ(damaged.code, 0) << damaged.err;
  EXPECT_EQ(count_texts(), 1u);
}

TEST_F(WaysTest, AreTuned) {
  std::string folder = path("cache"), picture = path("ways.svg");
  std::vector<std::string> words = product({"--time", "2", "--svg", picture});
  words.insert(words.begin(), "tune");
  Outcome tuned = run_tool(words, {.environment = {"FILIGREE_CACHE=" + folder}});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  for (const char* part :
       {"its own loops", "a schedule", "2 statements", "a candidate", "  kept\n",
        "w(j) = sum(k, C(j,k)*d(k))  (bitmap)", "commands", "reorder(k, i, j)"})
    EXPECT_TRUE(has(tuned.out, part)) << part << " in\n" << tuned.out;
  EXPECT_EQ(read_text(picture).substr(0, 5), "<svg ");
  size_t texts = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) texts += file.path().extension() == ".txt";
  EXPECT_EQ(texts, 2u) << "the fastest, and what each took";
  words.push_back("--json");
  Outcome json = run_tool(words, {.environment = {"FILIGREE_CACHE=" + folder}});
  EXPECT_TRUE(has(json.out, "\"same_result\": true, \"kept\": true}")) << json.out;
}

TEST_F(WaysTest, AreTunedForOneStatementOnly) {
  Outcome several = run_tool({"tune", "T(i,j) = A(i,k)*B(k,j); y(i) = T(i,j)*T(j,i)", "-i", "A:random(1,1)", "-i",
                              "B:random(1,1)", "-d", "i:5", "-d", "j:5", "-d", "k:5"});
  EXPECT_TRUE(has(several.err, "Only a single statement is tuned")) << several.err;
  Outcome small =
      run_tool({"tune", "y(i) = A(i,j)*x(j)", "-i", "A:random(1,1)", "-d", "i:5", "-d", "j:5", "-i", "x:ones"});
  EXPECT_TRUE(has(small.err, "There is nothing to tune: it has too few operands")) << small.err;
}

}  // namespace
}  // namespace filigree::tool
