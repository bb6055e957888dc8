// The k-truss of a graph: what is left when edges that are part of fewer than k - 2 triangles go, again and again.
//
//   B(i,j) = prune(A(i,j)*(sum(l, A(i,j)*A(i,l)*A(j,l)) >= k - 2))
//
// Without prune the edges that go would be stored as zeros, and every later step would visit them again.
//
//   k_truss [MATRIX.mtx [K]]
#include <algorithm>
#include <cstdlib>
#include <set>

#include "graph.h"

using namespace graph;

namespace {

/// The edges that are left, each in both directions.
AnyTensor truss(const Graph& graph, std::int64_t k, const Format& format, int* steps = nullptr) {
  Declared edges{ElementType::Int64, format};
  Kernel step = compile("B(i,j) = prune(A(i,j)*(sum(l, A(i,j)*A(i,l)*A(j,l)) >= k - 2))", {{"A", edges}, {"B", edges}, {"k", {ElementType::Int64}}});
  AnyTensor A = adjacency(graph, format, ElementType::Int64), least = AnyTensor::scalar(Scalar::of(ElementType::Int64, k));
  for (;;) {
    AnyTensor left = step.run({{"A", A}, {"k", least}});
    if (steps) ++*steps;
    if (left.coordinates().coordinate == A.coordinates().coordinate) return left;
    A = left;
  }
}

using Ends = std::set<std::pair<std::int64_t, std::int64_t>>;

/// One edge after the other, counting its triangles.
Ends peeled(const Graph& graph, std::int64_t k) {
  Ends left;
  for (const Edge& edge : graph.edges) left.insert({edge.from, edge.to});
  for (bool more = true; more;) {
    more = false;
    for (auto edge = left.begin(); edge != left.end();) {
      std::int64_t triangles = 0;
      for (std::int64_t node = 0; node < graph.nodes; node++) triangles += left.count({edge->first, node}) && left.count({edge->second, node});
      bool goes = triangles < k - 2;
      more = more || goes;
      edge = goes ? left.erase(edge) : std::next(edge);
    }
  }
  return left;
}

void show(const Graph& graph, std::int64_t k) {
  int steps = 0;
  AnyTensor left = truss(graph, k, parse_format("dcsr", 2), &steps);
  std::printf("%ld of %ld edges are in the %ld-truss, after %d steps\n", static_cast<long>(left.stored() / 2), static_cast<long>(graph.edges.size() / 2),
              static_cast<long>(k), steps);
}

int run(int argc, char** argv) {
  Graph shown = undirected(argc > 1 ? read_graph(argv[1]) : random_graph(60, 8, 3));
  show(shown, argc > 2 ? std::atoll(argv[2]) : 4);
  if (argc > 1) return 0;
  Checks checks;
  for (const char* name : {"csr", "dcsr", "coo", "bitmap", "dok", "ell"}) {
    for (unsigned seed : {1, 2}) {
      Graph graph = undirected(random_graph(20, 6, seed));
      for (std::int64_t k : {3, 4, 5}) {
        Coordinates entries = truss(graph, k, parse_format(name, 2)).coordinates();
        Ends made;
        for (std::size_t n = 0; n < entries.coordinate[0].size(); n++) made.insert({entries.coordinate[0][n], entries.coordinate[1][n]});
        checks.expect(made == peeled(graph, k), std::string(name) + " and k = " + std::to_string(k));
      }
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
