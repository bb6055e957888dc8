#include <algorithm>

#include "tensor/tensor.h"

namespace filigree {

const Statistics& Tensor::statistics() const {
  if (statistics_) return *statistics_;
  auto statistics = std::make_shared<Statistics>();
  statistics->stored = stored();
  statistics->bytes = values_.bytes();
  std::int64_t parents = 1;
  for (int k = 0; k < order(); k++) {
    const Level& level = format_.levels()[k];
    const level::Storage* storage = level.format->storage();
    level::StoredLevel stored_level{&arrays_[k], dimensions_[level.dimension], parents};
    LevelStatistics facts;
    facts.fibres = parents;
    facts.size = storage->size(stored_level);
    facts.average_fibre = parents == 0 ? 0 : static_cast<double>(facts.size) / static_cast<double>(parents);
    for (const Array& array : arrays_[k]) facts.bytes += array.bytes();
    if (level.format->properties().full) {
      facts.longest_fibre = parents == 0 ? 0 : stored_level.extent;
    } else {
      for (std::int64_t parent = 0; parent < parents; parent++) {
        std::int64_t length = 0;
        storage->for_each_child(stored_level, parent, [&](std::int64_t, std::int64_t) { length++; });
        facts.longest_fibre = std::max(facts.longest_fibre, length);
      }
    }
    statistics->bytes += facts.bytes;
    statistics->levels.push_back(facts);
    parents = facts.size;
  }
  statistics_ = std::move(statistics);
  return *statistics_;
}

}  // namespace filigree
