// filigree convert IN OUT [options]
#include <algorithm>

#include <fmt/format.h>

#include "commands.h"
#include "compiler/kernel.h"
#include "io/files.h"
#include "io/progress.h"
#include "show.h"

namespace filigree::tool {
namespace {

/// The compiled copy A(...) = B(...).
Tensor reformat(const Tensor& in, const Format& format, const ConvertArguments& arguments) {
  std::vector<IndexVar> vars;
  for (int d = 0; d < in.order(); d++) vars.emplace_back(fmt::format("i{}", d));
  TensorVar from("B", in.type(), in.format()), to("A", in.type(), format);
  notation::Statement copy{notation::Access{to, vars}, std::nullopt, notation::Expr(notation::Access{from, vars})};
  io::Progress progress(fmt::format("converting to {}", to_string(format)));
  KernelOptions options;
  options.target = arguments.target;
  options.force = arguments.force;
  options.threads = std::max(1, arguments.threads);
  return Kernel::compile(copy, options).run({{"B", in}});
}

Coordinates read(const ConvertArguments& arguments, const ReadOptions& options) {
  io::Progress progress("reading " + arguments.in);
  return read_file(arguments.in, options);
}

Tensor packed(const Coordinates& entries, const Format& format, const ConvertArguments& arguments) {
  io::Progress progress(fmt::format("packing {} as {}", arguments.in, to_string(format)));
  return Tensor::pack(entries, format, Duplicates::Sum, arguments.in, arguments.force);
}

}  // namespace

void convert(const ConvertArguments& arguments) {
  check_output(arguments.out);
  io::allow_progress(!arguments.quiet);
  ReadOptions options;
  options.threads = arguments.threads;
  Coordinates entries = read(arguments, options);
  int order = entries.order();
  Format usual = entries.is_dense ? Format::dense(order) : Format::sparse(order);
  Format from = arguments.from ? parse_format(*arguments.from, order, "--from") : usual;
  Format to = arguments.format ? parse_format(*arguments.format, order, "-f") : from;
  Tensor tensor = packed(entries, from, arguments);
  entries = Coordinates();
  if (to != from) tensor = reformat(tensor, to, arguments);
  io::Progress progress("writing " + arguments.out);
  write_file(arguments.out, tensor);
}

}  // namespace filigree::tool
