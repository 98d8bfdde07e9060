"""The rows that are times, as one SVG: bars on a common logarithmic axis."""

import math
from xml.sax.saxutils import escape

LEFT, BAR_WIDTH, RIGHT = 210, 560, 90  # pixels
BAR, GAP, TITLE = 13, 3, 22
COLOURS = {"ours": "#1b7f4d", "peer": "#5b7db1", "driver": "#b0763a",
           "floor": "#a9a9a9"}


class Axis:
    """Whole decades, on pixels 0 to BAR_WIDTH."""

    def __init__(self, values):
        self.first = math.floor(math.log10(min(values)))
        self.last = max(self.first + 1, math.ceil(math.log10(max(values))))

    def at(self, value):
        place = (math.log10(value) - self.first) / (self.last - self.first)
        return max(1.0, place * BAR_WIDTH)

    def decades(self):
        return [10.0 ** power for power in range(self.first, self.last + 1)]


def label(x, y, text, anchor="start", size=11, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" font-weight="{weight}">{escape(text)}</text>')


def bar(axis, y, name, cell, kind):
    width = axis.at(cell["median"])
    low, high = (LEFT + axis.at(max(cell[end], cell["median"] / 100))
                 for end in ("low", "high"))
    middle = y + BAR / 2
    return [label(LEFT - 6, y + BAR - 3, name, "end"),
            f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" '
            f'fill="{COLOURS[kind]}"/>',
            f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="black"/>',
            label(max(LEFT + width, high) + 4, y + BAR - 3,
                  f"{cell['median']:.1f}")]


def panel(axis, y, row, kinds):
    """One row's title and bars from y on, and where they end."""
    parts = [label(LEFT, y + 14, f"{row['title']}, {row['unit']}",
                   weight="bold")]
    top = y = y + TITLE
    cells = sorted(row["cells"].items(), key=lambda item: item[1]["median"])
    for name, cell in cells:
        if cell["median"] <= 0:
            continue
        parts += bar(axis, y, name, cell, kinds.get(name, "floor"))
        y += BAR + GAP
    if row["target"]["limit"]:
        x = LEFT + axis.at(row["target"]["limit"])
        parts.append(f'<path d="M{x:.1f} {top}V{y}" stroke="#c0392b" '
                     f'stroke-dasharray="4 3"/>')
    return parts, y + 8


def grid(axis, top, bottom):
    for value in axis.decades():
        x = LEFT + axis.at(value)
        yield (f'<path d="M{x:.1f} {top}V{bottom}" stroke="#dddddd"/>')
        yield label(x, top - 5, f"{value:g} ns", "middle", 10)


def svg(result):
    """The picture as text, or None if there is nothing to show."""
    rows = [row for row in result["rows"] if row["unit"] == "ns a pair"]
    values = [cell["median"] for row in rows for cell in row["cells"].values()
              if cell["median"] > 0]
    if not values:
        return None
    axis = Axis(values)
    kinds = {each["name"]: each["kind"] for each in result["contenders"]}
    parts, y = [], 84
    for row in rows:
        more, y = panel(axis, y, row, kinds)
        parts += more
    width = LEFT + BAR_WIDTH + RIGHT
    machine = result["machine"]
    head = [label(10, 20, f"An allocation and its free: {result['driver']}",
                  size=15, weight="bold"),
            label(10, 36, f"{machine['mnm']} ({machine['commit']}), "
                  f"{machine['processor']}, {machine['date'][:10]}"),
            label(10, 50, f"Medians of {result['runs']} runs, quartiles as "
                  "lines, mnm's targets dashed. Less is better.")]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{y}" viewBox="0 0 {width} {y}" '
        f'font-family="sans-serif">',
        f'<rect width="{width}" height="{y}" fill="white"/>',
        *grid(axis, 78, y), *head, *parts, "</svg>"]) + "\n"
