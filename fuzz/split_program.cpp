#include "fuzz/split_program.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "concrete/level_space.h"
#include "fuzz/random_format.h"
#include "notation/extents.h"
#include "notation/index_forms.h"
#include "notation/injective.h"
#include "notation/parse.h"
#include "notation/program.h"
#include "tensor/symmetry.h"
#include "tests/differential/check_statements.h"

namespace filigree::fuzz {
namespace {

using notation::Access;
using notation::Expr;
using notation::Statement;

bool has_operand(const Expr& expr) { return !notation::accesses(expr).empty(); }

Expr replaced(const Expr& expr, const Expr& part, const Expr& by) {
  if (expr.same_as(part)) return by;
  return notation::map_children(expr, [&](const Expr& child) { return replaced(child, part, by); });
}

/// One part of one statement becomes a statement before it.
bool split_one(std::vector<Statement>& statements, const std::string& name, std::mt19937_64& random) {
  size_t chosen = random() % statements.size();
  std::vector<Expr> parts;
  notation::for_each(statements[chosen].rhs, [&](const Expr& expr) {
    if (has_operand(expr)) parts.push_back(expr);
  });
  if (parts.empty()) return false;
  Expr part = parts[random() % parts.size()];
  std::vector<IndexVar> vars = notation::free_vars(part);
  if (vars.size() > 4) return false;
  std::shuffle(vars.begin(), vars.end(), random);
  int order = static_cast<int>(vars.size());
  Format format = random() % 2 == 0 ? random_plain_format(order, random) : random_format(order, random);
  if (promises_fullness(format)) format = random_plain_format(order, random);
  Access access{TensorVar(name, part.type(), format), vars};
  statements[chosen].rhs = replaced(statements[chosen].rhs, part, Expr(access));
  Statement before{access, std::nullopt, part};
  before.prunes = random() % 8 == 0;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(chosen), before);
  return true;
}

/// Another result from the same right side, so that there are loops to share.  One that reads the result's old value
/// comes before it.
void add_twin(std::vector<Statement>& statements, std::mt19937_64& random) {
  const Statement& last = statements.back();
  if (notation::has_maps(last.lhs)) return;
  std::vector<IndexVar> vars = last.lhs.indices;
  std::shuffle(vars.begin(), vars.end(), random);
  int order = static_cast<int>(vars.size());
  Format format = random() % 4 == 0 ? random_plain_format(order, random) : Format::dense(order);
  Access twin{TensorVar("twin", last.lhs.tensor.type(), format), vars};
  bool is_before = notation::reads(last, last.lhs.tensor.name()) || random() % 2 == 0;
  statements.insert(statements.end() - (is_before ? 1 : 0), Statement{twin, std::nullopt, last.rhs});
}

std::vector<Statement> statements_of(const Program& program) {
  std::map<std::string, TensorVar> vars;
  for (const ProgramTensor& tensor : program.tensors) {
    vars.emplace(tensor.name, TensorVar(tensor.name, tensor.type, tensor.format, fill_of(tensor.type, tensor.fill)));
  }
  std::vector<Statement> statements;
  for (const notation::Parsed& parsed : notation::parse_program(program.expression).statements) {
    statements.push_back(notation::resolve(parsed, vars));
    notation::give_extents(statements.back(), program.extents);
  }
  return statements;
}

/// Where values are rounded, what compares them or takes their whole part may go either way.
bool is_steady(const std::vector<Statement>& statements) {
  bool steady = true;
  for (const Statement& statement : statements) {
    steady = steady && !statement.prunes;
    notation::for_each(statement.rhs, [&](const Expr& expr) {
      const notation::Apply* apply = expr.as<notation::Apply>();
      if (!apply) return;
      Typing typing = facts(apply->op).typing;
      bool jumps = apply->op == Operator::Floor || apply->op == Operator::Ceil || apply->op == Operator::FloorDivide ||
                   apply->op == Operator::Remainder || apply->op == Operator::Sign || typing == Typing::Comparison ||
                   typing == Typing::Logic;
      steady = steady && !jumps;
    });
    steady = steady && is_floating(statement.lhs.tensor.type()) == is_floating(statement.rhs.type());
  }
  return steady;
}

/// Where a component may be stored several times, the fill has to be 0, and it is its own mirror image where there is
/// one.
bool has_fill_that_cannot_be(const std::vector<Statement>& statements) {
  for (const Statement& statement : notation::statements_of(notation::link(statements, {}))) {
    for (const Access& access : notation::accesses(statement.rhs)) {
      const Scalar& fill = access.tensor.fill();
      if (!fill.is_zero() && concrete::has_duplicates(access.tensor.format())) return true;
      if (!(mirrored(fill, access.tensor.format().symmetry()) == fill)) return true;
    }
  }
  return false;
}

/// An update of a part is defined by its components, and run in steps: are the values the same?
bool agrees_with_steps(const Statement& statement, const Arguments& arguments, const reference::Extents& extents,
                       const reference::Box& made, double tolerance) {
  // Several terms for one component are combined first, which products of absent components and infinities show, and
  // other types.
  bool is_product = statement.op == Operator::Multiply || statement.op == Operator::Divide;
  bool is_alike = statement.rhs.type() == statement.lhs.tensor.type() && !is_product;
  if (!notation::is_injective(statement.lhs) && !is_alike) return true;
  reference::Operands operands;
  for (const Argument& argument : arguments) operands.emplace(argument.name, reference::box_of(*argument.tensor));
  reference::Box updated = reference::updated_part(statement, operands, extents);
  if (updated.dimensions != made.dimensions) return false;
  for (size_t n = 0; n < made.components.size(); n++) {
    if (!reference::close(updated.components[n].value, made.components[n].value, tolerance)) return false;
  }
  return true;
}

}  // namespace

