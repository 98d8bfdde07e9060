"""Runs modules of unittest, as `unittest_lines.py FILE MODULE...`, and writes to
FILE what each test comes out as, a line of JSON each. Runs in the suite's own
Python. GUESTS_WITHOUT names libraries of NVIDIA's, as in "nvJitLink", that
cuda-pathfinder is not to find."""

import json
import os
import sys
import unittest


class Result(unittest.TextTestResult):
    out = None

    def write(self, test, outcome=None, detail=""):
        entry = {"test": test.id()}
        if outcome:
            entry.update(outcome=outcome, detail=str(detail))
        self.out.write(json.dumps(entry) + "\n")
        self.out.flush()

    def startTest(self, test):
        super().startTest(test)
        self.write(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.write(test, "passed")

    def addError(self, test, err):
        super().addError(test, err)
        # What pytest.skip() raises is no skip to unittest.
        outcome = "failed"
        if err[0].__name__ == "Skipped":
            outcome = "skipped"
            self.errors.pop()
        self.write(test, outcome, f"{err[0].__name__}: {err[1]}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.write(test, "failed", f"{err[0].__name__}: {err[1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.write(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.write(subtest, "failed", f"{err[0].__name__}: {err[1]}")
            self.write(test, "failed", "a part of it")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.write(test, "xfailed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.write(test, "xpassed")


def hide(names):
    from cuda import pathfinder
    load = pathfinder.load_nvidia_dynamic_lib

    def load_others(name):
        if name in names:
            raise pathfinder.DynamicLibNotFoundError(f"{name} is hidden")
        return load(name)

    pathfinder.load_nvidia_dynamic_lib = load_others


def main():
    hidden = os.environ.get("GUESTS_WITHOUT", "").split()
    if hidden:
        hide(hidden)
    with open(sys.argv[1], "w", encoding="utf-8") as Result.out:
        tests = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])
        done = unittest.TextTestRunner(resultclass=Result, verbosity=2).run(
            tests)
    return not done.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
