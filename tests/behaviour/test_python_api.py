"""The Python package inside a program that runs under mnm."""

import os
import re
import sys

import pytest

from conftest import LIBRARY, ROOT, besides_refusals, plain_build_only

PACKAGE = os.path.join(ROOT, "python")
pytestmark = plain_build_only

START = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
import mnm
cuda = ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)
context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
MIB = 1 << 20

def refused(error, function, *arguments):
    try:
        function(*arguments)
    except error as why:
        text = str(why)
        assert isinstance(why, mnm.Error) and text and "\\n" not in text
        return text
    raise AssertionError((function, arguments))
"""


def run(box, program, pool="page_unit_pool", **options):
    done = box.run([sys.executable, "-c", START + program, PACKAGE], pool,
                   **options)
    return done.stdout, besides_refusals(done.stderr)


def test_pools(box):
    assert run(box, """
assert mnm.served() and mnm.pool_name() == "page_unit_pool"
mnm.init_pool(0, "vmm_pool")
assert mnm.pool_name(0) == "vmm_pool"
with mnm.pool("best_fit_pool"):
    assert mnm.pool_name() == "best_fit_pool"
    with mnm.pool("no_pool", "host"):
        assert mnm.pool_name("host") == "no_pool"
    assert mnm.pool_name("host") == "page_unit_pool"
try:
    with mnm.pool("round_pool"):
        raise KeyError
except KeyError:
    pass
assert mnm.pool_name() == "vmm_pool"
mnm.remove_pool(0)
assert mnm.pool_name() == "page_unit_pool"
assert mnm.alloc_bytes(5000) == 8192
text = refused(mnm.ArgumentError, mnm.init_pool, 0, "x_pool")
assert "x_pool" in text and "vmm_pool" in text
text = refused(mnm.ArgumentError, mnm.init_pool, 9, "vmm_pool")
assert "no device 9" in text
for device in (-1, "gpu", None, 1.5, 1 << 40):
    refused(mnm.ArgumentError, mnm.stats, device)
refused(mnm.ArgumentError, mnm.init_pool, 0, "a\\0b")
refused(mnm.ArgumentError, mnm.init_pool, 0, None)
assert mnm.pool_name() == "page_unit_pool"
""") == ("", "")


def test_memory_and_figures(box):
    assert run(box, """
sizes = [MIB * (i + 1) for i in range(4)]
held = mnm.alloc_batch(sizes)
assert len(set(held)) == 4
assert mnm.pool_size() == (10 * MIB, 10 * MIB)
mnm.free_batch(held[1:])
stats = mnm.stats(0)
assert stats.live_bytes == MIB and stats.idle_bytes == 9 * MIB
assert stats.as_dict()["allocs"] == 4 and "frees=3" in repr(stats)
assert "size" not in stats.as_dict()
assert mnm.trim() == 9 * MIB and mnm.stats().reserved_bytes == MIB
text = refused(mnm.OutOfMemoryError, mnm.alloc_batch, [4096, 1 << 45])
assert "buffer 1 of 2" in text
assert refused(MemoryError, mnm.alloc_in, 1 << 45)
refused(mnm.ArgumentError, mnm.alloc_batch, [0])
refused(mnm.ArgumentError, mnm.alloc_batch, [-1])
refused(mnm.ArgumentError, mnm.alloc_batch, [1 << 64])
refused(mnm.ArgumentError, mnm.free_batch, ["a"])
assert mnm.alloc_batch([]) == [] and mnm.stats(0).live_bytes == MIB
class Number:                       # as numpy's integers
    def __init__(self, value):
        self.value = value
    def __index__(self):
        return self.value
at = mnm.alloc_in(Number(MIB), Number(0))
assert mnm.stats(Number(0)).live_bytes == 2 * MIB
mnm.free_in(Number(at))
refused(mnm.ArgumentError, mnm.alloc_in, 5.0)
mnm.free_batch(held[:1])
for _ in range(3):
    mnm.mark_iteration()
