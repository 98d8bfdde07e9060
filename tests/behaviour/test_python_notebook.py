"""The example notebook, run on the simulated device."""

import base64
import json
import os
import signal
import subprocess
import sys

import pytest

from conftest import DEADLINE, EXAMPLES, ROOT, plain_build_only
from test_install import make

PACKAGE = os.path.join(ROOT, "python")
sys.path.insert(0, PACKAGE)
import mnm  # noqa: E402

NOTEBOOK = os.path.join(ROOT, "examples", "swap_a_running_trainer.ipynb")

RUN = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(book)
client = nbclient.NotebookClient(book, timeout=int(sys.argv[3]),
                                 resources={"metadata": {"path": sys.argv[4]}})
client.execute()
nbformat.write(book, sys.argv[2])
"""


def cells(path, kind="code"):
    with open(path, encoding="utf-8") as file:
        return {cell["id"]: cell for cell in json.load(file)["cells"]
                if cell["cell_type"] == kind}


def test_the_notebook_is_stored_without_outputs():
    assert len(cells(NOTEBOOK)) >= 4
    for name, cell in cells(NOTEBOOK).items():
        assert cell["outputs"] == [] and cell["execution_count"] is None, name


@pytest.fixture
def done(box):
    """The cells after a run with what is installed, in a folder of its own, with
    all that Jupyter and matplotlib would leave in the user's."""
    make(box, "install")
    root = os.path.join(box.folder, "root", "opt")
    result = os.path.join(box.folder, "done.ipynb")
    home = os.path.join(box.folder, "home")
    os.mkdir(home)
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("MNM_", "JUPYTER", "IPYTHON", "MPL", "XDG_"))}
    env.update(HOME=home, MNM=os.path.join(root, "bin", "mnm"),
               PYTHONDONTWRITEBYTECODE="1",
               PYTHONPATH=os.path.join(root, "share", "mnm", "python"),
               MNM_SOCKET_DIR=box.sockets,
               TRAINER=os.path.join(EXAMPLES, "train_digits"))
    run = subprocess.run(
        ["/usr/bin/python3", "-c", RUN,
         os.path.join(root, "share/doc/mnm/examples",
                      os.path.basename(NOTEBOOK)), result, str(DEADLINE),
         box.folder], env=env, capture_output=True, text=True,
        timeout=4 * DEADLINE)
    for left in mnm.programs(folder=box.sockets):
        os.kill(left.pid, signal.SIGKILL)
    assert run.returncode == 0, run.stderr
    return cells(result)


def text_of(cell):
    return "".join("".join(out["text"]) for out in cell["outputs"]
                   if out["output_type"] == "stream")


@plain_build_only
def test_the_notebook_swaps_the_pool_and_shows_a_figure(done):
    for name, cell in done.items():
        assert cell["execution_count"], name
        assert "error" not in {o["output_type"] for o in cell["outputs"]}, name
    assert text_of(done["start"]).startswith("train_digits {0: 'page_unit_po")
    assert text_of(done["swap"]) == (
        "page_unit_pool -> vmm_pool; now vmm_pool serves\n"
        "vmm_pool -> no_pool; now no_pool serves\n"
        "no_pool -> page_unit_pool; now page_unit_pool serves\n")
    (shown,) = [out for out in done["plot"]["outputs"] if "data" in out]
    image = base64.b64decode(shown["data"]["image/png"])
    assert image.startswith(b"\x89PNG") and len(image) > 5000
    assert text_of(done["end"]).startswith("pid ")
    assert "ended" in text_of(done["end"])
