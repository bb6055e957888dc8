#include "jit/cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "jit/clang.h"
#include "jit/file.h"
#include "jit/system_compiler.h"
#include "support/diagnostic.h"
#include "tests/jit/kernels.h"

namespace filigree::jit {
namespace {

using namespace testing;

Digest key_of(const std::string& text) { return Sha256().add(text).finish(); }

/// A key whose entry does not make `store` trim, or does.
Digest key_of(int number, bool trims) {
  Digest key = key_of(std::to_string(number));
  key[0] = trims ? 0 : 255;
  return key;
}

class Cache : public ::testing::Test {
 protected:
  static const std::string& elf() {
    static const std::string bytes = [] {
      const std::string text = "int seven(void) { return 7; }";
      CompileReport report;
      return clang_version().empty() ? compile_with_system_compiler(text, {}, report)
                                     : compile_with_clang(text, {}, report);
    }();
    return bytes;
  }
  static bool is_seven(const std::optional<Library>& library) {
    return library && library->function<int()>("seven")() == 7;
  }

  TemporaryDirectory temporary;
  std::string directory = temporary.path() + "/deep/er/cache";
  DiskCache cache{directory, 1 << 20};
};

TEST_F(Cache, FindsWhatWasStored) {
  EXPECT_FALSE(cache.load(key_of("a")));
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  EXPECT_TRUE(is_seven(cache.load(key_of("a"))));
  EXPECT_FALSE(cache.load(key_of("b")));
  EXPECT_EQ(files_in(directory).size(), 1u);
}

TEST_F(Cache, EntriesAndTheirDirectoryArePrivate) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  struct stat status;
  ASSERT_EQ(stat(cache.path(key_of("a")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(Cache, AnEntryOthersMayWriteIsNotLoaded) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  ASSERT_EQ(chmod(cache.path(key_of("a")).c_str(), 0666), 0);
  EXPECT_FALSE(cache.load(key_of("a")));
}

TEST_F(Cache, ADirectoryOthersMayWriteIsNotUsed) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  for (const mode_t mode : {0720, 0702, 0777, 01777}) {
    ASSERT_EQ(chmod(directory.c_str(), mode), 0);
    EXPECT_FALSE(cache.load(key_of("a"))) << mode;
    EXPECT_FALSE(cache.store(key_of("b"), elf())) << mode;
  }
  ASSERT_EQ(chmod(directory.c_str(), 0755), 0);  // reading does no harm
  EXPECT_TRUE(is_seven(cache.load(key_of("a"))));
}

TEST_F(Cache, ADirectoryOfSomebodyElseIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to somebody else";
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  ASSERT_EQ(chown(directory.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache.load(key_of("a")));
  EXPECT_FALSE(cache.store(key_of("b"), elf()));
}

TEST_F(Cache, LinksPipesAndDevicesAreNeitherFollowedNorWaitedFor) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  const std::string link = cache.path(key_of("b")), pipe = cache.path(key_of("c"));
  ASSERT_EQ(symlink(cache.path(key_of("a")).c_str(), link.c_str()), 0);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(cache.load(key_of("b")));
  EXPECT_FALSE(cache.load(key_of("c")));
  ASSERT_TRUE(cache.store(key_of("b"), elf()));  // replaces the link, not what it points to
  struct stat status;
  ASSERT_EQ(lstat(link.c_str(), &status), 0);
  EXPECT_TRUE(S_ISREG(status.st_mode));
}

/// Somebody swaps files all the time: what runs is what was checked.
TEST_F(Cache, WhatIsLoadedIsWhatWasChecked) {
  std::string wrong = elf();
  const std::string entry = cache.path(key_of("a")), other = directory + "/other";
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  std::string text = "int seven(void) { return 8; }";
  CompileReport report;
  wrong = clang_version().empty() ? compile_with_system_compiler(text, {}, report)
                                  : compile_with_clang(text, {}, report);
  const std::string right = *read_file(entry);
  std::atomic<bool> done{false};
  std::thread attacker([&] {
    for (unsigned n = 0; !done; n++) {
      std::ofstream(other, std::ios::binary) << (n % 2 == 0 ? wrong : right);
      chmod(other.c_str(), 0600);
      std::rename(other.c_str(), entry.c_str());
    }
  });
  int loaded = 0;
  for (int n = 0; n < 2000; n++) {
    const std::optional<Library> library = cache.load(key_of("a"));
    if (!library) continue;
    loaded++;
    ASSERT_TRUE(is_seven(library));
  }
  done = true;
  attacker.join();
  EXPECT_GT(loaded, 0);
}

TEST_F(Cache, ADamagedByteAnywhereIsNoticed) {
  const std::string path = cache.path(key_of("a"));
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  const auto size = static_cast<long>(std::filesystem::file_size(path));
  for (long position : {0l, 5l, size / 2, size - 45, size - 36, size - 1}) {
    ASSERT_TRUE(cache.store(key_of("a"), elf()));
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(position);
      const char byte = static_cast<char>(file.get());
      file.seekp(position);
      file.put(static_cast<char>(byte ^ 0x10));
    }
    EXPECT_FALSE(cache.load(key_of("a"))) << position;
    EXPECT_FALSE(std::filesystem::exists(path)) << position;
  }
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  EXPECT_TRUE(is_seven(cache.load(key_of("a"))));
}

TEST_F(Cache, ATruncatedEntryIsRemovedAndReplaced) {
  const std::string path = cache.path(key_of("a"));
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  const std::uintmax_t size = std::filesystem::file_size(path);
  for (std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{10}, size / 2, size - 48, size - 1}) {
    ASSERT_TRUE(cache.store(key_of("a"), elf()));
    std::filesystem::resize_file(path, length);
    EXPECT_FALSE(cache.load(key_of("a"))) << length;
    EXPECT_FALSE(std::filesystem::exists(path)) << length;
  }
}

TEST_F(Cache, AnEntryUnderAnotherKeyIsDamaged) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  std::filesystem::copy_file(cache.path(key_of("a")), cache.path(key_of("b")));
  EXPECT_FALSE(cache.load(key_of("b")));
  EXPECT_TRUE(is_seven(cache.load(key_of("a"))));
}

