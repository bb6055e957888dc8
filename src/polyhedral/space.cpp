#include "polyhedral/space.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "layouts/of_format.h"
#include "polyhedral/solver.h"
#include "support/match.h"
#include "support/text.h"

namespace filigree::polyhedral {
namespace {

using layouts::Expr;
using layouts::Formula;

constexpr size_t most_spaces = 256;

template <class T>
void add_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& each : more) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
}

/// A layout's names as those of one operand: arrays and variables begin with the tensor's name, and coordinates are the
/// index variables of the access.
class Renamed {
 public:
  Renamed(const layouts::Layout& layout, const layouts::Term& term, const notation::Access& access)
      : tensor_(access.tensor.name()) {
    for (size_t d = 0; d < access.indices.size(); d++) {
      names_.emplace(term.logical[d], Expr::name(access.indices[d].name()));
      names_.emplace(layout.dimensions[d], Expr::name("n_" + access.indices[d].name()));
    }
    for (const std::string& name : term.physical) names_.emplace(name, Expr::name(tensor_ + "_" + name));
    for (const std::string& name : layout.parameters()) names_.emplace(name, Expr::name(tensor_ + "_" + name));
  }

  Expr operator()(const Expr& expr) const {
    if (expr.kind() == Expr::Kind::Number) return expr;
    if (expr.kind() == Expr::Kind::Name) return names_.at(expr.text());
    std::vector<Expr> parts;
    for (const Expr& part : expr.parts()) parts.push_back((*this)(part));
    return expr.kind() == Expr::Kind::Read ? Expr::read(tensor_ + "_" + expr.text(), parts)
                                           : Expr::binary(expr.kind(), parts[0], parts[1]);
  }
  Formula operator()(const Formula& formula) const {
    Formula out;
    out.kind = formula.kind;
    for (const Expr& side : formula.sides) out.sides.push_back((*this)(side));
    for (const Formula& part : formula.parts) out.parts.push_back((*this)(part));
    return out;
  }

 private:
  std::string tensor_;
  std::map<std::string, Expr> names_;
};

std::vector<Space> both(const std::vector<Space>& a, const std::vector<Space>& b) {
  std::vector<Space> out;
  for (const Space& x : a) {
    for (const Space& y : b) {
      out.push_back(x);
      add_new(out.back().operands, y.operands);
      add_new(out.back().variables, y.variables);
      add_new(out.back().conditions, y.conditions);
    }
  }
  if (out.size() > most_spaces)
    throw UserError(fmt::format("The statement has more than {} spaces", most_spaces))
        .hint("look at its parts, one statement for each");
  return out;
}

std::vector<Space> space_of(const notation::Access& access) {
  std::optional<layouts::Layout> layout = layouts::layout_of(access.tensor.format());
  Space any{{notation::to_string(notation::Expr(access))}, {}, {}};
  if (!layout || access.tensor.order() == 0) return {any};
  std::vector<Space> out;
  for (const layouts::Term& term : layout->terms) {
    Renamed renamed(*layout, term, access);
    out.push_back(any);
    for (const std::string& name : term.physical) out.back().variables.push_back(renamed(Expr::name(name)).text());
    for (const Formula& part : term.relation.parts) out.back().conditions.push_back(renamed(part));
  }
  return out;
}

std::vector<Space> spaces_of(const notation::Expr& expr) {
  const std::vector<Space> everywhere = {Space{}};
  return match(
      expr, [&](const notation::Literal&) { return everywhere; },
      [&](const notation::Coordinate&) { return everywhere; },
      [&](const notation::Access& access) { return space_of(access); },
      [&](const notation::Reduce& reduce) { return spaces_of(reduce.body); },
      [&](const notation::Apply& apply) {
        if (apply.op == Operator::Multiply || apply.op == Operator::Divide) {
          std::vector<Space> out = spaces_of(apply.operands[0]);
          for (size_t n = 1; apply.op == Operator::Multiply && n < apply.operands.size(); n++)
            out = both(out, spaces_of(apply.operands[n]));
          return out;
        }
        if (apply.op != Operator::Add && apply.op != Operator::Subtract && apply.op != Operator::Negate)
          return everywhere;
        std::vector<Space> out;
        for (const notation::Expr& operand : apply.operands) {
          for (Space& space : spaces_of(operand)) out.push_back(std::move(space));
        }
        return out;
      });
}

void collect_indices(const notation::Expr& expr, std::vector<std::string>& names) {
  for (const notation::Access& access : notation::accesses(expr)) {
    for (const IndexVar& var : access.indices) add_new(names, {var.name()});
  }
}

/// A set as isl reads it: elements of arrays are variables of their own, as are products and the like.
class IslText {
 public:
  explicit IslText(const Space& space) : variables_(space.variables) {
    std::vector<std::string> conditions;
    for (const Formula& part : space.conditions) conditions.push_back(text(part));
    std::vector<std::string> all = variables_;
    for (const auto& [name, meaning] : read_) all.push_back(name);
    set_ = fmt::format("[{}] -> {{ [{}] : {} }}", join(sizes(), ", "), join(all, ", "), join(conditions, " and "));
    std::vector<std::string> known;
    for (const std::string& size : sizes()) known.push_back(size + " >= 0");
    context_ = fmt::format("[{}] -> {{ : {} }}", join(sizes(), ", "), join(known, " and "));
  }

