#include "front/state.h"

#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "algebra/operator.h"
#include "front/kernels.h"
#include "front/written.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "support/check.h"
#include "support/forked.h"
#include "tensor/size.h"

namespace filigree::front {
namespace {

/// More statements than this that wait for each other are not left to wait: evaluating one evaluates what it reads
/// first, which nests.
constexpr int deepest = 64;

/// The tensor in memory of its own.
AnyTensor own_copy(const AnyTensor& tensor) { return tensor.cast(tensor.type()); }

/// Do two arrays have an element in common?
bool overlap(const Array& a, const Array& b) {
  const char *a_begin = static_cast<const char*>(a.data()), *b_begin = static_cast<const char*>(b.data());
  return std::less()(a_begin, b_begin + b.bytes()) && std::less()(b_begin, a_begin + a.bytes());
}

/// Does an operand have values, or an index, where the values of this tensor are?
bool share_memory(const AnyTensor& tensor, const Arguments& arguments) {
  if (tensor.values().count() == 0) return false;
  for (const Argument& argument : arguments) {
    for (const Array* array : argument.tensor->all_arrays()) {
      if (array->count() > 0 && overlap(*array, tensor.values())) return true;
    }
  }
  return false;
}

/// Are there indices that are read from a tensor, or that wrap around?  Then only what that tensor holds tells sizes.
bool selects(const notation::Statement& statement) {
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (access.tensor.selection()) return true;
  }
  return false;
}

/// The dimensions of the result, from those of the operands and what is known of its own.
std::vector<std::int64_t> result_dimensions(const Pending& pending, const State& self) {
  const notation::Statement& statement = pending.statement;
  std::map<TensorVar, std::vector<std::int64_t>> known;
  for (const Operand& operand : pending.operands) known[operand.var] = operand.tensor->dimensions();
  known[statement.lhs.tensor] =
      self.known_dimensions().value_or(std::vector<std::int64_t>(statement.lhs.indices.size(), -1));
  std::map<IndexVar, std::int64_t> extents = notation::infer_extents(statement, known, {});
  std::vector<std::int64_t> dimensions;
  for (size_t d = 0; d < statement.lhs.indices.size(); d++) {
    auto extent = extents.find(statement.lhs.indices[d]);
    if (extent == extents.end()) {
      throw UserError(
          fmt::format("The size of dimension {} of {} does not follow from the right side", d + 1, self.label()))
          .hint("give its dimensions when you declare it");
    }
    dimensions.push_back(extent->second);
  }
  return dimensions;
}

struct Chosen {
  std::mutex mutex;
  KernelOptions options;
};

/// Never destroyed: tensors that live as long as the program may be evaluated after that.
Chosen& chosen() {
  static Chosen* const chosen = new Chosen;
  return *chosen;
}

}  // namespace

KernelOptions evaluation_options() {
  std::lock_guard lock(chosen().mutex);
  return chosen().options;
}

void set_evaluation_options(KernelOptions options) {
  std::lock_guard lock(chosen().mutex);
  chosen().options = std::move(options);
}

State::State(std::string name, std::optional<std::vector<std::int64_t>> dimensions, Format format, Scalar fill)
    : name_(std::move(name)),
      type_(fill.type()),
      format_(std::move(format)),
      dimensions_(std::move(dimensions)),
      fill_(fill),
      inserted_(type_, format_.order()) {
  if (!dimensions_ && format_.order() == 0) dimensions_.emplace();
  if (dimensions_) check_shape(*dimensions_, format_, plain_name());
}

State::State(std::string name, AnyTensor value)
    : name_(std::move(name)),
      type_(value.type()),
      format_(value.format()),
      dimensions_(value.dimensions()),
      fill_(value.fill()),
      value_(std::make_shared<AnyTensor>(std::move(value))),
      inserted_(type_, format_.order()) {}

State::~State() { stop_waiting(); }

StatePtr State::copy() {
  do_waiting();
  StatePtr copied = std::make_shared<State>(name_, dimensions_, format_, fill_);
  if (value_) copied->value_ = value_->is_borrowed() ? std::make_shared<AnyTensor>(own_copy(*value_)) : value_;
  return copied;
}

