// Arrays of .npy and .npz files by their names.
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "io/arrays.h"
#include "io/files.h"
#include "io/npy.h"
#include "io/zip.h"
#include "support/diagnostic.h"

namespace filigree {
namespace {

class ReadArrays : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "filigree-arrays-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(ReadArrays, OfAnArchiveHaveNamesAndShapes) {
  Array table(ElementType::Int32, 6);
  for (std::int64_t n = 0; n < 6; n++) table.set_index(n, n);
  {
    io::OutputFile file(path("a.npz"), false);
    io::ZipWriter zip(file);
    zip.add("rows.npy", {io::npy_header(table.type(), {2, 3}), io::bytes_of(table)});
    zip.add("columns.npy", {io::npy_header(table.type(), {2, 3}, true), io::bytes_of(table)});
    zip.finish();
    file.commit();
  }
  EXPECT_EQ(array_names(path("a.npz")), (std::vector<std::string>{"rows", "columns"}));
  std::map<std::string, NamedArray> arrays = read_arrays(path("a.npz"));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("rows").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(arrays.at("rows").values.index_at(1), 1);
  EXPECT_EQ(arrays.at("columns").values.index_at(1), 2) << "the second of the first row";
}

TEST_F(ReadArrays, OfAFileThatIsOneArrayHasNoName) {
  AnyTensor vector = AnyTensor::pack(Coordinates{{3}, {{0, 2}}, Array(ElementType::Float64, 2)}, Format::dense(1));
  write_file(path("v.npy"), vector);
  EXPECT_EQ(read_arrays(path("v.npy")).at("").shape, std::vector<std::int64_t>{3});
  EXPECT_TRUE(array_names(path("v.npy")).empty());
  EXPECT_THROW(read_arrays(path("nothing.npz")), UserError);
}

}  // namespace
}  // namespace filigree
