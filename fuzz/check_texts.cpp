#include "fuzz/check_texts.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "compiler/plan_sizes.h"
#include "compiler/planned_kernel.h"
#include "compiler/program.h"
#include "concrete/written.h"
#include "fuzz/dice.h"
#include "fuzz/random_format.h"
#include "io/files.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "notation/parse.h"
#include "notation/program.h"
#include "notation/syntax.h"
#include "plan/text.h"
#include "support/check.h"
#include "support/text.h"
#include "tests/differential/check_kernel.h"

namespace filigree::fuzz {
namespace {

using differential::describe_exception;

constexpr std::int64_t usual_extent = 3, other_dimension = 7, most_components = 1 << 16;

/// Random entries, about one of three components.
AnyTensor some_tensor(const TensorVar& var, const std::vector<std::int64_t>& dimensions, std::mt19937_64& random) {
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::int64_t components = 1;
  for (std::int64_t size : dimensions) components *= std::min<std::int64_t>(size, most_components);
  std::int64_t count = dimensions.empty() ? 1 : std::min<std::int64_t>((components + 2) / 3, 20);
  for (std::int64_t n = 0; n < count; n++) {
    for (std::size_t d = 0; d < dimensions.size(); d++)
      entries.coordinate[d].push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(dimensions[d])));
  }
  entries.values = Array(var.type(), count);
  for (std::int64_t n = 0; n < count; n++)
    entries.values.set(n, Scalar::of(var.type(), static_cast<std::int64_t>(random() % 3)));
  return AnyTensor::pack(entries, var.format(), Duplicates::Sum, var.name(), false, var.fill());
}

/// What may not be refused: our own text, our own files and our own results.  Throws InternalError if it is.
template <class Action>
auto must(const char* what, const Action& action) {
  try {
    return action();
  } catch (const UserError& error) {
    throw InternalError("fuzz", fmt::format("{} is refused: {}", what, error.what()));
  }
}

class Checker {
 public:
  Checker(const Texts& texts, Reached& reached) : texts_(texts), reached_(reached), random_(texts.seed + 1) {}

  void run() {
    notation::ParsedProgram parsed = notation::parse_program(texts_.program);
    reached_ = Reached::Parsed;
    std::vector<notation::Statement> statements;
    for (const notation::Parsed& statement : parsed.statements) {
      declare(statement);
      statements.push_back(notation::resolve(statement, vars_));
    }
    ProgramOptions options;
    options.target = compiler::Target::Interpret;
    if (!texts_.schedule.empty()) options.schedule = schedule::parse(texts_.schedule, "-s");
    statements = notation::statements_of(notation::link(statements, {}));
    reached_ = Reached::Resolved;
    filigree::Program program = filigree::Program::compile(statements, options);
    for (const ir::FunctionDef& function : program.functions()) {
      std::string text = ir::print(function);
      internal_check(must("a function that was printed", [&] { return ir::print(ir::parse(text)); }) == text, "ir",
                     "a function that prints as another", text);
      if (!runs_on_gpu(program)) compiler::emit(function, {});  // C is for processors
    }
    reached_ = Reached::Lowered;
    run(program, statements, parsed);
    reached_ = Reached::Ran;
  }

