#include "emit/functions.h"

#include <fmt/format.h>

#include "algebra/user_function.h"
#include "emit/c_expression.h"

namespace filigree::emit {
namespace {

std::string min_or_max(const std::string& name, ElementType type, bool smaller) {
  std::string condition = smaller ? "b < a" : "b >= a";
  std::string note;
  if (is_floating(type)) {
    condition += " || b != b";
    note = "  /* NaN wins, as in NumPy */";
  }
  return fmt::format("static inline {0} {1}({0} a, {0} b) {{ return {2} ? b : a; }}{3}\n", c_name(type), name,
                     condition, note);
}

/// Textbook complex arithmetic: no attempt to recover infinities from NaNs, no library call.  Single
/// precision is computed in double and rounded once.
std::string complex_operation(const std::string& name, ElementType type, bool product) {
  const char* round = type == ElementType::Complex64 ? "(float)" : "";
  std::string divisor = product ? "" : "  double d = b_re * b_re + b_im * b_im;\n";
  std::string real = product ? "(a_re * b_re - a_im * b_im)" : "((a_re * b_re + a_im * b_im) / d)";
  std::string imaginary = product ? "(a_re * b_im + a_im * b_re)" : "((a_im * b_re - a_re * b_im) / d)";
  return fmt::format(
      "static inline {0} {1}({0} a, {0} b) {{\n"
      "  double a_re = __real__ a, a_im = __imag__ a, b_re = __real__ b, b_im = __imag__ b;\n"
      "{2}"
      "  return __builtin_complex({3}{4}, {3}{5});\n"
      "}}\n",
      c_name(type), name, divisor, round, real, imaginary);
}

std::string one_line(ElementType type, const std::string& name, const char* parameters, const std::string& value) {
  std::string list;
  for (const char* p = parameters; *p; p++) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", c_name(type), *p);
  return fmt::format("static inline {} {}({}) {{ return {}; }}\n", c_name(type), name, list, value);
}

std::string floor_divide_text(const std::string& name, ElementType type) {
  if (is_floating(type)) {
    return fmt::format(R"(/* Python's a // b: rounded down. */
static inline {0} {1}({0} a, {0} b) {{
  if (b == 0) return a / b;
  {0} rest = __builtin_fmod{2}(a, b), ratio = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) ratio -= 1;
  if (ratio == 0) return __builtin_copysign{2}(0, a / b);
  {0} down = __builtin_floor{2}(ratio);
  return ratio - down > 0.5{2} ? down + 1 : down;
}}
)",
                       c_name(type), name, type == ElementType::Float32 ? "f" : "");
  }
  if (!is_signed_integer(type)) return one_line(type, name, "ab", "b == 0 ? 0 : a / b");
  return fmt::format(R"(/* Python's a // b: rounded down; 0 for b = 0. */
static inline {0} {1}({0} a, {0} b) {{
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}}
)",
                     c_name(type), name);
}

std::string remainder_text(const std::string& name, ElementType type) {
  if (is_floating(type)) {
    return fmt::format(R"(/* Python's a % b: what a // b leaves, with the sign of b. */
static inline {0} {1}({0} a, {0} b) {{
  {0} rest = __builtin_fmod{2}(a, b);
  if (b == 0) return rest;
  if (rest == 0) return __builtin_copysign{2}(0, b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}}
)",
                       c_name(type), name, type == ElementType::Float32 ? "f" : "");
  }
  if (!is_signed_integer(type)) return one_line(type, name, "ab", "b == 0 ? 0 : a % b");
  return fmt::format(R"(/* Python's a % b: what a // b leaves, with the sign of b; 0 for b = 0. */
static inline {0} {1}({0} a, {0} b) {{
  if (b == 0 || b == -1) return 0;
  {0} rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}}
)",
                     c_name(type), name);
}

