// What one call of a kernel is about: its operands in the order of the program, and all sizes that follow from them.
#include "compiler/check_sizes.h"
#include "compiler/assigned_once.h"
#include "compiler/kernel_family.h"
#include "concrete/derivations.h"
#include "concrete/parts.h"

namespace filigree {

bool Kernel::Family::has_plain_sizes() const {
  return program.environment.bounds.empty() &&
         std::none_of(operands.begin(), operands.end(), [](const TensorVar& tensor) { return tensor.selection(); });
}

Kernel::Family::Call Kernel::Family::prepare(const Arguments& arguments, const Extents& given) const {
  Call call;
  for (const TensorVar& declared : declared_operands()) {
    if (declared.selection()) {
      call.operands.push_back(nullptr);  // made when the sizes are known
      continue;
    }
    auto argument =
        std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == declared.name(); });
    if (argument == arguments.end()) throw UserError(fmt::format("The operand '{}' is missing", declared.name()));
    auto copy = copies.find(declared.name());
    compiler::check_operand(copy == copies.end() ? declared : copy->second.from, *argument->tensor, options.validate,
                            options.thread_count());
    if (copy != copies.end())
      call.copies.push_back(std::make_shared<const AnyTensor>(copy->second.kernel.run({*argument})));
    call.operands.push_back(copy == copies.end() ? argument->tensor : call.copies.back().get());
  }
  check_known(arguments);
  if (!has_plain_sizes()) return find_sizes(call, arguments, given), call;
  std::vector<std::int64_t> sizes;
  for (const AnyTensor* operand : call.operands)
    sizes.insert(sizes.end(), operand->dimensions().begin(), operand->dimensions().end());
  {
    std::lock_guard lock(remembering);
    if (remembered && remembered->dimensions == sizes && remembered->given == given) {
      call.extents = remembered->extents;
      call.result_dimensions = remembered->result_dimensions;
      return call;
    }
  }
  find_sizes(call, arguments, given);
  std::lock_guard lock(remembering);
  remembered = std::make_shared<const Remembered>(Remembered{sizes, given, call.extents, call.result_dimensions});
  return call;
}

void Kernel::Family::find_sizes(Call& call, const Arguments& arguments, const Extents& given) const {
  std::map<TensorVar, std::vector<std::int64_t>> dimensions;
  compiler::Selections selections(statement);
  const std::vector<TensorVar>& declared = declared_operands();
  for (size_t n = 0; n < declared.size(); n++) {
    const AnyTensor* source = declared[n].selection() && declared[n].read() ? &source_of(declared[n], arguments)
                                                                            : nullptr;
    dimensions[declared[n]] = declared[n].selection() ? selections.add(declared[n], source)
                                                      : call.operands[n]->dimensions();
  }
  dimensions.emplace(statement.lhs.tensor, given_dimensions(given));
  call.extents = notation::infer_extents(statement, dimensions, by_variable(given));
  if (!selections.empty()) {
    selections.find_sizes(call.extents, dimensions);
    call.extents = notation::infer_extents(statement, dimensions, by_variable(given));
  }
  check_bounds(call);
  check_points(call);
  for (const IndexVar& var : statement.lhs.indices) {
    auto extent = call.extents.find(var);
    if (extent == call.extents.end()) {
      throw std::move(
          UserError(fmt::format("The size of '{}' is unknown: no operand has that index variable", var.name())))
          .hint(fmt::format("give it among the extents of the run, as in {{{{\"{}\", 100}}}}", var.name()),
                fmt::format("give it, as in -d {}:100", var.name()));
    }
    call.result_dimensions.push_back(extent->second);
  }
  // What is given must be what the result's dimensions leave: code has only these.
  dimensions[statement.lhs.tensor] = call.result_dimensions;
  notation::infer_extents(statement, dimensions, by_variable(given));
  std::map<TensorVar, const AnyTensor*> made;
  for (size_t n = 0; n < declared.size(); n++) {
    if (!declared[n].selection()) continue;
    call.copies.push_back(std::make_shared<const AnyTensor>(selections.make(declared[n], call.extents)));
    call.operands[n] = made[declared[n]] = call.copies.back().get();
  }
  compiler::check_assigned_once(statement, made, call.extents);
  check_shape(call.result_dimensions, statement.lhs.tensor.format(), result().name());
  check_storage_fits(call.result_dimensions, made_format(), result().type(), 0, result().name());
}

