// Dimensions and coordinates given as integers of any type: {n, m}.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace filigree {

class Numbers {
 public:
  struct Number {
    template <std::integral Integer>
    Number(Integer value) : value(static_cast<std::int64_t>(value)) {}
    std::int64_t value;
  };
  Numbers(std::initializer_list<Number> numbers) {
    values_.reserve(numbers.size());
    for (const Number& number : numbers) values_.push_back(number.value);
  }
  Numbers(std::vector<std::int64_t> numbers) : values_(std::move(numbers)) {}
  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::vector<std::int64_t> values_;
};

using Dimensions = Numbers;

}  // namespace filigree
