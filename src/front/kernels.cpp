#include "front/kernels.h"

#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "front/written.h"
#include "support/forked.h"

namespace filigree::front {
namespace {

/// A program that makes more different statements than this starts again with none kept.
constexpr size_t most_kept = 4096;

struct Kept {
  std::mutex mutex;
  std::unordered_map<std::string, Kernel> kernels;
};

/// Never destroyed: tensors that live as long as the program may need kernels after that.
Kept& kept() {
  static Kept* const kept = new Kept;
  return *kept;
}

std::string options_key(const KernelOptions& options) {
  return fmt::format("\n{} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(options.target),
                     options.optimization, options.contract_floats, options.sanitize, options.threads,
                     options.step_limit, options.fail_allocation_after, options.worth_threads, options.deterministic,
                     options.strict, options.force, options.automatic, static_cast<int>(options.validate),
                     schedule::to_string(options.schedule));
}

}  // namespace

Kernel kernel_for(const notation::Statement& statement, const KernelOptions& options) {
  if (options.observer || options.observe_parallel) return Kernel::compile(statement, options);
  Inside inside;
  std::string key = kernel_key(statement) + options_key(options);
  {
    std::lock_guard lock(kept().mutex);
    auto found = kept().kernels.find(key);
    if (found != kept().kernels.end()) return found->second;
  }
  Kernel kernel = Kernel::compile(statement, options);
  std::lock_guard lock(kept().mutex);
  if (kept().kernels.size() >= most_kept) kept().kernels.clear();
  return kept().kernels.emplace(key, kernel).first->second;
}

size_t kept_kernels() {
  std::lock_guard lock(kept().mutex);
  return kept().kernels.size();
}

}  // namespace filigree::front
