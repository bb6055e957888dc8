#include "fuzz/mutate_plan.h"

#include "compiler/kernel.h"
#include "fuzz/dice.h"
#include "fuzz/mutate_text.h"
#include "support/text.h"

namespace filigree::fuzz {
namespace {

bool is_word(const std::string& token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_');
}
bool is_number(const std::string& token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token[0]));
}

const std::vector<std::string> ways = {"step", "locate", "gallop", "binary", "seqiter",
                                       "hash", "scan",   "unused", "merge"};
const std::vector<std::string> endings = {
    " by length",  " repeated",     " remembered", " unless far", " guarded", " full first",   " over universe",
    " in pieces",  " in 3 pieces",  " by levels",  " if stored",  " pruned",  " with parents", " by number",
    " on threads", ", nodes noted", " padded",     ", sorts",     ", merges"};
const std::vector<std::string> tags = {" [cpu]",          " [unroll 4]",  " [vector]",     " [as stored]",
                                       " [cpu, atomics]", " [gpu_block]", " [gpu_thread]", " [cpu, temporary]"};
const std::vector<std::string> formats = {"dense",     "sparse", "csr", "csc",  "dcsr", "coo",
                                          "bcsr(2,2)", "dok",    "csf", "hash", "ell",  "dia"};

class PlanMutator : Dice {
 public:
  PlanMutator(const std::string& text, std::mt19937_64& random) : Dice(random), lines_(split(text, '\n')) {}

  std::string run() {
    do change();
    while (chance(35));
    return join(lines_, "\n");
  }

 private:
  std::string& any_line() { return lines_[upto(lines_.size())]; }

  void change() {
    switch (upto(9)) {
      case 0: return replace(is_number, pick<const char*>({"0", "1", "2", "3", "4", "7", "64", "99999999999"}));
      case 1:
      case 2: return replace(is_word, another(is_word));
      case 3: return replace(is_number, another(is_number));
      case 4: {
        auto is_way = [](const std::string& token) { return std::find(ways.begin(), ways.end(), token) != ways.end(); };
        return replace(is_way, ways[upto(ways.size())]);
      }
      case 5: return change_ending();
      case 6: return change_lines();
      case 7: {
        auto is_format = [](const std::string& token) {
          return std::find(formats.begin(), formats.end(), token) != formats.end();
        };
        return replace(is_format, formats[upto(formats.size())]);
      }
      default:
        return replace([](const std::string& token) { return token == "+" || token == "*" || token == "-"; },
                       pick<const char*>({"+", "-", "*", "/", "max", "<"}));
    }
  }

  template <class Test>
  std::string another(const Test& test) {
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      for (const std::string& token : tokens_of(line)) {
        if (test(token)) found.push_back(token);
      }
    }
    return found.empty() ? "" : found[upto(found.size())];
  }

  /// One token of those that pass the test.
  template <class Test>
  void replace(const Test& test, const std::string& by) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t n = 0; n < lines_.size(); n++) {
      std::vector<std::string> tokens = tokens_of(lines_[n]);
      for (std::size_t t = 0; t < tokens.size(); t++) {
        if (test(tokens[t])) found.push_back({n, t});
      }
    }
    if (found.empty()) return;
    auto [line, at] = found[upto(found.size())];
    std::vector<std::string> tokens = tokens_of(lines_[line]);
    tokens[at] = by;
    lines_[line] = join(tokens, "");
  }

  void change_ending() {
    std::string& line = any_line();
    if (chance(30) && line.find("loop ") != std::string::npos) {
      std::size_t name = line.find("loop ") + 5, end = std::min(line.find_first_of(" :", name), line.size());
      line.insert(end, tags[upto(tags.size())]);
      return;
    }
    for (const std::string& ending : endings) {
      std::size_t at = line.find(ending);
      if (at == std::string::npos || chance(30)) continue;
      line.erase(at, ending.size());
      return;
    }
    bool has_colon = !line.empty() && line.back() == ':';
    line.insert(line.size() - (has_colon ? 1 : 0), endings[upto(endings.size())]);
  }

  void change_lines() {
    std::size_t one = upto(lines_.size()), other = upto(lines_.size());
    switch (upto(4)) {
      case 0: lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(one)); break;
      case 1: std::swap(lines_[one], lines_[other]); break;
      case 2: {
        std::string line = lines_[one];
        lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(other), line);
        break;
      }
      default: {  // with all that is inside of it
        auto depth = [](const std::string& line) { return line.find_first_not_of(' '); };
        std::size_t end = one + 1;
        while (end < lines_.size() && !lines_[end].empty() && depth(lines_[end]) > depth(lines_[one])) end++;
        lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(one),
                     lines_.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    if (lines_.empty()) lines_.push_back("");
  }

  std::vector<std::string> lines_;
};

}  // namespace

std::string plan_text(const Program& program, std::mt19937_64& random) {
  Dice dice(random);
  std::string text;
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.schedule = program.schedule;
  options.threads = dice.chance(40) ? 3 : 1;
  options.worth_threads = 0;
  options.observer = [&](const compiler::StageReport& report) {
    if (report.stage == "plan") text = report.text;
  };
  try {
    Kernel kernel = Kernel::compile(statement_of(program), options);
    std::vector<AnyTensor> tensors;
    tensors.reserve(program.tensors.size());
    Arguments arguments;
    for (const ProgramTensor& tensor : program.tensors) {
      if (!tensor.is_read) continue;
      tensors.push_back(pack(tensor));
      arguments.emplace_back(tensor.name, tensors.back());
    }
    kernel.function(plan::Mode::Grow, "kernel", arguments, program.extents);
  } catch (const UserError&) {
    return "";
  }
  return text;
}

std::string mutate_plan(const std::string& text, std::mt19937_64& random) { return PlanMutator(text, random).run(); }

}  // namespace filigree::fuzz
