// The form the interpreter runs: variables are slots, operators are typed, lists are flat.  Internal.
//
// Values come in three classes.  Integers and bools are held as int64, wrapped to their type; floats as
// doubles, rounded to their type; complex numbers as Scalars.  Operators whose operands and result
// are in the first two classes have their own opcode; the rest (complex, uint64, arithmetic on bools, functions)
// goes through algebra's `evaluate`, which defines all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"
#include "ir/race_check.h"

namespace filigree::ir {

enum class Opcode : std::uint8_t {
  // integer results
  IntLiteral,
  IntVar,
  AddInt,
  SubtractInt,
  MultiplyInt,
  NegateInt,
  MinInt,
  MaxInt,
  QuotientInt,
  RemainderInt,
  WrapInt,
  EqualInt,
  NotEqualInt,
  LessInt,
  LessEqualInt,
  GreaterInt,
  GreaterEqualInt,
  And,
  Or,
  Not,
  EqualFloat,
  NotEqualFloat,
  LessFloat,
  LessEqualFloat,
  GreaterFloat,
  GreaterEqualFloat,
  LoadInt32,
  LoadInt64,
  LoadInt,
  CallFunction,
  // floating-point results
  FloatLiteral,
  FloatVar,
  AddFloat,
  SubtractFloat,
  MultiplyFloat,
  DivideFloat,
  NegateFloat,
  MinFloat,
  MaxFloat,
  RoundFloat,
  IntToFloat,
  LoadFloat64,
  LoadFloat,
  // complex results
  ComplexLiteral,
  ComplexVar,
  LoadComplex,
  // any result
  GenericApply,
  GenericCast,
};

/// An expression.  `a`, `b`, `c` are operands (indices of nodes), `slot` a variable.
struct ExprCode {
  Opcode opcode;
  ElementType type;
  bool of_atomic = false;                   // of loads: it is a part of an atomic store
  Operator op = Operator::Add;              // of GenericApply
  Function function = Function::TableSize;  // of CallFunction
  std::int32_t slot = -1, a = -1, b = -1, c = -1;
  std::int64_t integer = 0;  // of literals
  double number = 0;
};

enum class StmtOpcode : std::uint8_t {
  SetInt,
  SetFloat,
  SetComplex,
  NewTable,
  StoreInt32,
  StoreInt64,
  StoreFloat64,
  Store,
  For,
  ParallelFor,
  While,
  If,
  Alloc,
  Grow,
  Free,
  FreeTable,
  NewParts,
  FreeParts,
  Keep,
  Take,
  Copy,
  Launch,
  BlockBarrier,
  WarpBarrier,
  LaneReduce,
  Sort,
  SortSegment,
  Evaluate,
  Break,
  Continue,
  Return,
};

/// Statements `first` to `first + count` of StmtList's numbering.
struct StmtList {
  std::int32_t first = 0, count = 0;
};

struct StmtCode {
  StmtOpcode opcode;
  bool zeroed = false;
  bool innermost = false;         // of loops: there is none inside
  Access access = Access::Store;  // of stores
  bool waits = false;             // for other threads, or holds a statement that does
  Operator op = Operator::Add;    // of LaneReduce
  Status status = Status::Ok;
  std::int32_t slot = -1, a = -1, b = -1;  // of Launch, slot is the number of its LaunchCode
  std::int32_t second_slot =
      -1;  // of SortSegment: the values; of Keep and Take: the parts; of Copy: where it is from;
           // of LaneReduce: the mark of first lanes; of ParallelFor: the number of its watched arrays
  StmtList body = {}, otherwise = {};
  const Stmt* origin = nullptr;
};

/// A loop of a grid: its variable and its end.
struct GridAxis {
  std::int32_t slot = -1, end = -1;
};
struct SharedArray {
  std::int32_t slot;
  std::int64_t count;
};

/// A grid and what each of its threads runs.
struct LaunchCode {
  GridAxis block, warp, thread;  // warp.slot is -1 where there is no warp loop
  std::vector<SharedArray> shared;
  std::vector<std::int32_t> watched;  // the arrays that are written
  StmtList body;
};

struct InterpreterProgram {
  FunctionDef function;  // keeps the statements alive that `origin` points to
  std::vector<ExprCode> expressions;
  std::vector<Scalar> complex_literals;
  std::vector<StmtCode> statements;  // each list is contiguous
  std::vector<LaunchCode> launches;
  std::vector<std::vector<std::int32_t>>
      watched;  // of parallel loops: the arrays that are written and not an iteration's own
  StmtList body;
  std::vector<Var> scalars, arrays, tables, parts;         // by slot
  std::vector<std::int32_t> parameter_slots, count_slots;  // by parameter; -1: no count
};

enum class ValueClass { Int, Float, Complex };
ValueClass value_class(ElementType type);

InterpreterProgram compile_for_interpreter(const FunctionDef& function);

}  // namespace filigree::ir
