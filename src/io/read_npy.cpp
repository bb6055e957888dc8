#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/dense.h"
#include "io/npy.h"
#include "io/number.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// "<f8" and the like: byte order, kind, bytes.
struct Descriptor {
  ElementType type = ElementType::Float64;
  bool is_swapped = false;
  size_t text_bytes = 0;  // of a text
  bool is_wide = false;   // a text of four bytes for each character
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path, const std::string& name)
      : text_(text), path_(path), name_(name) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      std::string key = quoted_text();
      expect(':');
      if (key == "descr") descriptor = parse_descriptor();
      else if (key == "fortran_order") by_columns = parse_truth();
      else if (key == "shape") shape = parse_shape();
      else throw wrong(fmt::format("{} is unknown", quoted(key)));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ < text_.size()) throw wrong("something stands behind it");
    if (!descriptor || !by_columns || !shape) throw wrong("it needs 'descr', 'fortran_order' and 'shape'");
  }

  std::optional<Descriptor> descriptor;
  std::optional<bool> by_columns;
  std::optional<std::vector<std::int64_t>> shape;

 private:
  std::string of_name() const { return name_.empty() ? "" : fmt::format(" of '{}'", name_); }
  UserError wrong(const std::string& what) const {
    return UserError(fmt::format("The header{} is damaged: {}", of_name(), what))
        .at_line(path_, 0)
        .hint("write the file again with numpy.save");
  }

  void skip() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) at_++;
  }
  bool accept(char c) {
    skip();
    bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there;
    return there;
  }
  void expect(char c) {
    if (!accept(c)) throw wrong(fmt::format("'{}' is missing", c));
  }

  std::string quoted_text() {
    skip();
    char mark = at_ < text_.size() ? text_[at_] : '\0';
    if (mark != '\'' && mark != '"') throw wrong("a quoted word is missing");
    size_t stop = text_.find(mark, at_ + 1);
    if (stop == text_.npos) throw wrong("a quote is not closed");
    std::string found(text_.substr(at_ + 1, stop - at_ - 1));
    at_ = stop + 1;
    return found;
  }

  bool parse_truth() {
    skip();
    for (bool truth : {false, true}) {
      std::string_view word = truth ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return truth;
    }
    throw wrong("'fortran_order' is neither True nor False");
  }

  std::vector<std::int64_t> parse_shape() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip();
      size_t stop = at_;
      while (stop < text_.size() && static_cast<unsigned char>(text_[stop] - '0') < 10) stop++;
      std::int64_t extent = 0;
      const char* digits = text_.data() + at_;
      if (!parse_whole(digits, text_.data() + stop, extent)) throw wrong("a size is not a number");
      extents.push_back(extent);
      at_ = stop;
      if (at_ < text_.size() && text_[at_] == 'L') at_++;  // as Python 2 wrote it
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  Descriptor parse_descriptor() {
    skip();
    if (at_ < text_.size() && text_[at_] == '[') throw unusable("records of several fields");
    std::string text = quoted_text();
    char order = text.empty() ? '\0' : text[0];
    std::string kind = text.size() > 1 ? text.substr(1) : "";
    if (std::string_view("<>|=").find(order) == std::string_view::npos)
      throw wrong(fmt::format("the element type {} is unknown", quoted(text)));
    Descriptor found;
    found.is_swapped = order == '>';
    static const std::vector<std::pair<const char*, ElementType>> types = {
        {"b1", ElementType::Bool},       {"i1", ElementType::Int8},    {"i2", ElementType::Int16},
        {"i4", ElementType::Int32},      {"i8", ElementType::Int64},   {"u1", ElementType::UInt8},
        {"u2", ElementType::UInt16},     {"u4", ElementType::UInt32},  {"u8", ElementType::UInt64},
        {"f4", ElementType::Float32},    {"f8", ElementType::Float64}, {"c8", ElementType::Complex64},
        {"c16", ElementType::Complex128}};
    for (const auto& [name, type] : types) {
      if (kind != name) continue;
      found.type = type;
      return found;
    }
    long long characters = 0;
    if ((kind.starts_with('S') || kind.starts_with('U')) && parse_int64(kind.substr(1), characters) && characters > 0 &&
        characters <= 64) {
      found.is_wide = kind[0] == 'U';
      found.text_bytes = static_cast<size_t>(characters) * (found.is_wide ? 4 : 1);
      return found;
    }
    throw unusable(kind == "O"    ? "Python objects"
                   : kind == "f2" ? "16-bit floating point numbers"
                                  : fmt::format("elements of type {}", quoted(text)));
  }

  UserError unusable(const std::string& what) const {
    return UserError(fmt::format("The array{} holds {}, which is no element type here", of_name(), what))
        .at_line(path_, 0)
        .hint("convert it in Python with astype, for example to numpy.float64");
  }

  std::string_view text_;
  std::string path_, name_;
  size_t at_ = 0;
};

