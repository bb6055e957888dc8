#include "tensor/entry_list.h"

#include "level/packing.h"

namespace filigree {
namespace {

Array view(const Array& array) { return Array::borrow(array.type(), const_cast<void*>(array.data()), array.count()); }

Array view(const std::vector<std::int64_t>& numbers) {
  return Array::borrow(ElementType::Int64, const_cast<std::int64_t*>(numbers.data()),
                       static_cast<std::int64_t>(numbers.size()));
}

template <class List>
EntryList view_of(const List& entries) {
  EntryList out{entries.dimensions, {}, view(entries.values), entries.is_dense, entries.dimensions_implied};
  for (const auto& coordinate : entries.coordinate) out.coordinate.push_back(view(coordinate));
  return out;
}

}  // namespace

EntryList view(const Coordinates& entries) { return view_of(entries); }
EntryList view(const EntryList& entries) { return view_of(entries); }

EntryList owned(Coordinates entries) {
  EntryList out{
      std::move(entries.dimensions), {}, std::move(entries.values), entries.is_dense, entries.dimensions_implied};
  for (std::vector<std::int64_t>& coordinate : entries.coordinate) {
    auto kept = std::make_shared<std::vector<std::int64_t>>(std::move(coordinate));
    std::int64_t count = static_cast<std::int64_t>(kept->size());
    out.coordinate.push_back(Array::borrow(ElementType::Int64, kept->data(), count, kept));
  }
  return out;
}

Coordinates widened(const EntryList& entries) {
  Coordinates out{entries.dimensions, {}, entries.values.copy(), entries.is_dense, entries.dimensions_implied};
  for (const Array& coordinate : entries.coordinate)
    out.coordinate.push_back(level::IndexList::view(coordinate).widened());
  return out;
}

}  // namespace filigree
