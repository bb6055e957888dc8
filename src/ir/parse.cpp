// Statements stand on lines of their own, so lines are read one by one, and the expressions in them by precedence.
#include "ir/parse.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "ir/print.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::ir {
namespace {

/// Words, numbers with their suffixes, and symbols of one or two characters.
std::vector<std::string> tokens_of(const std::string& line) {
  static const std::vector<std::string> pairs = {"..", "//", "==", "!=", "<=", ">="};
  auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<std::string> tokens;
  for (std::size_t n = 0; n < line.size();) {
    std::size_t end = n + 1;
    bool is_number = std::isdigit(static_cast<unsigned char>(line[n])) != 0;
    if (line[n] == ' ') {
      n++;
      continue;
    }
    if (in_word(line[n])) {
      while (end < line.size()) {
        bool is_sign = is_number && (line[end] == '+' || line[end] == '-') && line[end - 1] == 'e';
        bool is_point = is_number && line[end] == '.' && (end + 1 == line.size() || line[end + 1] != '.');
        if (!in_word(line[end]) && !is_sign && !is_point) break;
        end++;
      }
    } else if (std::find(pairs.begin(), pairs.end(), line.substr(n, 2)) != pairs.end()) {
      end = n + 2;
    }
    tokens.push_back(line.substr(n, end - n));
    n = end;
  }
  return tokens;
}

const std::map<std::string, Operator>& operators_by_name() {
  static const std::map<std::string, Operator> names = [] {
    std::map<std::string, Operator> all;
    for (int op = 0; op < static_cast<int>(Operator::FirstUserFunction); op++)
      all.emplace(facts(static_cast<Operator>(op)).name, static_cast<Operator>(op));
    return all;
  }();
  return names;
}

std::optional<Operator> operator_by_symbol(const std::string& symbol) {
  for (int op = 0; op < static_cast<int>(Operator::FirstUserFunction); op++) {
    const char* own = infix_symbol(static_cast<Operator>(op));
    if (own && symbol == own) return static_cast<Operator>(op);
  }
  return std::nullopt;
}

std::optional<Function> function_by_name(const std::string& name) {
  for (int f = 0; f <= static_cast<int>(Function::TableClear); f++) {
    if (function_name(static_cast<Function>(f)) == name) return static_cast<Function>(f);
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : lines_(split(text, '\n')) {}

  FunctionDef run() {
    FunctionDef function;
    next_line();
    for (; raw().starts_with("#"); next_line()) function.header.push_back(raw().size() > 2 ? raw().substr(2) : "");
    head(function);
    scopes_.emplace_back();
    next_line();
    for (; parameter(function); next_line()) {
      if (!at_end()) fail(fmt::format("'{}' follows the parameter", peek()));
    }
    function.body = statements();
    expect("}");
    for (; line_ < lines_.size(); line_++) {
      if (!trim(lines_[line_]).empty()) fail("there is more behind the function");
    }
    return function;
  }

 private:
  // --- Lines and tokens --------------------------------------------------------------------------------

  /// The next line that is not empty.
  void next_line() {
    do {
      if (line_ == lines_.size()) fail("the text ends inside of the function");
      current_ = trim(lines_[line_++]);
    } while (current_.empty());
    tokens_ = current_.starts_with("#") ? std::vector<std::string>{"#"} : tokens_of(current_);
    at_ = 0;
  }
  const std::string& raw() const { return current_; }
  bool at_end() const { return at_ == tokens_.size(); }
  std::string peek() const { return at_end() ? "" : tokens_[at_]; }
  std::string take() {
    if (at_end()) fail("something is missing at the end");
    return tokens_[at_++];
  }
  bool take_if(const std::string& token) {
    if (peek() != token) return false;
    at_++;
    return true;
  }
  void expect(const std::string& token) {
    if (!take_if(token)) fail(fmt::format("expected '{}', found '{}'", token, at_end() ? "the end" : peek()));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("This is no IR, line {}: {}", line_, what)).note(current_);
  }

  std::string name() {
    std::string word = take();
    if (!std::isalpha(static_cast<unsigned char>(word[0])) && word[0] != '_')
      fail(fmt::format("expected a name, found '{}'", word));
    return word;
  }
  std::int64_t integer_number() {
    std::string word = take();
    long long value = 0;
    if (!parse_int64(word, value)) fail(fmt::format("expected a number, found '{}'", word));
    return value;
  }

  // --- Variables -----------------------------------------------------------------------------------------

  Var define(const std::string& name, const Type& type) {
    // The number of elements of a result is named before the body declares it.
    if (auto early = early_.find(name); early != early_.end()) {
      Var var = early->second;
      early_.erase(early);
      scopes_.back().insert_or_assign(name, var);
      return var;
    }
    Var var(name, type);
    scopes_.back().insert_or_assign(name, var);
    return var;
  }
  Var variable(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (auto found = scope->find(name); found != scope->end()) return found->second;
    }
    fail(fmt::format("there is no variable '{}'", name));
  }

