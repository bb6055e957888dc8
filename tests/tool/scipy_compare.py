#!/usr/bin/env python3
"""Compares the command line tool with SciPy on every real matrix in shared/data/matrices, and on matrices that it makes up.

usage: scipy_compare.py FILIGREE [--quick] [MATRIX...]

For each matrix A: y = A x, Y = A X with a dense X of 4 columns, C = A A (or A A^T; of large products the first rows), C = A + A^T (or A + 2 A).
Values must agree to rounding.  Patterns must be exactly those of the stored entries, which SciPy's own products of
matrices of ones give.  Ends with 'N passed, M failed'; exit code 77 if SciPy is not there.
"""
import gzip
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError as error:
    print(f"skipped: SciPy is not installed ({error})")
    sys.exit(77)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "matrices")
QUICK_BYTES = 400_000
MOST_MULTIPLICATIONS = 5_000_000


def read(path):
    """The matrix as CSR, and the same with 1 at every stored entry; None if it is not a real sparse matrix."""
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as file:
        banner = file.readline().decode().lower().split()
        if "coordinate" not in banner or "complex" in banner:
            return None
        file.seek(0)
        matrix = scipy.io.mmread(file)
    # int64 sums of small integers are exact in both; everything else is compared as float64.
    matrix = scipy.sparse.coo_matrix(matrix).astype(numpy.float64)
    ones = scipy.sparse.csr_matrix((numpy.ones(matrix.nnz), (matrix.row, matrix.col)), shape=matrix.shape)
    ones.data[:] = 1
    return matrix.tocsr(), ones


def read_result(path):
    """What the tool wrote: an array (of a dense vector: one column), or a sparse matrix with exactly the stored entries."""
    result = scipy.io.mmread(path)
    return numpy.asarray(result) if isinstance(result, numpy.ndarray) else scipy.sparse.coo_matrix(result)


def leading_rows(matrix, other, most):
    """How many rows of matrix @ other take at most `most` multiplications; at least one."""
    per_row = abs(matrix).sign() @ numpy.diff(other.indptr)
    return max(1, int(numpy.searchsorted(numpy.cumsum(per_row), most, side="right")))


