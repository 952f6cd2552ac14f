"""The picture for the README: for each question a bar of each engine on a logarithmic scale, and the ratio beside it.

It is written by hand as SVG, has no script and no font of its own, and takes its colours from whether the reader's page
is light or dark.
"""

from math import ceil, floor, log10
from xml.sax.saxutils import escape

from runs.setting import COMPUTED, KEPT

from .figures import best, computed_entries, geometric_mean, lines, milliseconds, peers_in, ratio

WIDTH, LEFT, RIGHT, TOP = 860, 300, 790, 74
BAR, GAP, BETWEEN = 9, 2, 12
STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .soft { fill: #59636e; font-size: 11px; }
  .value { font-size: 9px; fill: #59636e; }
  .ahead { font-weight: 600; fill: #0a6e74; }
  .behind { font-weight: 600; fill: #b35900; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .Tidegauge { fill: #0e8a92; }
  .ClickHouse { fill: #d4a72c; }
  .DuckDB { fill: #9a9fa6; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft, .value { fill: #9198a1; }
    .ahead { fill: #4cc9d0; }
    .behind { fill: #f0a35e; }
    .grid { stroke: #3d444d; }
    .Tidegauge { fill: #2fb5bd; }
    .ClickHouse { fill: #c79a1f; }
    .DuckDB { fill: #6e7681; }
  }
"""


def draw(findings):
    rows = [(entry, counted) for entry, counted in lines(findings) if best(entry, counted) is not None]
    peers = peers_in([entry for entry, _ in rows])
    low, high = decades(rows, peers)
    step = (1 + len(peers)) * (BAR + GAP) + BETWEEN
    bottom = TOP + len(rows) * step
    parts = [*heading(findings, peers), *grid(low, high, bottom)]
    for place, (entry, counted) in enumerate(rows):
        parts.extend(question(entry, counted, peers, TOP + place * step, low, high))
    parts.append(label(16, bottom + 36, caption(findings), "soft"))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 48}" role="img" '
        'aria-label="Times of Tidegauge beside other engines, by question">',
        f"<style>{STYLE}</style>", *parts, "</svg>",
    ])


def decades(rows, peers):
    """The powers of ten of milliseconds between which all bars end."""
    times = [best(entry, name) for entry, counted in rows for name in [counted, *peers]]
    times = [time * 1000 for time in times if time]
    return floor(log10(min(times))), ceil(log10(max(times)))


def across(seconds, low, high):
    """How far a time is from the left end of the scale."""
    share = (log10(seconds * 1000) - low) / max(high - low, 1)
    return max(1.0, share * (RIGHT - LEFT))


def heading(findings, peers):
    millions = findings["events"] / 1e6
    parts = [label(16, 24, f"Time to answer over {millions:g} million events, {findings['threads']} threads", "title")]
    x = 16
    for name in [COMPUTED, *peers]:
        parts.append(f'<rect class="{name}" x="{x}" y="36" width="11" height="11" rx="2"/>')
        parts.append(label(x + 16, 46, name))
        x += 34 + 7 * len(name)
    parts.append(label(x, 46, "shorter is faster, the scale is logarithmic", "soft"))
    parts.append(label(WIDTH - 12, 46, "of the best peer", "soft", "end"))
    return parts


def grid(low, high, bottom):
    parts = []
    for power in range(low, high + 1):
        x = LEFT + (RIGHT - LEFT) * (power - low) / max(high - low, 1)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}"/>')
        name = f"{10 ** power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"
        parts.append(label(x, bottom + 14, name, "soft", "middle"))
    return parts


def question(entry, counted, peers, top, low, high):
    parts = [label(LEFT - 10, top + 15, entry["name"], "", "end")]
    for place, name in enumerate([counted, *peers]):
        seconds = best(entry, name)
        if seconds is None:
            continue
        y, width = top + place * (BAR + GAP), across(seconds, low, high)
        style = "Tidegauge" if name in (COMPUTED, KEPT) else name
        parts.append(f'<rect class="{style}" x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" rx="1.5"/>')
        parts.append(label(LEFT + width + 4, y + BAR - 1, milliseconds(seconds), "value"))
    over = ratio(entry, counted)
    if over is not None:
        parts.append(label(WIDTH - 12, top + 20, f"{over:.2f}", "ahead" if over <= 1 else "behind", "end"))
    return parts


def label(x, y, text, style="", anchor="start"):
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def caption(findings):
    mean = geometric_mean(ratio(entry) for entry in computed_entries(findings))
    geometric = "" if mean is None else f"geometric mean {mean:.2f}; "
    return f"{geometric}all computed but dashboards, which keep groups; {findings['date']}, commit {findings['commit']}"
