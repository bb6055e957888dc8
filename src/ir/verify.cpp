#include "ir/verify.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/verify_device.h"
#include "support/check.h"

namespace filigree::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const FunctionDef& function) : function_(function) {}
  void run();

 private:
  struct Block {
    std::vector<Var> owned, declared, shared;
  };  // of one list of statements: to free, to forget; arrays that end with it

  [[noreturn]] void refuse(const std::string& what) const {
    std::string text = current_ ? print(*current_) : function_.name;
    throw InternalError("ir verify", what, text.substr(0, text.find('\n')));
  }
  void require(bool condition, const char* what, const Var& var) const {
    if (!condition) refuse(fmt::format("{}: '{}'", what, var.name()));
  }
  void require(bool condition, const char* what) const {
    if (!condition) refuse(what);
  }
  void require_type(const Expr& expr, ElementType type, const char* what) const {
    if (expr.type() != type) refuse(fmt::format("{} is {}, not {}", what, to_string(expr.type()), to_string(type)));
  }

  void parameters();
  void statement(const Stmt& stmt);
  void node(const Stmt& stmt);
  void scoped(const Stmt& body);
  void loop_body(const Stmt& body, LoopKind kind);
  void shared_loop(const For& loop) const;
  /// In a parallel loop, memory that all iterations share stays as it is; an iteration may have its own.
  void require_own(const char* what, const Var& var) const {
    require(!outside_ || (!outside_->contains(var) && !parameter(var)), what, var);
  }
  void declare(const Var& var);
  void assignable(const Var& var) const;
  void copy(const Copy& node);
  void lane_reduction(const LaneReduce& node);
  void value(const Expr& expr, bool whole = false);
  void apply(const Apply& node) const;
  void call(const Call& node, bool whole);
  const Var& array_argument(const Call& node, std::size_t argument) const;
  const Var& index_argument(const Call& node) const;
  std::size_t targets(const Call& node) const;
  void array_ready(const Var& array) const;
  void writable(const Var& array) const;
  void own(const Var& var);
  void release(const Var& var);
  /// Between parts, in this place, and an array of their kind.
  void moves(const Var& parts, const Var& array, const Expr& index);
  const Parameter* parameter(const Var& var) const {
    auto found = parameters_.find(var.id().value);
    return found == parameters_.end() ? nullptr : found->second;
  }

  const FunctionDef& function_;
  const Stmt* current_ = nullptr;
  std::unordered_map<std::uint64_t, const Parameter*> parameters_;
  VarSet in_scope_, fixed_, allocated_;
  std::vector<Block> blocks_;
  int loops_ = 0;
  int breakable_ = 0;              // loops around that a break may end
  std::optional<VarSet> outside_;  // in a parallel loop or a launch: what was in scope or allocated around it
  bool in_launch_ = false;
};

void Verifier::run() {
  parameters();
  blocks_.push_back({});
  statement(function_.body);
  current_ = nullptr;
  for (const Parameter& p : function_.parameters) {
    if (p.direction != Direction::Out) continue;
    require(p.count.has_value(), "Out parameter without a count", p.var);
    require(p.count->type() == scalar(ElementType::Int64), "count that is no Int64 scalar", *p.count);
    require(in_scope_.contains(*p.count), "count that is not declared at function level", *p.count);
    require(allocated_.contains(p.var), "Out array that is never allocated", p.var);
  }
  for (const Var& var : blocks_.back().owned)
    require(false, "local that is not freed in the block that allocates it", var);
}

void Verifier::parameters() {
  for (const Parameter& p : function_.parameters) {
    require(parameters_.emplace(p.var.id().value, &p).second, "parameter listed twice", p.var);
    bool dimension = p.binding.part != Binding::Part::Array;
    require(p.binding.tensor >= 0 && p.binding.tensor < static_cast<int>(function_.tensors.size()),
            "parameter bound to a tensor that is not there", p.var);
    require(p.var.type().kind == (dimension ? Type::Kind::Scalar : Type::Kind::Array), "parameter of the wrong kind",
            p.var);
    if (!dimension) continue;
    require(p.var.type().element == ElementType::Int64, "dimension that is no Int64", p.var);
    require(p.direction == Direction::In, "dimension that is not an In parameter", p.var);
    in_scope_.insert(p.var);
    fixed_.insert(p.var);
  }
}

