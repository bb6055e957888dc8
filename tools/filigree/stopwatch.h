// Wall-clock times of what the tool does, for --time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace filigree::tool {

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Timing {
  std::string what;
  double milliseconds;
};
using Timings = std::vector<Timing>;

}  // namespace filigree::tool
