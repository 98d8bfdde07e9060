"""`mnm top` in a terminal, as somebody sees it who sits in front of one."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pyte
import pytest

from conftest import DEADLINE, MNM, plain_build_only
from test_operator import DEVICE, EVIL, LIES, fake, go_on, stop
from test_pool import took

POOL = "page_unit_pool"
TITLES = "PID DEV POOL LIVE RESVD IDLE HITS REQ/S DRV/S FEN/S R COMMAND"
KEYS = {"up": b"\x1bOA", "down": b"\x1bOB", "home": b"\x1b[1~",
        "end": b"\x1b[4~", "page down": b"\x1b[6~", "F6": b"\x1b[17~",
        "escape": b"\x1b", "enter": b"\r", "ctrl-c": b"\x03",
        "ctrl-\\": b"\x1c", "ctrl-u": b"\x15", "rub out": b"\x7f"}
RESTORED = b"\x1b[?1049l"  # of the terminal "screen": its first screen is back
COLOUR = re.compile(rb"\x1b\[[\d;]*3[0-7]")


class Terminal:
    """A terminal in which `mnm top` runs."""

    def __init__(self, box, *words, columns=80, lines=24, term="screen",
                 locale="C.UTF-8", **variables):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.output = b""
        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        env = box.env(None)
        env.update(TERM=term, LC_ALL=locale, **variables)
        self.process = subprocess.Popen(
            ["setsid", "--ctty", MNM, "top", *words], env=env,
            cwd=box.folder, stdin=self.slave, stdout=self.slave,
            stderr=self.slave)

    def resize(self, columns, lines):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)
        self.screen.erase_in_display(2)

    def read(self):
        """Reads until there is nothing for a moment, as the screen is drawn in
        pieces."""
        while select.select([self.master], [], [], 0.02)[0]:
            got = os.read(self.master, 65536)
            self.output += got
            self.stream.feed(got)

    def until(self, shown):
        """Waits for a text on the screen, or for what a function says of it.
        Returns what the function does."""
        def text_is_there():
            return shown in self.text()

        end = time.monotonic() + DEADLINE
        while True:
            found = (shown if callable(shown) else text_is_there)()
            if found:
                return found
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < end, f"{shown}:\n{self.text()}"
            self.read()

    def press(self, *keys):
        for key in keys:
            os.write(self.master, KEYS.get(key) or key.encode())

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def lines(self):
        return self.text().split("\n")

    def rows(self):
        """The words of each row of the table, by pid and device; the mark of
        the selected one is left out."""
        lines = self.lines()
        heads = [i for i, line in enumerate(lines)
                 if line.split()[:2] == ["PID", "DEV"] or
                 line.split()[:1] == ["PID"] and "POOL" in line]
        found = {}
        for line in lines[heads[0] + 1:-2] if heads else []:
            words = line.lstrip("> ").split()
            if words and words[0].isdigit():
                found[int(words[0]), words[1]] = words
        return found

    def row(self, shell, device="0"):
        """[] if there is none."""
        return self.rows().get((shell.pid, device), [])

    def cell(self, shell, title, device="0"):
        """"" if it is not there. The one of a recording is there only if there
        is one."""
        words = self.row(shell, device)
        at = TITLES.split().index(title)
        return words[at] if at < len(words) else ""

    def pids(self):
        """In the order of the screen."""
        return [pid for pid, _ in self.rows()]

    def selected(self):
        lines = [line for line in self.lines() if line[:2] == "> "]
        return int(lines[0].split()[1]) if lines else None

    def end(self):
        """Waits for the end of the program. Returns its status."""
        limit = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < limit, self.text()
            self.read()
        while select.select([self.master], [], [], 0)[0]:
            self.read()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def top(box):
    """Starts `mnm top` in a terminal of its own."""
    started = []

    def start(*words, **options):
        started.append(Terminal(box, *words, **options))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


@pytest.fixture
def shell(box):
    """A program with a live block and an idle one."""
    return program(box)


def program(box, size=5000, **options):
    started = box.shell(POOL, **options)
    for line in (f"alloc a {size}", "alloc b 9000", "free b"):
        took(started, line)
    return started


def short(size):
    """A number of bytes as the table has it."""
    unit = ""
    for unit in ("", "K", "M", "G"):
        if size < 1000 or unit == "G":
            break
        size /= 1024
    if not unit:
        return f"{size}B"
    return f"{size:.{2 if size < 9.995 else 1 if size < 99.95 else 0}f}{unit}"


# What is shown.

def test_without_a_program_it_says_what_to_do_and_waits(box, top):
    terminal = top()
    terminal.until("mnm run -- PROGRAM")
    terminal.until("0 programs")
    shell = program(box)
    terminal.until(lambda: terminal.row(shell))
    terminal.until("1 program,")
    terminal.until(lambda: "mnm run" not in terminal.text())


def test_the_figures_are_those_of_mnm_stat(box, shell, top):
    terminal = top()
    stat = json.loads(box.mnm("stat", shell.pid, "--json").stdout)[
        "devices"][0]
    terminal.until(lambda: terminal.row(shell)[2:7] == [
        POOL, short(stat["live_bytes"]), short(stat["device_bytes"]),
        short(stat["idle_bytes"]), "0.0%"])
    for line in ("alloc b 9000", "free b") * 3:
        took(shell, line)
    stat = shell.stat()
    hits = int(1000 * stat["hits"] / stat["allocs"])
    terminal.until(lambda: terminal.cell(shell, "HITS") ==
                   f"{hits // 10}.{hits % 10}%")
    ps = box.mnm("ps").stdout.splitlines()[1].replace(" ", "")
    terminal.until(lambda: ps.replace("iB", "").endswith("".join(
        terminal.cell(shell, title) for title in ("LIVE", "RESVD", "HITS"))))


def test_rates_are_those_of_the_last_interval(box, top):
    """They are none while nothing is asked for, and some when there is."""
    shell = box.shell("no_pool")
    took(shell, "alloc a 5000")
    terminal = top("--delay", "0.1")
    terminal.until(lambda: terminal.row(shell)[7:10] == ["0", "0", "0"])

    def both_are_seen():
        took(shell, "alloc b 9000")
        took(shell, "free b")
        return all(terminal.cell(shell, title) not in ("", "0", "-")
                   for title in ("REQ/S", "DRV/S"))

    terminal.until(both_are_seen)
    terminal.until(lambda: terminal.row(shell)[7:10] == ["0", "0", "0"])


def test_each_device_has_its_row_and_its_sum(box, top):
    shell, other = program(box, devices=2), program(box)
    took(shell, "device 1")
    took(shell, "alloc c 1000000")
    took(shell, "pin h 5000 0")
    terminal = top()
    terminal.until(lambda: set(terminal.rows()) == {
        (shell.pid, "0"), (shell.pid, "1"), (shell.pid, "host"),
        (other.pid, "0")})
    both = sum(s.stat()["live_bytes"] for s in (shell, other))
    for device, live in (("device 0", f"{both / 1024:.2f} KiB live"),
                         ("device 1", "977 KiB live"), ("host", "live")):
        terminal.until(lambda d=device, b=live: [
            line for line in terminal.lines()[1:4]
            if line.startswith(f"{d} ") and b in line])


def test_the_bar_is_of_the_limit_if_there_is_one(box, top):
    program(box, hard_limit="4M")
    terminal = top()
    terminal.until("of 4.00 MiB limit")
    program(box)
    terminal.until("of 64.0 MiB total")


def test_the_bar_of_what_has_no_size_is_of_the_peak(box, top):
    shell = program(box)
    took(shell, "pin h 5000 0")
    took(shell, "unpin h")
    terminal = top()
    terminal.until("of 8.00 KiB peak")


@pytest.mark.parametrize("locale, sign", [("C.UTF-8", "\u2588"), ("C", "|")])
def test_bars_are_of_what_the_locale_has(box, shell, top, locale, sign):
    terminal = top(locale=locale)
    terminal.until(lambda: sign in terminal.lines()[1])
    assert locale != "C" or terminal.output.isascii()


def test_new_programs_come_and_ended_ones_go(box, shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    other = program(box)
    terminal.until(lambda: terminal.row(other))
    shell.end()
    terminal.until(lambda: not terminal.row(shell) and terminal.row(other))
    other.process.kill()
    terminal.until("mnm run -- PROGRAM")


def test_the_command_has_its_arguments(box, top):
    shell = program(box, form="plugin")
    terminal = top(columns=160)
    terminal.until(lambda: terminal.row(shell)[10:] == [
        os.path.basename(shell.process.args[0]), shell.process.args[1]])


# Keys.

def test_a_pool_is_swapped(shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    terminal.press("s")
    terminal.until(f"Swap the pool of {shell.pid}")
    terminal.until(f"> {POOL}")
    assert "@host" not in terminal.text()
    terminal.press("end")
    terminal.until("> no_pool")
    terminal.press("enter")
    terminal.until(f"pid {shell.pid} device 0: {POOL} -> no_pool")
    terminal.until(lambda: terminal.cell(shell, "POOL") == "no_pool")
    assert shell.stat()["pool"] == "no_pool"


def test_a_swap_is_of_the_selected_device_alone(box, top):
    shell = program(box, devices=2)
    took(shell, "device 1")
    took(shell, "alloc c 1000000")
    terminal = top()
    terminal.until(f"{shell.pid} device 1: shell")  # it has more
    terminal.press("s")
    terminal.until("Swap the pool of")
    terminal.press("end", "enter")
    terminal.until(lambda: terminal.cell(shell, "POOL", "1") == "no_pool")
    assert shell.stat(0)["pool"] == POOL


def test_escape_leaves_the_pool_as_it_is(shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    terminal.press("s")
    terminal.until("Swap the pool of")
    terminal.press("end")
    terminal.until("> no_pool")
    terminal.press("escape")
    terminal.until(lambda: terminal.row(shell))
    terminal.press("t")  # what comes after is answered: nothing waits
    terminal.until("given back")
    assert shell.stat()["pool"] == POOL


def test_idle_memory_is_given_back(shell, top):
    terminal = top()
    terminal.until(lambda: terminal.cell(shell, "IDLE") == "12.0K")
    terminal.press("t")
    terminal.until(f"pid {shell.pid} device 0: 12.0 KiB idle given back")
    terminal.until(lambda: terminal.cell(shell, "IDLE") == "0B")
    assert shell.stat()["idle_bytes"] == 0


def test_a_recording_is_made(box, shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    terminal.press("r")
    terminal.until(f"Record {shell.pid} to: mnm-{shell.pid}.rec")
    assert terminal.lines()[-1].endswith("Ctrl-U empty the line")
    terminal.press("rub out", "rub out", "rub out", "re\u0107")
    terminal.until(f"mnm-{shell.pid}.re\u0107")
    terminal.press("enter")
    terminal.until(f"pid {shell.pid}: recorded to ")
    terminal.until(lambda: terminal.cell(shell, "R") == "R")
    took(shell, "alloc c 7000")
    terminal.press("down")  # the message goes, and the file stays to be seen
    terminal.until(f"{shell.pid} device 0, recorded to ")
    terminal.press("r")
    terminal.until(f"pid {shell.pid}: ")
    terminal.until(lambda: terminal.cell(shell, "R").startswith("shell"))
    report = box.mnm("report", os.path.join(
        box.folder, f"mnm-{shell.pid}.re\u0107"), "--json")
    assert json.loads(report.stdout)


def test_what_a_program_refuses_is_said(box, shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    terminal.press("r")
    terminal.until("Record ")
    terminal.press("ctrl-u", "no/folder.rec", "enter")
    terminal.until(f"pid {shell.pid}: ")
    terminal.until("No such file or directory")


def test_nothing_is_recorded_after_escape(box, shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    terminal.press("r")
    terminal.until("Record ")
    terminal.press("escape")
    terminal.until(lambda: "Record " not in terminal.text())
    assert not [name for name in os.listdir(box.folder) if ".rec" in name]


def three(box):
    return [program(box, size) for size in (300000, 900000, 600000)]


def test_rows_are_sorted_by_the_column_that_is_chosen(box, top):
    shells = three(box)
    pids = [shell.pid for shell in shells]
    terminal = top()
    falling = [pids[1], pids[2], pids[0]]
    terminal.until(lambda: terminal.pids() == falling)
    terminal.press("i")
    terminal.until(lambda: terminal.pids() == falling[::-1])
    terminal.press("F6")
    terminal.until("Sort by")
    terminal.press("home", "enter")
    terminal.until("by PID, rising")
    terminal.until(lambda: terminal.pids() == sorted(pids))
    terminal.press(">", ">", ">", ">")
    terminal.until("by LIVE, falling")
    terminal.until(lambda: terminal.pids() == falling)
    terminal.press("<")
    terminal.until("by POOL, rising")


def test_the_selection_stays_at_its_program(box, top):
    shells = three(box)
    terminal = top()
    terminal.until(lambda: terminal.selected() == shells[1].pid)
    terminal.press("down")
    terminal.until(lambda: terminal.selected() == shells[2].pid)
    larger = program(box, 2000000)
    terminal.until(lambda: terminal.pids()[:1] == [larger.pid] and
                   terminal.selected() == shells[2].pid)
    shells[1].end()
    terminal.until(lambda: len(terminal.pids()) == 3 and
                   terminal.selected() == shells[2].pid)
    shells[2].end()
    terminal.until(lambda: terminal.selected() == shells[0].pid)
    terminal.press("k", "k", "k")
    terminal.until(lambda: terminal.selected() == larger.pid)


def test_a_filter_shows_some_commands(box, shell, top):
    other = program(box, form="static")
    terminal = top()
    terminal.until(lambda: len(terminal.rows()) == 2)
    terminal.press("/", "STATIC")
    terminal.until(lambda: terminal.pids() == [other.pid])
    terminal.press("enter")
    terminal.until("filter: STATIC")
    terminal.press("/", "x", "enter")
    terminal.until("No command has 'STATICx' in it.")
    terminal.press("escape")
    terminal.until(lambda: len(terminal.rows()) == 2)


def test_a_pause_keeps_what_is_shown(box, shell, top):
    terminal = top("--delay", "0.1")
    terminal.until(lambda: terminal.row(shell))
    terminal.press(" ")
    terminal.until("paused")
    terminal.press("h")  # a look that was under way may still come
    terminal.until("Keys and columns")
    terminal.press("h")
    took(shell, "alloc c 1000000")
    terminal.until(lambda: terminal.cell(shell, "LIVE") == "4.88K")
    terminal.press(">")
    terminal.until("by IDLE")
    assert terminal.cell(shell, "LIVE") == "4.88K"
    terminal.press(" ")
    terminal.until(lambda: terminal.cell(shell, "LIVE") == "981K")


def test_the_help_has_each_key_and_column(top):
    terminal = top(lines=50)
    terminal.press("h")
    for text in ("Keys and columns", "q F10", "Ctrl-C", "F6 o", "RESVD",
                 "COMMAND"):
        terminal.until(text)
    terminal.press("enter")
    terminal.until("0 programs")


# Terminals.

def test_all_columns_are_there_at_80x24_and_fewer_at_40x10(box, shell, top):
    terminal = top()
    for columns, lines, titles in ((80, 24, TITLES),
                                   (40, 10, TITLES[:TITLES.index(" IDLE")]),
                                   (132, 43, TITLES)):
        terminal.resize(columns, lines)
        terminal.until(lambda shown=titles: [
            line for line in terminal.lines() if line.split() ==
            shown.split()])
        terminal.until(lambda: terminal.row(shell))
        terminal.until("h help")


def test_no_size_breaks_it(box, top):
    three(box)
    terminal = top()
    terminal.until("3 programs")
    for columns, lines in ((1, 1), (2, 3), (20, 2), (7, 30), (500, 5)):
        for key in ("s", "escape", "h", "h", "/", "escape"):
            terminal.resize(columns, lines)
            terminal.press(key)
            terminal.read()
    terminal.resize(80, 24)
    terminal.press("escape")
    terminal.until("q quit")
    terminal.until(lambda: len(terminal.rows()) == 3)


@pytest.mark.parametrize("term, variables, coloured", [
    ("screen", {}, True), ("screen", {"NO_COLOR": "1"}, False),
    ("vt100", {}, False), ("linux", {}, True)])
def test_colours_are_only_where_they_are_wanted(shell, top, term, variables,
                                                coloured):
    terminal = top(term=term, **variables)
    terminal.until(lambda: terminal.selected() == shell.pid)
    assert bool(COLOUR.search(terminal.output)) == coloured
    terminal.press("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("term, why", [
    ("nonsense", "TERM=nonsense: nothing is known here of such a terminal"),
    ("dumb", "TERM=dumb: on such a terminal nothing can be moved"),
    ("", "TERM does not say what terminal this is")])
def test_a_terminal_that_does_not_suit_is_told(top, term, why):
    terminal = top(term=term)
    assert terminal.end() == 1
    assert terminal.output.decode() == (
        f"mnm: {why}; `mnm ps --watch` needs none\r\n")


def test_without_a_terminal_it_says_so(box):
    done = box.mnm("top", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("mnm: top needs a terminal, for input and output; "
                           "`mnm ps --watch` needs none\n")


@pytest.mark.parametrize("words", [["--delay", "0"], ["--delay", "x"],
                                   ["--delay"], ["--json"], ["7"]])
def test_wrong_words_are_told(box, words):
    done = box.mnm("top", *words, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mnm top: ")
    assert done.stderr.count("\n") == 1


ENDS = {"q": lambda t: t.press("q"), "ctrl-c": lambda t: t.press("ctrl-c"),
        "ctrl-\\": lambda t: t.press("ctrl-\\"),
        "SIGTERM": lambda t: t.process.terminate(),
        "SIGHUP": lambda t: t.process.send_signal(signal.SIGHUP),
        "a list and q": lambda t: t.press("h", "q", "q"),
        "a prompt and ctrl-c": lambda t: t.press("/", "x", "ctrl-c")}


@pytest.mark.parametrize("how", ENDS)
def test_the_terminal_is_left_as_it_was(shell, top, how):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    assert termios.tcgetattr(terminal.slave) != terminal.before
    ENDS[how](terminal)
    assert terminal.end() == 0
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert RESTORED in terminal.output
    assert not terminal.screen.cursor.hidden


# Programs that are odd.

def test_a_stopped_program_stops_nothing(box, shell, top):
    other = program(box)
    terminal = top()
    terminal.until(lambda: len(terminal.rows()) == 2)
    stop(shell)
    terminal.until("(1 not answering)")
    terminal.until(lambda: " ".join(terminal.row(shell)[3:6]) ==
                   "not answering (stopped)")
    took(other, "alloc c 1000000")
    terminal.until(lambda: terminal.cell(other, "LIVE") == "981K")
    go_on(shell)
    terminal.until(lambda: terminal.cell(shell, "LIVE") == "4.88K")
    terminal.until(lambda: "not answering" not in terminal.text())


def test_keys_are_answered_while_an_order_waits(shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    stop(shell)
    terminal.press("t")
    terminal.until(f"waiting for pid {shell.pid}")
    terminal.press("h")
    terminal.until("Keys and columns")
    terminal.until(f"pid {shell.pid}: not answering (stopped)")
    go_on(shell)
    assert shell.stat()["trims"] == 0


def test_it_ends_while_an_order_waits(shell, top):
    terminal = top()
    terminal.until(lambda: terminal.row(shell))
    stop(shell)
    terminal.press("t", "q")
    assert terminal.end() == 0
    go_on(shell)
    assert shell.stat()["trims"] == 0


MORE_LIES = {**LIES,
             "evil arguments": {"arguments": ["train", EVIL],
                                "devices": [DEVICE]},
             "evil pools": {"pools": [{"name": EVIL, "summary": EVIL,
                                       "backings": [EVIL] * 9}] * 999,
                            "devices": [DEVICE]},
             "an evil file": {"recording": {"file": EVIL, "runs": True},
                              "devices": [DEVICE]}}


@pytest.mark.parametrize("what", MORE_LIES)
def test_nothing_that_a_program_says_reaches_the_terminal(box, top, what):
    job = fake(box, *[MORE_LIES[what]] * 40)
    terminal = top("--delay", "0.1", columns=200)
    terminal.until(lambda: job.pid in terminal.pids())
    terminal.press("s")
    terminal.until(lambda: f"pid {job.pid}" in terminal.text() or
                   "Swap the pool" in terminal.text())
    terminal.press("escape")
    terminal.until("q quit")
    terminal.until(lambda: terminal.lines()[0].startswith(
        "mnm top: 1 program"))
    plain = re.sub(rb"\x1b(\[[?\d;]*[A-Za-z]|[()][AB0]|[=>78M])|[\x0e\x0f]", b"",
                   terminal.output).decode()
    assert re.fullmatch("[ -~\r\n\b\u2588\u2592\u00b7]*", plain)
    terminal.press("q")
    assert terminal.end() == 0


def test_a_programs_name_on_disk_reaches_no_terminal(box, top):
    odd = os.path.join(box.folder, "odd\x1b[2J\x9b\xff")
    os.symlink("/bin/sleep", odd)
    job = box.start([odd, "1000"], POOL)
    terminal = top(columns=120)
    terminal.until("1 program under mnm, without a request so far.")
    terminal.press("a")
    terminal.until(lambda: (job.pid, "-") in terminal.rows())
    terminal.until("odd?[2J?")
    assert b"\x1b[2J\xc2" not in terminal.output


def test_what_it_would_print_on_stderr_is_on_the_screen(box, top):
    """A line anywhere else would spoil it."""
    box.sockets = "relative"
    terminal = top()
    terminal.until(lambda: terminal.lines()[-2].startswith(
        "MNM_SOCKET_DIR: "))
    terminal.until(lambda: terminal.lines()[0].startswith(
        "mnm top: 0 programs"))


@plain_build_only
def test_mnm_needs_nothing_but_the_c_library():
    done = subprocess.run(["readelf", "-d", MNM], capture_output=True,
                          text=True, check=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)
    assert needed
    assert not [name for name in needed if not re.fullmatch(
        r"(libc|libm|libdl|libpthread)\.so\.\d|ld-linux[-\w]*\.so\.\d", name)]
