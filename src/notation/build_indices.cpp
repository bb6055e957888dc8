#include "notation/build_indices.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/build.h"

namespace filigree {
namespace {

/// As a sum of variables with factors.
IndexMap sum_of(const IndexVar& index) {
  if (!index.map()) return IndexMap{{{index, 1}}};
  if (index.map()->extent)
    throw UserError("A window or a list stands alone, without a sum around it").hint("shift its bounds instead");
  if (index.map()->wrapped)
    throw UserError("A remainder stands alone, without a sum around it").hint("add to what is divided");
  return *index.map();
}

/// a + factor*b
IndexMap added(IndexMap a, const IndexMap& b, std::int64_t factor) {
  a.offset += factor * b.offset;
  for (const IndexMap::Term& term : b.terms) {
    auto known =
        std::find_if(a.terms.begin(), a.terms.end(), [&](const IndexMap::Term& t) { return t.var == term.var; });
    if (known == a.terms.end()) known = a.terms.insert(known, {term.var, 0});
    known->factor += factor * term.factor;
  }
  if (b.gathered && a.gathered)
    throw UserError("Only one tensor is read in an index").hint("assign the sum to a tensor of integers first");
  if (b.gathered)
    a.gathered = std::make_shared<const Gathered>(
        Gathered{b.gathered->tensor, b.gathered->indices, factor * b.gathered->factor});
  std::erase_if(a.terms, [](const IndexMap::Term& term) { return term.factor == 0; });
  return a;
}

IndexVar index_of(const IndexMap& sum) {
  bool is_variable = sum.offset == 0 && !sum.gathered && sum.terms.size() == 1 && sum.terms[0].factor == 1;
  return is_variable ? sum.terms[0].var : make_index(sum);
}

const IndexVar& plain(const IndexVar& i, const char* what) {
  if (i.map()) throw UserError(fmt::format("{} needs an index variable alone", what));
  return i;
}

}  // namespace

IndexVar operator+(const IndexVar& a, const IndexVar& b) { return index_of(added(sum_of(a), sum_of(b), 1)); }
IndexVar operator-(const IndexVar& a, const IndexVar& b) { return index_of(added(sum_of(a), sum_of(b), -1)); }
IndexVar operator+(const IndexVar& a, std::int64_t offset) { return index_of(added(sum_of(a), {{}, offset}, 1)); }
IndexVar operator+(std::int64_t offset, const IndexVar& a) { return a + offset; }
IndexVar operator-(const IndexVar& a, std::int64_t offset) { return index_of(added(sum_of(a), {{}, offset}, -1)); }
IndexVar operator-(std::int64_t offset, const IndexVar& a) { return index_of(added({{}, offset}, sum_of(a), -1)); }
IndexVar operator*(std::int64_t factor, const IndexVar& a) { return index_of(added({}, sum_of(a), factor)); }

IndexVar fixed(std::int64_t coordinate) {
  if (coordinate < 0)
    throw UserError(fmt::format("The coordinate {} is negative", coordinate)).hint("coordinates begin at 0");
  return make_index({{}, coordinate});
}

IndexVar window(const IndexVar& i, std::int64_t first, std::int64_t end, std::int64_t stride) {
  if (first < 0) throw UserError("A window begins at 0 or above");
  if (stride <= 0) throw UserError("The stride of a window must be positive");
  if (end < first) throw UserError(fmt::format("The window ends at {}, before it begins at {}", end, first));
  std::int64_t extent = (end - first) / stride + ((end - first) % stride != 0 ? 1 : 0);
  return make_index({{{plain(i, "A window"), stride}}, first, {}, extent});
}

IndexVar entries(const IndexVar& i, const std::vector<std::int64_t>& coordinates) {
  if (coordinates.empty()) throw UserError("A list of coordinates is empty");
  std::int64_t least = *std::min_element(coordinates.begin(), coordinates.end());
  if (least < 0) throw UserError(fmt::format("The coordinate {} is negative", least)).hint("coordinates begin at 0");
  return make_index({{{plain(i, "A list"), 1}}, 0, coordinates, static_cast<std::int64_t>(coordinates.size())});
}

IndexVar at(const Term& coordinates) {
  const notation::Access* access = coordinates.expr().as<notation::Access>();
  if (!access || access->indices.empty())
    throw UserError("at takes a tensor of integers with indices").hint("write x(at(p(i)))");
  IndexMap map;
  map.gathered = std::make_shared<const Gathered>(Gathered{access->tensor, access->indices});
  return make_index(map);
}

IndexVar modulo(const IndexVar& index, std::int64_t modulus) {
  if (modulus <= 0) throw UserError("The modulus of an index must be positive");
  IndexMap map = sum_of(index);
  map.wrapped = true;
  map.modulus = modulus;
  return make_index(map);
}

Term wrap(const Term& operand) {
  const notation::Access* access = operand.expr().as<notation::Access>();
  if (!access || access->indices.empty())
    throw UserError("wrap takes a tensor with indices").hint("write wrap(b(i + 1))");
  notation::Access wrapped = *access;
  for (IndexVar& index : wrapped.indices) {
    bool sums = index.map() && (!index.map()->terms.empty() || index.map()->gathered);
    if (!sums) continue;
    IndexMap map = sum_of(index);
    map.wrapped = true;
    index = make_index(map);
  }
  return Term(notation::Expr(wrapped));
}

Term value(const IndexVar& i) {
  return Term(notation::Expr(notation::Coordinate{plain(i, "The value of an index variable")}));
}

Term pad(const Term& operand) {
  const notation::Access* access = operand.expr().as<notation::Access>();
  if (!access || access->indices.empty())
    throw UserError("pad takes a tensor with indices").hint("write pad(b(i + 1))");
  notation::Access padded = *access;
  for (IndexVar& index : padded.indices) {
    IndexMap map = index.map() ? *index.map() : IndexMap{{{index, 1}}};
    map.padded = true;
    index = make_index(map);
  }
  return Term(notation::Expr(padded));
}

}  // namespace filigree
