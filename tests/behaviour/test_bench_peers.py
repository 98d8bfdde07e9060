"""scripts/bench-peers, as far as it gets without the packages."""

import json
import os
import subprocess
import sys

from conftest import BUILD, ROOT, plain_build_only

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from bench_lib import peers


def bench_peers(*words, **env):
    return subprocess.run([os.path.join(ROOT, "scripts", "bench-peers"),
                           *words], capture_output=True, text=True,
                          env={**os.environ, **env}, timeout=120)


def test_each_peer_has_a_driver_or_a_reason():
    own = {"cuda_runtime", "host"}
    for peer in peers.PEERS:
        assert (peer.reason is None) == (peer.driver is not None)
        assert peer.reason or peer.package in peers.PACKAGES
        assert peer.reason or peer.driver in own | set(peers.DRIVERS)
    for driver in peers.DRIVERS.values():
        assert os.path.exists(os.path.join(ROOT, "tests", "bench", "peers",
                                           driver.source))
        assert {package for package, _ in driver.needs} <= set(peers.PACKAGES)


def test_an_unknown_peer_is_refused_with_the_names():
    done = bench_peers("--only", "hoard", BUILD)
    assert done.returncode == 2 and done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert "no peer 'hoard'" in last and "rmm arena" in last


def test_a_folder_that_was_not_built_is_refused(tmp_path):
    done = bench_peers(str(tmp_path))
    assert done.returncode == 2
    assert "run `make build-check`" in done.stderr.splitlines()[-1]


@plain_build_only
def test_without_a_network_the_row_says_so_and_others_stay(tmp_path):
    for name in ("sim", "bench"):
        os.symlink(os.path.join(BUILD, name), tmp_path / name)
    assert bench_peers("--only", "cnmem", str(tmp_path)).returncode == 0
    done = bench_peers("--only", "torch_memory_saver", str(tmp_path),
                       PIP_NO_INDEX="1", PIP_FIND_LINKS="/nowhere",
                       PIP_CONFIG_FILE=os.devnull)
    assert done.returncode == 1
    with open(tmp_path / "peers" / "peers.json", encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)}
    assert set(rows) == {"torch_memory_saver", "cnmem"}
    row = rows["torch_memory_saver"]
    assert row["allocator"] is None and row["preload"] is None
    assert "could not be fetched" in row["reason"]
    assert row["reason"] in done.stdout
    # No file is left that looks complete.
    assert not [name for name in os.listdir(tmp_path / "peers")
                if name.startswith("torch_memory_saver") and
                not name.endswith(".new")]
