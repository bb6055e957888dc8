// A lowered function made callable: machine code, or the interpreter.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "ir/interpret.h"
#include "ir/ir.h"
#include "support/parallel.h"

namespace filigree::compiler {

enum class Target {
  Jit,        // compiled in this process
  Cc,         // compiled by the system's C compiler
  Interpret,  // run by the bounds-checking interpreter
};

struct ExecutableOptions {
  Target target = Target::Jit;
  int optimization = 3;
  bool contract_floats = true;
  bool sanitize = false;  // with Target::Cc: address and undefined behaviour
  /// On how many threads a kernel runs where it has loops for several; 0: as many as there are cores.  Results are the
  /// same whatever it is, up to the order in which a schedule has numbers added up (KernelOptions::deterministic).
  int threads = 1;
  /// With Target::Interpret: see ir/interpret.h.
  std::int64_t step_limit = ir::InterpretOptions{}.step_limit;
  std::function<void(const std::vector<ir::Work>& done)> observe_parallel = {};
  /// For tests: the first allocation that fails, counting from 0; -1: none.
  std::int64_t fail_allocation_after = -1;
  int thread_count() const { return threads == 0 ? core_count() : threads; }
};

/// How large one block of memory may be that code asks for, and whether it asked for more.
struct MemoryLimit {
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  bool exceeded = false;
  /// What there was no memory for, after a run that ended with OutOfMemory.
  struct Refused {
    std::string array;  // or table of the code, by its name there; none if something was to be sorted
    double bytes = 0;
  };
  Refused refused = {};
};

class Executable {
 public:
  virtual ~Executable() = default;
  /// Tensors in the order of FunctionDef::tensors; Out arrays are filled in, with memory of support/memory.  Machine
  /// code that asks for more than the limit ends as if memory had run out; the interpreter knows no limit.
  virtual ir::Status run(std::span<ir::TensorView> tensors, MemoryLimit& limit) const = 0;
};

std::unique_ptr<const Executable> make_executable(const ir::FunctionDef& function, const ExecutableOptions& options);

}  // namespace filigree::compiler
