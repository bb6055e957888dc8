// reformat(tensor, format): the operand is copied into another format first, and the loops are those for the copy,
// which has its name.
//
// Requires: 1. the statement reads `tensor`  2. `format` is for its number of dimensions, and has room for every
// component  3. it is asked for once
// 4. where the result is not dense, neither format pads: padding is stored, so the result would store other
// components  5. what the result has where nothing is stored stays the same. Before: A(i,j) = B(i,j)*C(i,j), B in coo.
// After: the same, B in csr, and a kernel B(i,j) = B(i,j) from coo to csr that runs before.
#include <algorithm>

#include <fmt/format.h>

#include "notation/assignment.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using notation::Expr;
using notation::Statement;

[[noreturn]] void fail(const Reformat& command, UserError error, Span span) {
  if (command.place.source) throw std::move(error).at(command.place.source, span);
  throw error;
}

TensorVar operand(const Reformat& command, const Statement& statement) {
  std::vector<std::string> names;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (access.tensor.name() == command.tensor.text) return access.tensor;
    if (std::find(names.begin(), names.end(), access.tensor.name()) == names.end())
      names.push_back(access.tensor.name());
  }
  UserError error(fmt::format("The statement does not read a tensor '{}'", command.tensor.text));
  if (auto guess = did_you_mean(command.tensor.text, names)) std::move(error).hint("did you mean '" + *guess + "'?");
  fail(command, std::move(error).hint("there are: " + join(names, ", ")), command.tensor.span);
}

Format wanted_format(const Reformat& command, const TensorVar& tensor) {
  try {
    return parse_format(command.format.text, tensor.order());
  } catch (const UserError& error) {
    UserError here(fmt::format("'{}' cannot be stored as {}: {}", tensor.name(), command.format.text, error.message()));
    std::move(here).hints_of(error);
    fail(command, std::move(here), command.format.span);
  }
}

/// Is there room for every component?
bool holds_everything(const Format& format) {
  return format.symmetry() == Symmetry::None &&
         std::all_of(format.levels().begin(), format.levels().end(),
                     [](const Level& level) { return !level.format->insert() || level.format->insert()->holds_all(); });
}

void check_format(const Reformat& command, const TensorVar& from, const Format& to, const Statement& statement) {
  const TensorVar& result = statement.lhs.tensor;
  if (from.order() == 0)
    fail(command,
         UserError(fmt::format("'{}' is a scalar, which has no format", from.name())).hint("leave the command out"),
         command.tensor.span);
  if (!holds_everything(to)) {
    fail(
        command,
        UserError(fmt::format("'{}' cannot be copied into {}: a copy must have room for any component before it is "
                              "known which there are",
                              from.name(), command.format.text))
            .hint(
                "use a format that takes every component, such as csr or coo; filigree convert makes files for others"),
        command.format.span);
  }
  if (result.order() == 0 || result.format().is_dense() || (!from.format().pads() && !to.pads())) return;
  const Format& padded = to.pads() ? to : from.format();
  fail(command,
       UserError(fmt::format(
                     "'{}' would store other components: what {} pads with counts as stored, and '{}' is stored as {}",
                     result.name(), to_string(padded), result.name(), to_string(result.format())))
           .hint(to.pads() ? "use a format without padding, such as csr or coo, or store the result dense"
                           : "store the result dense, or the operand without padding"),
       command.format.span);
}

Expr with_tensor(const Expr& expr, const TensorVar& from, const TensorVar& to) {
  const notation::Access* access = expr.as<notation::Access>();
  if (access) return access->tensor == from ? Expr(notation::Access{to, access->indices}, expr.span()) : expr;
  return notation::map_children(expr, [&](const Expr& child) { return with_tensor(child, from, to); });
}

}  // namespace

Command read_reformat(Arguments& arguments) {
  Name tensor = arguments.tensor(), format = arguments.text("a format");
  return Reformat{tensor, format, arguments.place()};
}

std::string to_string(const Reformat& command) {
  bool has_commas = command.format.text.find(',') != std::string::npos;
  return fmt::format("reformat({}, {})", command.tensor.text,
                     has_commas ? "{" + command.format.text + "}" : command.format.text);
}

Mentioned mentioned(const Reformat& command) { return {{command.tensor}, {}, {}}; }

void apply(const Reformat&, Nest&) {}  // the loops are for the copy from the start

Reformatted reformat(const Schedule& schedule, const Statement& statement) {
  Reformatted out{statement, {}};
  for (const Command& each : schedule) {
    const Reformat* command = std::get_if<Reformat>(&each);
    if (!command) continue;
    TensorVar from = operand(*command, out.statement);
    bool is_second =
        std::any_of(out.copies.begin(), out.copies.end(), [&](const auto& copy) { return copy.second == from; });
    if (is_second)
      fail(*command,
           UserError(fmt::format("A format for '{}' is asked for twice", from.name())).hint("leave one of them out"),
           command->place.span);
    Format format = wanted_format(*command, from);
    check_format(*command, from, format, statement);
    TensorVar to(from.name(), from.type(), format, from.fill());
    Scalar fill = notation::result_fill(notation::as_assignment(out.statement));
    out.statement.rhs = with_tensor(out.statement.rhs, from, to);
    Scalar other = notation::result_fill(notation::as_assignment(out.statement));
    if (!(fill == other)) {
      fail(
          *command,
          UserError(fmt::format("'{}' would have the fill {} instead of {}, since more of its operands would be sparse",
                                statement.lhs.tensor.name(), filigree::to_string(other), filigree::to_string(fill)))
              .hint("use a dense format"),
          command->format.span);
    }
    out.copies.push_back({from, to});
  }
  return out;
}

}  // namespace filigree::schedule