void Verifier::declare(const Var& var) {
  require(in_scope_.insert(var), "variable declared again in its own scope", var);
  blocks_.back().declared.push_back(var);
}

void Verifier::scoped(const Stmt& body) {
  blocks_.push_back({});
  statement(body);
  const Stmt* inside = current_;
  current_ = &body;
  for (const Var& var : blocks_.back().owned)
    require(false, "local that is not freed in the block that allocates it", var);
  current_ = inside;
  for (const Var& var : blocks_.back().declared) in_scope_.erase(var);
  for (const Var& var : blocks_.back().shared) allocated_.erase(var);
  blocks_.pop_back();
}

void Verifier::shared_loop(const For& loop) const {
  const Units& units = *loop.units;
  require(loop.loop == LoopKind::Serial && !outside_, "loop shared by units that is not serial host code", loop.var);
  require(is_grid(units.kind), "loop shared by what is no unit of a GPU", loop.var);
  require(units.count >= 1 && units.count <= most_threads_in_block, "loop shared by too many units", loop.var);
  for (const Units::Sum& sum : units.sums) array_ready(sum.array);
}

void Verifier::loop_body(const Stmt& body, LoopKind kind) {
  bool launch = kind == LoopKind::GpuBlock, parallel = kind == LoopKind::Parallel || launch;
  require(!parallel || !outside_, "parallel loop inside of a parallel loop");
  int breakable = breakable_;
  if (parallel) outside_ = in_scope_, outside_->insert_all(allocated_);
  in_launch_ = in_launch_ || launch;
  breakable_ = parallel || is_grid(kind) ? 0 : breakable_ + 1;
  loops_++;
  scoped(body);
  loops_--;
  breakable_ = breakable;
  if (parallel) outside_.reset();
  if (launch) in_launch_ = false;
}

void Verifier::assignable(const Var& var) const {
  require(var.type().kind == Type::Kind::Scalar, "assignment to something that is no scalar", var);
  require(in_scope_.contains(var), "assignment to a variable that is not in scope", var);
  require(!fixed_.contains(var), "assignment to a loop variable or parameter", var);
  const char* from_outside = in_launch_ ? "assignment in device code to a variable from outside of the launch"
                                        : "assignment in a parallel loop to a variable from outside of it";
  require(!outside_ || !outside_->contains(var), from_outside, var);
}

void Verifier::copy(const Copy& node) {
  array_ready(node.to);
  array_ready(node.from);
  writable(node.to);
  require(!(node.to == node.from), "copy of an array to itself", node.to);
  require(node.to.type().element == node.from.type().element, "copy to an array of another type", node.to);
  value(node.count);
  require_type(node.count, ElementType::Int64, "count");
}

void Verifier::lane_reduction(const LaneReduce& node) {
  ElementType type = node.result.type().element;
  assignable(node.result);
  value(node.value);
  require_type(node.value, type, "value of the lane reduction");
  if (!can_reduce(node.op)) refuse(fmt::format("lane reduction with '{}', whose order matters", facts(node.op).name));
  require(result_type(node.op, {type, type}) == type, "lane reduction to another type", node.result);
  if (!node.segments) return;
  const Var& first = node.segments->first;
  assignable(first);
  require(first.type().element == ElementType::Bool, "mark of first lanes that is no Bool", first);
  value(node.segments->key);
  require_type(node.segments->key, ElementType::Int64, "key of the lane reduction");
}

