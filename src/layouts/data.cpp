#include "layouts/data.h"

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

std::int64_t apply(Expr::Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflows = false;
  switch (kind) {
    case Expr::Kind::Add: overflows = __builtin_add_overflow(a, b, &out); break;
    case Expr::Kind::Subtract: overflows = __builtin_sub_overflow(a, b, &out); break;
    case Expr::Kind::Multiply: overflows = __builtin_mul_overflow(a, b, &out); break;
    case Expr::Kind::Quotient:
    case Expr::Kind::Remainder:
      if (b <= 0) throw UserError(fmt::format("A layout divides by {}", b));
      return kind == Expr::Kind::Quotient ? floor_quotient(a, b) : floor_remainder(a, b);
    case Expr::Kind::Number:
    case Expr::Kind::Name:
    case Expr::Kind::Read: throw InternalError("layouts", "no operator");
  }
  if (overflows) throw UserError("A number of a layout leaves 64 bits");
  return out;
}

/// Finds sizes from the lengths of arrays, one after the other.
class Sizes {
 public:
  Sizes(const Layout& layout, const Data& data) : layout_(layout), data_(data) {}

  std::map<std::string, std::int64_t> find() {
    if (data_.dimensions.size() != layout_.dimensions.size())
      throw UserError(fmt::format("The layout '{}' has {}, but {} are given", layout_.name,
                                  counted(layout_.dimensions.size(), "dimension"), data_.dimensions.size()));
    for (size_t d = 0; d < layout_.dimensions.size(); d++) {
      auto [at, is_new] = known_.emplace(layout_.dimensions[d], data_.dimensions[d]);
      if (!is_new && at->second != data_.dimensions[d])
        throw UserError(
            fmt::format("Dimensions of the layout '{}' that are called '{}' are {} and {}, but must be equal",
                        layout_.name, layout_.dimensions[d], at->second, data_.dimensions[d]));
    }
    for (const ArrayShape& array : layout_.arrays) {
      if (!data_.arrays.count(array.name))
        throw UserError(fmt::format("The array '{}' of the layout '{}' is missing", array.name, layout_.name));
    }
    for (const auto& [name, array] : data_.arrays) check_type(name, array);
    for (bool again = true; again;) {
      again = false;
      for (const ArrayShape& array : layout_.arrays) again = learn(array) || again;
    }
    for (const ArrayShape& array : layout_.arrays) check_length(array);
    return known_;
  }

 private:
  void check_type(const std::string& name, const Array& array) const {
    if (!layout_.find_array(name))
      throw UserError(fmt::format("The layout '{}' has no array '{}'", layout_.name, name));
    bool is_index = array.type() == ElementType::Int32 || array.type() == ElementType::Int64;
    if (!layout_.holds_values(name) && !is_index)
      throw UserError(fmt::format("The index array '{}' of the layout '{}' holds {}, but must hold int32 or int64",
                                  name, layout_.name, to_string(array.type())));
  }

  /// True if the array tells a size that was not known.
  bool learn(const ArrayShape& array) {
    std::int64_t rest = data_.arrays.at(array.name).count();
    const Expr* unknown = nullptr;
    for (const Expr& extent : array.extents) {
      std::optional<std::int64_t> value = value_of(extent, known_);
      if (!value && unknown) return false;
      if (!value) unknown = &extent;
      else rest = *value > 0 ? rest / *value : 0;
    }
    if (!unknown) return false;
    for (const std::string& name : names_in(*unknown)) {
      std::optional<Expr> solution = solve_for(*unknown, name);
      if (known_.count(name) || !solution) continue;
      std::map<std::string, std::int64_t> with = known_;
      with["extent"] = rest;
      std::optional<std::int64_t> value = value_of(*solution, with);
      if (!value) continue;
      known_[name] = *value;
      return true;
    }
    return false;
  }

  void check_length(const ArrayShape& array) const {
    std::int64_t needed = 1, count = data_.arrays.at(array.name).count();
    for (const Expr& extent : array.extents) {
      std::optional<std::int64_t> value = value_of(extent, known_);
      if (!value)
        throw UserError(fmt::format("The arrays of the layout '{}' do not tell how large '{}' is", layout_.name,
                                    to_string(extent)));
      needed = apply(Expr::Kind::Multiply, needed, std::max<std::int64_t>(*value, 0));
    }
    if (count == needed) return;
    throw UserError(fmt::format("The array '{}' of the layout '{}' has {}, but needs {}", array.name, layout_.name,
                                counted(count, "element"), needed))
        .note(fmt::format("it is {}", to_string(Expr::read(array.name, array.extents))));
  }

  const Layout& layout_;
  const Data& data_;
  std::map<std::string, std::int64_t> known_;
};

}  // namespace

