// filigree convert IN OUT [options]
#include <algorithm>

#include <fmt/format.h>

#include "commands.h"
#include "layout_format.h"
#include "compiler/kernel.h"
#include "file_settings.h"
#include "io/files.h"
#include "io/progress.h"
#include "show.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

/// The compiled copy A(...) = B(...).
AnyTensor reformat(const AnyTensor& in, const Format& format, const ConvertArguments& arguments) {
  std::vector<IndexVar> vars;
  for (int d = 0; d < in.order(); d++) vars.emplace_back(fmt::format("i{}", d));
  TensorVar from("B", in.type(), in.format(), in.fill()), to("A", in.type(), format, in.fill());
  notation::Statement copy{notation::Access{to, vars}, std::nullopt, notation::Expr(notation::Access{from, vars})};
  io::Progress progress(fmt::format("converting to {}", to_string(format)));
  KernelOptions options;
  options.target = arguments.target;
  options.force = arguments.force;
  options.threads = std::max(1, arguments.threads);
  return Kernel::compile(copy, options).run({{"B", in}});
}

Contents read(const ConvertArguments& arguments) {
  io::Progress progress("reading " + arguments.in);
  ReadOptions options;
  options.threads = arguments.threads;
  options.base = arguments.base;
  return read_contents(arguments.in, options);
}

AnyTensor packed(Contents contents, const Format& format, const ConvertArguments& arguments) {
  io::Progress progress(fmt::format("packing {} as {}", arguments.in, to_string(format)));
  std::optional<Scalar> fill = contents.fill();
  return std::move(contents).pack(format, arguments.in, arguments.force, fill);
}

void warn_of_bases(const ConvertArguments& arguments) {
  std::string in = arguments.base ? std::to_string(*arguments.base) : "",
              out = arguments.out_base ? "," + std::to_string(*arguments.out_base) : "";
  if (auto warning = arguments.base ? base_without_effect("--base " + in, *arguments.base, arguments.in) : std::nullopt)
    print_error(warning->text(Wording::CommandLine));
  if (auto warning = arguments.out_base ? base_without_effect("--base " + in + out, *arguments.out_base, arguments.out)
                                        : std::nullopt)
    print_error(warning->text(Wording::CommandLine));
}

}  // namespace

void convert(const ConvertArguments& arguments) {
  check_output(arguments.out);
  if (is_standard_output(arguments.out)) reserve_standard_output();
  io::allow_progress(!arguments.quiet);
  Contents contents = read(arguments);
  warn_of_bases(arguments);
  for (const Warning& warning : contents.warnings()) print_error(warning.text(Wording::CommandLine));
  int order = contents.order();
  Format from = arguments.from ? parse_format_option(*arguments.from, order, "--from") : contents.usual_format();
  Format to = arguments.format ? parse_format_option(*arguments.format, order, "-f") : from;
  AnyTensor tensor = packed(std::move(contents), from, arguments);
  if (to != from) tensor = reformat(tensor, to, arguments);
  io::Progress progress("writing " + arguments.out);
  write_file(arguments.out, tensor, {.base = arguments.out_base, .progress = true});
}

}  // namespace filigree::tool
