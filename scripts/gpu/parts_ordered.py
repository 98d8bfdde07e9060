"""The parts about stream-ordered memory that run the project's own programs."""

import ast
import glob
import json
import os
import tempfile

from machine import BUILD, ROOT, SKIPPED, Failed, Skip, devices_of
from parts_programs import claims_alone, claims_judge, claims_of_all, \
    claims_run

SERVED = {"fence": "fence", "stream_ordered": "1"}


def not_followed():
    """The claims that are known not to hold where mnm serves. There is one
    list of them, in the test that runs them on the simulated device."""
    path = os.path.join(ROOT, "tests", "behaviour", "test_ordered.py")
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except OSError as error:
        raise Failed(f"{path} can't be read: {error.strerror}") from None
    for node in tree.body:
        if isinstance(node, ast.Assign) and \
                [name.id for name in node.targets] == ["NOT_FOLLOWED"]:
            return set().union(*ast.literal_eval(node.value).values())
    raise Failed(f"{path} has no list NOT_FOLLOWED")


def claims_served(part, path):
    """Runs one Check program while mnm serves. Returns what claims_run does,
    and how many requests were served: each claim is a process of its own. The
    claims are about what CUDA's pools keep, which is not what has paid off."""
    with tempfile.TemporaryDirectory(dir=part.machine.scratch.name) as folder:
        found = claims_run(
            part, path, dict(SERVED, idle_limit="off",
                             stat_file=os.path.join(folder, "%p")))
        return found, sum(device["allocs"]
                          for file in glob.glob(os.path.join(folder, "*"))
                          for device in devices_of(file))


def ordered(part):
    """The claims about CUDA's pools, without mnm and while it serves."""
    def native(name, result):
        found = result()
        if found[0]:
            alone[name] = found[1]
        return claims_judge(*found)

    def under(name, result):
        """A claim must hold, unless it is known not to or does not without
        mnm either."""
        if name not in alone:
            raise Skip("it did not run without mnm")
        known = not_followed()
        found, count = result()
        served.append(count)
        figures = {"served": count}
        if known.intersection(found[1]):
            figures["not_followed"] = sorted(known.intersection(found[1]))
        return claims_judge(*found, known.union(alone[name]), **figures)

    def any_served():
        if not served:
            raise Skip("no claims were made under mnm")
        if not sum(served):
            raise Failed("mnm served no request, so this shows nothing")
        return {"served": sum(served)}

    alone, served = {}, []
    paths = sorted(path for path in glob.glob(os.path.join(
        BUILD, "tests", "conformance", "pool*")) if not path.endswith(".so"))
    if not paths:
        raise Skip("tests/conformance is not built")
    for path, (plain, served_one) in claims_of_all(
            paths, [lambda path: claims_alone(part, path),
                    lambda path: claims_served(part, path)]):
        name = os.path.basename(path)
        part.check(f"{name}, native", native, name, plain)
        part.check(f"{name}, served", under, name, served_one)
    part.check("requests served", any_served)


def waits(part):
    """Nothing has to hold: what frees wait for and give back, and what the
    legacy stream orders, while a kernel runs."""
    done = part.machine.run([part.machine.build("tests", "gpu", "waits"),
                             "100" if part.quick else "300"], limit=100)
    if done.status == SKIPPED:
        raise Skip(done.out.strip())
    for line in done.out.splitlines():
        found = json.loads(line)
        question = found.pop("question")
        if found["answer"] == "unknown":
            part.report.add(part.name, question, "FAILED",
                            "the kernel was over too soon to tell")
        else:
            part.report.add(part.name, question, "ok", **found)
    if done.status != 0:
        raise Failed(done.why())
