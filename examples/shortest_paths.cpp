// Shortest paths: products over min and +.
//
//   d(j) min= d(i) + A(i,j)          one more edge from every node that is reached: Bellman and Ford's step
//   D(i,j) min= D(i,k) + D(k,j)      paths of twice as many edges between all pairs
//
// An edge that is not there is infinitely long, so inf is the fill of A and D, and kernels visit the edges only.  A tensor on both
// sides is read as it was before the statement.
//
//   shortest_paths [MATRIX.mtx [START]]
#include <cstdlib>
#include <limits>
#include <queue>

#include "graph.h"

using namespace graph;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<double> distances(const Graph& graph, std::int64_t start, const Format& format) {
  Kernel step = compile("d(j) min= d(i) + A(i,j)", {{"d", {.format = Format::dense(1)}}, {"A", {.format = format, .fill = infinite}}});
  AnyTensor A = adjacency(graph, format, ElementType::Float64, true, infinite);
  AnyTensor d = vector_of(ElementType::Float64, graph.nodes, infinite);
  d.values().as<double>()[static_cast<std::size_t>(start)] = 0;
  for (;;) {
    AnyTensor next = step.run({{"d", d}, {"A", A}});
    if (list_of<double>(next) == list_of<double>(d)) return list_of<double>(d);
    d = next;
  }
}

/// Between all pairs, as a matrix that stores the pairs with a path.
AnyTensor all_distances(const Graph& graph, const Format& format) {
  Kernel twice = compile("D(i,j) min= D(i,k) + D(k,j)", {{"D", {.format = format, .fill = infinite}}});
  Graph with_loops = graph;
  for (std::int64_t node = 0; node < graph.nodes; node++) with_loops.edges.push_back({node, node, 0});
  AnyTensor D = adjacency(with_loops, format, ElementType::Float64, true, infinite);
  for (std::int64_t edges = 1; edges < graph.nodes; edges *= 2) D = twice.run({{"D", D}});
  return D;
}

// --- Without Filigree ----------------------------------------------------------------------------------

std::vector<double> dijkstra(const Graph& graph, std::int64_t start) {
  std::vector<std::vector<Edge>> from(static_cast<std::size_t>(graph.nodes));
  for (const Edge& edge : graph.edges) from[static_cast<std::size_t>(edge.from)].push_back(edge);
  std::vector<double> distance(static_cast<std::size_t>(graph.nodes), infinite);
  using Reached = std::pair<double, std::int64_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  queue.push({0, start});
  while (!queue.empty()) {
    auto [so_far, node] = queue.top();
    queue.pop();
    if (distance[static_cast<std::size_t>(node)] <= so_far) continue;
    distance[static_cast<std::size_t>(node)] = so_far;
    for (const Edge& edge : from[static_cast<std::size_t>(node)]) queue.push({so_far + edge.weight, edge.to});
  }
  return distance;
}

bool is_right(const AnyTensor& D, const Graph& graph) {
  Coordinates pairs = D.coordinates();
  std::size_t n = 0;
  for (std::int64_t start = 0; start < graph.nodes; start++) {
    std::vector<double> expected = dijkstra(graph, start), row(expected.size(), infinite);
    for (; n < pairs.coordinate[0].size() && pairs.coordinate[0][n] == start; n++) row[static_cast<std::size_t>(pairs.coordinate[1][n])] = pairs.values.as<double>()[n];
    if (row != expected) return false;
  }
  return true;
}

void show(const Graph& graph, std::int64_t start) {
  std::vector<double> d = distances(graph, start, parse_format("csr", 2));
  std::printf("d(j) min= d(i) + A(i,j), from node %ld:\n", static_cast<long>(start));
  for (std::size_t node = 0; node < d.size() && node < 20; node++) std::printf("  %zu: %g\n", node, d[node]);
}

int run(int argc, char** argv) {
  if (argc > 1) {
    Graph graph = read_graph(argv[1]);
    std::int64_t start = argc > 2 ? std::atoll(argv[2]) : 0;
    if (start < 0 || start >= graph.nodes) return std::fprintf(stderr, "there is no node %ld\n", static_cast<long>(start)), 2;
    show(graph, start);
    return 0;
  }
  show({5, {{0, 1, 4}, {0, 2, 1}, {2, 1, 2}, {1, 3, 5}, {3, 0, 7}}}, 0);
  Checks checks;
  for (const char* name : {"csr", "csc", "dcsr", "dense", "bcsr(2,3)", "dok"}) {
    Format format = parse_format(name, 2);
    for (unsigned seed : {1, 2, 3}) {
      Graph graph = random_graph(10 + 15 * seed, 2.5, seed);
      checks.expect(distances(graph, 0, format) == dijkstra(graph, 0), std::string("distances, ") + name);
      checks.expect(is_right(all_distances(graph, format), graph), std::string("all distances, ") + name);
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
