#include "level/registry.h"

#include <mutex>

#include "support/diagnostic.h"

namespace filigree::level {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<FormatPtr> formats = {dense(),  compressed(), singleton(), range(), offset(),  hashed(),
                                    bitmap(), slots(),      lower(),     upper(), tuples(2), member()};
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

FormatPtr find(std::string_view name) {
  std::lock_guard lock(registry().mutex);
  for (const FormatPtr& format : registry().formats) {
    if (format->name() == name) return format;
  }
  return nullptr;
}

FormatPtr find_any(std::string_view name) {
  for (const FormatPtr& format : {scattered(), numbered(), tabled()}) {
    if (format->name() == name) return format;
  }
  return find(name);
}

void add(FormatPtr format) {
  if (!format->storage())
    throw UserError("The level format '" + format->name() + "' cannot be registered: it has no storage()");
  std::lock_guard lock(registry().mutex);
  for (FormatPtr& known : registry().formats) {
    if (known->name() == format->name()) {
      known = std::move(format);
      return;
    }
  }
  registry().formats.push_back(std::move(format));
}

std::vector<std::string> names() {
  std::lock_guard lock(registry().mutex);
  std::vector<std::string> all;
  for (const FormatPtr& format : registry().formats) all.push_back(format->name());
  return all;
}

}  // namespace filigree::level