  /// What is wrong with the result, in words.
  std::optional<std::string> run_loops() {
    concrete::Written written(texts_.program);
    notation::ParsedProgram parsed = notation::parse_program(written.meaning());
    reached_ = Reached::Parsed;
    declare(parsed.statements[0]);
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    if (!texts_.schedule.empty()) options.schedule = schedule::parse(texts_.schedule, "-s");
    notation::Statement statement = written.statement(vars_);
    reached_ = Reached::Resolved;
    Kernel kernel = Kernel::compile(written, vars_, options);
    reached_ = Reached::Lowered;
    std::map<std::string, std::vector<std::int64_t>> dimensions = dimensions_of(parsed);
    std::map<std::string, AnyTensor> tensors;
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      const TensorVar& var = access.tensor;
      if (!tensors.count(var.name())) tensors.emplace(var.name(), some_tensor(var, dimensions.at(var.name()), random_));
    }
    Arguments arguments;
    reference::Operands boxes;
    for (const auto& [name, tensor] : tensors) {
      arguments.emplace_back(name, tensor);
      boxes.emplace(name, reference::box_of(tensor));
    }
    AnyTensor result = kernel.run(arguments, texts_.extents);
    reached_ = Reached::Ran;
    reference::Box expected =
        reference::stored_in(reference::evaluate(kernel.statement(), boxes, texts_.extents), result.format());
    return differential::check_kernel(kernel, arguments, texts_.extents, expected, 1e-9);
  }

 private:
  static bool runs_on_gpu(const filigree::Program& program) {
    return std::any_of(program.steps().begin(), program.steps().end(), [](const filigree::Program::Step& step) {
      std::vector<concrete::Forall> loops = concrete::tagged_loops(step.program().statement);
      return std::any_of(loops.begin(), loops.end(),
                         [](const concrete::Forall& loop) { return loop.tag.gpu.has_value(); });
    });
  }

  void declare(const notation::Parsed& parsed) {
    for (const notation::TensorUse& use : parsed.tensors) {
      if (vars_.count(use.name)) continue;
      ElementType type = use.is_index ? ElementType::Int64 : ElementType::Float64;
      if (auto named = texts_.types.find(use.name); named != texts_.types.end())
        type = parse_element_type(named->second).value_or(type);
      vars_.emplace(use.name, TensorVar(use.name, type, format_of(use)));
    }
  }

  Format format_of(const notation::TensorUse& use) {
    auto named = texts_.formats.find(use.name);
    if (named != texts_.formats.end()) return parse_format(named->second, use.order, "-f " + use.name);
    return random_() % 2 ? random_plain_format(use.order, random_) : random_format(use.order, random_);
  }

  void run(const filigree::Program& program, const std::vector<notation::Statement>& statements,
           const notation::ParsedProgram& parsed) {
    std::vector<TensorVar> inputs = notation::inputs(statements);
    std::map<std::string, std::vector<std::int64_t>> dimensions = dimensions_of(parsed);
    std::vector<AnyTensor> tensors;
    for (const TensorVar& input : inputs) tensors.push_back(some_tensor(input, dimensions.at(input.name()), random_));
    Arguments arguments;
    for (std::size_t n = 0; n < inputs.size(); n++) arguments.emplace_back(inputs[n].name(), tensors[n]);
    std::map<std::string, AnyTensor> results = program.run(arguments, Sizes(texts_.extents));
    must("a result", [&] {
      for (const auto& [name, result] : results) result.validate(name);
    });
  }

  /// As far as index variables stand alone, of their extents; other indices reach a few more coordinates.
  std::map<std::string, std::vector<std::int64_t>> dimensions_of(const notation::ParsedProgram& parsed) const {
    std::map<std::string, std::vector<std::int64_t>> all;
    std::function<void(const notation::NameUse&, const std::vector<notation::IndexUse>&)> add =
        [&](const notation::NameUse& tensor, const std::vector<notation::IndexUse>& indices) {
          std::vector<std::int64_t>& sizes = all[tensor.name];
          sizes.resize(indices.size(), 0);
          for (std::size_t d = 0; d < indices.size(); d++) {
            bool plain = indices[d].is_variable();
            auto given = plain ? texts_.extents.find(indices[d].terms[0].var.name) : texts_.extents.end();
            std::int64_t size = !plain ? other_dimension
                                : given == texts_.extents.end()
                                    ? usual_extent
                                    : std::clamp<std::int64_t>(given->second, 0, most_components);
            if (sizes[d] == 0 || plain) sizes[d] = std::max<std::int64_t>(size, 1);
            for (const notation::GatherUse& use : indices[d].gathered) add(use.tensor, use.indices);
          }
        };
    for (const notation::Parsed& statement : parsed.statements) {
      add(statement.tree->lhs.tensor, statement.tree->lhs.indices);
      for (const notation::SyntaxNode& node : statement.tree->nodes) {
        if (node.kind == notation::SyntaxNode::Kind::Access) add(node.tensor, node.indices);
      }
    }
    return all;
  }

  const Texts& texts_;
  Reached& reached_;
  std::mt19937_64 random_;
  std::map<std::string, TensorVar> vars_;
};

/// What `action` throws that is no message for a user.
template <class Action>
std::optional<std::string> wrong_of(const char* what, const Action& action, std::string* refusal = nullptr) {
  try {
    action();
  } catch (const UserError& error) {
    if (refusal) *refusal = error.what();
  } catch (...) {
    return what + describe_exception();
  }
  return std::nullopt;
}

}  // namespace

