// Layouts as text: read, printed, checked.
#include <filesystem>

#include <gtest/gtest.h>

#include "layouts/layout.h"

namespace filigree::layouts {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(FILIGREE_SOURCE_DIR) / "examples" / "layouts"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

TEST(ToString, IsReadBackAsTheSameLayout) {
  ASSERT_GE(examples().size(), 16u);
  for (const std::string& path : examples()) {
    Layout layout = read_layout(path);
    EXPECT_EQ(parse_layout(to_string(layout)), layout) << to_string(layout);
    EXPECT_EQ(layout.name, fs::path(path).stem().string());
  }
}

}  // namespace
}  // namespace filigree::layouts
