"""The report: a row for each check. It is written again after each check, so
that a run that is cut short leaves a report too."""

import json
import os
import sys

VERDICTS = ("ok", "FAILED", "skipped")


class Report:
    def __init__(self, folder, head):
        self.folder = folder
        self.head = head
        self.checks = []
        try:
            os.makedirs(folder, exist_ok=True)
            self.write()
        except OSError as error:
            sys.exit(f"gpu-check: no report can be written to {folder}: "
                     f"{error.strerror}")

    def add(self, part, name, verdict, reason="", **figures):
        assert verdict in VERDICTS
        self.checks.append({"part": part, "name": name, "verdict": verdict,
                            "reason": reason, "figures": figures})
        print(f"{verdict:8}{part + ': ' + name:56}{reason}".rstrip(),
              flush=True)
        self.write()

    def count(self, verdict):
        return sum(c["verdict"] == verdict for c in self.checks)

    def summary(self):
        return ", ".join(f"{self.count(v)} {v}" for v in VERDICTS)

    def write(self):
        found = dict(self.head, checks=self.checks)
        for name, text in (("json", json.dumps(found, indent=1) + "\n"),
                           ("md", self.markdown())):
            path = os.path.join(self.folder, f"gpu-check.{name}")
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path + ".new", path)

    def markdown(self):
        simulated = self.head["simulated"]
        lines = [f"# gpu-check, {self.head['date']}", ""]
        if simulated:
            lines += ["**No GPU was used**: the simulated device. What is "
                      "timed here is this machine's CPU.", ""]
        lines += [f"- {key}: {value}" for key, value in self.head.items()]
        lines += [f"- result: {self.summary()}", ""]
        for part in dict.fromkeys(c["part"] for c in self.checks):
            lines += [f"## {part}", "", "| check | result | figures |",
                      "|---|---|---|"]
            lines += [row(c) for c in self.checks if c["part"] == part]
            lines.append("")
        return "\n".join(lines)


def cell(text):
    return " ".join(str(text).replace("|", "\\|").split())


def figure(value):
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return " ".join(f"{k} {figure(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(figure, value))
    return str(value)


def row(check):
    verdict = check["verdict"]
    if check["reason"]:
        verdict += f": {check['reason']}"
    figures = "; ".join(f"{key} {figure(value)}"
                        for key, value in check["figures"].items())
    return f"| {cell(check['name'])} | {cell(verdict)} | {cell(figures)} |"
