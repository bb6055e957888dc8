#include "emit/part_functions.h"

#include <fmt/format.h>

#include "emit/c_statement.h"

namespace filigree::emit {
namespace {

using ir::Stmt;
using ir::Var;

/// What a part returns that ends the kernel early, and well.
constexpr int done_early = -1;

bool can_leave(const Needs& needs) {
  return needs.returns_early || needs.allocates || needs.mismatches || needs.overflows;
}

/// The labels that statements jump to: all go on at `leave`, with a status.
std::string ways_out(const Needs& needs, const std::string& status) {
  std::string out;
  auto way_out = [&](bool needed, const char* label, int value) {
    if (needed) out += fmt::format("\n{}:\n  {} = {};\n  goto leave;\n", label, status, value);
  };
  way_out(needs.returns_early, "done", done_early);
  way_out(needs.allocates, "out_of_memory", static_cast<int>(ir::Status::OutOfMemory));
  way_out(needs.mismatches, "pattern_mismatch", static_cast<int>(ir::Status::PatternMismatch));
  way_out(needs.overflows, "does_not_fit", static_cast<int>(ir::Status::DoesNotFit));
  return out;
}

/// The arrays among the variables that a part is given which it does not write to.
ir::VarSet constants_of(const Part& part) {
  ir::VarSet written = ir::variables_written(part.body), constants;
  for (const Var& var : part.given) {
    if (var.type().kind == ir::Type::Kind::Array && !written.contains(var)) constants.insert(var);
  }
  return constants;
}

/// The variables that loops use.  The others may as well stay in the frame.
void collect_used_in_loops(const Stmt& stmt, ir::VarSet& used) {
  if (stmt.as<ir::For>() || stmt.as<ir::While>()) {
    used.insert_all(ir::variables_read(stmt));
    used.insert_all(ir::variables_written(stmt));
    return;
  }
  ir::for_each_child(stmt, [&](const Stmt& child) { collect_used_in_loops(child, used); }, [](const ir::Expr&) {});
}

}  // namespace

PartFunctions::PartFunctions(const FunctionBody& main, FileScope& scope, ir::Names& names)
    : main_(main),
      division_(divide(main.stmt, main.handed_over, scope.largest_function)),
      scope_(scope),
      names_(names),
      frame_type_(scope.reserve(main.name + "_frame", names)),
      frame_(names.reserve("frame")),
      status_(names.reserve("status")) {
  for (const Var& var : division_.shared) names_.place(var, frame_ + "." + fields_.declare(var));
  collect_needs(division_.body, left_, scope_.helpers);
  can_end_ = can_leave(left_);
  for (const Part& part : division_.parts) {
    Function function{scope_.reserve(fmt::format("{}_part{}", main_.name, functions_.size() + 1), names_), {}};
    collect_needs(part.body, function.needs, scope_.helpers);
    can_end_ = can_end_ || can_leave(function.needs);
    functions_.push_back(std::move(function));
  }
}

std::string PartFunctions::frame_text() {
  std::string out =
      fmt::format("/* What the parts of {} change for each other. */\nstruct {} {{\n", main_.name, frame_type_);
  for (const Var& var : division_.shared) out += fmt::format("  {}{};\n", type_text(var, {}), fields_.of(var));
  return division_.shared.empty() ? "" : out + "};\n\n";
}

std::string PartFunctions::function_text(const Part& part, const Function& function) {
  ir::Names names({function.name});
  std::string frame = names.reserve("frame"), status = names.reserve("status");
  ir::VarSet constants = constants_of(part);
  bool can_end = can_leave(function.needs);
  std::vector<std::string> parameters;
  if (main_.uses_runtime) parameters.push_back("const filigree_runtime *runtime");
  if (!part.changed.empty()) parameters.push_back(fmt::format("struct {} *{}", frame_type_, frame));
  for (const Var& var : part.given) parameters.push_back(parameter_text(var, constants, names));
  if (parameters.empty()) parameters.push_back("void");
  std::string opening = fmt::format("static __attribute__((noinline)) {} {}(", can_end ? "int" : "void", function.name);
  std::string out = wrapped(opening, {parameters}) + ") {\n";

  ir::VarSet in_loops;
  collect_used_in_loops(part.body, in_loops);
  std::string brought_back;
  for (const Var& var : part.changed) {
    std::string field = fmt::format("{}->{}", frame, fields_.of(var));
    if (!in_loops.contains(var)) {
      names.place(var, field);
      continue;
    }
    const std::string& local = names.declare(var);
    out += fmt::format("  {}{} = {};\n", type_text(var, {}), local, field);
    brought_back += fmt::format("  {} = {};\n", field, local);
  }
  if (can_end) out += fmt::format("  int {} = 0;\n", status);
  if (can_end || !brought_back.empty()) out += "\n";

  Outliner loops(scope_, names, constants);
  auto stand_in = [&](const Stmt& stmt, int column) { return loops.call(stmt, column); };
  out += c_text(part.body, names, scope_.helpers, {.indentation = 1, .memory_checks = true, .stand_in = stand_in});
  if (can_end)
    out += "\nleave:\n" + brought_back + fmt::format("  return {};\n", status) + ways_out(function.needs, status);
  else if (!brought_back.empty()) out += "\n" + brought_back;
  return loops.text() + out + "}\n\n";
}

std::string PartFunctions::text() {
  std::string out =
      fmt::format("/* Compilers take time that grows with the square of a function's size, so {} is in parts. */\n",
                  main_.name) +
      frame_text();
  for (std::size_t n = 0; n < functions_.size(); n++) out += function_text(division_.parts[n], functions_[n]);
  return out;
}

std::string PartFunctions::declarations() const {
  std::string out;
  if (!division_.shared.empty()) out += fmt::format("  struct {} {} = {{0}};\n", frame_type_, frame_);
  if (can_end_) out += fmt::format("  int {} = 0;\n", status_);
  return out;
}

std::optional<std::vector<std::string>> PartFunctions::call(const Stmt& stmt, int column) {
  for (std::size_t n = 0; n < functions_.size(); n++) {
    const Part& part = division_.parts[n];
    if (!part.place.same_as(stmt)) continue;
    std::vector<std::string> arguments;
    if (main_.uses_runtime) arguments.push_back("runtime");
    if (!part.changed.empty()) arguments.push_back("&" + frame_);
    for (const Var& var : part.given) arguments.push_back(names_.of(var));
    bool can_end = can_leave(functions_[n].needs);
    std::string opening = (can_end ? status_ + " = " : "") + functions_[n].name + "(";
    std::vector<std::string> lines = wrapped_at(column, opening, arguments, ");");
    if (can_end) lines.push_back(fmt::format("if ({}) goto leave;", status_));
    return lines;
  }
  return std::nullopt;
}

std::string PartFunctions::ending() {
  if (!main_.returns_status) return "";
  std::string results = main_.results ? main_.results() : "";
  if (!can_end_) return "\n" + results + "  return 0;\n";
  std::string out = fmt::format("\nleave:\n  if ({} > 0) {{\n", status_);
  for (const std::string& line : releases(main_.memory, names_, scope_.helpers)) out += "    " + line + "\n";
  out += fmt::format("    return {};\n  }}\n", status_);
  return out + results + "  return 0;\n" + ways_out(left_, status_);
}

}  // namespace filigree::emit
