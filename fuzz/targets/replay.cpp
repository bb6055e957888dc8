// Runs a target on files and folders of a corpus once, for builds without libFuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "fuzz/targets/target.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (int a = 1; a < argc; a++) {
    if (!fs::is_directory(argv[a])) paths.emplace_back(argv[a]);
    else
      for (const fs::directory_entry& entry : fs::directory_iterator(argv[a])) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    std::string text = bytes.str();
    std::cerr << path.filename().string() << std::endl;  // the last one is at fault if the process ends
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::cout << paths.size() << " inputs, nothing wrong\n";
  return paths.empty() ? 1 : 0;
}
