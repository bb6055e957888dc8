#include "ir/interpret.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ir/host_functions.h"
#include "ir/interpret_grid.h"
#include "ir/print.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::ir {

Machine::~Machine() {
  for (ArrayState& array : arrays_) {
    if (array.allocated) allocator_.release(array);
  }
  for (TableState& state : tables_) host_functions.table_free(state.table);
  for (PartsState& state : parts_) free_parts(state);
}

std::string Machine::with_place(const std::string& what) const {
  std::string where = current_ ? print(*current_->origin) : "";
  if (std::size_t end = where.find('\n'); end != std::string::npos) where.resize(end);
  std::string who = concurrent_ ? ", " + name_of(races_.agent) : "";
  return fmt::format("{} in '{}'{}{}", what, program_.function.name, who, where.empty() ? "" : ": " + where);
}

void Machine::fail(const std::string& what) const {
  report_not_written();  // whatever came after it may be its fault
  throw InterpreterError(with_place(what));
}

void Machine::report_not_written() const {
  if (!load_of_nothing_.empty()) throw InterpreterError(load_of_nothing_);
}

void Machine::stop() const { throw StepLimitError(with_place("step limit reached")); }

void Machine::out_of_bounds(std::int32_t slot, std::int64_t index, const char* access) const {
  const ArrayState& array = arrays_[slot];
  if (!array.data && !array.allocated)
    fail(fmt::format("{} of '{}' at {}, which is not allocated", access, array_name(slot), index));
  fail(fmt::format("{} out of bounds: '{}' at {}, it has {}", access, array_name(slot), index,
                   counted(array.count, "element")));
}

void Machine::not_written(std::int32_t slot, std::int64_t index) {
  std::string what = fmt::format("load of an element that was never written: '{}' at {}", array_name(slot), index);
  if (!launched_) fail(what);
  std::int64_t size = size_in_bytes(arrays_[slot].type);
  std::memset(arrays_[slot].data + index * size, 0, static_cast<std::size_t>(size));
  if (load_of_nothing_.empty()) load_of_nothing_ = with_place(what);
}

