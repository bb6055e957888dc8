#include "problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "default_format.h"
#include "io/files.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/extents.h"
#include "notation/syntax.h"
#include "support/match.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

using notation::Access;
using notation::Parsed;
using notation::TensorUse;

std::vector<std::string> tensor_names(const Parsed& parsed) {
  std::vector<std::string> names;
  for (const TensorUse& use : parsed.tensors) names.push_back(use.name);
  return names;
}

const TensorUse* find_tensor(const Parsed& parsed, const std::string& name) {
  auto found = std::find_if(parsed.tensors.begin(), parsed.tensors.end(), [&](const TensorUse& use) { return use.name == name; });
  return found == parsed.tensors.end() ? nullptr : &*found;
}

std::string quoted_list(const std::vector<std::string>& names) { return "'" + join(names, "', '") + "'"; }

UserError unknown_name(const Setting& setting, const std::string& kind, const std::vector<std::string>& known) {
  UserError error(fmt::format("{} {}:{} names no {} of the expression", setting.option, setting.name, setting.value, kind));
  if (auto guess = did_you_mean(setting.name, known)) return std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
  return std::move(error).hint(fmt::format("there {} {}", known.size() == 1 ? "is" : "are", quoted_list(known)));
}

const TensorUse& require_tensor(const Parsed& parsed, const Setting& setting) {
  const TensorUse* use = find_tensor(parsed, setting.name);
  if (!use) throw unknown_name(setting, "tensor", tensor_names(parsed));
  return *use;
}

void check_names(const Parsed& parsed, const RunArguments& arguments) {
  for (const Settings* settings : {&arguments.formats, &arguments.types, &arguments.fills, &arguments.inputs, &arguments.outputs}) {
    for (const Setting& setting : *settings) require_tensor(parsed, setting);
  }
  for (const Setting& setting : arguments.inputs) {
    const TensorUse& use = *find_tensor(parsed, setting.name);
    if (use.is_result && !use.is_operand && !parsed.tree->op) {
      throw UserError(fmt::format("'{}' is assigned and not read, so it takes no input", setting.name))
          .hint(fmt::format("-o {0}:FILE writes it; += and the like start from what is given", setting.name));
    }
  }
  for (const Setting& setting : arguments.fills) {
    if (find_tensor(parsed, setting.name)->order == 0) throw UserError(fmt::format("--fill {}:{}: '{}' is a scalar, which has no fill", setting.name, setting.value, setting.name));
  }
}

/// -d: of tensors into `tensors`, of index variables into the map.
std::map<std::string, std::int64_t> take_dimensions(const Parsed& parsed, const RunArguments& arguments, std::vector<DeclaredTensor>& tensors) {
  std::map<std::string, std::int64_t> extents;
  for (const Setting& setting : arguments.dimensions) {
    std::vector<std::int64_t> sizes = parse_sizes(setting);
    auto tensor = std::find_if(tensors.begin(), tensors.end(), [&](const DeclaredTensor& t) { return t.use.name == setting.name; });
    if (tensor != tensors.end()) {
      if (static_cast<int>(sizes.size()) != tensor->use.order) {
        throw UserError(fmt::format("-d {}:{} gives {} {}, but '{}' has {}", setting.name, setting.value, sizes.size(),
                                    sizes.size() == 1 ? "size" : "sizes", setting.name, tensor->use.order));
      }
      tensor->dimensions = sizes;
      continue;
    }
    const std::vector<std::string>& names = parsed.index_names;
    if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
      std::vector<std::string> known = names;
      for (const TensorUse& use : parsed.tensors) known.push_back(use.name);
      throw unknown_name(setting, "index variable or tensor", known);
    }
    if (sizes.size() != 1) throw UserError(fmt::format("-d {}:{} gives {} sizes, but '{}' is one index variable", setting.name, setting.value, sizes.size(), setting.name));
    extents[setting.name] = sizes[0];
  }
  return extents;
}