bool is_split(const Program& program) { return program.expression.find(';') != std::string::npos; }

Program split_program(const Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  try {
    std::vector<Statement> statements = {statement_of(program)};
    Program split = program;
    int count = 1 + static_cast<int>(random() % 2);
    for (int n = 1; n <= count; n++) {
      std::string name = fmt::format("part{}", n);
      if (!split_one(statements, name, random)) return program;
    }
    if (random() % 3 == 0) add_twin(statements, random);
    for (const Statement& statement : statements) {
      const TensorVar& made = statement.lhs.tensor;
      if (made.name() != program.tensors[0].name)
        split.tensors.push_back({made.name(), made.type(), made.format(), 0, true, false});
    }
    split.expression = notation::to_string(statements);
    return split;
  } catch (const UserError&) {
    return program;  // it will be refused as it is
  }
}

Verdict check_split_program(const Program& program, const KernelOptions& options) {
  std::vector<Statement> statements;
  std::vector<AnyTensor> tensors;
  tensors.reserve(program.tensors.size());
  Arguments arguments;
  try {
    statements = statements_of(program);
    for (const ProgramTensor& tensor : program.tensors) {
      if (!tensor.is_read) continue;
      tensors.push_back(pack(tensor));
      arguments.emplace_back(tensor.name, tensors.back());
    }
    if (has_fill_that_cannot_be(statements)) return {Verdict::Kind::Refused, "a fill that its format cannot have"};
    auto is_empty = [](const ProgramTensor& tensor) {
      return std::count(tensor.dimensions.begin(), tensor.dimensions.end(), 0) > 0;
    };
    bool selects = std::any_of(statements.begin(), statements.end(), has_selections);
    if (selects && std::any_of(program.tensors.begin(), program.tensors.end(), is_empty))
      return {Verdict::Kind::Refused, "selected coordinates beside an empty dimension"};
    double error = 0;
    for (const Statement& statement : statements) error = std::max(error, tolerance(statement));
    if (error > 0 && !is_steady(statements)) return {Verdict::Kind::Refused, "rounding may decide"};
    Sizes sizes{program.extents};
    std::optional<reference::Operands> values =
        differential::expected_values(statements, differential::assigned_names(statements), arguments, sizes);
    for (const ProgramTensor& tensor : program.tensors) {
      if (!values || !values->count(tensor.name)) continue;
      const reference::Box& box = values->at(tensor.name);
      if (!is_moderate(box) || !is_finite(box)) return {Verdict::Kind::Refused, "the values are large"};
    }
    if (values && !is_split(program) &&
        !agrees_with_steps(statements[0], arguments, program.extents, values->at(program.tensors[0].name), error)) {
      return {Verdict::Kind::Wrong,
              "oracle: the steps of an update give other values than one component after the other"};
    }
    ProgramOptions how;
    static_cast<KernelOptions&>(how) = options;
    std::optional<std::string> wrong = differential::check_statements(statements, how, arguments, sizes, error);
    return wrong ? Verdict{Verdict::Kind::Wrong, *wrong} : Verdict{};
  } catch (const UserError& error) {
    return {Verdict::Kind::Refused, error.what()};
  }
}

}  // namespace filigree::fuzz
