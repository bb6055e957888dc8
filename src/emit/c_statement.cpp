#include "emit/c_statement.h"

#include <algorithm>

#include <fmt/format.h>

#include "emit/c_expression.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "support/check.h"

namespace filigree::emit {

using namespace ir;  // its nodes
namespace {

/// Short conditionals stay on one line up to this column.
constexpr std::size_t line_width = 88;

class StatementPrinter {
 public:
  StatementPrinter(Names& names, std::set<std::string>& helpers, const TextOptions& options)
      : names_(names),
        helpers_(helpers),
        expressions_(names, helpers),
        options_(options),
        depth_(options.indentation) {}

  void statement(const Stmt& stmt);
  std::string take() { return std::move(out_); }

 private:
  void line(std::string_view text) {
    if (!text.empty()) out_.append(2 * depth_, ' ').append(text);
    out_ += '\n';
  }
  void body(const Stmt& stmt) {
    names_.open_scope();
    depth_++;
    statement(stmt);
    depth_--;
    names_.close_scope();
  }
  void loop(const For& node);
  void conditional(const If& node, const std::string& opening);
  std::string assignment(const Expr& target, const std::string& target_text, const Expr& value);
  /// The text of a statement that fits on the line of the `if` above it, without its semicolon.
  std::optional<std::string> short_text(const Stmt& stmt);
  void check(const std::string& failed) {
    if (options_.memory_checks) line(fmt::format("if ({}) goto out_of_memory;", failed));
  }
  std::string returning(Status status) const {
    if (!options_.memory_checks) return fmt::format("return {}", static_cast<int>(status));
    switch (status) {
      case Status::Ok: return "goto done";
      case Status::OutOfMemory: return "goto out_of_memory";
      case Status::PatternMismatch: return "goto pattern_mismatch";
      case Status::DoesNotFit: return "goto does_not_fit";
    }
    throw InternalError("emit", "unknown status");
  }

