#include "tests/cases/run_case.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "compiler/program.h"
#include "concrete/parse.h"
#include "concrete/written.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "notation/parse.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "notation/syntax.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tests/differential/check_kernel.h"
#include "tests/differential/check_plan.h"
#include "tests/differential/check_statements.h"

namespace filigree::cases {
namespace {

ElementType type_of(const Case& c, const std::string& tensor) {
  auto named = c.types.find(tensor);
  if (named == c.types.end()) return ElementType::Float64;
  std::optional<ElementType> type = parse_element_type(named->second);
  if (!type) throw std::runtime_error("unknown type '" + named->second + "'");
  return *type;
}

Scalar parse_value(ElementType type, const std::vector<std::string>& words, size_t at) {
  if (is_complex(type))
    return Scalar::of(type, std::complex<double>(std::stod(words.at(at)), std::stod(words.at(at + 1))));
  if (is_floating(type)) return Scalar::of(type, std::stod(words.at(at)));
  return Scalar::of(type, static_cast<std::int64_t>(std::stoll(words.at(at))));
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

lowering::Mode parse_mode(const std::string& text) {
  const std::pair<const char*, lowering::Mode> modes[] = {{"grow", lowering::Mode::Grow},
                                                          {"pattern", lowering::Mode::Pattern},
                                                          {"count", lowering::Mode::Count},
                                                          {"fill", lowering::Mode::Fill},
                                                          {"values", lowering::Mode::Values}};
  for (const auto& [name, mode] : modes) {
    if (text == name) return mode;
  }
  throw std::runtime_error("unknown mode '" + text + "'");
}

class Runner {
 public:
  Runner(const Case& c, compiler::Target target) : case_(c), target_(target) {}

  Outcome run() {
    try {
      compile();
      if (!case_.inputs.empty()) compute();
    } catch (const UserError& error) {
      made_["error"] = without_machine(error.text(Wording::CommandLine));
      if (!case_.find("error")) outcome_.failure = error.text();
    } catch (...) {
      outcome_.failure = differential::describe_exception();
    }
    for (const Section& section : case_.sections) outcome_.sections.push_back({section.name, made_[section.name]});
    return outcome_;
  }

 private:
  void compile() {
    if (!case_.loops.empty()) read_loops();
    program_ = notation::parse_program(written_ ? written_->meaning() : case_.expression);
    std::vector<notation::Statement> statements;
    for (const notation::Parsed& parsed : program_.statements) {
      declare(parsed);
      statements.push_back(notation::resolve(parsed, vars_));
      notation::give_extents(statements.back(), given_extents());
    }
    updates_part_ = notation::updates_part(statements[0]) && case_.inputs.count(statements[0].lhs.tensor.name()) > 0;
    if (is_program()) compile_program(statements);
    else compile_kernel(statements[0]);
  }

  void read_loops() {
    written_.emplace(case_.loops);
    for (const auto& [name, order] : written_->workspaces()) {
      auto format = case_.formats.find(name);
      if (format != case_.formats.end())
        written_->set_format(name, parse_format(format->second, order, "-f " + name));
    }
  }

  bool is_program() const { return program_.statements.size() > 1 || updates_part_; }

  void declare(const notation::Parsed& parsed) {
    for (const notation::TensorUse& use : parsed.tensors) {
      if (vars_.count(use.name)) continue;
      uses_.push_back(use);
      ElementType type = use.is_index && !case_.types.count(use.name) ? ElementType::Int64 : type_of(case_, use.name);
      auto named = case_.formats.find(use.name);
      Format format = named == case_.formats.end() ? Format::dense(use.order)
                                                   : parse_format(named->second, use.order, "-f " + use.name);
      auto fill = case_.fills.find(use.name);
      Scalar value = fill == case_.fills.end() ? Scalar(type) : parse_value(type, words_of(fill->second), 0);
      vars_.emplace(use.name, TensorVar(use.name, type, format, value));
    }
  }

  static bool is_for_gpu(const schedule::Schedule& commands) {
    return std::any_of(commands.begin(), commands.end(), [](const schedule::Command& command) {
      const auto* parallelize = std::get_if<schedule::Parallelize>(&command);
      using Unit = schedule::Parallelize::Unit;
      return parallelize && (parallelize->unit == Unit::GpuBlock || parallelize->unit == Unit::GpuWarp ||
                             parallelize->unit == Unit::GpuThread);
    });
  }

  KernelOptions kernel_options() const {
    KernelOptions options;
    options.target = target_;
    options.contract_floats = false;
    if (!case_.schedule.empty()) options.schedule = schedule::parse(case_.schedule, "-s");
    if (is_for_gpu(options.schedule)) options.target = compiler::Target::Interpret;
    if (written_) {
      options.make_loops = [written = *written_](const notation::Statement& statement) {
        return written.loops_for(statement);
      };
    }
    return options;
  }

  void compile_kernel(notation::Statement statement) {
    KernelOptions options = kernel_options();
    options.observer = [this](const compiler::StageReport& report) { made_.try_emplace(report.stage, report.text); };
    if (has_old_value()) statement = notation::with_old_value(statement);
    kernel_.emplace(Kernel::compile(statement, options));
    made_["explain"] = lines(kernel_->program().environment.remarks);
    check_round_trip(made_["concrete"], kernel_->program());
    check_round_trip(made_["assemble"], kernel_->program());
    // [ir] shows one mode; a run may compile members for others.
    compiler::PipelineOptions how;
    how.mode = parse_mode(case_.mode);
    how.observer = [this](const compiler::StageReport& report) { made_[report.stage] = report.text; };
    ir::FunctionDef function = compiler::generate(kernel_->program(), how);
    check_round_trip(function);
    outcome_.failure += differential::check_plan(kernel_->program());
    if (case_.find("error")) compiler::check_units(kernel_->program());
    if (!is_for_gpu(options.schedule))
      made_["c"] = kernel_part(compiler::emit(function, {.standalone = false, .with_main = false}));
    made_["loops"] = loops_of(made_["c"]);
    made_["parallel"] = parallel_loops_of(made_["ir"]);
    made_["launch"] = launch_of(made_["ir"]);
  }

  void compile_program(const std::vector<notation::Statement>& statements) {
    std::set<std::string> given;
    for (const auto& [name, text] : case_.inputs) given.insert(name);
    statements_ = notation::statements_of(notation::link(statements, given));
    options_.stored = case_.stored;
    static_cast<KernelOptions&>(options_) = kernel_options();
    std::map<std::pair<size_t, std::string>, std::string> texts;
    ProgramOptions options = options_;
    options.observer = [&](const compiler::StageReport& report) {
      texts.try_emplace({report.step, report.stage}, report.text);
    };
    Program program = Program::compile(statements_, options);
    for (size_t n = 0; n < program.steps().size(); n++) {
      const Program::Step& step = program.steps()[n];
      texts[{n, "explain"}] = lines(step.remarks) + lines(step.program().environment.remarks);
      check_round_trip(texts[{n, "concrete"}], step.program());
      check_round_trip(texts[{n, "assemble"}], step.program());
      outcome_.failure += differential::check_plan(step.program());
      compiler::PipelineOptions how;
      how.mode = parse_mode(case_.mode);
      how.observer = [&](const compiler::StageReport& report) { texts[{n, report.stage}] = report.text; };
      texts[{n, "c"}] = kernel_part(
          compiler::emit(compiler::generate(step.program(), how), {.standalone = false, .with_main = false}));
      texts[{n, "loops"}] = loops_of(texts[{n, "c"}]);
      for (const auto& [key, text] : texts) {
        if (key.first == n) made_[key.second] += (program.steps().size() > 1 ? heading(step) : "") + text;
      }
    }
  }

  static std::string heading(const Program::Step& step) {
    std::string text = "== statement";
    for (size_t origin : step.origins) text += fmt::format(" {}", origin + 1);
    return text + " ==\n";
  }

  /// Is there an input for the left tensor, too?
  bool has_old_value() const {
    return !is_program() && case_.inputs.count(program_.statements[0].tree->lhs.tensor.name) > 0;
  }

  /// A message without what differs from machine to machine.
  static std::string without_machine(std::string text) {
    std::string memory = human_bytes(physical_memory());
    size_t at = text.find(memory);
    return at == std::string::npos ? text : text.replace(at, memory.size(), "MEMORY");
  }

  static std::string lines(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    return text;
  }

  /// Concrete notation prints as text that reads back as the same statement; relations of its variables follow on lines
  /// of their own.
  void check_round_trip(const std::string& printed, const concrete::Program& program) {
    std::string text = printed.substr(0, printed.find('\n') + 1);
    std::map<std::string, TensorVar> tensors = vars_;
    for (const TensorVar& result : program.results) tensors.insert_or_assign(result.name(), result);
    for (const TensorVar& operand : program.operands) tensors.insert_or_assign(operand.name(), operand);
    concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      if (!assign) return;
      tensors.insert_or_assign(assign->lhs.tensor.name(), assign->lhs.tensor);
      // A format with a map makes an access have its levels for indices.
      for (const notation::Access& access : notation::accesses(assign->rhs))
        tensors.insert_or_assign(access.tensor.name(), access.tensor);
    });
    std::map<std::string, IndexVar> indices;
    std::string again = concrete::to_string(concrete::parse(trim(text), tensors, indices)) + "\n";
    if (again != text) outcome_.failure += "printed and parsed, the statement is another:\n" + difference(text, again);
  }

