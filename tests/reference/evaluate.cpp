#include "tests/reference/evaluate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "level/whole.h"
#include "notation/conditions.h"
#include "notation/extents.h"
#include "notation/index_forms.h"
#include "notation/injective.h"

namespace filigree::reference {
namespace {

using notation::Access;
using notation::Apply;
using notation::Expr;
using notation::Literal;
using notation::Reduce;

enum class State { Absent, Literal, Present };

struct Value {
  State state;
  Scalar value;
};

/// What a selection selects in a dimension of this size.
std::int64_t selected(const TensorVar& tensor, const std::vector<std::int64_t>& where, const Operands& operands,
                      std::int64_t size) {
  const Selection& selection = *tensor.selection();
  std::int64_t value = selection.offset;
  for (size_t d = 0; d < selection.factors.size(); d++) value += selection.factors[d] * where[d];
  if (selection.source) value += selection.factor * operands.at(selection.source->name()).at(where).value.as_int();
  std::int64_t modulus = selection.modulus == 0 ? size : selection.modulus;
  return selection.wraps ? (value % modulus + modulus) % modulus : value;
}

/// Does it have indices that are read from a tensor or wrap around?
bool selects(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(), [](const IndexVar& index) {
    return index.map() && (index.map()->gathered || index.map()->wrapped);
  });
}

class Evaluator {
 public:
  /// Fills of subexpressions, by node: found once, or long chains would take forever.
  using Fills = std::shared_ptr<std::map<const notation::ExprKind*, std::optional<Scalar>>>;

  Evaluator(const Operands& operands, std::map<IndexVar, std::int64_t> extents, Fills fills = nullptr)
      : operands_(operands),
        extents_(std::move(extents)),
        fills_(fills ? fills : std::make_shared<Fills::element_type>()) {}

  /// The expression at one coordinate of its free variables.
  Value at(const Expr& expr, const std::map<IndexVar, std::int64_t>& coordinates) const {
    return match(
        expr, [](const Literal& literal) { return Value{State::Literal, literal.value}; },
        [&](const Access& access) { return load(access, coordinates); },
        [&](const notation::Coordinate& c) {
          return Value{State::Present, Scalar::of(ElementType::Int64, coordinates.at(c.var))};
        },
        [&](const Apply& apply) {
          Value value = operate(expr, apply, coordinates);
          // A comparison of index variables is an operand that is there where it holds.
          if (!notation::as_condition(expr)) return value;
          if (all_absent_) value.value = Scalar::boolean(false);
          value.state = value.value.as_bool() ? State::Present : State::Absent;
          return value;
        },
        [&](const Reduce& reduce) { return fold(expr, reduce, coordinates); });
  }

 public:
  static std::int64_t index_at(const IndexVar& var, const std::map<IndexVar, std::int64_t>& coordinates) {
    auto value = [&](const IndexVar& free) { return coordinates.at(free); };
    return var.map() ? var.map()->at(value) : value(var);
  }

  /// The same for an index that is read from a tensor or wraps around, too, of a dimension of this size.
  std::int64_t index_at(const IndexVar& var, const std::map<IndexVar, std::int64_t>& coordinates,
                        std::int64_t size) const {
    std::int64_t index = index_at(var, coordinates);
    const IndexMap* map = var.map();
    if (!map) return index;
    if (map->gathered) {
      const Box& box = operands_.at(map->gathered->tensor.name());
      std::vector<std::int64_t> where;
      for (const IndexVar& inner : map->gathered->indices) {
        where.push_back(index_at(inner, coordinates, box.dimensions[where.size()]));
        if (where.back() < 0 || where.back() >= box.dimensions[where.size() - 1])
          throw UserError("an index of an index that is outside");
      }
      index += map->gathered->factor * box.at(where).value.as_int();
    }
    if (!map->wrapped) return index;
    std::int64_t modulus = map->modulus == 0 ? size : map->modulus;
    if (modulus == 0) throw UserError("an index that wraps around in nothing");
    return (index % modulus + modulus) % modulus;
  }

