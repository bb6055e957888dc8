// One run of an interpreted program.  Internal to the interpreter.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ir/interpreter_memory.h"
#include "ir/interpreter_program.h"

namespace filigree::ir {

/// A scalar variable; which member holds follows from its type.
struct Slot {
  union {
    std::int64_t integer = 0;
    double number;
  };
  double imaginary = 0;
};

struct TableState {
  filigree_table* table = nullptr;
  std::int64_t parents = -1;  // after table_finish, until the table changes again
};

/// Arrays that were moved here, each in its place.
struct PartsState {
  std::vector<ArrayState> arrays;
  bool allocated = false;
};

enum class Flow { Next, Break, Continue, Return };

/// One run of a program.
class Machine {
 public:
  Machine(const InterpreterProgram& program, const InterpretOptions& options)
      : program_(program),
        expressions_(program.expressions.data()),
        scalars_(program.scalars.size()),
        arrays_(program.arrays.size()),
        tables_(program.tables.size()),
        parts_(program.parts.size()),
        allocator_(options),
        threads_(options.threads),
        steps_(options.step_limit),
        observe_parallel_(options.observe_parallel) {
    for (std::size_t i = 0; i < arrays_.size(); i++) arrays_[i].type = program.arrays[i].type().element;
  }
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Status run(std::span<TensorView> tensors);

 private:
  friend class Grid;  // runs a launch: interpret_grid.h

  std::string with_place(const std::string& what) const;
  [[noreturn]] void fail(const std::string& what) const;
  void report_not_written() const;
  [[noreturn]] void stop() const;
  void take_step() {
    if (--steps_ < 0) stop();
  }
  void bind(std::span<TensorView> tensors);
  void check_leaks();
  void hand_over(std::span<TensorView> tensors);

  Flow list(StmtList statements);
  Flow statement(const StmtCode& code);
  Flow parallel_for(const StmtCode& code);
  void new_table(const StmtCode& code);
  void allocate(const StmtCode& code);
  void make_room(const StmtCode& code, ArrayState& array, std::int64_t count);
  void new_parts(const StmtCode& code);
  void free_parts(PartsState& parts);
  ArrayState& part(const StmtCode& code);
  void keep(const StmtCode& code);
  void take(const StmtCode& code);
  void copy(const StmtCode& code);
  void sort(const StmtCode& code);
  void sort_segment(const StmtCode& code);
  void check_sorted(std::int32_t slot, std::int64_t begin, std::int64_t end);

  std::int64_t integer(std::int32_t id);
  double number(std::int32_t id);
  Scalar value(std::int32_t id);
  Scalar generic(const ExprCode& code);
  std::int64_t call(const ExprCode& code);
  std::int64_t table_call(const ExprCode& code);
  std::int64_t hash_find(const ExprCode& code);
  std::int64_t scattered(const ExprCode& code);
  std::int64_t search(const ExprCode& code);
  filigree_table* cursor_checked(TableState& state, const ExprCode& code, std::int64_t cursor);

  void begin_concurrent(const std::vector<std::int32_t>& watched, bool launch);
  void end_concurrent() { races_.end(), concurrent_ = launched_ = false; }
  std::string name_of(const Agent& agent) const;
  void check_race(std::int32_t slot, std::int64_t index, Access access);
  /// Notes an access that is in bounds.
  void touch(std::int32_t slot, std::int64_t index, Access access) {
    if (concurrent_) [[unlikely]]
      check_race(slot, index, access);
  }

  [[noreturn]] void out_of_bounds(std::int32_t slot, std::int64_t index, const char* access) const;
  /// An error; in a launch not before the next barrier, as it may be a race with the thread that writes the element.
  void not_written(std::int32_t slot, std::int64_t index);
  [[noreturn]] void cannot_divide(std::int64_t a, std::int64_t b) const;
  unsigned char* element(std::int32_t slot, std::int64_t index, std::int64_t size) {
    const ArrayState& array = arrays_[slot];
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(array.count))
      out_of_bounds(slot, index, "load");
    if (array.written && !array.written[index]) not_written(slot, index);
    return array.data + index * size;
  }
  template <class T>
  T load(const ExprCode& code) {
    T result;
    std::memcpy(&result, loaded(code, sizeof(T)), sizeof(T));
    return result;
  }
  unsigned char* loaded(const ExprCode& code, std::int64_t size) {
    std::int64_t index = integer(code.a);
    unsigned char* found = element(code.slot, index, size);
    if (concurrent_ && !code.of_atomic) [[unlikely]]
      check_race(code.slot, index, Access::Load);
    return found;
  }
  unsigned char* target(const StmtCode& code, std::int64_t index, std::int64_t size) {
    ArrayState& array = arrays_[code.slot];
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(array.count))
      out_of_bounds(code.slot, index, "store");
    touch(code.slot, index, code.access);
    if (array.written) array.written[index] = 1;
    return array.data + index * size;
  }
  template <class T>
  void store(const StmtCode& code, T stored) {
    std::memcpy(target(code, integer(code.a), sizeof(T)), &stored, sizeof(T));
  }
  const std::string& array_name(std::int32_t slot) const { return program_.arrays[slot].name(); }

  const InterpreterProgram& program_;
  const ExprCode* expressions_;
  std::vector<Slot> scalars_;
  std::vector<ArrayState> arrays_;
  std::vector<TableState> tables_;
  std::vector<PartsState> parts_;
  Allocator allocator_;
  std::int64_t threads_;
  std::int64_t steps_;
  std::int64_t points_ = 0;
  const std::function<void(const std::vector<Work>&)>& observe_parallel_;
  RaceCheck races_;
  bool concurrent_ = false;  // in a parallel loop or a launch
  bool launched_ = false;    // in a launch
  std::int64_t first_iteration_ = 0;
  std::string load_of_nothing_;  // in a launch: what not_written has to say
  const StmtCode* current_ = nullptr;
  Status status_ = Status::Ok;
};

}  // namespace filigree::ir
