"""swap_job.py MNM POOL,... PROGRAM ...: runs a program that is under mnm, and
swaps it from pool to pool until it ends. Prints what the program prints, and
if it ended well, on stderr how many swaps reached a device."""
import itertools
import json
import subprocess
import sys
import time

EVERY = 0.02  # seconds between two swaps


def swap(mnm, job, pool):
    """Whether the program had a device that was swapped."""
    done = subprocess.run([mnm, "swap", str(job.pid), "--json", pool],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0 and any(
        device["device"] != "host" for device in
        json.loads(done.stdout)["devices"])


def main():
    mnm, pools, *program = sys.argv[1:]
    swaps, order = 0, itertools.cycle(pools.split(","))
    pool = next(order)
    with subprocess.Popen(program) as job:
        while job.poll() is None:
            if swap(mnm, job, pool):
                swaps, pool = swaps + 1, next(order)
            time.sleep(EVERY)
    if job.returncode == 0:
        print(f"swaps {swaps}", file=sys.stderr)
    return job.returncode


if __name__ == "__main__":
    sys.exit(main())
