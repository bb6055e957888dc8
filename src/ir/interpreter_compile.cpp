#include <algorithm>
#include <unordered_map>

#include "ir/interpreter_program.h"
#include "ir/rewrite.h"
#include "support/check.h"

namespace filigree::ir {

ValueClass value_class(ElementType type) {
  if (is_complex(type)) return ValueClass::Complex;
  return is_floating(type) ? ValueClass::Float : ValueClass::Int;
}

namespace {

bool has_loop(const Stmt& stmt) {
  bool found = stmt.as<For>() || stmt.as<While>();
  for_each_child(stmt, [&](const Stmt& child) { found = found || has_loop(child); }, [](const Expr&) {});
  return found;
}

class Compiler {
 public:
  explicit Compiler(const FunctionDef& function) { program_.function = function; }
  InterpreterProgram run();

 private:
  std::int32_t add(ExprCode code) {
    program_.expressions.push_back(code);
    return static_cast<std::int32_t>(program_.expressions.size()) - 1;
  }
  std::vector<Var>& slots_of(Type::Kind kind);
  std::int32_t slot(const Var& var);
  std::int32_t expression(const Expr& expr);
  std::int32_t typed(const Expr& expr);
  std::int32_t literal(const Scalar& value);
  std::int32_t load(const Expr& expr, const Load& node);
  std::int32_t apply(const Apply& node, ElementType result);
  std::int32_t cast(ElementType type, const Expr& value);
  std::int32_t call(const Call& node);
  std::int32_t as_float(const Expr& expr);
  StmtList list(const Stmt& stmt);
  void flatten(const Stmt& stmt, std::vector<StmtCode>& out);
  StmtCode set(const Var& var, const Expr& value);
  StmtCode store(const Store& node);
  StmtCode lane_reduction(const LaneReduce& node);
  StmtCode loop(const For& node);
  StmtCode launch(const For& node);
  void grid(const For& loop, LaunchCode& launch, std::vector<StmtCode>& body);
  void grid_part(const Stmt& part, LaunchCode& launch, std::vector<StmtCode>& body);
  bool any_waits(StmtList list) const;
  std::vector<std::int32_t> written_arrays(const Stmt& body, const std::vector<Var>& except) const;
  StmtList list(const std::vector<StmtCode>& codes);
  StmtCode evaluate(const Call& node);

