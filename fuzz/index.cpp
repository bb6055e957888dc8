#include "fuzz/index.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace filigree::fuzz {
namespace {

/// The part of the list that is used.
std::vector<std::int64_t> listed(const Index& index, const VarExtents& extents) {
  std::vector<std::int64_t> list = index.list;
  for (std::size_t n = 0; list.size() < static_cast<std::size_t>(extents.at(index.terms[0].var)); n++)
    list.push_back(index.list[n]);
  list.resize(static_cast<std::size_t>(extents.at(index.terms[0].var)));
  return list;
}

std::string sum_text(const Index& index) {
  std::string sum;
  for (const auto& [var, factor] : index.terms) {
    std::int64_t times = factor < 0 ? -factor : factor;
    sum += factor < 0 ? "-" : sum.empty() ? "" : "+";
    sum += times == 1 ? std::string(1, var) : fmt::format("{}*{}", times, var);
  }
  if (!index.gathered.empty()) sum = fmt::format("{}({})", index.gathered, sum);
  if (sum.empty()) return std::to_string(index.offset);
  return index.offset == 0 ? sum : fmt::format("{}{:+}", sum, index.offset);
}

}  // namespace

Indices plain_indices(const std::string& vars) {
  Indices indices;
  for (char var : vars) indices.push_back({{{var, 1}}});
  return indices;
}

std::string vars_of(const Indices& indices) {
  std::string vars;
  for (const Index& index : indices) {
    for (const Index::Term& term : index.terms) {
      if (vars.find(term.var) == std::string::npos) vars += term.var;
    }
  }
  return vars;
}

bool are_plain(const Indices& indices) {
  bool variables = std::all_of(indices.begin(), indices.end(), [](const Index& index) { return index.is_variable(); });
  return variables && vars_of(indices).size() == indices.size();
}

Reach reach(const Index& index, const VarExtents& extents) {
  Reach reach{index.offset, index.offset};
  for (const auto& [var, factor] : index.terms) {
    if (extents.at(var) == 0) return {0, -1};
    if (!index.gathered.empty()) reach.last += index.range - 1;
    if (index.gathered.empty()) (factor < 0 ? reach.first : reach.last) += factor * (extents.at(var) - 1);
  }
  if (index.modulus != 0) return {0, index.modulus - 1};
  if (index.list.empty()) return reach;
  std::vector<std::int64_t> list = listed(index, extents);
  return {*std::min_element(list.begin(), list.end()), *std::max_element(list.begin(), list.end())};
}

bool are_surely_injective(const Indices& indices) {
  std::set<char> told;
  for (const Index& index : indices) {
    std::set<std::int64_t> different(index.list.begin(), index.list.end());
    if (index.selects()) continue;
    if (index.terms.size() == 1 && different.size() == index.list.size()) told.insert(index.terms[0].var);
    // 6*i+j: no extent is larger than that.
    if (index.terms.size() != 2) continue;
    std::int64_t a = std::abs(index.terms[0].factor), b = std::abs(index.terms[1].factor);
    if (std::min(a, b) == 1 && std::max(a, b) >= largest_extent) told.insert({index.terms[0].var, index.terms[1].var});
  }
  return told.size() == vars_of(indices).size();
}

std::string to_text(const Index& index, const VarExtents& extents) {
  if (index.modulus != 0) return fmt::format("{} mod {}", sum_text(index), index.modulus);
  if (!index.window && index.list.empty()) return sum_text(index);
  auto [var, stride] = index.terms[0];
  std::int64_t extent = extents.at(var);
  // A list that is empty cannot be written, but a window can.
  if (!index.list.empty() && extent > 0) return fmt::format("{}({{{}}})", var, fmt::join(listed(index, extents), ","));
  std::int64_t end = index.offset + stride * extent;
  return stride == 1 ? fmt::format("{}({},{})", var, index.offset, end)
                     : fmt::format("{}({},{},{})", var, index.offset, end, stride);
}

}  // namespace filigree::fuzz
