"""A program that compiles device code at run time. `compile_job.py SOURCE OUT
OPTION...` writes the code for a device to a file, or the compiler's log to
stderr."""

import ctypes
import sys


def compiler(call, *args):
    res = getattr(NVRTC, "nvrtc" + call)(*args)
    return NVRTC.nvrtcGetErrorString(res).decode() if res else None


NVRTC = ctypes.CDLL("libnvrtc.so.13")
NVRTC.nvrtcGetErrorString.restype = ctypes.c_char_p


def text(program, what):
    """What has a size and then contents: CUBIN, ProgramLog."""
    size = ctypes.c_size_t()
    failed = compiler(f"Get{what}Size", program, ctypes.byref(size))
    got = ctypes.create_string_buffer(size.value)
    failed = failed or compiler("Get" + what, program, got)
    if failed:
        sys.exit(failed)
    return got.raw


def main():
    source, out, *options = sys.argv[1:]
    with open(source, "rb") as file:
        code = file.read()
    program = ctypes.c_void_p()
    wanted = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    failed = compiler("CreateProgram", ctypes.byref(program), code,
                      b"code.cu", 0, None, None)
    failed = failed or compiler("CompileProgram", program, len(options),
                                wanted)
    if failed:
        sys.exit(f"{failed}: {text(program, 'ProgramLog').decode()}")
    with open(out, "wb") as file:
        file.write(text(program, "CUBIN"))
    sys.exit(compiler("DestroyProgram", ctypes.byref(program)))


main()