const std::vector<std::int64_t>& State::dimensions() const {
  if (dimensions_) return *dimensions_;
  throw std::move(UserError(fmt::format("{} has no value and no dimensions yet", name_.empty() ? "A tensor" : label())))
      .hint("give its dimensions when you declare it, or assign something to it first");
}

void State::assign(const std::vector<IndexVar>& indices, std::optional<Operator> op, const Term& right, bool prunes) {
  bool assigns = !op || can_reduce(*op) || *op == Operator::Subtract || *op == Operator::Divide;
  if (!assigns)
    throw UserError(fmt::format("There is no assignment '{}='", facts(*op).symbol))
        .hint("there are = += -= *= /= min= max= and= or= xor=");
  bool reads_itself = false;
  for (const TensorVar& read : tensors_read(indices, right.expr()))
    reads_itself = reads_itself || read.tensor().get() == this;
  if (op || reads_itself) value();  // which the statement starts from
  before_change();
  Pending pending = as_written(shared_from_this(), indices, op, right, prunes);
  bool has_sizes = !selects(pending.statement);
  try {
    if (has_sizes) dimensions_ = result_dimensions(pending, *this);
  } catch (UserError& error) {
    throw explained(std::move(error), pending);
  }
  if (pending.depth > deepest) {
    for (const Operand& operand : pending.operands) operand.tensor->evaluate();
    pending.depth = 1;
  }
  stop_waiting();
  failure_.reset();
  if (!op) inserted_.clear();
  wait_for(std::move(pending));
  if (!dimensions_) evaluate();
}

void State::wait_for(Pending statement) {
  for (const Operand& operand : statement.operands) {
    std::lock_guard lock(operand.tensor->readers_mutex_);
    operand.tensor->readers_[this] = weak_from_this();
  }
  pending_ = std::move(statement);
}

void State::stop_waiting() {
  if (!pending_) return;
  for (const Operand& operand : pending_->operands) {
    std::lock_guard lock(operand.tensor->readers_mutex_);
    operand.tensor->readers_.erase(this);
  }
  pending_.reset();
}

bool State::has_readers() {
  std::lock_guard lock(readers_mutex_);
  return !readers_.empty();
}

void State::before_change() {
  std::map<State*, std::weak_ptr<State>> waiting;
  {
    std::lock_guard lock(readers_mutex_);
    waiting = readers_;
  }
  for (const auto& [address, reader] : waiting) {
    try {
      if (StatePtr alive = reader.lock()) alive->evaluate();
    } catch (const UserError&) {  // told to whoever reads that one
    }
  }
}

void State::evaluate(const KernelOptions& options) {
  do_waiting(&options);
  if (dimensions_) make_value(options.force);  // so that threads that read it afterwards change nothing
}

void State::evaluate() {
  do_waiting();
  if (dimensions_) make_value();
}

void State::do_waiting(const KernelOptions* options) {
  if (failure_) throw *failure_;
  if (!pending_ && inserted_.empty()) return;
  Inside inside;
  if (!pending_) {
    pack_inserted(options ? options->force : evaluation_options().force);
    return;
  }
  Pending todo = *pending_;
  try {
    compute(todo, options ? *options : evaluation_options());
  } catch (UserError& error) {
    stop_waiting();
    explained(std::move(error), todo);
    failure_ = error;
    throw;
  }
  fill_ = todo.fill;
  stop_waiting();
}

