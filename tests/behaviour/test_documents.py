"""The documents and --help say what the tables in src/ say, and the links of
the documents lead somewhere."""

import glob
import os
import re
import subprocess

import pytest

from conftest import cuda_home, plain_build_only

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MNM = os.path.join(os.environ.get("MNM_BUILD", os.path.join(ROOT, "build")),
                   "mnm")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def mnm(*words):
    return subprocess.run([MNM, *words], capture_output=True, text=True,
                          check=True).stdout


def options():
    """(name, default, range, help) of each row of option_list.h."""
    text = read("src/common/option_list.h").replace("\\\n", "")
    rows = re.findall(
        r'^OPTION\((\w+), \w+, \w+, "(.*?)", "(.*?)",\s+"(.*?)"\)',
        text.replace("OPTION(", "\nOPTION("), re.MULTILINE)
    assert len(rows) >= 8
    return rows


def pools():
    text = read("src/common/pool_list.h").replace("\\\n", "")
    rows = re.findall(r'^POOL\((\w+), \w+,\s+"(.*?)"\)',
                      text.replace("POOL(", "\nPOOL("), re.MULTILINE)
    assert len(rows) >= 2
    return rows


def test_the_page_of_options_has_each_with_default_range_and_help():
    page = read("docs", "options.md")
    for name, default, allowed, text in options():
        row = (f"| `{name}` | `MNM_{name.upper()}` | {default} | {allowed} | "
               f"{text} |").replace("|  |", "| |")
        assert row in page, row


def test_the_manual_has_every_option_and_variable():
    manual = read("docs", "mnm.1")
    for name, _, _, _ in options():
        assert f'.TP\n.BR {name} ", " MNM_{name.upper()}\n' in manual, name


def test_run_help_has_every_option_and_pool():
    text = mnm("run", "--help")
    for name, default, allowed, help_text in options():
        for word in (name, f"MNM_{name.upper()}", default, allowed, help_text):
            assert word in text, word
    for name, summary in pools():
        assert name in text and summary in text


def test_the_readme_and_the_manual_have_every_pool():
    for name, summary in pools():
        assert f"| `{name}` | {summary} |" in read("README.md")
        assert f".B {name}\n" in read("docs", "mnm.1")


def test_the_page_of_commands_and_the_manual_have_every_command():
    commands = re.findall(r"^  mnm (\w+)", mnm("--help"), re.MULTILINE)
    assert len(commands) >= 7
    for name in commands:
        assert f"| `mnm {name}" in read("docs", "commands.md"), name
        assert f".TP\n.B {name}\n" in read("docs", "mnm.1"), name


def test_the_manual_has_each_commands_usage_line():
    text = re.sub(r"\\f.|\\", "", read("docs", "mnm.1"))
    for name in re.findall(r"^  mnm (\w+)", mnm("--help"), re.MULTILINE):
        usage = re.sub(r"\n +", " ", mnm(name, "--help"))
        usage = usage.split("\n")[0].replace("usage: ", ".B ")
        assert f"{usage}\n" in text.replace(f".B mnm {name}\n[",
                                            f".B mnm {name} [").replace(
            f".B mnm {name}\nPID", f".B mnm {name} PID"), usage


def test_set_help_has_the_options_that_are_live_and_no_others():
    """A live option's row says LIVE. The documents refer to the help."""
    text = read("src/common/option_list.h").replace("OPTION(", "\nOPTION(")
    live = re.findall(r"^OPTION\((\w+), \w+, LIVE,", text, re.MULTILINE)
    assert len(live) >= 6
    assert re.findall(r"^  ([a-z_]+) ", mnm("set", "--help"),
                      re.MULTILINE) == live
    for document in (read("docs", "commands.md"), read("docs", "options.md"),
                     read("docs", "mnm.1").replace(
            "\\", "")):
        assert "mnm set --help" in document


def test_the_page_of_top_has_every_column_and_key():
    page = read("docs", "top.md")
    titles = re.findall(r'\[COLUMN_\w+\] = {"(\S+)"',
                        read("src", "cli", "top", "column.c"))
    keys = re.findall(r'^\t{"(.+?)", ', read("src", "cli", "top", "keys.c"),
                      re.MULTILINE)
    assert len(titles) >= 10 and len(keys) >= 10
    for word in titles + " ".join(keys).split():
        assert f"`{word}`" in page, word


