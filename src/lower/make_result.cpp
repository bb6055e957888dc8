#include "lower/make_result.h"

#include "lower/appended_in_pieces.h"
#include "lower/given_in_pieces.h"
#include "lower/index_first_result.h"
#include "lower/inserted_result.h"
#include "lower/pattern_result.h"
#include "lower/placed_result.h"
#include "lower/slotted_result.h"
#include "support/check.h"
#include "support/match.h"

namespace filigree::lowering {

std::unique_ptr<Result> make_result(const plan::Filling& filling, const ResultOf& of) {
  using Made = std::unique_ptr<Result>;
  return match_variant(
      filling, [&](const plan::Inserted& how) -> Made { return std::make_unique<InsertedResult>(how, of); },
      [&](const plan::Appended& how) -> Made { return std::make_unique<AppendedResult>(how, of); },
      [&](const plan::AppendedInPieces& how) -> Made { return std::make_unique<AppendedInPieces>(how, of); },
      [&](const plan::GivenInPieces& how) -> Made { return std::make_unique<GivenInPieces>(how, of); },
      [&](const plan::Joined&) -> Made {
        throw InternalError("lower", "a result that others join", of.assign.lhs.tensor.name());
      },
      [&](const plan::IndexFirst& how) -> Made { return std::make_unique<IndexFirstResult>(how, of); },
      [&](const plan::Placed& how) -> Made { return std::make_unique<PlacedResult>(how, of); },
      [&](const plan::Slotted& how) -> Made { return std::make_unique<SlottedResult>(how, of); },
      [&](const plan::PatternOf& how) -> Made { return std::make_unique<PatternResult>(how, of); });
}

}  // namespace filigree::lowering
