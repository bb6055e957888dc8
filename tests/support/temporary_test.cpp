#include "support/temporary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int folders_to_lose = 0;

}  // namespace

/// In place of the system's: another process takes the folder for abandoned, as soon as it is made.
extern "C" int mkdir(const char* path, mode_t mode) noexcept {
  int status = static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  if (status == 0 && folders_to_lose > 0) {
    folders_to_lose--;
    rmdir(path);
  }
  return status;
}

namespace filigree {
namespace {

namespace fs = std::filesystem;

/// What a child of fork returns.
template <class Work>
int in_child(const Work& work) {
  pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class TemporaryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "filigree-temporary-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

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

TEST_F(TemporaryTest, AChildLeavesThoseOfItsParent) {
  auto file = std::make_unique<Temporary>(PathKind::File, folder_.string(), 0600),
       folder = std::make_unique<Temporary>(PathKind::Folder, folder_.string(), 0700);
  EXPECT_EQ(in_child([&] {
              Temporary own(PathKind::Folder, folder_.string(), 0700);
              remove_unfinished();
              if (fs::exists(own.path())) _exit(1);
            }),
            0);
  EXPECT_TRUE(fs::exists(file->path()) && fs::exists(folder->path())) << "after what a signal handler does";
  EXPECT_EQ(in_child([&] {
              file.reset();
              folder.reset();
            }),
            0);
  EXPECT_TRUE(fs::exists(file->path()) && fs::exists(folder->path())) << "after destructors";
  file.reset();
  folder.reset();
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryTest, AFolderThatIsLostHasASuccessor) {
  folders_to_lose = 2;
  Temporary folder(PathKind::Folder, folder_.string(), 0700);
  EXPECT_EQ(folders_to_lose, 0);
  EXPECT_TRUE(folder.is_open()) << std::strerror(folder.error());
  EXPECT_EQ(count(), 1u);
}

}  // namespace
}  // namespace filigree