/// Whole powers by multiplication: exact where that is.
std::string complex_power_text(const std::string& name, ElementType type) {
  return fmt::format(R"(static inline {0} {1}({0} a, {0} b) {{
  double a_re = __real__ a, a_im = __imag__ a, b_re = __real__ b, re = a_re, im = a_im;
  if (b == 0) return 1;
  if (a == 0) return __imag__ b == 0 && b_re > 0 ? 0 : __builtin_nan("");
  if (__imag__ b != 0 || __builtin_fabs(b_re) > 100 || b_re != __builtin_floor(b_re)) return __builtin_cpow(a, b);
  for (int n = (int)__builtin_fabs(b_re); n > 1; n--) {{
    double next = re * a_re - im * a_im;
    im = re * a_im + im * a_re;
    re = next;
  }}
  if (b_re < 0) {{
    double d = re * re + im * im;
    re = re / d;
    im = -im / d;
  }}
  return __builtin_complex({2}re, {2}im);
}}
)",
                     c_name(type), name, type == ElementType::Complex64 ? "(float)" : "");
}

/// By squaring; a negative power is rounded towards 0.
std::string power_text(const std::string& name, ElementType type) {
  if (is_complex(type)) return complex_power_text(name, type);
  std::string negative =
      !is_signed_integer(type) ? "" : "  if (b < 0) return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? -1 : 0;\n";
  return fmt::format(R"(static inline {0} {1}({0} a, {0} b) {{
{2}  uint64_t result = 1, base = (uint64_t)a;
  for (uint64_t exponent = (uint64_t)b; exponent > 0; exponent >>= 1, base *= base) {{
    if (exponent & 1) result *= base;
  }}
  return ({0})result;
}}
)",
                     c_name(type), name, negative);
}

std::string sign_text(const std::string& name, ElementType type) {
  if (is_floating(type)) return one_line(type, name, "a", "a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a");
  return one_line(type, name, "a", is_signed_integer(type) ? "(a > 0) - (a < 0)" : "a > 0");
}

std::string user_text(const std::string& name, const UserFunction& function, ElementType type) {
  std::string parameters;
  for (const std::string& parameter : function.parameters)
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", c_name(type), parameter);
  return fmt::format("static inline {} {}({}) {{ return {}; }}\n", c_name(result_of(function, type)), name, parameters,
                     function.c_expression);
}

// What C leaves open: numbers that do not fit saturate, and NaN becomes 0.
const char* const i64_of_text = R"(static inline int64_t i64_of(double x) {
  return x >= 0x1p63 ? INT64_MAX : x >= -0x1p63 ? (int64_t)x : x != x ? 0 : -INT64_MAX - 1;
}
)";
const char* const u64_of_text = R"(static inline uint64_t u64_of(double x) {
  return x >= 0x1p64 ? ~(uint64_t)0 : x > 0 ? (uint64_t)x : 0;
}
)";

}  // namespace

std::string function_text(const std::set<std::string>& helpers) {
  std::string out;
  if (helpers.contains("i64_of")) out += i64_of_text;
  if (helpers.contains("u64_of")) out += u64_of_text;
  for (ElementType type : all_element_types()) {
    std::string suffix = "_" + type_suffix(type);
    auto add = [&](const std::string& helper, auto text) {
      std::string name = helper + suffix;
      if (helpers.contains(name)) out += text(name);
    };
    add("min", [&](const std::string& name) { return min_or_max(name, type, true); });
    add("max", [&](const std::string& name) { return min_or_max(name, type, false); });
    add("multiply", [&](const std::string& name) { return complex_operation(name, type, true); });
    add("divide", [&](const std::string& name) { return complex_operation(name, type, false); });
    add("floor_divide", [&](const std::string& name) { return floor_divide_text(name, type); });
    add("remainder", [&](const std::string& name) { return remainder_text(name, type); });
    add("power", [&](const std::string& name) { return power_text(name, type); });
    add("abs", [&](const std::string& name) { return one_line(type, name, "a", "a < 0 ? -a : a"); });
    add("sign", [&](const std::string& name) { return sign_text(name, type); });
    for (Operator op : writable_operators()) {
      if (is_user_function(op))
        add(std::string("user_") + facts(op).name,
            [&](const std::string& name) { return user_text(name, user_function(op), type); });
    }
  }
  return out;
}

}  // namespace filigree::emit