  InterpreterProgram program_;
  const Expr* atomic_load_ = nullptr;  // the element that the atomic store at hand updates
  std::unordered_map<std::uint64_t, std::int32_t> slots_;
};

InterpreterProgram Compiler::run() {
  for (const Parameter& parameter : program_.function.parameters) {
    program_.parameter_slots.push_back(slot(parameter.var));
    program_.count_slots.push_back(parameter.count ? slot(*parameter.count) : -1);
  }
  program_.body = list(program_.function.body);
  return std::move(program_);
}

std::vector<Var>& Compiler::slots_of(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::Scalar: return program_.scalars;
    case Type::Kind::Array: return program_.arrays;
    case Type::Kind::Table: return program_.tables;
    case Type::Kind::Parts: return program_.parts;
  }
  throw InternalError("interpreter", "unknown kind of variable");
}

std::int32_t Compiler::slot(const Var& var) {
  auto [found, is_new] = slots_.try_emplace(var.id().value, 0);
  if (is_new) {
    std::vector<Var>& list = slots_of(var.type().kind);
    found->second = static_cast<std::int32_t>(list.size());
    list.push_back(var);
  }
  return found->second;
}

std::int32_t Compiler::expression(const Expr& expr) {
  return match(
      expr, [&](const Literal& n) { return literal(n.value); },
      [&](const VarRef& n) {
        ValueClass kind = value_class(expr.type());
        Opcode opcode = kind == ValueClass::Int     ? Opcode::IntVar
                        : kind == ValueClass::Float ? Opcode::FloatVar
                                                    : Opcode::ComplexVar;
        return add({.opcode = opcode, .type = expr.type(), .slot = slot(n.var)});
      },
      [&](const Apply& n) { return apply(n, expr.type()); }, [&](const Load& n) { return load(expr, n); },
      [&](const Cast& n) { return cast(n.type, n.value); }, [&](const Call& n) { return call(n); });
}

/// For those who read values as Scalars: conversions that are superfluous on int64 and double count for them.
std::int32_t Compiler::typed(const Expr& expr) {
  std::int32_t value = expression(expr);
  if (program_.expressions[value].type == expr.type()) return value;
  bool is_int = value_class(expr.type()) == ValueClass::Int;
  return add({.opcode = is_int ? Opcode::WrapInt : Opcode::GenericCast, .type = expr.type(), .a = value});
}

std::int32_t Compiler::literal(const Scalar& value) {
  ExprCode code{.opcode = Opcode::IntLiteral, .type = value.type()};
  switch (value_class(value.type())) {
    case ValueClass::Int: code.integer = value.as_int(); break;
    case ValueClass::Float:
      code.opcode = Opcode::FloatLiteral;
      code.number = value.as_double();
      break;
    case ValueClass::Complex:
      code.opcode = Opcode::ComplexLiteral;
      code.slot = static_cast<std::int32_t>(program_.complex_literals.size());
      program_.complex_literals.push_back(value);
      break;
  }
  return add(code);
}

std::int32_t Compiler::load(const Expr& expr, const Load& node) {
  ElementType type = expr.type();
  Opcode opcode = Opcode::LoadInt;
  if (type == ElementType::Int32) opcode = Opcode::LoadInt32;
  if (type == ElementType::Int64) opcode = Opcode::LoadInt64;
  if (type == ElementType::Float64) opcode = Opcode::LoadFloat64;
  if (type == ElementType::Float32) opcode = Opcode::LoadFloat;
  if (is_complex(type)) opcode = Opcode::LoadComplex;
  std::int32_t index = expression(node.index);
  return add(
      {.opcode = opcode, .type = type, .of_atomic = &expr == atomic_load_, .slot = slot(node.array), .a = index});
}

std::int32_t Compiler::as_float(const Expr& expr) {
  std::int32_t value = expression(expr);
  if (value_class(expr.type()) == ValueClass::Float) return value;
  return add({.opcode = Opcode::IntToFloat, .type = expr.type(), .a = value});
}

std::int32_t Compiler::cast(ElementType type, const Expr& value) {
  ElementType from = value.type();
  if (from == type) return expression(value);
  ValueClass source = value_class(from), target = value_class(type);
  if (source == ValueClass::Int && target == ValueClass::Int) {
    std::int32_t operand = expression(value);
    // Index values are widened all the time: int64 already holds them.
    bool widens = type != ElementType::Bool && promote(from, type) == type && type != ElementType::UInt64;
    return widens || type == ElementType::Int64 ? operand
                                                : add({.opcode = Opcode::WrapInt, .type = type, .a = operand});
  }
  if (source != ValueClass::Complex && target == ValueClass::Float) {
    std::int32_t operand = as_float(value);
    return type == ElementType::Float64 ? operand : add({.opcode = Opcode::RoundFloat, .type = type, .a = operand});
  }
  return add({.opcode = Opcode::GenericCast, .type = type, .a = typed(value)});
}

/// The opcode of an operator computed on int64 or on doubles, if it has one: the others go through `evaluate`.
std::optional<Opcode> typed_opcode(Operator op, bool floating) {
  switch (op) {
    case Operator::Add: return floating ? Opcode::AddFloat : Opcode::AddInt;
    case Operator::Subtract: return floating ? Opcode::SubtractFloat : Opcode::SubtractInt;
    case Operator::Multiply: return floating ? Opcode::MultiplyFloat : Opcode::MultiplyInt;
    case Operator::Divide: return Opcode::DivideFloat;
    case Operator::Negate: return floating ? Opcode::NegateFloat : Opcode::NegateInt;
    case Operator::Min: return floating ? Opcode::MinFloat : Opcode::MinInt;
    case Operator::Max: return floating ? Opcode::MaxFloat : Opcode::MaxInt;
    case Operator::Quotient: return Opcode::QuotientInt;
    case Operator::Modulus: return Opcode::RemainderInt;
    case Operator::Equal: return floating ? Opcode::EqualFloat : Opcode::EqualInt;
    case Operator::NotEqual: return floating ? Opcode::NotEqualFloat : Opcode::NotEqualInt;
    case Operator::Less: return floating ? Opcode::LessFloat : Opcode::LessInt;
    case Operator::LessEqual: return floating ? Opcode::LessEqualFloat : Opcode::LessEqualInt;
    case Operator::Greater: return floating ? Opcode::GreaterFloat : Opcode::GreaterInt;
    case Operator::GreaterEqual: return floating ? Opcode::GreaterEqualFloat : Opcode::GreaterEqualInt;
    case Operator::And: return Opcode::And;
    case Operator::Or: return Opcode::Or;
    case Operator::Not: return Opcode::Not;
    default: return std::nullopt;
  }
}

std::int32_t Compiler::apply(const Apply& node, ElementType result) {
  const std::vector<Expr>& operands = node.operands;
  std::vector<ElementType> types;
  for (const Expr& operand : operands) types.push_back(operand.type());
  ElementType type = operand_type(node.op, 0, types);  // what the operation is computed in
  Typing typing = facts(node.op).typing;
  bool on_bools = type == ElementType::Bool && typing != Typing::Logic && typing != Typing::Comparison;
  bool floating = is_floating(type);
  std::optional<Opcode> opcode = typed_opcode(node.op, floating);
  ExprCode code{.opcode = Opcode::GenericApply, .type = result, .op = node.op};
  if (!opcode || is_complex(type) || type == ElementType::UInt64 || on_bools) {
    code.a = typed(operands[0]);
    if (operands.size() > 1) code.b = typed(operands[1]);
    if (operands.size() > 2) code.c = typed(operands[2]);
    return add(code);
  }
  code.opcode = *opcode;
  code.a = floating ? as_float(operands[0]) : expression(operands[0]);
  if (operands.size() > 1) code.b = floating ? as_float(operands[1]) : expression(operands[1]);
  std::int32_t value = add(code);
  if (result == ElementType::Float32) return add({.opcode = Opcode::RoundFloat, .type = result, .a = value});
  bool narrow = is_integer(result) && result != ElementType::Int64;
  return narrow ? add({.opcode = Opcode::WrapInt, .type = result, .a = value}) : value;
}

std::int32_t Compiler::call(const Call& node) {
  ExprCode code{.opcode = Opcode::CallFunction, .type = ElementType::Int64, .function = node.function};
  code.slot = slot(node.arguments[0].as<VarRef>()->var);
  if (node.arguments.size() > 1) code.a = expression(node.arguments[1]);
  if (node.arguments.size() > 2) code.b = expression(node.arguments[2]);
  if (node.arguments.size() > 3) code.c = expression(node.arguments[3]);
  return add(code);
}

StmtCode Compiler::set(const Var& var, const Expr& value) {
  ValueClass kind = value_class(value.type());
  StmtOpcode opcode = kind == ValueClass::Int     ? StmtOpcode::SetInt
                      : kind == ValueClass::Float ? StmtOpcode::SetFloat
                                                  : StmtOpcode::SetComplex;
  return {.opcode = opcode, .slot = slot(var), .a = expression(value)};
}

StmtCode Compiler::store(const Store& node) {
  ElementType type = node.array.type().element;
  StmtOpcode opcode = StmtOpcode::Store;
  if (type == ElementType::Int32) opcode = StmtOpcode::StoreInt32;
  if (type == ElementType::Int64) opcode = StmtOpcode::StoreInt64;
  if (type == ElementType::Float64) opcode = StmtOpcode::StoreFloat64;
  if (node.atomic) atomic_load_ = &node.value.as<Apply>()->operands[0];
  std::int32_t value = typed(node.value);
  atomic_load_ = nullptr;
  Access access = node.atomic ? Access::AtomicStore : is_true(node.value) ? Access::SetFlag : Access::Store;
  return {.opcode = opcode, .access = access, .slot = slot(node.array), .a = expression(node.index), .b = value};
}

StmtCode Compiler::lane_reduction(const LaneReduce& node) {
  StmtCode code{.opcode = StmtOpcode::LaneReduce,
                .waits = true,
                .op = node.op,
                .slot = slot(node.result),
                .a = typed(node.value)};
  if (!node.segments) return code;
  code.b = expression(node.segments->key);
  code.second_slot = slot(node.segments->first);
  return code;
}

StmtCode Compiler::evaluate(const Call& node) {
  bool segment = node.function == Function::SortSegment;
  if (node.function != Function::Sort && !segment) return {.opcode = StmtOpcode::Evaluate, .a = call(node)};
  auto array = [&](int n) { return slot(node.arguments[n].as<VarRef>()->var); };
  if (!segment) return {.opcode = StmtOpcode::Sort, .slot = array(0), .a = expression(node.arguments[1])};
  return {.opcode = StmtOpcode::SortSegment,
          .slot = array(0),
          .a = expression(node.arguments[2]),
          .b = expression(node.arguments[3]),
          .second_slot = array(1)};
}

StmtList Compiler::list(const Stmt& stmt) {
  std::vector<StmtCode> codes;
  flatten(stmt, codes);
  return list(codes);
}

StmtList Compiler::list(const std::vector<StmtCode>& codes) {
  StmtList result{static_cast<std::int32_t>(program_.statements.size()), static_cast<std::int32_t>(codes.size())};
  program_.statements.insert(program_.statements.end(), codes.begin(), codes.end());
  return result;
}

bool Compiler::any_waits(StmtList list) const {
  auto begin = program_.statements.begin() + list.first;
  return std::any_of(begin, begin + list.count, [](const StmtCode& code) { return code.waits; });
}

/// Requires: the body is compiled, so that its arrays have slots.
std::vector<std::int32_t> Compiler::written_arrays(const Stmt& body, const std::vector<Var>& except) const {
  VarSet written = variables_written(body);
  for (const Var& var : except) written.erase(var);
  std::vector<std::int32_t> slots;
  for (std::size_t slot = 0; slot < program_.arrays.size(); slot++) {
    if (written.contains(program_.arrays[slot])) slots.push_back(static_cast<std::int32_t>(slot));
  }
  return slots;
}

StmtCode Compiler::loop(const For& node) {
  if (node.loop == LoopKind::GpuBlock) return launch(node);
  bool parallel = node.loop == LoopKind::Parallel;
  StmtCode code{.opcode = parallel ? StmtOpcode::ParallelFor : StmtOpcode::For,
                .innermost = !has_loop(node.body),
                .slot = slot(node.var),
                .a = expression(node.begin),
                .b = expression(node.end)};
  code.body = list(node.body);
  code.waits = any_waits(code.body);
  if (parallel) {
    code.second_slot = static_cast<std::int32_t>(program_.watched.size());
    program_.watched.push_back(written_arrays(node.body, variables_allocated(node.body)));
  }
  return code;
}

StmtCode Compiler::launch(const For& node) {
  LaunchCode launch;
  std::vector<StmtCode> body;
  grid(node, launch, body);
  launch.body = list(body);
  launch.watched = written_arrays(node.body, {});
  program_.launches.push_back(std::move(launch));
  return {.opcode = StmtOpcode::Launch, .slot = static_cast<std::int32_t>(program_.launches.size()) - 1};
}

/// Every thread runs all that stands in the loops of the grid, from the outermost to its own.
void Compiler::grid(const For& loop, LaunchCode& launch, std::vector<StmtCode>& body) {
  GridAxis& axis = loop.loop == LoopKind::GpuBlock  ? launch.block
                   : loop.loop == LoopKind::GpuWarp ? launch.warp
                                                    : launch.thread;
  axis = {slot(loop.var), expression(loop.end)};
  if (loop.loop == LoopKind::GpuThread) return flatten(loop.body, body);
  grid_part(loop.body, launch, body);
}

void Compiler::grid_part(const Stmt& part, LaunchCode& launch, std::vector<StmtCode>& body) {
  if (const Block* list = part.as<Block>()) {
    for (const Stmt& child : list->statements) grid_part(child, launch, body);
  } else if (const For* next = part.as<For>()) {
    grid(*next, launch, body);
  } else if (const Alloc* shared = part.as<Alloc>()) {
    launch.shared.push_back({slot(shared->array), shared->count.as<Literal>()->value.as_int()});
  } else {
    flatten(part, body);
  }
}

void Compiler::flatten(const Stmt& stmt, std::vector<StmtCode>& out) {
  auto push = [&](StmtCode code) {
    code.origin = &stmt;
    out.push_back(code);
  };
  match(
      stmt,
      [&](const Block& n) {
        for (const Stmt& child : n.statements) flatten(child, out);
      },
      [&](const Declare& n) {
        push(n.value ? set(n.var, *n.value) : StmtCode{.opcode = StmtOpcode::NewTable, .slot = slot(n.var)});
      },
      [&](const Assign& n) { push(set(n.var, n.value)); }, [&](const Store& n) { push(store(n)); },
      [&](const For& n) { push(loop(n)); },
      [&](const While& n) {
        StmtCode code{.opcode = StmtOpcode::While, .innermost = !has_loop(n.body), .a = expression(n.condition)};
        code.body = list(n.body);
        code.waits = any_waits(code.body);
        push(code);
      },
      [&](const If& n) {
        StmtCode code{.opcode = StmtOpcode::If, .a = expression(n.condition)};
        code.body = list(n.then);
        code.otherwise = list(n.otherwise);
        code.waits = any_waits(code.body) || any_waits(code.otherwise);
        push(code);
      },
      [&](const Alloc& n) {
        bool parts = n.array.type().kind == Type::Kind::Parts;
        push({.opcode = parts ? StmtOpcode::NewParts : StmtOpcode::Alloc,
              .zeroed = n.zeroed,
              .slot = slot(n.array),
              .a = expression(n.count)});
      },
      [&](const Grow& n) { push({.opcode = StmtOpcode::Grow, .slot = slot(n.array), .a = expression(n.count)}); },
      [&](const Free& n) {
        bool table = n.var.type().kind == Type::Kind::Table, parts = n.var.type().kind == Type::Kind::Parts;
        push({.opcode = table   ? StmtOpcode::FreeTable
                        : parts ? StmtOpcode::FreeParts
                                : StmtOpcode::Free,
              .slot = slot(n.var)});
      },
      [&](const Keep& n) {
        push({.opcode = StmtOpcode::Keep,
              .slot = slot(n.array),
              .a = expression(n.index),
              .b = expression(n.count),
              .second_slot = slot(n.parts)});
      },
      [&](const Take& n) {
        push({.opcode = StmtOpcode::Take,
              .slot = slot(n.array),
              .a = expression(n.index),
              .second_slot = slot(n.parts)});
      },
      [&](const Copy& n) {
        push({.opcode = StmtOpcode::Copy, .slot = slot(n.to), .a = expression(n.count), .second_slot = slot(n.from)});
      },
      [&](const Barrier& n) {
        push({.opcode = n.scope == BarrierScope::Block ? StmtOpcode::BlockBarrier : StmtOpcode::WarpBarrier,
              .waits = true});
      },
      [&](const LaneReduce& n) { push(lane_reduction(n)); },
      [&](const Evaluate& n) { push(evaluate(*n.call.as<Call>())); },
      [&](const Break&) { push({.opcode = StmtOpcode::Break}); },
      [&](const Continue&) { push({.opcode = StmtOpcode::Continue}); },
      [&](const Return& n) { push({.opcode = StmtOpcode::Return, .status = n.status}); }, [](const Comment&) {});
}

}  // namespace

InterpreterProgram compile_for_interpreter(const FunctionDef& function) { return Compiler(function).run(); }

}  // namespace filigree::ir