  void check_round_trip(const ir::FunctionDef& function) {
    std::string text = ir::print(function), again = ir::print(ir::parse(text));
    if (again != text) outcome_.failure += "printed and parsed, the function is another:\n" + difference(text, again);
  }

  /// The function that does the work, without types, helpers and the entry.
  static std::string kernel_part(const std::string& text) {
    size_t begin = text.find("static int kernel_arrays("), end = text.find("\nint kernel(");
    return begin == std::string::npos || end == std::string::npos ? text : text.substr(begin, end - begin);
  }

  /// The loops of the IR that are divided among threads, with those around them.
  static std::string parallel_loops_of(const std::string& text) {
    std::string loops;
    const std::string mark = "parallel for ";
    for (size_t found = text.find(mark); found != std::string::npos;) {
      size_t line = text.rfind('\n', found) + 1;
      bool is_outermost = found - line == 2;
      size_t begin = is_outermost ? line : text.rfind("\n  for ", found) + 1, end = text.find("\n  }\n", found) + 5;
      loops += (loops.empty() ? "" : "\n") + text.substr(begin, end - begin);
      found = text.find(mark, end);
    }
    return loops;
  }

  /// The first launch of the IR, without what is around it.
  static std::string launch_of(const std::string& text) {
    size_t begin = text.find("\n  block for "), end = text.find("\n  }\n", begin);
    return begin == std::string::npos || end == std::string::npos ? "" : text.substr(begin + 1, end - begin + 4);
  }

