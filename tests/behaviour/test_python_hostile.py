"""The Python package in front of servers that are not what they ought to be.

The client is a process of its own with little memory, so that neither a hang
nor a large answer can take the test along."""

import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from conftest import DEADLINE, MIB, ROOT

PACKAGE = os.path.join(ROOT, "python")
NOBODY = 65534
TIMEOUT = 0.3  # seconds, of a client that waits in vain

CLIENT = """
import resource, sys
import mnm
pid, folder, timeout = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
resource.setrlimit(resource.RLIMIT_AS, (192 << 20, 192 << 20))
try:
    print(mnm.Program(pid, timeout=timeout, folder=folder))
except mnm.Error as error:
    print(type(error).__name__, error)
try:
    print([(p.state, p.error) for p in mnm.programs(timeout, folder)])
except mnm.Error as error:
    print(type(error).__name__, error)
"""

ABOUT = {"schema": 1, "pid": 1, "uid": 0, "program": "p", "arguments": [],
         "start_time": 0, "options": {}, "devices": []}
DEVICE = {"device": 0, "pool": "p", "fence": "fence", "order": "stream"}


def line(**fields):
    return json.dumps({**ABOUT, **fields}).encode() + b"\n"


def device(**fields):
    return line(devices=[{**DEVICE, **fields}])


class Server:
    """Listens under this process's pid, and does the same to each client that
    has sent a line."""

    def __init__(self, folder, act):
        self.folder = folder
        self.act = act
        self.sent = 0
        os.mkdir(folder, 0o700)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(os.path.join(folder, f"{os.getpid()}.sock"))
        self.socket.listen(8)
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            client = self.socket.accept()[0]
            with client:
                client.settimeout(DEADLINE)
                request = client.recv(4096)
                if request == b"end":
                    return
                try:
                    if request:
                        self.act(self, client)
                except OSError:
                    pass  # the client has had enough

    def send(self, client, text):
        client.sendall(text)
        self.sent += len(text)

    def close(self):
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self.socket.getsockname())
            last.sendall(b"end")
            self.thread.join(DEADLINE)
        self.socket.close()


def until_closed(client):
    while client.recv(4096):
        pass


def says(text, hold=False):
    """A server that answers this, and then closes the connection or holds
    it."""
    def act(server, client):
        server.send(client, text)
        if hold:
            until_closed(client)
    return act


def endless(server, client):
    for _ in range(100):
        server.send(client, b"x" * MIB)


def drips(server, client):
    """Never silent for long, and never done."""
    client.settimeout(0.02)
    while True:
        server.send(client, b" ")
        try:
            if not client.recv(4096):
                return
        except TimeoutError:
            pass


