"""Files of other tools that become recordings: mnm import."""

import glob
import json
import os
import pickle
import pickletools
import signal
import subprocess

import pytest

from conftest import DEADLINE, MNM, TRACES
from test_exports import digits, folded, snapshot
from test_recording import (events, export, fails, mixed, planned, report,
                            rows_of)

__all__ = ["digits", "mixed"]
RMM = "Thread,Time,Action,Pointer,Size,Stream\n"
CSV = ("time_ns,kind,address,size,span,device,stream,thread,pool,served,"
       "driver,fence,ordered,site,stack,text\n")
HEAD = "# trace: t\n# format: 1\n"


@pytest.fixture
def imported(box, tmp_path):
    """Imports a file, or a text, and returns the recording."""
    def make(source, *words):
        out = tmp_path / "out.rec"
        if isinstance(source, (str, bytes)) and not os.path.exists(source):
            path = tmp_path / "in"
            path.write_bytes(source if isinstance(source, bytes)
                             else source.encode())
            source = path
        done = box.mnm("import", source, "-o", out, *words)
        assert (done.stdout, done.stderr) == ("", "")
        return out
    return make


def unpacked(path):
    return subprocess.run(["zstd", "-dcf", path], capture_output=True,
                          timeout=DEADLINE, check=True).stdout.decode()


@pytest.mark.parametrize("path", sorted(glob.glob(f"{TRACES}/*.zst")),
                         ids=os.path.basename)
def test_a_trace_comes_back(box, imported, path):
    """Each byte of it, with names, phases, notes and the lines of its head."""
    text = export(box, imported(path), "--format", "trace").stdout
    assert text == unpacked(path)


def test_an_imported_trace_is_planned_as_the_trace(box, imported):
    path = os.path.join(TRACES, "vgg16_bs32.csv.zst")
    for words in ([], ["--iteration", "3"]):
        assert planned(box, imported(path), *words) == planned(box, path,
                                                               *words)


def test_an_imported_trace_is_replayed_as_the_trace(box, imported):
    path = os.path.join(TRACES, "vgg16_bs32.csv.zst")
    words = ["--pool", "page_unit_pool", "--device", "8G", "--json"]
    told = [json.loads(box.mnm("replay", *words, file).stdout)
            for file in (path, imported(path))]
    pools = [each["pools"][0]["devices"] for each in told]
    assert pools[0] and pools[0] == pools[1]
    assert told[0]["iterations"] == told[1]["iterations"]


def test_an_imported_trace_is_reported_by_class_and_name(box, imported):
    path = imported(HEAD + "mark,-1,init\nmalloc,1,1000,0,param,a.weight\n"
                    "mark,0,forward,batch=2\nmalloc,2,5000,3,odd,b;c\n"
                    "mark,0,step\nfree,2\nmark,1,forward\nfree,1\n")
    told = json.loads(report(box, path, "--json").stdout)
    assert told["iterations"] == 2 and told["program"]["program"] == "in"
    held = [(h["file"], h["function"], h["bytes"])
            for h in told["devices"][0]["holders"]]
    assert held == [("odd", "b;c", 5000), ("param", "a.weight", 1000)]
    assert folded(box, path) == [(["odd", "b:c"], 5000),
                                 (["param", "a.weight"], 1000)]
    assert report(box, path).stdout.startswith("in: 15 events")
    ranges = [row["text"] for row in events(box, path) if row["text"]
              and row["kind"] == "push"]
    assert ranges == ["-1,init", "0,forward,batch=2", "0,step", "1,forward"]


@pytest.mark.parametrize("which", ["mixed", "digits"])
def test_csv_comes_back(box, imported, request, which):
    path = request.getfixturevalue(which)
    text = export(box, path).stdout
    back = imported(text)
    assert export(box, back).stdout == text
    for form in ("rmm", "folded"):
        one, other = (export(box, of, "--format", form).stdout
                      for of in (path, back))
        if form == "rmm":  # whose times say when the program was begun
            one, other = ([row | {"Time": ""} for row in rows_of(text)]
                          for text in (one, other))
        assert one and one == other


