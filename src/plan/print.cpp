#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "plan/format_text.h"
#include "plan/text.h"
#include "plan/words.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::plan {
namespace {

using concrete::Access;
using concrete::Derivation;
using concrete::PieceLoop;
using lattice::Operand;

/// The names of one kind of variables, each for one variable.
template <class Variable>
class Names {
 public:
  /// `general`: instead of its own name, each has this and a number, in order of first use.
  explicit Names(const char* general) : general_(general) {}

  const std::string& operator()(const Variable& variable) {
    auto known = names_.find(variable);
    if (known != names_.end()) return known->second;
    order_.push_back(variable);
    std::string name = general_ ? general_ + std::to_string(order_.size()) : variable.name();
    if (!general_) {
      for (int n = 1; used_.count(name) || is_word(name); n++) name = variable.name() + "_" + std::to_string(n);
    }
    used_.insert(name);
    return names_.emplace(variable, name).first->second;
  }
  /// As they were made, which decides the order of what is made for each of them; with general names, as they were
  /// used.
  std::vector<Variable> all() const {
    std::vector<Variable> all = order_;
    if (!general_) std::sort(all.begin(), all.end());
    return all;
  }

 private:
  const char* general_;
  std::map<Variable, std::string> names_;
  std::set<std::string> used_;
  std::vector<Variable> order_;
};

class Printer {
 public:
  explicit Printer(bool canonical)
      : tensors_(canonical ? "t" : nullptr), vars_(canonical ? "v" : nullptr), canonical_(canonical) {}

  std::string print(const Plan& plan) {
    const concrete::Program& program = plan.program;
    body(plan.root, 0);
    std::string tree = std::move(text_);
    std::string filled = fillings(plan.fillings);
    std::string facts = about(program.environment) + filled + stored(plan.stored);
    std::string roles = "results " + list(program.results) + "\n";
    if (!program.operands.empty()) roles += "operands " + list(program.operands) + "\n";
    if (plan.mode != Mode::Grow) roles += fmt::format("mode {}\n", mode_words[static_cast<size_t>(plan.mode)]);
    if (plan.thread_pieces) roles += fmt::format("threads {}\n", *plan.thread_pieces);
    roles += numbers(plan.lookups) + numbers(plan.memory) + numbers(plan.cases);
    if (program.made) roles += "made " + format_text(*program.made) + "\n";
    return roles + tensors() + facts + "\n" + tree;
  }

 private:
  /// Those that are not as usual.
  template <class Numbers>
  static std::string numbers(const Numbers& numbers) {
    std::vector<std::string> all;
    for (const auto& word : number_words<Numbers>) {
      int number = numbers.*word.number;
      if (number != Numbers().*word.number) all.push_back(fmt::format("{} {}", word.name, number));
    }
    return all.empty() ? "" : fmt::format("{} {}\n", numbers_word<Numbers>, join(all, ", "));
  }

  // --- Names, and lists of them --------------------------------------------------------------------

  const std::string& name(const TensorVar& tensor) { return tensors_(tensor); }
  const std::string& name(const IndexVar& var) { return vars_(var); }
  template <class Variable>
  std::string list(const std::vector<Variable>& variables, const char* separator = ", ") {
    std::vector<std::string> names;
    for (const Variable& variable : variables) names.push_back(name(variable));
    return join(names, separator);
  }
  template <class Variable>
  std::string declared_name(const Variable& variable) {
    std::string own = name(variable);
    return canonical_ || own == variable.name() ? own : own + " shown " + variable.name();
  }

  // --- Expressions and assignments -----------------------------------------------------------------

  std::string access(const Access& access) {
    return access.indices.empty() ? name(access.tensor) : name(access.tensor) + "(" + list(access.indices, ",") + ")";
  }