 private:
  /// True where the last coordinate is the one that the others select.
  Value select(const Access& access, const std::map<IndexVar, std::int64_t>& coordinates) const {
    std::vector<std::int64_t> where;
    for (const IndexVar& var : access.indices) where.push_back(index_at(var, coordinates));
    std::int64_t last = where.back();
    where.pop_back();
    bool holds = selected(access.tensor, where, operands_, extents_.at(access.indices.back())) == last;
    return {holds ? State::Present : State::Absent, Scalar::boolean(holds)};
  }

  /// Outside of a tensor that is read with padding nothing is there, unless all of it is a plain array.
  static bool is_absent_somewhere(const Access& access) {
    bool is_padded = std::any_of(access.indices.begin(), access.indices.end(),
                                 [](const IndexVar& var) { return var.map() && var.map()->padded; });
    return access.tensor.may_be_absent() || (is_padded && !access.tensor.format().is_dense());
  }

  Value load(const Access& access, const std::map<IndexVar, std::int64_t>& coordinates) const {
    if (access.tensor.selection() && all_absent_) {
      bool selects_one = contains(reduced_, access.indices.back()) &&
                         !access.tensor.selection()->padded;  // whatever it is; else only some are selected
      return {selects_one ? State::Present : State::Absent, Scalar::boolean(selects_one)};
    }
    if (access.tensor.selection()) return select(access, coordinates);
    const Box& box = operands_.at(access.tensor.name());
    if (all_absent_) return {is_absent_somewhere(access) ? State::Absent : State::Present, box.fill};
    std::vector<std::int64_t> where;
    bool is_outside = false, selects_nothing = false;
    for (const IndexVar& var : access.indices) {
      where.push_back(index_at(var, coordinates, box.dimensions[where.size()]));
      bool outside = where.back() < 0 || where.back() >= box.dimensions[where.size() - 1];
      if (outside && !(var.map() && var.map()->padded) && selects(access)) throw UserError("an index that is outside");
      is_outside = is_outside || outside;
      selects_nothing = selects_nothing || (outside && var.map() && var.map()->gathered);
    }
    // Outside there is the fill, which a dense tensor has there like anything else, unless the coordinate is read from
    // another.
    if (is_outside)
      return {access.tensor.format().is_dense() && !selects_nothing ? State::Present : State::Absent, box.fill};
    const Component& component = box.at(where);
    return {component.present ? State::Present : State::Absent, component.value};
  }

  Value operate(const Expr& expr, const Apply& apply, const std::map<IndexVar, std::int64_t>& coordinates) const {
    std::vector<Scalar> values;
    std::vector<std::optional<Scalar>> known;  // what follows from structure and from the text
    bool any_absent = false, any_present = false;
    for (const Expr& operand : apply.operands) {
      Value value = at(operand, coordinates);
      values.push_back(value.value);
      known.push_back(value.state == State::Present ? std::nullopt : std::optional(value.value));
      any_absent |= value.state == State::Absent;
      any_present |= value.state == State::Present;
    }
    if (any_absent) {
      Simplified simplified = simplify(apply.op, known, expr.type(), decides_alone(apply.op, fills_of(apply)));
      if (const Constant* constant = std::get_if<Constant>(&simplified))
        return {State::Absent, constant->value.cast(expr.type())};
      // A structural zero is left out rather than computed with, which matters only for -0.
      if (const Operand* operand = std::get_if<Operand>(&simplified))
        return {State::Present, values[operand->position].cast(expr.type())};
      const Negated* negated = std::get_if<Negated>(&simplified);
      if (negated && apply.operands[negated->position].type() == expr.type()) {
        return {State::Present, filigree::evaluate(Operator::Negate, {values[negated->position].cast(expr.type())})};
      }
    }
    Scalar value = filigree::evaluate(apply.op, values).cast(expr.type());
    return {any_present ? State::Present : State::Literal, value};
  }

  std::vector<std::optional<Scalar>> fills_of(const Apply& apply) const {
    std::vector<std::optional<Scalar>> fills;
    for (const Expr& operand : apply.operands) {
      const Literal* literal = operand.as<Literal>();
      auto [known, is_new] = fills_->try_emplace(&operand.kind());
      if (is_new) known->second = literal ? std::optional(literal->value) : structural_fill(operand, fills_);
      fills.push_back(fills_->at(&operand.kind()));
    }
    return fills;
  }

