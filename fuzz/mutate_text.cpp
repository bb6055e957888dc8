#include "fuzz/mutate_text.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "fuzz/dice.h"

namespace filigree::fuzz {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool is_name(const std::string& token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_');
}
bool is_number(const std::string& token) {
  return !token.empty() && (std::isdigit(static_cast<unsigned char>(token[0])) || token[0] == '.');
}
bool is_variable(const std::string& token) { return token.size() == 1 && token[0] >= 'i' && token[0] <= 'm'; }

std::string joined(const std::vector<std::string>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t n = begin; n < end; n++) text += tokens[n];
  return text;
}
std::string joined(const std::vector<std::string>& tokens) { return joined(tokens, 0, tokens.size()); }

/// Not a tensor of random programs: these have short names with numbers.
bool is_function(const std::string& token) {
  return token.size() > 2 &&
         std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isalpha(c) || c == '_'; });
}

/// Tokens from a name to the parenthesis that closes what follows it.
struct Group {
  std::size_t begin, end;
};

std::optional<Group> group_at(const std::vector<std::string>& tokens, std::size_t begin) {
  if (!is_name(tokens[begin]) || begin + 1 == tokens.size() || tokens[begin + 1] != "(") return std::nullopt;
  int depth = 0;
  for (std::size_t n = begin + 1; n < tokens.size(); n++) {
    if (tokens[n] == "(") depth++;
    if (tokens[n] == ")" && --depth == 0) return Group{begin, n + 1};
  }
  return std::nullopt;
}

class StatementMutator : Dice {
 public:
  StatementMutator(const std::string& statement, const std::string& other, std::mt19937_64& random)
      : Dice(random), tokens_(tokens_of(statement)), other_(tokens_of(other)) {}

  std::string run() {
    do {
      change();
      tokens_ = tokens_of(joined(tokens_));
    } while (!tokens_.empty() && chance(35));
    return joined(tokens_);
  }

 private:
  void change() {
    if (chance(6)) return break_grammar();
    switch (upto(10)) {
      case 0: return replace(is_variable, std::string(1, one_of("ijklm")));
      case 1:
        return replace(
            [](const std::string& token) {
              return token.size() == 1 && std::string("+*/^%").find(token) != std::string::npos;
            },
            pick<const char*>({"+", "-", "*", "/", "^", "//", "%", "==", "<", " and ", " or "}));
      case 2: return replace(is_number, number());
      case 3:
      case 4: return wrap_operand();
      case 5:
      case 6: return change_index();
      case 7: return splice();
      case 8: return replace([](const std::string& token) { return is_function(token); }, function());
      default:
        return chance(50) ? follow()
                          : replace([](const std::string& token) { return token == "="; },
                                    pick({"+=", "-=", "*=", "min=", "max=", "or="}));
    }
  }

  template <class Test>
  void replace(const Test& test, const std::string& by) {
    std::vector<std::size_t> found;
    for (std::size_t n = 0; n < tokens_.size(); n++) {
      if (test(tokens_[n])) found.push_back(n);
    }
    if (!found.empty()) tokens_[found[upto(found.size())]] = by;
  }

  std::string number() {
    if (chance(70)) return pick({"0", "1", "2", "3", "7"});
    return pick({"1e400", "2i", ".5", "9223372036854775807", "18446744073709551616", "1e-400", "inf", "nan", "true",
                 "3.0", "-2"});
  }
  std::string function() {
    return pick({"min",   "max",      "sum", "prod", "abs",   "sqrt", "exp",   "relu", "sign",    "any",   "all",
                 "count", "max_over", "pad", "wrap", "prune", "conj", "floor", "not",  "squared", "joined"});
  }

  /// Of a right side.
  std::optional<Group> some_group(const std::vector<std::string>& tokens) {
    std::vector<Group> groups;
    std::size_t assignment = static_cast<std::size_t>(std::find(tokens.begin(), tokens.end(), "=") - tokens.begin());
    for (std::size_t n = assignment; n < tokens.size(); n++) {
      if (tokens[n] == ";") break;
      if (std::optional<Group> group = group_at(tokens, n)) groups.push_back(*group);
    }
    return groups.empty() ? std::nullopt : std::optional(groups[upto(groups.size())]);
  }

