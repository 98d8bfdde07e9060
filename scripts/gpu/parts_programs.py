"""The parts that run the project's own programs."""

import functools
import glob
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from machine import (BUILD, HERE, LEVELS, ROOT, SKIPPED, Failed, Skip,
                     result_of)

CALLS = """alloc a 5000
fill a 7
check a 7
alloc b 3145728
fill b 9
check b 9
free a
alloc c 5000
fill c 3
check c 3
check b 9
free c
free b
sync
"""
TRACE = os.path.join(ROOT, "examples", "traces", "dcgan_bs128.csv.zst")
# name: (path below the build, arguments, standard input)
DOORS = {
    "train_digits": (("examples", "train_digits"),
                     ["--steps", "60", "--losses"], ""),
    "trace_job": (("examples", "trace_job"), [TRACE], ""),
    "shared runtime": (("tests", "programs", "shell_shared"), [], CALLS),
    "NVIDIA's static runtime": (("tests", "programs", "shell_nvidia"), [],
                                CALLS),
    "our static runtime": (("tests", "programs", "shell_static"), [], CALLS),
    "plugin": (("tests", "programs", "plugin_host"),
               [os.path.join(BUILD, "tests", "programs", "shell_plugin.so")],
               CALLS),
    "driver": (("tests", "programs", "shell_driver"), [], "init\n" + CALLS
               .replace("alloc a", "retain x 0\nset x\nalloc a", 1)),
}
# The programs of docs/compatibility.md, in the same form.
ROUNDS = "".join(f"{seed}\n" for seed in range(1, 31))
KERNELS = os.path.join(BUILD, "examples", "round_kernels.fatbin")
SCRIPT = os.path.join(ROOT, "examples", "ctypes_job.py")
PROGRAMS = {
    "driver_loop": (("examples", "driver_loop"), [KERNELS], ROUNDS),
    "ctypes_job driver": ((sys.executable,), ["-B", SCRIPT, "driver", KERNELS],
                          ROUNDS),
    "ctypes_job runtime": ((sys.executable,), ["-B", SCRIPT, "runtime"],
                           ROUNDS),
}
for NAME in ("sort_scan", "thread_streams", "graph_relaunch", "two_processes",
             "buffers"):
    PROGRAMS[NAME] = (("examples", NAME), [], ROUNDS)
    PROGRAMS[f"{NAME}, static"] = (("examples", f"{NAME}_nvidia"), [], ROUNDS)
BESIDE = 4  # Check programs that run at the same time
ALL_MEMORY = re.compile(r"cu(da)?MemGetInfo|cuDeviceTotalMem|"
                        r"device_(free_bytes|fill)\(")
VARIANTS = [("streams", "reuse"), ("threads", "reuse_per_thread"),
            ("threads", "reuse"), ("contexts", "reuse"), ("capture", "reuse"),
            ("capture", "reuse_per_thread")]


def steady(text):
    """An output without the words that differ from run to run."""
    return re.sub(r"(step time|ms|seconds|GiB/s|time) *[-+.0-9e]+( ms| s)?",
                  "", text)


def program(part, row, options):
    """Runs a row of DOORS or PROGRAMS, which has to end well."""
    path, arguments, stdin = row
    if part.machine.simulated and path[-1].endswith("_nvidia"):
        raise Skip("NVIDIA's runtime does not start on the simulated device")
    if part.machine.simulated and path[-1] == "sort_scan":
        raise Skip("Thrust's kernels do not run on the simulated device")
    for argument in arguments:
        if argument.startswith(BUILD + os.sep):
            part.machine.build(os.path.relpath(argument, BUILD))
    done = part.machine.run(
        [part.machine.build(*path), *arguments], options, limit=120,
        stdin=stdin, env={"MNM_SIM_KERNELS": os.path.join(
            BUILD, "examples", "round.kernels.so")})
    if done.status != 0:
        raise Failed(done.why())
    return done


