// Matrix times vector, and sparse vectors.
#include "libraries.h"
#include "textbook.h"

namespace suite {

namespace {

using Row = std::shared_ptr<const Matrix>;

std::shared_ptr<const Vector<double>> values(std::int64_t count) {
  return std::make_shared<const Vector<double>>(make_values(count, 9));
}

/// y = A x with A in some format; `make` runs it by hand in that format.
template <class Hand>
void times_vector(Race& race, const Matrix& matrix, const std::string& format, Hand hand) {
  auto a = std::make_shared<const Matrix>(matrix);
  auto x = values(a->columns);
  race.filigree({.text = "y(i) = A(i,j)*x(j)",
                 .declared = {{"A", format.c_str()}, {"y", "dense"}},
                 .operands = {{"A", stored(*a, format)}, {"x", dense(*x, {a->columns})}},
                 .in_place = true});
  hand(a, x);
  if (format != "csr") return;  // libraries are compared where they store the same
  enter_libraries(race, {.operation = Operation::Spmv, .matrices = {a}, .dense = {x}});
}

void spmv_csr(Race& race) {
  times_vector(race, race.matrix(), "csr", [&](auto a, auto x) {
    by_hand_into(race, a->rows, 0, [a, x, t = race.threads](double* y) { textbook::spmv(*a, x->data(), y, t); });
  });
}

void spmv_ell(Race& race) {
  times_vector(race, race.matrix(), "ell", [&](auto a, auto x) {
    auto slots = std::make_shared<const textbook::Slots>(textbook::slots_of(*a));
    by_hand_into(race, a->rows, 0,
                 [slots, x, t = race.threads](double* y) { textbook::spmv_slots(*slots, x->data(), y, t); });
  });
}

void spmv_coo(Race& race) {
  times_vector(race, race.matrix(), "coo", [&](auto a, auto x) {
    auto e = std::make_shared<const Entries>(entries_of(*a));
    by_hand_into(race, a->rows, 0,
                 [e, x, t = race.threads](double* y) { textbook::spmv_entries(*e, x->data(), y, t); });
  });
}

void spmv_dia(Race& race) {
  times_vector(race, race.matrix(), "dia", [&](auto a, auto x) {
    auto d = std::make_shared<const textbook::Diagonals>(textbook::diagonals_of(*a));
    by_hand_into(race, a->rows, 0,
                 [d, x, t = race.threads](double* y) { textbook::spmv_diagonals(*d, x->data(), y, t); });
  });
}

void spmv_bcsr(Race& race) {
  times_vector(race, race.matrix(), "bcsr(4,4)", [&](auto a, auto x) {
    auto b = std::make_shared<const textbook::Blocks>(textbook::blocks_of(*a));
    by_hand_into(race, a->rows, 0, [b, x, t = race.threads](double* y) { textbook::spmv_blocks(*b, x->data(), y, t); });
  });
}

void spmv_symmetric(Race& race) {
  Matrix a = race.matrix();
  for (std::int64_t i = 0; i < a.rows; i++)
    for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++)
      a.value[static_cast<std::size_t>(p)] = static_cast<double>((i + a.column[static_cast<std::size_t>(p)]) % 8 + 1);
  times_vector(race, a, "symmetric", [&](auto whole, auto x) {
    auto lower = std::make_shared<const Matrix>(textbook::lower_half(*whole));
    by_hand_into(race, whole->rows, 0,
                 [lower, x, t = race.threads](double* y) { textbook::spmv_symmetric(*lower, x->data(), y, t); });
  });
}

void spmv_transposed(Race& race) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  auto x = values(a->rows);
  race.filigree({.text = "y(i) = A(j,i)*x(j)",
                 .declared = {{"A", "csr"}, {"y", "dense"}},
                 .operands = {{"A", stored(*a, "csr")}, {"x", dense(*x, {a->rows})}},
                 .in_place = true});
  by_hand_into(race, a->columns, 0,
               [a, x, t = race.threads](double* y) { textbook::spmv_columns(*a, x->data(), y, t); });
  enter_libraries(race, {.operation = Operation::SpmvTransposed, .matrices = {a}, .dense = {x}});
}

/// Next to nothing to do: what a call costs, with a result that is there and with one that is made.
void call(Race& race) {
  Matrix a{16, 16, {}, {}, {}};
  for (int i = 0; i <= 16; i++) a.start.push_back(i);
  for (int i = 0; i < 16; i++) a.column.push_back(15 - i), a.value.push_back(i + 1);
  times_vector(race, a, "csr", [&](auto m, auto x) {
    race.filigree({.text = "y(i) = A(i,j)*x(j)",
                   .declared = {{"A", "csr"}, {"y", "dense"}},
                   .operands = {{"A", stored(*m, "csr")}, {"x", dense(*x, {m->columns})}}},
                  "filigree, new result");
    by_hand_into(race, m->rows, 0, [m, x](double* y) { textbook::spmv(*m, x->data(), y, 1); });
  });
}

