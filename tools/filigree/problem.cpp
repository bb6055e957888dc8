#include "problem.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "file_settings.h"
#include "names.h"
#include "terminal.h"
#include "unknown_sizes.h"
#include "widen.h"
#include "io/files.h"
#include "io/progress.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/default_format.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "notation/syntax.h"
#include "support/out_of_memory.h"
#include "support/match.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

using notation::Access;
using notation::Parsed;
using notation::ParsedProgram;
using notation::TensorUse;

/// The variables that a sum around the whole right side of a statement is over: `first`, other scalars with sizes, and
/// index variables that are neither on the left nor reduced inside.
std::vector<std::string> summed_around(const Parsed& statement, const std::string& first,
                                       const RunArguments& arguments) {
  std::set<std::string> taken = {first};
  for (const notation::IndexUse& index : statement.tree->lhs.indices) {
    for (const notation::IndexUse::Term& term : index.terms) taken.insert(term.var.name);
  }
  for (const notation::SyntaxNode& node : statement.tree->nodes) {
    for (const notation::NameUse& var : node.vars) taken.insert(var.name);
  }
  std::vector<std::string> names = {first};
  auto add = [&](const std::string& name) {
    if (taken.insert(name).second) names.push_back(name);
  };
  for (const TensorUse& use : statement.tensors) {
    bool has_size = std::any_of(arguments.dimensions.begin(), arguments.dimensions.end(),
                                [&](const Setting& setting) { return setting.name == use.name; });
    if (has_size && use.order == 0 && !use.is_result) add(use.name);
  }
  for (const std::string& name : statement.index_names) add(name);
  return names;
}

/// s = j^2 with -d j:4: nothing makes j an index variable.
UserError no_index_variable(const Setting& setting, const DeclaredTensor& tensor, const ParsedProgram& program,
                            const RunArguments& arguments) {
  const std::string &name = setting.name, &text = program.source->text;
  UserError error(
      fmt::format("{} {}:{} gives a size, but '{}' is a scalar here: an index variable is an index of a tensor, or a "
                  "reduction names it",
                  setting.option, name, setting.value, name));
  for (const Parsed& statement : program.statements) {
    auto reads = [&](const TensorUse& use) { return use.name == name && use.is_operand; };
    if (std::none_of(statement.tensors.begin(), statement.tensors.end(), reads)) continue;
    Span left = statement.tree->lhs.span;
    size_t begin = text.find('=', static_cast<size_t>(left.end)) + 1,
           end = std::min(text.find(';', begin), text.size());
    std::string assigned = text.substr(static_cast<size_t>(left.begin), begin - static_cast<size_t>(left.begin));
    std::string summed = fmt::format("sum({}, {})", join(summed_around(statement, name, arguments), ", "),
                                     trim(text.substr(begin, end - begin)));
    return std::move(error)
        .at(program.source, tensor.use.read_span)
        .hint(fmt::format("to sum over it, write {} {}", assigned, summed));
  }
  return error;
}

/// -d: of tensors into `tensors`, of index variables into the map.
std::map<std::string, std::int64_t> take_dimensions(const Names& names, const RunArguments& arguments,
                                                    const ParsedProgram& program,
                                                    std::vector<DeclaredTensor>& tensors) {
  std::map<std::string, std::int64_t> extents;
  for (const Setting& setting : arguments.dimensions) {
    std::vector<std::int64_t> sizes = parse_sizes(setting);
    auto tensor = std::find_if(tensors.begin(), tensors.end(),
                               [&](const DeclaredTensor& t) { return t.use.name == setting.name; });
    if (tensor != tensors.end()) {
      if (tensor->use.order == 0 && sizes.size() == 1 && !tensor->use.is_result)
        throw no_index_variable(setting, *tensor, program, arguments);
      if (static_cast<int>(sizes.size()) != tensor->use.order) {
        throw UserError(fmt::format("{} {}:{} gives {}, but '{}' has {}", setting.option, setting.name, setting.value,
                                    counted(sizes.size(), "size"), setting.name,
                                    counted(tensor->use.order, "dimension")));
      }
      tensor->dimensions = sizes;
      continue;
    }
    if (std::find(names.indices.begin(), names.indices.end(), setting.name) == names.indices.end()) {
      std::vector<std::string> known = names.indices;
      for (const std::string& tensor : names.of_tensors()) known.push_back(tensor);
      throw unknown_name(setting, "index variable or tensor", known);
    }
    if (sizes.size() != 1)
      throw UserError(fmt::format("{} {}:{} gives {} sizes, but '{}' is one index variable", setting.option,
                                  setting.name, setting.value, sizes.size(), setting.name));
    extents[setting.name] = sizes[0];
  }
  return extents;
}