def test_csv_keeps_what_a_trace_has(box, imported):
    path = os.path.join(TRACES, "unet_bs4_512.csv.zst")
    text = export(box, imported(path)).stdout
    back = export(box, imported(text), "--format", "trace").stdout

    def body(text):
        return [line for line in text.splitlines() if line[0] != "#"]
    assert body(back) == body(unpacked(path))


def test_csv_has_any_order_of_columns_and_any_text(box, imported):
    text = ('text,' + CSV.replace(",text", "") +
            '"a, ""b""\tc",5,name,0,0,0,,0,1,,0,0,0,0,0x7,0\n'
            ',6,malloc,0x1000,9,16,2,3,4,p_1,1,1,0,1,0x7,0\n')
    path = imported(text)
    assert folded(box, path, "--device", 2) == [(['a, "b"', "c"], 9)]
    name, row = rows_of(export(box, path).stdout)
    assert name["text"] == 'a, "b"\tc'
    assert [row[key] for key in ("address", "pool", "driver", "fence",
                                 "thread")] == ["0x1000", "p_1", "1", "0", "4"]


@pytest.mark.parametrize("which", ["mixed", "digits"])
def test_rmms_log_comes_back(box, imported, request, which):
    path = request.getfixturevalue(which)
    text = export(box, path, "--format", "rmm").stdout
    assert text.count("\n") > 10
    assert export(box, imported(text), "--format", "rmm").stdout == text


def test_rmms_log_is_read_as_rmm_writes_it(box, imported):
    """Times of day, over midnight and with either mark before the fraction;
    a request that failed; handles of streams."""
    path = imported(RMM +
                    "7,23:59:59.500000,allocate,0x7f00,1024,0x2\n"
                    "7,00:00:00.500000,allocate,0x8f00,2048,0x7f8a38001020\n"
                    "7,00:00:01:250000,allocate failure,(nil),4096,0x0\n"
                    "140573312345856,00:00:02.000000,free,0x7f00,1024,0x2\n"
                    "7,00:00:01.900000,deallocate,0x8f00,2048,"
                    "0x7f8a38001020\n")
    rows = events(box, path)
    assert [row["kind"] for row in rows] == ["malloc", "malloc", "failed",
                                             "free", "free"]
    assert [int(row["time_ns"]) // 10**6 for row in rows] == [
        0, 1000, 1750, 2500, 2400]
    assert [row["stream"] for row in rows] == ["2", "3", "0", "2", "3"]
    assert rows[2]["size"] == "4096" and rows[0]["address"] == "0x7f00"
    told = json.loads(report(box, path, "--json").stdout)
    assert (told["devices"][0]["peak"], told["devices"][0]["failed"]) == (
        3072, 1)


def test_the_same_file_makes_the_same_recording(imported):
    first = imported(RMM + "7,1.5,allocate,0x7f00,1024,0\n").read_bytes()
    again = imported(RMM + "7,1.5,allocate,0x7f00,1024,0\n").read_bytes()
    assert again == first


ROW = "1,malloc,0x10,9,16,0,0,1,p,1,0,0,0,0x7,0,\n"


