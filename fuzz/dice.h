// Random choices, all from one generator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>

namespace filigree::fuzz {

class Dice {
 public:
  explicit Dice(std::mt19937_64& random) : random_(random) {}

  /// 0 to limit - 1.
  std::size_t upto(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  template <class T>
  T pick(std::initializer_list<T> options) {
    return options.begin()[upto(options.size())];
  }
  char one_of(const std::string& text) { return text[upto(text.size())]; }

  /// Distinct characters of `text`, in random order.
  std::string some_of(std::string text, std::size_t count) {
    std::shuffle(text.begin(), text.end(), random_);
    return text.substr(0, std::min(count, text.size()));
  }

 private:
  std::mt19937_64& random_;
};

}  // namespace filigree::fuzz
