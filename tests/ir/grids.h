// Kernels for GPUs, written by hand in the IR's own text; capitals stand for numbers that a test chooses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/parse.h"

namespace filigree::ir::testing {

/// The text with numbers in place of the words in capitals.
inline std::string with_numbers(std::string text, const std::map<std::string, std::int64_t>& numbers) {
  for (const auto& [word, number] : numbers) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.replace(at, word.size(), std::to_string(number));
  }
  return text;
}

/// y(i) = B(i,j) * x(j), B in CSR, around device code that computes d_y from d_pos, d_crd, d_vals and d_x.
inline std::string spmv_on_device(const std::string& launch) {
  return R"(function spmv(y, B, x) {
  out y_vals: float64[y_size] is y.arrays[0]
  in rows: int64 is B.dimensions[0]
  in B2_pos: int32[] is B.arrays[0]
  in B2_crd: int32[] is B.arrays[1]
  in B_vals: float64[] is B.arrays[2]
  in entries: int64 is B.arrays[2].count
  in x_vals: float64[] is x.arrays[0]
  in columns: int64 is x.arrays[0].count
  local d_pos: int32[] on device
  local d_crd: int32[] on device
  local d_vals: float64[] on device
  local d_x: float64[] on device
  local d_y: float64[] on device

  var y_size: int64 = rows
  alloc d_pos[rows + 1]
  alloc d_crd[entries]
  alloc d_vals[entries]
  alloc d_x[columns]
  alloc zero d_y[rows]
  copy d_pos = B2_pos[rows + 1]
  copy d_crd = B2_crd[entries]
  copy d_vals = B_vals[entries]
  copy d_x = x_vals[columns]
)" + launch +
         R"(
  alloc y_vals[rows]
  copy y_vals = d_y[rows]
  free d_pos
  free d_crd
  free d_vals
  free d_x
  free d_y
}
)";
}

/// A thread has a row.
inline const std::string spmv_by_rows = spmv_on_device(R"(
  block for b = 0 .. (rows + THREADS - 1) // THREADS {
    thread for t = 0 .. THREADS {
      var i: int64 = b * THREADS + t
      if i < rows {
        var sum: float64 = 0.0
        for p = int64(d_pos[i]) .. int64(d_pos[i + 1]) {
          sum = sum + d_vals[p] * d_x[int64(d_crd[p])]
        }
        d_y[i] = sum
      }
    }
  }
)");

/// A warp has TURNS times 32 entries.  Lanes whose entries are of one row are summed; rows may begin in one warp and
/// end in another.
inline const std::string spmv_by_entries = spmv_on_device(R"(
  var blocks: int64 = (entries + WARPS * TURNS * 32 - 1) // (WARPS * TURNS * 32)
  block for b = 0 .. blocks {
    warp for w = 0 .. WARPS {
      var begin: int64 = (b * WARPS + w) * TURNS * 32
      thread for t = 0 .. 32 {
        var sum: float64 = 0.0
        var first: bool = false
        for turn = 0 .. TURNS {
          var p: int64 = begin + turn * 32 + t
          var i: int64 = -1
          var product: float64 = 0.0
          if p < entries {
            i = search(d_pos, 0, rows + 1, p + 1) - 1
            product = d_vals[p] * d_x[int64(d_crd[p])]
          }
          lanes sum, first = add(product) by i
          if first and i >= 0 {
            atomic d_y[i] = d_y[i] + sum
          }
        }
      }
    }
  }
)");

/// s = sum of x(i): threads sum what is far apart, then halve their number until one is left.  THREADS is a power of
/// two.
inline const std::string sum_in_blocks = R"(function sum(s, x) {
  out s_vals: float64[s_size] is s.arrays[0]
  in x_vals: float64[] is x.arrays[0]
  in n: int64 is x.arrays[0].count
  local d_x: float64[] on device
  local d_s: float64[] on device
  local tile: float64[] shared

  var s_size: int64 = 1
  alloc d_x[n]
  alloc zero d_s[1]
  copy d_x = x_vals[n]
  block for b = 0 .. BLOCKS {
    alloc tile[THREADS]
    thread for t = 0 .. THREADS {
      var sum: float64 = 0.0
      var i: int64 = b * THREADS + t
      while i < n {
        sum = sum + d_x[i]
        i = i + BLOCKS * THREADS
      }
      tile[t] = sum
      barrier block
      var width: int64 = THREADS // 2
      while width > 0 {
        if t < width {
          tile[t] = tile[t] + tile[t + width]
        }
        barrier block
        width = width // 2
      }
      if t == 0 {
        atomic d_s[0] = d_s[0] + tile[0]
      }
    }
  }
  alloc s_vals[1]
  copy s_vals = d_s[1]
  free d_x
  free d_s
}
)";

