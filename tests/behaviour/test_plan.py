"""mnm plan: what it reads, finds, prints, writes and draws."""

import bisect
import csv
import errno
import json
import os
import pty
import random
import re
import resource
import select
import signal
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import DEADLINE, MNM, ROOT, TRACES

INSTANCES = os.path.join(ROOT, "tests", "bench", "plan")
CHALLENGES = sorted(name for name in
                    os.listdir(os.path.join(INSTANCES, "minimalloc"))
                    if name.endswith(".1048576.csv.zst"))
OPEN = os.path.join(INSTANCES, "minimalloc", "J.1048576.csv.zst")
HEAD = "id,lower,upper,size\n"
# No two of these can share an address.
THREE = HEAD + "a,0,3,4\nb,2,9,5\nc,0,9,6\n"
PLOT = (860, 480)  # of a picture
# How long a search lasts whose bound may be out of reach, and one that has to
# end by itself or by a signal.
SOON, HOURS = "0.1", "86400"


def mnm(*words, check=True, env=None, **options):
    done = subprocess.run([MNM, "plan", *map(str, words)], text=True,
                          stdout=options.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, timeout=DEADLINE,
                          env=env, **options)
    assert not check or done.returncode == 0, done.stderr
    return done


def planned(*words, **options):
    return json.loads(mnm(*words, "--json", **options).stdout)


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def unpacked(path):
    return subprocess.run(["zstd", "-dc", path], capture_output=True,
                          check=True).stdout


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: value if name in ("id", "class") else int(value)
                 for name, value in row.items()}
                for row in csv.DictReader(file)]


def lifetimes(trace):
    """(lower, upper, bytes) by id, as examples/traces/FORMAT.md says."""
    lives, time = {}, 0
    for line in unpacked(trace).decode().splitlines():
        kind, *fields = line.split(",")
        if kind == "malloc":
            lives[fields[0]] = [time, None, int(fields[1])]
        elif kind == "free":
            lives[fields[0]][1] = time
        time += kind in ("malloc", "free")
    return lives


def live_peak(rows):
    """The most bytes that live at a time. Ends come before begins."""
    events = sorted((time, size) for row in rows for time, size in
                    ((row["lower"], row["size"]), (row["upper"], -row["size"])))
    live = peak = 0
    for _, size in events:
        live += size
        peak = max(peak, live)
    return peak


def overlaps(rows):
    """Whether two rows share an address at a time. Those that live are kept in
    the order of their addresses, where each needs to look at its neighbours
    only."""
    events = sorted((time, begins, i) for i, row in enumerate(rows)
                    for time, begins in ((row["lower"], 1), (row["upper"], 0)))
    live = []
    for _, begins, i in events:
        row = rows[i]
        block = (row["offset"], row["offset"] + row["size"])
        at = bisect.bisect_left(live, block)
        if not begins:
            assert live.pop(at) == block
            continue
        if (at and live[at - 1][1] > block[0] or
                at < len(live) and live[at][0] < block[1]):
            return True
        live.insert(at, block)
    return False


def top(rows):
    return max(row["offset"] + row["size"] for row in rows)


def random_rows(count, seed, period=None):
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        lower = draw.randrange(period or count)
        length = 1 + min(int(draw.expovariate(8 / (period or count))),
                         (period or count) - 1)
        rows.append((f"x{i}", lower, lower + length,
                     int(2 ** draw.uniform(0, 12))))
    return HEAD + "".join(f"{i},{lower},{upper},{size}\n"
                          for i, lower, upper, size in rows)


@pytest.fixture
def three(tmp_path):
    return written(tmp_path / "three.csv", THREE)


def test_the_table_says_what_was_found(three):
    done = mnm(three)
    assert done.stderr == ""
    assert [line.split() for line in done.stdout.splitlines()][:4] == [
        ["buffers", "3"], ["lower", "bound", "15", "B", "15"],
        ["peak", "15", "B", "15"],
        ["ratio", "1.00000", "no", "plan", "has", "a", "lower", "peak"]]
    assert re.fullmatch(r"seconds +0\.\d{3}", done.stdout.splitlines()[4])


