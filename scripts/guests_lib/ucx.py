"""UCX as its wheel has it: what its hooks report, and transfers between two
processes of memory of CUDA, by its transports cuda_copy and cuda_ipc."""

import glob
import os
import re

from .shop import python_of, site_of
from .suite import INSIDE, Process

TRANSPORTS = {"cuda_copy": "self,sm,cuda_copy",
              "cuda_ipc": "self,sm,cuda_copy,cuda_ipc"}
HOOKS = ("bistro", "reloc")


def build(shop, _suite, home):
    """The runtime that the wheel carries finds no driver that it knows; the
    simulation's takes its name."""
    site = site_of(home)
    runtime, = glob.glob(os.path.join(site, "libucx_*.libs", "libcudart-*"))
    os.remove(runtime)
    os.symlink(os.path.join(shop.build, "sim", "libcudart.so.13"), runtime)
    os.makedirs(os.path.join(home, "lib"))
    shop.compile("nvml.c", f"{home}/lib/libnvidia-ml.so.1", "-shared", "-fPIC",
                 "-Wl,-soname,libnvidia-ml.so.1")
    shop.compile("ucm_hooks.c", f"{home}/ucm_hooks",
                 f"-I{site}/libucx/include", f"-L{site}/libucx/lib",
                 f"-L{shop.build}/sim", "-Wl,--no-as-needed", "-lucs", "-lucm",
                 "-lcudart", "-lcuda")
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
    hooks = [Process(f"hooks_{mode}", [os.path.join(home, "ucm_hooks"),
                                       "{lines}"],
                     {"LD_LIBRARY_PATH": path, "UCX_MEM_CUDA_HOOK_MODE": mode},
                     neighbour=False)  # they can't write over its functions
             for mode in HOOKS]
    transfers = [Process(name, [
        python_of(home), os.path.join(INSIDE, "pair.py"),
        os.path.join(ucx, "bin", "ucx_perftest"), os.path.join(home, "batch"),
        "{lines}"], {"LD_LIBRARY_PATH": path, "UCX_TLS": transports,
                     "UCX_MEMTYPE_CACHE": "n"})
        for name, transports in TRANSPORTS.items()]
    return hooks + transfers