assert mnm.stats().iterations == 3 and mnm.stats().live_bytes == 0
mnm.set_option("hard_limit", "1M")
refused(mnm.OutOfMemoryError, mnm.alloc_batch, [2 * MIB])
assert "known:" in refused(mnm.ArgumentError, mnm.set_option, "nothing", "1")
""") == ("", "")


def test_a_function_is_known_to_other_threads_only_once_it_is_complete(box):
    """Without its types, ctypes would cut a pointer to 32 bits."""
    assert run(box, """
class Complete(dict):
    def __setitem__(self, name, function):
        assert function.argtypes == mnm.api._PARAMETERS.get(name, [])
        assert (function.restype == ctypes.c_char_p) == (name == "mnm_error")
        super().__setitem__(name, function)
mnm.api._found = Complete()
mnm.free_batch(mnm.alloc_batch([5000]))
refused(mnm.ArgumentError, mnm.init_pool, 0, "x_pool")
print(*sorted(mnm.api._found))
""") == ("mnm_alloc_batch mnm_error mnm_free_batch mnm_init_pool\n", "")


def test_an_error_is_one_line_whatever_the_words_are(box):
    assert run(box, """
for words in ("a\\nb", "\\x1b[2J", "\\u00e9"):
    for call in ([mnm.init_pool, 0, words], [mnm.set_option, words, "1"],
                 [mnm.set_option, "pool_limit", words]):
        text = refused(mnm.ArgumentError, *call)
        assert text.isascii() and text.isprintable(), text
""") == ("", "")


def test_what_numba_drops_in_a_child_is_left_alone(box):
    """The child ends the parent's arrays as well; it has no CUDA."""
    assert run(box, NUMBA + """
import os
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # it has threads
array = MemoryManager().memalloc(5000)
child = os.fork()
if not child:
    array.finalizer()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
array.finalizer()
print(mnm.stats(0).live_bytes)
""") == ("7\n0\n", "")


def test_work_has_a_name(box):
    _, said = run(box, """
with mnm.work("forward"):
    mnm.free_batch(mnm.alloc_batch([1000]))
mnm.free_batch(mnm.alloc_batch([3000]))
""", log="debug")
    assert re.search(r"1000 bytes at 0x[0-9a-f]+ \(forward\)\n", said)
    assert re.search(r"3000 bytes at 0x[0-9a-f]+\n", said)


@pytest.mark.parametrize("options", [{"preload": False}, {"disable": 1}])
def test_without_mnm_each_call_says_so(box, options):
    out, said = run(box, """
assert not mnm.served()
for function, *arguments in (
        (mnm.init_pool, 0, "vmm_pool"), (mnm.remove_pool, 0), (mnm.pool_name,),
        (mnm.alloc_bytes, 1), (mnm.pool_size,), (mnm.stats,),
        (mnm.alloc_batch, [1]), (mnm.free_batch, [1]), (mnm.alloc_in, 1),
        (mnm.free_in, 1), (mnm.trim,), (mnm.set_option, "a", "b"),
        (mnm.mark_iteration,), (mnm.pool("vmm_pool").__enter__,),
        (mnm.work("x").__enter__,)):
    text = refused(mnm.NotServedError, function, *arguments)
    assert "mnm" in text
print("done")
""", **options)
    assert out == "done\n"


