// Matrix times vector and sparse vectors, by hand.
#include <algorithm>

#include "textbook.h"

namespace suite::textbook {

void spmv(const Matrix& a, const double* x, double* y, int threads) {
  const int *start = a.start.data(), *column = a.column.data();
  const double* value = a.value.data();
  std::int64_t rows = a.rows;
#pragma omp parallel for num_threads(threads) schedule(guided, 512)
  for (std::int64_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int p = start[i]; p < start[i + 1]; p++) sum += value[p] * x[column[p]];
    y[i] = sum;
  }
}

void spmv_columns(const Matrix& transposed, const double* x, double* y, int threads) {
  std::size_t rows = static_cast<std::size_t>(transposed.columns);
  std::vector<Vector<double>> sums(static_cast<std::size_t>(threads - 1), Vector<double>(rows));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    double* to = t == 0 ? y : sums[static_cast<std::size_t>(t - 1)].data();
    if (t == 0) std::fill(to, to + rows, 0.0);
    std::int64_t from = transposed.rows * t / threads, end = transposed.rows * (t + 1) / threads;
    for (std::int64_t j = from; j < end; j++)
      for (int p = transposed.start[static_cast<std::size_t>(j)]; p < transposed.start[static_cast<std::size_t>(j) + 1];
           p++)
        to[transposed.column[static_cast<std::size_t>(p)]] += transposed.value[static_cast<std::size_t>(p)] * x[j];
  }
  for (const Vector<double>& sum : sums)
    for (std::size_t i = 0; i < rows; i++) y[i] += sum[i];
}

void spmv_entries(const Entries& a, const double* x, double* y, int threads) {
  const int *row = a.coordinate[0].data(), *column = a.coordinate[1].data();
  const double* value = a.value.data();
  std::int64_t count = a.count();
  std::fill(y, y + a.dimensions[0], 0.0);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    // A row belongs to the thread that has its first entry.
    auto border = [&](std::int64_t at) {
      while (at > 0 && at < count && row[at] == row[at - 1]) at++;
      return at;
    };
    std::int64_t from = border(count * t / threads), end = border(count * (t + 1) / threads);
    for (std::int64_t p = from; p < end; p++) y[row[p]] += value[p] * x[column[p]];
  }
}

Blocks blocks_of(const Matrix& a) {
  Blocks made;
  made.rows = (a.rows + 3) / 4;
  made.start.push_back(0);
  for (std::int64_t ib = 0; ib < made.rows; ib++) {
    std::vector<int> places;
    int first = a.start[static_cast<std::size_t>(4 * ib)];
    int last = a.start[static_cast<std::size_t>(std::min(4 * ib + 4, a.rows))];
    for (int p = first; p < last; p++) places.push_back(a.column[static_cast<std::size_t>(p)] / 4);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::size_t base = made.column.size();
    made.column.insert(made.column.end(), places.begin(), places.end());
    made.value.resize(made.column.size() * 16);
    for (std::int64_t i = 4 * ib; i < std::min(4 * ib + 4, a.rows); i++) {
      for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++) {
        int j = a.column[static_cast<std::size_t>(p)];
        std::size_t at =
            base + static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), j / 4) - places.begin());
        made.value[at * 16 + static_cast<std::size_t>(i % 4 * 4 + j % 4)] = a.value[static_cast<std::size_t>(p)];
      }
    }
    made.start.push_back(static_cast<int>(made.column.size()));
  }
  return made;
}

void spmv_blocks(const Blocks& a, const double* x, double* y, int threads) {
  const int *start = a.start.data(), *column = a.column.data();
  const double* value = a.value.data();
  std::int64_t rows = a.rows;
#pragma omp parallel for num_threads(threads) schedule(guided, 128)
  for (std::int64_t ib = 0; ib < rows; ib++) {
    double sum[4] = {0, 0, 0, 0};
    for (int p = start[ib]; p < start[ib + 1]; p++) {
      const double *block = value + 16 * static_cast<std::int64_t>(p),
                   *from = x + 4 * static_cast<std::int64_t>(column[p]);
      for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) sum[r] += block[4 * r + c] * from[c];
    }
    for (int r = 0; r < 4; r++) y[4 * ib + r] = sum[r];
  }
}

