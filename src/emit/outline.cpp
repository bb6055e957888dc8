#include "emit/outline.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/print.h"
#include "support/text.h"

namespace filigree::emit {
namespace {

using ir::Stmt;
using ir::Var;

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
  if (var.type().kind == ir::Type::Kind::Scalar) return std::string(c_name(var.type().element)) + " ";
  bool constant = std::any_of(function_.parameters.begin(), function_.parameters.end(),
                              [&](const ir::Parameter& p) { return p.var == var && p.direction == ir::Direction::In; });
  return (constant ? "const " : "") + memory_name(var) + " *";
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
  Body body{reserve(function_.name + "_" + loop.var.name()), from_zero, {}, ir::variables_allocated(from_zero.body), {}, false};
  collect_needs(from_zero.body, body.needs, helpers_);
  body.uses_runtime = body.can_fail() || !body.locals.empty() || (!standalone_ && body.needs.sorts);
  for (const Var& var : ir::free_variables(from_zero.body)) {
    bool own = var == from_zero.var || std::find(body.locals.begin(), body.locals.end(), var) != body.locals.end();
    if (!own) body.free.push_back(var);
  }
  add(body);

  std::vector<std::string> values;
  if (body.uses_runtime) values.push_back("runtime");
  for (const Var& var : body.free) values.push_back(names_.of(var));
  if (body.can_fail()) values.push_back("0");
  std::string variable = names_.reserve("loop");
  // Lines after the first are indented by whoever prints them.
  std::string opening = fmt::format("  struct {} {} = {{", body.name, variable);
  std::string definition = wrapped(std::string(static_cast<std::size_t>(column), ' ') + opening, {values});
  for (const std::string& line : lines_of(definition + "};")) lines.push_back(line.substr(static_cast<std::size_t>(column)));
  const ir::VarRef* known = count.as<ir::VarRef>();
  Var turns = known ? known->var : ir::int64_var(loop.var.name() + "_count");
  if (!known) lines.push_back("  " + lines_of(ir::print(ir::declare(turns, count), names_, helpers_, {})).front());
  lines.push_back(fmt::format("  parallel_for(runtime, {}, {}, &{});", names_.of(turns), body.name, variable));
  auto leave = [&](bool needed, const char* label, ir::Status status) {
    if (needed) lines.push_back(fmt::format("  if ({}.failed == {}) goto {};", variable, static_cast<int>(status), label));
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
  ir::Names names({function_.name, body.name, work});
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
    bool array = var.type().kind == ir::Type::Kind::Array;
    text_ += fmt::format("  {}{};\n", type_text(var), field);
    parameters.push_back(fmt::format("{}{}{}", type_text(var), array ? "restrict " : "", field));
    arguments.push_back("loop->" + field);
  }
  if (body.can_fail()) text_ += "  int64_t failed;\n";
  text_ += "};\n\n";

  Var begin = ir::int64_var("begin"), end = ir::int64_var("end");
  for (const Var& bound : {begin, end}) {
    parameters.push_back("int64_t " + names.declare(bound));
    arguments.push_back(bound.name());
  }
  text_ += wrapped(fmt::format("static {} {}(", body.can_fail() ? "int" : "void", work), {parameters}) + ") {\n";
  if (!body.locals.empty()) text_ += declarations_of(body.locals, names) + "\n";
  Stmt loop = ir::For{body.loop.var, begin, end, body.loop.body};
  text_ += ir::print(loop, names, helpers_, {.indentation = 1, .memory_checks = true});
  if (body.can_fail()) text_ += "  return 0;\n" + failures(body.needs, body.locals, names, helpers_);
  text_ += "}\n\n";

  text_ += fmt::format("static void {}(void *closure, int64_t begin, int64_t end) {{\n", body.name);
  text_ += fmt::format("  {}struct {} *loop = closure;\n", body.can_fail() ? "" : "const ", body.name);
  std::string call = wrapped(fmt::format("  {}{}(", body.can_fail() ? "int status = " : "", work), {arguments}) + ")";
  text_ += call + (body.can_fail() ? ";\n  if (status) __atomic_store_n(&loop->failed, status, __ATOMIC_RELAXED);\n" : ";\n");
  text_ += "}\n\n";
}

}  // namespace filigree::emit