  /// From the first to the last loop at the level of the function.
  static std::string loops_of(const std::string& text) {
    size_t begin = std::min(text.find(" for ("), text.find(" while ("));
    size_t end = text.rfind("\n  }\n");
    // A loop may be one of several ways to go.
    while (begin != std::string::npos && begin > 0 && !(text.compare(begin, 3, "\n  ") == 0 && text[begin + 3] != ' '))
      begin--;
    return begin == std::string::npos || end == std::string::npos ? "" : text.substr(begin + 1, end - begin + 4);
  }

  void compute() {
    find_extents();
    for (const notation::TensorUse& use : uses_) {
      if (is_input(use)) tensors_.emplace(use.name, make_tensor(use));
    }
    Arguments arguments;
    for (const auto& [name, tensor] : tensors_) arguments.emplace_back(name, tensor);
    Extents given = given_extents();
    if (is_program()) return compute_program(arguments, given);
    const std::string& left = program_.statements[0].tree->lhs.tensor.name;
    if (auto own = case_.dimensions.find(left); own != case_.dimensions.end()) {
      std::vector<std::string> sizes = split(own->second, ',');
      for (size_t d = 0; d < sizes.size(); d++) given[fmt::format("{}.{}", left, d + 1)] = std::stoll(sizes[d]);
    }
    compute_kernel(arguments, given);
  }