# What frameworks.py calls of PyTorch and CuPy, and no more.
STAND_INS = """
import types
called = {}

class Allocator:
    def __init__(self, path, malloc, free):
        library = ctypes.CDLL(path)
        called["torch"] = path, library[malloc], library[free]

    def allocator(self):
        return self

    def set_record_stream_fn(self, address):
        called["record"] = address

class CFunctionAllocator:
    def __init__(self, param, malloc, free, owner):
        called["cupy"] = (
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                             ctypes.c_int)(malloc),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p,
                             ctypes.c_int)(free))

    def malloc(self, size):
        return types.SimpleNamespace(ptr=called["cupy"][0](None, size, 0) or 0)

class NoMemory(MemoryError):
    def __init__(self, size, total):
        super().__init__(f"{size} {total}")

def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
    return sys.modules[name]

memory = module("torch.cuda.memory", CUDAPluggableAllocator=Allocator)
module("torch", cuda=module("torch.cuda", memory=memory))
memory = module("cupy.cuda.memory", CFunctionAllocator=CFunctionAllocator,
                OutOfMemoryError=NoMemory)
module("cupy", cuda=module("cupy.cuda", memory=memory))
from mnm import frameworks
"""


def test_frameworks_get_the_library_that_is_preloaded(box):
    out, said = run(box, STAND_INS + """
assert isinstance(frameworks.torch_allocator(), Allocator)
path, malloc, free = called["torch"]
malloc.restype = ctypes.c_void_p
malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int,
                 ctypes.c_void_p]
at = malloc(MIB, 0, None)
assert at and mnm.stats().live_bytes == MIB
ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(called["record"])(
    at, None)
free(at, MIB, 0, None)
assert mnm.stats().live_bytes == 0
at = frameworks.cupy_allocator()(3 * MIB).ptr
assert at and mnm.stats().live_bytes == 3 * MIB
called["cupy"][1](None, at, 0)
assert mnm.stats().live_bytes == 0
print(path)
""")
    assert os.path.samefile(out.strip(), LIBRARY) and said == ""


def test_frameworks_are_told_where_there_is_no_mnm(box):
    out, _ = run(box, STAND_INS + """
for function in (frameworks.torch_allocator, frameworks.cupy_allocator,
                 frameworks.library):
    print(refused(mnm.NotServedError, function))
""", preload=False)
    assert out.count("does not serve this process") == 3


def test_cupy_is_told_that_there_is_no_memory(box):
    out, _ = run(box, STAND_INS + """
malloc = frameworks.cupy_allocator()
assert malloc(0).ptr == 0
try:
    malloc(1 << 40)
except NoMemory as why:
    print(why)
""")
    assert out == f"{1 << 40} -1\n"


# What numba.py calls of numba without NVIDIA's bindings, and no more.
NUMBA = """
import types

class CudaAPIError(Exception):
    def __init__(self, code, text):
        self.code = code

class Context:  # that of the program, for a thread that has none
    def push(self):
        assert cuda.cuCtxPushCurrent_v2(context) == 0

    def pop(self):
        assert cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 0

class Manager:
    context = Context()

class Mixin:
    pass

def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
    return sys.modules[name]

def pointer(context, pointer, size, finalizer):
    return types.SimpleNamespace(pointer=pointer, finalizer=finalizer)

driver = module("numba.cuda.cudadrv.driver", USE_NV_BINDING=False,
                CudaAPIError=CudaAPIError)
cudadrv = module("numba.cuda.cudadrv", driver=driver)
module("numba", cuda=module(
    "numba.cuda", cudadrv=cudadrv, MemoryPointer=pointer,
    HostOnlyCUDAMemoryManager=Manager, GetIpcHandleMixin=Mixin))
from mnm.numba import MemoryManager
"""


def test_numba_gets_memory_and_its_own_error_where_there_is_none(box):
    out, _ = run(box, NUMBA + """
manager = MemoryManager()
array = manager.memalloc(5000)
assert array.pointer.value and mnm.stats().live_bytes == 5000
array.finalizer()
assert mnm.stats().live_bytes == 0
try:
    manager.memalloc(1 << 40)
except CudaAPIError as why:
    print(why.code)
""")
    assert out == "2\n"


def test_numba_frees_what_a_thread_without_a_context_drops(box):
    out, _ = run(box, NUMBA + """
import threading
array = MemoryManager().memalloc(5000)
thread = threading.Thread(target=array.finalizer)
thread.start()
thread.join()
print(mnm.stats().live_bytes)
""")
    assert out == "0\n"
