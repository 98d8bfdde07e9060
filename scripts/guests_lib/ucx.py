"""UCX as its wheel has it. Transfers between two processes, over memory of CUDA
and over its transports cuda_copy and cuda_ipc."""

import glob
import os
import re

from .shop import command, python_of, site_of
from .suite import INSIDE, Process

TRANSPORTS = {"cuda_copy": "self,sm,cuda_copy",
              "cuda_ipc": "self,sm,cuda_copy,cuda_ipc"}


def build(shop, _suite, home):
    """The runtime that the wheel carries finds no driver that it knows; the
    simulation's takes its name."""
    site = site_of(home)
    runtime, = glob.glob(os.path.join(site, "libucx_*.libs", "libcudart-*"))
    os.remove(runtime)
    os.symlink(os.path.join(shop.build, "sim", "libcudart.so.13"), runtime)
    os.makedirs(os.path.join(home, "lib"))
    command([os.environ.get("CC", "gcc"), "-shared", "-fPIC",
             "-Wl,-soname,libnvidia-ml.so.1", os.path.join(INSIDE, "nvml.c"),
             "-o", os.path.join(home, "lib", "libnvidia-ml.so.1")],
            "nvml.c did not build")
    with open(os.path.join(home, "batch"), "w", encoding="utf-8") as out:
        out.writelines(batch(os.path.join(site, "libucx", "share", "ucx",
                                          "perftest")))


def batch(folder):
    """The lines about memory of CUDA in the batches that UCX comes with, but
    for those that only sleep while they wait."""
    for name in ("test_types_ucp", "test_types_ucp_rma"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for line in file:
                if re.search(r"-m \S*cuda", line) and "sleep" not in line:
                    yield line


def processes(home):
    """UCX takes memory for CUDA's that a file /dev/nvidia... stands for, so its
    cache of what is whose is off here."""
    ucx = os.path.join(site_of(home), "libucx")
    path = f"{{libraries}}:{ucx}/lib:{home}/lib"
    return [Process(name, [
        python_of(home), os.path.join(INSIDE, "pair.py"),
        os.path.join(ucx, "bin", "ucx_perftest"), os.path.join(home, "batch"),
        "{lines}"], {"LD_LIBRARY_PATH": path, "UCX_TLS": transports,
                     "UCX_MEMTYPE_CACHE": "n"})
        for name, transports in TRANSPORTS.items()]