  std::string expression(const concrete::Expr& expr, bool encloses = false) {
    return match(
        expr,
        [&](const notation::Literal& n) { return n.structural ? "fill(" + number(n.value) + ")" : number(n.value); },
        [&](const Access& n) { return access(n); }, [&](const notation::Coordinate& n) { return "#" + name(n.var); },
        [&](const notation::Apply& n) {
          const OperatorFacts& op = facts(n.op);
          std::string out;
          if (op.notation == Notation::Infix)
            out = fmt::format("{} {} {}", expression(n.operands[0], true), op.symbol, expression(n.operands[1], true));
          if (op.notation == Notation::Prefix) out = fmt::format("{} {}", op.symbol, expression(n.operands[0], true));
          if (op.notation != Notation::Call) return encloses ? "(" + out + ")" : out;
          std::vector<std::string> operands;
          for (const concrete::Expr& operand : n.operands) operands.push_back(expression(operand));
          return fmt::format("{}({})", op.symbol, join(operands, ", "));
        },
        [&](const notation::Reduce&) -> std::string {
          throw InternalError("plan", "a reduction is left in an assignment", notation::to_string(expr));
        });
  }

  std::string assignment(const concrete::Assign& n) {
    std::string out = fmt::format("{} {}= {}", access(n.lhs), n.op ? facts(*n.op).symbol : "", expression(n.rhs));
    if (n.drops_fill) out += " if stored";
    if (n.unless_equal)
      out += fmt::format(" unless {} == {}", name(n.unless_equal->first), name(n.unless_equal->second));
    if (n.copies_levels) out += " by levels";
    if (n.prunes) out += " pruned";
    return out;
  }

  static std::string how(const concrete::LoopTag& tag, bool as_stored) {
    std::string words = concrete::to_string(tag);
    if (as_stored) words += words.empty() ? "as stored" : ", as stored";
    return words.empty() ? "" : " [" + words + "]";
  }

  /// A statement of which no more is decided.
  std::string statement(const concrete::Stmt& stmt) {
    auto all = [&](const std::vector<concrete::Stmt>& statements) {
      std::vector<std::string> texts;
      for (const concrete::Stmt& s : statements) texts.push_back(statement(s));
      return join(texts, "; ");
    };
    return match(
        stmt,
        [&](const concrete::Forall& n) {
          return fmt::format("forall({}{}, {})", name(n.var), how(n.tag, n.as_stored), statement(n.body));
        },
        [&](const concrete::Where& n) {
          return fmt::format("where({}; {})", statement(n.consumer), statement(n.producer));
        },
        [&](const concrete::Sequence& n) { return "sequence(" + all(n.statements) + ")"; },
        [&](const concrete::Multi& n) { return "multi(" + all(n.statements) + ")"; },
        [&](const concrete::Assign& n) { return assignment(n); });
  }

  // --- The tree ------------------------------------------------------------------------------------

  void line(int depth, const std::string& content) {
    text_ += std::string(2 * static_cast<size_t>(depth), ' ') + content + "\n";
  }

  void body(const Body& body, int depth) {
    for (const Derivation& derivation : body.computed) line(depth, "let " + this->derivation(derivation));
    stmt(body.stmt, depth);
  }

  void stmt(const Stmt& stmt, int depth) {
    auto each = [&](const char* what, const std::vector<Stmt>& statements) {
      line(depth, what);
      for (const Stmt& s : statements) {
        line(depth + 1, "next");
        this->stmt(s, depth + 2);
      }
    };
    match(
        stmt,
        [&](const Loop& n) {
          const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
          bool is_first = !n.bodies.empty() && forall.body == n.bodies.front().stmt.what();
          loop(n, is_first ? std::nullopt : std::optional(forall.body), depth);
        },
        [&](const Pieces& n) {
          line(depth, "pieces " + name(n.cut.var) + how(stmt.what().as<concrete::Forall>()->tag, false) +
                          launch(n.launch) + division(n.division) + shared(n.shared) +
                          (n.full_first ? " full first" : ""));
          body(n.body, depth + 1);
        },
        [&](const Where& n) {
          line(depth, std::string("first") + (n.once ? " once" : "") + (n.whole ? " whole" : ""));
          body(n.producer, depth + 1);
          line(depth, "then");
          body(n.consumer, depth + 1);
        },
        [&](const Sequence& n) { each("in sequence", n.statements); },
        [&](const Multi& n) { each("together", n.statements); },
        [&](const Assign&) { line(depth, assignment(*stmt.what().as<concrete::Assign>())); });
  }

