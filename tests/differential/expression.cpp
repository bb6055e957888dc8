#include "tests/differential/expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/text.h"
#include "tests/differential/formats.h"

namespace filigree::differential {
namespace {

/// All that the oracle sees of an operand besides its values: which components are stored, and what the rules for
/// fills and for copies ask of the format.
std::string presence_of(const reference::Box& box, const Format& format) {
  std::string text = format.is_dense() ? "D" : format.pads() ? "P" : "S";
  // Formats that hold only a part of the entries change values, too.
  bool whole = format.symmetry() == Symmetry::None &&
               std::none_of(format.levels().begin(), format.levels().end(),
                            [](const Level& level) { return level.format->stands_under_rows(); }) &&
               !has_one_child(format);
  if (!whole) text += to_string(format);
  for (const reference::Component& component : box.components) text += component.present ? '1' : '0';
  return text;
}

}  // namespace

Expression::Expression(const std::string& text, unsigned seed, std::int64_t limit)
    : text_(text), parsed_(notation::parse(text)), data_(data_sets(parsed_, seed)) {
  for (bool all_mode_orders : {true, false}) {
    tensors_.clear();
    for (const notation::TensorUse& use : parsed_.tensors)
      tensors_.push_back({use, formats_of(use.order, all_mode_orders), {}});
    if (combinations() <= limit) break;
  }
  pack_all(seed);
}

std::unique_ptr<Expression> Expression::with_named_formats(const std::string& text, unsigned seed, std::int64_t limit) {
  std::unique_ptr<Expression> expression(new Expression(text, square_data_sets(notation::parse(text), seed)));
  for (bool few : {false, true}) {
    expression->tensors_.clear();
    for (const notation::TensorUse& use : expression->parsed_.tensors)
      expression->tensors_.push_back({use, named_formats_of(use.order, few), {}});
    if (expression->combinations() <= limit) break;
  }
  expression->pack_all(seed);
  return expression;
}

void Expression::pack_all(unsigned seed) {
  for (TensorChoices& tensor : tensors_) {
    if (tensor.use.is_result) continue;
    for (const Format& format : tensor.formats) {
      tensor.packed.emplace_back();
      for (const DataSet& set : data_) {
        std::optional<Coordinates> entries = suited(set.operands.at(tensor.use.name), format, seed);
        if (!entries) {
          tensor.packed.back().push_back({false, AnyTensor(), reference::Box({}, Scalar()), ""});
          continue;
        }
        AnyTensor packed = AnyTensor::pack(*entries, format, Duplicates::Sum, tensor.use.name);
        packed.validate(tensor.use.name);
        reference::Box box = reference::box_of(packed);
        tensor.packed.back().push_back({true, packed, box, presence_of(box, format)});
      }
    }
  }
}

std::int64_t Expression::combinations() const {
  std::int64_t product = 1;
  for (const TensorChoices& tensor : tensors_) product *= static_cast<std::int64_t>(tensor.formats.size());
  return product;
}

std::vector<size_t> Expression::choice(std::int64_t combination) const {
  std::vector<size_t> choice;
  for (const TensorChoices& tensor : tensors_) {
    choice.push_back(static_cast<size_t>(combination) % tensor.formats.size());
    combination /= static_cast<std::int64_t>(tensor.formats.size());
  }
  return choice;
}

std::string Expression::formats_text(std::int64_t combination) const {
  std::vector<size_t> chosen = choice(combination);
  std::vector<std::string> parts;
  for (size_t t = 0; t < tensors_.size(); t++) {
    parts.push_back(fmt::format("{}:{}", tensors_[t].use.name, to_string(tensors_[t].formats[chosen[t]])));
  }
  return join(parts, " ");
}

notation::Statement Expression::statement(const std::vector<size_t>& choice) const {
  std::map<std::string, TensorVar> vars;
  for (size_t t = 0; t < tensors_.size(); t++) {
    const std::string& name = tensors_[t].use.name;
    vars.emplace(name, TensorVar(name, ElementType::Float64, tensors_[t].formats[choice[t]]));
  }
  return notation::resolve(parsed_, vars);
}

const reference::Box& Expression::expected(const notation::Statement& statement, const std::vector<size_t>& choice,
                                           size_t data_set) const {
  std::string key = fmt::format("{} {}", data_set, statement.lhs.tensor.format().is_dense());
  for (size_t t = 0; t < tensors_.size(); t++) {
    if (!tensors_[t].use.is_result) key += " " + tensors_[t].packed[choice[t]][data_set].presence;
  }
  std::lock_guard lock(mutex_);
  auto found = expected_.find(key);
  if (found != expected_.end()) return found->second;
  reference::Operands operands;
  for (size_t t = 0; t < tensors_.size(); t++) {
    if (!tensors_[t].use.is_result) operands.emplace(tensors_[t].use.name, tensors_[t].packed[choice[t]][data_set].box);
  }
  return expected_.emplace(key, reference::evaluate(statement, operands)).first->second;
}

namespace {

/// A result that its format cannot hold must be refused; any other must be right.
std::optional<std::string> check_against(const Kernel& kernel, const Arguments& arguments,
                                         const reference::Box& support, const Format& format) {
  std::optional<reference::Box> box;
  try {
    box = reference::stored_in(support, format);
  } catch (const UserError&) {
    try {
      kernel.run(arguments);
    } catch (const UserError&) {
      return std::nullopt;
    }
    return "a result was made that the format cannot hold";
  }
  return check_kernel(kernel, arguments, {}, *box);
}

}  // namespace

Expression::Outcome Expression::check(std::int64_t combination, const KernelOptions& options) const {
  std::vector<size_t> chosen = choice(combination);
  Outcome outcome;
  size_t data_set = 0;
  try {
    notation::Statement compiled = statement(chosen);
    Kernel kernel = Kernel::compile(compiled, options);
    for (; data_set < data_.size(); data_set++) {
      Arguments arguments;
      bool fits = true;
      for (size_t t = 0; t < tensors_.size(); t++) {
        if (tensors_[t].use.is_result) continue;
        fits = fits && tensors_[t].packed[chosen[t]][data_set].fits;
        arguments.emplace_back(tensors_[t].use.name, tensors_[t].packed[chosen[t]][data_set].tensor);
      }
      if (!fits) continue;
      outcome.runs++;
      std::optional<std::string> wrong =
          check_against(kernel, arguments, expected(compiled, chosen, data_set), compiled.lhs.tensor.format());
      if (!wrong) continue;
      std::string details = fmt::format("data set '{}':\n", data_[data_set].name);
      for (const Argument& argument : arguments) details += describe(argument.name, *argument.tensor);
      outcome.failure = {*wrong, details};
      return outcome;
    }
  } catch (...) {
    outcome.failure = {"compile: " + describe_exception(), ""};
  }
  return outcome;
}

}  // namespace filigree::differential