  ElementType element_type(const std::string& word) const {
    std::optional<ElementType> type = parse_element_type(word);
    if (!type) fail(fmt::format("'{}' is no type", word));
    return *type;
  }

  /// With the name between the brackets of an array, if there is one.
  std::pair<Type, std::string> type() {
    if (take_if("table")) return {table(), ""};
    if (take_if("parts")) {
      expect("of");
      return {parts(element_type(take())), ""};
    }
    ElementType element = element_type(take());
    if (!take_if("[")) return {scalar(element), ""};
    std::string count = peek() == "]" ? "" : take();
    expect("]");
    Type made = array(element);
    if (take_if("shared")) {
      made.space = MemorySpace::Shared;
    } else if (take_if("on")) {
      expect("device");
      made.space = MemorySpace::Device;
    }
    return {made, count};
  }

  // --- The head ------------------------------------------------------------------------------------------

  void head(FunctionDef& function) {
    expect("function");
    function.name = name();
    expect("(");
    while (!take_if(")")) {
      function.tensors.push_back(name());
      if (peek() != ")") expect(",");
    }
    expect("{");
  }

  bool parameter(FunctionDef& function) {
    if (take_if("local")) {
      std::string own = name();
      expect(":");
      define(own, type().first);
      return true;
    }
    Direction direction = peek() == "in" ? Direction::In : peek() == "out" ? Direction::Out : Direction::Update;
    if (!take_if("in") && !take_if("out") && !take_if("update")) return false;
    std::string own = name();
    expect(":");
    auto [declared, count] = type();
    expect("is");
    Parameter parameter{define(own, declared), binding(function), direction, {}};
    if (!count.empty()) {
      auto known = early_.find(count);
      parameter.count = known != early_.end() ? known->second : early_.emplace(count, int64_var(count)).first->second;
    }
    function.parameters.push_back(parameter);
    return true;
  }

  Binding binding(const FunctionDef& function) {
    Binding made;
    bool is_tensor = at_ + 1 < tokens_.size() && tokens_[at_ + 1] == ".";
    if (!is_tensor && take_if("threads")) {
      made.part = Binding::Part::Threads;
      return made;
    }
    std::string tensor = name();
    auto found = std::find(function.tensors.begin(), function.tensors.end(), tensor);
    if (found == function.tensors.end()) fail(fmt::format("the function has no tensor '{}'", tensor));
    made.tensor = static_cast<int>(found - function.tensors.begin());
    expect(".");
    made.part = take_if("dimensions") ? Binding::Part::Dimension : Binding::Part::Array;
    if (made.part == Binding::Part::Array) expect("arrays");
    expect("[");
    made.index = static_cast<int>(integer_number());
    expect("]");
    if (take_if(".")) {
      expect("count");
      made.part = Binding::Part::Count;
    }
    return made;
  }

  // --- Statements ----------------------------------------------------------------------------------------

