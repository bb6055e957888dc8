// The layout of the tree is part of the architecture: who includes whom, how large files are, what documents say.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "level/registry.h"
#include "support/text.h"
#include "tensor/format.h"

namespace filigree {
namespace {

namespace fs = std::filesystem;

constexpr int aimed_lines = 400, most_lines = 600;
constexpr size_t most_columns = 120;

const fs::path root = FILIGREE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines = split(read(path), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string shown(const fs::path& path) { return fs::relative(path, root).string(); }

/// Files below some folders of the repository with one of these extensions, sorted.
std::vector<fs::path> files(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && extensions.count(entry.path().extension().string())) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The folders of src/ in dependency order, from CMakeLists.txt.
std::vector<std::string> folders_in_order() {
  std::smatch found;
  std::string text = read(root / "CMakeLists.txt");
  if (!std::regex_search(text, found, std::regex(R"(set\(FILIGREE_FOLDERS ([a-z_ ]+)\))"))) return {};
  return split(found[1].str(), ' ');
}

/// Headers that generated C files contain: C text, embedded rather than included.
bool is_embedded(const fs::path& path) { return path.parent_path().filename() == "runtime"; }

std::string without_comments(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex(R"(/\*[^]*?\*/)"), ""), std::regex(R"(//[^\n]*)"), "");
}

const std::set<std::string> code = {".h", ".cpp"};

TEST(Includes, FollowTheOrderOfFolders) {
  std::map<std::string, int> rank;
  for (const std::string& folder : folders_in_order()) rank.emplace(folder, static_cast<int>(rank.size()));
  ASSERT_FALSE(rank.empty());
  std::regex include(R"(^\s*#include "([a-z_]+)/[^"]*")");
  for (const fs::path& file : files({"src"}, code)) {
    std::string folder = split(fs::relative(file, root / "src").string(), '/')[0];
    for (const std::string& line : lines_of(file)) {
      std::smatch found;
      if (!std::regex_search(line, found, include)) continue;
      std::string included = found[1].str();
      ASSERT_TRUE(rank.count(included)) << shown(file) << " includes " << included << "/, which is no folder of src/";
      EXPECT_LE(rank[included], rank[folder]) << shown(file) << " includes " << included << "/";
    }
  }
}

TEST(Includes, StartAtSrc) {
  for (const fs::path& file : files({"src"}, code)) {
    for (const std::string& line : lines_of(file)) {
      std::smatch found;
      if (!std::regex_search(line, found, std::regex(R"re(^\s*#include "([^"]*)")re"))) continue;
      EXPECT_TRUE(fs::exists(root / "src" / found[1].str())) << shown(file) << ": " << line;
    }
  }
}

TEST(Files, AreNotTooLong) {
  for (const fs::path& file : files({"src", "tools", "tests", "fuzz", "examples"}, code)) {
    int lines = static_cast<int>(lines_of(file).size());
    EXPECT_LE(lines, most_lines) << shown(file);
    if (lines > aimed_lines) fmt::print("note: {} has {} lines; {} are aimed for\n", shown(file), lines, aimed_lines);
  }
}

/// Columns of a line, not bytes.
size_t width(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(Files, HaveNoLongLines) {
  for (const fs::path& file : files({"src", "tools", "tests", "fuzz", "bench"}, code)) {
    // Text of generated C is written as it comes out; documents quote the examples as they are.
    if (is_embedded(file) || shown(file) == "src/emit/helpers.cpp" || shown(file) == "tools/filigree/topics.cpp")
      continue;
    std::vector<std::string> lines = lines_of(file);
    for (size_t n = 0; n < lines.size(); n++) EXPECT_LE(width(lines[n]), most_columns) << shown(file) << ":" << n + 1;
  }
}

TEST(Files, HaveNoUnfinishedBusiness) {
  const std::string marks[] = {std::string("TO") + "DO", std::string("FIX") + "ME", std::string("XX") + "X:"};
  for (const fs::path& file :
       files({"src", "tools", "tests", "fuzz", "examples", "docs", "cmake"}, {".h", ".cpp", ".md", ".cmake", ".txt"})) {
    std::string text = read(file);
    for (const std::string& mark : marks)
      EXPECT_EQ(text.find(mark), std::string::npos) << shown(file) << " holds " << mark;
  }
}

TEST(Headers, SayWhatTheyAreForAndAreIncludedOnce) {
  for (const fs::path& file : files({"src", "tools", "tests", "fuzz"}, {".h"})) {
    std::vector<std::string> lines = lines_of(file);
    ASSERT_FALSE(lines.empty()) << shown(file);
    if (is_embedded(file)) continue;
    EXPECT_TRUE(lines[0].starts_with("// ")) << shown(file) << " starts without saying what it is for";
    EXPECT_NE(std::find(lines.begin(), lines.end(), "#pragma once"), lines.end()) << shown(file);
    if (shown(file).starts_with("tests/")) continue;  // what tests are about they may speak of alone
    for (const std::string& line : lines) EXPECT_FALSE(line.starts_with("using namespace")) << shown(file);
  }
}

/// The arguments of a call, from behind its opening parenthesis on.
std::vector<std::string> arguments_at(const std::string& text, size_t at) {
  std::vector<std::string> found(1);
  for (int depth = 0; at < text.size(); at++) {
    char c = text[at];
    if (c == ')' && depth == 0) break;
    if (c == ',' && depth == 0) {
      found.emplace_back();
      continue;
    }
    if (c == '(' || c == '{' || c == '[') depth++;
    if (c == ')' || c == '}' || c == ']') depth--;
    found.back() += c;
    if (c != '"') continue;
    while (++at < text.size() && text[at] != '"') {
      found.back() += text[at];
      if (text[at] == '\\' && at + 1 < text.size()) found.back() += text[++at];
    }
    found.back() += '"';
  }
  return found;
}

TEST(Hints, TellProgramsOfNoOptions) {
  std::regex option(R"re((^|[ "(])(--[a-z]|-[dfti] ))re");
  int seen = 0;
  for (const fs::path& file : files({"src"}, code)) {
    std::string text = read(file);
    for (size_t at = text.find(".hint("); at != std::string::npos; at = text.find(".hint(", at + 1)) {
      std::vector<std::string> arguments = arguments_at(text, at + 6);
      seen++;
      EXPECT_FALSE(std::regex_search(arguments[0], option))
          << shown(file) << " tells programs of an option: " << arguments[0];
    }
  }
  EXPECT_GT(seen, 100);
}

/// Ways to name a format in code: as text, or by the function that makes it.  The bare word may mean something else, as
/// in relation::range and lower().
std::vector<std::string> ways_to_name_a_format() {
  std::vector<std::string> ways;
  std::vector<std::string> levels = level::names();
  for (const level::FormatPtr& workspace : {level::scattered(), level::numbered(), level::tabled()})
    levels.push_back(workspace->name());
  for (const std::string& name : levels) {
    ways.push_back("level::" + name + "(");
    ways.push_back("\"" + name + "\"");
  }
  for (const std::string& name : format_names()) ways.push_back("\"" + name + "\"");
  for (const char* way : {"using namespace level", "level::find(", "parse_format(", "named_format"})
    ways.push_back(way);
  return ways;
}

TEST(Lowering, NamesNoFormat) {
  std::set<std::string> no_format = {"\"lower\"",
                                     "\"hash\""};  // a stage, in messages about bugs; a way to meet another operand
  for (const fs::path& file : files({"src/lower", "src/lattice", "src/assemble", "src/concrete"}, code)) {
    // It chooses the formats of workspaces.
    if (shown(file) == "src/concrete/workspace.cpp") continue;
    std::string text = without_comments(read(file));
    for (const std::string& way : ways_to_name_a_format()) {
      EXPECT_TRUE(no_format.count(way) || text.find(way) == std::string::npos)
          << shown(file) << " names a format: " << way;
    }
  }
}

TEST(Lowering, NamesAreFoundWhereTheyAre) {
  std::string text = without_comments(read(root / "src/concrete/workspace.cpp"));
  EXPECT_NE(text.find("level::" + level::tabled()->name() + "()"), std::string::npos);
}

TEST(SourceReadme, ListsExactlyTheFoldersThatExist) {
  std::set<std::string> exist;
  for (const auto& entry : fs::directory_iterator(root / "src")) {
    if (entry.is_directory()) exist.insert(entry.path().filename().string());
  }
  std::vector<std::string> in_order = folders_in_order(), listed;
  EXPECT_EQ(std::set<std::string>(in_order.begin(), in_order.end()), exist) << "FILIGREE_FOLDERS in CMakeLists.txt";
  for (const std::string& line : lines_of(root / "src/README.md")) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex(R"(^\| `([a-z_]+)/` \|)"))) listed.push_back(found[1].str());
  }
  EXPECT_EQ(listed, in_order) << "src/README.md lists the folders in another order than CMakeLists.txt";
}

/// The folders whose headers the files of a folder include, its own left out.
std::set<std::string> included_by(const std::string& folder) {
  std::set<std::string> folders;
  std::regex include(R"(#include "([a-z_]+)/)");
  for (const fs::path& file : files({"src/" + folder}, code)) {
    std::string text = read(file);
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
      folders.insert((*at)[1].str());
  }
  folders.erase(folder);
  return folders;
}

TEST(SourceReadme, SaysWhatEachFolderMayInclude) {
  std::vector<std::string> in_order = folders_in_order();
  for (const std::string& line : lines_of(root / "src/README.md")) {
    std::vector<std::string> cells = split(line, '|');
    std::smatch found;
    if (cells.size() < 5 || !std::regex_search(cells[1], found, std::regex(R"(`([a-z_]+)/`)"))) continue;
    std::string folder = found[1].str();
    std::set<std::string> allowed;
    for (const std::string& word : split(trim(cells[cells.size() - 2]), ' ')) {
      if (word == "nothing") continue;
      allowed.insert(word);
      EXPECT_LT(std::find(in_order.begin(), in_order.end(), word), std::find(in_order.begin(), in_order.end(), folder))
          << folder << " may not include " << word;
    }
    for (const std::string& included : included_by(folder)) {
      EXPECT_TRUE(allowed.count(included))
          << "src/" << folder << " includes " << included << "; src/README.md does not allow it";
    }
  }
}

TEST(Documents, LinkToFilesThatExist) {
  std::vector<fs::path> documents = files({"docs", "src"}, {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) documents.push_back(root / name);
  std::regex link(R"(\]\(([^)#]+)(#[^)]*)?\))");
  for (const fs::path& document : documents) {
    std::string text = read(document);
    EXPECT_FALSE(text.empty()) << shown(document);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      std::string target = (*at)[1].str();
      if (target.starts_with("http")) continue;
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << shown(document) << " links to " << target;
    }
  }
}

/// Files that text names as `folder/file.ext` exist, so that a map does not drift from the tree.
TEST(Documents, NameFilesThatExist) {
  std::vector<fs::path> documents = files({"docs", "src"}, {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) documents.push_back(root / name);
  std::regex named(R"(`((?:src|tests|docs|tools|fuzz|examples|cmake|scripts)/[A-Za-z0-9_./-]*)`)");
  for (const fs::path& document : documents) {
    std::string text = read(document);
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
      EXPECT_TRUE(fs::exists(root / (*at)[1].str())) << shown(document) << " names " << (*at)[1].str();
    }
  }
}

/// What a command in a document reads is in the repository, or an earlier command of that document wrote it: a reader
/// can type it.
TEST(Documents, NameEveryExampleOfALayout) {
  std::string text = read(root / "docs/layouts.md");
  for (const fs::path& file : files({"examples/layouts"}, {".layout"}))
    EXPECT_NE(text.find("`" + file.stem().string() + "`"), std::string::npos) << shown(file);
}

TEST(Documents, CommandsReadFilesThatExist) {
  std::vector<fs::path> documents = files({"docs"}, {".md"});
  documents.push_back(root / "README.md");
  std::regex file(R"([A-Za-z0-9_./-]+\.(?:mtx|ttx|tns|npy|npz|el|edges|csv|tsv)(?:\.gz)?)");
  size_t commands = 0;
  for (const fs::path& document : documents) {
    std::set<std::string> written;
    for (const std::string& line : lines_of(document)) {
      if (!line.starts_with("$ ")) continue;
      bool converts = line.find(" convert ") != std::string::npos;
      for (std::sregex_iterator at(line.begin(), line.end(), file), end; at != end; ++at) {
        std::string before = (*at).prefix().str(), name = at->str();
        if (name.starts_with("-.")) continue;  // a standard stream
        bool is_second = converts && std::next(at) == end && at != std::sregex_iterator(line.begin(), line.end(), file);
        bool writes = before.ends_with("> ") || is_second ||
                      std::regex_search(before, std::regex(R"((?:-o|--output) ?=?[A-Za-z_0-9]+:$)"));
        if (writes) {
          written.insert(name);
        } else {
          EXPECT_TRUE(written.count(name) || fs::exists(root / name))
              << shown(document) << ": " << name << " is read in\n"
              << line;
        }
        commands++;
      }
    }
  }
  EXPECT_GT(commands, 20u);
}

TEST(Documents, SpeakOfTheProjectAlone) {
  std::vector<fs::path> all =
      files({"docs", "src", "tools", "fuzz", "examples", "cmake", "scripts", "tests/cases", "tests/errors"},
            {".md", ".h", ".cpp", ".case", ".cmake", ".txt", ".sh"});
  for (const char* name : {"README.md", "CONTRIBUTING.md", "Makefile"}) all.push_back(root / name);
  const std::string places[] = {std::string("/wo") + "rk/", std::string("../sh") + "ared"};
  for (const fs::path& file : all) {
    std::string text = read(file);
    for (const std::string& place : places)
      EXPECT_EQ(text.find(place), std::string::npos) << shown(file) << " names " << place;
  }
}

}  // namespace
}  // namespace filigree
