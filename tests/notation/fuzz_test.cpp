// Random expressions and random bytes, from fixed seeds.
#include <random>

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

/// Expressions of every form the grammar has, over a few tensors of fixed orders.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string statement() {
    static const char* const assignments[] = {" = ", " += ", " -= ", " *= ", " min= ", " max= "};
    std::string left = pick({"r", "r(i)", "r(j,i)"});
    return left + assignments[upto(6)] + expr(4);
  }

  int upto(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string pick(std::initializer_list<const char*> texts) {
    return texts.begin()[upto(static_cast<int>(texts.size()))];
  }

 private:
  std::string expr(int depth) {
    int form = depth == 0 ? upto(4) : upto(16);
    if (form < 1) return number();
    if (form < 4) return access();
    std::string left = expr(depth - 1);
    if (form < 6) return "-" + left;
    if (form < 8) return pick({"(", "(", "conj("}) + left + ")";
    if (form < 9)
      return pick({"sum", "prod", "min_over", "max_over"}) + "(" + pick({"k", "l", "k, l", "m"}) + ", " + left + ")";
    std::string right = expr(depth - 1);
    if (form < 10) return pick({"min(", "max("}) + left + ", " + right + (upto(2) ? ", " + expr(depth - 1) : "") + ")";
    return left + pick({"+", "-", "*", "/", " + ", " * "}) + right;
  }

  std::string number() { return pick({"0", "1", "2", ".5", "1e3", "1.5e-2", "3.0", "2i", "0.1", "127"}); }
  std::string access() {
    return pick({"s", "t", "b(i)", "b(j)", "b(k)", "c(k)", "c(l)", "B(i,j)", "B(i,k)", "B(k,l)", "C(l,m)", "T(i,k,l)"});
  }

  std::mt19937 random_;
};

Types random_types(RandomText& random) {
  static const char* const names[] = {"r", "s", "t", "b", "c", "B", "C", "T"};
  Types types;
  bool mixed = random.upto(2) == 1;
  for (const char* name : names) {
    types[name] = mixed ? all_element_types()[random.upto(13)] : ElementType::Float64;
  }
  return types;
}

std::string literal_types(const Expr& expr) {
  std::string text;
  for_each(expr, [&](const Expr& e) {
    if (e.as<Literal>()) text += to_string(e.type()) + " ";
  });
  return text;
}

TEST(Fuzz, PrintingAndParsingIsTheIdentity) {
  RandomText random(1);
  int accepted = 0;
  for (int n = 0; n < 20000; n++) {
    std::string text = random.statement();
    Types types = random_types(random);
    std::string once;
    ElementType type{};
    std::string literals;
    try {
      Statement statement = from_text(text, types);
      once = to_string(statement);
      type = statement.rhs.type();
      literals = literal_types(statement.rhs);
    } catch (const UserError&) {
      continue;  // a constant without a value, an order of complex numbers, a variable reduced twice
    }
    accepted++;
    Statement again = from_text(once, types);
    ASSERT_EQ(to_string(again), once) << text;
    ASSERT_EQ(again.rhs.type(), type) << text;
    ASSERT_EQ(literal_types(again.rhs), literals) << text << "\n" << once;
    ASSERT_LE(free_vars(again.rhs).size(), again.lhs.indices.size()) << once;
  }
  EXPECT_GT(accepted, 10000);
}

/// Anything but a statement or a UserError is a bug: a crash, an InternalError, another exception.
void parse_anything(const std::string& text) {
  try {
    to_string(from_text(text));
  } catch (const UserError& error) {
    EXPECT_FALSE(error.message().empty());
    EXPECT_FALSE(std::string(error.what()).empty());
  } catch (const std::exception& error) {
    FAIL() << error.what() << "\nfor: " << text;
  }
}

TEST(Fuzz, RandomBytesNeverCrashTheParser) {
  std::mt19937 random(2);
  for (int n = 0; n < 20000; n++) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = static_cast<char>(random());
    parse_anything(text);
  }
}

TEST(Fuzz, RandomTokensNeverCrashTheParser) {
  RandomText random(3);
  for (int n = 0; n < 50000; n++) {
    std::string text = random.upto(2) ? "a(i) = " : "";
    for (int length = random.upto(20); length > 0; length--) {
      text += random.pick({"a", "b", "i",   "j",   "(",      "(",    ")",      ")",   ",",   "=",       "+", "-",
                           "*", "/", "min", "sum", "sum(k,", "min(", "2",      "1.5", "2i",  " ",       "{", "}",
                           ";", "^", "**",  "//",  "<=",     "b(i)", "B(i,j)", "any", "9e9", "\xc3\xa9"});
    }
    parse_anything(text);
  }
}

TEST(Fuzz, MutatedStatementsNeverCrashTheParser) {
  RandomText random(4);
  for (int n = 0; n < 30000; n++) {
    std::string text = random.statement();
    for (int changes = 1 + random.upto(3); changes > 0 && !text.empty(); changes--) {
      size_t at = static_cast<size_t>(random.upto(static_cast<int>(text.size())));
      switch (random.upto(4)) {
        case 0: text.erase(at, 1 + static_cast<size_t>(random.upto(4))); break;
        case 1: text.insert(at, 1, static_cast<char>(random.upto(256))); break;
        case 2: text.insert(at, random.pick({"(", ")", ",", "=", "-", "i", "2", "sum(", "e", "."})); break;
        case 3: text = text.substr(0, at) + text.substr(at / 2); break;
      }
    }
    parse_anything(text);
  }
}

}  // namespace
}  // namespace filigree::notation
