// Entries are sorted by integer keys: the coordinates of as many consecutive dimensions as fit are put side by side in
// 64 bits, most significant first.  Dimensions that do not fit together form several keys; sorting by the last key
// first, each time stably, orders by all of them (as radix sort does with digits).
//
// One key is sorted in two steps.  Its leading bits say into which bucket an entry goes; buckets are about as many as
// rows of a matrix.  Every thread counts a slice of the entries, so that it knows where its own ones go in each bucket,
// and the arrays are moved there one after the other.  Then the entries of each bucket are few: they are put in order
// where they are, unless they came in order.
#include "tensor/sort.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>

#include "level/packing.h"
#include "support/check.h"
#include "support/parallel.h"
#include "tensor/entry_list.h"

namespace filigree {
namespace {

constexpr std::int64_t worth_a_thread = 1 << 16;
constexpr std::int64_t batch = 1024;

int width_of(const SortKey& key) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(key.extent - 1, 0)));
}

/// Calls `work(s)` for s in 0 .. count; throws what one of them did.
template <class Work>
void for_each_in_parallel(std::int64_t count, int threads, const Work& work) {
  struct Shared {
    const Work& work;
    std::mutex mutex = {};
    std::exception_ptr failure = {};
  } shared{work};
  auto body = [](void* closure, std::int64_t begin, std::int64_t end) {
    Shared& all = *static_cast<Shared*>(closure);
    try {
      for (std::int64_t s = begin; s < end; s++) all.work(s);
    } catch (...) {
      std::lock_guard lock(all.mutex);
      all.failure = std::current_exception();
    }
  };
  parallel_for(threads, count, body, &shared);
  if (shared.failure) std::rethrow_exception(shared.failure);
}

/// Consecutive keys whose bits fit side by side.
class Group {
 public:
  explicit Group(std::vector<SortKey> keys) : keys_(std::move(keys)) {
    for (const SortKey& key : keys_) bits_ += width_of(key);
  }
  int bits() const { return bits_; }
  const SortKey& leading() const { return keys_.front(); }
  std::int64_t count() const { return keys_.front().array->count(); }

  /// The bits of entries begin .. end.
  void fill(std::int64_t begin, std::int64_t end, std::uint64_t* out) const {
    std::fill(out, out + (end - begin), 0);
    for (const SortKey& key : keys_) {
      int width = width_of(key);
      if (width == 0) continue;  // all coordinates are the same
      bool alone = width == 64;  // a shift by 64 bits would be undefined
      std::int64_t last = key.origin + key.extent - 1;
      level::as_indices(*key.array, [&](const auto* c) {
        for (std::int64_t n = begin; n < end; n++) {
          std::int64_t digit = key.decreasing ? last - c[n] : c[n] - key.origin;
          out[n - begin] = (alone ? 0 : out[n - begin] << width) | static_cast<std::uint64_t>(digit);
        }
      });
    }
  }

 private:
  std::vector<SortKey> keys_;
  int bits_ = 0;
};

std::vector<Group> grouped(const std::vector<SortKey>& keys) {
  std::vector<Group> groups;
  std::vector<SortKey> together;
  int bits = 0;
  for (const SortKey& key : keys) {
    if (bits + width_of(key) > 64) {
      groups.emplace_back(std::move(together));
      together.clear();
      bits = 0;
    }
    together.push_back(key);
    bits += width_of(key);
  }
  if (!together.empty()) groups.emplace_back(std::move(together));
  return groups;
}

int threads_for(std::int64_t count) {
  return static_cast<int>(std::clamp<std::int64_t>(count / worth_a_thread, 1, core_count()));
}