  void loop(const Loop& loop, const std::optional<concrete::Stmt>& other_body, int depth) {
    const lattice::Lattice& lattice = loop.lattice;
    std::vector<std::string> operands;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      bool is_used = loop.strategy.used >> k & 1;
      std::string protocol = is_used ? concrete::to_string(loop.strategy.protocols[k]) : "unused";
      operands.push_back(fmt::format("{} {}{}", full_name(lattice.operands[k]), protocol,
                                     loop.strategy.by_distance >> k & 1  ? " unless far"
                                     : loop.strategy.remembered >> k & 1 ? " remembered"
                                                                         : ""));
    }
    line(depth, "loop " + name(lattice.var) + how(lattice.tag, lattice.as_stored) + launch(loop.launch) +
                    division(loop.division) + shared(loop.shared) +
                    (loop.strategy.over_universe ? " over universe" : "") +
                    (operands.empty() ? "" : ": " + join(operands, ", ")));
    if (other_body) line(depth + 1, "does " + statement(*other_body));
    for (size_t n = 0; n < lattice.points.size(); n++) {
      std::vector<std::string> present;
      for (size_t k = 0; k < lattice.operands.size(); k++) {
        if (lattice.points[n].present >> k & 1) present.push_back(short_name(lattice.operands[k], lattice.operands));
      }
      line(depth + 1, (present.empty() ? "universe" : "{" + join(present, ", ") + "}") +
                          (loop.strategy.by_length[n] ? " by length" : "") + (loop.repeated[n] ? " repeated:" : ":"));
      body(loop.bodies[n], depth + 2);
    }
    if (lattice.skipped) line(depth + 1, "skipped " + statement(*lattice.skipped));
    if (!loop.if_empty) return;
    line(depth + 1, "if empty " + list(lattice.may_be_empty));
    this->loop(*loop.if_empty, std::nullopt, depth + 2);
  }

  static std::string launch(const std::optional<Launch>& launch) {
    return launch ? " launched in blocks of " + counted(launch->units, launch->in_warps ? "warp" : "thread") : "";
  }

  std::string division(const std::optional<Division>& division) {
    if (!division) return "";
    std::string count = division->pieces ? std::to_string(*division->pieces) + " " : "";
    return " in " + count + "pieces" + (division->by ? " by " + full_name(*division->by) : "");
  }

  std::string shared(const std::vector<SharedResult>& results) {
    std::vector<std::string> all;
    for (const SharedResult& one : results)
      all.push_back(name(one.tensor) + (one.op ? std::string(" by ") + facts(*one.op).symbol : ""));
    return all.empty() ? "" : " sharing " + join(all, ", ");
  }

  std::string level_name(const Operand& operand) {
    return name(operand.tensor) + "." + std::to_string(operand.level + 1);
  }
  std::string full_name(const Operand& operand) { return level_name(operand) + "(" + list(operand.path, ",") + ")"; }
  /// Without the path, if that is not needed to tell it from others.
  std::string short_name(const Operand& operand, const std::vector<Operand>& others) {
    auto is_alike = [&](const Operand& other) {
      return other.tensor == operand.tensor && other.level == operand.level;
    };
    bool is_only = std::count_if(others.begin(), others.end(), is_alike) == 1;
    return is_only ? level_name(operand) : full_name(operand);
  }

  // --- Variables and tensors -----------------------------------------------------------------------

  std::string sum(const relation::Sum& sum) {
    std::string out = std::to_string(sum.offset);
    for (const auto& [var, factor] : sum.terms) out += fmt::format(" + {}*{}", factor, name(var));
    return out;
  }

  static std::string list_of(const std::vector<std::int64_t>& entries) {
    return fmt::format(" among {{{}}}", fmt::join(entries, ","));
  }

