// Tensors of order three and more.
#include "race.h"
#include "textbook.h"

namespace suite {

namespace {

using Shared = std::shared_ptr<const Tree>;

Entries tensor(const Race& race, int order, int number = 0) {
  std::int64_t extent = order == 3 ? 1000 : order == 4 ? 300 : 100;
  return make_tensor(race.data, order, extent, static_cast<std::int64_t>(1e6 * race.size), number);
}

void ttv(Race& race) {
  Entries b = tensor(race, 3);
  std::int64_t extent = b.dimensions[0];
  auto c = std::make_shared<const Vector<double>>(make_values(extent, 3));
  race.filigree({.text = "A(i,j) = B(i,j,k)*c(k)",
                 .declared = {{"A", "dense"}, {"B", "csf"}},
                 .operands = {{"B", stored(b, "csf")}, {"c", dense(*c, {extent})}},
                 .in_place = true});
  Shared tree = std::make_shared<const Tree>(tree_of(b));
  by_hand_into(race, extent * extent, extent,
               [tree, c, t = race.threads](double* y) { textbook::ttv(*tree, c->data(), y, t); });
}

void ttm(Race& race) {
  constexpr int columns = 16;
  Entries b = tensor(race, 3);
  std::int64_t extent = b.dimensions[0];
  auto c = std::make_shared<const Vector<double>>(make_values(extent * columns, 3));
  race.filigree({.text = "A(i,j,l) = B(i,j,k)*C(k,l)",
                 .declared = {{"A", "ssd"}, {"B", "csf"}},
                 .operands = {{"B", stored(b, "csf")}, {"C", dense(*c, {extent, columns})}},
                 .in_place = true});
  if (race.alone) return;
  Shared tree = std::make_shared<const Tree>(tree_of(b));
  auto y = std::make_shared<Vector<double>>(tree->coordinate[1].size() * columns);
  race.peer({.name = "by hand",
             .run = [tree, c, y, t = race.threads] { textbook::ttm(*tree, c->data(), columns, y->data(), t); },
             .answer =
                 [tree, y] {
                   Answer answer;
                   for (std::size_t n = 0; n < tree->coordinate[0].size(); n++) {
                     for (int p = tree->start[1][n]; p < tree->start[1][n + 1]; p++) {
                       for (int l = 0; l < columns; l++) {
                         std::int64_t at[] = {tree->coordinate[0][n], tree->coordinate[1][static_cast<std::size_t>(p)],
                                              l};
                         answer.add(at, (*y)[static_cast<std::size_t>(p) * columns + static_cast<std::size_t>(l)]);
                       }
                     }
                   }
                   return answer;
                 }});
}

void mttkrp(Race& race, int order, int columns) {
  const char* texts[] = {"A(i,r) = B(i,j,k)*C(j,r)*D(k,r)", "A(i,r) = B(i,j,k,l)*C(j,r)*D(k,r)*E(l,r)",
                         "A(i,r) = B(i,j,k,l,m)*C(j,r)*D(k,r)*E(l,r)*F(m,r)"};
  const char* names[] = {"C", "D", "E", "F"};
  Entries b = tensor(race, order);
  std::int64_t extent = b.dimensions[0];
  Statement statement{.text = texts[order - 3],
                      .declared = {{"A", "dense"}, {"B", "csf"}},
                      .operands = {{"B", stored(b, "csf")}},
                      .in_place = true};
  auto kept = std::make_shared<std::vector<Vector<double>>>();
  for (int n = 0; n + 1 < order; n++) {
    kept->push_back(make_values(extent * columns, n));
    statement.operands.emplace_back(names[n], dense(kept->back(), {extent, columns}));
  }
  race.filigree(statement);
  Shared tree = std::make_shared<const Tree>(tree_of(b));
  by_hand_into(race, extent * columns, columns, [tree, kept, columns, t = race.threads](double* a) {
    std::vector<const double*> factors;
    for (const Vector<double>& factor : *kept) factors.push_back(factor.data());
    textbook::mttkrp(*tree, factors, columns, a, t);
  });
}

void add(Race& race) {
  Entries b = tensor(race, 3), c = tensor(race, 3, 1);
  race.filigree({.text = "A(i,j,k) = B(i,j,k) + C(i,j,k)",
                 .declared = {{"A", "csf"}, {"B", "csf"}, {"C", "csf"}},
                 .operands = {{"B", stored(b, "csf")}, {"C", stored(c, "csf")}}});
  by_hand(race, [left = tree_of(b), right = tree_of(c)] { return textbook::add(left, right); });
}

void inner(Race& race) {
  Entries b = tensor(race, 3), c = tensor(race, 3, 1);
  race.filigree({.text = "s = B(i,j,k)*C(i,j,k)",
                 .declared = {{"B", "csf"}, {"C", "csf"}},
                 .operands = {{"B", stored(b, "csf")}, {"C", stored(c, "csf")}},
                 .in_place = true});
  by_hand(race, [left = tree_of(b), right = tree_of(c)] { return textbook::inner_product(left, right); });
}

}  // namespace

void add_tensor_kernels(Kernels& list) {
  list.push_back({"ttv", {"uniform", "power"}, ttv});
  list.push_back({"ttm 16", {"uniform", "power"}, ttm});
  list.push_back({"mttkrp 32", {"uniform", "power"}, [](Race& race) { mttkrp(race, 3, 32); }});
  list.push_back({"mttkrp 32, order 4", {"uniform", "power"}, [](Race& race) { mttkrp(race, 4, 32); }});
  list.push_back({"mttkrp 16, order 5", {"uniform"}, [](Race& race) { mttkrp(race, 5, 16); }});
  list.push_back({"tensors added", {"uniform", "power"}, add});
  list.push_back({"inner product of tensors", {"uniform", "power"}, inner});
}

}  // namespace suite