@pytest.mark.parametrize("text, why", [
    ("", ": nothing in it"),
    ("hello\n", ": its format is none of torch, rmm, trace and csv"),
    ("mnm record 1\n{}\n", ": it is a recording already"),
    ("hello", ":1: the last line has no end"),
    (RMM + "7,1.5,allocate,0x7f00,1024\n", ":2: not Thread,.*"),
    (RMM + "7,1.5,allocate,0x7f00,1024,0,1\n", ":2: not Thread,.*"),
    (RMM + "7,1.5,alloc,0x7f00,1024,0\n",
     ":2: Action 'alloc' is not what it may be"),
    (RMM + "7,1.5,free,zero,1024,0\n", ":2: Pointer 'zero' .*"),
    (RMM + "7,25:00:00.0,free,0x1,1024,0\n", ":2: Time '25:00:00.0' .*"),
    (RMM + "7,1.5,free,0x1,1024,0\n7,1.5,free,0x1,-1,0\n",
     ":3: Size '-1' .*"),
    (RMM[:-1], ":1: the last line has no end"),
    (RMM + "x" * 5000 + "\n", ":2: the line is too long"),
    (RMM.encode() + b"7,1.5,free\0,0x1,1024,0\n", ":2: there is a NUL in it"),
    (CSV.replace("size", "sighs"), ":1: 'sighs' is no column"),
    (CSV.replace("size,", ""), ":1: there is no column size"),
    (CSV.replace("\n", ",size\n"), ":1: a column is named twice"),
    (CSV + ROW.replace("malloc", "mallet"), ":2: kind 'mallet' .*"),
    (CSV + ROW + ROW.replace("0x10", "\x1b[2J"), r":3: address '\?\[2J' .*"),
    (CSV + ROW.replace(",1,0,0,0,", ",1,0,2,0,"), ":2: fence '2' .*"),
    (CSV + ROW.replace(",16,0,", ",16,256,"), ":2: device '256' .*"),
    (CSV + ROW.replace("1,p", "4294967296,p"), ":2: thread '4294967296' .*"),
    (CSV + ROW.replace(",p,", ",p q,"), ":2: the name of the pool is none"),
    (CSV + ROW.replace("7,0", "7,32769"), ":2: stack '32769' .*"),
    (CSV + ROW.replace("7,0,", '7,0,"a'), ":2: a quote has no end"),
    (CSV + ROW + "1,2\n", ":3: 2 fields, where the header has 16"),
    (CSV + ROW.replace(",16,0,", ",16,64,"), ":2: device '64' .*"),
    (RMM + f"7,1.5,allocate,0x1,{2**56 + 1},0\n", ":2: Size '7205759.*"),
    (RMM + f"7,1.5,allocate,0x1,{2**64},0\n", ":2: Size '1844674.*"),
    (RMM + f"7,1.5,allocate,0x1{16 * '0'},1,0\n", ":2: Pointer '0x1000.*"),
    (RMM + f"{2**64},1.5,allocate,0x1,1,0\n", ":2: Thread '1844674.*"),
    (RMM + f"7,{2**64},allocate,0x1,1,0\n", ":2: Time '1844674.*"),
    (RMM + "7,-1.5,allocate,0x1,1,0\n", ":2: Time '-1.5' .*"),
    (RMM + "7,1.5,allocate,0x1,1e3,0\n", ":2: Size '1e3' .*"),
    (RMM + "7,1.5,allocate,0x1,,0\n", ":2: Size '' .*"),
    (CSV + ROW.replace(",9,", f",{2**56 + 1},"), ":2: size '7205759.*"),
    (CSV + ROW.replace(",9,", f",{2**64},"), ":2: size '1844674.*"),
    (CSV + ROW.replace(",9,", ",-9,"), ":2: size '-9' .*"),
    (CSV + ROW.replace(",9,16,", f",9,{2**63},"), ":2: span '9223372.*"),
    (CSV.encode() + b"1,mal\0loc\n", ":2: there is a NUL in it"),
    (b"\0" * 10 + b"\n", ":1: there is a NUL in it"),
    ((CSV + ROW).encode("utf-16"), ":1: there is a NUL in it"),
    ("\n", ": its format is none of torch, rmm, trace and csv"),
    (HEAD, ":2: no malloc in it"),
    (HEAD + "free,1\n", ":3: a free of a buffer that is not live"),
    (HEAD + "malloc,1,8,0,temp,\n",
     ":3: the trace ends with live buffers .*"),
    (HEAD + "malloc,2,8,0,temp,\n", ":3: ids of mallocs must be 1, 2, 3, .*"),
    (HEAD + "malloc,1,8,0,temp\nfree,1\n", ":3: not malloc,id,bytes,.*"),
    (HEAD + f"malloc,1,{2**63},0,temp,\nfree,1\n",
     r":3: the sizes add up to 2\^62 or more"),
    (b"\x28\xb5\x2f\xfdxxxxxxxxxxxx", ".*"),
])
def test_what_is_wrong_is_told_and_nothing_is_written(box, tmp_path, text, why):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    out.write_text("mine")
    fails(box.mnm("import", path, "-o", out, check=False), f"mnm: {path}{why}")
    assert out.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["in", "out"]


