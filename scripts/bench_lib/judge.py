"""What the samples say: medians, spreads, ratios, targets, warnings."""

import statistics


def summary(values):
    """Median and quartiles. The spread is the distance between the quartiles."""
    values = sorted(values)
    low, high = values[0], values[-1]
    if len(values) > 1:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": statistics.median(values), "low": low, "high": high,
            "spread": high - low, "values": values}


def ratio(cell, ours):
    """How many times ours the cell is, or None if that says nothing."""
    if ours["median"] <= 0 or cell["median"] <= 0:
        return None
    return cell["median"] / ours["median"]


def close(a, b):
    """Whether the spread exceeds the difference: either may be less."""
    return abs(a["median"] - b["median"]) < max(a["spread"], b["spread"])


def below(value, limit):
    """A limit of 0 is for counts, where a single stray call is no rate."""
    return value <= limit if limit else value < 0.001


def times_ahead(cells, ours, times):
    """[(contender, factor wanted, factor found)] of each peer that a target
    names by the first word of its name."""
    return [(name, wanted, ratio(cell, ours)) for start, wanted in
            times.items() for name, cell in cells.items()
            if name.split()[0] == start]


def verdict(cells, ours_name, limit, times):
    """{"met", "text"}; met is None if there is no target."""
    ours = cells.get(ours_name)
    if not ours:
        return {"met": None, "text": "not measured"}
    parts, met = [], True
    if limit is not None:
        good = below(ours["median"], limit)
        met = met and good
        parts.append(f"at most {limit:g}: " + ("met" if good else "missed"))
    for name, wanted, found in times_ahead(cells, ours, times):
        good = found is not None and found >= wanted
        met = met and good
        parts.append(f"{wanted:g}x {name}: " + ("met" if good else "missed"))
    if not parts:
        return {"met": None, "text": "no target"}
    return {"met": met, "text": ", ".join(parts)}


def warnings(cells, ours_name, limit, versus=True):
    """Says where the noise is larger than the difference to be seen. versus:
    whether the others are rivals."""
    ours, said = cells.get(ours_name), []
    if not ours:
        return said
    if limit and abs(ours["median"] - limit) < ours["spread"]:
        said.append(f"the spread of {ours_name} ({ours['spread']:.3g}) "
                    f"exceeds its distance from the target")
    for name, cell in cells.items():
        if versus and name != ours_name and close(cell, ours):
            said.append(f"{ours_name} and {name} can't be told apart: the "
                        f"spread exceeds the difference")
    return said


def judge(row):
    """A row's part of the JSON."""
    cells = {name: summary(values) for name, values in row.samples.items()
             if values}
    ours = cells.get(row.ours)
    return {
        "row": row.key, "title": row.title, "unit": row.unit,
        "ours": row.ours, "cells": cells,
        "ratios": {name: ratio(cell, ours) for name, cell in cells.items()
                   if ours and row.versus and name != row.ours},
        "target": {"limit": row.limit, **verdict(cells, row.ours, row.limit,
                                                 row.times)},
        "warnings": warnings(cells, row.ours, row.limit, row.versus),
    }