  std::string derivation(const Derivation& derivation) {
    std::string var = name(derivation.var);
    std::string from = match_variant(
        derivation.from, [&](const relation::Sum& n) { return sum(n); },
        [&](const relation::DigitsOf<IndexVar>& n) {
          return fmt::format("digits of {} by {} mod {}", name(n.whole), n.divisor, n.modulus);
        },
        [&](const relation::Entry& n) { return sum(n.number) + list_of(n.list); },
        [&](const concrete::AtPoint& n) { return "at point " + name(n.point); });
    return var + " = " + from + (derivation.guarded ? " guarded" : "");
  }

  std::string map_of(const IndexMap& map) {
    std::string out = " = " + sum(map.sum());
    if (!map.list.empty()) out += list_of(map.list);
    if (map.extent) out += fmt::format(" of {}", *map.extent);
    return out + (map.padded ? " padded" : "");
  }

  std::string extent(const concrete::Extent& extent) {
    return match_variant(
        extent,
        [&](const concrete::OfDimension& n) {
          return fmt::format("dimension {} of {}", n.dimension + 1, name(n.tensor));
        },
        [&](const relation::RangeFormulas& n) {
          auto text = [&](const relation::Formula& formula) {
            return relation::to_string(formula, [&](const IndexVar& var) { return name(var); });
          };
          return text(n.extent) + (n.origin.is(0) ? "" : " from " + text(n.origin));
        },
        [&](const concrete::OfStorage& n) {
          return fmt::format("storage of {}.{} within {}", name(n.tensor), n.level + 1, name(n.within));
        },
        [&](const concrete::OfRoom& n) { return "room of " + list(n.indices); },
        [&](const concrete::OfPieces&) { return std::string("pieces"); });
  }

  /// What is known about variables and tensors beside what they are.
  std::string about(const concrete::Environment& environment) {
    std::string out;
    for (const Derivation& d : environment.derivations) out += "derived " + derivation(d) + "\n";
    for (const concrete::Implication& i : environment.implications) {
      out += fmt::format("implied {} from {}{}\n", name(i.var), i.sources.empty() ? "nothing" : list(i.sources),
                         i.held_by ? " held by " + name(*i.held_by) : "");
    }
    for (const PieceLoop& cut : environment.piece_loops) {
      out += fmt::format("cut {} of {}: {} {}", name(cut.var), list(cut.loops),
                         cut_words[static_cast<size_t>(cut.given)], cut.amount);
      if (cut.positions) out += " positions of " + access(*cut.positions);
      if (cut.counts_parents) out += " with parents";
      if (cut.over) out += " over " + name(*cut.over);
      out += cut.by_number ? " by number\n" : "\n";
    }
    for (const concrete::FlatLoop& flat : environment.flat_loops) {
      out += fmt::format("flat {} of {}{}\n", name(flat.var), list(flat.loops),
                         flat.positions ? " positions of " + access(*flat.positions) : "");
    }
    for (const concrete::ExtentBound& bound : environment.bounds)
      out +=
          fmt::format("bound {} {} {}\n", name(bound.var), bound_words[static_cast<size_t>(bound.kind)], bound.amount);
    for (const auto& [window, shown] : environment.windows)
      out += fmt::format("window {} of {}\n", name(window), access(shown));
    for (const auto& [var, extent] : environment.extents) name(var);
    std::string indices;  // each may name others, which then come too
    for (size_t known = 0; known != vars_.all().size();) {
      known = vars_.all().size();
      indices.clear();
      for (const IndexVar& var : vars_.all()) indices += index(var, environment);
    }
    return indices + out;
  }