void Verifier::array_ready(const Var& array) const {
  require(array.type().kind == Type::Kind::Array, "variable that is no array", array);
  const Parameter* p = parameter(array);
  if (p && p->direction != Direction::Out) return;
  require(allocated_.contains(array), "array used before it is allocated", array);
}

void Verifier::writable(const Var& array) const {
  const Parameter* p = parameter(array);
  require(!p || p->direction != Direction::In, "write to an In parameter", array);
}

void Verifier::own(const Var& var) {
  require(allocated_.insert(var), "local allocated again before it is freed", var);
  blocks_.back().owned.push_back(var);
}

void Verifier::release(const Var& var) {
  require(!parameter(var), "parameter freed", var);
  std::vector<Var>& owned = blocks_.back().owned;
  auto found = std::find(owned.begin(), owned.end(), var);
  require(found != owned.end(), "free of something that is not allocated in this block", var);
  owned.erase(found);
  allocated_.erase(var);
}

void Verifier::moves(const Var& parts, const Var& array, const Expr& index) {
  require(parts.type().kind == Type::Kind::Parts, "move to or from something that is no parts", parts);
  require(allocated_.contains(parts), "parts used before they are allocated", parts);
  require(array.type() == ir::array(parts.type().element), "move of something that is no array of this kind", array);
  value(index);
  require_type(index, ElementType::Int64, "index");
}

void Verifier::statement(const Stmt& stmt) {
  if (const ir::Block* list = stmt.as<ir::Block>()) {
    for (const Stmt& child : list->statements) statement(child);
    return;
  }
  const Stmt* outside = current_;
  current_ = &stmt;
  node(stmt);
  current_ = outside;
}

void Verifier::node(const Stmt& stmt) {
  match(
      stmt, [](const ir::Block&) {},
      [&](const Declare& n) {
        if (!n.value) {
          require(n.var.type().kind == Type::Kind::Table, "scalar declared without a value", n.var);
          declare(n.var);
          own(n.var);
          return;
        }
        require(n.var.type().kind == Type::Kind::Scalar, "declaration with a value of something that is no scalar",
                n.var);
        value(*n.value, true);
        require_type(*n.value, n.var.type().element, "value of the declaration");
        declare(n.var);
      },
      [&](const Assign& n) {
        assignable(n.var);
        value(n.value, true);
        require_type(n.value, n.var.type().element, "assigned value");
      },
      [&](const Store& n) {
        array_ready(n.array);
        writable(n.array);
        value(n.index);
        value(n.value);
        require_type(n.index, ElementType::Int64, "index");
        require_type(n.value, n.array.type().element, "stored value");
        require(!n.atomic || atomic_update(n), "atomic store that is no update of its element", n.array);
      },
      [&](const For& n) {
        require(n.var.type() == scalar(ElementType::Int64), "loop variable that is no Int64 scalar", n.var);
        value(n.begin);
        value(n.end);
        require_type(n.begin, ElementType::Int64, "begin of the loop");
        require_type(n.end, ElementType::Int64, "end of the loop");
        require(in_scope_.insert(n.var), "variable declared again in its own scope", n.var);
        fixed_.insert(n.var);
        if (n.units) shared_loop(n);
        loop_body(n.body, n.loop);
        in_scope_.erase(n.var);
        fixed_.erase(n.var);
      },
      [&](const While& n) {
        value(n.condition);
        require_type(n.condition, ElementType::Bool, "condition");
        loop_body(n.body, LoopKind::Serial);
      },
      [&](const If& n) {
        value(n.condition);
        require_type(n.condition, ElementType::Bool, "condition");
        scoped(n.then);
        scoped(n.otherwise);
      },
      [&](const Alloc& n) {
        bool is_memory = n.array.type().kind == Type::Kind::Array || n.array.type().kind == Type::Kind::Parts;
        require(is_memory, "allocation of something that is no array", n.array);
        const Parameter* p = parameter(n.array);
        require(!p || p->direction == Direction::Out, "allocation of a parameter the caller gives", n.array);
        require_own("allocation in a parallel loop of what is shared", n.array);
        value(n.count);
        require_type(n.count, ElementType::Int64, "count");
        if (n.array.type().space == MemorySpace::Shared) {
          require(allocated_.insert(n.array), "shared array allocated again", n.array);
          blocks_.back().shared.push_back(n.array);
        } else if (p) {
          allocated_.insert(n.array);
        } else {
          own(n.array);
        }
      },
      [&](const Grow& n) {
        array_ready(n.array);
        const Parameter* p = parameter(n.array);
        require(!p || p->direction == Direction::Out, "growth of a parameter the caller gives", n.array);
        require_own("growth in a parallel loop of what is shared", n.array);
        value(n.count);
        require_type(n.count, ElementType::Int64, "count");
      },
      [&](const Free& n) {
        require_own("free in a parallel loop of what is shared", n.var);
        release(n.var);
      },
      [&](const Keep& n) {
        moves(n.parts, n.array, n.index);
        value(n.count);
        require_type(n.count, ElementType::Int64, "count");
        array_ready(n.array);
        require_own("an array that is shared kept in a parallel loop", n.array);
        release(n.array);
      },
      [&](const Take& n) {
        moves(n.parts, n.array, n.index);
        const Parameter* p = parameter(n.array);
        require(!p || p->direction == Direction::Out, "a parameter the caller gives taken from parts", n.array);
        require_own("an array that is shared taken in a parallel loop", n.array);
        if (p) allocated_.insert(n.array);
        else own(n.array);
      },
      [&](const Copy& n) { copy(n); }, [](const Barrier&) {}, [&](const LaneReduce& n) { lane_reduction(n); },
      [&](const Evaluate& n) {
        require(n.call.as<Call>() != nullptr, "evaluation of something that is no call");
        call(*n.call.as<Call>(), true);
        Function function = n.call.as<Call>()->function;
        require(has_effect(function) || function == Function::Fetch, "call without an effect evaluated for its effect");
      },
      [&](const Break&) {
        require(loops_ > 0, "break outside of a loop");
        require(breakable_ > 0, "break out of a parallel loop");
      },
      [&](const Continue&) { require(loops_ > 0, "continue outside of a loop"); },
      [&](const Return& n) { require(!outside_ || n.status != Status::Ok, "return out of a parallel loop"); },
      [](const Comment&) {});
}