/// What a word that is no element type may have been meant as.
std::string hint_for_type(const std::string& word) {
  std::vector<std::string> names, families;
  for (ElementType known : all_element_types()) names.push_back(to_string(known));
  if (auto guess = did_you_mean(word, names)) return fmt::format("did you mean '{}'?", *guess);
  // A name without its width.
  const std::map<std::string, std::string> widths = {{"float", "'float32' or 'float64'"},
                                                     {"double", "'float64'"},
                                                     {"int", "'int32' or 'int64'"},
                                                     {"uint", "'uint32' or 'uint64'"},
                                                     {"complex", "'complex64' or 'complex128'"},
                                                     {"integer", "'int32' or 'int64'"},
                                                     {"real", "'float32' or 'float64'"}};
  for (const auto& [family, meant] : widths) families.push_back(family);
  auto guess = widths.contains(word) ? std::optional(word) : did_you_mean(word, families);
  return guess ? fmt::format("did you mean {}?", widths.at(*guess)) : "types are " + join(names, ", ");
}

std::optional<ElementType> given_type(const RunArguments& arguments, const std::string& name) {
  const Setting* setting = find(arguments.types, name);
  if (!setting) return std::nullopt;
  std::optional<ElementType> type = parse_element_type(lower_case(setting->value));
  if (type) return type;
  throw UserError(fmt::format("Unknown element type '{}' of '{}'", setting->value, name))
      .hint(hint_for_type(lower_case(setting->value)));
}

/// Files that were read already: one that is given for two tensors is read once.
class Reader {
 public:
  Reader(const RunArguments& arguments, Timings& timings, ReadFiles& files)
      : arguments_(arguments), timings_(timings), files_(files) {}

  std::shared_ptr<Contents> read(const std::string& path, const DeclaredTensor& tensor,
                                 std::optional<ElementType> type) {
    std::optional<int> base = file_base(arguments_, tensor.use.name);
    for (const ReadFile& known : files_) {
      if (known.path == path && known.base == base && known.order == tensor.use.order && known.type == type &&
          known.dimensions == tensor.dimensions)
        return known.entries;
    }
    Stopwatch watch;
    io::Progress progress("reading " + path);
    ReadOptions options;
    options.order = tensor.use.order;
    options.dimensions = tensor.dimensions;
    options.type = type;
    options.threads = arguments_.threads;
    options.base = base;
    options.tensor = tensor.use.name;
    auto entries = std::make_shared<Contents>(read_contents(path, options));
    for (const Warning& warning : entries->warnings()) print_error(warning.text(Wording::CommandLine));
    timings_.push_back({fmt::format("read {}", path), watch.milliseconds()});
    files_.push_back({path, base, tensor.use.order, type, tensor.dimensions, entries});
    return entries;
  }

 private:
  const RunArguments& arguments_;
  Timings& timings_;
  ReadFiles& files_;
};

void choose_operand_format(DeclaredTensor& tensor, const Setting* given) {
  int order = tensor.use.order;
  if (given) {
    tensor.format = parse_format(given->value, order, given->option + " " + tensor.use.name);
    tensor.format_reason = "given";
    return;
  }
  const RandomInput* random = tensor.input ? std::get_if<RandomInput>(&*tensor.input) : nullptr;
  bool dense = order <= 1 || (tensor.entries ? tensor.entries->is_dense() : !random || random->density == 1);
  tensor.format = dense            ? Format::dense(order)
                  : tensor.entries ? tensor.entries->usual_format()
                                   : Format::sparse(order);
  tensor.format_reason = order == 0         ? ""
                         : order == 1       ? "by default: a vector"
                         : tensor.entries   ? "by default: " + tensor.entries->format_reason()
                         : random && !dense ? "by default: random entries"
                                            : "by default";
}

/// The file's, or --fill, or 0.
Scalar given_fill(const RunArguments& arguments, const DeclaredTensor& tensor) {
  const Setting* setting = find(arguments.fills, tensor.use.name);
  std::optional<Scalar> stated;
  if (tensor.entries && tensor.entries->fill()) stated = tensor.entries->fill()->cast(tensor.type);
  Scalar given = setting ? parse_number(setting->value, tensor.type, tensor.use.name)
                         : stated.value_or(Scalar(tensor.type));
  if (setting && stated && !(given == *stated)) {
    throw UserError(fmt::format("--fill {}:{}: its file says that what '{}' does not store is {}", setting->name,
                                setting->value, setting->name, to_string(*stated)))
        .hint("leave --fill out, or correct the file");
  }
  return given;
}

