// `filigree 'EXPR' ...`: what it computes, prints and writes.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using RunTest = ToolTest;

TEST_F(RunTest, WritesTheResultAndTimesTheRuns) {
  Outcome outcome = run_tool({"y(i) = A(i,j) * x(j)", "-f", "A:csr", "-i", "A:" + write("a.mtx", small_matrix), "-i",
                              "x:ones", "-o", "y:" + path("y.tns"), "--time", "20"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_text(path("y.tns")), "1 3\n2 3\n3 9\n");
  EXPECT_EQ(outcome.out, "");
  for (const char* what : {"read ", "pack A as csr", "compile", "run, median of 20", "run, fastest", "write "}) {
    EXPECT_NE(outcome.err.find(what), std::string::npos) << what << " in\n" << outcome.err;
  }
}

TEST_F(RunTest, FollowsASchedule) {
  std::string matrix = write("a.mtx", small_matrix);
  std::vector<std::string> arguments = {"s = A(i,j) * B(i,j)", "-f", "A:csr",       "-f",        "B:csr", "-i",
                                        "A:" + matrix,         "-i", "B:" + matrix, "--threads", "1",     "--explain"};
  Outcome plain = run_tool(arguments);
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_NE(plain.out.find("decided at run time"), std::string::npos) << plain.out;
  for (const char* strategy : {"step", "seqiter", "gallop", "binary", "hash", "scan"}) {
    std::vector<std::string> with = arguments;
    with.insert(with.end(), {"-s", std::string("protocol(B, j, ") + strategy + ")"});
    Outcome asked = run_tool(with);
    EXPECT_EQ(asked.code, 0) << asked.err;
    EXPECT_NE(asked.out.find(std::string("level 2 of 'B' (compressed) is reached by '") + strategy +
                             "', as the schedule asks"),
              std::string::npos)
        << asked.out;
    EXPECT_EQ(asked.out.substr(asked.out.find("one thread")), plain.out.substr(plain.out.find("one thread")));
  }
}

TEST_F(RunTest, PrintsASmallResult) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"A(i,j) = B(i,j) + C(j,i)", "-f", "A:csr", "-f", "B:csr", "-f", "C:csr", "-i",
                              "B:" + matrix, "-i", "C:" + matrix});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "# A: 3 x 3, float64, csr, 5 stored (55.6%), 76 B\n1 1 2\n1 3 6\n2 2 6\n3 1 6\n3 3 10\n");
}

TEST_F(RunTest, StartsFromAnOldValue) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"A(i,j) -= B(i,j)", "-f", "A:csr", "-f", "B:csr", "-i", "A:" + matrix, "-i", "B:ones"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "# A: 3 x 3, float64, csr, 9 stored (100%), 124 B\n1 1 0\n1 2 -1\n1 3 1\n2 1 -1\n2 2 2\n2 3 -1\n3 1 3\n3 2 "
            "-1\n3 3 4\n");
  EXPECT_EQ(run_tool({"a(i) = a(i)", "-i", "a:ones", "-d", "i:2"}).out,
            "# a: 2, float64, dense, 2 stored (100%), 16 B\n1 1\n2 1\n");
}

TEST_F(RunTest, TakesFills) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome =
      run_tool({"A(i,j) min= B(i,k) + B(k,j)", "-f", "A:csr", "-f", "B:csr", "--fill", "B:inf", "-i", "B:" + matrix});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "# A: 3 x 3, float64, csr, fill inf, 5 stored (55.6%), 76 B\n1 1 2\n1 3 3\n2 2 6\n3 1 5\n3 3 6\n");
}

TEST_F(RunTest, TakesTruthValues) {
  EXPECT_EQ(run_tool({"a(i) = t", "-i", "t:true", "-d", "i:1"}).out,
            "# a: 1, bool, dense, 1 stored (100%), 1 B\n1 1\n");
  EXPECT_EQ(run_tool({"a(i) = t", "-i", "t:true", "-t", "t:int8", "-d", "i:1"}).out,
            "# a: 1, int8, dense, 1 stored (100%), 1 B\n1 1\n");
  Outcome filled =
      run_tool({"a(i) = b(i)", "--fill", "b:true", "-t", "b:bool", "-f", "b:sparse", "-i", "b:zeros", "-d", "i:1"});
  EXPECT_EQ(filled.out, "# a: 1, bool, sparse, fill 1, 1 stored (100%), 13 B\n1 0\n") << filled.err;
}

