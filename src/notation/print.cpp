// Index notation -> text.  What is printed parses back to the same tree, literals included: a number is
// written in the plainest form (2, then 2.0, then 2 + 0i) that regains its type from its neighbour.
#include <algorithm>
#include <map>
#include <set>

#include "notation/literals.h"
#include "notation/notation.h"
#include "notation/reductions.h"

namespace filigree::notation {
namespace {

const int sum_precedence = facts(Operator::Add).precedence;
constexpr int primary_precedence = 10;  // of what never needs parentheses

/// Display names made distinct, in order of appearance.
template <class Variable>
class Names {
 public:
  void add(const Variable& variable) {
    if (names_.count(variable)) return;
    std::string name = variable.name();
    for (int n = 1; used_.count(name); n++) name = variable.name() + "_" + std::to_string(n);
    used_.insert(name);
    names_.emplace(variable, name);
  }
  /// Gives it the name that another one has.
  void share(const Variable& variable, const Variable& with) { names_.emplace(variable, names_.at(with)); }
  const std::string& operator[](const Variable& variable) const { return names_.at(variable); }

 private:
  std::map<Variable, std::string> names_;
  std::set<std::string> used_;
};

std::string float_text(ElementType type, double value) {
  std::string text = to_string(Scalar::of(type, value));
  bool looks_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_integer ? text + ".0" : text;
}

struct NumberText {
  std::string text;
  int precedence;
};

int precedence_of_number(const std::string& text) {
  return text[0] == '-' ? facts(Operator::Negate).precedence : primary_precedence;
}

NumberText number_text(const Scalar& value, std::optional<ElementType> neighbour) {
  ElementType type = value.type();
  auto regains_type = [&](ElementType literal) {
    return (neighbour ? weak_promote(literal, *neighbour) : literal) == type;
  };
  if (type == ElementType::Bool) return {value.as_bool() ? "true" : "false", primary_precedence};
  std::complex<double> number = value.as_complex();
  if (is_integer(type)) {
    std::string text = to_string(value);
    // Its digits alone are no int64, so they cannot be read back.
    if (type == ElementType::Int64 && text == "-9223372036854775808")
      return {"-9223372036854775807 - 1", sum_precedence};
    return {text, precedence_of_number(text)};
  }
  ElementType real_type = type == ElementType::Complex64    ? ElementType::Float32
                          : type == ElementType::Complex128 ? ElementType::Float64
                                                            : type;
  bool is_real = number.imag() == 0 && (!is_complex(type) || regains_type(ElementType::Float64));
  if (is_real) {
    std::string text = float_text(real_type, number.real());
    bool whole = text.ends_with(".0") && text != "-0.0" && regains_type(ElementType::Int64);
    if (whole) text.resize(text.size() - 2);
    return {text, precedence_of_number(text)};
  }
  std::string imaginary = to_string(Scalar::of(real_type, number.imag())) + "i";
  if (number.real() == 0) return {imaginary, precedence_of_number(imaginary)};
  bool negative = imaginary[0] == '-';
  return {
      to_string(Scalar::of(real_type, number.real())) + (negative ? " - " + imaginary.substr(1) : " + " + imaginary),
      sum_precedence};
}

/// The type that decides a literal's at this place.
std::optional<ElementType> neighbour_at(const Apply& apply, size_t position) {
  std::optional<ElementType> firm;
  if (!meets_others(apply.op, position)) return firm;
  for (size_t n = 0; n < apply.operands.size(); n++) {
    const Expr& operand = apply.operands[n];
    if (!operand.as<Literal>() && meets_others(apply.op, n))
      firm = firm ? promote(*firm, operand.type()) : operand.type();
  }
  return firm;
}

class Printer {
 public:
  void learn(const Access& access) {
    tensors_.add(access.tensor);
    for (const IndexVar& var : free_of(access.indices)) vars_.add(var);
  }
  void learn(const Expr& expr) {
    for_each(expr, [&](const Expr& e) {
      if (const Access* access = e.as<Access>()) learn(*access);
    });
    for (const IndexVar& var : index_vars(expr)) vars_.add(var);
  }

  /// What is read of the left tensor has its name, even if another statement declared it otherwise.
  void learn_old_values(const Statement& statement) {
    for (const Access& access : accesses(statement.rhs)) {
      if (access.tensor.name() == statement.lhs.tensor.name()) tensors_.share(access.tensor, statement.lhs.tensor);
    }
  }

  void print(const Access& access) {
    if (const relation::Condition* condition = access.tensor.condition()) {
      std::vector<std::string> names;
      for (const IndexVar& var : access.indices) names.push_back(index_text(var));
      text += relation::to_string(*condition, names);
      return;
    }
    bool padded = std::any_of(access.indices.begin(), access.indices.end(),
                              [](const IndexVar& var) { return var.map() && var.map()->padded; });
    bool wrapped = std::any_of(access.indices.begin(), access.indices.end(), [](const IndexVar& var) {
      return var.map() && var.map()->wrapped && var.map()->modulus == 0;
    });
    text += (padded ? "pad(" : wrapped ? "wrap(" : "") + tensors_[access.tensor];
    for (size_t n = 0; n < access.indices.size(); n++) text += (n == 0 ? "(" : ",") + index_text(access.indices[n]);
    text += access.indices.empty() ? "" : padded || wrapped ? "))" : ")";
  }