/// Nothing says what the tensor holds when it is read first.
UserError no_input(const TensorUse& use, const Source& source) {
  const std::string& name = use.name;
  std::string example = use.order == 0
                            ? fmt::format("give a number, as in -i {}:2.5", name)
                            : fmt::format("give a file or values, as in -i {0}:FILE.tns or -i {0}:ones", name);
  UserError error(fmt::format("No input is given for '{}'", name));
  if (use.is_gathered)
    std::move(error).note(fmt::format(
        "'{0}' is a tensor here, read at coordinates that another one holds; there is no function '{0}'", name));
  if (!use.is_result) return std::move(error).hint(example);
  return UserError(fmt::format("'{}' is read before it is assigned, and no input is given for it", name))
      .at(source, use.is_operand ? use.read_span : use.span)
      .hint(example);
}

/// What is to be computed needs all its inputs; all that are missing are named, before any file is read.
void check_all_given(const Problem& problem, const RunArguments& arguments, const Source& source) {
  std::vector<std::string> names, examples;
  for (const DeclaredTensor& tensor : problem.tensors) {
    if (!tensor.is_input || find(arguments.inputs, tensor.use.name)) continue;
    if (tensor.use.is_result) throw no_input(tensor.use, source);
    names.push_back(tensor.use.name);
    examples.push_back(fmt::format("-i {}:{}", tensor.use.name,
                                   tensor.use.order == 0 ? "2.5"
                                   : names.size() == 1   ? "FILE.tns"
                                                         : "ones"));
  }
  if (names.empty()) return;
  if (names.size() == 1)
    throw no_input(std::find_if(problem.tensors.begin(), problem.tensors.end(),
                                [&](const DeclaredTensor& t) { return t.use.name == names[0]; })
                       ->use,
                   source);
  throw UserError("No inputs are given for " + quoted_list(names))
      .hint("give files, values or numbers, as in " + join(examples, " "));
}

void declare_operand(DeclaredTensor& tensor, const RunArguments& arguments, Reader& reader) {
  const std::string& name = tensor.use.name;
  std::optional<ElementType> type = given_type(arguments, name);
  if (!type && tensor.use.is_index) type = ElementType::Int64;
  tensor.type = type.value_or(ElementType::Float64);
  // Formats and inputs are looked at before files are read, which may take long.
  const Setting* format = find(arguments.formats, name);
  if (format) parse_format(format->value, tensor.use.order, format->option + " " + name);
  if (const Setting* setting = find(arguments.inputs, name)) {
    tensor.input = parse_input(*setting, tensor.use.order);
    if (const FileInput* file = std::get_if<FileInput>(&*tensor.input)) {
      tensor.entries = reader.read(file->path, tensor, type);
      tensor.type = tensor.entries->type();
      tensor.dimensions = tensor.entries->dimensions();
    } else if (const NumberInput* number = std::get_if<NumberInput>(&*tensor.input)) {
      tensor.type = parse_number(number->text, type, name).type();
    }
  }
  choose_operand_format(tensor, format);
  tensor.fill = given_fill(arguments, tensor);
}

/// Resolves the statements one after the other, with the tensors as those before leave them.
class StatementDeclarer {
  using Extents = std::map<IndexVar, std::int64_t>;

 public:
  StatementDeclarer(Problem& problem, const Names& names, const ParsedProgram& parsed, const RunArguments& arguments)
      : problem_(problem), parsed_(parsed), arguments_(arguments) {
    for (const std::string& index : names.indices) names_.use(index);
    for (const DeclaredTensor& tensor : problem.tensors) {
      names_.use(tensor.use.name);
      if (tensor.is_input) current_.emplace(tensor.use.name, variable(tensor));
      if (tensor.is_input && tensor.dimensions) dimensions_[tensor.use.name] = *tensor.dimensions;
    }
    for (const Parsed& statement : parsed.statements) {
      for (const TensorUse& use : statement.tensors) {
        if (use.is_operand && use.name != statement.tree->lhs.tensor.name) read_by_others_.insert(use.name);
      }
    }
  }