  /// Of index variables: other dimensions are for tensors.
  Extents given_extents() const {
    Extents given;
    for (const auto& [name, text] : case_.dimensions) {
      if (vars_.count(name) == 0) given[name] = std::stoll(text);
    }
    return given;
  }

  bool is_input(const notation::TensorUse& use) const {
    return is_program() ? case_.inputs.count(use.name) > 0 : use.is_operand || has_old_value();
  }

  void compute_program(const Arguments& arguments, const Extents& given) {
    Program program = Program::compile(statements_, options_);
    std::map<std::string, AnyTensor> results = program.run(arguments, given);
    for (const std::string& name : program.outputs())
      made_["result"] += (results.size() > 1 ? name + "\n" : "") + entries_of(results.at(name));
    if (auto wrong = differential::check_statements(statements_, options_, arguments, given))
      outcome_.failure += "not the oracle's result: " + *wrong + "\n";
  }

  void compute_kernel(const Arguments& arguments, const Extents& given) {
    AnyTensor result = kernel_->run(arguments, given);
    made_["result"] = entries_of(result);
    reference::Operands boxes;
    for (const auto& [name, tensor] : tensors_) boxes.emplace(name, reference::box_of(tensor));
    reference::Box expected =
        reference::stored_in(reference::evaluate(kernel_->statement(), boxes, given), result.format());
    if (auto wrong = differential::check_kernel(*kernel_, arguments, given, expected))
      outcome_.failure += "not the oracle's result: " + *wrong + "\n";
  }

  /// Extents as given, else the largest coordinate among the inputs.
  void find_extents() {
    for_each_access([&](const std::string& tensor, const std::vector<std::string>& indices) {
      if (is_program() && !case_.inputs.count(tensor)) return;  // a temporary
      for (size_t d = 0; d < indices.size(); d++) {
        std::int64_t& extent = extents_[indices[d]];
        for (const std::vector<std::string>& words : entries(tensor, indices.size()))
          extent = std::max<std::int64_t>(extent, std::stoll(words[d]));
      }
    });
    for (const auto& [name, text] : case_.dimensions) {
      if (vars_.count(name) == 0) extents_[name] = std::stoll(text);
    }
  }

  /// Tensors that are read in indices.
  static void add_gathered(const notation::SyntaxNode& node, std::vector<notation::SyntaxNode>& nodes) {
    for (const notation::IndexUse& index : node.indices) {
      for (const notation::GatherUse& use : index.gathered) {
        notation::SyntaxNode access{
            .kind = notation::SyntaxNode::Kind::Access, .tensor = use.tensor, .indices = use.indices};
        nodes.push_back(access);
        add_gathered(access, nodes);
      }
    }
  }

  void for_each_access(const std::function<void(const std::string&, const std::vector<std::string>&)>& visit) const {
    std::vector<notation::SyntaxNode> nodes;
    for (const notation::Parsed& parsed : program_.statements) {
      nodes.insert(nodes.end(), parsed.tree->nodes.begin(), parsed.tree->nodes.end());
      std::vector<notation::SyntaxNode> all = parsed.tree->nodes;
      all.push_back(parsed.tree->lhs);
      for (const notation::SyntaxNode& node : all) add_gathered(node, nodes);
      if (has_old_value() || is_program()) nodes.push_back(parsed.tree->lhs);
    }
    for (const notation::SyntaxNode& node : nodes) {
      if (node.kind != notation::SyntaxNode::Kind::Access) continue;
      std::vector<std::string> indices;
      for (const notation::IndexUse& index : node.indices) {
        // A dimension with an index such as i+1 has a size of its own, which a case may give as B.1.
        bool plain = index.is_variable() && !node.padded;
        indices.push_back(plain ? index.terms[0].var.name : fmt::format("{}.{}", node.tensor.name, indices.size() + 1));
      }
      visit(node.tensor.name, indices);
    }
  }