  void put(const Group& group, const std::string& text) {
    tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(group.begin),
                  tokens_.begin() + static_cast<std::ptrdiff_t>(group.end));
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(group.begin), text);
  }

  void wrap_operand() {
    std::optional<Group> group = some_group(tokens_);
    if (!group) return;
    std::string text = joined(tokens_, group->begin, group->end), vars;
    for (std::size_t n = group->begin; n < group->end; n++) vars += is_variable(tokens_[n]) ? tokens_[n] : "";
    std::string var(1, one_of(vars.empty() || chance(10) ? "ijklm" : vars));
    switch (upto(9)) {
      case 0:
        return put(
            *group,
            fmt::format("{}({})", pick({"abs", "sqrt", "relu", "sign", "not", "exp", "pad", "wrap", "conj", "real"}),
                        text));
      case 1:
        return put(
            *group,
            fmt::format("{}({}, {})", pick({"sum", "prod", "max_over", "min_over", "any", "all", "count"}), var, text));
      case 2: return put(*group, fmt::format("({})^{}", text, pick({"0", "1", "2", "3", ".5", "-1"})));
      case 3: return put(*group, "-" + text);
      case 4:
        return put(*group, fmt::format("select({} {} {}, {}, {})", var, pick({"<", "==", ">="}), one_of("ijklm2"), text,
                                       pick({"0", "1", "inf"})));
      case 5: return put(*group, fmt::format("({} {} {})", text, pick({"+", "*", "-", "/", "<", "and", "//"}), text));
      case 6:
        return put(*group,
                   fmt::format("reduce({}, {}, {})", pick({"+", "*", "min", "max", "or", "xor", "joined"}), var, text));
      case 7:
        return put(*group, fmt::format("{}({}, {})", pick({"min", "max", "joined", "masked"}), text,
                                       pick({"0", "1", "2", "inf"})));
      default: return put(*group, pick({"0", "1", "i", "inf"}));
    }
  }

  /// The variables that stand alone as indices of tensors.
  std::vector<std::size_t> plain_indices() const {
    std::vector<std::size_t> found;
    std::vector<bool> inside = {false};  // of a tensor's indices
    for (std::size_t n = 0; n < tokens_.size(); n++) {
      if (tokens_[n] == "(")
        inside.push_back(n > 0 && is_name(tokens_[n - 1]) && !is_function(tokens_[n - 1]) &&
                         !is_variable(tokens_[n - 1]));
      if (tokens_[n] == ")" && inside.size() > 1) inside.pop_back();
      bool alone = n > 0 && n + 1 < tokens_.size() && (tokens_[n - 1] == "(" || tokens_[n - 1] == ",") &&
                   (tokens_[n + 1] == ")" || tokens_[n + 1] == ",");
      if (inside.back() && alone && is_variable(tokens_[n])) found.push_back(n);
    }
    return found;
  }

  void change_index() {
    std::vector<std::size_t> indices = plain_indices();
    if (indices.empty()) return;
    std::string& index = tokens_[indices[upto(indices.size())]];
    std::string form =
        pick({"{0}+1", "2*{0}", "{0}(0,2)", "{0}({{0,1}})", "1", "p({0})", "{0}+1 mod 3", "{0}-1", "{0}(1,9,2)",
              "3-{0}", "{0}+j", "0", "{0}(0,0)", "q(p({0}))", "p({0}+1)", "p({0},{0})", "k", "99999"});
    index = fmt::format(fmt::runtime(form), index);
  }

  void splice() {
    std::optional<Group> mine = some_group(tokens_), theirs = some_group(other_);
    if (mine && theirs) put(*mine, joined(other_, theirs->begin, theirs->end));
  }

  void follow() {
    std::optional<Group> group = some_group(tokens_);
    if (group)
      tokens_.push_back(fmt::format("; {} {} {}", pick({"u", "u(i)", "u(i,j)", "u(j)"}), pick({"=", "+=", "max="}),
                                    joined(tokens_, group->begin, group->end)));
  }

  void break_grammar() {
    std::size_t at = upto(tokens_.size());
    switch (upto(4)) {
      case 0: tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(at)); return;
      case 1: tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(at), tokens_[upto(tokens_.size())]); return;
      case 2: std::swap(tokens_[at], tokens_[upto(tokens_.size())]); return;
      default: tokens_[at] = std::string(1, static_cast<char>(upto(256)));
    }
  }

  std::vector<std::string> tokens_, other_;
};

