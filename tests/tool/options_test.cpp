// The table of options: the command line, help, completion, the manual page and the README tell the same.
#include "run_tool.h"

#include <set>

namespace filigree::tool {
namespace {

using Options = ToolTest;

/// "-f, --format T:FORMAT" and the like, as `--help options` lists them.
struct Listed {
  std::string letter, name, argument;
};

std::vector<Listed> listed_options() {
  std::istringstream lines(run_tool({"--help", "options"}).out);
  std::vector<Listed> options;
  for (std::string line; std::getline(lines, line);) {
    bool is_option = line.starts_with("  -") || line.starts_with("      --");
    if (!is_option) continue;
    std::istringstream words(line);
    Listed option;
    words >> option.name;
    if (option.name.ends_with(",")) {
      option.letter = option.name.substr(0, 2);
      words >> option.name;
    }
    words >> option.argument;
    options.push_back(option);
  }
  return options;
}

TEST_F(Options, AreListedInFull) {
  std::set<std::string> names;
  for (const Listed& option : listed_options()) names.insert(option.name);
  for (const char* name : {"--input", "--output", "--format", "--type", "--dimension", "--schedule", "--fill", "--from",
                           "--print", "--help", "--version", "--color", "--json"}) {
    EXPECT_TRUE(names.count(name)) << name;
  }
}

TEST_F(Options, AreInEveryTextAboutThem) {
  std::string man = run_tool({"--man"}).out, bash = run_tool({"--completion", "bash"}).out,
              zsh = run_tool({"--completion", "zsh"}).out;
  std::string fish = run_tool({"--completion", "fish"}).out, readme = read_text(FILIGREE_README);
  ASSERT_FALSE(readme.empty());
  for (const Listed& option : listed_options()) {
    std::string roff;
    for (char c : option.name) roff += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_NE(man.find(roff), std::string::npos) << option.name;
    EXPECT_NE(bash.find(option.name), std::string::npos) << option.name;
    EXPECT_NE(zsh.find(option.name), std::string::npos) << option.name;
    EXPECT_NE(fish.find("-l " + option.name.substr(2) + " "), std::string::npos) << option.name;
    EXPECT_NE(readme.find("`" + option.name), std::string::npos) << option.name << " in README.md";
    EXPECT_NE(readme.find("`" + option.letter), std::string::npos) << option.letter << " in README.md";
  }
}

TEST_F(Options, HaveLongAndShortSpellings) {
  std::string matrix = write("a.mtx", small_matrix);
  std::string expected = "# y: 3, float32, dense, 3 stored (100%), 12 B\n1 3\n2 3\n3 9\n";
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"-f", "A:csr", "-i", "A:" + matrix, "-i", "x:ones", "-t", "A:float32", "-t", "x:float32", "-d", "j:3", "-s",
            "serial"},
           {"--format", "A:csr", "--input", "A:" + matrix, "--input", "x:ones", "--type", "A:float32", "--type",
            "x:float32", "--dimension", "j:3", "--schedule", "serial"},
           {"--format=A:csr", "--input=A:" + matrix, "--input=x:ones", "--type=A:float32", "--type=x:float32",
            "--dimensions=j:3", "--schedule=serial"},
           {"-fA:csr", "-iA:" + matrix, "-ix:ones", "-tA:float32", "-tx:float32", "-dj:3", "-sserial"},
           {"-format=A:csr", "-input=A:" + matrix, "-i=x:ones", "-type", "A:float32", "-t=x:float32"}}) {
    std::vector<std::string> arguments = {"y(i) = A(i,j) * x(j)"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.out, expected) << options[0] << outcome.err;
  }
  Outcome written =
      run_tool({"--output", "y:" + path("y.tns"), "--input=b:ones", "--dimension", "i:2", "--", "y(i) = b(i)"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(read_text(path("y.tns")), "1 1\n2 1\n");
}

TEST_F(Options, TyposAreGuessed) {
  auto error = [](const std::vector<std::string>& arguments) {
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_EQ(error({"s = 1", "--inptu", "A:ones"}),
            "error: Unexpected argument '--inptu'\nhint: did you mean --input?\n");
  EXPECT_EQ(error({"s = 1", "--formats=A:csr"}),
            "error: Unexpected argument '--formats=A:csr'\nhint: did you mean --format?\n");
  EXPECT_EQ(error({"s = 1", "--format", "--input", "A:ones"}),
            "error: --format needs a value\nhint: for example --format A:csr\n");
  EXPECT_EQ(error({"s = 1", "--format", "csr"}),
            "error: --format needs TENSOR:FORMAT, found 'csr'\nhint: for example --format A:csr\n");
  EXPECT_EQ(error({"s = 1", "--explain=yes"}),
            "error: --explain takes no value\nhint: filigree --help lists all options\n");
  EXPECT_EQ(error({"s = 1", "--json"}),
            "error: Unexpected argument '--json'\nhint: it is an option of 'filigree compare'; filigree --help lists "
            "those that are known here\n");
  EXPECT_EQ(error({"s = 1", "--color", "sometimes"}),
            "error: --color does not know 'sometimes'\nhint: it takes auto, always, never\n");
  EXPECT_EQ(error({"s = 1", "--show", "few"}), "error: --show needs a number of entries or 'all', found 'few'\n");
  EXPECT_EQ(error({"--completion", "bsh"}), "error: --completion does not know 'bsh'\nhint: did you mean 'bash'?\n");
}

TEST_F(Options, HelpHasTopics) {
  for (const char* topic : {"einsum", "compare", "convert", "info", "notation", "formats", "schedules", "files",
                            "types", "examples", "environment", "exit-codes", "options"}) {
    Outcome outcome = run_tool({"--help", topic});
    EXPECT_EQ(outcome.code, 0) << topic;
    EXPECT_GT(outcome.out.size(), 200u) << topic;
    EXPECT_EQ(run_tool({"help", topic}).out, outcome.out) << topic;
    EXPECT_EQ(run_tool({"--help=" + std::string(topic)}).out, outcome.out) << topic;
    EXPECT_NE(run_tool({"--help"}).out.find(topic), std::string::npos) << topic;
  }
  EXPECT_EQ(run_tool({"help"}).out, run_tool({"--help"}).out);
  EXPECT_EQ(run_tool({"compare", "--help"}).out, run_tool({"help", "compare"}).out);
  Outcome unknown = run_tool({"--help", "format"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err.find(
                "error: There is no help about 'format'\nhint: did you mean 'formats'? there are einsum, compare, "),
            0u)
      << unknown.err;
}

TEST_F(Options, HelpNamesEveryVariableOfTheEnvironment) {
  std::string help = run_tool({"--help", "environment"}).out;
  for (const char* name : {"FILIGREE_CACHE", "FILIGREE_CACHE_SIZE", "FILIGREE_PLUGIN", "XDG_CACHE_HOME", "HOME", "CC",
                           "PATH", "TMPDIR", "NO_COLOR", "TERM", "LANG"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

/// What bash offers for words, the last of which is being written; a colon is a word of its own there.
std::string completions(const std::string& folder, const std::string& words) {
  std::string script = folder + "/complete.sh";
  std::ofstream(script) << run_tool({"--completion", "bash"}).out << "cd " << folder << "\nCOMP_WORDS=(" << words
                        << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_filigree\n"
                        << "printf '%s ' \"${COMPREPLY[@]}\"\n";
  std::string said = folder + "/said";
  if (std::system(("bash " + script + " > " + said + " 2>&1").c_str()) != 0) return "failed";
  std::stringstream text;
  text << std::ifstream(said).rdbuf();
  return text.str();
}

TEST_F(Options, BashCompletes) {
  write("matrix.mtx", small_matrix);
  auto complete = [&](const std::string& words) { return completions(folder_.string(), words); };
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --inp"), "--input ");
  EXPECT_EQ(complete("filigree co"), "compare convert ");
  EXPECT_EQ(complete("filigree help form"), "formats ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' -i A : mat"), "matrix.mtx ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --input = A : mat"), "matrix.mtx ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' -i A:mat"), "A:matrix.mtx ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' -f A : cs"), "csr csc csf csb\\(4,4\\) ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' -f A:bc"), "A:bcsr\\(4,4\\) ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' -f A : \\'bc"), "bcsr(4,4) ");  // bash closes the quote
  EXPECT_EQ(complete("filigree convert a.mtx b.mtx -f 'bcsr\\('"), "bcsr\\(4,4\\) ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --print nota"), "notation ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --print notation,con"), "notation,concrete ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --print notation,c"), "notation,concrete notation,c ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --print = ir,lat"), "ir,lattice ");
  EXPECT_EQ(complete("filigree 'y(i)=A(i,j)' --target in"), "interpret ");
  EXPECT_EQ(complete("filigree convert mat"), "matrix.mtx ");
  EXPECT_EQ(complete("filigree convert a.mtx b.mtx --fr"), "--from ");
  EXPECT_EQ(complete("filigree info a.mtx --fr"), " ");
}

