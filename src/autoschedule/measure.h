// How much work loops are, for inputs of known sizes: the one measure by which ways to run a statement are compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "autoschedule/walks.h"
#include "concrete/concrete.h"

namespace filigree::autoschedule {

/// What is known of the inputs of loops.
struct KnownInputs {
  std::map<IndexVar, std::int64_t> extents;  // of the statement's variables
  std::map<std::string, double> stored;      // components, by operand
  std::shared_ptr<const Walks> walks = {};   // through the operands, if these are there
};

struct Measure {
  double tasks = 0;  // iterations and assignments
  double work = 0;   // the same, weighted by what they take: about nanoseconds on one thread
};

/// The tasks of loops as they stand, estimated as in choose.h: what is full is located, everything else steps.  An
/// assignment weighs more where it fills something sparse, and less in the lanes of vectors.  Nothing if the loops have
/// parts that costs do not know: sequences, several results, indices that follow from others.
std::optional<Measure> measure(const concrete::Program& program, const KnownInputs& inputs);

/// The tasks themselves, as tasks.h prints them: "{[i,j] | B(i,j)} + {[i]}".  Nothing where there is no measure.
std::optional<std::string> tasks_text(const concrete::Program& program, const KnownInputs& inputs);

}  // namespace filigree::autoschedule