LINES = {"rmm": [RMM] + [f"7,{at}.5,allocate,{at}000,{at},0\n"
                         for at in range(1, 4)],
         "csv": [CSV] + [ROW.replace(",9,", f",{at},") for at in range(1, 4)]}


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("left", [1, 3, 12])
def test_a_file_that_is_cut_off_is_read_up_to_there(box, tmp_path, form, left):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text("".join(LINES[form])[:-left])
    done = box.mnm("import", path, "-o", out, check=False)
    fails(done, f"mnm: {path}:4: the last line has no end; what comes before "
                f"is in {out}")
    assert [row["size"] for row in events(box, out)] == ["1", "2"]


def test_a_compressed_log_that_is_cut_off_is_read_up_to_there(box, tmp_path):
    path, out = tmp_path / "in", tmp_path / "out"
    text = RMM + "".join(f"7,1.5,allocate,{at:x}000,{at * 7919 % 100003},0\n"
                         for at in range(1, 50000))
    packed = subprocess.run(["zstd", "-qc"], input=text.encode(),
                            capture_output=True, check=True).stdout
    path.write_bytes(packed[:len(packed) // 2])
    done = box.mnm("import", path, "-o", out, check=False)
    fails(done, rf"mnm: {path}:\d+: the zstd data ends too early; what comes "
                rf"before is in {out}")
    sizes = [int(row["size"]) for row in events(box, out)]
    assert 100 < len(sizes) < 49999
    assert sizes == [at * 7919 % 100003 for at in range(1, len(sizes) + 1)]


@pytest.mark.parametrize("form", LINES)
def test_the_mark_of_utf_8_is_passed_over(box, tmp_path, form):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text("".join(LINES[form]), encoding="utf-8-sig")
    box.mnm("import", path, "-o", out)
    assert [row["size"] for row in events(box, out)] == ["1", "2", "3"]


FREE = "7,1.6,free,0x7f00,1024,0\n"
TAKE = FREE.replace("free", "allocate").replace("1.6", "1.5")
GONE = "2,free,0x10,0,0,0,0,1,p,1,0,0,0,0x7,0,\n"


@pytest.mark.parametrize("text, kinds, peak", [
    (RMM, "", 0), (CSV, "", 0),
    (RMM + FREE, "free", 0), (CSV + GONE, "free", 0),
    (RMM + TAKE + TAKE, "malloc malloc", 1024),
    (CSV + ROW + ROW, "malloc malloc", 9),
    (RMM + TAKE + FREE + FREE, "malloc free free", 1024),
    ((RMM + TAKE + FREE).replace("\n", "\r\n"), "malloc free", 1024),
    ((CSV + ROW + GONE).replace("\n", "\r\n"), "malloc free", 9),
    ((HEAD + "malloc,1,8,0,temp,\nfree,1\n").replace("\n", "\r\n"),
     "name malloc free", 8),
    (RMM + "\n" + TAKE + "\n\n" + FREE, "malloc free", 1024),
    (CSV + "\n" + ROW + "\n\n" + GONE, "malloc free", 9),
    (RMM + f"7,1.5,allocate,0x1,{2**56},0\n", "malloc", 2**56),
    (RMM + f"7,1.5,allocate failure,(nil),{2**64 - 1},0\n", "failed", 0),
])
def test_odd_files_are_read(box, imported, text, kinds, peak):
    """A second request at an address says that the first block has gone, a free
    of an unknown one nothing."""
    path = imported(text)
    assert [row["kind"] for row in events(box, path)] == kinds.split()
    told = json.loads(report(box, path, "--json").stdout)
    assert [device["peak"] for device in told["devices"]] == (
        [peak] if kinds else [])


def names_of(folder, to):
    """A file by its name, through a link, and by a second name."""
    (folder / "link").symlink_to(to)
    os.link(to, folder / "hard")
    return [to, folder / "link", folder / "hard", f"{folder}/./{to.name}"]


@pytest.mark.parametrize("words", [
    ["import", "IN", "-o"], ["export", "IN", "--output"],
    ["report", "IN", "-o"]])
def test_what_is_read_is_not_written_over(box, tmp_path, words):
    path = tmp_path / "in"
    path.write_text("".join(LINES["csv"]))
    if words[0] != "import":
        box.mnm("import", path, "-o", tmp_path / "recording")
        path = tmp_path / "recording"
    before = path.read_bytes()
    words = [path if word == "IN" else word for word in words]
    for out in names_of(tmp_path, path):
        fails(box.mnm(*words, out, check=False),
              f"mnm: {out}: it is what is read, and would be lost")
    assert path.read_bytes() == before


def test_the_first_part_of_a_recording_is_not_written_over(box, tmp_path):
    path, before = tmp_path / "in", tmp_path / "in.before"
    path.write_text("x")
    before.write_text("mine")
    fails(box.mnm("export", path, "--output", before, check=False),
          f"mnm: {before}: it is what is read, and would be lost")
    assert before.read_text() == "mine"


def test_a_format_that_is_named_is_taken(box, tmp_path):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text("7,1.5,allocate,0x7f00,1024,0\n")
    fails(box.mnm("import", path, "-o", out, "--format", "csv", check=False),
          f"mnm: {path}:1: '7' is no column")
    box.mnm("import", path, "-o", out, "--format", "rmm")
    assert [row["size"] for row in events(box, out)] == ["1024"]


@pytest.mark.parametrize("words, why", [
    (["in"], "mnm import: no -o FILE; .*"),
    (["-o", "out"], "mnm import: no FILE; .*"),
    (["in", "-o", ""], "mnm import: -o FILE is empty; .*"),
    (["in", "-o", "out", "--format", "x"],
     "mnm: --format 'x'; allowed: torch rmm trace csv"),
])
def test_wrong_words_to_import_are_told(box, tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    fails(box.mnm("import", *words, check=False), why, 2)
    assert not os.listdir(tmp_path)


def test_what_cannot_be_read_or_written_is_told(box, tmp_path):
    out = tmp_path / "out"
    fails(box.mnm("import", tmp_path / "no", "-o", out, check=False),
          f"mnm: {tmp_path}/no: No such file or directory")
    fails(box.mnm("import", tmp_path, "-o", out, check=False),
          f"mnm: {tmp_path}: Is a directory")
    path = tmp_path / "in"
    path.write_text(RMM)
    fails(box.mnm("import", path, "-o", tmp_path / "no" / "out", check=False),
          f"mnm: {tmp_path}/no/out: No such file or directory")
    assert os.listdir(tmp_path) == ["in"]


def test_ctrl_c_leaves_nothing(tmp_path):
    """A pipe's end does not come."""
    path = tmp_path / "in"
    os.mkfifo(path)
    with subprocess.Popen([MNM, "import", path, "-o", tmp_path / "out"],
                          stderr=subprocess.PIPE) as process:
        with open(path, "w", encoding="ascii") as pipe:
            pipe.write(RMM + "7,1.5,allocate,0x7f00,1024,0\n")
            pipe.flush()
            process.send_signal(signal.SIGINT)
            assert process.wait(DEADLINE) == -signal.SIGINT
        assert process.stderr.read() == b""
    assert os.listdir(tmp_path) == ["in"]


def test_a_pipe_is_read(box, tmp_path):
    path, out = tmp_path / "in", tmp_path / "out"
    os.mkfifo(path)
    with subprocess.Popen([MNM, "import", path, "-o", out]) as process:
        path.write_text(RMM + "7,1.5,allocate,0x7f00,1024,0\n")
        assert process.wait(DEADLINE) == 0
    assert [row["size"] for row in events(box, out)] == ["1024"]


# Snapshots of PyTorch's allocator.

BASE = 0x7f0000000000


def frames(line):
    return [{"filename": "/a/model.py", "line": line, "name": "forward"},
            {"filename": "/a/train.py", "line": 1, "name": "main"}]


def entry(action, addr, size, at, line=0, stream=0, **more):
    return {"action": action, "addr": addr, "size": size, "stream": stream,
            "frames": frames(line) if line else [], "time_us": 10**15 + at,
            **more}


def block(size, asked, state, line=0):
    return {"size": size, "requested_size": asked, "state": state,
            "frames": frames(line) if line else []}


def pytorch():
    """As torch.cuda.memory._dump_snapshot() writes it: one block that was there
    before, one that was freed, one that was asked for, on two devices."""
    return {
        "segments": [{
            "device": 0, "address": BASE, "total_size": 1 << 21, "stream": 0,
            "segment_type": "small", "allocated_size": 1024,
            "active_size": 1024, "requested_size": 900,
            "is_expandable": False, "segment_pool_id": (0, 0), "frames": [],
            "blocks": [block(512, 400, "active_allocated", 9),
                       block(512, 500, "active_allocated", 3),
                       block(512, 300, "active_awaiting_free", 4),
                       block((1 << 21) - 1536, 0, "inactive")]}],
        "device_traces": [[
            entry("free_requested", BASE + 1024, 300, 0),
            entry("free_completed", BASE + 1024, 300, 1),
            entry("segment_alloc", BASE + (1 << 30), 1 << 21, 2),
            entry("alloc", BASE + 512, 500, 3, 3),
            {"action": "oom", "size": 1 << 40, "device_free": 5, "stream": 0,
             "frames": frames(7), "time_us": 10**15 + 9},
            entry("segment_free", BASE + (1 << 30), 1 << 21, 10),
            entry("snapshot", 0, 0, 20)],
            [entry("alloc", BASE, 77, 5, stream=BASE + 16),
             entry("free_completed", BASE, 77, 6, stream=BASE + 16)]],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "x": True,
                               "share": 0.5, "none": None, "large": 2**70},
        "external_annotations": ()}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_snapshot_becomes_a_recording(box, imported, protocol):
    path = imported(pickle.dumps(pytorch(), protocol))
    rows = [row for row in events(box, path) if row["kind"] != "name"]
    assert [(row["kind"], int(row["address"], 16), int(row["size"]),
             row["device"], int(row["time_ns"])) for row in rows] == [
        ("live", BASE + 1024, 300, "0", 0), ("live", BASE, 400, "0", 0),
        ("free", BASE + 1024, 0, "0", 0),
        ("malloc", BASE + 512, 500, "0", 3000), ("malloc", BASE, 77, "1", 5000),
        ("free", BASE, 0, "1", 6000), ("failed", 0, 1 << 40, "0", 9000),
        ("trim", 0, 1 << 21, "0", 10000)]
    assert [row["driver"] for row in rows] == list("00010000")
    told = json.loads(report(box, path, "--json", "--device", 0).stdout)
    device, = told["devices"]
    assert [(h["file"], h["function"], h["bytes"])
            for h in device["holders"]] == [("model.py:3", "forward", 500),
                                            ("model.py:9", "forward", 400)]
    failure, = device["failures"]
    assert failure["file"] == "model.py:7"


@pytest.mark.parametrize("which", ["mixed", "digits", "pytorch", "trace"])
def test_a_snapshot_comes_back(box, imported, request, tmp_path, which):
    if which == "pytorch":
        path = imported(pickle.dumps(pytorch()))
    elif which == "trace":
        path = imported(os.path.join(TRACES, "lstm_lm_bs20_bptt35.csv.zst"))
    else:
        path = request.getfixturevalue(which)
    first = snapshot(box, path, tmp_path)
    text = export(box, path, "--format", "trace").stdout
    again = imported(pickle.dumps(first))
    assert snapshot(box, again, tmp_path) == first
    assert imported(tmp_path / "out.pickle").read_bytes()
    if which == "trace":  # streams and classes have no place in a snapshot
        asked = [line.split(",")[:3] for line in text.splitlines()
                 if line.startswith(("malloc", "free"))]
        text = export(box, again, "--format", "trace").stdout
        assert asked == [line.split(",")[:3] for line in text.splitlines()
                         if line.startswith(("malloc", "free"))]


class Code:
    def __reduce__(self):
        return os.system, ("touch made",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_would_call_code_is_refused(box, tmp_path, monkeypatch, protocol):
    path, out = tmp_path / "in", tmp_path / "out"
    monkeypatch.chdir(tmp_path)
    path.write_bytes(pickle.dumps({"segments": [Code()]}, protocol))
    fails(box.mnm("import", path, "-o", out, "--format", "torch", check=False),
          rf"mnm: {path}: byte \d+: it would call code, which is not done")
    assert os.listdir(tmp_path) == ["in"]


@pytest.mark.parametrize("opcode", ["GLOBAL", "REDUCE", "BUILD", "INST", "OBJ",
                                    "NEWOBJ", "NEWOBJ_EX", "STACK_GLOBAL",
                                    "EXT1", "EXT2", "EXT4", "PERSID",
                                    "BINPERSID", "NEXT_BUFFER",
                                    "READONLY_BUFFER"])
def test_each_such_opcode_is_refused(box, tmp_path, opcode):
    code, = [op.code for op in pickletools.opcodes if op.name == opcode]
    path = tmp_path / "in"
    path.write_bytes(b"\x80\x04" + code.encode("latin-1") + b"\n" * 20)
    fails(box.mnm("import", path, "-o", tmp_path / "out", check=False),
          f"mnm: {path}: byte 2: it would call code, which is not done")


def test_each_other_opcode_is_known(box, tmp_path):
    """It may lack its operands, but it is not unknown."""
    path = tmp_path / "in"
    for opcode in pickletools.opcodes:
        path.write_bytes(b"\x80\x04" + opcode.code.encode("latin-1"))
        done = box.mnm("import", path, "-o", tmp_path / "out", check=False)
        assert done.returncode == 1 and "no pickle" not in done.stderr, opcode.name


def test_a_cut_snapshot_is_told_and_nothing_is_written(box, tmp_path):
    whole = pickle.dumps(pytorch(), 4)
    path = tmp_path / "in"
    for size in range(1, len(whole), 37):
        path.write_bytes(whole[:size])
        fails(box.mnm("import", path, "-o", tmp_path / "out", "--format",
                      "torch", check=False),
              rf"mnm: {path}: byte \d+: it breaks off")
    assert os.listdir(tmp_path) == ["in"]


def deep():
    value = b"]" * 10**6 + b"a" * (10**6 - 1)
    return b"\x80\x02}(X\x08\0\0\0segments" + value + b"u."


@pytest.mark.parametrize("data, why", [
    (b"\x80\x02N.", "it is no snapshot of PyTorch's: no list of segments"),
    (b"\x80\x02}.", "it is no snapshot of PyTorch's: no list of segments"),
    (b"\x80\x06N.", "byte 0: its protocol is newer than 5, the last that is "
                    "known"),
    (b"\x80\x02.", "byte 2: too few values lie on the stack"),
    (b"\x80\x02K\x01a.", "byte 4: too few values lie on the stack"),
    (b"\x80\x02NK\x01a.", "byte 5: something is added to what is no list or "
                          "dict"),
    (b"\x80\x02e.", "byte 2: there is no mark on the stack"),
    (b"\x80\x02(K\x01d.", "byte 5: a key has no value"),
    (b"\x80\x02h\x01.", "byte 2: something is used that was not remembered"),
    (b"\x80\x02Nr\xff\xff\xff\x7f.", "byte 3: the number of something to be "
                                    "remembered is too large"),
    (b"\x80\x02\xff.", "byte 2: it is no pickle"),
    (b"\x80\x04\x8e" + b"\xff" * 8 + b".", "byte 2: it breaks off"),
    (pickle.dumps({"segments": [], "device_traces": [[{"action": "alloc"}]]}),
     "entry 1 of device 0 has no size"),
    (pickle.dumps({"segments": [], "device_traces": [[3]]}),
     "entry 1 of device 0 has no size"),
    (pickle.dumps({"segments": [], "device_traces": [[]] * 65}),
     "it has more than 64 devices"),
    (pickle.dumps({"segments": [{}]}), "a segment has no address"),
    (pickle.dumps({"segments": [{"address": 1, "device": 64}]}),
     "a segment is of a device above 63"),
    (deep(), "a segment has no address"),
], ids=map(str, range(18)))
def test_a_wrong_snapshot_is_told(box, tmp_path, data, why):
    path = tmp_path / "in"
    path.write_bytes(data)
    fails(box.mnm("import", path, "-o", tmp_path / "out", "--format", "torch",
                  check=False), f"mnm: {path}: {why}")
    assert os.listdir(tmp_path) == ["in"]


def test_a_snapshot_that_holds_itself_is_read(box, imported):
    told = {"segments": [], "device_traces": []}
    told["device_traces"] += [[told] * 0, told["segments"]]
    told["me"] = told
    assert events(box, imported(pickle.dumps(told))) == []
