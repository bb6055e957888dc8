#include "notation/select_indices.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/check.h"
#include "notation/use_names.h"
#include "notation/written.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

bool selects(const IndexVar& index) { return index.map() && (index.map()->gathered || index.map()->wrapped); }
bool selects(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [](const IndexVar& index) { return selects(index); });
}

Expr apply(Operator op, std::vector<Expr> operands, Span span) { return Expr(Apply{op, std::move(operands)}, span); }

class Selector {
 public:
  explicit Selector(const Statement& statement) : statement_(statement) {
    use_names(names_, statement);
    for_each(statement.rhs, [&](const Expr& expr) {
      if (const Access* access = expr.as<Access>()) use_gathered(access->indices);
    });
    use_gathered(statement.lhs.indices);
  }

  Statement operands() {
    Statement out = statement_;
    out.rhs = selected(statement_.rhs);
    return out;
  }

  Statement result() {
    Statement out = statement_;
    bool combines = statement_.op && (can_reduce(*statement_.op) || statement_.op == Operator::Subtract);
    if (statement_.op && !combines) {
      fail(UserError(fmt::format(
                         "'{}' may be assigned several values for one component: nothing tells that the indices differ",
                         written_left(statement_)))
               .hint("write += to add them up, max= or min= to keep one of them, or another assignment that combines "
                     "them"),
           statement_.lhs_span);
    }
    if (statement_.op && !facts(*statement_.op).takes_complex && is_complex(out.rhs.type()))
      fail(no_order_of_complex(std::string(facts(*statement_.op).symbol) + "="), statement_.op_span);
    assigns_once_ = !statement_.op;
    Part left = split(statement_.lhs, statement_.lhs_span);
    out.lhs = left.access;
    // Of what is assigned there is one value, so that a sum of it and nothing else is that value.
    bool truth = out.rhs.type() == ElementType::Bool;
    Operator op = !statement_.op                         ? truth ? Operator::Or : Operator::Add
                  : *statement_.op == Operator::Subtract ? Operator::Add
                                                         : *statement_.op;
    std::vector<IndexVar> kept = free_of(left.access.indices), all = free_of(statement_.lhs.indices), reduced;
    all.insert(all.end(), left.vars.begin(), left.vars.end());
    for (const IndexVar& var : all) {
      if (!contains(kept, var)) reduced.push_back(var);
    }
    out.rhs = apply(Operator::Select, {conjunction(left.selections), out.rhs, neutral(op, out.rhs, combined_type())},
                    out.rhs.span());
    if (!reduced.empty()) out.rhs = Expr(Reduce{op, reduced, out.rhs}, out.rhs.span());
    return out;
  }

 private:
  /// An access without what selects, and the selections that stand for it.
  struct Part {
    Access access;
    std::vector<IndexVar> vars;  // that are selected
    std::vector<Expr> selections;
  };

  void use_gathered(const std::vector<IndexVar>& indices) {
    for (const IndexVar& index : indices) {
      if (!selects(index) || !index.map()->gathered) continue;
      names_.use(index.map()->gathered->tensor.name());
      use_gathered(index.map()->gathered->indices);
    }
  }

  [[noreturn]] void fail(UserError error, Span span) const {
    if (statement_.source) throw std::move(error).at(statement_.source, span);
    throw error;
  }

  Expr selected(const Expr& expr) {
    const Access* access = expr.as<Access>();
    if (!access) return map_children(expr, [&](const Expr& child) { return selected(child); });
    if (!selects(*access)) return expr;
    Part part = split(*access, expr.span());
    const TensorVar& tensor = access->tensor;
    bool padded = std::any_of(access->indices.begin(), access->indices.end(),
                              [](const IndexVar& index) { return index.map() && index.map()->padded; });
    Expr value(part.access, expr.span());
    if (tensor.fill().is_zero() || (!tensor.may_be_absent() && !padded)) return reduced(part, value);
    // What is not its fill is selected, and the fill is there where that is nothing.
    Expr fill(Literal{tensor.fill()}, expr.span()), zero(Literal{Scalar(tensor.type())}, expr.span());
    Expr differs = tensor.fill().is_nan() ? apply(Operator::Equal, {value, value}, expr.span())
                                          : apply(Operator::NotEqual, {value, fill}, expr.span());
    Expr found = reduced(part, apply(Operator::Select, {differs, value, zero}, expr.span())),
         is_found = reduced(part, differs);
    return apply(Operator::Select, {is_found, found, fill}, expr.span());
  }

  /// The one value that is selected; 0 or false where there is none.
  static Expr reduced(const Part& part, const Expr& value) {
    bool truth = value.type() == ElementType::Bool;
    Expr product =
        apply(truth ? Operator::And : Operator::Multiply, {conjunction(part.selections), value}, value.span());
    return Expr(Reduce{truth ? Operator::Or : Operator::Add, part.vars, product}, value.span());
  }

  static Expr conjunction(const std::vector<Expr>& selections) {
    Expr all = selections[0];
    for (size_t n = 1; n < selections.size(); n++) all = apply(Operator::And, {all, selections[n]}, all.span());
    return all;
  }

  /// Each value is combined with a component by itself, so values that meet in one are combined in the component's type
  /// where that holds more.
  ElementType combined_type() const {
    ElementType value = statement_.rhs.type(), component = statement_.lhs.tensor.type();
    bool overflows = statement_.op == Operator::Add || statement_.op == Operator::Subtract ||
                     statement_.op == Operator::Multiply;
    return overflows && promote(value, component) == component ? component : value;
  }

