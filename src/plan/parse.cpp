#include <algorithm>

#include "plan/declarations.h"
#include "plan/text.h"
#include "plan/verify.h"
#include "plan/words.h"
#include "support/large_stack.h"
#include "support/text.h"

namespace filigree::plan {
namespace {

using concrete::Expr;

class Parser {
 public:
  Parser(const std::string& name, const std::string& text) : in_(name, text), declared_(in_) {}

  Plan parse_all() {
    declared_.read();
    tree_ = in_.span();
    Body root = body(0);
    if (!in_.is_done()) in_.fail("Something is left over after the plan");
    Plan plan{{root.stmt.what(), declared_.results(), declared_.operands(), declared_.environment(), declared_.made()},
              root,
              declared_.mode(),
              declared_.fillings(),
              declared_.thread_pieces(),
              declared_.lookups(),
              declared_.memory(),
              declared_.cases(),
              declared_.stored()};
    if (std::optional<Mistake> mistake = find_mistake(plan))
      throw UserError("The plan cannot run: " + mistake->what).at(in_.source(), place_of(*mistake));
    return plan;
  }

 private:
  Span place_of(const Mistake& mistake) const {
    if (mistake.tensor) return declared_.place(*mistake.tensor);
    if (mistake.var) return declared_.place(*mistake.var);
    auto found = places_.find(mistake.at);
    return found == places_.end() ? tree_ : found->second;
  }

  // --- Expressions ---------------------------------------------------------------------------------

  /// An operator of this notation whose symbol stands here.
  std::optional<Operator> accept_operator(Notation notation) {
    std::optional<Operator> longest;  // < and <= begin alike
    for (Operator op : writable_operators()) {
      std::string symbol = facts(op).symbol;
      if (facts(op).notation == notation && in_.stands(symbol) &&
          (!longest || symbol.size() > std::string(facts(*longest).symbol).size()))
        longest = op;
    }
    if (longest) in_.expect(facts(*longest).symbol);
    return longest;
  }

  Expr expression() {
    in_.enter();
    Expr first = operand();
    std::optional<Operator> op = accept_operator(Notation::Infix);
    in_.leave();
    return op ? applied(*op, {first, operand()}) : first;
  }

  Expr applied(Operator op, const std::vector<Expr>& operands) {
    const OperatorFacts& known = facts(op);
    if (known.arity != static_cast<int>(operands.size()))
      in_.fail("'" + std::string(known.symbol) + "' has " + counted(known.arity, "operand"));
    for (const Expr& operand : operands) {
      if (!known.takes_complex && is_complex(operand.type()))
        in_.fail("'" + std::string(known.symbol) + "' is not defined for complex numbers");
    }
    return Expr(notation::Apply{op, operands});
  }

  Expr operand() {
    if (in_.accept("(")) {
      Expr inside = expression();
      in_.expect(")");
      return inside;
    }
    if (in_.accept("#")) return Expr(notation::Coordinate{declared_.index_name()});
    if (in_.accept("fill")) {
      in_.expect("(");
      Scalar value = declared_.number();
      in_.expect(")");
      return Expr(notation::Literal{value, true});
    }
    if (in_.stands_number()) return Expr(notation::Literal{declared_.number()});
    if (std::optional<Operator> op = accept_operator(Notation::Prefix)) {
      in_.enter();
      Expr of = operand();
      in_.leave();
      return applied(*op, {of});
    }
    if (std::optional<Operator> op = accept_operator(Notation::Call)) {
      std::vector<Expr> operands;
      in_.expect("(");
      do operands.push_back(expression());
      while (in_.accept(","));
      in_.expect(")");
      return applied(*op, operands);
    }
    return Expr(declared_.access(declared_.tensor_name()));
  }

  // --- Statements of which no more is decided --------------------------------------------------------

  concrete::Assign assignment() {
    concrete::Assign n{declared_.access(declared_.tensor_name()), std::nullopt, Expr(notation::Literal{Scalar()})};
    if (!in_.stands("= ")) {
      std::optional<Operator> op = accept_operator(Notation::Infix);
      n.op = op ? op : accept_operator(Notation::Call);
      if (!n.op) in_.fail("An operator or '=' should stand here");
      bool starts = can_reduce(*n.op) && identity(*n.op, n.lhs.tensor.type());
      if (!starts) in_.fail_there("Nothing can be accumulated with '" + std::string(facts(*n.op).symbol) + "'");
    }
    in_.expect("=");
    n.rhs = expression();
    bool is_complex_inside = n.op && (is_complex(n.rhs.type()) || is_complex(n.lhs.tensor.type()));
    if (is_complex_inside && !facts(*n.op).takes_complex)
      in_.fail("'" + std::string(facts(*n.op).symbol) + "=' is not defined for complex numbers");
    n.drops_fill = in_.accept("if stored");
    if (in_.accept("unless")) {
      IndexVar one = declared_.index_name();
      in_.expect("==");
      n.unless_equal = {one, declared_.index_name()};
    }
    n.copies_levels = in_.accept("by levels");
    n.prunes = in_.accept("pruned");
    return n;
  }

