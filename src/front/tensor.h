// Tensors that hold data, know what is assigned to them, and compute it when it is read:
//
//   Tensor<double> A({n, n}, formats::csr), x({n}), y({n});
//   IndexVar i, j;
//   A.insert({0, 1}, 2.5);
//   y(i) = A(i, j) * x(j);
//   std::cout << y.at(0) << "\n" << y;
//
// Copies are tensors of their own.  docs/cpp.md tells the rest.
#pragma once

#include <iterator>
#include <ostream>
#include <type_traits>
#include <utility>

#include "front/borrow.h"
#include "front/dimensions.h"
#include "front/entries.h"
#include "front/print.h"
#include "front/state.h"
#include "io/files.h"
#include "tensor/component.h"
#include "tensor/formats.h"

namespace filigree {

template <Element T>
Scalar to_scalar(T value) {
  return Scalar::load(element_type_of<T>(), &value);
}

/// A stored component.
template <Element T>
struct Component {
  std::vector<std::int64_t> coordinates;
  T value;
};

template <class Index>
concept IndexOrNumber = std::same_as<Index, IndexVar> || std::integral<Index>;

template <Element T>
class Tensor {
 public:
  using value_type = T;

  /// A scalar, 0.
  Tensor() : Tensor(Dimensions{}) {}
  /// Nothing is stored yet: every component has the fill.
  explicit Tensor(const Dimensions& dimensions, const ChosenFormat& format = formats::dense, T fill = T())
      : Tensor("", dimensions, format, fill) {}
  Tensor(std::string name, const Dimensions& dimensions, const ChosenFormat& format = formats::dense, T fill = T())
      : state_(std::make_shared<front::State>(std::move(name), dimensions.values(),
                                              format.of_order(static_cast<int>(dimensions.values().size())),
                                              to_scalar(fill))) {}
  /// Takes its dimensions from what is assigned to it first.
  explicit Tensor(Format format)
      : state_(std::make_shared<front::State>("", std::nullopt, std::move(format), Scalar(element_type_of<T>()))) {}
  /// The same for a format of one order only, such as formats::csr; for others write formats::coo(3).
  template <std::same_as<formats::Word> Word>  // so that {dense} is a list of levels
  explicit Tensor(const Word& format) : Tensor(format.of_its_order()) {}
  /// Rows of a matrix; zeros are stored only where the format has room for them anyway.
  explicit Tensor(std::initializer_list<std::initializer_list<T>> rows, const ChosenFormat& format = formats::dense)
      : Tensor(matrix(rows, format)) {}
  /// A tensor whose element type is known at run time.  Throws UserError if it is another one.
  explicit Tensor(AnyTensor tensor, std::string name = "") {
    front::check_element_type(tensor.type(), element_type_of<T>());
    state_ = std::make_shared<front::State>(std::move(name), std::move(tensor));
  }

  Tensor(const Tensor& other) : state_(other.state()->copy()) {}
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor& other) {
    if (this != &other) state_ = other.state()->copy();
    return *this;
  }
  Tensor& operator=(Tensor&&) noexcept = default;
  ~Tensor() = default;

  static Tensor scalar(T value) { return Tensor(AnyTensor::scalar(to_scalar(value))); }
  static Tensor vector(const std::vector<T>& values, const ChosenFormat& format = formats::dense) {
    Tensor out(Dimensions{values.size()}, format);
    for (size_t n = 0; n < values.size(); n++) out.insert_unless_zero({n}, values[n]);
    return out;
  }
  /// Throws UserError unless all rows have the same length.
  static Tensor matrix(std::initializer_list<std::initializer_list<T>> rows,
                       const ChosenFormat& format = formats::dense) {
    size_t columns = rows.size() == 0 ? 0 : rows.begin()->size(), row = 0;
    Tensor out(Dimensions{rows.size(), columns}, format);
    for (const std::initializer_list<T>& values : rows) {
      if (values.size() != columns)
        throw UserError("The rows of a matrix have different lengths").hint("write the zeros, too");
      size_t column = 0;
      for (const T& value : values) out.insert_unless_zero({row, column++}, value);
      row++;
    }
    return out;
  }
  /// Entries in any order: coordinates[d][n] is the coordinate of entry n in dimension d.  Entries with the same
  /// coordinates are added up.
  static Tensor from_coordinates(const Dimensions& dimensions,
                                 const std::vector<std::vector<std::int64_t>>& coordinates,
                                 const std::vector<T>& values, const ChosenFormat& format,
                                 Duplicates duplicates = Duplicates::Sum) {
    Coordinates entries{dimensions.values(), coordinates,
                        Array(element_type_of<T>(), static_cast<std::int64_t>(values.size()))};
    std::copy(values.begin(), values.end(), entries.values.template as<T>().begin());
    check_entries(entries);
    return Tensor(AnyTensor::pack(entries, format.of_order(entries.order()), duplicates, "tensor",
                                  front::evaluation_options().force));
  }