  void operator()(const Parsed& parsed) {
    const std::string& name = parsed.tree->lhs.tensor.name;
    bool has_value = current_.count(name) > 0;
    // Until it is declared, the result is something of its order.
    if (!has_value)
      current_.emplace(name, TensorVar(name, ElementType::Float64,
                                       Format::dense(static_cast<int>(parsed.tree->lhs.indices.size()))));
    notation::Statement statement = notation::resolve(parsed, current_);
    notation::give_extents(statement, problem_.given_extents);
    if (has_value) statement = add_steps_before(statement);
    DeclaredTensor& result = *std::find_if(problem_.tensors.begin(), problem_.tensors.end(),
                                           [&](const DeclaredTensor& t) { return t.use.name == name; });
    // What is given keeps its type and format.
    statement.lhs.tensor = variable(result.is_input ? result : declare_result(statement, result));
    add(statement);
  }

 private:
  void add(const notation::Statement& statement) {
    note_dimensions(statement);
    current_.insert_or_assign(statement.lhs.tensor.name(), notation::made_by(statement));
    problem_.statements.push_back(statement);
  }

  /// Of the statements that make the new value of an old one, adds all but the last, which is the result.
  notation::Statement add_steps_before(const notation::Statement& statement) {
    std::vector<notation::Statement> statements = notation::with_old_values(statement, names_);
    for (size_t n = 0; n + 1 < statements.size(); n++) {
      const TensorVar& made = statements[n].lhs.tensor;
      DeclaredTensor declared;
      declared.use.name = made.name();
      declared.use.order = made.order();
      declared.type = made.type();
      declared.format = made.format();
      declared.fill = made.fill();
      declared.format_reason = fmt::format("what '{}' changes", notation::to_string(statement.lhs));
      problem_.tensors.push_back(declared);
      add(statements[n]);
    }
    return statements.back();
  }

  static TensorVar variable(const DeclaredTensor& tensor) {
    return TensorVar(tensor.use.name, tensor.type, tensor.format, tensor.fill.cast(tensor.type));
  }

  /// Of what is assigned: `-=` of a bool is a negative number, and several bools add up to one.
  static ElementType assigned_type(const notation::Statement& statement) {
    notation::Statement assigned = notation::as_assignment(statement);
    std::optional<Operator> op = notation::accumulation(assigned);
    ElementType type = notation::signed_right_side(assigned).type();
    return op ? reduced_type(*op, type) : type;
  }

  /// Its type and format may follow from the right-hand side.
  DeclaredTensor declare_result(const notation::Statement& statement, DeclaredTensor& known) {
    DeclaredTensor result = known;
    const std::string& name = result.use.name;
    result.type = given_type(arguments_, name).value_or(assigned_type(statement));
    if (const Setting* given = find(arguments_.formats, name)) {
      result.format = parse_format(given->value, result.use.order, given->option + " " + name);
      result.format_reason = "given";
    } else {
      notation::DefaultFormat chosen = notation::default_format(statement, hints(statement), is_temporary(name));
      result.format = chosen.format;
      result.format_reason = chosen.reason.empty() ? "" : "by default: " + chosen.reason;
    }
    result.fill = given_fill(arguments_, result);
    check_result_fill(statement, result);
    auto assigns_it = [&](const notation::Statement& earlier) { return notation::assigns(earlier, name); };
    bool is_first = std::none_of(problem_.statements.begin(), problem_.statements.end(), assigns_it);
    if (is_first) {
      known = result;
      return result;
    }
    bool is_listed = std::any_of(problem_.tensors.begin(), problem_.tensors.end(), [&](const DeclaredTensor& t) {
      return t.use.name == name && t.type == result.type && t.format == result.format;
    });
    if (!is_listed) problem_.tensors.push_back(result);
    return result;
  }

  /// Is it read by other statements, and not asked for?
  bool is_temporary(const std::string& name) const {
    return !find(arguments_.outputs, name) && read_by_others_.count(name) > 0;
  }

  /// The sizes that files and options tell.  Where they disagree nothing is known: that is told once all statements are
  /// there, and sizes that files leave open have been widened.
  notation::SizeHints hints(const notation::Statement& statement) {
    notation::SizeHints hints;
    for (const DeclaredTensor& tensor : problem_.tensors) {
      if (tensor.entries) hints.entries[tensor.use.name] = tensor.entries->count();
    }
    try {
      if (disagree_) return hints;
      std::optional<Extents> extents = extents_of_operands(statement);
      hints.extents = extents ? *extents : extents_among_all(statement);
    } catch (const UserError&) {
      disagree_ = true;
    }
    return hints;
  }