TextOutcome check_program_texts(const Texts& texts) {
  TextOutcome outcome;
  outcome.wrong = wrong_of("program: ", [&] { Checker(texts, outcome.reached).run(); }, &outcome.refusal);
  return outcome;
}

TextOutcome check_loops_text(const Texts& texts) {
  TextOutcome outcome;
  std::optional<std::string> differs;
  outcome.wrong = wrong_of("loops: ", [&] { differs = Checker(texts, outcome.reached).run_loops(); }, &outcome.refusal);
  if (!outcome.wrong && differs) outcome.wrong = "loops: not the oracle's result: " + *differs;
  return outcome;
}

namespace {

concrete::Stmt without_tags(const concrete::Stmt& stmt) {
  concrete::Stmt inside = concrete::map_children(stmt, without_tags);
  const concrete::Forall* forall = inside.as<concrete::Forall>();
  return forall ? concrete::Stmt(concrete::Forall{forall->var, forall->body, forall->as_stored}) : inside;
}

/// What is computed, and of what: the same for plans that only run in another way.
std::string meaning(const plan::Plan& plan) {
  std::string out = concrete::to_string(without_tags(plan.program.statement));
  for (const std::string& line : split(plan::to_string(plan), '\n')) {
    if (line.empty()) break;
    const char* ways[] = {"filled", "threads", "lookups", "memory", "cases"};
    bool is_way = std::any_of(std::begin(ways), std::end(ways), [&](const char* way) { return line.starts_with(way); });
    if (!is_way) out += "\n" + line;
  }
  return out;
}

void check_same_results(const std::string& original, const plan::Plan& plan, const Arguments& arguments,
                        const Sizes& sizes, const std::map<std::string, AnyTensor>& results) {
  plan::Plan before = must("a plan that was printed", [&] { return plan::parse(original); });
  if (meaning(before) != meaning(plan)) return;
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  std::map<std::string, AnyTensor> expected = PlannedKernel::compile(before, options).run(arguments, sizes);
  for (const auto& [name, result] : results) {
    std::optional<std::string> difference = reference::compare(reference::box_of(expected.at(name)), result, 1e-6);
    internal_check(!difference, "plan", "run in another way, it has another result", difference.value_or(""));
  }
}

void run_plan(const std::string& text, const std::string& original,
              const std::map<std::string, std::vector<std::int64_t>>& dimensions, const Texts& texts,
              Reached& reached) {
  constexpr std::int64_t most_steps = 3'000'000;
  std::mt19937_64 random(texts.seed + 5);
  plan::Plan plan = plan::parse(text);
  reached = Reached::Parsed;
  std::string again = plan::to_string(plan);
  internal_check(must("a plan that was printed", [&] { return plan::to_string(plan::parse(again)); }) == again, "plan",
                 "a plan that prints as another", again);
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.threads = 2;
  options.step_limit = most_steps;
  PlannedKernel kernel = PlannedKernel::compile(plan, options);
  std::map<std::string, std::vector<std::int64_t>> known;
  for (const TensorVar& operand : kernel.operands()) {
    auto found = dimensions.find(operand.name());
    if (found != dimensions.end() && static_cast<int>(found->second.size()) == operand.order())
      known[operand.name()] = found->second;
  }
  compiler::PlanSizes sizes = compiler::find_sizes(plan, known, texts.extents);
  reached = Reached::Resolved;
  std::vector<AnyTensor> tensors;
  tensors.reserve(kernel.operands().size());
  Arguments arguments;
  for (const TensorVar& operand : kernel.operands()) {
    std::vector<std::int64_t> own = sizes.dimensions.at(operand.name());
    for (std::int64_t size : own) {
      if (size > most_components) throw UserError("too large to be tried");
    }
    bool is_empty = std::find(own.begin(), own.end(), 0) != own.end();
    tensors.push_back(is_empty ? AnyTensor(operand.type(), own, operand.format(), operand.name())
                               : some_tensor(operand, own, random));
    tensors.back().set_fill(operand.fill());
    arguments.emplace_back(operand.name(), tensors.back());
  }
  // What is wrong with a plan has to be told before code is made of it.
  try {
    kernel.function("kernel", arguments, Sizes(texts.extents, sizes.dimensions));
  } catch (const UserError& error) {
    if (error.message() == "The plan cannot be carried out") throw InternalError("plan", error.what());
    throw;
  }
  reached = Reached::Lowered;
  std::map<std::string, AnyTensor> results;
  try {
    results = kernel.run(arguments, Sizes(texts.extents, sizes.dimensions));
  } catch (const ir::StepLimitError&) {
    return;  // it goes on for long, as it says
  }
  reached = Reached::Ran;
  check_same_results(original, plan, arguments, Sizes(texts.extents, sizes.dimensions), results);
}

}  // namespace