  struct How {
    concrete::LoopTag tag;
    bool as_stored = false;
  };
  How how() {
    How how;
    if (in_.accept("[")) how.tag = declared_.tag(how.as_stored);
    return how;
  }

  concrete::Stmt statement() {
    in_.enter();
    concrete::Stmt stmt = any_statement();
    in_.leave();
    return stmt;
  }

  concrete::Stmt any_statement() {
    if (in_.accept("forall")) {
      in_.expect("(");
      IndexVar var = declared_.index_name();
      How runs = how();
      in_.expect(",");
      concrete::Stmt inside = statement();
      in_.expect(")");
      return concrete::Forall{var, inside, runs.as_stored, runs.tag};
    }
    if (in_.accept("where")) {
      std::vector<concrete::Stmt> both = statements();
      if (both.size() != 2) in_.fail("A where has two statements");
      return concrete::Where{both[0], both[1]};
    }
    if (in_.accept("sequence")) return concrete::Sequence{statements()};
    if (in_.accept("multi")) return concrete::Multi{statements()};
    return assignment();
  }

  std::vector<concrete::Stmt> statements() {
    std::vector<concrete::Stmt> all;
    in_.expect("(");
    do all.push_back(statement());
    while (in_.accept(";"));
    in_.expect(")");
    return all;
  }

  // --- The tree ------------------------------------------------------------------------------------

  void expect_depth(int depth) {
    if (in_.depth() != depth)
      in_.fail("A line that is indented by " + counted(2 * depth, "blank") + " should stand here");
  }

  Body body(int depth) {
    expect_depth(depth);
    std::vector<concrete::Derivation> computed;
    while (in_.depth() == depth && in_.accept("let")) {
      computed.push_back(declared_.derivation());
      in_.finish_line();
    }
    return {computed, stmt(depth)};
  }

  Stmt stmt(int depth) {
    expect_depth(depth);
    in_.enter();
    Span place = in_.span();
    Stmt made = any_stmt(depth);
    in_.leave();
    places_.insert({made.identity(), place});
    stmts_.push_back(made);
    return made;
  }

  Stmt any_stmt(int depth) {
    if (in_.accept("loop")) {
      std::optional<concrete::Stmt> does;
      Loop made = loop(depth, does);
      const lattice::Lattice& lattice = made.lattice;
      if (!does && made.bodies.empty()) in_.fail("A loop without cases says what it does");
      concrete::Stmt inside = does ? *does : made.bodies.front().stmt.what();
      return Stmt(concrete::Forall{lattice.var, inside, lattice.as_stored, lattice.tag}, made);
    }
    if (in_.accept("pieces")) {
      IndexVar var = declared_.index_name();
      concrete::LoopTag tag = how().tag;
      std::optional<Launch> launched = launch();
      std::optional<Division> cut_by = division();
      std::vector<SharedResult> results = shared();
      bool full_first = in_.accept("full first");
      in_.finish_line();
      const std::vector<concrete::PieceLoop>& cuts = declared_.environment().piece_loops;
      auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const concrete::PieceLoop& c) { return c.var == var; });
      if (cut == cuts.end()) in_.fail("Nothing says what '" + var.name() + "' cuts");
      Body inside = body(depth + 1);
      return Stmt(concrete::Forall{var, inside.stmt.what(), false, tag},
                  Pieces{*cut, inside, cut_by, results, full_first, launched});
    }
    if (in_.accept("first")) {
      bool once = in_.accept("once"), whole = in_.accept("whole");
      in_.finish_line();
      Body producer = body(depth + 1);
      expect_depth(depth);
      in_.expect("then");
      in_.finish_line();
      Body consumer = body(depth + 1);
      return Stmt(concrete::Where{consumer.stmt.what(), producer.stmt.what()}, Where{consumer, producer, once, whole});
    }
    if (in_.accept("in sequence")) {
      std::vector<Stmt> all = each(depth);
      return Stmt(concrete::Sequence{whats(all)}, Sequence{all});
    }
    if (in_.accept("together")) {
      std::vector<Stmt> all = each(depth);
      return Stmt(concrete::Multi{whats(all)}, Multi{all});
    }
    concrete::Assign assign = assignment();
    in_.finish_line();
    return Stmt(assign, Assign{});
  }

  std::vector<Stmt> each(int depth) {
    in_.finish_line();
    std::vector<Stmt> all;
    while (in_.depth() == depth + 1 && in_.accept("next")) {
      in_.finish_line();
      all.push_back(stmt(depth + 2));
    }
    return all;
  }

  static std::vector<concrete::Stmt> whats(const std::vector<Stmt>& statements) {
    std::vector<concrete::Stmt> all;
    for (const Stmt& stmt : statements) all.push_back(stmt.what());
    return all;
  }