/// How many elements an array has; nothing if that does not fit in 64 bits.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

/// Turns the bytes of every number around; of a complex one, those of each part.
void swap_bytes(char* data, size_t bytes, ElementType type) {
  size_t width = static_cast<size_t>(size_in_bytes(type)) / (is_complex(type) ? 2 : 1);
  for (size_t at = 0; at + width <= bytes; at += width) std::reverse(data + at, data + at + width);
}

/// The one text of an array, in ASCII.
std::string text_in(std::string_view data, const Descriptor& descriptor) {
  std::string text;
  size_t width = descriptor.is_wide ? 4 : 1;
  for (size_t at = 0; at + width <= data.size(); at += width) {
    char c = data[at + (descriptor.is_swapped ? width - 1 : 0)];
    if (c != '\0') text += c;
  }
  return text;
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(magic); }

NpyArray parse_npy(Bytes bytes, const std::string& name) {
  std::string_view view = bytes.view();
  auto wrong = [&](const std::string& what) {
    return UserError((name.empty() ? "The file " : fmt::format("'{}' ", name)) + what)
        .at_line(bytes.path, 0)
        .hint("write the file again with numpy.save");
  };
  if (!is_npy(view)) throw wrong("is not a NumPy array: it does not begin with \\x93NUMPY");
  if (view.size() < 12) throw wrong("is cut short");
  int version = static_cast<unsigned char>(view[6]);
  if (version < 1 || version > 3)
    throw wrong(fmt::format("has version {} of NumPy's file format, which is unknown", version));
  auto byte = [&](size_t n) { return static_cast<size_t>(static_cast<unsigned char>(view[n])); };
  size_t start = version == 1 ? 10 : 12, length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > view.size() - start) throw wrong("is cut short in its header");
  HeaderParser header(view.substr(start, length), bytes.path, name);
  header.parse();
  const Descriptor& descriptor = *header.descriptor;
  std::string_view data = view.substr(start + length);
  std::optional<std::int64_t> count = product(*header.shape);
  std::int64_t width = descriptor.text_bytes > 0 ? static_cast<std::int64_t>(descriptor.text_bytes)
                                                 : size_in_bytes(descriptor.type),
               needed = 0;
  if (!count || __builtin_mul_overflow(*count, width, &needed)) throw wrong("has more elements than 64 bits can count");
  if (static_cast<std::uint64_t>(needed) != data.size()) {
    throw wrong(fmt::format("has {} of data, but an array of {} needs {}", counted(data.size(), "byte"),
                            describe_dimensions(*header.shape), needed));
  }
  NpyArray array{*header.shape, *header.by_columns, {}, {}};
  if (descriptor.text_bytes > 0) {
    if (*count != 1) throw wrong("holds texts, which are no element type here");
    array.text = text_in(data, descriptor);
    return array;
  }
  // The bytes become the array: the header in front of them is overwritten.
  std::memmove(bytes.data.get(), data.data(), data.size());
  if (descriptor.is_swapped) swap_bytes(bytes.data.get(), static_cast<size_t>(needed), descriptor.type);
  if (descriptor.type == ElementType::Bool)
    std::transform(bytes.data.get(), bytes.data.get() + needed, bytes.data.get(),
                   [](char c) { return static_cast<char>(c != 0); });
  array.values = Array::adopt(descriptor.type, bytes.data.release(), *count);
  return array;
}

Array by_rows(NpyArray array) {
  int order = static_cast<int>(array.shape.size());
  if (!array.by_columns || order < 2) return std::move(array.values);
  std::vector<Level> levels = Format::dense(order).levels();
  std::reverse(levels.begin(), levels.end());
  std::vector<std::vector<Array>> no_arrays(levels.size());
  AnyTensor tensor = AnyTensor::from_arrays(array.shape, Format(levels), std::move(no_arrays), std::move(array.values));
  return rearranged(tensor, Format::dense(order)).values();
}

Contents read_npy(Bytes bytes, const ReadOptions& options) {
  std::string path = bytes.path;
  NpyArray array = parse_npy(std::move(bytes));
  if (!array.text.empty() || array.values.data() == nullptr)
    throw UserError("The file holds a text, not numbers").at_line(path, 0);
  int order = static_cast<int>(array.shape.size());
  std::vector<Level> levels = Format::dense(order).levels();
  if (array.by_columns) std::reverse(levels.begin(), levels.end());
  std::vector<std::vector<Array>> no_arrays(levels.size());
  AnyTensor tensor =
      AnyTensor::from_arrays(array.shape, Format(levels), std::move(no_arrays), std::move(array.values), path);
  return adapted(Contents(std::move(tensor)), options, path);
}

}  // namespace filigree::io
