// Names for things the compiler makes up that clash with none the user gave.
#pragma once

#include <set>
#include <string>

namespace filigree {

class FreshNames {
 public:
  void use(const std::string& name) { used_.insert(name); }
  bool is_free(const std::string& name) const { return used_.count(name) == 0; }
  /// `wish`, or `wish2`, `wish3`, ...: the first that is free; it is taken from then on.
  std::string make(const std::string& wish) {
    std::string name = wish;
    for (int n = 2; !used_.insert(name).second; n++) name = wish + std::to_string(n);
    return name;
  }
  /// The first letter from `first` to `last` that is free, or else the first with a number.
  std::string letter(char first, char last) {
    for (char c = first; c <= last; c++) {
      if (is_free(std::string(1, c))) return make(std::string(1, c));
    }
    return make(std::string(1, first));
  }

 private:
  std::set<std::string> used_;
};

}  // namespace filigree