  /// launched in blocks of 8 warps
  std::optional<Launch> launch() {
    if (!in_.accept("launched in blocks of")) return std::nullopt;
    Launch launch{false, in_.integer()};
    launch.in_warps = in_.accept("warps") || in_.accept("warp");
    if (!launch.in_warps && !in_.accept("threads")) in_.expect("thread");
    return launch;
  }

  /// in 16 pieces by B.2(i,k)
  std::optional<Division> division() {
    if (!in_.accept("in")) return std::nullopt;
    Division division;
    if (in_.stands_number()) division.pieces = in_.integer();
    in_.expect("pieces");
    if (in_.accept("by")) division.by = declared_.operand_level();
    return division;
  }

  /// sharing y by +, z
  std::vector<SharedResult> shared() {
    std::vector<SharedResult> all;
    if (!in_.accept("sharing")) return all;
    do {
      all.push_back({declared_.tensor_name(), std::nullopt});
      if (!in_.accept("by")) continue;
      std::optional<Operator> op = accept_operator(Notation::Infix);
      all.back().op = op ? op : accept_operator(Notation::Call);
      if (!all.back().op) in_.fail("An operator should stand here");
    } while (in_.accept(","));
    return all;
  }

  /// Behind the word `loop`.
  Loop loop(int depth, std::optional<concrete::Stmt>& does) {
    IndexVar var = declared_.index_name();
    How runs = how();
    Loop made{{var, {}, {}, runs.as_stored, runs.tag}, {}, {}};
    made.launch = launch();
    made.division = division();
    made.shared = shared();
    lattice::Lattice& lattice = made.lattice;
    lattice::Strategy& strategy = made.strategy;
    strategy.over_universe = in_.accept("over universe");
    if (in_.accept(":")) {
      do {
        lattice.operands.push_back(declared_.operand_level());
        constexpr size_t most_operands = 32;
        if (lattice.operands.size() > most_operands)
          in_.fail("At most " + counted(most_operands, "operand") + " can meet in one loop");
        lattice::Mask own = 1u << (lattice.operands.size() - 1);
        std::string protocol = in_.name();
        std::optional<concrete::Protocol> known = concrete::parse_protocol(protocol);
        if (!known && protocol != "unused") in_.fail("There is no way '" + protocol + "' to reach an operand");
        if (known) strategy.used |= own;
        strategy.protocols.push_back(known.value_or(concrete::Protocol::Step));
        if (in_.accept("unless far")) strategy.by_distance |= own;
        if (in_.accept("remembered")) strategy.remembered |= own;
      } while (in_.accept(","));
    }
    in_.finish_line();
    if (in_.depth() == depth + 1 && in_.accept("does")) {
      does = statement();
      in_.finish_line();
    }
    while (in_.depth() == depth + 1 && (in_.peek() == '{' || in_.stands("universe"))) point(made, depth + 1);
    if (in_.depth() == depth + 1 && in_.accept("skipped")) {
      lattice.skipped = statement();
      in_.finish_line();
    }
    if (in_.depth() == depth + 1 && in_.accept("if empty")) {
      if (!in_.at_end()) lattice.may_be_empty = declared_.index_names();
      in_.finish_line();
      expect_depth(depth + 2);
      in_.expect("loop");
      std::optional<concrete::Stmt> same;
      Span place = in_.span();
      made.if_empty = std::make_shared<const Loop>(loop(depth + 2, same));
      places_.insert({made.if_empty.get(), place});
      if (made.if_empty->bodies.empty()) in_.fail("A loop that runs instead has something to do");
      lattice.if_empty = made.if_empty->bodies.back().stmt.what();
    }
    return made;
  }

  void point(Loop& made, int depth) {
    lattice::Point point{0, concrete::Stmt(concrete::Sequence{})};
    if (!in_.accept("universe")) {
      in_.expect("{");
      do {
        const std::vector<lattice::Operand>& operands = made.lattice.operands;
        lattice::Operand one = declared_.operand_level(operands);
        auto found = std::find(operands.begin(), operands.end(), one);
        if (found == operands.end()) in_.fail("The loop has no such operand");
        point.present |= 1u << (found - operands.begin());
      } while (in_.accept(","));
      in_.expect("}");
    }
    made.strategy.by_length.push_back(in_.accept("by length"));
    made.repeated.push_back(in_.accept("repeated"));
    in_.expect(":");
    in_.finish_line();
    made.bodies.push_back(body(depth + 1));
    point.body = made.bodies.back().stmt.what();
    made.lattice.points.push_back(point);
  }

  Reader in_;
  Declarations declared_;
  std::map<const void*, Span> places_;  // of statements, and of loops that run instead of others
  std::vector<Stmt> stmts_;             // so that no other gets the place of one of them
  Span tree_;
};

}  // namespace

Plan parse(const std::string& text, const std::string& name) {
  return on_large_stack([&] { return Parser(name, text).parse_all(); });
}

}  // namespace filigree::plan
