// The words of a command line, sorted into options and the rest by the table of options.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "options.h"
#include "usage.h"

namespace filigree::tool {

/// An option as it was given.
struct Given {
  std::string spelled;  // "-f" or "--format"
  std::string value;    // empty for a switch
};

class GivenOptions {
 public:
  Command command = Command::Run;
  std::vector<std::string> words;  // what is no option

  const std::vector<Given>& all(const std::string& name) const;
  bool has(const std::string& name) const { return !all(name).empty(); }
  void add(const std::string& name, Given given) { given_[name].push_back(std::move(given)); }

 private:
  std::map<std::string, std::vector<Given>> given_;
};

/// Takes `-f A:csr`, `-fA:csr`, `-f=A:csr`, `--format A:csr`, `--format=A:csr` and, as TACO has it, `-format=A:csr`;
/// `--` ends the options. Throws UsageError.
GivenOptions parse_options(const std::vector<std::string>& words);

/// What is wrong with a word where one of a few is expected.
UsageError unknown_word(const std::string& option, const std::string& word, const std::vector<std::string>& words);

}  // namespace filigree::tool
