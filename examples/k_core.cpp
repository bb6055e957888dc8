// The k-core of a graph: what is left when nodes with fewer than k neighbours go, again and again.
//
//   alive(i) and= count(j, A(i,j) and alive(j)) >= k
//
// `alive` is on both sides: all nodes are looked at as they were before the step.
//
//   k_core [MATRIX.mtx [K]]
#include <algorithm>
#include <cstdlib>

#include "graph.h"

using namespace graph;

namespace {

std::vector<std::uint8_t> core(const Graph& graph, std::int64_t k, const Format& format) {
  Kernel step = compile("alive(i) and= count(j, A(i,j) and alive(j)) >= k",
                        {{"alive", {ElementType::Bool, Format::dense(1)}}, {"A", {ElementType::Bool, format}}, {"k", {ElementType::Int64}}});
  AnyTensor A = adjacency(graph, format, ElementType::Bool), least = AnyTensor::scalar(Scalar::of(ElementType::Int64, k));
  AnyTensor alive = vector_of<std::uint8_t>(ElementType::Bool, graph.nodes, 1);
  for (;;) {
    AnyTensor next = step.run({{"alive", alive}, {"A", A}, {"k", least}});
    if (list_of<std::uint8_t>(next) == list_of<std::uint8_t>(alive)) return list_of<std::uint8_t>(alive);
    alive = next;
  }
}

/// One node after the other, with a count of neighbours for each.
std::vector<std::uint8_t> peeled(const Graph& graph, std::int64_t k) {
  std::vector<std::vector<std::size_t>> neighbours(static_cast<std::size_t>(graph.nodes));
  for (const Edge& edge : graph.edges) neighbours[static_cast<std::size_t>(edge.from)].push_back(static_cast<std::size_t>(edge.to));
  std::vector<std::int64_t> degree;
  std::vector<std::size_t> going;
  std::vector<std::uint8_t> alive(neighbours.size(), 1);
  for (std::size_t node = 0; node < neighbours.size(); node++) {
    degree.push_back(static_cast<std::int64_t>(neighbours[node].size()));
    if (degree[node] < k) going.push_back(node), alive[node] = 0;
  }
  while (!going.empty()) {
    std::size_t node = going.back();
    going.pop_back();
    for (std::size_t other : neighbours[node]) {
      if (--degree[other] < k && alive[other]) going.push_back(other), alive[other] = 0;
    }
  }
  return alive;
}

void show(const Graph& graph, std::int64_t k) {
  std::vector<std::uint8_t> alive = core(graph, k, parse_format("csr", 2));
  std::printf("alive(i) and= count(j, A(i,j) and alive(j)) >= k: %ld of %ld nodes are in the %ld-core\n",
              static_cast<long>(std::count(alive.begin(), alive.end(), 1)), static_cast<long>(graph.nodes), static_cast<long>(k));
}

int run(int argc, char** argv) {
  Graph shown = undirected(argc > 1 ? read_graph(argv[1]) : random_graph(200, 2, 3));
  show(shown, argc > 2 ? std::atoll(argv[2]) : 3);
  if (argc > 1) return 0;
  Checks checks;
  for (const char* name : {"csr", "csc", "dcsr", "coo", "dense", "bcsr(2,3)", "dok"}) {
    for (unsigned seed : {1, 2, 3}) {
      Graph graph = undirected(random_graph(20 * seed, 2, seed));
      for (std::int64_t k : {1, 2, 3, 4}) checks.expect(core(graph, k, parse_format(name, 2)) == peeled(graph, k), name);
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
