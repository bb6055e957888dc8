#include "compare_table.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "bars.h"
#include "plan.h"
#include "show.h"
#include "support/text.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

constexpr int bar_width = 24;
constexpr size_t widest_choice = 40;

std::string shortened(const std::string& text) {
  return text.size() <= widest_choice ? text : text.substr(0, widest_choice - 3) + "...";
}

/// Lines of cells, each column as wide as its widest cell.
class Columns {
 public:
  explicit Columns(size_t left_aligned) : left_aligned_(left_aligned) {}

  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  std::vector<std::string> lines() const {
    std::vector<size_t> widths;
    for (const std::vector<std::string>& line : lines_) {
      widths.resize(std::max(widths.size(), line.size()));
      for (size_t n = 0; n < line.size(); n++) widths[n] = std::max(widths[n], line[n].size());
    }
    std::vector<std::string> texts;
    for (const std::vector<std::string>& line : lines_) {
      std::string text;
      for (size_t n = 0; n < line.size(); n++)
        text += (n == 0 ? "" : "  ") + (n < left_aligned_ ? fmt::format("{:<{}}", line[n], widths[n])
                                                          : fmt::format("{:>{}}", line[n], widths[n]));
      texts.push_back(text);
    }
    return texts;
  }

 private:
  size_t left_aligned_;
  std::vector<std::vector<std::string>> lines_;
};

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

double quantile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
}

double fastest_median(const std::vector<CompareRow>& rows) { return rows[0].median_ms(); }

}  // namespace

double CompareRow::median_ms() const { return median(times); }
double CompareRow::fastest_ms() const { return *std::min_element(times.begin(), times.end()); }
double CompareRow::spread() const { return (quantile(times, 0.75) - quantile(times, 0.25)) / median_ms(); }
double CompareRow::sort_key() const { return has_times() ? median_ms() : std::numeric_limits<double>::infinity(); }

std::string compare_table(const std::vector<CompareRow>& rows, const CompareSummary& summary) {
  Columns columns(summary.columns.size());
  std::vector<std::string> titles = summary.columns;
  titles.insert(titles.end(), {"median", "fastest", "spread", "inputs", "ratio"});
  columns.add(titles);
  double first = fastest_median(rows), slowest = first;
  for (const CompareRow& row : rows) {
    if (row.has_times()) slowest = std::max(slowest, row.median_ms());
  }
  for (const CompareRow& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& choice : row.choices) cells.push_back(shortened(choice));
    if (row.has_times()) {
      cells.insert(cells.end(),
                   {show_time(row.median_ms()), show_time(row.fastest_ms()), fmt::format("{:.0f}%", 100 * row.spread()),
                    human_bytes(static_cast<double>(row.bytes)), fmt::format("{:.2f}", row.median_ms() / first)});
    }
    columns.add(cells);
  }
  std::vector<std::string> lines = columns.lines();
  std::string text = heading(lines[0]) + "\n";
  bool utf8 = shows_utf8();
  for (size_t n = 0; n < rows.size(); n++) {
    text += lines[n + 1] + "  " +
            (rows[n].has_times() ? bar(rows[n].median_ms() / slowest, bar_width, utf8)
                                 : "refused: " + printable(rows[n].failure)) +
            "\n";
    if (!rows[n].difference.empty()) text += "  ! " + rows[n].difference + "\n";
  }
  return text +
         aside(fmt::format("# {} on {}{}", counted(summary.rounds, "round"), counted(summary.threads, "thread"),
                           summary.results_differ ? "" : "; all results are the same")) +
         "\n";
}

std::string compare_json(const std::vector<CompareRow>& rows, const CompareSummary& summary) {
  std::vector<std::string> alternatives;
  double first = fastest_median(rows);
  for (const CompareRow& row : rows) {
    std::string fields;
    for (size_t n = 0; n < summary.columns.size(); n++)
      fields +=
          fmt::format("{}{}: {}", n == 0 ? "" : ", ", json_string(summary.columns[n]), json_string(row.choices[n]));
    std::string text = fmt::format("    {{\"choices\": {{{}}}", fields);
    if (row.has_times()) {
      text += fmt::format(
          ", \"median_ms\": {:.6g}, \"fastest_ms\": {:.6g}, \"spread\": {:.4g}, \"runs\": {}, \"input_bytes\": {}, "
          "\"ratio\": {:.4g}, \"same_result\": {}",
          row.median_ms(), row.fastest_ms(), row.spread(), row.times.size(), row.bytes, row.median_ms() / first,
          row.difference.empty());
    } else {
      text += ", \"refused\": " + json_string(row.failure);
    }
    alternatives.push_back(text + "}");
  }
  return fmt::format(
      "{{\n  \"expression\": {},\n  \"rounds\": {},\n  \"threads\": {},\n  \"alternatives\": [\n{}\n  ]\n}}\n",
      json_string(summary.expression), summary.rounds, summary.threads, join(alternatives, ",\n"));
}

}  // namespace filigree::tool