void Verifier::value(const Expr& expr, bool whole) {
  match(
      expr, [](const Literal&) {},
      [&](const VarRef& n) {
        require(n.var.type().kind == Type::Kind::Scalar, "array or table used as a value", n.var);
        require(in_scope_.contains(n.var), "variable used outside of its scope", n.var);
      },
      [&](const Apply& n) {
        for (const Expr& operand : n.operands) value(operand);
        apply(n);
      },
      [&](const Load& n) {
        array_ready(n.array);
        value(n.index);
        require_type(n.index, ElementType::Int64, "index");
      },
      [&](const Cast& n) { value(n.value); },
      [&](const Call& n) {
        bool statement = n.function == Function::Sort || n.function == Function::SortSegment ||
                         n.function == Function::TableClear;
        require(!statement, "call without a value used as a value");
        call(n, whole);
      });
}

void Verifier::apply(const Apply& node) const {
  const OperatorFacts& f = facts(node.op);
  if (static_cast<int>(node.operands.size()) != f.arity)
    refuse(fmt::format("wrong number of operands of '{}'", f.name));
  for (const Expr& operand : node.operands) {
    if (f.typing == Typing::Logic) require_type(operand, ElementType::Bool, "operand of logic");
    if (!f.takes_complex) require(!is_complex(operand.type()), "complex numbers have no order");
  }
  if (f.typing == Typing::Choice) require_type(node.operands[0], ElementType::Bool, "condition");
  // int64 and uint64 are integers, but what they have in common is float64.
  bool divides = node.op == Operator::Quotient || node.op == Operator::Modulus;
  if (divides && !is_integer(promote(node.operands[0].type(), node.operands[1].type()))) {
    refuse(fmt::format("{} of something that is no integer", f.name));
  }
}

