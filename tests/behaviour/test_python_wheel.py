"""The wheel of the Python package, built and installed without a network."""

import glob
import os
import re
import shutil
import subprocess
import zipfile

import pytest

from conftest import DEADLINE, ROOT

# Of the one who runs the tests, these would change what is built or installed.
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("PIP_", "PYTHON", "MNM_"))}


def run(*command, **options):
    done = subprocess.run(command, env=ENV, capture_output=True, text=True,
                          timeout=DEADLINE, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, as setuptools writes beside the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(os.path.join(ROOT, "python"), folder / "python",
                    ignore=shutil.ignore_patterns("__pycache__", "build",
                                                  "dist", "*.egg-info"))
    run("/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation",
        "--outdir", str(folder), cwd=folder / "python")
    (path,) = glob.glob(f"{folder}/*.whl")
    return path


def test_the_wheel_has_each_module_its_type_hints_and_the_license(wheel):
    sources = {name for name in os.listdir(os.path.join(ROOT, "python", "mnm"))
               if name.endswith(".py")}
    with zipfile.ZipFile(wheel) as file:
        names = {name[4:] for name in file.namelist()
                 if name.startswith("mnm/")}
        (about,) = [name for name in file.namelist()
                    if name.endswith("METADATA")]
        metadata = file.read(about).decode()
        (license_,) = [name for name in file.namelist()
                       if name.endswith("/LICENSE")]
        assert b"Apache License" in file.read(license_)
    assert names == sources | {"py.typed"}
    assert "Requires-Dist" not in metadata
    assert "License: Apache-2.0\n" in metadata
    assert "Requires-Python: >=3.9\n" in metadata


def test_the_wheel_is_for_every_python_and_of_the_projects_version(wheel):
    with open(os.path.join(ROOT, "src", "common", "version.h"),
              encoding="utf-8") as file:
        version = re.search(r'MNM_VERSION "(.*?)"', file.read()).group(1)
    assert os.path.basename(wheel) == f"mnm-{version}-py3-none-any.whl"


def test_the_wheel_installs_and_imports(wheel, tmp_path):
    python = str(tmp_path / "venv" / "bin" / "python")
    run("/usr/bin/python3", "-m", "venv", str(tmp_path / "venv"))
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    path = run(python, "-c", "import mnm; print(mnm.programs and mnm.__file__)",
               cwd=tmp_path)
    assert path.startswith(f"{tmp_path}/venv/lib/")
