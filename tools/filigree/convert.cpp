// filigree convert IN OUT [-f FORMAT] [--from FORMAT] [--force]
#include <algorithm>

#include <fmt/format.h>

#include "commands.h"
#include "compiler/kernel.h"
#include "io/files.h"
#include "show.h"

namespace filigree::tool {
namespace {

/// The compiled copy A(...) = B(...).
Tensor reformat(const Tensor& in, const Format& format, const ConvertArguments& arguments) {
  std::vector<IndexVar> vars;
  for (int d = 0; d < in.order(); d++) vars.emplace_back(fmt::format("i{}", d));
  TensorVar from("B", in.type(), in.format()), to("A", in.type(), format);
  notation::Statement copy{notation::Access{to, vars}, std::nullopt, notation::Expr(notation::Access{from, vars})};
  KernelOptions options;
  options.target = arguments.target;
  options.force = arguments.force;
  options.threads = std::max(1, arguments.threads);
  return Kernel::compile(copy, options).run({{"B", in}});
}

}  // namespace

void convert(const ConvertArguments& arguments) {
  check_output(arguments.out);
  ReadOptions options;
  options.threads = arguments.threads;
  Coordinates entries = read_file(arguments.in, options);
  int order = entries.order();
  Format usual = entries.is_dense ? Format::dense(order) : Format::sparse(order);
  Format from = arguments.from ? parse_format(*arguments.from, order, "--from") : usual;
  Format to = arguments.format ? parse_format(*arguments.format, order, "-f") : from;
  Tensor tensor = Tensor::pack(entries, from, Duplicates::Sum, arguments.in, arguments.force);
  entries = Coordinates();
  write_file(arguments.out, to == from ? tensor : reformat(tensor, to, arguments));
}

}  // namespace filigree::tool