  std::string filling(const Filling& filling) {
    return match_variant(
        filling,
        [&](const Inserted& n) {
          return "by inserting" + (n.cleared_in ? ", cleared in " + name(*n.cleared_in) : std::string());
        },
        [&](const Appended&) { return std::string("by appending"); },
        [&](const AppendedInPieces& n) { return "by appending in pieces of " + name(n.loop); },
        [&](const IndexFirst& n) { return "index first through " + name(n.workspace); },
        [&](const Placed& n) {
          std::string out = std::string("by placing") + (n.sorts ? ", sorts" : "") + (n.merges ? ", merges" : "");
          if (n.counted_through) out += ", counted through " + full_name(*n.counted_through);
          return out + (n.in_order_of ? ", in order of " + full_name(*n.in_order_of) : "");
        },
        [&](const Slotted& n) { return "in slots within " + name(n.within); },
        [&](const PatternOf& n) {
          return fmt::format("as {} to level {}{}{}", access(n.operand), n.levels, n.on_threads ? " on threads" : "",
                             n.noted ? ", nodes noted" : "");
        });
  }

  std::string fillings(const Fillings& fillings) {
    for (const auto& [tensor, how] : fillings) name(tensor);
    std::string out;
    for (const TensorVar& tensor : tensors_.all()) {
      auto how = fillings.find(tensor);
      if (how != fillings.end()) out += fmt::format("filled {} {}\n", name(tensor), filling(how->second));
    }
    return out;
  }

  std::string stored(const std::map<TensorVar, Stored>& all) {
    std::string out;
    for (const TensorVar& tensor : tensors_.all()) {
      auto how = all.find(tensor);
      if (how == all.end()) continue;
      const auto& [format, indices] = how->second;
      std::string dimensions = indices.empty() ? fmt::format(" of order {}", format.order())
                                               : "(" + list(indices, ",") + ")";
      out += fmt::format("stored {}{} as {}\n", name(tensor), dimensions, format_text(format));
    }
    return out;
  }

  std::string index(const IndexVar& var, const concrete::Environment& environment) {
    std::string out = "index " + declared_name(var) + (var.map() ? map_of(*var.map()) : "");
    auto known = environment.extents.find(var);
    return out + (known == environment.extents.end() ? "" : ": " + extent(known->second)) + "\n";
  }

  std::string selection(const Selection& selection) {
    std::string out = "selection ";
    if (selection.source) out += fmt::format("by {} times {}", name(*selection.source), selection.factor);
    else out += fmt::format("by [{}]", fmt::join(selection.factors, ","));
    out += fmt::format(" from {}", selection.offset);
    if (selection.wraps) out += fmt::format(" wraps {}", selection.modulus);
    return out + (selection.padded ? " padded" : "") + (selection.once ? " once" : "") + "\n";
  }

  std::string tensors() {
    for (const TensorVar& tensor : tensors_.all()) {
      if (tensor.selection() && tensor.selection()->source) name(*tensor.selection()->source);
    }
    std::string out;
    for (const TensorVar& tensor : tensors_.all()) {
      out += "tensor " + declared_name(tensor) + ": ";
      if (const relation::Condition* condition = tensor.condition()) {
        std::vector<int> order;
        for (const Level& level : tensor.format().levels()) order.push_back(level.dimension());
        out += fmt::format("condition {} {} + [{}] in [{}]\n", condition_words[static_cast<size_t>(condition->kind)],
                           condition->offset, fmt::join(condition->factors, ","), fmt::join(order, ","));
        continue;
      }
      if (tensor.selection()) {
        out += selection(*tensor.selection());
        continue;
      }
      out += fmt::format("{}, fill {}, ", filigree::to_string(tensor.type()), number(tensor.fill()));
      if (tensor.order() == 0) out += tensor.may_be_absent() ? "optional scalar\n" : "scalar\n";
      else out += fmt::format("order {}, {}\n", tensor.order(), format_text(tensor.format()));
    }
    return out;
  }

  Names<TensorVar> tensors_;
  Names<IndexVar> vars_;
  bool canonical_;
  std::string text_;
};

}  // namespace

std::string to_string(const Plan& plan) { return Printer(false).print(plan); }
std::string canonical_text(const Plan& plan) { return Printer(true).print(plan); }
bool operator==(const Plan& a, const Plan& b) { return canonical_text(a) == canonical_text(b); }
std::size_t hash(const Plan& plan) { return std::hash<std::string>()(canonical_text(plan)); }

}  // namespace filigree::plan
