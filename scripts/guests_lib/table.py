"""What was found, as Markdown and as an object for JSON."""

from .compare import count

OUTCOMES = ("passed", "failed", "crashed", "skipped", "xfailed", "xpassed")
SHOWN = 20  # differences of a suite that the text names


def cell(found):
    """Of a mode of a suite, {"differences": [...], ...}."""
    if found is None:
        return "not run"
    number = len(found["differences"])
    return f"{number} differ" if number else "same"


def mode_cell(suite, mode):
    found = suite["modes"].get(mode)
    text = cell(found)
    if found and found["swaps"]:
        text += f", {found['swaps']:,} swaps"
    return text


def markdown(result):
    """The table: a column for each suite, a row for each mode."""
    suites = result["suites"]
    rows = [["", *(f"{suite['name']} {suite['version']}" for suite in suites)]]
    rows.append(["---"] * (len(suites) + 1))
    rows.append(["tests", *(str(sum(suite["alone"].values()))
                            for suite in suites)])
    for outcome in OUTCOMES:
        numbers = [suite["alone"].get(outcome, 0) for suite in suites]
        if any(numbers):
            rows.append([f"{outcome} alone", *map(str, numbers)])
    rows.append(["copied to the host", *(size(suite["copied"])
                                         for suite in suites)])
    rows.append(["differ between two runs alone",
                 *(str(len(suite["noisy"])) for suite in suites)])
    if any(suite["violations"] for suite in suites):
        rows.append(["violations of order alone",
                     *(str(suite["violations"]) for suite in suites)])
    for mode in result["modes"]:
        rows.append([f"`{mode}`", *(mode_cell(suite, mode)
                                    for suite in suites)])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    facts = result["machine"]
    lines[:0] = [f"*Simulated*, on {facts['date'][:10]}; "
                 f"{facts['mnm']}, commit {facts['commit']}"
                 f"{''.join('; ' + each for each in result['how'])}.", ""]
    for suite in suites:
        lines += details(suite)
    return "\n".join(lines) + "\n"


def details(suite):
    lines = []
    for mode, found in suite["modes"].items():
        these = found["differences"]
        lines += [f"- {suite['name']}, `{mode}`: {each}"
                  for each in these[:SHOWN]]
        if len(these) > SHOWN:
            lines.append(f"- {suite['name']}, `{mode}`: and "
                         f"{len(these) - SHOWN} more")
        lines += [f"- {suite['name']}, `{mode}`: mnm said \"{each}\""
                  for each in found["said"]]
    if suite["reason"]:
        lines.append(f"- {suite['name']}: {suite['reason']}")
    if suite["missing"]:
        names = sorted(suite["missing"], key=lambda name:
                       (-suite["missing"][name], name))
        lines.append(f"- {suite['name']} calls what the simulated device has "
                     "not: " + ", ".join(f"`{name}`" for name in names))
    return ["", *lines] if lines else []


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def summary(suite, facts, runs, noise):
    """What is told of a suite: its results alone by outcome, and of each other
    mode the differences. runs is {mode: {process: run}}, noise the names
    that differ alone, facts {mode: [difference]}."""
    alone = runs.get("alone", {})
    missing = {}
    for run in alone.values():
        for name, number in run["missing"].items():
            missing[name] = missing.get(name, 0) + number
    return {
        "name": suite.name, "version": suite.version, "reason": None,
        "origin": suite.origin, "what": suite.what, "alone": count(alone),
        "copied": sum(run["copied"][0] for run in alone.values()
                      if run["copied"]),
        "noisy": noise, "missing": missing,
        "failed": sorted(f"{process}: {test}: {outcome[0]} ({outcome[1]})"
                         for process, run in alone.items()
                         for test, outcome in run["tests"].items()
                         if outcome[0] in ("failed", "crashed")),
        "violations": sum(sum(run["violations"].values())
                          for run in runs.get("again", {}).values()),
        "modes": {mode: {
            "differences": [each.text() for each in these],
            "swaps": sum(run["swaps"] for run in runs[mode].values()),
            "served": sum(run["served"] for run in runs[mode].values()),
            "seconds": round(sum(run["seconds"]
                                 for run in runs[mode].values())),
            "said": sorted({line for run in runs[mode].values()
                            for line in run["said"]})}
            for mode, these in facts.items()},
    }