  Names& names_;
  std::set<std::string>& helpers_;
  ExpressionPrinter expressions_;
  TextOptions options_;
  int depth_;
  std::string out_;
};

std::string StatementPrinter::assignment(const Expr& target, const std::string& target_text, const Expr& value) {
  if (std::optional<std::string> update = expressions_.compound(target, value)) return target_text + *update;
  return fmt::format("{} = {}", target_text, expressions_.converted(value));
}

std::optional<std::string> StatementPrinter::short_text(const Stmt& stmt) {
  if (const Assign* n = stmt.as<Assign>(); n && !call_that_can_run_out_of_memory(n->value)) {
    return assignment(n->var, names_.of(n->var), n->value);
  }
  if (const Store* n = stmt.as<Store>(); n && n->atomic) {
    Update update = *atomic_update(*n);
    Var old("old", scalar(n->array.type().element));
    names_.open_scope();
    std::string type = c_name(n->array.type().element),
                element = fmt::format("{}[{}]", names_.of(n->array), expressions_.converted(n->index));
    std::string name = names_.declare(old);
    std::string text = fmt::format("ATOMIC_UPDATE({}, {}, {}, {})", type, element, name,
                                   expressions_.converted(Apply{update.op, {old, update.operand}}));
    names_.close_scope();
    helpers_.insert("atomic_update");
    return text;
  }
  if (const Store* n = stmt.as<Store>()) {
    Expr element = Load{n->array, n->index};
    return assignment(element, fmt::format("{}[{}]", names_.of(n->array), expressions_.converted(n->index)), n->value);
  }
  if (stmt.as<Break>()) return "break";
  if (stmt.as<Continue>()) return "continue";
  if (const Return* n = stmt.as<Return>()) return returning(n->status);
  return std::nullopt;
}

/// Device code and what is around it belong to another back end.
[[noreturn]] void refuse_device_code(const Stmt& stmt) {
  std::string text = print(stmt);
  throw InternalError("emit", "C has no grids, and no memory but the host's", text.substr(0, text.find('\n')));
}

void StatementPrinter::loop(const For& node) {
  if (is_grid(node.loop)) refuse_device_code(node);
  if (node.loop == LoopKind::Parallel) line("// parallel");
  std::string begin = expressions_.converted(node.begin), end = expressions_.converted(node.end);
  // The end is evaluated once.  C evaluates it before every turn, so it gets a variable of its
  // own unless that makes no difference.
  bool constant_end = true;
  if (!node.end.as<Literal>()) {
    VarSet written = variables_written(node.body);
    for_each_read(node.end, [&](const Var& var) { constant_end = constant_end && !written.contains(var); });
    auto calls = [](const auto& self, const Expr& expr) -> bool {
      bool found = expr.as<Call>() != nullptr;
      for_each_child(expr, [&](const Expr& child) { found = found || self(self, child); });
      return found;
    };
    constant_end = constant_end && !calls(calls, node.end);
  }
  names_.open_scope();
  std::string name = names_.declare(node.var), limit = end, start = fmt::format("int64_t {} = {}", name, begin);
  if (!constant_end) {
    limit = names_.reserve(name + "_end");
    start += fmt::format(", {} = {}", limit, end);
  }
  if (node.loop == LoopKind::Simd) line("VECTORIZE");
  if (node.unrolled > 0) line(fmt::format("UNROLL({})", node.unrolled));
  if (node.loop == LoopKind::Simd || node.unrolled > 0) helpers_.insert("loop_hints");
  line(fmt::format("for ({}; {} < {}; {}++) {{", start, name, limit, name));
  body(node.body);
  line("}");
  names_.close_scope();
}

void StatementPrinter::conditional(const If& node, const std::string& opening) {
  std::string head = fmt::format("{}if ({})", opening, expressions_.condition(node.condition));
  if (opening.empty() && node.otherwise.is_empty()) {
    std::optional<std::string> only = short_text(node.then);
    if (only && 2 * depth_ + head.size() + only->size() + 2 <= line_width) {
      line(fmt::format("{} {};", head, *only));
      return;
    }
  }
  line(head + " {");
  body(node.then);
  if (node.otherwise.is_empty()) {
    line("}");
  } else if (const If* next = node.otherwise.as<If>()) {
    conditional(*next, "} else ");
  } else {
    line("} else {");
    body(node.otherwise);
    line("}");
  }
}

void StatementPrinter::statement(const Stmt& stmt) {
  if (options_.stand_in) {
    if (std::optional<std::vector<std::string>> lines = options_.stand_in(stmt, 2 * depth_)) {
      for (const std::string& text : *lines) line(text);
      return;
    }
  }
  match(
      stmt,
      [&](const Block& n) {
        for (const Stmt& child : n.statements) statement(child);
      },
      [&](const Declare& n) {
        if (!n.value) {
          helpers_.insert("table");
          line(fmt::format("NEW_TABLE({});", names_.declare(n.var)));
          return;
        }
        std::string value = expressions_.converted(*n.value);
        const std::string& name = names_.declare(n.var);
        line(fmt::format("{} {} = {};", c_name(n.var.type().element), name, value));
        if (call_that_can_run_out_of_memory(*n.value)) check(name + " < 0");
      },
      [&](const Assign& n) {
        line(assignment(n.var, names_.of(n.var), n.value) + ";");
        if (call_that_can_run_out_of_memory(n.value)) check(names_.of(n.var) + " < 0");
      },
      [&](const Store&) { line(*short_text(stmt) + ";"); }, [&](const For& n) { loop(n); },
      [&](const While& n) {
        line(fmt::format("while ({}) {{", expressions_.condition(n.condition)));
        body(n.body);
        line("}");
      },
      [&](const If& n) { conditional(n, ""); },
      [&](const Alloc& n) {
        if (n.array.type().space != MemorySpace::Host) refuse_device_code(stmt);
        if (n.array.type().kind == Type::Kind::Parts) {
          helpers_.insert("parts");
          return line(fmt::format("NEW_PARTS({}, {});", names_.of(n.array), expressions_.converted(n.count)));
        }
        line(fmt::format("{}({}, {});", n.zeroed ? "ALLOC_ZERO" : "ALLOC", names_.of(n.array),
                         expressions_.converted(n.count)));
      },
      [&](const Grow& n) { line(fmt::format("GROW({}, {});", names_.of(n.array), expressions_.converted(n.count))); },
      [&](const Free& n) { line(fmt::format("{}({});", release_name(n.var), names_.of(n.var))); },
      [&](const Keep& n) {
        line(fmt::format("KEEP({}, {}, {});", names_.of(n.parts), expressions_.converted(n.index), names_.of(n.array)));
      },
      [&](const Take& n) {
        line(fmt::format("TAKE({}, {}, {});", names_.of(n.array), names_.of(n.parts), expressions_.converted(n.index)));
      },
      [&](const Copy&) { refuse_device_code(stmt); }, [&](const Barrier&) { refuse_device_code(stmt); },
      [&](const LaneReduce&) { refuse_device_code(stmt); },
      [&](const Evaluate& n) {
        std::string text = expressions_.converted(n.call);
        if (options_.memory_checks && call_that_can_run_out_of_memory(n.call)) {
          check(text + " < 0");
        } else {
          line(text + ";");
        }
      },
      [&](const Break&) { line("break;"); }, [&](const Continue&) { line("continue;"); },
      [&](const Return& n) { line(returning(n.status) + ";"); },
      [&](const Comment& n) { line(n.text.empty() ? "" : "// " + n.text); });
}

}  // namespace

const char* release_name(const Var& var) {
  switch (var.type().kind) {
    case Type::Kind::Table: return "FREE_TABLE";
    case Type::Kind::Parts: return "FREE_PARTS";
    case Type::Kind::Array:
    case Type::Kind::Scalar: return "FREE";
  }
  throw InternalError("emit", "unknown kind of variable");
}

void declare_free_variables(const Stmt& stmt, Names& names) {
  for (const Var& var : free_variables(stmt)) names.declare(var);
}

std::string c_text(const Stmt& stmt, Names& names, std::set<std::string>& helpers, const TextOptions& options) {
  StatementPrinter printer(names, helpers, options);
  printer.statement(stmt);
  return printer.take();
}

std::string c_text(const Stmt& stmt) {
  Names names;
  std::set<std::string> helpers;
  declare_free_variables(stmt, names);
  return c_text(stmt, names, helpers, {});
}

std::string c_text(const Expr& expr) {
  Names names;
  std::set<std::string> helpers;
  return ExpressionPrinter(names, helpers).condition(expr);
}

}  // namespace filigree::emit