/// The same sum: lanes first, then the first warp sums what the warps have.
inline const std::string sum_in_warps = R"(function sum(s, x) {
  out s_vals: float64[s_size] is s.arrays[0]
  in x_vals: float64[] is x.arrays[0]
  in n: int64 is x.arrays[0].count
  local d_x: float64[] on device
  local d_s: float64[] on device
  local of_warp: float64[] shared

  var s_size: int64 = 1
  alloc d_x[n]
  alloc zero d_s[1]
  copy d_x = x_vals[n]
  block for b = 0 .. BLOCKS {
    alloc of_warp[WARPS]
    warp for w = 0 .. WARPS {
      thread for t = 0 .. 32 {
        var sum: float64 = 0.0
        var i: int64 = (b * WARPS + w) * 32 + t
        while i < n {
          sum = sum + d_x[i]
          i = i + BLOCKS * WARPS * 32
        }
        lanes sum = add(sum)
        if t == 0 {
          of_warp[w] = sum
        }
        barrier block
        if w == 0 {
          var part: float64 = 0.0
          if t < WARPS {
            part = of_warp[t]
          }
          lanes part = add(part)
          if t == 0 {
            atomic d_s[0] = d_s[0] + part
          }
        }
      }
    }
  }
  alloc s_vals[1]
  copy s_vals = d_s[1]
  free d_x
  free d_s
}
)";

/// A(i,j) = B(i,k) * C(k,j), all dense by rows: a block has a square of A with SIDE rows and AREA elements, and goes
/// through B and C in such squares.
inline const std::string tiled_product = R"(function product(A, B, C) {
  out A_vals: float64[A_size] is A.arrays[0]
  in B_vals: float64[] is B.arrays[0]
  in C_vals: float64[] is C.arrays[0]
  in rows: int64 is B.dimensions[0]
  in inner: int64 is B.dimensions[1]
  in columns: int64 is C.dimensions[1]
  local d_A: float64[] on device
  local d_B: float64[] on device
  local d_C: float64[] on device
  local tile_B: float64[] shared
  local tile_C: float64[] shared

  var A_size: int64 = rows * columns
  alloc d_A[A_size]
  alloc d_B[rows * inner]
  alloc d_C[inner * columns]
  copy d_B = B_vals[rows * inner]
  copy d_C = C_vals[inner * columns]
  var across: int64 = (columns + SIDE - 1) // SIDE
  block for b = 0 .. (rows + SIDE - 1) // SIDE * across {
    alloc tile_B[AREA]
    alloc tile_C[AREA]
    thread for t = 0 .. AREA {
      var r: int64 = t // SIDE
      var c: int64 = t % SIDE
      var i: int64 = b // across * SIDE + r
      var j: int64 = b % across * SIDE + c
      var sum: float64 = 0.0
      for step = 0 .. (inner + SIDE - 1) // SIDE {
        tile_B[t] = 0.0
        tile_C[t] = 0.0
        if i < rows and step * SIDE + c < inner {
          tile_B[t] = d_B[i * inner + step * SIDE + c]
        }
        if step * SIDE + r < inner and j < columns {
          tile_C[t] = d_C[(step * SIDE + r) * columns + j]
        }
        barrier block
        for k = 0 .. SIDE {
          sum = sum + tile_B[r * SIDE + k] * tile_C[k * SIDE + c]
        }
        barrier block
      }
      if i < rows and j < columns {
        d_A[i * columns + j] = sum
      }
    }
  }
  alloc A_vals[A_size]
  copy A_vals = d_A[A_size]
  free d_A
  free d_B
  free d_C
}
)";

/// A function whose threads, BLOCKS blocks of 64, run `body`.  `y`, `z` and `k` are arrays on the device, `h` one on
/// the host, `n` and `m` are scalars; each block has `tile`.  What has not been mentioned is for host code: `w`, `d` on
/// the device, and `sparse`, a table.
inline std::string small_launch(const std::string& body, int blocks = 2, const std::string& after = "") {
  return with_numbers(R"(function f(y, x) {
  update y: float64[] on device is y.arrays[0]
  in z: float64[] on device is x.arrays[0]
  in k: int32[] on device is x.arrays[2]
  in h: float64[] is x.arrays[1]
  in n: int64 is x.arrays[0].count
  local w: float64[]
  local d: float64[] on device
  local sparse: table
  local tile: float64[] shared

  var m: int64 = n
  block for b = 0 .. BLOCKS {
    alloc tile[64]
    thread for t = 0 .. 64 {
)",
                      {{"BLOCKS", blocks}}) +
         body + "\n    }\n  }\n" + after + "\n}\n";
}

}  // namespace filigree::ir::testing