  const std::string& set() const { return set_; }
  const std::string& context() const { return context_; }

  /// isl's text with elements of arrays as they were: in conditions, not among the variables.
  std::string with_reads(std::string answer) const {
    answer = answer.substr(std::min(answer.find('{'), answer.size()));
    size_t open = answer.find('['), close = answer.find(']');
    if (open == std::string::npos || close == std::string::npos) return answer;
    std::vector<std::string> kept, conditions;
    for (const std::string& part : split(answer.substr(open + 1, close - open - 1), ',')) {
      std::string text = trim(part);
      if (!text.starts_with("read_")) kept.push_back(text);
      else if (text.find('=') != std::string::npos) conditions.push_back(text);
    }
    size_t colon = answer.find(':', close), end = answer.rfind('}');
    if (colon != std::string::npos) {
      std::string rest = trim(answer.substr(colon + 1, end - colon - 1));
      conditions.insert(conditions.begin(),
                        !conditions.empty() && rest.find(" or ") != std::string::npos ? "(" + rest + ")" : rest);
    }
    std::string text = "{ [" + join(kept, ", ") + "]" + (conditions.empty() ? "" : " : ") + join(conditions, " and ") +
                       " }";
    for (size_t n = read_.size(); n-- > 0;) {
      const auto& [name, meaning] = read_[n];
      for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += meaning.size())
        text.replace(at, name.size(), meaning);
    }
    return text;
  }

 private:
  std::vector<std::string> sizes() const { return {sizes_.begin(), sizes_.end()}; }

  std::string text(const Formula& formula) {
    if (formula.is_comparison()) {
      const char* symbol = formula.kind == Formula::Kind::Less        ? " < "
                           : formula.kind == Formula::Kind::LessEqual ? " <= "
                           : formula.kind == Formula::Kind::Equal     ? " = "
                                                                      : " != ";
      return text(formula.sides[0]) + symbol + text(formula.sides[1]);
    }
    std::vector<std::string> parts;
    for (const Formula& part : formula.parts) parts.push_back("(" + text(part) + ")");
    if (formula.kind == Formula::Kind::Implies) return "(not " + parts[0] + ") or " + parts[1];
    return join(parts, formula.kind == Formula::Kind::And ? " and " : " or ");
  }

  std::string text(const Expr& expr) {
    auto operand = [&](size_t n) { return text(expr.parts()[n]); };
    bool by_number = expr.parts().size() == 2 && expr.parts()[1].kind() == Expr::Kind::Number;
    switch (expr.kind()) {
      case Expr::Kind::Number:
        return expr.value() < 0 ? fmt::format("({})", expr.value()) : std::to_string(expr.value());
      case Expr::Kind::Name:
        if (std::find(variables_.begin(), variables_.end(), expr.text()) == variables_.end())
          sizes_.insert(expr.text());
        return expr.text();
      case Expr::Kind::Add: return "(" + operand(0) + " + " + operand(1) + ")";
      case Expr::Kind::Subtract: return "(" + operand(0) + " - " + operand(1) + ")";
      case Expr::Kind::Multiply:
        if (by_number || expr.parts()[0].kind() == Expr::Kind::Number) return "(" + operand(0) + "*" + operand(1) + ")";
        break;
      case Expr::Kind::Quotient:
        if (by_number) return "floor(" + operand(0) + "/" + operand(1) + ")";
        break;
      case Expr::Kind::Remainder:
        if (by_number) return "(" + operand(0) + " mod " + operand(1) + ")";
        break;
      case Expr::Kind::Read: break;
    }
    std::string meaning = to_string(expr);
    for (const auto& [name, known] : read_) {
      if (known == meaning) return name;
    }
    read_.push_back({fmt::format("read_{}_", read_.size()), meaning});
    return read_.back().first;
  }

  const std::vector<std::string>& variables_;
  std::set<std::string> sizes_;
  std::vector<std::pair<std::string, std::string>> read_;  // isl's name, and what it stands for
  std::string set_, context_;
};

}  // namespace

std::vector<Space> spaces_of(const notation::Statement& statement) {
  std::vector<std::string> indices;
  for (const IndexVar& var : statement.lhs.indices) add_new(indices, {var.name()});
  collect_indices(statement.rhs, indices);
  std::vector<Space> spaces = spaces_of(statement.rhs);
  for (Space& space : spaces) {
    std::vector<Formula> bounds;
    for (const std::string& index : indices) {
      bounds.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), Expr::name(index)));
      bounds.push_back(Formula::compare(Formula::Kind::Less, Expr::name(index), Expr::name("n_" + index)));
    }
    space.variables.insert(space.variables.begin(), indices.begin(), indices.end());
    space.conditions.insert(space.conditions.begin(), bounds.begin(), bounds.end());
  }
  return spaces;
}

std::string to_string(const Space& space) {
  std::string operands = space.operands.empty() ? "everywhere" : join(space.operands, " * ");
  IslText isl(space);
  std::optional<SimplifiedSet> simple = simplify(isl.set(), isl.context());
  if (simple && simple->is_empty) return operands + ": nothing";
  if (simple) return operands + ": " + isl.with_reads(simple->text);
  Formula all;
  all.parts = space.conditions;
  return fmt::format("{}: {{ [{}] : {} }}", operands, join(space.variables, ", "), layouts::to_string(all));
}

}  // namespace filigree::polyhedral
