#include "support/plugin_paths.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace filigree {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The real path of the executable or shared library this code was linked into.
std::string own_module() {
  Dl_info info;
  char resolved[PATH_MAX];
  // For an executable the loader knows only how it was called, which need not be a path.
  if (dladdr(reinterpret_cast<void*>(&own_module), &info) != 0 && info.dli_fname != nullptr &&
      std::strstr(info.dli_fname, ".so") != nullptr && realpath(info.dli_fname, resolved) != nullptr)
    return resolved;
  const ssize_t count = readlink("/proc/self/exe", resolved, sizeof resolved);
  return count > 0 ? std::string(resolved, static_cast<std::size_t>(count)) : "";
}

}  // namespace

std::vector<std::string> plugin_paths(const std::string& file, const char* variable, const std::string& installed) {
  if (const char* path = std::getenv(variable); path != nullptr && *path != '\0') return {path};
  const std::string here = directory_of(own_module());
  std::vector<std::string> paths;
  // Beside a program of the build or of an installation; then where FiligreeConfig and filigree.pc tell the linker of
  // other programs to look (a name without a folder is searched there by the loader); last, where it was to be
  // installed.  Never in the folder it was built in: that may be gone, or somebody else's by now.
  for (const std::string& directory : {here, here + "/lib", here + "/../lib"}) paths.push_back(directory + "/" + file);
  paths.push_back(file);
  paths.push_back(installed + "/" + file);
  return paths;
}

}  // namespace filigree