/// The operand whose values a selection holds.
const AnyTensor& Kernel::Family::source_of(const TensorVar& selection, const Arguments& arguments) const {
  const TensorVar& source = *selection.read();
  auto argument =
      std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == source.name(); });
  if (argument == arguments.end()) throw UserError(fmt::format("The operand '{}' is missing", source.name()));
  compiler::check_operand(source, *argument->tensor, options.validate, options.thread_count());
  return *argument->tensor;
}

/// Extents that no operand has are the result's.
Extents Kernel::Family::extents_of(const AnyTensor& result) const {
  Extents extents;
  for (size_t d = 0; d < statement.lhs.indices.size() && d < result.dimensions().size(); d++)
    extents[result_dimension_names[d]] = result.dimensions()[d];
  return extents;
}

/// The sizes with which this result was made.  It is larger than i of y(i+1) = wrap(x(i)) runs: if nothing else was
/// known then, its own size does not tell now how far that is.
Kernel::Family::Call Kernel::Family::prepare_again(const AnyTensor& result, const Arguments& operands) const {
  const std::vector<TensorVar>& read = declared_operands();
  bool selects = std::any_of(read.begin(), read.end(), [](const TensorVar& tensor) { return tensor.selection(); });
  if (selects) {
    try {
      Call call = prepare(operands, {});
      if (call.result_dimensions == result.dimensions()) return call;
    } catch (const UserError&) {  // then sizes were given
    }
  }
  return prepare(operands, extents_of(result));
}

/// A call that writes into a tensor which is there.
Kernel::Family::Call Kernel::Family::prepare_given(const AnyTensor& result, const Arguments& operands) const {
  Call call = prepare_again(result, operands);
  if (result.dimensions() != call.result_dimensions || !(result.format() == statement.lhs.tensor.format()) ||
      result.type() != this->result().type()) {
    throw std::move(
        UserError(fmt::format("'{}' does not have the shape, format and type of the result", this->result().name())))
        .hint("make it with assemble()");
  }
  for (const AnyTensor* operand : call.operands) {
    for (const Array* array : operand->all_arrays()) {
      if (array->count() > 0 && array->data() == result.values().data()) {
        throw UserError(fmt::format("The values of '{}' are also an operand's; a kernel cannot write what it reads",
                                    this->result().name()));
      }
    }
  }
  compiler::check_structure(this->result().name(), result, options.validate, options.thread_count());
  call.given = &result;
  return call;
}

void Kernel::Family::check_bounds(const Call& call) const {
  compiler::check_bounds(program, call.operands, call.extents, "schedule");
}

void Kernel::Family::check_points(const Call& call) const { compiler::check_points(program, call.extents); }

void Kernel::Family::check_known(const Arguments& arguments) const {
  bool are_known = std::all_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
    return std::any_of(operands.begin(), operands.end(), [&](const TensorVar& operand) {
      return operand.read() && operand.read()->name() == argument.name;
    });
  });
  if (are_known) return;
  std::vector<std::string> names;
  for (const TensorVar& operand : declared_operands()) {
    if (operand.read()) names.push_back(operand.read()->name());
  }
  const std::set<std::string> known(names.begin(), names.end());
  for (const Argument& argument : arguments) {
    if (known.count(argument.name)) continue;
    UserError error(fmt::format("The statement has no operand '{}'", argument.name));
    if (auto guess = did_you_mean(argument.name, names)) throw std::move(error).hint("did you mean '" + *guess + "'?");
    throw error;
  }
}

std::map<IndexVar, std::int64_t> Kernel::Family::by_variable(const Extents& given) const {
  std::map<IndexVar, std::int64_t> out;
  for (const auto& [name, extent] : given) {
    auto written = written_names.find(name);
    const std::string& unnamed = written == written_names.end() ? name : written->second;
    for (const auto& [var, source] : program.environment.extents) {
      bool is_meant = var.name() == (var.is_named() ? name : unnamed);
      if (is_meant && !var.map()) out[var] = extent;  // the names of indices that follow from others are not unique
    }
  }
  return out;
}

/// Of the result; negative where they are not given.
std::vector<std::int64_t> Kernel::Family::given_dimensions(const Extents& given) const {
  std::vector<std::int64_t> out;
  for (size_t d = 0; d < statement.lhs.indices.size(); d++) {
    auto extent = given.find(result_dimension_names[d]);
    out.push_back(extent == given.end() ? -1 : extent->second);
  }
  return out;
}

}  // namespace filigree
