// Levels stored like compressed ones whose coordinates stand in another order, for tests of what needs which order.
#pragma once

#include "level/registry.h"

namespace filigree::level {

class Reordered : public Format {
 public:
  Reordered(std::string name, Ordered order, bool unique = true)
      : name_(std::move(name)), order_(order), unique_(unique) {}
  std::string name() const override { return name_; }
  Properties properties() const override { return {.ordered = order_, .unique = unique_}; }
  std::vector<ArrayDescription> arrays() const override { return compressed()->arrays(); }
  const PositionIteration* position_iteration() const override { return compressed()->position_iteration(); }
  const Search* search() const override { return order_ == Ordered::No ? nullptr : compressed()->search(); }
  const Storage* storage() const override { return compressed()->storage(); }

 private:
  std::string name_;
  Ordered order_;
  bool unique_;
};

inline FormatPtr decreasing() { return std::make_shared<Reordered>("decreasing", Ordered::Decreasing); }
inline FormatPtr shuffled() { return std::make_shared<Reordered>("shuffled", Ordered::No); }
inline FormatPtr repeated() { return std::make_shared<Reordered>("repeated", Ordered::Increasing, false); }

}  // namespace filigree::level
