// Statements whose way through the compiler is timed, and how.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "notation/parse.h"

namespace filigree::bench {

struct Problem {
  const char* name;
  const char* text;
  std::map<std::string, std::string> formats;  // of what is not dense
};

inline notation::Statement statement_of(const Problem& problem) {
  notation::Parsed parsed = notation::parse(problem.text);
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) {
    auto given = problem.formats.find(use.name);
    Format format = given == problem.formats.end() ? Format::dense(use.order) : parse_format(given->second, use.order);
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
  }
  return notation::resolve(parsed, tensors);
}

/// The median time of `action`, in microseconds.
template <class Action>
double median(int repetitions, const Action& action) {
  std::vector<double> times;
  for (int n = 0; n < repetitions; n++) {
    auto start = std::chrono::steady_clock::now();
    action();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace filigree::bench
