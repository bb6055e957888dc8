// Every example in the documents is true: compares code blocks and tables with what the compiler makes.
//
//   check_docs [--update] [--tool PATH] ROOT DOCUMENT...
//
// A comment before a code block says what it holds:
//   <!-- case: tests/cases/spmv/csr.case concrete -->   a section of a case, or its header: `header`
//   <!-- file: examples/spmv.cpp -->                    lines of a file, whatever their margin
//   <!-- run -->                                        commands after `$ ` and what they print, run by a shell in a
//                                                       folder where `examples` and `tests` are the repository's
// Tables are checked by their titles: `| written | means |` is index notation before and after the summation rule,
// `| format | order | map |` a format and its map, `| format | storage |` the arrays that hold the matrix 2 . 3 / . . .
// / . 4 5.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <regex>

#include <fmt/format.h>

#include "notation/parse.h"
#include "support/text.h"
#include "tensor/any_tensor.h"
#include "tests/cases/case.h"

namespace filigree::cases {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool update = false;
  std::string tool, root;
  std::vector<std::string> documents;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The text a shell command prints, errors included.
std::string output_of(const std::string& command, const fs::path& folder, const std::string& path) {
  std::string line = fmt::format("cd '{}' && PATH='{}':\"$PATH\" && ({}) 2>&1", folder.string(), path, command);
  FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run a shell");
  std::string text;
  std::array<char, 4096> part;
  for (size_t count; (count = fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), count);
  pclose(pipe);
  return text;
}

class Document {
 public:
  Document(const std::string& path, const Options& options)
      : path_(path), options_(options), lines_(split(read_text(path), '\n')) {}

  bool check() {
    for (at_ = 0; at_ < lines_.size(); at_++) {
      std::smatch found;
      if (std::regex_match(lines_[at_], found, std::regex(R"(<!-- (case|file|run)(?:: (\S+))?(?: (\S+))? -->)"))) {
        block(found[1].str(), found[2].str(), found[3].str());
      } else if (lines_[at_] == "| written | means |") {
        table([](const std::vector<std::string>& cells) { return meaning(cells.at(1)); });
      } else if (lines_[at_] == "| format | order | map |") {
        table([](const std::vector<std::string>& cells) {
          return to_map(parse_format(cells.at(1), std::stoi(cells.at(2))));
        });
      } else if (lines_[at_] == "| format | storage |") {
        table([](const std::vector<std::string>& cells) { return storage(cells.at(1)); });
      }
    }
    if (options_.update && changed_) write_text(path_, join(lines_, "\n"));
    fmt::print("{}: {} examples, {} wrong\n", path_, examples_, wrong_);
    return wrong_ == 0;
  }

 private:
  /// The code block that follows the comment at `at_`.
  void block(const std::string& kind, const std::string& what, const std::string& part) {
    size_t begin = at_ + 1;
    while (begin < lines_.size() && lines_[begin].empty()) begin++;
    if (begin >= lines_.size() || !lines_[begin].starts_with("```")) return fail("no code block after " + lines_[at_]);
    size_t end = begin + 1;
    while (end < lines_.size() && lines_[end] != "```") end++;
    std::vector<std::string> shown(lines_.begin() + static_cast<long>(begin) + 1,
                                   lines_.begin() + static_cast<long>(end));
    std::string actual = kind == "case"   ? section(what, part)
                         : kind == "file" ? excerpt(what, joined(shown))
                                          : session(shown);
    examples_++;
    if (joined(shown) != actual) {
      fail("the example is another now\n" + difference(joined(shown), actual));
      std::vector<std::string> made = split(actual, '\n');
      made.pop_back();
      lines_.erase(lines_.begin() + static_cast<long>(begin) + 1, lines_.begin() + static_cast<long>(end));
      lines_.insert(lines_.begin() + static_cast<long>(begin) + 1, made.begin(), made.end());
      changed_ = true;
    }
  }

  std::string section(const std::string& path, const std::string& name) const {
    Case c = read_case(options_.root + "/" + path);
    if (name == "header") {
      std::string text;
      for (const std::string& line : c.header) text += line.starts_with("#") ? "" : line + "\n";
      return text;
    }
    const Section* section = c.find(name);
    return section ? section->text : fmt::format("{} has no section [{}]\n", path, name);
  }

  static std::string without_margins(const std::string& text) {
    std::vector<std::string> lines = split(text, '\n');
    for (std::string& line : lines) line = trim(line);
    return join(lines, "\n");
  }

  /// `shown` if its lines stand in the file, else the whole file.
  std::string excerpt(const std::string& path, const std::string& shown) const {
    std::string text = read_text(options_.root + "/" + path);
    return without_margins(text).find(without_margins(shown)) == std::string::npos ? text : shown;
  }

