// Texts about tensors and times.
#pragma once

#include <string>
#include <vector>

#include "problem.h"
#include "tensor/tensor.h"

namespace filigree::tool {

/// A scalar's number, with its name if there are several results; the entries of a small tensor as a .tns file; else one line about it.
std::string show_result(const std::string& name, const Tensor& tensor, bool among_several);
/// "y: 5 x 4, float64, csr, 7 stored (35%), 128 B".
std::string summarize(const std::string& name, const Tensor& tensor);
/// 0.00123 -> "1.23 us".
std::string show_time(double milliseconds);
/// One line for each.
std::string show_timings(const Timings& timings);
/// "statement 2", "statements 1, 2": what a step does, counted as they are written.
std::string describe_origins(const Program::Step& step);
/// Formats, loops and the reasons for them.
std::string explain(const Problem& problem, const std::vector<Program::Step>& steps, int threads);
/// Writing to this path would fail: says so before anything is computed.
void check_output(const std::string& path);

}  // namespace filigree::tool
