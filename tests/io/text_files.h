// Small files for tests: written to a fresh directory, which goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "io/files.h"
#include "support/diagnostic.h"

namespace filigree::testing_support {

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "filigree-io-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  std::string make(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Coordinates read(const std::string& name, const std::string& text, const ReadOptions& options = {}) const {
    return read_file(make(name, text), options);
  }

  /// The message of the UserError that reading gives, with the directory left out; "read" if it gives none.
  std::string error(const std::string& name, const std::string& text, const ReadOptions& options = {}) const {
    make(name, text);
    return error_of_path(name, options);
  }

  std::string error_of_path(const std::string& name, const ReadOptions& options = {}) const {
    try {
      read_file(path(name), options);
    } catch (const UserError& error) {
      return without_directory(error.text());
    }
    return "read";
  }

  std::string without_directory(std::string text) const {
    std::string prefix = directory_.string() + "/";
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }

  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

/// "(0,1)=2.5 (1,0)=3": entries in the order they are in.
inline std::string listed(const Coordinates& entries) {
  std::string text;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    text += n > 0 ? " (" : "(";
    for (int d = 0; d < entries.order(); d++) text += (d > 0 ? "," : "") + std::to_string(entries.coordinate[d][n]);
    text += ")=" + to_string(entries.values.get(n), "+i");
  }
  return text;
}

}  // namespace filigree::testing_support
