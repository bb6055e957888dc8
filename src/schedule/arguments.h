// The arguments of a command as written, taken one after the other.
#pragma once

#include <string>
#include <vector>

#include "notation/lex.h"
#include "schedule/schedule.h"

namespace filigree::schedule {

/// What stands between two commas.
struct Argument {
  std::vector<notation::Token> tokens;  // at least one
  Span span;
};

class Arguments {
 public:
  Arguments(std::string command, std::string usage, std::vector<Argument> all, const Place& place)
      : command_(std::move(command)), usage_(std::move(usage)), all_(std::move(all)), place_(place) {}

  const Place& place() const { return place_; }
  size_t left() const { return all_.size() - at_; }

  /// The next argument, which must be a name; `what` is for messages: "a variable".
  Name name(const char* what);
  /// A tensor, by its name or by one of its accesses: B or B(i,j).
  Name tensor();
  /// A name, or any number of them in braces: j, {j, k}, {}.
  std::vector<Name> names(const char* what);
  /// The next argument as it is written, without braces around it.
  Name text(const char* what);
  /// Where the next argument stands, or what is after the last one.
  Span next_span() const { return at_ < all_.size() ? all_[at_].span : Span{place_.span.end - 1, place_.span.end}; }
  /// At least 1.
  std::int64_t size();
  /// Is the next argument a whole number?
  bool is_number() const;
  /// One of these words, in any case and without underscores, also after what it belongs to, as in Unit::Cpu; nothing
  /// if it is none of them and may be left out.
  struct Word {
    const char* text;
    int value;
  };
  std::optional<int> word_if(const std::vector<Word>& words);
  int word(const char* what, const std::vector<Word>& words);
  /// There must be no more.
  void end() const;

  [[noreturn]] void fail(UserError error, Span span) const;

 private:
  const Argument& next(const char* what);

  std::string command_, usage_;
  std::vector<Argument> all_;
  Place place_;
  size_t at_ = 0;
};

}  // namespace filigree::schedule
