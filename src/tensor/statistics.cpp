#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "level/whole.h"
#include "tensor/any_tensor.h"

namespace filigree {
namespace {

/// Threads that read the same tensor may ask at the same time.  It is held only to look and to keep, so one is enough
/// for all tensors.
std::mutex kept;

/// How many entries there are for each node of one level, told by their coordinates down to it.
class Fibres {
 public:
  /// Of the first level, whose coordinates are below `extent`: an array, unless it would be much larger than a table.
  Fibres(size_t level, std::int64_t extent, std::int64_t entries) : level_(level) {
    constexpr std::int64_t most = 8;
    if (level == 0 && extent <= most * (entries + 1)) by_coordinate_.resize(static_cast<size_t>(extent));
  }
  void add(const std::vector<std::int64_t>& path) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t key = 0;
    for (size_t k = 0; k <= level_; k++) key = (key ^ static_cast<std::uint64_t>(path[k])) * odd;
    std::int64_t& length = by_coordinate_.empty() ? by_key_[key] : by_coordinate_[static_cast<size_t>(path[0])];
    count_ += length == 0;
    longest_ = std::max(longest_, ++length);
  }
  std::int64_t count() const { return count_; }
  std::int64_t longest() const { return longest_; }

 private:
  size_t level_;
  std::vector<std::int64_t> by_coordinate_;
  std::unordered_map<std::uint64_t, std::int64_t> by_key_;
  std::int64_t count_ = 0, longest_ = 0;
};

/// Of a format that is one whole: positions of its levels need not all be nodes, so entries are counted.
void measure_entries(const AnyTensor& tensor, Statistics& statistics) {
  const std::vector<Level>& levels = tensor.format().levels();
  std::vector<Fibres> fibres;
  for (size_t k = 0; k + 1 < levels.size(); k++) {
    std::int64_t extent = tensor.dimensions()[static_cast<size_t>(levels[k].dimension())];
    fibres.emplace_back(k, extent, statistics.values);
  }
  std::vector<std::int64_t> path(levels.size());
  statistics.stored = 0;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t) {
    for (size_t k = 0; k < levels.size(); k++) path[k] = at[static_cast<size_t>(levels[k].dimension())];
    for (Fibres& level : fibres) level.add(path);
    statistics.stored++;
  });
  for (size_t k = 0; k < levels.size(); k++) {
    LevelStatistics& facts = statistics.levels[k];
    std::int64_t nodes = k + 1 < levels.size() ? fibres[k].count() : statistics.stored;
    facts.fibres = k == 0 ? 1 : fibres[k - 1].count();
    facts.longest_fibre = k == 0 ? nodes : fibres[k - 1].longest();
    facts.average_fibre = facts.fibres == 0 ? 0 : static_cast<double>(nodes) / static_cast<double>(facts.fibres);
  }
}

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
  const bool whole = format_.level_count() > 0 && level::whole_of(*format_.levels()[0].format);
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
    } else if (!whole) {
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
  if (whole) {
    measure_entries(*this, *statistics);
  } else if (!exact) {
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
