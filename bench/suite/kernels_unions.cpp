// Sums and componentwise products of sparse matrices.
#include "libraries.h"
#include "textbook.h"

namespace suite {

namespace {

struct Operands {
  std::vector<std::shared_ptr<const Matrix>> matrices;
  std::string format;
};

Operands operands(const Race& race, int count) {
  Operands made{{}, race.data == "hypersparse" ? "dcsr" : "csr"};
  for (int n = 0; n < count; n++) made.matrices.push_back(std::make_shared<const Matrix>(race.matrix(1, n)));
  return made;
}

void enter(Race& race, const std::string& text, const Operands& operands, bool in_place = false) {
  const char* names[] = {"B", "C", "D"};
  Statement statement{.text = text, .declared = {}, .operands = {}, .in_place = in_place};
  if (!in_place) statement.declared.emplace("A", operands.format.c_str());
  for (std::size_t n = 0; n < operands.matrices.size(); n++) {
    statement.declared.emplace(names[n], operands.format.c_str());
    statement.operands.emplace_back(names[n], stored(*operands.matrices[n], operands.format));
  }
  race.filigree(statement);
}

void add(Race& race) {
  Operands both = operands(race, 2);
  enter(race, "A(i,j) = B(i,j) + C(i,j)", both);
  by_hand(race, [m = both.matrices, t = race.threads] { return textbook::add(*m[0], *m[1], t); });
  enter_libraries(race, {.operation = Operation::Add, .matrices = both.matrices});
}

void add_three(Race& race) {
  Operands all = operands(race, 3);
  enter(race, "A(i,j) = B(i,j) + C(i,j) + D(i,j)", all);
  by_hand(race, [m = all.matrices, t = race.threads] { return textbook::add(*m[0], *m[1], *m[2], t); });
  enter_libraries(race, {.operation = Operation::Add3, .matrices = all.matrices});
}

void add_transposed(Race& race) {
  Operands one = operands(race, 1);
  enter(race, "A(i,j) = B(i,j) + B(j,i)", one);
  by_hand(race,
          [m = one.matrices, t = race.threads] { return textbook::add(*m[0], textbook::transpose(*m[0], t), t); });
  enter_libraries(race, {.operation = Operation::AddTransposed, .matrices = one.matrices});
}

/// Matrices that have about half of their entries at the same places, so that there is something to multiply.
Operands alike(const Race& race) {
  Operands made = operands(race, 1);
  const Matrix& a = *made.matrices[0];
  for (int n = 1; n < 3; n++) {
    Matrix part{a.rows, a.columns, {0}, {}, {}};
    for (std::int64_t i = 0; i < a.rows; i++) {
      for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++) {
        int j = a.column[static_cast<std::size_t>(p)];
        // At random, so that no processor foresees it.
        std::uint64_t hash = (static_cast<std::uint64_t>(p) * 3 + static_cast<std::uint64_t>(n)) * 0x9e3779b97f4a7c15;
        bool is_moved = ((hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9) >> 63 != 0;
        if (is_moved && j + 1 < a.columns) j++;
        if (!part.column.empty() && static_cast<int>(part.column.size()) > part.start.back() && part.column.back() >= j)
          continue;
        part.column.push_back(j);
        part.value.push_back(a.value[static_cast<std::size_t>(p)] + n);
      }
      part.start.push_back(static_cast<int>(part.column.size()));
    }
    made.matrices.push_back(std::make_shared<const Matrix>(std::move(part)));
  }
  return made;
}

void multiply(Race& race) {
  Operands all = alike(race);
  enter(race, "A(i,j) = B(i,j)*C(i,j)*D(i,j)", all);
  by_hand(race, [m = all.matrices, t = race.threads] { return textbook::multiply(*m[0], *m[1], *m[2], t); });
  enter_libraries(race, {.operation = Operation::Multiply3, .matrices = all.matrices});
}

void inner(Race& race) {
  Operands both = alike(race);
  both.matrices.resize(2);
  enter(race, "s = B(i,j)*C(i,j)", both, true);
  by_hand(race, [m = both.matrices, t = race.threads] { return textbook::sum_of_products(*m[0], *m[1], t); });
  enter_libraries(race, {.operation = Operation::InnerProduct, .matrices = both.matrices});
}

}  // namespace

void add_union_kernels(Kernels& list) {
  list.push_back({"A + B", {"uniform", "banded", "power", "blocks", "hypersparse", "heavy"}, add});
  list.push_back({"A + B + C", {"uniform", "banded", "power"}, add_three});
  list.push_back({"A + A'", {"uniform", "banded", "power", "files"}, add_transposed});
  list.push_back({"hadamard of 3", {"uniform", "banded", "power"}, multiply});
  list.push_back({"inner product", {"uniform", "banded", "power"}, inner});
}

}  // namespace suite
