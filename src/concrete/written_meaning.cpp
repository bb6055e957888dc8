// Written loops -> index notation, as text: the same names, so that what is said of tensors and variables holds for it.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "concrete/written_scopes.h"
#include "support/check.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

using notation::SyntaxNode;
/// What each loop's variable is called where an expression is read.
using Names = std::map<size_t, std::string>;

constexpr size_t longest_meaning = 1 << 16;

class Meaning {
 public:
  explicit Meaning(const WrittenScopes& scopes) : scopes_(scopes) {
    for (const WrittenLoop& loop : scopes.loops) names_.use(loop.name);
    for (const WrittenAssign& assign : scopes.assigns) {
      for (const notation::TensorUse& use : assign.syntax->parsed->tensors) names_.use(use.name);
    }
  }

  std::string operator()() {
    const WrittenAssign& first = scopes_.assigns[scopes_.result_assigns[0]];
    std::vector<std::string> indices;
    for (const std::string& name : index_names(first.syntax->parsed->tree->lhs))
      indices.push_back(scopes_.loops[first.loop_of.at(name)].name);
    if (over_levels_) indices = scopes_.dimensions_of(indices);
    std::string left = scopes_.result + (indices.empty() ? "" : "(" + join(indices, ",") + ")");
    bool prunes = scopes_.result_assigns.size() == 1 && first.syntax->parsed->tree->prunes;
    std::string right = value(scopes_.result_assigns, indices, {});
    return left + " = " + (prunes ? "prune(" + right + ")" : right);
  }

 private:
  /// What the assignments come to together, at these indices.  `around` are the names of loops around where the target
  /// starts.
  std::string value(const std::vector<size_t>& assigns, const std::vector<std::string>& indices, const Names& around) {
    std::string all;
    for (size_t number : assigns) {
      std::string term = term_of(scopes_.assigns[number], indices, around);
      all += all.empty() ? term : " + " + term;
    }
    return all;
  }

  std::string term_of(const WrittenAssign& assign, const std::vector<std::string>& indices, const Names& around) {
    const notation::SyntaxTree& tree = *assign.syntax->parsed->tree;
    if (over_levels_) return term_over_levels(assign, indices);
    Names names = around;
    for (size_t d = 0; d < indices.size(); d++)
      names[assign.loop_of.at(tree.lhs.indices[d].terms[0].var.name)] = indices[d];
    std::vector<std::string> reduced;
    for (size_t n = assign.own; n < assign.around.size(); n++) {
      size_t loop = assign.around[n];
      if (names.count(loop)) continue;
      reduced.push_back(free_name(scopes_.loops[loop].name, names));
      names[loop] = reduced.back();
    }
    return reduced_over(reduced, assign, "(" + expression(assign, names) + ")");
  }

  static std::string reduced_over(const std::vector<std::string>& vars, const WrittenAssign& assign,
                                  std::string body) {
    const notation::SyntaxTree& tree = *assign.syntax->parsed->tree;
    if (tree.op == Operator::Subtract) body = "(-" + body + ")";
    if (vars.empty()) return body;
    Operator op = tree.op == Operator::Subtract ? Operator::Add : *tree.op;
    return fmt::format("{}({}, {})", facts(op).reduction, join(vars, ", "), body);
  }

  /// Where loops run over levels, names are the same throughout.
  std::string term_over_levels(const WrittenAssign& assign, const std::vector<std::string>& indices) {
    std::vector<std::string> left = scopes_.dimensions_of(index_names(assign.syntax->parsed->tree->lhs));
    if (left != indices)
      scopes_.refuse(UserError(fmt::format("'{}' is written at other indices than it is read at", assign.target))
                         .hint("where relations stand below the loops, workspaces keep their indices"),
                     assign.syntax->span);
    Names names;
    for (const auto& [name, loop] : assign.loop_of) names[loop] = name;
    std::vector<std::string> outer, own;
    for (size_t n = 0; n < assign.around.size(); n++)
      (n < assign.own ? outer : own).push_back(scopes_.loops[assign.around[n]].name);
    std::vector<std::string> told = scopes_.dimensions_of(outer), reduced;
    told.insert(told.end(), left.begin(), left.end());
    for (const std::string& name : scopes_.dimensions_of(own)) {
      if (std::find(told.begin(), told.end(), name) == told.end()) reduced.push_back(name);
    }
    return reduced_over(reduced, assign, "(" + expression(assign, names) + ")");
  }