TEST_F(Cache, TheLeastRecentlyUsedEntriesMakeRoom) {
  const std::string block(30000, 'x');
  for (int i = 0; i < 60; i++) {
    ASSERT_TRUE(cache.store(key_of(i, false), block));
    // Entry 3 was used last, the others in their order.
    const timespec times[2] = {{1000000 + (i == 3 ? 1000 : i), 0}, {1000000 + (i == 3 ? 1000 : i), 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, cache.path(key_of(i, false)).c_str(), times, 0), 0);
  }
  ASSERT_TRUE(cache.store(key_of(100, true), block));
  std::uintmax_t total = 0;
  for (const auto& file : files_in(directory)) total += std::filesystem::file_size(file);
  EXPECT_LE(total, 1u << 20);
  EXPECT_GT(total, 1u << 19);
  EXPECT_TRUE(std::filesystem::exists(cache.path(key_of(100, true))));
  EXPECT_TRUE(std::filesystem::exists(cache.path(key_of(59, false))));
  EXPECT_TRUE(std::filesystem::exists(cache.path(key_of(3, false))));
  EXPECT_FALSE(std::filesystem::exists(cache.path(key_of(4, false))));
}

TEST_F(Cache, StaysNearItsLimit) {
  const std::string block(20000, 'x');
  for (int i = 0; i < 400; i++) cache.store(key_of(std::to_string(i)), block);
  EXPECT_LT(files_in(directory).size() * 20480, 2u << 20);
}

TEST_F(Cache, AUseIsRemembered) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  const timespec past[2] = {{1000000, 0}, {1000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, cache.path(key_of("a")).c_str(), past, 0), 0);
  ASSERT_TRUE(cache.load(key_of("a")));
  struct stat status;
  ASSERT_EQ(stat(cache.path(key_of("a")).c_str(), &status), 0);
  EXPECT_GT(status.st_mtime, 1000000);
}

TEST_F(Cache, TrimRemovesWhatKilledProcessesLeftAndNothingForeign) {
  ASSERT_TRUE(cache.store(key_of("a"), elf()));
  for (const char* name : {"/.new-1-1", "/.new-2-2", "/notes.txt"}) std::ofstream(directory + name) << "x";
  const timespec past[2] = {{1000000, 0}, {1000000, 0}};
  for (const char* name : {"/.new-1-1", "/notes.txt"})
    ASSERT_EQ(utimensat(AT_FDCWD, (directory + name).c_str(), past, 0), 0);
  cache.trim();
  EXPECT_FALSE(std::filesystem::exists(directory + "/.new-1-1"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/.new-2-2"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/notes.txt"));
}

TEST_F(Cache, AnEntryThatWouldFillTheCacheIsNotKept) {
  EXPECT_FALSE(cache.store(key_of("a"), std::string(1 << 19, 'x')));
}

