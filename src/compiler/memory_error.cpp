#include "compiler/memory_error.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "concrete/workspace.h"
#include "support/text.h"

namespace filigree::compiler {
namespace {

/// Is it an array of the tensor, or of one of its levels?  These are called A, A_vals, A2_pos, A2_crd_part.
bool is_array_of(const std::string& array, const std::string& tensor) {
  if (!array.starts_with(tensor)) return false;
  size_t at = tensor.size();
  while (at < array.size() && std::isdigit(static_cast<unsigned char>(array[at]))) at++;
  return at == array.size() || array[at] == '_';
}

/// The tensor with the longest name that the array can be of.
const TensorVar* owner(const std::string& array, const std::vector<TensorVar>& tensors) {
  const TensorVar* found = nullptr;
  for (const TensorVar& tensor : tensors) {
    if (is_array_of(array, tensor.name()) && (!found || found->name().size() < tensor.name().size())) found = &tensor;
  }
  return found;
}

}  // namespace

UserError out_of_memory(const std::string& activity, const concrete::Program& program,
                        const MemoryLimit::Refused& refused) {
  std::vector<TensorVar> tensors = program.results;
  for (const concrete::Access& access : concrete::temporaries(program)) tensors.push_back(access.tensor);
  std::string block = human_bytes(refused.bytes);
  const TensorVar* tensor = owner(refused.array, tensors);
  bool is_result = tensor &&
                   std::find(program.results.begin(), program.results.end(), *tensor) != program.results.end();
  std::string text = fmt::format("Memory ran out while {}: ", activity);
  if (refused.array.empty())
    return UserError(fmt::format("{}sorting its entries asked for a block of {}", text, block))
        .hint("use a format that is unordered, smaller operands or a machine with more memory");
  if (is_result) {
    return UserError(fmt::format("{}'{}' asked for a block of {}", text, tensor->name(), block))
        .hint(tensor->format().is_dense()
                  ? "store it in a sparse format, or use smaller dimensions or a machine with more memory"
                  : "compute it in parts, or use a machine with more memory");
  }
  std::string which = tensor ? fmt::format("the workspace '{}'", tensor->name())
                             : fmt::format("the temporary array '{}'", refused.array);
  return UserError(fmt::format("{}{} asked for a block of {}", text, which, block))
      .hint("formats whose order suits the loops, or a schedule, may do without it",
            "--explain says what it is for; formats whose order suits the loops, or a schedule, may do without it");
}

}  // namespace filigree::compiler