  std::string session(const std::vector<std::string>& shown) {
    if (options_.tool.empty()) return joined(shown);
    std::string text, command;
    for (size_t n = 0; n < shown.size(); n++) {
      if (!shown[n].starts_with("$ ")) continue;
      text += shown[n] + "\n";
      command = shown[n].substr(2);
      while (command.ends_with("\\") && n + 1 < shown.size()) {
        text += shown[++n] + "\n";
        command.back() = ' ';
        command += shown[n];
      }
      text += output_of(command, folder(), fs::absolute(options_.tool).parent_path().string());
    }
    return text;
  }

  fs::path folder() {
    if (folder_.empty()) {
      std::string name = (fs::temp_directory_path() / "filigree_docs_XXXXXX").string();
      if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder");
      folder_ = name;
      for (const char* linked : {"examples", "tests"})
        fs::create_directory_symlink(fs::absolute(options_.root) / linked, folder_ / linked);
    }
    return folder_;
  }

  /// The table at `at_`: its last column holds what `expected` says of a row.
  void table(const std::function<std::string(const std::vector<std::string>&)>& expected) {
    for (at_ += 2; at_ < lines_.size() && lines_[at_].starts_with("|"); at_++) {
      std::vector<std::string> cells = split(lines_[at_], '|');
      for (std::string& cell : cells) {
        cell = trim(cell);
        if (cell.size() > 1 && cell.front() == '`' && cell.back() == '`') cell = cell.substr(1, cell.size() - 2);
      }
      examples_++;
      std::string actual = expected(cells);
      if (actual != cells.at(cells.size() - 2))
        fail(fmt::format("'{}' should be '{}'", cells.at(cells.size() - 2), actual));
    }
  }

  static std::string meaning(const std::string& text) {
    notation::Parsed parsed = notation::parse(text);
    std::map<std::string, TensorVar> tensors;
    for (const notation::TensorUse& use : parsed.tensors)
      tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
    return notation::to_string(notation::resolve(parsed, tensors));
  }

  static std::string numbers(const Array& array) {
    std::string text;
    for (std::int64_t n = 0; n < array.count(); n++)
      text += " " +
              (array.type() == ElementType::Bool ? std::to_string(array.get(n).as_bool()) : to_string(array.get(n)));
    return text;
  }

  /// "level 2: pos = 0 2 2 4, crd = 0 2 1 2; values = 2 3 4 5"
  static std::string storage(const std::string& format) {
    Coordinates entries{{3, 3}, {{0, 0, 2, 2}, {0, 2, 1, 2}}, Array(ElementType::Float64, 4)};
    for (int n = 0; n < 4; n++) entries.values.as<double>()[n] = n + 2;
    AnyTensor tensor = AnyTensor::pack(entries, parse_format(format, 2));
    std::string text;
    for (int k = 0; k < tensor.format().level_count(); k++) {
      std::vector<level::ArrayDescription> arrays = tensor.format().levels()[k].format->arrays();
      for (size_t a = 0; a < arrays.size(); a++) {
        text += (a == 0 ? fmt::format("level {}: ", k + 1) : ", ") + arrays[a].name + " =" +
                numbers(tensor.level_arrays()[k][a]);
      }
      if (!arrays.empty()) text += "; ";
    }
    return text + "values =" + numbers(tensor.values());
  }

  void fail(const std::string& what) {
    if (!options_.update) wrong_++;
    fmt::print("{}:{}: {}\n", path_, at_ + 1, what);
  }

 public:
  ~Document() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

 private:
  std::string path_;
  const Options& options_;
  std::vector<std::string> lines_;
  size_t at_ = 0;
  bool changed_ = false;
  int examples_ = 0, wrong_ = 0;
  fs::path folder_;  // where commands run, once there is one
};

int run(const Options& options) {
  bool right = true;
  for (const std::string& document : options.documents) {
    try {
      right = Document(document, options).check() && right;
    } catch (const std::exception& error) {
      fmt::print("{}: {}\n", document, error.what());
      right = false;
    }
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace filigree::cases

int main(int argc, char** argv) {
  filigree::cases::Options options;
  for (int n = 1; n < argc; n++) {
    std::string argument = argv[n];
    if (argument == "--update") {
      options.update = true;
    } else if (argument == "--tool" && n + 1 < argc) {
      options.tool = argv[++n];
    } else if (options.root.empty()) {
      options.root = argument;
    } else {
      options.documents.push_back(argument);
    }
  }
  return filigree::cases::run(options);
}
