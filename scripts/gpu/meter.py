"""The memory of the GPU that is in use, as the driver's management library
(NVML) has it: what nvidia-smi shows, for all processes together."""

import ctypes
import threading

EVERY = 0.01  # seconds between two looks


class Memory(ctypes.Structure):
    """nvmlMemory_t, in bytes."""
    _fields_ = [(name, ctypes.c_ulonglong) for name in
                ("total", "free", "used")]


class Meter:
    """Looks at the used memory again and again, between start() and stop().
    Without NVML, or where it refuses, `why` says so and there is no figure."""

    def __init__(self, bus, library="libnvidia-ml.so.1"):
        self.why = None
        self.device = ctypes.c_void_p()
        self.thread = self.over = self.first = self.peak = None
        self.looks = 0
        try:
            self.nvml = ctypes.CDLL(library)
        except OSError as error:
            self.why = f"no NVML: {error}"
            return
        error = self.nvml.nvmlInit_v2() or \
            self.nvml.nvmlDeviceGetHandleByPciBusId_v2(
                bus.encode(), ctypes.byref(self.device))
        if error:
            self.why = f"NVML does not know the device {bus}: error {error}"

    def used(self):
        """Bytes, or None."""
        memory = Memory()
        if self.why:
            return None
        error = self.nvml.nvmlDeviceGetMemoryInfo(self.device,
                                                  ctypes.byref(memory))
        if error:
            self.why = f"NVML tells no memory: error {error}"
            return None
        return memory.used

    def start(self):
        self.first = self.peak = self.used()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while self.peak is not None:
            self.peak = max(self.peak, self.used() or 0)
            self.looks += 1
            if self.over.wait(EVERY):
                return

    def stop(self):
        """The most bytes that were in use beyond those at the start, or None.
        A peak that lasts for less than EVERY may be missed."""
        self.over.set()
        self.thread.join()
        return None if self.why else self.peak - self.first
