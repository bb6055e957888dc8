// Answers in short: how many components are not zero, and a sum of them with weights that depend on their coordinates.
// Contenders that store the same tensor in different ways have the same answer.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace suite {

class Answer {
 public:
  void add(std::span<const std::int64_t> coordinates, double value) {
    if (value == 0) return;
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::int64_t c : coordinates) hash = (hash ^ (static_cast<std::uint64_t>(c) + 1)) * 0xff51afd7ed558ccd;
    double weight = 1 + static_cast<double>(hash >> 40) * 0x1p-24;
    count_ += 1;
    sum_ += weight * value;
    magnitude_ += std::abs(weight * value);
  }
  void add(std::int64_t i, double value) { add(std::span(&i, 1), value); }
  void add(std::int64_t i, std::int64_t j, double value) {
    std::int64_t at[] = {i, j};
    add(at, value);
  }

  double count() const { return count_; }
  double sum() const { return sum_; }
  bool agrees(const Answer& other, double tolerance = 1e-9) const {
    return count_ == other.count_ && std::abs(sum_ - other.sum_) <= tolerance * (magnitude_ + 1e-300);
  }
  /// Of another process, which tells these two.
  Answer() = default;
  Answer(double count, double sum) : count_(count), sum_(sum), magnitude_(std::abs(sum)) {}

 private:
  double count_ = 0, sum_ = 0, magnitude_ = 0;
};

}  // namespace suite
