#include "emit/outline.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/print.h"
#include "support/text.h"

namespace filigree::emit {
namespace {

using ir::Stmt;
using ir::Var;

/// The runtime functions that a body calls.
void collect_calls(const Stmt& stmt, std::set<ir::Function>& calls) {
  if (const ir::Evaluate* n = stmt.as<ir::Evaluate>()) calls.insert(n->call.as<ir::Call>()->function);
  ir::for_each_child(
      stmt, [&](const Stmt& child) { collect_calls(child, calls); }, [](const ir::Expr&) {});
}

std::vector<std::string> lines_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return split(text, '\n');
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

Outliner::Outliner(const ir::FunctionDef& function, bool standalone, ir::Names& names, std::set<std::string>& helpers)
    : function_(function), standalone_(standalone), names_(names), own_({function.name, function.name + "_arrays"}), helpers_(helpers) {}

/// A name at file scope that no variable of the kernel hides.
std::string Outliner::reserve(const std::string& wanted) {
  std::string name = own_.reserve(wanted);
  while (names_.reserve(name) != name) name = own_.reserve(wanted);
  return name;
}

/// "const int32_t *": a scalar by value, an array by its address.
std::string Outliner::type_text(const Var& var) const {
  std::string element = c_name(var.type().element);
  if (var.type().kind == ir::Type::Kind::Scalar) return element + " ";
  bool constant = std::any_of(function_.parameters.begin(), function_.parameters.end(),
                              [&](const ir::Parameter& p) { return p.var == var && p.direction == ir::Direction::In; });
  return (constant ? "const " : "") + element + " *";
}

std::vector<std::string> Outliner::call(const ir::For& loop, int column) {
  helpers_.insert("parallel_for");
  names_.open_scope();
  std::vector<std::string> lines = {"{"};
  ir::Expr count = loop.end;
  ir::For from_zero = loop;
  if (!ir::is_literal(loop.begin, 0)) {
    Var first = ir::int64_var(loop.var.name() + "_first"), number = ir::int64_var(loop.var.name() + "_number");
    count = ir::subtract(loop.end, first);
    from_zero = ir::For{number, ir::integer(0), count, ir::block({ir::declare(loop.var, ir::add(first, number)), loop.body}), loop.loop};
    for (const std::string& line : lines_of(ir::print(ir::declare(first, loop.begin), names_, helpers_, {}))) lines.push_back("  " + line);
  }
  std::set<ir::Function> calls;
  collect_calls(loop.body, calls);
  bool can_fail = std::any_of(calls.begin(), calls.end(), ir::can_run_out_of_memory);
  bool uses_runtime = can_fail || (!standalone_ && calls.contains(ir::Function::Sort));
  std::vector<Var> free;
  for (const Var& var : ir::free_variables(from_zero.body)) {
    if (!(var == from_zero.var)) free.push_back(var);
  }
  std::string name = reserve(function_.name + "_" + loop.var.name());
  add(name, from_zero, free, uses_runtime, can_fail);

  std::vector<std::string> values;
  if (uses_runtime) values.push_back("runtime");
  for (const Var& var : free) values.push_back(names_.of(var));
  if (can_fail) values.push_back("0");
  std::string variable = names_.reserve("loop");
  // Lines after the first are indented by whoever prints them.
  std::string opening = fmt::format("  struct {} {} = {{", name, variable);
  std::string definition = wrapped(std::string(static_cast<std::size_t>(column), ' ') + opening, {values});
  for (const std::string& line : lines_of(definition + "};")) lines.push_back(line.substr(static_cast<std::size_t>(column)));
  const ir::VarRef* known = count.as<ir::VarRef>();
  Var turns = known ? known->var : ir::int64_var(loop.var.name() + "_count");
  if (!known) lines.push_back("  " + lines_of(ir::print(ir::declare(turns, count), names_, helpers_, {})).front());
  lines.push_back(fmt::format("  parallel_for(runtime, {}, {}, &{});", names_.of(turns), name, variable));
  if (can_fail) lines.push_back(fmt::format("  if ({}.failed) goto out_of_memory;", variable));
  lines.push_back("}");
  names_.close_scope();
  return lines;
}

void Outliner::add(const std::string& name, const ir::For& loop, const std::vector<Var>& free, bool uses_runtime, bool can_fail) {
  std::string work = name + "_arrays";
  ir::Names names({function_.name, name, work});
  std::vector<std::string> parameters, arguments;
  text_ += fmt::format("/* What the loop of {} needs. */\nstruct {} {{\n", work, name);
  if (uses_runtime) {
    text_ += "  const filigree_runtime *runtime;\n";
    parameters.push_back("const filigree_runtime *runtime");
    arguments.push_back("loop->runtime");
  }
  if (can_fail) names.reserve("failed");
  for (const Var& var : free) {
    const std::string& field = names.declare(var);
    bool array = var.type().kind == ir::Type::Kind::Array;
    text_ += fmt::format("  {}{};\n", type_text(var), field);
    parameters.push_back(fmt::format("{}{}{}", type_text(var), array ? "restrict " : "", field));
    arguments.push_back("loop->" + field);
  }
  if (can_fail) text_ += "  int64_t failed;\n";
  text_ += "};\n\n";

  Var begin = ir::int64_var("begin"), end = ir::int64_var("end");
  for (const Var& bound : {begin, end}) {
    parameters.push_back("int64_t " + names.declare(bound));
    arguments.push_back(bound.name());
  }
  text_ += wrapped(fmt::format("static {} {}(", can_fail ? "int" : "void", work), {parameters}) + ") {\n";
  Stmt body = ir::For{loop.var, begin, end, loop.body};
  text_ += ir::print(body, names, helpers_, {.indentation = 1, .memory_checks = true});
  if (can_fail) text_ += "  return 0;\n\nout_of_memory:\n  return 1;\n";
  text_ += "}\n\n";

  text_ += fmt::format("static void {}(void *closure, int64_t begin, int64_t end) {{\n", name);
  text_ += fmt::format("  {}struct {} *loop = closure;\n", can_fail ? "" : "const ", name);
  std::string call = wrapped(fmt::format("  {}{}(", can_fail ? "if (" : "", work), {arguments}) + ")";
  text_ += call + (can_fail ? ") {\n    __atomic_store_n(&loop->failed, 1, __ATOMIC_RELAXED);\n  }\n" : ";\n");
  text_ += "}\n\n";
}

}  // namespace filigree::emit
