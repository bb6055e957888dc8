// Texts in blocks: wherever a line is cut, the entries and the errors are the same.
#include <zlib.h>

#include "io/edge_list.h"
#include "io/entries.h"
#include "io/matrix_market.h"
#include "io/tns.h"
#include "tests/io/text_files.h"

namespace filigree::io {
namespace {

using testing_support::FileTest;
using testing_support::listed;

/// Gives a few bytes at a time.
class SlowStream : public ByteStream {
 public:
  SlowStream(std::string text, size_t step) : text_(std::move(text)), step_(step) {}
  size_t read(char* to, size_t room) override {
    size_t count = std::min({room, step_, text_.size() - at_});
    std::copy_n(text_.data() + at_, count, to);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  size_t step_, at_ = 0;
};

enum class Kind { MatrixMarket, Tns, Edges };

/// Entries, or the message of the error.
std::string read_in_blocks(Kind kind, const std::string& text, size_t block, int threads, ReadOptions options = {}) {
  size_t known = std::min<size_t>(block, text.size());
  TextFile file(Input{"file", text.substr(0, known), std::make_unique<SlowStream>(text.substr(known), block)}, block);
  options.threads = threads;
  try {
    Contents contents = kind == Kind::MatrixMarket ? read_matrix_market(file, options)
                        : kind == Kind::Tns        ? read_tns(file, options)
                                                   : read_edge_list(file, options, true);
    return listed(contents.coordinates());
  } catch (const UserError& error) {
    return error.text();
  }
}

void check_all_cuts(Kind kind, const std::string& text, const std::string& expected) {
  for (int threads : {1, 3}) {
    for (size_t block = 1; block <= text.size() + 1; block++)
      ASSERT_EQ(read_in_blocks(kind, text, block, threads), expected) << "blocks of " << block;
  }
}

TEST(Blocks, OfAMatrixCanEndAnywhere) {
  std::string banner = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n  3 400 5\n";
  std::string entries = "(0,0)=1.5 (1,399)=-2 (2,1)=0.125 (2,2)=1e-07 (0,1)=30";
  check_all_cuts(Kind::MatrixMarket, banner + "1 1 1.5\n2 400 -2\n3 2 0.125\n3 3 1e-7\n1 2 30\n", entries);
  check_all_cuts(Kind::MatrixMarket, banner + "1 1 1.5\r\n\r\n 2\t400  -2\n%\n3 2 .125\n3 3 1D-7\n\n% last\n1 2 +30",
                 entries);
  check_all_cuts(Kind::MatrixMarket, "%%MatrixMarket matrix coordinate pattern symmetric\r3 3 2\r2 1\r3 3\r",
                 "(1,0)=1 (2,2)=1 (0,1)=1");
  check_all_cuts(Kind::MatrixMarket, "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 1 -1e0 0.5\n",
                 "(0,0)=1+i2 (1,0)=-1+i0.5");
}

TEST(Blocks, TellTheLineOfAMistake) {
  std::string head = "%%MatrixMarket matrix coordinate real general\n4 4 3\n";
  check_all_cuts(Kind::MatrixMarket, head + "1 1 1\n% x\n1 9 1\n\n1 1 x\n",
                 "error: file:5: The coordinate 9 of dimension 2 is outside of 1..4\nhint: correct the coordinate or "
                 "the sizes of the tensor\n");
  check_all_cuts(Kind::MatrixMarket, head + "1 1 1\n2 2 1\n\n3 3 1\n%\n4 4 1\n",
                 "error: file:8: Expected 3 entries, but here is one more\nnote: the file has 4\nhint: correct the "
                 "count in the file's header or remove what is too much\n");
  check_all_cuts(Kind::MatrixMarket, head + "1 1 1\n2 x 1\n",
                 "error: file:4: Expected 3 entries, but the file ends after 2\nhint: the file may be cut short; "
                 "otherwise correct the count in its header\n");
  check_all_cuts(Kind::MatrixMarket,
                 "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 1\n\n% y\n3 3 5\n3 1 2\n",
                 "error: file:6: The diagonal of a skew-symmetric matrix must be 0\nhint: correct the value, or write "
                 "'general' in the banner and give all entries\n");
  check_all_cuts(Kind::Edges, "0,1\n# c\n2,3\n4,,5\n6,x\n",
                 "error: file:4: A field is empty\nhint: each line has two vertices and perhaps a weight\n");
  check_all_cuts(
      Kind::Edges, "0,1\n2,x\n4,,5\n",
      "error: file:2: Expected a coordinate (a whole number from 0), found 'x'\nhint: each line has 2 coordinates\n");
}

TEST(Blocks, OfTensorsAndEdgesCanEndAnywhere) {
  check_all_cuts(Kind::Tns, "# c\n1 2 3 4.5\n\n10 1 1 -1\n# d\n2 2 2 7", "(0,1,2)=4.5 (9,0,0)=-1 (1,1,1)=7");
  check_all_cuts(Kind::Edges, "a,b,w\n0,1,2.5\n# c, d\n3 , 0 , 1\n1\t1\t4\n", "(0,1)=2.5 (3,0)=1 (1,1)=4");
}

TEST(Blocks, BecomeWideWhereACoordinateIs) {
  check_all_cuts(Kind::Tns, "1 1 1\n2147483648 2 2\n2147483649 3 3\n1 99999999999 4\n2 2 5\n",
                 "(0,0)=1 (2147483647,1)=2 (2147483648,2)=3 (0,99999999998)=4 (1,1)=5");
}

class BlockFiles : public FileTest {};

TEST_F(BlockFiles, AreTheSamePackedAndWithManyThreads) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 200000\n";
  for (int n = 0; n < 200000; n++) {
    text += std::to_string(n * 7 % 1000 + 1) + " " + std::to_string(n / 200 % 1000 + 1) + " " + std::to_string(n) +
            ".25\n";
    if (n % 1000 == 0) text += "% " + std::to_string(n) + "\n\n";
  }
  std::string expected = listed(read("a.mtx", text, {.threads = 1}));
  gzFile packed = gzopen(path("a.mtx.gz").c_str(), "wb");
  gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  for (int threads : {1, 2, 5}) {
    EXPECT_TRUE(listed(read_file(path("a.mtx"), {.threads = threads})) == expected) << threads;
    EXPECT_TRUE(listed(read_file(path("a.mtx.gz"), {.threads = threads})) == expected) << threads;
  }
  size_t at = text.rfind("150000.25");
  text[at] = 'x';
  long line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  for (int threads : {1, 5})
    EXPECT_EQ(error("b.mtx", text, {.threads = threads}),
              "error: b.mtx:" + std::to_string(line) +
                  ": Expected a number, found 'x50000.25'\nhint: numbers look like 2, -1.5, 1e-3, nan or inf\n");
}

}  // namespace
}  // namespace filigree::io