def test_the_page_of_recordings_has_each_column_of_csv():
    head = re.search(r'fputs\("(time_ns,[^;]*)', read("src/cli/export/formats.c"))
    columns = re.findall(r"[a-z_]+(?=[,\\])", head.group(1))
    page = read("docs", "recordings.md")
    assert len(columns) == 16
    for column in columns:
        assert f"`{column}`" in page, column


@pytest.mark.parametrize("source, page, row", [
    ("src/cli/export/formats.c", "docs/recordings.md", r'^\t{"(\w+)", "'),
    ("src/cli/import/import_file.c", "docs/recordings.md", r'^\t{"(\w+)", "'),
    ("scripts/guests_lib/suites.py", "docs/compatibility.md",
     r'^    Suite\("(\S+)", '),
])
def test_tables_have_a_row_for_each_row(source, page, row):
    names = re.findall(row, read(source), re.MULTILINE)
    text = read(page)
    assert len(names) >= 3
    for name in names:
        assert re.search(rf"^\| (`{name}`|{name} \S+) \|", text,
                         re.MULTILINE | re.IGNORECASE), name


def test_versions_agree():
    version = re.search(r'MNM_VERSION "(.*?)"',
                        read("src/common/version.h")).group(1)
    assert mnm("--version") == f"mnm {version}\n"
    assert f"## {version}" in read("CHANGELOG.md")
    assert f'"mnm {version}"' in read("docs", "mnm.1")


def test_every_example_and_framework_is_in_the_compatibility_table():
    text = read("docs", "compatibility.md")
    names = os.listdir(os.path.join(ROOT, "examples"))
    mains = [name.split(".")[0] for name in names if name.endswith(".py") or
             name.endswith((".c", ".cu", ".cpp")) and
             "int main(" in read("examples", name)]
    assert len(mains) >= 9
    for name in mains:
        assert f"`{name}" in text, name
    parts = re.findall(r'"([\w-]+)": \(parts_(?:frameworks|async)\.',
                       read("scripts", "gpu", "check.py"))
    assert len(parts) >= 8
    for part in parts:
        assert f"gpu-check --only {part}`" in text, part


@pytest.mark.parametrize("document", ["compatibility.md", "guests.md"])
def test_the_tests_that_a_document_names_are_there(document):
    tests = "".join(read("tests", "behaviour", name) for name in
                    os.listdir(os.path.join(ROOT, "tests", "behaviour"))
                    if name.endswith(".py"))
    files = os.listdir(os.path.join(ROOT, "tests", "behaviour"))
    named = re.findall(r"`(test_\w+)`", read("docs", document))
    assert len(named) >= 8
    for name in named:
        assert f"def {name}(" in tests, name
    for name in re.findall(r"test_\w+\.py", read("docs", document)):
        assert name in files, name


@pytest.mark.parametrize("name", ["octave_pool.c", "wide_pool.c"])
def test_the_example_of_a_pool_compiles(tmp_path, name):
    text = read("docs", "writing-a-pool.md")
    sources = dict(zip(("octave_pool.c", "wide_pool.c"), re.findall(
        r"^```c\n(.*?)^```$", text, re.M | re.S), strict=True))
    path = tmp_path / name
    path.write_text(sources[name])
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror",
                    "-fsyntax-only", "-I", os.path.join(ROOT, "src"),
                    "-I", os.path.join(ROOT, "src", "pools"), "-I",
                    os.path.join(ROOT, "include"), str(path)],
                   check=True)


def test_the_example_of_a_plug_in_is_the_one_that_is_installed():
    shown = re.search(r"^```c\n(.*?)^```$", read("docs", "writing-a-pool.md"),
                      re.M | re.S).group(1)
    assert shown == read("examples", "plugins", "octave_pool.c")


