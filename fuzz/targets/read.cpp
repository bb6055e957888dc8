// Files: the first line is the extension, the rest are the bytes.
#include <functional>

#include "fuzz/check_texts.h"
#include "fuzz/targets/target.h"
#include "io/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace filigree::fuzz;
  std::string text = text_of(data, size), extension = text.substr(0, text.find('\n'));
  if (extension.empty() || extension.size() == text.size() || extension.find('/') != std::string::npos ||
      extension.find('\0') != std::string::npos)
    return 0;
  if (extension[0] != '.' || !filigree::is_file_name("file" + extension)) return 0;
  bool was_read = false;
  return report(check_file(text.substr(extension.size() + 1), extension, std::hash<std::string>()(text), was_read));
}
