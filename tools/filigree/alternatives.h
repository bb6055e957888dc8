// What `filigree compare` is to try: every format and schedule that is given can be read, and each is there once.
#pragma once

#include "arguments.h"

namespace filigree::tool {

/// The arguments without alternatives that mean the same as an earlier one, each of which is warned about.  Throws
/// UserError for a format or a schedule that cannot be read: it is a mistake, not an alternative that loses.
CompareArguments distinct_alternatives(CompareArguments arguments);

}  // namespace filigree::tool
