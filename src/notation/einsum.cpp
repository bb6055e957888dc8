#include "notation/einsum.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "notation/parse_errors.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

constexpr const char* example = "as in ik,kj->ij";

struct Label {
  char name;
  int at;
};
using Labels = std::vector<Label>;

constexpr char rest = '.';  // stands for '...' until it is known how many dimensions that are

class EinsumParser {
 public:
  EinsumParser(const std::string& text, const std::vector<std::string>& operands,
               const std::vector<std::optional<int>>& orders, const std::string& result)
      : source_(make_source("subscripts", text)), text_(text), operands_(operands), orders_(orders), result_(result) {}

  std::string operator()() {
    size_t arrow = text_.find("->");
    std::vector<Labels> inputs = {{}};
    for (size_t at = 0; at < std::min(arrow, text_.size()); at++) {
      if (text_[at] == ',') inputs.emplace_back();
      else add(inputs.back(), at);
    }
    check_count(inputs.size());
    check_names();
    Labels output = arrow == std::string::npos ? once(inputs) : explicit_output(arrow + 2, inputs);
    expand(inputs, output);
    std::vector<std::string> factors;
    for (size_t n = 0; n < inputs.size(); n++) factors.push_back(access(operands_[n], inputs[n]));
    return access(result_, output) + " = " + join(factors, "*");
  }

 private:
  [[noreturn]] void fail(UserError error, size_t begin, size_t end) const {
    throw std::move(error).at(source_, {static_cast<int>(begin), static_cast<int>(end)});
  }

  void add(Labels& labels, size_t at) const {
    char c = text_[at];
    if (std::isspace(static_cast<unsigned char>(c))) return;
    if (c == '.') return add_rest(labels, at);
    if (!std::isalpha(static_cast<unsigned char>(c)))
      fail(UserError(fmt::format("'{}' is no label", c)).hint(fmt::format("labels are single letters, {}", example)),
           at, at + 1);
    labels.push_back({c, static_cast<int>(at)});
  }

  /// Of three dots, the first stands for all.
  void add_rest(Labels& labels, size_t at) const {
    if (at > 0 && text_[at - 1] == '.') return;
    size_t dots = std::min(text_.find_first_not_of('.', at), text_.size()) - at;
    if (dots % 3 != 0)
      fail(UserError(dots == 1 ? "A dot is no label" : fmt::format("{} dots are no label", dots))
               .hint("three dots stand for dimensions without labels, as in ...ij,...jk->...ik"),
           at, at + dots);
    if (dots > 3 || find_rest(labels))
      fail(UserError("'...' comes twice for one tensor").hint("once stands for all dimensions without labels"),
           dots > 3 ? at + 3 : at, at + dots);
    labels.push_back({rest, static_cast<int>(at)});
  }

  static const Label* find_rest(const Labels& labels) {
    auto found = std::find_if(labels.begin(), labels.end(), [](const Label& label) { return label.name == rest; });
    return found == labels.end() ? nullptr : &*found;
  }

  /// How many dimensions '...' stands for in an operand.
  size_t rest_of(size_t operand, const Labels& labels) const {
    size_t at = static_cast<size_t>(find_rest(labels)->at), named = labels.size() - 1;
    std::optional<int> order = operand < orders_.size() ? orders_[operand] : std::nullopt;
    const std::string& name = operands_[operand];
    if (!order) {
      fail(UserError(fmt::format("'...' stands for the dimensions of '{0}' without labels, but how many dimensions "
                                 "'{0}' has is not known",
                                 name))
               .hint("leave out '...' and write a label for each dimension",
                     fmt::format("say it with a file, -i {0}:FILE, with dimensions, as in -d {0}:10,20,30, or with a "
                                 "format such as -f {0}:dss",
                                 name)),
           at, at + 3);
    }
    if (static_cast<size_t>(*order) < named) {
      fail(UserError(fmt::format("'{}' has {}, but {} beside '...'", name, counted(*order, "dimension"),
                                 counted(named, "label"))),
           at, at + 3);
    }
    return static_cast<size_t>(*order) - named;
  }

