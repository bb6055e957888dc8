// Properties as words: how a person asks for them, and how they are printed.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "level/level_format.h"

namespace filigree::level {

/// `properties` changed as the word says, if the word is among `allowed`.
std::optional<Properties> with_property(Properties properties, std::string_view word,
                                        std::initializer_list<std::string_view> allowed);

/// The words that turn `usual` into `properties`.
std::vector<std::string> property_words(const Properties& properties, const Properties& usual);
/// All words there are.
const std::vector<std::string>& all_property_words();

}  // namespace filigree::level