  Value fold(const Expr& expr, const Reduce& reduce, const std::map<IndexVar, std::int64_t>& coordinates) const {
    std::vector<std::int64_t> space;
    for (const IndexVar& var : reduce.vars) space.push_back(extents_.at(var));
    std::optional<Scalar> total, fill;
    bool present = false;
    for_each_coordinate(space, [&](const std::vector<std::int64_t>& point) {
      std::map<IndexVar, std::int64_t> inner = coordinates;
      for (size_t n = 0; n < point.size(); n++) inner[reduce.vars[n]] = point[n];
      Value value = at(reduce.body, inner);
      present |= value.state != State::Absent;
      if (value.state == State::Absent) fill = value.value;
      Scalar term = value.value.cast(expr.type());
      total = total ? filigree::evaluate(reduce.op, {*total, term}).cast(expr.type()) : term;
    });
    std::optional<Scalar> neutral = identity(reduce.op, expr.type());
    if (!total) {
      // Of no points it is the identity, which is a value like any other where absent points come to something else.
      Scalar start = neutral.value_or(Scalar(expr.type()));
      std::optional<Scalar> absent = structural_fill(expr, fills_);
      if (!absent) absent = structural_fill(expr, fills_, &reduce);
      return {absent && !(*absent == start) ? State::Present : State::Absent, start};
    }
    if (reduce.op == Operator::Add)
      total = filigree::evaluate(Operator::Add, {Scalar(expr.type()), *total});  // sums start from 0, so none is -0
    bool counts_points = fill && !facts(reduce.op).idempotent && !(neutral && *neutral == fill->cast(expr.type()));
    return {present || counts_points ? State::Present : State::Absent, *total};
  }

 public:
  /// The expression where everything is absent that can be, if that is a structural value: evaluated over boxes of
  /// one component each.  Reductions inside of `outer` have no points, if it is given.
  static std::optional<Scalar> structural_fill(const Expr& expr, const Fills& fills = nullptr,
                                               const Reduce* outer = nullptr) {
    Operands operands;
    for (const Access& access : notation::accesses(expr)) {
      Box box(std::vector<std::int64_t>(access.indices.size(), 1), access.tensor.fill());
      box.components[0].present = !access.tensor.may_be_absent();
      operands.emplace(access.tensor.name(), box);
    }
    // Indices may be outside of those boxes, where there is the same.
    std::map<IndexVar, std::int64_t> ones, zeros;
    for (const IndexVar& var : notation::index_vars(expr)) ones[var] = 1, zeros[var] = 0;
    if (outer) {
      notation::for_each(outer->body, [&](const Expr& e) {
        if (const Reduce* inner = e.as<Reduce>())
          for (const IndexVar& var : inner->vars) ones[var] = 0;
      });
    }
    Evaluator evaluator(operands, ones, fills);
    evaluator.all_absent_ = true;
    notation::for_each(expr, [&](const Expr& e) {
      if (const Reduce* reduce = e.as<Reduce>())
        evaluator.reduced_.insert(evaluator.reduced_.end(), reduce->vars.begin(), reduce->vars.end());
    });
    Value value = evaluator.at(expr, zeros);
    return value.state == State::Absent ? std::optional(value.value) : std::nullopt;
  }

