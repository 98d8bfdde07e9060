"""What tests of recordings share."""

import csv
import io
import json


def export(box, path, *words, check=True):
    return box.mnm("export", path, *words, check=check)


def report(box, path, *words, check=True):
    return box.mnm("report", path, *words, check=check)


def told(box, path, *words):
    return json.loads(report(box, path, "--json", *words).stdout)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def rows(box, path, *words):
    return rows_of(export(box, path, *words).stdout)


def events(box, path, *words):
    """What is in a recording, but for what depends on time and place."""
    return [row for row in rows(box, path, *words)
            if row["kind"] not in ("module", "build", "reserved", "took",
                                   "region", "region_end")]


def kinds(rows):
    return [row["kind"] for row in rows]
