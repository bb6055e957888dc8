// Words of plans' text that its printer and its parser share.
#pragma once

#include <array>
#include <string>

#include "algebra/scalar.h"
#include "policy/policy.h"

namespace filigree::plan {

// By the numbers of the enumerators: Mode, PieceLoop::Given, ExtentBound::Kind, relation::Condition::Kind.
constexpr std::array<const char*, 6> mode_words = {"grow", "pattern", "count", "fill", "values", "update"};
constexpr std::array<const char*, 4> cut_words = {"size", "count", "threads", "inside"};
constexpr std::array<const char*, 4> bound_words = {"exact", "min", "max", "divisible"};
constexpr std::array<const char*, 3> condition_words = {"at_least", "equal", "not_equal"};

/// The numbers of Lookups.
struct LookupWord {
  const char* name;
  int policy::Lookups::* number;
};
constexpr std::array<LookupWord, 8> lookup_words = {{{"gallop_ratio", &policy::Lookups::gallop_ratio},
                                                     {"gallop_least", &policy::Lookups::gallop_least},
                                                     {"search_ratio", &policy::Lookups::search_ratio},
                                                     {"lookup_ratio", &policy::Lookups::lookup_ratio},
                                                     {"places_per_met", &policy::Lookups::places_per_met},
                                                     {"held_per_met", &policy::Lookups::held_per_met},
                                                     {"guessed_extent", &policy::Lookups::guessed_extent},
                                                     {"walk_ratio", &policy::Lookups::walk_ratio}}};

/// Does it mean something else where a name may stand?
bool is_word(const std::string& name);

/// 2, 2.0, 2:int8, complex(1,2):complex64; reads back as the same value of the same type.
std::string number(const Scalar& value);

}  // namespace filigree::plan
