"""The programs and test suites of others, a row each."""

import glob
import os

from . import pycuda, results, ucx
from .shop import python_of, site_of
from .suite import INSIDE, Process, Suite


def numba_processes(home):
    """A process for each module: a module may leave CUDA in a state that the
    next can't use."""
    package = "numba.cuda.tests.cudadrv"
    files = glob.glob(os.path.join(site_of(home), "numba_cuda", *package.split(
        "."), "test_*.py"))
    names = sorted(os.path.basename(file)[:-len(".py")] for file in files)
    return [Process(name, [python_of(home), os.path.join(
        INSIDE, "unittest_lines.py"), "{lines}", f"{package}.{name}"],
        # Where nvJitLink is, it links to machine code, which the simulated
        # device can't run; where it is not, the driver is asked to link.
        {} if name == "test_nvjitlink" else {"GUESTS_WITHOUT": "nvJitLink"})
        for name in names]


SUITES = [
    Suite("numba-cuda", "0.30.4", "PyPI", "the tests `cudadrv`",
          numba_processes, results.from_lines,
          ("numba-cuda==0.30.4", "numba==0.68.1", "cuda-bindings==13.5.0",
           "cuda-core==1.2.2", "nvidia-cuda-nvrtc==13.5.37",
           "nvidia-nvjitlink==13.5.37", "nvidia-nvvm==13.5.37",
           "nvidia-cuda-cccl==13.3.5.0.6", "nvidia-cuda-runtime==13.5.37",
           "numpy==2.4.6", "cffi==2.1.1", "ml_dtypes==0.6.0",
           "psutil==7.2.2", "filecheck==1.0.6", "pytest==9.2.0"),
          # to_device() of a broadcast array reads its copy before it fills it.
          unwritten=("test_cuda_ndarray",)),
    Suite("pycuda", "2026.1", "PyPI, its source distribution",
          "the tests of its driver and of its arrays",
          pycuda.processes, results.from_lines,
          ("numpy==2.4.6", "pytest==9.2.0"), pycuda.build,
          # Where there is more, three tests take 24 GB of the host.
          sim="4G"),
    Suite("ucx", "1.22.0", "PyPI, `libucx-cu13`",
          "its hooks in both modes, and `ucx_perftest` between two processes",
          ucx.processes, results.from_lines, ("libucx-cu13==1.22.0",),
          ucx.build, recipe=2, sim="2G"),
]