TEST_F(RunTest, SummarizesALargeResult) {
  Outcome outcome = run_tool({"a(i) = b(i)", "-i", "b:ones", "-d", "i:1000"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "# a: 1000, float64, dense, 1000 stored (100%), 7.8 KiB\n1 1\n2 1\n3 1\n4 1\n5 1\n6 1\n7 1\n8 1\n9 1\n10 1\n"
      "# the first 10 of 1000: --show all shows all of them, -o a:FILE.tns writes them\n");
}

TEST_F(RunTest, ShowsAsMuchAsIsAskedFor) {
  auto shown = [&](const std::string& count, const std::string& format) {
    return run_tool({"A(i,j) = B(i,j)", "-i", "B:" + write("a.mtx", small_matrix), "-f", "A:" + format, "-f", "B:csr",
                     "--show", count})
        .out;
  };
  for (const char* format : {"csr", "csc", "coo", "dcsc", "hash", "coo(nonunique)", "sparse", "csr(unordered)"}) {
    std::string two = shown("2", format);
    EXPECT_NE(two.find("\n1 1 1\n1 3 2\n# the first 2 of 5: --show all shows all of them, -o A:FILE.tns writes them\n"),
              std::string::npos)
        << format << two;
    EXPECT_NE(shown("all", format).find("\n1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 3 5\n"), std::string::npos) << format;
    EXPECT_NE(shown("0", format).find("B\n# the first 0 of 5"), std::string::npos) << shown("0", format);
  }
  std::string half = write("s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 3 4\n");
  Outcome symmetric =
      run_tool({"A(i,j) = B(i,j)", "-i", "B:" + half, "-f", "A:symmetric", "-f", "B:csr", "--show", "2"});
  EXPECT_NE(symmetric.out.find("\n1 1 1\n1 3 2\n#"), std::string::npos) << symmetric.out << symmetric.err;
}

TEST_F(RunTest, RunsWhatNeedsNoInputs) {
  EXPECT_EQ(run_tool({"s = sum(i, i*i)", "-d", "i:10"}).out, "285\n");
  EXPECT_EQ(run_tool({"s = 3"}).out, "3\n");
  EXPECT_EQ(run_tool({"A(i,j) = i+j", "-d", "i:2", "-d", "j:2"}).out,
            "# A: 2 x 2, int64, dense, 4 stored (100%), 32 B\n1 1 0\n1 2 1\n2 1 1\n2 2 2\n");
  EXPECT_EQ(run_tool({"t(i) = i; s = sum(i, t(i))", "-d", "i:4"}).out, "6\n");
  EXPECT_EQ(run_tool({"A(i,j) = i+j", "-d", "i:2"}).out.find("// A: int64, dense\n"), 0u)
      << "an extent is missing, so C is printed";
  EXPECT_EQ(run_tool({"s = sum(i, i*i)", "-d", "i:10", "--print", "c"}).out.find("285"), std::string::npos);
  EXPECT_EQ(run_tool({"s = sum(i, i*i)", "-d", "i:10", "--emit", path("s.c")}).out, "");
}

TEST_F(RunTest, TakesSubscriptsOfScalars) {
  EXPECT_EQ(run_tool({"einsum", "->", "s", "-i", "s:2.5"}).out, "2.5\n");
  EXPECT_EQ(run_tool({"einsum", ",->", "s", "t", "-i", "s:2.5", "-i", "t:2"}).out, "5\n");
  EXPECT_EQ(run_tool({"einsum", "", "s", "-i", "s:2.5", "-o", "R:-"}).out, "2.5\n");
}

TEST_F(RunTest, PrintsAScalarAsOneNumber) {
  Outcome outcome = run_tool({"s = 2 * A(i,j)", "-i", "A:" + write("a.mtx", small_matrix)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "30\n");
}

TEST_F(RunTest, PrintsComplexValuesInTwoColumns) {
  Outcome outcome = run_tool({"a(i) = s * b(i)", "-i", "b:ones", "-i", "s:1-2.5i", "-d", "i:2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "# a: 2, complex128, dense, 2 stored (100%), 32 B\n1 1 -2.5\n2 1 -2.5\n");
}

TEST_F(RunTest, PrintsCWithoutInputs) {
  for (std::vector<std::string> more : {std::vector<std::string>{"--print", "c"}, {}}) {
    std::vector<std::string> arguments = {"A(i,j) = B(i,k) * C(k,j)", "-f", "A:csr", "-f", "B:csr", "-f", "C:csc"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("// A: float64, csr\n// B: float64, csr\n// C: float64, csc\n"), 0u) << outcome.out;
    EXPECT_NE(outcome.out.find("for (int64_t i = 0; i < "), std::string::npos) << outcome.out;
  }
}

TEST_F(RunTest, PrintsStages) {
  Outcome one = run_tool({"y(i) = A(i,j) * x(j)", "-f", "A:csr", "--print", "notation"});
  EXPECT_EQ(one.out, "y(i) = sum(j, A(i,j)*x(j))\n") << one.err;
  Outcome all = run_tool({"y(i) = A(i,j) * x(j)", "-f", "A:csr", "--print", "all"});
  EXPECT_EQ(all.code, 0) << all.err;
  size_t before = 0;
  for (const char* stage : {"notation", "concrete", "assemble", "lattice", "ir", "c"}) {
    size_t at = all.out.find(std::string("== ") + stage + " ==\n");
    ASSERT_NE(at, std::string::npos) << stage;
    EXPECT_GE(at, before) << stage;
    before = at;
  }
  Outcome two = run_tool({"y(i) = A(i,j) * x(j)", "--print", "concrete,notation", "--print", "c"});
  EXPECT_EQ(two.out.find("== notation ==\n"), 0u) << two.out << two.err;
}

TEST_F(RunTest, PrintsStagesAndTheResult) {
  Outcome outcome = run_tool({"A(i,j) = b(i)", "-i", "b:ones", "-d", "i:1", "-d", "j:2", "--print", "notation,c"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("== notation ==\nA(i,j) = b(i)\n\n== c ==\n"), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("\n# A: 1 x 2, float64, dense, 2 stored (100%), 16 B\n1 1 1\n1 2 1\n"), std::string::npos)
      << outcome.out;
}

TEST_F(RunTest, PlainTnsFilesTakeTheExtentsOfOthers) {
  std::string two = write("two.tns", "1 1 1\n2 1 5\n"), three = write("three.tns", "1 1 1\n3 3 5\n");
  Outcome outcome = run_tool({"A(i,j) = B(i,j) + C(i,j)", "-i", "B:" + two, "-i", "C:" + three});
  EXPECT_EQ(outcome.out, "# A: 3 x 3, float64, dcsr, 3 stored (33.3%), 72 B\n1 1 2\n2 1 5\n3 3 5\n") << outcome.err;
  Outcome wider = run_tool({"s = B(i,j) * c(j)", "-i", "B:" + two, "-i", "c:ones", "-d", "j:4"});
  EXPECT_EQ(wider.out, "6\n") << wider.err;
}

TEST_F(RunTest, PlainTnsFilesGrowAlsoBesideThemselves) {
  std::string tall = write("tall.tns", "1 1 1\n3 1 1\n");
  EXPECT_EQ(run_tool({"s = B(i,j)*B(j,k)", "-i", "B:" + tall}).out, "2\n");
  EXPECT_EQ(run_tool({"s = B(i,i)", "-i", "B:" + tall}).out, "1\n");
  EXPECT_EQ(run_tool({"A(i,j) = B(i,k)*B(k,j)", "-f", "A:csr", "-i", "B:" + tall}).out,
            "# A: 3 x 3, float64, csr, 2 stored (22.2%), 40 B\n1 1 1\n3 1 1\n");
}

TEST_F(RunTest, FreePlacesAreNotStored) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"A(i,j) = B(i,j)", "-f", "A:hash", "-f", "B:csr", "-i", "B:" + matrix});
  EXPECT_NE(outcome.out.find(" 5 stored (55.6%)"), std::string::npos) << outcome.out;
}

TEST_F(RunTest, TacoSpellingsWork) {
  Outcome outcome =
      run_tool({"y(i) = A(i,j) * x(j)", "-f=A:ds:0,1", "-t=A:float", "-i=A:" + write("a.mtx", small_matrix),
                "-i=x:ones", "-d=i:3", "-t=x:float", "-o=y:" + path("y.tns"), "-time=2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_text(path("y.tns")), "# filigree type=float32 dimensions=3\n1 3\n2 3\n3 9\n");
}

TEST_F(RunTest, FormatsAreNamesLettersOrMaps) {
  std::string matrix = write("a.mtx", small_matrix);
  for (const char* format :
       {"csr", "CSC", "dcsr", "sparse", "dense", "ds", "ds:1,0", "(i,j) -> (j: compressed, i: dense)"}) {
    Outcome outcome = run_tool({"s = A(i,j)*A(i,j)", "-f", std::string("A:") + format, "-i", "A:" + matrix});
    EXPECT_EQ(outcome.out, "55\n") << format << outcome.err;
  }
}

TEST_F(RunTest, EveryTargetGivesTheSameResult) {
  std::string matrix = write("a.mtx", small_matrix);
  for (const char* target : {"jit", "cc", "interpret"}) {
    Outcome outcome = run_tool({"A(i,j) = B(i,k)*B(k,j)", "-f", "B:csr", "-i", "B:" + matrix, "--target", target});
    EXPECT_EQ(outcome.code, 0) << target << outcome.err;
    EXPECT_EQ(outcome.out, "# A: 3 x 3, float64, csr, 5 stored (55.6%), 76 B\n1 1 9\n1 3 12\n2 2 9\n3 1 24\n3 3 33\n")
        << target;
  }
}

TEST_F(RunTest, NeedsNoPath) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome =
      run_tool({"s = A(i,j) * 7.25", "-i", "A:" + matrix}, {.environment = {"PATH=", "FILIGREE_CACHE_SIZE=0"}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "108.75\n");
}

TEST_F(RunTest, GzippedFilesAreReadAndWritten) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome packed = run_tool({"A(i,j) = B(i,j)", "-i", "B:" + matrix, "-o", "A:" + path("b.ttx.gz")});
  EXPECT_EQ(packed.code, 0) << packed.err;
  EXPECT_EQ(read_text(path("b.ttx.gz")).substr(0, 2), "\x1f\x8b");
  Outcome outcome = run_tool({"s = A(i,j)", "-i", "A:" + path("b.ttx.gz")});
  EXPECT_EQ(outcome.out, "15\n") << outcome.err;
}

TEST_F(RunTest, RandomInputsAreReproducible) {
  auto sum = [](const std::string& input) { return run_tool({"s = A(i,j)", "-i", "A:" + input, "-d", "A:100,200"}); };
  Outcome first = sum("random(0.05,7)"), again = sum("random(0.05, 7)"), other = sum("random(0.05,8)");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_NE(first.out, other.out);
}

TEST_F(RunTest, RandomInputsNeedNoMemoryForTheirBox) {
  Outcome outcome = run_tool({"s = A(i,j)", "-t", "A:int64", "-i", "A:random(1e-33,1)", "-d",
                              "A:1000000000000000000,1000000000000000000", "--print", "notation"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(RunTest, HashTablesJoinWhereCoordinatesNeed64Bits) {
  std::string b = write("b.tns", "5 2\n4294967301 7\n9000000000 1.5\n"), c = write("c.tns", "6 2\n9000000000 1\n");
  Outcome outcome = run_tool({"a(i) = b(i) + c(i)", "-f", "a:hash", "-f", "b:hash", "-f", "c:hash", "-i", "b:" + b,
                              "-i", "c:" + c, "-d", "i:10000000000"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n5 2\n6 2\n4294967301 7\n9000000000 2.5\n"), std::string::npos) << outcome.out;
}

TEST_F(RunTest, ExplainsFormatsAndLoops) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"A(i,j) = B(i,j) + C(j,i)", "-f", "B:csr", "-f", "C:csr", "-i", "B:" + matrix, "-i",
                              "C:" + matrix, "--threads", "1", "--explain"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("B  float64  csr  given\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("by default: every i is reached; "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("'C' is copied into 'C_t'"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("the kernel runs on one thread"), std::string::npos) << outcome.out;
}

TEST_F(RunTest, ExplainsWhatStandsForAnIndex) {
  Outcome outcome =
      run_tool({"y(i) = x(p(i))", "-i", "x:ones", "-i", "p:zeros", "-d", "p:3", "-d", "x:4", "--explain"});
  EXPECT_NE(outcome.out.find("  p_at(i,k) is true where k is the coordinate that x(p(i)) means\n"), std::string::npos)
      << outcome.out << outcome.err;
}

TEST_F(RunTest, MakesAScheduleForTheOperands) {
  std::vector<std::string> large = {"A(i,j) = B(i,k) * C(k,j)",
                                    "-f",
                                    "A:dd",
                                    "-f",
                                    "B:csr",
                                    "-i",
                                    "B:random(0.02,1)",
                                    "-d",
                                    "B:2000,1000",
                                    "-i",
                                    "C:ones",
                                    "-d",
                                    "j:8",
                                    "--print",
                                    "schedule",
                                    "-o",
                                    "A:" + path("A.tns")};
  auto first_line = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = large;
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find('\n'));
  };
  EXPECT_EQ(first_line({"--threads", "2"}), "parallelize(i, cpu, none), bound(j, exact, 8), vectorize(j)");
  EXPECT_EQ(first_line({"--threads", "1"}), "bound(j, exact, 8), vectorize(j)");
  EXPECT_EQ(first_line({"-s", "serial", "--threads", "2"}), "serial");
  EXPECT_EQ(first_line({"-s", "vectorize(j)", "--threads", "2"}), "vectorize(j)");
}

TEST_F(RunTest, AddsDenseSumsUpInLanesUnlessAskedNotTo) {
  auto outcome_of = [&](const std::string& statement, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {statement, "-d", "i:3", "-d", "k:20", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  std::string sums = "y(i) = A(i,k) * x(k)";
  std::vector<std::string> print = {"-i",      "A:random(1,1)", "-i", "x:random(1,2)",
                                    "--print", "schedule",      "-o", "y:" + path("y.tns")};
  auto with = [&](const std::string& option) {
    std::vector<std::string> more = print;
    if (!option.empty()) more.push_back(option);
    return more;
  };
  EXPECT_TRUE(outcome_of(sums, with("")).starts_with("vectorize(k)\n"));
  EXPECT_TRUE(outcome_of(sums, with("--strict")).starts_with("serial\n"));
  // Small whole numbers are added up without rounding, in any order.
  EXPECT_EQ(outcome_of(sums, {"-i", "A:ones", "-i", "x:ones"}),
            outcome_of(sums, {"-i", "A:ones", "-i", "x:ones", "--strict"}));
  // Numbers that do not stand side by side are left as they are.
  EXPECT_TRUE(outcome_of("y(i) = A(k,i) * x(k)", with("")).find("vectorize(k)") == std::string::npos);
}

TEST_F(RunTest, MergesShortRowsOneByOne) {
  auto schedule_of = [&](const std::string& statement, const std::string& density) {
    Outcome outcome = run_tool({statement, "-f", "B:csr", "-f", "C:csr", "-d", "B:4000,1000", "-d", "C:4000,1000", "-i",
                                "B:random(" + density + ",1)", "-i", "C:random(" + density + ",2)", "--threads", "1",
                                "--print", "schedule", "-o", "y:" + path("y.tns")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find('\n'));
  };
  EXPECT_EQ(schedule_of("y(i) = B(i,j) * C(i,j)", "0.002"), "mergeby(j, two_finger)");
  EXPECT_EQ(schedule_of("y(i) = B(i,j) * C(i,j)", "0.0002"), "serial") << "there are few entries";
  EXPECT_EQ(schedule_of("y(i) = B(i,j) * C(i,j)", "0.01"), "serial") << "rows have ten entries";
  EXPECT_EQ(schedule_of("y(i) = B(i,j) + C(i,j)", "0.002"), "serial") << "what one of them has counts";
}

TEST_F(RunTest, TellsHowEvenlyThreadsShareTheWork) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 1999\n";
  for (int j = 1; j <= 1000; j++) text += "1 " + std::to_string(j) + " 1\n";  // one long row
  for (int i = 2; i <= 1000; i++) text += std::to_string(i) + " 1 1\n";
  std::vector<std::string> arguments = {"y(i) = A(i,j) * x(j)",
                                        "-f",
                                        "A:csr",
                                        "-i",
                                        "A:" + write("a.mtx", text),
                                        "-i",
                                        "x:ones",
                                        "--threads",
                                        "4",
                                        "--explain",
                                        "-o",
                                        "y:" + path("y.tns"),
                                        "-s"};
  auto shares = [&](const std::string& schedule) {
    std::vector<std::string> with = arguments;
    with.push_back(schedule);
    Outcome outcome = run_tool(with);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    size_t at = outcome.out.find("visit ");
    return at == std::string::npos ? outcome.out
                                   : outcome.out.substr(at, outcome.out.find(',', outcome.out.find("largest")) - at);
  };
  EXPECT_EQ(shares("cut(i, t, rows), parallelize(t, cpu, none)"),
            "visit 62.5%, 12.5%, 12.5%, 12.5% of its points: the largest is 149.9% above the average");
  EXPECT_EQ(shares("cut(i, t, nonzeros), parallelize(t, cpu, atomics)"),
            "visit 25.0%, 25.0%, 25.0%, 25.0% of its points: the largest is 0.1% above the average");
}

TEST_F(RunTest, EmitsCThatCompilesAlone) {
  Outcome outcome = run_tool({"y(i) = A(i,j) * x(j)", "-f", "A:csr", "--emit", path("kernel.c"), "--main"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  std::string command = "cc -std=c11 -Wall -Werror -fwrapv " + path("kernel.c") + " -o " + path("kernel") + " && " +
                        path("kernel") + " > " + path("said");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// --- Formats of results without -f -------------------------------------------------------------

struct DefaultFormat {
  const char* expression;
  std::vector<std::string> formats;
  const char* expected;
};

class DefaultResultFormat : public testing::TestWithParam<DefaultFormat> {};

TEST_P(DefaultResultFormat, IsDenseWhereEveryCoordinateIsReached) {
  std::vector<std::string> arguments = {GetParam().expression, "--explain"};
  for (const std::string& format : GetParam().formats) arguments.insert(arguments.end(), {"-f", format});
  Outcome outcome = run_tool(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(std::string("  float64  ") + GetParam().expected + " "), std::string::npos) << outcome.out;
  size_t line = outcome.out.find("tensors\n") + 8;
  EXPECT_NE(outcome.out.substr(line, outcome.out.find('\n', line) - line)
                .find(std::string("float64  ") + GetParam().expected),
            std::string::npos)
      << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Rules, DefaultResultFormat,
                         testing::Values(DefaultFormat{"y(i) = A(i,j)*x(j)", {"A:csr"}, "dense"},
                                         DefaultFormat{"y(i) = A(i,j)*x(j)", {"A:dcsr"}, "sparse"},
                                         DefaultFormat{"y(i) = A(i,j)*x(j)", {"A:csc"}, "sparse"},
                                         DefaultFormat{"R(i,j) = B(i,j)*C(i,j)", {"B:csr", "C:csr"}, "csr"},
                                         DefaultFormat{"R(i,j) = B(i,j)+C(i,j)", {"B:csr", "C:dense"}, "dense"},
                                         DefaultFormat{"R(i,j) = B(i,k)*C(k,j)", {"B:csr", "C:csr"}, "csr"},
                                         DefaultFormat{"R(i,j) = B(j,i)", {"B:csr"}, "dcsr"},
                                         DefaultFormat{"R(i,j) = b(i)*c(j)", {"b:sparse", "c:dense"}, "sd"},
                                         DefaultFormat{"R(i,j) = b(i)+C(i,j)", {"b:sparse", "C:csr"}, "csr"},
                                         DefaultFormat{"R(i,j) = b(i)", {"b:sparse"}, "sd"},
                                         DefaultFormat{"a(i) = b(i) + 2", {"b:sparse"}, "sparse"},
                                         DefaultFormat{"a(i) = b(i) + s", {"b:sparse"}, "dense"}));

TEST_F(RunTest, RunsStatementsInOrder) {
  std::string matrix = write("a.mtx", small_matrix);
  std::vector<std::string> arguments = {
      "T(i,j) = A(i,k)*A(k,j); y(i) = T(i,j)*x(j); s = y(i)*y(i)", "-f", "A:csr", "-i", "A:" + matrix, "-i", "x:ones"};
  Outcome fused = run_tool(arguments);
  EXPECT_EQ(fused.code, 0) << fused.err;
  std::vector<std::string> with = arguments;
  with.insert(with.end(), {"-o", "T:" + path("t.tns"), "-o", "y:" + path("y.tns")});
  Outcome stored = run_tool(with);
  EXPECT_EQ(stored.out, "s = " + fused.out);  // among several results, with its name
  Outcome product =
      run_tool({"T(i,j) = A(i,k)*A(k,j)", "-f", "A:csr", "-i", "A:" + matrix, "-o", "T:" + path("alone.tns")});
  EXPECT_EQ(read_text(path("t.tns")), read_text(path("alone.tns")));
  Outcome again =
      run_tool({"y(i) = T(i,j)*x(j); s = y(i)*y(i)", "-i", "T:" + path("t.tns"), "-d", "T:3,3", "-i", "x:ones"});
  EXPECT_EQ(again.out, fused.out) << again.err;
}

TEST_F(RunTest, ShowsEveryKernelOfAProgram) {
  std::vector<std::string> arguments = {"t(i) = A(i,j)*x(j); y(i) = t(i)*t(i)", "-f", "A:csr"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return run_tool(more);
  };
  EXPECT_EQ(with({"--print", "concrete"}).out,
            "== concrete of statement 1 ==\nforall(i, forall(j, t(i) += A(i,j)*x(j)))\n\n== concrete of statement 2 "
            "==\nforall(i, y(i) = t(i)*t(i))\n");
  EXPECT_EQ(with({"--emit", path("kernels.c")}).code, 0);
  std::string code = read_text(path("kernels.c"));
  EXPECT_NE(code.find("int kernel_1("), std::string::npos);
  EXPECT_NE(code.find("int kernel_2("), std::string::npos);
  EXPECT_EQ(with({"--emit", path("main.c"), "--main"}).err,
            "error: --main writes a main function for one kernel, but these statements take 2\n"
            "hint: leave it out, and call the kernels of the file one after the other\n");
  EXPECT_NE(with({"--explain"}).out.find("loops of statement 2\n"), std::string::npos);
  Outcome timed = with({"-i", "A:" + write("a.mtx", small_matrix), "-i", "x:ones", "--time", "2"});
  EXPECT_NE(timed.err.find("run statement 1, median of 2"), std::string::npos) << timed.err;
}

TEST_F(RunTest, WidensFilesByWayOfTemporaries) {
  std::string vector = write("x.tns", "1 1\n5 1\n"), matrix = write("a.tns", "1 1 1\n2 2 1\n");
  Outcome outcome = run_tool({"T(i,j) = A(i,j); y(i) = T(i,j)*x(j); z(i) = y(i) + b(i)", "-i", "A:" + matrix, "-i",
                              "x:" + vector, "-i", "b:" + write("b.tns", "4 1\n")});
  EXPECT_EQ(outcome.out, "# z: 4, float64, dense, 4 stored (100%), 32 B\n1 1\n2 0\n3 0\n4 1\n") << outcome.err;
}

}  // namespace
}  // namespace filigree::tool