void sparse_vector(Race& race, double share) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  Entries listed = make_vector(a->columns, static_cast<std::int64_t>(share * static_cast<double>(a->columns)));
  auto x = std::make_shared<const Matrix>(textbook::one_row(listed));
  race.filigree({.text = "y(i) = A(i,j)*x(j)",
                 .declared = {{"A", "csc"}, {"x", "sparse"}, {"y", "sparse"}},
                 .operands = {{"A", stored(*a, "csc")}, {"x", stored(listed, "sparse")}}});
  if (race.alone) return;
  auto by_columns = std::make_shared<const Matrix>(transposed(*a));
  auto result = std::make_shared<std::optional<Matrix>>();
  race.peer({.name = "by hand",
             .run = [result, by_columns, x] { result->emplace(textbook::spmspv(*by_columns, *x)); },
             .answer = [result] { return answer_of_row(**result); },
             .before = [result] { result->reset(); }});
  enter_libraries(race, {.operation = Operation::SpmspvSparse, .matrices = {a, x}});
}

void sparse_vector_rows(Race& race) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  Entries listed = make_vector(a->columns, a->columns / 10);
  auto x = std::make_shared<const Matrix>(textbook::one_row(listed));
  race.filigree({.text = "y(i) = A(i,j)*x(j)",
                 .declared = {{"A", "csr"}, {"x", "sparse"}, {"y", "dense"}},
                 .operands = {{"A", stored(*a, "csr")}, {"x", stored(listed, "sparse")}},
                 .in_place = true});
  auto scattered = std::make_shared<Vector<double>>(static_cast<std::size_t>(a->columns));
  by_hand_into(race, a->rows, 0, [a, x, scattered, t = race.threads](double* y) {
    textbook::spmspv_rows(*a, *x, scattered->data(), y, t);
  });
  enter_libraries(race, {.operation = Operation::SpmspvDense, .matrices = {a, x}});
}

struct Pair {
  Entries b, c;
  Row b_row, c_row;
};

/// The second one has a tenth of the entries of the first, or as many.
Pair vectors(const Race& race, bool are_alike) {
  std::int64_t extent = static_cast<std::int64_t>(1e7 * race.size), count = extent / 10;
  Pair made{make_vector(extent, count, 0), make_vector(extent, are_alike ? count : count / 10, 1), nullptr, nullptr};
  made.b_row = std::make_shared<const Matrix>(textbook::one_row(made.b));
  made.c_row = std::make_shared<const Matrix>(textbook::one_row(made.c));
  return made;
}

void add_vectors(Race& race, bool are_alike) {
  Pair pair = vectors(race, are_alike);
  race.filigree({.text = "a(i) = b(i) + c(i)",
                 .declared = {{"a", "sparse"}, {"b", "sparse"}, {"c", "sparse"}},
                 .operands = {{"b", stored(pair.b, "sparse")}, {"c", stored(pair.c, "sparse")}}});
  if (race.alone) return;
  auto result = std::make_shared<std::optional<Matrix>>();
  race.peer({.name = "by hand",
             .run = [result, b = pair.b_row, c = pair.c_row] { result->emplace(textbook::add_vectors(*b, *c)); },
             .answer = [result] { return answer_of_row(**result); },
             .before = [result] { result->reset(); }});
  enter_libraries(race, {.operation = Operation::AddVectors, .matrices = {pair.b_row, pair.c_row}});
}

void dot(Race& race, bool are_alike) {
  Pair pair = vectors(race, are_alike);
  race.filigree({.text = "s = b(i)*c(i)",
                 .declared = {{"b", "sparse"}, {"c", "sparse"}},
                 .operands = {{"b", stored(pair.b, "sparse")}, {"c", stored(pair.c, "sparse")}},
                 .in_place = true});
  by_hand(race, [b = pair.b_row, c = pair.c_row] { return textbook::dot(*b, *c); });
  enter_libraries(race, {.operation = Operation::Dot, .matrices = {pair.b_row, pair.c_row}});
}

}  // namespace

void add_vector_kernels(Kernels& list) {
  list.push_back({"spmv csr", {"uniform", "banded", "power", "blocks", "heavy", "files"}, spmv_csr});
  list.push_back({"spmv coo", {"uniform", "power"}, spmv_coo});
  list.push_back({"spmv dia", {"banded"}, spmv_dia});
  list.push_back({"spmv ell", {"uniform", "banded"}, spmv_ell});
  list.push_back({"spmv bcsr", {"blocks"}, spmv_bcsr});
  list.push_back({"spmv symmetric", {"banded"}, spmv_symmetric});
  list.push_back({"spmv transposed", {"uniform", "power"}, spmv_transposed});
  list.push_back({"spmv 16 entries", {"tiny"}, call});
  list.push_back({"spmspv columns 10%", {"uniform", "power"}, [](Race& race) { sparse_vector(race, 0.1); }});
  list.push_back({"spmspv columns 0.1%", {"uniform", "power"}, [](Race& race) { sparse_vector(race, 0.001); }});
  list.push_back({"spmspv rows 10%", {"uniform", "power"}, sparse_vector_rows});
  list.push_back({"vectors added, 1 : 1", {"uniform"}, [](Race& race) { add_vectors(race, true); }});
  list.push_back({"vectors added, 1 : 10", {"uniform"}, [](Race& race) { add_vectors(race, false); }});
  list.push_back({"dot 1 : 1", {"uniform"}, [](Race& race) { dot(race, true); }});
  list.push_back({"dot 1 : 10", {"uniform"}, [](Race& race) { dot(race, false); }});
}

}  // namespace suite
