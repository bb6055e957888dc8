#include "problem.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "file_settings.h"
#include "layout_format.h"
#include "names.h"
#include "terminal.h"
#include "unknown_sizes.h"
#include "front/declared_sizes.h"
#include "io/files.h"
#include "io/progress.h"
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
UserError no_index_variable(const Setting& setting, const TensorUse& scalar, const ParsedProgram& program,
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
        .at(program.source, scalar.read_span)
        .hint(fmt::format("to sum over it, write {} {}", assigned, summed));
  }
  return error;
}

/// -d, of tensors and of index variables.
void take_dimensions(const front::ProgramNames& names, const RunArguments& arguments, const ParsedProgram& program,
                     Problem& problem) {
  for (const Setting& setting : arguments.dimensions) {
    std::vector<std::int64_t> sizes = parse_sizes(setting);
    if (const front::ProgramNames::Tensor* tensor = names.find(setting.name)) {
      const TensorUse& use = tensor->use;
      if (use.order == 0 && sizes.size() == 1 && !use.is_result)
        throw no_index_variable(setting, use, program, arguments);
      if (static_cast<int>(sizes.size()) != use.order) {
        throw UserError(fmt::format("{} {}:{} gives {}, but '{}' has {}", setting.option, setting.name, setting.value,
                                    counted(sizes.size(), "size"), setting.name, counted(use.order, "dimension")));
      }
      problem.given_dimensions[setting.name] = sizes;
      continue;
    }
    if (!names.has_index(setting.name)) {
      std::vector<std::string> known = names.indices;
      for (const std::string& tensor : names.of_tensors()) known.push_back(tensor);
      throw unknown_name(setting, "index variable or tensor", known);
    }
    if (sizes.size() != 1)
      throw UserError(fmt::format("{} {}:{} gives {} sizes, but '{}' is one index variable", setting.option,
                                  setting.name, setting.value, sizes.size(), setting.name));
    problem.extents[setting.name] = sizes[0];
  }
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

  std::shared_ptr<Contents> read(const std::string& path, const TensorUse& tensor,
                                 const std::optional<std::vector<std::int64_t>>& dimensions,
                                 std::optional<ElementType> type) {
    std::optional<int> base = file_base(arguments_, tensor.name);
    for (const ReadFile& known : files_) {
      if (known.path == path && known.base == base && known.order == tensor.order && known.type == type &&
          known.dimensions == dimensions)
        return known.entries;
    }
    Stopwatch watch;
    io::Progress progress("reading " + path);
    ReadOptions options;
    options.order = tensor.order;
    options.dimensions = dimensions;
    options.type = type;
    options.threads = arguments_.threads;
    options.base = base;
    options.tensor = tensor.name;
    auto entries = std::make_shared<Contents>(read_contents(path, options));
    for (const Warning& warning : entries->warnings()) print_error(warning.text(Wording::CommandLine));
    timings_.push_back({fmt::format("read {}", path), watch.milliseconds()});
    files_.push_back({path, base, tensor.order, type, dimensions, entries});
    return entries;
  }

 private:
  const RunArguments& arguments_;
  Timings& timings_;
  ReadFiles& files_;
};

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
void check_all_given(const front::ProgramNames& all, const RunArguments& arguments, const Source& source) {
  std::vector<std::string> names, examples;
  for (const front::ProgramNames::Tensor& tensor : all.tensors) {
    if (!tensor.is_input || find(arguments.inputs, tensor.use.name)) continue;
    if (tensor.use.is_result) throw no_input(tensor.use, source);
    names.push_back(tensor.use.name);
    examples.push_back(fmt::format("-i {}:{}", tensor.use.name,
                                   tensor.use.order == 0 ? "2.5"
                                   : names.size() == 1   ? "FILE.tns"
                                                         : "ones"));
  }
  if (names.empty()) return;
  if (names.size() == 1) throw no_input(all.find(names[0])->use, source);
  throw UserError("No inputs are given for " + quoted_list(names))
      .hint("give files, values or numbers, as in " + join(examples, " "));
}

