// Sparse matrices with dense and with sparse ones, by hand.
#include <algorithm>
#include <limits>

#include "textbook.h"

namespace suite::textbook {

namespace {

std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Rows are made in pieces, one for each thread, with about the same work, and then put one after the other.  A piece
/// appends its rows to a matrix of its own: `make(first, last, piece)`.
template <class Work, class Make>
Matrix in_pieces(std::int64_t rows, std::int64_t columns, int threads, Work work, Make make) {
  std::vector<std::int64_t> border(as_size(threads) + 1, rows);
  border[0] = 0;
  if (threads > 1) {
    std::vector<double> sum(as_size(rows) + 1);
    for (std::int64_t i = 0; i < rows; i++) sum[as_size(i) + 1] = sum[as_size(i)] + work(i);
    for (int t = 1; t < threads; t++)
      border[as_size(t)] = std::lower_bound(sum.begin(), sum.end(), sum.back() * t / threads) - sum.begin();
  }
  std::vector<Matrix> pieces(as_size(threads));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    Matrix& piece = pieces[as_size(t)];
    piece.start.push_back(0);
    make(border[as_size(t)], border[as_size(t) + 1], piece);
  }
  if (threads == 1) {
    pieces[0].rows = rows;
    pieces[0].columns = columns;
    return std::move(pieces[0]);
  }
  Matrix made{rows, columns, Vector<int>(as_size(rows) + 1), {}, {}};
  std::vector<std::size_t> offset(pieces.size() + 1);
  for (std::size_t t = 0; t < pieces.size(); t++) offset[t + 1] = offset[t] + pieces[t].column.size();
  made.column.resize(offset.back());
  made.value.resize(offset.back());
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int n = 0; n < threads; n++) {
    std::size_t t = as_size(n);
    for (std::size_t r = 1; r < pieces[t].start.size(); r++)
      made.start[as_size(border[t]) + r] = pieces[t].start[r] + static_cast<int>(offset[t]);
    std::copy(pieces[t].column.begin(), pieces[t].column.end(),
              made.column.begin() + static_cast<std::ptrdiff_t>(offset[t]));
    std::copy(pieces[t].value.begin(), pieces[t].value.end(),
              made.value.begin() + static_cast<std::ptrdiff_t>(offset[t]));
  }
  return made;
}

void put(Matrix& to, int column, double value) {
  to.column.push_back(column);
  to.value.push_back(value);
}

void end_row(Matrix& to) { to.start.push_back(static_cast<int>(to.column.size())); }

double length(const Matrix& a, std::int64_t i) { return a.start[as_size(i) + 1] - a.start[as_size(i)]; }

double multiplications(const Matrix& b, const Matrix& c, std::int64_t i) {
  double sum = 1;
  for (int p = b.start[as_size(i)]; p < b.start[as_size(i) + 1]; p++) sum += length(c, b.column[as_size(p)]);
  return sum;
}

/// Gustavson's product: a dense row of sums, the list of its places, and a mark for those that are in it.
template <class Combine>
Matrix product(const Matrix& b, const Matrix& c, Order order, int threads, Combine combine) {
  auto work = [&](std::int64_t i) { return multiplications(b, c, i); };
  return in_pieces(b.rows, c.columns, threads, work, [&](std::int64_t first, std::int64_t last, Matrix& piece) {
    Vector<double> sum(as_size(c.columns));
    Vector<char> is_set(as_size(c.columns));
    std::vector<int> list;
    for (std::int64_t i = first; i < last; i++) {
      list.clear();
      for (int p = b.start[as_size(i)]; p < b.start[as_size(i) + 1]; p++) {
        std::size_t k = as_size(b.column[as_size(p)]);
        double v = b.value[as_size(p)];
        for (int q = c.start[k]; q < c.start[k + 1]; q++) {
          std::size_t j = as_size(c.column[as_size(q)]);
          if (is_set[j]) {
            combine(sum[j], v, c.value[as_size(q)], false);
          } else {
            is_set[j] = 1;
            list.push_back(static_cast<int>(j));
            combine(sum[j], v, c.value[as_size(q)], true);
          }
        }
      }
      if (order == Order::Sorted) std::sort(list.begin(), list.end());
      for (int j : list) {
        put(piece, j, sum[as_size(j)]);
        is_set[as_size(j)] = 0;
      }
      end_row(piece);
    }
  });
}

}  // namespace