  /// The name, unless something around has it.
  std::string free_name(const std::string& name, const Names& taken) {
    for (const auto& [loop, other] : taken) {
      if (other == name) return names_.make(name);
    }
    return name;
  }

  /// The right side with other names for index variables, and what workspaces are filled with in their place.
  std::string expression(const WrittenAssign& assign, const Names& names) {
    const std::string& text = assign.syntax->text;
    size_t at = text.find('=', static_cast<size_t>(assign.syntax->parsed->tree->lhs.span.end)) + 1;
    if (assign.syntax->parsed->tree->prunes) {  // prune(...) goes around the whole
      at = text.find('(', at) + 1;
      return words(assign, names, trim(text.substr(at, text.rfind(')') - at)));
    }
    return words(assign, names, trim(text.substr(at)));
  }

  std::string words(const WrittenAssign& assign, const Names& names, const std::string& text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      if (is_letter(text[at])) {
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) end++;
        std::string word = text.substr(at, end - at);
        auto workspace = assign.workspaces.find(word);
        if (workspace != assign.workspaces.end()) {
          out += "(" + contents(assign, workspace->second, names, text, end) + ")";
        } else {
          auto loop = assign.loop_of.find(word);
          out += loop == assign.loop_of.end() ? word : names.at(loop->second);
          if (over_levels_ && loop == assign.loop_of.end()) out += over_dimensions(text, end);
        }
      } else if (is_digit(text[at])) {
        // 1e-3 and 2i are numbers.
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.' ||
                                     ((text[end] == '-' || text[end] == '+') && is_exponent(text, at, end))))
          end++;
        out += text.substr(at, end - at);
      } else {
        out += text[at];
      }
      at = end;
      if (out.size() > longest_meaning)
        scopes_.refuse(UserError("Workspaces are read so often that the statement takes more than 64 KiB when they are "
                                 "written out"),
                       assign.syntax->span);
    }
    return out;
  }

  /// The indices that stand from `at` on, which goes behind them, as those of dimensions; nothing where others stand.
  std::string over_dimensions(const std::string& text, size_t& at) const {
    size_t close = at < text.size() && text[at] == '(' ? text.find(')', at) : std::string::npos;
    if (close == std::string::npos) return "";
    std::vector<std::string> names;
    for (const std::string& index : split(text.substr(at + 1, close - at - 1), ',')) {
      names.push_back(trim(index));
      if (!is_identifier(names.back())) return "";
    }
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return scopes_.level_of(name); }))
      return "";
    at = close + 1;
    return "(" + join(scopes_.dimensions_of(names), ",") + ")";
  }

  static bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
  static bool is_exponent(const std::string& text, size_t begin, size_t end) {
    return (text[end - 1] == 'e' || text[end - 1] == 'E') && end - begin > 1;
  }

  /// What is in the workspace at the indices that stand from `at` on, which goes behind them.
  std::string contents(const WrittenAssign& assign, size_t workspace, const Names& names, const std::string& text,
                       size_t& at) {
    const WrittenWorkspace& filled = scopes_.workspaces[workspace];
    std::vector<std::string> indices;
    size_t open = at;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open]))) open++;
    if (open < text.size() && text[open] == '(') {
      size_t close = text.find(')', open);
      internal_check(close != std::string::npos, "concrete", "an access without an end", text);
      for (const std::string& index : split(text.substr(open + 1, close - open - 1), ','))
        if (!trim(index).empty()) indices.push_back(names.at(assign.loop_of.at(trim(index))));
      at = close + 1;
    }
    const WrittenAssign& first = scopes_.assigns[filled.assigns[0]];
    if (over_levels_) return value(filled.assigns, scopes_.dimensions_of(indices), {});
    Names around;
    for (size_t n = 0; n < first.own; n++) around[first.around[n]] = names.at(first.around[n]);
    return value(filled.assigns, indices, around);
  }

  const WrittenScopes& scopes_;
  FreshNames names_;
  bool over_levels_ = !scopes_.relations.empty();
};

}  // namespace

std::string meaning(const WrittenScopes& scopes) { return Meaning(scopes)(); }

}  // namespace filigree::concrete
