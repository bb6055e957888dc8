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

class EinsumParser {
 public:
  EinsumParser(const std::string& text, const std::vector<std::string>& operands, const std::string& result)
      : source_(make_source("subscripts", text)), text_(text), operands_(operands), result_(result) {}

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
    if (c == '.') fail(UserError("'...' is not supported").hint("write a label for every dimension, " + std::string(example)), at, std::min(at + 3, text_.size()));
    if (!std::isalpha(static_cast<unsigned char>(c))) fail(UserError(fmt::format("'{}' is no label", c)).hint(fmt::format("labels are single letters, {}", example)), at, at + 1);
    labels.push_back({c, static_cast<int>(at)});
  }

  void check_count(size_t subscripts) const {
    if (subscripts == operands_.size()) return;
    fail(UserError(fmt::format("There are subscripts for {} {}, but {} {} given", subscripts, subscripts == 1 ? "operand" : "operands", operands_.size(),
                               operands_.size() == 1 ? "is" : "are"))
             .hint("subscripts are separated by commas, " + std::string(example)),
         0, std::min(text_.find("->"), text_.size()));
  }

  /// Names that would mean something else in the statement.
  void check_names() const {
    Source source = make_source("operands", join(operands_, " "));
    int at = 0;
    for (const std::string& name : operands_) {
      int end = at + static_cast<int>(name.size());
      const char* taken = name == result_ ? "the name of the result" : is_function_name(name) ? "a function" : is_word(name) ? "a word of index notation" : nullptr;
      if (taken) throw UserError(fmt::format("'{}' is {} and cannot be the name of an operand", name, taken)).at(source, {at, end}).hint("give the operand another name");
      at = end + 1;
    }
  }

  Labels explicit_output(size_t from, const std::vector<Labels>& inputs) const {
    Labels output;
    for (size_t at = from; at < text_.size(); at++) {
      if (text_[at] == ',') fail(UserError("There is one result only").hint(std::string("labels after '->' are the result's, ") + example), at, at + 1);
      add(output, at);
    }
    for (size_t n = 0; n < output.size(); n++) {
      auto [name, at] = output[n];
      auto is_it = [&](const Label& label) { return label.name == name; };
      bool known = std::any_of(inputs.begin(), inputs.end(), [&](const Labels& labels) { return std::any_of(labels.begin(), labels.end(), is_it); });
      if (!known) fail(UserError(fmt::format("No operand has the label '{}'", name)), at, at + 1);
      if (std::any_of(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(n), is_it)) fail(UserError(fmt::format("The result has the label '{}' twice", name)), at, at + 1);
    }
    return output;
  }

  static Labels once(const std::vector<Labels>& inputs) {
    std::map<char, int> uses;
    for (const Labels& labels : inputs) {
      for (const Label& label : labels) uses[label.name]++;
    }
    Labels output;
    for (const auto& [name, count] : uses) {
      if (count == 1) output.push_back({name, 0});
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
  const std::string& result_;
};

}  // namespace

std::string from_einsum(const std::string& subscripts, const std::vector<std::string>& operands, const std::string& result) {
  return EinsumParser(subscripts, operands, result)();
}

}  // namespace filigree::notation
