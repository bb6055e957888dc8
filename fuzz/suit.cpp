#include "fuzz/suit.h"

#include <algorithm>
#include <random>
#include <set>

#include "fuzz/random_format.h"
#include "tensor/symmetry.h"
#include "tests/reference/evaluate.h"

namespace filigree::fuzz {
namespace {

using Entries = std::vector<ProgramEntry>;

bool has_level(const Format& format, const std::string& name) {
  return std::any_of(format.levels().begin(), format.levels().end(),
                     [&](const Level& level) { return level.format->name() == name; });
}

void keep_triangle(ProgramTensor& tensor) {
  const Format& format = tensor.format;
  if (format.symmetry() != Symmetry::None)
    std::erase_if(tensor.entries, [](const ProgramEntry& e) { return e.first[1] > e.first[0]; });
  bool below = has_level(format, "lower"), above = has_level(format, "upper");
  if (!below && !above) return;
  int row = format.levels()[0].dimension(), column = format.levels()[1].dimension();
  std::erase_if(tensor.entries, [&](const ProgramEntry& e) {
    return below ? e.first[column] > e.first[row] : e.first[column] < e.first[row];
  });
}

void mirror(ProgramTensor& tensor) {
  Symmetry symmetry = tensor.format.symmetry();
  if (symmetry == Symmetry::None) return;
  Entries out;
  for (const ProgramEntry& entry : tensor.entries) {
    const auto& [at, value] = entry;
    if (at[0] == at[1]) {
      if (mirrored(value, symmetry) == value) out.push_back(entry);
      else if (symmetry == Symmetry::Hermitian)
        out.push_back({at, Scalar::of(ElementType::Float64, value.as_complex().real()).cast(value.type())});
      continue;
    }
    out.push_back(entry);
    out.push_back({{at[1], at[0]}, mirrored(value, symmetry)});
  }
  tensor.entries = out;
}

/// A level that promises every coordinate gets every coordinate.
void complete(ProgramTensor& tensor) {
  std::set<std::vector<std::int64_t>> there;
  for (const ProgramEntry& entry : tensor.entries) there.insert(entry.first);
  reference::for_each_coordinate(tensor.dimensions, [&](const std::vector<std::int64_t>& at) {
    if (there.count(at) == 0) tensor.entries.push_back({at, value_of(tensor.type, 1)});
  });
}

void split_some(ProgramTensor& tensor) {
  for (std::size_t n = 0, count = tensor.entries.size(); n < count; n += 2) {
    // Two values that cancel would be a fill that is no padding.
    if (tensor.entries[n].second.is_zero()) continue;
    Scalar one = Scalar::of(tensor.type, std::int64_t{1});
    tensor.entries.push_back({tensor.entries[n].first, one});
    Scalar& value = tensor.entries[n].second;
    value = evaluate(Operator::Subtract, {value, one}).cast(tensor.type);
  }
}

bool fits(const ProgramTensor& tensor) {
  try {
    pack(tensor);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

/// One entry after the other, as far as they fit.
void drop_misfits(ProgramTensor& tensor) {
  if (fits(tensor)) return;
  Entries all = std::move(tensor.entries);
  tensor.entries.clear();
  for (std::size_t n = 0; n < std::min<std::size_t>(all.size(), 40); n++) {
    tensor.entries.push_back(all[n]);
    if (!fits(tensor)) tensor.entries.pop_back();
  }
}

}  // namespace

void suit(ProgramTensor& tensor) {
  if (is_dense_and_compressed(tensor.format)) return;
  keep_triangle(tensor);
  if (promises_fullness(tensor.format)) complete(tensor);
  mirror(tensor);
  bool unordered = false, repeats = false;
  for (const Level& level : tensor.format.levels()) {
    unordered = unordered || level.format->properties().ordered == level::Ordered::No;
    repeats = repeats || !level.format->properties().unique;
  }
  // Packing sums what is twice in the list unless the format can hold it twice.
  if (repeats && tensor.format.symmetry() == Symmetry::None) {
    Entries whole = tensor.entries;
    split_some(tensor);
    if (!fits(tensor)) tensor.entries = whole;
  }
  if (unordered)
    std::shuffle(tensor.entries.begin(), tensor.entries.end(),
                 std::mt19937(static_cast<unsigned>(tensor.entries.size())));
  if (tensor.format.symmetry() == Symmetry::None) drop_misfits(tensor);
}

}  // namespace filigree::fuzz