 private:
  const Operands& operands_;
  std::map<IndexVar, std::int64_t> extents_;
  Fills fills_;
  bool all_absent_ = false;        // conditions hold nowhere
  std::vector<IndexVar> reduced_;  // then: inside of the expression
};

/// Of a selection, those of what it is made from.
std::vector<std::int64_t> known_dimensions(const TensorVar& tensor, const Operands& operands) {
  if (!tensor.selection()) return operands.at(tensor.name()).dimensions;
  std::vector<std::int64_t> dimensions(static_cast<size_t>(tensor.order()), -1);
  if (tensor.read())
    std::copy_n(operands.at(tensor.read()->name()).dimensions.begin(), dimensions.size() - 1, dimensions.begin());
  return dimensions;
}

std::map<IndexVar, std::int64_t> extents_of(const notation::Statement& statement, const Operands& operands,
                                            const Extents& given) {
  std::map<TensorVar, std::vector<std::int64_t>> dimensions;
  std::vector<Access> all = notation::accesses(statement.rhs);
  if (operands.count(statement.lhs.tensor.name())) all.push_back(statement.lhs);
  for (const Access& access : all) dimensions[access.tensor] = known_dimensions(access.tensor, operands);
  std::map<IndexVar, std::int64_t> stated;
  for (const IndexVar& var : notation::index_vars(statement)) {
    if (auto found = given.find(var.name()); found != given.end()) stated[var] = found->second;
  }
  std::vector<std::int64_t> left;
  for (size_t d = 0; d < statement.lhs.indices.size(); d++) {
    auto found = given.find(fmt::format("{}.{}", statement.lhs.tensor.name(), d + 1));
    left.push_back(found == given.end() ? -1 : found->second);
  }
  dimensions.emplace(statement.lhs.tensor, left);
  std::map<IndexVar, std::int64_t> extents = notation::infer_extents(statement, dimensions, stated);
  // A result is as large as what is selected in it.
  for (const Access& access : all) {
    if (!access.tensor.selection() || extents.count(access.indices.back())) continue;
    std::int64_t size = access.tensor.selection()->modulus;
    if (const TensorVar* source = access.tensor.read()) {
      for_each_coordinate(operands.at(source->name()).dimensions,
                          [&](const auto& at) { size = std::max(size, selected(access.tensor, at, operands, 0) + 1); });
    }
    dimensions[access.tensor].back() = size;
  }
  return notation::infer_extents(statement, dimensions, stated);
}

/// A plain copy leaves behind what its operand stores only because the last level pads.
bool drops_padding(const notation::Statement& statement, const Expr& rhs) {
  const Access* source = rhs.as<Access>();
  if (!source || source->indices.empty() || source->indices.size() != statement.lhs.indices.size()) return false;
  if (notation::has_maps(statement)) return false;
  return source->tensor.format().pads() && !statement.lhs.tensor.format().is_dense();
}

}  // namespace

bool close(const Scalar& a, const Scalar& b, double tolerance) {
  if (a == b) return true;
  std::complex<double> x = a.as_complex(), y = b.as_complex();
  return std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)});
}

Box::Box(std::vector<std::int64_t> dims, const Scalar& fill_value) : dimensions(std::move(dims)), fill(fill_value) {
  size_t count = 1;
  for (std::int64_t extent : dimensions) count *= static_cast<size_t>(extent);
  components.assign(count, Component{false, fill});
}

const Component& Box::at(const std::vector<std::int64_t>& coordinates) const {
  size_t position = 0;
  for (size_t d = 0; d < dimensions.size(); d++)
    position = position * static_cast<size_t>(dimensions[d]) + static_cast<size_t>(coordinates[d]);
  return components.at(position);
}
Component& Box::at(const std::vector<std::int64_t>& coordinates) {
  return const_cast<Component&>(std::as_const(*this).at(coordinates));
}

Box box_of(const AnyTensor& tensor) {
  Box box(tensor.dimensions(), tensor.fill());
  Coordinates entries = tensor.coordinates();
  for (std::int64_t n = 0; n < entries.count(); n++) {
    std::vector<std::int64_t> at;
    for (const std::vector<std::int64_t>& coordinate : entries.coordinate) at.push_back(coordinate[n]);
    if (box.at(at).present) throw std::logic_error(fmt::format("({}) is stored twice", fmt::join(at, ",")));
    box.at(at) = {true, entries.values.get(n)};
  }
  return box;
}

/// Calls `visit` with each point of the left side's variables.
template <class Visit>
static void for_each_point(const Access& left, const std::map<IndexVar, std::int64_t>& extents, Visit visit) {
  std::vector<IndexVar> vars = free_of(left.indices);
  std::vector<std::int64_t> space;
  for (const IndexVar& var : vars) space.push_back(extents.at(var));
  for_each_coordinate(space, [&](const std::vector<std::int64_t>& point) {
    std::map<IndexVar, std::int64_t> coordinates;
    for (size_t v = 0; v < vars.size(); v++) coordinates[vars[v]] = point[v];
    visit(coordinates);
  });
}

