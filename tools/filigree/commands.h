// What the tool can do.  Each command prints on standard output and throws UserError.
#pragma once

#include "arguments.h"

namespace filigree::tool {

void run(const RunArguments& arguments);
void compare(const CompareArguments& arguments);
void tune(const TuneArguments& arguments);
void convert(const ConvertArguments& arguments);
void info(const InfoArguments& arguments);

}  // namespace filigree::tool