TextOutcome check_plan_text(const std::string& text, const std::string& original,
                            const std::map<std::string, std::vector<std::int64_t>>& dimensions, const Texts& texts) {
  TextOutcome outcome;
  outcome.wrong =
      wrong_of("plan: ", [&] { run_plan(text, original, dimensions, texts, outcome.reached); }, &outcome.refusal);
  return outcome;
}

std::optional<std::string> check_format_text(const std::string& text) {
  for (int order : {0, 1, 2, 3}) {
    bool same = true;
    std::optional<std::string> wrong = wrong_of("format: ", [&] {
      Format format = parse_format(text, order);
      same = must("a format that was printed", [&] { return parse_format(to_string(format), order); }) == format;
    });
    if (wrong) return wrong;
    if (!same) return "format: prints as another";
  }
  return std::nullopt;
}

std::optional<std::string> check_schedule_text(const std::string& text) {
  const Texts kernels[] = {{"y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"x", "d"}, {"y", "d"}}},
                           {"C(i,j) = A(i,k)*B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
                           {"C(i,j) = A(i,k)*B(k,j)", {{"A", "dd"}, {"B", "dd"}, {"C", "dd"}}},
                           {"Y(i,j) = B(i,k,l)*D(l,j)*C(k,j)", {{"B", "sss"}, {"D", "dd"}, {"C", "dd"}, {"Y", "dd"}}}};
  for (Texts texts : kernels) {
    texts.schedule = text;
    if (TextOutcome outcome = check_program_texts(texts); outcome.wrong) return "schedule: " + *outcome.wrong;
  }
  return std::nullopt;
}

namespace {

/// Made by the first process that asks, shared with the workers that it forks, and removed when it ends.
struct Scratch {
  Scratch() : owner(getpid()) {
    bool has_memory = access("/dev/shm", W_OK) == 0;
    path = fmt::format("{}/filigree-fuzz.{}", has_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string(),
                       owner);
    std::filesystem::create_directories(path);
  }
  ~Scratch() {
    std::error_code ignored;
    if (getpid() == owner) std::filesystem::remove_all(path, ignored);
  }
  pid_t owner;
  std::string path;
};

}  // namespace

const std::string& scratch_folder() {
  static const Scratch scratch;
  return scratch.path;
}

std::optional<std::string> check_file(const std::string& bytes, const std::string& extension, std::uint64_t seed,
                                      bool& was_read) {
  was_read = false;
  std::mt19937_64 random(seed);
  Dice dice(random);
  std::string path = fmt::format("{}/{}{}", scratch_folder(), getpid(), extension);
  std::ofstream(path, std::ios::binary) << bytes;
  std::string again = fmt::format("{}/{}-again{}", scratch_folder(), getpid(),
                                  dice.pick({".mtx", ".tns", ".el", ".npy", ".npz", ".tns.gz"}));
  bool same = true;
  std::optional<std::string> wrong = wrong_of("file: ", [&] {
    ReadOptions how{.threads = static_cast<int>(1 + dice.upto(2)), .progress = false};
    Contents contents = read_contents(path, how);
    was_read = true;
    std::int64_t components = 1;
    for (std::int64_t size : contents.dimensions())
      components = std::min(components * std::clamp<std::int64_t>(size, 0, most_components), most_components);
    bool is_small = components < most_components;
    AnyTensor tensor = contents.pack(
        is_small && dice.chance(50) ? random_format(contents.order(), random) : contents.usual_format(), "A");
    must("what was packed", [&] { tensor.validate("A"); });
    // An array has every component, and this would be billions of them.
    if (!is_small && again.ends_with(".npy")) return;
    write_file(again, tensor);
    how.order = tensor.order();
    how.dimensions = tensor.dimensions();
    same = must("a file that was written", [&] { return read_contents(again, how).dimensions(); }) ==
           tensor.dimensions();
  });
  std::filesystem::remove(path);
  std::filesystem::remove(again);
  return wrong  ? wrong
         : same ? std::nullopt
                : std::optional<std::string>("file: written and read, it has other dimensions");
}

}  // namespace filigree::fuzz