  /// As far as all statements up to this one tell them.
  Extents extents_among_all(const notation::Statement& statement) const {
    Problem so_far{problem_.tensors, problem_.statements, {}, {}, problem_.given_extents};
    so_far.statements.push_back(statement);
    return find_known_sizes(so_far).extents.back();
  }

  /// If options and the tensors that a statement reads tell all its extents, no other statement is needed for that.
  std::optional<Extents> extents_of_operands(const notation::Statement& statement) const {
    notation::Statement assigned = notation::as_assignment(statement);
    std::map<TensorVar, std::vector<std::int64_t>> dimensions;
    for (const Access& access : notation::accesses(assigned.rhs)) {
      if (access.tensor.selection()) return std::nullopt;
      auto known = dimensions_.find(access.tensor.name());
      if (known != dimensions_.end()) dimensions[access.tensor] = known->second;
    }
    Extents given;
    for (const IndexVar& var : notation::index_vars(assigned)) {
      if (auto extent = problem_.given_extents.find(var.name());
          var.is_named() && extent != problem_.given_extents.end())
        given[var] = extent->second;
    }
    Extents extents = notation::infer_extents(assigned, dimensions, given);
    for (const IndexVar& var : notation::index_vars(assigned)) {
      if (!extents.contains(var)) return std::nullopt;
    }
    return extents;
  }

  /// What is made has the extents of its indices.
  void note_dimensions(const notation::Statement& statement) {
    const Access& left = statement.lhs;
    dimensions_.erase(left.tensor.name());
    bool is_plain = std::none_of(left.indices.begin(), left.indices.end(),
                                 [](const IndexVar& index) { return index.map() != nullptr; });
    if (disagree_ || !is_plain) return;
    try {
      std::optional<Extents> extents = extents_of_operands(statement);
      if (!extents) return;
      std::vector<std::int64_t>& dimensions = dimensions_[left.tensor.name()];
      for (const IndexVar& index : left.indices) dimensions.push_back(extents->at(index));
    } catch (const UserError&) {
      disagree_ = true;
    }
  }

  /// A fill that is given must be the one that follows from the expression, where one does.
  void check_result_fill(notation::Statement statement, const DeclaredTensor& result) const {
    const Setting* given = find(arguments_.fills, result.use.name);
    if (!given) return;
    statement.lhs.tensor = variable(result);
    Scalar fill = notation::made_by(statement).fill();
    if (fill == result.fill.cast(result.type)) return;
    throw UserError(fmt::format("--fill {}:{}: what '{}' does not store is {}, which follows from the expression",
                                given->name, given->value, given->name, to_string(fill)))
        .hint("leave it out; the fill of a result is the expression with every operand at its fill");
  }

  Problem& problem_;
  const ParsedProgram& parsed_;
  const RunArguments& arguments_;
  FreshNames names_;
  std::map<std::string, TensorVar> current_;                     // with the value it has at this point
  std::map<std::string, std::vector<std::int64_t>> dimensions_;  // of those values, where they are known
  bool disagree_ = false;                                        // sizes that were told
  std::set<std::string> read_by_others_;                         // by statements that do not assign it
};

/// Results to print or write: those that nothing reads, and those that -o names.
std::vector<std::string> wanted_results(const Problem& problem, const RunArguments& arguments) {
  std::vector<std::string> wanted = notation::unread_results(problem.statements);
  for (const Setting& output : arguments.outputs) {
    auto assigns_it = [&](const notation::Statement& statement) { return notation::assigns(statement, output.name); };
    bool is_assigned = std::any_of(problem.statements.begin(), problem.statements.end(), assigns_it);
    if (is_assigned && std::find(wanted.begin(), wanted.end(), output.name) == wanted.end())
      wanted.push_back(output.name);
  }
  return wanted;
}

/// Is nothing missing although nothing is given, and is a result what is asked for?
bool needs_no_data(const Problem& problem, const RunArguments& arguments) {
  if (!arguments.print.empty() || arguments.emit) return false;
  if (std::any_of(problem.tensors.begin(), problem.tensors.end(), [](const DeclaredTensor& t) { return t.is_input; }))
    return false;
  return !unknown_sizes(problem, find_known_sizes(problem));
}

}  // namespace

