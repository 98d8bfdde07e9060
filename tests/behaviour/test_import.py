"""Files of other tools that become recordings: mnm import."""

import glob
import json
import os
import signal
import subprocess

import pytest

from conftest import DEADLINE, MNM, TRACES
from test_exports import digits, folded
from test_recording import (events, export, fails, mixed, planned, report,
                            rows_of)

__all__ = ["digits", "mixed"]
RMM = "Thread,Time,Action,Pointer,Size,Stream\n"
CSV = ("time_ns,kind,address,size,span,device,stream,thread,pool,served,"
       "driver,fence,ordered,site,text\n")
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
            '"a, ""b""\tc",5,name,0,0,0,,0,1,,0,0,0,0,0x7\n'
            ',6,malloc,0x1000,9,16,2,3,4,p_1,1,1,0,1,0x7\n')
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


ROW = "1,malloc,0x10,9,16,0,0,1,p,1,0,0,0,0x7,\n"


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
    (RMM + "7,1.5,free,0x1,1024,0", ":2: the last line has no end"),
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
    (CSV + ROW.replace("7,", '7,"a'), ":2: a quote has no end"),
    (CSV + ROW + "1,2\n", ":3: 2 fields, where the header has 15"),
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
