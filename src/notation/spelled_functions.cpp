#include "notation/spelled_functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

/// What the text of a function is about.
enum class Takes {
  Reduced,  // one operand, reduced over some of its variables
  OneVar,   // the same, over exactly one
  Kept,     // one operand; one of its variables is reduced on the way, but the result has it
  Vector,   // x(i), and nothing else
  Pair,     // two operands, whose product is summed
  Matrix,   // A(i,j), and nothing else
};

/// In the texts, $R is the result, $E the operand, $P the same as a factor or term, $V the variables, $M, $S and $F are
/// temporaries: $F has all indices of the operand, the others those that are left.  Of a vector there is $X($I), and
/// another variable $K; of a matrix, $A($I,$J).
struct Spelling {
  const char* name;
  Takes takes;
  const char* text;
};

// Products with 1.0 are floats, which do not wrap as sums of small integers do.
constexpr const char* mean_text = "$R = sum($V, 1.0*$P)/sum($V, 1)";
constexpr const char* norm_text = "$R = sqrt(sum($V, abs(1.0*$P)^2))";
constexpr const char* variance_text = "$M = sum($V, 1.0*$P)/sum($V, 1); $R = sum($V, abs($P - $M)^2)/sum($V, 1)";
constexpr const char* deviation_text = "$M = sum($V, 1.0*$P)/sum($V, 1); $R = sqrt(sum($V, abs($P - $M)^2)/sum($V, 1))";
constexpr const char* product_text = "$R = sum($V, $P)";
constexpr const char* trace_text = "$R = sum($I, $A($I,$I))";

constexpr Spelling spellings[] = {
    {"argmax", Takes::OneVar, "$M = max_over($V, $E); $R = min_over($V, select($P == $M, $V, inf))"},
    {"argmin", Takes::OneVar, "$M = min_over($V, $E); $R = min_over($V, select($P == $M, $V, inf))"},
    {"norm", Takes::Reduced, norm_text},
    {"norm2", Takes::Reduced, norm_text},
    {"mean", Takes::Reduced, mean_text},
    {"average", Takes::Reduced, mean_text},
    {"avg", Takes::Reduced, mean_text},
    {"var", Takes::Reduced, variance_text},
    {"variance", Takes::Reduced, variance_text},
    {"std", Takes::Reduced, deviation_text},
    {"stddev", Takes::Reduced, deviation_text},
    {"logsumexp", Takes::Reduced, "$M = max_over($V, $E); $R = $M + log(sum($V, exp(1.0*$P - $M)))"},
    {"softmax", Takes::Kept, "$M = max_over($V, $E); $F = exp(1.0*$P - $M); $S = sum($V, $F); $R = $F/$S"},
    {"sort", Takes::Vector,
     "$M($I) = count($K, ($X($K) < $X($I)) or (($X($K) == $X($I)) and ($K < $I))); $S($M($I)) += $X($I)"},
    {"median", Takes::Vector,
     "$M($I) = count($K, ($X($K) < $X($I)) or (($X($K) == $X($I)) and ($K < $I))); $S = count($I, $M($I) >= 0); "
     "$R = sum($I, select($M($I) == ($S - 1)//2, 0.5*$X($I), 0) + select($M($I) == $S//2, 0.5*$X($I), 0))"},
    {"cumsum", Takes::Vector, "$S($I) = sum($K, select($K <= $I, $X($K), 0)) + 0*($X($I) == $X($I))"},
    {"dot", Takes::Pair, product_text},
    {"inner", Takes::Pair, product_text},
    {"matmul", Takes::Pair, product_text},
    {"trace", Takes::Matrix, trace_text},
    {"transpose", Takes::Matrix, "$R = $A($J,$I)"},
};

const Spelling* find(const std::string& name) {
  for (const Spelling& spelling : spellings) {
    if (name == spelling.name) return &spelling;
  }
  return nullptr;
}

Texts without(const Texts& all, const Texts& some) {
  Texts left;
  std::copy_if(all.begin(), all.end(), std::back_inserter(left),
               [&](const std::string& one) { return std::find(some.begin(), some.end(), one) == some.end(); });
  return left;
}