Problem declare(const RunArguments& arguments, Timings& timings, ReadFiles& known) {
  ParsedProgram parsed = notation::parse_program(arguments.expression, declared_names(arguments));
  Names names(parsed, arguments);
  check_names(names, arguments, parsed.source);
  check_streams(arguments);
  Problem problem;
  for (const Names::Tensor& tensor : names.tensors) {
    problem.tensors.emplace_back();
    problem.tensors.back().use = tensor.use;
    problem.tensors.back().is_input = tensor.is_input;
  }
  problem.given_extents = take_dimensions(names, arguments, parsed, problem.tensors);
  problem.has_data = arguments.must_run || !arguments.inputs.empty() || !arguments.outputs.empty() ||
                     arguments.time.has_value();
  problem.force = arguments.force;
  if (problem.has_data) check_all_given(problem, arguments, parsed.source);
  Reader reader(arguments, timings, known);
  for (DeclaredTensor& tensor : problem.tensors) {
    if (tensor.is_input) declare_operand(tensor, arguments, reader);
  }
  StatementDeclarer declare_statement(problem, names, parsed, arguments);
  for (const Parsed& statement : parsed.statements) declare_statement(statement);
  problem.results = wanted_results(problem, arguments);
  for (const Settings* settings : {&arguments.formats, &arguments.types, &arguments.fills, &arguments.dimensions}) {
    for (const Setting& setting : *settings) problem.stored.push_back(setting.name);
  }
  widen_implied_dimensions(problem);
  problem.has_data = problem.has_data || needs_no_data(problem, arguments);
  return problem;
}

Sizes given_sizes(const Problem& problem) {
  Sizes sizes{problem.given_extents};
  for (const DeclaredTensor& tensor : problem.tensors) {
    if (!tensor.is_input && tensor.dimensions) sizes.dimensions[tensor.use.name] = *tensor.dimensions;
  }
  return sizes;
}

notation::ProgramSizes find_known_sizes(const Problem& problem) {
  Sizes given = given_sizes(problem);
  notation::KnownSizes known{{}, given.dimensions, given.extents};
  for (const DeclaredTensor& tensor : problem.tensors) {
    if (tensor.is_input && tensor.dimensions) known.inputs[tensor.use.name] = *tensor.dimensions;
  }
  return notation::infer_sizes(problem.statements, known);
}

notation::ProgramSizes find_sizes(const Problem& problem) {
  notation::ProgramSizes sizes = find_known_sizes(problem);
  if (std::optional<UserError> error = unknown_sizes(problem, sizes)) throw *error;
  return sizes;
}

AnyTensor make_input(const Problem& problem, DeclaredTensor& tensor, const notation::ProgramSizes& sizes,
                     Timings& timings) {
  Stopwatch watch;
  const std::string& name = tensor.use.name;
  io::Progress progress(fmt::format("packing {} as {}", name, to_string(tensor.format)));
  Shape shape{name, tensor.type, sizes.inputs.at(name), tensor.format, tensor.fill, problem.force};
  auto make = [&] {
    return match_variant(
        *tensor.input,
        [&](const FileInput&) {
          bool is_last_use = tensor.entries.use_count() == 1;
          return is_last_use ? std::move(*tensor.entries).pack(tensor.format, name, problem.force, tensor.fill)
                             : tensor.entries->pack(tensor.format, name, problem.force, tensor.fill);
        },
        [&](const NumberInput& number) { return AnyTensor::scalar(parse_number(number.text, tensor.type, name)); },
        [&](const ConstantInput& constant) { return make_constant(shape, constant.value); },
        [&](const RandomInput& random) { return make_random(shape, random); });
  };
  double all = size_in_bytes(tensor.type);
  for (std::int64_t extent : shape.dimensions) all *= static_cast<double>(extent);
  AnyTensor made =
      naming_memory(fmt::format("making '{}' ({})", name, describe_dimensions(shape.dimensions)), all, make);
  tensor.entries.reset();
  if (tensor.use.order > 0)
    timings.push_back({fmt::format("pack {} as {}", name, to_string(tensor.format)), watch.milliseconds()});
  return made;
}

std::map<std::string, AnyTensor> make_inputs(Problem& problem, const notation::ProgramSizes& sizes, Timings& timings) {
  std::map<std::string, AnyTensor> inputs;
  for (DeclaredTensor& tensor : problem.tensors) {
    if (tensor.is_input) inputs.emplace(tensor.use.name, make_input(problem, tensor, sizes, timings));
  }
  return inputs;
}

}  // namespace filigree::tool
