"""Runs a batch of ucx_perftest between two processes, as `pair.py PERFTEST BATCH
LINES`, and writes to LINES which of its tests gave a result, a line of JSON
each."""

import json
import os
import socket
import subprocess
import sys
import time

AGAIN = "_again"
OPTIONS = ["-n", "30", "-w", "3", "-s", "100000", "-f", "-v"]


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def await_listener(port, server):
    """Until the server listens, or has ended. A connection would be taken for
    the client."""
    listens = f":{port:04X} 00000000:0000 0A"
    while server.poll() is None:
        with open("/proc/net/tcp", encoding="ascii") as table:
            if listens in table.read():
                return
        time.sleep(0.02)


def names(batch):
    """Its tests, each by a name of its own."""
    found = []
    with open(batch, encoding="utf-8") as file:
        for line in file:
            name = line.split()[0]
            while name in found:
                name += AGAIN
            found.append(name)
    return found


def plain(name):
    """As the batch has it."""
    while name.endswith(AGAIN):
        name = name[:-len(AGAIN)]
    return name


def of_server(env):
    """The server's files are beside the client's."""
    return {**env, **{name: env[name] + ".server" for name in
                      ("MNM_SIM_REPORT", "MNM_STAT_FILE") if name in env}}


def main():
    perftest, batch, lines = sys.argv[1:]
    port = free_port()
    words = [perftest, "-p", str(port), "-b", batch, *OPTIONS]
    with subprocess.Popen(words, env=of_server(os.environ), text=True,
                          stdout=subprocess.PIPE) as server:
        await_listener(port, server)
        client = subprocess.run([words[0], "127.0.0.1", *words[1:]],
                                stdout=subprocess.PIPE, text=True)
        print(client.stdout)
        if client.returncode:
            server.kill()
        print(server.stdout.read())
    # The client may also complain in lines with commas.
    known = {plain(name) for name in names(batch)}
    done = [line.split(",")[0] for line in client.stdout.splitlines()[1:]
            if line.split(",")[0] in known and "," in line]
    with open(lines, "w", encoding="utf-8") as out:
        for place, name in enumerate(names(batch)):
            outcome = "passed" if place < len(done) else "failed"
            out.write(json.dumps({"test": name, "outcome": outcome,
                                  "detail": ""}) + "\n")
    return client.returncode or server.returncode


if __name__ == "__main__":
    sys.exit(main())
