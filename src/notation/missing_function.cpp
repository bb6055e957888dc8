#include "notation/missing_function.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "algebra/operator.h"
#include "notation/parse_errors.h"
#include "notation/reductions.h"
#include "notation/spelled_functions.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

bool contains(std::initializer_list<const char*> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_math_function(const std::string& name) {
  return contains({"tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "round", "trunc", "sigmoid", "log2", "log10",
                   "log1p", "exp2", "expm1", "hypot", "cbrt"},
                  name);
}

struct Synonym {
  const char* name;
  const char* use;
};
constexpr Synonym synonyms[] = {{"pow", "'^'"},         {"power", "'^'"},   {"mod", "'%'"},       {"fmod", "'%'"},
                                {"where", select_use},  {"if", select_use}, {"iif", select_use},  {"ln", "'log'"},
                                {"sgn", "'sign'"},      {"fabs", "'abs'"},  {"minimum", "'min'"}, {"maximum", "'max'"},
                                {"conjugate", "'conj'"}};

const char* find_synonym(const std::string& name) {
  for (const Synonym& synonym : synonyms) {
    if (name == synonym.name) return synonym.use;
  }
  return nullptr;
}

std::vector<std::string> all_functions() {
  std::vector<std::string> names = function_names();
  for (const std::string& name : reduction_names()) names.push_back(name);
  return names;
}

void add_once(Texts& texts, const std::string& text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

/// Reads a call and the statement it stands in from tokens.
class CallReader {
 public:
  CallReader(const Source& source, const std::vector<Token>& tokens, size_t name)
      : source_(source), tokens_(tokens), name_(name) {}

  std::optional<WrittenCall> operator()() const {
    WrittenCall call{tokens_[name_].text, {}, {}, {}, "", {}, {}};
    for (const Token& token : tokens_) {
      if (token.kind == TokenKind::Name) add_once(call.names, token.text);
    }
    size_t close = closing(name_ + 1);
    if (!tokens_[name_ + 1].is("(") || close == tokens_.size()) return std::nullopt;
    for (size_t begin = name_ + 2, end = begin; begin <= close; begin = end + 1) {
      end = operand_end(begin, close);
      if (begin == end) return std::nullopt;
      bool is_variable = end == begin + 1 && tokens_[begin].kind == TokenKind::Name && call.operands.empty() &&
                         end < close;
      (is_variable ? call.vars : call.operands).push_back(text(begin, end));
    }
    add_indices(name_ + 2, close, call.indices);
    size_t first = statement_begin(), assignment = first;
    while (assignment < name_ && !assigns(tokens_[assignment])) assignment++;
    if (assignment == name_) return std::nullopt;  // on the left
    add_indices(first, assignment, call.left_indices);
    bool is_all = tokens_[assignment].is("=") && assignment + 1 == name_ &&
                  (tokens_[close + 1].kind == TokenKind::End || tokens_[close + 1].is(";"));
    if (is_all) call.left = text(first, assignment);
    return call;
  }

 private:
  std::string text(size_t begin, size_t end) const {
    int from = tokens_[begin].span.begin, to = tokens_[end - 1].span.end;
    return source_->text.substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  }

  size_t closing(size_t open) const {
    int depth = 0;
    for (size_t n = open; n < tokens_.size(); n++) {
      depth += tokens_[n].is("(") ? 1 : tokens_[n].is(")") ? -1 : 0;
      if (depth == 0) return n;
    }
    return tokens_.size();
  }

  size_t operand_end(size_t begin, size_t close) const {
    int depth = 0;
    for (size_t n = begin; n < close; n++) {
      depth += tokens_[n].is("(") ? 1 : tokens_[n].is(")") ? -1 : 0;
      if (depth == 0 && tokens_[n].is(",")) return n;
    }
    return close;
  }

  size_t statement_begin() const {
    size_t n = name_;
    while (n > 0 && !tokens_[n - 1].is(";")) n--;
    return n;
  }

  /// Names that stand alone in the parentheses of a tensor.
  void add_indices(size_t begin, size_t end, Texts& indices) const {
    std::vector<bool> in_tensor;
    for (size_t n = begin; n < end; n++) {
      const Token& token = tokens_[n];
      if (token.is("("))
        in_tensor.push_back(n > 0 && tokens_[n - 1].kind == TokenKind::Name && !is_function_name(tokens_[n - 1].text));
      if (token.is(")") && !in_tensor.empty()) in_tensor.pop_back();
      bool is_index = token.kind == TokenKind::Name && !tokens_[n + 1].is("(") && !in_tensor.empty() &&
                      in_tensor.back() && token.text != "mod";
      if (is_index) add_once(indices, token.text);
    }
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  size_t name_;
};

/// One that other systems have, and that statements can compute.
UserError spelled_out(const Source& source, const std::vector<Token>& tokens, size_t name) {
  const std::string& function = tokens[name].text;
  UserError error(fmt::format("There is no function '{}'", function));
  std::optional<WrittenCall> call = CallReader(source, tokens, name)();
  std::optional<std::string> statements = call ? spelled(*call) : std::nullopt;
  if (!statements)
    return std::move(error).hint(fmt::format("compute it by statements, as in {}", spelled_example(function)));
  bool is_all = !call->left.empty() && statements->find(call->left + " = ") != std::string::npos;
  return std::move(error).hint(fmt::format("{} {}", is_all ? "write" : "compute it by itself, as in", *statements));
}

}  // namespace

bool is_likely_function(const std::string& name) {
  return is_spelled(name) || is_math_function(name) || find_synonym(name) ||
         (name.size() > 2 && did_you_mean(name, all_functions()));
}

UserError no_function(const Source& source, const std::vector<Token>& tokens, size_t at) {
  const std::string& name = tokens[at].text;
  if (is_spelled(name)) return spelled_out(source, tokens, at);
  UserError error(fmt::format("There is no function '{}'", name));
  if (const char* use = find_synonym(name)) return std::move(error).hint(fmt::format("write {}", use));
  if (is_math_function(name)) return std::move(error).hint("add it with add_function (docs/notation.md)");
  std::optional<std::string> close = did_you_mean(name, all_functions());
  if (close) {
    std::string meant = fmt::format("did you mean '{}'? If '{}' is a tensor, ", *close, name);
    return std::move(error).hint(meant + fmt::format("declare it, as in {{{{\"{}\", \"dense\"}}}}", name),
                                 meant + fmt::format("declare it, as in -f {}:dense", name));
  }
  return std::move(error).hint(fmt::format("the indices of a tensor are index variables, as in {}(i,j)", name));
}

}  // namespace filigree::notation