std::optional<ElementType> given_type(const RunArguments& arguments, const std::string& name) {
  const Setting* setting = find(arguments.types, name);
  if (!setting) return std::nullopt;
  std::optional<ElementType> type = parse_element_type(lower_case(setting->value));
  if (type) return type;
  std::vector<std::string> names;
  for (ElementType known : all_element_types()) names.push_back(to_string(known));
  UserError error(fmt::format("Unknown element type '{}' of '{}'", setting->value, name));
  if (auto guess = did_you_mean(lower_case(setting->value), names)) throw std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
  throw std::move(error).hint("types are " + join(names, ", "));
}

/// Files that were read already: one that is given for two tensors is read once.
class Reader {
 public:
  Reader(const RunArguments& arguments, Timings& timings) : arguments_(arguments), timings_(timings) {}

  std::shared_ptr<const Coordinates> read(const std::string& path, const DeclaredTensor& tensor, std::optional<ElementType> type) {
    for (const Known& known : files_) {
      if (known.path == path && known.order == tensor.use.order && known.type == type && known.dimensions == tensor.dimensions) return known.entries;
    }
    Stopwatch watch;
    ReadOptions options;
    options.order = tensor.use.order;
    options.dimensions = tensor.dimensions;
    options.type = type;
    options.threads = arguments_.threads;
    auto entries = std::make_shared<const Coordinates>(read_file(path, options));
    timings_.push_back({fmt::format("read {}", path), watch.milliseconds()});
    files_.push_back({path, tensor.use.order, type, tensor.dimensions, entries});
    return entries;
  }

 private:
  struct Known {
    std::string path;
    int order;
    std::optional<ElementType> type;
    std::optional<std::vector<std::int64_t>> dimensions;
    std::shared_ptr<const Coordinates> entries;
  };
  const RunArguments& arguments_;
  Timings& timings_;
  std::vector<Known> files_;
};

void choose_operand_format(DeclaredTensor& tensor, const Setting* given) {
  int order = tensor.use.order;
  if (given) {
    tensor.format = parse_format(given->value, order, "-f " + tensor.use.name);
    tensor.format_reason = "given";
    return;
  }
  const RandomInput* random = tensor.input ? std::get_if<RandomInput>(&*tensor.input) : nullptr;
  bool dense = order <= 1 || (tensor.entries ? tensor.entries->is_dense : !random || random->density == 1);
  tensor.format = dense ? Format::dense(order) : Format::sparse(order);
  tensor.format_reason = order == 0                          ? ""
                         : order == 1                        ? "by default: a vector"
                         : tensor.entries && dense           ? "by default: an array file"
                         : tensor.entries                    ? "by default: a coordinate file"
                         : random && !dense                  ? "by default: random entries"
                                                             : "by default";
}

Scalar given_fill(const RunArguments& arguments, const DeclaredTensor& tensor) {
  const Setting* setting = find(arguments.fills, tensor.use.name);
  return setting ? parse_number(setting->value, tensor.type, tensor.use.name) : Scalar(tensor.type);
}

void declare_operand(DeclaredTensor& tensor, const RunArguments& arguments, Reader& reader, bool has_data) {
  const std::string& name = tensor.use.name;
  std::optional<ElementType> type = given_type(arguments, name);
  tensor.type = type.value_or(ElementType::Float64);
  // Formats and inputs are looked at before files are read, which may take long.
  const Setting* format = find(arguments.formats, name);
  if (format) parse_format(format->value, tensor.use.order, "-f " + name);
  if (const Setting* setting = find(arguments.inputs, name)) {
    tensor.input = parse_input(*setting, tensor.use.order);
    if (const FileInput* file = std::get_if<FileInput>(&*tensor.input)) {
      tensor.entries = reader.read(file->path, tensor, type);
      tensor.type = tensor.entries->values.type();
      tensor.dimensions = tensor.entries->dimensions;
    } else if (const NumberInput* number = std::get_if<NumberInput>(&*tensor.input)) {
      tensor.type = parse_number(number->text, type, name).type();
    }
  } else if (has_data) {
    throw UserError(fmt::format("No input is given for '{}'", name))
        .hint(tensor.use.order == 0 ? fmt::format("give a number, as in -i {}:2.5", name) : fmt::format("give a file or values, as in -i {0}:FILE.tns or -i {0}:ones", name));
  }
  choose_operand_format(tensor, format);
  tensor.fill = given_fill(arguments, tensor);
}