def same_results(part, rows, wanted):
    """Runs each row without mnm and at each level, where the figure `wanted`
    must not be 0."""
    def under(name, options):
        if name not in alone:
            raise Skip("it did not run without mnm")
        done = program(part, rows[name], options)
        figures = {key: done.stat.get(key, 0) for key in
                   ("allocs", "hits", "driver_allocs", "syncs", "fences")}
        if not figures[wanted]:
            raise Failed(f"mnm counts no {wanted}", **figures)
        if steady(done.out) != alone[name]:
            raise Failed("its output differs from the one without mnm",
                         **figures)
        return figures

    def native(name):
        alone[name] = steady(program(part, rows[name], None).out)
        return {}

    alone = {}
    for name in rows:
        part.check(f"{name}, native", native, name)
        for level, options in part.machine.safe_levels().items():
            part.check(f"{name}, {level}", under, name, options)


def doors(part):
    """Programs give the same results, and mnm sees their allocations."""
    same_results(part, DOORS, "allocs")


def programs(part):
    """The programs of docs/compatibility.md give the same results, and some
    of their allocations are served from idle blocks."""
    same_results(part, PROGRAMS, "hits")


def claims_run(part, path, options=None):
    """Runs one Check program. Returns how many claims it has, {claim: message}
    of those that do not hold, and how it ended. A claim that hangs on a GPU
    must not use up the time of the others."""
    seconds = "60" if part.machine.simulated else "10"
    done = part.machine.run([path], options, limit=120, measured=False,
                            env={"CK_DEFAULT_TIMEOUT": seconds})
    counted = re.findall(r"^\d+%: Checks: (\d+), Failures: (\d+), "
                         r"Errors: (\d+)", done.out, re.MULTILINE)
    # "PATH:LINE:F:CASE:TEST:0: MESSAGE"
    wrong = dict(re.findall(
        r"^[^:\n]+:\d+:[FE]:[^:\n]*:([^:\n]*):\d+: (.*)$", done.out,
        re.MULTILINE))
    return sum(int(row[0]) for row in counted), wrong, done


def claims_alone(part, path):
    """The same without mnm, which is done once, whatever parts ask."""
    found = part.machine.claims
    if path not in found:
        found[path] = claims_run(part, path)
    return found[path]


def claims_judge(checks, wrong, done, known=(), **figures):
    """The figures, if all claims hold but those that are known not to."""
    new = [f"{claim}: {message}" for claim, message in wrong.items()
           if claim not in known]
    figures = {"claims": checks, **figures}
    if new:
        raise Failed(f"{len(new)} of {checks} do not hold", failed=new,
                     **figures)
    if not checks or done.status != 0 and not wrong:
        raise Failed(done.why(), **figures)
    return figures


def needs_all_memory(path):
    """Whether a Check program looks at the device's free memory, or uses it
    up, so that no other program may run beside it. Its source says so. Those
    without a source of their name share one that does neither."""
    folder, name = os.path.split(os.path.relpath(path, BUILD))
    for source in glob.glob(os.path.join(ROOT, folder, name + ".c*")):
        with open(source, encoding="utf-8") as file:
            return bool(ALL_MEMORY.search(file.read()))
    return False


def claims_of_all(paths, runs):
    """Does the runs, functions of a path, for each path of a Check program.
    Those that may run beside others do, some at a time. Yields each path, and
    a function that waits for its results."""
    alone = [path for path in paths if needs_all_memory(path)]
    for path in alone:
        yield path, [functools.partial(run, path) for run in runs]
    pool = ThreadPoolExecutor(BESIDE)
    try:
        started = {path: [functools.partial(result_of, pool.submit(run, path))
                          for run in runs]
                   for path in paths if path not in alone}
        yield from started.items()
    finally:
        pool.shutdown(cancel_futures=True)


