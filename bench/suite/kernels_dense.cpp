// A sparse matrix and dense ones.
#include "libraries.h"
#include "textbook.h"

namespace suite {

namespace {

void spmm(Race& race, int columns) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  auto x = std::make_shared<const Vector<double>>(make_values(a->columns * columns, 3));
  race.filigree({.text = "Y(i,j) = A(i,k)*X(k,j)",
                 .declared = {{"A", "csr"}, {"Y", "dense"}},
                 .operands = {{"A", stored(*a, "csr")}, {"X", dense(*x, {a->columns, columns})}},
                 .in_place = true});
  by_hand_into(race, a->rows * columns, columns, [a, x, columns, t = race.threads](double* y) {
    textbook::spmm(*a, a->value.data(), x->data(), y, columns, t);
  });
  enter_libraries(race, {.operation = Operation::Spmm, .matrices = {a}, .dense = {x}, .columns = columns});
}

void spmm_float(Race& race, int columns) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  auto x = std::make_shared<const Vector<double>>(make_values(a->columns * columns, 3));
  auto single = std::make_shared<const filigree::AnyTensor>(stored(*a, "csr")->cast<float>());
  filigree::ElementType type = filigree::ElementType::Float32;
  race.tolerance = 1e-5;
  race.filigree({.text = "Y(i,j) = A(i,k)*X(k,j)",
                 .declared = {{"A", {"csr", type}}, {"X", {"dense", type}}, {"Y", {"dense", type}}},
                 .operands = {{"A", single}, {"X", dense_float(*x, {a->columns, columns})}},
                 .in_place = true});
  if (race.alone) return;
  struct State {
    Vector<float> values, x, y;
  };
  auto state = std::make_shared<State>(State{{a->value.begin(), a->value.end()}, {x->begin(), x->end()}, {}});
  state->y.resize(static_cast<std::size_t>(a->rows * columns));
  race.peer(
      {.name = "by hand",
       .run =
           [a, state, columns, t = race.threads] {
             textbook::spmm(*a, state->values.data(), state->x.data(), state->y.data(), columns, t);
           },
       .answer = [state, columns] { return answer_of(Vector<double>(state->y.begin(), state->y.end()), columns); }});
  enter_libraries(race, {.operation = Operation::SpmmFloat, .matrices = {a}, .dense = {x}, .columns = columns});
}

/// S(i,j) = M(i,j)*Q(i,k)*K(j,k): the values of a matrix with the pattern of M.
void sddmm(Race& race, int length) {
  auto m = std::make_shared<const Matrix>(race.matrix());
  auto q = std::make_shared<const Vector<double>>(make_values(m->rows * length, 3));
  auto k = std::make_shared<const Vector<double>>(make_values(m->columns * length, 4));
  race.filigree({.text = "S(i,j) = M(i,j)*Q(i,k)*K(j,k)",
                 .declared = {{"S", "csr"}, {"M", "csr"}},
                 .operands = {{"M", stored(*m, "csr")},
                              {"Q", dense(*q, {m->rows, length})},
                              {"K", dense(*k, {m->columns, length})}},
                 .in_place = true});
  if (race.alone) return;
  auto result = std::make_shared<Matrix>(*m);
  race.peer({.name = "by hand",
             .run = [m, q, k, result, length,
                     t = race.threads] { textbook::sddmm(*m, q->data(), k->data(), length, result->value.data(), t); },
             .answer = [result] { return answer_of(*result); }});
  enter_libraries(race, {.operation = Operation::Sddmm, .matrices = {m}, .dense = {q, k}, .columns = length});
}

}  // namespace

void add_dense_kernels(Kernels& list) {
  list.push_back({"spmm 8", {"uniform", "banded", "power"}, [](Race& race) { spmm(race, 8); }, 0.5});
  list.push_back({"spmm 32", {"uniform", "banded", "power"}, [](Race& race) { spmm(race, 32); }, 0.25});
  list.push_back(
      {"spmm 128", {"uniform", "banded", "power", "blocks", "files"}, [](Race& race) { spmm(race, 128); }, 0.25});
  list.push_back({"spmm 8, float32", {"uniform"}, [](Race& race) { spmm_float(race, 8); }, 0.5});
  list.push_back({"spmm 128, float32", {"uniform", "banded"}, [](Race& race) { spmm_float(race, 128); }, 0.25});
  list.push_back({"sddmm 32", {"uniform", "power"}, [](Race& race) { sddmm(race, 32); }, 0.25});
  list.push_back({"sddmm 128", {"uniform", "banded", "power"}, [](Race& race) { sddmm(race, 128); }, 0.25});
}

}  // namespace suite
