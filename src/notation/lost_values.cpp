#include "notation/lost_values.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "notation/program.h"
#include "notation/use_names.h"
#include "notation/written.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

using Extents = std::map<IndexVar, std::int64_t>;

/// Of the left tensor, where they are known.
std::optional<std::vector<std::int64_t>> dimensions_of(const Statement& statement, const Extents& extents) {
  std::vector<std::int64_t> dimensions;
  for (const IndexVar& index : statement.lhs.indices) {
    auto found = extents.find(index);
    if (found == extents.end()) return std::nullopt;
    dimensions.push_back(found->second);
  }
  return dimensions;
}

/// The right-hand side as it is written.
std::string right_side(const Statement& statement) {
  if (!statement.source || statement.op_span == Span{}) return to_string(statement.rhs);
  const std::string& text = statement.source->text;
  size_t begin = static_cast<size_t>(statement.op_span.end);
  return trim(text.substr(begin, std::min(text.find(';', begin), text.size()) - begin));
}

/// The left-hand side as it is written, but of another tensor.
std::string left_side(const Statement& statement, const std::string& tensor) {
  std::string text = written_left(statement);
  const std::string& name = statement.lhs.tensor.name();
  auto is_part_of_name = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !is_part_of_name(at - 1)) && !is_part_of_name(at + name.size()))
      return text.replace(at, name.size(), tensor);
  }
  return text;
}

/// May it leave components out?
bool assigns_part(const Access& left) {
  return std::any_of(left.indices.begin(), left.indices.end(),
                     [](const IndexVar& index) { return index.map() || !index.is_named(); });
}

class LostValues {
 public:
  LostValues(const std::vector<Statement>& linked, const std::vector<Extents>& extents)
      : linked_(linked), extents_(extents) {
    extents_.resize(linked.size());
    for (const Statement& statement : linked) use_names(names_, statement);
  }

  std::vector<Warning> operator()() {
    std::vector<Warning> warnings;
    for (size_t n = 0; n < linked_.size(); n++) {
      if (std::optional<size_t> later = replacement(n)) warnings.push_back(lost_value(n, *later));
    }
    return warnings;
  }

 private:
  /// The number of the statement that replaces what number `n` assigns, if nothing reads that before.
  std::optional<size_t> replacement(size_t n) const {
    const std::string& name = linked_[n].lhs.tensor.name();
    for (size_t later = n + 1; later < linked_.size(); later++) {
      if (reads(linked_[later], name)) return std::nullopt;
      if (assigns(linked_[later], name)) return later;
    }
    return std::nullopt;
  }

  Warning lost_value(size_t number, size_t later) {
    const Statement &lost = linked_[number], &replaced_by = linked_[later];
    const std::string& name = lost.lhs.tensor.name();
    std::string left = written_left(replaced_by);
    UserError what(fmt::format("What '{}' is assigned here is lost: '{}' is assigned anew before anything reads it",
                               written_left(lost), name));
    if (lost.source) std::move(what).at(lost.source, lost.lhs_span);
    std::string place = replaced_by.source ? " at " + describe_place(replaced_by.source, replaced_by.lhs_span.begin)
                                           : "";
    bool is_part = assigns_part(replaced_by.lhs);
    if (is_part) {
      std::move(what).note(fmt::format("'{}'{} makes a new '{}': outside of what it reaches there is the fill, {}",
                                       left, place, name, to_string(made_by(replaced_by).fill())));
    } else {
      std::move(what).note(fmt::format("the next value is assigned{}",
                                       place.empty() ? fmt::format(" by '{}'", to_string(replaced_by)) : place));
    }
    if (!is_part || has_room(number, later)) {
      std::move(what).hint(
          fmt::format("to add to what '{}' holds, write {} += {}", name, left, right_side(replaced_by)));
    } else {
      std::string both = "to keep both, write " + added_up(number, later);
      std::vector<std::string> sizes = sizes_of_both(number, later);
      if (sizes.empty()) std::move(what).hint(fmt::format("{}, and give the size of '{}'", both, name));
      else
        std::move(what).hint(fmt::format("{}, with {{{{}}, {{{{\"{}\", {{{}}}}}}}}} as the sizes of the run", both,
                                         name, join(sizes, ", ")),
                             fmt::format("{}, with -d {}:{}", both, name, join(sizes, ",")));
    }
    if (!is_part) std::move(what).hint("otherwise leave this statement out, or give one of the two another name");
    return Warning(std::move(what));
  }

  /// Is the first value known to be as large as the second?
  bool has_room(size_t number, size_t later) const {
    std::optional<std::vector<std::int64_t>> first = dimensions_of(linked_[number], extents_[number]),
                                             second = dimensions_of(linked_[later], extents_[later]);
    if (!first || !second) return false;
    return std::equal(first->begin(), first->end(), second->begin(),
                      [](std::int64_t a, std::int64_t b) { return a >= b; });
  }

  /// Two tensors and their sum, which is as large as both.
  std::string added_up(size_t number, size_t later) {
    const Access &lost = linked_[number].lhs, &next = linked_[later].lhs;
    std::string first = names_.make(lost.tensor.name() + "1"), second = names_.make(lost.tensor.name() + "2");
    std::vector<std::string> indices;
    for (size_t d = 0; d < lost.indices.size(); d++)
      indices.push_back(index_name(lost.indices[d], next.indices[d], indices));
    std::string all = join(indices, ",");
    return fmt::format("{} = {}; {} = {}; {}({}) = pad({}({})) + pad({}({}))", left_side(linked_[number], first),
                       right_side(linked_[number]), left_side(linked_[later], second), right_side(linked_[later]),
                       lost.tensor.name(), all, first, all, second, all);
  }

  std::string index_name(const IndexVar& first, const IndexVar& second, const std::vector<std::string>& taken) {
    for (const IndexVar& index : {first, second}) {
      if (!index.map() && index.is_named() && std::find(taken.begin(), taken.end(), index.name()) == taken.end())
        return index.name();
    }
    return names_.make("i");
  }

  /// Of a tensor that has room for both; none if they are not known.
  std::vector<std::string> sizes_of_both(size_t number, size_t later) const {
    std::optional<std::vector<std::int64_t>> first = dimensions_of(linked_[number], extents_[number]),
                                             second = dimensions_of(linked_[later], extents_[later]);
    std::vector<std::string> sizes;
    for (size_t d = 0; first && second && d < first->size(); d++)
      sizes.push_back(std::to_string(std::max((*first)[d], (*second)[d])));
    return sizes;
  }

  const std::vector<Statement>& linked_;
  std::vector<Extents> extents_;
  FreshNames names_;
};

}  // namespace

std::vector<Warning> lost_values(const std::vector<Statement>& linked,
                                 const std::vector<std::map<IndexVar, std::int64_t>>& extents) {
  return LostValues(linked, extents)();
}

}  // namespace filigree::notation
