#include "parse_options.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "io/files.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

std::string flag(const std::string& name) { return "--" + name; }

/// An option and what follows its '=' or its letter, if something does.
struct Match {
  const Option* option;
  std::string spelled;
  std::optional<std::string> value;
};

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  GivenOptions parse() {
    take_command();
    bool options_end = false;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (!options_end && word == "--") {
        options_end = true;
      } else if (options_end || word.size() < 2 || word[0] != '-' || is_standard_stream(word) ||
                 word.starts_with("->")) {
        given_.words.push_back(word);
      } else {
        take_option(word);
      }
    }
    return given_;
  }

 private:
  void take_command() {
    for (const CommandRow& row : all_commands()) {
      if (row.name.empty() || words_.empty() || words_[0] != row.name) continue;
      given_.command = row.command;
      at_ = 1;
    }
  }

  std::optional<Match> match(const std::string& word) const {
    size_t equals = word.find('=');
    std::string front = word.substr(0, equals);
    auto behind = equals == std::string::npos ? std::nullopt : std::optional(word.substr(equals + 1));
    bool two_dashes = word.starts_with("--");
    // A name of several letters with one dash is TACO's spelling; the short option of that letter would swallow it.
    if (front.size() > 2) {
      std::string name = front.substr(two_dashes ? 2 : 1);
      if (const Option* option = find_option(given_.command, name)) return Match{option, flag(name), behind};
    }
    if (two_dashes) return std::nullopt;
    const Option* option = find_option(given_.command, word[1]);
    if (!option || (option->is_switch() && word.size() > 2)) return std::nullopt;
    std::string rest = word.substr(2);
    return Match{option, word.substr(0, 2), rest.empty() ? std::nullopt : std::optional(rest)};
  }

  void take_option(const std::string& word) {
    std::optional<Match> found = match(word);
    if (!found) throw unexpected(word);
    const Option& option = *found->option;
    if (option.is_switch()) {
      if (found->value) throw UsageError(fmt::format("{} takes no value", found->spelled), help_hint);
      return given_.add(option.name, {found->spelled, ""});
    }
    if (!found->value && !option.may_lack_argument()) {
      if (!next_is_value()) throw UsageError(found->spelled + " needs a value", hint_for(option, found->spelled));
      found->value = words_[at_++];
    } else if (!found->value && at_ < words_.size() && !words_[at_].starts_with('-')) {
      found->value = words_[at_++];
    }
    std::string value = found->value.value_or("");
    if (value.starts_with('=')) value.erase(0, 1);  // -f=A:csr
    given_.add(option.name, {found->spelled, value});
  }

  /// What follows may start with a dash, but is no option that there is.
  bool next_is_value() const {
    if (at_ >= words_.size()) return false;
    const std::string& word = words_[at_];
    return word.size() < 2 || word[0] != '-' || !match(word);
  }

  static std::string hint_for(const Option& option, const std::string& spelled) {
    return option.examples.empty() ? std::string(help_hint)
                                   : fmt::format("for example {} {}", spelled, option.examples[0]);
  }

  /// A word that looks like an option and is none of this command.
  UsageError unexpected(const std::string& word) const {
    std::string message = fmt::format("Unexpected argument '{}'", word);
    std::string name = word.substr(0, word.find('='));
    const CommandRow& here = row_of(given_.command);
    for (const CommandRow& row : all_commands()) {
      bool has_it = name.starts_with("--") ? find_option(row.command, name.substr(2)) != nullptr
                                           : find_option(row.command, name[1]) != nullptr && name.size() == 2;
      if (!has_it) continue;
      std::string other = row.name.empty() ? "an expression" : fmt::format("'filigree {}'", row.name);
      return UsageError(message, fmt::format("it is an option of {}; filigree {}--help lists those that are known here",
                                             other, here.name.empty() ? "" : here.name + " "));
    }
    std::vector<std::string> names;
    for (const Option* option : options_of(given_.command)) {
      names.push_back(flag(option->name));
      for (const std::string& alias : option->aliases) names.push_back(flag(alias));
    }
    if (name.starts_with("--")) {
      if (auto guess = did_you_mean(name, names)) return UsageError(message, fmt::format("did you mean {}?", *guess));
    }
    return UsageError(message, help_hint);
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  GivenOptions given_;
};

}  // namespace

const std::vector<Given>& GivenOptions::all(const std::string& name) const {
  static const std::vector<Given> none;
  auto found = given_.find(name);
  return found == given_.end() ? none : found->second;
}

GivenOptions parse_options(const std::vector<std::string>& words) { return Parser{words}.parse(); }

UsageError unknown_word(const std::string& option, const std::string& word, const std::vector<std::string>& words) {
  std::optional<std::string> guess = did_you_mean(word, words);
  return UsageError(fmt::format("{} does not know '{}'", option, word),
                    guess ? fmt::format("did you mean '{}'?", *guess) : "it takes " + join(words, ", "));
}

}  // namespace filigree::tool
