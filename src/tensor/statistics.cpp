#include <algorithm>
#include <mutex>

#include "tensor/any_tensor.h"

namespace filigree {
namespace {

/// Threads that read the same tensor may ask at the same time.  It is held only to look and to keep, so one is enough
/// for all tensors.
std::mutex kept;

}  // namespace

KeptStatistics& KeptStatistics::operator=(const KeptStatistics& other) {
  std::shared_ptr<const Statistics> found = other.find();
  std::lock_guard lock(kept);
  statistics_ = std::move(found);
  return *this;
}

std::shared_ptr<const Statistics> KeptStatistics::find() const {
  std::lock_guard lock(kept);
  return statistics_;
}

const Statistics& KeptStatistics::keep(std::shared_ptr<const Statistics> statistics) {
  std::lock_guard lock(kept);
  if (!statistics_) statistics_ = std::move(statistics);  // others have a reference to the first
  return *statistics_;
}

void KeptStatistics::forget() {
  std::lock_guard lock(kept);
  statistics_.reset();
}

const Statistics& AnyTensor::statistics() const {
  if (std::shared_ptr<const Statistics> known = statistics_.find()) return *known;  // kept by this tensor
  auto statistics = std::make_shared<Statistics>();
  statistics->values = stored();
  statistics->bytes = values_.bytes();
  bool exact = true;  // every value is a component of the tensor
  std::vector<level::StoredLevel> levels = stored_levels();
  for (int k = 0; k < format_.level_count(); k++) {
    const level::Format& format = *format_.levels()[k].format;
    const level::Storage* storage = format.storage();
    std::int64_t parents = levels[k].parent_count;
    exact = exact && format.properties().compact && format_.levels()[k].coordinate.plain();
    LevelStatistics facts;
    facts.fibres = parents;
    facts.size = storage->size(levels[k]);
    facts.average_fibre = parents == 0 ? 0 : static_cast<double>(facts.size) / static_cast<double>(parents);
    for (const Array& array : arrays_[k]) facts.bytes += array.bytes();
    if (format.properties().full && format.properties().unique && levels[k].extent >= 0) {
      facts.longest_fibre = parents == 0 ? 0 : format.properties().branchless ? 1 : levels[k].extent;
    } else {
      for (std::int64_t parent = 0; parent < parents; parent++) {
        std::int64_t length = 0;
        storage->for_each_child(levels[k], parent, [&](std::int64_t, std::int64_t) { length++; });
        facts.longest_fibre = std::max(facts.longest_fibre, length);
      }
    }
    statistics->bytes += facts.bytes;
    statistics->levels.push_back(facts);
  }
  statistics->stored = statistics->values;
  if (!exact) {
    statistics->stored = 0;
    for_each([&](const std::vector<std::int64_t>&, std::int64_t) { statistics->stored++; });
  }
  return statistics_.keep(std::move(statistics));
}

double AnyTensor::average_leaf_fibre() const {
  if (format_.level_count() == 0) return 1;
  level::StoredLevel last = stored_levels().back();
  std::int64_t parents = last.parent_count, size = format_.levels().back().format->storage()->size(last);
  return parents == 0 ? 0 : static_cast<double>(size) / static_cast<double>(parents);
}

}  // namespace filigree
