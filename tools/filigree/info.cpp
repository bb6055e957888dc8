// filigree info FILE [options]
#include <fmt/format.h>

#include "commands.h"
#include "layout_format.h"
#include "describe_contents.h"
#include "file_settings.h"
#include "io/files.h"
#include "io/progress.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tensor/any_tensor.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

std::string bytes_text(std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

/// Does it store entries at the same place one by one?
bool keeps_duplicates(const Format& format) {
  return format.symmetry() == Symmetry::None && format.level_count() > 0 &&
         !format.levels().back().format->properties().unique;
}

/// How many different places entries are at; those of the half that is stored of a symmetric matrix.
struct Places {
  std::int64_t all = 0, stored = 0;
};

Places count_places(const Coordinates& entries, const AnyTensor& tensor) {
  const Format& format = tensor.format();
  bool whole = format.symmetry() == Symmetry::None,
       exact = !format.pads() && !keeps_duplicates(format) && tensor.statistics().stored == tensor.stored();
  if (whole && (entries.is_dense || (exact && tensor.stored() == entries.count())))
    return {entries.count(), entries.count()};
  Places places;
  AnyTensor::pack(entries, Format::sparse(entries.order()))
      .for_each([&](const std::vector<std::int64_t>& at, std::int64_t) {
        places.all++;
        places.stored += whole || at[0] >= at[1];
      });
  return places;
}

std::string describe_level(const AnyTensor& tensor, int number) {
  const Level& level = tensor.format().levels()[number];
  const LevelStatistics& statistics = tensor.statistics().levels[number];
  std::string coordinate = relation::to_string(level.coordinate, usual_dimension_names(tensor.order()));
  std::vector<std::string> arrays;
  const std::vector<level::ArrayDescription> descriptions = level.format->arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    const Array& array = tensor.level_arrays()[number][a];
    arrays.push_back(fmt::format("{} {} ({} {})", descriptions[a].name, bytes_text(array.bytes()), array.count(),
                                 to_string(array.type())));
  }
  return fmt::format("level {:<5}  {}: {}, {} under {}, {:.4g} each, at most {}; {}{}\n", number + 1, coordinate,
                     level::to_string(*level.format), counted(statistics.size, "position"), statistics.fibres,
                     statistics.average_fibre, statistics.longest_fibre, bytes_text(statistics.bytes),
                     arrays.empty() ? "" : ": " + join(arrays, ", "));
}

std::string describe_storage(const Coordinates& entries, const AnyTensor& tensor, const Banner& banner) {
  const Format& format = tensor.format();
  const Statistics& statistics = tensor.statistics();
  Places places = count_places(entries, tensor);
  double all = 1;
  for (std::int64_t extent : tensor.dimensions()) all *= static_cast<double>(extent);
  std::string text, name = to_string(format), map = to_map(format);
  if (places.all < entries.count()) text += fmt::format("duplicates   {}\n", entries.count() - places.all);
  if (all > 0) text += fmt::format("density      {:.4g}%\n", 100 * static_cast<double>(places.all) / all);
  text += describe_symmetry(entries, banner) + describe_range(entries) + describe_empty(entries);
  if (tensor.order() > 0) text += fmt::format("format       {}\n", name == map ? map : name + ", " + map);
  text += fmt::format("stored       {}\n", statistics.values);
  if (format.symmetry() != Symmetry::None) {
    text += fmt::format(
        "half         only the {} on and below the diagonal {} stored; the others are their mirror images\n",
        counted(places.stored, "entry", "entries"), places.stored == 1 ? "is" : "are");
  }
  std::int64_t padding = statistics.values - (keeps_duplicates(format) ? entries.count() : places.stored);
  if (padding > 0)
    text += fmt::format("padding      {}, {:.4g}% of what is stored\n", padding,
                        100 * static_cast<double>(padding) / static_cast<double>(statistics.values));
  for (int number = 0; number < format.level_count(); number++) text += describe_level(tensor, number);
  text += fmt::format("values       {}\n", bytes_text(tensor.values().bytes()));
  return text + fmt::format("memory       {}\n", bytes_text(statistics.bytes));
}

std::string describe(const InfoArguments& arguments) {
  ReadOptions options;
  options.threads = arguments.threads;
  options.base = arguments.base;
  io::Progress progress("looking at " + arguments.file);
  Contents contents = read_contents(arguments.file, options);
  if (auto warning = arguments.base ? base_without_effect(fmt::format("--base {}", *arguments.base), *arguments.base,
                                                          arguments.file)
                                    : std::nullopt)
    print_error(warning->text(Wording::CommandLine));
  for (const Warning& warning : contents.warnings()) print_error(warning.text(Wording::CommandLine));
  Format format = arguments.format ? parse_format_option(*arguments.format, contents.order(), "-f")
                                   : contents.usual_format();
  AnyTensor tensor = contents.pack(format, arguments.file, arguments.force, contents.fill());
  Coordinates entries = contents.entries_for(format, contents.fill());
  Banner banner = parse_banner(contents.banner());
  std::string text = fmt::format("file         {}\n", arguments.file);
  if (!banner.field.empty())
    text += fmt::format("field        {}, {}, {}\n", banner.field, banner.layout, banner.symmetry);
  text += fmt::format("dimensions   {}\n", describe_dimensions(tensor.dimensions()));
  text += fmt::format("type         {}\n", to_string(tensor.type()));
  text += fmt::format("entries      {}{}\n", contents.is_dense() ? contents.count() : entries.count(),
                      contents.is_dense() ? ", an array" : "");
  if (!tensor.fill().is_zero() && !tensor.format().is_dense())
    text += fmt::format("fill         {}\n", to_string(tensor.fill()));
  return text + describe_storage(entries, tensor, banner);
}

}  // namespace

void info(const InfoArguments& arguments) {
  io::allow_progress(!arguments.quiet);
  print(describe(arguments));
}

}  // namespace filigree::tool
