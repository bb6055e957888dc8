// The layouts of examples/layouts, with data for those whose arrays do not follow from coordinates.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "layouts/data.h"
#include "tensor/coordinates.h"

namespace filigree::layouts {

inline std::vector<std::string> example_paths() {
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(FILIGREE_SOURCE_DIR) / "examples" / "layouts")) {
    if (entry.path().extension() == ".layout") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}
inline Layout example(const std::string& name) {
  return read_layout(std::filesystem::path(FILIGREE_SOURCE_DIR) / "examples" / "layouts" / (name + ".layout"));
}

inline Array indices(const std::vector<std::int64_t>& values) {
  Array array(ElementType::Int64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) array.set_index(static_cast<std::int64_t>(n), values[n]);
  return array;
}
inline Array reals(const std::vector<double>& values) {
  Array array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), array.as<double>().begin());
  return array;
}

using Row = std::vector<std::pair<std::int64_t, double>>;
using Rows = std::vector<Row>;
inline Rows rows_of(const Coordinates& entries) {
  Rows rows(static_cast<size_t>(entries.dimensions[0]));
  for (std::int64_t n = 0; n < entries.count(); n++) {
    size_t at = static_cast<size_t>(n);
    rows[static_cast<size_t>(entries.coordinate[0][at])].push_back(
        {entries.coordinate[1][at], entries.values.as<double>()[at]});
  }
  for (Row& row : rows) std::sort(row.begin(), row.end());
  return rows;
}

/// Slices of 4 rows, in this order; -1 where no row is.
inline void add_slices(const Rows& rows, const std::vector<std::int64_t>& order, Data& data) {
  std::vector<std::int64_t> width, start, col;
  std::vector<double> vals;
  for (size_t first = 0; first < order.size(); first += 4) {
    std::int64_t most = 0;
    auto row = [&](size_t r) {
      return first + r < order.size() && order[first + r] >= 0 ? rows[static_cast<size_t>(order[first + r])] : Row();
    };
    for (size_t r = 0; r < 4; r++) most = std::max(most, static_cast<std::int64_t>(row(r).size()));
    width.push_back(most);
    start.push_back(static_cast<std::int64_t>(col.size()));
    for (std::int64_t k = 0; k < most; k++) {
      for (size_t r = 0; r < 4; r++) {
        bool there = k < static_cast<std::int64_t>(row(r).size());
        col.push_back(there ? row(r)[static_cast<size_t>(k)].first : -1);
        vals.push_back(there ? row(r)[static_cast<size_t>(k)].second : 0);
      }
    }
  }
  data.arrays = {{"width", indices(width)}, {"start", indices(start)}, {"col", indices(col)}, {"vals", reals(vals)}};
}

/// Rows with more entries first.
inline std::vector<std::int64_t> by_length(const Rows& rows) {
  std::vector<std::int64_t> order;
  for (size_t n = 0; n < rows.size(); n++) order.push_back(static_cast<std::int64_t>(n));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return rows[static_cast<size_t>(a)].size() > rows[static_cast<size_t>(b)].size();
  });
  return order;
}

inline void add_jagged(const Rows& rows, Data& data) {
  std::vector<std::int64_t> perm = by_length(rows), start = {0}, col;
  std::vector<double> vals;
  for (size_t d = 0; !rows.empty() && d < rows[static_cast<size_t>(perm[0])].size(); d++) {
    for (std::int64_t r : perm) {
      const Row& row = rows[static_cast<size_t>(r)];
      if (d >= row.size()) break;
      col.push_back(row[d].first), vals.push_back(row[d].second);
    }
    start.push_back(static_cast<std::int64_t>(col.size()));
  }
  data.arrays = {{"perm", indices(perm)}, {"start", indices(start)}, {"col", indices(col)}, {"vals", reals(vals)}};
}