  /// `least`: a looser operator than this needs parentheses.  `neighbour`: the type that a literal meets.
  void print(const Expr& expr, int least = 0, std::optional<ElementType> neighbour = std::nullopt) {
    match(
        expr,
        [&](const Literal& literal) {
          auto [number, precedence] = number_text(literal.value, neighbour);
          text += precedence < least ? "(" + number + ")" : number;
        },
        [&](const Access& access) {
          bool parentheses = access.tensor.condition() && facts(Operator::LessEqual).precedence < least;
          text += parentheses ? "(" : "";
          print(access);
          text += parentheses ? ")" : "";
        },
        [&](const Coordinate& coordinate) { text += vars_[coordinate.var]; },
        [&](const Apply& apply) { print(apply, least); },
        [&](const Reduce& reduce) {
          if (reduce.vars.empty()) return print(reduce.body, least);  // only says where the value is computed
          text += reduction_opening(reduce.op);
          for (const IndexVar& var : reduce.vars) text += vars_[var] + ", ";
          print(reduce.body);
          text += ")";
        });
  }

  std::string text;

 private:
  std::string index_text(const IndexVar& index) const {
    return index.map() ? filigree::to_string(*index.map(), [&](const IndexVar& var) { return vars_[var]; })
                       : vars_[index];
  }

  void print(const Apply& apply, int least) {
    switch (facts(apply.op).notation) {
      case Notation::Infix: return apply.op == Operator::Power ? print_power(apply, least) : print_infix(apply, least);
      case Notation::Prefix: return print_prefix(apply, least);
      case Notation::Call: return print_call(apply);
    }
  }

  void print_operand(const Apply& apply, size_t position, int least) {
    print(apply.operands[position], least, neighbour_at(apply, position));
  }

  void print_prefix(const Apply& apply, int least) {
    const OperatorFacts& op = facts(apply.op);
    bool parentheses = op.precedence < least;
    text += parentheses ? "(" : "";
    text.append(op.symbol).append(apply.op == Operator::Not ? " " : "");
    print_operand(apply, 0, op.precedence);
    text += parentheses ? ")" : "";
  }

  /// Associates to the right, and takes a sign there.
  void print_power(const Apply& apply, int least) {
    int precedence = facts(apply.op).precedence;
    text += precedence < least ? "(" : "";
    print_operand(apply, 0, precedence + 1);
    text += facts(apply.op).symbol;
    print_operand(apply, 1, facts(Operator::Negate).precedence);
    text += precedence < least ? ")" : "";
  }

  /// The other infix operators associate to the left, and chains are long: a loop runs along the left operands, which
  /// all start at the same place, and recursion is left to what stands in parentheses.  Comparisons do not associate.
  void print_infix(const Apply& outermost, int least) {
    struct Link {
      const Apply* apply;
      bool parentheses;
    };
    std::vector<Link> links;
    for (const Apply* apply = &outermost;
         apply && facts(apply->op).notation == Notation::Infix && apply->op != Operator::Power;) {
      const OperatorFacts& op = facts(apply->op);
      bool parentheses = op.precedence < least;
      text += parentheses ? "(" : "";
      links.push_back({apply, parentheses});
      least = op.precedence + (op.typing == Typing::Comparison ? 1 : 0);
      apply = apply->operands[0].as<Apply>();
    }
    print_operand(*links.back().apply, 0, least);
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
      const OperatorFacts& op = facts(link->apply->op);
      const char* space = op.precedence > sum_precedence ? "" : " ";
      text.append(space).append(op.symbol).append(space);
      print_operand(*link->apply, 1, op.precedence + 1);
      text += link->parentheses ? ")" : "";
    }
  }

  /// min(min(a, b), c) is written min(a, b, c), which the parser nests in the same way.
  void print_call(const Apply& outermost) {
    std::vector<const Apply*> links = {&outermost};
    while (facts(outermost.op).associative) {
      const Apply* inner = links.back()->operands[0].as<Apply>();
      if (!inner || inner->op != outermost.op) break;
      links.push_back(inner);
    }
    text.append(facts(outermost.op).symbol).append("(");
    print_operand(*links.back(), 0, 0);
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
      for (size_t n = 1; n < (*link)->operands.size(); n++) {
        text += ", ";
        print_operand(**link, n, 0);
      }
    }
    text += ")";
  }

  Names<TensorVar> tensors_;
  Names<IndexVar> vars_;
};

}  // namespace

std::string to_string(const Expr& expr) {
  Printer printer;
  printer.learn(expr);
  printer.print(expr);
  return printer.text;
}

std::string to_string(const Access& access) {
  Printer printer;
  printer.learn(access);
  printer.print(access);
  return printer.text;
}

std::string to_string(const Statement& statement) {
  Printer printer;
  printer.learn(statement.lhs);
  printer.learn_old_values(statement);
  printer.learn(statement.rhs);
  printer.print(statement.lhs);
  printer.text += std::string(" ") + (statement.op ? facts(*statement.op).symbol : "") + "= " +
                  (statement.prunes ? "prune(" : "");
  printer.print(statement.rhs);
  if (statement.prunes) printer.text += ")";
  return printer.text;
}

}  // namespace filigree::notation