  /// Up to the line that begins with '}', which is the current one then.
  Stmt statements() {
    scopes_.emplace_back();
    std::vector<Stmt> all;
    for (; peek() != "}"; next_line()) {
      all.push_back(statement());
      if (!at_end() && peek() != "#") fail(fmt::format("'{}' follows the statement", peek()));
    }
    scopes_.pop_back();
    return all.size() == 1 ? all[0] : Stmt(Block{std::move(all)});
  }
  /// What stands between braces; the current line is the one with the closing brace, which is taken.
  Stmt body() {
    expect("{");
    next_line();
    Stmt inside = statements();
    expect("}");
    return inside;
  }

  Stmt statement() {
    if (raw().starts_with("#")) return at_ = tokens_.size(), Stmt(Comment{raw().size() > 2 ? raw().substr(2) : ""});
    if (take_if("var")) return declaration();
    if (take_if("new")) return Declare{variable(name()), std::nullopt};
    if (take_if("alloc")) {
      bool zeroed = take_if("zero");
      auto [array, count] = element();
      return Alloc{array, count, zeroed};
    }
    if (take_if("grow")) {
      auto [array, count] = element();
      return Grow{array, count};
    }
    if (take_if("free")) return Free{variable(name())};
    if (take_if("keep")) {
      auto [parts, index] = element();
      expect("=");
      auto [array, count] = element();
      return Keep{parts, index, array, count};
    }
    if (take_if("take")) {
      Var array = variable(name());
      expect("=");
      auto [parts, index] = element();
      return Take{array, parts, index};
    }
    if (take_if("copy")) {
      Var to = variable(name());
      expect("=");
      auto [from, count] = element();
      return Copy{to, from, count};
    }
    if (take_if("barrier")) return barrier();
    if (take_if("lanes")) return lane_reduction();
    if (take_if("break")) return Break{};
    if (take_if("continue")) return Continue{};
    if (take_if("return")) return Return{status()};
    if (take_if("while")) {
      Expr condition = expression();
      return While{condition, body()};
    }
    if (take_if("if")) return conditional();
    if (peek() == "for" || peek() == "unroll" || loop_kind()) return loop();
    return assignment();
  }

  Stmt barrier() {
    if (take_if("block")) return Barrier{BarrierScope::Block};
    expect("warp");
    return Barrier{BarrierScope::Warp};
  }

  Operator operator_named() {
    std::string own = name();
    auto known = operators_by_name().find(own);
    std::optional<Operator> op = known != operators_by_name().end() ? std::optional(known->second) : find_function(own);
    if (!op) fail(fmt::format("there is no operator '{}'", own));
    return *op;
  }

  Stmt lane_reduction() {
    Var result = variable(name());
    std::optional<Var> first;
    if (take_if(",")) first = variable(name());
    expect("=");
    Operator op = operator_named();
    expect("(");
    LaneReduce made{result, op, expression()};
    expect(")");
    if (first) {
      expect("by");
      made.segments = Segments{expression(), *first};
    }
    return made;
  }

  Stmt declaration() {
    std::string own = name();
    expect(":");
    Type declared = type().first;
    expect("=");
    Expr value = expression();  // does not see the variable
    return Declare{define(own, declared), value};
  }

  Stmt conditional() {
    Expr condition = expression();
    Stmt then = body();
    if (!take_if("else")) return If{condition, then, Stmt()};
    if (take_if("if")) return If{condition, then, conditional()};
    return If{condition, then, body()};
  }

  /// What stands before `for` or `unroll`; elsewhere the same words may be names.
  std::optional<LoopKind> loop_kind() const {
    static const std::map<std::string, LoopKind> kinds = {{"parallel", LoopKind::Parallel},
                                                          {"simd", LoopKind::Simd},
                                                          {"block", LoopKind::GpuBlock},
                                                          {"warp", LoopKind::GpuWarp},
                                                          {"thread", LoopKind::GpuThread}};
    auto found = kinds.find(peek());
    bool of_loop = at_ + 1 < tokens_.size() && (tokens_[at_ + 1] == "for" || tokens_[at_ + 1] == "unroll");
    return found != kinds.end() && of_loop ? std::optional(found->second) : std::nullopt;
  }

