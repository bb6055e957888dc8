// Which nodes can be reached, and in how many steps: products over or and and.
//
//   next(j) = prune(any(i, front(i) and A(i,j)) and not seen(j))      where one more step leads for the first time
//
// `front` and `next` are sparse, and prune leaves out the nodes that were seen before.  So a step costs what the edges from its front cost: on a
// path of n nodes, n steps of one edge each.
//
//   reachability [MATRIX.mtx [START]]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>

#include "graph.h"

using namespace graph;

namespace {

/// Steps to each node; -1 where none lead.
std::vector<int> steps(const Graph& graph, std::int64_t start, const Format& format, const Format& front_format) {
  Declared sparse{ElementType::Bool, front_format}, dense{ElementType::Bool, Format::dense(1)};
  Kernel step = compile("next(j) = prune(any(i, front(i) and A(i,j)) and not seen(j))",
                        {{"next", sparse}, {"front", sparse}, {"A", {ElementType::Bool, format}}, {"seen", dense}});

  AnyTensor A = adjacency(graph, format, ElementType::Bool);
  Coordinates begin{{graph.nodes}, {{start}}, Array(ElementType::Bool, 1)};
  begin.values.set(0, Scalar::boolean(true));
  AnyTensor front = AnyTensor::pack(begin, front_format), seen = vector_of<std::uint8_t>(ElementType::Bool, graph.nodes, 0);
  std::vector<int> out(static_cast<std::size_t>(graph.nodes), -1);
  for (int count = 0;; count++) {
    bool any = false;
    Coordinates reached = front.coordinates();
    for (std::int64_t n = 0; n < reached.count(); n++) {
      if (!reached.values.get(n).as_bool()) continue;  // a dense front stores these, too
      auto node = static_cast<std::size_t>(reached.coordinate[0][static_cast<std::size_t>(n)]);
      any = true;
      out[node] = count;
      seen.values().as<std::uint8_t>()[node] = 1;
    }
    if (!any) return out;
    front = step.run({{"front", front}, {"A", A}, {"seen", seen}});
  }
}

std::vector<int> breadth_first(const Graph& graph, std::int64_t start) {
  std::vector<std::vector<std::int64_t>> from(static_cast<std::size_t>(graph.nodes));
  for (const Edge& edge : graph.edges) from[static_cast<std::size_t>(edge.from)].push_back(edge.to);
  std::vector<int> out(static_cast<std::size_t>(graph.nodes), -1);
  out[static_cast<std::size_t>(start)] = 0;
  for (std::deque<std::int64_t> queue = {start}; !queue.empty(); queue.pop_front()) {
    int here = out[static_cast<std::size_t>(queue.front())];
    for (std::int64_t to : from[static_cast<std::size_t>(queue.front())]) {
      int& there = out[static_cast<std::size_t>(to)];
      if (there >= 0) continue;
      there = here + 1;
      queue.push_back(to);
    }
  }
  return out;
}

void show(const Graph& graph, std::int64_t start) {
  std::vector<int> out = steps(graph, start, parse_format("csr", 2), Format::sparse(1));
  std::printf("next(j) = prune(any(i, front(i) and A(i,j)) and not seen(j)), from node %ld:\n", static_cast<long>(start));
  for (int count = 0; count <= *std::max_element(out.begin(), out.end()); count++) {
    std::printf("  %ld in %d steps\n", static_cast<long>(std::count(out.begin(), out.end(), count)), count);
  }
  std::printf("  %ld not at all\n", static_cast<long>(std::count(out.begin(), out.end(), -1)));
}

/// Along a path a step costs the same however long the path is.
void show_path(std::int64_t nodes) {
  Graph path{nodes, {}};
  for (std::int64_t node = 0; node + 1 < nodes; node++) path.edges.push_back({node, node + 1, 1});
  auto start = std::chrono::steady_clock::now();
  std::vector<int> out = steps(path, 0, parse_format("csr", 2), Format::sparse(1));
  double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  std::printf("a path of %ld nodes: %d steps, %.1f us each\n", static_cast<long>(nodes), out.back(), microseconds / static_cast<double>(nodes));
}

int run(int argc, char** argv) {
  if (argc > 1) {
    Graph graph = read_graph(argv[1]);
    std::int64_t start = argc > 2 ? std::atoll(argv[2]) : 0;
    if (start < 0 || start >= graph.nodes) return std::fprintf(stderr, "there is no node %ld\n", static_cast<long>(start)), 2;
    show(graph, start);
    return 0;
  }
  show(random_graph(200, 2, 7), 0);
  for (std::int64_t nodes : {2'000, 20'000}) show_path(nodes);
  Checks checks;
  for (const char* name : {"csr", "csc", "dcsr", "coo", "dense", "bcsr(2,3)", "ell"}) {
    for (const char* front : {"sparse", "dense", "hash"}) {
      for (unsigned seed : {1, 2}) {
        Graph graph = random_graph(20 * seed, 1.8, seed);
        checks.expect(steps(graph, 0, parse_format(name, 2), parse_format(front, 1)) == breadth_first(graph, 0), std::string(name) + " and " + front);
      }
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
