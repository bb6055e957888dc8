#include "io/fill.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/components.h"
#include "io/input.h"
#include "io/number.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"

namespace filigree::io {
namespace {

template <class T>
Parsed parse_part(std::string_view text, T& value) {
  const char* at = text.data();
  const char* end = at + text.size();
  if (text.empty() || is_blank(*at)) return Parsed::NotANumber;
  Parsed parsed = parse_number(at, end, value);
  return parsed == Parsed::Ok && at != end ? Parsed::NotANumber : parsed;
}

}  // namespace

std::string fill_text(const Scalar& fill) {
  Array one(fill.type(), 1);
  one.set(0, fill);
  fmt::memory_buffer text;
  append_value(text, one, 0);
  std::string out = fmt::to_string(text);
  std::replace(out.begin(), out.end(), ' ', ',');
  return out;
}

Scalar parse_fill(std::string_view text, ElementType type, const std::string& path, long line) {
  Array one(type, 1);
  Parsed parsed = Parsed::Ok;
  visit_element_type(type, [&]<class T>(std::type_identity<T>) {
    T& value = one.as<T>()[0];
    if constexpr (!std::is_arithmetic_v<T>) {
      typename T::value_type real = 0, imaginary = 0;
      size_t comma = text.find(',');
      parsed = parse_part(text.substr(0, comma), real);
      if (parsed == Parsed::Ok && comma != text.npos) parsed = parse_part(text.substr(comma + 1), imaginary);
      value = T(real, imaginary);
    } else {
      parsed = parse_part(text, value);
      if (type == ElementType::Bool && parsed == Parsed::Ok && value > T(1)) parsed = Parsed::DoesNotFit;
    }
  });
  if (parsed == Parsed::Ok) return one.get(0);
  std::string what = parsed == Parsed::DoesNotFit
                         ? fmt::format("The fill {} does not fit in {}", quoted(text), to_string(type))
                         : fmt::format("Expected {} as the fill, found {}",
                                       is_complex(type)   ? "real and imaginary part"
                                       : is_integer(type) ? "an integer"
                                                          : "a number",
                                       quoted(text));
  throw UserError(what)
      .at_line(path, line)
      .hint("a fill is written as fill=0, fill=inf, fill=-2.5 or, if it is complex, fill=1,2");
}

}  // namespace filigree::io