  Stmt loop() {
    LoopKind kind = loop_kind().value_or(LoopKind::Serial);
    if (kind != LoopKind::Serial) take();
    int unrolled = 0;
    if (take_if("unroll")) {
      expect("(");
      unrolled = static_cast<int>(integer_number());
      expect(")");
    }
    expect("for");
    std::string own = name();
    expect("=");
    Expr begin = expression();
    expect("..");
    Expr end = expression();
    std::shared_ptr<const Units> units;
    if (take_if("shared")) units = std::make_shared<const Units>(shared_by());
    scopes_.emplace_back();
    Var var = define(own, scalar(ElementType::Int64));
    Stmt inside = body();
    scopes_.pop_back();
    return For{var, begin, end, inside, kind, unrolled, units};
  }

  /// by 256 threads as i, one each, sums y by add, sums scalars
  Units shared_by() {
    Units units;
    expect("by");
    units.count = integer_number();
    std::string word = take();
    if (word != "blocks" && word != "warps" && word != "threads") fail(fmt::format("there is no unit '{}'", word));
    units.kind = word == "blocks" ? LoopKind::GpuBlock : word == "warps" ? LoopKind::GpuWarp : LoopKind::GpuThread;
    expect("as");
    units.name = name();
    while (take_if(",")) {
      if (take_if("one")) {
        expect("each");
        units.one_each = true;
        continue;
      }
      expect("sums");
      std::string summed = name();
      if (take_if("by")) units.sums.push_back({variable(summed), operator_named()});
      else if (summed == "scalars") units.sums_scalars = true;
      else fail("it should say by which operator they are summed");
    }
    return units;
  }

  Status status() {
    std::string word = take();
    const std::pair<const char*, Status> all[] = {{"ok", Status::Ok},
                                                  {"out_of_memory", Status::OutOfMemory},
                                                  {"pattern_mismatch", Status::PatternMismatch},
                                                  {"does_not_fit", Status::DoesNotFit}};
    for (const auto& [name, status] : all) {
      if (word == name) return status;
    }
    fail(fmt::format("there is no status '{}'", word));
  }

  /// x = e, a[i] = e, atomic a[i] = e, or a call for its effect.
  Stmt assignment() {
    bool atomic = take_if("atomic");
    bool calls = function_by_name(peek()) && at_ + 1 < tokens_.size() && tokens_[at_ + 1] == "(";
    if (calls) return Evaluate{expression()};
    std::string target = name();
    if (!atomic && take_if("=")) {
      Var var = variable(target);
      return Assign{var, expression()};
    }
    at_--;
    auto [array, index] = element();
    expect("=");
    return Store{array, index, expression(), atomic};
  }

  struct Element {
    Var array;
    Expr index;
  };
  Element element() {
    Var array = variable(name());
    expect("[");
    Expr index = expression();
    expect("]");
    return {array, index};
  }

  // --- Expressions ----------------------------------------------------------------------------------------

  Expr expression(int at_least = 0) {
    Expr left = prefixed();
    while (std::optional<Operator> op = operator_by_symbol(peek())) {
      int own = binding_strength(*op);
      if (own < at_least) break;
      take();
      left = Apply{*op, {left, expression(own + 1)}};
    }
    return left;
  }

  Expr prefixed() {
    if (take_if("not")) return Apply{Operator::Not, {expression(binding_strength(Operator::Not))}};
    if (!take_if("-")) return primary();
    bool is_number = std::isdigit(static_cast<unsigned char>(peek()[0])) || peek() == "inf" || peek() == "inff32";
    if (is_number) return Literal{number(take(), true)};
    return Apply{Operator::Negate, {expression(binding_strength(Operator::Negate) + 1)}};
  }