@plain_build_only
def test_the_example_of_a_hook_compiles(tmp_path):
    rows, source, *_ = re.findall(r"^ *```c\n(.*?)^ *```$",
                                  read("docs", "adding-a-hook.md"),
                                  re.M | re.S)
    assert len(re.findall(r"HOOK\(", rows)) == len(
        re.findall(r"^ *EXPORT", source, re.M)) == 2
    path = tmp_path / "registers.c"
    # What the rows have generated.
    path.write_text("".join(
        f"unsigned room_{name}(void *, unsigned long, unsigned);\n" for name in
        re.findall(r"ROOM_CALL\((\w+)", source)) + source)
    build = os.path.dirname(MNM)
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror",
                    "-Wmissing-prototypes", "-D_GNU_SOURCE", "-fsyntax-only",
                    "-DCOUNTER_registers=COUNTER_failures",
                    "-I", os.path.join(ROOT, "src"),
                    "-I", os.path.join(ROOT, "include"),
                    "-I", os.path.join(ROOT, "src", "hooks"),
                    "-I", os.path.join(build, "gen", "hooks"),
                    "-isystem", os.path.join(cuda_home(), "include"),
                    str(path)], check=True)


def documents():
    """All documents except those about a single day (docs/results)."""
    names = [name for place in ("", "docs/", "examples/**/", "src/**/",
                                "tests/**/")
             for name in glob.glob(f"{place}*.md", root_dir=ROOT,
                                   recursive=True)]
    assert len(names) > 30
    return sorted(names)


def named_files(document):
    """Paths from the root in backquotes, also of folders and patterns."""
    named = set(re.findall(r"`((?:src|tests|docs|scripts|examples)/[^`\s]+)`",
                           read(*document.split("/"))))
    return named - {"src/pools/octave_pool.c", "src/pools/wide_pool.c",
                    "src/pools/NAME.c"}  # to make


@pytest.mark.parametrize("document", documents())
def test_the_files_that_a_document_names_are_there(document):
    for path in named_files(document):
        assert glob.glob(os.path.join(ROOT, path)), path


@pytest.mark.parametrize("document", [
    "CONTRIBUTING.md", "SECURITY.md", "docs/writing-a-pool.md",
    "docs/adding-a-hook.md", "docs/layers.md", "docs/glossary.md"])
def test_the_files_that_a_document_names_are_found(document):
    assert len(named_files(document)) > 2


def named_words(document):
    """(word, file) wherever a document says that the one is in the other."""
    text = read(*document.split("/"))
    return [(re.sub(r"\W+$", "", word), path) for word, path in re.findall(
        r"`([a-z]\w+(?:\(\))?)`\s+(?:of\s+|in\s+|that\s+)`"
        r"((?:src|tests|scripts)/[^`*\s]+\.[ch])`", text)]


@pytest.mark.parametrize("document", documents())
def test_what_a_document_says_is_in_a_file_is_there(document):
    for word, path in named_words(document):
        pattern = word.replace("NAME", r"\w+")  # as live_NAME
        assert re.search(rf"\b{pattern}\b", read(*path.split("/"))), word


def test_what_a_document_says_is_in_a_file_is_found():
    assert len(named_words("SECURITY.md")) > 5


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


@pytest.mark.parametrize("document", documents())
def test_the_links_of_a_document_lead_somewhere(document):
    links = re.findall(r"\]\(([^)\s]+)\)", read(*document.split("/")))
    for link in links:
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(
            os.path.dirname(document), path)) if path else document
        assert os.path.isfile(os.path.join(ROOT, target)), link
        if anchor:
            assert anchor in anchors(read(*target.split("/"))), link


@pytest.mark.parametrize("document", documents())
def test_each_table_of_a_document_has_a_heading(document):
    """Without one, as after an empty line in its midst, rows are shown as
    text with bars."""
    text = re.sub(r"^ *```.*?^ *```", "", read(*document.split("/")),
                  flags=re.MULTILINE | re.DOTALL)
    lines = ["", *text.split("\n"), ""]
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        if line.startswith("|") and not before.startswith("|"):
            assert re.fullmatch(r"\|[ :|-]+\|", after), line


def test_links_lead_from_the_readme_to_every_page():
    found, left = set(), ["README.md"]
    while left:
        document = left.pop()
        found.add(document)
        for link in re.findall(r"\]\(([^)#\s]+\.md)\b",
                               read(*document.split("/"))):
            target = os.path.normpath(os.path.join(
                os.path.dirname(document), link))
            if not link.startswith("http") and target not in found:
                left.append(target)
    pages = {name for name in documents() if name.startswith("docs/")}
    assert len(pages) > 20
    assert pages <= found, pages - found


def test_what_no_test_reaches_is_still_there():
    """The script that counts without these rows finds each row of
    tests/unreached in the sources."""
    subprocess.run([os.path.join(ROOT, "scripts", "coverage-sum"), "--rows"],
                   check=True)
