"""The page of `mnm report FILE -o PAGE` in a browser: it draws, zooms and answers
to the pointer, and asks for nothing."""

import json
import os
import re
import shutil
import socket
import time

import pytest

from conftest import DEADLINE, program
from recording_writer import ALLOC
from test_pool import open_shell, took
from test_recording_stacks import of_an_allocator
from test_report_html import laps, made, repeated, report, written

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

POOL = "page_unit_pool"
DRIVER, CHROMIUM = shutil.which("chromedriver"), shutil.which("chromium")

__all__ = ["laps", "repeated"]  # fixtures


class Browser:
    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking",
                     "--window-size=1280,800", f"--user-data-dir={folder}"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs",
                               {"browser": "ALL", "performance": "ALL"})
        env = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
        self.driver = webdriver.Chrome(options=options,
                                       service=Service(DRIVER, env=env))

    def command(self, name, **words):
        return self.driver.execute_cdp_cmd(name, words)

    def open(self, page, scheme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=1280,
                     height=800, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(page.as_uri())
        # Once this is there, all is: one piece of script draws the page.
        self.await_true("document.querySelector('#footer')?.textContent")

    def run(self, script):
        return self.driver.execute_script(f"return {script}")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run(f"document.querySelector({selector!r}).textContent")

    def await_true(self, script):
        end = time.monotonic() + DEADLINE
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def point(self, selector, x=0, y=0):
        """Moves the pointer so far from the middle of the element."""
        ActionChains(self.driver).move_to_element_with_offset(
            self.find(selector), x, y).perform()

    def drag(self, selector, x, by):
        ActionChains(self.driver).move_to_element_with_offset(
            self.find(selector), x, 0).click_and_hold().move_by_offset(
            by, 0).release().perform()

    def double_click(self, selector):
        ActionChains(self.driver).double_click(self.find(selector)).perform()

    def sections(self):
        """Those that are seen."""
        return self.run("[...document.querySelectorAll('section')]"
                        ".filter((each) => each.offsetHeight)"
                        ".map((each) => each.id)")

    def is_quiet(self):
        """Nothing was said on the console, and nothing but the page was asked
        for."""
        said = [row["message"] for row in self.driver.get_log("browser")]
        asked = [json.loads(row["message"])["message"]
                 for row in self.driver.get_log("performance")]
        urls = [row["params"]["request"]["url"] for row in asked
                if row["method"] == "Network.requestWillBeSent"]
        assert said == []
        assert len([url for url in urls if url.startswith("file:")]) == 1
        # What the browser's own windows are made of is not the page's.
        assert not [url for url in urls if not url.startswith(
            ("file:", "data:", "blob:", "chrome:"))]


def knows_localhost():
    """What debootstrap has made has no /etc/hosts, and the driver asks for
    this name."""
    try:
        return socket.getaddrinfo("localhost", 80)
    except socket.gaierror:
        return None


@pytest.fixture(scope="module")
def the_browser(tmp_path_factory):
    if not knows_localhost():
        pytest.skip("nothing says where localhost is; /etc/hosts should")
    if not (webdriver and DRIVER and CHROMIUM):
        pytest.skip("no chromium, chromedriver or selenium; "
                    "scripts/setup --tests installs them")
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.driver.quit()


@pytest.fixture
def browser(the_browser):
    yield the_browser
    the_browser.is_quiet()


RANGE = "document.querySelector('#%s .plot').layout.xaxis.range"
EVERY = ["memory", "peak", "fragmentation", "sizes", "failures", "map", "slow",
         "iterations"]


def test_the_first_picture_is_whole(box, laps, browser):
    browser.open(made(box, laps))
    assert browser.sections() == EVERY
    for each in ("tiles", "memory", "peak"):
        assert browser.run(f"document.getElementById('{each}')"
                           ".getBoundingClientRect().bottom <= innerHeight")
    assert browser.text("h1") == "shell_shared"
    device = json.loads(report(box, laps, "--json").stdout)["devices"][0]
    tiles = browser.text("#tiles")
    assert f"{device['peak'] / (1 << 20):.2f} MiB".rstrip("0") in tiles
    assert f"{device['requests']}requests" in tiles
    assert browser.run("document.querySelectorAll("
                       "'#memory .scatterlayer .trace').length") >= 3


def test_a_drag_zooms_and_two_clicks_go_back(box, laps, browser):
    browser.open(made(box, laps))
    whole = browser.run(RANGE % "memory")
    browser.drag("#memory .nsewdrag", -150, 200)
    browser.await_true(f"{RANGE % 'memory'}[0] > {whole[0]} && "
                       f"{RANGE % 'memory'}[1] < {whole[1]}")
    zoomed = browser.run(RANGE % "memory")
    browser.await_true(f"{RANGE % 'fragmentation'}[0] === {zoomed[0]}")
    browser.find("#memory .choice button").click()
    assert browser.run(RANGE % "memory") == zoomed
    assert browser.run(RANGE % "fragmentation") == zoomed
    browser.double_click("#memory .nsewdrag")
    browser.await_true(f"{RANGE % 'memory'}[0] === {whole[0]}")
    browser.await_true(f"{RANGE % 'fragmentation'}[1] === {whole[1]}")


HOVERS = [
    ("memory .nsewdrag", (40, 20), r"run_alloc.*[KM]iB"),
    ("peak .plot", (-20, 60), r"run_alloc.*%, \d+ blocks?"),
    ("sizes .nsewdrag", (40, 0), r"from .*requests"),
    ("map .nsewdrag", (-100, -40), r"0x[0-9a-f]+.* of .*B"),
    ("iterations .nsewdrag", (10, 0), r"time: .*s"),
]


def told_at(browser, section, at):
    """What is told so far from the middle of it."""
    browser.driver.execute_script(
        "document.querySelector(arguments[0]).scrollIntoView("
        "{block: 'center'})", f"#{section}")
    browser.point(f"#{section}", *at)
    layer = f"#{section.split(' ', maxsplit=1)[0]} .hoverlayer"
    browser.await_true(f"document.querySelector('{layer}').textContent !== ''")
    return browser.text(layer)


def test_what_is_under_the_pointer_is_told(box, laps, browser):
    browser.open(made(box, laps))
    for section, at, shows in HOVERS:
        text = told_at(browser, section, at)
        assert re.search(shows, text), text


def test_the_map_tells_the_region_of_a_block(box, tmp_path, browser):
    shell = open_shell(box, "vmm_pool", record=tmp_path / "out")
    took(shell, "alloc a 33554432")
    shell.end()
    browser.open(made(box, tmp_path / "out"))
    assert re.search(r"in the region 0x[0-9a-f]+ of vmm_pool: 32 MiB, 1 block$",
                     told_at(browser, "map .nsewdrag", (-100, 0)))


def test_calls_are_drawn_where_there_are_stacks(box, tmp_path, browser):
    browser.open(made(box, of_an_allocator(tmp_path)))
    assert "calls" in browser.sections()
    assert set(browser.run(
        "[...document.querySelectorAll('#calls .slicetext')]"
        ".map((each) => each.textContent)")) == {
            "all", "(no stack)", "alloc", "main", "step"}
    assert re.search(r"app: main.*3 MiB, 75 %, 4 blocks",
                     told_at(browser, "calls .plot", (-200, -10)))


def test_another_device_is_shown(box, laps, browser):
    browser.open(made(box, laps))
    browser.find("#devices button:nth-child(2)").click()
    assert "5.86 KiBlive at most" in browser.text("#tiles")
    assert "failures" not in browser.sections()
    browser.find("#devices button:nth-child(3)").click()
    assert "8.79 KiBlive at most" in browser.text("#tiles")


def test_dark_and_light_are_two(box, laps, browser):
    grounds = set()
    page = made(box, laps)
    for scheme in ("light", "dark"):
        browser.open(page, scheme)
        grounds.add(browser.run(
            "getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_it_is_light_and_fits_on_paper(box, laps, browser):
    browser.open(made(box, laps), "dark")
    look = ("[document.querySelector('#memory .plot')._fullLayout.width,"
            "document.querySelector('#memory .plot')._fullLayout.font.color]")
    width, text = browser.run(look)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    narrow, black = browser.run(look)
    assert narrow < 700 < width and (text, black) == ("#e3e7ec", "#000000")
    assert browser.command("Page.printToPDF")["data"]
    browser.await_true(f"{look}[0] === {width}")
    assert browser.run(look) == [width, text]


HOSTILE = os.fsencode("script><img src=x onerror=\"bad=1\"><b>&lt;'%{x}") + (
    b"\xff\xe2\x80\xa8.so")


def test_hostile_names_are_only_shown(box, tmp_path, browser):
    """The path of the program has </script> in it."""
    folder = os.fsencode(tmp_path) + b"/<"
    os.mkdir(folder)
    copy = folder + b"/" + HOSTILE
    shutil.copy(program("shell_shared"), copy)
    path = tmp_path / "out"
    shell = box.start([copy], POOL, record=path)
    took(shell, "alloc a 1")
    took(shell, "alloc b 5000")
    shell.end()
    page = made(box, path)
    browser.open(page)
    assert browser.text("h1").startswith("script><img src=x onerror=\"bad=1\">")
    assert browser.run("document.querySelector('#peak .plot').textContent"
                       ).count("script><img src=x") >= 1
    assert browser.run("typeof bad") == "undefined"
    assert not browser.run("document.querySelectorAll('main img').length")


@pytest.mark.parametrize("stopped", [True, False])
def test_an_empty_recording_is_a_page(box, tmp_path, browser, stopped):
    path = tmp_path / "out"
    shell = open_shell(box, POOL)
    took(shell, "alloc a 1")
    took(shell, "free a")
    box.mnm("record", shell.pid, "start", path)
    if not stopped:
        took(shell, "alloc a 1")
    box.mnm("record", shell.pid, "stop")
    shell.end()
    browser.open(made(box, path))
    if stopped:
        assert browser.text("#warning") == (
            "There is no request in this recording.")
        assert browser.sections() == []
    else:
        assert "1 Blive at most" in browser.text("#tiles")


def test_the_browser_shows_what_is_damaged(box, laps, tmp_path, browser):
    cut, page = tmp_path / "cut", tmp_path / "page.html"
    cut.write_bytes(laps.read_bytes()[:-10])
    report(box, cut, "-o", page, check=False)
    browser.open(page)
    assert browser.text("#warning").startswith("What follows is lost: frame")


def test_a_long_recording_is_drawn(box, repeated, browser):
    browser.open(made(box, repeated))
    assert {"memory", "peak", "iterations"} <= set(browser.sections())
    assert browser.run("document.querySelectorAll('*').length") < 3000


def test_what_is_not_known_is_not_drawn(box, tmp_path, browser):
    browser.open(made(box, written(tmp_path, [
        {"kind": ALLOC, "time": at, "address": at << 12, "size": 100}
        for at in range(1, 5)])))
    assert browser.sections() == ["memory", "peak", "sizes", "map"]
    assert browser.text("#tiles") == "400 Blive at most4requests0failed"