/// Are entries begin .. end sorted, each also behind the one before it?
bool is_sorted_part(const std::vector<Group>& groups, std::int64_t begin, std::int64_t end) {
  std::vector<std::array<std::uint64_t, batch + 1>> keys(groups.size());
  for (std::int64_t n = std::max<std::int64_t>(begin, 1); n < end; n += batch) {
    std::int64_t stop = std::min(n + batch, end);
    for (size_t g = 0; g < groups.size(); g++) groups[g].fill(n - 1, stop, keys[g].data());
    for (std::int64_t i = 1; i <= stop - n; i++) {
      for (const auto& key : keys) {
        if (key[i - 1] < key[i]) break;
        if (key[i - 1] > key[i]) return false;
      }
    }
  }
  return true;
}

/// Moves the elements of an array to where `places` says.
template <class Element, class Place>
Array scattered(const Array& from, const Place* places, int threads) {
  Array to = level::room_for(from.type(), from.count());
  const Element* source = static_cast<const Element*>(from.data());
  Element* target = static_cast<Element*>(to.data());
  std::int64_t count = from.count(), slices = 16 * threads;
  for_each_in_parallel(slices, threads, [&](std::int64_t s) {
    for (std::int64_t n = count * s / slices; n < count * (s + 1) / slices; n++) target[places[n]] = source[n];
  });
  return to;
}

struct Pair {
  std::uint64_t first, second;
};

/// Calls `use` with a null pointer to a type of the size of the array's elements.
template <class Use>
void by_size(const Array& array, const Use& use) {
  switch (size_in_bytes(array.type())) {
    case 1: return use(static_cast<std::uint8_t*>(nullptr));
    case 2: return use(static_cast<std::uint16_t*>(nullptr));
    case 4: return use(static_cast<std::uint32_t*>(nullptr));
    case 8: return use(static_cast<std::uint64_t*>(nullptr));
    default: return use(static_cast<Pair*>(nullptr));
  }
}

/// The entries of one bucket, which are sorted where they are.
class Segments {
 public:
  Segments(const Group& group, const std::vector<Array*>& arrays, int bits)
      : group_(group), arrays_(arrays), bits_(bits) {}

  void sort(std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    keys_.resize(static_cast<size_t>(count));
    group_.fill(begin, end, keys_.data());
    if (std::is_sorted(keys_.begin(), keys_.end())) return;
    order_.resize(static_cast<size_t>(count));
    int index_bits = std::bit_width(static_cast<std::uint64_t>(count - 1));
    if (bits_ + index_bits <= 64 && count <= few) {
      // The number of an entry behind its key: sorting is stable then, and moves one word.
      std::uint64_t below = (std::uint64_t{1} << index_bits) - 1,
                    within = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
      for (std::int64_t n = 0; n < count; n++)
        keys_[n] = (keys_[n] & within) << index_bits | static_cast<std::uint64_t>(n);
      std::sort(keys_.begin(), keys_.end());
      for (std::int64_t n = 0; n < count; n++) order_[n] = static_cast<std::int64_t>(keys_[n] & below);
    } else {
      sort_by_digits();
    }
    for (Array* array : arrays_)
      by_size(*array, [&]<class Element>(Element*) { permute(static_cast<Element*>(array->data()) + begin); });
  }

 private:
  static constexpr std::int64_t few = 1024;

  struct Keyed {
    std::uint64_t key;
    std::int64_t number;
  };

  void sort_by_digits() {
    constexpr int digit_bits = 11;
    const size_t count = keys_.size();
    items_.resize(count);
    spare_.resize(count);
    for (size_t n = 0; n < count; n++) items_[n] = {keys_[n], static_cast<std::int64_t>(n)};
    for (int shift = 0; shift < bits_; shift += digit_bits) {
      std::array<size_t, (1 << digit_bits) + 1> starts{};
      auto digit = [&](const Keyed& item) { return (item.key >> shift) & ((1 << digit_bits) - 1); };
      for (const Keyed& item : items_) starts[digit(item) + 1]++;
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      for (const Keyed& item : items_) spare_[starts[digit(item)]++] = item;
      items_.swap(spare_);
    }
    for (size_t n = 0; n < count; n++) order_[n] = items_[n].number;
  }

