#include "input.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "io/files.h"
#include "io/number.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

/// A whole text as a number; nothing if it is none.
std::optional<double> parse_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) number = std::strtod(std::string(text).c_str(), nullptr);
  return number;
}

/// 2i, 1+2i, -1.5e3-2i; also a real number.
std::optional<std::complex<double>> parse_complex(const std::string& text) {
  if (std::optional<double> real = parse_double(text)) return *real;
  if (text.size() < 2 || text.back() != 'i') return std::nullopt;
  std::string body = text.substr(0, text.size() - 1);
  // The sign between the parts is the last one that does not belong to an exponent.
  size_t sign = std::string::npos;
  for (size_t n = 1; n < body.size(); n++) {
    if ((body[n] == '+' || body[n] == '-') && body[n - 1] != 'e' && body[n - 1] != 'E') sign = n;
  }
  std::optional<double> real = sign == std::string::npos ? 0 : parse_double(body.substr(0, sign));
  std::optional<double> imaginary = parse_double(sign == std::string::npos ? body : body.substr(sign));
  if (!real || !imaginary) return std::nullopt;
  return std::complex<double>(*real, *imaginary);
}

/// 3, and also 3.0 and 3e2.
template <class T>
bool parse_integer(const std::string& text, T& value) {
  const char* at = text.data();
  const char* end = at + text.size();
  return io::parse_number(at, end, value) == io::Parsed::Ok && at == end;
}

std::optional<bool> parse_truth(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

/// What a scalar can be given as.
bool is_value(const std::string& text) { return parse_truth(text) || parse_complex(text); }

std::optional<RandomInput> parse_random(const Setting& setting) {
  const std::string& text = setting.value;
  std::string word = lower_case(text.substr(0, text.find('(')));
  if (trim(word) != "random") return std::nullopt;
  RandomInput input{1, 0};
  if (word.size() == text.size()) return input;
  auto wrong = [&](const std::string& what) {
    return UserError(fmt::format("Cannot read '{}' for '{}': {}", text, setting.name, what))
        .hint("write random(DENSITY,SEED), such as random(0.01,42)");
  };
  if (text.back() != ')') throw wrong("the closing ')' is missing");
  std::vector<std::string> parts = split(text.substr(word.size() + 1, text.size() - word.size() - 2), ',');
  if (parts.size() > 2) throw wrong("it has more than a density and a seed");
  std::optional<double> density = parse_double(trim(parts[0]));
  if (!density || !(*density >= 0 && *density <= 1)) throw wrong("the density is not a number from 0 to 1");
  input.density = *density;
  long long seed = 0;
  if (parts.size() == 2 && (!parse_int64(trim(parts[1]), seed) || seed < 0))
    throw wrong("the seed is not a whole number from 0 on");
  input.seed = static_cast<std::uint64_t>(seed);
  return input;
}

/// NAME=FILE,NAME=FILE,...
std::optional<ArraysInput> parse_arrays(const Setting& setting) {
  const std::string& text = setting.value;
  if (!is_identifier(trim(text.substr(0, text.find('=')))) || text.find('=') == std::string::npos) return std::nullopt;
  ArraysInput input;
  for (const std::string& part : split(text, ',')) {
    size_t equals = part.find('=');
    std::string name = trim(part.substr(0, equals)),
                file = equals == std::string::npos ? "" : trim(part.substr(equals + 1));
    if (!is_identifier(name) || file.empty())
      throw UserError(fmt::format("Cannot read '{}' for '{}': '{}' is not NAME=FILE", text, setting.name, part))
          .hint(fmt::format("write arrays as in -i {}:pos=pos.npy,crd=crd.npy,vals=vals.npy", setting.name));
    for (const auto& [known, other] : input.files) {
      if (known == name) throw UserError(fmt::format("The array '{}' of '{}' is given twice", name, setting.name));
    }
    input.files.emplace_back(name, file);
  }
  return input;
}

}  // namespace

Input parse_input(const Setting& setting, int order) {
  const std::string& text = setting.value;
  if (order == 0 && is_value(text)) return NumberInput{text};
  if (text == "ones") return ConstantInput{1};
  if (text == "zeros") return ConstantInput{0};
  if (std::optional<RandomInput> random = parse_random(setting)) return *random;
  if (order > 0) {
    if (std::optional<ArraysInput> arrays = parse_arrays(setting)) return *arrays;
  }
  if (is_file_name(text)) return FileInput{text};
  if (order > 0 && is_value(text)) {
    throw UserError(
        fmt::format("'{}' has {}, but '{}' is a scalar's value", setting.name, counted(order, "dimension"), text))
        .hint(fmt::format("give a file, or ones, zeros or random(DENSITY,SEED), as in -i {}:ones", setting.name));
  }
  UserError error(fmt::format("Cannot tell what '{}' is, given for '{}'", text, setting.name));
  if (auto guess = did_you_mean(text, {"ones", "zeros", "random"}))
    throw std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
  throw std::move(error).hint(fmt::format("it takes a file that ends in {}; {}-, ones, zeros or random(DENSITY,SEED)",
                                          describe_extensions(), order == 0 ? "a number, true, false, " : ""));
}

Scalar parse_number(const std::string& text, std::optional<ElementType> type, const std::string& name) {
  if (std::optional<bool> truth = parse_truth(text))
    return Scalar::boolean(*truth).cast(type.value_or(ElementType::Bool));
  std::optional<std::complex<double>> parsed = parse_complex(text);
  if (!parsed)
    throw UserError(fmt::format("'{}', given for '{}', is not a number", text, name))
        .hint("values are written as 2, -1.5, 1e-3, inf, 1+2i, true or false");
  std::complex<double> number = *parsed;
  if (!type) type = text.back() == 'i' ? ElementType::Complex128 : ElementType::Float64;
  auto wrong = [&](const std::string& what) {
    return UserError(fmt::format("The value {} of '{}' {}", text, name, what));
  };
  bool is_infinite = std::isinf(number.real()) || std::isinf(number.imag());
  if (is_infinite && lower_case(text).find("inf") == std::string::npos)
    throw wrong("is too large for " + to_string(*type)).hint("write inf if that is meant");
  if (number.imag() != 0 && !is_complex(*type)) throw wrong("is complex, but its type is " + to_string(*type));
  if (!is_integer(*type) && *type != ElementType::Bool) return Scalar::of(*type, number);
  std::int64_t integer = 0;
  if (parse_integer(text, integer)) {
    Scalar value = Scalar::of(ElementType::Int64, integer).cast(*type);
    bool fits = *type == ElementType::UInt64 ? integer >= 0 : value.cast(ElementType::Int64).as_int() == integer;
    if (fits) return value;
  } else if (std::uint64_t wide = 0; *type == ElementType::UInt64 && parse_integer(text, wide)) {
    return Scalar::of(*type, static_cast<std::int64_t>(wide));
  }
  throw wrong("does not fit its type " + to_string(*type));
}

}  // namespace filigree::tool
