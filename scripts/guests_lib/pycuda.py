"""PyCUDA: its extension module is compiled against the toolkit, and its tests
come with its source."""

import os
import shutil

from .shop import python_of, say
from .suite import INSIDE, Process

FILES = ("test_driver.py", "test_gpuarray.py")


def build(shop, suite, home):
    source = shop.source(home, "pycuda", suite.version)
    say("compiling PyCUDA, which takes some minutes")
    shop.pip(home, "install", source)
    # Beside the source's own folder pycuda Python would not find what was built.
    shutil.copytree(os.path.join(source, "test"), os.path.join(home, "test"))
    shutil.rmtree(source)


def processes(home):
    cache = os.path.join(home, "compiled")  # of all modes
    os.makedirs(cache, exist_ok=True)
    env = {"PYTHONPATH": INSIDE, "GUESTS_LINES": "{lines}",
           "PATH": f"{INSIDE}:{{path}}", "PYCUDA_CACHE_DIR": cache}
    return [Process(file[:-len(".py")], [
        python_of(home), "-m", "pytest", "-q", "-p", "pytest_lines", "-p",
        "no:cacheprovider", "--tb=line", file], env,
        os.path.join(home, "test"), 600) for file in FILES]