  template <class Element>
  void permute(Element* elements) {
    moved_.resize(order_.size() * sizeof(Element));
    Element* moved = reinterpret_cast<Element*>(moved_.data());
    for (size_t n = 0; n < order_.size(); n++) moved[n] = elements[order_[n]];
    std::memcpy(elements, moved, moved_.size());
  }

  const Group& group_;
  const std::vector<Array*>& arrays_;
  int bits_;  // in which keys of one bucket differ
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> order_;
  std::vector<Keyed> items_, spare_;
  std::vector<char> moved_;
};

/// Sorts by one group; `Place` holds the number of an entry.
template <class Place>
class GroupSort {
 public:
  GroupSort(const Group& group, const std::vector<Array*>& arrays)
      : group_(group), arrays_(arrays), count_(group.count()), threads_(threads_for(count_)) {
    int leading = width_of(group.leading()), of_count = std::bit_width(static_cast<std::uint64_t>(count_));
    bool rows_will_do = leading <= 20 && leading <= of_count && leading >= of_count - 7;
    bucket_bits_ = std::min(group.bits(), rows_will_do ? leading : std::clamp(of_count - 3, 1, 18));
    rest_ = group.bits() - bucket_bits_;
  }

  void operator()() {
    find_room_of_leading();
    place();
    for (Array* array : arrays_) {
      if (array == room_) continue;
      by_size(*array, [&]<class Element>(Element*) { *array = scattered<Element>(*array, places(), threads_); });
    }
    if (room_) restore_leading();
    places_ = Array();
    if (rest_ > 0) sort_segments();
  }

 private:
  static constexpr ElementType place_type = sizeof(Place) == 4 ? ElementType::Int32 : ElementType::Int64;

  /// The leading coordinates follow from the buckets if these are rows: their memory can hold the places.
  void find_room_of_leading() {
    if (bucket_bits_ != width_of(group_.leading())) return;
    for (Array* array : arrays_) {
      if (array == group_.leading().array && array->type() == place_type && !array->is_borrowed()) room_ = array;
    }
  }
  Place* places() { return static_cast<Place*>((room_ ? *room_ : places_).data()); }
  std::int64_t slice_begin(std::int64_t s) const { return count_ * s / threads_; }

  /// Where each entry goes.
  void place() {
    if (!room_) places_ = level::room_for(place_type, count_);
    const size_t buckets = size_t{1} << bucket_bits_;
    std::vector<std::vector<Place>> next(static_cast<size_t>(threads_));
    auto for_each_bucket = [&](std::int64_t s, const auto& visit) {
      std::array<std::uint64_t, batch> keys;
      for (std::int64_t n = slice_begin(s); n < slice_begin(s + 1); n += batch) {
        std::int64_t stop = std::min(n + batch, slice_begin(s + 1));
        group_.fill(n, stop, keys.data());
        for (std::int64_t i = 0; i < stop - n; i++) visit(n + i, rest_ == 64 ? 0 : keys[i] >> rest_);
      }
    };
    for_each_in_parallel(threads_, threads_, [&](std::int64_t s) {
      next[s].assign(buckets, 0);
      for_each_bucket(s, [&](std::int64_t, std::uint64_t bucket) { next[s][bucket]++; });
    });
    Place total = 0;
    for (size_t bucket = 0; bucket < buckets; bucket++) {
      for (std::vector<Place>& of_slice : next) total += std::exchange(of_slice[bucket], total);
    }
    Place* to = places();
    for_each_in_parallel(threads_, threads_, [&](std::int64_t s) {
      for_each_bucket(s, [&](std::int64_t n, std::uint64_t bucket) { to[n] = next[s][bucket]++; });
    });
    ends_ = std::move(next.back());
  }

  std::int64_t begin_of(std::int64_t bucket) const { return bucket == 0 ? 0 : ends_[bucket - 1]; }

