// Files of NumPy and SciPy.  tests/io/scipy_files.py goes through all of them where these are installed; here are two
// that they wrote, what they would not write, and damaged ones.
#include <gtest/gtest.h>

#include <random>

#include "io/npy.h"
#include "io/zip.h"
#include "tests/io/text_files.h"

namespace filigree {
namespace {

using testing_support::listed;

std::string bytes_of(std::string_view digits) {
  auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t n = 0; n + 1 < digits.size(); n += 2)
    bytes += static_cast<char>(value(digits[n]) * 16 + value(digits[n + 1]));
  return bytes;
}

/// scipy.sparse.save_npz of csr_matrix([[0, 1.5, 0], [2, 0, -3]])
const std::string csr_of_scipy = bytes_of(
    "504b03042d000000080000002100f3a0b2feffffffffffffffff0b001400696e64696365732e6e7079010010008c000000000000004a000000"
    "000000009bec17ea1b10c9c850c650ad9e925a9c5ca46e"
    "a5a06e9369a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e46060860026200504b"
    "03042d000000080000002100678b0111ffffffffffffff"
    "ff0a001400696e647074722e6e7079010010008c000000000000004c000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e"
    "9369a2aea3a09e965f54529498179f5f94920a12774bcc"
    "294e058a17672416a402f91ac63a9a3a0ab50a14002e062060046266200600504b03042d000000080000002100a3c37497ffffffffffffffff"
    "0a001400666f726d61742e6e7079010010008300000000"
    "00000045000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e136cacaea3a09e965f54529498179f5f94920a12774bcc29"
    "4e058a17672416a402f91a9a3a0ab50a1401aee4e22200"
    "504b03042d00000008000000210060487e0cffffffffffffffff0900140073686170652e6e70790100100090000000000000004a0000000000"
    "00009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a0"
    "6e9369a1aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e2606086086d200504b0304"
    "2d00000008000000210006ecf4beffffffffffffffff08"
    "001400646174612e6e707901001000980000000000000050000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1ae"
    "a3a09e965f54529498179f5f94920a12774bcc294e058a"
    "17672416a402f91ac63a9a3a0ab50a14002e0630f8610fa1191c2014c70100504b01022d032d000000080000002100f3a0b2fe4a0000008c00"
    "00000b0000000000000000000000800100000000696e64"
    "696365732e6e7079504b01022d032d000000080000002100678b01114c0000008c0000000a0000000000000000000000800187000000696e64"
    "7074722e6e7079504b01022d032d000000080000002100"
    "a3c3749745000000830000000a000000000000000000000080010f010000666f726d61742e6e7079504b01022d032d00000008000000210060"
    "487e0c4a00000090000000090000000000000000000000"
    "80019001000073686170652e6e7079504b01022d032d00000008000000210006ecf4be50000000980000000800000000000000000000008001"
    "15020000646174612e6e7079504b050600000000050005"
    "00160100009f0200000000");

/// numpy.save of [[1, 2, 3], [4, 5, 6]] by columns, as 16-bit integers with the high byte first
const std::string array_of_numpy = bytes_of(
    "934e554d5059010076007b276465736372273a20273e6932272c2027666f727472616e5f6f72646572273a20547275652c2027736861706527"
    "3a2028322c2033292c207d202020202020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020200a000100040002000500"
    "030006");

class NumpyFiles : public testing_support::FileTest {
 protected:
  /// An archive of arrays: name and bytes.
  std::string archive(const std::vector<std::pair<std::string, std::string>>& members) const {
    io::OutputFile file(path("made.npz"));
    io::ZipWriter zip(file);
    for (const auto& [name, bytes] : members) zip.add(name + ".npy", {bytes});
    zip.finish();
    file.commit();
    return text_of("made.npz");
  }
  template <class T>
  static std::string array(ElementType type, const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
    return io::npy_header(type, shape) +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  static std::string numbers(const std::vector<std::int32_t>& values) { return array(ElementType::Int32, values); }
  static std::string reals(const std::vector<double>& values, std::vector<std::int64_t> shape = {}) {
    return array(ElementType::Float64, values, std::move(shape));
  }
  static std::string word(const std::string& text) { return io::npy_text_header(text.size()) + text; }
};

TEST_F(NumpyFiles, ReadsWhatScipyWrote) {
  Contents contents = read_contents(make("a.npz", csr_of_scipy));
  EXPECT_EQ(contents.dimensions(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(to_string(contents.usual_format()), "csr");
  ASSERT_NE(contents.storage(), nullptr) << "sorted rows are used as they are";
  EXPECT_EQ(listed(contents.coordinates()), "(0,1)=1.5 (1,0)=2 (1,2)=-3");
  EXPECT_EQ(to_string(contents.pack(parse_format("csc", 2), "A").format()), "csc");
  const void* values = contents.storage()->values().data();
  AnyTensor taken = std::move(contents).pack(parse_format("csr", 2), "A");
  EXPECT_EQ(taken.values().data(), values) << "nothing is copied";
}

TEST_F(NumpyFiles, ReadsWhatNumpyWrote) {
  make("a.npy", array_of_numpy);
  Coordinates entries = read_file(path("a.npy"));
  EXPECT_TRUE(entries.is_dense);
  EXPECT_EQ(entries.values.type(), ElementType::Int16);
  EXPECT_EQ(listed(entries), "(0,0)=1 (0,1)=2 (0,2)=3 (1,0)=4 (1,1)=5 (1,2)=6");
  EXPECT_EQ(read_file(path("a.npy"), {.type = ElementType::Float32}).values.type(), ElementType::Float32);
  EXPECT_EQ(error_of_path("a.npy", {.order = 3}),
            "error: a.npy: The file holds a tensor with 2 dimensions (2 x 3), but 3 dimensions are expected\n");
  EXPECT_EQ(error_of_path("a.npy", {.type = ElementType::Bool}),
            "error: a.npy: The value 4 does not fit in bool\nhint: read them as another type\n");
  EXPECT_EQ(error_of_path("a.npy", {.base = 1}),
            "error: Coordinates of 'a.npy' count from 0, as in every .npy and .npz file\n");
  make("b.npy", reals({1, 0, 3}, {3, 1}));
  EXPECT_EQ(listed(read_file(path("b.npy"), {.order = 1})), "(0)=1 (1)=0 (2)=3");
  AnyTensor sparse = read_contents(path("b.npy")).pack(Format::sparse(2), "b");
  EXPECT_EQ(sparse.stored(), 2) << "zeros of an array are no entries";
}

TEST_F(NumpyFiles, ReadsBackExactly) {
  for (const char* format : {"csr", "csc", "coo", "coo(nonunique)", "dcsr", "dia", "bcsr(2,2)", "bcsr(2,3)",
                             "bcsr(1,3)", "ell", "hash", "dense", "dd:1,0", "csr(unordered)", "lower", "bitmap"}) {
    Coordinates entries{{4, 6}, {{3, 0, 2, 1, 3}, {1, 0, 2, 0, 3}}, Array(ElementType::Float64, 5)};
    for (int n = 0; n < 5; n++) entries.values.set(n, Scalar::of(ElementType::Float64, n + 0.5));
    AnyTensor tensor = AnyTensor::pack(entries, parse_format(format, 2));
    for (const char* name : {"t.npz", "t.npy"}) {
      SCOPED_TRACE(std::string(format) + name);
      write_file(path(name), tensor);
      AnyTensor back = read_contents(path(name)).pack(Format::sparse(2), "t");
      EXPECT_EQ(listed(back.coordinates()), listed(AnyTensor::pack(entries, Format::sparse(2)).coordinates()));
    }
    Contents contents = read_contents(path("t.npz"));
    std::string name = to_string(tensor.format());
    bool is_of_scipy = name == "csr" || name == "csc" || name == "dia" || name.starts_with("bcsr");
    EXPECT_EQ(to_string(contents.usual_format()) == name, is_of_scipy) << name;
  }
  AnyTensor filled = AnyTensor::pack({{2, 2}, {{1}, {0}}, Array(ElementType::Int64, 1)}, Format::sparse(2));
  filled.set_fill(Scalar::of(ElementType::Int64, std::int64_t{7}));
  write_file(path("f.npz"), filled);
  EXPECT_EQ(to_string(*read_contents(path("f.npz")).fill()), "7");
}

TEST_F(NumpyFiles, RefusesWhatIsNoMatrix) {
  using List = std::vector<std::pair<std::string, std::string>>;
  std::string shape = array<std::int64_t>(ElementType::Int64, {2, 3}), data = reals({1, 2, 3});
  auto problem = [&](const List& members) { return error("a.npz", archive(members)); };
  List csr = {{"format", word("csr")},
              {"shape", shape},
              {"data", data},
              {"indices", numbers({0, 1, 2})},
              {"indptr", numbers({0, 1, 3})}};
  EXPECT_EQ(problem(csr), "read");
  auto with = [&](const std::string& name, const std::string& bytes) {
    List changed = csr;
    for (auto& [known, value] : changed)
      if (known == name) value = bytes;
    return problem(changed);
  };
  EXPECT_EQ(with("indices", numbers({0, 1, 3})),
            "error: a.npz: Element 2 of 'indices' is 3, outside of 0..2\nnote: elements count from 0\n");
  EXPECT_EQ(with("indices", numbers({0, 1})), "error: a.npz: 'indices' has 2 elements, but 'data' has 3\n");
  EXPECT_EQ(with("indptr", numbers({0, 3})),
            "error: a.npz: The array 'indptr' has 2 elements, but the matrix needs 3\n");
  EXPECT_EQ(with("indptr", numbers({0, 3, 2})).substr(0, 66),
            "error: a.npz: Element 2 of 'indptr' is 2, which is not where a row");
  EXPECT_EQ(with("indptr", numbers({0, 1, 4})).substr(0, 66),
            "error: a.npz: Element 2 of 'indptr' is 4, which is not where a row");
  EXPECT_EQ(with("shape", numbers({2, -3})), "error: a.npz: A size in 'shape' is negative or too large\n");
  EXPECT_EQ(with("format", word("lil")),
            "error: a.npz: The format is 'lil'\nhint: known are csr, csc, coo, bsr and dia\n");
  EXPECT_EQ(with("data", reals({1, 2, 3}, {3, 1})), "error: a.npz: The array 'data' has 2 dimensions instead of 1\n");
  EXPECT_EQ(with("indices", reals({0, 1, 2})), "error: a.npz: The array 'indices' is not a list of integers\n");
  EXPECT_EQ(problem({{"format", word("csr")}, {"shape", shape}}),
            "error: a.npz: The array 'indptr' is missing\nhint: scipy.sparse.save_npz writes such files\n");
  EXPECT_EQ(problem({{"x", data}, {"y", data}}),
            "error: a.npz: The archive is not one tensor: it holds 'x.npy', 'y.npy'\nhint: scipy.sparse.save_npz "
            "writes sparse matrices, numpy.save one array\n");
  EXPECT_EQ(problem({{"x", data}}), "read");
  EXPECT_EQ(problem({{"format", word("dia")},
                     {"shape", shape},
                     {"data", reals({1, 2, 3, 4}, {2, 2})},
                     {"offsets", numbers({1, 1})}}),
            "error: a.npz: The diagonal 1 is there twice\n");
  EXPECT_EQ(problem({{"format", word("bsr")},
                     {"shape", shape},
                     {"data", reals({1, 2, 3, 4}, {1, 2, 2})},
                     {"indices", numbers({0})},
                     {"indptr", numbers({0, 1})}}),
            "error: a.npz: Blocks of 2 x 2 do not divide a matrix of 2 x 3\n");
}

TEST_F(NumpyFiles, RefusesFillsThatDoNotFit) {
  std::string shape = array<std::int64_t>(ElementType::Int64, {2, 3}),
              coords = array<std::int32_t>(ElementType::Int32, {0, 1, 2, 0}, {2, 2});
  auto with = [&](const std::string& data, const std::string& fill) {
    return archive({{"coords", coords}, {"data", data}, {"shape", shape}, {"fill_value", fill}});
  };
  EXPECT_EQ(error("a.npz", with(numbers({1, 2}), reals({0.5}))), "error: a.npz: The fill 0.5 does not fit in int32\n");
  EXPECT_EQ(error("a.npz", with(numbers({1, 2}), reals({3}))),
            "error: a.npz: What the file does not list is 3, which a list of its entries does not tell\nhint: read it "
            "with read_contents, which keeps the fill\n");
  make("b.npz", with(reals({1, 2}), reals({300})));
  EXPECT_EQ(to_string(*read_contents(path("b.npz"), {.type = ElementType::Int16}).fill()), "300");
  EXPECT_EQ(error_of_path("b.npz", {.type = ElementType::Int8}), "error: b.npz: The fill 300 does not fit in int8\n");
}

/// An array by columns has to be taken apart, and its places cannot be counted.
TEST_F(NumpyFiles, ReadsOrRefusesEmptyArraysWithHugeDimensions) {
  const std::int64_t huge = 100'000'000'000'000'000;
  make("a.npy", io::npy_header(ElementType::Float64, {0, huge, huge}, false));
  EXPECT_EQ(read_file(path("a.npy")).dimensions, (std::vector<std::int64_t>{0, huge, huge}));
  make("a.npy", io::npy_header(ElementType::Float64, {0, huge, huge}, true));
  EXPECT_THROW(read_file(path("a.npy")), UserError);
}

TEST_F(NumpyFiles, ReadsArchivesWithManyMembers) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int n = 0; n < 2000; n++) members.emplace_back("member" + std::to_string(n), "");
  std::string bytes = archive(members);
  io::ZipReader zip(bytes, "a.npz");
  EXPECT_EQ(zip.names().size(), members.size());
  EXPECT_EQ(zip.names()[1999], "member1999.npy");
  EXPECT_TRUE(zip.has("member7.npy"));
  EXPECT_FALSE(zip.has("member7"));
}

TEST_F(NumpyFiles, RefusesWhatIsNoArray) {
  auto with_header = [](const std::string& text, const std::string& data) {
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(text.size()) + '\0' + text + data;
  };
  EXPECT_EQ(error("a.npy", "PK"),
            "error: a.npy: The file is not a NumPy array: it does not begin with \\x93NUMPY\nhint: write the file "
            "again with numpy.save\n");
  EXPECT_EQ(error("a.npy", reals({1, 2}).substr(0, 130)),
            "error: a.npy: The file has 2 bytes of data, but an array of 2 needs 16\nhint: write the file again with "
            "numpy.save\n");
  EXPECT_EQ(error("a.npy", with_header("{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "12")),
            "error: a.npy: The array holds 16-bit floating point numbers, which is no element type here\n"
            "hint: convert it in Python with astype, for example to numpy.float64\n");
  EXPECT_EQ(error("a.npy", with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"))
                .substr(0, 60),
            "error: a.npy: The array holds records of several fields, whi");
  EXPECT_EQ(error("a.npy", with_header("{'descr': '<f4', 'shape': (1,), }", "1234")).substr(0, 86),
            "error: a.npy: The header is damaged: it needs 'descr', 'fortran_order' and 'shape'\nhin");
  EXPECT_EQ(error("a.npy",
                  with_header(
                      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387, 4611686018427387), }", ""))
                .substr(0, 74),
            "error: a.npy: The file has more elements than 64 bits can count\nhint: writ");
  EXPECT_EQ(error("a.npz", "1 2 3\n"),
            "error: a.npz: The file is not an archive, as .npz files are\nhint: check the file's extension\n");
}

TEST_F(NumpyFiles, RefusesDamagedArchives) {
  std::string good = csr_of_scipy, cut = good.substr(0, good.size() - 30), swapped = good;
  EXPECT_EQ(error("a.npz", cut),
            "error: a.npz: The archive is damaged: the directory at its end is missing\nhint: fetch or write the file "
            "again\n");
  size_t at = good.find("PK\x01\x02") + 16;  // the first member's checksum
  swapped[at] = static_cast<char>(swapped[at] + 1);
  EXPECT_EQ(error("a.npz", swapped),
            "error: a.npz: The archive is damaged: the checksum of 'indices.npy' is wrong\nhint: fetch or write the "
            "file again\n");
}

/// Whatever bytes are in a file, reading ends in a tensor or in a message.
TEST_F(NumpyFiles, DamageEndsInAMessage) {
  const char* campaign = std::getenv("FILIGREE_FUZZ_ROUNDS");
  int rounds = campaign ? std::atoi(campaign) : 400;
  std::mt19937_64 random(campaign ? std::random_device{}() : 3);
  std::vector<std::string> files = {csr_of_scipy, array_of_numpy};
  std::vector<std::vector<std::pair<std::string, std::string>>> archives;
  std::string shape = array<std::int64_t>(ElementType::Int64, {4, 6});
  archives.push_back({{"format", word("csr")},
                      {"shape", shape},
                      {"data", reals({1, 2, 3})},
                      {"indices", numbers({0, 1, 2})},
                      {"indptr", numbers({0, 1, 3, 3, 3})}});
  archives.push_back({{"format", word("coo")},
                      {"shape", shape},
                      {"data", reals({1, 2, 3})},
                      {"row", numbers({0, 1, 2})},
                      {"col", numbers({5, 1, 3})}});
  archives.push_back({{"format", word("dia")},
                      {"shape", shape},
                      {"data", reals({1, 2, 3, 4, 5, 6}, {2, 3})},
                      {"offsets", numbers({1, -2})}});
  archives.push_back({{"format", word("bsr")},
                      {"shape", shape},
                      {"data", reals({1, 2, 3, 4, 5, 6}, {1, 2, 3})},
                      {"indices", numbers({1})},
                      {"indptr", numbers({0, 1, 1})}});
  archives.push_back({{"format", word("coo")},
                      {"shape", shape},
                      {"data", reals({1, 2, 3})},
                      {"coords", array<std::int32_t>(ElementType::Int32, {0, 1, 2, 3, 4, 5}, {2, 3})}});
  auto damage = [&](std::string& bytes) {
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0 && !bytes.empty(); changes--) {
      size_t at = random() % bytes.size();
      switch (random() % 6) {
        case 0: bytes.resize(at); break;
        case 1: bytes.erase(at, 1 + random() % 9); break;
        case 2: bytes.insert(at, 1 + random() % 9, static_cast<char>(random())); break;
        case 3: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        case 4: bytes[at] = random() % 2 ? '\xff' : '\x7f'; break;
        default: bytes[at] = static_cast<char>(random()); break;
      }
    }
  };
  int read = 0, refused = 0;
  for (int round = 0; round < rounds; round++) {
    std::string bytes;
    bool is_array = false;
    if (random() % 3 == 0) {
      is_array = random() % 2;
      bytes = files[is_array];
      damage(bytes);
    } else {
      auto members = archives[random() % archives.size()];
      damage(members[random() % members.size()].second);
      bytes = archive(members);
      if (random() % 8 == 0) damage(bytes);
    }
    std::string name = is_array ? "f.npy" : "f.npz";
    make(name, bytes);
    try {
      Contents contents = read_contents(path(name));
      double components = 1;
      for (std::int64_t extent : contents.dimensions()) components *= static_cast<double>(extent);
      if (components < 1e5) contents.pack(Format::sparse(contents.order()), "f").validate();
      read++;
    } catch (const UserError&) {
      refused++;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, rounds / 4);
}

}  // namespace
}  // namespace filigree
