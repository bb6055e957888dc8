// Level formats by name.  The built-in ones are there from the start; programs can add their own.
#pragma once

#include <string_view>
#include <vector>

#include "level/level_format.h"

namespace filigree::level {

/// Built-in level formats.
FormatPtr dense();
FormatPtr compressed();
FormatPtr singleton();
FormatPtr range();
FormatPtr offset();
FormatPtr hashed();
FormatPtr bitmap();
FormatPtr slots();
FormatPtr lower();
FormatPtr upper();
/// Entries whose coordinates stand side by side: a level of tuples, above a level `member` for each further coordinate.
FormatPtr tuples(int size);
FormatPtr member();

/// Formats of workspaces: insertable while being filled, iterated in order afterwards.
FormatPtr scattered();  // one value per coordinate plus a list of the coordinates touched
FormatPtr numbered();   // the same, with positions in order of arrival: for levels of blocks below
FormatPtr tabled();     // a hash table of (parent, coordinate)

/// The format with this name, or nullptr.
FormatPtr find(std::string_view name);
/// The same among formats of workspaces too, which no user names.
FormatPtr find_any(std::string_view name);
/// Makes a format known by its name; a later registration of the same name replaces the earlier.
void add(FormatPtr format);
/// All names, in order of registration.
std::vector<std::string> names();

}  // namespace filigree::level