void State::compute(const Pending& todo, const KernelOptions& options) {
  Arguments arguments;
  for (const Operand& operand : todo.operands) arguments.emplace_back(operand.var, operand.tensor->value());
  Kernel kernel = kernel_for(todo.statement, options);
  if (todo.statement.op) {
    own_value();
    if (value_->is_borrowed()) return update_borrowed(kernel, todo, arguments);
    kernel.update(*value_, arguments);
    value_->modified();
    return;
  }
  if (can_write_over(arguments)) return write_over(kernel, todo, arguments);
  Extents extents;
  for (size_t d = 0; dimensions_ && d < dimensions_->size(); d++)
    extents[notation::dimension_name(todo.statement.lhs.tensor, d)] = (*dimensions_)[d];
  AnyTensor result = kernel.run(arguments, extents);
  internal_check(result.fill() == todo.fill, "front", "a fill that was not foreseen",
                 notation::to_string(todo.statement));
  if (value_ && value_->is_borrowed())
    return write_borrowed(result);  // an operand borrows the same memory: what is assigned comes after
  dimensions_ = result.dimensions();
  value_ = std::make_shared<AnyTensor>(std::move(result));
}

/// Memory is used again where it is of the right size and nobody else's, or where it is the caller's and results are to
/// go there.  That a sparse result has the index which is there shows only when it is made.
bool State::can_write_over(const Arguments& arguments) const {
  if (!value_ || !dimensions_ || value_->dimensions() != *dimensions_) return false;
  if (share_memory(*value_, arguments)) return false;
  if (!format_.stores_all() || format_.symmetry() != Symmetry::None) return false;
  return value_->is_borrowed() ? value_->all_arrays().size() == 1 : value_.use_count() == 1 && format_.order() > 0;
}

void State::write_over(const Kernel& kernel, const Pending& todo, const Arguments& arguments) {
  kernel.compute(*value_, arguments);
  value_->set_fill(todo.fill);
  value_->modified();
}

/// A kernel may make a new tensor of an update: the values go where the old ones are.
void State::update_borrowed(const Kernel& kernel, const Pending& todo, const Arguments& arguments) {
  AnyTensor updated = share_memory(*value_, arguments) ? own_copy(*value_) : *value_;  // a plain copy borrows the same
  kernel.update(updated, arguments);
  updated.set_fill(todo.fill);
  write_borrowed(updated);
}

void State::write_borrowed(const AnyTensor& result) {
  bool same = result.values().count() == value_->values().count();
  for (size_t level = 0; same && level < result.level_arrays().size(); level++)
    same = result.level_arrays()[level] == value_->level_arrays()[level];
  if (!same) {
    throw UserError(fmt::format("The memory that {} borrows is for other components than this result stores", label()))
        .hint("only its values are written; assign to a tensor with memory of its own");
  }
  bool moves = result.values().count() > 0 && result.values().data() != value_->values().data();
  if (moves) std::memcpy(value_->values().data(), result.values().data(), static_cast<size_t>(result.values().bytes()));
  value_->set_fill(result.fill());
  value_->modified();
}

const AnyTensor& State::value() {
  evaluate();
  make_value();
  return *value_;
}

AnyTensor& State::changing_value() {
  value();
  before_change();
  own_value();
  value_->modified();
  return *value_;
}

void State::make_value() {
  if (!value_) make_value(evaluation_options().force);
}

void State::make_value(bool force) {
  if (value_) return;
  Coordinates nothing{dimensions(), std::vector<std::vector<std::int64_t>>(static_cast<size_t>(order())),
                      Array(type_, 0)};
  value_ = std::make_shared<AnyTensor>(AnyTensor::pack(nothing, format_, Duplicates::Sum, plain_name(), force, fill_));
}

void State::own_value() {
  make_value();
  if (value_.use_count() > 1) value_ = std::make_shared<AnyTensor>(own_copy(*value_));
}

TensorAccess::TensorAccess(StatePtr tensor, std::vector<IndexVar> indices)
    : Term([&] {
        if (static_cast<int>(indices.size()) != tensor->order()) {
          throw notation::wrong_number_of_indices(tensor->plain_name(), tensor->order(),
                                                  static_cast<int>(indices.size()));
        }
        TensorVar var = TensorVar::standing_for(tensor->plain_name(), tensor->type(), tensor->format(), tensor);
        return notation::Expr(notation::Access{var, indices});
      }()),
      tensor_(std::move(tensor)),
      indices_(std::move(indices)) {}

}  // namespace filigree::front
