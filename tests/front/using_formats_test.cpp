// A program that takes all names of the library and of its formats at once.
#include <gtest/gtest.h>

#include "include/filigree.h"

using namespace filigree;
using namespace filigree::formats;

namespace {

TEST(UsingNamespaces, LeavesNoFormatAmbiguous) {
  Tensor<double> L({2, 2}, lower), U({2, 2}, upper), D({2, 2}, dense), S({2, 2}, sparse), H({2, 2}, hash),
      B({2, 2}, bitmap), A(csr);
  IndexVar i, j;
  L.insert({1, 0}, 3);
  U(i, j) = L(j, i);
  A(i, j) = U(i, j) + D(i, j) + S(i, j) + H(i, j) + B(i, j);
  EXPECT_EQ(A.at(0, 1), 3);
  for (const Word& word : {symmetric, skew, hermitian, csc, dcsr, dcsc, csf, coo, coo_aos, dia, ell, dok})
    EXPECT_EQ(word(2).order(), 2);
  EXPECT_EQ((Format{dense, compressed}), csr(2));
}

}  // namespace
