"""SciPy's part in the suite of benchmarks: reads lines that say what to compute, and answers with milliseconds."""
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sparse


def array(folder, name, kind):
    return np.fromfile(f"{folder}/{name}", kind)


def weights(*coordinates):
    """What the suite multiplies components with, in answer.h."""
    value = np.full(len(coordinates[0]), 0x9E3779B97F4A7C15, np.uint64)
    for c in coordinates:
        value = (value ^ (c.astype(np.uint64) + np.uint64(1))) * np.uint64(0xFF51AFD7ED558CCD)
    return 1 + (value >> np.uint64(40)).astype(float) * 2.0**-24


def answer(result):
    if np.isscalar(result):
        coordinates, values = [np.zeros(1, np.int64)], np.array([float(result)])
    elif sparse.issparse(result):
        listed = result.tocoo()
        coordinates, values = [listed.row, listed.col], listed.data
        if result.shape[0] == 1:  # a vector
            coordinates = coordinates[1:]
    elif result.ndim == 1:
        coordinates, values = [np.arange(len(result))], result
    else:
        rows, columns = np.indices(result.shape)
        coordinates, values = [rows.ravel(), columns.ravel()], result.ravel().astype(float)
    kept = values != 0
    values = values[kept]
    return len(values), float(np.sum(weights(*(c[kept] for c in coordinates)) * values))


def sorted_product(b, c):
    product = b @ c
    product.sort_indices()
    return product


def setup(operation, folder, columns, file, *dimensions):
    """A function of no arguments that computes the result."""
    shapes = [(int(dimensions[n]), int(dimensions[n + 1])) for n in range(0, len(dimensions), 2)]
    if operation == "read":
        return lambda: scipy.io.mmread(file, spmatrix=False).tocsr()
    if operation == "from_entries":
        row, column, value = (array(folder, *what) for what in
                              (("coordinate0", np.int32), ("coordinate1", np.int32), ("entries", float)))
        listed = sparse.coo_array((value, (row, column)), shape=shapes[0])
        # What SciPy makes has rows in the order of the entries; all others sort them.
        def by_rows():
            made = listed.tocsr()
            made.sort_indices()
            return made
        return by_rows
    m = [sparse.csr_array((array(folder, f"value{n}", float), array(folder, f"column{n}", np.int32),
                           array(folder, f"start{n}", np.int32)), shape=shape) for n, shape in enumerate(shapes)]
    if operation in ("spmv", "spmv_transposed"):
        x = array(folder, "dense0", float)
        return (lambda: m[0] @ x) if operation == "spmv" else (lambda: m[0].T @ x)
    if operation in ("spmm", "spmm_float"):
        kind = float if operation == "spmm" else np.float32
        x, a = array(folder, "dense0", float).reshape(-1, int(columns)).astype(kind), m[0].astype(kind)
        return lambda: a @ x
    return {
        "spgemm": lambda: m[0] @ m[1],
        "spgemm_sorted": lambda: sorted_product(m[0], m[1]),
        "add": lambda: m[0] + m[1],
        "add3": lambda: m[0] + m[1] + m[2],
        "add_transposed": lambda: m[0] + m[0].T,
        "multiply3": lambda: m[0] * m[1] * m[2],
        "inner": lambda: (m[0] * m[1]).sum(),
        "to_blocks": lambda: m[0].tobsr((4, 4)),
        "to_diagonals": lambda: m[0].todia(),
        "transpose": lambda: m[0].tocsc(),
    }[operation]


def main():
    run = result = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "hello":
            reply = "hello"
        elif words[0] == "setup":
            run, result = setup(*words[1:]), None
            reply = "ready"
        elif words[0] == "run":
            result = None
            clock = time.process_time if words[1:] == ["cpu"] else time.perf_counter
            start = clock()
            result = run()
            reply = repr((clock() - start) * 1e3)
        else:
            reply = "{:.0f} {!r}".format(*answer(result))
        print(reply, flush=True)


main()