  /// Labels instead of '...': those of the last dimensions it stands for are the same for all operands, as NumPy aligns
  /// them.
  void expand(std::vector<Labels>& inputs, Labels& output) const {
    std::vector<size_t> counts(inputs.size(), 0);
    for (size_t n = 0; n < inputs.size(); n++) {
      if (find_rest(inputs[n])) counts[n] = rest_of(n, inputs[n]);
    }
    size_t most = *std::max_element(counts.begin(), counts.end());
    if (most > 0 && !find_rest(output)) {
      fail(UserError("The result has no '...', but operands have dimensions for it")
               .hint("write '...' after '->', or labels for these dimensions: those that the result does not have are "
                     "summed"),
           text_.find("->"), text_.size());
    }
    std::string free;
    for (char c : std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
      if (text_.find(c) == std::string::npos && free.size() < most) free += c;
    }
    if (free.size() < most) fail(UserError("There are more dimensions than letters"), 0, text_.size());
    for (size_t n = 0; n < inputs.size(); n++) replace_rest(inputs[n], free.substr(most - counts[n]));
    replace_rest(output, free);
  }

  static void replace_rest(Labels& labels, const std::string& by) {
    Labels out;
    for (const Label& label : labels) {
      if (label.name != rest) out.push_back(label);
      else
        for (char c : by) out.push_back({c, label.at});
    }
    labels = out;
  }

  void check_count(size_t subscripts) const {
    if (subscripts == operands_.size()) return;
    fail(UserError(fmt::format("There are subscripts for {}, but {} given", counted(subscripts, "operand"),
                               counted(operands_.size(), "is", "are")))
             .hint("subscripts are separated by commas, " + std::string(example)),
         0, std::min(text_.find("->"), text_.size()));
  }

  /// Names that would mean something else in the statement.
  void check_names() const {
    Source source = make_source("operands", join(operands_, " "));
    int at = 0;
    for (const std::string& name : operands_) {
      int end = at + static_cast<int>(name.size());
      const char* taken = name == result_          ? "the name of the result"
                          : is_function_name(name) ? "a function"
                          : is_word(name)          ? "a word of index notation"
                                                   : nullptr;
      if (taken)
        throw UserError(fmt::format("'{}' is {} and cannot be the name of an operand", name, taken))
            .at(source, {at, end})
            .hint("give the operand another name");
      at = end + 1;
    }
  }

  Labels explicit_output(size_t from, const std::vector<Labels>& inputs) const {
    Labels output;
    for (size_t at = from; at < text_.size(); at++) {
      if (text_[at] == ',')
        fail(UserError("There is one result only").hint(std::string("labels after '->' are the result's, ") + example),
             at, at + 1);
      add(output, at);
    }
    for (size_t n = 0; n < output.size(); n++) {
      auto [name, at] = output[n];
      auto is_it = [&](const Label& label) { return label.name == name; };
      bool known = std::any_of(inputs.begin(), inputs.end(),
                               [&](const Labels& labels) { return std::any_of(labels.begin(), labels.end(), is_it); });
      if (!known && name == rest) fail(UserError("The result has '...', but no operand has it"), at, at + 3);
      if (!known) fail(UserError(fmt::format("No operand has the label '{}'", name)), at, at + 1);
      if (std::any_of(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(n), is_it))
        fail(UserError(fmt::format("The result has the label '{}' twice", name)), at, at + 1);
    }
    return output;
  }

  static Labels once(const std::vector<Labels>& inputs) {
    std::map<char, int> uses;
    for (const Labels& labels : inputs) {
      for (const Label& label : labels) uses[label.name]++;
    }
    Labels output;
    for (const auto& [name, count] : uses) {  // '...' comes before letters
      if (count == 1 || name == rest) output.push_back({name, 0});
    }
    return output;
  }

  std::string access(const std::string& tensor, const Labels& labels) const {
    std::vector<std::string> names;
    for (const Label& label : labels) {
      std::string name(1, label.name);
      while (name == result_ || std::find(operands_.begin(), operands_.end(), name) != operands_.end()) name += "_";
      names.push_back(name);
    }
    return names.empty() ? tensor : tensor + "(" + join(names, ",") + ")";
  }

  Source source_;
  const std::string& text_;
  const std::vector<std::string>& operands_;
  const std::vector<std::optional<int>>& orders_;
  const std::string& result_;
};

}  // namespace

std::string from_einsum(const std::string& subscripts, const std::vector<std::string>& operands,
                        const std::string& result, const std::vector<std::optional<int>>& orders) {
  return EinsumParser(subscripts, operands, orders, result)();
}

}  // namespace filigree::notation
