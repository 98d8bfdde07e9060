"""The traces of examples/, and one run of one of them under a library."""

import json
import os
import re
import subprocess

from bench_lib.machine import ROOT

TRACES = os.path.join(ROOT, "examples", "traces")

# The iterations [first, end) of a trace that are measured: late ones, which are
# equal if any are, and a whole cycle of the mixed trace.
STEADY = {
    "bert_base_dynamic_bs16": (30, 34),
    "dcgan_bs128": (6, 8),
    "gpt2_decode_kvcache": (3, 4),
    "gpt2_small_bs4_seq1024": (3, 5),
    "lstm_lm_bs20_bptt35": (5, 7),
    "resnet18_bs64_im2col": (4, 6),
    "resnet50_bs100_keepgrads": (4, 6),
    "resnet50_bs32": (4, 6),
    "resnet50_bs64_prefetch": (3, 5),
    "resnet50_train_eval_mix": (14, 21),
    "unet_bs4_512": (4, 6),
    "vgg16_bs32": (4, 6),
}


class TraceFailed(Exception):
    """A run that failed for another reason than lack of memory."""


def live_peak(name):
    """The most bytes that a trace has allocated at a time."""
    with open(os.path.join(TRACES, "SUMMARY.md"), encoding="utf-8") as file:
        row = re.search(rf"^\| {name} \| \d+ \| \d+ \| (\d+) \|", file.read(),
                        re.MULTILINE)
    return int(row.group(1)) << 20


def run(build, scratch, name, library=None, iterations=None, **options):
    """The figures of one run, mnm's and the simulated driver's; None if the
    device was too small. Without `library`, the run is without mnm."""
    report = os.path.join(scratch, "report")
    stat = os.path.join(scratch, "stat")
    env = {k: v for k, v in os.environ.items() if k[:4] != "MNM_"}
    env.update(MNM_SIM_CLOCK="zero", MNM_SIM_REPORT=report, MNM_LOG="none",
               LD_LIBRARY_PATH=os.path.join(build, "sim"))
    env.update({f"MNM_{key.upper()}": str(value)
                for key, value in options.items()})
    if library:
        env.update(MNM_STAT_FILE=stat, LD_PRELOAD=library)
    command = [os.path.join(build, "examples", "trace_job"),
               os.path.join(TRACES, name + ".csv.zst")]
    if iterations:
        command[1:1] = ["--iterations", str(iterations)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if "out of memory" in done.stderr:
        return None
    if done.returncode or "mismatches 0" not in done.stdout:
        raise TraceFailed(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return figures(report, stat if library else None)


def figures(report, stat):
    found = {"calls": {}}
    with open(report, encoding="utf-8") as file:
        for words in map(str.split, file):
            if words[0] == "call":
                found["calls"][words[1]] = int(words[2])
            elif words[0] == "device":
                found["device_peak"] = int(words[words.index("reserved_peak")
                                                 + 1])
    if stat:
        with open(stat, encoding="utf-8") as file:
            found["stat"] = json.load(file)["devices"][0]
    return found
