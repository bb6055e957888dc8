"""NumPy and SciPy for the programs that compare Filigree with them, and what counts as equal and as slow."""
import sys

try:
    import numpy as np
    import scipy
    import scipy.io
    import scipy.sparse.csgraph
    import scipy.special
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-9
MOST_TIMES = 100
