// Filigree as a contender: a statement that is compiled once, and run on tensors.
#include <optional>

#include "race.h"

namespace suite {

namespace {

using filigree::AnyTensor;
using filigree::Array;
using filigree::ElementType;

/// The same in memory like that of the peers, which lives as long as the array.
template <class T>
Array own(const Vector<T>& list) {
  auto kept = std::make_shared<Vector<T>>(list);
  return Array::borrow(filigree::element_type_of<T>(), kept->data(), static_cast<std::int64_t>(kept->size()), kept);
}

double bytes_of(const AnyTensor& tensor) {
  double sum = 0;
  for (const Array* array : tensor.all_arrays()) sum += static_cast<double>(array->bytes());
  return sum;
}

filigree::Kernel compile(const Statement& statement, const filigree::KernelOptions& options) {
  if (!statement.fill) return filigree::compile(statement.text, statement.declared, options);
  filigree::notation::Parsed parsed = filigree::notation::parse(statement.text);
  std::map<std::string, filigree::TensorVar> vars;
  for (const filigree::notation::TensorUse& use : parsed.tensors) {
    vars.emplace(use.name, filigree::TensorVar(use.name, ElementType::Float64, filigree::parse_format("csr", use.order),
                                               filigree::Scalar::of(ElementType::Float64, *statement.fill)));
  }
  return filigree::Kernel::compile(filigree::notation::resolve(parsed, vars), options);
}

}  // namespace

std::shared_ptr<const AnyTensor> stored(const Matrix& matrix, const std::string& format) {
  AnyTensor made = AnyTensor::from_arrays({matrix.rows, matrix.columns}, filigree::parse_format("csr", 2),
                                          {{}, {own(matrix.start), own(matrix.column)}}, own(matrix.value));
  if (format == "csr") return std::make_shared<const AnyTensor>(std::move(made));
  return std::make_shared<const AnyTensor>(made.converted(filigree::parse_format(format, 2), "matrix", true));
}

std::shared_ptr<const AnyTensor> stored(const Entries& entries, const std::string& format) {
  filigree::Coordinates list;
  list.dimensions = entries.dimensions;
  for (const Vector<int>& c : entries.coordinate) list.coordinate.emplace_back(c.begin(), c.end());
  list.values = own(entries.value);
  return std::make_shared<const AnyTensor>(AnyTensor::pack(list, filigree::parse_format(format, entries.order())));
}

std::shared_ptr<const AnyTensor> dense(const Vector<double>& values, std::vector<std::int64_t> dimensions) {
  std::vector<std::vector<Array>> none(dimensions.size());
  filigree::Format format = filigree::Format::dense(static_cast<int>(dimensions.size()));
  return std::make_shared<const AnyTensor>(
      AnyTensor::from_arrays(std::move(dimensions), format, std::move(none), own(values)));
}

std::shared_ptr<const AnyTensor> dense_float(const Vector<double>& values, std::vector<std::int64_t> dimensions) {
  return std::make_shared<const AnyTensor>(dense(values, std::move(dimensions))->cast(ElementType::Float32));
}

std::shared_ptr<const AnyTensor> as_listed(const Entries& entries) {
  Vector<int> ends = {0, static_cast<int>(entries.count())};
  return std::make_shared<const AnyTensor>(AnyTensor::from_arrays(
      entries.dimensions, filigree::parse_format("coo(unordered)", 2),
      {{own(ends), own(entries.coordinate[0])}, {own(entries.coordinate[1])}}, own(entries.value)));
}

Answer answer_of(const AnyTensor& tensor) {
  if (tensor.order() == 0) return answer_of(tensor.values().get(0).as_double());
  Answer answer;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    answer.add(at, tensor.values().get(position).as_double());
  });
  return answer;
}

Answer answer_of(const Matrix& matrix) {
  Answer answer;
  for (std::int64_t i = 0; i < matrix.rows; i++) {
    for (int p = matrix.start[static_cast<std::size_t>(i)]; p < matrix.start[static_cast<std::size_t>(i) + 1]; p++)
      answer.add(i, matrix.column[static_cast<std::size_t>(p)], matrix.value[static_cast<std::size_t>(p)]);
  }
  return answer;
}

Answer answer_of(std::span<const double> values, std::int64_t columns) {
  Answer answer;
  for (std::size_t n = 0; n < values.size(); n++) {
    std::int64_t at = static_cast<std::int64_t>(n);
    columns == 0 ? answer.add(at, values[n]) : answer.add(at / columns, at % columns, values[n]);
  }
  return answer;
}

Answer answer_of(double number) { return answer_of(std::span(&number, 1)); }

Answer answer_of(const Tree& tree) {
  Answer answer;
  std::vector<std::int64_t> at(tree.start.size());
  auto visit = [&](auto&& visit, std::size_t level, int first, int last) -> void {
    for (int p = first; p < last; p++) {
      std::size_t n = static_cast<std::size_t>(p);
      at[level] = tree.coordinate[level][n];
      if (level + 1 == at.size()) answer.add(at, tree.value[n]);
      else visit(visit, level + 1, tree.start[level + 1][n], tree.start[level + 1][n + 1]);
    }
  };
  visit(visit, 0, tree.start[0][0], tree.start[0][1]);
  return answer;
}

Answer answer_of_row(const Matrix& row) {
  Answer answer;
  for (std::size_t n = 0; n < row.column.size(); n++) answer.add(row.column[n], row.value[n]);
  return answer;
}

void Race::filigree(const Statement& statement, const std::string& name) {
  struct State {
    filigree::Kernel kernel;
    filigree::Arguments arguments;
    std::vector<std::shared_ptr<const AnyTensor>> kept;
    filigree::Extents extents;
    std::optional<AnyTensor> result;
  };
  filigree::KernelOptions options = statement.options;
  options.threads = threads;
  auto state = std::make_shared<State>(State{compile(statement, options), {}, {}, statement.extents, {}});
  for (const auto& [operand, tensor] : statement.operands) {
    state->arguments.emplace_back(operand, *tensor);
    state->kept.push_back(tensor);
  }
  state->result = state->kernel.run(state->arguments, state->extents);
  if (contenders.empty()) {
    bytes = bytes_of(*state->result);
    for (const auto& tensor : state->kept) {
      bytes += bytes_of(*tensor);
      entries += static_cast<double>(tensor->stored());
    }
  }
  Contender contender;
  contender.name = name;
  contender.is_peer = false;
  contender.answer = [state] { return answer_of(*state->result); };
  if (statement.in_place) {
    contender.run = [state] { state->kernel.compute(*state->result, state->arguments); };
  } else {
    contender.before = [state] { state->result.reset(); };
    contender.run = [state] { state->result = state->kernel.run(state->arguments, state->extents); };
  }
  contenders.push_back(std::move(contender));
}

}  // namespace suite