def ask(folder, timeout=float(DEADLINE), pid=None):
    """What the client says: of the pid, by default this process's, and of the
    list."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", CLIENT, str(pid or os.getpid()), folder,
         str(timeout)], env={**os.environ, "PYTHONPATH": PACKAGE},
        capture_output=True, text=True, timeout=2 * DEADLINE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def serve(box):
    servers = []

    def start(act):
        servers.append(Server(box.sockets, act))
        return servers[-1]
    yield start
    for server in servers:
        server.close()


SILENT = {
    "nothing": says(b"", True),
    "half a line": says(b'{"schema":1,', True),
    "a letter now and then": drips,
}


@pytest.mark.parametrize("what", SILENT)
def test_who_gives_no_answer_is_waited_for_no_longer_than_was_said(
        box, serve, what):
    serve(SILENT[what])
    one, listed = ask(box.sockets, TIMEOUT)
    assert one == f"NoAnswerError pid {os.getpid()}: no answer in time"
    assert listed == "[('silent', 'no answer in time')]"


WRONG = {  # what is answered, and what the error says
    "an end at once": (b"", "NoAnswerError", "closed without an answer"),
    "half a line, and an end": (b'{"schema":1', "AnswerError", "has no end"),
    "bytes": (bytes(range(255, 127, -1)) + b"\n", "AnswerError", "no line of"),
    "zero bytes": (b"\0" * 99 + b"\n", "AnswerError", "no line of"),
    "an empty line": (b"\n", "AnswerError", "no line of"),
    "two lines": (line() + line(), "AnswerError", "more than one line"),
    "a list": (b"[]\n", "AnswerError", "no object"),
    "a number": (b"1\n", "AnswerError", "no object"),
    "nested lists": (b"[" * 500000 + b"\n", "AnswerError", "no line of"),
    "a long number": (b'{"schema":' + b"1" * 900000 + b"}\n", "AnswerError",
                      "no line of"),
    "a number beyond 64 bits": (b'{"schema":' + b"1" * 99 + b"}\n",
                                "AnswerError", "no line of"),
    "not a number": (b'{"schema":NaN}\n', "AnswerError", "no line of"),
    "no schema": (b"{}\n", "AnswerError", "no schema"),
    "a schema that is a text": (line(schema="1"), "AnswerError", "no schema"),
    "a schema that is true": (line(schema=True), "AnswerError", "no schema"),
    "another schema": (line(schema=2), "AnswerError", "another version"),
    "an error that is a number": (line(error=5), "AnswerError", "error is no"),
    "an error with control letters": (line(error="a\x1b[2J\nb"),
                                      "RefusedError", "a?[2J?b"),
    "no devices": (line(devices=None), "AnswerError", "no devices"),
    "devices that are texts": (line(devices=["0"]), "AnswerError", "no name"),
    "a device that is a list": (device(device=[]), "AnswerError", "no name"),
    "a device below 0": (device(device=-1), "AnswerError", "no name"),
    "a pool that is a number": (device(pool=5), "AnswerError", "pool is no"),
    "options that are a list": (line(options=[]), "AnswerError", "options"),
    "arguments that are numbers": (line(arguments=[1]), "AnswerError",
                                   "arguments"),
    "a start that is a text": (line(start_time="1"), "AnswerError",
                               "start_time is no number"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_answer_is_one_line_that_says_so(box, serve, what):
    text, error, words = WRONG[what]
    serve(says(text))
    one, listed = ask(box.sockets)
    assert one.startswith(error) and words in one
    assert listed.startswith("[('silent', ") and words in listed


def test_a_right_answer_is_taken(box, serve):
    """So the others are wrong by what they say they are."""
    serve(says(device()))
    one, listed = ask(box.sockets)
    assert one == f"<mnm.Program {os.getpid()} 'p' serves>"
    assert listed == "[('serves', '')]"


def test_an_answer_without_an_end_is_not_read_to_its_end(box, serve):
    server = serve(endless)
    one, listed = ask(box.sockets)
    assert one.startswith("AnswerError") and "too long" in one
    assert "too long" in listed
    assert server.sent < 8 * MIB


def test_a_queue_that_stays_full_is_no_answer(box):
    os.mkdir(box.sockets, 0o700)
    path = os.path.join(box.sockets, f"{os.getpid()}.sock")
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(path)
        full.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(path)
            one, listed = ask(box.sockets, TIMEOUT)
    assert one == f"NoAnswerError pid {os.getpid()}: no answer in time"
    assert listed == "[('silent', 'no answer in time')]"


def test_a_socket_at_which_nobody_listens_is_no_program(box):
    os.mkdir(box.sockets, 0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(os.path.join(box.sockets, f"{os.getpid()}.sock"))
    one, listed = ask(box.sockets)
    assert one.startswith("NotFoundError") and listed == "[]"
    assert len(box.socket_files()) == 1


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "link"])
def test_what_is_no_socket_is_no_program(box, kind):
    os.mkdir(box.sockets, 0o700)
    path = os.path.join(box.sockets, f"{os.getpid()}.sock")
    {"file": lambda: open(path, "w", encoding="utf-8").close(),
     "folder": lambda: os.mkdir(path), "pipe": lambda: os.mkfifo(path),
     "link": lambda: os.symlink("/nowhere", path)}[kind]()
    one, listed = ask(box.sockets)
    assert one.startswith("NotFoundError") and listed == "[]"


@pytest.mark.parametrize("kind", ["link", "mode", "file", "relative", "long"])
def test_a_folder_that_is_not_private_is_not_looked_into(box, serve, kind):
    serve(says(line()))
    folder, words = box.sockets, "has to be a folder of yours"
    if kind == "link":
        folder = f"{box.folder}/link"
        os.symlink(box.sockets, folder)
    elif kind == "mode":
        os.chmod(folder, 0o750)
    elif kind == "file":
        folder = f"{box.folder}/file"
        with open(folder, "w", encoding="utf-8"):
            pass
    elif kind == "relative":
        folder, words = "sockets", "allowed: absolute path"
    else:
        folder, words = f"{box.folder}/{'x' * 99}", "too long"
    for said in ask(folder):
        assert said.startswith("FolderError") and words in said


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_users_folder_is_not_looked_into(box, serve):
    serve(says(line()))
    os.chown(box.sockets, NOBODY, NOBODY)
    for said in ask(box.sockets):
        assert said.startswith("FolderError") and "yours" in said


OTHER = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(f"{sys.argv[1]}/{os.getpid()}.sock")
os.seteuid(int(sys.argv[2]))
server.listen(8)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_user_who_listens_in_the_folder_is_not_asked(box):
    os.mkdir(box.sockets, 0o700)
    with subprocess.Popen(
            [sys.executable, "-c", OTHER, box.sockets, str(NOBODY)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == "ready\n"
        one, listed = ask(box.sockets, pid=other.pid)
        other.stdin.close()
    assert one.startswith("NotFoundError") and listed == "[]"