  /// The entries of an input, each as its words; none if the input is given as a word.
  std::vector<std::vector<std::string>> entries(const std::string& tensor, size_t order) const {
    auto input = case_.inputs.find(tensor);
    if (input == case_.inputs.end()) throw std::runtime_error("no input for '" + tensor + "'");
    std::vector<std::vector<std::string>> out;
    if (is_listed(input->second, order)) {
      std::vector<std::string> words = words_of(input->second);
      for (size_t n = 0; n < words.size(); n++) out.push_back({std::to_string(n + 1), words[n]});
    } else if (input->second.find('\n') != std::string::npos) {
      for (const std::string& line : split(input->second, '\n')) {
        if (!line.empty()) out.push_back(words_of(line));
      }
    }
    return out;
  }
  static bool is_listed(const std::string& text, size_t order) {
    return order == 1 && text.find('\n') == std::string::npos && !text.empty() && text != "ones" && text != "zeros";
  }

  AnyTensor make_tensor(const notation::TensorUse& use) const {
    const TensorVar& var = vars_.at(use.name);
    const std::string& text = case_.inputs.at(use.name);
    Coordinates list;
    for_each_access([&](const std::string& tensor, const std::vector<std::string>& indices) {
      if (tensor != use.name || !list.dimensions.empty()) return;
      for (const std::string& index : indices) list.dimensions.push_back(extents_.at(index));
    });
    // A dimension that the entries of this tensor alone decide, to make tensors that do not fit each other.
    auto own = case_.dimensions.find(use.name);
    if (own != case_.dimensions.end()) {
      list.dimensions.clear();
      for (const std::string& size : split(own->second, ',')) list.dimensions.push_back(std::stoll(size));
    }
    size_t order = static_cast<size_t>(use.order);
    list.coordinate.resize(order);
    std::vector<Scalar> values;
    if (text == "ones" || text == "zeros") {
      reference::for_each_coordinate(list.dimensions, [&](const std::vector<std::int64_t>& at) {
        for (size_t d = 0; d < order; d++) list.coordinate[d].push_back(at[d]);
        values.push_back(Scalar::of(var.type(), std::int64_t{text == "ones"}));
      });
    } else if (use.order == 0) {
      values.push_back(parse_value(var.type(), words_of(text), 0));
    } else {
      for (const std::vector<std::string>& words : entries(use.name, order)) {
        for (size_t d = 0; d < order; d++) list.coordinate[d].push_back(std::stoll(words.at(d)) - 1);
        values.push_back(parse_value(var.type(), words, order));
      }
    }
    list.values = Array(var.type(), static_cast<std::int64_t>(values.size()));
    for (size_t n = 0; n < values.size(); n++) list.values.set(static_cast<std::int64_t>(n), values[n]);
    return AnyTensor::pack(list, var.format(), Duplicates::Sum, use.name, false, var.fill());
  }

  static std::string entries_of(const AnyTensor& tensor) {
    std::string text;
    if (!tensor.fill().is_zero()) text += "fill " + filigree::to_string(tensor.fill()) + "\n";
    Coordinates entries = tensor.coordinates();
    for (std::int64_t n = 0; n < entries.count(); n++) {
      for (const std::vector<std::int64_t>& coordinate : entries.coordinate)
        text += std::to_string(coordinate[static_cast<size_t>(n)] + 1) + " ";
      text += filigree::to_string(entries.values.get(n)) + "\n";
    }
    return text;
  }

  const Case& case_;
  compiler::Target target_;
  Outcome outcome_;
  std::map<std::string, std::string> made_;  // by section
  std::optional<concrete::Written> written_;  // loops
  notation::ParsedProgram program_;
  bool updates_part_ = false;              // of an old value, which takes several steps
  std::vector<notation::TensorUse> uses_;  // first uses, in order
  std::map<std::string, TensorVar> vars_;
  std::vector<notation::Statement> statements_;  // of a program
  ProgramOptions options_;
  std::optional<Kernel> kernel_;
  std::map<std::string, std::int64_t> extents_;
  std::map<std::string, AnyTensor> tensors_;
};

}  // namespace

Outcome run_case(const Case& c, compiler::Target target) { return Runner(c, target).run(); }

}  // namespace filigree::cases
