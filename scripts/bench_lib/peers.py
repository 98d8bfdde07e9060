"""The peers: the packages that scripts/bench-peers fetches, the drivers that
it builds over them, and the rows that it leaves for scripts/bench."""

from dataclasses import dataclass, field


@dataclass
class Wheel:
    """A release on PyPI, and the members of it that are unpacked."""
    name: str
    version: str
    members: list


@dataclass
class Debian:
    """A package of the machine's distribution, in the version that it has."""
    name: str
    version: str = None


@dataclass
class Driver:
    """A shared object of ours. Its folders and libraries are in its package."""
    source: str
    package: str = None
    include: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    needs: list = field(default_factory=list)  # (package, library)
    flags: list = field(default_factory=list)
    beside: list = field(default_factory=list)  # drivers that come with it


@dataclass
class Peer:
    """A row: a driver of DRIVERS, or one of scripts/bench's own with a library
    of the package preloaded, or the reason why there is no driver."""
    name: str
    package: str = None
    driver: str = None
    preload: str = None
    env: dict = field(default_factory=dict)
    reason: str = None
    streams: bool = False  # it asks CUDA for memory in the order of streams


PACKAGES = {each.name: each for each in [
    Wheel("umf", "1.2.0", ["*/data/include/*", "*/data/lib/*.so*"]),
    Wheel("torch", "2.15.0", [
        "torch/lib/libc10.so", "torch/lib/libc10_cuda.so",
        "torch/include/c10/*", "torch/include/torch/headeronly/*"]),
    # The last version whose headers hold the pools; see the row "rmm 26.10".
    Wheel("librmm-cu13", "26.4.0", ["librmm/include/*",
                                    "librmm/lib64/librmm.so"]),
    Wheel("rapids-logger", "0.2.3", ["rapids_logger/include/*",
                                     "rapids_logger/lib64/*.so"]),
    Wheel("tensorflow-cpu", "2.21.0", [
        "tensorflow/libtensorflow_framework.so.2",
        *(f"tensorflow/include/{name}/*" for name in
          ("Eigen", "absl", "google", "ml_dtypes", "tsl", "xla/tsl"))]),
    Wheel("torch_memory_saver", "0.0.10", ["*_preload_cu13.abi3.so"]),
    Debian("libhwloc15"),
    Debian("libjemalloc2"),
    Debian("libmimalloc2.0"),
]}

CXX = ["-std=c++20"]

DRIVERS = {
    "umf.so": Driver("umf.c", "umf", ["umf-*/data/include"],
                     ["umf-*/data/lib/libumf.so.1"],
                     [("libhwloc15", "usr/lib/*/libhwloc.so.15")]),
    "c10.so": Driver("c10.cpp", "torch", ["torch/include"],
                     ["torch/lib/libc10_cuda.so", "torch/lib/libc10.so"],
                     flags=CXX, beside=["libnvidia-ml.so.1",
                                         "c10_answers.so"]),
    # For tests/behaviour/test_shipped.py.
    "c10_answers.so": Driver("c10_answers.cpp", "torch", ["torch/include"], [
        "torch/lib/libc10_cuda.so", "torch/lib/libc10.so"], flags=CXX),
    "libnvidia-ml.so.1": Driver("nvml.c", flags=[
        "-Wl,-soname,libnvidia-ml.so.1"]),
    "rmm.so": Driver("rmm.cpp", "librmm-cu13",
                     ["librmm/include/rapids", "librmm/include"],
                     ["librmm/lib64/librmm.so"],
                     [("rapids-logger", "rapids_logger/lib64/*.so")],
                     [*CXX, "-isystem",
                      "{rapids-logger}/rapids_logger/include"]),
    "bfc.so": Driver("bfc.cpp", "tensorflow-cpu", ["tensorflow/include"],
                     ["tensorflow/libtensorflow_framework.so.2"], flags=CXX),
}

PEERS = [
    Peer("umf", "umf", "umf.so", env={"BENCH_KIND": "keep"}),
    Peer("umf defaults", "umf", "umf.so"),
    Peer("pytorch", "torch", "c10.so"),
    Peer("pytorch expandable", "torch", "c10.so", env={
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
    Peer("pytorch async", "torch", "c10.so", env={
        "PYTORCH_ALLOC_CONF": "backend:cudaMallocAsync"}, streams=True),
    Peer("rmm pool", "librmm-cu13", "rmm.so", env={"BENCH_KIND": "pool"}),
    Peer("rmm arena", "librmm-cu13", "rmm.so", env={"BENCH_KIND": "arena"}),
    Peer("rmm async", "librmm-cu13", "rmm.so", env={"BENCH_KIND": "async"},
         streams=True),
    Peer("bfc", "tensorflow-cpu", "bfc.so", env={
        "TF_CPP_MIN_LOG_LEVEL": "2", "TF_ENABLE_ONEDNN_OPTS": "0"}),
    Peer("torch_memory_saver", "torch_memory_saver", "cuda_runtime",
         "*_preload_cu13.abi3.so", {"TMS_INIT_ENABLE": "1"}),
    # These settings keep what is freed, and cache up to 32 MiB for a thread.
    Peer("jemalloc", "libjemalloc2", "host", "usr/lib/*/libjemalloc.so.2", {
        "MALLOC_CONF":
            "dirty_decay_ms:-1,muzzy_decay_ms:-1,lg_tcache_max:25"}),
    Peer("mimalloc", "libmimalloc2.0", "host", "usr/lib/*/libmimalloc.so.2"),
    Peer("rmm 26.10", reason="its pools are compiled into librmm.so since "
         "26.6, on a CUDA runtime inside, which does not start without the "
         "driver's export tables; the simulation answers none"),
    Peer("cupy", reason="only Python can drive its pool, and its wheel has a "
         "CUDA runtime inside, which does not start without the driver's "
         "export tables; the simulation answers none"),
    Peer("cnmem", reason="there is no released package of it"),
]
