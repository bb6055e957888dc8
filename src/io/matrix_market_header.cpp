#include <fmt/format.h>

#include "io/fill.h"
#include "io/matrix_market.h"
#include "io/number.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::io {
namespace {

enum class Object { Matrix, Vector, Tensor };

/// "float complex" and "double complex", without their second word.
std::optional<ElementType> complex_of(const std::string& part) {
  if (part == "float") return ElementType::Complex64;
  if (part == "double") return ElementType::Complex128;
  return std::nullopt;
}

std::string join_words(const std::vector<std::string_view>& words) {
  return join(std::vector<std::string>(words.begin(), words.end()), " ");
}

class HeaderReader {
 public:
  explicit HeaderReader(const TextFile& file) : file_(file), cursor_{file.begin, file.end} {}

  MatrixMarketHeader read() {
    read_banner();
    std::string_view sizes = read_comments();
    read_sizes(sizes);
    check_symmetry();
    check_vector();
    header_.body = cursor_;
    return header_;
  }

 private:
  /// An error at the line that the cursor has just passed.
  UserError error(const std::string& message) const { return UserError(message).at_line(file_.path, cursor_.line - 1); }

  template <class Value>
  Value choose(std::string_view word, const char* what, const std::vector<std::pair<const char*, Value>>& choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
      if (lower_case(word) == name) return value;
      names.push_back(name);
    }
    UserError unknown = error(fmt::format("Unknown {} {} in the Matrix Market banner", what, quoted(word)));
    if (auto close = did_you_mean(lower_case(word), names))
      std::move(unknown).hint(fmt::format("did you mean '{}'?", *close));
    throw std::move(unknown).hint(fmt::format("it can be {}", join(names, ", ")));
  }

  void read_banner() {
    if (cursor_.at_end()) {
      throw UserError("The file is empty")
          .at_line(file_.path, 0)
          .hint("a Matrix Market file starts with '%%MatrixMarket matrix coordinate real general'");
    }
    std::vector<std::string_view> banner = words(cursor_.next());
    // One % is what some old programs write; it cannot be mistaken for anything else.
    std::string first = banner.empty() ? "" : lower_case(banner[0]);
    if (first != "%%matrixmarket" && first != "%matrixmarket") {
      throw error("The first line is not a Matrix Market banner")
          .hint("start the file with a line such as '%%MatrixMarket matrix coordinate real general'");
    }
    if (banner.size() < 2) throw incomplete_banner("object (matrix, vector or tensor)");
    object_ = choose<Object>(banner[1], "object",
                             {{"matrix", Object::Matrix}, {"vector", Object::Vector}, {"tensor", Object::Tensor}});
    if (banner.size() < 3) throw incomplete_banner("format (coordinate or array)");
    header_.is_array = choose<bool>(banner[2], "format", {{"coordinate", false}, {"array", true}});
    if (banner.size() < 4) throw incomplete_banner("field (real, integer, complex or pattern)");
    read_field(banner[3]);
    // Writers of vectors and tensors may leave the symmetry out: there is no other choice.
    if (banner.size() < 5 && object_ == Object::Matrix) throw incomplete_banner("symmetry (general, symmetric, ...)");
    if (banner.size() >= 5) {
      header_.symmetry = choose<Symmetry>(banner[4], "symmetry",
                                          {{"general", Symmetry::General},
                                           {"symmetric", Symmetry::Symmetric},
                                           {"skew-symmetric", Symmetry::SkewSymmetric},
                                           {"hermitian", Symmetry::Hermitian}});
    }
    if (banner.size() > 5) throw error(fmt::format("Unexpected {} after the Matrix Market banner", quoted(banner[5])));
    check_combination();
  }

  UserError incomplete_banner(const char* missing) const {
    return error(fmt::format("The Matrix Market banner ends before the {}", missing))
        .hint("a complete banner is '%%MatrixMarket matrix coordinate real general'");
  }

  void read_field(std::string_view word) {
    field_ = lower_case(word);
    struct Field {
      ElementType type;
      bool is_pattern;
    };
    Field field = choose<Field>(word, "field",
                                {{"real", {ElementType::Float64, false}},
                                 {"double", {ElementType::Float64, false}},
                                 {"integer", {ElementType::Int64, false}},
                                 {"unsigned-integer", {ElementType::UInt64, false}},
                                 {"complex", {ElementType::Complex128, false}},
                                 {"pattern", {ElementType::Float64, true}}});
    header_.type = field.type;
    header_.is_pattern = field.is_pattern;
  }

  void check_combination() const {
    if (header_.is_pattern && header_.is_array) {
      throw error("A pattern cannot be an array: an array has values only").hint("write it as 'coordinate pattern'");
    }
    if (header_.symmetry == Symmetry::Hermitian && !is_complex(header_.type)) {
      throw error(fmt::format("Only complex matrices are hermitian, but the field is '{}'", field_))
          .hint("write 'symmetric' instead");
    }
    if (header_.symmetry == Symmetry::SkewSymmetric && header_.is_pattern) {
      throw error("A pattern has no signs, so it cannot be skew-symmetric").hint("write 'symmetric' instead");
    }
    if (header_.symmetry == Symmetry::SkewSymmetric && header_.type == ElementType::UInt64) throw unsigned_skew();
  }

