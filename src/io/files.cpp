#include "io/files.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "io/edge_list.h"
#include "io/entries.h"
#include "io/matrix_market.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/output_target.h"
#include "io/tns.h"
#include "io/zip.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/forked.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "support/unfinished.h"
#include "tensor/size.h"

namespace filigree {
namespace {

enum class FileFormat {
  MatrixMarket,
  ExtendedMatrixMarket,
  Frostt,
  EdgeList,
  CommaEdgeList,
  TabEdgeList,
  NumpyArray,
  NumpyArchive
};

struct Extension {
  const char* name;
  FileFormat format;
};
constexpr Extension extensions[] = {{".mtx", FileFormat::MatrixMarket},  {".ttx", FileFormat::ExtendedMatrixMarket},
                                    {".tns", FileFormat::Frostt},        {".el", FileFormat::EdgeList},
                                    {".edges", FileFormat::EdgeList},    {".txt", FileFormat::EdgeList},
                                    {".csv", FileFormat::CommaEdgeList}, {".tsv", FileFormat::TabEdgeList},
                                    {".npy", FileFormat::NumpyArray},    {".npz", FileFormat::NumpyArchive}};

bool is_edge_list(FileFormat format) {
  return format == FileFormat::EdgeList || format == FileFormat::CommaEdgeList || format == FileFormat::TabEdgeList;
}
bool is_binary(FileFormat format) { return format == FileFormat::NumpyArray || format == FileFormat::NumpyArchive; }

std::optional<FileFormat> find_format(const std::string& path) {
  std::string name = lower_case(std::filesystem::path(path).filename().string());
  bool is_gzipped = name.ends_with(".gz");
  if (is_gzipped) name.resize(name.size() - 3);
  for (const Extension& extension : extensions) {
    if (name.ends_with(extension.name) && !(is_gzipped && is_binary(extension.format))) return extension.format;
  }
  return std::nullopt;
}

FileFormat format_of(const std::string& path) {
  if (std::optional<FileFormat> format = find_format(path)) return *format;
  std::string extension = std::filesystem::path(lower_case(path)).extension().string();
  throw UserError(extension.empty()
                      ? fmt::format("The file name '{}' has no extension that tells its format", path)
                      : fmt::format("The extension '{}' of '{}' is not that of a known file format", extension, path))
      .hint("known extensions are " + describe_extensions());
}

/// Of what comes from standard input: its beginning tells.
FileFormat format_of_content(std::string_view view) {
  if (io::is_npy(view)) return FileFormat::NumpyArray;
  if (io::is_zip(view)) return FileFormat::NumpyArchive;
  if (view.starts_with("\xef\xbb\xbf")) view.remove_prefix(3);
  std::string start = lower_case(trim(view.substr(0, view.find_first_of("\r\n"))).substr(0, 14));
  return start.starts_with("%%matrixmarket") || start.starts_with("%matrixmarket") ? FileFormat::ExtendedMatrixMarket
                                                                                   : FileFormat::Frostt;
}

void check_base(std::optional<int> base, FileFormat format, const std::string& path, bool writes) {
  if (!base) return;
  if (*base != 0 && *base != 1)
    throw UserError(fmt::format("Coordinates of '{}' cannot count from {}", path, *base))
        .hint("they count from 0 or 1");
  if (is_binary(format) && *base != 0)
    throw UserError(fmt::format("Coordinates of '{}' count from 0, as in every .npy and .npz file", path));
  if (writes && !is_edge_list(format) && !is_binary(format) && *base != 1) {
    throw UserError(
        fmt::format("Cannot write '{}' with coordinates from 0: readers of such files expect them to count from 1",
                    path))
        .hint("write an edge list, such as .el, or a .npz file");
  }
}

/// Of standard input that is taken for a FROSTT file because nothing says another: could it be an edge list?
bool may_be_edge_list(std::string_view text) {
  for (const std::string& line : split(text.substr(0, 4096), '\n')) {
    std::string entry = trim(line);
    if (entry.empty() || entry[0] == '#' || entry[0] == '%') continue;
    for (char& c : entry) c = c == '\t' || c == ',' ? ' ' : c;
    std::vector<std::string> words = split(entry, ' ');
    auto numbers = std::count_if(words.begin(), words.end(), [](const std::string& word) { return !word.empty(); });
    return numbers == 2 || numbers == 3;
  }
  return false;
}

Contents read_with_banner(io::TextFile file, const ReadOptions& options) {
  std::string banner(file.begin, std::find_if(file.begin, file.end, [](char c) { return c == '\n' || c == '\r'; }));
  Contents contents = io::read_matrix_market(file, options);
  contents.set_banner(std::move(banner));
  return contents;
}

Contents read_text(FileFormat format, io::TextFile file, const ReadOptions& options) {
  if (format == FileFormat::Frostt) return io::read_tns(file, options);
  return io::read_edge_list(file, options, format != FileFormat::EdgeList);
}

Contents read_as(FileFormat format, io::Input input, const ReadOptions& options) {
  switch (format) {
    case FileFormat::MatrixMarket:
    case FileFormat::ExtendedMatrixMarket: return read_with_banner(io::TextFile(std::move(input)), options);
    case FileFormat::Frostt:
    case FileFormat::EdgeList:
    case FileFormat::CommaEdgeList:
    case FileFormat::TabEdgeList: return read_text(format, io::TextFile(std::move(input)), options);
    case FileFormat::NumpyArray: return io::read_npy(io::load_bytes(std::move(input)), options);
    case FileFormat::NumpyArchive: return io::read_npz(io::load_bytes(std::move(input)), options);
  }
  throw InternalError("io", "read of an unknown file format");
}

void write_as(FileFormat format, const std::string& path, const AnyTensor& tensor, const WriteOptions& options) {
  switch (format) {
    case FileFormat::MatrixMarket: return io::write_matrix_market(path, tensor, false, options);
    case FileFormat::ExtendedMatrixMarket: return io::write_matrix_market(path, tensor, true, options);
    case FileFormat::Frostt: return io::write_tns(path, tensor, options);
    case FileFormat::EdgeList: return io::write_edge_list(path, tensor, ' ', options);
    case FileFormat::CommaEdgeList: return io::write_edge_list(path, tensor, ',', options);
    case FileFormat::TabEdgeList: return io::write_edge_list(path, tensor, '\t', options);
    case FileFormat::NumpyArray: return io::write_npy(path, tensor, options);
    case FileFormat::NumpyArchive: return io::write_npz(path, tensor, options);
  }
}

/// What `read` returns.  If that fails, the error also says how to read an edge list from standard input.
template <class Read>
Contents hinting_at_edge_lists(const Read& read) {
  try {
    return read();
  } catch (const OutOfMemory&) {
    throw;
  } catch (UserError& error) {
    throw std::move(error).hint("if it is an edge list, write -.el instead of -, or -.csv if it has commas");
  }
}

/// --base 0 for a file that looks as if it counted from 1, as such files do.
void warn_of_base(Contents& contents, const ReadOptions& options, FileFormat format, const std::string& path) {
  const EntryList* entries = contents.list();
  if (options.base != 0 || is_edge_list(format) || is_binary(format) || !entries || entries->is_dense ||
      entries->count() == 0 || io::has_coordinate_zero(*entries))
    return;
  const char* kind = format == FileFormat::Frostt ? "FROSTT" : "Matrix Market";
  contents.warn(
      UserError(fmt::format("'{}' is read as counting from 0, but no coordinate is 0", path))
          .hint(fmt::format("{} files count from 1: leave the base out, unless this one is different", kind),
                fmt::format("{} files count from 1: leave out --base 0, unless this one is different", kind)));
}

/// How much it takes to read a file, as a multiple of its size: coordinates and values, about.
constexpr double entries_of_text = 1;

double bytes_of_file(const std::string& path) {
  std::error_code error;
  std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<double>(size);
}

}  // namespace

const std::vector<std::string>& file_extensions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Extension& extension : extensions) out.push_back(extension.name);
    for (const Extension& extension : extensions) {
      if (!is_binary(extension.format)) out.push_back(std::string(extension.name) + ".gz");
    }
    return out;
  }();
  return names;
}

