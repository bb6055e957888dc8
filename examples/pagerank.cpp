// PageRank: how often somebody comes by who follows edges at random and now and then begins anywhere.
//
//   degree(i) = count(j, A(i,j))
//   share(i) = select(degree(i) > 0, 1/degree(i), 0)
//   rest = sum(i, select(share(i) == 0, p(i), 0))                      who is at a node without edges begins anew
//   q(j) = 0.85 * A(i,j)*p(i)*share(i) + (1 - 0.85 + 0.85*rest)/n
//   change = sum(i, abs(q(i) - p(i)))
//
//   pagerank [MATRIX.mtx]
#include <algorithm>
#include <numeric>

#include "graph.h"

using namespace graph;

namespace {

constexpr double tolerance = 1e-12;

double scalar_of(const AnyTensor& tensor) { return tensor.values().as<double>()[0]; }

std::vector<double> rank(const Graph& graph, const Format& format) {
  Declared vector{.format = Format::dense(1)}, matrix{.format = format}, scalar;
  Kernel degrees = compile("degree(i) = count(j, A(i,j))", {{"degree", {ElementType::Int64, Format::dense(1)}}, {"A", matrix}});
  Kernel shares = compile("share(i) = select(degree(i) > 0, 1/degree(i), 0)", {{"share", vector}, {"degree", {ElementType::Int64, Format::dense(1)}}});
  Kernel lost = compile("rest = sum(i, select(share(i) == 0, p(i), 0))", {{"rest", scalar}, {"share", vector}, {"p", vector}});
  Kernel step = compile("q(j) = 0.85 * A(i,j)*p(i)*share(i) + (1 - 0.85 + 0.85*rest)/n",
                        {{"q", vector}, {"A", matrix}, {"p", vector}, {"share", vector}, {"rest", scalar}, {"n", scalar}});
  Kernel changed = compile("change = sum(i, abs(q(i) - p(i)))", {{"change", scalar}, {"q", vector}, {"p", vector}});

  AnyTensor A = adjacency(graph, format, ElementType::Float64);
  AnyTensor degree = degrees.run({{"A", A}}), share = shares.run({{"degree", degree}});
  AnyTensor n = AnyTensor::scalar(Scalar::of(ElementType::Float64, static_cast<double>(graph.nodes)));
  AnyTensor p = vector_of(ElementType::Float64, graph.nodes, 1.0 / static_cast<double>(graph.nodes));
  for (;;) {
    AnyTensor rest = lost.run({{"share", share}, {"p", p}});
    AnyTensor q = step.run({{"A", A}, {"p", p}, {"share", share}, {"rest", rest}, {"n", n}});
    double change = scalar_of(changed.run({{"q", q}, {"p", p}}));
    p = q;
    if (change < tolerance) return list_of<double>(p);
  }
}

/// Power iteration with the whole matrix of probabilities.
std::vector<double> dense_rank(const Graph& graph) {
  std::size_t n = static_cast<std::size_t>(graph.nodes);
  std::vector<std::vector<double>> links(n, std::vector<double>(n, 0)), probability = links;
  for (const Edge& edge : graph.edges) links[static_cast<std::size_t>(edge.from)][static_cast<std::size_t>(edge.to)] = 1;
  for (std::size_t i = 0; i < n; i++) {
    double degree = std::accumulate(links[i].begin(), links[i].end(), 0.0);
    for (std::size_t j = 0; j < n; j++) probability[i][j] = 0.15 / static_cast<double>(n) + 0.85 * (degree > 0 ? links[i][j] / degree : 1 / static_cast<double>(n));
  }
  std::vector<double> p(n, 1 / static_cast<double>(n));
  for (int iteration = 0; iteration < 300; iteration++) {
    std::vector<double> q(n, 0);
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t j = 0; j < n; j++) q[j] += p[i] * probability[i][j];
    }
    p = q;
  }
  return p;
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t n = 0; n < a.size(); n++) worst = std::max(worst, std::abs(a[n] - b[n]));
  return a.size() == b.size() && worst < 1e-9;
}

void show(const Graph& graph) {
  std::vector<double> p = rank(graph, parse_format("csr", 2));
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::printf("q(j) = 0.85 * A(i,j)*p(i)*share(i) + (1 - 0.85 + 0.85*rest)/n\n");
  for (std::size_t n = 0; n < std::min<std::size_t>(5, order.size()); n++) std::printf("  node %zu: %.6f\n", order[n], p[order[n]]);
}

int run(int argc, char** argv) {
  show(argc > 1 ? read_graph(argv[1]) : random_graph(100, 3, 11));
  if (argc > 1) return 0;
  Checks checks;
  for (const char* name : {"csr", "csc", "dcsr", "coo", "dense", "bcsr(2,3)", "ell"}) {
    for (unsigned seed : {1, 2, 3}) {
      Graph graph = random_graph(15 * seed, 2, seed);
      checks.expect(are_close(rank(graph, parse_format(name, 2)), dense_rank(graph)), name);
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