  /// Memory that belongs to somebody else, row by row: it is read where it is, and results are written there.  `owner`
  /// stays alive as long as this does.
  static Tensor borrow(T* values, const Dimensions& dimensions, std::shared_ptr<void> owner = nullptr) {
    Format format = Format::dense(static_cast<int>(dimensions.values().size()));
    std::int64_t count = front::count_to_borrow(dimensions.values(), format);
    std::vector<std::vector<Array>> levels(dimensions.values().size());
    return Tensor(AnyTensor::from_arrays(dimensions.values(), format, std::move(levels),
                                         Array::borrow(element_type_of<T>(), values, count, std::move(owner))));
  }
  /// The same for any format: `arrays` are those of each level, `values` those of the last one.  They are checked once,
  /// or as `validate` says.
  static Tensor borrow(const Dimensions& dimensions, const ChosenFormat& format, std::vector<std::vector<Array>> arrays,
                       std::span<T> values, std::shared_ptr<void> owner = nullptr, Validate validate = Validate::Once) {
    return Tensor(AnyTensor::from_arrays(
        dimensions.values(), format.of_order(static_cast<int>(dimensions.values().size())), std::move(arrays),
        Array::borrow(element_type_of<T>(), values.data(), static_cast<std::int64_t>(values.size()), std::move(owner)),
        "tensor", validate));
  }

  // --- What it is ---------------------------------------------------------------------------------

  int order() const { return state()->order(); }
  /// Throws UserError if nothing tells them yet.
  const std::vector<std::int64_t>& dimensions() const { return state()->dimensions(); }
  std::int64_t dimension(int number) const { return dimensions().at(static_cast<size_t>(number)); }
  const Format& format() const { return state()->format(); }
  const std::string& name() const { return state()->name(); }
  Tensor& rename(std::string name) { return state()->rename(std::move(name)), *this; }
  /// What components have that are not stored.
  T fill() const { return from_scalar(value().fill()); }

  // --- Index notation -----------------------------------------------------------------------------

  /// A(i, j): an operand, or the left side of an assignment.  A number stands for one coordinate: A(i, 0).
  template <IndexOrNumber... Indices>
    requires(sizeof...(Indices) == 0 || (std::same_as<Indices, IndexVar> || ...))
  front::TensorAccess operator()(const Indices&... indices) const {
    return front::TensorAccess(state(), std::vector<IndexVar>{as_index(indices)...});
  }
  /// A scalar needs no parentheses, on either side.
  operator Term() const { return front::TensorAccess(state(), {}); }
  void operator=(const Term& right) { front::TensorAccess(state(), {}) = right; }
  void operator+=(const Term& right) { front::TensorAccess(state(), {}) += right; }
  void operator-=(const Term& right) { front::TensorAccess(state(), {}) -= right; }
  void operator*=(const Term& right) { front::TensorAccess(state(), {}) *= right; }
  void operator/=(const Term& right) { front::TensorAccess(state(), {}) /= right; }

  /// Computes what is assigned, if that is not done yet.
  void evaluate() const { state()->evaluate(); }
  void evaluate(const KernelOptions& options) const { state()->evaluate(options); }
  /// The same into memory of the caller's, row by row, which must have room for every component.
  void evaluate_into(std::span<T> memory) const {
    const AnyTensor& tensor = value();
    front::check_room(state()->label(), tensor.dimensions(), memory.data(), memory.size());
    AnyTensor dense = tensor.format() == Format::dense(order()) ? AnyTensor()
                                                                : tensor.converted(Format::dense(order()));
    std::span<const T> from =
        (dense.order() == order() && order() > 0 ? std::as_const(dense) : tensor).values().template as<T>();
    std::copy(from.begin(), from.end(), memory.begin());
  }

  // --- Components ---------------------------------------------------------------------------------

  /// Adds to what is stored of a component: where nothing is, the value is stored; where the format stores every
  /// component, that is the fill at first. Entries are collected and packed when the tensor is read.  Throws UserError
  /// for coordinates outside.
  void insert(std::initializer_list<Numbers::Number> coordinates, T value) { put(coordinates, value, Duplicates::Sum); }
  void insert(std::span<const std::int64_t> coordinates, T value) {
    state()->insert(coordinates, &value, Duplicates::Sum);
  }
  /// Replaces a component.
  void set(std::initializer_list<Numbers::Number> coordinates, T value) { put(coordinates, value, Duplicates::Last); }
  void set(std::span<const std::int64_t> coordinates, T value) {
    state()->insert(coordinates, &value, Duplicates::Last);
  }

