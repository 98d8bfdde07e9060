"""`make install` and `make uninstall`, in a folder of the test's own."""

import os
import re
import subprocess

from conftest import BUILD, DEADLINE, PROGRAMS, ROOT, plain_build_only

pytestmark = plain_build_only


def make(box, target, umask=-1):
    env = {k: v for k, v in os.environ.items() if k[:4] != "MAKE"}
    done = subprocess.run(
        ["make", target, f"BUILD={BUILD}", f"DESTDIR={box.folder}/root",
         "PREFIX=/opt"], cwd=ROOT, env=env, capture_output=True, text=True,
        timeout=DEADLINE, umask=umask)
    assert done.returncode == 0, done.stdout + done.stderr


def installed(box):
    root = os.path.join(box.folder, "root")
    return {os.path.relpath(os.path.join(folder, name), root)
            for folder, _, names in os.walk(root) for name in names}


def dead_links(root):
    """Those of the pages there that lead to no page there."""
    dead = []
    for folder, _, names in os.walk(root):
        for name in (name for name in names if name.endswith(".md")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                links = re.findall(r"\]\(([^)\s#]+)", file.read())
            dead += [(name, link) for link in links
                     if not link.startswith("http") and
                     not os.path.isfile(os.path.join(folder, link))]
    return dead


def test_make_help_names_each_target_for_people():
    text = subprocess.run(["make", "-s", "help"], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)", file.read(), re.M)
    parts = {"all", "setup", "generated", "build-check", "build-tests"}
    for target in set(phony.group(1).split()) - {"\\"} - parts:
        assert re.search(rf"\b{target}\b", text), target
    assert max(map(len, text.splitlines())) <= 80 and "#" not in text


def test_what_is_installed_runs_and_goes_again(box):
    make(box, "install")
    files = installed(box)
    assert {"opt/bin/mnm", "opt/lib/mnm/libmnm.so",
            "opt/lib/mnm/sim/profiles/t4.profile", "opt/share/man/man1/mnm.1",
            "opt/share/doc/mnm/LICENSE", "opt/share/doc/mnm/README.md",
            "opt/share/doc/mnm/docs/options.md",
            "opt/share/mnm/python/mnm/__init__.py",
            "opt/share/mnm/python/mnm/py.typed"} <= files
    subprocess.run(["/usr/bin/python3", "-B", "-c", "import mnm"], check=True,
                   env={"PYTHONPATH": f"{box.folder}/root/opt/share/mnm/python"})
    env = {k: v for k, v in os.environ.items()
           if k[:4] != "MNM_" and k != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [f"{box.folder}/root/opt/bin/mnm", "run", "--sim", "--set",
         f"stat_file={box.stat_file}", "--", f"{PROGRAMS}/late_work"],
        env=dict(env, MNM_SOCKET_DIR=box.sockets), capture_output=True,
        text=True, timeout=DEADLINE)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert box.stat()["hits"] == 1
    assert dead_links(os.path.join(box.folder, "root/opt/share/doc/mnm")) == []
    make(box, "uninstall")
    assert installed(box) == set()


def test_every_user_can_read_what_is_installed_whatever_the_umask(box):
    make(box, "install", umask=0o077)
    root = os.path.join(box.folder, "root", "opt")
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            needed = 0o055 if os.path.isdir(path) else 0o044
            assert os.stat(path).st_mode & needed == needed, path