Diagonals diagonals_of(const Matrix& a) {
  Diagonals made;
  made.rows = a.rows;
  std::vector<int> offsets;
  for (std::int64_t i = 0; i < a.rows; i++)
    for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++)
      offsets.push_back(a.column[static_cast<std::size_t>(p)] - static_cast<int>(i));
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  made.offset.assign(offsets.begin(), offsets.end());
  made.value.resize(made.offset.size() * static_cast<std::size_t>(a.rows));
  for (std::int64_t i = 0; i < a.rows; i++) {
    for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++) {
      int offset = a.column[static_cast<std::size_t>(p)] - static_cast<int>(i);
      auto d = std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin();
      made.value[static_cast<std::size_t>(d * a.rows + i)] = a.value[static_cast<std::size_t>(p)];
    }
  }
  return made;
}

void spmv_diagonals(const Diagonals& a, const double* x, double* y, int threads) {
  constexpr std::int64_t piece = 2048;
  std::int64_t rows = a.rows, pieces = (rows + piece - 1) / piece;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t n = 0; n < pieces; n++) {
    std::int64_t first = n * piece, last = std::min(first + piece, rows);
    std::fill(y + first, y + last, 0.0);
    for (std::size_t d = 0; d < a.offset.size(); d++) {
      std::int64_t offset = a.offset[d], from = std::max(first, -offset), end = std::min(last, rows - offset);
      const double* value = a.value.data() + static_cast<std::int64_t>(d) * rows;
#pragma omp simd
      for (std::int64_t i = from; i < end; i++) y[i] += value[i] * x[i + offset];
    }
  }
}

Slots slots_of(const Matrix& a) {
  Slots made{a.rows, 0, {}, {}};
  for (std::int64_t i = 0; i < a.rows; i++)
    made.count = std::max<std::int64_t>(
        made.count, a.start[static_cast<std::size_t>(i) + 1] - a.start[static_cast<std::size_t>(i)]);
  made.column.resize(static_cast<std::size_t>(made.count * a.rows), -1);
  made.value.resize(made.column.size());
  for (std::int64_t i = 0; i < a.rows; i++) {
    int first = a.start[static_cast<std::size_t>(i)];
    for (int p = first; p < a.start[static_cast<std::size_t>(i) + 1]; p++) {
      std::size_t at = static_cast<std::size_t>((p - first) * a.rows + i);
      made.column[at] = a.column[static_cast<std::size_t>(p)];
      made.value[at] = a.value[static_cast<std::size_t>(p)];
    }
  }
  return made;
}

void spmv_slots(const Slots& a, const double* x, double* y, int threads) {
  constexpr std::int64_t piece = 1024;
  std::int64_t rows = a.rows, pieces = (rows + piece - 1) / piece;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t n = 0; n < pieces; n++) {
    std::int64_t first = n * piece, last = std::min(first + piece, rows);
    std::fill(y + first, y + last, 0.0);
    for (std::int64_t s = 0; s < a.count; s++) {
      const int* column = a.column.data() + s * rows;
      const double* value = a.value.data() + s * rows;
      for (std::int64_t i = first; i < last; i++)
        if (column[i] >= 0) y[i] += value[i] * x[column[i]];
    }
  }
}

Matrix lower_half(const Matrix& a) {
  Matrix made;
  made.rows = a.rows;
  made.columns = a.columns;
  made.start.push_back(0);
  for (std::int64_t i = 0; i < a.rows; i++) {
    for (int p = a.start[static_cast<std::size_t>(i)]; p < a.start[static_cast<std::size_t>(i) + 1]; p++) {
      if (a.column[static_cast<std::size_t>(p)] > i) break;
      made.column.push_back(a.column[static_cast<std::size_t>(p)]);
      made.value.push_back(a.value[static_cast<std::size_t>(p)]);
    }
    made.start.push_back(static_cast<int>(made.column.size()));
  }
  return made;
}

void spmv_symmetric(const Matrix& lower, const double* x, double* y, int threads) {
  std::size_t rows = static_cast<std::size_t>(lower.rows);
  std::vector<Vector<double>> sums(static_cast<std::size_t>(threads - 1), Vector<double>(rows));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    double* to = t == 0 ? y : sums[static_cast<std::size_t>(t - 1)].data();
    if (t == 0) std::fill(to, to + rows, 0.0);
    for (std::int64_t i = lower.rows * t / threads; i < lower.rows * (t + 1) / threads; i++) {
      double sum = 0;
      for (int p = lower.start[static_cast<std::size_t>(i)]; p < lower.start[static_cast<std::size_t>(i) + 1]; p++) {
        int j = lower.column[static_cast<std::size_t>(p)];
        double v = lower.value[static_cast<std::size_t>(p)];
        sum += v * x[j];
        if (j < i) to[j] += v * x[i];
      }
      to[i] += sum;
    }
  }
  for (const Vector<double>& sum : sums)
    for (std::size_t i = 0; i < rows; i++) y[i] += sum[i];
}