template <class T>
void spmm(const Matrix& a, const T* values, const T* x, T* y, int columns, int threads) {
  const int *start = a.start.data(), *column = a.column.data();
  std::int64_t rows = a.rows;
#pragma omp parallel for num_threads(threads) schedule(guided, 64)
  for (std::int64_t i = 0; i < rows; i++) {
    T* to = y + i * columns;
    for (int c = 0; c < columns; c++) to[c] = 0;
    for (int p = start[i]; p < start[i + 1]; p++) {
      const T* from = x + static_cast<std::int64_t>(column[p]) * columns;
      T v = values[p];
#pragma omp simd
      for (int c = 0; c < columns; c++) to[c] += v * from[c];
    }
  }
}
template void spmm<double>(const Matrix&, const double*, const double*, double*, int, int);
template void spmm<float>(const Matrix&, const float*, const float*, float*, int, int);

void sddmm(const Matrix& m, const double* q, const double* k, int length, double* s, int threads) {
  const int *start = m.start.data(), *column = m.column.data();
  const double* value = m.value.data();
  std::int64_t rows = m.rows;
#pragma omp parallel for num_threads(threads) schedule(guided, 64)
  for (std::int64_t i = 0; i < rows; i++) {
    const double* left = q + i * length;
    for (int p = start[i]; p < start[i + 1]; p++) {
      const double* right = k + static_cast<std::int64_t>(column[p]) * length;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int n = 0; n < length; n++) sum += left[n] * right[n];
      s[p] = value[p] * sum;
    }
  }
}

Matrix spgemm(const Matrix& b, const Matrix& c, Order order, int threads) {
  return product(b, c, order, threads,
                 [](double& sum, double x, double y, bool first) { sum = first ? x * y : sum + x * y; });
}

Matrix min_plus(const Matrix& b, const Matrix& c, int threads) {
  return product(b, c, Order::Sorted, threads,
                 [](double& sum, double x, double y, bool first) { sum = first ? x + y : std::min(sum, x + y); });
}

Matrix masked_spgemm(const Matrix& m, const Matrix& b, const Matrix& c, int threads) {
  auto work = [&](std::int64_t i) { return length(m, i) == 0 ? 1 : multiplications(b, c, i); };
  return in_pieces(m.rows, m.columns, threads, work, [&](std::int64_t first, std::int64_t last, Matrix& piece) {
    Vector<double> sum(as_size(c.columns));
    Vector<char> state(as_size(c.columns));  // 1: the mask has it; 2: there is a sum, too
    for (std::int64_t i = first; i < last; i++) {
      for (int p = m.start[as_size(i)]; p < m.start[as_size(i) + 1]; p++) state[as_size(m.column[as_size(p)])] = 1;
      for (int p = b.start[as_size(i)]; length(m, i) > 0 && p < b.start[as_size(i) + 1]; p++) {
        std::size_t k = as_size(b.column[as_size(p)]);
        double v = b.value[as_size(p)];
        for (int q = c.start[k]; q < c.start[k + 1]; q++) {
          std::size_t j = as_size(c.column[as_size(q)]);
          if (state[j] == 0) continue;
          sum[j] = (state[j] == 2 ? sum[j] : 0) + v * c.value[as_size(q)];
          state[j] = 2;
        }
      }
      for (int p = m.start[as_size(i)]; p < m.start[as_size(i) + 1]; p++) {
        std::size_t j = as_size(m.column[as_size(p)]);
        if (state[j] == 2) put(piece, static_cast<int>(j), m.value[as_size(p)] * sum[j]);
        state[j] = 0;
      }
      end_row(piece);
    }
  });
}