TEST_F(Options, OtherShellsQuoteParenthesesAndTakeLists) {
  std::string zsh = run_tool({"--completion", "zsh"}).out, fish = run_tool({"--completion", "fish"}).out;
  EXPECT_NE(zsh.find("bcsr\\(4,4\\)"), std::string::npos);
  EXPECT_NE(zsh.find(":_values -s , STAGE notation concrete "), std::string::npos);
  EXPECT_EQ(fish.find("bcsr(4,4)"), std::string::npos) << "fish would run what is in parentheses";
  EXPECT_NE(fish.find("bcsr\\(4,4\\)"), std::string::npos);
  EXPECT_NE(fish.find("-l print -x -a '(__fish_append , notation concrete "), std::string::npos);
}

TEST_F(Options, TheManualPageIsClean) {
  if (std::system("command -v groff > /dev/null 2>&1") != 0) GTEST_SKIP() << "no groff";
  write("filigree.1", run_tool({"--man"}).out);
  EXPECT_EQ(std::system(("groff -man -Tutf8 -ww " + path("filigree.1") + " > /dev/null 2> " + path("said")).c_str()),
            0);
  EXPECT_EQ(read_text(path("said")), "");
}

TEST_F(Options, ColoursAreForTerminals) {
  std::vector<std::string> wrong = {"y(i) = A(i,j"}, shown = {"y(i) = 2", "-d", "i:2", "--explain"};
  EXPECT_EQ(run_tool(wrong).err.find('\x1b'), std::string::npos);
  auto with = [](std::vector<std::string> arguments, const std::string& when) {
    arguments.insert(arguments.end(), {"--color", when});
    return run_tool(arguments);
  };
  Outcome coloured = with(wrong, "always");
  EXPECT_EQ(coloured.err.find("\x1b[1;31merror:\x1b[0m "), 0u) << coloured.err;
  EXPECT_NE(coloured.err.find("\x1b[1;32m^"), std::string::npos) << coloured.err;
  EXPECT_NE(with(shown, "always").out.find("\x1b[1mtensors\x1b[0m\n"), std::string::npos);
  EXPECT_EQ(with(shown, "auto").out, with(shown, "never").out);
  EXPECT_EQ(with({"s = 1", "--frm", "x"}, "always").err.find("\x1b[1;31merror:"), 0u)
      << "also where an option is wrong";
}

}  // namespace
}  // namespace filigree::tool
