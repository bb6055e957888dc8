#include "tests/differential/formats.h"

#include <algorithm>
#include <numeric>

namespace filigree::differential {
namespace {

std::vector<std::vector<int>> mode_orders(int order, bool all) {
  if (order == 3 && !all) return {{0, 1, 2}, {2, 0, 1}};
  if (order > 3) return {{0, 1, 2, 3}, {2, 0, 3, 1}};
  std::vector<int> dimensions(order);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::vector<std::vector<int>> orders;
  do orders.push_back(dimensions);
  while (std::next_permutation(dimensions.begin(), dimensions.end()));
  return orders;
}

std::vector<std::string> level_letters(int order) {
  if (order > 3) return {"dddd", "ssss", "dsss", "ddss", "sdds"};
  std::vector<std::string> all = {""};
  for (int level = 0; level < order; level++) {
    std::vector<std::string> longer;
    for (const std::string& letters : all) longer.insert(longer.end(), {letters + "d", letters + "s"});
    all = longer;
  }
  return all;
}

}  // namespace

std::vector<Format> formats_of(int order, bool all_mode_orders) {
  std::vector<Format> formats;
  for (const std::vector<int>& dimensions : mode_orders(order, all_mode_orders)) {
    for (const std::string& letters : level_letters(order)) {
      std::vector<Level> levels;
      for (int k = 0; k < order; k++)
        levels.push_back({dimensions[k], letters[k] == 'd' ? level::dense() : level::compressed()});
      formats.emplace_back(levels);
    }
  }
  return formats;
}

std::vector<Format> named_formats_of(int order, bool few) {
  std::vector<std::string> names;
  if (order == 1) names = {"dense", "sparse", "hash", "bitmap", "sparse(unordered)"};
  if (order == 2 && few)
    names = {"dense",   "csr",       "csc", "dcsr", "coo", "coo(unordered)",
             "coo_aos", "bcsr(2,3)", "dia", "ell",  "dok", "symmetric"};
  if (order == 2 && !few) {
    names = {"dense",
             "csr",
             "csc",
             "dcsr",
             "dcsc",
             "coo",
             "coo(unordered)",
             "coo(unordered,nonunique)",
             "coo_aos",
             "coo_aos(unordered)",
             "csr(unordered)",
             "csr(decreasing)",
             "bcsr(2,3)",
             "bcsr(4,4)",
             "csb(2,2)",
             "mode_generic(2,2)",
             "dia",
             "ell",
             "hash",
             "dok",
             "bitmap",
             "lower",
             "upper",
             "symmetric",
             "skew"};
  }
  if (order == 2 && !few) {  // what no name stands for
    for (const char* map :
         {"(i,j) -> (i/4: dense, j: compressed, i%4: dense)",
          "(i,j) -> (i/6: compressed, j: compressed, i/2%3: dense, i%2: compressed)",
          "(i,j) -> (i%2: dense, j: compressed, i/2: compressed)", "(i,j) -> (j-i: compressed, j: range, i: offset)",
          "(i,j) -> (i-j: compressed, i: compressed, j: offset)", "(i,j) -> (i: dense, j-i: compressed)",
          "(i,j) -> (i: compressed(nonunique), j-i: singleton)", "(i,j) -> (j-i: bitmap, i: compressed)",
          "(i,j) -> (#j: slots, j: dense, i: singleton(padded))",
          "(i,j) -> (i: dense, #i: slots, j: singleton(padded))", "(i,j) -> (i: hashed, j: compressed)",
          "(i,j) -> (i: bitmap, j: dense)", "(i,j) -> (j-i: hashed, i: range, j: offset)",
          "(i,j) -> (i: dense, j-i: hashed)", "(i,j) -> (i/2: hashed, j/2: hashed, i%2: bitmap, j%2: dense)",
          "(i,j) -> (i: dense, j: compressed(nonunique))", "(i,j) -> (i: dense, j: hashed(nonunique))",
          "symmetric(lower)", "symmetric(csc)", "symmetric(dia)",
          "symmetric(coo)", "symmetric(bcsr(2,2))"}) {
      names.push_back(map);
    }
  }
  if (order == 3) {
    names = {"dense",
             "coo",
             "coo(unordered)",
             "coo_aos",
             "coo_aos(unordered)",
             "sss",
             "sss:0,2,1",
             "sss:1,0,2",
             "sss:1,2,0",
             "sss:2,0,1",
             "sss:2,1,0",
             "dss",
             "dds",
             "sds",
             "bcsr(2,2,3)",
             "mode_generic(2,1,2)",
             "dok"};
    // Levels below a diagonal, whose last dimension has no loop of its own.
    for (const char* map : {"(i,j,k) -> (j-i: compressed, i: range, j: offset, k: dense)",
                            "(i,j,k) -> (j-i: compressed, i: range, j: offset, k: compressed)",
                            "(i,j,k) -> (j-i: compressed, i: range, j: offset, k: hashed)",
                            "(i,j,k) -> (j-i: compressed, j: range, i: offset, k: bitmap)",
                            "(i,j,k) -> (j-i: compressed, i: compressed, j: offset, k: compressed)",
                            "(i,j,k) -> (j-i: compressed, i: compressed, j: offset, k: singleton(padded))",
                            "(i,j,k) -> (k: compressed, j-i: compressed, i: range, j: offset)",
                            "(i,j,k) -> (k-i: bitmap, i: compressed, k: offset, j: compressed)",
                            "(i,j,k) -> (k-i: compressed, k: hashed, i: offset, j: dense)",
                            "(i,j,k) -> (j-i: compressed, i: range, j: offset, k/2: compressed, k%2: dense)"}) {
      names.push_back(map);
    }
  }
  if (order > 3) names = {"dense", "csf", "coo", "coo(unordered)", "coo_aos"};
  std::vector<Format> formats;
  if (order == 0) formats.emplace_back();
  for (const std::string& name : names) formats.push_back(parse_format(name, order));
  return formats;
}

}  // namespace filigree::differential
