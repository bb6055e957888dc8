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

/// A number of a policy that a plan has, and the range that it may be in.
template <class Numbers>
struct NumberWord {
  const char* name;
  int Numbers::* number;
  int least = 0, most = 1 << 30;
};
/// What such numbers are of, and each of them.
template <class Numbers>
constexpr const char* numbers_word = nullptr;
template <class Numbers>
constexpr std::array<NumberWord<Numbers>, 0> number_words = {};

template <>
constexpr const char* numbers_word<policy::Lookups> = "lookups";
template <>
constexpr std::array<NumberWord<policy::Lookups>, 8> number_words<policy::Lookups> = {
    {{"gallop_ratio", &policy::Lookups::gallop_ratio},
     {"gallop_least", &policy::Lookups::gallop_least},
     {"search_ratio", &policy::Lookups::search_ratio},
     {"lookup_ratio", &policy::Lookups::lookup_ratio},
     {"places_per_met", &policy::Lookups::places_per_met},
     {"held_per_met", &policy::Lookups::held_per_met},
     {"guessed_extent", &policy::Lookups::guessed_extent},
     {"walk_ratio", &policy::Lookups::walk_ratio}}};

template <>
constexpr const char* numbers_word<policy::Memory> = "memory";
template <>
constexpr std::array<NumberWord<policy::Memory>, 4> number_words<policy::Memory> = {
    {{"first_capacity", &policy::Memory::first_capacity, 1, 1 << 20},
     {"unasked_components", &policy::Memory::unasked_components, 0, 1 << 20},
     {"counters_per_entry", &policy::Memory::counters_per_entry, 0, 1 << 10},
     {"most_reads", &policy::Memory::most_reads, 1, 1 << 10}}};

template <>
constexpr const char* numbers_word<policy::Cases> = "cases";
template <>
constexpr std::array<NumberWord<policy::Cases>, 1> number_words<policy::Cases> = {
    {{"asked_together", &policy::Cases::asked_together, 1, 8}}};

/// Does it mean something else where a name may stand?
bool is_word(const std::string& name);

/// 2, 2.0, 2:int8, complex(1,2):complex64; reads back as the same value of the same type.
std::string number(const Scalar& value);

}  // namespace filigree::plan
