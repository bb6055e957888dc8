#include "tune_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "autoschedule/describe.h"
#include "plan.h"
#include "show.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

/// A logarithmic axis over all of these, in whole powers of ten.
class Axis {
 public:
  Axis(const std::vector<double>& values, double from, double to) : from_(from), to_(to) {
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    low_ = std::floor(std::log10(std::max(*least, 1e-9)));
    high_ = std::max(low_ + 1, std::ceil(std::log10(std::max(*most, 1e-9))));
  }
  double at(double value) const {
    return from_ + (std::log10(std::max(value, 1e-9)) - low_) / (high_ - low_) * (to_ - from_);
  }
  int low() const { return static_cast<int>(low_); }
  int high() const { return static_cast<int>(high_); }

 private:
  double from_, to_, low_ = 0, high_ = 1;
};

}  // namespace

double TunedWay::median_ms() const { return median(times); }
double TunedWay::fastest_ms() const { return *std::min_element(times.begin(), times.end()); }

std::string tune_table(const std::vector<TunedWay>& ways) {
  std::string text =
      fmt::format("{:>3}  {:<16}{:>12}{:>12}{:>12}{:>8}\n", "", "way", "estimated", "median", "fastest", "ratio");
  for (size_t n = 0; n < ways.size(); n++) {
    const TunedWay& way = ways[n];
    text += fmt::format("{:>3}  {:<16}{:>12.3g}{:>12}{:>12}{:>8.2f}{}\n", n + 1, way.title, way.measure.work,
                        show_time(way.median_ms()), show_time(way.fastest_ms()), way.median_ms() / ways[0].median_ms(),
                        way.is_kept              ? "  kept"
                        : way.difference.empty() ? ""
                                                 : "  differs: " + way.difference);
  }
  for (size_t n = 0; n < ways.size(); n++) {
    text += fmt::format("\n{}:\n", n + 1);
    for (const std::string& line : ways[n].lines) text += "  " + line + "\n";
  }
  return text;
}

std::string tune_json(const std::vector<TunedWay>& ways, const std::string& statement) {
  std::vector<std::string> rows;
  for (const TunedWay& way : ways) {
    std::vector<std::string> lines;
    for (const std::string& line : way.lines) lines.push_back(autoschedule::quoted(line));
    rows.push_back(
        fmt::format("    {{\"way\": {}, \"text\": [{}], \"tasks\": {:.6g}, \"work\": {:.6g}, \"median_ms\": "
                    "{:.6g}, \"fastest_ms\": {:.6g}, \"same_result\": {}, \"kept\": {}}}",
                    autoschedule::quoted(way.title), join(lines, ", "), way.measure.tasks, way.measure.work,
                    way.median_ms(), way.fastest_ms(), way.difference.empty(), way.is_kept));
  }
  return fmt::format("{{\n  \"statement\": {},\n  \"ways\": [\n{}\n  ]\n}}\n", autoschedule::quoted(statement),
                     join(rows, ",\n"));
}

std::string tune_svg(const std::vector<TunedWay>& ways, const std::string& statement) {
  constexpr double width = 640, height = 420, left = 70, right = 20, top = 40, bottom = 50;
  std::vector<double> work, times;
  for (const TunedWay& way : ways) work.push_back(way.measure.work), times.push_back(way.median_ms());
  Axis across(work, left, width - right), up(times, height - bottom, top);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"{2}\" y=\"20\">{3}</text>\n",
      width, height, left, escaped(statement));
  for (int power = across.low(); power <= across.high(); power++) {
    double x = across.at(std::pow(10, power));
    out += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#ddd\"/>\n<text x=\"{0:.1f}\" "
        "y=\"{3}\" text-anchor=\"middle\">1e{4}</text>\n",
        x, top, height - bottom, height - bottom + 16, power);
  }
  for (int power = up.low(); power <= up.high(); power++) {
    double y = up.at(std::pow(10, power));
    out += fmt::format(
        "<line x1=\"{1}\" y1=\"{0:.1f}\" x2=\"{2}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n<text x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">1e{5}</text>\n",
        y, left, width - right, left - 6, y + 4, power);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">estimated work</text>\n", width / 2, height - 12);
  out += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">measured, "
      "ms</text>\n",
      height / 2);
  for (size_t n = 0; n < ways.size(); n++) {
    double x = across.at(work[n]), y = up.at(times[n]);
    const char* colour = ways[n].is_kept ? "#d62728" : "#1f77b4";
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}: {}</title></circle>\n", x, y,
                       colour, n + 1, escaped(join(ways[n].lines, "; ")));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 6, y - 4, n + 1);
  }
  return out + "</svg>\n";
}

}  // namespace filigree::tool
