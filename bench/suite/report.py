"""Tables, plots and sums of what the suite of benchmarks measured."""
import html
import json
import math


def of_filigree(row, key="least"):
    return row["contenders"][0][key]


def best_peer(row, key="least"):
    """The fastest contender that is none of Filigree's and has the same answer; None if there is none."""
    peers = [c for c in row.get("contenders", []) if c["peer"] and c["agrees"]]
    return min(peers, key=lambda c: c[key]) if peers else None


def ratio(row, key="least"):
    best = best_peer(row, key)
    return best[key] / of_filigree(row, key) if best else None


def print_head():
    print(f"{'kernel':26} {'data':16} {'threads':>7} {'filigree ms':>12} {'best peer':>24} {'ratio':>6} {'medians':>8} {'spread':>7}")


def print_row(row):
    if "error" in row:
        print(f"{row['kernel']:26} {row['data']:16} {row['threads']:>7} {row['error']}", flush=True)
        return
    best = best_peer(row)
    told = f"{best['name']} {best['least']:.3f}" if best else "none"
    ratios = f"{ratio(row):6.2f} {ratio(row, 'median'):8.2f}" if best else f"{'':6} {'':8}"
    wrong = [c["name"] for c in row["contenders"] if not c["agrees"]]
    mark = f"  other answers: {', '.join(wrong)}" if wrong else ""
    print(f"{row['kernel']:26} {row['data']:16} {row['threads']:>7} {of_filigree(row):12.4f} {told:>24} {ratios} "
          f"{of_filigree(row, 'spread'):7.2f}{mark}", flush=True)


def compared(results, threads=None):
    rows = [row for row in results["rows"] if best_peer(row)]
    return [row for row in rows if threads is None or row["threads"] == threads]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def summary(results):
    lines = []
    for threads in sorted({row["threads"] for row in results["rows"]}):
        rows = compared(results, threads)
        if rows:
            least, medians = [ratio(row) for row in rows], [ratio(row, "median") for row in rows]
            lines.append(f"{threads} thread{'s' if threads > 1 else ''}: {len(rows)} pairs; best peer over Filigree: geometric mean "
                         f"{mean(least):.2f} (medians {mean(medians):.2f}), {sum(r < 0.95 for r in least)} below 0.95")
    return "\n".join(lines)


def stream_share(row, results):
    """Of the bandwidth of a loop over memory, if all bytes of operands and result are moved once."""
    stream = results["stream"].get(str(row["threads"]))
    return row["bytes"] / of_filigree(row) / 1e6 / stream if stream else 0


def markdown(results):
    m = results["machine"]
    lines = [f"Measured {m['time']} at commit {m['commit']} on {m['processor']}, {m['cores']} cores, load {m['load']:.1f} at the start; stream "
             + ", ".join(f"{value:.1f} GB/s with {threads} thread{'s' if threads != '1' else ''}" for threads, value in results["stream"].items())
             + ".", "", summary(results), ""]
    lines += ["| kernel | data | threads | Filigree ms | best peer | ms | ratio | ratio of medians | share of stream |", "|---|---|---|---|---|---|---|---|---|"]
    for row in results["rows"]:
        best = best_peer(row)
        if best:
            lines.append(f"| {row['kernel']} | {row['data']} | {row['threads']} | {of_filigree(row):.3g} | {best['name']} | {best['least']:.3g} | "
                         f"{ratio(row):.2f} | {ratio(row, 'median'):.2f} | {stream_share(row, results):.0%} |")
    if results["slopes"]:
        lines += ["", "| kernel | data | time grows as entries to the power of |", "|---|---|---|"]
        lines += [f"| {s['kernel']} | {s['data']} | {s['slope']:.2f} |" for s in results["slopes"]]
    return "\n".join(lines) + "\n"


def svg(results):
    """A bar for each pair: the ratio to the best peer on a logarithmic scale, one thread above several."""
    pairs = {}
    for row in compared(results):
        pairs.setdefault((row["kernel"], row["data"]), {})[row["threads"]] = ratio(row)
    height, left, width = 16, 300, 900
    total = height * len(pairs) + 50

    def x(value):
        return left + (math.log2(min(max(value, 0.125), 8)) + 3) / 6 * (width - left - 20)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{total}" fill="white"/>']
    for value in (0.125, 0.25, 0.5, 1, 2, 4, 8):
        parts.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="30" y2="{total - 10}" stroke="{"black" if value == 1 else "#ddd"}"/>'
                     f'<text x="{x(value):.1f}" y="24" text-anchor="middle">{value:g}</text>')
    parts.append(f'<text x="{left}" y="11">time of the best peer over that of Filigree; dark: one thread, light: several</text>')
    for n, ((kernel, data), ratios) in enumerate(pairs.items()):
        y = 34 + n * height
        parts.append(f'<text x="{left - 130}" y="{y + 11}" text-anchor="end">{html.escape(kernel)}</text><text x="{left - 120}" y="{y + 11}">{html.escape(data)}</text>')
        bar = (height - 3) / len(ratios)
        for k, (threads, value) in enumerate(sorted(ratios.items())):
            start, end = sorted((x(1), x(value)))
            good = ("#1b7837", "#7fbf7b") if value >= 0.95 else ("#b2182b", "#ef8a62")
            parts.append(f'<rect x="{start:.1f}" y="{y + k * bar:.1f}" width="{max(end - start, 1):.1f}" height="{bar:.1f}" fill="{good[min(k, 1)]}"/>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def write(results, folder):
    for name, text in (("results.json", json.dumps(results, indent=1)), ("results.md", markdown(results)), ("results.svg", svg(results))):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
