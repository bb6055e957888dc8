// Texts about tensors and times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/program.h"
#include "problem.h"
#include "tensor/any_tensor.h"

namespace filigree::tool {

/// A scalar's number, with its name if there are several results.  Of a tensor one line about it, then entries as in a
/// .tns file: all of a small one, the first few of a large one, or as many as --show says.  `beside_zero`: an input
/// counts from 0 in its file, so that the line says that these do not.
std::string show_result(const std::string& name, const AnyTensor& tensor, bool among_several, bool beside_zero,
                        std::optional<std::int64_t> show = {});
/// "y: 5 x 4, float64, csr, 7 stored (35%), 128 B".
std::string summarize(const std::string& name, const AnyTensor& tensor);
/// 0.00123 -> "1.23 us".
std::string show_time(double milliseconds);
/// One line for each.
std::string show_timings(const Timings& timings);
/// "statement 2", "statements 1, 2": what a step does, counted as they are written.
std::string describe_origins(const Program::Step& step);
/// Formats, loops and the reasons for them.
std::string explain(const Problem& problem, const std::vector<Program::Step>& steps, int threads);

}  // namespace filigree::tool