bool same_names(Texts a, Texts b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

std::string access(const std::string& name, const Texts& indices) {
  return indices.empty() ? name : fmt::format("{}({})", name, join(indices, ","));
}

/// Does the text need no parentheses beside an operator?
bool is_factor(const std::string& text) {
  size_t open = text.find('(');
  if (open == std::string::npos) return is_identifier(text);
  int depth = 0;
  for (size_t n = open; n < text.size(); n++) {
    depth += text[n] == '(' ? 1 : text[n] == ')' ? -1 : 0;
    if (depth == 0) return n + 1 == text.size() && is_identifier(text.substr(0, open));
  }
  return false;
}

std::string factor(const std::string& text) { return is_factor(text) ? text : "(" + text + ")"; }

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

class Speller {
 public:
  explicit Speller(const WrittenCall& call) : call_(call), text_(find(call.function)->text) {
    for (const std::string& name : call.names) names_.use(name);
  }

  std::optional<std::string> operator()() {
    Takes takes = find(call_.function)->takes;
    if (call_.operands.size() != (takes == Takes::Pair ? 2u : 1u)) return std::nullopt;
    bool done = takes == Takes::Vector ? vector() : takes == Takes::Matrix ? matrix() : reduction(takes);
    return done ? std::optional(text_) : std::nullopt;
  }

 private:
  std::string fresh(const std::string& wish) { return names_.make(wish); }

  /// What is assigned, if it has these indices; else another tensor that has.
  std::string result(const Texts& indices) {
    bool fits = !call_.left.empty() && same_names(call_.left_indices, indices);
    return fits ? call_.left : access(fresh("t"), indices);
  }

  bool reduction(Takes takes) {
    if (call_.indices.empty()) return false;
    Texts vars = call_.vars;
    if (vars.empty())
      vars = takes == Takes::Kept ? Texts{call_.indices.back()} : without(call_.indices, call_.left_indices);
    if (vars.empty()) vars = call_.indices;  // all of them are on the left, so the result is another tensor
    Texts left = without(call_.indices, vars);
    bool all_known = without(vars, call_.indices).empty();
    if (!all_known || ((takes == Takes::OneVar || takes == Takes::Kept) && vars.size() != 1)) return false;
    std::string operand = call_.operands[0], product = factor(operand);
    if (takes == Takes::Pair) product = factor(operand) + "*" + factor(call_.operands[1]);
    std::string made = result(takes == Takes::Kept ? call_.indices : left);
    replace(text_, "$R", made);
    replace(text_, "$E", operand);
    replace(text_, "$P", product);
    replace(text_, "$V", join(vars, ", "));
    replace(text_, "$M", access(fresh("m"), left));
    replace(text_, "$S", access(fresh("s"), left));
    replace(text_, "$F", access(fresh("e"), call_.indices));
    return true;
  }

  bool vector() {
    const std::string& operand = call_.operands[0];
    if (call_.indices.size() != 1 || !call_.vars.empty()) return false;
    const std::string& var = call_.indices[0];
    std::string name = operand.substr(0, operand.find('('));
    if (operand != access(name, {var})) return false;
    std::string tensor = call_.left.empty() ? fresh("t") : call_.left.substr(0, call_.left.find('('));
    replace(text_, "$R", result({}));
    replace(text_, "$K", fresh("k"));
    replace(text_, "$X", name);
    replace(text_, "$M", fresh("r"));
    replace(text_, "$S", call_.function == std::string("median") ? fresh("n") : tensor);
    replace(text_, "$I", var);
    return true;
  }

  bool matrix() {
    const std::string& operand = call_.operands[0];
    std::string name = operand.substr(0, operand.find('('));
    if (call_.indices.size() != 2 || !call_.vars.empty() || operand != access(name, call_.indices)) return false;
    bool sums = call_.function == std::string("trace");
    replace(text_, "$R", result(sums ? Texts{} : call_.indices));
    replace(text_, "$A", name);
    replace(text_, "$I", call_.indices[0]);
    replace(text_, "$J", call_.indices[1]);
    return true;
  }

  const WrittenCall& call_;
  std::string text_;
  FreshNames names_;
};

}  // namespace

bool is_spelled(const std::string& function) { return find(function) != nullptr; }

std::optional<std::string> spelled(const WrittenCall& call) { return Speller(call)(); }

std::string spelled_example(const std::string& function) {
  WrittenCall call{function, {"A(i,j)"}, {"j"}, {"i", "j"}, "y(i)", {"i"}, {"y", "A", "i", "j"}};
  switch (find(function)->takes) {
    case Takes::Reduced:
    case Takes::OneVar: break;
    case Takes::Kept: call.left = "P(i,j)", call.left_indices = {"i", "j"}; break;
    case Takes::Vector: call = {function, {"x(i)"}, {}, {"i"}, "y", {}, {"x", "y", "i"}}; break;
    case Takes::Pair:
      call = {function,   {"A(i,k)", "B(k,j)"},          {"k"}, {"i", "k", "j"}, "C(i,j)",
              {"i", "j"}, {"A", "B", "C", "i", "j", "k"}};
      break;
    case Takes::Matrix:
      call = {function,
              {"A(i,j)"},
              {},
              {"i", "j"},
              function == "trace" ? "s" : "B(i,j)",
              function == "trace" ? Texts{} : Texts{"i", "j"},
              {"A", "B", "s"}};
      break;
  }
  return *spelled(call);
}

}  // namespace filigree::notation