double triangles(const Matrix& a, int threads) {
  double sum = 0;
  std::int64_t rows = a.rows;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    Vector<double> row(as_size(a.columns));
#pragma omp for schedule(guided, 16)
    for (std::int64_t i = 0; i < rows; i++) {
      for (int p = a.start[as_size(i)]; p < a.start[as_size(i) + 1]; p++)
        row[as_size(a.column[as_size(p)])] = a.value[as_size(p)];
      for (int p = a.start[as_size(i)]; p < a.start[as_size(i) + 1]; p++) {
        std::size_t j = as_size(a.column[as_size(p)]);
        double inner = 0;
        for (int q = a.start[j]; q < a.start[j + 1]; q++)
          inner += a.value[as_size(q)] * row[as_size(a.column[as_size(q)])];
        sum += a.value[as_size(p)] * inner;
      }
      for (int p = a.start[as_size(i)]; p < a.start[as_size(i) + 1]; p++) row[as_size(a.column[as_size(p)])] = 0;
    }
  }
  return sum;
}

Matrix add(const Matrix& b, const Matrix& c, int threads) {
  auto work = [&](std::int64_t i) { return length(b, i) + length(c, i) + 1; };
  return in_pieces(b.rows, b.columns, threads, work, [&](std::int64_t first, std::int64_t last, Matrix& piece) {
    // There is room for all entries of both, as in SciPy: places that are not used are never touched.
    std::size_t room =
        as_size(b.start[as_size(last)] - b.start[as_size(first)] + c.start[as_size(last)] - c.start[as_size(first)]);
    piece.column.reserve(room);
    piece.value.reserve(room);
    piece.start.reserve(as_size(last - first) + 1);
    for (std::int64_t i = first; i < last; i++, end_row(piece)) {
      int p = b.start[as_size(i)], p_end = b.start[as_size(i) + 1], q = c.start[as_size(i)],
          q_end = c.start[as_size(i) + 1];
      while (p < p_end && q < q_end) {
        int x = b.column[as_size(p)], y = c.column[as_size(q)];
        if (x == y) put(piece, x, b.value[as_size(p++)] + c.value[as_size(q++)]);
        else if (x < y) put(piece, x, b.value[as_size(p++)]);
        else put(piece, y, c.value[as_size(q++)]);
      }
      for (; p < p_end; p++) put(piece, b.column[as_size(p)], b.value[as_size(p)]);
      for (; q < q_end; q++) put(piece, c.column[as_size(q)], c.value[as_size(q)]);
    }
  });
}

Matrix add(const Matrix& b, const Matrix& c, const Matrix& d, int threads) {
  auto work = [&](std::int64_t i) { return length(b, i) + length(c, i) + length(d, i) + 1; };
  return in_pieces(b.rows, b.columns, threads, work, [&](std::int64_t first, std::int64_t last, Matrix& piece) {
    const Matrix* operand[] = {&b, &c, &d};
    std::size_t room = 0;
    for (const Matrix* m : operand) room += as_size(m->start[as_size(last)] - m->start[as_size(first)]);
    piece.column.reserve(room);
    piece.value.reserve(room);
    for (std::int64_t i = first; i < last; i++, end_row(piece)) {
      int at[3], end[3];
      for (int n = 0; n < 3; n++) at[n] = operand[n]->start[as_size(i)], end[n] = operand[n]->start[as_size(i) + 1];
      for (;;) {
        int least = std::numeric_limits<int>::max(), column[3];
        for (int n = 0; n < 3; n++) {
          column[n] = at[n] < end[n] ? operand[n]->column[as_size(at[n])] : std::numeric_limits<int>::max();
          least = std::min(least, column[n]);
        }
        if (least == std::numeric_limits<int>::max()) break;
        double sum = 0;
        for (int n = 0; n < 3; n++)
          if (column[n] == least) sum += operand[n]->value[as_size(at[n]++)];
        put(piece, least, sum);
      }
    }
  });
}

