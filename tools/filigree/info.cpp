// filigree info FILE [-f FORMAT]
#include <fmt/format.h>

#include "commands.h"
#include "io/files.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tensor/tensor.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

std::string describe_level(const Tensor& tensor, int number) {
  const Level& level = tensor.format().levels()[number];
  const LevelStatistics& statistics = tensor.statistics().levels[number];
  std::string coordinate = relation::to_string(level.coordinate, usual_dimension_names(tensor.order()));
  return fmt::format("level {:<5}  {}: {}, {} positions under {}, {:.4g} each, at most {}; {}\n", number + 1, coordinate, level::to_string(*level.format), statistics.size, statistics.fibres, statistics.average_fibre, statistics.longest_fibre,
                     human_bytes(static_cast<double>(statistics.bytes)));
}

}  // namespace

void info(const InfoArguments& arguments) {
  ReadOptions options;
  options.threads = arguments.threads;
  Coordinates entries = read_file(arguments.file, options);
  int order = entries.order();
  Format kind = entries.is_dense ? Format::dense(order) : Format::sparse(order);
  Format format = arguments.format ? parse_format(*arguments.format, order, "-f") : kind;
  std::int64_t count = entries.count();
  Tensor tensor = Tensor::pack(entries, format, Duplicates::Sum, arguments.file, arguments.force);
  double all = 1;
  for (std::int64_t extent : tensor.dimensions()) all *= static_cast<double>(extent);

  print(fmt::format("file         {}\n", arguments.file));
  print(fmt::format("dimensions   {}\n", describe_dimensions(tensor.dimensions())));
  print(fmt::format("type         {}\n", to_string(tensor.type())));
  print(fmt::format("entries      {}{}\n", count, entries.is_dense ? ", an array" : ""));
  if (order > 0) print(fmt::format("format       {}\n", to_map(format)));
  const Statistics& statistics = tensor.statistics();
  bool halved = format.symmetry() != Symmetry::None;
  std::string merged = !halved && statistics.stored < count ? fmt::format(", {} duplicates summed", count - statistics.stored) : "";
  print(fmt::format("stored       {}{}\n", statistics.stored, merged));
  if (statistics.values != statistics.stored) print(fmt::format("padding      {}\n", statistics.values - statistics.stored));
  if (all > 0) print(fmt::format("density      {:.4g}%\n", 100 * static_cast<double>(statistics.stored) / all));
  for (int number = 0; number < format.level_count(); number++) print(describe_level(tensor, number));
  print(fmt::format("values       {}\n", human_bytes(static_cast<double>(tensor.values().bytes()))));
  print(fmt::format("memory       {}\n", human_bytes(static_cast<double>(tensor.statistics().bytes))));
}

}  // namespace filigree::tool