/// Gives plain .tns files the extents that their index variables have elsewhere.
void widen_implied_dimensions(Problem& problem) {
  std::map<std::string, std::int64_t> largest = problem.given_extents;
  std::vector<DeclaredTensor*> implied;
  for (DeclaredTensor& tensor : problem.tensors) {
    if (tensor.entries && tensor.entries->dimensions_implied) implied.push_back(&tensor);
  }
  if (implied.empty()) return;
  std::vector<Access> accesses = notation::accesses(problem.statement.rhs);
  accesses.push_back(problem.statement.lhs);
  auto tensor_of = [&](const Access& access) {
    return &*std::find_if(problem.tensors.begin(), problem.tensors.end(), [&](const DeclaredTensor& t) { return t.use.name == access.tensor.name(); });
  };
  for (const Access& access : accesses) {
    const auto& dimensions = tensor_of(access)->dimensions;
    for (size_t d = 0; dimensions && d < access.indices.size(); d++) {
      std::int64_t& extent = largest[access.indices[d].name()];
      extent = std::max(extent, (*dimensions)[d]);
    }
  }
  for (const Access& access : accesses) {
    DeclaredTensor* tensor = tensor_of(access);
    if (std::find(implied.begin(), implied.end(), tensor) == implied.end()) continue;
    Coordinates wider = *tensor->entries;
    for (size_t d = 0; d < access.indices.size(); d++) wider.dimensions[d] = largest[access.indices[d].name()];
    if (wider.dimensions == *tensor->dimensions) continue;
    tensor->dimensions = wider.dimensions;
    tensor->entries = std::make_shared<const Coordinates>(std::move(wider));
  }
}

/// The statement with the result declared: its type and format may follow from the right-hand side.
notation::Statement declare_statement(const Parsed& parsed, std::vector<DeclaredTensor>& tensors, const RunArguments& arguments) {
  std::map<std::string, TensorVar> variables;
  for (const DeclaredTensor& tensor : tensors) {
    bool open = tensor.use.is_result && !tensor.use.is_operand;
    variables.emplace(tensor.use.name, TensorVar(tensor.use.name, tensor.type, open ? Format::dense(tensor.use.order) : tensor.format, tensor.fill.cast(tensor.type)));
  }
  notation::Statement statement = notation::resolve(parsed, variables);
  DeclaredTensor& result = *std::find_if(tensors.begin(), tensors.end(), [](const DeclaredTensor& t) { return t.use.is_result; });
  if (result.use.is_operand) return notation::with_old_value(statement);
  result.type = given_type(arguments, result.use.name).value_or(statement.rhs.type());
  if (const Setting* given = find(arguments.formats, result.use.name)) {
    result.format = parse_format(given->value, result.use.order, "-f " + result.use.name);
    result.format_reason = "given";
  } else {
    result.format = default_result_format(statement);
    result.format_reason = result.use.order == 0 ? "" : "by default: dense where the expression reaches every coordinate";
  }
  result.fill = given_fill(arguments, result);
  statement.lhs.tensor = TensorVar(result.use.name, result.type, result.format, result.fill);
  return statement;
}

}  // namespace

