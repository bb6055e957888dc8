// Products of sparse matrices.
#include <limits>

#include "libraries.h"
#include "textbook.h"

namespace suite {

namespace {

using Operand = std::shared_ptr<const Matrix>;

Operand operand(const Race& race, int number) { return std::make_shared<const Matrix>(race.matrix(1, number)); }

/// Both operands have the shape of the data; those of files are the matrix and its transpose.
std::pair<Operand, Operand> operands(const Race& race) {
  Operand b = operand(race, 0);
  if (race.data.find('/') == std::string::npos) return {b, operand(race, 1)};
  return {b, std::make_shared<const Matrix>(transposed(*b))};
}

void spgemm(Race& race, bool is_sorted) {
  auto [b, c] = operands(race);
  std::string format = race.data == "hypersparse" ? "dcsr" : "csr";
  const char* result = is_sorted ? format.c_str() : "csr(unordered)";
  race.filigree({.text = "A(i,j) = B(i,k)*C(k,j)",
                 .declared = {{"A", result}, {"B", format.c_str()}, {"C", format.c_str()}},
                 .operands = {{"B", stored(*b, format)}, {"C", stored(*c, format)}}});
  textbook::Order order = is_sorted ? textbook::Order::Sorted : textbook::Order::AsMade;
  by_hand(race, [b = b, c = c, order, t = race.threads] { return textbook::spgemm(*b, *c, order, t); });
  enter_libraries(race,
                  {.operation = is_sorted ? Operation::SpgemmSorted : Operation::SpgemmAsMade, .matrices = {b, c}});
}

void masked(Race& race) {
  Operand m = operand(race, 2), b = operand(race, 0), c = operand(race, 1);
  race.filigree({.text = "A(i,j) = M(i,j)*B(i,k)*C(k,j)",
                 .declared = {{"A", "csr"}, {"M", "csr"}, {"B", "csr"}, {"C", "csr"}},
                 .operands = {{"M", stored(*m, "csr")}, {"B", stored(*b, "csr")}, {"C", stored(*c, "csr")}}});
  by_hand(race, [m, b, c, t = race.threads] { return textbook::masked_spgemm(*m, *b, *c, t); });
  enter_libraries(race, {.operation = Operation::MaskedSpgemm, .matrices = {m, b, c}});
}

void min_plus(Race& race) {
  Operand b = operand(race, 0), c = operand(race, 1);
  auto with_infinity = [](const Matrix& a) {
    filigree::AnyTensor made = *stored(a, "csr");
    made.set_fill(filigree::Scalar::of(filigree::ElementType::Float64, std::numeric_limits<double>::infinity()));
    return std::make_shared<const filigree::AnyTensor>(std::move(made));
  };
  race.filigree({.text = "A(i,j) min= B(i,k) + C(k,j)",
                 .declared = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
                 .operands = {{"B", with_infinity(*b)}, {"C", with_infinity(*c)}},
                 .fill = std::numeric_limits<double>::infinity()});
  by_hand(race, [b, c, t = race.threads] { return textbook::min_plus(*b, *c, t); });
  enter_libraries(race, {.operation = Operation::MinPlus, .matrices = {b, c}});
}

void chain(Race& race) {
  Operand b = operand(race, 0), c = operand(race, 1), d = operand(race, 2);
  race.filigree({.text = "A(i,j) = B(i,k)*C(k,l)*D(l,j)",
                 .declared = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}},
                 .operands = {{"B", stored(*b, "csr")}, {"C", stored(*c, "csr")}, {"D", stored(*d, "csr")}}});
  by_hand(race, [b, c, d, t = race.threads] {
    Matrix left = textbook::spgemm(*b, *c, textbook::Order::AsMade, t);
    return textbook::spgemm(left, *d, textbook::Order::Sorted, t);
  });
}

void triangles(Race& race) {
  Operand a = operand(race, 0);
  race.filigree({.text = "s = A(i,j)*A(j,k)*A(i,k)",
                 .declared = {{"A", "csr"}},
                 .operands = {{"A", stored(*a, "csr")}},
                 .in_place = true});
  by_hand(race, [a, t = race.threads] { return textbook::triangles(*a, t); });
  enter_libraries(race, {.operation = Operation::Triangles, .matrices = {a}});
}

}  // namespace

void add_product_kernels(Kernels& list) {
  list.push_back({"spgemm",
                  {"uniform", "banded", "power", "blocks", "hypersparse", "files"},
                  [](Race& race) { spgemm(race, true); },
                  0.25});
  list.push_back({"spgemm, unordered", {"uniform", "banded", "power"}, [](Race& race) { spgemm(race, false); }, 0.25});
  list.push_back({"masked product", {"uniform", "banded", "power"}, masked, 0.25});
  list.push_back({"min-plus", {"uniform", "banded"}, min_plus, 0.25});
  list.push_back({"A*B*C", {"uniform", "banded"}, chain, 0.05});
  list.push_back({"sum(A*A*A)", {"uniform", "power"}, triangles, 0.25});
}

}  // namespace suite