/// Calls `visit` with the component that each point of the left side's variables writes, and with the point.
template <class Visit>
static void for_each_component(const Access& left, const std::map<IndexVar, std::int64_t>& extents, Visit visit) {
  for_each_point(left, extents, [&](const std::map<IndexVar, std::int64_t>& coordinates) {
    std::vector<std::int64_t> at;
    for (const IndexVar& index : left.indices) at.push_back(Evaluator::index_at(index, coordinates));
    visit(at, coordinates);
  });
}

/// Minus a number, in a type that the left side's numbers have, too.
static Expr negated_for(ElementType left, const Expr& rhs) {
  ElementType type = promote(left, rhs.type());
  bool widens = is_integer(rhs.type()) && type != rhs.type();
  return Expr(Apply{Operator::Negate, {widens ? Expr(Apply{Operator::Add, {Expr(Literal{Scalar(type)}), rhs}}) : rhs}});
}

/// What the statement assigns: `op=` combines with the old value if there is one, else with the operator's identity.
static Expr assigned(const notation::Statement& statement, const Operands& operands) {
  const Expr& rhs = statement.rhs;
  if (!statement.op) return rhs;
  if (operands.count(statement.lhs.tensor.name())) return Expr(Apply{*statement.op, {Expr(statement.lhs), rhs}});
  if (statement.op == Operator::Subtract) return negated_for(statement.lhs.tensor.type(), rhs);
  if (statement.op != Operator::Divide) return rhs;
  return Expr(Apply{Operator::Divide, {Expr(Literal{Scalar::of(rhs.type(), std::int64_t{1})}), rhs}});
}

/// What prune(...) does once all values are there.
static void leave_out_fill(Box& box) {
  for (Component& component : box.components) {
    if (component.value == box.fill || (component.value.is_nan() && box.fill.is_nan())) component = {false, box.fill};
  }
}

Box evaluate(const notation::Statement& statement, const Operands& operands, const Extents& given) {
  Expr rhs = assigned(statement, operands);
  ElementType type = statement.lhs.tensor.type();
  std::map<IndexVar, std::int64_t> extents = extents_of(statement, operands, given);
  std::vector<std::int64_t> dimensions;
  for (const IndexVar& var : statement.lhs.indices) dimensions.push_back(extents.at(var));
  bool combines = statement.op && *statement.op != Operator::Divide &&
                  !notation::is_injective(statement.lhs);  // several values for one component
  Scalar declared = statement.lhs.tensor.fill();
  bool starts = statement.op && !operands.count(statement.lhs.tensor.name()) && declared.is_zero();
  if (starts) declared = identity(*statement.op, type).value_or(declared);
  std::optional<Scalar> fill = Evaluator::structural_fill(rhs);
  if (notation::has_maps(statement.lhs))
    fill = std::nullopt;  // where nothing is written, it does not matter what would be
  if (combines) fill = identity(*statement.op, type);
  Box result(dimensions, fill.value_or(declared).cast(type));
  for (const auto& [var, extent] : extents) result.may_store_fill |= extent == 0;

  Evaluator evaluator(operands, extents);
  for_each_component(statement.lhs, extents, [&](const auto& at, const auto& coordinates) {
    Value value = evaluator.at(rhs, coordinates);
    // An empty reduction of dense operands is absent, too, but need not agree with the declared fill.
    if (value.state == State::Absent && value.value.cast(type) == result.fill) return;
    if (drops_padding(statement, rhs) && value.value.cast(type) == result.fill) return;
    Operator op = statement.op.value_or(Operator::Add);
    if (op == Operator::Subtract) op = Operator::Add;  // the right side has the sign
    Scalar now = combines ? filigree::evaluate(op, {result.at(at).value, value.value}) : value.value;
    result.at(at) = {true, now.cast(type)};
  });
  if (statement.prunes) leave_out_fill(result);
  return result;
}

