#include "ir/print.h"

#include <cmath>

#include <fmt/format.h>

#include "ir/names.h"
#include "ir/rewrite.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::ir {

const char* infix_symbol(Operator op) {
  switch (op) {
    case Operator::Quotient: return "//";
    case Operator::Modulus: return "%";
    case Operator::FloorDivide:
    case Operator::Remainder:
    case Operator::Power: return nullptr;
    case Operator::And:
    case Operator::Or:
    case Operator::Xor: return facts(op).symbol;
    default: return facts(op).notation == Notation::Infix ? facts(op).symbol : nullptr;
  }
}

int binding_strength(Operator op) {
  switch (op) {
    case Operator::Or: return 1;
    case Operator::Xor: return 2;
    case Operator::And: return 3;
    case Operator::Not: return 4;
    case Operator::Add:
    case Operator::Subtract: return 6;
    case Operator::Multiply:
    case Operator::Divide:
    case Operator::Quotient:
    case Operator::Modulus: return 7;
    case Operator::Negate: return 8;
    default: return facts(op).typing == Typing::Comparison ? 5 : 9;
  }
}

std::string number_suffix(ElementType type) {
  if (type == ElementType::Float32) return "f32";
  bool is_plain = !is_integer(type) || type == ElementType::Int64;
  return is_plain ? "" : fmt::format("{}{}", is_signed_integer(type) ? "i" : "u", 8 * size_in_bytes(type));
}

const std::vector<std::string>& reserved_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = {
        "function", "in",   "out",  "update", "local",    "is",     "var",    "new", "alloc",    "zero", "grow",
        "free",     "keep", "take", "copy",   "barrier",  "lanes",  "atomic", "for", "parallel", "simd", "unroll",
        "while",    "if",   "else", "break",  "continue", "return", "and",    "or",  "xor",      "not",  "true",
        "false",    "inf",  "nan",  "inff32", "nanf32",   "table",  "parts",  "of"};
    for (ElementType type : all_element_types()) all.push_back(filigree::to_string(type));
    return all;
  }();
  return words;
}

namespace {

const char* place_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::Host: return "";
    case MemorySpace::Device: return " on device";
    case MemorySpace::Shared: return " shared";
  }
  throw InternalError("ir print", "unknown memory");
}

/// Before the word `for`.
const char* kind_name(LoopKind loop) {
  switch (loop) {
    case LoopKind::Serial: return "";
    case LoopKind::Parallel: return "parallel ";
    case LoopKind::Simd: return "simd ";
    case LoopKind::GpuBlock: return "block ";
    case LoopKind::GpuWarp: return "warp ";
    case LoopKind::GpuThread: return "thread ";
  }
  throw InternalError("ir print", "unknown kind of loop");
}

}  // namespace

std::string to_string(const Type& type) {
  std::string element = filigree::to_string(type.element);
  switch (type.kind) {
    case Type::Kind::Scalar: return element;
    case Type::Kind::Array: return element + "[]" + place_name(type.space);
    case Type::Kind::Table: return "table";
    case Type::Kind::Parts: return "parts of " + element;
  }
  throw InternalError("ir print", "unknown kind of variable");
}