namespace {

/// "sort of", "search in": for messages about arrays that a call cannot take.
std::string does_to(Function function) {
  if (function == Function::HashFind) return "search in";
  return (function == Function::SortSegment ? "sort" : function_name(function)) + " of";
}

}  // namespace

const Var& Verifier::array_argument(const Call& node, std::size_t argument) const {
  const VarRef* target = node.arguments[argument].as<VarRef>();
  if (!target || target->var.type().kind != Type::Kind::Array)
    refuse(does_to(node.function) + " something that is no array");
  array_ready(target->var);
  if (has_effect(node.function)) writable(target->var);
  return target->var;
}

/// The first argument, an array of coordinates.
const Var& Verifier::index_argument(const Call& node) const {
  const Var& array = array_argument(node, 0);
  ElementType type = array.type().element;
  bool index = type == ElementType::Int32 || type == ElementType::Int64;
  if (!index) refuse(fmt::format("{} an array that is not Int32 or Int64: '{}'", does_to(node.function), array.name()));
  return array;
}

/// How many arguments come first that are arrays or a table; all of them are as they must be.
std::size_t Verifier::targets(const Call& node) const {
  if (is_on_array(node.function) || node.function == Function::SortSegment) {
    const Var& array = index_argument(node);
    if (node.function == Function::Sort && node.arguments.size() > 2) {
      const VarRef* set = node.arguments[2].as<VarRef>();
      bool is_set = set && set->var.type().kind == Type::Kind::Array && set->var.type().element == ElementType::Bool;
      require(is_set, "sort by something that is no set", array);
      array_ready(set->var);
    }
    if (node.function != Function::SortSegment) return 1;
    require(!(array_argument(node, 1) == array), "array sorted along with itself", array);
    return 2;
  }
  if (node.function == Function::Fetch) {
    array_argument(node, 0);
    return 1;
  }
  const VarRef* target = node.arguments[0].as<VarRef>();
  require(target && target->var.type().kind == Type::Kind::Table, "table function on something that is no table");
  bool usable = in_scope_.contains(target->var) && allocated_.contains(target->var);
  require(usable, "table used outside of its scope or after it is freed", target->var);
  if (has_effect(node.function)) require_own("table changed in a parallel loop that shares it", target->var);
  return 1;
}

void Verifier::call(const Call& node, bool whole) {
  std::string name = function_name(node.function);
  auto arity = [&]() -> std::size_t {
    switch (node.function) {
      case Function::TableSize:
      case Function::TableClear: return 1;
      case Function::Sort: return node.arguments.size() == 4 ? 4 : 2;
      case Function::Fetch:
      case Function::TableFinish:
      case Function::TableBegin:
      case Function::TableCoordinate:
      case Function::TablePosition: return 2;
      case Function::Scattered:
      case Function::TableInsert:
      case Function::TableAppend:
      case Function::TableFind: return 3;
      case Function::SortSegment:
      case Function::HashFind:
      case Function::Search:
      case Function::SearchDown:
      case Function::SearchPath:
      case Function::Gallop: return 4;
    }
    refuse("unknown runtime function");
  };
  if (node.arguments.size() != arity()) refuse(fmt::format("wrong number of arguments of '{}'", name));
  for (std::size_t i = targets(node); i < node.arguments.size(); i++) {
    if (node.function == Function::Sort && i == 2) continue;  // the set
    value(node.arguments[i]);
    require_type(node.arguments[i], ElementType::Int64, "argument");
  }
  if (can_run_out_of_memory(node.function)) {
    require(whole, "call that can run out of memory inside of an expression");
  }
}

}  // namespace

void verify(const FunctionDef& function) {
  verify_device(function);
  Verifier(function).run();
}

}  // namespace filigree::ir