Problem declare(const RunArguments& arguments, Timings& timings) {
  Parsed parsed = notation::parse(arguments.expression);
  check_names(parsed, arguments);
  std::vector<DeclaredTensor> tensors;
  for (const TensorUse& use : parsed.tensors) {
    tensors.emplace_back();
    tensors.back().use = use;
    if (use.is_result && find(arguments.inputs, use.name)) tensors.back().use.is_operand = true;
  }
  std::map<std::string, std::int64_t> extents = take_dimensions(parsed, arguments, tensors);
  bool has_data = !arguments.inputs.empty() || !arguments.outputs.empty() || arguments.time.has_value();
  Reader reader(arguments, timings);
  for (DeclaredTensor& tensor : tensors) {
    if (tensor.use.is_operand) declare_operand(tensor, arguments, reader, has_data);
  }
  notation::Statement statement = declare_statement(parsed, tensors, arguments);
  Problem problem{std::move(tensors), std::move(statement), std::move(extents), has_data, arguments.force};
  widen_implied_dimensions(problem);
  return problem;
}

std::map<IndexVar, std::int64_t> find_extents(const Problem& problem) {
  std::map<std::string, TensorVar> variables;
  variables.emplace(problem.statement.lhs.tensor.name(), problem.statement.lhs.tensor);
  for (const Access& access : notation::accesses(problem.statement.rhs)) variables.emplace(access.tensor.name(), access.tensor);
  std::map<TensorVar, std::vector<std::int64_t>> dimensions;
  for (const DeclaredTensor& tensor : problem.tensors) {
    if (tensor.dimensions) dimensions[variables.at(tensor.use.name)] = *tensor.dimensions;
  }
  std::vector<IndexVar> vars = notation::index_vars(problem.statement);
  std::map<IndexVar, std::int64_t> given;
  for (const IndexVar& var : vars) {
    if (auto extent = problem.given_extents.find(var.name()); extent != problem.given_extents.end()) given[var] = extent->second;
  }
  std::map<IndexVar, std::int64_t> extents = notation::infer_extents(problem.statement, dimensions, given);
  std::vector<std::string> unknown, options;
  for (const IndexVar& var : vars) {
    if (extents.contains(var)) continue;
    unknown.push_back(var.name());
    options.push_back(fmt::format("-d {}:100", var.name()));
  }
  if (!unknown.empty()) {
    throw UserError(fmt::format("The {} of {} {} unknown: no input tells", unknown.size() == 1 ? "size" : "sizes", quoted_list(unknown), unknown.size() == 1 ? "is" : "are"))
        .hint(fmt::format("give {}, as in {}", unknown.size() == 1 ? "it" : "them", join(options, " ")));
  }
  return extents;
}

std::map<std::string, Tensor> make_operands(Problem& problem, const std::map<IndexVar, std::int64_t>& extents, Timings& timings) {
  std::map<std::string, std::vector<std::int64_t>> dimensions;
  for (const Access& access : notation::accesses(problem.statement.rhs)) {
    std::vector<std::int64_t>& sizes = dimensions[access.tensor.name()];
    sizes.clear();
    for (const IndexVar& var : access.indices) sizes.push_back(extents.at(var));
  }
  std::map<std::string, Tensor> operands;
  for (DeclaredTensor& tensor : problem.tensors) {
    if (!tensor.use.is_operand) continue;
    Stopwatch watch;
    const std::string& name = tensor.use.name;
    Shape shape{name, tensor.type, dimensions[name], tensor.format, tensor.fill, problem.force};
    Tensor made = match_variant(
        *tensor.input,
        [&](const FileInput&) { return Tensor::pack(*tensor.entries, tensor.format, Duplicates::Sum, name, problem.force, tensor.fill); },
        [&](const NumberInput& number) { return Tensor::scalar(parse_number(number.text, tensor.type, name)); },
        [&](const ConstantInput& constant) { return make_constant(shape, constant.value); },
        [&](const RandomInput& random) { return make_random(shape, random); });
    tensor.entries.reset();
    if (tensor.use.order > 0) timings.push_back({fmt::format("pack {} as {}", name, to_string(tensor.format)), watch.milliseconds()});
    operands.emplace(name, std::move(made));
  }
  return operands;
}

}  // namespace filigree::tool
