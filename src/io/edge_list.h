// Edge lists (.el, .edges, .txt, .csv, .tsv): an edge per line, two vertices and perhaps a weight; comments start with
// # or %.
#pragma once

#include <string>

#include "io/contents.h"
#include "io/files.h"
#include "io/input.h"

namespace filigree::io {

/// A square matrix, unless dimensions are stated.  Without weights every edge has 1.  `has_heading`: a first line of
/// words is skipped.
Contents read_edge_list(TextFile& file, const ReadOptions& options, bool has_heading);

/// What an edge list cannot say stands in a comment, "# filigree base=1 type=int64 dimensions=3,4"; written only where
/// it is needed. Weights are left out if all are 1.
void write_edge_list(const std::string& path, const AnyTensor& tensor, char separator, const WriteOptions& options);

}  // namespace filigree::io
