#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

struct Kernel {
  std::string name, text;
  concrete::Formats formats;
};

const std::vector<Kernel> kernels = {
    {"SpMV", "a(i) = B(i,j)*c(j)", {{"B", "csr"}}},
    {"SpMV2", "a(i) = B(i,j)*C(j,k)*d(k)", {{"B", "csr"}, {"C", "csr"}}},
    {"SpGEMM", "A(i,j) = B(i,k)*C(j,k)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"SpGEMM2", "A(i,j) = B(i,k)*C(k,l)*D(j,l)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}}},
    {"SpGEMMH", "A(i,j) = B(i,k)*C(j,k)*D(j,k)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}}},
};

TEST(Figure6, Probe) {
  for (const Kernel& kernel : kernels) {
    for (bool simple : {false, true}) {
      for (bool annihilate : {false, true}) {
        FrontierOptions options;
        options.only_simple = simple;
        options.costs.wheres_annihilate = annihilate;
        auto start = std::chrono::steady_clock::now();
        Frontier f = frontier(kernel.text, kernel.formats, options);
        std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        fmt::print("{} simple={} annihilate={}: {} statements, {} candidates, {} nondominated in {} classes; {} ms, {} us each\n",
                   kernel.name, simple, annihilate, f.statements, f.candidates, f.size(), f.classes.size(),
                   taken.count(), 1000 * taken.count() / f.candidates);
      }
    }
  }
}

}  // namespace
}  // namespace filigree::autoschedule