  Expr primary() {
    if (take_if("(")) {
      Expr inside = expression();
      expect(")");
      return inside;
    }
    std::string word = take();
    bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) || word == "inf" || word == "inff32" ||
                     word == "nan" || word == "nanf32";
    if (is_number) return Literal{number(word, false)};
    if (word == "true" || word == "false") return Literal{Scalar::boolean(word == "true")};
    if (peek() == "(") return call(word);
    Var var = variable(word);
    if (!take_if("[")) return var;
    Expr index = expression();
    expect("]");
    return Load{var, index};
  }

  Expr call(const std::string& name) {
    expect("(");
    std::vector<Expr> arguments;
    while (!take_if(")")) {
      arguments.push_back(expression());
      if (peek() != ")") expect(",");
    }
    if (std::optional<ElementType> type = parse_element_type(name)) {
      if (arguments.size() == 2) return Literal{complex_number(*type, arguments)};
      if (arguments.size() != 1) fail(fmt::format("'{}' converts one value", name));
      return Cast{*type, arguments[0]};
    }
    if (std::optional<Function> function = function_by_name(name)) return Call{*function, std::move(arguments)};
    auto known = operators_by_name().find(name);
    std::optional<Operator> op = known != operators_by_name().end() ? std::optional(known->second)
                                                                    : find_function(name);
    if (!op) fail(fmt::format("there is no function '{}'", name));
    if (static_cast<int>(arguments.size()) != facts(*op).arity)
      fail(fmt::format("'{}' does not take {} operands", name, arguments.size()));
    return Apply{*op, std::move(arguments)};
  }

  Scalar complex_number(ElementType type, const std::vector<Expr>& parts) const {
    const Literal *real = parts[0].as<Literal>(), *imaginary = parts[1].as<Literal>();
    if (!real || !imaginary || !is_complex(type)) fail("a complex number has two numbers");
    return Scalar::of(type, std::complex<double>(real->value.as_double(), imaginary->value.as_double()));
  }

  /// The type follows from the suffix; without one it is int64, or float64 where there is a point or an exponent.
  Scalar number(const std::string& word, bool is_negative) const {
    if (word == "inf" || word == "nan" || word == "inff32" || word == "nanf32") {
      double value = word.starts_with("inf") ? HUGE_VAL : std::nan("");
      return Scalar::of(word.ends_with("f32") ? ElementType::Float32 : ElementType::Float64,
                        is_negative ? -value : value);
    }
    for (ElementType type : all_element_types()) {
      std::string suffix = number_suffix(type);
      if (suffix.empty() || !word.ends_with(suffix)) continue;
      return digits(word.substr(0, word.size() - suffix.size()), type, is_negative);
    }
    bool is_whole = word.find_first_of(".e") == std::string::npos;
    return digits(word, is_whole ? ElementType::Int64 : ElementType::Float64, is_negative);
  }

  Scalar digits(const std::string& word, ElementType type, bool is_negative) const {
    char* end = nullptr;
    if (is_floating(type)) {
      double value = std::strtod(word.c_str(), &end);
      if (*end != '\0' || std::isinf(value)) fail(fmt::format("'{}' is no number", word));
      return Scalar::of(type, is_negative ? -value : value);
    }
    errno = 0;
    std::uint64_t value = std::strtoull(word.c_str(), &end, 10);
    if (*end != '\0' || word.empty() || errno == ERANGE) fail(fmt::format("'{}' is no number", word));
    return Scalar::of(type, static_cast<std::int64_t>(is_negative ? 0 - value : value));
  }

  std::vector<std::string> lines_;
  std::size_t line_ = 0, at_ = 0;
  std::string current_;
  std::vector<std::string> tokens_;
  std::vector<std::map<std::string, Var>> scopes_;
  std::map<std::string, Var> early_;
};

}  // namespace

FunctionDef parse(const std::string& text) { return Parser(text).run(); }

}  // namespace filigree::ir