def test_json_says_what_the_table_says(three):
    for words in ([], ["--capacity", "14"], ["--capacity", "1K"]):
        table = mnm(three, *words, check=False).stdout
        done = mnm(three, *words, "--json", check=False)
        found = json.loads(done.stdout)
        assert done.stdout.count("\n") == 1
        assert found.pop("seconds") >= 0
        assert found == {
            "buffers": 3, "peak": 15, "lower_bound": 15, "ratio": 1.0,
            "stopped": False, "capacity":
                {"1K": 1024, "14": 14}[words[1]] if words else None,
            "fits": words[1] == "1K" if words else None}
        for name, value in (("buffers", 3), ("peak", 15), ("lower bound", 15)):
            assert re.search(rf"^{name} .* {value}$", table, re.MULTILINE)
        assert bool(words) == ("fits" in table)


@pytest.mark.parametrize("text", [
    "size,id,upper,lower\n4,a,3,0\n5,b,9,2\n6,c,9,0\n",
    "id,lower,upper,size,align,class,offset\n"
    "a,0,3,4,0,w,7\nb,2,9,5,1,w,7\nc,0,9,6,1,,7\n",
    THREE.replace("\n", "\r\n"), THREE.rstrip("\n"),
    THREE.replace("\nb", "\n\nb"), "# a comment\n#\n" + THREE],
    ids=["order", "more_columns", "crlf", "no_end", "empty_line", "comment"])
def test_a_csv_may_be_written_as_others_write_it(tmp_path, text):
    assert planned(written(tmp_path / "a.csv", text))["peak"] == 15


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_may_be_a_pipe(packed):
    path = os.path.join(INSTANCES, "minimalloc", "input.12.csv.zst")
    with open(path, "rb") as file:
        text = file.read() if packed else unpacked(path)
    done = subprocess.run([MNM, "plan", "/dev/stdin", "--json"], input=text,
                          capture_output=True, timeout=DEADLINE, check=True)
    assert json.loads(done.stdout)["peak"] == 12


def test_a_name_may_hold_anything(tmp_path):
    path = tmp_path / "two words, \udcff & <more>.csv"
    path.write_bytes(THREE.encode())
    out = tmp_path / "o \udcff.csv"
    picture = tmp_path / "p.svg"
    assert planned(path, "-o", out, "--svg", picture)["buffers"] == 3
    assert len(rows_of(out)) == 3
    words = "".join(xml.etree.ElementTree.parse(picture).getroot().itertext())
    assert "two words, ? & <more>.csv: 3 buffers" in words


def test_offsets_are_written_with_the_lifetimes(tmp_path):
    text = ("id,lower,upper,size,align,class\n"
            "a,0,3,5,8,w\nb,2,9,5,16,w\nc,0,9,7,0,x y\n")
    out = tmp_path / "out.csv"
    found = planned(written(tmp_path / "in.csv", text), "-o", out,
                    "--time", SOON)
    rows = rows_of(out)
    without = [",".join(str(row[name]) for name in
                        ("id", "lower", "upper", "size", "align", "class"))
               for row in rows]
    assert "\n".join(["id,lower,upper,size,align,class", *without, ""]) == text
    assert not overlaps(rows) and found["peak"] == top(rows)
    assert all(row["offset"] % (row["align"] or 1) == 0 for row in rows)
    # What was written can be read, and may take the place of what was read.
    again = planned(out, "-o", out, "--time", SOON)
    assert again["lower_bound"] == found["lower_bound"]
    assert [row["id"] for row in rows_of(out)] == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["dcgan_bs128", "vgg16_bs32",
                                  "resnet50_bs64_prefetch"])
