// What the examples with graphs share: graphs as lists of edges, adjacency matrices of them, and statements as text.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "filigree.h"

namespace graph {

using namespace filigree;

struct Edge {
  std::int64_t from, to;
  double weight;
};

struct Graph {
  std::int64_t nodes = 0;
  std::vector<Edge> edges;
};

/// Every edge with its reverse, once, and no edge from a node to itself.
inline Graph undirected(const Graph& graph) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> once;
  for (const Edge& edge : graph.edges) {
    if (edge.from == edge.to) continue;
    once.insert({{edge.from, edge.to}, edge.weight});
    once.insert({{edge.to, edge.from}, edge.weight});
  }
  Graph out{graph.nodes, {}};
  for (const auto& [ends, weight] : once) out.edges.push_back({ends.first, ends.second, weight});
  return out;
}

/// `nodes` nodes with about `degree` edges from each, at most one from a node to another; weights are 1 to 9.
inline Graph random_graph(std::int64_t nodes, double degree, unsigned seed) {
  std::mt19937 random(seed);
  Graph out{nodes, {}};
  for (std::int64_t from = 0; from < nodes; from++) {
    for (std::int64_t to = 0; to < nodes; to++) {
      bool is_edge = random() % 1000 < 1000 * degree / static_cast<double>(nodes);
      if (is_edge) out.edges.push_back({from, to, static_cast<double>(1 + random() % 9)});
    }
  }
  return out;
}

/// A matrix from a file, as a graph: an entry in row i and column j is an edge from i to j.
inline Graph read_graph(const std::string& path) {
  Coordinates entries = read_file(path, {.order = 2, .type = ElementType::Float64});
  Graph out{std::max(entries.dimensions[0], entries.dimensions[1]), {}};
  for (std::int64_t n = 0; n < entries.count(); n++) {
    auto at = static_cast<std::size_t>(n);
    out.edges.push_back({entries.coordinate[0][at], entries.coordinate[1][at], entries.values.as<double>()[at]});
  }
  return out;
}

/// The matrix with an entry for every edge: its weight, or 1.
inline AnyTensor adjacency(const Graph& graph, const Format& format, ElementType type, bool weighted = false, double fill = 0) {
  Coordinates entries;
  entries.dimensions = {graph.nodes, graph.nodes};
  entries.coordinate.resize(2);
  entries.values = Array(type, static_cast<std::int64_t>(graph.edges.size()));
  for (std::size_t n = 0; n < graph.edges.size(); n++) {
    entries.coordinate[0].push_back(graph.edges[n].from);
    entries.coordinate[1].push_back(graph.edges[n].to);
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(type, weighted ? graph.edges[n].weight : 1.0));
  }
  return AnyTensor::pack(entries, format, Duplicates::Last, "graph", false, Scalar::of(type, fill));
}

/// A dense vector of `count` components, all `value`.
template <class T>
AnyTensor vector_of(ElementType type, std::int64_t count, T value) {
  AnyTensor out(type, {count}, Format::dense(1));
  for (T& component : out.values().as<T>()) component = value;
  return out;
}

struct Declared {
  ElementType type = ElementType::Float64;
  Format format = Format();
  double fill = 0;
};

inline Kernel compile(const std::string& text, const std::map<std::string, Declared>& tensors) {
  std::map<std::string, TensorVar> vars;
  for (const auto& [name, tensor] : tensors) vars.emplace(name, TensorVar(name, tensor.type, tensor.format, Scalar::of(tensor.type, tensor.fill)));
  return Kernel::compile(notation::resolve(notation::parse(text), vars));
}

template <class T>
std::vector<T> list_of(const AnyTensor& dense) {
  auto values = dense.values().as<T>();
  return {values.begin(), values.end()};
}

/// Counts comparisons with what is computed without Filigree; main returns `failed`.
struct Checks {
  int done = 0, failed = 0;
  void expect(bool right, const std::string& what) {
    done++;
    if (right) return;
    failed++;
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
  }
  int report() const {
    std::printf("%d comparisons with plain implementations, %d failed\n", done, failed);
    return failed > 0 ? 1 : 0;
  }
};

/// Runs the program; a mistake of the user's, as a file that is not there, ends it with a message.
inline int guarded(int (*program)(int, char**), int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const UserError& error) {
    std::fputs(error.text().c_str(), stderr);
    return 2;
  }
}

}  // namespace graph