def conformance(part):
    """Every claim about CUDA, against the driver of this machine."""
    paths = glob.glob(os.path.join(BUILD, "tests", "conformance", "*"))
    paths += glob.glob(os.path.join(BUILD, "tests", "programs", "*_claims"))
    paths = sorted(
        p for p in paths if os.path.isfile(p) and not p.endswith(".so") and
        (part.machine.simulated or
         not os.path.basename(p).startswith("sim_")))  # of the simulation
    if not paths:
        raise Skip("tests/conformance is not built")
    for path, (found,) in claims_of_all(
            paths, [lambda path: claims_alone(part, path)]):
        part.check(os.path.basename(path),
                   lambda found=found: claims_judge(*found()))


def rounds(part, variant, program, level, options, most=1000):
    count = "50" if part.quick else str(most)
    done = part.machine.run([part.machine.build("tests", "gpu", program),
                             variant, count], options, limit=90)
    if done.status == SKIPPED:
        raise Skip(done.out.strip())
    found = dict(re.findall(r"(\w+) (\d+)", done.out)
                 if done.out.startswith("rounds ") else [])
    figures = {key: int(value) for key, value in found.items()}
    if done.status not in (0, 1) or not figures:
        raise Failed(done.why())
    figures.update((key, done.stat[key]) for key in
                   ("fences", "syncs", "driver_allocs") if key in done.stat)
    right = done.status == 0
    if level == "none":
        if right:
            raise Failed("nothing went wrong without a guard, so this test "
                         "shows nothing here", **figures)
    elif not right:
        raise Failed("a block was reused too soon", **figures)
    return figures


def reuse(part):
    """No freed block is reused under work that was queued before the free;
    and the test sees it where nothing guards against it."""
    for variant, program in VARIANTS:
        for level, options in LEVELS.items():
            part.check(f"{variant} ({program}), {level}", rounds, part,
                       variant, program, level, options)


def wakes(part, threads):
    done = part.machine.run(
        [sys.executable, "-B", os.path.join(HERE, "rest_job.py"),
         part.machine.build("tests", "programs", "waker"), threads,
         "2" if part.quick else "10", part.machine.build("mnm")], {}, limit=60)
    found = dict(re.findall(r"(\w+) (\d+)", done.out))
    figures = {key: int(value) for key, value in found.items()}
    figures["rest_frees"] = done.stat.get("rest_frees", 0)
    if done.status != 0:
        raise Failed(done.why(), **figures)
    if "was not seen" in done.err:
        raise Failed("a free waited for work of the program", **figures)
    if not figures["rest_frees"]:
        raise Failed("nothing went back, so this test shows nothing", **figures)
    return figures


def rest(part):
    """Idle memory goes back while a program rests; work that waits for the
    program's next call is neither waited for nor harmed."""
    for threads in ("1", "3"):
        part.check(f"{threads} threads", wakes, part, threads)


def prices(part):
    """What the driver's calls cost the host: least, median, 9 of 10, in ns."""
    done = part.machine.run([part.machine.build("tests", "gpu", "prices"),
                             "100" if part.quick else "2000"], limit=100)
    if done.status != 0:
        raise Failed(done.why())
    for name, price in json.loads(done.out).items():
        if isinstance(price, dict):
            part.report.add(part.name, name, "ok", **price)
        else:
            part.report.add(part.name, name, "skipped",
                            f"the call gives error {price}")


def doctor(part):
    """What `mnm doctor` finds on this machine. A problem is a failure."""
    done = part.machine.run([part.machine.build("mnm"), "doctor", "--json"],
                            limit=60)
    if done.status not in (0, 1):
        raise Failed(done.why())
    for number, found in enumerate(done.json(), 1):
        problem = found["level"] == "problem"
        part.report.add(part.name, f"{number}, {found['subject']}",
                        "FAILED" if problem else "ok",
                        found["advice"] if problem else "", **{
                            key: found[key] for key in
                            ("level", "finding")})