std::optional<std::int64_t> value_of(const Expr& expr, const std::map<std::string, std::int64_t>& sizes) {
  if (expr.kind() == Expr::Kind::Number) return expr.value();
  if (expr.kind() == Expr::Kind::Read) return std::nullopt;
  if (expr.kind() == Expr::Kind::Name) {
    auto found = sizes.find(expr.text());
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::int64_t> a = value_of(expr.parts()[0], sizes), b = value_of(expr.parts()[1], sizes);
  return a && b ? std::optional(apply(expr.kind(), *a, *b)) : std::nullopt;
}

std::map<std::string, std::int64_t> find_sizes(const Layout& layout, const Data& data) {
  return Sizes(layout, data).find();
}

namespace {

std::map<std::string, const Array*> pointers(const Data& data) {
  std::map<std::string, const Array*> all;
  for (const auto& [name, array] : data.arrays) all.emplace(name, &array);
  return all;
}

}  // namespace

Evaluator::Evaluator(const Layout& layout, const Data& data)
    : Evaluator(layout, find_sizes(layout, data), pointers(data)) {}

Evaluator::Evaluator(const Layout& layout, std::map<std::string, std::int64_t> sizes,
                     const std::map<std::string, const Array*>& arrays)
    : layout_(layout), sizes_(std::move(sizes)) {
  for (const ArrayShape& array : layout.arrays) {
    auto found = arrays.find(array.name);
    arrays_.push_back(found == arrays.end() ? nullptr : found->second);
    extents_.emplace_back();
    for (const Expr& extent : array.extents) extents_.back().push_back(value_of(extent, sizes_).value_or(0));
  }
}

std::vector<std::int64_t> Evaluator::dimensions() const {
  std::vector<std::int64_t> all;
  for (const std::string& size : layout_.dimensions) all.push_back(sizes_.at(size));
  return all;
}

const std::vector<std::int64_t>& Evaluator::extents(const std::string& array) const {
  return extents_[static_cast<size_t>(layout_.find_array(array) - layout_.arrays.data())];
}

Evaluator::Code Evaluator::compile(const Expr& expr, const Slots& slots) const {
  Code code{expr.kind(), 0, 0, {}};
  if (expr.kind() == Expr::Kind::Number) code.value = expr.value();
  if (expr.kind() == Expr::Kind::Name) {
    auto slot = slots.find({expr.text(), expr.primed()});
    if (slot != slots.end()) {
      code.value = static_cast<std::int64_t>(slot->second);
    } else {
      internal_check(sizes_.count(expr.text()) > 0, "layouts", "a name without a value", expr.text());
      return {Expr::Kind::Number, sizes_.at(expr.text()), 0, {}};
    }
  }
  if (expr.kind() == Expr::Kind::Read)
    code.array = static_cast<size_t>(layout_.find_array(expr.text()) - layout_.arrays.data());
  for (const Expr& part : expr.parts()) code.parts.push_back(compile(part, slots));
  return code;
}

Evaluator::Test Evaluator::compile(const Formula& formula, const Slots& slots) const {
  Test test{formula.kind, {}, {}};
  for (const Expr& side : formula.sides) test.sides.push_back(compile(side, slots));
  for (const Formula& part : formula.parts) test.parts.push_back(compile(part, slots));
  return test;
}

std::int64_t Evaluator::element(const Code& code, const Values& slots) const {
  const std::vector<std::int64_t>& extents = extents_[code.array];
  std::int64_t number = 0;
  for (size_t n = 0; n < code.parts.size(); n++) {
    std::int64_t place = value(code.parts[n], slots);
    if (place < 0 || place >= extents[n])
      throw UserError(fmt::format("The layout '{}' reads '{}' at {}, but it has {}", layout_.name,
                                  layout_.arrays[code.array].name, place, counted(extents[n], "place")))
          .note("places count from 0");
    number = number * extents[n] + place;
  }
  return number;
}

std::int64_t Evaluator::value(const Code& code, const Values& slots) const {
  switch (code.kind) {
    case Expr::Kind::Number: return code.value;
    case Expr::Kind::Name: return slots[static_cast<size_t>(code.value)];
    case Expr::Kind::Read: return arrays_[code.array]->index_at(element(code, slots));
    case Expr::Kind::Add:
    case Expr::Kind::Subtract:
    case Expr::Kind::Multiply:
    case Expr::Kind::Quotient:
    case Expr::Kind::Remainder: return apply(code.kind, value(code.parts[0], slots), value(code.parts[1], slots));
  }
  return 0;
}

bool Evaluator::holds(const Test& test, const Values& slots) const {
  auto side = [&](size_t n) { return value(test.sides[n], slots); };
  switch (test.kind) {
    case Formula::Kind::Less: return side(0) < side(1);
    case Formula::Kind::LessEqual: return side(0) <= side(1);
    case Formula::Kind::Equal: return side(0) == side(1);
    case Formula::Kind::NotEqual: return side(0) != side(1);
    case Formula::Kind::And:
      for (const Test& part : test.parts)
        if (!holds(part, slots)) return false;
      return true;
    case Formula::Kind::Or:
      for (const Test& part : test.parts)
        if (holds(part, slots)) return true;
      return false;
    case Formula::Kind::Implies: return !holds(test.parts[0], slots) || holds(test.parts[1], slots);
  }
  return false;
}

}  // namespace filigree::layouts