/// What options and files say about a tensor.  Formats and inputs are looked at before files are read, which may take
/// long.
front::Stated stated(const front::ProgramNames::Tensor& tensor, const RunArguments& arguments, Problem& problem,
                     Reader& reader) {
  const std::string& name = tensor.use.name;
  front::Stated said;
  said.type = given_type(arguments, name);
  if (auto sizes = problem.given_dimensions.find(name); sizes != problem.given_dimensions.end())
    said.dimensions = sizes->second;
  if (const Setting* format = find(arguments.formats, name))
    said.format = parse_format_option(format->value, tensor.use.order, format->option + " " + name);
  ElementType usual = tensor.use.is_index ? ElementType::Int64 : ElementType::Float64;
  std::optional<ElementType> type = said.type;
  if (!type && tensor.is_input) type = usual;
  if (const Setting* setting = tensor.is_input ? find(arguments.inputs, name) : nullptr) {
    const Input& input = problem.inputs.emplace(name, parse_input(*setting, tensor.use.order)).first->second;
    bool may_differ = !said.type && !tensor.use.is_index;
    said.contents = read_layout_arrays(input, name, tensor.use.order, find(arguments.formats, name), said.dimensions,
                                       may_differ ? std::nullopt : type);
    if (said.contents) {
      type = said.contents->type();
    } else if (const FileInput* file = std::get_if<FileInput>(&input)) {
      said.contents = reader.read(file->path, tensor.use, said.dimensions, may_differ ? std::nullopt : type);
      type = said.contents->type();
    } else if (const NumberInput* number = std::get_if<NumberInput>(&input)) {
      type = said.type = parse_number(number->text, may_differ ? std::nullopt : type, name).type();
    } else if (const RandomInput* random = std::get_if<RandomInput>(&input)) {
      said.density = random->density;
    }
  }
  if (const Setting* fill = find(arguments.fills, name)) said.fill = parse_number(fill->value, type, name);
  return said;
}

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
  return !unknown_sizes(problem, front::known_sizes(problem));
}

}  // namespace

Problem declare(const RunArguments& arguments, Timings& timings, ReadFiles& known) {
  ParsedProgram parsed = notation::parse_program(arguments.expression, declared_names(arguments));
  std::set<std::string> outputs;
  for (const Setting& setting : arguments.outputs) outputs.insert(setting.name);
  front::ProgramNames names(parsed, given_names(arguments));
  check_names(names, arguments, parsed.source);
  check_streams(arguments);
  Problem problem;
  take_dimensions(names, arguments, parsed, problem);
  problem.has_data = arguments.must_run || !arguments.inputs.empty() || !arguments.outputs.empty() ||
                     arguments.time.has_value();
  problem.force = arguments.force;
  if (problem.has_data) check_all_given(names, arguments, parsed.source);
  Reader reader(arguments, timings, known);
  front::StatedByName said;
  for (bool is_input : {true, false}) {
    for (const front::ProgramNames::Tensor& tensor : names.tensors) {
      if (tensor.is_input == is_input) said.emplace(tensor.use.name, stated(tensor, arguments, problem, reader));
    }
  }
  static_cast<front::DeclaredProgram&>(problem) =
      front::declare(parsed, names, said, {.extents = problem.extents, .outputs = outputs});
  problem.results = wanted_results(problem, arguments);
  for (const Settings* settings : {&arguments.formats, &arguments.types, &arguments.fills, &arguments.dimensions}) {
    for (const Setting& setting : *settings) problem.stored.push_back(setting.name);
  }
  problem.has_data = problem.has_data || needs_no_data(problem, arguments);
  return problem;
}

notation::ProgramSizes find_sizes(const Problem& problem) {
  notation::ProgramSizes sizes = front::known_sizes(problem);
  if (std::optional<UserError> error = unknown_sizes(problem, sizes)) throw *error;
  return sizes;
}

AnyTensor make_input(const Problem& problem, DeclaredTensor& tensor, const notation::ProgramSizes& sizes,
                     Timings& timings) {
  Stopwatch watch;
  const std::string& name = tensor.use.name;
  io::Progress progress(fmt::format("packing {} as {}", name, to_string(tensor.format)));
  Shape shape{name, tensor.type, sizes.inputs.at(name), tensor.format, tensor.fill, problem.force};
  auto from_file = [&] {
    bool is_last_use = tensor.contents.use_count() == 1;
    return is_last_use ? std::move(*tensor.contents).pack(tensor.format, name, problem.force, tensor.fill)
                       : tensor.contents->pack(tensor.format, name, problem.force, tensor.fill);
  };
  auto make = [&] {
    return match_variant(
        problem.inputs.at(name), [&](const FileInput&) { return from_file(); },
        [&](const ArraysInput&) { return from_file(); },
        [&](const NumberInput& number) { return AnyTensor::scalar(parse_number(number.text, tensor.type, name)); },
        [&](const ConstantInput& constant) { return make_constant(shape, constant.value); },
        [&](const RandomInput& random) { return make_random(shape, random); });
  };
  double all = size_in_bytes(tensor.type);
  for (std::int64_t extent : shape.dimensions) all *= static_cast<double>(extent);
  AnyTensor made =
      naming_memory(fmt::format("making '{}' ({})", name, describe_dimensions(shape.dimensions)), all, make);
  tensor.contents.reset();
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