std::string describe_extensions() {
  std::vector<std::string> texts, binaries;
  for (const Extension& extension : extensions)
    (is_binary(extension.format) ? binaries : texts).push_back(extension.name);
  return join(texts, ", ") + ", each also with .gz, and " + join(binaries, ", ");
}

bool is_standard_stream(const std::string& path) {
  if (path == "-") return true;
  const std::vector<std::string>& known = file_extensions();
  return path.starts_with("-.") && std::find(known.begin(), known.end(), lower_case(path.substr(1))) != known.end();
}

bool heeds_base(const std::string& path, int base) {
  std::optional<FileFormat> format = find_format(path);
  if (!format) return path == "-";  // what comes from there is not known yet
  return is_edge_list(*format) || (!is_binary(*format) && base != 1);
}

bool is_writable_name(const std::string& path) { return is_file_name(path) || io::is_no_file(io::find_target(path)); }

bool is_file_name(const std::string& path) { return path == "-" || find_format(path).has_value(); }

Contents read_contents(const std::string& path, const ReadOptions& options) {
  Inside inside;
  std::optional<FileFormat> named;
  if (path != "-") named = format_of(path);
  auto read = [&] {
    io::Input input = io::open_input(path, options.progress);
    // An empty file of entries is a tensor without entries; a stream that is empty is more likely a command that
    // failed.
    if (is_standard_stream(path) && input.beginning.empty() && !options.dimensions) {
      throw UserError("Standard input is empty")
          .hint("look at what should have written it; for a tensor without entries, state its dimensions");
    }
    FileFormat format = named ? *named : format_of_content(input.beginning);
    check_base(options.base, format, input.path, false);
    bool is_guessed = !named && format == FileFormat::Frostt && may_be_edge_list(input.beginning);
    std::string name = input.path;
    Contents contents = is_guessed ? hinting_at_edge_lists([&] { return read_as(format, std::move(input), options); })
                                   : read_as(format, std::move(input), options);
    warn_of_base(contents, options, format, name);
    return contents;
  };
  std::string what = options.tensor.empty() ? fmt::format("'{}'", path)
                                            : fmt::format("'{}' from '{}'", options.tensor, path);
  return naming_memory("reading " + what, entries_of_text * bytes_of_file(path), read);
}