  void restore_leading() {
    const SortKey& key = group_.leading();
    for (std::int64_t bucket = 0; bucket < static_cast<std::int64_t>(ends_.size()); bucket++) {
      std::int64_t coordinate = key.decreasing ? key.origin + key.extent - 1 - bucket : key.origin + bucket;
      std::fill(places() + begin_of(bucket), places() + ends_[bucket], static_cast<Place>(coordinate));
    }
  }

  /// Buckets differ in length: pieces have about as many entries each.
  void sort_segments() {
    const std::int64_t pieces = std::clamp<std::int64_t>(count_ / 4096, 1, 64);
    for_each_in_parallel(pieces, threads_, [&](std::int64_t piece) {
      Segments segments(group_, arrays_, rest_);
      auto first_from = [&](std::int64_t entry) {
        auto found = std::partition_point(ends_.begin(), ends_.end(), [&](Place end) { return end <= entry; });
        std::int64_t bucket = found - ends_.begin();
        return bucket < static_cast<std::int64_t>(ends_.size()) && begin_of(bucket) < entry ? bucket + 1 : bucket;
      };
      std::int64_t last = first_from(count_ * (piece + 1) / pieces);
      for (std::int64_t bucket = first_from(count_ * piece / pieces); bucket < last; bucket++) {
        if (ends_[bucket] - begin_of(bucket) > 1) segments.sort(begin_of(bucket), ends_[bucket]);
      }
    });
  }

  const Group& group_;
  const std::vector<Array*>& arrays_;
  std::int64_t count_;
  int threads_;
  int bucket_bits_, rest_;
  Array* room_ = nullptr;
  Array places_;
  std::vector<Place> ends_;  // of the buckets
};

std::vector<SortKey> keys_of(const EntryList& entries, const std::vector<int>& dimensions) {
  std::vector<SortKey> keys;
  for (int d : dimensions) keys.push_back({&entries.coordinate[d], entries.dimensions[d]});
  return keys;
}

}  // namespace

bool is_sorted(const std::vector<SortKey>& keys) {
  if (keys.empty()) return true;
  std::vector<Group> groups = grouped(keys);
  std::int64_t count = keys.front().array->count(), pieces = std::clamp<std::int64_t>(count / worth_a_thread, 1, 64);
  std::atomic<bool> sorted = true;
  for_each_in_parallel(pieces, threads_for(count), [&](std::int64_t piece) {
    if (sorted && !is_sorted_part(groups, count * piece / pieces, count * (piece + 1) / pieces)) sorted = false;
  });
  return sorted;
}

bool is_sorted(const Coordinates& entries, const std::vector<int>& dimensions) {
  EntryList list = view(entries);
  return is_sorted(keys_of(list, dimensions));
}

void sort_together(const std::vector<SortKey>& keys, const std::vector<Array*>& arrays) {
  if (is_sorted(keys)) return;
  std::vector<Group> groups = grouped(keys);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    if (group->count() <= std::numeric_limits<std::int32_t>::max()) GroupSort<std::int32_t>(*group, arrays)();
    else GroupSort<std::int64_t>(*group, arrays)();
  }
}

std::vector<std::int64_t> sorted_numbers(const Coordinates& entries, const std::vector<int>& dimensions) {
  EntryList list = view(entries);
  std::vector<std::int64_t> numbers(static_cast<size_t>(entries.count()));
  std::iota(numbers.begin(), numbers.end(), 0);
  Array moved = Array::borrow(ElementType::Int64, numbers.data(), entries.count());
  std::vector<Array*> arrays = {&moved};
  for (int d : dimensions) arrays.push_back(&list.coordinate[d]);
  sort_together(keys_of(list, dimensions), arrays);
  if (moved.data() != numbers.data())
    std::copy(moved.as<std::int64_t>().begin(), moved.as<std::int64_t>().end(), numbers.begin());
  return numbers;
}

}  // namespace filigree
