#include "fuzz/check_program.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/way_program.h"
#include "concrete/level_space.h"
#include "concrete/merge_reductions.h"
#include "fuzz/check_frontier.h"
#include "fuzz/processor_time.h"
#include "fuzz/split_program.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "tests/differential/check_kernel.h"
#include "tests/differential/check_plan.h"

namespace filigree::fuzz {
namespace {

constexpr double slowest_compilation = 10 * slowed_down;  // seconds of the processor; more is a failure

/// Are given extents what the dimensions leave, those of the result among them?
bool do_extents_agree(const notation::Statement& statement, const reference::Operands& boxes,
                      const reference::Box& result, const std::map<std::string, std::int64_t>& given) {
  std::map<TensorVar, std::vector<std::int64_t>> dimensions{{statement.lhs.tensor, result.dimensions}};
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (!access.tensor.selection()) dimensions[access.tensor] = boxes.at(access.tensor.name()).dimensions;
  }
  std::map<IndexVar, std::int64_t> extents;
  for (const IndexVar& var : notation::index_vars(statement)) {
    if (auto extent = given.find(var.name()); extent != given.end() && !var.map()) extents[var] = extent->second;
  }
  try {
    notation::infer_extents(statement, dimensions, extents);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

/// Then a component is the sum of what is stored for it, and each of these may be multiplied with a factor.
bool repeats_components(const Program& program) {
  return std::any_of(program.tensors.begin(), program.tensors.end(), [](const ProgramTensor& tensor) {
    return tensor.is_read && concrete::has_duplicates(tensor.format);
  });
}

/// Then zeros of one half have another sign than those of the other, unless they are added to zeros of a copy.
bool negates_halves(const Program& program) {
  return std::any_of(program.tensors.begin(), program.tensors.end(), [](const ProgramTensor& tensor) {
    return tensor.is_read && tensor.format.symmetry() == Symmetry::Skew;
  });
}

/// A result that its format cannot hold must be refused.
Verdict check_refusal(const Kernel& kernel, const Arguments& arguments, const Extents& extents) {
  try {
    kernel.run(arguments, extents);
  } catch (const UserError&) {
    return {};
  }
  return {Verdict::Kind::Wrong, "run: a result was made that the format cannot hold"};
}

/// The best of the other ways to run it, whether or not it is better than its own loops.
Verdict check_other_ways(const Kernel& kernel, const Arguments& arguments, const reference::Box& expected,
                         const KernelOptions& options) {
  constexpr size_t most_ways = 2;
  compiler::Ways ways = compiler::ways_of(kernel, arguments, {0, 0});
  for (size_t n = 0; n < std::min(most_ways, ways.others.size()); n++) {
    std::string how = "in another way: ";
    for (const notation::Statement& statement : ways.others[n].statements)
      how += notation::to_string(statement) + " in " + to_string(statement.lhs.tensor.format()) + "; ";
    how += ways.others[n].candidate;
    const std::string& name = kernel.statement().lhs.tensor.name();
    std::optional<std::string> wrong;
    try {
      AnyTensor result = std::move(compiler::program_of(ways.others[n], options).run(arguments).at(name));
      result.validate("result");
      wrong = reference::compare(expected, result, tolerance(kernel.statement()));
    } catch (...) {
      wrong = differential::describe_exception();
    }
    if (wrong) return {Verdict::Kind::Wrong, *wrong + "\n" + how};
  }
  return {};
}

Verdict check_kernel(const Program& program, const notation::Statement& statement, const KernelOptions& options,
                     const CheckOptions& how) {
  std::vector<AnyTensor> tensors;
  tensors.reserve(program.tensors.size());
  Arguments arguments;
  reference::Operands boxes;
  for (const ProgramTensor& tensor : program.tensors) {
    if (!tensor.is_read) continue;
    try {
      tensors.push_back(pack(tensor));
    } catch (const UserError& error) {
      return {Verdict::Kind::Refused, error.what()};
    }
    tensors.back().validate(tensor.name);
    arguments.emplace_back(tensor.name, tensors.back());
    boxes.emplace(tensor.name, reference::box_of(tensors.back()));
  }
  std::optional<reference::Box> evaluated;
  try {
    evaluated = reference::evaluate(statement, boxes, program.extents);
  } catch (const UserError& error) {
    return {Verdict::Kind::Refused, error.what()};  // extents that do not agree
  }
  if (!do_extents_agree(statement, boxes, *evaluated, program.extents))
    return {Verdict::Kind::Refused, "an extent that dimensions do not leave"};
  // A factor that is multiplied into a sum makes other NaNs of infinities, and so does the textbook's complex product.
  notation::Expr whole = program.tensors[0].is_read && statement.op ? notation::with_old_value(statement).rhs
                                                                    : statement.rhs;
  bool multiplies_terms = !(concrete::merge_reductions(whole) == whole) || repeats_components(program) ||
                          negates_halves(program) || is_complex(whole.type());
  if (multiplies_terms && (holds_special(program) || !is_finite(*evaluated)))
    return {Verdict::Kind::Refused, "an infinite factor of a sum"};
  if (negates_halves(program) && is_floating(whole.type()) && is_integer(statement.lhs.tensor.type()))
    return {Verdict::Kind::Refused, "an integer may be made of infinities whose signs are those of zeros"};
  bool selects = has_selections(statement), is_refused = false;
  if (selects && holds_special(program)) return {Verdict::Kind::Refused, "infinite values at selected coordinates"};
  if (selects) {
    std::optional<reference::Extents> extents = reference::extents_by_name(statement, boxes, program.extents);
    if (!extents) return {Verdict::Kind::Refused, "selected coordinates, and a name of two variables"};
    // Indices that nothing is read at are looked at all the same.
    if (std::any_of(extents->begin(), extents->end(), [](const auto& extent) { return extent.second == 0; }))
      return {Verdict::Kind::Refused, "selected coordinates beside an empty dimension"};
    try {
      evaluated = reference::evaluate_as_written(written_of(program), *evaluated, boxes, *extents);
    } catch (const UserError&) {
      is_refused = true;  // when it is run
    }
  }
  const reference::Box& support = *evaluated;
  if (!is_moderate(support)) return {Verdict::Kind::Refused, "the values are large"};
  if (statement.prunes && tolerance(statement) > 0)
    return {Verdict::Kind::Refused, "rounding may decide what is pruned"};
  std::int64_t start = processor_time(getpid());
  Kernel kernel = Kernel::compile(statement, options);
  double seconds = static_cast<double>(processor_time(getpid()) - start) * 1e-6;
  if (seconds > slowest_compilation) return {Verdict::Kind::Wrong, fmt::format("compile: takes {} s", seconds)};
  std::string wrong_plan = how.with_plan ? differential::check_plan(kernel.program()) : "";
  if (!wrong_plan.empty()) return {Verdict::Kind::Wrong, wrong_plan};
  if (is_refused) return check_refusal(kernel, arguments, program.extents);
  std::optional<reference::Box> expected;
  try {
    expected = reference::stored_in(support, statement.lhs.tensor.format());
  } catch (const UserError&) {
    return check_refusal(kernel, arguments, program.extents);
  }
  std::optional<std::string> wrong =
      differential::check_kernel(kernel, arguments, program.extents, *expected, tolerance(statement));
  if (wrong) return {Verdict::Kind::Wrong, *wrong};
  // Other ways multiply terms, too.
  bool may_differ = holds_special(program) || !is_finite(*evaluated);
  if (how.frontier > 0 && !may_differ) {
    FrontierCheck frontier = check_frontier(kernel, arguments, program.extents, *expected, how.frontier);
    if (how.members) *how.members = frontier.programs;
    if (frontier.wrong) return {Verdict::Kind::Wrong, *frontier.wrong};
  }
  return !may_differ && compiler::may_choose(options, statement)
             ? check_other_ways(kernel, arguments, *expected, options)
             : Verdict{};
}

}  // namespace

bool has_selections(const notation::Statement& statement) {
  std::vector<notation::Access> accesses = notation::accesses(statement.rhs);
  return std::any_of(accesses.begin(), accesses.end(),
                     [](const notation::Access& access) { return access.tensor.selection() != nullptr; });
}

// Sums of small integers are exact; what a division, a product over many points or a function of libm makes is not.
double tolerance(const notation::Statement& statement) {
  bool exact = statement.op != Operator::Divide, single = statement.lhs.tensor.type() == ElementType::Float32,
       wide = false, floats = false;
  notation::for_each(statement.rhs, [&](const notation::Expr& expr) {
    if (const auto* apply = expr.as<notation::Apply>()) {
      exact = exact && apply->op != Operator::Divide && apply->op != Operator::Power &&
              facts(apply->op).typing != Typing::Floating;
      exact = exact && !(apply->op == Operator::Abs && is_complex(apply->operands[0].type()));
    }
    if (const auto* literal = expr.as<notation::Literal>())
      exact = exact && literal->value.as_double() == std::floor(literal->value.as_double());  // sqrt(3) is one
    if (const auto* reduce = expr.as<notation::Reduce>()) exact = exact && reduce->op != Operator::Multiply;
    single = single || expr.type() == ElementType::Float32 || expr.type() == ElementType::Complex64;
    wide = wide || expr.type() == ElementType::UInt64 || expr.type() == ElementType::UInt32;
    floats = floats || is_floating(expr.type());
  });
  // Negative numbers are large ones in unsigned types, and floats may round them.
  return exact && !(wide && floats) ? 0 : single ? 1e-4 : 1e-9;
}

bool is_moderate(const reference::Box& box) {
  for (const reference::Component& component : box.components) {
    double size = std::abs(component.value.as_complex());
    if (std::isfinite(size) && size > 1e6) return false;
  }
  return true;
}

bool is_finite(const reference::Box& box) {
  return std::all_of(box.components.begin(), box.components.end(), [](const reference::Component& component) {
    return std::isfinite(std::abs(component.value.as_complex()));
  });
}

std::string Verdict::category() const {
  std::string line = message.substr(0, message.find('\n')), out;
  bool quoted = false;
  for (char c : line) {
    if (c == '\'') quoted = !quoted;
    else if (!quoted && (c < '0' || c > '9') && c != '-' && c != ',') out += c;
  }
  if (line.find(", expected") == std::string::npos) return out;
  std::string what = "another value";
  if (line.ends_with("(not stored)")) what = "stored too much";
  else if (line.find("(not stored)") != std::string::npos) what = "stored too little";
  else if (line.find("fill") != std::string::npos) what = "another fill";
  return out.substr(0, out.find(':')) + ": " + what;
}

Verdict check_program(const Program& program, compiler::Target target, const CheckOptions& how) {
  std::optional<notation::Statement> statement;
  try {
    for (const ProgramTensor& tensor : program.tensors) {
      std::string text = to_string(tensor.format);
      if (!(parse_format(text, tensor.format.order()) == tensor.format))
        return {Verdict::Kind::Wrong, "parse: a format that prints as another"};
    }
    if (!is_split(program)) statement = statement_of(program);
  } catch (const UserError& error) {
    return {Verdict::Kind::Refused, error.what()};
  } catch (...) {
    return {Verdict::Kind::Wrong, "parse: " + differential::describe_exception()};
  }
  KernelOptions options;
  options.target = target;
  options.optimization = 1;
  options.contract_floats = false;
  options.schedule = program.schedule;
  try {
    bool updates_part = statement && notation::updates_part(*statement) &&
                        program.tensors[0].is_read;  // in several steps
    if (is_split(program) || updates_part) return check_split_program(program, options);
    return check_kernel(program, *statement, options, how);
  } catch (...) {
    return {Verdict::Kind::Wrong, "compile: " + differential::describe_exception()};
  }
}

}  // namespace filigree::fuzz
