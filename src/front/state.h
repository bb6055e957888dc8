// What a tensor of front/tensor.h is behind its type: its value, or the statement that gives it one.
//
// An assignment is remembered and done when the value is needed.  Nobody can tell: before a tensor changes, every
// statement that reads it and waits is done first, and a statement that reads the tensor it assigns reads the value
// from before.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel.h"
#include "front/inserted.h"
#include "notation/build.h"

namespace filigree::front {

class State;
using StatePtr = std::shared_ptr<State>;

/// A tensor that a statement reads, and the variable that stands for it there.
struct Operand {
  TensorVar var;
  StatePtr tensor;
};

/// A statement whose result is not computed yet.
struct Pending {
  notation::Statement statement;  // complete
  std::vector<Operand> operands;  // for the tensor that is assigned, a copy of what it was
  Scalar fill;                    // what the result will have where nothing is stored
  int depth = 1;                  // how many statements wait for each other
  bool has_unnamed = false;       // tensors whose names here are not the program's
};

/// The options with which tensors are evaluated where none are given.  Any thread may ask for them and set them at any
/// time: an evaluation takes those that are set when it begins.
KernelOptions evaluation_options();
void set_evaluation_options(KernelOptions options);

/// How often inserted entries were packed in this process.  Each time costs as much as the tensor stores.
size_t packings();

class State : public HeldTensor, public std::enable_shared_from_this<State> {
 public:
  /// Without dimensions it takes those of what is assigned to it.
  State(std::string name, std::optional<std::vector<std::int64_t>> dimensions, Format format, Scalar fill);
  State(std::string name, AnyTensor value);
  ~State();

  /// A tensor of its own with the same value.
  StatePtr copy();

  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  /// 'A', or "the tensor" if it has no name: for messages.
  std::string label() const { return name_.empty() ? "the tensor" : "'" + name_ + "'"; }
  std::string plain_name() const { return name_.empty() ? "tensor" : name_; }
  ElementType type() const { return type_; }
  const Format& format() const { return format_; }
  int order() const { return format_.order(); }
  /// Throws UserError if nothing tells them yet.
  const std::vector<std::int64_t>& dimensions() const;
  const std::optional<std::vector<std::int64_t>>& known_dimensions() const { return dimensions_; }
  /// Where nothing is stored, once it is evaluated.
  const Scalar& fill() const { return pending_ ? pending_->fill : fill_; }
  /// How many statements must be done before it has its value.
  int depth() const { return pending_ ? pending_->depth : 0; }

  /// Remembers a statement whose left side is this tensor with these indices.  Throws UserError for what is wrong with
  /// it.
  void assign(const std::vector<IndexVar>& indices, std::optional<Operator> op, const Term& right) {
    assign(indices, op, right, false);
  }
  void assign(const std::vector<IndexVar>& indices, std::optional<Operator> op, const Pruned& right) {
    assign(indices, op, right.right, true);
  }
  /// Does what is waiting, after which threads may read the value at the same time.  Throws UserError if it fails, and
  /// again whenever the value is needed.
  void evaluate(const KernelOptions& options);
  void evaluate();
  /// Throws UserError if it has no value and no dimensions.
  const AnyTensor& value();
  /// The value, to be changed by the caller; nobody else has it.
  AnyTensor& changing_value();

  /// One component: what is stored, or the fill.  Entries that were inserted need not be packed for it.
  Scalar component(const std::vector<std::int64_t>& coordinates);

  /// One element, whose type is the tensor's.  Sum: adds to what is stored there, which is the fill at first where the
  /// format stores every component; Last: replaces it.
  void insert(std::span<const std::int64_t> coordinates, const void* element, Duplicates how);

 private:
  void assign(const std::vector<IndexVar>& indices, std::optional<Operator> op, const Term& right, bool prunes);
  /// Without options, with those of evaluation_options().
  void do_waiting(const KernelOptions* options = nullptr);
  /// Statements that wait and read this tensor are done first.
  void before_change();
  bool has_readers();
  void wait_for(Pending statement);
  void stop_waiting();
  void compute(const Pending& todo, const KernelOptions& options);
  void write_over(const Kernel& kernel, const Pending& todo, const Arguments& arguments);
  void update_borrowed(const Kernel& kernel, const Pending& todo, const Arguments& arguments);
  /// The values of a result into memory that belongs to somebody else.  Throws UserError unless it has the index that
  /// is there.
  void write_borrowed(const AnyTensor& result);
  bool can_write_over(const Arguments& arguments) const;
  /// Nothing stored, if there is no value yet.  `force`: even if an index of that takes much memory.
  void make_value(bool force);
  void make_value();
  void own_value();
  void pack_inserted(bool force);
  void add_to_dense();
  /// What is stored of a component, without what is inserted.
  std::optional<Scalar> stored_component(const std::vector<std::int64_t>& coordinates) const;
  /// The value of components that the format stores without being asked to, if these can be told from others by it
  /// alone.
  std::optional<Scalar> padding() const;
  bool can_answer_unpacked() const;

  std::string name_;
  ElementType type_;
  Format format_;
  std::optional<std::vector<std::int64_t>> dimensions_;
  Scalar fill_;
  std::shared_ptr<AnyTensor> value_;  // shared with copies; null: nothing is stored
  std::optional<Pending> pending_;
  std::optional<UserError> failure_;
  std::mutex readers_mutex_;
  std::map<State*, std::weak_ptr<State>> readers_;  // which wait
  Inserted inserted_;
};

/// T(i, j) of a tensor that holds data: an operand, or the left side of an assignment that is remembered.
class TensorAccess : public Term {
 public:
  /// Throws UserError unless there are as many indices as dimensions.
  TensorAccess(StatePtr tensor, std::vector<IndexVar> indices);
  TensorAccess(const TensorAccess&) = default;

  void operator=(const Term& right) const { assign(std::nullopt, right); }
  void operator=(const TensorAccess& right) const { assign(std::nullopt, right); }
  void operator+=(const Term& right) const { assign(Operator::Add, right); }
  void operator-=(const Term& right) const { assign(Operator::Subtract, right); }
  void operator*=(const Term& right) const { assign(Operator::Multiply, right); }
  void operator/=(const Term& right) const { assign(Operator::Divide, right); }
  void operator=(const Pruned& right) const { assign(std::nullopt, right); }
  void operator+=(const Pruned& right) const { assign(Operator::Add, right); }
  void operator-=(const Pruned& right) const { assign(Operator::Subtract, right); }
  void operator*=(const Pruned& right) const { assign(Operator::Multiply, right); }
  void operator/=(const Pruned& right) const { assign(Operator::Divide, right); }
  void assign(std::optional<Operator> op, const Term& right) const { tensor_->assign(indices_, op, right); }
  void assign(std::optional<Operator> op, const Pruned& right) const { tensor_->assign(indices_, op, right); }

 private:
  StatePtr tensor_;
  std::vector<IndexVar> indices_;
};

}  // namespace filigree::front

namespace filigree {

/// left op= right, for any operator that can reduce.
inline void update(const front::TensorAccess& left, Operator op, const Term& right) { left.assign(op, right); }
inline void update(const front::TensorAccess& left, Operator op, const Pruned& right) { left.assign(op, right); }
inline void min_assign(const front::TensorAccess& left, const Term& right) { left.assign(Operator::Min, right); }
inline void max_assign(const front::TensorAccess& left, const Term& right) { left.assign(Operator::Max, right); }

}  // namespace filigree
