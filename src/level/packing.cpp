#include "level/packing.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/memory.h"
#include "support/out_of_memory.h"
#include "support/text.h"

namespace filigree::level {

Array room_for(ElementType type, std::int64_t count) {
  double bytes = static_cast<double>(count) * size_in_bytes(type);
  void* data = count == 0 || bytes > 0x1p62
                   ? nullptr
                   : resize_block(nullptr, static_cast<size_t>(count) * static_cast<size_t>(size_in_bytes(type)));
  if (!data && count > 0)
    throw OutOfMemory(fmt::format("Not enough memory for an array of {} of {} ({})", counted(count, "element"),
                                  to_string(type), human_bytes(bytes)),
                      bytes);
  return Array::adopt(type, data, count);
}

IndexList IndexList::view(const std::vector<std::int64_t>& items) {
  return IndexList(Array::borrow(ElementType::Int64, const_cast<std::int64_t*>(items.data()),
                                 static_cast<std::int64_t>(items.size())));
}

IndexList IndexList::view(const Array& items) {
  return IndexList(Array::borrow(items.type(), const_cast<void*>(items.data()), items.count()));
}

Array IndexList::taken(ElementType type) && {
  if (is_array_ && items_.type() == type && !items_.is_borrowed()) return std::move(items_);
  Array out = room_for(type, size_);
  visit([&](const auto& from) {
    as_indices(out, [&]<class Index>(Index* to) {
      for (std::int64_t n = 0; n < size_; n++) to[n] = static_cast<Index>(from[n]);
    });
  });
  return out;
}

std::vector<std::int64_t> IndexList::widened() const {
  std::vector<std::int64_t> out(static_cast<size_t>(size_));
  visit([&](const auto& from) {
    for (std::int64_t n = 0; n < size_; n++) out[n] = from[n];
  });
  return out;
}

PackedList pack_list(const Storage& storage, const Shape& shape, NodeList nodes) {
  if (const auto* lists = dynamic_cast<const PacksLists*>(&storage)) return lists->pack_list(shape, std::move(nodes));
  Packed packed = storage.pack(shape, {nodes.parent.widened(), nodes.coordinate.widened(), std::move(nodes.repeats)});
  PackedList out{std::move(packed.arrays), {}, packed.size};
  out.positions = IndexList(IndexList::view(packed.positions).taken(ElementType::Int64));
  return out;
}

Packed PacksLists::packed(const Shape& shape, const Nodes& nodes) const {
  PackedList packed =
      pack_list(shape, {IndexList::view(nodes.parent), IndexList::view(nodes.coordinate), nodes.repeats});
  return {std::move(packed.arrays), packed.positions.widened(), packed.size};
}

}  // namespace filigree::level
