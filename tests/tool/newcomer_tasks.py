#!/usr/bin/env python3
"""What people do in their first days, each as the commands that they would type, beside what NumPy and SciPy say.

usage: newcomer_tasks.py FILIGREE [--time] [--only TEXT]

A task is one or several commands in a shell.  The files that they read are made by NumPy and SciPy, and what they write is read by these and must
be the answer that a line of NumPy gives.  Data are small, or medium with --time.  Then each row of the table tells what a task takes: reading and packing,
compiling, running, running the best way of writing it where another one is known, writing, the line of NumPy, and how many times as long the run takes as
that line.  A task over 100 times fails.
Ends with 'N passed, M failed'; exit code 77 if NumPy or SciPy is not there.
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

from beside_numpy import MOST_TIMES, TOLERANCE, np, scipy
from scipy.sparse import block_diag, csr_array, diags_array, hstack, kron, load_npz, random_array, save_npz, tril, vstack


@dataclass
class Task:
    group: str
    name: str
    command: str  # <rows> and the like are sizes
    answer: Callable  # of the data
    out: str = "out.npy"  # the file with the result; "-" for a number that is printed
    best: str = ""  # another command that does the same faster, where one is known


class Data:
    """Operands in memory, and the same as files in a folder."""

    def __init__(self, folder, medium):
        random = np.random.default_rng(2026)
        rows, columns, rank, nodes, i, j, k = (3000, 2000, 16, 4000, 120, 100, 80) if medium else (9, 7, 3, 12, 4, 3, 5)
        density = 0.01 if medium else 0.3
        sparse = lambda *shape: csr_array(random_array(shape, density=density, rng=random))
        self.A, self.B, self.S = sparse(rows, columns), sparse(rows, columns), sparse(columns, columns)
        upper = np.triu(random.random((nodes, nodes)) < (0.005 if medium else 0.3), 1).astype(float)
        self.G = csr_array(upper + upper.T)
        self.W = csr_array(self.G.multiply(random.integers(1, 10, (nodes, nodes)).astype(float)))
        self.M = csr_array(sparse(rows, columns) != 0)
        self.D, self.E = random.random((rows, columns)), random.random((columns, rank))
        self.P, self.Q = random.random((rows, rank)), random.random((columns, rank))
        self.N = random.integers(1, 6, (rows, columns)) * (random.random((rows, columns)) < density)
        self.x, self.y = random.random(columns), random.random(rows)
        self.c = random.integers(0, 5, rows)
        self.T = random.random((i, j, k)) * (random.random((i, j, k)) < (0.05 if medium else 0.4))
        self.F, self.H, self.K = random.random((j, rank)), random.random((k, rank)), random.random((i, rank))
        self.symmetric = csr_array(self.S + self.S.T)
        self.sizes = dict(rows=rows, columns=columns, rank=rank, nodes=nodes, i=i, j=j, k=k, rows2=2 * rows, columns2=2 * columns, last=columns - 1,
                          half=rows // 2, jk=j * k, small=min(rank, 4))
        self.write(folder)

    def write(self, folder):
        at = lambda name: os.path.join(folder, name)
        for name in ("A", "B", "S"):
            scipy.io.mmwrite(at(name + ".mtx"), getattr(self, name))
        scipy.io.mmwrite(at("symmetric.mtx"), self.symmetric, symmetry="symmetric")
        scipy.io.mmwrite(at("N.mtx"), csr_array(self.N))
        for name in ("G", "W", "M"):
            save_npz(at(name + ".npz"), getattr(self, name))
        for name in ("D", "E", "P", "Q", "F", "H", "K", "x", "y", "c"):
            np.save(at(name + ".npy"), getattr(self, name))
        list_of = self.W.tocoo()
        with open(at("W.el"), "w") as file:
            file.writelines(f"{i} {j} {w:g}\n" for i, j, w in zip(*list_of.coords, list_of.data))
        with open(at("W.csv"), "w") as file:
            file.write("source,target,weight\n")
            file.writelines(f"{i + 1},{j + 1},{w:g}\n" for i, j, w in zip(*list_of.coords, list_of.data))
        with open(at("T.tns"), "w") as file:
            file.writelines(" ".join(str(n + 1) for n in place) + f" {float(self.T[tuple(place)])!r}\n" for place in np.argwhere(self.T != 0))
        with gzip.open(at("B.mtx.gz"), "wb") as file, open(at("B.mtx"), "rb") as plain:
            file.write(plain.read())


def bfs_levels(d):
    distances = scipy.sparse.csgraph.shortest_path(d.G, unweighted=True, indices=0)
    return distances


def components(d):
    """The smallest node of each component."""
    _, labels = scipy.sparse.csgraph.connected_components(d.G, directed=False)
    smallest = np.full(labels.max() + 1, len(labels))
    np.minimum.at(smallest, labels, np.arange(len(labels)))
    return smallest[labels]


def pagerank(d, steps):
    n, rank = d.G.shape[0], np.full(d.G.shape[0], 1 / d.G.shape[0])
    degree = np.maximum(d.G.sum(axis=1), 1)
    for _ in range(steps):
        rank = 0.85 * ((rank / degree) @ d.G) + 0.15 / n
    return rank


def jaccard(d):
    """Of neighbours."""
    common, degree = d.G.multiply(d.G @ d.G).tocoo(), d.G.sum(axis=1)
    common.data = common.data / (degree[common.row] + degree[common.col] - common.data)
    return common


def truss(d, k):
    """The edges in at least k - 2 triangles."""
    return d.G.multiply(d.G.multiply(d.G @ d.G) >= k - 2)


def standardized(d):
    return (d.D - d.D.mean(axis=0)) / d.D.std(axis=0)


def cp_error(d):
    at = d.T != 0
    return ((d.T - np.einsum("ir,jr,kr->ijk", d.K, d.F, d.H, optimize=True))[at] ** 2).sum()


TASKS = [
    # --- Graphs -------------------------------------------------------------------------------------------------------------------------------
    Task("graphs", "degrees", "filigree 'd(i) = count(j, G(i,j))' -i G:G.npz -o d:out.npy", lambda d: (d.G != 0).sum(axis=1)),
    Task("graphs", "breadth-first search",
         "filigree 'd(i) = select(i == 0, 0, inf)' -d i:<nodes> -o d:out.npy; cp out.npy before.npy\n"
         "while true; do\n"
         "  filigree 'd(j) min= select(G(i,j) != 0, d(i) + 1, inf)' -i G:G.npz -i d:before.npy -o d:out.npy\n"
         "  cmp -s before.npy out.npy && break\n"
         "  cp out.npy before.npy\n"
         "done", bfs_levels),
    Task("graphs", "one step of a search", "printf '1 1\\n' > front.tns\n"
         "filigree 'next(j) = prune(any(i, front(i) and G(i,j)))' -i G:G.npz -i front:front.tns -f front:sparse -d front:<nodes> -o next:out.npy", lambda d: d.G[[0], :].toarray()[0] != 0),
    Task("graphs", "PageRank",
         "filigree 'p(i) = 1/<nodes>' -d i:<nodes> -o p:out.npy\n"
         "for step in 1 2 3 4 5; do\n"
         "  filigree 'd(i) = max(count(j, G(i,j)), 1); q(j) = 0.85*G(i,j)*(p(i)/d(i)) + 0.15/<nodes>' -i G:G.npz -i p:out.npy -o q:out.npy\n"
         "done", lambda d: pagerank(d, 5)),
    Task("graphs", "triangles", "filigree 't = (k < j)*(j < i)*G(i,j)*G(j,k)*G(i,k)' -i G:G.npz", lambda d: d.G.multiply(d.G @ d.G).sum() / 6, "-"),
    Task("graphs", "k-truss", "filigree 'R(i,j) = prune(G(i,j)*(sum(l, G(i,j)*G(i,l)*G(j,l)) >= 2))' -i G:G.npz -o R:out.npz", lambda d: truss(d, 4), "out.npz"),
    Task("graphs", "a step of connected components", "filigree 'c(i) = i' -d i:<nodes> -o c:label.npy\n"
         "filigree 'c(j) min= select(G(i,j) != 0, c(i), <nodes>)' -i G:G.npz -i c:label.npy -o c:out.npy",
         lambda d: np.minimum(np.arange(d.G.shape[0]), np.where(d.G.sum(axis=1) > 0, (d.G != 0).argmax(axis=1), d.G.shape[0]))),
    Task("graphs", "connected components",
         "filigree 'c(i) = i' -d i:<nodes> -o c:before.npy\n"
         "while true; do\n"
         "  filigree 'c(j) min= select(G(i,j) != 0, c(i), <nodes>)' -i G:G.npz -i c:before.npy -o c:out.npy\n"
         "  cmp -s before.npy out.npy && break\n"
         "  cp out.npy before.npy\n"
         "done", components),
    Task("graphs", "Jaccard of neighbours", "filigree 'd(i) = G(i,j); N(i,j) = G(i,j)*G(i,k)*G(k,j); J(i,j) = N(i,j)/(d(i) + d(j) - N(i,j))' -i G:G.npz -o J:out.npz", jaccard, "out.npz"),
    Task("graphs", "Laplacian", "filigree 'd(i) = G(i,j); L(i,j) = (i == j)*d(i) - G(i,j)' -i G:G.npz -o L:out.npz", lambda d: scipy.sparse.csgraph.laplacian(d.G), "out.npz"),
    # --- Statistics ---------------------------------------------------------------------------------------------------------------------------
    Task("statistics", "mean of each column", "filigree 'm(j) = sum(i, D(i,j))/sum(i, 1)' -i D:D.npy -o m:out.npy", lambda d: d.D.mean(axis=0),
         best="filigree 's(j) = D(i,j); m(j) = s(j)/<rows>' -i D:D.npy -o m:out.npy"),
    Task("statistics", "variance of each column", "filigree 'm(j) = sum(i, D(i,j))/sum(i, 1); v(j) = sum(i, (D(i,j) - m(j))^2)/sum(i, 1)' -i D:D.npy -o v:out.npy", lambda d: d.D.var(axis=0)),
    Task("statistics", "covariance", "filigree 'm(j) = sum(i, P(i,j))/sum(i, 1); X(i,j) = P(i,j) - m(j); C(j,k) = sum(i, X(i,j)*X(i,k))/(sum(i, 1) - 1)' -i P:P.npy -o C:out.npy",
         lambda d: np.cov(d.P, rowvar=False)),
    Task("statistics", "correlation",
         "filigree 'm(j) = sum(i, P(i,j))/sum(i, 1); X(i,j) = P(i,j) - m(j); n(j) = sqrt(sum(i, X(i,j)^2)); C(j,k) = sum(i, X(i,j)*X(i,k))/(n(j)*n(k))' -i P:P.npy -o C:out.npy",
         lambda d: np.corrcoef(d.P, rowvar=False)),
    Task("statistics", "columns with mean 0 and deviation 1",
         "filigree 'm(j) = sum(i, D(i,j))/sum(i, 1); s(j) = sqrt(sum(i, (D(i,j) - m(j))^2)/sum(i, 1)); Z(i,j) = (D(i,j) - m(j))/s(j)' -i D:D.npy -o Z:out.npy", standardized),
    Task("statistics", "histogram", "filigree 'b(i) = floor(10*y(i)); h(b(i)) += 1' -t b:int64 -d h:10 -i y:y.npy -o h:out.npy", lambda d: np.histogram(d.y, bins=10, range=(0, 1))[0]),
    Task("statistics", "sum by group", "filigree 'h(c(i)) += y(i)' -d h:5 -i c:c.npy -i y:y.npy -o h:out.npy", lambda d: np.bincount(d.c, weights=d.y, minlength=5)),
    Task("statistics", "largest of each row", "filigree 'm(i) = max_over(j, D(i,j))' -i D:D.npy -o m:out.npy", lambda d: d.D.max(axis=1)),
    Task("statistics", "smallest of each row, zeros included", "filigree 'm(i) = min_over(j, A(i,j))' -i A:A.mtx -o m:out.npy", lambda d: d.A.min(axis=1)),
    Task("statistics", "where the largest of each row is", "filigree 'm(i) = max_over(j, D(i,j)); a(i) = min_over(j, select(D(i,j) == m(i), j, inf))' -i D:D.npy -o a:out.npy",
         lambda d: d.D.argmax(axis=1)),
    Task("statistics", "softmax of each row", "filigree 'm(i) = max_over(j, D(i,j)); e(i,j) = exp(D(i,j) - m(i)); s(i) = e(i,j); R(i,j) = e(i,j)/s(i)' -i D:D.npy -o R:out.npy",
         lambda d: scipy.special.softmax(d.D, axis=1)),
    Task("statistics", "Frobenius norm", "filigree 'n = sqrt(sum(i, j, A(i,j)^2))' -i A:A.mtx", lambda d: scipy.sparse.linalg.norm(d.A), "-"),
    Task("statistics", "largest sum of a row", "filigree 'n = max_over(i, sum(j, abs(A(i,j))))' -i A:A.mtx", lambda d: abs(d.A).sum(axis=1).max(), "-"),
    Task("statistics", "rows of length 1", "filigree 'n(i) = sqrt(sum(j, D(i,j)^2)); C(i,j) = D(i,j)/n(i)' -i D:D.npy -o C:out.npy", lambda d: d.D / np.linalg.norm(d.D, axis=1)[:, None]),
    Task("statistics", "TF-IDF", "filigree 'f(j) = max(count(i, N(i,j)), 1); R(i,j) = N(i,j)*log(<rows>/f(j))' -i N:N.mtx -o R:out.npz",
         lambda d: csr_array(d.N) @ diags_array(np.log(d.N.shape[0] / np.maximum((d.N != 0).sum(axis=0), 1))), "out.npz"),
    # --- Tensors ------------------------------------------------------------------------------------------------------------------------------
    Task("tensors", "MTTKRP", "filigree 'C(i,r) = T(i,j,k)*F(j,r)*H(k,r)' -i T:T.tns -d T:<i>,<j>,<k> -i F:F.npy -i H:H.npy -o C:out.npy",
         lambda d: np.einsum("ijk,jr,kr->ir", d.T, d.F, d.H, optimize=True)),
    Task("tensors", "times a matrix", "filigree 'U(i,j,r) = T(i,j,k)*H(k,r)' -i T:T.tns -d T:<i>,<j>,<k> -i H:H.npy -o U:out.npy", lambda d: d.T @ d.H),
    Task("tensors", "times a vector", "filigree 'U(i,j) = T(i,j,k)*v(k)' -i T:T.tns -d T:<i>,<j>,<k> -i v:ones -o U:out.npy", lambda d: d.T.sum(axis=2)),
    Task("tensors", "error of a CP decomposition", "filigree 's = sum(i, j, k, (T(i,j,k) != 0)*(T(i,j,k) - sum(r, K(i,r)*F(j,r)*H(k,r)))^2)' -i T:T.tns -d T:<i>,<j>,<k> -i K:K.npy -i F:F.npy -i H:H.npy",
         cp_error, "-",
         "filigree 'E(i,j,k) = (T(i,j,k) != 0)*K(i,r)*F(j,r)*H(k,r); s = sum(i, j, k, (T(i,j,k) - E(i,j,k))^2)' -i T:T.tns -d T:<i>,<j>,<k> -i K:K.npy -i F:F.npy -i H:H.npy"),
    Task("tensors", "core of a Tucker decomposition",
         "filigree 'U(i,j,c) = T(i,j,k)*H(k,c); V(i,b,c) = U(i,j,c)*F(j,b); C(a,b,c) = V(i,b,c)*K(i,a)' -i T:T.tns -d T:<i>,<j>,<k> -i K:K.npy -i F:F.npy -i H:H.npy -o C:out.npy",
         lambda d: np.einsum("ijk,ia,jb,kc->abc", d.T, d.K, d.F, d.H, optimize=True)),
    Task("tensors", "inner product", "filigree 's = T(i,j,k)*T(i,j,k)' -i T:T.tns -d T:<i>,<j>,<k>", lambda d: (d.T * d.T).sum(), "-"),
    Task("tensors", "two dimensions as one", "filigree 'U(i, <k>*j+k) = T(i,j,k)' -i T:T.tns -d T:<i>,<j>,<k> -o U:out.npz", lambda d: csr_array(d.T.reshape(d.T.shape[0], -1)), "out.npz"),
    Task("tensors", "einsum", "filigree einsum 'ijk,jr->ikr' T F -i T:T.tns -d T:<i>,<j>,<k> -i F:F.npy -o R:out.npy", lambda d: np.einsum("ijk,jr->ikr", d.T, d.F, optimize=True)),
    # --- Files --------------------------------------------------------------------------------------------------------------------------------
    Task("files", ".mtx to .npz", "filigree convert A.mtx out.npz", lambda d: d.A, "out.npz"),
    Task("files", ".npz to .mtx", "filigree convert G.npz out.mtx", lambda d: d.G, "out.mtx"),
    Task("files", ".npy to .mtx", "filigree convert P.npy out.mtx", lambda d: d.P, "out.mtx"),
    Task("files", ".mtx to .npy", "filigree convert A.mtx out.npy", lambda d: d.A),
    Task("files", ".mtx to .tns and back", "filigree convert A.mtx A.tns; filigree convert A.tns out.mtx", lambda d: d.A, "out.mtx"),
    Task("files", "edge list", "filigree 'd(i) = W(i,j)' -i W:W.el -d W:<nodes>,<nodes> -o d:out.npy", lambda d: d.W.sum(axis=1)),
    Task("files", "edges with commas that count from 1", "filigree 'd(j) = W(i,j)' -i W:W.csv --base 1 -d W:<nodes>,<nodes> -o d:out.npy", lambda d: d.W.sum(axis=0)),
    Task("files", "an edge list is written and read", "filigree convert W.npz edges.el; filigree convert edges.el out.npz", lambda d: d.W, "out.npz"),
    Task("files", "from a stream to a stream", "cat A.mtx | filigree 'y(i) = A(i,j)' -i A:- -o y:-.npy | cat > out.npy", lambda d: d.A.sum(axis=1)),
    Task("files", "an edge list from a stream", "cat W.el | filigree 's = W(i,j)' -i W:-.el", lambda d: d.W.sum(), "-"),
    Task("files", "gzipped", "filigree 'y(i) = B(i,j)' -i B:B.mtx.gz -o y:sums.tns.gz; filigree convert sums.tns.gz out.npy", lambda d: d.B.sum(axis=1)),
    Task("files", "symmetric", "filigree convert symmetric.mtx half.mtx -f symmetric; filigree 'y(i) = S(i,j)' -i S:half.mtx -o y:out.npy", lambda d: d.symmetric.sum(axis=1)),
    Task("files", "fills", "filigree 'R(i,j) = W(i,j) + 1' -i W:W.npz --fill W:inf -f R:csr -o R:plus.tns; filigree 'm(i) = min_over(j, R(i,j))' -i R:plus.tns -o m:out.npy",
         lambda d: np.where(d.W.toarray() == 0, np.inf, d.W.toarray() + 1).min(axis=1)),
    # --- Parts and stacks ---------------------------------------------------------------------------------------------------------------------
    Task("stacks", "side by side", "filigree 'H(i,j) = pad(A(i,j)) + pad(B(i,j-<columns>))' -i A:A.mtx -i B:B.mtx -d H:<rows>,<columns2> -o H:out.npz", lambda d: hstack([d.A, d.B]), "out.npz"),
    Task("stacks", "one on top of the other", "filigree 'H(i,j) = pad(A(i,j)) + pad(B(i-<rows>,j))' -i A:A.mtx -i B:B.mtx -d H:<rows2>,<columns> -o H:out.npz", lambda d: vstack([d.A, d.B]), "out.npz"),
    Task("stacks", "blocks on the diagonal", "filigree 'H(i,j) = pad(A(i,j)) + pad(B(i-<rows>,j-<columns>))' -i A:A.mtx -i B:B.mtx -d H:<rows2>,<columns2> -o H:out.npz",
         lambda d: block_diag([d.A, d.B]), "out.npz"),
    Task("stacks", "Kronecker product", "filigree 'R(<small>*i+k, <small>*j+l) = A(i,j)*E(k(0,<small>), l(0,<small>))' -i A:A.mtx -i E:E.npy -o R:out.npz",
         lambda d: kron(d.A, d.E[: min(d.E.shape[1], 4), : min(d.E.shape[1], 4)]), "out.npz"),
    Task("stacks", "zeros around", "filigree 'R(i+1,j+1) = P(i,j)' -i P:P.npy -d R:<rows_around>,<rank_around> -o R:out.npy", lambda d: np.pad(d.P, 1)),
    Task("stacks", "the first half of the rows", "filigree 'R(i,j) = A(i(0,<half>), j)' -i A:A.mtx -o R:out.npz", lambda d: d.A[: d.A.shape[0] // 2], "out.npz"),
    Task("stacks", "shifted, with zeros", "filigree 'z(i) = pad(x(i-1))' -i x:x.npy -d i:<columns> -o z:out.npy", lambda d: np.concatenate([[0], d.x[:-1]])),
    Task("stacks", "shifted around the end", "filigree 'z(i) = wrap(x(i+1))' -i x:x.npy -o z:out.npy", lambda d: np.roll(d.x, -1)),
    Task("stacks", "columns shifted around the end", "filigree 'R(i,j) = wrap(A(i,j+2))' -i A:A.mtx -o R:out.npz", lambda d: csr_array(np.roll(d.A.toarray(), -2, axis=1)), "out.npz"),
    Task("stacks", "in reverse", "filigree 'z(i) = x(<last>-i)' -i x:x.npy -o z:out.npy", lambda d: d.x[::-1]),
    # --- Masks --------------------------------------------------------------------------------------------------------------------------------
    Task("masks", "a product where a mask holds", "filigree 'C(i,j) = M(i,j)*B(i,k)*S(k,j)' -i M:M.npz -i B:B.mtx -i S:S.mtx -o C:out.npz", lambda d: (d.B @ d.S).multiply(d.M), "out.npz"),
    Task("masks", "a product where it does not", "filigree 'C(i,j) = (not M(i,j))*sum(k, B(i,k)*S(k,j))' -i M:M.npz -i B:B.mtx -i S:S.mtx -o C:out.npz",
         lambda d: d.B @ d.S - (d.B @ d.S).multiply(d.M), "out.npz"),
    Task("masks", "SDDMM", "filigree 'C(i,j) = A(i,j)*P(i,r)*Q(j,r)' -i A:A.mtx -i P:P.npy -i Q:Q.npy -o C:out.npz", lambda d: d.A.multiply(d.P @ d.Q.T), "out.npz"),
    Task("masks", "what a mask leaves out", "filigree 'C(i,j) = A(i,j)*(not M(i,j))' -i A:A.mtx -i M:M.npz -o C:out.npz", lambda d: d.A - d.A.multiply(d.M), "out.npz"),
    Task("masks", "small entries dropped", "filigree 'C(i,j) = prune(select(A(i,j) > 0.5, A(i,j), 0))' -i A:A.mtx -o C:out.npz", lambda d: d.A.multiply(d.A > 0.5), "out.npz"),
    Task("masks", "below a threshold becomes 0", "filigree 'C(i,j) = select(D(i,j) < 0.5, 0, D(i,j))' -i D:D.npy -o C:out.npy", lambda d: np.where(d.D < 0.5, 0, d.D)),
    Task("masks", "from one or the other", "filigree 'C(i,j) = select(M(i,j), A(i,j), D(i,j))' -i M:M.npz -i A:A.mtx -i D:D.npy -o C:out.npy", lambda d: np.where(d.M.toarray(), d.A.toarray(), d.D)),
    Task("masks", "lower triangle", "filigree 'L(i,j) = (j <= i)*S(i,j)' -i S:S.mtx -o L:out.npz", lambda d: tril(d.S), "out.npz"),
]


class Runner:
    def __init__(self, tool, work, medium):
        self.tool, self.work, self.medium = tool, work, medium
        self.data = Data(work, medium)
        self.data.sizes.update(rows_around=self.data.sizes["rows"] + 2, rank_around=self.data.sizes["rank"] + 2)
        # The tool by its name; where times are wanted, with the option that tells them.
        folder = os.path.join(work, "bin")
        os.mkdir(folder)
        with open(os.path.join(folder, "filigree"), "w") as file:
            file.write(f'#!/bin/sh\ncase $1 in convert | info) exec {tool} "$@" ;; esac\nexec {tool} "$@" {"--time 3" if medium else ""}\n')
        os.chmod(os.path.join(folder, "filigree"), 0o755)
        self.environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"], OMP_NUM_THREADS="2")

    def result(self, out, printed):
        path = os.path.join(self.work, out)
        if out == "-":
            return np.array(float(printed))
        if out.endswith(".npy"):
            return np.load(path)
        value = load_npz(path) if out.endswith(".npz") else scipy.io.mmread(path)
        return value.toarray() if scipy.sparse.issparse(value) else value

    def run(self, task):
        """What is wrong, or None; and the seconds of each stage."""
        wrong, stages = self.run_command(task, task.command)
        if wrong or not task.best:
            return wrong, stages
        wrong, best = self.run_command(task, task.best)
        return wrong, dict(stages, best=best.get("run", 0))

    def run_command(self, task, template):
        for name in ("out.npy", "out.npz", "out.mtx"):
            if os.path.exists(os.path.join(self.work, name)):
                os.remove(os.path.join(self.work, name))
        command = re.sub(r"<(\w+)>", lambda found: str(self.data.sizes[found.group(1)]), template)
        start = time.perf_counter()
        done = subprocess.run(["bash", "-e", "-c", command], cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=600)
        whole = time.perf_counter() - start
        if done.returncode != 0 or (done.stderr.strip() and not self.medium):
            return f"{command}\n{done.stderr.strip()}", {}
        stages = dict(stage_times(done.stderr), whole=whole)
        times = []
        for _ in range(3 if self.medium else 1):
            start = time.perf_counter()
            answer = task.answer(self.data)
            times.append(time.perf_counter() - start)
        stages["numpy"] = min(times)
        expected = np.asarray(answer.toarray() if scipy.sparse.issparse(answer) else answer, dtype=float)
        found = np.asarray(self.result(task.out, done.stdout), dtype=float)
        if found.shape != expected.shape:
            return f"{command}\nthe result is {found.shape}, the answer {expected.shape}", stages
        same = np.isclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)
        if not same.all():
            place = tuple(int(n) for n in np.argwhere(~same)[0]) if same.ndim else ()
            return f"{command}\nat {place}: the result is {found[place]}, the answer {expected[place]}", stages
        return None, stages


def stage_times(text):
    """Seconds of reading and packing, compiling, running and writing, of all commands together."""
    stages = {"read": 0.0, "compile": 0.0, "run": 0.0, "write": 0.0}
    for what, number, unit in re.findall(r"^(read|pack|compile|run, median|write)[^\n]*?\s+([0-9.]+) (us|ms|s)$", text, re.MULTILINE):
        stage = {"pack": "read", "run, median": "run"}.get(what, what)
        stages[stage] += float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]
    return stages


def main():
    arguments = sys.argv[1:]
    medium = "--time" in arguments
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    tool = os.path.abspath(arguments[0])
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(tool, work, medium)
        if medium:
            print(f"{'times are in ms':42} {'read':>9} {'compile':>9} {'run':>9} {'best':>9} {'write':>9} {'NumPy':>9} {'ratio':>8}")
        for task in TASKS:
            if only not in task.group + ": " + task.name:
                continue
            try:
                wrong, stages = runner.run(task)
            except Exception as error:
                wrong, stages = f"{type(error).__name__}: {error}", {}
            if medium and stages:
                runs = stages["run"] > 0
                ratio = stages["run"] / max(stages["numpy"], 1e-5)
                cells = [f"{1000 * stages[stage]:9.2f}" if stages.get(stage) else " " * 9 for stage in ("read", "compile", "run", "best", "write", "numpy")]
                print(f"{(task.group + ': ' + task.name)[:42]:42} {' '.join(cells)} {f'{ratio:8.2f}' if runs else ''}".rstrip(), flush=True)
                if runs and ratio > MOST_TIMES and not wrong:
                    wrong = f"takes {ratio:.0f} times as long as NumPy"
            if wrong:
                failed += 1
                print(f"{task.group}: {task.name}\n{wrong}\n")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
