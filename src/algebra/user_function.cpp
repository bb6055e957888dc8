#include "algebra/user_function.h"

#include <deque>
#include <mutex>
#include <shared_mutex>

#include <fmt/format.h>

#include "algebra/function_registry.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree {
namespace {

struct Registered {
  UserFunction function;
  OperatorFacts facts;  // its strings are the function's
};

/// Entries are added and never change or move, so references outlive the lock.
class Registry {
 public:
  const Registered& at(Operator op) const {
    std::shared_lock lock(mutex_);
    size_t number = static_cast<size_t>(op) - static_cast<size_t>(Operator::FirstUserFunction);
    internal_check(number < entries_.size(), "algebra", "an operator that nobody registered");
    return entries_[number];
  }
  std::vector<Operator> all() const {
    std::shared_lock lock(mutex_);
    std::vector<Operator> ops;
    for (const Registered& entry : entries_) ops.push_back(entry.facts.op);
    return ops;
  }
  Operator add(UserFunction function) {
    std::unique_lock lock(mutex_);
    Operator op = static_cast<Operator>(static_cast<size_t>(Operator::FirstUserFunction) + entries_.size());
    Registered& entry = entries_.emplace_back(Registered{std::move(function), {}});
    const UserFunction& f = entry.function;
    entry.facts = {op,
                   f.name.c_str(),
                   f.name.c_str(),
                   Notation::Call,
                   static_cast<int>(f.parameters.size()),
                   10,
                   f.associative,
                   f.commutative,
                   f.idempotent,
                   Typing::User,
                   true,
                   nullptr,
                   true};
    return op;
  }
  /// Takes back what `add` made last, where its algebra turns out to be wrong.
  void remove_last() {
    std::unique_lock lock(mutex_);
    entries_.pop_back();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<Registered> entries_;
};

Registry& registry() {
  static Registry all;
  return all;
}

[[noreturn]] void refuse(const UserFunction& function, const std::string& why) {
  throw UserError(fmt::format("The function '{}' cannot be added: {}", function.name, why));
}

void check_text(const UserFunction& function) {
  if (!is_identifier(function.name)) refuse(function, "that is no name");
  for (const char* word : {"and", "or", "xor", "not", "true", "false", "reduce", "count"}) {
    if (function.name == word) refuse(function, "index notation uses that word already");
  }
  bool taken = find_function(function.name).has_value();
  for (Operator op : writable_operators()) taken |= facts(op).reduction && function.name == facts(op).reduction;
  if (taken) refuse(function, "there is one of that name");
  size_t count = function.parameters.size();
  if (count < 1 || count > 3)
    refuse(function, fmt::format("it has {}; one to three are possible", counted(count, "parameter")));
  for (size_t n = 0; n < count; n++) {
    if (!is_identifier(function.parameters[n]))
      refuse(function, fmt::format("'{}' is no name of a parameter", function.parameters[n]));
    for (size_t m = 0; m < n; m++) {
      if (function.parameters[m] == function.parameters[n])
        refuse(function, fmt::format("two parameters are called '{}'", function.parameters[n]));
    }
  }
  if (function.c_expression.find_first_not_of(" \t\n") == std::string::npos)
    refuse(function, "its C expression is empty");
  if (function.c_expression.find_first_of(";{}") != std::string::npos)
    refuse(function, "its C text is not one expression");
  if (!function.value) refuse(function, "there is nothing that computes its value");
  bool of_two = function.associative || function.commutative || function.idempotent || function.identity;
  if (of_two && count != 2) refuse(function, "only a function of two parameters has that algebra");
  for (const Annihilator& a : function.annihilators) {
    if (a.position < -1 || a.position >= static_cast<int>(count))
      refuse(function, fmt::format("it has no parameter number {}", a.position));
  }
}

/// Declared algebra must hold for small numbers.
void check_algebra(const UserFunction& function, Operator op) {
  std::vector<Scalar> samples;
  for (double x : {0.0, 1.0, 2.0, 3.0, 5.0}) samples.push_back(Scalar::of(ElementType::Float64, x));
  auto f = [&](const Scalar& a, const Scalar& b) { return evaluate(op, {a, b}); };
  auto differ = [](const Scalar& a, const Scalar& b) {
    return !(a.cast(ElementType::Float64) == b.cast(ElementType::Float64));
  };
  auto text = [](const Scalar& a, const Scalar& b) { return fmt::format("for {} and {}", to_string(a), to_string(b)); };
  for (const Scalar& a : samples) {
    if (function.parameters.size() != 2) break;
    for (const Scalar& b : samples) {
      if (function.commutative && differ(f(a, b), f(b, a))) refuse(function, "it does not commute " + text(a, b));
      for (const Scalar& c : samples) {
        if (function.associative && differ(f(f(a, b), c), f(a, f(b, c))))
          refuse(function, "it does not associate " + text(a, b) + " and " + to_string(c));
      }
    }
    if (function.idempotent && differ(f(a, a), a)) refuse(function, "it is not idempotent " + text(a, a));
    if (!function.identity) continue;
    Scalar e = Scalar::of(ElementType::Float64, *function.identity);
    if (differ(f(a, e), a) || differ(f(e, a), a)) refuse(function, "its identity changes something " + text(a, e));
  }
  for (const Annihilator& annihilator : function.annihilators) {
    for (size_t position = 0; position < function.parameters.size(); position++) {
      if (annihilator.position >= 0 && annihilator.position != static_cast<int>(position)) continue;
      for (const Scalar& other : samples) {
        std::vector<Scalar> operands(function.parameters.size(), other);
        operands[position] = Scalar::of(ElementType::Float64, annihilator.value);
        Scalar expected = Scalar::of(ElementType::Float64, annihilator.result);
        if (differ(evaluate(op, operands), expected)) {
          refuse(function, fmt::format("{} as '{}' does not annihilate {}", to_string(operands[position]),
                                       function.parameters[position], to_string(other)));
        }
      }
    }
  }
}

}  // namespace

const OperatorFacts& user_facts(Operator op) { return registry().at(op).facts; }
const UserFunction& user_function(Operator op) { return registry().at(op).function; }
std::vector<Operator> all_user_functions() { return registry().all(); }

Operator add_function(UserFunction function) {
  check_text(function);
  Operator op = registry().add(std::move(function));
  try {
    check_algebra(user_function(op), op);
  } catch (...) {
    registry().remove_last();
    throw;
  }
  return op;
}

ElementType parameter_type(const UserFunction& function, const std::vector<ElementType>& operands) {
  ElementType type = operands[0];
  for (ElementType other : operands) type = promote(type, other);
  return function.computed_in ? function.computed_in(type) : type;
}

ElementType result_of(const UserFunction& function, ElementType parameter) {
  return function.result ? function.result(parameter) : parameter;
}

}  // namespace filigree
