#include "bars.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "support/text.h"

namespace filigree::tool {

bool shows_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text = lower_case(value);
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

std::string bar(double share, int width, bool utf8) {
  share = std::clamp(share, 0.0, 1.0);
  if (!utf8) return std::string(static_cast<size_t>(std::max(1.0, std::round(share * width))), '#');
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int eighths = std::max(1, static_cast<int>(std::round(share * width * 8)));
  std::string text;
  for (int n = 0; n < eighths / 8; n++) text += "█";
  return text + parts[eighths % 8];
}

}  // namespace filigree::tool
