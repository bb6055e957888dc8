#!/usr/bin/env python3
"""What NumPy makes of operators: types for all pairs of types, and values of some.  Writes tests/algebra/numpy_types.txt, which
operator_types_test.cpp reads; with --check it only compares.  float16 is written as float32, which Filigree has in its place."""
import sys, os, warnings
try:
    import numpy as np
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
BINARY = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide, "%": np.remainder, "^": np.power,
          "min": np.minimum, "max": np.maximum, "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
          ">": np.greater, ">=": np.greater_equal, "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor,
          "select": lambda a, b: np.where([True], a, b)}
UNARY = {"abs": np.absolute, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sign": np.sign,
         "floor": np.floor, "ceil": np.ceil, "conj": np.conj, "real": np.real, "imag": np.imag, "not": np.logical_not, "negate": np.negative}

def name(dtype):
    return "float32" if dtype == np.float16 else str(dtype)

def type_of(op, f, *types):
    if op in ("min", "max", "<", "<=", ">", ">=") and "complex" in "".join(types):
        return "-"  # lexicographic in NumPy, refused here
    try:
        return name(f(*[np.ones(1, t) for t in types]).dtype)
    except TypeError:
        return "-"

def lines():
    yield "# types OP A: of OP on A and each of the types"
    for op, f in BINARY.items():
        for a in TYPES:
            yield f"types {op} {a} " + " ".join(type_of(op, f, a, b) for b in TYPES)
    yield "# unary OP: of OP on each of the types"
    for op, f in UNARY.items():
        yield f"unary {op} " + " ".join(type_of(op, f, a) for a in TYPES)
    yield "# values OP TYPE A: A OP B, for B of each of the values"
    for op in ("//", "%", "^", "max"):
        for t in ("int8", "uint8", "float32", "float64"):
            values = [0, 1, 2, 7] + ([200] if t == "uint8" else [] if op == "^" and t == "int8" else [-3])
            if t.startswith("float"):
                values += [0.5, -2.5, float("inf"), float("nan")]
            for a in values:
                results = BINARY[op](np.array([a] * len(values), t), np.array(values, t))
                yield f"values {op} {t} {a} " + " ".join(f"{b}:{r}" for b, r in zip(values, results))

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_types.txt")
text = "# Written by numpy_types.py.\n" + "\n".join(lines()) + "\n"
if "--check" in sys.argv:
    sys.exit(0 if open(path).read() == text else "numpy_types.txt is not what this NumPy says")
open(path, "w").write(text)
