// How many triangles a graph has: an intersection of rows for every edge.
//
//   t = L(i,j) * L(j,k) * L(i,k)                               L: the edges to nodes with smaller numbers
//   t = (k < j) * (j < i) * A(i,j) * A(j,k) * A(i,k)           the same from the whole matrix: index variables are values, too
//
// Every triangle i > j > k is counted once.
//
//   triangles [MATRIX.mtx]
#include <algorithm>
#include <set>

#include "graph.h"

using namespace graph;

namespace {

std::int64_t count_triangles(const Graph& graph, const Format& format) {
  Declared scalar{ElementType::Int64, Format()}, matrix{ElementType::Int64, format};
  Graph lower{graph.nodes, {}};
  for (const Edge& edge : graph.edges) {
    if (edge.to < edge.from) lower.edges.push_back(edge);
  }
  Kernel count = compile("t = L(i,j) * L(j,k) * L(i,k)", {{"t", scalar}, {"L", matrix}});
  return count.run({{"L", adjacency(lower, format, ElementType::Int64)}}).values().as<std::int64_t>()[0];
}

std::int64_t count_in_whole(const Graph& graph, const Format& format) {
  Declared scalar{ElementType::Int64, Format()}, matrix{ElementType::Int64, format};
  Kernel count = compile("t = (k < j) * (j < i) * A(i,j) * A(j,k) * A(i,k)", {{"t", scalar}, {"A", matrix}});
  return count.run({{"A", adjacency(graph, format, ElementType::Int64)}}).values().as<std::int64_t>()[0];
}

std::int64_t by_intersection(const Graph& graph) {
  std::vector<std::set<std::int64_t>> neighbours(static_cast<std::size_t>(graph.nodes));
  for (const Edge& edge : graph.edges) neighbours[static_cast<std::size_t>(edge.from)].insert(edge.to);
  std::int64_t count = 0;
  for (const Edge& edge : graph.edges) {
    const auto &a = neighbours[static_cast<std::size_t>(edge.from)], &b = neighbours[static_cast<std::size_t>(edge.to)];
    std::vector<std::int64_t> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    count += static_cast<std::int64_t>(both.size());
  }
  return count / 6;  // each triangle once from each end of its three edges
}

int run(int argc, char** argv) {
  Graph shown = undirected(argc > 1 ? read_graph(argv[1]) : random_graph(300, 6, 5));
  std::printf("t = L(i,j) * L(j,k) * L(i,k): %ld triangles\n", static_cast<long>(count_triangles(shown, parse_format("csr", 2))));
  if (argc > 1) return 0;
  Checks checks;
  for (const char* name : {"csr", "csc", "dcsr", "coo", "dense", "bcsr(2,3)", "dok"}) {
    for (unsigned seed : {1, 2, 3}) {
      Graph graph = undirected(random_graph(15 * seed, 5, seed));
      checks.expect(count_triangles(graph, parse_format(name, 2)) == by_intersection(graph), std::string("lower half, ") + name);
      checks.expect(count_in_whole(graph, parse_format(name, 2)) == by_intersection(graph), std::string("whole matrix, ") + name);
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
