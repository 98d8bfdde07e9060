"""Writes recordings of any events; docs/trace-format.md describes the bytes."""

import json
import struct
import subprocess

(LIVE, ALLOC, FREE, FAILED, SWAP, TRIM, MARK, PUSH, POP, MODULE, RESERVED,
 TOOK, NAME, START, STOP, POINT, STACK, BUILD) = range(18)
SIZED = (LIVE, ALLOC, FAILED, TRIM, MODULE, RESERVED, TOOK)
SPANNED = (LIVE, ALLOC, MODULE)
PLACED = (*SPANNED, FREE, PUSH, POP, START, STOP, POINT, STACK, BUILD)
TEXTS = (SWAP, PUSH, START, POINT, MODULE, NAME, STACK, BUILD)
STACKED = 16  # a flag: the site is the number of a stack
ORIGIN = ("kind", "flags", "device", "pool", "thread", "stream", "site")
EVENTS_MOST = 65536  # of a frame


def number(value):
    value %= 1 << 64
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def difference(value):
    value = (value + (1 << 63)) % (1 << 64) - (1 << 63)
    return number(2 * value if value >= 0 else -2 * value - 1)


def columns(events, origins):
    """Events are dictionaries; what is not in one is 0. Fills the origins."""
    told = [bytearray() for _ in range(7)]
    time = address = 0
    for event in events:
        kind, size = event["kind"], event.get("size", 0)
        origin = tuple(event.get(name, 0) for name in ORIGIN)
        told[0] += number(origins.setdefault(origin, len(origins)))
        told[1] += difference(event["time"] - time)
        time = event["time"]
        if kind in SIZED:
            told[2] += number(size)
        if kind in SPANNED:
            told[3] += difference(event.get("span", 0) - size)
        if kind in PLACED:
            told[4] += difference(event.get("address", 0) - address)
            address = event.get("address", 0)
        if kind == FREE:
            told[5] += number(0)
        if kind in TEXTS:
            text = event.get("text", b"")
            told[6] += number(len(text)) + text + b"\0"
    return told


def frame(events):
    origins = {}
    told = columns(events, origins)
    raw = number(len(events)) + number(0) + number(len(origins))
    raw += b"".join(number(value) for origin in origins for value in origin)
    raw += b"".join(number(len(column)) + column for column in told)
    packed = subprocess.run(["zstd", "-qc", "--check"], input=raw,
                            capture_output=True, check=True).stdout
    return b"MNMf" + struct.pack("<III", len(packed), len(raw), 0) + packed


def recording(events, pools=("", "a_pool")):
    head = {"id": "0" * 16, "part": 0,
            "program": {"program": "made", "pools": pools}}
    return (b"mnm record 1\n" + json.dumps(head).encode() + b"\n" + b"".join(
        frame(events[at:at + EVENTS_MOST])
        for at in range(0, len(events), EVENTS_MOST)))


def written(folder, events):
    path = folder / "written"
    path.write_bytes(recording(events))
    return path
