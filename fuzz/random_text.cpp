#include "fuzz/random_text.h"

#include <random>

#include "fuzz/random_program.h"
#include "notation/parse.h"
#include "notation/program.h"
#include "tensor/format.h"
#include "tests/differential/check_kernel.h"

namespace filigree::fuzz {

std::string random_text(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto upto = [&](std::size_t limit) { return random() % limit; };
  static const char* const tokens[] = {"a",   "b",    "i",  "j",    "(",      ")",  ",",    "=",      "+",
                                       "-",   "*",    "/",  "min(", "sum(k,", "2",  "1.5",  "2i",     "inf",
                                       "nan", " ",    "{",  ";",    "^",      "//", "b(i)", "B(i,j)", "9e999",
                                       "+=",  "min=", "->", ":",    "dense",  "d",  "s:",   "1,0"};
  std::string text;
  switch (upto(3)) {
    case 0:
      for (std::size_t n = upto(60); n > 0; n--) text += static_cast<char>(random());
      return text;
    case 1:
      for (std::size_t n = upto(25); n > 0; n--) text += tokens[upto(std::size(tokens))];
      return text;
    default: text = render(random_sketch(seed)).expression;
  }
  for (std::size_t changes = 1 + upto(3); changes > 0; changes--) {
    std::size_t at = upto(text.size() + 1);
    if (upto(2)) text.erase(at, upto(4));
    else text.insert(at, tokens[upto(std::size(tokens))]);
  }
  return text;
}

std::optional<std::string> check_text(const std::string& text) {
  try {
    std::map<std::string, TensorVar> vars;
    std::vector<notation::Statement> statements;
    for (const notation::Parsed& parsed : notation::parse_program(text).statements) {
      for (const notation::TensorUse& use : parsed.tensors)
        vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
      statements.push_back(notation::resolve(parsed, vars));
    }
    notation::to_string(notation::statements_of(notation::link(statements, {})));
  } catch (const UserError&) {
  } catch (...) {
    return "parse: " + differential::describe_exception();
  }
  for (int order : {0, 1, 2, 3}) {
    try {
      Format format = parse_format(text, order);
      if (!(parse_format(to_string(format), order) == format)) return "a format that prints as another";
    } catch (const UserError&) {
    } catch (...) {
      return "parse_format: " + differential::describe_exception();
    }
  }
  return std::nullopt;
}

}  // namespace filigree::fuzz