TEST_F(Cache, APlaceThatCannotBeWrittenIsNoError) {
  std::ofstream(temporary.path() + "/file") << "not a directory";
  for (const std::string& place : {std::string("/proc/nonexistent/filigree"), temporary.path() + "/file/cache"}) {
    const DiskCache unusable(place, 1 << 20);
    EXPECT_FALSE(unusable.store(key_of("a"), elf()));
    EXPECT_FALSE(unusable.load(key_of("a")));
    unusable.trim();
  }
}

TEST_F(Cache, AFullDiskIsNoError) {
  // The size limit of a process stands in for a full disk: writes fail half-way.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(cache.store(key_of("a"), elf()) ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(files_in(directory).empty());
}

/// Puts something in the place of an entry that is no library.  The old file stays as it is for those who have it
/// mapped: nobody survives a library that is cut off under them.
void damage(const std::filesystem::path& entry, int process) {
  std::filesystem::path spoiled = entry.string() + "." + std::to_string(process) + ".so";
  std::ofstream(spoiled) << "not a library";
  std::error_code gone;  // another process may have trimmed it away
  std::filesystem::rename(spoiled, entry, gone);
}

TEST_F(Cache, ProcessesShareADirectory) {
  std::vector<pid_t> children;
  for (int process = 0; process < 4; process++) {
    const pid_t child = fork();
    if (child == 0) {
      // Few keys and a small limit, so that stores, loads, trims and damage of all processes meet.
      const DiskCache small(directory, 64 << 10);
      int wrong = 0;
      for (int i = 0; i < 300; i++) {
        const Digest key = key_of((i * 7 + process * 3) % 20, i % 5 == 0);
        if (i % 50 == 49) damage(small.path(key), process);
        const std::optional<Library> library = small.load(key);
        if (library && !is_seven(library)) wrong++;
        if (!library) small.store(key, elf());
      }
      _exit(wrong);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& file : files_in(directory)) EXPECT_EQ(file.extension(), ".so") << file;
}

TEST(DiskCacheFromEnvironment, FollowsTheVariablesInOrder) {
  const ScopedVariable size("FILIGREE_CACHE_SIZE", std::nullopt), home("HOME", "/home/someone");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/xdg"), own("FILIGREE_CACHE", "/own");
  EXPECT_EQ(DiskCache::from_environment()->directory(), "/own");
  const ScopedVariable no_own("FILIGREE_CACHE", "");
  EXPECT_EQ(DiskCache::from_environment()->directory(), "/xdg/filigree");
  const ScopedVariable no_xdg("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(DiskCache::from_environment()->directory(), "/home/someone/.cache/filigree");
  const ScopedVariable no_home("HOME", std::nullopt);
  EXPECT_FALSE(DiskCache::from_environment());
}

TEST(DiskCacheFromEnvironment, TheSizeCanBeSetAndZeroTurnsItOff) {
  const ScopedVariable own("FILIGREE_CACHE", "/own"), size("FILIGREE_CACHE_SIZE", "0");
  EXPECT_FALSE(DiskCache::from_environment());
  const ScopedVariable wrong("FILIGREE_CACHE_SIZE", "lots");
  try {
    DiskCache::from_environment();
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(error.message(), "FILIGREE_CACHE_SIZE is 'lots', not a whole number of megabytes");
    EXPECT_EQ(error.hints().size(), 1u);
  }
}

TEST_F(Cache, InMemoryOneThreadMakesWhatManyWant) {
  MemoryCache memory(8);
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++)
    threads.emplace_back([&] {
      memory.find_or_make(key_of("a"), [&] {
        made++;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return load_bytes(elf(), "test");
      });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST_F(Cache, InMemoryAFailureIsNotKept) {
  MemoryCache memory(8);
  EXPECT_THROW(memory.find_or_make(key_of("a"), []() -> Library { throw UserError("No"); }), UserError);
  EXPECT_TRUE(is_seven(memory.find_or_make(key_of("a"), [&] { return load_bytes(elf(), "test"); })));
}

TEST_F(Cache, InMemoryTheLeastRecentlyUsedIsDropped) {
  MemoryCache memory(2);
  int made = 0;
  const auto make = [&] {
    made++;
    return load_bytes(elf(), "test");
  };
  for (const char* name : {"a", "b", "a", "c", "a"}) memory.find_or_make(key_of(name), make);
  EXPECT_EQ(made, 3);
  memory.find_or_make(key_of("b"), make);
  EXPECT_EQ(made, 4);
}

}  // namespace
}  // namespace filigree::jit
