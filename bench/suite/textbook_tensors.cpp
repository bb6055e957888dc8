// Tensors of order three and more, by hand.
#include <algorithm>

#include "textbook.h"

namespace suite::textbook {

namespace {

std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The sum over the nodes from `first` to `last` of level `level`, times rows of the factors: into `to`.
void add_nodes(const Tree& b, const std::vector<const double*>& factors, int columns, std::size_t level, int first,
               int last, double* to, double* temporary) {
  const int* coordinate = b.coordinate[level].data();
  const double* factor = factors[level - 1];
  if (level + 1 == b.coordinate.size()) {
    for (int p = first; p < last; p++) {
      const double* row = factor + static_cast<std::int64_t>(coordinate[p]) * columns;
      double v = b.value[as_size(p)];
#pragma omp simd
      for (int r = 0; r < columns; r++) to[r] += v * row[r];
    }
    return;
  }
  for (int p = first; p < last; p++) {
    std::fill(temporary, temporary + columns, 0.0);
    add_nodes(b, factors, columns, level + 1, b.start[level + 1][as_size(p)], b.start[level + 1][as_size(p) + 1],
              temporary, temporary + columns);
    const double* row = factor + static_cast<std::int64_t>(coordinate[p]) * columns;
#pragma omp simd
    for (int r = 0; r < columns; r++) to[r] += temporary[r] * row[r];
  }
}

/// Merges the children of one node of each operand, from `level` on.
class Adding {
 public:
  Adding(const Tree& b, const Tree& c) : b_(b), c_(c) {
    made_.dimensions = b.dimensions;
    made_.start.resize(b.start.size());
    made_.coordinate.resize(b.start.size());
    for (std::size_t level = 0; level < made_.start.size(); level++) {
      made_.start[level].push_back(0);
      made_.coordinate[level].reserve(b.coordinate[level].size() + c.coordinate[level].size());
    }
    made_.value.reserve(b.value.size() + c.value.size());
  }
  Tree result() {
    merge(0, 0, static_cast<int>(b_.coordinate[0].size()), 0, static_cast<int>(c_.coordinate[0].size()));
    made_.start[0].push_back(static_cast<int>(made_.coordinate[0].size()));
    return std::move(made_);
  }

 private:
  void merge(std::size_t level, int p, int p_end, int q, int q_end) {
    const int *x = b_.coordinate[level].data(), *y = c_.coordinate[level].data();
    bool is_last = level + 1 == made_.start.size();
    while (p < p_end || q < q_end) {
      bool left = p < p_end && (q == q_end || x[p] <= y[q]), right = q < q_end && (p == p_end || y[q] <= x[p]);
      made_.coordinate[level].push_back(left ? x[p] : y[q]);
      if (is_last) {
        made_.value.push_back((left ? b_.value[as_size(p)] : 0) + (right ? c_.value[as_size(q)] : 0));
      } else {
        const Vector<int>&from = b_.start[level + 1], &other = c_.start[level + 1];
        merge(level + 1, left ? from[as_size(p)] : 0, left ? from[as_size(p) + 1] : 0, right ? other[as_size(q)] : 0,
              right ? other[as_size(q) + 1] : 0);
        made_.start[level + 1].push_back(static_cast<int>(made_.coordinate[level + 1].size()));
      }
      p += left;
      q += right;
    }
  }
  const Tree &b_, &c_;
  Tree made_;
};

}  // namespace

void ttv(const Tree& b, const double* c, double* y, int threads) {
  std::int64_t columns = b.dimensions[1], count = static_cast<std::int64_t>(b.coordinate[0].size());
  const int *j = b.coordinate[1].data(), *k = b.coordinate[2].data(), *start = b.start[2].data();
  const double* value = b.value.data();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < b.dimensions[0]; i++) std::fill(y + i * columns, y + (i + 1) * columns, 0.0);
#pragma omp parallel for num_threads(threads) schedule(guided, 8)
  for (std::int64_t n = 0; n < count; n++) {
    double* row = y + b.coordinate[0][as_size(n)] * columns;
    for (int p = b.start[1][as_size(n)]; p < b.start[1][as_size(n) + 1]; p++) {
      double sum = 0;
      for (int q = start[p]; q < start[p + 1]; q++) sum += value[q] * c[k[q]];
      row[j[p]] = sum;
    }
  }
}

void ttm(const Tree& b, const double* c, int columns, double* y, int threads) {
  std::int64_t nodes = static_cast<std::int64_t>(b.coordinate[1].size());
  const int *k = b.coordinate[2].data(), *start = b.start[2].data();
  const double* value = b.value.data();
#pragma omp parallel for num_threads(threads) schedule(guided, 64)
  for (std::int64_t p = 0; p < nodes; p++) {
    double* to = y + p * columns;
    std::fill(to, to + columns, 0.0);
    for (int q = start[p]; q < start[p + 1]; q++) {
      const double* row = c + static_cast<std::int64_t>(k[q]) * columns;
#pragma omp simd
      for (int l = 0; l < columns; l++) to[l] += value[q] * row[l];
    }
  }
}

void mttkrp(const Tree& b, const std::vector<const double*>& factors, int columns, double* a, int threads) {
  std::int64_t count = static_cast<std::int64_t>(b.coordinate[0].size());
  std::fill(a, a + b.dimensions[0] * columns, 0.0);
#pragma omp parallel for num_threads(threads) schedule(guided, 4)
  for (std::int64_t n = 0; n < count; n++) {
    std::vector<double> temporary(as_size(columns) * b.coordinate.size());
    add_nodes(b, factors, columns, 1, b.start[1][as_size(n)], b.start[1][as_size(n) + 1],
              a + static_cast<std::int64_t>(b.coordinate[0][as_size(n)]) * columns, temporary.data());
  }
}

double inner_product(const Tree& b, const Tree& c) {
  double sum = 0;
  auto meet = [&](auto&& meet, std::size_t level, int p, int p_end, int q, int q_end) -> void {
    const int *x = b.coordinate[level].data(), *y = c.coordinate[level].data();
    bool is_last = level + 1 == b.start.size();
    while (p < p_end && q < q_end) {
      if (x[p] == y[q]) {
        if (is_last) sum += b.value[as_size(p)] * c.value[as_size(q)];
        else
          meet(meet, level + 1, b.start[level + 1][as_size(p)], b.start[level + 1][as_size(p) + 1],
               c.start[level + 1][as_size(q)], c.start[level + 1][as_size(q) + 1]);
      }
      int i = x[p], j = y[q];
      p += i <= j;
      q += j <= i;
    }
  };
  meet(meet, 0, 0, static_cast<int>(b.coordinate[0].size()), 0, static_cast<int>(c.coordinate[0].size()));
  return sum;
}

Tree add(const Tree& b, const Tree& c) { return Adding(b, c).result(); }

}  // namespace suite::textbook
