"""One job of scripts/demo. The whole demo takes a minute."""

import importlib.machinery
import importlib.util
import os
import subprocess

from conftest import BUILD, EXAMPLES, ROOT, plain_build_only


def load_demo(monkeypatch):
    monkeypatch.setenv("BUILD", BUILD)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader(
        "demo", os.path.join(ROOT, "scripts", "demo"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("demo", loader))
    loader.exec_module(module)
    return module


@plain_build_only
def test_a_job_of_the_demo_tells_its_figures(monkeypatch, tmp_path):
    demo = load_demo(monkeypatch)
    monkeypatch.setenv("MNM_SOCKET_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    job = demo.Job(False, "no_pool", os.path.join(EXAMPLES, "train_digits"),
                   "--steps", "3")
    line, stat = job.finish()
    assert demo.number("steps", line) == 3
    assert stat["pool"] == "no_pool"
    assert stat["driver_allocs"] == stat["driver_frees"] > 0


def test_the_table_of_the_demo_fits_80_columns(monkeypatch, capsys):
    demo = load_demo(monkeypatch)
    stat = {"driver_allocs": 629 * 20, "driver_frees": 629 * 20,
            "live_peak": 99999 << 20, "reserved_peak": 99999 << 20}
    rows = [demo.row("resnet50_bs100_keepgrads", pool,
                     ["1133.783", "1811.879"], stat, 20, "0.00822264794")
            for pool in (*demo.POOLS, "all: 1047 live swaps")]
    demo.table(rows, True)
    demo.explain(rows, False, 1047)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 10 and max(map(len, lines)) <= 80
    assert sum("99999" in line for line in lines) == len(rows)
    assert "0.00822264794" in lines[-1]


def test_what_pools_take_fits_80_columns(monkeypatch, capsys):
    demo = load_demo(monkeypatch)
    demo.packed_table({(pool, name): 12.345 for pool in demo.POOLS
                       for name in demo.PACKED})
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines[3:]] == [
        [pool, *["12.35"] * 4] for pool in demo.POOLS]


def test_the_demo_takes_no_words():
    done = subprocess.run([os.path.join(ROOT, "scripts", "demo"), "--help"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (done.stdout, done.stderr) == ("", "usage: scripts/demo\n")
