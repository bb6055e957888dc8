#include "support/temporary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace filigree {
namespace {

namespace fs = std::filesystem;

class TemporaryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "filigree-temporary-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  size_t count() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }

  fs::path folder_;
};

TEST_F(TemporaryTest, IsGoneUnlessItIsRenamed) {
  {
    Temporary file(PathKind::File, folder_.string(), 0600), folder(PathKind::Folder, folder_.string(), 0700);
    ASSERT_TRUE(file.is_open() && folder.is_open());
    std::ofstream(folder.path() + "/inside") << "text";
    fs::create_directories(folder.path() + "/deep/deeper");
    EXPECT_EQ(count(), 2u);
  }
  EXPECT_EQ(count(), 0u);
  {
    Temporary file(PathKind::File, folder_.string(), 0600);
    EXPECT_EQ(write(file.descriptor(), "x", 1), 1);
    EXPECT_TRUE(file.rename_to((folder_ / "final").string()));
  }
  EXPECT_EQ(fs::file_size(folder_ / "final"), 1u);
  EXPECT_EQ(count(), 1u);
}

TEST_F(TemporaryTest, SaysWhyThereIsNone) {
  Temporary none(PathKind::File, (folder_ / "missing").string(), 0600);
  EXPECT_FALSE(none.is_open());
  EXPECT_EQ(none.error(), ENOENT);
}

TEST_F(TemporaryTest, ASignalHandlerRemovesThem) {
  Temporary file(PathKind::File, folder_.string(), 0600), folder(PathKind::Folder, folder_.string(), 0700);
  std::ofstream(folder.path() + "/inside") << "text";
  remove_unfinished();
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryTest, WhatDeadProcessesLeftIsRemovedAndNothingElse) {
  std::ofstream(folder_ / ".filigree-0123456789ab.part") << "half";
  std::ofstream(folder_ / ".filigree-mine.part") << "not ours";
  fs::create_directory(folder_ / ".filigree-0123456789cd.part");
  Temporary file(PathKind::File, folder_.string(), 0600);
  EXPECT_FALSE(fs::exists(folder_ / ".filigree-0123456789ab.part"));
  EXPECT_TRUE(fs::exists(folder_ / ".filigree-mine.part"));
  EXPECT_TRUE(fs::exists(folder_ / ".filigree-0123456789cd.part"));
}

}  // namespace
}  // namespace filigree