Matrix multiply(const Matrix& b, const Matrix& c, const Matrix& d, int threads) {
  auto work = [&](std::int64_t i) { return length(b, i) + length(c, i) + length(d, i) + 1; };
  return in_pieces(b.rows, b.columns, threads, work, [&](std::int64_t first, std::int64_t last, Matrix& piece) {
    for (std::int64_t i = first; i < last; i++, end_row(piece)) {
      int p = b.start[as_size(i)], q = c.start[as_size(i)], r = d.start[as_size(i)];
      int p_end = b.start[as_size(i) + 1], q_end = c.start[as_size(i) + 1], r_end = d.start[as_size(i) + 1];
      while (p < p_end && q < q_end && r < r_end) {
        int x = b.column[as_size(p)], y = c.column[as_size(q)], z = d.column[as_size(r)],
            most = std::max(x, std::max(y, z));
        if (x == most && y == most && z == most)
          put(piece, x, b.value[as_size(p)] * c.value[as_size(q)] * d.value[as_size(r)]);
        int step = x == y && y == z;
        p += x < most || step;
        q += y < most || step;
        r += z < most || step;
      }
    }
  });
}

double sum_of_products(const Matrix& b, const Matrix& c, int threads) {
  double sum = 0;
  std::int64_t rows = b.rows;
#pragma omp parallel for num_threads(threads) schedule(guided, 64) reduction(+ : sum)
  for (std::int64_t i = 0; i < rows; i++) {
    int p = b.start[as_size(i)], q = c.start[as_size(i)], p_end = b.start[as_size(i) + 1],
        q_end = c.start[as_size(i) + 1];
    while (p < p_end && q < q_end) {
      int x = b.column[as_size(p)], y = c.column[as_size(q)];
      if (x == y) sum += b.value[as_size(p)] * c.value[as_size(q)];
      p += x <= y;
      q += y <= x;
    }
  }
  return sum;
}

Matrix transpose(const Matrix& a, int threads) {
  if (threads == 1) return transposed(a);
  // Every thread counts its rows, and then knows where in each column its entries begin.
  Matrix made{a.columns, a.rows, Vector<int>(as_size(a.columns) + 1), Vector<int>(a.column.size()),
              Vector<double>(a.value.size())};
  std::vector<Vector<int>> next(as_size(threads), Vector<int>(as_size(a.columns)));
  std::vector<std::int64_t> border(as_size(threads) + 1, a.rows);
  for (int t = 0; t < threads; t++)
    border[as_size(t)] = std::lower_bound(a.start.begin(), a.start.end(), a.entries() * t / threads) - a.start.begin();
  border.back() = a.rows;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++)
    for (int p = a.start[as_size(border[as_size(t)])]; p < a.start[as_size(border[as_size(t) + 1])]; p++)
      next[as_size(t)][as_size(a.column[as_size(p)])]++;
  int sum = 0;
  for (std::size_t j = 0; j < as_size(a.columns); j++) {
    for (Vector<int>& list : next) {
      int count = list[j];
      list[j] = sum;
      sum += count;
    }
    made.start[j + 1] = sum;
  }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    for (std::int64_t i = border[as_size(t)]; i < border[as_size(t) + 1]; i++) {
      for (int p = a.start[as_size(i)]; p < a.start[as_size(i) + 1]; p++) {
        std::size_t to = as_size(next[as_size(t)][as_size(a.column[as_size(p)])]++);
        made.column[to] = static_cast<int>(i);
        made.value[to] = a.value[as_size(p)];
      }
    }
  }
  return made;
}

Matrix by_rows(const Entries& entries, int threads) {
  // Two counting sorts: first by columns, then by rows.
  auto sorted_by = [&](const Vector<int>& row, const Vector<int>& column, const Vector<double>& value,
                       std::int64_t rows) {
    Matrix made{rows, 0, Vector<int>(as_size(rows) + 1), Vector<int>(column.size()), Vector<double>(value.size())};
    for (int i : row) made.start[as_size(i) + 1]++;
    for (std::size_t i = 0; i < as_size(rows); i++) made.start[i + 1] += made.start[i];
    Vector<int> next = made.start;
    for (std::size_t n = 0; n < value.size(); n++) {
      std::size_t to = as_size(next[as_size(row[n])]++);
      made.column[to] = column[n];
      made.value[to] = value[n];
    }
    return made;
  };
  Matrix by_columns = sorted_by(entries.coordinate[1], entries.coordinate[0], entries.value, entries.dimensions[1]);
  by_columns.columns = entries.dimensions[0];
  return transpose(by_columns, threads);
}

}  // namespace suite::textbook
