// Formats of temporaries: levels that can be inserted into in any order and then iterated in order.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// A format for a temporary whose dimensions are stored in order: a single level keeps one slot per
/// coordinate and a list of those touched; several levels are kept in tables.
Format workspace_format(int order);

/// `levels` with each one that cannot be inserted into replaced by one that can; dimensions are
/// renumbered 0, 1, ...  Presence is kept exactly: the result can hold every pattern the levels can,
/// and `exact` asks for every pattern at all (then the last level is never a padded one).
Format insertable_format(const std::vector<Level>& levels, bool exact);

/// The same where the levels below the first are small blocks of fixed size: blocks stand in the order of their
/// arrival.
Format numbered_blocks(const std::vector<Level>& levels);

/// A format for the copy of a matrix that is sorted into rows by counting them.
Format counted_rows_format();

/// Can generated code fill every level of a result, appending in order or inserting?
bool can_be_assembled(const Format& format);
/// Can code also make such a result's index alone, or the values alone?  If not, they come with the whole result.
bool has_all_modes(const Format& format);
/// For formats that cannot: one that can, has room for every component, and is packed into the other afterwards.
Format assembled_instead(const Format& format);

/// Which temporaries are kept in tables.
enum class Tables {
  None,
  OfFull,  // those that have a place for every component: a table knows which were written
  All,
};
/// The program with temporaries kept in tables throughout: memory in proportion to what they hold,
/// whatever the extents.  Kernels run this way when a dimension is too large for an array.
Program with_tables(const Program& program, Tables which);

/// The temporaries of a statement, each as some access writes it.
std::vector<Access> temporaries(const Program& program);

}  // namespace filigree::concrete