def test_a_trace_is_planned_in_the_order_of_its_events(tmp_path, name):
    trace = os.path.join(TRACES, f"{name}.csv.zst")
    out = tmp_path / "out.csv"
    found = planned(trace, "-o", out, "--time", 1)
    rows = rows_of(out)
    lives = lifetimes(trace)
    assert {row["id"]: (row["lower"], row["upper"], row["size"])
            for row in rows} == {
        id_: (lower, upper, -(-size // 512) * 512)
        for id_, (lower, upper, size) in lives.items()}
    assert found["buffers"] == len(lives)
    assert found["lower_bound"] == live_peak(rows)
    assert found["peak"] == top(rows) and not overlaps(rows)
    assert not any(row["offset"] % 512 for row in rows)
    plain = tmp_path / "plain.csv"
    plain.write_bytes(unpacked(trace))
    assert planned(plain, "--time", 1)["lower_bound"] == found["lower_bound"]


@pytest.mark.parametrize("unit, size", [(1, 1000), (512, 1024), ("1K", 1024),
                                        ("4096", 4096)])
def test_sizes_are_rounded_up_to_the_unit(tmp_path, unit, size):
    trace = written(tmp_path / "trace", "malloc,1,1000,0,temp,x\nfree,1\n")
    table = written(tmp_path / "csv", HEAD + "1,0,1,1000\n")
    for path in (trace, table):
        assert planned(path, "--unit", unit)["peak"] == size
    assert planned(trace)["peak"] == 1024
    assert planned(table)["peak"] == 1000


def test_an_iteration_is_what_lives_in_it(tmp_path):
    trace = written(tmp_path / "trace", """# trace: small
# format: 1
mark,-1,init
malloc,1,1024,0,param,w
mark,0,forward
malloc,2,512,0,activation,x
mark,0,backward
free,2
malloc,3,2048,0,output,loss
mark,1,forward
malloc,4,512,0,activation,x
free,3
mark,1,backward
free,4
mark,-1,teardown
free,1
""")
    out = tmp_path / "out.csv"
    found = planned(trace, "--iteration", 1, "-o", out)
    assert [{name: value for name, value in row.items() if name != "offset"}
            for row in rows_of(out)] == [
        {"id": "1", "lower": 0, "upper": 3, "size": 1024, "class": "param"},
        {"id": "3", "lower": 0, "upper": 1, "size": 2048, "class": "output"},
        {"id": "4", "lower": 0, "upper": 2, "size": 512,
         "class": "activation"}]
    assert found["lower_bound"] == 3584
    assert planned(trace, "--iteration", 0)["lower_bound"] == 3072


def test_time_may_be_a_circle(tmp_path):
    # On a line the three fit into 4; round the circle each meets the next.
    path = written(tmp_path / "circle.csv",
                   HEAD + "a,0,6,2\nb,5,11,2\nc,10,16,2\n")
    assert planned(path)["peak"] == 4
    found = planned(path, "--period", 15, "--time", SOON)
    assert found["lower_bound"] <= found["peak"] == 6


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_of_a_circle_holds_each_time_round(tmp_path, seed):
    period, out = 1000, tmp_path / "out.csv"
    path = written(tmp_path / "in.csv", random_rows(300, seed, period))
    found = planned(path, "--period", period, "--time", SOON, "-o", out)
    rows = [{**row, "lower": row["lower"] + turn * period,
             "upper": row["upper"] + turn * period}
            for row in rows_of(out) for turn in range(3)]
    assert not overlaps(rows) and top(rows) == found["peak"]
    assert live_peak(rows) <= found["lower_bound"]


def test_the_exit_status_says_whether_it_fits(three):
    for capacity, fits in (("15", True), ("1G", True), ("14", False)):
        done = mnm(three, "--capacity", capacity, check=False)
        assert done.returncode == (0 if fits else 1)
        assert re.search(rf"^fits +{'yes' if fits else 'no'}\b", done.stdout,
                         re.MULTILINE)
        assert done.stderr == ""
    assert "no plan does" in done.stdout


@pytest.mark.parametrize("text, line, why", [
    ("", None, "nothing in it"), ("#\nid\n", 2, "there is no column lower"),
    (HEAD, 1, "no buffer in it"), ("id,lower,upper\n", 1,
                                   "there is no column size"),
    ("1,2,3,4\n", 1, "'1' is no column; allowed: id, lower, upper, size, "
                     "align, class, offset"),
    ("id,lower,upper,id\n", 1, "column id is named twice"),
    (THREE + "d,0,3\n", 5, "3 fields, where the header has 4"),
    (THREE + "d,0,3,4,5\n", 5, "5 fields, where the header has 4"),
    (THREE + "d,x,3,4\n", 5, "lower 'x' is no whole number below 2^64"),
    (THREE + "d,0,-3,4\n", 5, "upper '-3' is no whole number below 2^64"),
    (THREE + "d,0,3,4.5\n", 5, "size '4.5' is no whole number below 2^64"),
    (THREE + "d,0,3, 4\n", 5, "size ' 4' is no whole number below 2^64"),
    (THREE + "d,0,3,\x1b[2J\n", 5,
     "size '?[2J' is no whole number below 2^64"),
    (THREE + "d,3,3,4\n", 5, "upper 3 is not above lower 3"),
    (THREE + "d,0,3,0\n", 5, "size 0; allowed: 1 to 2^48"),
    (THREE + "d,0,3,281474976710657\n", 5,
     "size 281474976710657; allowed: 1 to 2^48"),
    (THREE + "a,0,3,4\n", 5, "id 'a' is used twice"),
    (THREE + ",0,3,4\n", 5, "the id is empty"),
    (THREE + "d\0,0,3,4\n", 5, "there is a NUL in it"),
    (THREE + 5000 * "x" + "\n", 5, "the line is too long"),
    ("id,lower,upper,size,align\na,0,3,4,3\n", 2,
     "align 3; allowed: 0, and powers of two up to 2^48"),
    ("malloc,1,1,0,temp,x\n", 1,
     "the trace ends with live buffers (is it cut off?)"),
    ("malloc,1,1,0,temp,x\nfree,1", 2, "the last line has no end"),
    ("malloc,1,0,0,temp,x\n", 1, "a malloc of 0 bytes"),
    ("# format: 2\n", 1, "a format other than 1"),
    ("malloc,1,281474976710657,0,temp,x\nfree,1\n", 1,
     "size 281474976710657, rounded up; allowed: 1 to 2^48"),
    (HEAD + "".join(f"{i},0,1,{1 << 48}\n" for i in range(1 << 15)),
     (1 << 15) + 1, "sizes and alignments add up to 2^63 or more"),
    ("id,lower,upper,size,align\n" + "".join(
        f"{i},0,1,1,{1 << 48}\n" for i in range(1 << 15)),
     (1 << 15) + 1, "sizes and alignments add up to 2^63 or more")],
    ids=lambda value: "" if isinstance(value, str) and "\n" in value else None)
def test_a_wrong_file_is_one_line_and_changes_nothing(tmp_path, text, line,
                                                      why):
    path = written(tmp_path / "wrong", text)
    out = written(tmp_path / "out.csv", "as before")
    done = mnm(path, "-o", out, "--svg", tmp_path / "new.svg", check=False)
    where = f"{path}:{line}" if line else path
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mnm: {where}: {why}\n"
    assert out.read_text() == "as before"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "wrong"]


@pytest.mark.parametrize("words, text, why", [
    (["--period", "9"], HEAD + "a,9,10,1\n",
     ":2: lower 9 is not below the period, 9"),
    (["--period", "9"], HEAD + "a,8,17,1\nb,1,11,1\n",
     ":3: from lower 1 to upper 11 is longer than the period, 9"),
    (["--iteration", "0"], THREE, ":1: it is no trace, and has no iterations"),
    (["--period", "9"], "malloc,1,1,0,temp,x\nfree,1\n",
     ": it is a trace, whose time is a line and has no period"),
    (["--iteration", "0"], "malloc,1,1,0,temp,x\nfree,1\n",
     ": no iteration is marked in it"),
    (["--iteration", "2"], "mark,1,x\nmalloc,1,1,0,temp,x\nfree,1\n",
     ": no iteration 2; there are 0 to 1"),
    (["--iteration", "0"], "mark,0,x\nmark,1,x\nmalloc,1,1,0,temp,x\nfree,1\n",
     ": nothing lives in that iteration")])
def test_options_that_do_not_suit_the_file_are_told(tmp_path, words, text,
                                                    why):
    path = written(tmp_path / "file", text)
    done = mnm(path, *words, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mnm: {path}{why}\n"


@pytest.mark.parametrize("words, why", [
    ([], "no FILE"), (["a", "b"], "'b' is one word too many"),
    ([""], "FILE is empty"), (["a", "-o"], "-o needs a value"),
    (["a", "-o", ""], "-o FILE is empty"),
    (["a", "--svg="], "--svg FILE is empty"),
    (["a", "--capacity", "0"],
     "--capacity '0'; allowed: bytes, 1 to 2^62, with K, M or G"),
    (["a", "--unit", "8Q"],
     "--unit '8Q'; allowed: bytes, 1 to 2^62, with K, M or G"),
    (["a", "--seed", "-1"], "--seed '-1' is no whole number"),
    (["a", "--iteration", "x"], "--iteration 'x' is no whole number"),
    (["a", "--period", "0"], "--period 0; allowed: 1 and more"),
    (["a", "--time", "0"], "--time '0'; allowed: 0.001 to 86400 seconds"),
    (["a", "--time", "nan"], "--time 'nan'; allowed: 0.001 to 86400 seconds"),
    (["a", "--all"], "--all has no meaning here"),
    (["a", "-x"], "'-x' is not understood")])
def test_wrong_usage_is_status_2(words, why):
    done = mnm(*words, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mnm plan: {why}; usage: mnm plan ")


@pytest.mark.parametrize("path, why", [
    ("nothing", errno.ENOENT), (".", errno.EISDIR)])
def test_a_file_that_cannot_be_read_is_told(tmp_path, path, why):
    done = mnm(path, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mnm: {path}: {os.strerror(why)}\n"


@pytest.mark.parametrize("option", ["-o", "--svg"])
@pytest.mark.parametrize("path, why", [
    ("none/out", errno.ENOENT), (".", errno.EISDIR),
    (300 * "x", errno.ENAMETOOLONG), ("/proc/out", errno.ENOENT)])
def test_a_place_that_cannot_be_written_is_told(tmp_path, three, option, path,
                                                why):
    done = mnm(three, option, path, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"mnm: {path}: {os.strerror(why)}\n"
    assert os.listdir(tmp_path) == ["three.csv"]
    # It is told before the search, unless only a try can show it.
    assert bool(done.stdout) == (path == "/proc/out")


@pytest.mark.parametrize("option", ["-o", "--svg"])
def test_what_a_full_disk_does_not_hold_changes_nothing(tmp_path, option):
    """A limit stands in for the disk: files end at the first 4 KiB."""
    path = written(tmp_path / "in.csv", random_rows(1000, 1))
    out = written(tmp_path / "out", "as before")
    done = mnm(path, option, out, "--time", "0.01", check=False,
               restore_signals=False,  # Python ignores the signal of the limit
               preexec_fn=lambda: resource.setrlimit(
                   resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == 1
    assert done.stderr == f"mnm: {out}: {os.strerror(errno.EFBIG)}\n"
    assert "buffers" in done.stdout  # the plan is told all the same
    assert out.read_text() == "as before"
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "out"]


@pytest.mark.parametrize("option", ["-o", "--svg"])
def test_a_full_device_is_told(three, option):
    done = mnm(three, option, "/dev/full", check=False)
    assert done.returncode == 1
    assert done.stderr == f"mnm: /dev/full: {os.strerror(errno.ENOSPC)}\n"


def test_output_that_cannot_be_written_is_told(three):
    for words in ([], ["--json"], ["--help"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = mnm(three, *words, check=False, stdout=full)
        assert done.returncode == 1
        assert done.stderr.startswith("mnm: standard output: ")


def test_offsets_may_go_into_a_pipe(three):
    done = mnm(three, "-o", "/dev/stdout", "--json")
    *table, last = done.stdout.splitlines()
    assert table[0] == "id,lower,upper,size,offset" and len(table) == 4
    assert json.loads(last)["buffers"] == 3


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path, three):
    out, link = written(tmp_path / "out", ""), tmp_path / "link"
    out.chmod(0o640)
    link.symlink_to(out)
    mnm(three, "-o", out)
    assert out.stat().st_mode & 0o777 == 0o640 and len(rows_of(out)) == 3
    written(out, "")
    mnm(three, "-o", link)
    assert link.is_symlink() and len(rows_of(out)) == 3


class Picture:
    """The rectangles of a picture: (colour, opacity, x, y, width, height) in
    the plot, and what is written."""

    def __init__(self, path):
        self.size = os.path.getsize(path)
        root = xml.etree.ElementTree.parse(path).getroot()
        *_, width, height = map(float, root.get("viewBox").split())
        self.words = [element.text for element in root.iter()
                      if element.tag.endswith("text")]
        self.titles = [element.text for element in root.iter()
                       if element.tag.endswith("title")]
        plot = next(element for element in root
                    if element.tag.endswith("}g"))
        left, top = map(float, re.fullmatch(
            r"translate\((\d+) (\d+)\)", plot.get("transform")).groups())
        assert left + PLOT[0] <= width and top + PLOT[1] <= height
        self.boxes = []
        self.collect(plot, None)
        background = self.boxes.pop(0)
        assert background[2:] == (0, 0, *PLOT)

    def collect(self, element, colour):
        colour = element.get("fill", colour)
        opacity = float(element.get("fill-opacity", 1))
        number = r"(-?[\d.e-]+)"
        for x, y, wide, high, back in re.findall(
                rf"M{number} {number}h{number}v{number}h{number}z",
                element.get("d", "")):
            assert float(wide) == -float(back)
            self.boxes.append((colour, opacity, float(x), float(y),
                               float(wide), float(high)))
        for child in element:
            self.collect(child, colour)

    def check(self):
        for _, opacity, x, y, wide, high in self.boxes:
            assert wide > 0 and high > 0 and 0 < opacity <= 1
            assert 0 <= x and x + wide <= PLOT[0] + 0.11
            assert 0 <= y and y + high <= PLOT[1] + 0.11

    def area(self):
        return sum(opacity * wide * high
                   for _, opacity, _, _, wide, high in self.boxes)


def bytes_in_use(rows, peak):
    """The share of a plan's time and addresses that is in use."""
    begin = min(row["lower"] for row in rows)
    end = max(row["upper"] for row in rows)
    return sum(row["size"] * (row["upper"] - row["lower"]) for row in rows) / (
        peak * (end - begin))


def drawn(tmp_path, path, *words):
    """The picture, the plan and its rows."""
    picture, out = tmp_path / "picture.svg", tmp_path / "offsets.csv"
    found = planned(path, "--svg", picture, "-o", out, *words)
    return Picture(picture), found, rows_of(out)


def test_a_picture_shows_each_of_a_few_buffers(tmp_path, three):
    picture, found, rows = drawn(tmp_path, three)
    picture.check()
    assert len(picture.boxes) == 3 and len(picture.titles) == 3
    for row in rows:
        x, wide = (PLOT[0] * row["lower"] / 9,
                   PLOT[0] * (row["upper"] - row["lower"]) / 9)
        high = PLOT[1] * row["size"] / found["peak"]
        y = PLOT[1] - PLOT[1] * row["offset"] / found["peak"] - high
        assert any(box[2:] == pytest.approx((x, y, wide, high), abs=0.11)
                   for box in picture.boxes)
        assert (f"{row['id']}: {row['size']} at {row['offset']}, from "
                f"{row['lower']} to {row['upper']}") in picture.titles
    assert "three.csv: 3 buffers, peak 15 B, 1.00000 times the lower bound" \
        in picture.words


def test_large_times_do_not_run_into_each_other(tmp_path):
    path = tmp_path / "clock.csv"
    path.write_text("id,lower,upper,size\n"
                    f"a,{17 * 10 ** 17},{18 * 10 ** 17},5\n"
                    f"b,{10 ** 17},{(1 << 64) - 1},5\n")
    picture = drawn(tmp_path, path)[0]
    times = [word for word in picture.words if re.fullmatch(r"\d{15,}", word)]
    assert 2 <= len(times) <= PLOT[0] / (20 * 7.6)


@pytest.mark.parametrize("name, most", [
    ("vgg16_bs32", 60000), ("resnet50_bs32", 150000),
    ("gpt2_small_bs4_seq1024", 150000)])
def test_a_picture_of_a_trace_is_small_and_shows_what_is_in_use(
        tmp_path, name, most):
    picture, found, rows = drawn(
        tmp_path, os.path.join(TRACES, f"{name}.csv.zst"), "--time", "1")
    picture.check()
    assert picture.size < most
    share = picture.area() / (PLOT[0] * PLOT[1])
    assert share == pytest.approx(bytes_in_use(rows, found["peak"]), abs=0.05)
    assert {row["class"] for row in rows} <= set(picture.words)


def test_a_picture_of_30000_buffers_is_small(tmp_path):
    path = written(tmp_path / "many.csv", random_rows(30000, 1))
    picture, found, rows = drawn(tmp_path, path, "--time", "0.001")
    picture.check()
    assert picture.size < 400000 and not picture.titles
    share = picture.area() / (PLOT[0] * PLOT[1])
    assert share == pytest.approx(bytes_in_use(rows, found["peak"]), abs=0.1)


def test_each_class_has_a_colour_of_its_own(tmp_path):
    """Only the last of twelve stands for all that are left."""
    text = "id,lower,upper,size,class\n" + "".join(
        f"{i},0,1,1,class {i}\n" for i in range(20))
    picture, _, _ = drawn(tmp_path, written(tmp_path / "in.csv", text))
    assert len({box[0] for box in picture.boxes}) == 12
    assert {f"class {i}" for i in range(11)} | {"others"} <= set(picture.words)


def test_a_picture_of_a_circle_shows_a_buffer_on_both_sides_of_the_cut(
        tmp_path):
    path = written(tmp_path / "in.csv", HEAD + "a,8,12,4\n")
    picture, _, _ = drawn(tmp_path, path, "--period", 10)
    assert sorted(box[2:] for box in picture.boxes) == [
        (0, 0, PLOT[0] / 5, PLOT[1]),
        (PLOT[0] * 4 / 5, 0, PLOT[0] / 5, PLOT[1])]


def test_the_largest_numbers_are_planned_and_drawn(tmp_path):
    last = (1 << 64) - 1
    path = written(tmp_path / "in.csv", HEAD + f"a,0,{last},{1 << 48}\n"
                   f"b,{last - 1},{last},1\n")
    picture, found, _ = drawn(tmp_path, path)
    picture.check()
    assert found["peak"] == (1 << 48) + 1


def test_the_same_seed_finds_the_same_plan(tmp_path):
    path = os.path.join(INSTANCES, "minimalloc", CHALLENGES[0])
    offsets = []
    for run, seed in enumerate((7, 7, 8)):
        out = tmp_path / f"{run}.csv"
        mnm(path, "--capacity", "1M", "--seed", seed, "--time", HOURS,
            "-o", out)
        offsets.append(out.read_text())
    assert offsets[0] == offsets[1]
    assert all(top(rows_of(tmp_path / f"{run}.csv")) <= 1 << 20
               for run in range(3))


@pytest.mark.parametrize("name", CHALLENGES)
def test_the_instances_of_minimalloc_fit(tmp_path, name):
    out = tmp_path / "out.csv"
    path = os.path.join(INSTANCES, "minimalloc", name)
    found = planned(path, "--capacity", "1M", "--time", HOURS, "-o", out)
    rows = rows_of(out)
    assert found["fits"] and found["peak"] == top(rows) <= 1 << 20
    assert found["lower_bound"] == live_peak(rows) and not overlaps(rows)


@pytest.mark.parametrize("name", ["resnet50", "pangu_2.6B"])
def test_the_instances_of_somas_reach_their_bound(tmp_path, name):
    out = tmp_path / "out.csv"
    found = planned(os.path.join(INSTANCES, "somas", f"{name}.csv.zst"),
                    "--time", HOURS, "-o", out)
    rows = rows_of(out)
    assert found["peak"] == found["lower_bound"] == live_peak(rows) == top(rows)
    assert not overlaps(rows)


def test_a_limit_of_file_sizes_leaves_the_old_file_alone(tmp_path):
    """The signal kills, after what was begun beside it has gone."""
    out = written(tmp_path / "out.csv", "old")
    path = written(tmp_path / "in.csv", random_rows(2000, 1))
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 1; exec "$@" >/dev/null', "-", MNM, "plan",
         path, "--time", "0.001", "-o", out], capture_output=True, text=True,
        timeout=DEADLINE, check=False)
    assert done.returncode == -signal.SIGXFSZ
    assert done.stderr == f"mnm: {out}: File too large\n"
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


class Terminal:
    """mnm plan on a terminal, for hours."""

    def __init__(self, *words, term="xterm", both=True):
        self.fd, slave = pty.openpty()
        env = {**os.environ, "TERM": term}
        self.process = subprocess.Popen(
            [MNM, "plan", OPEN, "--time", HOURS, *words], stderr=slave,
            stdout=slave if both else subprocess.PIPE, text=True, env=env)
        os.close(slave)
        self.said = ""

    def read(self):
        ready, _, _ = select.select([self.fd], [], [], DEADLINE)
        assert ready, "it hangs"
        try:
            got = os.read(self.fd, 65536).decode()
        except OSError:  # the other side is closed
            return False
        self.said += got
        return bool(got)

    def wait_for(self, words):
        while words not in self.said:
            assert self.read(), self.said

    def end(self):
        while self.read():
            pass
        rest = self.process.stdout.read() if self.process.stdout else ""
        return self.process.wait(DEADLINE), rest

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        os.close(self.fd)


@pytest.fixture
def terminal():
    started = []

    def start(*words, **options):
        started.append(Terminal(*words, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_a_search_that_is_stopped_tells_its_best(terminal, tmp_path, number):
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    run = terminal("--json", "-o", str(out), "--svg", str(picture), both=False)
    run.wait_for("Ctrl-C ends it")
    run.process.send_signal(number)
    status, printed = run.end()
    found = json.loads(printed)
    assert status == 130 and found["stopped"]
    assert run.said.endswith("\r\x1b[K"
                             "mnm: stopped; this is the best plan so far\r\n")
    rows = rows_of(out)
    assert found["peak"] == top(rows) and not overlaps(rows)
    Picture(picture).check()


def test_progress_goes_when_the_table_comes(terminal):
    run = terminal()
    run.wait_for("times the lower bound; Ctrl-C ends it")
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert re.search(r"Ctrl-C ends it\r\x1b\[K(mnm: stopped; this is "
                     r"the best plan so far\r\n)?buffers +409\r\n", run.said)


def test_a_line_of_progress_fits_into_60_columns(terminal):
    """After a day as well, when the line has four digits more."""
    run = terminal()
    run.wait_for("times the lower bound; Ctrl-C ends it\r")
    line = re.search(r"[0-9.]+ s: [^\r]*it\r", run.said)[0]
    assert len(line) - 1 + 4 <= 60


def test_no_progress_is_shown_where_it_is_not_a_line_that_changes(terminal):
    """Enough of the processor's time has passed once a shown search's would
    have been shown: the plain one is asked to end then."""
    plain = terminal("--capacity", "1", term="dumb")
    assert plain.end()[0] == 1  # no plan fits, so nothing is searched
    shown = terminal("--json", both=False)
    quiet = terminal("--json", term="dumb", both=False)
    shown.wait_for("Ctrl-C")
    for run in (shown, quiet):
        run.process.send_signal(signal.SIGINT)
    assert quiet.end()[0] == shown.end()[0] == 130
    assert "Ctrl-C" not in quiet.said + plain.said