Matrix one_row(const Entries& vector) {
  return {1, vector.dimensions[0], {0, static_cast<int>(vector.count())}, vector.coordinate[0], vector.value};
}

Matrix add_vectors(const Matrix& b, const Matrix& c) {
  Matrix made{1,
              b.columns,
              {0, 0},
              Vector<int>(b.column.size() + c.column.size()),
              Vector<double>(b.value.size() + c.value.size())};
  const int *bj = b.column.data(), *cj = c.column.data();
  std::size_t p = 0, q = 0, n = 0, b_end = b.column.size(), c_end = c.column.size();
  while (p < b_end && q < c_end) {
    if (bj[p] == cj[q]) {
      made.column[n] = bj[p];
      made.value[n++] = b.value[p++] + c.value[q++];
    } else if (bj[p] < cj[q]) {
      made.column[n] = bj[p];
      made.value[n++] = b.value[p++];
    } else {
      made.column[n] = cj[q];
      made.value[n++] = c.value[q++];
    }
  }
  for (; p < b_end; p++, n++) made.column[n] = bj[p], made.value[n] = b.value[p];
  for (; q < c_end; q++, n++) made.column[n] = cj[q], made.value[n] = c.value[q];
  made.column.resize(n);
  made.value.resize(n);
  made.start[1] = static_cast<int>(n);
  return made;
}

double dot(const Matrix& b, const Matrix& c) {
  const Matrix &few = b.entries() < c.entries() ? b : c, &many = b.entries() < c.entries() ? c : b;
  double sum = 0;
  std::size_t p = 0, q = 0, p_end = few.column.size(), q_end = many.column.size();
  if (p_end * 8 < q_end) {
    // Steps that double, and then halves: a search from where the last one ended.
    for (; p < p_end && q < q_end; p++) {
      std::size_t step = 1;
      while (q + step < q_end && many.column[q + step] < few.column[p]) step *= 2;
      auto from = many.column.begin() + static_cast<std::ptrdiff_t>(q);
      auto to = many.column.begin() + static_cast<std::ptrdiff_t>(std::min(q + step + 1, q_end));
      q = static_cast<std::size_t>(std::lower_bound(from, to, few.column[p]) - many.column.begin());
      if (q < q_end && many.column[q] == few.column[p]) sum += few.value[p] * many.value[q];
    }
    return sum;
  }
  while (p < p_end && q < q_end) {
    int i = few.column[p], j = many.column[q];
    if (i == j) sum += few.value[p] * many.value[q];
    p += i <= j;
    q += j <= i;
  }
  return sum;
}

Matrix spmspv(const Matrix& transposed, const Matrix& x) {
  static Vector<double> sum;
  static Vector<char> is_set;
  sum.resize(static_cast<std::size_t>(transposed.columns));
  is_set.resize(sum.size());
  Matrix made{1, transposed.columns, {0, 0}, {}, {}};
  for (std::size_t n = 0; n < x.column.size(); n++) {
    std::size_t j = static_cast<std::size_t>(x.column[n]);
    for (int p = transposed.start[j]; p < transposed.start[j + 1]; p++) {
      std::size_t i = static_cast<std::size_t>(transposed.column[static_cast<std::size_t>(p)]);
      sum[i] += transposed.value[static_cast<std::size_t>(p)] * x.value[n];
      if (!is_set[i]) is_set[i] = 1, made.column.push_back(static_cast<int>(i));
    }
  }
  if (made.column.size() * 32 < is_set.size()) {
    std::sort(made.column.begin(), made.column.end());
  } else {
    std::size_t n = 0;
    for (std::size_t i = 0; i < is_set.size(); i++)
      if (is_set[i]) made.column[n++] = static_cast<int>(i);
  }
  made.value.resize(made.column.size());
  for (std::size_t n = 0; n < made.column.size(); n++) {
    std::size_t i = static_cast<std::size_t>(made.column[n]);
    made.value[n] = sum[i];
    sum[i] = 0;
    is_set[i] = 0;
  }
  made.start[1] = static_cast<int>(made.column.size());
  return made;
}

void spmspv_rows(const Matrix& a, const Matrix& x, double* scattered, double* y, int threads) {
  for (std::size_t n = 0; n < x.column.size(); n++) scattered[x.column[n]] = x.value[n];
  spmv(a, scattered, y, threads);
  for (int j : x.column) scattered[j] = 0;
}

}  // namespace suite::textbook
