#include "algebra/element_type.h"

#include <algorithm>

namespace filigree {
namespace {

enum class Family { Bool, Signed, Unsigned, Floating, Complex };

struct Facts {
  ElementType type;
  const char* name;
  const char* c_name;
  Family family;
  int bytes;
};

constexpr Facts table[] = {
    {ElementType::Bool, "bool", "uint8_t", Family::Bool, 1},
    {ElementType::Int8, "int8", "int8_t", Family::Signed, 1},
    {ElementType::Int16, "int16", "int16_t", Family::Signed, 2},
    {ElementType::Int32, "int32", "int32_t", Family::Signed, 4},
    {ElementType::Int64, "int64", "int64_t", Family::Signed, 8},
    {ElementType::UInt8, "uint8", "uint8_t", Family::Unsigned, 1},
    {ElementType::UInt16, "uint16", "uint16_t", Family::Unsigned, 2},
    {ElementType::UInt32, "uint32", "uint32_t", Family::Unsigned, 4},
    {ElementType::UInt64, "uint64", "uint64_t", Family::Unsigned, 8},
    {ElementType::Float32, "float32", "float", Family::Floating, 4},
    {ElementType::Float64, "float64", "double", Family::Floating, 8},
    {ElementType::Complex64, "complex64", "float _Complex", Family::Complex, 8},
    {ElementType::Complex128, "complex128", "double _Complex", Family::Complex, 16},
};

const Facts& facts(ElementType type) { return table[static_cast<int>(type)]; }

ElementType integer_of(Family family, int bytes) {
  for (const Facts& f : table) {
    if (f.family == family && f.bytes == bytes) return f.type;
  }
  return ElementType::Float64;  // no integer is wide enough: NumPy falls back to float64
}

/// How wide a real float must be to hold every value of a type, by NumPy's rule.
int float_bytes_for(ElementType type) {
  const Facts& f = facts(type);
  switch (f.family) {
    case Family::Bool: return 4;
    case Family::Signed:
    case Family::Unsigned: return f.bytes <= 2 ? 4 : 8;
    case Family::Floating: return f.bytes;
    case Family::Complex: return f.bytes / 2;
  }
  return 8;
}

}  // namespace

bool is_integer(ElementType type) {
  return facts(type).family == Family::Signed || facts(type).family == Family::Unsigned;
}
bool is_signed_integer(ElementType type) { return facts(type).family == Family::Signed; }
bool is_floating(ElementType type) { return facts(type).family == Family::Floating; }
bool is_complex(ElementType type) { return facts(type).family == Family::Complex; }
int size_in_bytes(ElementType type) { return facts(type).bytes; }
std::string to_string(ElementType type) { return facts(type).name; }
std::string cpp_name(ElementType type) {
  switch (facts(type).family) {
    case Family::Bool: return "bool";
    case Family::Signed:
    case Family::Unsigned: return std::string("std::") + facts(type).c_name;
    case Family::Floating: return facts(type).c_name;
    case Family::Complex: return type == ElementType::Complex64 ? "std::complex<float>" : "std::complex<double>";
  }
  return "";
}

int alignment(ElementType type) { return is_complex(type) ? facts(type).bytes / 2 : facts(type).bytes; }

std::string c_name(ElementType type) { return facts(type).c_name; }

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const Facts& f : table) {
    if (text == f.name) return f.type;
  }
  if (text.size() > 2 && text.substr(text.size() - 2) == "_t")
    return parse_element_type(text.substr(0, text.size() - 2));
  if (text == "float") return ElementType::Float32;
  if (text == "double") return ElementType::Float64;
  if (text == "int") return ElementType::Int32;
  if (text == "long") return ElementType::Int64;
  if (text == "complex") return ElementType::Complex128;
  return std::nullopt;
}

const std::vector<ElementType>& all_element_types() {
  static const std::vector<ElementType> types = [] {
    std::vector<ElementType> all;
    for (const Facts& f : table) all.push_back(f.type);
    return all;
  }();
  return types;
}

ElementType promote(ElementType a, ElementType b) {
  if (a == b) return a;
  Family fa = facts(a).family, fb = facts(b).family;
  if (fa == Family::Bool) return b;
  if (fb == Family::Bool) return a;
  int wide = std::max(facts(a).bytes, facts(b).bytes);
  if (fa == Family::Complex || fb == Family::Complex || fa == Family::Floating || fb == Family::Floating) {
    int real = std::max(float_bytes_for(a), float_bytes_for(b));
    bool complex = fa == Family::Complex || fb == Family::Complex;
    if (complex) return real == 4 ? ElementType::Complex64 : ElementType::Complex128;
    return real == 4 ? ElementType::Float32 : ElementType::Float64;
  }
  if (fa == fb) return integer_of(fa, wide);
  int unsigned_bytes = fa == Family::Unsigned ? facts(a).bytes : facts(b).bytes;
  int signed_bytes = fa == Family::Signed ? facts(a).bytes : facts(b).bytes;
  return integer_of(Family::Signed, signed_bytes > unsigned_bytes ? signed_bytes : 2 * unsigned_bytes);
}

}  // namespace filigree
