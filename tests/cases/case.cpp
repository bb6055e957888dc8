#include "tests/cases/case.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/text.h"

namespace filigree::cases {
namespace {

const std::vector<std::string> section_names = {"notation", "concrete", "schedule", "assemble", "lattice",
                                                "plan",     "ir",       "c",        "loops",    "parallel",
                                                "launch",   "explain",  "result",   "error"};

class Reader {
 public:
  explicit Reader(const std::string& path) { case_.path = path; }

  Case read() {
    std::istringstream text(read_text(case_.path));
    for (std::string line; std::getline(text, line);) {
      number_++;
      if (line.size() > 2 && line.front() == '[' && line.back() == ']') {
        open_section(line.substr(1, line.size() - 2));
      } else if (!case_.sections.empty()) {
        case_.sections.back().text += line + "\n";
      } else {
        header_line(line);
      }
    }
    if (case_.expression.empty() && case_.loops.empty()) fail("no expression");
    if (case_.sections.empty() && case_.inputs.empty()) fail("neither a section nor an input");
    for (Section& section : case_.sections) {
      while (section.text.ends_with("\n\n") || section.text == "\n") section.text.pop_back();
    }
    while (!case_.header.empty() && case_.header.back().empty()) case_.header.pop_back();
    return case_;
  }

 private:
  void open_section(const std::string& name) {
    if (std::find(section_names.begin(), section_names.end(), name) == section_names.end())
      fail("unknown section [" + name + "]");
    if (case_.find(name)) fail("a second section [" + name + "]");
    case_.sections.push_back({name, ""});
  }

  void header_line(const std::string& line) {
    case_.header.push_back(line);
    if (line.empty() || line.front() == '#') return;
    if (line.front() == ' ') {
      if (!entries_) fail("an entry outside an input");
      *entries_ += trim(line) + "\n";
      return;
    }
    size_t colon = line.find(':');
    if (colon == std::string::npos) fail("no colon");
    std::vector<std::string> key = split(trim(line.substr(0, colon)), ' ');
    std::string value = trim(line.substr(colon + 1));
    entries_ = nullptr;
    if (key.size() == 1 && key[0] == "expression") {
      case_.expression = value;
    } else if (key.size() == 1 && key[0] == "loops") {
      case_.loops = value;
    } else if (key.size() == 1 && key[0] == "schedule") {
      case_.schedule = value;
    } else if (key.size() == 1 && key[0] == "stored") {
      for (const std::string& name : split(value, ',')) case_.stored.push_back(trim(name));
    } else if (key.size() == 1 && key[0] == "mode") {
      case_.mode = value;
    } else if (key.size() == 2) {
      std::string& target = settings(key[0])[key[1]];
      target = value;
      if (key[0] == "input" && value.empty()) entries_ = &target;
    } else {
      fail("unknown line '" + line + "'");
    }
  }

  std::map<std::string, std::string>& settings(const std::string& what) {
    if (what == "format") return case_.formats;
    if (what == "type") return case_.types;
    if (what == "fill") return case_.fills;
    if (what == "dimension") return case_.dimensions;
    if (what == "input") return case_.inputs;
    fail("unknown setting '" + what + "'");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(case_.path + ":" + std::to_string(number_) + ": " + what);
  }

  Case case_;
  int number_ = 0;
  std::string* entries_ = nullptr;  // of the input being read
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

const Section* Case::find(const std::string& section) const {
  auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == section; });
  return found == sections.end() ? nullptr : &*found;
}

Case read_case(const std::string& path) { return Reader(path).read(); }

std::string to_string(const Case& c) {
  std::string out;
  for (const std::string& line : c.header) out += line + "\n";
  for (const Section& section : c.sections) out += "\n[" + section.name + "]\n" + section.text;
  return out;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string difference(const std::string& expected, const std::string& actual) {
  std::vector<std::string> a = lines_of(expected), b = lines_of(actual);
  // common[i][j]: length of the longest common subsequence of a from i on and b from j on.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      out += "    " + a[i++] + "\n", j++;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      out += "  - " + a[i++] + "\n";
    } else {
      out += "  + " + b[j++] + "\n";
    }
  }
  return out;
}

}  // namespace filigree::cases
