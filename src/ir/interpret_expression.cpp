// The interpreter's expressions: one switch per class of values.
#include <algorithm>

#include <fmt/format.h>

#include "ir/interpreter_machine.h"
#include "ir/runtime/hash.h"
#include "ir/runtime/sort.h"
#include "ir/runtime/table.h"
#include "ir/runtime/table_functions.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::ir {
namespace {

std::int64_t wrapped(ElementType type, std::int64_t value) {
  switch (type) {
    case ElementType::Bool: return value != 0;
    case ElementType::Int8: return static_cast<std::int8_t>(value);
    case ElementType::Int16: return static_cast<std::int16_t>(value);
    case ElementType::Int32: return static_cast<std::int32_t>(value);
    case ElementType::UInt8: return static_cast<std::uint8_t>(value);
    case ElementType::UInt16: return static_cast<std::uint16_t>(value);
    case ElementType::UInt32: return static_cast<std::uint32_t>(value);
    case ElementType::Int64:
    case ElementType::UInt64:
    case ElementType::Float32:
    case ElementType::Float64:
    case ElementType::Complex64:
    case ElementType::Complex128: return value;
  }
  return value;
}

std::int64_t add_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t subtract_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t multiply_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

void Machine::cannot_divide(std::int64_t a, std::int64_t b) const {
  fail(b == 0 ? "division by zero" : fmt::format("division of {} by {}: a negative operand", a, b));
}

std::int64_t Machine::integer(std::int32_t id) {
  const ExprCode& code = expressions_[id];
  switch (code.opcode) {
    case Opcode::IntLiteral: return code.integer;
    case Opcode::IntVar: return scalars_[code.slot].integer;
    case Opcode::AddInt: return add_wrapping(integer(code.a), integer(code.b));
    case Opcode::SubtractInt: return subtract_wrapping(integer(code.a), integer(code.b));
    case Opcode::MultiplyInt: return multiply_wrapping(integer(code.a), integer(code.b));
    case Opcode::NegateInt: return subtract_wrapping(0, integer(code.a));
    case Opcode::MinInt: return std::min(integer(code.a), integer(code.b));
    case Opcode::MaxInt: return std::max(integer(code.a), integer(code.b));
    case Opcode::QuotientInt:
    case Opcode::RemainderInt: {
      std::int64_t a = integer(code.a), b = integer(code.b);
      if (a < 0 || b <= 0) cannot_divide(a, b);
      return code.opcode == Opcode::QuotientInt ? a / b : a % b;
    }
    case Opcode::WrapInt: return wrapped(code.type, integer(code.a));
    case Opcode::EqualInt: return integer(code.a) == integer(code.b);
    case Opcode::NotEqualInt: return integer(code.a) != integer(code.b);
    case Opcode::LessInt: return integer(code.a) < integer(code.b);
    case Opcode::LessEqualInt: return integer(code.a) <= integer(code.b);
    case Opcode::GreaterInt: return integer(code.a) > integer(code.b);
    case Opcode::GreaterEqualInt: return integer(code.a) >= integer(code.b);
    case Opcode::And: return integer(code.a) && integer(code.b);
    case Opcode::Or: return integer(code.a) || integer(code.b);
    case Opcode::Not: return !integer(code.a);
    case Opcode::EqualFloat: return number(code.a) == number(code.b);
    case Opcode::NotEqualFloat: return number(code.a) != number(code.b);
    case Opcode::LessFloat: return number(code.a) < number(code.b);
    case Opcode::LessEqualFloat: return number(code.a) <= number(code.b);
    case Opcode::GreaterFloat: return number(code.a) > number(code.b);
    case Opcode::GreaterEqualFloat: return number(code.a) >= number(code.b);
    case Opcode::LoadInt32: return load<std::int32_t>(code);
    case Opcode::LoadInt64: return load<std::int64_t>(code);
    case Opcode::LoadInt: return value(id).as_int();
    case Opcode::CallFunction: return call(code);
    case Opcode::GenericApply:
    case Opcode::GenericCast: return generic(code).as_int();
    default: break;  // the opcodes of the other classes
  }
  throw InternalError("interpreter", "expression that is no integer");
}

double Machine::number(std::int32_t id) {
  const ExprCode& code = expressions_[id];
  switch (code.opcode) {
    case Opcode::FloatLiteral: return code.number;
    case Opcode::FloatVar: return scalars_[code.slot].number;
    case Opcode::AddFloat: return number(code.a) + number(code.b);
    case Opcode::SubtractFloat: return number(code.a) - number(code.b);
    case Opcode::MultiplyFloat: return number(code.a) * number(code.b);
    case Opcode::DivideFloat: return number(code.a) / number(code.b);
    case Opcode::NegateFloat: return -number(code.a);
    case Opcode::MinFloat: {  // NaN wins
      double a = number(code.a), b = number(code.b);
      return b < a || b != b ? b : a;
    }
    case Opcode::MaxFloat: {
      double a = number(code.a), b = number(code.b);
      return b >= a || b != b ? b : a;
    }
    case Opcode::RoundFloat: return static_cast<float>(number(code.a));
    case Opcode::IntToFloat: {
      std::int64_t whole = integer(code.a);
      return code.type == ElementType::UInt64 ? static_cast<double>(static_cast<std::uint64_t>(whole))
                                              : static_cast<double>(whole);
    }
    case Opcode::LoadFloat64: return load<double>(code);
    case Opcode::LoadFloat: return load<float>(code);
    case Opcode::GenericApply:
    case Opcode::GenericCast: return generic(code).as_double();
    default: break;  // the opcodes of the other classes
  }
  throw InternalError("interpreter", "expression that is no float");
}

Scalar Machine::value(std::int32_t id) {
  const ExprCode& code = expressions_[id];
  switch (code.opcode) {
    case Opcode::ComplexLiteral: return program_.complex_literals[code.slot];
    case Opcode::ComplexVar: {
      const Slot& slot = scalars_[code.slot];
      return Scalar::of(code.type, std::complex<double>(slot.number, slot.imaginary));
    }
    case Opcode::LoadInt:
    case Opcode::LoadComplex: return Scalar::load(code.type, loaded(code, size_in_bytes(code.type)));
    case Opcode::GenericApply:
    case Opcode::GenericCast: return generic(code);
    case Opcode::IntToFloat: return Scalar::of(ElementType::Float64, number(id));
    default: break;  // the typed opcodes, by the class of their result
  }
  if (value_class(code.type) == ValueClass::Float) return Scalar::of(code.type, number(id));
  return Scalar::of(code.type, integer(id));
}

Scalar Machine::generic(const ExprCode& code) {
  if (code.opcode == Opcode::GenericCast) return value(code.a).cast(code.type);
  Scalar a = value(code.a);
  if (code.b < 0) return evaluate(code.op, {a});
  Scalar b = value(code.b);
  bool divides = code.op == Operator::Quotient || code.op == Operator::Modulus;
  if (divides && !may_divide(a, b)) cannot_divide(a.as_int(), b.as_int());
  return code.c < 0 ? evaluate(code.op, {a, b}) : evaluate(code.op, {a, b, value(code.c)});
}

filigree_table* Machine::cursor_checked(TableState& state, const ExprCode& code, std::int64_t cursor) {
  if (state.parents < 0) fail(function_name(code.function) + " of a table that is not finished");
  if (cursor < 0 || cursor >= table_size(state.table)) {
    fail(fmt::format("{} out of bounds: cursor {} of {}", function_name(code.function), cursor,
                     table_size(state.table)));
  }
  return state.table;
}

/// FILIGREE_HASH_FIND, with what it takes for granted checked where it looks.
std::int64_t Machine::hash_find(const ExprCode& code) {
  const ArrayState& array = arrays_[code.slot];
  std::int64_t begin = integer(code.a), end = integer(code.b), coordinate = integer(code.c), width = end - begin;
  if (begin < 0 || end < begin || end > array.count) {
    fail(fmt::format("hash_find out of bounds: '{}' from {} up to {}, it has {}", array_name(code.slot), begin, end,
                     counted(array.count, "element")));
  }
  if (width & (width - 1))
    fail(fmt::format("hash_find in {} slots of '{}': not a power of two", width, array_name(code.slot)));
  if (coordinate < 0) fail(fmt::format("hash_find of coordinate {} in '{}'", coordinate, array_name(code.slot)));
  for (std::int64_t searched = 0; searched < width; searched++) {
    std::int64_t position = begin + ((hash_slot(coordinate, width) + searched) & (width - 1));
    touch(code.slot, position, Access::Load);
    std::int64_t held = Scalar::load(array.type, element(code.slot, position, size_in_bytes(array.type))).as_int();
    if (held == coordinate) return position;
    if (held < 0) return -1 - position;
  }
  if (width > 0)
    fail(fmt::format("hash_find in '{}' from {} up to {}, where no slot is free", array_name(code.slot), begin, end));
  return -1;
}

/// Looks at every element, so that none out of bounds, unwritten or out of order stays unseen.
std::int64_t Machine::search(const ExprCode& code) {
  const std::string& name = program_.arrays[code.slot].name();
  std::int64_t begin = integer(code.a), end = integer(code.b), x = integer(code.c), first = end, before = 0;
  std::int64_t count = arrays_[code.slot].count;
  if (begin > end || (begin < end && (begin < 0 || end > count))) {
    fail(fmt::format("{} out of bounds: '{}' from {} to {}, it has {}", function_name(code.function), name, begin, end,
                     counted(count, "element")));
  }
  bool down = code.function == Function::SearchDown;
  for (std::int64_t at = begin; at < end; at++) {
    ElementType type = arrays_[code.slot].type;
    touch(code.slot, at, Access::Load);
    std::int64_t here = Scalar::load(type, element(code.slot, at, size_in_bytes(type))).as_int();
    if (at > begin && (down ? here > before : here < before)) {
      fail(fmt::format("{} of '{}', which is not sorted: {} comes after {}", function_name(code.function), name, here,
                       before));
    }
    before = here;
    if (code.function == Function::SearchPath) here += at;
    if (first == end && (down ? here <= x : here >= x)) first = at;
  }
  return first;
}

/// Always yes, so that what depends on it is run and checked whatever the size.
std::int64_t Machine::scattered(const ExprCode& code) {
  std::int64_t begin = integer(code.a), end = integer(code.b), count = arrays_[code.slot].count;
  if (begin < end && (begin < 0 || end > count)) {
    fail(fmt::format("scattered out of bounds: '{}' from {} to {}, it has {}", program_.arrays[code.slot].name(), begin,
                     end, counted(count, "element")));
  }
  return 1;
}

std::int64_t Machine::call(const ExprCode& code) {
  if (code.function == Function::HashFind) return hash_find(code);
  if (code.function == Function::Scattered) return scattered(code);
  if (code.function == Function::Fetch) return integer(code.a);
  return is_on_array(code.function) ? search(code) : table_call(code);
}

std::int64_t Machine::table_call(const ExprCode& code) {
  TableState& state = tables_[code.slot];
  std::int64_t a = code.a < 0 ? 0 : integer(code.a), b = code.b < 0 ? 0 : integer(code.b);
  filigree_table* table = state.table;
  if (!table) {
    fail(fmt::format("{} of table '{}', which is not there", function_name(code.function),
                     program_.tables[code.slot].name()));
  }
  auto changed = [&](std::int64_t result) {
    if (result < 0) throw OutOfMemorySignal{};
    state.parents = -1;
    return result;
  };
  switch (code.function) {
    case Function::TableInsert: return changed(table_insert(table, a, b));
    case Function::TableAppend: return changed(table_append(table, a, b));
    case Function::TableFind: return table_find(table, a, b);
    case Function::TableSize: return table_size(table);
    case Function::TableFinish: {
      for (std::int64_t n = 0; n < table->size; n++) {
        std::int64_t parent = table->pairs[n].parent;
        if (parent < 0 || parent >= a)
          fail(fmt::format("table_finish with {} parents of a table that has parent {}", a, parent));
      }
      changed(table_finish(table, a));
      for (std::int64_t p = 0; p < a; p++) {
        for (std::int64_t at = table_begin(table, p) + 1; at < table_begin(table, p + 1); at++) {
          if (table_coordinate(table, at - 1) == table_coordinate(table, at)) {
            fail(fmt::format("pair ({}, {}) was appended twice", p, table_coordinate(table, at)));
          }
        }
      }
      state.parents = a;
      return 0;
    }
    case Function::TableBegin:
      if (state.parents < 0) fail("table_begin of a table that is not finished");
      if (a < 0 || a > state.parents) fail(fmt::format("table_begin out of bounds: parent {} of {}", a, state.parents));
      return table_begin(table, a);
    case Function::TableCoordinate: return table_coordinate(cursor_checked(state, code, a), a);
    case Function::TablePosition: return table_position(cursor_checked(state, code, a), a);
    case Function::TableClear: table_clear(table); return changed(0);
    case Function::Sort:
    case Function::Search:
    case Function::SearchDown:
    case Function::SearchPath:
    case Function::Gallop:
    case Function::Scattered:
    case Function::Fetch:
    case Function::SortSegment:
    case Function::HashFind: break;
  }
  throw InternalError("interpreter", "no table function", function_name(code.function));
}

}  // namespace filigree::ir
