#include "level/properties.h"

#include <algorithm>

#include "level/registry.h"
#include "support/text.h"

namespace filigree::level {
namespace {

struct Word {
  const char* word;
  bool (*holds)(const Properties&);
  void (*apply)(Properties&);
};

const Word words[] = {
    {"full", [](const Properties& p) { return p.full; }, [](Properties& p) { p.full = true; }},
    {"unordered", [](const Properties& p) { return p.ordered == Ordered::No; },
     [](Properties& p) { p.ordered = Ordered::No; }},
    {"decreasing", [](const Properties& p) { return p.ordered == Ordered::Decreasing; },
     [](Properties& p) { p.ordered = Ordered::Decreasing; }},
    {"nonunique", [](const Properties& p) { return !p.unique; }, [](Properties& p) { p.unique = false; }},
    {"padded", [](const Properties& p) { return p.padded; }, [](Properties& p) { p.padded = true, p.compact = false; }},
};

}  // namespace

std::optional<Properties> with_property(Properties properties, std::string_view word,
                                        std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), word) == allowed.end()) return std::nullopt;
  for (const Word& known : words) {
    if (known.word == word) known.apply(properties);
  }
  return properties;
}

std::vector<std::string> property_words(const Properties& properties, const Properties& usual) {
  std::vector<std::string> out;
  for (const Word& known : words) {
    if (known.holds(properties) && !known.holds(usual)) out.push_back(known.word);
  }
  return out;
}

const std::vector<std::string>& all_property_words() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const Word& known : words) out.push_back(known.word);
    return out;
  }();
  return all;
}

std::string to_string(const Format& format) {
  std::vector<std::string> words;
  if (std::optional<std::string> argument = format.argument()) words.push_back(*argument);
  if (FormatPtr usual = find_any(format.name())) {
    for (const std::string& word : property_words(format.properties(), usual->properties())) words.push_back(word);
  }
  return words.empty() ? format.name() : format.name() + "(" + join(words, ", ") + ")";
}

}  // namespace filigree::level