Flow Machine::list(StmtList statements) {
  const StmtCode* code = program_.statements.data() + statements.first;
  for (const StmtCode* end = code + statements.count; code != end; code++) {
    if (Flow flow = statement(*code); flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

void Machine::new_table(const StmtCode& code) {
  TableState& state = tables_[code.slot];
  if (state.table)
    fail(fmt::format("leak: table '{}' declared again before it is freed", program_.tables[code.slot].name()));
  state.table = host_functions.table_new(allocator_.runtime(), program_.tables[code.slot].name().c_str());
  state.parents = -1;
  if (!state.table) throw OutOfMemorySignal{};
}

void Machine::allocate(const StmtCode& code) {
  ArrayState& array = arrays_[code.slot];
  std::int64_t count = integer(code.a);
  if (count < 0) fail(fmt::format("allocation of {} elements for '{}'", count, array_name(code.slot)));
  try {
    make_room(code, array, count);
  } catch (OutOfMemorySignal) {
    allocator_.note_refused(array_name(code.slot).c_str(), count, size_in_bytes(array.type));
    throw;
  }
}

void Machine::make_room(const StmtCode& code, ArrayState& array, std::int64_t count) {
  if (code.opcode == StmtOpcode::Alloc) {
    if (array.allocated) fail(fmt::format("leak: '{}' allocated again before it is freed", array_name(code.slot)));
    allocator_.allocate(array, count, code.zeroed);
    return;
  }
  if (!array.allocated) fail(fmt::format("growth of '{}', which is not allocated", array_name(code.slot)));
  if (count < array.count) {
    fail(fmt::format("growth of '{}' from {} to {} elements", array_name(code.slot), array.count, count));
  }
  allocator_.grow(array, count);
}

void Machine::new_parts(const StmtCode& code) {
  PartsState& state = parts_[code.slot];
  if (state.allocated)
    fail(fmt::format("leak: parts '{}' allocated again before they are freed", program_.parts[code.slot].name()));
  std::int64_t count = integer(code.a);
  if (count < 0) fail(fmt::format("allocation of {} parts for '{}'", count, program_.parts[code.slot].name()));
  void* block = allocator_.runtime()->resize(allocator_.runtime()->context, nullptr,
                                             count + 1);  // as generated code does, to fail where it does
  if (!block) {
    allocator_.note_refused(program_.parts[code.slot].name().c_str(), count + 1,
                            static_cast<std::int64_t>(sizeof(void*)));
    throw OutOfMemorySignal{};
  }
  std::free(block);
  state.arrays.assign(static_cast<std::size_t>(count), ArrayState());
  state.allocated = true;
}

void Machine::free_parts(PartsState& parts) {
  for (ArrayState& array : parts.arrays) {
    if (array.allocated) allocator_.release(array);
  }
  parts = PartsState();
}

ArrayState& Machine::part(const StmtCode& code) {
  PartsState& state = parts_[code.second_slot];
  std::int64_t index = integer(code.a);
  if (index < 0 || index >= static_cast<std::int64_t>(state.arrays.size())) {
    fail(fmt::format("part out of bounds: '{}' at {}, there are {}", program_.parts[code.second_slot].name(), index,
                     state.arrays.size()));
  }
  return state.arrays[static_cast<std::size_t>(index)];
}

void Machine::keep(const StmtCode& code) {
  ArrayState &array = arrays_[code.slot], &place = part(code);
  std::int64_t count = integer(code.b);
  if (!array.allocated) fail(fmt::format("'{}' is kept, but not allocated", array_name(code.slot)));
  if (place.allocated) fail(fmt::format("leak: '{}' is kept where another array is", array_name(code.slot)));
  if (count < 0 || count > array.count)
    fail(fmt::format("{} elements of '{}' are kept, it has {}", count, array_name(code.slot), array.count));
  allocator_.trim(array, count);
  ElementType type = array.type;
  place = std::exchange(array, ArrayState());
  array.type = type;
}

void Machine::take(const StmtCode& code) {
  ArrayState &array = arrays_[code.slot], &place = part(code);
  if (array.allocated) fail(fmt::format("leak: '{}' is taken before it is freed", array_name(code.slot)));
  if (!place.allocated) fail(fmt::format("'{}' is taken from where nothing is kept", array_name(code.slot)));
  array = std::exchange(place, ArrayState());
}

/// Are these elements there, and written?  They are touched.
void Machine::check_sorted(std::int32_t slot, std::int64_t begin, std::int64_t end) {
  const ArrayState& array = arrays_[slot];
  if (begin < 0 || end < begin || end > array.count) {
    fail(fmt::format("sort out of bounds: '{}' from {} up to {}, it has {}", array_name(slot), begin, end,
                     counted(array.count, "element")));
  }
  for (std::int64_t i = begin; array.written && i < end; i++) {
    if (!array.written[i]) not_written(slot, i);
  }
  for (std::int64_t i = begin; concurrent_ && i < end; i++) touch(slot, i, Access::Store);
}

void Machine::copy(const StmtCode& code) {
  ArrayState &to = arrays_[code.slot], &from = arrays_[code.second_slot];
  std::int64_t count = integer(code.a);
  for (std::int32_t slot : {code.slot, code.second_slot}) {
    if (count >= 0 && count <= arrays_[slot].count) continue;
    fail(fmt::format("copy out of bounds: {} elements, '{}' has {}", count, array_name(slot), arrays_[slot].count));
  }
  for (std::int64_t i = 0; from.written && i < count; i++) {
    if (!from.written[i]) not_written(code.second_slot, i);
  }
  for (std::int64_t i = 0; concurrent_ && i < count; i++) {
    touch(code.second_slot, i, Access::Load);
    touch(code.slot, i, Access::Store);
  }
  if (count == 0) return;
  std::memcpy(to.data, from.data, static_cast<std::size_t>(count * size_in_bytes(to.type)));
  if (to.written) std::memset(to.written, 1, static_cast<std::size_t>(count));
}

void Machine::sort_segment(const StmtCode& code) {
  std::int64_t begin = integer(code.a), end = integer(code.b);
  check_sorted(code.slot, begin, end);
  check_sorted(code.second_slot, begin, end);
  ArrayState &crd = arrays_[code.slot], &vals = arrays_[code.second_slot];
  std::int64_t failed = host_functions.sort_elements(allocator_.runtime(), crd.data, size_in_bytes(crd.type), vals.data,
                                                     size_in_bytes(vals.type), begin, end);
  if (failed) throw OutOfMemorySignal{};
}

void Machine::sort(const StmtCode& code) {
  ArrayState& array = arrays_[code.slot];
  std::int64_t count = integer(code.a);
  check_sorted(code.slot, 0, count);
  if (array.type == ElementType::Int32) {
    host_functions.sort_i32(reinterpret_cast<std::int32_t*>(array.data), count);
  } else {
    host_functions.sort_i64(reinterpret_cast<std::int64_t*>(array.data), count);
  }
}

Flow Machine::statement(const StmtCode& code) {
  current_ = &code;
  take_step();
  switch (code.opcode) {
    case StmtOpcode::SetInt: scalars_[code.slot].integer = integer(code.a); return Flow::Next;
    case StmtOpcode::SetFloat: scalars_[code.slot].number = number(code.a); return Flow::Next;
    case StmtOpcode::SetComplex: {
      std::complex<double> assigned = value(code.a).as_complex();
      scalars_[code.slot].number = assigned.real();
      scalars_[code.slot].imaginary = assigned.imag();
      return Flow::Next;
    }
    case StmtOpcode::NewTable: new_table(code); return Flow::Next;
    case StmtOpcode::StoreInt32: store(code, static_cast<std::int32_t>(integer(code.b))); return Flow::Next;
    case StmtOpcode::StoreInt64: store(code, integer(code.b)); return Flow::Next;
    case StmtOpcode::StoreFloat64: store(code, number(code.b)); return Flow::Next;
    case StmtOpcode::Store: {
      Scalar stored = value(code.b);
      stored.store(target(code, integer(code.a), size_in_bytes(stored.type())));
      return Flow::Next;
    }
    case StmtOpcode::For: {
      std::int64_t begin = integer(code.a), end = integer(code.b);
      for (std::int64_t i = begin; i < end; i++) {
        take_step();
        points_ += code.innermost;
        scalars_[code.slot].integer = i;
        Flow flow = list(code.body);
        if (flow == Flow::Break) break;
        if (flow == Flow::Return) return flow;
      }
      return Flow::Next;
    }
    case StmtOpcode::ParallelFor: return parallel_for(code);
    case StmtOpcode::While:
      while (integer(code.a)) {
        take_step();
        points_ += code.innermost;
        Flow flow = list(code.body);
        if (flow == Flow::Break) break;
        if (flow == Flow::Return) return flow;
        current_ = &code;
      }
      return Flow::Next;
    case StmtOpcode::If: return list(integer(code.a) ? code.body : code.otherwise);
    case StmtOpcode::Alloc:
    case StmtOpcode::Grow: allocate(code); return Flow::Next;
    case StmtOpcode::Free:
      if (!arrays_[code.slot].allocated)
        fail(fmt::format("free of '{}', which is not allocated", array_name(code.slot)));
      allocator_.release(arrays_[code.slot]);
      return Flow::Next;
    case StmtOpcode::FreeTable: {
      TableState& state = tables_[code.slot];
      if (!state.table) fail(fmt::format("free of table '{}', which is not there", program_.tables[code.slot].name()));
      host_functions.table_free(state.table);
      state.table = nullptr;
      return Flow::Next;
    }
    case StmtOpcode::NewParts: new_parts(code); return Flow::Next;
    case StmtOpcode::FreeParts:
      if (!parts_[code.slot].allocated)
        fail(fmt::format("free of parts '{}', which are not there", program_.parts[code.slot].name()));
      free_parts(parts_[code.slot]);
      return Flow::Next;
    case StmtOpcode::Keep: keep(code); return Flow::Next;
    case StmtOpcode::Take: take(code); return Flow::Next;
    case StmtOpcode::Copy: copy(code); return Flow::Next;
    case StmtOpcode::Launch:
      Grid(*this, program_.launches[static_cast<std::size_t>(code.slot)]).run();
      return Flow::Next;
    case StmtOpcode::BlockBarrier:
    case StmtOpcode::WarpBarrier:
    case StmtOpcode::LaneReduce: break;  // a grid's threads do not run these here
    case StmtOpcode::Sort: sort(code); return Flow::Next;
    case StmtOpcode::SortSegment: sort_segment(code); return Flow::Next;
    case StmtOpcode::Evaluate: call(expressions_[code.a]); return Flow::Next;
    case StmtOpcode::Break: return Flow::Break;
    case StmtOpcode::Continue: return Flow::Continue;
    case StmtOpcode::Return: status_ = code.status; return Flow::Return;
  }
  throw InternalError("interpreter", "unknown statement");
}

// --- Entry and exit --------------------------------------------------------------------------------

void Machine::bind(std::span<TensorView> tensors) {
  const std::vector<Parameter>& parameters = program_.function.parameters;
  for (std::size_t n = 0; n < parameters.size(); n++) {
    const Parameter& parameter = parameters[n];
    const Binding& binding = parameter.binding;
    auto given = [&](std::size_t count) {
      return binding.index >= 0 && static_cast<std::size_t>(binding.index) < count;
    };
    if (static_cast<std::size_t>(binding.tensor) >= tensors.size())
      fail(fmt::format("no tensor for '{}'", parameter.var.name()));
    TensorView& tensor = tensors[binding.tensor];
    std::int32_t slot = program_.parameter_slots[n];
    if (binding.part == Binding::Part::Threads) {
      scalars_[slot].integer = std::max<std::int64_t>(1, threads_);
      continue;
    }
    if (binding.part == Binding::Part::Dimension) {
      if (!given(tensor.dimensions.size())) fail(fmt::format("no dimension for '{}'", parameter.var.name()));
      scalars_[slot].integer = tensor.dimensions[binding.index];
      continue;
    }
    if (parameter.direction == Direction::Out) continue;
    if (binding.part == Binding::Part::Count && given(tensor.arrays.size())) {
      scalars_[slot].integer = tensor.arrays[binding.index].count;
      continue;
    }
    if (!given(tensor.arrays.size())) fail(fmt::format("no array for '{}'", parameter.var.name()));
    const ArrayView& array = tensor.arrays[binding.index];
    if (array.type != parameter.var.type().element) {
      fail(fmt::format("array '{}' is {}, the kernel was made for {}", parameter.var.name(), to_string(array.type),
                       to_string(parameter.var.type().element)));
    }
    arrays_[slot].data = static_cast<unsigned char*>(array.data);
    arrays_[slot].count = array.count;
  }
}

void Machine::check_leaks() {
  std::vector<bool> handed_over(arrays_.size(), false);
  for (std::size_t n = 0; n < program_.parameter_slots.size(); n++) {
    const Parameter& parameter = program_.function.parameters[n];
    if (parameter.direction != Direction::Out) continue;
    std::int32_t slot = program_.parameter_slots[n];
    handed_over[slot] = true;
    const ArrayState& array = arrays_[slot];
    std::int64_t count = scalars_[program_.count_slots[n]].integer;
    if (count < 0 || count > array.count) {
      fail(fmt::format("result '{}' has {}, but room for {}", parameter.var.name(), counted(count, "element"),
                       array.count));
    }
    for (std::int64_t i = 0; array.written && i < count; i++) {
      if (!array.written[i]) fail(fmt::format("result '{}' was never written at {}", parameter.var.name(), i));
    }
  }
  for (std::size_t slot = 0; slot < arrays_.size(); slot++) {
    if (arrays_[slot].allocated && !handed_over[slot]) fail(fmt::format("leak: '{}' is never freed", array_name(slot)));
  }
  for (std::size_t slot = 0; slot < tables_.size(); slot++) {
    if (tables_[slot].table) fail(fmt::format("leak: table '{}' is never freed", program_.tables[slot].name()));
  }
  for (std::size_t slot = 0; slot < parts_.size(); slot++) {
    if (parts_[slot].allocated) fail(fmt::format("leak: parts '{}' are never freed", program_.parts[slot].name()));
  }
}

void Machine::hand_over(std::span<TensorView> tensors) {
  for (std::size_t n = 0; n < program_.parameter_slots.size(); n++) {
    const Parameter& parameter = program_.function.parameters[n];
    if (parameter.direction != Direction::Out) continue;
    ArrayState& array = arrays_[program_.parameter_slots[n]];
    std::vector<ArrayView>& results = tensors[parameter.binding.tensor].arrays;
    if (results.size() <= static_cast<std::size_t>(parameter.binding.index))
      results.resize(parameter.binding.index + 1);
    results[parameter.binding.index] = {array.type, array.data, scalars_[program_.count_slots[n]].integer};
    array.data = nullptr;  // the caller's now
    allocator_.release(array);
  }
}

Status Machine::run(std::span<TensorView> tensors) {
  bind(tensors);
  try {
    list(program_.body);
  } catch (OutOfMemorySignal) {
    return Status::OutOfMemory;
  }
  if (status_ != Status::Ok) return status_;
  current_ = nullptr;
  check_leaks();
  hand_over(tensors);
  return Status::Ok;
}

Interpreter::Interpreter(const FunctionDef& function)
    : program_(std::make_unique<const InterpreterProgram>(compile_for_interpreter(function))) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

Status Interpreter::run(std::span<TensorView> tensors, const InterpretOptions& options) const {
  return Machine(*program_, options).run(tensors);
}

Status interpret(const FunctionDef& function, std::span<TensorView> tensors, const InterpretOptions& options) {
  return Interpreter(function).run(tensors, options);
}

}  // namespace filigree::ir
