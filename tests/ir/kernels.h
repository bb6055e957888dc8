// Kernels written by hand, the way lowering writes them; shared by the tests of ir/ and emit/.
#pragma once

#include <cstdlib>
#include <vector>

#include "ir/interpret.h"
#include "ir/ir.h"

namespace filigree::ir::testing {

inline Var int_var(const std::string& name) { return Var(name, scalar(ElementType::Int64)); }
inline Var index_array(const std::string& name) { return Var(name, array(ElementType::Int32)); }
inline Var value_array(const std::string& name) { return Var(name, array(ElementType::Float64)); }
inline Parameter in_array(const Var& var, int tensor, int index) {
  return {var, {tensor, Binding::Part::Array, index}, Direction::In, {}};
}
inline Parameter out_array(const Var& var, int tensor, int index, const Var& count) {
  return {var, {tensor, Binding::Part::Array, index}, Direction::Out, count};
}
inline Parameter dimension(const Var& var, int tensor, int index) {
  return {var, {tensor, Binding::Part::Dimension, index}, Direction::In, {}};
}

/// A CSR matrix's parameters.
struct Csr {
  Var rows, pos, crd, vals;
  explicit Csr(const std::string& name)
      : rows(int_var(name + "1_size")),
        pos(index_array(name + "2_pos")),
        crd(index_array(name + "2_crd")),
        vals(value_array(name + "_vals")) {}
};

/// y(i) = B(i,j) * x(j), B in CSR.
inline FunctionDef spmv() {
  Csr B("B");
  Var y = value_array("y_vals"), x = value_array("x_vals"), count = int_var("y_size");
  Var i = int_var("i"), p = int_var("p"), sum("sum", scalar(ElementType::Float64));
  Expr product = multiply(Load{B.vals, p}, Load{x, load_index(B.crd, p)});
  Stmt body = block({
      declare(count, B.rows),
      Alloc{y, count},
      For{i, integer(0), B.rows,
          block({
              declare(sum, constant(Scalar(ElementType::Float64))),
              For{p, load_index(B.pos, i), load_index(B.pos, add(i, integer(1))), assign(sum, add(sum, product))},
              store(y, i, sum),
          })},
  });
  return {"spmv",
          {"y", "B", "x"},
          {out_array(y, 0, 0, count), dimension(B.rows, 1, 0), in_array(B.pos, 1, 0), in_array(B.crd, 1, 1),
           in_array(B.vals, 1, 2), in_array(x, 2, 0)},
          body,
          {"y(i) = B(i,j) * x(j)"}};
}

/// Appends (crd, vals) at `size`, growing both arrays when they are full.
inline Stmt append(const Var& crd, const Var& vals, const Var& size, const Var& capacity, const Expr& coordinate,
                   const Expr& value) {
  return block({
      if_then(equal(size, capacity),
              block({assign(capacity, multiply(integer(2), capacity)), Grow{crd, capacity}, Grow{vals, capacity}})),
      store(crd, size, coordinate),
      store(vals, size, value),
      increment(size),
  });
}

/// a(i) = b(i) + c(i), all compressed: a merge of two sorted lists into arrays that grow.
inline FunctionDef vector_add() {
  Var a_pos = index_array("a1_pos"), a_crd = index_array("a1_crd"), a_vals = value_array("a_vals");
  Var b_pos = index_array("b1_pos"), b_crd = index_array("b1_crd"), b_vals = value_array("b_vals");
  Var c_pos = index_array("c1_pos"), c_crd = index_array("c1_crd"), c_vals = value_array("c_vals");
  Var size = int_var("a1_end"), capacity = int_var("a1_capacity"), pos_count = int_var("a1_pos_size");
  Var pb = int_var("pb"), pc = int_var("pc"), pb_end = int_var("pb_end"), pc_end = int_var("pc_end");
  Var ib = int_var("ib"), ic = int_var("ic"), i = int_var("i");
  auto tail = [&](const Var& p, const Var& end, const Var& crd, const Var& vals) {
    return While{less(p, end),
                 block({append(a_crd, a_vals, size, capacity, load_index(crd, p), Load{vals, p}), increment(p)})};
  };
  Stmt merge = While{both(less(pb, pb_end), less(pc, pc_end)),
                     block({
                         declare(ib, load_index(b_crd, pb)),
                         declare(ic, load_index(c_crd, pc)),
                         declare(i, min(ib, ic)),
                         if_then(both(equal(ib, i), equal(ic, i)),
                                 append(a_crd, a_vals, size, capacity, i, add(Load{b_vals, pb}, Load{c_vals, pc})),
                                 if_then(equal(ib, i), append(a_crd, a_vals, size, capacity, i, Load{b_vals, pb}),
                                         append(a_crd, a_vals, size, capacity, i, Load{c_vals, pc}))),
                         assign(pb, add(pb, convert(equal(ib, i), ElementType::Int64))),
                         if_then(equal(ic, i), increment(pc)),
                     })};
  Stmt body = block({
      declare(pos_count, integer(2)),
      Alloc{a_pos, pos_count},
      store(a_pos, integer(0), integer(0)),
      declare(capacity, integer(1)),
      declare(size, integer(0)),
      Alloc{a_crd, capacity},
      Alloc{a_vals, capacity},
      declare(pb, load_index(b_pos, integer(0))),
      declare(pb_end, load_index(b_pos, integer(1))),
      declare(pc, load_index(c_pos, integer(0))),
      declare(pc_end, load_index(c_pos, integer(1))),
      merge,
      tail(pb, pb_end, b_crd, b_vals),
      tail(pc, pc_end, c_crd, c_vals),
      store(a_pos, integer(1), size),
  });
  return {"vector_add",
          {"a", "b", "c"},
          {out_array(a_pos, 0, 0, pos_count), out_array(a_crd, 0, 1, size), out_array(a_vals, 0, 2, size),
           in_array(b_pos, 1, 0), in_array(b_crd, 1, 1), in_array(b_vals, 1, 2), in_array(c_pos, 2, 0),
           in_array(c_crd, 2, 1), in_array(c_vals, 2, 2)},
          body,
          {"a(i) = b(i) + c(i)"}};
}

/// The parts of a product of two CSR matrices, row by row.
struct Product {
  Csr A{"A"}, B{"B"}, C{"C"};
  Var columns = int_var("C2_size"), pos_count = int_var("A2_pos_size"), size = int_var("A2_end"),
      capacity = int_var("A2_capacity");
  Var i = int_var("i"), pB = int_var("pB"), pC = int_var("pC"), j = int_var("j");

