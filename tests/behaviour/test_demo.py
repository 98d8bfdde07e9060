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


def test_the_demo_takes_no_words():
    done = subprocess.run([os.path.join(ROOT, "scripts", "demo"), "--help"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (done.stdout, done.stderr) == ("", "usage: scripts/demo\n")
