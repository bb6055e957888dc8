// Precompute as text: reading and printing the command, and the parts of it that are texts of their own.
#include <fmt/format.h>

#include "notation/parse.h"
#include "schedule/precompute.h"
#include "support/text.h"

namespace filigree::schedule {

using notation::Expr;

void fail(const Precompute& command, UserError error, Span span) {
  if (command.place.source) throw std::move(error).at(command.place.source, span);
  throw error;
}

namespace {

constexpr const char* no_name = "_";    // stands for the name of a workspace that gets one by itself
constexpr const char* left_side = "_";  // an expression is read as the right side of a statement

template <class Names>
void check_name(const Precompute& command, const std::string& what, const std::string& name, const Names& known) {
  if (known.count(name)) return;
  std::vector<std::string> all;
  for (const auto& [each, value] : known) all.push_back(each);
  UserError error(fmt::format("The statement has no {} '{}'", what, name));
  if (auto guess = did_you_mean(name, all)) std::move(error).hint("did you mean '" + *guess + "'?");
  fail(command, std::move(error).hint("there are: " + join(all, ", ")), command.expression.span);
}

}  // namespace

Expr read_part(const Precompute& command, KnownNames known) {
  std::optional<notation::Parsed> parsed;
  try {
    parsed = notation::parse(fmt::format("{} = {}", left_side, command.expression.text));
  } catch (const UserError& error) {
    UserError here(fmt::format("'{}' is not an expression: {}", command.expression.text, error.message()));
    std::move(here).hints_of(error);
    fail(command, std::move(here).hint("write a part of the statement, such as B(i,k)*C(k,j)"),
         command.expression.span);
  }
  for (const notation::TensorUse& use : parsed->tensors) {
    if (use.name == left_side || (use.order == 0 && known.indices.count(use.name))) continue;
    check_name(command, "tensor", use.name, known.tensors);
    int order = known.tensors.at(use.name).order();
    if (use.order != order)
      fail(command,
           UserError(fmt::format("'{}' has {} here, and {} in the statement", use.name,
                                 counted(use.order, "index", "indices"), order))
               .hint("write it as in the statement"),
           command.expression.span);
  }
  for (const std::string& name : parsed->index_names) check_name(command, "index variable", name, known.indices);
  known.tensors.insert({left_side, TensorVar(left_side, ElementType::Float64, Format())});
  return notation::resolve_as_written(*parsed, known.tensors, known.indices).rhs;
}

namespace {

/// The format as a workspace has it, with levels that take nodes in any order.  Dense levels stay; one level alone with
/// room for every coordinate has a list of those that were written; all else is a table, in order when it is read.
std::optional<Format> as_workspace(const Format& format) {
  if (!format.is_plain() || format.symmetry() != Symmetry::None) return std::nullopt;
  std::vector<Level> levels = format.levels();
  for (Level& level : levels) {
    if (*level.format == *level::dense() || *level.format == *level::scattered() || *level.format == *level::tabled())
      continue;
    level.format = level.format->locate() && !level.format->arrange() && levels.size() == 1 ? level::scattered()
                                                                                            : level::tabled();
  }
  return Format(levels);
}

}  // namespace

Format workspace_format(const Precompute& command, const TensorVar& result, bool is_everywhere) {
  int rank = static_cast<int>(command.variables.size());
  const std::string& text = command.format->text;
  const char* hint =
      "a workspace is dense, list (one dimension), table, or has levels of any kind, one for each dimension";
  std::optional<Format> format;
  if (text == "table") format = Format::uniform(rank, level::tabled());
  if (text == "list") format = Format::uniform(rank, level::scattered());
  try {
    if (!format) format = parse_format(text, rank);
  } catch (const UserError& error) {
    fail(command,
         UserError(fmt::format("'{}' cannot be stored as {}: {}", command.workspace->text, text, error.message()))
             .hint(hint),
         command.format->span);
  }
  std::optional<Format> usable = as_workspace(*format);
  if (!usable) {
    fail(command,
         UserError(
             fmt::format("'{}' cannot be stored as {}: its levels are not one for each dimension, or it is symmetric",
                         command.workspace->text, text))
             .hint(hint),
         command.format->span);
  }
  if (text == "list" && rank != 1) {
    fail(command,
         UserError(fmt::format("'{}' cannot be stored as list: it has {}, and a list one", command.workspace->text,
                               counted(rank, "dimension")))
             .hint(hint),
         command.format->span);
  }
  if (rank > 0 && usable->pads() && result.order() > 0 && !result.format().is_dense() && !is_everywhere) {
    fail(command,
         UserError(
             fmt::format("'{}' would have a value everywhere, and '{}', which is stored as {}, would store them all",
                         command.workspace->text, result.name(), to_string(result.format())))
             .hint("use list or table, which know what was written, or store the result dense"),
         command.format->span);
  }
  return *usable;
}

void check_type(const Precompute& command, const Expr& part) {
  bool same_kind = command.type && is_integer(*command.type) == is_integer(part.type()) &&
                   is_complex(*command.type) == is_complex(part.type());
  if (!command.type || (same_kind && promote(*command.type, part.type()) == *command.type)) return;
  fail(command,
       UserError(fmt::format("'{}' is {}, and {} is not the same kind of number, as wide or wider",
                             notation::to_string(part), to_string(part.type()), to_string(*command.type)))
           .hint("leave the type out, or use a wider one"),
       command.place.span);
}

Command read_precompute(Arguments& arguments) {
  Name expression = arguments.text("an expression");
  std::vector<Name> variables = arguments.names("a variable"), inner = arguments.names("an inner variable");
  Precompute command{expression, variables, inner, {}, {}, {}, arguments.place()};
  if (arguments.left() > 0) command.workspace = arguments.name("a name for the workspace");
  if (command.workspace && command.workspace->text == no_name) command.workspace.reset();
  if (arguments.left() > 0) {
    Name text = arguments.text("a format or type");
    command.type = parse_element_type(text.text);
    if (!command.type) command.format = text;
  }
  if (arguments.left() > 0 && !command.type) {
    Name type = arguments.name("a type");
    command.type = parse_element_type(type.text);
    if (!command.type)
      arguments.fail(
          UserError(fmt::format("Unknown type '{}'", type.text))
              .hint("types are: bool, int8 to int64, uint8 to uint64, float32, float64, complex64, complex128"),
          type.span);
  }
  return command;
}

std::string to_string(const Precompute& command) {
  auto list = [](const std::vector<Name>& names) {
    std::vector<std::string> texts;
    for (const Name& name : names) texts.push_back(name.text);
    return texts.size() == 1 ? texts[0] : "{" + join(texts, ", ") + "}";
  };
  std::string placeholder = command.format || command.type ? std::string(", ") + no_name : "";
  std::string text = fmt::format("precompute({}, {}, {}{}", command.expression.text, list(command.variables),
                                 list(command.inner), command.workspace ? ", " + command.workspace->text : placeholder);
  if (command.format)
    text += command.format->text.find(',') == std::string::npos ? ", " + command.format->text
                                                                : ", {" + command.format->text + "}";
  return text + (command.type ? ", " + to_string(*command.type) : "") + ")";
}

Mentioned mentioned(const Precompute& command) {
  Mentioned names{{}, command.variables, command.inner};
  if (command.workspace) names.workspaces.push_back(*command.workspace);
  try {
    for (const notation::TensorUse& use :
         notation::parse(fmt::format("{} = {}", left_side, command.expression.text)).tensors) {
      if (use.name != left_side && use.order > 0) names.parts.push_back({use.name, command.expression.span});
    }
  } catch (const UserError&) {
    // It is said what is wrong with the expression when it is read for the statement.
  }
  return names;
}

}  // namespace filigree::schedule