  Stmt over_row(const Stmt& inner) const {
    Var k = int_var("k");
    return For{
        pB, load_index(B.pos, i), load_index(B.pos, add(i, integer(1))),
        block({declare(k, load_index(B.crd, pB)), For{pC, load_index(C.pos, k), load_index(C.pos, add(k, integer(1))),
                                                      block({declare(j, load_index(C.crd, pC)), inner})}})};
  }
  Expr product() const { return multiply(Load{B.vals, pB}, Load{C.vals, pC}); }
  Stmt setup() const {
    return block({declare(pos_count, add(B.rows, integer(1))), Alloc{A.pos, pos_count},
                  store(A.pos, integer(0), integer(0)), declare(capacity, integer(1)), declare(size, integer(0)),
                  Alloc{A.crd, capacity}, Alloc{A.vals, capacity}});
  }
  FunctionDef finish(const std::string& name, const Stmt& body) const {
    return {name,
            {"A", "B", "C"},
            {out_array(A.pos, 0, 0, pos_count), out_array(A.crd, 0, 1, size), out_array(A.vals, 0, 2, size),
             dimension(B.rows, 1, 0), in_array(B.pos, 1, 0), in_array(B.crd, 1, 1), in_array(B.vals, 1, 2),
             dimension(columns, 2, 1), in_array(C.pos, 2, 0), in_array(C.crd, 2, 1), in_array(C.vals, 2, 2)},
            body,
            {"A(i,j) = B(i,k) * C(k,j)"}};
  }
};

/// A(i,j) = B(i,k) * C(k,j) with a dense workspace, a list of what was touched, and a sort.
inline FunctionDef scatter_product() {
  Product m;
  Var w = value_array("w"), seen("w_seen", array(ElementType::Bool)), touched = index_array("w_list"),
      n = int_var("w_count"), q = int_var("q");
  Stmt scatter = m.over_row(block({
      if_then(negate(Load{seen, m.j}),
              block({store(seen, m.j, boolean(true)), store(w, m.j, constant(Scalar(ElementType::Float64))),
                     store(touched, n, m.j), increment(n)})),
      store(w, m.j, add(Load{w, m.j}, m.product())),
  }));
  Stmt drain =
      For{q, integer(0), n,
          block({declare(m.j, load_index(touched, q)), append(m.A.crd, m.A.vals, m.size, m.capacity, m.j, Load{w, m.j}),
                 store(seen, m.j, boolean(false))})};
  Stmt body = block({
      m.setup(),
      Alloc{w, m.columns},
      Alloc{seen, m.columns, true},
      Alloc{touched, m.columns},
      For{m.i, integer(0), m.B.rows,
          block({Comment{"scatter row i"}, declare(n, integer(0)), scatter, Comment{"gather it in order"},
                 Evaluate{call(Function::Sort, {touched, n})}, drain, store(m.A.pos, add(m.i, integer(1)), m.size)})},
      Free{w},
      Free{seen},
      Free{touched},
  });
  return m.finish("scatter_product", body);
}

/// The same product through a table: one parent, cleared after each row.
inline FunctionDef table_product() {
  Product m;
  Var t("w", table()), vals = value_array("w_vals"), room = int_var("w_capacity"), p = int_var("p"), q = int_var("q"),
                       found = int_var("before");
  Stmt insert = m.over_row(block({
      declare(found, call(Function::TableSize, {t})),
      declare(p, call(Function::TableInsert, {t, integer(0), m.j})),
      if_then(equal(p, room), block({assign(room, multiply(integer(2), room)), Grow{vals, room}})),
      if_then(equal(p, found), store(vals, p, m.product()), store(vals, p, add(Load{vals, p}, m.product()))),
  }));
  Stmt drain = For{q, call(Function::TableBegin, {t, integer(0)}), call(Function::TableBegin, {t, integer(1)}),
                   append(m.A.crd, m.A.vals, m.size, m.capacity, call(Function::TableCoordinate, {t, q}),
                          Load{vals, call(Function::TablePosition, {t, q})})};
  Stmt body = block({
      m.setup(),
      Declare{t, {}},
      declare(room, integer(1)),
      Alloc{vals, room},
      For{m.i, integer(0), m.B.rows,
          block({insert, Evaluate{call(Function::TableFinish, {t, integer(1)})}, drain,
                 Evaluate{call(Function::TableClear, {t})}, store(m.A.pos, add(m.i, integer(1)), m.size)})},
      Free{vals},
      Free{t},
  });
  return m.finish("table_product", body);
}

inline TensorView view_of(std::vector<std::int64_t> dimensions, std::vector<std::vector<std::int32_t>*> indices,
                          std::vector<double>* values) {
  TensorView view{std::move(dimensions), {}};
  for (auto* index : indices)
    view.arrays.push_back({ElementType::Int32, index->data(), static_cast<std::int64_t>(index->size())});
  if (values) view.arrays.push_back({ElementType::Float64, values->data(), static_cast<std::int64_t>(values->size())});
  return view;
}

inline std::vector<std::int64_t> indices_of(const ArrayView& array) {
  const auto* data = static_cast<const std::int32_t*>(array.data);
  return {data, data + array.count};
}
inline std::vector<double> values_of(const ArrayView& array) {
  const auto* data = static_cast<const double*>(array.data);
  return {data, data + array.count};
}
inline void release(TensorView& tensor) {
  for (ArrayView& array : tensor.arrays) std::free(array.data);
  tensor.arrays.clear();
}

/// y(i) = sum of x(k) over the k in the i-th of `threads` pieces, all of x; in a parallel loop from 0, then times two
/// in one that begins at 1 and leaves the first sum out.
inline FunctionDef sums_in_pieces() {
  Var y = value_array("y_vals"), x = value_array("x_vals"), threads = int_var("threads"), size = int_var("x1_size"),
      count = int_var("y_count");
  Var piece = int_var("piece"), i = int_var("i"), k = int_var("k"), sum("sum", scalar(ElementType::Float64));
  Expr begin = quotient(multiply(size, piece), threads),
       end = quotient(multiply(size, add(piece, integer(1))), threads);
  Stmt body = block({
      declare(count, threads),
      Alloc{y, count},
      For{piece, integer(0), count,
          block({
              declare(sum, constant(Scalar(ElementType::Float64))),
              For{k, begin, end, assign(sum, add(sum, Load{x, k}))},
              store(y, piece, sum),
          }),
          LoopKind::Parallel},
      For{i, integer(1), count, store(y, i, add(Load{y, i}, Load{y, i})), LoopKind::Parallel},
  });
  return {"sums",
          {"y", "x"},
          {out_array(y, 0, 0, count),
           dimension(size, 1, 0),
           in_array(x, 1, 0),
           {threads, {0, Binding::Part::Threads, 0}, Direction::In, {}}},
          body,
          {}};
}

/// Rows of a CSR matrix, whose columns are in any order, sorted in a parallel loop.
inline FunctionDef sort_rows() {
  Csr A("A"), B("B");
  Var count = int_var("A_count"), p = int_var("p"), i = int_var("i");
  Stmt body = block({
      declare(count, load_index(B.pos, B.rows)),
      Alloc{A.crd, count},
      Alloc{A.vals, count},
      For{p, integer(0), count, block({store(A.crd, p, Load{B.crd, p}), store(A.vals, p, Load{B.vals, p})}),
          LoopKind::Parallel},
      For{i, integer(0), B.rows,
          Evaluate{call(Function::SortSegment,
                        {A.crd, A.vals, load_index(B.pos, i), load_index(B.pos, add(i, integer(1)))})},
          LoopKind::Parallel},
  });
  return {"sort_rows",
          {"A", "B"},
          {out_array(A.crd, 0, 0, count), out_array(A.vals, 0, 1, count), dimension(B.rows, 1, 0),
           in_array(B.pos, 1, 0), in_array(B.crd, 1, 1), in_array(B.vals, 1, 2)},
          body,
          {}};
}

}  // namespace filigree::ir::testing
