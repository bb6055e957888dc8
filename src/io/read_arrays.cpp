#include "io/arrays.h"

#include <fmt/format.h>

#include "io/npy.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree {
namespace {

constexpr std::string_view extension = ".npy";

NamedArray numbers(io::NpyArray array, const std::string& what, const std::string& path) {
  if (array.values.data() == nullptr)
    throw UserError(fmt::format("{} holds a text, not numbers", what)).at_line(path, 0);
  std::vector<std::int64_t> shape = array.shape;
  return {std::move(shape), io::by_rows(std::move(array))};
}

std::string name_of(const std::string& member) {
  return member.ends_with(extension) ? member.substr(0, member.size() - extension.size()) : member;
}

}  // namespace

std::map<std::string, NamedArray> read_arrays(const std::string& path) {
  io::Bytes bytes = io::load_bytes(io::open_input(path, true));
  std::map<std::string, NamedArray> out;
  if (!io::is_zip(bytes.view())) {
    out.emplace("", numbers(io::parse_npy(std::move(bytes)), "The file", path));
    return out;
  }
  io::ZipReader zip(bytes.view(), path);
  for (const std::string& member : zip.names()) {
    if (!member.ends_with(extension))
      throw UserError(fmt::format("The archive holds {}, which is no array", io::quoted(member))).at_line(path, 0);
    std::string name = name_of(member);
    out.emplace(name, numbers(io::parse_npy(zip.read(member), name), fmt::format("The array '{}'", name), path));
  }
  return out;
}

std::vector<std::string> array_names(const std::string& path) {
  std::vector<std::string> names;
  if (!lower_case(path).ends_with(".npz")) return names;
  io::Bytes bytes = io::load_bytes(io::open_input(path, false));
  if (!io::is_zip(bytes.view())) return names;
  io::ZipReader zip(bytes.view(), path);
  for (const std::string& member : zip.names()) names.push_back(name_of(member));
  return names;
}

}  // namespace filigree
