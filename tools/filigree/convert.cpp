// filigree convert IN OUT [-f FORMAT]
#include <algorithm>

#include <fmt/format.h>

#include "commands.h"
#include "compiler/kernel.h"
#include "io/files.h"
#include "show.h"

namespace filigree::tool {
namespace {

/// The compiled copy out(...) = in(...).
Tensor reformat(const Tensor& in, const Format& format, const ConvertArguments& arguments) {
  std::vector<IndexVar> vars;
  for (int d = 0; d < in.order(); d++) vars.emplace_back(fmt::format("i{}", d));
  TensorVar from("in", in.type(), in.format()), to("out", in.type(), format);
  notation::Statement copy{notation::Access{to, vars}, std::nullopt, notation::Expr(notation::Access{from, vars})};
  KernelOptions options;
  options.target = arguments.target;
  options.threads = std::max(1, arguments.threads);
  return Kernel::compile(copy, options).run({{"in", in}});
}

}  // namespace

void convert(const ConvertArguments& arguments) {
  check_output(arguments.to);
  ReadOptions options;
  options.threads = arguments.threads;
  Coordinates entries = read_file(arguments.from, options);
  int order = entries.order();
  Format kind = entries.is_dense ? Format::dense(order) : Format::sparse(order);
  Format format = arguments.format ? parse_format(*arguments.format, order, "-f") : kind;
  Tensor tensor = Tensor::pack(entries, kind, Duplicates::Sum, arguments.from);
  entries = Coordinates();
  write_file(arguments.to, format == kind ? tensor : reformat(tensor, format, arguments));
}

}  // namespace filigree::tool