namespace {

std::string number_text(double value, const std::string& suffix) {
  if (std::isnan(value)) return "nan" + suffix;
  if (std::isinf(value)) return (value < 0 ? "-inf" : "inf") + suffix;
  std::string text = suffix.empty() ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (suffix.empty() && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

std::string literal_text(const Scalar& value) {
  ElementType type = value.type();
  std::string suffix = number_suffix(type);
  if (type == ElementType::Bool) return value.as_bool() ? "true" : "false";
  if (is_complex(type))
    return fmt::format("{}({}, {})", filigree::to_string(type), number_text(value.as_complex().real(), ""),
                       number_text(value.as_complex().imag(), ""));
  if (is_floating(type)) return number_text(value.as_double(), suffix);
  return type == ElementType::UInt64 ? fmt::format("{}{}", static_cast<std::uint64_t>(value.as_int()), suffix)
                                     : fmt::format("{}{}", value.as_int(), suffix);
}

class Printer {
 public:
  explicit Printer(Names& names, int depth = 0) : names_(names), depth_(depth) {}

  std::string text(const Expr& expr) { return text(expr, 0); }

  void statement(const Stmt& stmt) {
    match(
        stmt,
        [&](const Block& n) {
          for (const Stmt& child : n.statements) statement(child);
        },
        [&](const Declare& n) {
          if (!n.value) return line("new " + names_.declare(n.var));
          std::string value = text(*n.value);
          line(fmt::format("var {}: {} = {}", names_.declare(n.var), to_string(n.var.type()), value));
        },
        [&](const Assign& n) { line(fmt::format("{} = {}", names_.of(n.var), text(n.value))); },
        [&](const Store& n) {
          line(fmt::format("{}{} = {}", n.atomic ? "atomic " : "", element(n.array, n.index), text(n.value)));
        },
        [&](const For& n) {
          std::string bounds = fmt::format("{} .. {}", text(n.begin), text(n.end)), how = kind_name(n.loop);
          if (n.units) bounds += shared_by(*n.units);
          if (n.unrolled > 0) how += fmt::format("unroll({}) ", n.unrolled);
          names_.open_scope();
          line(fmt::format("{}for {} = {} {{", how, names_.declare(n.var), bounds));
          body(n.body);
          names_.close_scope();
          line("}");
        },
        [&](const While& n) {
          line(fmt::format("while {} {{", text(n.condition)));
          body(n.body);
          line("}");
        },
        [&](const If& n) { conditional(n, ""); },
        [&](const Alloc& n) { line(fmt::format("alloc {}{}", n.zeroed ? "zero " : "", element(n.array, n.count))); },
        [&](const Grow& n) { line("grow " + element(n.array, n.count)); },
        [&](const Free& n) { line("free " + names_.of(n.var)); },
        [&](const Keep& n) { line(fmt::format("keep {} = {}", element(n.parts, n.index), element(n.array, n.count))); },
        [&](const Take& n) { line(fmt::format("take {} = {}", names_.of(n.array), element(n.parts, n.index))); },
        [&](const Copy& n) { line(fmt::format("copy {} = {}", names_.of(n.to), element(n.from, n.count))); },
        [&](const Barrier& n) { line(n.scope == BarrierScope::Block ? "barrier block" : "barrier warp"); },
        [&](const LaneReduce& n) {
          std::string targets = names_.of(n.result), key;
          if (n.segments) targets += ", " + names_.of(n.segments->first), key = " by " + text(n.segments->key);
          line(fmt::format("lanes {} = {}({}){}", targets, facts(n.op).name, text(n.value), key));
        },
        [&](const Evaluate& n) { line(text(n.call)); }, [&](const Break&) { line("break"); },
        [&](const Continue&) { line("continue"); }, [&](const Return& n) { line("return " + status_name(n.status)); },
        [&](const Comment& n) { line(n.text.empty() ? "#" : "# " + n.text); });
  }

  /// shared by 256 threads as i, one each, sums y by add, sums scalars
  std::string shared_by(const Units& units) {
    std::string out =
        fmt::format(" shared by {} {}s as {}", units.count, split(kind_name(units.kind), ' ')[0], units.name);
    if (units.one_each) out += ", one each";
    for (const Units::Sum& sum : units.sums)
      out += fmt::format(", sums {} by {}", names_.of(sum.array), facts(sum.op).name);
    return units.sums_scalars ? out + ", sums scalars" : out;
  }

  void line(const std::string& text) { out_ += std::string(2 * static_cast<std::size_t>(depth_), ' ') + text + "\n"; }
  std::string take() { return std::move(out_); }

 private:
  std::string element(const Var& array, const Expr& index) {
    return fmt::format("{}[{}]", names_.of(array), text(index));
  }

  void body(const Stmt& stmt) {
    names_.open_scope();
    depth_++;
    statement(stmt);
    depth_--;
    names_.close_scope();
  }

  void conditional(const If& node, const std::string& opening) {
    line(fmt::format("{}if {} {{", opening, text(node.condition)));
    body(node.then);
    if (node.otherwise.is_empty()) return line("}");
    if (const If* next = node.otherwise.as<If>()) return conditional(*next, "} else ");
    line("} else {");
    body(node.otherwise);
    line("}");
  }

  std::string list(const std::vector<Expr>& operands) {
    std::vector<std::string> texts;
    for (const Expr& operand : operands) texts.push_back(text(operand));
    return join(texts, ", ");
  }

  /// In parentheses if it binds less than what is around it.
  std::string text(const Expr& expr, int around) {
    return match(
        expr, [](const Literal& n) { return literal_text(n.value); }, [&](const VarRef& n) { return names_.of(n.var); },
        [&](const Load& n) { return element(n.array, n.index); },
        [&](const Cast& n) { return fmt::format("{}({})", filigree::to_string(n.type), text(n.value)); },
        [&](const Call& n) { return fmt::format("{}({})", function_name(n.function), list(n.arguments)); },
        [&](const Apply& n) {
          int own = binding_strength(n.op);
          bool has_operands = static_cast<int>(n.operands.size()) == facts(n.op).arity;
          const char* symbol = has_operands ? infix_symbol(n.op) : nullptr;
          std::string written;
          if (symbol) {
            bool is_comparison = facts(n.op).typing == Typing::Comparison;
            written =
                fmt::format("{} {} {}", text(n.operands[0], own + is_comparison), symbol, text(n.operands[1], own + 1));
          } else if (has_operands && n.op == Operator::Not) {
            written = "not " + text(n.operands[0], own);
          } else if (has_operands && n.op == Operator::Negate && !n.operands[0].as<Literal>()) {
            written = "-" + text(n.operands[0], own + 1);
          } else {
            return fmt::format("{}({})", facts(n.op).name, list(n.operands));
          }
          return own < around ? "(" + written + ")" : written;
        });
  }

  static std::string status_name(Status status) {
    switch (status) {
      case Status::Ok: return "ok";
      case Status::OutOfMemory: return "out_of_memory";
      case Status::PatternMismatch: return "pattern_mismatch";
      case Status::DoesNotFit: return "does_not_fit";
    }
    throw InternalError("ir print", "unknown status");
  }

  Names& names_;
  int depth_;
  std::string out_;
};

std::string binding_text(const Binding& binding, const std::vector<std::string>& tensors) {
  if (binding.part == Binding::Part::Threads) return "threads";
  const char* what = binding.part == Binding::Part::Dimension ? "dimensions" : "arrays";
  return fmt::format("{}.{}[{}]{}", tensors.at(static_cast<std::size_t>(binding.tensor)), what, binding.index,
                     binding.part == Binding::Part::Count ? ".count" : "");
}

const char* direction_name(Direction direction) {
  return direction == Direction::In ? "in" : direction == Direction::Out ? "out" : "update";
}

}  // namespace

std::string print(const Stmt& stmt) {
  Names names(reserved_words());
  for (const Var& var : free_variables(stmt)) names.declare(var);
  Printer printer(names);
  printer.statement(stmt);
  return printer.take();
}

std::string print(const Expr& expr) {
  Names names(reserved_words());
  return Printer(names).text(expr);
}

std::string print(const FunctionDef& function) {
  Names names(reserved_words());
  std::string out;
  for (const std::string& text : function.header) out += text.empty() ? "#\n" : fmt::format("# {}\n", text);
  out += fmt::format("function {}({}) {{\n", function.name, join(function.tensors, ", "));
  Printer printer(names, 1);
  for (const Parameter& parameter : function.parameters) {
    std::string type = to_string(parameter.var.type());
    if (parameter.count) type.insert(type.find(']'), names.declare(*parameter.count));
    printer.line(fmt::format("{} {}: {} is {}", direction_name(parameter.direction), names.declare(parameter.var), type,
                             binding_text(parameter.binding, function.tensors)));
  }
  // Memory is known throughout, wherever it is taken; what else is free is a scalar of the body.
  for (const Var& var : free_variables(function.body)) {
    bool is_new = var.type().kind != Type::Kind::Scalar;
    for (const Parameter& parameter : function.parameters) is_new = is_new && !(parameter.var == var);
    if (is_new) printer.line(fmt::format("local {}: {}", names.declare(var), to_string(var.type())));
  }
  out += printer.take() + "\n";
  printer.statement(function.body);
  return out + printer.take() + "}\n";
}

}  // namespace filigree::ir