  UserError unsigned_skew() const {
    return error("Unsigned values cannot be skew-symmetric: half of them would be negative").hint("use a signed type");
  }

  /// Skips comments and blank lines; returns the line with the sizes.
  std::string_view read_comments() {
    while (!cursor_.at_end()) {
      std::string_view line = cursor_.next();
      std::vector<std::string_view> found = words(line);
      if (found.empty()) continue;
      if (found[0][0] != '%') return line;
      if (found.size() >= 3 && lower_case(found[0]) == "%%graphblas" && lower_case(found[1]) == "type")
        read_type(found);
      if (join_words(found) == vector_mark) header_.is_vector = true;
      if (found.size() == 2 && found[0] == std::string("%") + filigree_mark && found[1].starts_with(fill_word)) {
        header_.fill = found[1].substr(std::string_view(fill_word).size());
        header_.fill_line = cursor_.line - 1;
        if (header_.fill.empty())
          throw error("The value behind 'fill=' is missing").hint("write it without a blank, as in %filigree fill=inf");
      }
    }
    throw error("The file ends before the line with the sizes")
        .hint("after the banner and comments comes a line such as '3 4 12'");
  }

  /// "%%GraphBLAS type uint8_t": the type that values have, more exactly than the banner can say it.
  void read_type(const std::vector<std::string_view>& found) {
    std::string name = lower_case(found[2]);
    if (name.ends_with("_t")) name.resize(name.size() - 2);
    bool complex = found.size() > 3 && lower_case(found[3]) == "complex";
    std::optional<ElementType> type = complex ? complex_of(name) : parse_element_type(name);
    std::string written(found[2].data(), found.back().data() + found.back().size());
    if (!type) {
      throw error(fmt::format("Unknown type {}", quoted(written)))
          .hint(
              "types are bool, int8_t to int64_t, uint8_t to uint64_t, float, double, 'float complex' and 'double "
              "complex'");
    }
    if (!header_.is_pattern && filigree::is_complex(*type) != is_complex(header_.type)) {
      throw error(fmt::format("The type {} contradicts the field '{}' of the banner", quoted(written), field_))
          .hint("write the field that goes with the type, or remove the type");
    }
    bool is_unsigned = (is_integer(*type) && !is_signed_integer(*type)) || *type == ElementType::Bool;
    if (is_unsigned && header_.symmetry == Symmetry::SkewSymmetric) throw unsigned_skew();
    header_.type = *type;
  }

  void read_sizes(std::string_view line) {
    std::vector<std::int64_t> sizes;
    for (std::string_view word : words(line)) {
      long long value = 0;
      bool overflow = false;
      if (!parse_int64(word, value, &overflow) && !overflow) {
        throw error(fmt::format("Expected a size, found {}", quoted(word))).hint(size_line_hint());
      }
      if (overflow)
        throw error(fmt::format("The size {} does not fit in 64 bits", quoted(word))).hint(size_line_hint());
      if (value < 0) throw error(fmt::format("The size {} is negative", value)).hint(size_line_hint());
      sizes.push_back(value);
    }
    size_t expected = (object_ == Object::Vector ? 1 : 2) + (header_.is_array ? 0 : 1);
    bool good = object_ == Object::Tensor ? sizes.size() >= 1 : sizes.size() == expected;
    if (!good) {
      throw error(fmt::format("Expected {}, found {}", counted(expected, "size"), sizes.size())).hint(size_line_hint());
    }
    if (!header_.is_array) {
      header_.count = sizes.back();
      sizes.pop_back();
    }
    header_.dimensions = sizes;
  }

  std::string size_line_hint() const {
    std::string dimensions = object_ == Object::Matrix   ? "rows and columns"
                             : object_ == Object::Vector ? "the length"
                                                         : "all dimensions";
    return "the line has " + dimensions + (header_.is_array ? "" : ", then the number of entries");
  }

  void check_symmetry() const {
    if (header_.symmetry == Symmetry::General) return;
    if (header_.dimensions.size() != 2)
      throw error("Only matrices can be symmetric").hint("write 'general' in the banner");
    if (header_.dimensions[0] != header_.dimensions[1]) {
      throw error(fmt::format("A symmetric matrix must be square, but this one is {} x {}", header_.dimensions[0],
                              header_.dimensions[1]))
          .hint("write 'general' in the banner and give all entries");
    }
  }

  void check_vector() const {
    if (!header_.is_vector || header_.dimensions.size() == 1) return;
    if (header_.dimensions.size() != 2 || header_.dimensions[1] != 1) {
      throw error(fmt::format("A comment says '{}', but the file has more than one column", vector_mark))
          .hint("remove the comment");
    }
  }

  const TextFile& file_;
  Cursor cursor_;
  Object object_ = Object::Matrix;
  std::string field_;
  MatrixMarketHeader header_;
};

}  // namespace

MatrixMarketHeader read_matrix_market_header(const TextFile& file) { return HeaderReader(file).read(); }

}  // namespace filigree::io
