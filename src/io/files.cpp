#include "io/files.h"

#include <filesystem>

#include <fmt/format.h>

#include "io/matrix_market.h"
#include "io/tns.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree {
namespace {

enum class FileFormat { MatrixMarket, ExtendedMatrixMarket, Frostt };

FileFormat format_of(const std::string& path) {
  std::string name = lower_case(std::filesystem::path(path).filename().string());
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".mtx")) return FileFormat::MatrixMarket;
  if (name.ends_with(".ttx")) return FileFormat::ExtendedMatrixMarket;
  if (name.ends_with(".tns")) return FileFormat::Frostt;
  std::string extension = std::filesystem::path(name).extension().string();
  throw UserError(extension.empty() ? fmt::format("The file name '{}' has no extension that tells its format", path)
                                    : fmt::format("The extension '{}' of '{}' is not that of a known file format", extension, path))
      .hint("known extensions are " + join(file_extensions(), ", "));
}

/// How much it takes to read a file, as a multiple of its size: text, coordinates and values.
constexpr double text_and_entries = 3;

double bytes_of_file(const std::string& path) {
  std::error_code error;
  std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<double>(size);
}

}  // namespace

const std::vector<std::string>& file_extensions() {
  static const std::vector<std::string> extensions = {".mtx", ".ttx", ".tns", ".mtx.gz", ".ttx.gz", ".tns.gz"};
  return extensions;
}

Coordinates read_file(const std::string& path, const ReadOptions& options) {
  FileFormat format = format_of(path);
  auto read = [&] {
    io::TextFile file = io::load_text(path, options.progress);
    switch (format) {
      case FileFormat::MatrixMarket:
      case FileFormat::ExtendedMatrixMarket: return io::read_matrix_market(file, options);
      case FileFormat::Frostt: return io::read_tns(file, options);
    }
    throw InternalError("io", "read of an unknown file format");
  };
  std::string what = options.tensor.empty() ? fmt::format("'{}'", path) : fmt::format("'{}' from '{}'", options.tensor, path);
  return naming_memory("reading " + what, text_and_entries * bytes_of_file(path), read);
}

void write_file(const std::string& path, const Tensor& tensor) {
  FileFormat format = format_of(path);
  auto write = [&] {
    switch (format) {
      case FileFormat::MatrixMarket: return io::write_matrix_market(path, tensor, false);
      case FileFormat::ExtendedMatrixMarket: return io::write_matrix_market(path, tensor, true);
      case FileFormat::Frostt: return io::write_tns(path, tensor);
    }
  };
  double entries = static_cast<double>(tensor.stored()) * (8.0 * tensor.order() + size_in_bytes(tensor.type()));
  naming_memory(fmt::format("writing '{}' ({}, {} stored)", path, describe_dimensions(tensor.dimensions()), tensor.stored()), entries, write);
}

}  // namespace filigree