class Comparison:
    def __init__(self, tool, matrix_path, work):
        self.tool, self.path, self.work = tool, matrix_path, work
        self.name = os.path.basename(matrix_path)
        self.passed, self.failed = 0, []

    def run(self, kernel, expression, options):
        result = expression.split("(")[0].strip()
        out = os.path.join(self.work, "out.mtx")
        command = [self.tool, expression, *options, "-o", f"{result}:{out}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            self.failed.append(f"{kernel} of {self.name}: exit code {done.returncode}: {done.stderr.strip()}")
            return None
        return read_result(out)

    def check(self, kernel, got, expected, scale, pattern=None):
        """`got` against `expected`, to rounding of numbers as large as `scale`; `pattern` is stored exactly where entries must be."""
        if got is None:
            return
        if not numpy.isfinite(scale):  # a small matrix with infinities: they and NaN must be at the same places
            arrays = [m if isinstance(m, numpy.ndarray) else m.toarray() for m in (got, expected)]
            same = numpy.allclose(arrays[0].reshape(expected.shape), arrays[1], rtol=1e-12, equal_nan=True)
            difference, scale = numpy.full(expected.shape, 0.0 if same else numpy.nan), 1
        elif isinstance(got, numpy.ndarray):
            difference = abs(got.reshape(expected.shape) - expected)
        else:
            difference = abs(got.tocsr() - scipy.sparse.csr_matrix(expected))
        worst = difference.max() if min(expected.shape) > 0 else 0
        limit = 1e-12 * scale
        if not worst <= limit:
            self.failed.append(f"{kernel} of {self.name}: values differ by {worst}, more than {limit}")
            return
        if pattern is not None and not self.same_pattern(got, pattern):
            self.failed.append(f"{kernel} of {self.name}: {got.nnz} stored entries where {pattern.nnz} are expected, or at other places")
            return
        self.passed += 1

    @staticmethod
    def same_pattern(got, pattern):
        pattern = pattern.tocsr()
        pattern.sort_indices()
        rows = numpy.repeat(numpy.arange(pattern.shape[0]), numpy.diff(pattern.indptr))
        return got.nnz == pattern.nnz and (got.row == rows).all() and (got.col == pattern.indices).all()

    def all_kernels(self):
        loaded = read(self.path)
        if loaded is None:
            return
        matrix, ones = loaded
        rows, columns = matrix.shape
        float_type = ["-t", "A:float64"]
        load = ["-i", f"A:{self.path}", "-f", "A:csr", *float_type]
        largest = lambda m: abs(m).max() if min(m.shape) > 0 and m.nnz > 0 else 0

        x = numpy.cos(numpy.arange(columns))
        x_path = os.path.join(self.work, "x.mtx")
        scipy.io.mmwrite(x_path, x.reshape(-1, 1), precision=17)
        scale = (abs(matrix) @ abs(x)).max() if rows and columns else 0
        got = self.run("SpMV", "y(i) = A(i,j)*x(j)", [*load, "-i", f"x:{x_path}"])
        self.check("SpMV", got, matrix @ x, scale)

        if columns > 0:
            dense = numpy.sin(numpy.arange(columns * 4)).reshape(columns, 4)
            dense_path = os.path.join(self.work, "dense.mtx")
            scipy.io.mmwrite(dense_path, dense, precision=17)
            got = self.run("SpMM", "Y(i,k) = A(i,j)*X(j,k)", [*load, "-i", f"X:{dense_path}"])
            scale = (abs(matrix) @ abs(dense)).max() if rows else 0
            self.check("SpMM", got, matrix @ dense, scale)

        square = rows == columns
        other, other_ones = (matrix, ones) if square else (matrix.T.tocsr(), ones.T.tocsr())
        expression = "C(i,j) = A(i,k)*B(k,j)" if square else "C(i,j) = A(i,k)*B(j,k)"
        second = ["-i", f"B:{self.path}", "-f", "B:csr", "-t", "B:float64"]
        left, left_ones, first = matrix, ones, load
        count = leading_rows(ones, other_ones, MOST_MULTIPLICATIONS)
        if count < rows:  # a product that is too large to compare as text: its first rows only
            left, left_ones = matrix[:count], ones[:count]
            part = os.path.join(self.work, "part.mtx")
            scipy.io.mmwrite(part, left.tocoo(), precision=17, symmetry="general")
            first = ["-i", f"A:{part}", "-f", "A:csr", *float_type]
        got = self.run("SpGEMM", expression, [*first, *second, "-f", "C:csr"])
        self.check("SpGEMM", got, left @ other, largest(abs(left) @ abs(other)), left_ones @ other_ones)

        expression = "C(i,j) = A(i,j) + B(j,i)" if square else "C(i,j) = A(i,j) + 2*B(i,j)"
        got = self.run("addition", expression, [*load, *second, "-f", "C:csr"])
        if square:
            self.check("addition", got, matrix + matrix.T, 2 * largest(matrix), ones + ones.T)
        else:
            self.check("addition", got, matrix + 2 * matrix, 3 * largest(matrix), ones)


def made_up(work):
    """Files with matrices of kinds that differ: uniform, banded, with heavy rows, wide, tall, with empty rows, empty."""
    random = numpy.random.default_rng(14)
    heavy = scipy.sparse.random_array((300, 300), density=0.01, rng=random).tolil()
    heavy[7, :] = 2.5
    heavy[:, 11] = -1
    kinds = {
        "uniform": scipy.sparse.random_array((400, 400), density=0.02, rng=random),
        "banded": scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-3, 0, 1], shape=(500, 500)),
        "heavy": heavy,
        "wide": scipy.sparse.random_array((20, 900), density=0.05, rng=random),
        "tall": scipy.sparse.random_array((900, 20), density=0.05, rng=random),
        "hypersparse": scipy.sparse.random_array((2000, 2000), density=1e-5, rng=random),
        "empty": scipy.sparse.coo_array((30, 40)),
        "single": scipy.sparse.coo_array(([3.0], ([0], [0])), shape=(1, 1)),
    }
    paths = []
    for kind, matrix in kinds.items():
        paths.append(os.path.join(work, f"made_up_{kind}.mtx"))
        scipy.io.mmwrite(paths[-1], scipy.sparse.coo_matrix(matrix), precision=17, symmetry="general")
    return paths


def main():
    warnings.simplefilter("ignore", RuntimeWarning)  # of SciPy, about matrices with infinities
    arguments = [a for a in sys.argv[1:] if a != "--quick"]
    if not arguments:
        print(__doc__)
        return 2
    tool, paths = arguments[0], arguments[1:]
    if not paths:
        names = os.listdir(FOLDER) if os.path.isdir(FOLDER) else []
        paths = sorted(os.path.join(FOLDER, name) for name in names if name.endswith((".mtx", ".mtx.gz")))
        if "--quick" in sys.argv:
            paths = [path for path in paths if os.path.getsize(path) <= QUICK_BYTES]
    passed, failed, matrices = 0, [], 0
    with tempfile.TemporaryDirectory() as work:
        if not arguments[1:]:
            paths += made_up(work)
        for path in paths:
            comparison = Comparison(tool, path, work)
            comparison.all_kernels()
            passed += comparison.passed
            failed += comparison.failed
            matrices += comparison.passed + len(comparison.failed) > 0
            for failure in comparison.failed:
                print(failure, flush=True)
    print(f"SciPy {scipy.__version__}: {matrices} matrices, {passed} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
