"""rest_job.py WAKER THREADS SECONDS MNM: runs tests/programs/waker and trims it
again and again for SECONDS, so that idle memory goes back whenever it rests.
Prints what the program prints."""
import subprocess
import sys
import time


def main():
    waker, threads, seconds, mnm = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    with subprocess.Popen([waker, threads], stdin=subprocess.PIPE) as job:
        while time.monotonic() < until and job.poll() is None:
            subprocess.run([mnm, "trim", str(job.pid), "--no-wait"],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
    return job.returncode


if __name__ == "__main__":
    sys.exit(main())
