#include "emit/outline.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "emit/function_body.h"
#include "emit/c_statement.h"
#include "support/text.h"

namespace filigree::emit {
namespace {

using ir::Stmt;
using ir::Var;

std::vector<std::string> lines_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return split(text, '\n');
}

/// Inside of a parallel loop, one thread does everything.
Stmt serial(const Stmt& stmt) {
  Stmt done = ir::map_children(
      stmt, [](const Stmt& child) { return serial(child); }, [](const ir::Expr& expr) { return expr; });
  const ir::For* loop = ir::as_parallel_loop(done);
  if (!loop) return done;
  ir::For same = *loop;
  same.loop = ir::LoopKind::Serial;
  return same;
}

/// The tables that a loop searches, and that are not its own.
std::vector<Var> searched_tables(const Stmt& body, const std::vector<Var>& free) {
  ir::VarSet searched;
  std::function<void(const ir::Expr&)> look_in = [&](const ir::Expr& expr) {
    const ir::Call* call = expr.as<ir::Call>();
    if (call && call->function == ir::Function::TableFind) searched.insert(call->arguments[0].as<ir::VarRef>()->var);
    ir::for_each_child(expr, look_in);
  };
  std::function<void(const Stmt&)> look = [&](const Stmt& stmt) { ir::for_each_child(stmt, look, look_in); };
  look(body);
  std::vector<Var> tables = free;
  std::erase_if(tables, [&](const Var& var) { return !searched.contains(var); });
  return tables;
}

}  // namespace

std::string wrapped(const std::string& opening, const std::vector<std::vector<std::string>>& groups) {
  constexpr std::size_t line_width = 100;
  const std::string margin(opening.size(), ' ');
  std::string out, line = opening;
  for (std::size_t g = 0; g < groups.size(); g++) {
    for (std::size_t n = 0; n < groups[g].size(); n++) {
      bool last = g + 1 == groups.size() && n + 1 == groups[g].size();
      std::string piece = groups[g][n] + (last ? "" : ",");
      bool breaks = n == 0 ? g > 0 : line.size() + 1 + piece.size() > line_width;
      if (breaks) {
        out += line + "\n";
        line = margin;
      }
      line += (n > 0 && !breaks ? " " : "") + piece;
    }
  }
  return out + line;
}

std::vector<std::string> wrapped_at(int column, const std::string& opening, const std::vector<std::string>& values,
                                    const std::string& closing) {
  const std::size_t margin = static_cast<std::size_t>(column);
  std::vector<std::string> lines = lines_of(wrapped(std::string(margin, ' ') + opening, {values}) + closing);
  for (std::string& line : lines) line.erase(0, margin);
  return lines;
}

std::string FileScope::reserve(const std::string& wanted, ir::Names& visible) {
  std::string name = names.reserve(wanted);
  while (visible.reserve(name) != name) name = names.reserve(wanted);
  return name;
}

std::optional<std::vector<std::string>> Outliner::call(const Stmt& stmt, int column) {
  const ir::For* loop = ir::as_parallel_loop(stmt);
  return loop ? std::optional(call_loop(*loop, column)) : std::nullopt;
}

