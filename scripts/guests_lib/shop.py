"""Fetches what others release, from PyPI, into one folder. Whatever
is there is complete, even after an interrupt, and is used again."""

import glob
import os
import shlex
import shutil
import signal
import subprocess
import sys

from .suite import INSIDE

NETWORK = "with a network and 2 GB of room, run this again"


class Failed(Exception):
    """Something could not be had or built; the text says what to do."""


def say(text):
    print(f"guests: {text}", file=sys.stderr, flush=True)


def command(words, why, **options):
    """Runs a command. What it says is shown only if it fails."""
    try:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, errors="replace",
                                 stderr=subprocess.STDOUT,
                                 start_new_session=True, **options)
    except OSError as error:
        raise Failed(f"{why}: {error}") from None
    try:
        told = child.communicate()[0]
    except BaseException:  # with all that it has started
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    if child.returncode:
        print(told[-2000:], file=sys.stderr)
        raise Failed(why)


class Shop:
    """The folder BUILD_DIR/guests."""

    def __init__(self, build, cuda):
        self.build = build
        self.cuda = cuda  # the toolkit
        self.folder = os.path.join(build, "guests")

    def home(self, suite):
        return os.path.join(self.folder, f"{suite.name}-{suite.version}")

    def get(self, suite):
        """Fetches and builds a suite unless it is there; returns its folder.
        The stamp tells what it was made of."""
        home, stamp = self.home(suite), "made-of"
        text = repr((suite.version, suite.wheels, suite.recipe, home))
        path = os.path.join(home, stamp)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    return home
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        if suite.wheels:
            self.python(home, suite)
        if suite.build:
            suite.build(self, suite, home)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return home

    def python(self, home, suite):
        """A virtual environment with the suite's wheels. It needs no
        ensurepip, which Debian packages apart from Python."""
        say(f"fetching {suite.wheels[0]} and what it needs from PyPI")
        command([sys.executable, "-m", "venv", "--without-pip",
                 os.path.join(home, "venv")],
                "Python has no module venv; install python3-venv")
        self.pip(home, "install", *suite.wheels)

    def pip(self, home, *words, **options):
        environment = {**os.environ, "CUDA_ROOT": self.cuda,
                       "PATH": f"{self.cuda}/bin:{os.environ['PATH']}"}
        command([sys.executable, "-m", "pip", "--python", python_of(home),
                 "--disable-pip-version-check", "-q", *words],
                f"`pip {' '.join(words)}` failed as it says above; {NETWORK}",
                env=environment, **options)

    def compile(self, source, path, *flags):
        """A file of ours in C."""
        command([*shlex.split(os.environ.get("CC", "gcc")), "-O2",
                 os.path.join(INSIDE, source), "-o", path,
                 f"-I{self.cuda}/include", *flags], f"{source} did not build")

    def neighbour(self):
        """The library of the modes that have a neighbour."""
        path = os.path.join(self.folder, "neighbour.so")
        self.compile("neighbour.c", path, "-shared", "-fPIC",
                     "-Wl,-Bsymbolic")  # or UCX's hooks reach into it
        return path

    def source(self, home, name, version):
        """Unpacks a source distribution; returns its folder. Only that one is
        built from source, not what its build needs."""
        say(f"fetching the source of {name} {version} from PyPI")
        self.pip(home, "download", "--no-deps", "--no-binary", name, "-d",
                 home, f"{name}=={version}")
        archive, = glob.glob(os.path.join(home, "*.tar.gz"))
        command(["tar", "xzf", archive, "-C", home],
                f"{archive} could not be unpacked")
        return archive[:-len(".tar.gz")]


def python_of(home):
    return os.path.join(home, "venv", "bin", "python")


def site_of(home):
    """The folder of a suite's modules."""
    return glob.glob(os.path.join(home, "venv", "lib", "python3*",
                                  "site-packages"))[0]


def toolkit(build, root):
    """The CUDA toolkit, looked for where the Makefile looks."""
    for home in (os.environ.get("CUDA_HOME"), os.path.join(build, "cuda"),
                 os.path.join(root, "build", "cuda"), "/usr/local/cuda"):
        if home and os.path.exists(os.path.join(home, "bin", "nvcc")):
            return os.path.abspath(home)
    raise Failed("no CUDA toolkit is here; run scripts/setup")
