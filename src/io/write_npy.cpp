#include <bit>

#include <fmt/format.h>

#include "io/components.h"
#include "io/npy.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written in the order of this machine's bytes");

std::string descriptor(ElementType type) {
  if (type == ElementType::Bool) return "|b1";
  char kind = is_complex(type) ? 'c' : is_floating(type) ? 'f' : is_signed_integer(type) ? 'i' : 'u';
  return fmt::format("{}{}{}", size_in_bytes(type) == 1 ? '|' : '<', kind, size_in_bytes(type));
}

/// Padded so that data begins at a multiple of 64.
std::string header(const std::string& descr, const std::vector<std::int64_t>& shape, bool by_columns) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", descr,
                                       by_columns ? "True" : "False", fmt::join(shape, ", "),
                                       shape.size() == 1 ? "," : "");
  size_t length = dictionary.size() + 1, before = 10;
  if (length + before + 64 > 65535) before = 12;
  length = (length + before + 63) / 64 * 64 - before;
  dictionary.resize(length - 1, ' ');
  std::string out = "\x93NUMPY";
  out += before == 10 ? '\1' : '\2';
  out += '\0';
  for (size_t n = 0; n < before - 8; n++) out += static_cast<char>(length >> (8 * n) & 0xff);
  return out + dictionary + "\n";
}

/// Dense storage by rows; whatever is not stored has the fill.
AnyTensor made_dense(const AnyTensor& tensor, const std::string& path) {
  try {
    checked_dense_bytes(tensor.dimensions(), tensor.type(), "the array");
  } catch (const UserError&) {
    throw UserError(
        fmt::format("Cannot write '{}': an array has every component, and all {} of them do not fit in memory", path,
                    describe_dimensions(tensor.dimensions())))
        .hint("write it as .npz or .mtx");
  }
  return tensor.converted(Format::dense(tensor.order()), "the array");
}

}  // namespace

std::string npy_header(ElementType type, const std::vector<std::int64_t>& shape, bool by_columns) {
  return header(descriptor(type), shape, by_columns);
}

std::string_view bytes_of(const Array& values) {
  return {static_cast<const char*>(values.data()), static_cast<size_t>(values.bytes())};
}

std::string npy_text_header(size_t size) { return header(fmt::format("|S{}", size), {}, false); }

void write_npy(const std::string& path, const AnyTensor& tensor, const WriteOptions& options) {
  std::vector<Level> reversed = Format::dense(tensor.order()).levels();
  std::reverse(reversed.begin(), reversed.end());
  std::optional<AnyTensor> other;
  const AnyTensor* dense = &tensor;
  bool by_columns = tensor.order() > 1 && tensor.format() == Format(reversed);
  if (!by_columns && !(tensor.format() == Format::dense(tensor.order()))) {
    other = dense_strides(tensor.format(), tensor.dimensions()) ? rearranged(tensor, Format::dense(tensor.order()))
                                                                : made_dense(tensor, path);
    dense = &*other;
  }
  OutputFile file(path, options.progress);
  file.write(npy_header(tensor.type(), tensor.dimensions(), by_columns));
  file.write(bytes_of(dense->values()));
  file.commit();
}

}  // namespace filigree::io