std::vector<std::string> Outliner::call_loop(const ir::For& loop, int column) {
  scope_.helpers.insert("parallel_for");
  names_.open_scope();
  std::vector<std::string> lines = {"{"};
  ir::Expr count = loop.end;
  ir::For from_zero = loop;
  if (!ir::is_literal(loop.begin, 0)) {
    Var first = ir::int64_var(loop.var.name() + "_first"), number = ir::int64_var(loop.var.name() + "_number");
    count = ir::subtract(loop.end, first);
    from_zero = ir::For{number, ir::integer(0), count,
                        ir::block({ir::declare(loop.var, ir::add(first, number)), loop.body}), loop.loop};
    for (const std::string& line : lines_of(c_text(ir::declare(first, loop.begin), names_, scope_.helpers, {})))
      lines.push_back("  " + line);
  }
  Body body{scope_.reserve(scope_.function.name + "_" + loop.var.name(), names_),
            from_zero,
            {},
            ir::variables_allocated(from_zero.body),
            {},
            false};
  collect_needs(from_zero.body, body.needs, scope_.helpers);
  body.uses_runtime = body.can_fail() || !body.locals.empty() || (!scope_.standalone && body.needs.sorts);
  for (const Var& var : ir::free_variables(from_zero.body)) {
    bool own = var == from_zero.var || std::find(body.locals.begin(), body.locals.end(), var) != body.locals.end();
    if (!own) body.free.push_back(var);
  }
  add(body);

  for (const Var& table : searched_tables(from_zero.body, body.free)) {
    lines.push_back(
        fmt::format("  table_find({}, 0, 0);  // makes its index, so that threads only read it", names_.of(table)));
  }
  std::vector<std::string> values;
  if (body.uses_runtime) values.push_back("runtime");
  for (const Var& var : body.free) values.push_back(names_.of(var));
  if (body.can_fail()) values.push_back("0");
  std::string variable = names_.reserve("loop");
  std::vector<std::string> definition =
      wrapped_at(column, fmt::format("  struct {} {} = {{", body.name, variable), values, "};");
  lines.insert(lines.end(), definition.begin(), definition.end());
  const ir::VarRef* known = count.as<ir::VarRef>();
  Var turns = known ? known->var : ir::int64_var(loop.var.name() + "_count");
  if (!known) lines.push_back("  " + lines_of(c_text(ir::declare(turns, count), names_, scope_.helpers, {})).front());
  lines.push_back(fmt::format("  parallel_for(runtime, {}, {}, &{});", names_.of(turns), body.name, variable));
  auto leave = [&](bool needed, const char* label, ir::Status status) {
    if (needed)
      lines.push_back(fmt::format("  if ({}.failed == {}) goto {};", variable, static_cast<int>(status), label));
  };
  leave(body.needs.allocates, "out_of_memory", ir::Status::OutOfMemory);
  leave(body.needs.mismatches, "pattern_mismatch", ir::Status::PatternMismatch);
  leave(body.needs.overflows, "does_not_fit", ir::Status::DoesNotFit);
  lines.push_back("}");
  names_.close_scope();
  return lines;
}

void Outliner::add(const Body& body) {
  std::string work = body.name + "_arrays";
  ir::Names names({scope_.function.name, body.name, work});
  std::vector<std::string> parameters, arguments;
  text_ += fmt::format("/* What the loop of {} needs. */\nstruct {} {{\n", work, body.name);
  if (body.uses_runtime) {
    text_ += "  const filigree_runtime *runtime;\n";
    parameters.push_back("const filigree_runtime *runtime");
    arguments.push_back("loop->runtime");
  }
  if (body.can_fail()) names.reserve("failed");
  for (const Var& var : body.free) {
    const std::string& field = names.declare(var);
    text_ += fmt::format("  {}{};\n", type_text(var, constants_), field);
    parameters.push_back(parameter_text(var, constants_, names));
    arguments.push_back("loop->" + field);
  }
  if (body.can_fail()) text_ += "  int64_t failed;\n";
  text_ += "};\n\n";

  Var begin = ir::int64_var("begin"), end = ir::int64_var("end");
  for (const Var& bound : {begin, end}) {
    parameters.push_back("int64_t " + names.declare(bound));
    arguments.push_back(bound.name());
  }
  std::string opening = wrapped(fmt::format("static {} {}(", body.can_fail() ? "int" : "void", work), {parameters}) +
                        ") {\n";
  Stmt loop = ir::For{body.loop.var, begin, end, serial(body.loop.body)};
  BodyText inside =
      print_body({body.name, loop, body.locals, constants_, body.uses_runtime, body.can_fail()}, scope_, names);
  text_ += inside.functions + opening + inside.lines + "}\n\n";

  text_ += fmt::format("static void {}(void *closure, int64_t begin, int64_t end) {{\n", body.name);
  text_ += fmt::format("  {}struct {} *loop = closure;\n", body.can_fail() ? "" : "const ", body.name);
  std::string call = wrapped(fmt::format("  {}{}(", body.can_fail() ? "int status = " : "", work), {arguments}) + ")";
  text_ += call +
           (body.can_fail() ? ";\n  if (status) __atomic_store_n(&loop->failed, status, __ATOMIC_RELAXED);\n" : ";\n");
  text_ += "}\n\n";
}

}  // namespace filigree::emit
