// A convolution with 3 x 3 weights: sums of index variables as indices.
//
//   O(x,y) = I(x+u, y+v) * W(u,v)                  as far as the weights stay inside: two rows and columns fewer
//   O(x,y) = pad(I(x+u-1, y+v-1)) * W(u,v)         as large as the image, with 0 around it
//
//   convolution [IMAGE.mtx]
#include "graph.h"

using namespace graph;

namespace {

using Image = std::vector<std::vector<double>>;

const Image edges = {{-1, -1, -1}, {-1, 8, -1}, {-1, -1, -1}};

AnyTensor tensor_of(const Image& image, const Format& format) {
  Coordinates entries;
  entries.dimensions = {static_cast<std::int64_t>(image.size()), static_cast<std::int64_t>(image[0].size())};
  entries.coordinate.resize(2);
  std::vector<double> values;
  for (std::size_t x = 0; x < image.size(); x++) {
    for (std::size_t y = 0; y < image[x].size(); y++) {
      if (image[x][y] == 0) continue;
      entries.coordinate[0].push_back(static_cast<std::int64_t>(x));
      entries.coordinate[1].push_back(static_cast<std::int64_t>(y));
      values.push_back(image[x][y]);
    }
  }
  entries.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size()));
  return AnyTensor::pack(entries, format);
}

Image image_of(const AnyTensor& tensor) {
  Image out(static_cast<std::size_t>(tensor.dimensions()[0]), std::vector<double>(static_cast<std::size_t>(tensor.dimensions()[1]), 0));
  Coordinates entries = tensor.coordinates();
  for (std::size_t n = 0; n < static_cast<std::size_t>(entries.count()); n++) {
    out[static_cast<std::size_t>(entries.coordinate[0][n])][static_cast<std::size_t>(entries.coordinate[1][n])] = entries.values.as<double>()[n];
  }
  return out;
}

Image convolve(const Image& image, const Format& format, const Format& result, bool padded) {
  Kernel kernel = compile(padded ? "O(x,y) = pad(I(x+u-1, y+v-1)) * W(u,v)" : "O(x,y) = I(x+u, y+v) * W(u,v)",
                          {{"O", {.format = result}}, {"I", {.format = format}}, {"W", {.format = Format::dense(2)}}});
  Extents size;  // of what only padded indices have
  if (padded) size = {{"x", static_cast<std::int64_t>(image.size())}, {"y", static_cast<std::int64_t>(image[0].size())}};
  return image_of(kernel.run({{"I", tensor_of(image, format)}, {"W", tensor_of(edges, Format::dense(2))}}, size));
}

Image direct(const Image& image, bool padded) {
  int rows = static_cast<int>(image.size()), columns = static_cast<int>(image[0].size()), border = padded ? 0 : 1;
  Image out;
  for (int x = border; x < rows - border; x++) {
    out.emplace_back();
    for (int y = border; y < columns - border; y++) {
      double sum = 0;
      for (int u = -1; u <= 1; u++) {
        for (int v = -1; v <= 1; v++) {
          bool inside = x + u >= 0 && x + u < rows && y + v >= 0 && y + v < columns;
          if (inside) sum += image[static_cast<std::size_t>(x + u)][static_cast<std::size_t>(y + v)] * edges[static_cast<std::size_t>(u + 1)][static_cast<std::size_t>(v + 1)];
        }
      }
      out.back().push_back(sum);
    }
  }
  return out;
}

Image random_image(std::size_t rows, std::size_t columns, unsigned percent, unsigned seed) {
  std::mt19937 random(seed);
  Image out(rows, std::vector<double>(columns, 0));
  for (auto& row : out) {
    for (double& pixel : row) pixel = random() % 100 < percent ? static_cast<double>(1 + random() % 9) : 0;
  }
  return out;
}

void show(const Image& image) {
  std::printf("O(x,y) = pad(I(x+u-1, y+v-1)) * W(u,v):\n");
  for (const auto& row : convolve(image, parse_format("csr", 2), Format::dense(2), true)) {
    for (double pixel : row) std::printf(" %4g", pixel);
    std::printf("\n");
  }
}

int run(int argc, char** argv) {
  if (argc > 1) {
    show(image_of(AnyTensor::pack(read_file(argv[1], {.order = 2, .type = ElementType::Float64}), parse_format("csr", 2))));
    return 0;
  }
  show({{0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 1, 0}, {0, 1, 1, 1, 1, 0}, {0, 1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0}});
  Checks checks;
  for (const char* name : {"dense", "csr", "csc", "dcsr", "coo", "bcsr(2,3)", "dia"}) {
    for (const char* result : {"dense", "csr"}) {
      for (bool padded : {false, true}) {
        Image image = random_image(9, 7, padded ? 60 : 20, padded ? 1 : 2);
        checks.expect(convolve(image, parse_format(name, 2), parse_format(result, 2), padded) == direct(image, padded), std::string(name) + " to " + result);
      }
    }
  }
  return checks.report();
}

}  // namespace

int main(int argc, char** argv) { return graph::guarded(run, argc, argv); }