  /// What leaves a component of the left side as it is.
  static Expr neutral(Operator op, const Expr& rhs, ElementType type) {
    if (facts(op).typing == Typing::Logic)
      return Expr(Literal{Scalar::boolean(op == Operator::And).cast(rhs.type())}, rhs.span());
    return Expr(Literal{*identity(op, type)}, rhs.span());
  }

  Part split(const Access& access, Span span) {
    Part part{access, {}, {}};
    for (size_t d = 0; d < access.indices.size(); d++) {
      if (selects(access.indices[d]))
        part.access.indices[d] = selected({access.tensor, d, span}, access.indices[d], part);
    }
    // Those that are not selected may be padded with them, which sums say themselves.
    return part;
  }

  /// The dimension that an index is for.
  struct Place {
    TensorVar tensor;
    size_t dimension;
    Span span;
  };

  /// What stands in the place of an index that selects; its selections are added to the part.
  IndexVar selected(const Place& place, const IndexVar& index, Part& part) {
    const IndexMap& map = *index.map();
    IndexVar var = IndexVar::hidden(names_.make("k"));
    part.vars.push_back(var);
    part.selections.push_back(map.gathered ? gathered(place, map, var, part) : wrapped(place, map, var));
    bool others = map.gathered && !map.wrapped && !map.terms.empty();
    IndexMap sum{map.terms, 0, {}, {}, map.padded};
    sum.terms.insert(sum.terms.begin(), {var, 1});
    return others ? make_index(sum) : var;
  }

  Expr gathered(const Place& place, const IndexMap& map, const IndexVar& var, Part& part) {
    const TensorVar& source = map.gathered->tensor;
    if (!is_integer(source.type())) {
      const std::string &name = place.tensor.name(), &index = source.name();
      std::optional<std::string> function = did_you_mean(name, function_names());
      UserError error(
          fmt::format("'{}' holds {} values, but coordinates are integers", index, to_string(source.type())));
      std::move(error).note(fmt::format(
          "{0}({1}(...)) reads the tensor '{0}' at coordinates that '{1}' holds; there is no function '{0}'", name,
          index));
      if (function) std::move(error).hint(fmt::format("did you mean '{}'?", *function));
      else
        std::move(error).hint(fmt::format("give '{}' an integer type, such as int64", index),
                              fmt::format("give '{0}' an integer type, as in -t {0}:int64", index));
      fail(error, place.span);
    }
    bool only_gathered = map.terms.empty();
    if (!only_gathered && map.wrapped) {
      fail(UserError(fmt::format("An index that wraps around is a sum of index variables, or '{}(...)' and a number",
                                 source.name()))
               .hint("assign the sum to a tensor of integers first"),
           place.span);
    }
    if (!only_gathered && map.padded) {
      fail(UserError(fmt::format("Inside of pad, '{}(...)' stands without index variables beside it", source.name()))
               .hint("assign the sum to a tensor of integers first"),
           place.span);
    }
    Selection selection{source, {}, map.gathered->factor, map.offset, map.wrapped, map.modulus, map.padded};
    std::vector<IndexVar> indices = map.gathered->indices;
    for (size_t d = 0; d < indices.size(); d++) {
      if (selects(indices[d])) indices[d] = selected({source, d, place.span}, indices[d], part);
    }
    return access_to(selection, place, source.name() + "_at", indices, var);
  }

  /// i+1 mod n for all values of its variables.
  Expr wrapped(const Place& place, const IndexMap& map, const IndexVar& var) {
    Selection selection;
    selection.offset = map.offset;
    selection.wraps = true;
    selection.modulus = map.modulus;
    std::vector<IndexVar> indices;
    for (const IndexMap::Term& term : map.terms) {
      selection.factors.push_back(term.factor);
      indices.push_back(term.var);
    }
    return access_to(selection, place, "wrapped", indices, var);
  }

  Expr access_to(Selection selection, const Place& place, const std::string& name, std::vector<IndexVar> indices,
                 const IndexVar& selected) {
    selection.once = assigns_once_;
    TensorVar var = variable(selection, place, name, indices);
    indices.push_back(selected);
    return Expr(Access{var, indices}, place.span);
  }

  /// One for each tensor and dimension, whose size it has.  Its other dimensions are those of the tensor that it holds;
  /// if there is none, they are the extents of these variables.
  TensorVar variable(const Selection& selection, const Place& place, const std::string& name,
                     const std::vector<IndexVar>& vars) {
    for (const Known& known : known_) {
      if (known.tensor == place.tensor && known.dimension == place.dimension && *known.var.selection() == selection &&
          (selection.source || known.vars == vars))
        return known.var;
    }
    known_.push_back({place.tensor, place.dimension, vars, TensorVar(names_.make(name), selection)});
    return known_.back().var;
  }

  struct Known {
    TensorVar tensor;
    size_t dimension;
    std::vector<IndexVar> vars;
    TensorVar var;
  };

  const Statement& statement_;
  FreshNames names_;
  bool assigns_once_ = false;  // is this the left side of a plain assignment?
  std::vector<Known> known_;
};

}  // namespace

Statement with_selections(const Statement& statement) {
  std::vector<Access> all = accesses(statement.rhs);
  bool any = std::any_of(all.begin(), all.end(), [](const Access& access) { return selects(access); });
  Statement operands = any ? Selector(statement).operands() : statement;
  return selects(operands.lhs) ? Selector(operands).result() : operands;
}

}  // namespace filigree::notation