// --- Files ---------------------------------------------------------------------------------------

class ByteMutator : Dice {
 public:
  ByteMutator(std::string bytes, std::mt19937_64& random) : Dice(random), bytes_(std::move(bytes)) {}

  std::string run() {
    for (std::size_t changes = 1 + upto(4); changes > 0; changes--) change();
    return std::move(bytes_);
  }

 private:
  void change() {
    std::size_t at = upto(bytes_.size() + 1);
    switch (upto(9)) {
      case 0:
      case 1: return change_word(is_number, odd_number());
      case 2:
        return change_word(is_name, pick({"matrix", "tensor", "vector", "coordinate", "array", "real", "complex",
                                          "integer", "pattern", "general", "symmetric", "skew-symmetric", "hermitian",
                                          "fill=2", "'<f8'", "'|O'", "True", "shape"}));
      case 3: return change_lines();
      case 4: bytes_.resize(at); return;
      case 5:
        bytes_.insert(at, pick({"%", "#", "\n", "\r\n", "\t", " ", "%%MatrixMarket ", ",", "-", "\0", "\xff\xfe",
                                "\xef\xbb\xbf"}));
        return;
      case 6: bytes_.insert(at, std::string(upto(6000), one_of("9 \n-0"))); return;
      case 7: bytes_.erase(at, upto(20)); return;
      default:
        if (at < bytes_.size()) bytes_[at] = static_cast<char>(bytes_[at] ^ (1 << upto(8)));
    }
  }

  std::string odd_number() {
    return pick({"-1",
                 "0",
                 "1",
                 "2",
                 "5",
                 "2147483648",
                 "4294967296",
                 "9223372036854775807",
                 "18446744073709551616",
                 "1e400",
                 "nan",
                 "inf",
                 "-inf",
                 "0x10",
                 "1.5",
                 "",
                 "3.0",
                 "1e3",
                 "-0",
                 "1.",
                 ".",
                 "+1"});
  }

  template <class Test>
  void change_word(const Test& test, const std::string& by) {
    std::vector<std::string> tokens = tokens_of(bytes_);
    std::vector<std::size_t> found;
    for (std::size_t n = 0; n < tokens.size(); n++) {
      if (test(tokens[n])) found.push_back(n);
    }
    if (found.empty()) return;
    tokens[found[upto(std::min<std::size_t>(found.size(), chance(50) ? 8 : found.size()))]] =
        by;  // often in the header
    bytes_ = joined(tokens);
  }

  void change_lines() {
    std::size_t begin = bytes_.rfind('\n', upto(bytes_.size() + 1)),
                end = bytes_.find('\n', begin == std::string::npos ? 0 : begin + 1);
    begin = begin == std::string::npos ? 0 : begin + 1;
    if (end == std::string::npos) return;
    std::string line = bytes_.substr(begin, end + 1 - begin);
    if (chance(50)) bytes_.erase(begin, line.size());
    else bytes_.insert(chance(50) ? 0 : begin, line);
  }

  std::string bytes_;
};

}  // namespace

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (std::size_t n = 0; n < text.size();) {
    std::size_t end = n + 1;
    if (is_word_character(text[n])) {
      while (end < text.size() && is_word_character(text[end])) end++;
    }
    tokens.push_back(text.substr(n, end - n));
    n = end;
  }
  return tokens;
}

std::string mutate_statement(const std::string& statement, const std::string& other, std::mt19937_64& random) {
  return StatementMutator(statement, other, random).run();
}

std::string mutate_tokens(const std::string& text, const std::vector<std::string>& vocabulary,
                          std::mt19937_64& random) {
  Dice dice(random);
  std::vector<std::string> tokens = tokens_of(text);
  if (tokens.empty()) return vocabulary[dice.upto(vocabulary.size())];
  for (std::size_t changes = 1 + dice.upto(2); changes > 0; changes--) {
    std::size_t at = dice.upto(tokens.size());
    std::string word = vocabulary[dice.upto(vocabulary.size())];
    if (dice.chance(70)) tokens[at] = word;
    else if (dice.chance(50)) tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), word);
    else if (tokens.size() > 1) tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return joined(tokens);
}

std::string mutate_bytes(std::string bytes, std::mt19937_64& random) {
  return ByteMutator(std::move(bytes), random).run();
}

}  // namespace filigree::fuzz
