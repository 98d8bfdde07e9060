"""The results as text: a block a row, then one line a row."""

BUSY = 0.5  # the load of a machine that does nothing else is lower


def number(value):
    if value is None:
        return "-"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.3g}"


def block(row):
    """All contenders of a row: ours first, and the others from the least."""
    cells = sorted(row["cells"].items(),
                   key=lambda item: (item[0] != row["ours"],
                                     item[1]["median"]))
    lines = [f"{row['row']}: {row['title']}, {row['unit']}",
             f"  target {row['target']['text']}"]
    for name, cell in cells:
        times = row["ratios"].get(name)
        lines.append(f"    {name:28}{number(cell['median']):>12}"
                     f"   ({number(cell['low'])} to {number(cell['high'])})" +
                     (f"   {times:.2f}x" if times else ""))
    lines += [f"    {name:28}{'-':>12}   {why}"
              for name, why in row["failed"].items()]
    lines += [f"  warning: {text}" for text in row["warnings"]]
    return "\n".join(lines)


def best_peer(row, peers):
    found = [(row["cells"][name]["median"], name) for name in peers
             if name in row["cells"]]
    return min(found) if found else None


def line(row, peers):
    ours = row["cells"].get(row["ours"])
    peer = best_peer(row, peers)
    met = {True: "met", False: "MISSED", None: "-"}[row["target"]["met"]]
    limit = row["target"]["limit"]
    cells = [row["row"], row["unit"], number(ours and ours["median"]),
             number(ours and ours["spread"]),
             number(limit), met,
             f"{number(peer[0])} {peer[1]}" if peer else "-",
             f"{row['ratios'].get(peer[1]):.2f}x"
             if peer and row["ratios"].get(peer[1]) else "-"]
    return [*cells, "noisy" if row["warnings"] else ""]


HEAD = ["row", "unit", "mnm", "spread", "target", "", "best peer",
        "peer/mnm", ""]


def lines(result):
    peers = [each["name"] for each in result["contenders"]
             if each["kind"] == "peer"]
    rows = [HEAD] + [line(row, peers) for row in result["rows"]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    return "\n".join("  ".join(
        text.ljust(width) if i in (0, 1, 5, 6, 8) else text.rjust(width)
        for i, (text, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows)


def text(result):
    parts = ["\n".join(f"{name}: {value}" for name, value in
                       result["machine"].items()),
             f"driver: {result['driver']}; median (quartiles) of "
             f"{result['runs']} runs"]
    absent = [f"not here: {each['name']}: {each['reason']}" for each in
              result["contenders"] if each["reason"]]
    parts += ["\n".join(absent)] if absent else []
    if result["machine"]["load before"] > BUSY:
        parts.append("warning: other programs were running; the load was "
                     f"{result['machine']['load before']}")
    parts += [block(row) for row in result["rows"]]
    return "\n\n".join([*parts, lines(result)]) + "\n"