void check_selected(const notation::Statement& statement, const Operands& operands, const Extents& given) {
  std::map<IndexVar, std::int64_t> extents = extents_of(statement, operands, given);
  for (const Access& access : notation::accesses(statement.rhs)) {
    if (!access.tensor.selection() || access.tensor.selection()->padded) continue;
    std::vector<std::int64_t> dimensions;
    for (size_t d = 0; d + 1 < access.indices.size(); d++) dimensions.push_back(extents.at(access.indices[d]));
    std::int64_t size = extents.at(access.indices.back());
    for_each_coordinate(dimensions, [&](const auto& at) {
      std::int64_t coordinate = selected(access.tensor, at, operands, size);
      if (coordinate < 0 || coordinate >= size) throw UserError("a coordinate that is selected outside");
    });
  }
}

std::optional<Extents> extents_by_name(const notation::Statement& statement, const Operands& operands,
                                       const Extents& given) {
  Extents named;
  for (const auto& [var, extent] : extents_of(statement, operands, given)) {
    if (var.map() || !var.is_named()) continue;
    if (named.emplace(var.name(), extent).first->second != extent) return std::nullopt;
  }
  return named;
}

Box evaluate_as_written(const notation::Statement& written, const Box& shape, const Operands& operands,
                        const Extents& given) {
  ElementType type = written.lhs.tensor.type();
  std::map<IndexVar, std::int64_t> extents;
  for (const IndexVar& var : notation::index_vars(written)) extents[var] = given.at(var.name());
  auto old = operands.find(written.lhs.tensor.name());
  Box result = written.op && old != operands.end() ? old->second : Box(shape.dimensions, shape.fill);
  result.fill = shape.fill;
  result.may_store_fill = shape.may_store_fill;
  Evaluator evaluator(operands, extents);
  // Where each component has one value, it is one expression with the old one.
  Expr whole = assigned(written, operands);
  bool is_one = !selects(written.lhs) && notation::is_injective(written.lhs);
  std::set<std::vector<std::int64_t>> used;
  for_each_point(written.lhs, extents, [&](const auto& coordinates) {
    std::vector<std::int64_t> at;
    for (const IndexVar& index : written.lhs.indices)
      at.push_back(evaluator.index_at(index, coordinates, shape.dimensions[at.size()]));
    for (size_t d = 0; d < at.size(); d++) {
      if (at[d] < 0 || at[d] >= shape.dimensions[d]) throw UserError("an index of the result that is outside");
    }
    if (!used.insert(at).second && !written.op) throw UserError("a component that is assigned twice");
    Value value = evaluator.at(is_one ? whole : written.rhs, coordinates);
    if (drops_padding(written, written.rhs) && value.value.cast(type) == result.fill) return;
    Component& component = result.at(at);
    if (is_one) {
      bool is_absent = value.state == State::Absent && value.value.cast(type) == result.fill;
      component = {!is_absent, value.value.cast(type)};
      return;
    }
    bool starts = !written.op || (old == operands.end() && !component.present);
    // What is absent decides alone where it annihilates, as an infinity does in a sum.
    if (!starts && !component.present && annihilated(*written.op, 0, result.fill, type)) return;
    Scalar now = value.value;
    if (!starts) now = filigree::evaluate(*written.op, {component.value, value.value});
    else if (written.op == Operator::Subtract)
      now = filigree::evaluate(Operator::Negate, {is_integer(now.type()) ? now.cast(promote(type, now.type())) : now});
    else if (written.op == Operator::Divide)
      now = filigree::evaluate(Operator::Divide, {Scalar::of(value.value.type(), std::int64_t{1}), value.value});
    bool is_fill = now.cast(type) == result.fill;
    component = {component.present || value.state != State::Absent || !is_fill, now.cast(type)};
  });
  if (written.prunes) leave_out_fill(result);
  return result;
}

Box updated_part(const notation::Statement& statement, const Operands& operands, const Extents& given) {
  Expr rhs = assigned(statement, operands);
  Box result = operands.at(statement.lhs.tensor.name());
  std::map<IndexVar, std::int64_t> extents = extents_of(statement, operands, given);
  Evaluator evaluator(operands, extents);
  bool combines = !notation::is_injective(statement.lhs);  // then each term meets what those before it left
  for_each_component(statement.lhs, extents, [&](const auto& at, const auto& coordinates) {
    Scalar value = combines ? filigree::evaluate(*statement.op,
                                                 {result.at(at).value, evaluator.at(statement.rhs, coordinates).value})
                            : evaluator.at(rhs, coordinates).value;
    result.at(at) = {true, value.cast(statement.lhs.tensor.type())};
  });
  if (statement.prunes) leave_out_fill(result);
  return result;
}