/// Two entries of each row side by side, the rest apart.
inline void add_hybrid(const Rows& rows, Data& data) {
  constexpr size_t width = 2;
  std::vector<std::int64_t> ecol, row, col;
  std::vector<double> evals, vals;
  for (size_t i = 0; i < rows.size(); i++) {
    for (size_t k = 0; k < width; k++) {
      ecol.push_back(k < rows[i].size() ? rows[i][k].first : -1);
      evals.push_back(k < rows[i].size() ? rows[i][k].second : 0);
    }
    for (size_t k = width; k < rows[i].size(); k++)
      row.push_back(static_cast<std::int64_t>(i)), col.push_back(rows[i][k].first), vals.push_back(rows[i][k].second);
  }
  data.arrays = {{"ecol", indices(ecol)},
                 {"evals", reals(evals)},
                 {"row", indices(row)},
                 {"col", indices(col)},
                 {"vals", reals(vals)}};
}

inline void add_permuted(const Rows& rows, Data& data) {
  std::vector<std::int64_t> perm, pos = {0}, crd;
  std::vector<double> vals;
  for (size_t n = 0; n < rows.size(); n++) perm.push_back(static_cast<std::int64_t>(rows.size() - 1 - n));
  if (perm.size() > 2) std::swap(perm[0], perm[2]);
  for (std::int64_t i : perm) {
    for (auto [j, value] : rows[static_cast<size_t>(i)]) crd.push_back(j), vals.push_back(value);
    pos.push_back(static_cast<std::int64_t>(crd.size()));
  }
  data.arrays = {{"perm", indices(perm)}, {"pos", indices(pos)}, {"crd", indices(crd)}, {"vals", reals(vals)}};
}

/// Two of four columns: those that there are, and others with value 0.  Requires: no more than two entries in four.
inline void add_two_four(const Coordinates& entries, Data& data) {
  std::int64_t blocks = (entries.dimensions[1] + 3) / 4;
  Rows rows = rows_of(entries);
  std::vector<std::int64_t> offset;
  std::vector<double> vals;
  for (const Row& row : rows) {
    for (std::int64_t b = 0; b < blocks; b++) {
      std::map<std::int64_t, double> here;
      for (auto [j, value] : row) {
        if (j / 4 == b) here[j % 4] = value;
      }
      for (std::int64_t c = 0; here.size() < 2; c++) here.emplace(c, 0);
      for (auto [c, value] : here) offset.push_back(c), vals.push_back(value);
    }
  }
  data.arrays = {{"offset", indices(offset)}, {"vals", reals(vals)}};
}

/// Of the entries whose coordinates fall, as of all that have these coordinates in another order.
inline void add_symmetric3(const Coordinates& entries, Data& data) {
  std::vector<std::int64_t> x, y, z;
  std::vector<double> vals;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    size_t e = static_cast<size_t>(n);
    std::int64_t i = entries.coordinate[0][e], j = entries.coordinate[1][e], k = entries.coordinate[2][e];
    if (i < j || j < k) continue;
    x.push_back(i), y.push_back(j), z.push_back(k), vals.push_back(entries.values.as<double>()[e]);
  }
  data.arrays = {{"x", indices(x)}, {"y", indices(y)}, {"z", indices(z)}, {"vals", reals(vals)}};
}

/// Blocks of 4 x 4 x 4 with the entries of each, where in the block they are.
inline void add_blocks_of_lists(const Coordinates& entries, Data& data) {
  std::map<std::vector<std::int64_t>, std::vector<size_t>> blocks;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    size_t e = static_cast<size_t>(n);
    std::vector<std::int64_t> block;
    for (const auto& d : entries.coordinate) block.push_back(d[e] / 4);
    blocks[block].push_back(e);
  }
  std::vector<std::int64_t> pos = {0}, at[3], in[3];
  std::vector<double> vals;
  for (const auto& [block, members] : blocks) {
    for (size_t e : members) {
      for (size_t d = 0; d < 3; d++) in[d].push_back(entries.coordinate[d][e] % 4);
      vals.push_back(entries.values.as<double>()[e]);
    }
    for (size_t d = 0; d < 3; d++) at[d].push_back(block[d]);
    pos.push_back(static_cast<std::int64_t>(vals.size()));
  }
  data.arrays = {{"pos", indices(pos)},  {"bi", indices(at[0])}, {"bj", indices(at[1])}, {"bk", indices(at[2])},
                 {"ei", indices(in[0])}, {"ej", indices(in[1])}, {"ek", indices(in[2])}, {"vals", reals(vals)}};
}

}  // namespace filigree::layouts