void remove_unfinished_files() { remove_unfinished(); }

Coordinates read_file(const std::string& path, const ReadOptions& options) {
  Contents contents = read_contents(path, options);
  if (contents.fill() && !contents.fill()->is_zero() && !contents.is_dense()) {
    throw UserError(fmt::format("What the file does not list is {}, which a list of its entries does not tell",
                                to_string(*contents.fill())))
        .at_line(path, 0)
        .hint("read it with read_contents, which keeps the fill");
  }
  return std::move(contents).coordinates();
}

void write_file(const std::string& path, const AnyTensor& tensor, const WriteOptions& options) {
  Inside inside;
  bool has_format = path != "-" && (find_format(path) || !is_writable_name(path));
  FileFormat format = has_format            ? format_of(path)
                      : tensor.order() == 2 ? FileFormat::MatrixMarket
                                            : FileFormat::Frostt;
  check_base(options.base, format, path, true);
  double entries = static_cast<double>(tensor.stored()) * (8.0 * tensor.order() + size_in_bytes(tensor.type()));
  std::string what =
      fmt::format("writing '{}' ({}, {} stored)", path, describe_dimensions(tensor.dimensions()), tensor.stored());
  naming_memory(what, entries, [&] { write_as(format, path, tensor, options); });
}

}  // namespace filigree