namespace {

/// What packing makes present beside the support: blocks, diagonals.  A format that has no room for some components
/// need not store those that have the fill.
Box packed_in(const Box& support, const Format& format, bool all) {
  Coordinates entries{support.dimensions, std::vector<std::vector<std::int64_t>>(support.dimensions.size()), Array()};
  std::vector<Scalar> values;
  for_each_coordinate(support.dimensions, [&](const std::vector<std::int64_t>& at) {
    if (!support.at(at).present || (!all && support.at(at).value == support.fill)) return;
    for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
    values.push_back(support.at(at).value);
  });
  entries.values = Array(support.fill.type(), static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) entries.values.set(static_cast<std::int64_t>(n), values[n]);
  Box packed = box_of(AnyTensor::pack(entries, format, Duplicates::Error, "expected", true, support.fill)),
      stored = support;
  for_each_coordinate(support.dimensions, [&](const auto& at) { stored.at(at).present = packed.at(at).present; });
  return stored;
}

bool has_limits(const Format& format) {
  if (format.level_count() > 0 && level::whole_of(*format.levels()[0].format)) return true;
  for (const Level& level : format.levels()) {
    if (level.format->stands_under_rows() || level.format->properties().branchless) return true;
  }
  return format.symmetry() != Symmetry::None;
}

}  // namespace

Box stored_in(const Box& support, const Format& format) {
  if (has_limits(format)) {
    try {
      return packed_in(support, format, true);
    } catch (const UserError&) {
      return packed_in(support, format, false);
    }
  }
  if (!format.is_plain()) return packed_in(support, format, true);
  // Levels below the last one that is not full hold every coordinate; the levels down to it hold the coordinates of
  // the support.
  std::vector<int> kept;  // the dimensions of those levels
  for (size_t k = 0; k < format.levels().size(); k++) {
    if (format.levels()[k].format->pads()) continue;
    kept.clear();
    for (size_t above = 0; above <= k; above++) kept.push_back(format.levels()[above].dimension());
  }
  auto node = [&](const std::vector<std::int64_t>& coordinates) {
    std::vector<std::int64_t> path;
    for (int dimension : kept) path.push_back(coordinates[dimension]);
    return path;
  };
  std::map<std::vector<std::int64_t>, bool> nodes;
  for_each_coordinate(support.dimensions, [&](const auto& at) {
    if (support.at(at).present) nodes[node(at)] = true;
  });
  Box stored = support;
  for_each_coordinate(support.dimensions,
                      [&](const auto& at) { stored.at(at).present = kept.empty() || nodes.count(node(at)) > 0; });
  return stored;
}

std::optional<std::string> compare(const Box& expected, const AnyTensor& actual, double tolerance) {
  if (actual.dimensions() != expected.dimensions) {
    return fmt::format("dimensions are ({}), expected ({})", fmt::join(actual.dimensions(), ","),
                       fmt::join(expected.dimensions, ","));
  }
  if (!(actual.fill() == expected.fill))
    return fmt::format("the fill is {}, expected {}", to_string(actual.fill()), to_string(expected.fill));
  Box got = box_of(actual);
  std::optional<std::string> difference;
  for_each_coordinate(expected.dimensions, [&](const std::vector<std::int64_t>& at) {
    if (difference) return;
    const Component &want = expected.at(at), &have = got.at(at);
    bool same_pattern = want.present == have.present || (expected.may_store_fill && want.value == expected.fill);
    if (!same_pattern || !close(want.value, have.value, tolerance)) {
      auto words = [](const Component& c) { return to_string(c.value) + (c.present ? "" : " (not stored)"); };
      difference = fmt::format("({}) is {}, expected {}", fmt::join(at, ","), words(have), words(want));
    }
  });
  return difference;
}

}  // namespace filigree::reference