  /// A component: what is stored, or the fill.  Throws UserError for coordinates outside.
  template <std::integral... Coordinates>
  T at(Coordinates... coordinates) const {
    return at(Numbers{coordinates...});
  }
  T at(const Numbers& coordinates) const { return from_scalar(state()->component(coordinates.values())); }
  template <std::integral... Coordinates>
    requires(sizeof...(Coordinates) > 0)
  T operator()(Coordinates... coordinates) const {
    return at(Numbers{coordinates...});
  }
  T operator()(const Numbers& coordinates) const { return at(coordinates); }
  /// Of a scalar.
  T item() const { return at(Numbers{}); }
  explicit operator T() const { return item(); }

  /// How many components are stored.
  std::int64_t stored() const { return value().statistics().stored; }
  /// The values in memory, in storage order; changing them changes the tensor.
  std::span<const T> values() const { return value().values().template as<T>(); }
  std::span<T> values() { return state()->changing_value().values().template as<T>(); }

  /// for (const auto& [coordinates, value] : A): what is stored, sorted by coordinates.
  class Iterator {
   public:
    using value_type = Component<T>;
    using difference_type = std::ptrdiff_t;
    using reference = const Component<T>&;
    using pointer = const Component<T>*;
    using iterator_category = std::input_iterator_tag;
    Iterator() = default;  // the end
    explicit Iterator(std::shared_ptr<const front::Entries> entries) : entries_(std::move(entries)) { read(); }
    const Component<T>& operator*() const { return component_; }
    const Component<T>* operator->() const { return &component_; }
    Iterator& operator++() { return number_++, read(), *this; }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    /// Requires: both are of the same tensor.
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    void read() {
      if (number_ >= entries_->count()) {
        number_ = at_end;
        entries_.reset();
        return;
      }
      entries_->coordinates(number_, component_.coordinates);
      component_.value = *static_cast<const T*>(entries_->value(number_));
    }
    static constexpr std::int64_t at_end = -1;
    std::shared_ptr<const front::Entries> entries_;  // null at the end
    std::int64_t number_ = entries_ ? 0 : at_end;
    Component<T> component_ = {};
  };
  Iterator begin() const { return Iterator(std::make_shared<const front::Entries>(value())); }
  Iterator end() const { return Iterator(); }

  // --- Other forms --------------------------------------------------------------------------------

  /// The same components in another format, or with elements of another type.
  Tensor converted(const ChosenFormat& format) const {
    return Tensor(value().converted(format.of_order(order()), "tensor", front::evaluation_options().force));
  }
  template <Element Other>
  Tensor<Other> cast() const {
    return Tensor<Other>(value().template cast<Other>());
  }
  /// As kernels, files and everything else takes it.
  const AnyTensor& value() const { return state()->value(); }
  operator const AnyTensor&() const { return value(); }

  friend std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
    return out << front::to_text(tensor.value());
  }

 private:
  static IndexVar as_index(const IndexVar& var) { return var; }
  template <std::integral Integer>
  static IndexVar as_index(Integer coordinate) {
    return fixed(static_cast<std::int64_t>(coordinate));
  }

  static T from_scalar(const Scalar& value) {
    T out;
    value.cast(element_type_of<T>()).store(&out);
    return out;
  }
  static void check_entries(const Coordinates& entries) {
    bool fits = entries.coordinate.size() == entries.dimensions.size();
    for (const std::vector<std::int64_t>& coordinate : entries.coordinate)
      fits = fits && static_cast<std::int64_t>(coordinate.size()) == entries.count();
    if (!fits)
      throw UserError("Entries need a list of coordinates for each dimension, each as long as the list of values");
  }

  void put(std::initializer_list<Numbers::Number> coordinates, T value, Duplicates how) {
    constexpr size_t few = 8;
    std::int64_t at[few];
    if (coordinates.size() > few) {
      std::vector<std::int64_t> many = Numbers(coordinates).values();
      return state()->insert(many, &value, how);
    }
    size_t n = 0;
    for (const Numbers::Number& coordinate : coordinates) at[n++] = coordinate.value;
    state()->insert({at, n}, &value, how);
  }
  void insert_unless_zero(std::initializer_list<Numbers::Number> coordinates, T value) {
    if (value != T()) insert(coordinates, value);
  }

  template <Element First, Element... Rest>
  friend auto einsum(const std::string& subscripts, const Tensor<First>& first, const Tensor<Rest>&... rest);

  const front::StatePtr& state() const {
    if (!state_)
      throw UserError("This tensor was moved away").hint("assign another tensor to it before it is used again");
    return state_;
  }

  front::StatePtr state_;
};

/// Reads a file; elements are converted to T.  Throws UserError with the file and the line.
template <Element T>
Tensor<T> read(const std::string& path, const ChosenFormat& format, ReadOptions options = {}) {
  options.type = element_type_of<T>();
  Contents contents = read_contents(path, options);
  Format wanted = format.of_order(contents.order());
  std::optional<Scalar> fill = contents.fill();
  return Tensor<T>(std::move(contents).pack(wanted, "tensor", front::evaluation_options().force, fill));
}

template <Element T>
void write(const std::string& path, const Tensor<T>& tensor) {
  write_file(path, tensor);
}

}  // namespace filigree
