#!/usr/bin/env python3
"""Files of NumPy and SciPy, both ways: what they write, Filigree reads, and what Filigree writes, they read.

usage: scipy_files.py FILIGREE

Ends with 'N passed, M failed'; exit code 77 if NumPy or SciPy is not there.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.io
    import scipy.sparse as sp
except ImportError as error:
    print(f"skipped: SciPy is not installed ({error})")
    sys.exit(77)

FILIGREE = sys.argv[1]
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
random = np.random.default_rng(5)
passed = failed = 0


def check(name, condition):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}")


def filigree(*arguments, stdin=None):
    run = subprocess.run([FILIGREE, *arguments], input=stdin, capture_output=True)
    return run.returncode, run.stdout, run.stderr.decode()


def converted(name, *arguments):
    code, _, said = filigree("convert", *arguments)
    check(f"{name}: {said}", code == 0)
    return code == 0


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)


def values(dtype, shape):
    numbers = random.integers(-100, 100, shape) * (random.random(shape) < 0.4)
    if np.dtype(dtype).kind in "ub":
        numbers = np.abs(numbers)
    array = numbers.astype(dtype)
    if np.dtype(dtype).kind in "fc":
        array = (array / 8).astype(dtype)
    if np.dtype(dtype).kind == "c":
        array = array * (1 + 2j)
    return array.astype(dtype)


def sparse_matrices():
    """Everything that save_npz writes, read as an array and written again in the same format."""
    for dtype in DTYPES:
        for kind in FORMATS:
            dense = values(dtype, (6, 8))
            matrix = sp.bsr_matrix(dense, blocksize=(2, 4)) if kind == "bsr" else sp.coo_matrix(dense).asformat(kind)
            name = f"{kind} {dtype}"
            sp.save_npz("in.npz", matrix, compressed=random.random() < 0.5)
            if converted(name, "in.npz", "out.npy", "-f", "dense", "--target", "interpret"):
                check(name + " as array", same(np.load("out.npy"), dense))
            if converted(name, "in.npz", "out.npz"):
                back = sp.load_npz("out.npz")
                check(name + " again", same(back.toarray(), dense))
                # A list of coordinates is stored as all files of coordinates are, and written as a matrix.
                check(name + " in its format", back.format == ("csr" if kind == "coo" else kind))
    for kind in FORMATS:
        for shape in [(0, 0), (0, 4), (4, 0), (1, 5), (5, 1), (4, 4)]:
            sp.save_npz("in.npz", sp.coo_matrix(np.zeros(shape)).asformat(kind))
            if converted(f"empty {kind} {shape}", "in.npz", "out.npz"):
                check(f"empty {kind} {shape}", sp.load_npz("out.npz").shape == shape and sp.load_npz("out.npz").nnz == 0)


def unusual_matrices():
    """Entries in any order, several at a place, indices of 64 bits, arrays with room, other byte orders, one dimension and three."""
    data, indices, indptr = np.arange(1.0, 7), np.array([2, 0, 2, 1, 1, 0]), np.array([0, 3, 3, 6])
    jumbled = sp.csr_matrix((data, indices, indptr), shape=(3, 4))
    for kind in ["csr", "csc", "coo", "dense", "dia", "bcsr(2,2)", "ell", "dcsr", "hash"]:
        sp.save_npz("in.npz", jumbled)
        if converted(f"jumbled {kind}", "in.npz", "out.npz", "--from", kind):
            check(f"jumbled {kind}", same(sp.load_npz("out.npz").toarray(), jumbled.toarray()))
    blocks = sp.bsr_matrix((np.arange(1.0, 13).reshape(3, 2, 2), np.array([1, 0, 1]), np.array([0, 2, 3])), shape=(4, 4))
    sp.save_npz("in.npz", blocks)
    if converted("jumbled blocks", "in.npz", "out.npz"):
        check("jumbled blocks", same(sp.load_npz("out.npz").toarray(), blocks.toarray()) and sp.load_npz("out.npz").format == "bsr")
    dia = sp.dia_matrix((np.arange(1.0, 13).reshape(3, 4), [2, -1, 0]), shape=(5, 6))
    sp.save_npz("in.npz", dia)
    if converted("diagonals out of order", "in.npz", "out.npz"):
        check("diagonals out of order", same(sp.load_npz("out.npz").toarray(), dia.toarray()))
    np.savez("in.npz", format=b"csr", shape=(2, 3), data=np.arange(9.0).astype(">f8"), indices=np.arange(9).astype(">i8") % 3, indptr=np.array([0, 1, 3], dtype="u2"))
    if converted("room behind the entries", "in.npz", "out.npy", "-f", "dense", "--target", "interpret"):
        check("room behind the entries", same(np.load("out.npy"), np.array([[0.0, 0, 0], [0, 1, 2]])))
    np.savez("in.npz", format="csc", shape=np.array([2, 3], dtype=">i4"), data=[5], indices=np.array([1], dtype="i8"), indptr=np.array([0, 0, 1, 1], dtype="i8"))
    if converted("format in Unicode", "in.npz", "out.npy", "-f", "dense", "--target", "interpret"):
        check("format in Unicode", same(np.load("out.npy"), np.array([[0, 0, 0], [0, 5, 0]])))
    for dense in [values("float64", (7,)), values("int32", (3, 4, 5)), values("complex64", (2, 3, 2, 2))]:
        name = f"coo of {dense.ndim} dimensions"
        coords = np.nonzero(dense)
        np.savez("in.npz", format=b"coo", coords=np.array(coords, order="F"), data=dense[coords], shape=dense.shape, _is_array=True)
        if converted(name, "in.npz", "out.npy", "-f", "dense", "--target", "interpret"):
            check(name, same(np.load("out.npy"), dense))
        if converted(name, "out.npy", "out.npz"):
            with np.load("out.npz") as back:
                again = np.zeros(tuple(back["shape"]), dtype=back["data"].dtype)
                again[tuple(back["coords"])] = back["data"]
            check(name + " again", same(again, dense))
    np.savez("in.npz", coords=[[0, 1], [1, 2]], data=[1.0, 2.0], shape=(2, 3), fill_value=7.0)
    if converted("fill", "in.npz", "out.npy", "-f", "dense", "--target", "interpret"):
        check("fill", same(np.load("out.npy"), np.array([[7.0, 1, 7], [7, 7, 2]])))
    if converted("fill", "in.npz", "out.npz"):
        check("fill again", np.load("out.npz")["fill_value"] == 7)


def arrays():
    for dtype in DTYPES:
        for order in "CF":
            for swapped in [False, True]:
                for shape in [(), (5,), (3, 4), (2, 3, 4), (0, 3), (2, 1, 2, 3)]:
                    dense = np.asarray(values(dtype, shape), order=order)
                    name = f"array {dtype} {order} {shape} {'swapped' if swapped else ''}"
                    np.save("in.npy", dense.astype(dense.dtype.newbyteorder(">")) if swapped else dense)
                    if converted(name, "in.npy", "out.npy"):
                        check(name, same(np.load("out.npy"), dense))
                if dense.ndim and converted(name, "in.npy", "out.tns") and converted(name, "out.tns", "again.npy"):
                    check(name + " as text", same(np.load("again.npy"), dense))
    np.savez("in.npz", np.arange(6.0).reshape(2, 3))
    if converted("one array in an archive", "in.npz", "out.npy"):
        check("one array in an archive", same(np.load("out.npy"), np.arange(6.0).reshape(2, 3)))


def symmetric_files():
    for dtype in ["int32", "float64", "complex128"]:
        half = np.tril(values(dtype, (6, 6)), -1)
        diagonal = np.diag(np.diag(values(dtype, (6, 6)))).real.astype(dtype)
        for kind, dense in [("symmetric", half + half.T + diagonal), ("skew", half - half.T), ("hermitian", half + half.conj().T + diagonal)]:
            np.save("in.npy", dense)
            name = f"{kind} {dtype}"
            if not converted(name, "in.npy", "out.mtx", "--from", kind):
                continue
            with open("out.mtx") as file:
                banner = file.readline().split()[-1]
            expected = {"skew": "skew-symmetric", "hermitian": "hermitian" if dtype == "complex128" else "symmetric"}.get(kind, kind)
            check(f"{name}: {banner}", banner == expected)
            back = scipy.io.mmread("out.mtx")
            back = back.toarray() if sp.issparse(back) else back
            check(name + " read by SciPy", np.array_equal(back, dense))
            if converted(name, "out.mtx", "back.npy", "-f", "dense", "--target", "interpret"):
                check(name + " read again", same(np.load("back.npy"), dense))


def streams():
    dense = values("float64", (4, 5))
    np.save("in.npy", dense)
    with open("in.npy", "rb") as file:
        bytes_in = file.read()
    for extension in ["", ".mtx", ".tns", ".npy", ".npz", ".mtx.gz"]:
        code, out, said = filigree("convert", "-", "-" + extension, stdin=bytes_in)
        check(f"to -{extension}: {said}", code == 0)
        code, out, said = filigree("convert", "-", "-.npy", "-f", "dense", "--target", "interpret", stdin=out)
        with open("out.npy", "wb") as file:
            file.write(out)
        check(f"through -{extension}: {said}", code == 0 and same(np.load("out.npy"), dense))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sparse_matrices()
        unusual_matrices()
        arrays()
        symmetric_files()
        streams()
        os.chdir("/")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
