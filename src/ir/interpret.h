// Runs IR without a C compiler and without trust: every access is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace filigree::ir {

/// One array of a tensor.  In and Update arrays are the caller's; Out arrays come back with memory
/// that the caller releases with std::free.
struct ArrayView {
  ElementType type = ElementType::Float64;
  void* data = nullptr;
  std::int64_t count = 0;
};

/// A tensor as a kernel sees it: its dimensions and the arrays of Binding::Part::Array in order.
struct TensorView {
  std::vector<std::int64_t> dimensions;
  std::vector<ArrayView> arrays;
};

/// A program that broke the rules of ir.h: an access out of bounds, a read of what was never
/// written, a leak, a race, ...  The message names the array and shows the statement.
class InterpreterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program took more steps than it may.
class StepLimitError : public InterpreterError {
 public:
  using InterpreterError::InterpreterError;
};

/// Two iterations that run at the same time touched an element, one of them to write it.
class RaceError : public InterpreterError {
 public:
  using InterpreterError::InterpreterError;
};

struct Work {
  std::int64_t points = 0;  // iterations of innermost loops
  std::int64_t steps = 0;   // statements and iterations altogether
};

struct InterpretOptions {
  /// What Binding::Part::Threads stands for.  Parallel loops run one iteration after the other whatever it is.
  std::int64_t threads = 1;
  /// The first allocation that fails, counting from 0, those inside tables and sorts included; -1: none.
  std::int64_t fail_allocation_after = -1;
  /// Statements run before the program counts as hanging; a StepLimitError.
  std::int64_t step_limit = std::int64_t{1} << 40;
  /// Called after every parallel loop with what each of its iterations did.
  std::function<void(const std::vector<Work>& done)> observe_parallel = {};
  /// Told before a run ends with OutOfMemory: there is none for so many bytes of this array or table; without a name,
  /// to sort one.
  std::function<void(const std::string& array, double bytes)> ran_out = {};
  /// Allocations that would hold more than this at once fail, as if memory had run out.
  std::int64_t memory_limit = std::int64_t{1} << 33;
};

/// A function made ready to run, once, for any number of runs.
class Interpreter {
 public:
  /// Requires: verify(function) passes.
  explicit Interpreter(const FunctionDef& function);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  /// Runs with tensors in the order of FunctionDef::tensors.  On Ok the Out arrays are filled in; on
  /// OutOfMemory they are untouched.  Nothing else stays allocated in either case, nor after an error.
  Status run(std::span<TensorView> tensors, const InterpretOptions& options = {}) const;

 private:
  std::unique_ptr<const struct InterpreterProgram> program_;
};

Status interpret(const FunctionDef& function, std::span<TensorView> tensors, const InterpretOptions& options = {});

}  // namespace filigree::ir
